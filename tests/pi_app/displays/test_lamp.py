"""The lamp code: ten different words, the same light in each."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.displays.lamp import CODE, ROUND_MS, CodeWord, card, flashes, lit, next_edge_ns, signs, spoken
from pi_app.displays.words import TRAP_NAMES

MS = 1_000_000
moments = st.integers(0, 3 * ROUND_MS * MS)
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
    at_ms, changes = -1, []
    while at_ms <= 4500:
        at_ms = next_edge_ns(CodeWord.CAGE, 0, at_ms * MS) // MS
        changes.append((at_ms, lit(CodeWord.CAGE, 0, at_ms * MS)))
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


@pytest.mark.parametrize("word", CodeWord)
@settings(max_examples=25, deadline=None)
@given(started_ns=starts)
def test_s_6_any_whole_round_holds_the_same_light(word: CodeWord, started_ns: int) -> None:
    """Also for somebody who begins to watch in the middle: sum the lit time between edges."""
    for watched_ns in (started_ns, started_ns + 1234 * MS):
        now, end, light, changes = watched_ns, watched_ns + ROUND_MS * MS, 0, 0
        while now < end:
            edge = min(next_edge_ns(word, started_ns, now), end)
            light += (edge - now) * lit(word, started_ns, now)
            changes += edge < end
            now = edge
        assert light == 1800 * MS
        assert changes in (9, 10)


@settings(max_examples=50, deadline=None)
@given(word=code_words, started_ns=starts, into_ns=moments)
def test_the_next_edge_is_where_the_lamp_changes_and_not_before(word: CodeWord, started_ns: int, into_ns: int) -> None:
    now = started_ns + into_ns
    edge = next_edge_ns(word, started_ns, now)
    assert edge > now
    before = lit(word, started_ns, now)
    assert lit(word, started_ns, (now + edge) // 2) == before
    assert lit(word, started_ns, edge - 1) == before
    assert lit(word, started_ns, edge) != before


def test_before_its_start_a_lamp_is_dark_and_waits_for_it() -> None:
    assert not lit(CodeWord.CLEAR, 5_000, 4_999)
    assert lit(CodeWord.CLEAR, 5_000, 5_000)
    assert next_edge_ns(CodeWord.CLEAR, 5_000, 17) == 5_000


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
