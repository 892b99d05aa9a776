"""A table with some dials on a hub: above the feed they are dials like the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pi_app.audit.replay import replay
from pi_app.game import events as ev
from tests.pi_app.hubs import PULLED, ScriptedLink, TableWithHub, mixed
from tests.pi_app.playing import CAGE, Played, table


@contextmanager
def with_hub(folder: Path) -> Iterator[tuple[Played, ScriptedLink]]:
    used = mixed()
    twins = TableWithHub(used)
    with table(folder, used, twins=twins) as at:
        yield at, twins.link


@pytest.mark.parametrize("square", ["T01", "T02"])
def test_tap_turn_hold_is_the_same_on_a_bus_and_on_a_hub(tmp_path: Path, square: str) -> None:
    with with_hub(tmp_path) as (at, _):
        at.tap("ANN")
        at.turn(square, 3)
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE.replace("T01", square))
        (turn,) = at.turns()
        facts = (turn.square, turn.motion.from_position, turn.motion.to_position, turn.motion.clicks, turn.seat)
        assert facts == (square, 0, 3, 3, "ANN")
        assert turn.motion.longest_gap_ns < 15_000_000
        assert at.heard("public")[-1] == f"{square}: exposed by Ann."
        assert at.findings() == []


def test_s_2_two_players_at_once_one_on_the_bus_and_one_on_the_hub(tmp_path: Path) -> None:
    with with_hub(tmp_path) as (at, _):
        at.tap("ANN")
        at.turn("T01", 2)
        at.tap("BEN")
        at.turn("T02", 4)
        at.press("BEN")
        at.press("ANN")
        assert [(turn.square, turn.seat, turn.motion.clicks) for turn in at.turns()] == [
            ("T02", "BEN", 4),
            ("T01", "ANN", 2),
        ]


def test_a_pulled_plug_is_told_and_the_rest_of_the_table_plays(tmp_path: Path) -> None:
    with with_hub(tmp_path) as (at, link):
        link.plug(False)
        at.run(0.5)
        assert at.heard("referee")[-1] == PULLED
        at.expose("ANN", "T01", 3)
        assert at.turns()[-1].square == "T01"
        link.plug(True)
        at.run(0.5)
        assert at.heard("referee")[-1] == "T02: its dial is responding again."
        kinds = [type(event) for event in at.events()]
        assert ev.DialLost in kinds
        assert ev.DialBack in kinds
        at.expose("BEN", "T02", 2)
        assert (at.turns()[-1].square, at.turns()[-1].motion.clicks) == ("T02", 2)


def test_what_was_turned_while_the_plug_was_out_is_an_unknown_path(tmp_path: Path) -> None:
    with with_hub(tmp_path) as (at, link):
        link.plug(False)
        at.run(0.3)
        at.turn("T02", 5)
        link.plug(True)
        at.run(1.0)
        (turn,) = at.turns()
        assert (turn.square, turn.motion.clicks, turn.motion.to_position) == ("T02", None, 5)


def test_looks_that_were_lost_while_the_dial_leapt_are_an_unknown_path(tmp_path: Path) -> None:
    with with_hub(tmp_path) as (at, link):
        at.turn("T02", 1)
        link.lost.add(3)
        at.turn("T02", 1)
        at.run(3.0)
        (turn,) = at.turns()
        assert (turn.square, turn.motion.clicks, turn.motion.to_position) == ("T02", None, 2)


def test_a_game_over_a_hub_is_replayed_from_its_record(tmp_path: Path) -> None:
    with with_hub(tmp_path) as (at, _):
        at.expose("ANN", "T02", 3)
        at.expose("BEN", "T01", 2)
        at.say("end")
    (game,) = replay(at.journal)
    assert game.entries > 8
