"""Whether a table is there now: only a fresh signature of its device says so. Entries and checkpoints, which others may
have, say what the table once wrote, whoever hands them over and whenever."""

from __future__ import annotations

from pi_app.centre.enrolment import time_of_challenge
from pi_app.centre.store.store import KeptRecord
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.checkpoints import device_of
from pi_app.journal.record.handover import HandOver
from pi_app.journal.record.presence import PRESENCE_S


def is_present(handed: HandOver, record: KeptRecord, centre: CentreKey, now_s: int) -> bool:
    """Return whether the record's device has signed this hand-over for this centre, over a challenge that is fresh and
    was made after the table was last seen, and goes on where this centre is: what was seen once is not seen again. A
    time in the future, from when a centre's clock was wrong, does not count."""
    present, device = handed.present, device_of(record.origin)
    if present is None or device is None or handed.first != record.known.size + 1:
        return False
    made_s = time_of_challenge(centre, present.challenge)
    if made_s is None or abs(now_s - made_s) > PRESENCE_S:
        return False
    if made_s < record.seen_s <= now_s + PRESENCE_S:
        return False
    return present.is_signed(device, centre.verifier, handed.more, handed.checkpoint.text)
