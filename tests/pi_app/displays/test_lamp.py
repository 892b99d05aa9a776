"""The lamp code: ten different words, the same light in each."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.displays.lamp import (
    CODE,
    LONG_MS,
    ROUND_MS,
    SHORT_MS,
    CodeWord,
    LampBlinker,
    card,
    flashes,
    lit,
    signs,
    spoken,
)
from pi_app.game.trap_words import TRAP_NAMES

MS = 1_000_000
starts = st.integers(0, 10**15)
code_words = st.sampled_from(CodeWord)


def test_ten_words_and_no_two_alike() -> None:
    assert set(CODE) == set(CodeWord)
    assert len(set(CODE.values())) == 10
    assert {word.value for word in CodeWord} == {*TRAP_NAMES, "clear", "look_again"}


@pytest.mark.parametrize("word", CodeWord)
def test_s_6_every_word_is_two_long_and_three_short_flashes(word: CodeWord) -> None:
    on = [lit_ms for lit_ms, _ in flashes(word)]
    off = [dark_ms for _, dark_ms in flashes(word)]
    assert sorted(on) == [200, 200, 200, 600, 600]
    assert off == [300] * 5


def test_golden_timing_of_one_word() -> None:
    """The Cage is long short short long short: edges added up by hand."""
    levels = [(at_ms, lit(CodeWord.CAGE, 0, at_ms * MS)) for at_ms in range(-1, 5101)]
    changes = [after for before, after in pairwise(levels) if before[1] != after[1]]
    assert changes == [
        (0, True),
        (600, False),
        (900, True),
        (1100, False),
        (1400, True),
        (1600, False),
        (1900, True),
        (2500, False),
        (2800, True),
        (3000, False),
        (4500, True),
        (5100, False),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("word", CodeWord)
@settings(max_examples=25, deadline=None)
@given(started_ns=starts)
def test_s_6_any_whole_round_holds_the_same_light(word: CodeWord, started_ns: int) -> None:
    """Also for somebody who begins to watch in the middle: sum the lit time between edges."""
    for watched_ns in (started_ns, started_ns + 1234 * MS):
        levels = [lit(word, started_ns, watched_ns + at_ms * MS) for at_ms in range(ROUND_MS)]
        assert sum(levels) == 1800
        assert sum(before != after for before, after in pairwise(levels)) in (9, 10)


def test_before_its_start_a_lamp_is_dark() -> None:
    assert not lit(CodeWord.CLEAR, 5_000, 4_999)
    assert lit(CodeWord.CLEAR, 5_000, 5_000)


def swaps(word: CodeWord) -> int:
    """How many words one swap of two neighbouring flashes away there are."""
    code = CODE[word]
    near = {(*code[:n], code[n + 1], code[n], *code[n + 2 :]) for n in range(4)} - {code}
    return len(near & set(CODE.values()))


def test_clear_and_look_again_are_the_two_words_that_a_slip_can_least_turn_into_another() -> None:
    assert {word for word in CodeWord if swaps(word) == 1} == {CodeWord.CLEAR, CodeWord.LOOK_AGAIN}


def test_the_card_is_printed_from_the_same_table() -> None:
    assert (
        card(lambda message: message)
        == """\
What the lamp says

Five flashes, always two long (▬) and three short (·), then a pause.

  ▬ ▬ · · ·   Clear
  ▬ · ▬ · ·   Buzz Saw
  ▬ · · ▬ ·   The Cage
  ▬ · · · ▬   Falling Weight
  · ▬ ▬ · ·   Fire Jets
  · ▬ · ▬ ·   Jaws of Doom
  · ▬ · · ▬   Monstrous Hand
  · · ▬ ▬ ·   Noxious Acid Pool
  · · ▬ · ▬   Spiked Pit
  · · · ▬ ▬   Look again
"""
    )


def test_the_card_is_sorted_so_that_a_word_can_be_looked_up_and_speaks_the_seat_s_language() -> None:
    assert all(one > other for one, other in pairwise(CODE.values()))
    shouted = card(str.upper)
    assert all(f"{' '.join(signs(word))}   {spoken(word).upper()}" in shouted for word in CodeWord)


STEP_MS = 10
WORDS = st.sampled_from(list(CodeWord))
SCRIPT = st.lists(st.tuples(st.integers(0, 6000), st.booleans(), WORDS, WORDS), max_size=12)
"""Waits in ms, whether something is said then or nothing, and what: in one game and in its twin."""


def glow(script: list[tuple[int, bool, CodeWord]]) -> tuple[int, int, list[int]]:
    """How often a lamp flashed, for how many steps it shone, and when its rounds began."""
    voice, now_ms, shone, flashed, was_lit, rounds = LampBlinker(), 0, 0, 0, False, []
    for wait_ms, says, word in [*script, (0, False, CodeWord.CLEAR), (12_000, False, CodeWord.CLEAR)]:
        for _ in range(wait_ms // STEP_MS):
            is_lit = voice.lit(now_ms * 1_000_000)
            if is_lit and not was_lit:
                flashed += 1
                rounds += [now_ms] if flashed % 5 == 1 else []
            shone, was_lit, now_ms = shone + is_lit, is_lit, now_ms + STEP_MS
        voice.say(word if says else None, now_ms * 1_000_000)
    return flashed, shone, rounds


@given(SCRIPT)
def test_s_6_how_much_a_lamp_shines_depends_on_when_it_is_asked_and_never_on_what_it_says(
    script: list[tuple[int, bool, CodeWord, CodeWord]],
) -> None:
    this = glow([(wait, says, word) for wait, says, word, _ in script])
    that = glow([(wait, says, word) for wait, says, _, word in script])
    assert this == that


def test_a_word_that_is_let_go_is_finished_and_then_it_is_dark() -> None:
    flashed, shone, _ = glow([(0, True, CodeWord.SPIKED_PIT), (900, False, CodeWord.CLEAR)])
    assert (flashed, shone * STEP_MS) == (5, 2 * LONG_MS + 3 * SHORT_MS)


def test_a_word_is_repeated_while_it_is_wanted() -> None:
    assert glow([(0, True, CodeWord.CAGE), (2 * ROUND_MS + 100, False, CodeWord.CAGE)])[0] == 15


def test_another_word_begins_a_round_after_the_one_that_is_being_said() -> None:
    assert glow([(0, True, CodeWord.CAGE), (100, True, CodeWord.CLEAR), (5000, False, CodeWord.CLEAR)])[2] == [
        0,
        ROUND_MS,
    ]


def test_a_word_that_was_not_begun_is_not_said_any_more() -> None:
    script = [(0, True, CodeWord.CAGE), (100, True, CodeWord.CLEAR), (100, False, CodeWord.CLEAR)]
    assert glow(script)[0] == 5
