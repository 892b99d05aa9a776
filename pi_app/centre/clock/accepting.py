"""Accepts a clock because a person says that it is right, and makes cosignatures of the future again."""

from __future__ import annotations

from collections.abc import Sequence

from pi_app.centre.clock.machine import ClockReading
from pi_app.centre.clock.watch import cosigned_notes
from pi_app.centre.store.clock_rows import ClockAcceptance, ClockAnchor, RenewedNote
from pi_app.centre.store.store import CentreStore
from pi_app.centre.taking.decision import CentreKey, cosigned_time
from pi_app.journal.record.checkpoints import cosign
from pi_app.journal.record.notes import SignedNote, read_note


def accept_clock(store: CentreStore, key: CentreKey, clock: ClockReading, logs: Sequence[str]) -> ClockAcceptance:
    """Keep that the clock is right until the machine starts again. A newest cosignature that names a later time is
    replaced by one over the same checkpoint with the time that it is now. Raises StoreError."""
    now_s, until_s = max(1, int(clock.now_s)), 0
    renewed = []
    for origin, text in cosigned_notes(store, logs):
        time_s = cosigned_time(text, key.name)
        until_s = max(until_s, time_s)
        if time_s > now_s:
            renewed.append(RenewedNote(origin, text, _renew(text, key, now_s)))
    acceptance = ClockAcceptance(now_s, until_s, len(renewed))
    store.clock.accept(ClockAnchor(clock.boot, int(clock.began_s), by_person=True), acceptance, renewed)
    return acceptance


def _renew(text: str, key: CentreKey, now_s: int) -> str:
    note, own = read_note(text.encode()), key.verifier
    others = tuple(line for line in note.signatures if not line.is_of(own))
    return SignedNote(note.text, (*others, cosign(key.key, key.name, note.text, now_s))).written()
