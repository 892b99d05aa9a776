"""Compares what a centre keeps with the journals of all its tables, entry by entry: nothing is lost, double or
different, and no table holds a cosignature over entries that are not there.

It reads the store's rows alone and trusts nothing that the centre computed, so it is a judge of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pi_app.centre.store.store import CentreStore
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import cosigned_at, read_checkpoint
from pi_app.journal.record.merkle import HASH_BYTES, Tree
from pi_app.journal.record.notes import SignedNote, VerifierKey

MOST_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class TableTruth:
    """What a table itself has: the hashes of its entries one after the other, and the newest note that the centre has
    cosigned for it; None if there is none."""

    leaves: bytes | bytearray
    cosigned: SignedNote | None = None

    @property
    def size(self) -> int:
        """How many entries the table has."""
        return len(self.leaves) // HASH_BYTES


@dataclass(slots=True)
class Checked:
    """What was found. `wrong`: a sentence for each of the first faults."""

    tables: int = 0
    entries: int = 0
    lost: int = 0
    double: int = 0
    different: int = 0
    unknown: int = 0
    bad_cosignatures: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.double or self.different or self.unknown or self.bad_cosignatures)

    def note(self, origin: str, what: str) -> None:
        """Keep a sentence about a fault."""
        if len(self.wrong) < MOST_NAMED:
            self.wrong.append(f"{origin[-12:]}: {what}")


def check(
    store: CentreStore,
    tables: Mapping[str, TableTruth],
    centre: VerifierKey,
    *,
    whole: bool = False,
    halves: bool = True,
) -> Checked:
    """Compare a store with tables by their origins. `whole`: every entry of a table must be there, and not only those
    that the centre has cosigned. `halves`: hash each entry's halves again. Raises StoreError."""
    found = Checked()
    records = store.records()
    for origin in tables.keys() - {each.origin for each in records}:
        found.lost += tables[origin].size if whole else _vouched(tables[origin])
        found.note(origin, "the record is not there")
    for record in records:
        truth = tables.get(record.origin)
        found.tables += 1
        if truth is None:
            found.unknown += 1
            found.note(record.origin, "no table has this record")
            continue
        leaves = _rows(store, record.number, record.origin, truth, found, halves=halves)
        least = truth.size if whole else _vouched(truth)
        if len(leaves) < least:
            found.lost += least - len(leaves)
            found.note(record.origin, f"{len(leaves)} entries are there, and {least} should be")
        if record.known.size != len(leaves):
            found.different += 1
            found.note(record.origin, f"its size is {record.known.size}, and {len(leaves)} entries are there")
        if truth.cosigned is not None and not _holds(truth.cosigned, leaves, centre):
            found.bad_cosignatures += 1
            found.note(record.origin, "a cosignature is over other entries than those that are there")
    return found


def _vouched(truth: TableTruth) -> int:
    return 0 if truth.cosigned is None else read_checkpoint(truth.cosigned.text).size


def _rows(
    store: CentreStore, number: int, origin: str, truth: TableTruth, found: Checked, *, halves: bool
) -> Sequence[bytes]:
    """Go through the rows of one record; return their hashes, as long as no number is missing."""
    leaves: list[bytes] = []
    last = 0
    for seq, public, sealed, leaf, _ in store.rows(number):
        found.entries += 1
        if not isinstance(seq, int) or seq <= last:
            found.double += 1
            found.note(origin, f"entry {seq} is there twice")
            continue
        if seq != last + 1:
            found.lost += seq - last - 1
            found.note(origin, f"entries {last + 1} to {seq - 1} are missing")
        last = seq
        if not isinstance(leaf, bytes) or leaf != truth.leaves[(seq - 1) * HASH_BYTES : seq * HASH_BYTES]:
            found.different += 1
            found.note(origin, f"entry {seq} is another one than the table's")
        elif (
            halves and isinstance(public, bytes) and (not isinstance(sealed, bytes) or rec.leaf(public, sealed) != leaf)
        ):
            found.different += 1
            found.note(origin, f"the halves of entry {seq} have another hash")
        leaves.append(leaf if isinstance(leaf, bytes) else b"")
    return leaves


def _holds(note: SignedNote, leaves: Sequence[bytes], centre: VerifierKey) -> bool:
    checkpoint = read_checkpoint(note.text)
    if cosigned_at(note, centre) is None or checkpoint.size > len(leaves):
        return False
    tree = Tree()
    tree.extend(leaves[: checkpoint.size])
    return tree.root() == checkpoint.root
