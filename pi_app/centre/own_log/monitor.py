"""Checks a centre's own log from outside, with nothing but its address and its key: what any monitor does.

It also checks that a table's newest checkpoint is in it, for which it reads a few tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from typing import Protocol

from pi_app.centre.own_log.serving import NEWEST
from pi_app.centre.own_log.tiles import (
    LARGEST_BUNDLE,
    LARGEST_TILE,
    TilePath,
    read_bundle,
    split_hashes,
    tiles_of,
)
from pi_app.centre.own_log.tree import TILE, TILE_BITS, inclusion
from pi_app.journal.record.checkpoints import Checkpoint, cosigned_at, is_signed, origin_of, read_checkpoint, read_size
from pi_app.journal.record.heads import Head, head_in
from pi_app.journal.record.merkle import Tree, leaf_hash, proves_inclusion
from pi_app.journal.record.notes import LONGEST_NOTE, VerifierKey, read_note
from pi_app.sender.client import CentreReply
from pi_app.text.language import count_entries
from pi_app.text.progress import Progress, no_progress


class LogClient(Protocol):
    """Whoever gets what is below the log's address."""

    def get(self, path: str, most: int = ...) -> CentreReply:
        """Get it, if it has at most `most` bytes. Raises UnreachableError."""


class WrongLogError(Exception):
    """The log is not what it claims to be. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class SeenLog:
    """A checkpoint that the log's key has signed. `cosigned`: which witnesses vouch for it, and when, POSIX seconds."""

    checkpoint: Checkpoint
    cosigned: tuple[tuple[str, int], ...]


def seen_log(client: LogClient, key: VerifierKey, witnesses: Sequence[VerifierKey]) -> SeenLog:
    """Read the log's checkpoint. Raises WrongLogError, UnreachableError."""
    try:
        note = read_note(_got(client, "checkpoint", LONGEST_NOTE))
        checkpoint = read_checkpoint(note.text)
    except ValueError as error:
        raise WrongLogError(f"The log's checkpoint cannot be read: {error}.") from error
    if checkpoint.origin != key.name or not is_signed(note, key):
        raise WrongLogError(f"The checkpoint of {checkpoint.origin[:200]!a} is not signed by the key {key.text()}.")
    times = [(each.name, cosigned_at(note, each)) for each in witnesses]
    return SeenLog(checkpoint, tuple((name, time_s) for name, time_s in times if time_s is not None))


def check_all(client: LogClient, seen: SeenLog, progress: Progress = no_progress) -> int:
    """Read every entry; return of how many tables they are. Check that they are those of the checkpoint, that each is
    signed by its table, and that no table goes back or has two checkpoints of one size. Raises WrongLogError,
    UnreachableError."""
    size, tree = seen.checkpoint.size, Tree()
    newest: dict[bytes, Head] = {}
    for tile in tiles_of(size):
        entries = _bundle(client, tile)
        for place, entry in enumerate(entries, tile.first):
            found = _table_at(place, entry)
            before = newest.get(found.device)
            if before is not None and (
                found.size < before.size or (found.size == before.size and found.root != before.root)
            ):
                raise WrongLogError(
                    f"Entry {place} contradicts an earlier one of the same table, {origin_of(found.device)}."
                )
            newest[found.device] = found
        tree.extend([leaf_hash(each) for each in entries])
        progress("reading the log", tile.last, size)
    if tree.root() != seen.checkpoint.root:
        raise WrongLogError(f"The entries up to {size} are not those that the checkpoint is over.")
    return len(newest)


def newest_of_table(client: LogClient, seen: SeenLog, device: bytes) -> Head | None:
    """Return the newest head of a table in the log, proven to be in it; None if there is none. Raises WrongLogError,
    UnreachableError."""
    reply = client.get(NEWEST + sha256(origin_of(device).encode()).hexdigest())
    if reply.status == HTTPStatus.NOT_FOUND:
        return None
    size = seen.checkpoint.size
    try:
        place = read_size(reply.body.decode("ascii").strip())
    except ValueError as error:
        raise WrongLogError(f"The place of the table's entry cannot be read: {error}.") from error
    if place >= size:
        return None  # it came after the checkpoint, which shows it soon
    tile = TilePath(None, place // TILE)
    entry = _bundle(client, TilePath(None, tile.place, min(TILE, size - tile.first)))[place - tile.first]
    found = _table_at(place, entry)
    if found.device != device:
        raise WrongLogError(f"Entry {place} is of another table.")
    proof = inclusion(_hashes_of(client, size), place, size)
    if not proves_inclusion(proof, leaf_hash(entry), place, size, seen.checkpoint.root):
        raise WrongLogError(f"Entry {place} is not one of the {size} that the checkpoint is over.")
    return found


def _table_at(place: int, entry: bytes) -> Head:
    try:
        return head_in(read_note(entry))
    except ValueError as error:
        raise WrongLogError(f"Entry {place} is no checkpoint that a table has signed: {error}.") from error


def _bundle(client: LogClient, tile: TilePath) -> list[bytes]:
    try:
        entries = read_bundle(_got(client, tile.text(), LARGEST_BUNDLE))
    except ValueError as error:
        raise WrongLogError(f"{tile.text()} cannot be read: {error}.") from error
    if len(entries) != tile.width:
        raise WrongLogError(f"{tile.text()} has {count_entries(len(entries))}, and not {tile.width}.")
    return entries


def _hashes_of(client: LogClient, size: int) -> Callable[[int, int, int], Sequence[bytes]]:
    """Read hashes from tiles, each tile once."""
    read: dict[str, list[bytes]] = {}

    def hashes(level: int, first: int, last: int) -> Sequence[bytes]:
        place = first // TILE
        width = min(TILE, (size >> TILE_BITS * level) - place * TILE)
        path = TilePath(level, place, width).text()
        if path not in read:
            try:
                read[path] = split_hashes(_got(client, path, LARGEST_TILE))
            except ValueError as error:
                raise WrongLogError(f"{path} cannot be read: {error}.") from error
            if len(read[path]) != width:
                raise WrongLogError(f"{path} has {len(read[path])} hashes, and not {width}.")
        return read[path][first - place * TILE : last - place * TILE]

    return hashes


def _got(client: LogClient, path: str, most: int) -> bytes:
    reply = client.get(path, most)
    if reply.status != HTTPStatus.OK:
        raise WrongLogError(f"The log has no {path}: {reply.words}")
    return reply.body
