"""The guided steps: each is skipped by doing it, and every sentence is short and fits a seat's screen."""

from __future__ import annotations

import pytest

from pi_app.displays import letters
from pi_app.displays.canvas import LINE
from pi_app.displays.picture import SAY_HIGH, SAY_WIDE  # the area of every neutral text
from pi_app.pages.page_words import page_words
from pi_app.station.visits import guide
from pi_app.station.visits.guide import Guided, TurnStep, done, passed, phone_sentence, sentence
from pi_app.station.visits.inputs import ClaimGone, Clicked, DieRolled, Held, LetGo, LookShown, Tapped
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES

SECOND = 1_000_000_000


def test_a_tap_after_the_first_one_takes_the_guide_back_to_its_beginning() -> None:
    rolled = done(Guided(), DieRolled("P1"), 5)
    assert rolled == Guided(TurnStep.ROLL, "P1", 5)
    assert done(rolled, ClaimGone("P2"), 6) == rolled
    assert done(rolled, ClaimGone("P1"), 6) == Guided(TurnStep.TAP, "", 6)


def test_whoever_turns_at_once_reads_the_next_sentence_at_once() -> None:
    assert done(Guided(TurnStep.ROLL, "P1", 5), Clicked("T01"), 6).step is TurnStep.HOLD
    assert done(Guided(TurnStep.TURN, "P1", 5), LookShown("P1"), 6).step is TurnStep.SEEN
    assert done(Guided(), Clicked("T01"), 6).step is TurnStep.TAP


def test_a_second_player_may_overtake_the_first() -> None:
    assert done(Guided(TurnStep.HOLD, "P1", 5), DieRolled("P2"), 6) == Guided(TurnStep.ROLL, "P2", 6)
    assert done(Guided(TurnStep.HOLD, "P1", 5), LookShown("P2"), 6) == Guided(TurnStep.SEEN, "P2", 6)


def test_the_last_sentence_stays_after_the_button_and_ends_with_one_that_is_stuck() -> None:
    seen = Guided(TurnStep.SEEN, "P1", 0)
    assert passed(seen, 13 * SECOND).step is TurnStep.SEEN
    assert passed(seen, 14 * SECOND).step is TurnStep.DONE
    free = done(seen, LetGo("P1"), 2 * SECOND)
    assert done(free, Held("P2"), 3 * SECOND) == free
    assert passed(free, 7 * SECOND).step is TurnStep.SEEN
    assert passed(free, 8 * SECOND).step is TurnStep.DONE
    assert done(free, Tapped("P2"), 3 * SECOND).step is TurnStep.DONE


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_short_in_every_language_and_fits_a_screen(language: str) -> None:
    told = [sentence(step, words(language)) for step in TurnStep if step is not TurnStep.DONE]
    assert len(told) == len(set(told)) == guide.MOST_SENTENCES
    for said in told:
        assert len([word for word in said.split() if any(map(str.isalpha, word))]) <= guide.MOST_WORDS, said
        lines = letters.wrapped(said, SAY_WIDE)
        assert len(lines) * LINE <= SAY_HIGH, said
    assert sentence(TurnStep.DONE, words(language)) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_on_a_phone_names_the_button_by_its_words(language: str) -> None:
    speak = words(language)
    buttons = page_words(language, "P1")
    assert buttons["turn"] in " ".join(phone_sentence(TurnStep.TAP, speak))
    assert buttons["hold"] in " ".join(phone_sentence(TurnStep.HOLD, speak))
    assert [step for step in TurnStep if phone_sentence(step, speak)] == [TurnStep.TAP, TurnStep.HOLD]
