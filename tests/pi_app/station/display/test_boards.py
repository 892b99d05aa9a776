"""The boards of the display: every state, every size, every language, and only glyphs that a console has."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.station.display.boards import LANGUAGE_MS, DisplayOptions, draw, frame_at, language_at
from pi_app.station.display.canvas import ColouredLine
from pi_app.station.display.glyphs import HALF_BLOCKS, TEXT, console_text
from pi_app.station.display.marks import fitted
from pi_app.station.display.parts import wrapped
from pi_app.station.public.scene import scene
from pi_app.text.languages import LANGUAGES
from tests.pi_app.station.display.golden import STATES, drawn, file, text
from tests.station.states import SHOWN, state

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
        if name.startswith("closed"):
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
    assert [language_at(attract, n * LANGUAGE_MS) for n in range(len(LANGUAGES) + 1)] == [*LANGUAGES, "en"]
    assert {language_at(playing, n * LANGUAGE_MS) for n in range(6)} == {"fr"}


def test_a_closed_display_is_dark_and_its_one_line_wanders() -> None:
    closed = scene(state("closed", languages=("en",)))
    screens = [text(draw(closed, 80, 25, n * 20_000, DisplayOptions())) for n in range(0, 500, 5)]
    assert {tuple(screen.split()) for screen in screens} == {("Closed",)}
    assert len(set(screens)) == len(screens), "every place is another one"


@pytest.mark.parametrize("size", [(80, 25), (120, 36), (240, 67)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_phone_needs_is_whole_on_every_usual_console(size: tuple[int, int], language: str) -> None:
    """The code, the address and the network: in letters of pixels on the largest, so they are counted there."""
    for name in ("attract", "joining", "free"):
        shown = scene(state(name, language, languages=(language,)))
        plain = text(draw(shown, *size, 0, DisplayOptions()))
        words = (shown.address.removeprefix("http://").rstrip("/"), shown.texts[language].join[-1])
        if size[0] < 160:
            assert all(word in plain.replace("\u202f", " ") for word in words), (name, plain)
            assert plain.count("\u2588") > 100


def test_a_network_with_a_long_name_is_whole_beside_the_code() -> None:
    attract = scene(state("attract", languages=("en",)))
    texts = msgspec.structs.replace(attract.texts["en"], join=("Join.", "Wi-Fi: the toy shop at the corner of"))
    plain = text(draw(msgspec.structs.replace(attract, texts={"en": texts}), 80, 25, 0, DisplayOptions()))
    assert all(word in plain for word in ("Wi-Fi: the toy shop at", "the corner of"))


def test_no_line_ends_before_a_french_mark() -> None:
    thanks = scene(state("thanks", "fr"))
    assert thanks.texts["fr"].title == "Merci\u202f!"
    assert wrapped("Merci\u202f! Merci\u202f!", 9) == ("Merci !", "Merci !")
    assert fitted("Merci\u202f!", 100, 100, 6, True)[1] == ("Merci\u202f!",)


@pytest.mark.parametrize("size", [(80, 25), (120, 36), (240, 67)])
def test_every_flag_says_whole_how_to_take_it(size: tuple[int, int]) -> None:
    shown = scene(state("joining", "fr"))
    plain = text(draw(shown, *size, 0, DisplayOptions())).replace("\u2588", " ")
    assert all(console_text(flag.says) in plain for flag in shown.flags)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_happened_on_a_square_is_in_letters_of_pixels_on_a_large_screen(language: str) -> None:
    shown = scene(state("free", language))
    plain = text(draw(shown, 240, 67, 0, DisplayOptions()))
    assert not [said for said in shown.texts[language].squares if said in plain]


def test_squares_stand_in_even_rows() -> None:
    """Four of them where three would fit side by side: two and two."""
    rows = text(draw(scene(state("free")), 120, 36, 0, DisplayOptions())).splitlines()
    assert [[label for label in ("T01", "T02", "T03", "T04") if label in row] for row in rows if " T0" in row] == [
        ["T01", "T02"],
        ["T03", "T04"],
    ]


def test_the_trouble_is_one_sentence_for_the_staff() -> None:
    assert "For the staff: No answer from dial T02." in text(drawn("trouble"))


def test_a_closed_display_says_why_if_something_is_wrong_and_wanders() -> None:
    """A recovery table is closed, and its sentence is all that tells why."""
    closed = scene(state("closed_trouble", languages=("en",)))
    screens = [draw(closed, 80, 25, n * 20_000, DisplayOptions()) for n in range(100)]
    assert {" ".join(text(screen).split()) for screen in screens} == {"Closed For the staff: No answer from dial T02."}
    assert len(set(map(text, screens))) > 90


def test_a_display_that_lost_its_table_says_so_below_the_last_picture() -> None:
    assert "The table does not answer. This display waits, and comes back on its own." in text(drawn("lost"))
    assert "T01" in text(drawn("lost"))
