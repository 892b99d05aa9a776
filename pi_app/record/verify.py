"""Says of a record, from its rows alone, what it is: whole, interrupted, damaged, or forked from what a witness saw.
Needs no key but those that the record itself publishes.

Rows come as they lie in the file; nothing in them is believed before it is checked.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from pi_app.record import entry as rec
from pi_app.record.entry import PublicPart
from pi_app.record.heads import Head, message
from pi_app.record.keys import key_commitment, signed_by
from pi_app.record.merkle import HASH_BYTES, Tree
from pi_app.record.sha import in_bulk, sha256

RawRow = tuple[object, object, object, object, object]
"""seq, public, sealed, leaf, signature, whatever the file says they are."""

OpensEvent = Callable[[bytes], object]
"""Reads the event in a sealed half, and raises for anything that is none."""


class State(enum.IntEnum):
    """What a record is; the number is the exit code of `trapdial journal verify`."""

    WHOLE = 0
    INTERRUPTED = 3
    DAMAGED = 4
    FORKED = 5


@dataclass(frozen=True, slots=True)
class Damage:
    """Where a record is wrong first: the entry's number (0: the file as a whole), and what was seen."""

    seq: int
    seen: str


@dataclass(slots=True)
class GameSeen:
    """One game of a record. `opened` is how many of its sealed halves were opened: all or none."""

    game: str
    first: int
    last: int
    entries: int = 1
    opening: rec.Opening | None = None
    key: bytes | None = None
    deleted: bool = False
    opened: int = 0

    @property
    def ended(self) -> bool:
        """Whether it has its end, or was taken out after it."""
        return self.key is not None or self.deleted


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a record is. `damage` is the first one; `against` are the witnesses' heads that do not fit, as sentences."""

    state: State
    size: int
    root: bytes
    device: bytes | None
    games: tuple[GameSeen, ...] = ()
    damage: Damage | None = None
    against: tuple[str, ...] = ()
    witnesses: int = 0
    good_until: int = 0
    """Entries up to this one are what a witness saw."""
    exported: int | None = None
    """Of an export: how many entries are in it; `size` and `root` are then those of the record's head."""


@dataclass(slots=True)
class _Seen:
    """What is known of the rows so far."""

    tree: Tree = field(default_factory=Tree)
    before: str = rec.FIRST_BEFORE
    device: bytes | None = None
    signature: bytes = b""
    games: dict[str, GameSeen] = field(default_factory=dict)
    running: str | None = None
    holes: dict[int, bool] = field(default_factory=dict)
    """Entries that were taken out, and whether a later entry says so."""
    boot: str = ""
    mono_ns: int = 0
    roots: dict[int, bytes] = field(default_factory=dict)


class _Wrong(Exception):
    """Something is wrong with one row; the text says what."""


def verify(
    rows: Iterable[RawRow],
    witnesses: Sequence[Head] = (),
    read_event: OpensEvent | None = None,
    *,
    open_sealed: Callable[[GameSeen], Iterable[tuple[int, bytes, bytes]]] | None = None,
) -> Verdict:
    """Check every row, then what its games promised, then what witnesses saw.

    `open_sealed` gives the rows of a game again (number, public half, sealed half), so that they are opened with the
    key that it published; `read_event` reads what is found there. Without them what is sealed is not looked into.
    """
    in_bulk()
    seen = _Seen()
    wanted = {head.size for head in witnesses}
    damage = _walk(rows, seen, wanted)
    damage = damage or _end(seen)
    if damage is None and open_sealed is not None:
        damage = _open_all(seen, open_sealed, read_event)
    against, good = _witnessed(seen, witnesses, damaged=damage is not None)
    whole = all(game.ended for game in seen.games.values())
    state = State.WHOLE if whole and seen.games else State.INTERRUPTED
    if damage is not None:
        state = State.DAMAGED
    if against:
        state = State.FORKED
    return Verdict(
        state,
        seen.tree.size,
        seen.tree.root(),
        seen.device,
        tuple(seen.games.values()),
        damage,
        tuple(against),
        len(witnesses),
        good,
    )


# --------------------------------------------------------------------------------------------------------- row by row


def _walk(rows: Iterable[RawRow], seen: _Seen, wanted: set[int]) -> Damage | None:
    for number, public, sealed, leaf, signature in rows:
        at = seen.tree.size + 1
        try:
            _row(seen, at, number, public, sealed, leaf, signature)
        except _Wrong as wrong:
            return Damage(at, str(wrong))
        if at in wanted:
            seen.roots[at] = seen.tree.root()
    return None


def _row(seen: _Seen, at: int, number: object, public: object, sealed: object, leaf: object, signature: object) -> None:
    if number != at:
        raise _Wrong("is missing" if isinstance(number, int) and number > at else "stands where another should be")
    if not isinstance(leaf, bytes) or len(leaf) != HASH_BYTES or not isinstance(signature, bytes):
        raise _Wrong("has no hash or no signature")
    if public is None and sealed is None:
        seen.holes[at] = False
    elif isinstance(public, bytes) and isinstance(sealed, bytes):
        if rec.leaf(public, sealed) != leaf:
            raise _Wrong("is not what its hash says")
        _part(seen, at, _read(public), len(public), len(sealed))
    else:
        raise _Wrong("has lost a half")
    seen.tree.append(leaf)
    seen.before, seen.signature = leaf.hex(), signature


def _read(public: bytes) -> PublicPart:
    try:
        return rec.read_public(public)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _Wrong("has a public half that cannot be read") from error


def _part(seen: _Seen, at: int, part: PublicPart, public_length: int, sealed_length: int) -> None:
    if part.format != rec.FORMAT:
        raise _Wrong(f"has format {part.format}, and this verifier knows {rec.FORMAT}")
    if part.seq != at:
        raise _Wrong(f"says of itself that it is entry {part.seq}")
    if part.before != seen.before:
        raise _Wrong("names another entry before it than the one that is there")
    least = rec.public_size(part.kind)
    if public_length % least or (public_length // least).bit_count() != 1:
        raise _Wrong("has another length than entries of its kind")
    if part.boot == seen.boot and part.mono_ns < seen.mono_ns:
        raise _Wrong("was written before the one before it")
    seen.boot, seen.mono_ns = part.boot, part.mono_ns
    if part.kind == rec.DELETED:
        _deleted(seen, part)
        return
    game = _its_game(seen, part)
    squares = len(game.opening.squares) if game.opening else 0
    if sealed_length != rec.sealed_length(part.kind, squares):
        raise _Wrong("has another length than entries of its kind")
    if part.kind == rec.ENDED:
        _ended(seen, game, part)


def _its_game(seen: _Seen, part: PublicPart) -> GameSeen:
    if part.kind == rec.STARTED:
        return _begun(seen, part)
    game = seen.games.get(part.game)
    if game is None:
        raise _Wrong("belongs to a game that has not begun")
    if game.ended:
        raise _Wrong("comes after the end of its game")
    game.last, game.entries = part.seq, game.entries + 1
    return game


def _begun(seen: _Seen, part: PublicPart) -> GameSeen:
    if part.game in seen.games:
        raise _Wrong("begins a game that has begun before")
    if part.opening is None:
        raise _Wrong("begins a game without promising anything")
    _same_device(seen, _hex(part.opening.device))
    game = seen.games[part.game] = GameSeen(part.game, part.seq, part.seq, opening=part.opening)
    return game


def _ended(seen: _Seen, game: GameSeen, part: PublicPart) -> None:
    key = _hex(part.key or "")
    if game.opening is None or key_commitment(key) != game.opening.key:
        raise _Wrong("publishes another key than its game began with")
    game.key = key


def _deleted(seen: _Seen, part: PublicPart) -> None:
    if part.first is None or part.last is None or not 0 < part.first <= part.last < part.seq:
        raise _Wrong("says that a game was taken out, and not which entries")
    if part.game in seen.games:
        raise _Wrong("says that a game was taken out, and its entries are still there")
    _same_device(seen, _hex(part.device or ""))
    taken = [at for at in seen.holes if part.first <= at <= part.last]
    seen.holes |= dict.fromkeys(taken, True)
    seen.games[part.game] = GameSeen(part.game, part.first, part.last, len(taken), deleted=True)


def _same_device(seen: _Seen, device: bytes) -> None:
    if seen.device is not None and device != seen.device:
        raise _Wrong("names another device than the entries before it")
    seen.device = device


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise _Wrong("has something in it that is no hexadecimal number") from error


# ------------------------------------------------------------------------------------------------------ as a whole


def _end(seen: _Seen) -> Damage | None:
    if seen.tree.size == 0:
        return Damage(0, "holds no entry")
    untold = [at for at, told in seen.holes.items() if not told]
    if untold:
        return Damage(untold[0], "was taken out, and no entry says so")
    if seen.device is None or not signed_by(seen.device, message(seen.tree.size, seen.tree.root()), seen.signature):
        return Damage(seen.tree.size, "does not have the signature of the device that began the record")
    return None


def _open_all(
    seen: _Seen, open_sealed: Callable[[GameSeen], Iterable[tuple[int, bytes, bytes]]], read_event: OpensEvent | None
) -> Damage | None:
    for game in seen.games.values():
        if game.key is None:
            continue
        for seq, public, sealed in open_sealed(game):
            try:
                _open(game, game.key, public, sealed, read_event)
            except _Wrong as wrong:
                return Damage(seq, str(wrong))
            game.opened += 1
    return None


def _open(game: GameSeen, key: bytes, public: bytes, sealed: bytes, read_event: OpensEvent | None) -> None:
    part = _read(public)
    try:
        hidden = rec.read_sealed(sealed, key, public)
        if hidden is None:
            raise _Wrong("has a sealed half that the game's own key does not open")
        event = msgspec.json.decode(hidden.event)
        if read_event is not None:
            read_event(bytes(hidden.event))
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise _Wrong("has a sealed half that cannot be read") from error
    if not isinstance(event, dict) or event.get("kind") != part.kind:
        raise _Wrong(f"says '{part.kind}' outside and something else inside")
    for name in ("square", "seat", "grade"):
        told = getattr(part, name)
        if told is not None and event.get(name) != told:
            raise _Wrong(f"names another {name} outside than inside")
    _kept(game, part, event, hidden.salts)


def _kept(game: GameSeen, part: PublicPart, event: dict[str, object], salts: dict[str, str]) -> None:
    """Whether what was promised is what was played with."""
    if part.kind == rec.STARTED and game.opening is not None:
        squares = event.get("squares")
        tables = {one.get("label"): one.get("table") for one in squares} if isinstance(squares, list) else {}
        if set(tables) != set(game.opening.squares):
            raise _Wrong("began with other squares than it had promised")
        for label, promise in game.opening.squares.items():
            if not rec.keeps(promise, salts.get(f"square {label}"), tables[label]):
                raise _Wrong(f"began with another trap table under {label} than it had promised")
        if not rec.keeps(game.opening.ruleset, salts.get("ruleset"), event.get("ruleset")):
            raise _Wrong("began with other rules than it had promised")
    if part.kind == rec.SETUP_CHECKED and not rec.keeps(part.stands or "", salts.get("stands"), event.get("stands")):
        raise _Wrong("found the dials elsewhere than it had promised")


# ------------------------------------------------------------------------------------------------------- witnesses


def _witnessed(seen: _Seen, heads: Sequence[Head], *, damaged: bool) -> tuple[list[str], int]:
    """What speaks against the record, and up to which entry witnesses speak for it."""
    good = max((head.size for head in heads if _fits(seen, head)), default=0)
    against = [
        f"Witness {number} saw {head.size} entries: {words}"
        for number, head in enumerate(heads, 1)
        if (words := _contradiction(seen, head, good, damaged=damaged)) is not None
    ]
    return against, good


def _fits(seen: _Seen, head: Head) -> bool:
    return head.genuine and head.device == seen.device and seen.roots.get(head.size) == head.root


def _contradiction(seen: _Seen, head: Head, good: int, *, damaged: bool) -> str | None:
    if _fits(seen, head):
        return None
    if not head.genuine:
        return "its signature does not fit, so it was misread or made up."
    if seen.device is not None and head.device != seen.device:
        return "it was signed by another device."
    if head.size > seen.tree.size:
        if damaged:
            return None  # nobody can tell what stood behind the damage
        return f"this record has {seen.tree.size}. Its end was cut off, or it was written anew."
    first = good + 1 if good < head.size else 1
    return f"other ones than stand here. Something from entry {first} to {head.size} was changed."


def fingerprint(device: bytes) -> str:
    """A device's name for people: eight groups of four hex digits."""
    digits = sha256(device).hex()[:32].upper()
    return " ".join(digits[at : at + 4] for at in range(0, 32, 4))
