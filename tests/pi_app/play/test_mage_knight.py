"""The lengths of entries of Mage Knight's games."""

from __future__ import annotations

import random
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.game.figures import MOST_HEROES, HeroAbility, HeroSetup
from pi_app.game.ruleset import Ruleset
from pi_app.game.trap_table import MOST_CLICKS, Disarm, Face, Trap, TrapTable
from pi_app.journal.record import entry as rec
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import Order
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import exposes, started
from tests.pi_app.journal.keeping import open_journal
from tests.pi_app.journal.record.forging import rows

LONGEST = Face(
    position=35,
    kind="trap",
    click_number=99,
    trap=Trap.NOXIOUS_ACID_POOL,
    disarm=Disarm(99, variable=True),
    xp=9999,
)
SHORTEST = Face(position=0, kind="clear")


def dial(clicks: int, face: Face, note: str = "") -> TrapTable:
    return TrapTable(name="x" * 40, provenance="transcribed", clicks=clicks, note=note, faces=(face,) * clicks)


def room(*tables: TrapTable) -> int:
    return MAGE_KNIGHT.room(started(*tables))


def test_the_room_counts_dials_and_clicks_and_nothing_else() -> None:
    assert room(dial(12, LONGEST), dial(20, SHORTEST)) == room(dial(20, LONGEST), dial(12, SHORTEST, "n" * 500))
    assert room(dial(12, SHORTEST)) == 2048 + 2048


@pytest.mark.parametrize("clicks", [2, 12, MOST_CLICKS])
def test_the_longest_faces_fit_into_the_room_of_the_shortest(clicks: int, tmp_path: Path) -> None:
    """The length does not depend on the trap tables and their squares (S-6)."""
    lengths = set()
    for name, face in (("long", LONGEST), ("short", SHORTEST)):
        path = tmp_path / f"{name}.db"
        with open_journal(path) as journal:
            journal.append(name, NO_GAME, started(*(dial(clicks, face) for _ in range(8))))
        lengths |= {(len(public), len(sealed)) for _, public, sealed, *_ in rows(path)}
    assert len(lengths) == 1


def test_notes_that_do_not_fit_double_the_room_and_are_kept(tmp_path: Path) -> None:
    notes = [dial(2, LONGEST, "é" * 500) for _ in range(8)]
    random.Random(1).shuffle(notes)
    path = tmp_path / "journal.db"
    with open_journal(path) as journal:
        journal.append("g", NO_GAME, event := started(*notes))
    part = rec.read_public(rows(path)[0][1])
    assert part.opening is not None
    assert part.opening.room == 2 * (2048 + 8 * 768)
    assert [entry.event for entry in jn.read(path, MAGE_KNIGHT)] == [event]
    assert msgspec.json.encode(event) == ev.to_json(event)


EVERY_SWITCH = Ruleset(
    preset="rulings_2003",
    damage_reduction="rulings_2003",
    acid_reduction="special_ability_damage",
    trigger_ends="movement_and_activation",
    hand_value_10="after_trigger",
    weight_disarm="by_number",
    share_by_exposer=True,
    disarm_sneak_attack=-12,
)
SEATS = tuple(
    ev.SeatSetup(
        seat=f"SEAT{n}",
        name="N" * 20,
        language="en",
        heroes=tuple(
            HeroSetup(name=f"Hero{n}{hero}".ljust(12, "ä"), abilities=get_args(HeroAbility), speed=20, level=9)
            for hero in range(MOST_HEROES)
        ),
    )
    for n in range(6)
)


@pytest.mark.parametrize("squares", [1, 2, 16])
def test_switches_and_six_seats_fit_into_the_room_too(squares: int, tmp_path: Path) -> None:
    """Otherwise the reserved length would depend on the trap tables."""
    rooms = set()
    for name, face in (("long", LONGEST), ("short", SHORTEST)):
        event = msgspec.structs.replace(started(*[dial(12, face)] * squares, rules=EVERY_SWITCH), seats=SEATS)
        with open_journal(tmp_path / f"{name}.db") as journal:
            journal.append(name, NO_GAME, event)
        part = rec.read_public(rows(tmp_path / f"{name}.db")[0][1])
        assert part.opening is not None
        rooms.add(part.opening.room)
    assert len(rooms) == 1


@pytest.mark.parametrize(
    "line",
    [
        "enter T01 ÄÄÄÄÄÄÄÄÄÄÄÄ flying stops beside pay4 toughness invulnerability dodge dodge dodge speed 999",
        "enter T01 ÄÄÄÄÄÄÄÄÄÄÄÄ flying stops pay4 toughness invulnerability dodge",
        "pass T01 ÄÄÄÄÄÄÄÄÄÄÄÄ n ne e se s sw w nw nimble flying flying anyway",
        "disarm T01 ÄÄÄÄÄÄÄÄÄÄÄÄ quick 6 6 6 stealth nimble sneak dodge speed 2 anyway",
        f"hero BEN ÖÖÖÖÖÖÖÖÖÖÖÖ {' '.join(get_args(HeroAbility))} speed 20 level 9",
        "undo",
    ],
)
def test_the_longest_move_fits_into_an_entry(line: str, tmp_path: Path) -> None:
    moment = NO_GAME
    with open_journal(tmp_path / "journal.db") as journal:
        named = ev.HeroNamed(seat="BEN", name="Ä" * 12, abilities=get_args(HeroAbility))
        for event in (started(dial(12, LONGEST)), *exposes("T01", 3, "ANN"), named):
            moment = journal.append("g", moment, event)
        order = parse(line, moment.game, str)
        assert isinstance(order, Order)
        moment = journal.append("g", moment, order.event)
        if order.then is not None:
            journal.append("g", moment, order.then)
    assert len({len(sealed) for _, _, sealed, *_ in rows(tmp_path / "journal.db")[1:]}) == 1
