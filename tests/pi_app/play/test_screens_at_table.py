"""Screens at a table in play: every kind of wiring, pulled plugs, and the state after the program ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from hardware.sims.pins import SimPins
from pi_app.displays.canvas import BLANK
from pi_app.displays.frame import LIT_PIXELS
from pi_app.displays.picture import draw
from pi_app.settings.model import MuxSettings, ScreenSettings, Settings
from pi_app.text.language import words
from tests.pi_app.playing import Played, settings, table

ON_ONE_BUS = {
    "ANN": {"bus": "screens", "address": 0x3C},
    "BEN": {"bus": "screens", "address": 0x3D},
}
SHAPES: dict[str, dict[str, dict[str, object]]] = {
    "two on one bus": ON_ONE_BUS,
    "two kinds on one bus": {key: screen | {"chip": chip} for (key, screen), chip in
                             zip(ON_ONE_BUS.items(), ("sh1106", "ssd1306"), strict=True)},
    "each on a channel of its own, one address": {
        "ANN": {"bus": "screens", "mux": 0x71, "channel": 0, "address": 0x3C},
        "BEN": {"bus": "screens", "mux": 0x71, "channel": 5, "address": 0x3C},
    },
    "each on a channel, SH1106": {
        "ANN": {"bus": "screens", "mux": 0x71, "channel": 3, "address": 0x3D, "chip": "sh1106"},
        "BEN": {"bus": "screens", "mux": 0x71, "channel": 4, "address": 0x3D, "chip": "sh1106"},
    },
    "two on one channel": {
        "ANN": {"bus": "screens", "mux": 0x71, "channel": 2, "address": 0x3C},
        "BEN": {"bus": "screens", "mux": 0x71, "channel": 2, "address": 0x3D},
    },
    "behind the dials' own mux": {
        "ANN": {"bus": "dials", "mux": 0x70, "channel": 6, "address": 0x3C},
        "BEN": {"bus": "dials", "mux": 0x70, "channel": 7, "address": 0x3C},
    },
    "one beside the dials, one on its own bus": {
        "ANN": {"bus": "dials", "address": 0x3D, "chip": "sh1106"},
        "BEN": {"bus": "screens", "address": 0x3C},
    },
}  # fmt: skip
each_shape = pytest.mark.parametrize("shape", SHAPES)


def wired(shape: str) -> Settings:
    """Return the small table with its screens wired like this."""
    small = settings()
    seats = {
        key: msgspec.structs.replace(seat, screen=ScreenSettings(**SHAPES[shape][key]))  # type: ignore[arg-type]
        for key, seat in small.seats.items()
    }
    mux = MuxSettings(address=0x71)
    buses = {**small.buses, "screens": msgspec.structs.replace(small.buses["screens"], mux=(mux,))}
    return replace(small, seats=MappingProxyType(seats), buses=MappingProxyType(buses))


def glass(played: Played, seat: str) -> bytes:
    return played.demo.table.oleds[seat].pixels()


def drawn(played: Played, seat: str) -> bytes:
    """Return the frame that this seat should show."""
    return draw(played.pictures[seat], words("en"))


def lit(frame: bytes) -> int:
    return sum(byte.bit_count() for byte in frame)


def troubles(played: Played) -> list[str]:
    return [line for line in played.heard("referee") if line.startswith("screen of seat")]


# ------------------------------------------------------------------------------------------------------- shapes


@pytest.mark.slow
@each_shape
def test_each_seat_sees_its_own_and_nobody_anything_else(tmp_path: Path, shape: str) -> None:
    with table(tmp_path, wired(shape)) as played:
        for seat, other, square, clicks in (("ANN", "BEN", "T01", 3), ("BEN", "ANN", "T02", 5)):
            played.tap(seat)
            played.turn(square, clicks)
            played.run(4.5)
            played.press(seat)
            played.run(0.5)
            assert glass(played, seat) == drawn(played, seat)
            assert lit(glass(played, seat)) == LIT_PIXELS
            assert glass(played, other) == BLANK
            played.let_go(seat)
            played.run(0.1)
            assert (glass(played, seat), glass(played, other)) == (BLANK, BLANK)
        assert troubles(played) == []


@pytest.mark.slow
@each_shape
def test_both_at_once(tmp_path: Path, shape: str) -> None:
    with table(tmp_path, wired(shape)) as played:
        played.expose("ANN", "T01", 3)
        played.expose("BEN", "T02", 5)
        for seat in ("ANN", "BEN"):
            played.press(seat)
        played.run(0.7)
        assert glass(played, "ANN") == drawn(played, "ANN")
        assert glass(played, "BEN") == drawn(played, "BEN")
        assert glass(played, "ANN") != glass(played, "BEN")


# -------------------------------------------------------------------------------------------------------- plugs


@pytest.mark.slow
@each_shape
def test_a_plug_that_is_pulled_and_put_back_while_a_face_is_shown(tmp_path: Path, shape: str) -> None:
    with table(tmp_path, wired(shape)) as played:
        played.expose("ANN", "T01", 3)
        played.press("ANN")
        played.run(0.5)
        face = glass(played, "ANN")
        played.demo.table.oleds["ANN"].unplug()
        played.run(1)
        (said,) = troubles(played)
        assert said.startswith("screen of seat ANN (")
        assert said.endswith(
            ") did not answer. Check its plug and its address (0x3C or 0x3D); it recovers automatically."
        )
        played.demo.table.oleds["ANN"].plug_in()
        assert glass(played, "ANN") == BLANK
        seen = set()
        for _ in range(200):
            played.run(0.01)
            seen.add(glass(played, "ANN"))
        assert seen == {BLANK, face}, "never garbage, never half a face"
        assert glass(played, "ANN") == face
        back = troubles(played)[-1]
        assert back == f"{said.partition(' did not')[0]} works again; it was set up again."
        played.let_go("ANN")
        played.run(0.1)
        assert glass(played, "ANN") == BLANK


@pytest.mark.slow
@each_shape
def test_a_plug_that_comes_back_when_the_button_is_up_shows_nothing(tmp_path: Path, shape: str) -> None:
    with table(tmp_path, wired(shape)) as played:
        played.expose("ANN", "T01", 3)
        played.press("ANN")
        played.run(0.5)
        played.demo.table.oleds["ANN"].unplug()
        played.run(1)
        played.let_go("ANN")
        played.demo.table.oleds["ANN"].plug_in()
        seen = set()
        for _ in range(300):
            played.run(0.02)
            seen.add(glass(played, "ANN"))
        assert seen == {BLANK}
        assert len(troubles(played)) == 2
        played.press("ANN")
        played.run(0.5)
        assert glass(played, "ANN") == drawn(played, "ANN") != BLANK


@pytest.mark.slow
@each_shape
def test_one_seats_plug_is_no_business_of_the_others(tmp_path: Path, shape: str) -> None:
    with table(tmp_path, wired(shape)) as played:
        played.demo.table.oleds["BEN"].unplug()
        played.expose("ANN", "T01", 3)
        played.press("ANN")
        played.run(0.7)
        assert glass(played, "ANN") == drawn(played, "ANN")
        assert not any(square.lost for square in played.demo.loop.moment.game.squares.values())


# -------------------------------------------------------------------------------------------------------- burn-in


def test_nothing_stays_lit_whatever_was_shown(tmp_path: Path) -> None:
    with table(tmp_path, wired("two on one bus")) as played:
        played.tap("BEN")
        assert lit(glass(played, "BEN")) > 0
        played.run(5)
        assert glass(played, "BEN") == BLANK
        played.tap("BEN")
        played.expose("ANN", "T01", 3)
        played.press("ANN")  # and never lets go
        played.run(9)
        assert glass(played, "ANN") == BLANK


def test_a_program_that_ends_leaves_no_screen_lit(tmp_path: Path) -> None:
    with table(tmp_path, wired("each on a channel of its own, one address")) as played:
        played.expose("ANN", "T01", 3)
        played.press("ANN")
        played.run(0.5)
        oleds = played.demo.table.oleds
        assert oleds["ANN"].lit
    assert not any(oled.lit for oled in oleds.values())


def test_a_program_that_ends_while_a_screen_is_off_its_plug_ends_all_the_same(tmp_path: Path) -> None:
    with table(tmp_path, wired("two on one bus")) as played:
        played.expose("BEN", "T01", 3)
        played.press("BEN")
        played.run(0.5)
        played.demo.table.oleds["ANN"].unplug()
        assert played.demo.table.oleds["BEN"].lit
    assert not played.demo.table.oleds["BEN"].lit


# -------------------------------------------------------------------------------------------------------- buttons


def test_a_game_is_played_although_lgpio_tells_no_edges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.simulated.table.SimPins", lambda *parts: SimPins(*parts, lgpio_faults=True))
    with table(tmp_path, wired("two on one bus")) as played:
        assert not played.demo.table.sim_pins.watchers.awake
        played.expose("ANN", "T01", 3)
        played.expose("BEN", "T02", 5)
        assert [turn.seat for turn in played.turns()] == ["ANN", "BEN"]
        assert played.demo.table.sim_pins.watchers.watched == 0
