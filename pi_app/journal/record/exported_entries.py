"""Reads an export as hand-overs: all entries of each record in it, as a centre takes them. Nothing is verified here but
what would mix entries up; the centre checks every hash and the device's signature."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import cosigned_at, origin_of, read_checkpoint
from pi_app.journal.record.export import EXPORT, EntryLine, HandedOnLine
from pi_app.journal.record.export_lines import ExportLines
from pi_app.journal.record.handover import HandedEntry, HandOver
from pi_app.journal.record.heads import head_in, read_head
from pi_app.journal.record.limits import LONGEST_FIRST_LINE
from pi_app.journal.record.merkle import HASH_BYTES
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_note

NO_CHECKPOINT: Final = (
    "has no checkpoint, which a centre needs. Make the export at the table with --for-centre: trapdial journal export"
)


class NoHandOverError(Exception):
    """An export cannot be handed over. `place` is where, the message what was seen, and what to try."""

    def __init__(self, place: str, seen: str) -> None:
        self.place = place
        super().__init__(seen)


def exported_hand_overs(lines: ExportLines, centre: VerifierKey, here: Callable[[str], int]) -> Iterator[HandOver]:
    """Yield a hand-over for each record, from its first entry on. `here`: how many entries of a record the centre has:
    their halves are left out, since their hashes say enough. Raises NoHandOverError, TooMuchError."""
    opened: _Opened | None = None
    for line in lines:
        begun = _begun(line, lines.number, here)
        if begun is not None:
            if opened is not None:
                yield opened.whole(centre)
            opened = begun
        elif opened is None:
            raise NoHandOverError("line 1", "is no head: this is no export")
        else:
            opened.take(line, lines.number)
    if opened is None:
        raise NoHandOverError("line 1", "is missing: the file is empty")
    yield opened.whole(centre)


class _Opened:
    """A record as far as it is read. `size`: of its checkpoint; `here`: of these, how many the centre has."""

    def __init__(self, at: int, checkpoint: SignedNote, size: int, found: HandedOnLine, here: int) -> None:
        self._at, self._checkpoint, self._size, self._here = at, checkpoint, size, here
        self._origin = origin_of(head_in(checkpoint).device)
        self._cosigned, self._deleted = found.cosigned, _leaves(found, at)
        self._entries: list[HandedEntry] = []

    def take(self, line: bytes, number: int) -> None:
        try:
            entry = msgspec.json.decode(line, type=EntryLine)
            public, sealed = entry.public.encode(), base64.b64decode(entry.sealed, validate=True)
        except (msgspec.MsgspecError, UnicodeError, binascii.Error, ValueError, RecursionError) as error:
            raise NoHandOverError(f"line {number}", "cannot be read: it was cut off or changed") from error
        self._fill(entry.seq - 1)
        if entry.seq != len(self._entries) + 1:
            missing = len(self._entries) + 1
            seen = f"is entry {entry.seq}, and entry {missing} is missing: a centre takes a whole record"
            raise NoHandOverError(f"line {number}", seen)
        leaf = rec.leaf(public, sealed)
        self._entries.append((None, None, leaf) if entry.seq <= self._here else (public, sealed, leaf))

    def _fill(self, until: int) -> None:
        """Add the deleted entries up to this number."""
        while len(self._entries) < until and (leaf := self._deleted.get(len(self._entries) + 1)) is not None:
            self._entries.append((None, None, leaf))

    def whole(self, centre: VerifierKey) -> HandOver:
        self._fill(self._size)
        if len(self._entries) != self._size:
            seen = f"is followed by entries up to {len(self._entries)}, and its record has {self._size}"
            raise NoHandOverError(f"line {self._at}", f"{seen}: a centre takes a whole record")
        return HandOver(self._origin, 1, tuple(self._entries), self._checkpoint, self._since(centre))

    def _since(self, centre: VerifierKey) -> str:
        """Return the newest note here that this centre has cosigned."""
        newest, text = -1, ""
        for each in self._cosigned:
            try:
                note = read_note(each.encode())
                size = read_checkpoint(note.text).size
            except ValueError:
                continue
            if size > newest and cosigned_at(note, centre) is not None:
                newest, text = size, each
        return text


def _begun(line: bytes, number: int, here: Callable[[str], int]) -> _Opened | None:
    if len(line) > LONGEST_FIRST_LINE:
        return None
    try:
        found = msgspec.json.decode(line, type=HandedOnLine)
        head = read_head(found.head)
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError):
        return None
    if found.export != EXPORT:
        return None
    if not found.checkpoint:
        raise NoHandOverError(f"line {number}", NO_CHECKPOINT)
    try:
        note = read_note(found.checkpoint.encode())
        signed = head_in(note)
    except ValueError as error:
        raise NoHandOverError(f"line {number}", f"has a checkpoint that cannot be used ({error})") from error
    if (signed.device, signed.size, signed.root) != (head.device, head.size, head.root):
        raise NoHandOverError(f"line {number}", "has a checkpoint of other entries than its head")
    return _Opened(number, note, signed.size, found, here(origin_of(signed.device)))


def _leaves(found: HandedOnLine, at: int) -> dict[int, bytes]:
    """Return the hashes of deleted entries by their numbers."""
    leaves: dict[int, bytes] = {}
    for run in found.deleted:
        try:
            whole = bytes.fromhex(run.leaves)
        except ValueError as error:
            raise NoHandOverError(f"line {at}", "has hashes of deleted entries that cannot be read") from error
        for number, start in enumerate(range(0, len(whole), HASH_BYTES), run.first):
            leaves[number] = whole[start : start + HASH_BYTES]
    return leaves
