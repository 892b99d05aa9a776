"""The table's words in its language: what may be typed, what is shown, and that no word has two meanings."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from pi_app.game.note import Note
from pi_app.play.commands.words import USAGE
from pi_app.text.language import PSEUDO_LANGUAGE, words
from pi_app.text.languages import LANGUAGES
from pi_app.text.table_words import (
    OPTIONS,
    PLACEHOLDERS,
    VERBS,
    WORDS,
    hint,
    in_english,
    in_language,
    is_taken,
    keys,
    with_english,
)
from tests import catalogues

GERMAN = words("de")
TRANSLATED = pytest.mark.parametrize("language", catalogues.TRANSLATED)


def own(language: str, group: Mapping[str, str]) -> dict[str, str]:
    return {word: words(language)(message).removeprefix("/") for word, message in group.items()}


def clashes(typed: Mapping[str, str]) -> list[tuple[str, str]]:
    """English words whose translation may be typed for another one, or is another English word."""
    found, seen = [], {key: word for word in {**VERBS, **OPTIONS} for key in keys(word)}
    for word, translated in typed.items():
        found += [(word, other) for key in keys(translated) if (other := seen.setdefault(key, word)) != word]
    return found


def test_every_word_of_the_grammar_has_a_message() -> None:
    used = {word for usage, _ in USAGE.values() for word in re.findall(r"[A-Za-z_]\w*", usage)}
    assert sorted(used - set(WORDS)) == []
    assert all(message == f"/{word}" for word, message in WORDS.items())


@TRANSLATED
def test_each_translation_is_one_word_that_is_easily_typed(language: str) -> None:
    for word, translated in own(language, {**VERBS, **OPTIONS}).items():
        assert re.fullmatch(r"[^\W\d_]+4?", translated), word
        assert translated == translated.lower()
        assert all(re.fullmatch(r"[a-z]+4?", key) for key in keys(translated)), word
    for word, shown in own(language, PLACEHOLDERS).items():
        assert re.fullmatch(r"[^\W\d_]+", shown), word
        assert shown == shown.upper()


@TRANSLATED
def test_no_word_of_a_language_has_two_meanings_or_another_one_in_english(language: str) -> None:
    assert clashes(own(language, {**VERBS, **OPTIONS})) == []
    shown = own(language, PLACEHOLDERS).values()
    assert len(set(shown)) == len(PLACEHOLDERS)


def test_a_word_with_two_meanings_is_found() -> None:
    assert clashes({"quick": "rasch", "nimble": "rasch"}) == [("nimble", "quick")]
    assert clashes({"stops": "hält", "keep": "haelt"}) == [("keep", "stops")]
    assert clashes({"ram": "token"}) == [("ram", "token")]


PRINTED = {
    "en": "expose trigger disarm quick slow shockwave stealth dodge toughness invulnerability",
    "de": "aufdecken auslösen entschärfen schnell langsam schockwelle tarnung ausweichen zähigkeit unverwundbarkeit",
    "es": "revela dispara desactiva rápido lento ola infiltración esquivar resistencia invulnerabilidad",
    "fr": "découvre déclenche désamorce rapide lent onde discrétion esquive résistance invulnérabilité",
    "it": "svela attiva disattiva veloce lento onda nascondersi schivare resistenza invulnerabilità",
}
"""As the sheet of each language calls these actions and abilities."""


@pytest.mark.parametrize("language", PRINTED)
def test_actions_and_abilities_are_called_what_their_sheet_calls_them(language: str) -> None:
    assert [own(language, WORDS)[word] for word in PRINTED["en"].split()] == PRINTED[language].split()


@pytest.mark.parametrize(
    ("language", "typed", "english"),
    [
        ("de", "betreten T05 aria fliegend hält 3 2", "enter T05 aria flying stops 3 2"),
        ("de", "BETRETEN t05 Aria LEICHTFUESSIG leichtfüssig 3", "enter t05 Aria nimble nimble 3"),
        ("de", "losreissen T01 ann 4", "break T01 ann 4"),
        ("de", "losreißen T01 ann haelt halt", "break T01 ann stops stops"),
        ("de", "pru\u0308fen", "check"),
        ("de", "schneiden T01 ann n o 3", "pass T01 ann n e 3"),
        ("de", "schockwelle T01 ann würfeln 8", "shockwave T01 ann roll 8"),
        ("de", "auslösen T01 ann schockwelle", "trigger T01 ann shockwave"),
        ("de", "treffen T01 ann TROTZDEM", "hits T01 ann anyway"),
        ("es", "corta T01 ann n o 3", "pass T01 ann n w 3"),
        ("es", "desactiva T01 ann rapido 3 4 5 infiltracion", "disarm T01 ann quick 3 4 5 stealth"),
        ("fr", "desamorce T01 ann lent 3 4 5 néanmoins", "disarm T01 ann slow 3 4 5 anyway"),
        ("it", "fauci T01 illeso", "jaws T01 unharmed"),
        ("en", "enter   T01\tann 3", "enter T01 ann 3"),
        ("de", "enter T01 ann flying 3 2", "enter T01 ann flying 3 2"),
        ("de", "fliegend T01 enter", "fliegend T01 enter"),
        ("de", "", ""),
    ],
)
def test_a_line_of_the_table_becomes_english(language: str, typed: str, english: str) -> None:
    assert in_english(typed, words(language)) == english


def test_a_name_is_never_a_word_of_the_table() -> None:
    keep = frozenset({"schnell", "halt"})
    assert in_english("entschärfen T01 Schnell langsam 3", GERMAN, keep) == "disarm T01 Schnell slow 3"
    assert in_english("betreten T01 Halt hält", GERMAN, keep) == "enter T01 Halt stops"
    assert in_english("held ANN Rot schnell gift", GERMAN) == "hero ANN Rot quick venom"
    assert in_english("regel falle gift", GERMAN) == "rule falle gift"


@pytest.mark.parametrize("name", ["Schnell", "haelt", "quick", "Undo", "figur"])
def test_a_name_that_would_hide_a_word_is_taken(name: str) -> None:
    assert is_taken(name, GERMAN)
    assert not is_taken(f"{name}y", GERMAN)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("verb", USAGE)
def test_what_is_shown_may_be_typed(language: str, verb: str) -> None:
    """Every usage line, in every language."""
    usage = re.sub(r"[\[\]|]", " ", USAGE[verb][0])
    english = ["T01" if word in PLACEHOLDERS else word for word in usage.split()]
    shown = in_language(usage, words(language)).split()
    named = own(language, PLACEHOLDERS).values()
    typed = ["T01" if word in named and word == word.upper() else word for word in shown]
    assert in_english(" ".join(typed), words(language)).split() == english


def test_a_line_to_type_and_its_usage_are_shown_as_the_table_types_them() -> None:
    assert in_language("hits T05 aria DIE DIE", GERMAN) == "treffen T05 aria WÜRFEL WÜRFEL"
    assert in_language("hero SEAT red flying", GERMAN) == "held PLATZ red fliegend"
    assert in_language("disarm SQUARE SEAT quick|slow DIE [speed N]", GERMAN) == (
        "entschärfen FELD PLATZ schnell|langsam WÜRFEL [tempo N]"
    )
    assert with_english("jaws SQUARE harmed|unharmed", GERMAN) == "maul FELD verletzt|unverletzt (jaws)"
    assert with_english("status", GERMAN) == "status"
    assert with_english("jaws SQUARE harmed|unharmed", words("en")) == "jaws SQUARE harmed|unharmed"


def test_a_note_shows_a_line_to_type_in_the_readers_words_and_names_as_they_are() -> None:
    note = Note(
        "Type: {line}",
        {"square": "T05", "seat": "N", "hero": "red {DIE}"},
        typed={"line": "hits {square} {seat} {hero} DIE, red"},
    )
    assert note.text(GERMAN) == "Type: treffen T05 N red {DIE} WÜRFEL, rot"
    assert note.text(words("en")) == "Type: hits T05 N red {DIE} DIE, red"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("betrehten", "meinst du „betreten“?"),
        ("entschaerfe", "meinst du „entschärfen“?"),
        ("disram", "meinst du „disarm“?"),
        ("xyz", "„hilfe“ listet alle auf."),
    ],
)
def test_a_mistyped_verb_gets_a_guess_in_the_tables_language(typed: str, told: str) -> None:
    assert hint(typed, ("enter", "disarm"), GERMAN) == told


def test_a_language_without_words_of_its_own_has_the_english_ones() -> None:
    for speak in (words(PSEUDO_LANGUAGE), words("tlh"), str):
        assert in_language("enter SQUARE WHO [flying]", speak) == "enter SQUARE WHO [flying]"
        assert in_english("enter T01 ann flying", speak) == "enter T01 ann flying"
