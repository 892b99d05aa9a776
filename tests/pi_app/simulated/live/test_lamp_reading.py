"""The flashes of a lamp are counted as a person counts them."""

from __future__ import annotations

import pytest

from pi_app.displays.lamp import LampBlinker
from pi_app.game.lamp_deal import ONCE
from pi_app.report.lamp_code import CODE, CodeWord, Flashes
from pi_app.simulated.live.lamp_reading import FlashCounter, card_rows

MS = 1_000_000
STEP_MS = 10


def counted(word: Flashes, until_ms: int, counter: FlashCounter | None = None) -> list[tuple[bool, ...]]:
    """Return what was counted, each time that it changed, of a lamp that repeats this word."""
    lamp, counter = LampBlinker(), counter or FlashCounter()
    steps: list[tuple[bool, ...]] = [()]
    lamp.blink(word, 5_000 * MS)
    for at_ms in range(5_000, 5_000 + until_ms, STEP_MS):
        counter.see(lamp.lit(at_ms * MS), at_ms * MS)
        if counter.flashes != steps[-1]:
            steps.append(counter.flashes)
    return steps


@pytest.mark.parametrize("word", CodeWord)
def test_every_word_is_counted_flash_by_flash_and_stays_until_the_next_begins(word: CodeWord) -> None:
    flashes = CODE[word]
    assert counted(flashes, 4_400) == [flashes[:n] for n in range(6)]
    assert counted(flashes, 5_500)[6:8] == [(), flashes[:1]]


def test_a_press_forgets_the_last_word_but_not_one_that_is_being_flashed() -> None:
    counter = FlashCounter()
    counted(CODE[CodeWord.CAGE], 2_000, counter)
    assert len(counter.flashes) in (2, 3)
    counter.forget(7_100 * MS)
    assert counter.flashes
    counter.see(False, 7_200 * MS)
    counter.forget(20_000 * MS)
    assert counter.flashes == ()


def test_the_card_has_every_pattern_and_a_seat_whose_screen_explains_them_has_none() -> None:
    assert [flashes for flashes, _ in card_rows("")] == list(CODE.values())
    assert card_rows("")[2] == (CODE[CodeWord.CAGE], "The Cage")
    assert card_rows("bacdefghij")[0] == (CODE[CodeWord.CLEAR], "The Cage")
    assert card_rows(ONCE) == ()
