"""The checks as a page."""

from __future__ import annotations

from pi_app.plans.wiring.checks import checks
from pi_app.plans.wiring.checks_page import page
from pi_app.plans.wiring.nets import wired
from pi_app.settings.load import example_path, load
from tests.pi_app.plans.wiring.tables import read, text_of


def test_each_check_is_a_row() -> None:
    settings = load(example_path("2x2"))
    found = checks(wired(settings), settings)
    told = page("Small table", found)
    assert told.count("\n| ok | ") == len(found)
    assert f"In all: {len(found)} ok, 0 failing, 0 to check." in told
    assert "## What to do" not in told


def test_a_failing_check_has_advice() -> None:
    settings = read(text_of(1, 1, more="[wiring]\ntile_pull_up_ohm = 500\n"))
    told = page("Any", checks(wired(settings), settings))
    assert "| !! | pull-ups | bus dials mux 0x70 channel 0 |" in told
    assert "\n- pull-ups (bus dials mux 0x70 channel 0): " in told.split("## What to do")[1]
