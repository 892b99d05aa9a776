"""The boards of the display: every state, every size, every language, and only glyphs that a console has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.station.display.boards import LANGUAGE_MS, DisplayOptions, draw, frame_at, language_at
from pi_app.station.display.canvas import ColouredLine
from pi_app.station.display.glyphs import HALF_BLOCKS, TEXT
from pi_app.station.public.scene import scene
from tests.pi_app.station.display.golden import STATES, drawn, file, text
from tests.station.states import LANGUAGES, SHOWN, state

MOMENTS = st.integers(0, 10**9)


def width(line: ColouredLine) -> int:
    return sum(len(part) for part, _, _ in line)


def glyphs(lines: tuple[ColouredLine, ...]) -> set[str]:
    return {letter for line in lines for part, _, _ in line for letter in part}


@pytest.mark.parametrize("name", STATES)
def test_every_state_looks_as_it_did(name: str) -> None:
    """After a change on purpose: python -m tests.pi_app.station.display.golden"""
    assert text(drawn(name)) == file(name).read_text(encoding="utf-8")


@given(
    st.sampled_from(sorted(SHOWN)), st.sampled_from(LANGUAGES), st.integers(1, 130), st.integers(1, 40), MOMENTS,
    st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip
def test_every_size_is_filled_with_glyphs_that_a_console_has(
    name: str, language: str, columns: int, rows: int, now_ms: int, half: bool, still: bool, lost: bool
) -> None:
    options = DisplayOptions(still=still, half=half)
    lines = draw(scene(state(name, language)), columns, rows, now_ms, options, lost=lost)
    assert len(lines) == rows
    assert {width(line) for line in lines} == {columns}
    assert glyphs(lines) <= TEXT | set(HALF_BLOCKS if half else "")
    assert all(0 <= ink < 16 and 0 <= paper < 8 for line in lines for _, ink, paper in line)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 25), (100, 30), (128, 37), (160, 45), (240, 67)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_title_is_huge_on_every_usual_console(size: tuple[int, int], language: str) -> None:
    for name in SHOWN:
        if name in ("closed",):
            continue
        shown = scene(state(name, language))
        plain = text(draw(shown, *size, 0, DisplayOptions()))
        assert shown.texts[language].title not in plain, (name, "is in plain letters")
        assert "\u2588" in plain


def test_a_dial_turns_unless_motion_is_reduced() -> None:
    attract = scene(state("attract"))
    moments = range(0, 3_200, 80)
    moving = {frame_at(attract, at, DisplayOptions()): draw(attract, 80, 25, at, DisplayOptions()) for at in moments}
    assert len(set(moving.values())) == len(moving) == 9
    still = DisplayOptions(still=True)
    assert len({draw(attract, 80, 25, at, still) for at in moments}) == 1


def test_the_languages_take_turns_until_one_is_chosen() -> None:
    attract, playing = scene(state("attract")), scene(state("free", "fr"))
    assert [language_at(attract, n * LANGUAGE_MS) for n in range(6)] == ["en", "de", "es", "fr", "it", "en"]
    assert {language_at(playing, n * LANGUAGE_MS) for n in range(6)} == {"fr"}


def test_a_closed_display_is_dark_and_its_one_line_wanders() -> None:
    closed = scene(state("closed", languages=("en",)))
    screens = [text(draw(closed, 80, 25, n * 20_000, DisplayOptions())) for n in range(0, 500, 5)]
    assert {tuple(screen.split()) for screen in screens} == {("Closed",)}
    assert len(set(screens)) == len(screens), "every place is another one"


def test_the_trouble_is_one_sentence_for_the_staff() -> None:
    assert "For the staff: The dial of T02 does not answer. Push its plug in." in text(drawn("trouble"))


def test_a_display_that_lost_its_table_says_so_below_the_last_picture() -> None:
    assert "The table does not answer. This display waits, and comes back on its own." in text(drawn("lost"))
    assert "T01" in text(drawn("lost"))
