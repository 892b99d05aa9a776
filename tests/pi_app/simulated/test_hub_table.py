"""The whole way with a hub in earnest: the real firmware in a child process, its serial port, the link, the loop.

The machine's own time passes here; nothing is timed, and nothing sleeps but the program itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pi_app.game import events as ev
from pi_app.settings import load as st
from pi_app.settings.hubs import HubSettings
from pi_app.simulated import actions
from pi_app.simulated.hub_table import BoardTable, with_hub
from tests.pi_app.hubs import mixed
from tests.pi_app.playing import Played, settings, table

PATIENCE_S = 60

UNSEEN = None
"""The clicks of a turn in which this machine was too busy for a sample every 35 ms: unknown, and never wrong."""


def until(at: Played, holds: Callable[[], bool]) -> None:
    """Run the table until this holds, for a while."""
    for _ in range(PATIENCE_S * 10):
        if holds():
            return
        at.run(0.1)
    pytest.fail(f"it never came to it; the referee heard {at.heard('referee')}")


def exposed(at: Played, seat: str, square: str, clicks: int) -> ev.Turned:
    """Tap. Turn. Hold, and hold again until the dial was seen to rest: in doubt it must rest for longer."""
    before = len(at.turns())

    def looked() -> bool:
        at.press(seat)
        at.let_go(seat)
        return len(at.turns()) > before

    at.tap(seat)
    at.turn(square, clicks)
    until(at, looked)
    return at.turns()[-1]


@pytest.mark.slow
def test_tap_turn_hold_over_a_board_and_its_cable_pulled_and_put_back(tmp_path: Path) -> None:
    used = with_hub(settings())
    twins = BoardTable(used, seed=5)
    with table(tmp_path, used, twins=twins) as at:
        game = at.demo.loop
        until(at, lambda: not game.session.dials["T02"].lost and game.session.dials["T02"].good_ns is not None)
        turn = exposed(at, "ANN", "T02", 3)
        assert (turn.square, turn.seat, turn.motion.from_position, turn.motion.to_position) == ("T02", "ANN", 0, 3)
        assert turn.motion.clicks in (3, UNSEEN)
        at.demo.act(actions.PlugCable("west", plugged=False))
        until(at, lambda: game.session.dials["T02"].lost)
        until(
            at, lambda: any(line.startswith("hub west (") and "was unplugged" in line for line in at.heard("referee"))
        )
        assert exposed(at, "BEN", "T01", 2).motion.clicks == 2
        at.turn("T02", 4)
        at.demo.act(actions.PlugCable("west", plugged=True))
        until(at, lambda: len(at.turns()) == 3)
        assert (at.turns()[-1].square, at.turns()[-1].motion.clicks, at.turns()[-1].motion.to_position) == (
            "T02",
            None,
            7,
        )
        assert {type(event) for event in at.events()} >= {ev.DialLost, ev.DialBack}
        again = exposed(at, "ANN", "T02", 1).motion
        assert (again.clicks, again.to_position) in ((1, 8), (UNSEEN, 8))
    assert twins.cables == {"west": False}


def test_the_referee_is_told_what_is_simulated(tmp_path: Path) -> None:
    used = with_hub(settings())
    (note,) = BoardTable(used).notes()
    assert note.startswith("Hub west reads T02. Its board is SIMULATED; its firmware is the real one, run by ")
    assert note.endswith(" behind a pty.")


def test_half_of_the_squares_move_to_a_hub() -> None:
    eight = with_hub(st.load(st.example_path("8x4")))
    on_it = {label: square.channel for label, square in eight.squares.items() if square.hub == "west"}
    assert on_it == {"T05": 0, "T06": 1, "T07": 2, "T08": 3}
    assert all(square.bus is None and square.mux is None for label, square in eight.squares.items() if label in on_it)
    assert eight.hubs == {"west": HubSettings(id="5349000000000000")}


def test_a_table_that_has_hubs_keeps_them() -> None:
    assert with_hub(mixed()) == mixed()


def test_a_table_in_virtual_time_has_no_cable(tmp_path: Path) -> None:
    with table(tmp_path, mixed()) as at, pytest.raises(KeyError):
        at.demo.act(actions.PlugCable("west", plugged=False))
