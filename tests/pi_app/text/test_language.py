"""Words in every language, and the list of all that translators have to translate.

`python -m tests.pi_app.text.test_language` writes all catalogues again, as `make words` does.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message

from pi_app.displays import letters
from pi_app.game.trap_table import Trap
from pi_app.game.trap_words import EFFECTS, TRAP_NAMES, effect, trap_name
from pi_app.text.language import LOCALE, OR, QUOTED, SIMULATED, Plural, counted, decimal, listed, words
from pi_app.text.table_words import OPTIONS, PLACEHOLDERS, VERBS, in_language
from tests import catalogues

TRANSLATORS = pytest.mark.parametrize("language", catalogues.TRANSLATED)


def unreadable(source: Path) -> list[str]:
    """Marks around anything but plain strings: gettext's tools find nothing there."""
    return [
        f"{source.name}:{node.lineno}"
        for node in catalogues.marks(source)
        if not all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in node.args)
    ]


def test_a_mark_stands_around_plain_strings() -> None:
    assert [place for source in catalogues.sources() for place in unreadable(source)] == []


def test_a_mark_around_something_that_cannot_be_extracted_is_found(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text('N_("fine" " and joined")\nw.N_(f"not {fine}")\nNN_("one", many)\n', encoding="utf-8")
    assert unreadable(source) == ["some.py:2", "some.py:3"]


def test_marks_are_found_wherever_they_stand(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text("""w.N_("one")\nf(N_("two"), print("three"))\nf"{words(N_('four'))} five"\n""", encoding="utf-8")
    assert [ast.literal_eval(node.args[0]) for node in catalogues.marks(source)] == ["one", "two", "four"]


def test_the_list_for_translators_holds_exactly_the_marked_strings() -> None:
    assert catalogues.LIST.read_bytes() == catalogues.text_of(catalogues.template()), AGAIN


AGAIN = "marked strings or translations have changed; write the catalogues again: make words"


@TRANSLATORS
def test_a_catalogue_has_exactly_the_strings_that_are_marked(language: str) -> None:
    assert catalogues.file_of(language).read_bytes() == catalogues.text_of(catalogues.updated(language)), AGAIN


@TRANSLATORS
def test_what_the_program_reads_is_what_the_catalogue_says(language: str) -> None:
    compiled = catalogues.file_of(language).with_suffix(".mo").read_bytes()
    assert compiled == catalogues.compiled(catalogues.read(language)), AGAIN


PLURALS = {"de": "(n != 1)", "es": "(n != 1)", "fr": "(n > 1)", "it": "(n != 1)"}
"""Gettext's own rules: two forms. CLDR's, which Babel 2.19 takes, have a third for millions; no sentence needs it."""


@pytest.mark.parametrize("language", PLURALS)
def test_the_plural_rule_is_the_catalogues_own_and_no_tool_is_named(language: str) -> None:
    with catalogues.file_of(language).with_suffix(".mo").open("rb") as file:
        header = GNUTranslations(file).info()
    assert header == {
        "language": language,
        "plural-forms": f"nplurals=2; plural={PLURALS[language]};",
        "mime-version": "1.0",
        "content-type": "text/plain; charset=utf-8",
        "content-transfer-encoding": "8bit",
    }
    counted_messages = [message for message in catalogues.read(language) if message.pluralizable]
    assert {len(catalogues.forms(message.string)) for message in counted_messages} == {2}


def test_a_catalogues_own_plural_rule_wins_over_any_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fr/LC_MESSAGES").mkdir(parents=True)
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    header = 'msgid ""\nmsgstr ""\n"Language: fr\\n"\n"Plural-Forms: nplurals=2; plural=(n > 6);\\n"\n\n'
    counts = 'msgid "{n} click"\nmsgid_plural "{n} clicks"\nmsgstr[0] "{n} clic"\nmsgstr[1] "{n} clics"\n'
    catalogues.file_of("fr").write_text(header + counts, encoding="utf-8")
    french = GNUTranslations(io.BytesIO(catalogues.compiled(catalogues.read("fr"))))
    assert [french.ngettext("{n} click", "{n} clicks", n) for n in (1, 6, 7)] == ["{n} clic", "{n} clic", "{n} clics"]


@TRANSLATORS
def test_nothing_is_missing_and_nothing_is_a_guess(language: str) -> None:
    there = {catalogues.forms(message.id) for message in catalogues.translated(catalogues.read(language))}
    wanted = [catalogues.forms(message.id) for message in catalogues.template() if message.id]
    assert [each for each in wanted if each not in there] == []


@TRANSLATORS
def test_translations_keep_what_the_program_fills_in_and_counts(language: str) -> None:
    for message in catalogues.translated(catalogues.read(language)):
        for own, theirs in pairs(message):
            assert kept(own) == kept(theirs), (own, theirs)


@TRANSLATORS
def test_no_number_of_a_sentence_is_lost_in_translation(language: str) -> None:
    lost = [
        (own, theirs)
        for message in catalogues.translated(catalogues.read(language))
        for own, theirs in pairs(message)
        if Counter(re.findall(r"\d+", own)) - Counter(re.findall(r"\d+", theirs))
    ]
    assert lost == []


QUOTES = {"de": "", "fr": ""}
"""Marks beside those of the message `'{word}'`; other languages may have the English ones for buttons or inside «»."""
STRANGE = "'\"‘“”„«»"


@TRANSLATORS
def test_translations_are_typeset_with_the_quotation_marks_of_their_language(language: str) -> None:
    strange = set(STRANGE) - set(words(language)(QUOTED)) - set(QUOTES.get(language, "“”"))
    for message in catalogues.translated(catalogues.read(language)):
        for text in catalogues.forms(message.string):
            assert text == catalogues.typeset(text, language)
            assert not strange & set(text), text


@pytest.mark.parametrize(
    ("language", "typed", "printed"),
    [
        (
            "fr",
            "Non ! L'un : « {one} » ; l'autre ?",
            "Non\u202f! L’un\u00a0: «\u00a0{one}\u00a0»\u202f; l’autre\u202f?",
        ),
        ("fr", "a  ! b  : c {line}:{column}", "a  ! b  : c {line}:{column}"),
        ("it", "l'altro : «{one}» ?", "l’altro : «{one}» ?"),
    ],
)
def test_plain_blanks_and_apostrophes_are_typeset(language: str, typed: str, printed: str) -> None:
    assert catalogues.typeset(typed, language) == printed
    assert catalogues.typeset(printed, language) == printed


FORMAL = {
    "de": r"\b(?:Ihr|Ihre[mnrs]?|Ihnen|(?:haben|können|müssen|drehen|halten|sehen|warten|sagen) Sie)\b",
    "es": r"\b(?:[Uu]sted(?:es)?|[Pp]ulse|[Ee]spere|Diga|[Tt]oque|[Ee]lija|[Cc]ompruebe)\b",
    "fr": r"\b(?:[Vv]ous|[Vv]otre|[Vv]os|[Tt]ournez|[Tt]enez|[Aa]ttendez|[Dd]ites|[Rr]egardez|[Vv]érifiez)\b",
    "it": r"\b(?:Lei|Suo|Sua|[Tt]enga|[Aa]spetti|[Dd]ica|[Gg]uardi|[Tt]occhi|[Ss]celga|[Cc]ontrolli)\b",
}


@pytest.mark.parametrize("language", FORMAL)
def test_one_player_is_spoken_to_as_a_friend(language: str) -> None:
    """The whole table may be asked together (`Prenez en photo`)."""
    said = [text for each in catalogues.translated(catalogues.read(language)) for text in catalogues.forms(each.string)]
    assert [text for text in said if re.search(FORMAL[language], text)] == []


def pairs(message: Message) -> Iterator[tuple[str, str]]:
    """Each form of a message with its translation."""
    yield from ((catalogues.forms(message.id)[-1], each) for each in catalogues.forms(message.string))


RULE = re.compile(r"^/|[A-Z]+(?:-[A-Z]+)*-[0-9]+|N\+|AS5600|GND|VDD5V|DIR|`[^`]*`|[▬·←→↑↓]")


def kept(text: str) -> dict[str, object]:
    """What a translation may not change: placeholders, lines, blanks at the ends, ids and keys."""
    return {
        "placeholders": catalogues.placeholders(text),
        "lines": text.count("\n"),
        "ends": (text[0].isspace(), text[-1].isspace()),
        "ends a sentence": text.rstrip()[-1] in ".!?",
        "ids": sorted(RULE.findall(text)),
    }


@pytest.mark.parametrize(
    "spoilt",
    ["{nam} says (T-EXP-4).", "{name} says.", "{name} says\n(T-EXP-4).", " {name} says (T-EXP-4).", "{name} (T-EXP-4)"],
)
def test_a_spoilt_translation_is_noticed(spoilt: str) -> None:
    assert kept("{name} says (T-EXP-4).") != kept(spoilt)


@pytest.mark.parametrize("path", catalogues.MADE, ids=lambda path: path.name)
def test_what_is_made_of_the_catalogues_is_as_they_are(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == catalogues.MADE[path](), AGAIN


WORD = "|".join({**OPTIONS, **PLACEHOLDERS})
TYPED = re.compile(
    rf"(?:type: |Type '|Say '|or: |as: |; ')((?:{'|'.join(VERBS)})\b"
    rf"(?: (?:\{{\w+\}}|[RT]-[A-Z]+-\d+|\.\.\.|(?:{WORD})(?!\w)))*)"
)
"""A line to type, in a sentence that asks for it."""


def typed_lines(message: str) -> list[str]:
    return TYPED.findall(message)


@TRANSLATORS
def test_a_sentence_asks_for_a_line_in_the_tables_own_words(language: str) -> None:
    found = 0
    for message in catalogues.translated(catalogues.read(language)):
        if all(file.startswith("pi_app/rooms/") for file, _ in message.locations):
            continue  # the words of rotating rooms are English in every language
        for own, theirs in pairs(message):
            for line in typed_lines(own):
                found += 1
                assert in_language(line, words(language)) in theirs, own
            assert re.search(r"\b(?<!{)(?:un)?harmed\b", theirs) is None, theirs
    assert found > 10


def test_a_line_to_type_is_found_in_its_sentence() -> None:
    assert typed_lines("Roll, and type: hits {square} dodge DIE DIE (T-1).") == ["hits {square} dodge DIE DIE"]
    assert typed_lines("First type: keep {seat}, or: put {seat}") == ["keep {seat}", "put {seat}"]
    assert typed_lines("Type 'new' to begin one; type it again.") == ["new"]


PRINTED = {
    "de": "Kreissäge, Käfig, 3t-Gewicht, Feuerstöße, Maul der Verdammnis, Monströse Hand, Ätzender Säureteich, "
    "Speer-Fallgrube",
    "es": "Sierra, Jaula, Peso, Chorros de fuego, Mandíbulas de condenación, Mano monstruosa, "
    "Charca de ácido venenoso, Fosa de estacas",
    "fr": "Scies tournoyantes, Cage, Chute d’objet, Jets de flammes, Mâchoires de la Mort, Main Monstrueuse, "
    "Bassin d’acide, Fosse aux pieux",
    "it": "Sega Rotante, Gabbia, Peso in Caduta, Getti di Fiamme, Fauci del Destino, Mano Mostruosa, Pozza d’Acido, "
    "Fossa con Aculei",
}
"""As they stand on the sheet of each language (L-39: the heading's spelling)."""


@pytest.mark.parametrize("language", PRINTED)
def test_traps_are_called_what_their_sheet_calls_them(language: str) -> None:
    assert [words(language)(name) for name in TRAP_NAMES.values()] == PRINTED[language].split(", ")


TERMS = {
    "de": {"click {number}": "Klick", "exposed": "aufgedeckt", "triggered": "ausgelöst", "disarmed": "entschärft"},
    "es": {"click {number}": "click", "exposed": "revelada", "triggered": "disparada", "disarmed": "desactivada"},
    "fr": {"click {number}": "clic", "exposed": "découverte", "triggered": "déclenchée", "disarmed": "désamorcée"},
    "it": {"click {number}": "click", "exposed": "svelata", "triggered": "attivata", "disarmed": "disattivata"},
}
"""L-02: the German sheet's "Schadenswert" is a slip; the number is the click's. L-35: one word for one action."""


@pytest.mark.parametrize("language", TERMS)
def test_l_02_l_35_actions_are_called_what_their_sheet_calls_them(language: str) -> None:
    assert {message: words(language)(message).split()[0] for message in TERMS[language]} == TERMS[language]


def test_every_language_but_english_has_a_catalogue_and_every_catalogue_a_language() -> None:
    assert {path.name for path in LOCALE.iterdir() if path.is_dir()} == {*catalogues.TRANSLATED}


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ["", "A", "A and B", "A, B and C", "A, B or C", "1.5"]),
        ("de", ["", "A", "A und B", "A, B und C", "A, B oder C", "1,5"]),
        ("es", ["", "A", "A y B", "A, B y C", "A, B o C", "1,5"]),
        ("fr", ["", "A", "A et B", "A, B et C", "A, B ou C", "1,5"]),
        ("it", ["", "A", "A e B", "A, B e C", "A, B o C", "1,5"]),
    ],
)
def test_lists_and_numbers_are_written_as_people_write_them(language: str, told: list[str]) -> None:
    speak = words(language)
    lists = [listed("ABC"[:n], speak) for n in range(4)]
    assert [*lists, listed("ABC", speak, OR), decimal(1.5, speak)] == told


def test_a_form_follows_its_number_and_its_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forms = Plural("{n} click", "{n} clicks")
    assert [counted(words("en"), forms, n) for n in (0, 1, 2)] == ["{n} clicks", "{n} click", "{n} clicks"]
    said = Catalog(locale="fr", fuzzy=False)
    said.mime_headers = [("Plural-Forms", "nplurals=2; plural=(n > 1);")]
    said.add((forms.one, forms.many), ("{n} clic", "{n} clics"))
    write(tmp_path, "fr", said)
    monkeypatch.setattr("pi_app.text.language.LOCALE", tmp_path)
    french = words.__wrapped__("fr")
    assert [counted(french, forms, n) for n in (0, 1, 2)] == ["{n} clic", "{n} clic", "{n} clics"]


def test_only_the_languages_that_are_asked_for_are_loaded() -> None:
    program = (
        "import sys; from pi_app.text.language import LOCALE, words; words('en'); words('de')('dark');"
        "print('babel' in sys.modules, words.cache_info().currsize)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "2"]


def test_english_is_its_own_translation() -> None:
    english = words("en")
    assert english(SIMULATED) == "SIMULATED"
    assert english("") == ""


def test_a_language_without_a_catalogue_speaks_english() -> None:
    assert words("tlh")("Buzz Saw") == "Buzz Saw"


def test_a_catalogue_is_used_and_its_header_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = Catalog(locale="de", fuzzy=False)
    said.add("The Cage", "Käfig")
    write(tmp_path, "de", said)
    monkeypatch.setattr("pi_app.text.language.LOCALE", tmp_path)
    speak = words.__wrapped__("de")
    assert [speak(message) for message in ("The Cage", "Buzz Saw", "")] == ["Käfig", "Buzz Saw", ""]


def write(folder: Path, language: str, said: Catalog) -> None:
    home = folder / language / "LC_MESSAGES"
    home.mkdir(parents=True)
    (home / "trapdial.mo").write_bytes(catalogues.compiled(said))


def test_every_trap_has_a_name_and_an_effect() -> None:
    assert set(TRAP_NAMES) == set(EFFECTS) == {trap.value for trap in Trap}
    assert {trap_name(trap) for trap in Trap} == set(TRAP_NAMES.values())
    assert {effect(trap) for trap in Trap} == set(EFFECTS.values())
    assert effect(None) == "No trap. Free to walk until the game ends."


def test_no_two_effects_are_alike_and_all_fit_a_screen() -> None:
    texts = [effect(None), *EFFECTS.values()]
    assert len(set(texts)) == 9
    assert {text: len(letters.wrapped(text, 110)) for text in texts} == dict.fromkeys(texts, 2)


if __name__ == "__main__":
    catalogues.write_all()
