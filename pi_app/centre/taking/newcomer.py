"""Records that continue an enrolled one: the commit of their first hand-over enrols them."""

from __future__ import annotations

from collections.abc import Callable

from pi_app.centre.store.store import KeptRecord
from pi_app.centre.taking.decision import check_older
from pi_app.centre.taking.known_record import KnownRecord, NotTakenError, older_record, taken
from pi_app.journal.record.checkpoints import is_signed, origin_of, record_key
from pi_app.journal.record.handover import HandOver


def follow(handed: HandOver, record_of: Callable[[str], KeptRecord | None]) -> KeptRecord | None:
    """Return the record of a hand-over, which has no number yet, if its first entry continues one that is enrolled, and
    that was handed over to its end; None if it does not. Raises HandoverRefusedError, StoreError."""
    if handed.first != 1 or not handed.entries:
        return None
    try:
        start = taken(KnownRecord(), handed.entries[:1]).known
    except NotTakenError:
        return None
    head = older_record(start)
    if head is None or origin_of(start.device) != handed.origin:
        return None
    if not is_signed(handed.checkpoint, record_key(start.device)):
        return None
    older = check_older(head, record_of)
    if older is None or (older.known.size, older.known.root) != (head.size, head.root):
        return None
    return KeptRecord(number=0, origin=handed.origin, name=older.name, shop=older.shop, after=older.number)
