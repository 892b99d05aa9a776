"""Who could have known what since when, compared with the screens and lines of random games."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pi_app.audit.files import audit_file
from pi_app.audit.values import Known
from pi_app.game.trap_table import Trap
from pi_app.game.trap_words import trap_name
from pi_app.play.build import Outputs
from pi_app.report.pictures import SeatPicture, ShowFace
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo
from pi_app.simulated.script import SECOND_NS, KnownTable, script
from tests.everyday import first
from tests.twin_games import EXAMPLE, with_tables

GAMES = max(6, int(os.environ.get("TRAPDIAL_TWIN_GAMES", "12")) // 3)
SEEDS = first(1, range(GAMES))
NAMES = re.compile("|".join([*(re.escape(trap_name(trap)) for trap in Trap), "clear for everyone"]))
Pair = tuple[str, str]
"""A square and a seat."""


@dataclass
class Told:
    """When each seat was first shown a face, or read what lies there."""

    shown_ns: dict[Pair, int] = field(default_factory=dict)
    read_ns: dict[Pair, int] = field(default_factory=dict)

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        square, _, rest = line.partition(": ")
        if viewer.startswith("seat ") and square in EXAMPLE.squares and NAMES.search(rest):
            self.read_ns.setdefault((square, viewer.removeprefix("seat ")), at_ns)

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        if isinstance(picture, ShowFace):
            self.shown_ns.setdefault((picture.label, seat), at_ns)


def words(draw: random.Random) -> Iterator[str]:
    """The commands after the dials have been turned."""
    for square in EXAMPLE.squares:
        one, other = draw.sample(list(EXAMPLE.seats), 2)
        yield draw.choice(
            [
                "status",
                f"trigger {square} {one}",
                f"disarm {square} {one} quick 1 1 1",
                f"disarm {square} {other} slow 6 6 1",
                f"expose {square} {other}",
            ]
        )


def play(folder: Path, seed: int, tables: int, *, spoken: bool = True) -> tuple[Told, dict[Pair, tuple[Known, int]]]:
    """What a random game really showed, and its audit, with the times on the table's clock."""
    heard, draw = Told(), random.Random(f"words {seed}")
    settings = with_tables(EXAMPLE, tables)
    folder.mkdir()
    with Demo(settings, folder / "j.db", seed=seed, outputs=Outputs([heard], shown=heard.shown)) as demo:
        while not demo.loop.ready:
            demo.step()
        began_ns = demo.table.clock.now_ns()
        demo.play(script(seed, KnownTable(tuple(settings.seats), tuple(settings.squares)), 1 + seed % 2))
        for line in words(draw) if spoken else ():
            demo.loop.say(line)
            run(demo, 1.0)
        for seat in settings.seats:
            for _ in range(len(settings.squares)):
                demo.act(actions.Press(seat))
                run(demo, 1.0)
                demo.act(actions.Release(seat))
                run(demo, 0.3)
        demo.loop.say("end")
        run(demo, 0.5)
    (game,) = audit_file(folder / "j.db").games
    return heard, {(known.square, known.seat): (known, began_ns + round(known.at_s * 1e9)) for known in game.known}


def run(demo: Demo, seconds: float) -> None:
    until_ns = demo.table.clock.now_ns() + round(seconds * SECOND_NS)
    while demo.table.clock.now_ns() < until_ns:
        demo.step()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_audit_knows_everything_that_was_shown(seed: int, tmp_path: Path) -> None:
    """Each face on a screen and each line with a trap: known then or before, and to no other seat."""
    heard, known = play(tmp_path / "game", seed, seed)
    for pair in heard.shown_ns.keys() | heard.read_ns.keys():
        at_ns = min(times[pair] for times in (heard.shown_ns, heard.read_ns) if pair in times)
        assert pair in known, pair
        assert known[pair][1] <= at_ns + SLACK_NS, pair
    for pair, (each, at_ns) in known.items():
        if each.by in ("triggered", "announced"):
            assert abs(heard.read_ns[pair] - at_ns) <= SLACK_NS, each.words
        else:
            assert pair in heard.shown_ns or pair in heard.read_ns, each.words


SLACK_NS = 20_000_000
"""The audit's times begin with the game's first entry, and count whole milliseconds; a step of the loop is 5 ms."""


@pytest.mark.parametrize("seed", SEEDS)
def test_what_lies_there_changes_nothing_of_who_exposed_what_and_when(seed: int, tmp_path: Path) -> None:
    one, other = (
        {
            (each.square, each.seat, each.entry, each.at_s)
            for each, _ in play(tmp_path / str(tables), seed, tables, spoken=False)[1].values()
        }
        for tables in (2 * seed, 2 * seed + 1)
    )
    assert one
    assert one == other
