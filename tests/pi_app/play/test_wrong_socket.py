"""A tile in another square's socket shows nothing to any player."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.game import events as ev
from pi_app.simulated import actions
from tests.pi_app.exchanged import calibrated, exchange, plug, pull
from tests.pi_app.playing import CAGE, Played, table

UNVERIFIED = "T01: This tile is not verified. Tell the table, hold later."
MAYBE_T02 = (
    "T01: its lead was unplugged, and the tile on it may be that of T02. This square stays hidden until its detents "
    "decide. Check the plugs; then turn its dial and let it rest, or type: accept T01"
)
OF_T02 = (
    "T01: the tile on its lead is that of T02, by its detents. This square stays hidden. Plug each tile into its "
    "own square; if you can see that the tile is right, type: accept T01"
)
RIGHT = "T01: its tile is the right one, by its detents."


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Played]:
    with table(tmp_path, calibrated(tmp_path)) as played:
        yield played


def noted(at: Played) -> list[tuple[str, str, str | None]]:
    return [(each.square, each.condition, each.other) for each in at.events() if isinstance(each, ev.DialNoted)]


def test_the_tile_of_another_square_shows_nobody_its_trap(at: Played) -> None:
    at.turn("T02", 5)
    at.run(2.0)
    exchange(at)
    assert MAYBE_T02 in at.heard("referee")
    assert noted(at) == [("T01", "tile not verified", "T02")]
    at.tap("ANN")
    at.turn("T02", 2)
    at.press("ANN")
    assert at.screens["ANN"] == UNVERIFIED
    at.let_go("ANN")
    at.say("drop ANN")
    for _ in range(3):
        at.turn("T02", 1)
        at.run(2.0)
    assert OF_T02 in at.heard("referee")
    assert noted(at)[-1] == ("T01", "tile does not fit", "T02")
    assert {each.motion.to_position for each in at.turns() if each.square == "T01"} <= {None}
    assert not any(square.readers for square in at.demo.loop.moment.game.squares.values())


def test_what_is_put_right_is_told_again(at: Played) -> None:
    at.turn("T02", 5)
    at.run(2.0)
    exchange(at)
    pull(at, "T02")
    at.demo.act(actions.ClearFault("T01", "leads-swapped"))
    at.run(0.1)
    plug(at, "T01", "T02")
    at.run(1.0)
    assert RIGHT in at.heard("referee")
    assert noted(at)[-1] == ("T01", "tile verified", None)
    at.expose("ANN", "T01", 3)
    assert CAGE in at.screens["ANN"] or at.demo.loop.moment.game.squares["T01"].readers == ("ANN",)


def test_an_ordinary_plug_is_verified_without_a_word(at: Played) -> None:
    pull(at, "T01")
    plug(at, "T01")
    assert noted(at) == []
    at.expose("ANN", "T01", 3)
    assert at.demo.loop.moment.game.squares["T01"].readers == ("ANN",)
    assert not any("tile" in line for line in at.heard("referee"))


def test_accept_is_the_word_that_lets_it_through(at: Played) -> None:
    at.say("accept T01")
    assert at.heard("referee")[-1] == "T01: its tile is not in doubt."
    at.turn("T02", 5)
    at.run(2.0)
    exchange(at)
    at.say("accept T01")
    assert at.heard("referee")[-1] == "T01: its tile is accepted as the right one."
    assert noted(at)[-1] == ("T01", "tile accepted", None)
    at.tap("ANN")
    at.turn("T02", 2)
    at.press("ANN")
    assert at.screens["ANN"] != UNVERIFIED


def test_a_program_that_starts_again_still_holds_it_back(tmp_path: Path) -> None:
    used = calibrated(tmp_path)
    with table(tmp_path, used) as at:
        at.turn("T02", 5)
        at.run(2.0)
        exchange(at)
        assert at.demo.loop.moment.game.squares["T01"].withheld
    with table(tmp_path, used, resume=True) as at:
        assert at.demo.loop.dials.tiles.withheld("T01")
        at.say("accept T01")
        assert not at.demo.loop.dials.tiles.withheld("T01")


def test_nobody_but_the_referee_reads_of_it(at: Played) -> None:
    at.turn("T02", 5)
    at.run(2.0)
    before = {viewer: len(at.heard(viewer)) for viewer in ("public", "log", "seat ANN", "seat BEN")}
    exchange(at)
    for viewer, known in before.items():
        assert not [line for line in at.heard(viewer)[known:] if "tile" in line]
