"""Records that continue an enrolled one: the commit of their first hand-over enrols them."""

from __future__ import annotations

from http import HTTPStatus

from pi_app.centre.store.store import CentreStore, KeptRecord
from pi_app.centre.taking.decision import HandoverRefusedError, LookUps, check_older
from pi_app.centre.taking.known_record import KnownRecord, NotTakenError, older_record, taken
from pi_app.journal.record.checkpoints import is_signed, origin_of, record_key
from pi_app.journal.record.handover import HandOver
from pi_app.journal.record.merkle import root_of


def follow(handed: HandOver, store: CentreStore) -> KeptRecord | None:
    """Return the record of a hand-over, which has no number yet, if its first entry continues one that is enrolled, and
    that was handed over to its end; None if it does not. Raises HandoverRefusedError, which is evidence against the
    older record if that went on or began otherwise, and StoreError."""
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
    older = check_older(head, store.record)
    if older is None or not 0 < head.size <= older.known.size:
        return None
    if head.root != (older.known.root if head.size == older.known.size else _root(store, older, head.size)):
        raise _contradiction(older, f"it has other entries up to {head.size:,} than those that are here")
    if older.known.played > head.size:
        raise _contradiction(older, f"it was closed after entry {head.size:,}, and has entry {older.known.played:,}")
    return KeptRecord(number=0, origin=handed.origin, name=older.name, shop=older.shop, after=older.number)


def _root(store: CentreStore, record: KeptRecord, size: int) -> bytes:
    """Return the root over the first entries of a record. Raises StoreError."""
    return root_of(LookUps.of(store, record.number).leaves(1, size))


def _contradiction(older: KeptRecord, seen: str) -> HandoverRefusedError:
    why = f"Its own device has signed that another record continues it, and {seen}."
    return HandoverRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, evidence=True, about=older)
