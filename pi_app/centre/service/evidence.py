"""Keeps what contradicts the records here, in little room, and says so in a line for each table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pi_app.centre.store.evidence_rows import ForkEvidence, HowKept
from pi_app.centre.store.store import CentreStore
from pi_app.journal.record.checkpoints import read_checkpoint
from pi_app.journal.record.handover import HandOver
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_note
from pi_app.journal.record.witness_protocol import AddCheckpoint

LONGEST_KEPT: Final = 8 * 1024
"""Of an entry that differs and is longer, only the hash is kept."""

MOST_NAMED: Final = 1_000
"""Tables whose line was written are remembered up to this number."""


class EvidenceKeeper:
    """Keeps contradictions in a store. `write` prints a line for the centre's owner."""

    def __init__(self, store: CentreStore, write: Callable[[str], None]) -> None:
        self._store, self._write = store, write
        self._named: set[tuple[str, HowKept]] = set()

    def keep(self, name: str, sent: ForkEvidence, short: bytes) -> HowKept:
        """Keep a contradiction against the table with this name. Raises StoreError."""
        how = self._store.evidence.keep(sent, short)
        line = {
            HowKept.KEPT: f"{sent.why.rstrip('.')}. What it sent is kept as evidence.",
            HowKept.COUNTED: "it sends more contradictions than are worth keeping. Further ones are counted.",
        }.get(how)
        if line and (sent.origin, how) not in self._named:
            if len(self._named) >= MOST_NAMED:
                self._named.clear()
            self._named.add((sent.origin, how))
            self._write(f"{name}: {line}")
        return how


def own_note(cosigned: str, centre: VerifierKey) -> str:
    """Return a note of the store with the two signatures that count: its log's and this centre's."""
    if not cosigned:
        return ""
    note = read_note(cosigned.encode())
    names = (read_checkpoint(note.text).origin, centre.name)
    return SignedNote(note.text, tuple(line for line in note.signatures if line.name in names)).written()


def short_hand_over(handed: HandOver, seq: int | None) -> bytes:
    """Return the body of a hand-over that has the same checkpoint, and of the entries only number `seq`, which
    differs."""
    entries = () if seq is None else handed.entries[seq - handed.first :][:1]
    for public, sealed, leaf in entries:
        if len(public or b"") + len(sealed or b"") > LONGEST_KEPT:
            entries = ((None, None, leaf),)
    first = seq if entries and seq is not None else handed.last + 1
    return HandOver(handed.origin, first, entries, _of_log(handed.checkpoint, handed.origin)).written()


def short_request(asked: AddCheckpoint, origin: str) -> bytes:
    """Return the body of a log's request without signatures of others."""
    return AddCheckpoint(asked.old, asked.proof, _of_log(asked.note, origin)).written()


def _of_log(note: SignedNote, origin: str) -> SignedNote:
    """Leave out signatures of others than the log itself."""
    return SignedNote(note.text, tuple(line for line in note.signatures if line.name == origin))
