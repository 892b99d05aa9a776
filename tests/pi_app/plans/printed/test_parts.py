"""Places on the parts: position 0, the coin slot, and everything that holds a part."""

from __future__ import annotations

import math

import pytest

from pi_app.plans.printed import bought
from pi_app.plans.printed.checks import gap, open_below
from pi_app.plans.printed.parts import MOVING, PARTS, on_bed
from pi_app.plans.printed.profiles import at
from pi_app.plans.printed.solid import Solid, block, bounds, disc
from tests.pi_app.plans.printed.made import USUAL, parts


def there(solid: Solid, x: float, y: float, z: float) -> bool:
    """Whether a small ball around this point is inside the solid."""
    ball = block(disc(0.1, (x, y)), z - 0.05, z + 0.05)
    return float((ball - solid).volume()) < 0.1 * float(ball.volume())


def test_position_0_is_north_on_every_part() -> None:
    dial, top = parts()["dial"], parts()["top"]
    rim = (USUAL.disc_bottom + USUAL.dial_top) / 2
    assert not there(dial, 0, 18.5, rim)
    assert there(dial, 0, -18.5, rim)
    assert there(dial, 18.5, 0, rim)
    groove = USUAL.shaft_end + 0.4
    assert not there(dial, 0, 4.2, groove)
    assert there(dial, 0, -4.2, groove)
    surface, window = USUAL.height - 0.3, (USUAL.window_from + USUAL.window_to) / 2
    assert not there(top, 0, window, surface)
    assert there(top, 0, -window - 3, surface)
    assert not there(top, 0, USUAL.window_to + 3, surface)
    assert there(top, 0, USUAL.window_to + 3, USUAL.height - 1)


def test_the_arrow_points_counter_clockwise() -> None:
    """Its head is wider than its shaft and at the last end counter-clockwise."""
    top, middle = parts()["top"], (USUAL.window_from + USUAL.window_to) / 2
    wide = [not there(top, *at(middle + 1.2, way), USUAL.height - 0.3) for way in (226, 270, 316)]
    assert wide == [False, False, True]


def test_a_coin_goes_through_the_plate_into_the_slot() -> None:
    """A coin of 19 mm diameter and 1.5 mm thickness reaches the slot's bottom."""
    bottom = USUAL.dial_top - USUAL.coin_slot_depth
    coin = block(disc(19), -0.75, 0.75).rotate((90, 0, 0)).rotate((0, 0, 90)).translate((0, 0, bottom + 9.6))
    assert float((coin ^ parts()["top"]).volume()) == pytest.approx(0, abs=1e-6)
    assert float((coin ^ parts()["dial"]).volume()) == pytest.approx(0, abs=1e-6)
    deep = math.sqrt(9.5**2 - (9.5 - 1.9) ** 2)
    assert 2 * deep < USUAL.coin_slot_length


def test_the_dial_cannot_come_out() -> None:
    for way in (1, -1):
        lifted = parts()["dial"].translate((0, 0, way * 1.0))
        assert any(gap(lifted, parts()[other]) < 0 for other in ("top", "carrier"))


def test_the_flexure_cannot_leave_its_sockets() -> None:
    for x, y in ((0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)):
        assert gap(parts()["spring"].translate((x, y, 0)), parts()["top"]) < 0
    assert gap(parts()["spring"].translate((0, 0, -0.5)), parts()["carrier"]) < 0
    assert gap(parts()["spring"].translate((0, 0, 1.0)), parts()["top"]) < 0


def test_the_board_lies_in_its_frame_under_the_magnet() -> None:
    board, chip, magnet = bought.board(USUAL), bought.chip(USUAL), bought.magnet(USUAL)
    assert all(gap(board, parts()[name]) >= 0 for name in MOVING)
    assert gap(chip, parts()["carrier"]) > 0.5
    assert gap(chip, magnet) == pytest.approx(USUAL.air_gap)
    assert gap(magnet, parts()["dial"]) >= 0
    for x, y in ((0.3, 0), (-0.3, 0), (0, 0.3), (0, -0.3)):
        assert gap(board.translate((x, y, 0)), parts()["carrier"]) < 0
    assert gap(board.translate((0, 0, 0.1)), parts()["carrier"]) < 0
    assert gap(board.translate((0, 0, -0.2)), parts()["base"]) < 0


def test_screws_and_cable_fit() -> None:
    screws = bought.screws(USUAL)
    assert gap(screws, parts()["carrier"]) > 0.2
    bite = screws ^ parts()["top"]
    assert float(bite.volume()) > 4 * 1.0, "the thread cuts into the plate's posts"
    assert bounds(screws)[0][2] > 1, "no head stands out below"
    cable = bought.cable(USUAL)
    for name in ("base", "top", "carrier"):
        assert gap(cable, parts()[name]) >= 0, name
    assert float((cable ^ parts()["clamp"]).volume()) > 1, "the clamp bites the cable"


def test_the_underside_is_closed() -> None:
    base = parts()["base"]
    assert open_below(USUAL, base) < 0.01
    assert open_below(USUAL, base - block(disc(2, (5, 5)), -1, 30)) == pytest.approx(3.1, abs=0.1)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_lies_on_the_bed_with_a_face(name: str) -> None:
    lying = on_bed(name, parts()[name])
    low, high = bounds(lying)
    assert low[2] == pytest.approx(0, abs=1e-9)
    assert (low + high)[:2].tolist() == pytest.approx([0, 0], abs=1e-6)
    assert float(lying.slice(0.01).area()) > 20
