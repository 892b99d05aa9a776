"""The station's pictures on seats' screens: they fit in every language, and an idle day lights no pixel for long."""

from __future__ import annotations

import pytest

from pi_app.displays import letters
from pi_app.displays.canvas import LINE
from pi_app.displays.code import MOST_HEAD_MODULES
from pi_app.displays.frame import CODE_LIT_PIXELS, LIT_PIXELS
from pi_app.displays.picture import SAY_HIGH, SAY_WIDE, draw, drift_canvas
from pi_app.pages.qr import modules
from pi_app.report.pictures import Dark, Drift, Say, ShowHead
from pi_app.station.visits.guide import Guided, TurnStep
from pi_app.station.visits.seat_pictures import DRIFT_NS, VisitMoment, picture
from pi_app.station.visits.visit import SECOND_NS, State, Visit
from pi_app.text.languages import LANGUAGES

HOUR_NS = 3_600 * SECOND_NS
HEAD = modules("TRAPDIAL1" + "A" * 218, "L")


def shown(
    state: State, language: str = "en", *, step: TurnStep = TurnStep.TAP, seat: str = "", warning_s: int | None = None
) -> Say:
    visit = Visit(state, guided=Guided(step, seat))
    now = VisitMoment(visit, (language,), warning_s, counts=(30, 12, 9))
    got = picture(now, "P2", 1, 0)
    assert isinstance(got, Say)
    return got


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_fits_a_seats_screen(language: str) -> None:
    said = [
        *(shown(State.GUIDED, language, step=step) for step in TurnStep if step is not TurnStep.DONE),
        *(shown(State.GUIDED, language, step=TurnStep.TURN, seat=seat) for seat in ("P2", "P16")),
        shown(State.JOINING, language),
        shown(State.FREE, language, warning_s=15),
        shown(State.THANKS, language),
    ]
    for each in said:
        lines = [line for text in each.lines for line in letters.wrapped(text, SAY_WIDE)]
        assert len(lines) * LINE <= SAY_HIGH, each
        assert sum(map(int.bit_count, draw(each, str))) == LIT_PIXELS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_head_of_a_record_fits_with_words_beside_it(language: str) -> None:
    assert len(HEAD) == 49 <= MOST_HEAD_MODULES
    visit = Visit(State.THANKS)
    got = picture(VisitMoment(visit, (language,), head=HEAD, counts=(2, 1, 0)), "P1", 0, 0)
    assert isinstance(got, ShowHead)
    assert sum(map(int.bit_count, draw(got, str))) == CODE_LIT_PIXELS


def test_a_closed_station_is_dark_and_a_reset_wipes_the_screen() -> None:
    now = VisitMoment(Visit(State.CLOSED), ("en",))
    assert picture(now, "P1", 0, 0) == Dark()
    assert draw(Drift(), str) == bytes(1024)
    assert picture(VisitMoment(Visit(State.RESET), ("en",)), "P1", 0, 0) == Drift()


@pytest.mark.parametrize(
    ("state", "hours"),
    [
        (State.ATTRACT, 3),
        pytest.param(State.ATTRACT, 24, marks=pytest.mark.slow),
        pytest.param(State.FREE, 24, marks=pytest.mark.slow),
    ],
)
def test_no_pixel_is_lit_for_a_fifth_of_an_idle_day(state: State, hours: int) -> None:
    """Counts how often each pixel is lit, all of them at once: `planes[n]` has bit n of every count."""
    now, planes, times = VisitMoment(Visit(state), LANGUAGES), [0] * 16, 0
    for at_ns in range(0, hours * HOUR_NS, DRIFT_NS):
        drift = picture(now, "P2", 1, at_ns)
        assert isinstance(drift, Drift)
        carry, times = drift_canvas(drift).ink, times + 1
        for n, plane in enumerate(planes):
            planes[n], carry = plane ^ carry, plane & carry
            if not carry:
                break
    assert times == 1_200 * hours
    assert _most(planes) <= 0.2 * times


def _most(planes: list[int]) -> int:
    """The largest of the counts, from their highest bit down."""
    among, most = (1 << 128 * 64) - 1, 0
    for n in reversed(range(len(planes))):
        if among & planes[n]:
            among &= planes[n]
            most |= 1 << n
    return most
