"""Every screen in every language: complete, in letters of the font, and with equal light."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from pi_app.displays import letters
from pi_app.displays.canvas import PixelCanvas
from pi_app.displays.frame import LIT_PIXELS
from pi_app.displays.picture import draw
from pi_app.game.state import Game, Seat, SeatTurn
from pi_app.game.trap_words import CLEAR_EFFECT, EFFECTS, TRAP_NAMES, effect
from pi_app.report.pictures import Say, SeatPicture, ShowCard, ShowDie, ShowFace
from pi_app.report.seat_screen import CARD_PAGES, Attention, seat_card, seat_die, seat_says
from pi_app.text import language as w
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.displays.frames import lit

LABELS = ("T07", "W" * 6)
"""A usual label, and the widest that the settings allow."""
WORST = {"click_number": 99, "xp": 9999, "disarm": "20+ = 26", "quick_of_36": 36, "slow_of_36": 36}
each_language = pytest.mark.parametrize("language", LANGUAGES)


def face(trap: str | None, label: str, language: str, kind: str = "") -> ShowFace:
    numbers: dict[str, Any] = WORST if trap is not None else dict.fromkeys(WORST)
    return ShowFace(
        label=label,
        kind="trap" if trap is not None else "other" if kind else "clear",
        trap=trap,
        effect=words(language)(effect(trap)),
        sample=True,
        simulated=True,
        **numbers,
    )


def faces(language: str, label: str) -> list[ShowFace]:
    return [*(face(trap, label, language) for trap in (*TRAP_NAMES, None)), face(None, label, language, "other")]


def neutral(language: str, label: str) -> Iterator[SeatPicture]:
    speak = words(language)
    yield from (seat_says(attention, speak, label) for attention in Attention if attention is not Attention.NOTHING)
    for die in range(1, 7):
        told = seat_die(Game(turns=(SeatTurn(seat="ANN", die=die, how="device"),)), "ANN", speak, label)
        assert told is not None
        yield told


def drawn(shown: SeatPicture, language: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The lines on the screen."""
    lines: list[str] = []
    put = PixelCanvas.text

    def noted(canvas: PixelCanvas, x: int, y: int, line: str, *, bold: bool = False, tall: bool = False) -> None:
        assert letters.BOX not in [letters.letter(character) for character in letters.plain(line)], line
        lines.append(line)
        put(canvas, x, y, line, bold=bold, tall=tall)

    with monkeypatch.context() as patched:
        patched.setattr(PixelCanvas, "text", noted)
        frame = draw(shown, words(language))
    assert lit(frame) == LIT_PIXELS
    return tuple(lines)


def run_together(lines: Iterator[str] | tuple[str, ...] | list[str]) -> str:
    return "".join("".join(line.split()) for line in lines)


def meant(shown: ShowFace, language: str) -> Iterator[str]:
    """All texts of a face."""
    speak = words(language)
    yield shown.label
    if shown.trap is not None:
        yield speak(TRAP_NAMES[shown.trap])
        yield speak(w.CLICK).format(number=99)
        yield speak(w.XP).format(xp=9999)
        yield speak(w.DISARM).format(value="20+ = 26")
        yield speak(w.BOTH_CHANCES).format(quick=36, slow=36)
    else:
        yield speak(w.CLEAR if shown.kind == "clear" else w.OTHER)
    yield speak(w.OTHER_EFFECT) if shown.kind == "other" else shown.effect


@each_language
@pytest.mark.parametrize("label", LABELS)
def test_s_6_every_face_is_said_whole_and_shines_alike(
    language: str, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak = words(language)
    for shown in faces(language, label):
        lines = drawn(shown, language, monkeypatch)
        said = run_together(lines)
        assert [part for part in meant(shown, language) if run_together([part]) not in said] == []
        assert f"{speak(w.SAMPLE)} {speak(w.SIMULATED)}" in lines or speak(w.SAMPLE_SIMULATED) in lines


@each_language
@pytest.mark.parametrize("label", LABELS)
def test_every_neutral_picture_is_said_whole_in_large_letters_and_shines_alike(
    language: str, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for shown in neutral(language, label):
        assert isinstance(shown, Say | ShowDie)
        lines = drawn(shown, language, monkeypatch)
        assert lines == (label, *shown.lines), "each line of the message is one of the screen"
        assert all(letters.width(line, bold=True) <= 104 for line in shown.lines)


@each_language
@pytest.mark.parametrize("lamp", ["abcdefghij", "jihgfedcba", "fhaibjcdge"])
def test_every_page_of_a_lamp_card_is_said_whole_and_shines_alike(
    language: str, lamp: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Game(seats={"ANN": Seat("ANN", "Ann", language, lamp=lamp)})
    for page, count in enumerate(CARD_PAGES):
        shown = seat_card(game, "ANN", page, words(language))
        assert isinstance(shown, ShowCard)
        assert len(shown.rows) == count
        lines = drawn(shown, language, monkeypatch)
        assert lines[:2] == (shown.title, shown.page)
        assert run_together(lines[2:]) == run_together([word for _, word in shown.rows]), "nothing is cut off"


@each_language
def test_s_6_no_two_faces_look_alike_and_none_is_longer_than_another(language: str) -> None:
    frames = [draw(shown, words(language)) for shown in faces(language, "T07")]
    assert len(set(frames)) == len(frames)
    assert {len(frame) for frame in frames} == {1024}


@each_language
def test_effects_and_names_have_their_lines(language: str) -> None:
    speak = words(language)
    for text in (*EFFECTS.values(), CLEAR_EFFECT, w.OTHER_EFFECT):
        assert len(letters.wrapped(speak(text), 110)) == 2, speak(text)
    for text in (*TRAP_NAMES.values(), w.CLEAR, w.OTHER):
        assert 1 <= len(letters.wrapped(speak(text), 80, bold=True)) <= 2, speak(text)


def test_a_cut_text_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the comparison above would prove nothing."""
    long = face("cage", "T07", "de")
    cut = ShowFace(**{name: getattr(long, name) for name in ShowFace.__slots__} | {"effect": "so lang " * 20})
    said = run_together(drawn(cut, "de", monkeypatch))
    assert run_together([cut.effect]) not in said
    assert said.endswith("...")


@each_language
def test_all_translations_can_be_drawn(language: str) -> None:
    """Every letter of a message, except signs for terminals only."""
    signs = set("▬·←→↑↓")
    texts = itertools.chain(EFFECTS.values(), TRAP_NAMES.values(), [w.CARD_TITLE, w.CARD_LEGEND])
    for text in map(words(language), texts):
        boxes = [each for each in letters.plain(text) if letters.letter(each) == letters.BOX and each not in signs]
        assert boxes == [], text
