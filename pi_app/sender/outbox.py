"""Reads what is to be handed over from a journal that another program writes, and signs checkpoints over it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pi_app.journal import JournalFileError, raw
from pi_app.journal.record.checkpoints import origin_of, signed_checkpoint
from pi_app.journal.record.handover import HandOver
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.merkle import Tree

MOST_ENTRIES: Final = 500
MOST_BYTES: Final = 1_000_000
"""Of one hand-over, but for a single entry that is larger."""

LEAVES_AT_ONCE: Final = 10_000


class Outbox:
    """The entries of one record. It remembers the tree over those before the next hand-over, and no entry."""

    def __init__(self, path: Path, key: DeviceKey) -> None:
        """`key`: of the device that writes the record."""
        self.path, self._key = path, key
        self._tree = Tree()

    @property
    def origin(self) -> str:
        """The origin of the record's checkpoints."""
        return origin_of(self._key.public)

    def next(self, after: int, since: str = "") -> HandOver | None:
        """Return the next entries after this number with their checkpoint, or the checkpoint alone if there are none;
        None if the record has fewer entries. `since`: the newest note that the centre has cosigned. Raises
        JournalFileError."""
        with raw(self.path) as journal:
            if after < self._tree.size:
                self._tree = Tree()
            while self._tree.size < after:
                first, last = self._tree.size + 1, min(after, self._tree.size + LEAVES_AT_ONCE)
                leaves = [leaf for *_, leaf, _ in journal.rows(part=(first, last)) if isinstance(leaf, bytes)]
                if not leaves:
                    return None
                self._tree.extend(leaves)
            entries: list[tuple[bytes | None, bytes | None, bytes]] = []
            size = 0
            for _, public, sealed, leaf, _ in journal.rows(part=(after + 1, after + MOST_ENTRIES)):
                if not isinstance(leaf, bytes):
                    raise self._damaged(after + len(entries) + 1)
                halves = (public, sealed) if isinstance(public, bytes) and isinstance(sealed, bytes) else (None, None)
                size += sum(len(half) for half in halves if half is not None)
                if entries and size > MOST_BYTES:
                    break
                entries.append((*halves, leaf))
            more = max(0, journal.about() - after - len(entries))
        tree = self._tree.copy()
        tree.extend([leaf for *_, leaf in entries])
        note = signed_checkpoint(self._key, tree.size, tree.root())
        return HandOver(self.origin, after + 1, tuple(entries), note, since, more)

    def _damaged(self, seq: int) -> JournalFileError:
        advice = "Check with `trapdial journal verify`"
        return JournalFileError.of(self.path, f"entry {seq}", "has no hash, so nothing after it is handed over", advice)
