"""How long the entries of a game of Mage Knight can get: the longest possible event of each kind, built from the game's
first event and encoded.

Nothing here depends on which table lies at which square, nor on a face: the lengths follow from the names at the table,
the clicks of the dials, and the texts of all its trap tables together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, get_args

import msgspec
from msgspec.structs import replace

from hardware.readings import TroubleKind
from pi_app.dials import steady
from pi_app.game import events as ev
from pi_app.game.conversion import MOST_FIGURES, MOST_NAME_BYTES
from pi_app.game.figures import HERO_BYTES, OTHERS, HeroAbility
from pi_app.game.moves import ADDED
from pi_app.game.phone_events import SESSION_CHARACTERS
from pi_app.game.ruleset import Ability
from pi_app.game.tokens import COLOURS
from pi_app.game.trap_table import MOST_CLICKS, Disarm, Face, Trap, TrapTable
from pi_app.game.undo import line_of
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import SquareContent
from pi_app.journal.record.longest import MOST_NS, json_bytes, longest_event, sealed_text
from pi_app.journal.recorded_game import RULESET, SQUARE, STANDS

MOST_COUNTED: Final = 10**10 - 1
"""More samples than a dial gives in a hundred days."""
MOST_CLICKS_OF_A_TURN: Final = -(10**7 - 1)
"""More clicks than a hand turns without a rest: 16 hours at 171 in a second."""
MOST_COUNTS: Final = 2**14
"""Of a turn of any absolute encoder."""
LEAST_STEPS: Final = -(2**31)
"""The longest count of an encoder that counts steps."""
LONGEST_VERSION: Final = "0" * 40
"""A later version may resume the game."""
FEWEST_ROOM: Final = 2048

LINES: Final = (
    ev.Moved,
    ev.Triggered,
    ev.DisarmTried,
    ev.JawsAnswered,
    ev.Earned,
    ev.TokenMoved,
    ev.Activated,
    ev.HeroNamed,
    ev.Fallen,
    ev.Converted,
)
"""Events whose line `undo` may repeat."""


def _longest(texts: Iterable[str]) -> str:
    return max(texts, key=json_bytes, default="")


LONGEST_FACE: Final = Face(
    position=MOST_CLICKS - 1,
    kind="disarmed",
    click_number=99,
    trap=Trap.NOXIOUS_ACID_POOL,
    disarm=Disarm(99),
    xp=9999,
)
"""The longest value in each field that a file of a trap table may give. No table has such a face."""


def longest_shown(tables: Iterable[TrapTable]) -> SquareContent:
    """Return the longest content that a square of these tables can show, wherever they lie."""
    name = _longest(table.name for table in tables)
    return SquareContent(table=name, face=msgspec.Raw(msgspec.json.encode(LONGEST_FACE)))


# ---------------------------------------------------------------------------------------------- later events


def known_values(start: ev.Started) -> dict[str, object]:
    """Return the longest value of each field that its type does not bound."""
    labels = [square.label for square in start.squares]
    seats = [seat.seat for seat in start.seats]
    heroes = [hero.name for seat in start.seats for hero in seat.heroes]
    figure = _longest([*seats, *OTHERS, *heroes, "語" * (HERO_BYTES // 3)])
    clicks = max((square.table.clicks for square in start.squares), default=MOST_CLICKS)
    shapes = (square.dial for square in start.squares)
    counts = max((MOST_COUNTS if dial is None else dial.counts_per_turn for dial in shapes), default=MOST_COUNTS)
    raw = counts - 1 if all(square.absolute for square in start.squares) else LEAST_STEPS
    known: dict[str, object] = {
        "square": _longest(labels),
        "DialNoted.other": _longest(labels),
        "stands": dict.fromkeys(labels),
        "raws": {square.label: _raw(raw) for square in start.squares if square.absolute},
        "seat": _longest(seats),
        "Moved.by": _longest(seats),
        "figure": figure,
        "Moved.who": figure,
        "HeroNamed.name": figure,
        "table": _longest(square.table.name for square in start.squares),
        "artifact": "",
        "dealt": {},
        "chest": max((chest.number for chest in start.chests), default=1),
        "version": LONGEST_VERSION,
        "trouble": _longest(kind.value for kind in TroubleKind),
        "PhoneJoined.session": "A" * SESSION_CHARACTERS,
        "Looked.grade": "phone",
        "Homed.start": max((square.table.clicks for square in start.squares), default=MOST_CLICKS) - 1,
        "Converted.figures": ["x" * (MOST_NAME_BYTES // MOST_FIGURES)] * MOST_FIGURES,
    }
    if start.artifacts is not None:
        pool = start.artifacts.pool
        known["artifact"] = _longest(each.label for each in pool.artifact)
        known["dealt"] = {colour: "7" * sum(each.number(colour) for each in pool.artifact) for colour in COLOURS}
    return known | _words() | _numbers(clicks, raw)


def _raw(raw: int) -> int | None:
    return max(raw, None, key=json_bytes)


def _words() -> dict[str, object]:
    added = max(ADDED.values(), key=json_bytes)
    return {
        "Moved.added": added,
        "Triggered.added": tuple(dict.fromkeys((*added, *get_args(Ability)))),
        "DisarmTried.abilities": get_args(Ability),
        "HeroNamed.abilities": get_args(HeroAbility),
    }


def _numbers(clicks: int, raw: int) -> dict[str, object]:
    last = clicks - 1
    return {
        "from_position": last,
        "to_position": last,
        "between": [last, last],
        "Motion.clicks": MOST_CLICKS_OF_A_TURN,
        "start_ns": MOST_NS,
        "end_ns": MOST_NS,
        "longest_gap_ns": MOST_NS,
        "start_raw": raw,
        "end_raw": raw,
        "samples": MOST_COUNTED,
        "failed_reads": MOST_COUNTED,
        "unseen_s": round(MOST_NS / 1e9, 1),
        "over_s": round(MOST_NS / 1e9, 1),
        "times": steady.MOST_COUNTED,
        "turns": steady.MOST_COUNTED,
        "Moved.numbers": [6, 6, 30],
        "speed": 999,
        "dice": [6, 6],
        "plus_die": 6,
        "add_ms": -(MOST_NS // 10**6),
    }


def lengths(start: ev.AnyEvent) -> dict[str, int]:
    """Return the bytes of the longest sealed text of each kind of event after this first one."""
    assert isinstance(start, ev.Started)
    known = known_values(start)
    shown = longest_shown(square.table for square in start.squares)
    known["Undone.line"] = _longest(_line(kind, known) for kind in LINES)
    found: dict[str, int] = {}
    for kind, event in _all(known):
        length = sealed_text(event, _salts(kind), shown if "square" in event else None)
        found[kind] = max(found.get(kind, 0), length)
    return found


def _all(known: Mapping[str, object]) -> Iterable[tuple[str, dict[str, object]]]:
    for kind in get_args(ev.AnyEvent):
        if kind is not ev.Started:
            event = longest_event(kind, known)
            if kind is ev.Turned:
                joined = {"seat": None, "purpose": None, "grade": None, "turns": event.pop("turns")}
                yield str(event["kind"]), event | joined  # only turns without a claim are joined
            yield str(event["kind"]), event


def _line(kind: type[ev.AnyEvent], known: Mapping[str, object]) -> str:
    return line_of(msgspec.convert(longest_event(kind, known), ev.AnyEvent))


def _salts(kind: str) -> dict[str, str]:
    return {STANDS: rec.LONGEST_SALT} if kind == rec.SETUP_CHECKED else {}


# -------------------------------------------------------------------------------------------- the first event


def room(start: ev.AnyEvent) -> int:
    """Return the bytes that the first entry reserves: as many as it could need with the longest faces on every dial.

    It is doubled until the owner's texts in the trap tables fit as well, so it reveals no more of them than how long
    they are in all.
    """
    assert isinstance(start, ev.Started)
    squares = tuple(
        replace(square, table=_without_secrets(square.table), start=0 if start.starts is msgspec.UNSET else None)
        for square in start.squares
    )
    names = (RULESET, *(SQUARE + square.label for square in squares))
    public = sealed_text(
        msgspec.to_builtins(replace(start, squares=squares)), dict.fromkeys(names, rec.LONGEST_SALT), None
    )
    texts = sum(map(_texts, (square.table for square in start.squares)))
    length = max(_usual(start), public)
    while length < public + texts:
        length *= 2
    return length


def _without_secrets(table: TrapTable) -> TrapTable:
    faces = (LONGEST_FACE,) * table.clicks
    return TrapTable(name="", provenance="transcribed", clicks=table.clicks, faces=faces)


def _texts(table: TrapTable) -> int:
    texts = (table.name, table.transcribed_by, table.checked_by, table.date, table.note)
    return sum(json_bytes(text) - 2 for text in texts)


def _usual(start: ev.Started) -> int:
    """Return what ordinary texts fit into: for Heroes, for dials by their clicks, for chests and for artifacts."""
    heroes = sum(len(seat.heroes) for seat in start.seats)
    dials = sum(512 + 128 * square.table.clicks for square in start.squares)
    treasures = 32 * len(start.chests)
    if start.artifacts is not None:
        treasures += json_bytes(start.artifacts) + 32
    return FEWEST_ROOM + 256 * heroes + dials + treasures
