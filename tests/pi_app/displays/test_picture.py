"""Pictures: equal light in all, nothing cut off without dots, and the chips' pixel format."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pi_app.displays import canvas, letters, picture, symbols
from pi_app.displays.canvas import BLANK, letter, packed, pixel, symbol_pixels
from pi_app.displays.frame import LIT_PIXELS, CannotDraw
from pi_app.displays.picture import draw, prepare
from pi_app.game import rules
from pi_app.game.trap_table_file import load_sample
from pi_app.game.trap_words import EFFECTS, TRAP_NAMES, effect
from pi_app.report.lamp_code import CodeWord
from pi_app.report.pictures import Dark, Say, SeatPicture, ShowDie, ShowFace
from pi_app.report.seat_screen import SENTENCES
from pi_app.text.language import LOOK_AGAIN, words
from tests.pi_app.displays.frames import CLEAR, face, lit

ENGLISH = words("en")


def art(frame: bytes, left: int = 0, top: int = 0, right: int = 128, bottom: int = 64) -> list[str]:
    """A part of a frame as text."""
    return [
        "".join("#" if frame[y // 8 * 128 + x] >> y % 8 & 1 else "." for x in range(left, right))
        for y in range(top, bottom)
    ]


def holds(frame: bytes, line: str, *, bold: bool = False, tall: bool = False) -> bool:
    """Whether a line of text is somewhere in the frame, its box clean."""
    shapes = [letters.bits(character, bold=bold) for character in letters.plain(line)]
    rows = [".".join(f"{shape[n]:0{wide}b}" for wide, shape in shapes) for n in range(letters.ROWS)]
    needle = [row.replace("1", "#").replace("0", ".") for row in rows for _ in range(1 + tall)]
    wide = len(needle[0])
    seen = art(frame)
    return any(
        all(seen[y + n][x : x + wide] == row for n, row in enumerate(needle))
        for y in range(64 - len(needle) + 1)
        for x in range(128 - wide + 1)
    )


# ---------------------------------------------------------------------------------------------- equal light


def sample_faces() -> list[ShowFace]:
    """Every face of every shipped sample as its reader sees it, before and after a plus is rolled."""
    made = []
    for name in ("SAMPLE-12", "SAMPLE-A", "SAMPLE-B"):
        for printed in load_sample(name).faces:
            if printed.trap is None:
                made.append(
                    face(
                        None,
                        kind="clear" if printed.kind == "clear" else "other",
                        disarm=None,
                        click_number=printed.click_number,
                        xp=printed.xp,
                        quick_of_36=None,
                        slow_of_36=None,
                        effect=effect(None),
                    )
                )
                continue
            assert printed.disarm is not None
            for rolled in range(7):
                value = printed.disarm.value + rolled
                text = f"{printed.disarm.value}{'+' if printed.disarm.variable else ''}"
                chances = {
                    "quick_of_36": rules.chance_of_36(value, slow=False),
                    "slow_of_36": rules.chance_of_36(value, slow=True),
                }
                made.append(
                    face(
                        printed.trap.value,
                        disarm=f"{text} = {value}" if rolled else text,
                        click_number=printed.click_number,
                        xp=printed.xp,
                        **chances,
                    )
                )
    return made


@pytest.mark.parametrize("marks", [(False, False), (True, False), (False, True), (True, True)])
def test_s_6_all_faces_of_the_samples_shine_equally(marks: tuple[bool, bool]) -> None:
    faces = sample_faces()
    assert len(faces) > 100
    for shown in faces:
        values = {name: getattr(shown, name) for name in ShowFace.__slots__}
        marked = ShowFace(**values | {"sample": marks[0], "simulated": marks[1]})
        assert lit(draw(marked, ENGLISH)) == LIT_PIXELS


numbers = st.none() | st.integers(0, 36)
disarms = st.none() | st.builds(
    lambda n, plus, total: f"{n}{plus}" + (f" = {total}" if plus and total else ""),
    st.integers(0, 20),
    st.sampled_from(("", "+")),
    st.none() | st.integers(0, 26),
)
labels = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF), max_size=12)
SPEAKERS: tuple[Callable[[str], str], ...] = (
    ENGLISH,
    lambda message: f"{message} äöü",
    lambda message: f"Überaus {message}",
    lambda message: f"{message}, {message} und {message} dazu",
)


@settings(max_examples=300, deadline=None)
@given(
    trap=st.sampled_from([*TRAP_NAMES, None]),
    other=st.booleans(),
    label=labels,
    click=numbers,
    disarm=disarms,
    xp=st.none() | st.integers(0, 9999),
    quick=numbers,
    slow=numbers,
    sample=st.booleans(),
    simulated=st.booleans(),
    speak=st.sampled_from(SPEAKERS),
    told=st.sampled_from([*EFFECTS.values(), effect(None), "", "W" * 30, "never ending " * 12]),
    note=st.none() | st.just("The dial was turned clockwise."),
)
@example(
    trap="falling_weight",
    other=False,
    label="W" * 12,
    click=36,
    disarm="20+ = 26",
    xp=9999,
    quick=36,
    slow=36,
    sample=True,
    simulated=True,
    speak=SPEAKERS[2],
    told="W" * 30,
    note=None,
)
@pytest.mark.slow
def test_s_6_every_possible_face_shines_equally(
    trap: str | None,
    other: bool,
    label: str,
    click: int | None,
    disarm: str | None,
    xp: int | None,
    quick: int | None,
    slow: int | None,
    sample: bool,
    simulated: bool,
    speak: Callable[[str], str],
    told: str,
    note: str | None,
) -> None:
    kind = "trap" if trap is not None else "other" if other else "clear"
    shown = face(
        trap,
        kind=kind,
        label=label,
        click_number=click,
        disarm=disarm,
        xp=xp,
        quick_of_36=quick,
        slow_of_36=slow,
        effect=told,
        sample=sample,
        simulated=simulated,
        note=note,
    )
    assert lit(draw(shown, speak)) == LIT_PIXELS


@settings(max_examples=100, deadline=None)
@given(
    lines=st.lists(st.text(st.characters(max_codepoint=0xFF), max_size=40), max_size=8).map(tuple),
    label=st.none() | labels,
)
def test_neutral_words_shine_like_faces(lines: tuple[str, ...], label: str | None) -> None:
    assert lit(draw(Say(lines, label), ENGLISH)) == LIT_PIXELS


def test_darkness_is_dark() -> None:
    assert draw(Dark(), ENGLISH) == BLANK == bytes(1024)


def test_the_frame_never_touches_words() -> None:
    """All words of a face are in the picture, each in a clean box."""
    frame = draw(face(), ENGLISH)
    for line in (
        "T07",
        "SAMPLE SIMULATED",
        "click 3   XP 22",
        "disarm 6+ = 9",
        "quick 10/36   slow 21/36",
        "Locks the Hero in, out of",
        "play, until freed.",
    ):
        assert holds(frame, line), line
    assert holds(frame, "The Cage", bold=True, tall=True)
    assert not holds(frame, "The Maze", bold=True, tall=True)


@pytest.mark.parametrize("trap", TRAP_NAMES)
@pytest.mark.parametrize("marks", [False, True])
def test_every_trap_has_its_full_name_and_effect(trap: str, marks: bool) -> None:
    frame = draw(face(trap, sample=marks, simulated=marks), ENGLISH)
    name = letters.wrapped(TRAP_NAMES[trap], 80, bold=True)
    assert all(holds(frame, line, bold=True, tall=len(name) == 1) for line in name)
    assert all(holds(frame, line) for line in letters.wrapped(EFFECTS[trap], 110))
    assert holds(frame, "SAMPLE SIMULATED") is marks


def test_a_clear_square_says_so_in_words_and_shape() -> None:
    frame = draw(CLEAR, ENGLISH)
    assert holds(frame, "Clear", bold=True, tall=True)
    assert holds(frame, "No trap. Free to walk until")
    assert holds(frame, "the game ends.")


def test_a_mark_is_never_shown_as_clear() -> None:
    frame = draw(face(None, kind="other", disarm=None, effect=effect(None)), ENGLISH)
    assert holds(frame, "No face", bold=True, tall=True)
    assert holds(frame, "start or disarmed.")
    assert not holds(frame, "the game ends.")


def test_ten_different_pictures() -> None:
    shown: list[SeatPicture] = [face(trap, effect="same") for trap in TRAP_NAMES]
    shown += [face(None, effect="same"), Say((LOOK_AGAIN,), "T07")]
    assert len({draw(each, ENGLISH) for each in shown}) == len(CodeWord)


def test_a_picture_is_the_same_every_time() -> None:
    assert draw(face(), ENGLISH) == draw(face(), ENGLISH)


# ------------------------------------------------------------------------------------------- what does not fit


def test_what_does_not_fit_ends_in_dots() -> None:
    frame = draw(face(effect="This goes on and on, and round and round, and on and on for ever."), ENGLISH)
    assert holds(frame, "This goes on and on, and")
    assert holds(frame, "round and round, and o...") or holds(frame, "round and round, and on...")


def test_a_note_comes_before_the_effect() -> None:
    frame = draw(face(note="The dial was turned clockwise."), ENGLISH)
    assert holds(frame, "The dial was turned")
    assert holds(frame, "clockwise. ...")


def test_a_long_label_gets_a_line_of_its_own() -> None:
    frame = draw(face(label="by the dragon's door"), ENGLISH)
    assert holds(frame, "by the dragon's door")
    assert holds(frame, "SAMPLE SIMULATED")


def test_neutral_words_are_as_large_as_they_fit() -> None:
    assert holds(draw(Say(("Hold to look.",), "T07"), ENGLISH), "Hold to look.", bold=True, tall=True)
    assert holds(draw(Say(("One", "two", "three")), ENGLISH), "three", bold=True)
    six = tuple(f"line {n}" for n in range(6))
    assert not holds(draw(Say(six), ENGLISH), "line 5")
    assert holds(draw(Say(six), ENGLISH), "line 4 ...")


def test_every_neutral_picture_of_the_game_is_shown_whole() -> None:
    for lines in (said.split("\n") for said in SENTENCES.values()):
        frame = draw(Say(tuple(lines), "T07"), ENGLISH)
        large = [holds(frame, line, bold=True) or holds(frame, line, bold=True, tall=True) for line in lines]
        assert all(large), lines


# -------------------------------------------------------------------------------------------- pixels and Pillow


def test_golden_pixels_are_in_the_chips_format() -> None:
    """The lowest bit of a byte is the top pixel of its page: a single pixel at (3, 10) is bit 2 of byte 131."""
    frame = packed(1 << pixel(3, 10))
    assert frame.find(b"\x04") == 128 + 3
    assert lit(frame) == 1


def test_golden_label() -> None:
    """`T` and `0` at the top left of a face with eight full lines."""
    assert art(draw(face(label="T0"), ENGLISH), 9, 0, 20, 8) == [
        "...........",
        "#####..##..",
        "..#...#..#.",
        "..#...#..#.",
        "..#...#..#.",
        "..#...#..#.",
        "..#....##..",
        "...........",
    ]


def test_the_frame_stays_out_of_the_gaps_between_words_while_there_is_room_elsewhere() -> None:
    between_label_and_marks = art(draw(face(), ENGLISH), 26, 0, 35, 8)
    assert between_label_and_marks == ["." * 9] * 8


def test_few_words_get_a_broad_frame_that_is_solid_at_the_rim() -> None:
    few, many = (art(draw(each, ENGLISH)) for each in (Say(("Wait.",)), face()))
    assert few[32][:2] == few[32][-2:] == "##"
    assert few[0] == few[-1] == "#" * 128
    assert few[32][:10].count("#") > many[32][:7].count("#") >= 1
    assert many[32][7:9] == many[32][-9:-7] == ".."


@pytest.mark.parametrize("name", symbols.SYMBOLS)
def test_symbols_use_their_box_and_are_about_equally_heavy(name: str) -> None:
    block = symbol_pixels()[name]
    rows = [block >> row * canvas.WIDTH & (1 << canvas.WIDTH) - 1 for row in range(symbols.SIZE)]
    assert block < 1 << symbols.SIZE * canvas.WIDTH
    assert all(row < 1 << symbols.SIZE for row in rows)
    assert 250 <= block.bit_count() <= 450


def test_nothing_is_drawn_for_the_first_time_after_prepare() -> None:
    """A first drawing would take longer, and the time would reveal which traps came up before."""
    prepare()
    assert set(symbol_pixels()) == {*TRAP_NAMES, "clear", "other"}
    drawn = letter.cache_info().misses, letters.bits.cache_info().misses
    shown: list[SeatPicture] = [*sample_faces(), *(Say(tuple(said.split("\n")), "T07") for said in SENTENCES.values())]
    for each in shown:
        draw(each, ENGLISH)
    assert (letter.cache_info().misses, letters.bits.cache_info().misses) == drawn


def test_the_sentence_of_a_broken_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setattr(sys, "prefix", "/opt/trapdial/.venv")
    with pytest.raises(CannotDraw) as broken:
        picture.png(BLANK)
    assert str(broken.value) == (
        "Pillow, which writes pictures as PNG, cannot be loaded (import of PIL halted; None in sys.modules). "
        "Type `/opt/trapdial/.venv/bin/python -m pip install --force-reinstall pillow`."
    )


@pytest.mark.parametrize("die", range(1, 7))
@pytest.mark.parametrize("label", [None, "T07", "W" * 6])
def test_s_9_every_die_shines_equally_and_can_be_read(die: int, label: str | None) -> None:
    clicks = "1 click" if die == 1 else f"{die} clicks"
    frame = draw(ShowDie((f"Turn it {clicks},", "let it rest, then", "hold to look."), label), ENGLISH)
    assert lit(frame) == LIT_PIXELS
    assert holds(frame, f"Turn it {clicks},", bold=True)
