"""Suggestions for misspelt words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.text.language import words
from pi_app.text.suggest import LONGEST_WORD, did_you_mean, guess, hint, one_of

TRAPS = ("buzz_saw", "cage", "spiked_pit", "fire_jets")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("buz_saw", "buzz_saw"),
        ("Buzz Saw", "buzz_saw"),
        ("BUZZ-SAW", "buzz_saw"),
        (" cgae", "cage"),
        ("spikedpit", "spiked_pit"),
        ("", None),
        ("zzzzzz", None),
        ("buzzard", None),
        ("c" * 10_000, None),
    ],
)
def test_the_nearest_word_is_guessed_and_a_strange_one_is_not(written: str, meant: str | None) -> None:
    assert guess(written, TRAPS) == meant


@given(st.sampled_from(TRAPS), st.data())
def test_one_missing_letter_is_always_forgiven(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    assert guess(word[:at] + word[at + 1 :], TRAPS) == word


@given(st.text(max_size=2 * LONGEST_WORD))
def test_a_guess_is_one_of_the_choices(word: str) -> None:
    assert guess(word, TRAPS) in (*TRAPS, None)


def test_without_a_guess_all_choices_are_named() -> None:
    assert did_you_mean("chanel", ["channel", "mux"]) == "did you mean 'channel'?"
    assert did_you_mean("zzz", ["channel", "mux"]) == "there is 'channel' or 'mux'"
    assert did_you_mean("zzz", []) == "there is nothing to choose from"


def test_choices_are_listed_as_a_person_would() -> None:
    assert one_of(["a"]) == "'a'"
    assert one_of(["a", "b"]) == "'a' or 'b'"
    assert one_of(["a", "b", "c"]) == "'a', 'b' or 'c'"


@pytest.mark.parametrize(
    ("language", "near", "far"),
    [
        ("en", "did you mean 'cage'?", "there is 'cage' or 'fire_jets'."),
        ("de", "meinst du „cage“?", "es gibt „cage“ oder „fire_jets“."),
        ("es", "¿querías decir «cage»?", "hay «cage» o «fire_jets»."),
        (
            "fr",
            "voulais-tu dire «\u00a0cage\u00a0»\u202f?",
            "il y a «\u00a0cage\u00a0» ou «\u00a0fire_jets\u00a0».",
        ),
        ("it", "volevi dire «cage»?", "c’è «cage» o «fire_jets»."),
    ],
)
def test_a_hint_at_the_table_is_in_its_language_with_its_quotation_marks(language: str, near: str, far: str) -> None:
    known = ("cage", "fire_jets")
    assert [hint(word, known, words(language)) for word in ("cgae", "zzzzzz")] == [near, far]
