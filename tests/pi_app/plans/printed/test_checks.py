"""The checks on the mesh: the usual square passes them, and each of them can fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.dials.detents import DialShape
from pi_app.plans.printed import motion
from pi_app.plans.printed.checks import beside, checks, clicks, failures, gaps, of_part, one_click, sensing
from pi_app.plans.printed.parts import assembled
from pi_app.plans.printed.profiles import at
from pi_app.plans.printed.solid import Solid, block, bounds, disc, polygon, rectangle, union
from pi_app.plans.printed.square import FEWEST_CLICKS, MOST_CLICKS, PrintedSquare
from tests.pi_app.plans.printed.made import USUAL, found, parts

CAM_HEIGHT = (USUAL.cam_bottom + USUAL.disc_bottom) / 2


def test_the_usual_square_passes() -> None:
    assert failures(found()) == ()
    assert len(found()) > 70


@pytest.mark.slow
@pytest.mark.parametrize("number", [n for n in range(FEWEST_CLICKS, MOST_CLICKS + 1) if n != 12])
def test_every_number_of_clicks_passes(number: int) -> None:
    square = PrintedSquare(clicks=number)
    assert failures(checks(square, assembled(square))) == ()


def measured(what: str, part: str) -> float:
    (value,) = (check.value for check in found() if (check.what, check.part) == (what, part))
    return value


def test_measurements_match_the_numbers() -> None:
    """Measured on the mesh, compared with the numbers that made it."""
    assert measured("lobes", "dial") == 12
    assert measured("magnet pocket, diameter", "dial") == pytest.approx(6.1, abs=0.02)
    assert measured("magnet pocket, depth", "dial") == pytest.approx(2.6)
    assert measured("magnet to chip, dial resting", "dial") == pytest.approx(1.0 - 0.3)
    assert measured("magnet to chip, dial lifted", "dial") == pytest.approx(1.0 + 0.5)
    assert measured("thinnest wall", "spring") == pytest.approx(1.4, abs=0.01)
    assert measured("gap", "dial, top") == pytest.approx(0.5)
    assert measured("gap at rest", "dial, spring") == pytest.approx(0.2, abs=0.04)


def failed(group: str, **changed: Solid) -> tuple[str, ...]:
    """Failed checks of one group as `part: what`, with other solids in place of the usual ones."""
    others = {**parts(), **changed}
    groups = {
        "gaps": lambda: gaps(others),
        "clicks": lambda: clicks(USUAL, others, DialShape(), one_click(USUAL, others)),
        "sensing": lambda: sensing(USUAL, others),
    }
    return tuple(f"{check.part}: {check.what}" for check in groups[group]() if not check.passed)


def test_a_dial_with_a_missing_lobe() -> None:
    at_lobe = disc(9.0, at(USUAL.cam_radius, 90 + 15))
    cut = parts()["dial"] - block(at_lobe, USUAL.cam_bottom, USUAL.disc_bottom)
    assert "dial: lobes" in failed("clicks", dial=cut)


def test_lobes_that_differ() -> None:
    tip = disc(1.0, at(USUAL.tip_reach, 90 + 45))
    worn = parts()["dial"] - block(tip, USUAL.cam_bottom, USUAL.disc_bottom)
    assert "dial: difference between lobes" in failed("clicks", dial=worn)


def test_a_misaligned_cam() -> None:
    missed = failed("clicks", dial=parts()["dial"].rotate((0, 0, 2)))
    assert "dial: valleys off the decoder's centres" in missed


def test_flat_tops_hold_the_dial_between_two() -> None:
    ring = block(disc(30), USUAL.cam_bottom, USUAL.disc_bottom) - block(disc(22.6), 0, 30)
    assert "dial: held by friction near a lobe's top" in failed("clicks", dial=parts()["dial"] - ring)


def test_a_flexure_that_is_bent_at_rest() -> None:
    pressed = parts()["spring"].translate((0, -0.6, 0))
    assert "spring: bent at rest" in failed("clicks", spring=pressed)
    assert "dial, spring: gap at rest" in failed("gaps", spring=pressed)


def test_a_flexure_that_does_not_reach() -> None:
    missed = failed("clicks", spring=parts()["spring"].translate((0, 1.6, 0)))
    assert "spring: bent on a lobe, less its play" in missed


def test_a_shaft_that_rubs() -> None:
    thicker = parts()["dial"] + block(disc(10.3) - disc(9), USUAL.shaft_end, USUAL.cam_bottom)
    assert "dial, carrier: gap" in failed("gaps", dial=thicker)


def test_a_dial_that_scrapes_the_plate() -> None:
    assert "dial, top: gap" in failed("gaps", dial=parts()["dial"].translate((0, 0, 0.35)))


def test_overlapping_parts() -> None:
    assert "carrier, base: overlap" in failed("gaps", base=parts()["base"].translate((0, 0, 0.5)))


def test_a_narrow_pocket_and_a_chip_too_close() -> None:
    filled = parts()["dial"] + block(disc(6.5) - disc(5.9), USUAL.shaft_end, USUAL.shaft_end + 2.6)
    assert "dial: magnet pocket, diameter" in failed("sensing", dial=filled)
    high = parts()["carrier"] - block(rectangle(-11.6, -11.6, 11.6, 11.6), 0, USUAL.carrier_bottom + 0.2)
    assert {"dial: magnet to chip, dial resting"} <= {*failed("sensing", carrier=high)}


def missed_alone(solid: Solid, name: str = "base", bed: float = 220) -> set[str]:
    return {check.what for check in of_part(name, solid, bed) if not check.passed}


def test_one_part_alone() -> None:
    plate = block(rectangle(0, 0, 20, 20), 0, 3)
    assert missed_alone(plate) == set()
    assert missed_alone(plate, bed=19) == {"longest side"}
    assert missed_alone(plate + block(rectangle(0, 0, 1.1, 20), 0, 10)) == {"thinnest wall"}
    assert missed_alone(plate + plate.translate((30, 0, 0))) == {"pieces"}
    table = union((plate.translate((0, 0, 10)), block(rectangle(8, 8, 12, 12), 0, 11)))
    assert missed_alone(table) == {"widest bridge without support"}
    hook = plate + block(rectangle(8, 8, 10, 10), 3, 12) + block(rectangle(8, 8, 14, 10), 10, 12)
    assert missed_alone(hook) == set()
    hanging = hook + block(rectangle(12, 8, 14, 10), 6, 10)
    assert missed_alone(hanging) == {"layers that begin in the air"}
    roof = plate + block(polygon(((20, 0), (26, 0), (26, 20), (20, 20))), 2.2, 3)
    assert missed_alone(roof) == {"thinnest wall", "widest bridge without support"}


def test_an_empty_part_is_refused() -> None:
    nothing = block(rectangle(0, 0, 1, 1), 0, 1) - block(rectangle(0, 0, 1, 1), 0, 1)
    assert missed_alone(nothing) == {"closed", "pieces"}
    assert {check.what for check in checks(USUAL, {**parts(), "dial": nothing}) if not check.passed} == {
        "closed",
        "pieces",
    }


@pytest.mark.parametrize("invert", [False, True])
def test_valleys_are_at_the_decoders_centres(invert: bool) -> None:
    shape = DialShape(clicks=12, invert=invert)
    rim = motion.rim(parts()["dial"], CAM_HEIGHT)
    assert beside(shape, rim, 90.0) < 0.05
    assert beside(shape, rim, 91.0) == pytest.approx(1, abs=0.05)
    assert beside(DialShape(clicks=11), rim, 90.0) == 180


def test_a_failed_check_is_a_sentence() -> None:
    told = failures(tuple(of_part("base", block(rectangle(0, 0, 20, 20), 0, 1.0))))
    assert told == (
        "base (thinnest wall): measured 1.00 mm, must be at least 1.2 mm. Change the numbers of the square.",
    )


def test_other_numbers_other_parts() -> None:
    square = replace(PrintedSquare(), outline=55.0)
    low, high = bounds(assembled(square)["top"])
    assert (high - low)[:2].tolist() == [55, 55]
