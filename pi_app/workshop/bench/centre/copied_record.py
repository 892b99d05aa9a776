"""Records of many tables for measurements: one is played, and every other is a copy of it under a key of its own.

In a copy each entry names its own predecessor, number and game, so its hashes, its tree and its signatures are its own.
Its sealed halves are those of the original: a centre cannot open them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from hardware.host import memory_folder
from pi_app.journal import raw
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import origin_of, signed_checkpoint
from pi_app.journal.record.handover import HandedEntry, HandOver
from pi_app.journal.record.keys import DeviceKey, device_key
from pi_app.journal.record.merkle import HASH_BYTES, Tree
from pi_app.journal.record.notes import SignedNote
from pi_app.journal.record.sha import sha256
from pi_app.settings.model import Settings
from pi_app.simulated.written_games import fill

Original = Sequence[tuple[rec.PublicPart, bytes]]
"""The entries of whole games: public half, sealed half."""

ENTRIES: Final = 600
"""Of the original: some games."""


def original(settings: Settings) -> Original:
    """Play some games of a simulated table, and return their entries. Raises JournalFileError."""
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=memory_folder()) as inside:
        path = Path(inside) / "journal.db"
        fill(path, settings, ENTRIES)
        with raw(path) as journal:
            rows = [(public, sealed) for _, public, sealed, _, _ in journal.rows()]
    entries = [(rec.read_public(p), s) for p, s in rows if isinstance(p, bytes) and isinstance(s, bytes)]
    ends = [number for number, (part, _) in enumerate(entries, 1) if part.kind == rec.ENDED]
    return entries[: ends[-1]]


def numbered_key(number: int, seed: int = 0) -> DeviceKey:
    """Return the key of a table: the same number and seed have the same key."""
    return device_key(sha256(f"trapdial bench {seed} {number}".encode()))


@dataclass
class CopiedRecord:
    """A record that grows by entries of the original, again and again. `leaves`: the hashes of all its entries so far,
    one after the other: what a checker compares with."""

    key: DeviceKey
    original: Original
    tree: Tree = field(default_factory=Tree)
    leaves: bytearray = field(default_factory=bytearray)
    _before: str = rec.FIRST_BEFORE

    @property
    def origin(self) -> str:
        """The origin of its checkpoints."""
        return origin_of(self.key.public)

    @property
    def size(self) -> int:
        """How many entries it has."""
        return self.tree.size

    def grow(self, count: int) -> list[HandedEntry]:
        """Add so many entries and return them."""
        device, made = self.key.public.hex(), list[HandedEntry]()
        for seq in range(self.size + 1, self.size + count + 1):
            turn, at = divmod(seq - 1, len(self.original))
            part, sealed = self.original[at]
            opening = None if part.opening is None else msgspec.structs.replace(part.opening, device=device)
            span_ns = self.original[-1][0].mono_ns
            copied = msgspec.structs.replace(
                part,
                seq=seq,
                before=self._before,
                game=f"{turn}-{part.game}",
                mono_ns=part.mono_ns + turn * span_ns,
                opening=opening,
            )
            public = rec.public_bytes(copied)
            leaf = rec.leaf(public, sealed)
            self._before = leaf.hex()
            self.leaves += leaf
            made.append((public, sealed, leaf))
        self.tree.extend([leaf for *_, leaf in made])
        return made

    def checkpoint(self) -> SignedNote:
        """Return the signed checkpoint over all its entries."""
        return signed_checkpoint(self.key, self.size, self.tree.root())

    def handed(self, entries: Sequence[HandedEntry], since: str = "") -> HandOver:
        """Return the hand-over of its last entries."""
        return HandOver(self.origin, self.size - len(entries) + 1, tuple(entries), self.checkpoint(), since)

    def leaf(self, seq: int) -> bytes:
        """Return the hash of an entry."""
        return bytes(self.leaves[(seq - 1) * HASH_BYTES : seq * HASH_BYTES])
