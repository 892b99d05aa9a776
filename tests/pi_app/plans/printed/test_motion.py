"""Cams and noses with known motion."""

from __future__ import annotations

import numpy as np
import pytest

from pi_app.plans.printed import motion
from pi_app.plans.printed.solid import Solid, block, bounds, disc, polygon, rectangle
from tests.pi_app.plans.printed.made import USUAL, parts


def star(points: int, high: float = 12.0, low: float = 10.0) -> Solid:
    """A star with sharp valleys; one of them is in the north."""
    corners = []
    for n in range(2 * points):
        way = np.radians(90 + 180 * n / points)
        radius = high if n % 2 else low
        corners.append((float(radius * np.cos(way)), float(radius * np.sin(way))))
    return block(polygon(corners), 0, 4)


@pytest.mark.parametrize("points", [5, 6, 12, 24])
def test_a_rim_is_sampled_all_round(points: int) -> None:
    rim = motion.rim(star(points), 2)
    assert rim.radius.min() == pytest.approx(10, abs=0.02)
    assert rim.radius.max() == pytest.approx(12, abs=0.02)
    wanted = np.sort((90 + np.arange(points) * 360 / points) % 360)
    off = (rim.valleys_deg - wanted + 180) % 360 - 180
    assert np.abs(off).max() < 0.06
    assert rim.unlike() < 0.02


def test_a_circle_has_no_valleys() -> None:
    rim = motion.rim(block(disc(20), 0, 4), 2)
    assert np.ptp(rim.radius) < 0.01
    assert rim.radius.min() > 9.98


def test_a_blunt_nose_is_pushed_as_far_as_the_lobe_is_high() -> None:
    needle = block(polygon(((0, 10.0), (0.3, 14), (-0.3, 14))) + rectangle(-5, 13, 5, 14), 0, 4)
    click = motion.click(star(12), needle, 2, 30)
    assert click.lift[0] == pytest.approx(0, abs=0.03)
    assert click.lift[60] == pytest.approx(2, abs=0.03)
    assert click.nose_deg == pytest.approx(90, abs=0.1)
    assert click.nose_reach == pytest.approx(10, abs=0.01)


def test_a_click_is_the_same_from_both_sides() -> None:
    height = (USUAL.cam_bottom + USUAL.disc_bottom) / 2
    click = motion.click(parts()["dial"], parts()["spring"], height, 30)
    assert click.lift == pytest.approx(click.lift[::-1], abs=0.02)
    assert click.lift.argmax() == 60
    assert click.lift[0] < 0


def test_a_bent_strip_keeps_its_ends() -> None:
    spring = parts()["spring"]
    low, high = bounds(spring)
    bent_low, bent_high = bounds(motion.bent(spring, 1.5))
    assert bent_low[1] - low[1] == pytest.approx(1.5, abs=0.01)
    assert (bent_low[0], bent_high[0]) == pytest.approx((low[0], high[0]))
    assert bent_high[1] - high[1] == pytest.approx(0.8, abs=0.1)
