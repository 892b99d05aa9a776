"""Words in every language, and the list of all that translators have to translate.

`python -m tests.pi_app.displays.test_words` writes that list anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.displays import letters
from pi_app.displays.words import (
    EFFECTS,
    LOCALE,
    SIMULATED,
    TRAP_NAMES,
    effect,
    languages,
    trap_name,
    words,
)
from pi_app.tables import Trap

ROOT = Path(__file__).resolve().parents[3]
LIST = LOCALE / "trapdial.pot"
HEADER = """\
# Every text of Trapdial that people read. Copy it to LANGUAGE/LC_MESSAGES/trapdial.po to translate it.
msgid ""
msgstr ""
"Project-Id-Version: trapdial\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def marked(source: Path) -> Iterator[str]:
    """The strings that a file marks with N_, in order. A mark around anything but a plain string is an error."""
    marks = [
        node
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and "N_" in (getattr(node.func, "id", None), getattr(node.func, "attr", None))
    ]
    for node in sorted(marks, key=lambda node: (node.lineno, node.col_offset)):
        (argument,) = node.args
        assert isinstance(argument, ast.Constant), f"{source}:{node.lineno}: N_ needs a plain string"
        assert isinstance(argument.value, str), f"{source}:{node.lineno}: N_ needs a string"
        yield argument.value


def catalogue() -> str:
    """The list as it should be: each message once, with the files that use it."""
    places: dict[str, list[str]] = {}
    for source in sorted((ROOT / "pi_app").rglob("*.py")):
        for message in marked(source):
            files = places.setdefault(message, [])
            if (name := source.relative_to(ROOT).as_posix()) not in files:
                files.append(name)
    return HEADER + "".join(entry(message, files) for message, files in places.items())


def entry(message: str, files: list[str]) -> str:
    quoted = message.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    flag = "#, python-brace-format\n" if "{" in message else ""
    return f'\n#: {" ".join(files)}\n{flag}msgid "{quoted}"\nmsgstr ""\n'


def test_the_list_for_translators_holds_exactly_the_marked_strings() -> None:
    assert LIST.read_text(encoding="utf-8") == catalogue(), (
        "marked strings have changed; write the list anew: python -m tests.pi_app.displays.test_words"
    )


def test_a_mark_around_something_that_cannot_be_extracted_is_found(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text('N_("fine" " and joined")\nN_(f"not {fine}")\n', encoding="utf-8")
    with pytest.raises(AssertionError, match=r"some\.py:2: N_ needs a plain string"):
        list(marked(source))


def test_marks_are_found_under_either_name(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text('w.N_("one")\nf(N_("two"), print("three"))\n', encoding="utf-8")
    assert list(marked(source)) == ["one", "two"]


def test_entries_are_written_as_gettext_reads_them() -> None:
    assert entry('a "b" {c}\\', ["x.py", "y.py"]) == (
        '\n#: x.py y.py\n#, python-brace-format\nmsgid "a \\"b\\" {c}\\\\"\nmsgstr ""\n'
    )


def test_english_is_its_own_translation() -> None:
    english = words("en")
    assert english(SIMULATED) == "SIMULATED"
    assert english("") == ""
    assert "en" in languages()


def test_a_language_without_a_catalogue_speaks_english() -> None:
    assert words("tlh")("Buzz Saw") == "Buzz Saw"


def test_a_catalogue_is_used_and_its_header_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "xx" / "LC_MESSAGES"
    home.mkdir(parents=True)
    (home / "trapdial.mo").write_bytes(compiled({"": "Content-Type: text/plain; charset=UTF-8\n", "The Cage": "Käfig"}))
    monkeypatch.setattr("pi_app.displays.words.LOCALE", tmp_path)
    speak = words.__wrapped__("xx")
    assert [speak(message) for message in ("The Cage", "Buzz Saw", "")] == ["Käfig", "Buzz Saw", ""]
    assert languages() == ("en", "xx")


def compiled(messages: dict[str, str]) -> bytes:
    """A gettext .mo file (GNU gettext manual, "MO files"), little-endian, version 0, without a hash table."""
    pairs = [(key.encode(), value.encode()) for key, value in sorted(messages.items())]
    table_at, text_at = 28, 28 + 16 * len(pairs)
    tables, text = [b"", b""], b""
    for column in (0, 1):
        for pair in pairs:
            tables[column] += len(pair[column]).to_bytes(4, "little") + (text_at + len(text)).to_bytes(4, "little")
            text += pair[column] + b"\x00"
    head = (0x950412DE, 0, len(pairs), table_at, table_at + 8 * len(pairs), 0, text_at)
    return b"".join(number.to_bytes(4, "little") for number in head) + tables[0] + tables[1] + text


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
    LIST.write_text(catalogue(), encoding="utf-8")
