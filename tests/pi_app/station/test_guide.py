"""The guided steps: each is skipped by doing it, and every sentence is short and fits a seat's screen."""

from __future__ import annotations

import pytest

from pi_app.displays import letters
from pi_app.displays.canvas import LINE
from pi_app.displays.picture import _SAY_HIGH, _SAY_WIDE  # the area of every neutral text
from pi_app.settings.model import LANGUAGES
from pi_app.station import guide
from pi_app.station.guide import Guided, Step, done, passed, sentence
from pi_app.station.inputs import ClaimGone, Clicked, DieRolled, Held, LetGo, Looked, Tapped
from pi_app.text.language import words

SECOND = 1_000_000_000


def test_a_tap_after_the_first_one_takes_the_guide_back_to_its_beginning() -> None:
    rolled = done(Guided(), DieRolled("P1"), 5)
    assert rolled == Guided(Step.ROLL, "P1", 5)
    assert done(rolled, ClaimGone("P2"), 6) == rolled
    assert done(rolled, ClaimGone("P1"), 6) == Guided(Step.TAP, "", 6)


def test_whoever_turns_at_once_reads_the_next_sentence_at_once() -> None:
    assert done(Guided(Step.ROLL, "P1", 5), Clicked("T01"), 6).step is Step.HOLD
    assert done(Guided(Step.TURN, "P1", 5), Looked("P1"), 6).step is Step.SEEN
    assert done(Guided(), Clicked("T01"), 6).step is Step.TAP


def test_a_second_player_may_overtake_the_first() -> None:
    assert done(Guided(Step.HOLD, "P1", 5), DieRolled("P2"), 6) == Guided(Step.ROLL, "P2", 6)
    assert done(Guided(Step.HOLD, "P1", 5), Looked("P2"), 6) == Guided(Step.SEEN, "P2", 6)


def test_the_last_sentence_stays_after_the_button_and_ends_with_one_that_is_stuck() -> None:
    seen = Guided(Step.SEEN, "P1", 0)
    assert passed(seen, 13 * SECOND).step is Step.SEEN
    assert passed(seen, 14 * SECOND).step is Step.DONE
    free = done(seen, LetGo("P1"), 2 * SECOND)
    assert done(free, Held("P2"), 3 * SECOND) == free
    assert passed(free, 7 * SECOND).step is Step.SEEN
    assert passed(free, 8 * SECOND).step is Step.DONE
    assert done(free, Tapped("P2"), 3 * SECOND).step is Step.DONE


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_short_in_every_language_and_fits_a_screen(language: str) -> None:
    told = [sentence(step, words(language)) for step in Step if step is not Step.DONE]
    assert len(told) == len(set(told)) == guide.MOST_SENTENCES
    for said in told:
        assert len(said.replace("\u00a0", " ").replace("\u202f", " ").split()) <= guide.MOST_WORDS, said
        lines = letters.wrapped(said, _SAY_WIDE)
        assert len(lines) * LINE <= _SAY_HIGH, said
    assert sentence(Step.DONE, words(language)) == ""
