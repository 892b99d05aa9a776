"""The lamp code: ten different words, the same light in each."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.displays.lamp import LONG_MS, ROUND_MS, SHORT_MS, LampBlinker, lit, timed
from pi_app.game.trap_words import TRAP_NAMES
from pi_app.report.lamp_code import CODE, CodeWord, card, signs, spoken

MS = 1_000_000
starts = st.integers(0, 10**15)
code_words = st.sampled_from(CodeWord)


def test_ten_different_words() -> None:
    assert set(CODE) == set(CodeWord)
    assert len(set(CODE.values())) == 10
    assert {word.value for word in CodeWord} == {*TRAP_NAMES, "clear", "look_again"}


@pytest.mark.parametrize("word", CodeWord)
def test_s_6_every_word_is_two_long_and_three_short_flashes(word: CodeWord) -> None:
    on = [lit_ms for lit_ms, _ in timed(CODE[word])]
    off = [dark_ms for _, dark_ms in timed(CODE[word])]
    assert sorted(on) == [200, 200, 200, 600, 600]
    assert off == [300] * 5


def test_golden_timing_of_one_word() -> None:
    """The Cage is long short short long short: edges calculated by hand."""
    levels = [(at_ms, lit(CODE[CodeWord.CAGE], 0, at_ms * MS)) for at_ms in range(-1, 5101)]
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
    """From any starting time: sum the lit time between edges."""
    for watched_ns in (started_ns, started_ns + 1234 * MS):
        levels = [lit(CODE[word], started_ns, watched_ns + at_ms * MS) for at_ms in range(ROUND_MS)]
        assert sum(levels) == 1800
        assert sum(before != after for before, after in pairwise(levels)) in (9, 10)


def test_before_its_start_a_lamp_is_dark() -> None:
    assert not lit(CODE[CodeWord.CLEAR], 5_000, 4_999)
    assert lit(CODE[CodeWord.CLEAR], 5_000, 5_000)


def swaps(word: CodeWord) -> int:
    """The number of words that differ by a swap of two adjacent flashes."""
    code = CODE[word]
    near = {(*code[:n], code[n + 1], code[n], *code[n + 2 :]) for n in range(4)} - {code}
    return len(near & set(CODE.values()))


def test_clear_and_look_again_have_the_fewest_neighbours() -> None:
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


def test_the_card_is_sorted_and_in_the_seat_s_language() -> None:
    assert all(one > other for one, other in pairwise(CODE.values()))
    shouted = card(str.upper)
    assert all(f"{' '.join(signs(CODE[word]))}   {spoken(word).upper()}" in shouted for word in CodeWord)


STEP_MS = 10
WORDS = st.sampled_from(list(CodeWord))
SCRIPT = st.lists(st.tuples(st.integers(0, 6000), st.booleans(), WORDS, WORDS), max_size=12)
"""Waits in ms, whether a word is set then, and which: in one game and in its twin."""


def glow(script: list[tuple[int, bool, CodeWord]]) -> tuple[int, int, list[int]]:
    """The number of flashes, the number of lit steps, and the starts of rounds."""
    lamp, now_ms, shone, flashed, was_lit, rounds = LampBlinker(), 0, 0, 0, False, []
    for wait_ms, says, word in [*script, (0, False, CodeWord.CLEAR), (12_000, False, CodeWord.CLEAR)]:
        for _ in range(wait_ms // STEP_MS):
            is_lit = lamp.lit(now_ms * 1_000_000)
            if is_lit and not was_lit:
                flashed += 1
                rounds += [now_ms] if flashed % 5 == 1 else []
            shone, was_lit, now_ms = shone + is_lit, is_lit, now_ms + STEP_MS
        lamp.blink(CODE[word] if says else None, now_ms * 1_000_000)
    return flashed, shone, rounds


@given(SCRIPT)
def test_s_6_a_lamps_light_depends_on_the_times_and_never_on_the_words(
    script: list[tuple[int, bool, CodeWord, CodeWord]],
) -> None:
    this = glow([(wait, says, word) for wait, says, word, _ in script])
    that = glow([(wait, says, word) for wait, says, _, word in script])
    assert this == that


def test_a_released_word_is_finished_before_the_lamp_goes_dark() -> None:
    flashed, shone, _ = glow([(0, True, CodeWord.SPIKED_PIT), (900, False, CodeWord.CLEAR)])
    assert (flashed, shone * STEP_MS) == (5, 2 * LONG_MS + 3 * SHORT_MS)


def test_a_word_is_repeated_while_it_is_set() -> None:
    assert glow([(0, True, CodeWord.CAGE), (2 * ROUND_MS + 100, False, CodeWord.CAGE)])[0] == 15


def test_another_word_starts_after_the_current_round() -> None:
    assert glow([(0, True, CodeWord.CAGE), (100, True, CodeWord.CLEAR), (5000, False, CodeWord.CLEAR)])[2] == [
        0,
        ROUND_MS,
    ]


def test_a_word_that_has_not_started_is_dropped() -> None:
    script = [(0, True, CodeWord.CAGE), (100, True, CodeWord.CLEAR), (100, False, CodeWord.CLEAR)]
    assert glow(script)[0] == 5
