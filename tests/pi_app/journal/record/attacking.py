"""Random records, played through the real journal, and every attack on one afterwards.

A record is held in memory as its rows, with every key that a thief can have. An attack gives other rows, the first
entry that is not what it was, and what a verifier must say of it without a witness.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.journal import Journal, Stamp
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart, SealedPart
from pi_app.journal.record.heads import Head, last_signature
from pi_app.journal.record.keys import SEALED_OVERHEAD, DeviceKey, device_key
from pi_app.journal.record.merkle import Tree
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import EVERY_KIND, exposes, started, table_with
from tests.pi_app.journal.record.forging import rows as rows_of

Row = tuple[object, object, object, object, object]
Rows = tuple[Row, ...]
Draw = random.Random


@dataclass(frozen=True)
class Record:
    """An honest record of one device, with all its keys."""

    rows: Rows
    device: DeviceKey
    keys: dict[str, bytes]
    ended: frozenset[str]

    @property
    def size(self) -> int:
        return len(self.rows)

    def public(self, seq: int) -> bytes | None:
        half = self.rows[seq - 1][1]
        return half if isinstance(half, bytes) else None

    def sealed_length(self, seq: int) -> int:
        half = self.rows[seq - 1][2]
        return len(half) if isinstance(half, bytes) else 0

    def part(self, seq: int) -> PublicPart:
        return rec.read_public(self.public(seq) or b"")

    def standing(self) -> list[int]:
        """Entries that were not taken out."""
        return [seq for seq in range(1, self.size + 1) if self.public(seq) is not None]

    def of_kind(self, *kinds: str) -> list[int]:
        return [seq for seq in self.standing() if self.part(seq).kind in kinds]

    def is_open(self, seq: int) -> bool:
        """Whether the game of this entry has published its key."""
        return self.part(seq).game in self.ended

    def head(self, size: int) -> Head:
        """As the device handed it out when it was that long."""
        return Head.made(self.device, size, self._root(size))

    def last_signature(self, size: int) -> bytes:
        """As the device signed the last row when it was that long."""
        return last_signature(self.device, size, self._root(size))

    def _root(self, size: int) -> bytes:
        return Tree([bytes(row[3]) for row in self.rows[:size]]).root()  # type: ignore[call-overload]

    def until(self, size: int) -> Record:
        """As it was when it was that long, if no game had been taken out by then."""
        rows = (*self.rows[: size - 1], (*self.rows[size - 1][:4], self.last_signature(size)))
        ended = frozenset(self.part(seq).game for seq in self.of_kind(rec.ENDED) if seq <= size)
        return Record(rows, self.device, self.keys, ended)


# ------------------------------------------------------------------------------------------------- honest records


class _Clock:
    """Stamps of a machine that is started again now and then, and whose clock is set at some time."""

    def __init__(self, draw: Draw) -> None:
        self._draw, self._boot, self._mono = draw, 1, 0

    def again(self) -> None:
        self._boot, self._mono = self._boot + 1, 0

    def __call__(self) -> Stamp:
        self._mono += self._draw.choice((0, 1, 10**6, 10**10))
        wall = f"2026-01-{self._draw.randrange(1, 29):02}T03:04:05+00:00"
        return Stamp(f"boot-{self._boot}", self._mono, wall, self._draw.choice(("none", "rtc", "ntp")))


def play(path: Path, draw: Draw) -> Record:
    """One to three random games in one journal, written by the real one: each may be interrupted."""
    clock = _Clock(draw)
    keys: dict[str, bytes] = {}
    ended: set[str] = set()
    with Journal(path, MAGE_KNIGHT, clock) as journal:
        for number in range(draw.randrange(1, 4)):
            game, moment = f"game-{number}", NO_GAME
            end = draw.random() < 0.75
            for event in _events(draw, end=end):
                moment = journal.append(game, moment, event)
                if isinstance(event, ev.Started):
                    keys[game] = jn.keys_of(path).game(game) or b""
                if draw.random() < 0.05:
                    clock.again()
            ended |= {game} if end else set()
        device = jn.keys_of(path).device()
    record = Record(tuple(rows_of(path)), device, keys, frozenset(ended))
    return taken_out(record, draw.choice(sorted(keys))) if draw.random() < 0.3 else record


def _events(draw: Draw, *, end: bool) -> Iterator[ev.AnyEvent]:
    squares, name = draw.randrange(1, 4), "n" * draw.choice((4, 4, 4, 200, 1200))
    contents = (EVERY_KIND, table_with(None), table_with(Trap.CAGE))
    yield started(*[msgspec.structs.replace(draw.choice(contents), name=name) for _ in range(squares)])
    if draw.random() < 0.9:
        yield ev.SetupChecked(stands={f"T{n:02}": draw.randrange(12) for n in range(1, squares + 1)})
    for _ in range(draw.randrange(5)):
        square, seat = f"T{draw.randrange(squares) + 1:02}", draw.choice(("ANN", "BEN"))
        yield from exposes(square, draw.randrange(1, 7), seat)
        if draw.random() < 0.5:
            yield ev.Looked(seat=seat, square=square)
    if end:
        yield ev.Ended()


# ------------------------------------------------------------------------------------------------- a thief's tools

Change = Callable[[PublicPart, SealedPart], tuple[PublicPart, SealedPart]]


def opened(record: Record, seq: int) -> tuple[PublicPart, SealedPart]:
    """Both halves of an entry."""
    public, sealed = record.public(seq), record.rows[seq - 1][2]
    assert public is not None
    assert isinstance(sealed, bytes)
    part = rec.read_public(public)
    hidden = rec.read_sealed(sealed, record.keys[part.game], public)
    assert hidden is not None
    return part, hidden


def rewritten(
    record: Record,
    first: int,
    changes: dict[int, Change] | None = None,
    *,
    device: DeviceKey | None = None,
    halves: dict[int, tuple[bytes, bytes]] | None = None,
) -> Rows:
    """Rewrite all entries from `first` on so that they fit each other, and sign the last one with the stolen key.

    `halves` are put in as they are, though not before their public half names the entry before it, but for the first.
    """
    signer = device or record.device
    rows = list(unsigned(record.rows[: first - 1]))
    tree = Tree([row[3] for row in rows])  # type: ignore[misc]
    before = bytes(rows[-1][3]).hex() if rows else rec.FIRST_BEFORE  # type: ignore[call-overload]
    for seq in range(first, record.size + 1):
        _, public, sealed, leaf, _ = record.rows[seq - 1]
        if halves and seq in halves:
            public, sealed = halves[seq]
            part = msgspec.structs.replace(rec.read_public(public), before=before)
            text = msgspec.json.encode(part)
            public = text.ljust(len(public)) if first < seq and len(text) <= len(public) else public
        elif isinstance(public, bytes) and isinstance(sealed, bytes):
            public, sealed = _resealed(record, seq, before, (changes or {}).get(seq))
        if isinstance(public, bytes) and isinstance(sealed, bytes):
            leaf = rec.leaf(public, sealed)
        assert isinstance(leaf, bytes)
        tree.append(leaf)
        before = leaf.hex()
        signature = last_signature(signer, tree.size, tree.root()) if seq == record.size else None
        rows.append((seq, public, sealed, leaf, signature))
    return tuple(rows)


def _resealed(record: Record, seq: int, before: str, change: Change | None) -> tuple[bytes, bytes]:
    sealed = record.rows[seq - 1][2]
    assert isinstance(sealed, bytes)
    if record.part(seq).kind == rec.DELETED:
        return rec.public_bytes(msgspec.structs.replace(record.part(seq), before=before)), b""
    part, hidden = opened(record, seq)
    if change is not None:
        part, hidden = change(part, hidden)
    public = rec.public_bytes(msgspec.structs.replace(part, before=before))
    return public, rec.sealed_bytes(hidden, record.keys[record.part(seq).game], public, len(sealed) - SEALED_OVERHEAD)


def appended(record: Record, part: PublicPart, sealed: bytes = b"", *, device: DeviceKey | None = None) -> Rows:
    """One entry more at the end."""
    public = rec.public_bytes(part)
    leaf = rec.leaf(public, sealed)
    tree = Tree([*(bytes(row[3]) for row in record.rows), leaf])  # type: ignore[call-overload]
    signature = last_signature(device or record.device, tree.size, tree.root())
    return (*unsigned(record.rows), (record.size + 1, public, sealed, leaf, signature))


def unsigned(rows: Sequence[Row]) -> Rows:
    """As rows are when others stand behind them."""
    return tuple((*row[:4], None) for row in rows)


def tombstone(record: Record, game: str, first: int, last: int) -> PublicPart:
    """What says that a game was taken out."""
    stood = record.part(record.standing()[-1])
    return PublicPart(
        format=rec.FORMAT,
        kind=rec.DELETED,
        seq=record.size + 1,
        game=game,
        boot=stood.boot,
        mono_ns=stood.mono_ns,
        wall=stood.wall,
        clock="none",
        before=bytes(record.rows[-1][3]).hex(),  # type: ignore[call-overload]
        device=record.device.public.hex(),
        first=first,
        last=last,
    )


def emptied(rows: Sequence[Row], seqs: Sequence[int]) -> Rows:
    """Without the halves of these entries."""
    return tuple((row[0], None, None, row[3], row[4]) if row[0] in seqs else row for row in rows)


def taken_out(record: Record, game: str) -> Record:
    """As its owner takes a game out."""
    seqs = [seq for seq in record.standing() if record.part(seq).game == game]
    rows = emptied(appended(record, tombstone(record, game, seqs[0], seqs[-1])), seqs)
    return Record(rows, record.device, record.keys, record.ended - {game})


# -------------------------------------------------------------------------------------------------------- attacks


@dataclass(frozen=True)
class Attack:
    """What was made of a record. `place` is the first entry that is not what it was; `told` are the entries of which a
    verifier may say without any witness that the damage lies there: none, if it cannot see it."""

    rows: Rows
    place: int
    told: range = range(0)


class NoSuchPlace(Exception):
    """This record has no place for this attack."""


def _at(seq: int) -> range:
    return range(seq, seq + 1)


def _pick(draw: Draw, places: Sequence[int]) -> int:
    if not places:
        raise NoSuchPlace
    return draw.choice(places)


def _with(rows: Rows, seq: int, column: int, value: object) -> Rows:
    row = list(rows[seq - 1])
    row[column] = value
    return (*rows[: seq - 1], (row[0], row[1], row[2], row[3], row[4]), *rows[seq:])


def _flipped(draw: Draw, value: object) -> bytes:
    assert isinstance(value, bytes)
    if not value:
        return b"x"
    at = draw.randrange(len(value))
    return value[:at] + bytes([value[at] ^ draw.randrange(1, 256)]) + value[at + 1 :]


def edit_of_a_byte(record: Record, draw: Draw) -> Attack:
    seq, column = _pick(draw, record.standing()), draw.choice((1, 2, 3))
    return Attack(_with(record.rows, seq, column, _flipped(draw, record.rows[seq - 1][column])), seq, _at(seq))


def edit_with_its_hash(record: Record, draw: Draw) -> Attack:
    """Another date, and the leaf hash that fits it; what follows still names the old one."""
    seq = _pick(draw, record.standing())
    public = rec.public_bytes(msgspec.structs.replace(record.part(seq), wall="1999-12-31T23:59:59+00:00"))
    sealed = record.rows[seq - 1][2]
    assert isinstance(sealed, bytes)
    rows = _with(_with(record.rows, seq, 1, public), seq, 3, rec.leaf(public, sealed))
    if record.part(seq).kind == rec.ENDED and seq < record.size:
        return Attack(rows, seq, _at(seq))  # it publishes the key that does not open it any more
    follows = seq < record.size and record.public(seq + 1) is not None
    return Attack(rows, seq, _at(seq + 1) if follows else range(seq, record.size + 1))


def edit_of_a_signature(record: Record, draw: Draw) -> Attack:
    """The last one flipped or taken away, or one put where none belongs: made up, or the one that stood there once."""
    seq = draw.choice((record.size, draw.randrange(record.size) + 1))
    made: object
    if seq == record.size:
        made = draw.choice((None, bytes(64), record.head(seq).signature, _flipped(draw, record.rows[-1][4])))
    else:
        made = draw.choice((b"", "text", bytes(64), draw.randbytes(64), record.rows[-1][4], record.last_signature(seq)))
    return Attack(_with(record.rows, seq, 4, made), seq, _at(seq))


def edit_of_a_number(record: Record, draw: Draw) -> Attack:
    seq = draw.randrange(record.size) + 1
    return Attack(_with(record.rows, seq, 0, seq + draw.choice((-1, 1, 7, 2**40))), seq, _at(seq))


def another_type(record: Record, draw: Draw) -> Attack:
    seq, column = _pick(draw, record.standing()), draw.randrange(5)
    value = draw.choice((None, "text", 1.5, -1, b"", b"\xff" * 31, "x" * 32))
    return Attack(_with(record.rows, seq, column, value), seq, _at(seq))


def edit_of_a_leaf_that_was_left(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, [seq for seq in range(1, record.size) if record.public(seq) is None])
    rows = _with(record.rows, seq, 3, _flipped(draw, record.rows[seq - 1][3]))
    return Attack(rows, seq, range(seq, record.size + 1))


def half_lost(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, record.standing())
    return Attack(_with(record.rows, seq, draw.choice((1, 2)), None), seq, _at(seq))


def both_halves_lost(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, [seq for seq in record.standing() if record.part(seq).kind != rec.DELETED])
    return Attack(emptied(record.rows, [seq]), seq, range(seq, seq + 2))


def cut_tail(record: Record, draw: Draw) -> Attack:
    """Without the device's key, whatever is put where the last signature should be: that of the row that was the last,
    or that of a head that was handed out there."""
    size = _pick(draw, range(1, record.size))
    made = draw.choice((None, record.rows[-1][4], record.head(size).signature, record.rows[size - 1][4]))
    return Attack(_with(record.rows[:size], size, 4, made), size + 1, _at(_unspoken_hole(record, size) or size))


def _unspoken_hole(record: Record, size: int) -> int:
    """The first entry that was taken out and that none of so many speaks of; 0 if there is none."""
    holes = [seq for seq in range(1, size + 1) if record.public(seq) is None]
    return holes[0] if holes and not [seq for seq in record.of_kind(rec.DELETED) if seq <= size] else 0


def older_copy(record: Record, draw: Draw) -> Attack:
    """The file as it was, or a cut that is signed with what lay in an old page or log of it. It does not show without
    a witness, unless it takes with it what spoke of a hole."""
    size = _pick(draw, range(1, record.size))
    hole = _unspoken_hole(record, size)
    return Attack(record.until(size).rows, size + 1, _at(hole) if hole else range(0))


def cut_head(record: Record, draw: Draw) -> Attack:
    rows = record.rows[_pick(draw, range(1, record.size)) :]
    if draw.random() < 0.5:
        rows = tuple((seq, *row[1:]) for seq, row in enumerate(rows, 1))
    return Attack(rows, 1, range(1, len(rows) + 2))


def entry_removed(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, range(1, record.size))
    return Attack(record.rows[: seq - 1] + record.rows[seq:], seq, _at(seq))


def entry_removed_and_renumbered(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, record.standing()[:-1])
    rows = record.rows[: seq - 1] + tuple((row[0] - 1, *row[1:]) for row in record.rows[seq:])  # type: ignore[operator]
    return Attack(rows, seq, range(seq, record.size + 1))


def entry_duplicated(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, record.standing())
    rows = (*record.rows[:seq], record.rows[seq - 1], *record.rows[seq:])
    if draw.random() < 0.7:
        rows = tuple((number, *row[1:]) for number, row in enumerate(rows, 1))
    return Attack(rows, seq + 1, range(seq if seq == record.size else seq + 1, seq + 2))


def entries_swapped(record: Record, draw: Draw) -> Attack:
    standing = record.standing()
    if len(standing) < 2:
        raise NoSuchPlace
    low, high = sorted(draw.sample(standing, 2))
    rows = list(record.rows)
    rows[low - 1], rows[high - 1] = (low, *rows[high - 1][1:]), (high, *rows[low - 1][1:])
    return Attack(tuple(rows), low, _at(low))


def renumbered(record: Record, draw: Draw) -> Attack:
    seq, by = draw.randrange(record.size) + 1, draw.choice((-1, 1, 100))
    rows = record.rows[: seq - 1] + tuple((row[0] + by, *row[1:]) for row in record.rows[seq - 1 :])  # type: ignore[operator]
    return Attack(rows, seq, _at(seq))


def _another_wall(part: PublicPart, hidden: SealedPart) -> tuple[PublicPart, SealedPart]:
    return msgspec.structs.replace(part, wall="1999-12-31T23:59:59+00:00"), hidden


def _playable(record: Record) -> list[int]:
    return [seq for seq in record.standing() if record.part(seq).kind != rec.DELETED]


def fork(record: Record, draw: Draw) -> Attack:
    """Change one entry, and bind and sign the following ones again, or a part of them."""
    seq = _pick(draw, _playable(record))
    rows = rewritten(record, seq, {seq: _another_wall})
    if draw.random() < 0.3 and not record.of_kind(rec.DELETED):
        shorter = record.until(draw.randrange(seq, record.size + 1))
        rows = rewritten(shorter, seq, {seq: _another_wall})
    return Attack(rows, seq)


def rewrite_with_the_stolen_key(record: Record, draw: Draw) -> Attack:
    first = _pick(draw, [seq for seq in _playable(record) if seq == 1])
    return Attack(rewritten(record, 1, dict.fromkeys(_playable(record), _another_wall)), first)


def rewrite_without_the_key(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, _playable(record))
    rows = rewritten(record, seq, {seq: _another_wall}, device=device_key(draw.randbytes(32)))
    return Attack(rows, seq, _at(record.size))


def another_device(record: Record, draw: Draw) -> Attack:
    """The whole record, as if another device had written it."""
    thief = device_key(draw.randbytes(32))
    starts = record.of_kind(rec.STARTED)
    if starts[:1] != [1] or record.of_kind(rec.DELETED):
        raise NoSuchPlace

    def mine(part: PublicPart, hidden: SealedPart) -> tuple[PublicPart, SealedPart]:
        assert part.opening is not None
        opening = msgspec.structs.replace(part.opening, device=thief.public.hex())
        return msgspec.structs.replace(part, opening=opening), hidden

    if draw.random() < 0.5:
        return Attack(rewritten(record, 1, dict.fromkeys(starts, mine), device=thief), 1)
    if len(starts) == 1:
        raise NoSuchPlace
    return Attack(rewritten(record, starts[1], {starts[1]: mine}, device=thief), starts[1], _at(starts[1]))


def replay_of_another_game(record: Record, draw: Draw) -> Attack:
    """An entry of one game in the place of one of another."""
    seqs = _playable(record)
    pairs = [(a, b) for a, b in itertools.permutations(seqs, 2) if record.part(a).game != record.part(b).game]
    if not pairs:
        raise NoSuchPlace
    source, seq = draw.choice(pairs)
    rows = (*record.rows[: seq - 1], (seq, *record.rows[source - 1][1:]), *record.rows[seq:])
    return Attack(rows, seq, _at(seq))


def replay_of_another_device(record: Record, draw: Draw, others: Sequence[Record] = ()) -> Attack:
    """An entry, or all from there on, out of another device's record."""
    other = draw.choice([one for one in others if one.device != record.device] or [record])
    if other is record:
        raise NoSuchPlace
    seq = _pick(draw, [seq for seq in other.standing() if 1 < seq <= record.size and record.public(seq) is not None])
    rows = (*record.rows[: seq - 1], other.rows[seq - 1], *record.rows[seq:])
    if draw.random() < 0.5:
        rows = record.rows[: seq - 1] + other.rows[seq - 1 :]
    return Attack(rows, seq, _at(seq))


def key_of_another_game(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, record.of_kind(rec.ENDED))
    others = [key for game, key in record.keys.items() if game != record.part(seq).game] or [draw.randbytes(32)]
    key = draw.choice(others).hex()
    changed = rewritten(record, seq, {seq: lambda part, hidden: (msgspec.structs.replace(part, key=key), hidden)})
    return Attack(changed, seq, _at(seq))


def sealed_halves_swapped(record: Record, draw: Draw) -> Attack:
    """Bind and sign again: it shows as soon as the game has published its key."""
    seqs = [seq for seq in _playable(record) if record.part(seq).kind not in (rec.STARTED, rec.SETUP_CHECKED)]
    long = record.sealed_length(_pick(draw, seqs))
    seqs = [seq for seq in seqs if record.sealed_length(seq) == long]
    if len(seqs) < 2:
        raise NoSuchPlace
    low, high = sorted(draw.sample(seqs, 2))
    halves = {seq: (record.public(seq) or b"", record.rows[other - 1][2]) for seq, other in ((low, high), (high, low))}
    rows = rewritten(record, low, halves=halves)  # type: ignore[arg-type]
    seen = [seq for seq in (low, high) if record.is_open(seq)]
    return Attack(rows, low, _at(seen[0]) if seen else range(0))


def trap_table_exchanged(record: Record, draw: Draw) -> Attack:
    """Seal with the game's key, bind and sign again: the commitment shows it once the game has ended."""
    seq = _pick(draw, record.of_kind(rec.STARTED))

    def exchange(part: PublicPart, hidden: SealedPart) -> tuple[PublicPart, SealedPart]:
        event = msgspec.json.decode(hidden.event, type=dict[str, msgspec.Raw])
        squares = msgspec.json.decode(event["squares"], type=list[dict[str, msgspec.Raw]])
        squares[0]["table"] = msgspec.Raw(msgspec.json.encode(table_with(Trap.BUZZ_SAW, xp=99)))
        event["squares"] = msgspec.Raw(msgspec.json.encode(squares))
        return part, msgspec.structs.replace(hidden, event=msgspec.Raw(msgspec.json.encode(event)))

    return Attack(rewritten(record, seq, {seq: exchange}), seq, _at(seq) if record.is_open(seq) else range(0))


def false_tombstone(record: Record, draw: Draw) -> Attack:
    """Of a game that never was, over entries that stand there; signed or not."""
    seq = _pick(draw, record.standing())
    device = draw.choice((None, device_key(draw.randbytes(32))))
    rows = appended(record, tombstone(record, "never", seq, seq), device=device)
    return Attack(rows, record.size + 1, _at(record.size + 1))


def tombstone_that_hides_more(record: Record, draw: Draw) -> Attack:
    """One entry more than the tombstone names, emptied."""
    stone = _pick(draw, record.of_kind(rec.DELETED))
    part = record.part(stone)
    assert part.first is not None
    assert part.last is not None
    seq = _pick(draw, [seq for seq in (part.first - 1, part.last + 1) if seq > 0 and seq < stone])
    return Attack(emptied(record.rows, [seq]), seq, range(seq, seq + 2))


def tombstone_around_what_stands(record: Record, draw: Draw) -> Attack:
    """One that names more than its game, so that what it hides there would pass; signed with the stolen key."""
    stone = _pick(draw, record.of_kind(rec.DELETED))
    part = record.part(stone)
    assert part.first is not None
    if part.first < 4:
        raise NoSuchPlace
    hidden = draw.randrange(2, part.first - 1)
    told = _at(hidden + 1 if record.part(hidden).kind == rec.STARTED else stone)
    wide = msgspec.structs.replace(part, first=hidden)
    shorter = Record(record.rows[:-1], record.device, record.keys, record.ended)
    return Attack(emptied(appended(shorter, wide), [hidden]), hidden, told)


def clock_that_falls(record: Record, draw: Draw) -> Attack:
    seqs = [
        seq
        for before, seq in itertools.pairwise(_playable(record))
        if record.part(before).boot == record.part(seq).boot and record.part(before).mono_ns > 0
    ]
    seq = _pick(draw, seqs)
    low = record.part(_playable(record)[_playable(record).index(seq) - 1]).mono_ns - 1
    changed = rewritten(record, seq, {seq: lambda part, hidden: (msgspec.structs.replace(part, mono_ns=low), hidden)})
    return Attack(changed, seq, _at(seq))


def wall_changed(record: Record, draw: Draw) -> Attack:
    """Without a key; with the stolen one it is a fork."""
    seq = _pick(draw, _playable(record))
    part = _another_wall(*opened(record, seq))[0]
    return Attack(_with(record.rows, seq, 1, rec.public_bytes(part)), seq, _at(seq))


def padding_of_another_length(record: Record, draw: Draw) -> Attack:
    """Signed with the stolen key."""
    seq = _pick(draw, _playable(record))
    public, sealed = record.public(seq), record.rows[seq - 1][2]
    assert public is not None
    assert isinstance(sealed, bytes)
    if draw.random() < 0.5:
        length = draw.choice((len(public) * 2, len(public) + 1, len(public) * 4))
        halves = (public.ljust(length), sealed)
    else:
        halves = (public, draw.choice((sealed[:-1], sealed + b" ", sealed * 2, b"")))
    return Attack(rewritten(record, seq, halves={seq: halves}), seq, _at(seq))


def padding_of_another_kind(record: Record, draw: Draw) -> Attack:
    """Blanks that are JSON's and not the page's; bound and signed with the stolen key."""
    seq = _pick(draw, _playable(record))
    text, sealed = (record.public(seq) or b"").rstrip(b" "), record.rows[seq - 1][2]
    assert isinstance(sealed, bytes)
    size = len(record.public(seq) or b"")
    made = draw.choice((text.ljust(size, b"\n"), text.ljust(size - 1) + b"\t", (b" " + text).ljust(size)))
    rows = rewritten(record, seq, halves={seq: (made, sealed)})
    return Attack(rows, seq, _at(seq))


def game_of_another_name(record: Record, draw: Draw) -> Attack:
    """An entry that says to belong to a game that never was, or that stands there already ended; signed with the stolen
    key."""
    seq = _pick(draw, [seq for seq in _playable(record) if record.part(seq).kind != rec.STARTED])
    over = [record.part(end).game for end in record.of_kind(rec.ENDED) if end < seq]
    name = draw.choice(("never", *over))
    changed = rewritten(record, seq, {seq: lambda part, hidden: (msgspec.structs.replace(part, game=name), hidden)})
    return Attack(changed, seq, _at(seq))


def format_downgraded(record: Record, draw: Draw) -> Attack:
    seq = _pick(draw, _playable(record))
    old = draw.choice((0, 1, 2, 4))
    changed = rewritten(record, seq, {seq: lambda part, hidden: (msgspec.structs.replace(part, format=old), hidden)})
    return Attack(changed, seq, _at(seq))


def room_of_another_size(record: Record, draw: Draw) -> Attack:
    """A beginning that promises a longer or shorter sealed half than it has, or one that no game asks for; signed with
    the stolen key."""
    seq = _pick(draw, [seq for seq in _playable(record) if record.part(seq).kind == rec.STARTED])
    opening = record.part(seq).opening
    assert opening is not None
    room = draw.choice((0, 1, -1024, opening.room * 2, opening.room + 1024, opening.room - 1, 2**40))
    other = msgspec.structs.replace(opening, room=room)
    changed = rewritten(record, seq, {seq: lambda part, hidden: (msgspec.structs.replace(part, opening=other), hidden)})
    return Attack(changed, seq, _at(seq))


def sealed_of_another_size(record: Record, draw: Draw) -> Attack:
    """A beginning that promises another size of all later sealed halves, or one that no game has; signed with the
    stolen key."""
    seq = _pick(draw, [seq for seq in _playable(record) if record.part(seq).kind == rec.STARTED])
    opening, game = record.part(seq).opening, record.part(seq).game
    assert opening is not None
    later = [other for other in record.standing() if other > seq and record.part(other).game == game]
    sizes = [size for size in rec.SEALED_SIZES if size != opening.sealed] if later else []
    sealed = draw.choice((*sizes, 0, 1, -640, 641, 1920, 10_240, 2**40))
    other = msgspec.structs.replace(opening, sealed=sealed)
    changed = rewritten(record, seq, {seq: lambda part, hidden: (msgspec.structs.replace(part, opening=other), hidden)})
    place = later[0] if sealed in sizes else seq
    return Attack(changed, seq, _at(place))


def unknown_kind(record: Record, draw: Draw) -> Attack:
    """With the stolen key, outside and inside: what a kind means is the game's business."""
    seqs = [seq for seq in _playable(record) if record.part(seq).kind in ("claimed", "dial moves", "turned", "looked")]
    seq = _pick(draw, seqs)

    def other(part: PublicPart, hidden: SealedPart) -> tuple[PublicPart, SealedPart]:
        event = msgspec.json.decode(hidden.event, type=dict[str, msgspec.Raw]) | {"kind": msgspec.Raw(b'"surprise"')}
        inside = msgspec.structs.replace(hidden, event=msgspec.Raw(msgspec.json.encode(event)))
        return msgspec.structs.replace(part, kind="surprise"), inside

    return Attack(rewritten(record, seq, {seq: other}), seq)


ATTACKS: Final[tuple[Callable[..., Attack], ...]] = (
    edit_of_a_byte,
    edit_with_its_hash,
    edit_of_a_signature,
    edit_of_a_number,
    another_type,
    edit_of_a_leaf_that_was_left,
    half_lost,
    both_halves_lost,
    cut_tail,
    older_copy,
    cut_head,
    entry_removed,
    entry_removed_and_renumbered,
    entry_duplicated,
    entries_swapped,
    renumbered,
    fork,
    rewrite_with_the_stolen_key,
    rewrite_without_the_key,
    another_device,
    replay_of_another_game,
    replay_of_another_device,
    key_of_another_game,
    sealed_halves_swapped,
    trap_table_exchanged,
    false_tombstone,
    tombstone_that_hides_more,
    tombstone_around_what_stands,
    clock_that_falls,
    wall_changed,
    padding_of_another_length,
    padding_of_another_kind,
    game_of_another_name,
    format_downgraded,
    room_of_another_size,
    sealed_of_another_size,
    unknown_kind,
)

UNSEEN_WITHOUT_A_WITNESS: Final = frozenset(
    {"older_copy", "fork", "rewrite_with_the_stolen_key", "another_device", "unknown_kind"}
)
"""The page says so."""

SEEN_ONCE_THE_GAME_HAS_ENDED: Final = frozenset({"sealed_halves_swapped", "trap_table_exchanged"})
"""Before that the sealed halves cannot be opened."""


def attack(make: Callable[..., Attack], record: Record, draw: Draw, others: Sequence[Record]) -> Attack:
    """This attack on this record. Raises NoSuchPlace."""
    if make is replay_of_another_device:
        return make(record, draw, others)
    return make(record, draw)


PLAIN: Final = (edit_of_a_number, another_type, half_lost, cut_head, entry_removed, entry_duplicated, entries_swapped)
"""Those that need not open what they change, so that they can be made of a changed record."""
