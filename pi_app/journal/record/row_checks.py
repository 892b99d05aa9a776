"""Check one row after the other, each against all rows before it. Nothing in a row is trusted before it is checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import msgspec

from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.heads import Head
from pi_app.journal.record.keys import DEVICE_BYTES, KEY_BYTES, SEALED_OVERHEAD, SIGNATURE_BYTES, key_commitment
from pi_app.journal.record.limits import LARGEST_OPENINGS
from pi_app.journal.record.merkle import EMPTY_ROOT, HASH_BYTES, Tree
from pi_app.journal.record.runs import NO_BLOB, CheckedRow
from pi_app.journal.record.spans import Spans
from pi_app.journal.record.succession import continued
from pi_app.journal.record.verdict import GameSeen

_PROMISE: Final = re.compile(r"[0-9a-f]{64}")
UNREADABLE_ROW: Final = "cannot be read"
_NOT_FIRST: Final = "names an older record, and is not the first entry"


class WrongRowError(Exception):
    """One row is wrong; the message says how."""


@dataclass(slots=True)
class RecordSoFar:
    """The state after the rows so far."""

    tree: Tree = field(default_factory=Tree)
    waiting: list[bytes] = field(default_factory=list)
    """Leaves that are not in the tree yet."""
    before: str = rec.FIRST_BEFORE
    device: bytes | None = None
    follows: Head | None = None
    """The head of the record that this one continues."""
    signature: bytes = b""
    played: int = 0
    """The last entry that does not record a deletion."""
    games: dict[str, GameSeen] = field(default_factory=dict)
    holes: Spans = field(default_factory=Spans)
    """Entries without halves."""
    gone: Spans = field(default_factory=Spans)
    """Those, and the entries that record the deletion."""
    told: list[tuple[int, int]] = field(default_factory=list)
    """The ranges of entries that later entries record as deleted."""
    promised: int = 0
    """The bytes of all public halves that begin or delete a game."""
    boot: str = ""
    mono_ns: int = 0
    roots: dict[int, bytes] = field(default_factory=lambda: {0: EMPTY_ROOT})

    @property
    def size(self) -> int:
        """The number of rows so far."""
        return self.tree.size + len(self.waiting)


def check_row(seen: RecordSoFar, at: int, row: CheckedRow, *, last: bool) -> GameSeen | None:
    """Check one row and add it to the state; return its game, if it has one that is not over."""
    number, public, sealed_length, leaf, signature, fits = row
    game = None
    if type(number) is not int or number != at:
        if number is None:
            raise WrongRowError(UNREADABLE_ROW)
        behind = isinstance(number, int) and number > at
        raise WrongRowError("is missing" if behind else "is out of order")
    if not isinstance(leaf, bytes) or len(leaf) != HASH_BYTES:
        raise WrongRowError("has no hash")
    if signature is not None and not last:
        raise WrongRowError("is signed, and only the last entry is")
    if signature is not None and (not isinstance(signature, bytes) or len(signature) != SIGNATURE_BYTES):
        raise WrongRowError("has a malformed signature")
    if isinstance(public, bytes) and sealed_length is not None and sealed_length != NO_BLOB:
        if not fits:
            raise WrongRowError("does not match its hash")
        part = read_part(public)
        game = check_part(seen, at, part, public, sealed_length)
        if part.kind == rec.DELETED:
            _all_gone(seen, part)
        else:
            seen.played = at
    elif public is None and sealed_length is None:
        seen.holes.add(at)
        seen.gone.add(at)
        seen.played = at
    else:
        raise WrongRowError("has lost a half")
    seen.waiting.append(leaf)
    seen.before, seen.signature = leaf.hex(), signature or b""
    return game


def read_part(public: bytes) -> PublicPart:
    try:
        return rec.read_public(public)
    except msgspec.MsgspecError as error:
        raise WrongRowError("has a public half that cannot be read") from error


def check_part(seen: RecordSoFar, at: int, part: PublicPart, public: bytes, sealed_length: int) -> GameSeen | None:
    kind = part.kind
    if part.format != rec.FORMAT:
        raise WrongRowError(f"has format {part.format}, and this verifier knows {rec.FORMAT}")
    if part.seq != at:
        raise WrongRowError(f"calls itself entry {part.seq}")
    if part.before != seen.before:
        raise WrongRowError("does not follow the entry before it")
    if len(public) != rec.public_length(kind, public):
        raise WrongRowError("has a wrong length for its kind")
    if part.boot == seen.boot and part.mono_ns < seen.mono_ns:
        raise WrongRowError("is earlier than the entry before it")
    seen.boot, seen.mono_ns = part.boot, part.mono_ns
    if (len(part.reports) == 0) is not (kind == rec.DELETED):
        raise WrongRowError("has a wrong digest of the public reports")
    if kind in (rec.STARTED, rec.DELETED):
        seen.promised += len(public)
        if seen.promised > LARGEST_OPENINGS:
            raise WrongRowError("begins or deletes a game, and a record may not hold so many")
    if part.continues is not None and kind not in (rec.STARTED, rec.DELETED):
        raise WrongRowError(_NOT_FIRST)
    if kind == rec.DELETED:
        if sealed_length:
            raise WrongRowError("has a wrong length for its kind")
        _deleted(seen, part)
        return None
    game = _its_game(seen, part)
    size = rec.sealed_size(kind, game.opening)
    if size == 0 or sealed_length != size + SEALED_OVERHEAD:
        raise WrongRowError("has a wrong length for its kind")
    if kind == rec.ENDED:
        _ended(seen, game, part)
    return game


def _its_game(seen: RecordSoFar, part: PublicPart) -> GameSeen:
    if part.kind == rec.STARTED:
        return _begun(seen, part)
    game = seen.games.get(part.game)
    if game is None:
        raise WrongRowError("belongs to a game that has not begun")
    if game.ended:
        raise WrongRowError("comes after the end of its game")
    game.last, game.entries = part.seq, game.entries + 1
    return game


def _begun(seen: RecordSoFar, part: PublicPart) -> GameSeen:
    if part.game in seen.games:
        raise WrongRowError("begins a game that has begun before")
    if part.opening is None:
        raise WrongRowError("begins a game without commitments")
    if not all(_PROMISE.fullmatch(each) for each in (part.opening.ruleset, *part.opening.squares.values())):
        raise WrongRowError("begins a game with a commitment that is not 64 hex digits")
    _same_device(seen, _hex(part.opening.device, DEVICE_BYTES))
    _follows(seen, part, first=part.seq)
    game = seen.games[part.game] = GameSeen(part.game, part.seq, part.seq, opening=part.opening)
    return game


def _ended(seen: RecordSoFar, game: GameSeen, part: PublicPart) -> None:
    key = _hex(part.key, KEY_BYTES)
    if game.opening is None or key_commitment(key) != game.opening.key:
        raise WrongRowError("publishes a key that does not match its game's commitment")
    game.key = key


def _deleted(seen: RecordSoFar, part: PublicPart) -> None:
    if part.first is None or part.last is None or not 0 < part.first <= part.last < part.seq:
        raise WrongRowError("records a deletion without saying of which entries")
    if part.game in seen.games:
        raise WrongRowError("records the deletion of a game that is still there")
    _same_device(seen, _hex(part.device, DEVICE_BYTES))
    _follows(seen, part, first=part.first)
    seen.told.append((part.first, part.last))
    seen.gone.add(part.seq)
    seen.games[part.game] = GameSeen(part.game, part.first, part.last, part.last - part.first + 1, deleted=True)


def _all_gone(seen: RecordSoFar, part: PublicPart) -> None:
    """Raise WrongRowError if the range of a deletion has any entry but records of deletions."""
    assert part.first is not None
    assert part.last is not None
    gone = seen.gone.count(part.first, part.last)
    if part.first not in seen.holes or part.last not in seen.holes or gone != part.last - part.first + 1:
        raise WrongRowError("records the deletion of entries that are still there")


def _follows(seen: RecordSoFar, part: PublicPart, *, first: int) -> None:
    """Take what an entry says of an older record. `first`: the first entry of its game; only that of 1 may."""
    if part.continues is None:
        return
    if first != 1 or seen.device is None:
        raise WrongRowError(_NOT_FIRST)
    try:
        seen.follows = continued(part.continues, seen.device)
    except ValueError as error:
        raise WrongRowError(f"names an older record that it does not continue: {error}") from error


def _same_device(seen: RecordSoFar, device: bytes) -> None:
    if seen.device is not None and device != seen.device:
        raise WrongRowError("names another device than the entries before it")
    seen.device = device


def _hex(text: str | None, length: int) -> bytes:
    try:
        found = bytes.fromhex(text or "")
    except ValueError:
        found = b""
    if len(found) != length or found.hex() != text:
        raise WrongRowError(f"has a field that is not {length} bytes in hexadecimal")
    return found
