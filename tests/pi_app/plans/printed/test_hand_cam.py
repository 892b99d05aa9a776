"""Simulated hands turn the printed cam: same numbers, same lift of the nose as on the mesh."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from hardware.sims.hand_kinds import FLEXURE_N_PER_M, DialRanges, cam
from pi_app.plans.printed import motion
from pi_app.plans.printed.checks import one_click
from pi_app.plans.printed.parts import assembled
from pi_app.plans.printed.square import PrintedSquare
from tests.docs.pages import tables

CLICKS = (6, 8, 12, 16, 24)


@pytest.mark.parametrize("clicks", range(6, 25))
def test_the_cams_numbers_are_the_squares(clicks: int) -> None:
    square, shape = PrintedSquare(clicks=clicks), cam(clicks)
    assert math.degrees(shape.pitch) == pytest.approx(square.pitch_deg)
    assert shape.reach * 1e3 == pytest.approx(square.cam_radius)
    assert shape.slope * 1e3 == pytest.approx(square.lobe / math.radians(square.pitch_deg / 2))
    assert shape.loose * shape.reach * 1e3 == pytest.approx(square.bead_fit + square.running_gap)
    free = (square.nose_at - square.valley_radius) - square.nose_radius / math.cos(
        math.radians(square.valley_flank_deg)
    )
    assert shape.play * shape.slope * 1e3 == pytest.approx(free)


def test_the_flexure_is_a_strip_on_two_supports() -> None:
    square = PrintedSquare()
    bends = square.spring_height * square.spring**3 / 12
    assert pytest.approx(48 * 2000 * bends / square.spring_span**3 * 1e3) == FLEXURE_N_PER_M


@pytest.mark.parametrize("clicks", CLICKS)
def test_the_nose_gives_way_as_on_the_mesh(clicks: int) -> None:
    square = PrintedSquare(clicks=clicks)
    mesh = one_click(square, assembled(square))
    nominal = DialRanges(play=(1, 1), loose=(0, 0), valley=(0.001, 0.001)).drawn(random.Random(0), clicks)
    angles = np.linspace(0, math.radians(square.pitch_deg), motion.STEPS + 1)
    lifts = np.array([nominal.lift(float(angle))[0] * 1e3 for angle in angles])
    assert np.abs(np.maximum(mesh.lift, 0) - lifts).max() < 0.1
    assert math.degrees(nominal.play) == pytest.approx(mesh.play_deg, abs=0.5)


def test_no_dial_rests_farther_from_its_middle_than_the_page_says() -> None:
    heads = ("clicks", "cam's radius", "lobe's height", "flexure bends by", "rests off the middle by",
             "may stick near a top")  # fmt: skip
    (rows,) = tables("wiring_docs/printed_parts.md", *heads)
    for row in rows:
        page = float(row["rests off the middle by"].removesuffix("°"))
        assert page - 0.5 <= math.degrees(cam(int(row["clicks"])).most_beside) <= page + 0.1
