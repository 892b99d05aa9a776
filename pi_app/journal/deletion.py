"""The entry that records the deletion of a game. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from pi_app.journal.chain import JournalRow
from pi_app.journal.record import entry as rec
from pi_app.journal.record.heads import last_signature
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.merkle import Tree
from pi_app.journal.stamps import Stamp


@dataclass(frozen=True, slots=True)
class RemovedGame:
    """A game to delete, with the entries from its first to its last. `continues`: what the record's first entry says of
    an older record, if it is of this game: the deletion says it from now on."""

    game: str
    first: int
    last: int
    continues: rec.Continues | None = None


def deletion(game: RemovedGame, tree: Tree, before: bytes, key: DeviceKey, stamp: Stamp) -> JournalRow:
    """Make the row that records a deletion, and add its leaf to `tree`. `before`: the last leaf so far."""
    public = rec.public_bytes(
        rec.PublicPart(
            format=rec.FORMAT,
            kind=rec.DELETED,
            seq=tree.size + 1,
            game=game.game,
            boot=stamp.boot,
            mono_ns=stamp.mono_ns,
            wall=stamp.wall,
            clock=stamp.clock,
            before=before.hex(),
            device=key.public.hex(),
            first=game.first,
            last=game.last,
            continues=game.continues,
        )
    )
    leaf = rec.leaf(public, b"")
    tree.append(leaf)
    return tree.size, public, b"", leaf, last_signature(key, tree.size, tree.root())
