"""The catalogues: which strings are marked, what each language has for them, and the files made from both.

`python -m tests.catalogues` (or `make words`) writes all of them again: the list of marked strings, each language's
`.po` with what is new in it (empty, or a guess marked fuzzy where a string has only changed) and without what is gone,
the `.mo` that the program reads, and what is made of them: the page of cards to print, the page of the table's words,
the early words of the phones' page, the words of the staff page's door, and the languages in wiring_docs.
"""

from __future__ import annotations

import ast
import io
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from pi_app.pages.page_words import PAGE_WORDS
from pi_app.pages.staff_words import DOOR_WORDS
from pi_app.report.lamp_code import card
from pi_app.text.language import (
    DOMAIN,
    HELP_HOLD,
    HELP_TAP,
    HELP_TITLE,
    HELP_TURN,
    LOCALE,
    SOURCE_LANGUAGE,
    words,
)
from pi_app.text.languages import LANGUAGES, OWN_NAMES
from pi_app.text.table_words import OPTIONS, PLACEHOLDERS, VERBS
from tests.docs import lists

ROOT = Path(__file__).resolve().parents[1]
LIST = LOCALE / f"{DOMAIN}.pot"
TRANSLATED = tuple(language for language in LANGUAGES if language != SOURCE_LANGUAGE)
MARKS = ("N_", "NN_")
ABOUT = "# Every text of Trapdial that people read. wiring_docs/languages.md says how to translate and correct it."


def sources() -> list[Path]:
    return sorted((ROOT / "pi_app").rglob("*.py"))


def marks(source: Path) -> list[ast.Call]:
    """Where a file marks strings, in order. (Babel's own search does not look into f-strings on every Python.)"""
    found = []
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found += [node] if name in MARKS else []
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


@cache
def template() -> Catalog:
    """Each marked string once, with the files that use it."""
    made = Catalog(project="trapdial", header_comment=ABOUT)
    for source in sources():
        place = (source.relative_to(ROOT).as_posix(), 0)
        for node in marks(source):
            strings = tuple(str(ast.literal_eval(argument)) for argument in node.args)
            found = strings[0] if len(strings) == 1 else strings
            made.add(found, locations=[place], flags=["python-brace-format"] if "{" in strings[-1] else [])
            made[found].flags.discard("python-format")
    return made


APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
FRENCH = (
    (re.compile(r"(?<=\S)\s([;!?])"), "\u202f\\1"),
    (re.compile(r"(?<=\S)\s(:)(?=\s|$)"), "\u00a0\\1"),
    (re.compile(r"(«)\s|\s(»)"), "\\1\u00a0\\2"),
)
"""French has a blank before these signs, at which no line may break: thin, or as wide as others."""


def typeset(text: str, language: str) -> str:
    """A translation with the blanks and apostrophes that a printer would set, whatever keys were at hand."""
    text = APOSTROPHE.sub("’", text)
    for found, set_as in FRENCH if language == "fr" else ():
        text = found.sub(set_as, text)
    return text


def file_of(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read(language: str) -> Catalog:
    """A language's catalogue as it lies in its file; empty if there is none."""
    if not file_of(language).exists():
        return Catalog(locale=language, project="trapdial")
    with file_of(language).open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str) -> Catalog:
    """The same with exactly the strings that are marked now, and typeset."""
    catalogue = read(language)
    catalogue.update(template())
    catalogue.obsolete.clear()
    for message in catalogue:
        message.flags.discard("python-format")
        if message.id:
            said = tuple(typeset(form, language) for form in forms(message.string))
            message.string = said if isinstance(message.id, tuple) else said[0]
    catalogue.header_comment = ABOUT
    return catalogue


HEADERS = ("Language", "Plural-Forms", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")
"""What a catalogue's header says: nothing of who wrote it, when, or with which version of a tool."""


class LeanCatalog(Catalog):
    """The translated messages of a catalogue and its own header: its file's plural rule, not Babel's of today."""

    def __init__(self, catalogue: Catalog) -> None:
        super().__init__()
        headers = dict(catalogue.mime_headers)
        self.header = "".join(f"{name}: {headers[name]}\n" for name in HEADERS if name in headers)
        for message in translated(catalogue):
            self.add(message.id, message.string)

    def __iter__(self) -> Iterator[Message]:
        yield Message("", self.header)
        yield from (message for message in super().__iter__() if message.id)


_CHANGING = re.compile(rb'"(POT-|PO-|Generated-By|Report-Msgid|Last-Translator|Language-Team|Project-Id-Version).*\n')
"""Lines of a header that say who wrote the file and when."""


def text_of(catalogue: Catalog) -> bytes:
    """The catalogue as a file that is the same whenever and by whomever it is written."""
    file = io.BytesIO()
    write_po(file, catalogue, width=120, include_lineno=False)
    return _CHANGING.sub(b"", file.getvalue()).replace(b'#, fuzzy\nmsgid ""\n', b'msgid ""\n', 1)


def compiled(catalogue: Catalog) -> bytes:
    """What gettext reads; without what is fuzzy."""
    file = io.BytesIO()
    write_mo(file, LeanCatalog(catalogue))
    return file.getvalue()


def translated(catalogue: Catalog) -> Iterator[Message]:
    """The messages that somebody has translated."""
    for message in catalogue:
        if message.id and all(forms(message.string)) and not message.fuzzy:
            yield message


def forms(text: object) -> tuple[str, ...]:
    """A message, or each form of one that counts."""
    return tuple(map(str, text)) if isinstance(text, tuple | list) else (str(text or ""),)


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


CARDS = ROOT / "wiring_docs/lamp_cards.md"


def cards() -> str:
    """The page with each language's card: a turn in three lines, and what the lamp says."""
    page = "# Cards to print\n\nPrint one for each seat, in its player's language. `make words` generates this page.\n"
    page += "[The players' card](card.md) says more.\n\n"
    page += "The code is the public one. It holds at a seat without a screen, and at another while its screen is out.\n"
    page += "[Others can be kept from reading a lamp](lamp_and_button.md#which-code-it-flashes).\n"
    for language in LANGUAGES:
        speak = words(language)
        turn = "\n".join(f"{number}. {speak(line)}" for number, line in enumerate((HELP_TAP, HELP_TURN, HELP_HOLD), 1))
        page += f"\n## {OWN_NAMES[language]}\n\n**{speak(HELP_TITLE)}**\n\n{turn}\n\n"
        page += f"```text\n{card(speak).strip()}\n```\n"
    return page


TABLE_WORDS = ROOT / "wiring_docs/table_words_languages.md"
PARTS = (("The first word", VERBS), ("The other words", OPTIONS), ("What stands for a name or a number", PLACEHOLDERS))


def table_words() -> str:
    """The page with each word of the table's command line in every language."""
    page = "# The table's words in every language\n\n"
    page += "Type the words of the table's language, with or without accents, or the English ones.\n"
    page += "At a German table `entschärfen T01 ann schnell 3 4 2`, `entschaerfen T01 ann schnell 3 4 2` and\n"
    page += "`disarm T01 ann quick 3 4 2` are the same. `help` lists the table's own words.\n\n"
    page += "[The words in full](words_in_full.md) explains each. `make words` generates this page.\n"
    for head, group in PARTS:
        rows = [[words(language)(message).removeprefix("/") for language in LANGUAGES] for message in group.values()]
        lines = [[*OWN_NAMES.values()], ["---"] * len(LANGUAGES), *rows]
        page += f"\n## {head}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return page


STAFF_WORDS = ROOT / "pi_app/pages/page/staff_words.json"


def staff_words() -> str:
    """The words of the staff page's door, as the page process reads them."""
    every = {
        language: {"name": name} | {key: words(language)(message) for key, message in DOOR_WORDS.items()}
        for language, name in OWN_NAMES.items()
    }
    return json.dumps(every, ensure_ascii=False, indent=1) + "\n"


EARLY_WORDS = ROOT / "pi_app/pages/page/words.js"
EARLY = ("connecting", "lost", "code", "game", "full", "disk", "moved", "over", "scan")
"""The words that a phone needs before its first frame."""
EARLY_LANGUAGES = LANGUAGES[:5]
"""The page has room for so many (`pi_app.pages.page.MOST_BYTES`). A phone in another one reads English until then."""


def early_words() -> str:
    """The script with these words in several languages, and the phone's own language."""
    made = "// The few words that a phone needs before its first frame, in its own language. `make words` writes it.\n"
    made += '// All others come in the frame\'s `ui`.\n"use strict";\n\nconst EARLY = {\n'
    for language in EARLY_LANGUAGES:
        lines = (f"    {key}: {json.dumps(words(language)(PAGE_WORDS[key]), ensure_ascii=False)},\n" for key in EARLY)
        made += f"  {language}: {{\n{''.join(lines)}  }},\n"
    return made + '};\n\nconst OWN = EARLY[(navigator.language || "en").slice(0, 2).toLowerCase()] || EARLY.en;\n'


MADE = {
    CARDS: cards,
    TABLE_WORDS: table_words,
    STAFF_WORDS: staff_words,
    EARLY_WORDS: early_words,
}
"""Every file that is made of the translations."""


def write_all() -> None:
    LIST.write_bytes(text_of(template()))
    for language in TRANSLATED:
        file_of(language).parent.mkdir(parents=True, exist_ok=True)
        catalogue = updated(language)
        file_of(language).write_bytes(text_of(catalogue))
        file_of(language).with_suffix(".mo").write_bytes(compiled(read(language)))
    for path, made in MADE.items():
        path.write_text(made(), encoding="utf-8")
    lists.write_all()


if __name__ == "__main__":
    write_all()
