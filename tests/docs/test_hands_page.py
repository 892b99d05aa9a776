"""The page about hands: its tables are the code's, its curves are the hands' own."""

from __future__ import annotations

import pytest

from hardware.sims.detent import STEP_S
from hardware.sims.hand import HANDS
from hardware.sims.trajectories import FASTEST_PRINTED_HZ, TWIST_TORQUE
from pi_app.plans.pictures.svg import svg
from tests.docs.pages import DOCS, tables, text
from tests.docs.pictures.hand_curves import PICTURES, Row, changes, clicks, measured, parameters
from tests.everyday import first

PAGE = "wiring_docs/hands.md"
REMADE = "run python -m tests.docs.pictures.hand_curves"


def rows(*heads: str) -> list[Row]:
    (found,) = tables(PAGE, *heads)
    return [tuple(row.values()) for row in found]


def test_the_ranges_are_the_codes_and_each_says_where_it_comes_from() -> None:
    found = rows("name", "range", "source")
    assert [row[:2] for row in found] == parameters()
    assert all(row[2] for row in found)


def test_the_kinds_are_the_codes() -> None:
    expected = [(f"`{kind.name}`", kind.says, changes(kind)) for kind in HANDS.values()]
    assert rows("kind", "what it is", 'different from "coin"') == expected


@pytest.mark.parametrize("kind", first(1, ["crisp", *HANDS]))
def test_what_comes_out_is_what_the_hands_do(kind: str) -> None:
    heads = ("kind", "snap, ms", "settles in, ms", "overshoots by, °", "rests beside the middle by, °")
    assert rows(*heads)[[*HANDS].index(kind)] == measured(kind), REMADE


def test_every_kind_has_its_row() -> None:
    heads = ("kind", "snap, ms", "settles in, ms", "overshoots by, °", "rests beside the middle by, °")
    assert len(rows(*heads)) == len(HANDS)


@pytest.mark.parametrize("name", first(1, ["hands_torque.svg", "hands.svg"]))
def test_the_picture_is_the_hands_own(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == svg(PICTURES[name]()), REMADE
    assert f"]({name})" in text(PAGE)


def test_every_picture_is_compared() -> None:
    assert [*PICTURES] == ["hands.svg", "hands_torque.svg"]


def test_figures_in_the_text_are_the_codes() -> None:
    page = " ".join(text(PAGE).split())
    assert f"steps of {STEP_S * 1e6:.0f} µs" in page
    assert f"Above {FASTEST_PRINTED_HZ:.0f} clicks a second" in page
    assert f"give {TWIST_TORQUE:g} N m or more" in page


def test_a_quick_click_on_a_crisp_dial_fits_between_two_samples() -> None:
    """Why the kinds were made: at 100 samples a second there may be none on its way."""
    assert min(click.snap_ms for click in clicks("crisp")) < 4
    assert sum(click.snap_ms < 10 for click in clicks("crisp")) > 40
