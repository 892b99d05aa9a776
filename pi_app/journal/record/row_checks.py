"""Says of a record, from its rows alone, what it is: whole, interrupted, damaged, or forked from what a witness saw.
Needs no key but those that the record itself publishes.

Rows come as they lie in the file; nothing in them is believed before it is checked.
"""

from __future__ import annotations

import bisect
import enum
import itertools
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.heads import Head, is_last
from pi_app.journal.record.keys import DEVICE_BYTES, KEY_BYTES, SEALED_OVERHEAD, SIGNATURE_BYTES, key_commitment
from pi_app.journal.record.merkle import EMPTY_ROOT, HASH_BYTES, Tree
from pi_app.journal.record.runs import NO_BLOB, Looked, RawRow, Run, runs
from pi_app.journal.record.sha import in_bulk, sha256

OpensEvent = Callable[[str | None, bytes], object]
"""Reads an event of the game of this name; raises msgspec.MsgspecError for one that it does not know."""
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
    signature: bytes = b""
    """The last entry's; nothing if it has none."""
    exported: int | None = None
    """Of an export: how many entries are in it; `size` and `root` are then those of the record's head."""
    continues: tuple[int, ...] = ()
    """Of an export: of how many entries the older heads are that it proves to continue."""


@dataclass(slots=True)
class _Seen:
    """What is known of the rows so far."""

    tree: Tree = field(default_factory=Tree)
    waiting: list[bytes] = field(default_factory=list)
    """Leaves that the tree has not taken in yet."""
    before: str = rec.FIRST_BEFORE
    device: bytes | None = None
    signature: bytes = b""
    games: dict[str, GameSeen] = field(default_factory=dict)
    holes: set[int] = field(default_factory=set)
    """Entries that were taken out."""
    gone: list[int] = field(default_factory=list)
    """Those, and the entries that say so."""
    told: list[tuple[int, int]] = field(default_factory=list)
    """Between which entries a later one says that a game was taken out."""
    boot: str = ""
    mono_ns: int = 0
    roots: dict[int, bytes] = field(default_factory=lambda: {0: EMPTY_ROOT})

    @property
    def size(self) -> int:
        """Rows so far."""
        return self.tree.size + len(self.waiting)


MANY: Final = 4096
"""Leaves that wait for the tree at most."""


class _Wrong(Exception):
    """Something is wrong with one row; the text says what."""


def verify(
    rows: Iterable[RawRow],
    witnesses: Sequence[Head] = (),
    read_event: OpensEvent | None = None,
    *,
    again: Callable[[], Iterable[RawRow]] | None = None,
) -> Verdict:
    """Check every row, then what its games promised, then what witnesses saw.

    `again` gives the same rows once more, so that every sealed half is opened whose game has published its key by its
    end; `read_event` reads what is found there. Without them what is sealed is not looked into.
    """
    return judge(runs(rows), witnesses, read_event, again=again)


def judge(
    found: Iterable[Run],
    witnesses: Sequence[Head] = (),
    read_event: OpensEvent | None = None,
    *,
    again: Callable[[], Iterable[RawRow]] | None = None,
) -> Verdict:
    """As `verify`, of rows that were looked at in runs already."""
    in_bulk()
    seen = _Seen()
    wanted = {head.size for head in witnesses}
    broken = _walk(found, seen, wanted)
    _take_in(seen, wanted)
    damage = broken or _end(seen)
    if again is not None and any(game.key is not None for game in seen.games.values()):
        until = seen.tree.size if damage is None else min(seen.tree.size, damage.seq - 1)
        damage = open_up(seen.games, itertools.islice(again(), until), read_event) or damage
    against, good = _witnessed(seen, witnesses, broken=broken is not None)
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
        seen.signature,
    )


# --------------------------------------------------------------------------------------------------------- row by row


def _walk(found: Iterable[Run], seen: _Seen, wanted: set[int]) -> Damage | None:
    for run, following in itertools.pairwise(itertools.chain(found, (None,))):
        assert run is not None
        at = seen.size + 1
        try:
            game = _row(seen, at, run.first, last=not _is_behind(following, at))
        except _Wrong as wrong:
            return Damage(at, str(wrong))
        if game is not None and run.leaves:
            game.last, game.entries = game.last + len(run.leaves), game.entries + len(run.leaves)
            seen.before, seen.boot, seen.mono_ns = run.leaves[-1].hex(), run.boot, run.mono_ns
        _grow(seen, run.leaves, wanted)
    return None


def _is_behind(following: Run | None, at: int) -> bool:
    number = None if following is None else following.first.number
    return isinstance(number, int) and number > at


def _grow(seen: _Seen, leaves: list[bytes], wanted: set[int]) -> None:
    """Keep leaves for the tree, which takes many at once in a third of the time."""
    seen.waiting += leaves
    if len(seen.waiting) >= MANY:
        _take_in(seen, wanted)


def _take_in(seen: _Seen, wanted: set[int]) -> None:
    """Add what waits to the tree, and keep the roots that witnesses speak of."""
    leaves, seen.waiting = seen.waiting, []
    size, done = seen.tree.size, 0
    for stop in sorted(at for at in wanted if size < at <= size + len(leaves)):
        seen.tree.extend(leaves[done : stop - size])
        seen.roots[stop], done = seen.tree.root(), stop - size
    seen.tree.extend(leaves[done:])


def _row(seen: _Seen, at: int, row: Looked, *, last: bool) -> GameSeen | None:
    """Take in one row; its game, if it goes on."""
    number, public, sealed_length, leaf, signature, fits = row
    game = None
    if type(number) is not int or number != at:
        if number is None:
            raise _Wrong("cannot be read")
        raise _Wrong("is missing" if isinstance(number, int) and number > at else "stands where another should be")
    if not isinstance(leaf, bytes) or len(leaf) != HASH_BYTES:
        raise _Wrong("has no hash")
    if signature is not None and not last:
        raise _Wrong("is signed, and only the last entry is")
    if signature is not None and (not isinstance(signature, bytes) or len(signature) != SIGNATURE_BYTES):
        raise _Wrong("has a signature that is none")
    if isinstance(public, bytes) and sealed_length is not None and sealed_length != NO_BLOB:
        if not fits:
            raise _Wrong("is not what its hash says")
        part = _read(public)
        game = _part(seen, at, part, public, sealed_length)
        if part.kind == rec.DELETED:
            _all_gone(seen, part)
    elif public is None and sealed_length is None:
        seen.holes.add(at)
        seen.gone.append(at)
    else:
        raise _Wrong("has lost a half")
    seen.waiting.append(leaf)
    seen.before, seen.signature = leaf.hex(), signature or b""
    return game


def _read(public: bytes) -> PublicPart:
    try:
        return rec.read_public(public)
    except msgspec.MsgspecError as error:
        raise _Wrong("has a public half that cannot be read") from error


def _part(seen: _Seen, at: int, part: PublicPart, public: bytes, sealed_length: int) -> GameSeen | None:
    kind = part.kind
    if part.format != rec.FORMAT:
        raise _Wrong(f"has format {part.format}, and this verifier knows {rec.FORMAT}")
    if part.seq != at:
        raise _Wrong(f"says of itself that it is entry {part.seq}")
    if part.before != seen.before:
        raise _Wrong("names another entry before it than the one that is there")
    if len(public) != rec.public_length(kind, public):
        raise _Wrong("has another length than entries of its kind")
    if part.boot == seen.boot and part.mono_ns < seen.mono_ns:
        raise _Wrong("was written before the one before it")
    seen.boot, seen.mono_ns = part.boot, part.mono_ns
    if (len(part.reports) == 0) is not (kind == rec.DELETED):
        raise _Wrong("does not say what everybody may see after it")
    if kind == rec.DELETED:
        if sealed_length:
            raise _Wrong("has another length than entries of its kind")
        _deleted(seen, part)
        return None
    game = _its_game(seen, part)
    size = rec.sealed_size(kind, game.opening)
    if size == 0 or sealed_length != size + SEALED_OVERHEAD:
        raise _Wrong("has another length than entries of its kind")
    if kind == rec.ENDED:
        _ended(seen, game, part)
    return game


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
    _same_device(seen, _hex(part.opening.device, DEVICE_BYTES))
    game = seen.games[part.game] = GameSeen(part.game, part.seq, part.seq, opening=part.opening)
    return game


def _ended(seen: _Seen, game: GameSeen, part: PublicPart) -> None:
    key = _hex(part.key, KEY_BYTES)
    if game.opening is None or key_commitment(key) != game.opening.key:
        raise _Wrong("publishes another key than its game began with")
    game.key = key


def _deleted(seen: _Seen, part: PublicPart) -> None:
    if part.first is None or part.last is None or not 0 < part.first <= part.last < part.seq:
        raise _Wrong("says that a game was taken out, and not which entries")
    if part.game in seen.games:
        raise _Wrong("says that a game was taken out, and its entries are still there")
    _same_device(seen, _hex(part.device, DEVICE_BYTES))
    seen.told.append((part.first, part.last))
    seen.gone.append(part.seq)
    seen.games[part.game] = GameSeen(part.game, part.first, part.last, part.last - part.first + 1, deleted=True)


def _all_gone(seen: _Seen, part: PublicPart) -> None:
    """Whether nothing stands where an entry says that a game was taken out, but for others that say so."""
    assert part.first is not None
    assert part.last is not None
    gone = bisect.bisect_right(seen.gone, part.last) - bisect.bisect_left(seen.gone, part.first)
    if part.first not in seen.holes or part.last not in seen.holes or gone != part.last - part.first + 1:
        raise _Wrong("says that a game was taken out, and entries stand there")


def _same_device(seen: _Seen, device: bytes) -> None:
    if seen.device is not None and device != seen.device:
        raise _Wrong("names another device than the entries before it")
    seen.device = device


def _hex(text: str | None, length: int) -> bytes:
    try:
        found = bytes.fromhex(text or "")
    except ValueError:
        found = b""
    if len(found) != length or found.hex() != text:
        raise _Wrong(f"has something in it that is not {length} bytes in hexadecimal digits")
    return found


# ------------------------------------------------------------------------------------------------------ as a whole


def _end(seen: _Seen) -> Damage | None:
    if seen.tree.size == 0:
        return Damage(0, "holds no entry")
    untold = _untold(seen)
    if untold is not None:
        return Damage(untold, "was taken out, and no entry says so")
    if not seen.signature:
        return Damage(seen.tree.size, "is the last one and not signed: what stood behind it was cut off")
    if seen.device is None or not is_last(seen.device, seen.tree.size, seen.tree.root(), seen.signature):
        return Damage(seen.tree.size, "does not have the signature of the device that began the record")
    return None


def _untold(seen: _Seen) -> int | None:
    """The first entry that was taken out and that no later one speaks of."""
    told, until = sorted(seen.told, reverse=True), 0
    for at in sorted(seen.holes):
        while told and told[-1][0] <= at:
            until = max(until, told.pop()[1])
        if at > until:
            return at
    return None


def open_up(games: dict[str, GameSeen], rows: Iterable[RawRow], read_event: OpensEvent | None) -> Damage | None:
    """Open what is sealed in rows that were checked already, and count in each game what was opened."""
    for seq, public, sealed, _, _ in rows:
        if not isinstance(public, bytes) or not isinstance(sealed, bytes) or not sealed or not isinstance(seq, int):
            continue
        try:
            part = _read(public)
            game = games[part.game]
            if game.key is not None:
                _open(game, game.key, part, public, sealed, read_event)
                game.opened += 1
        except _Wrong as wrong:
            return Damage(seq, str(wrong))
    return None


def _open(
    game: GameSeen, key: bytes, part: PublicPart, public: bytes, sealed: bytes, read_event: OpensEvent | None
) -> None:
    try:
        hidden = rec.read_sealed(sealed, key, public)
        if hidden is None:
            raise _Wrong("has a sealed half that the game's own key does not open")
        event = msgspec.json.decode(hidden.event)
        if read_event is not None:
            read_event(part.play, bytes(hidden.event))
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise _Wrong("has a sealed half that cannot be read") from error
    if not isinstance(event, dict) or event.get("kind") != part.kind:
        raise _Wrong(f"says '{part.kind}' outside and something else inside")
    for name in ("square", "seat", "grade"):
        told = getattr(part, name)
        if told is not None and event.get(name) != told:
            raise _Wrong(f"names another {name} outside than inside")
    if part.kind in (rec.STARTED, rec.SETUP_CHECKED):
        _kept(game, part, event, hidden.salts)


def _kept(game: GameSeen, part: PublicPart, event: dict[str, object], salts: dict[str, str]) -> None:
    """Whether what was promised is what was played with."""
    if part.kind == rec.STARTED and game.opening is not None:
        tables = _tables(event.get("squares"))
        if set(tables) != set(game.opening.squares):
            raise _Wrong("began with other squares than it had promised")
        for label, promise in game.opening.squares.items():
            if not rec.keeps(promise, salts.get(f"square {label}"), tables[label]):
                raise _Wrong(f"began with another trap table under {label} than it had promised")
        if not rec.keeps(game.opening.ruleset, salts.get("ruleset"), event.get("ruleset")):
            raise _Wrong("began with other rules than it had promised")
    if part.kind == rec.SETUP_CHECKED and not rec.keeps(part.stands or "", salts.get("stands"), event.get("stands")):
        raise _Wrong("found the dials elsewhere than it had promised")


def _tables(squares: object) -> dict[str, object]:
    """Each square's trap table, as an event that may be anything says it."""
    if not isinstance(squares, list) or not all(isinstance(one, dict) for one in squares):
        raise _Wrong("has squares in its sealed half that are none")
    tables = {one.get("label"): one.get("table") for one in squares if isinstance(one.get("label"), str)}
    if len(tables) != len(squares):
        raise _Wrong("has squares in its sealed half that are none")
    return tables


# ------------------------------------------------------------------------------------------------------- witnesses


def _witnessed(seen: _Seen, heads: Sequence[Head], *, broken: bool) -> tuple[list[str], int]:
    """What speaks against the record, and up to which entry witnesses speak for it."""
    good = max((head.size for head in heads if _fits(seen, head)), default=0)
    against = [
        f"Witness {number} saw {head.size} entries: {words}"
        for number, head in enumerate(heads, 1)
        if (words := _contradiction(seen, head, good, broken=broken)) is not None
    ]
    return against, good


def _fits(seen: _Seen, head: Head) -> bool:
    return head.genuine and seen.device in (None, head.device) and seen.roots.get(head.size) == head.root


def _contradiction(seen: _Seen, head: Head, good: int, *, broken: bool) -> str | None:
    if _fits(seen, head):
        return None
    if not head.genuine:
        return "its signature does not fit, so it was misread or made up."
    if seen.device is not None and head.device != seen.device:
        return "it was signed by another device."
    if head.size > seen.tree.size:
        if broken:
            return None  # nobody can tell what stood behind the damage
        return f"this record has {seen.tree.size}. Its end was cut off, or it was written anew."
    first = good + 1 if good < head.size else 1
    return f"other ones than stand here. Something from entry {first} to {head.size} was changed."


def witnesses_of(device: bytes | None, devices: Collection[bytes | None], heads: Sequence[Head]) -> list[Head]:
    """Which heads speak of one of several records: those of its device; if it names none, those of no other's.
    `devices` are those of all."""
    return [head for head in heads if head.device == device or (device is None and head.device not in devices)]


def strangers(devices: Collection[bytes | None], heads: Sequence[Head]) -> list[Head]:
    """Which heads speak of none of several records, if each of them names its device."""
    return [] if None in devices else [head for head in heads if head.device not in devices]


def fingerprint(device: bytes) -> str:
    """A device's name for people: eight groups of four hex digits."""
    digits = sha256(device).hex()[:32].upper()
    return " ".join(digits[at : at + 4] for at in range(0, 32, 4))
