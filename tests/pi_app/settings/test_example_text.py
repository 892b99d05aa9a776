"""The complete example has every section and every key that the settings can have, and each works when uncommented."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping

import msgspec
import pytest

from pi_app.settings import load as settings
from pi_app.settings.example_text import ADD_ONS, COMPLETE, FULL, example_text, section_text
from pi_app.settings.model import Settings
from pi_app.settings.trap_tables import tables_beside
from tests.docs.sections import SECTIONS

HEAD = re.compile(r"(?:# )?\[\[?([\w.]+)\]?\]")
KEY = re.compile(r"(?:# )?(\w+) = ")
NAMES = re.compile(r"^(bus|hub|square|seat)\.\w+")
OFF = "# "

KINDS = {head.strip("`[]"): kind for head, kind in SECTIONS.items()}
"""The struct of each section: `table`, `bus.NAME.mux`, ..."""

IN_SECTIONS_OF_THEIR_OWN = {("bus.NAME", "mux"), ("seat.KEY", "lamp"), ("seat.KEY", "screen")}


def keys_of(kind: type[msgspec.Struct]) -> set[str]:
    return {field.name for field in msgspec.structs.fields(kind)}


def example_keys(text: str) -> Iterator[tuple[str, str]]:
    """Yield each section and key of a text, also those that are commented out."""
    section = ""
    for line in text.splitlines():
        if head := HEAD.match(line):
            section = NAMES.sub(lambda found: f"{found[1]}.{NAMED[found[1]]}", head[1])
        elif key := KEY.match(line):
            yield section, key[1]


NAMED = {"bus": "NAME", "hub": "NAME", "square": "LABEL", "seat": "KEY"}


def commented_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each block that is commented out begins and ends: a section to its last line, or a key that stands
    alone."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        end = at + 1
        if lines[at].startswith("# ["):
            while end < len(lines) and lines[end].startswith("#"):
                end += 1
            yield at, end
        elif lines[at].startswith(OFF) and KEY.match(lines[at]):
            yield at, end
        at = end


def uncomment(text: str, first: int, end: int) -> str:
    lines = text.splitlines()
    lines[first:end] = [line.removeprefix(OFF) for line in lines[first:end]]
    return "\n".join(lines)


def parse(text: str) -> object:
    return settings.parse(text, "trapdial.toml", tables_beside(settings.example_path(COMPLETE)))


def test_the_schema_is_the_one_that_the_settings_are_read_by() -> None:
    assert {section.split(".")[0] for section in KINDS} == set(settings.SECTIONS)


def test_every_setting_is_in_the_complete_example_and_no_other() -> None:
    wanted = {(section, key) for section, kind in KINDS.items() for key in keys_of(kind)} - IN_SECTIONS_OF_THEIR_OWN
    assert set(example_keys(example_text(COMPLETE))) == wanted


@pytest.mark.parametrize(("first", "end"), list(commented_blocks(example_text(COMPLETE))))
def test_each_commented_block_passes_the_check_when_it_is_uncommented(first: int, end: int) -> None:
    text = uncomment(example_text(COMPLETE), first, end)
    assert tomllib.loads(text) != tomllib.loads(example_text(COMPLETE))
    assert isinstance(parse(text), Settings), parse(text)


def test_everything_uncommented_at_once_passes_the_check() -> None:
    text = example_text(COMPLETE)
    for first, end in commented_blocks(text):
        text = uncomment(text, first, end)
    read = parse(text)
    assert isinstance(read, Settings), read
    assert (read.station, read.pages, read.centre) != (None, None, None)
    assert read.hubs


@pytest.mark.parametrize("name", ADD_ONS)
def test_a_section_of_its_own_shows_the_usual_values(name: str) -> None:
    """A key that is required has a made-up value."""
    kind = KINDS[name]
    written: Mapping[str, object] = tomllib.loads(section_text(name))[name]
    usual = {field.name: field for field in msgspec.structs.fields(kind) if not field.required}
    values = {key: value for key, value in written.items() if key in usual}
    assert values == {key: _default(field) for key, field in usual.items()}


def _default(field: msgspec.structs.FieldInfo) -> object:
    default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return [*default] if isinstance(default, tuple) else default


@pytest.mark.parametrize("size", FULL)
def test_every_full_example_ends_with_the_sections_of_their_own(size: str) -> None:
    heads = [line for line in example_text(size).splitlines() if HEAD.match(line)]
    assert heads[-len(ADD_ONS) :] == [f"# [{name}]" for name in ADD_ONS]


@pytest.mark.parametrize("size", ["starter", "station"])
def test_an_example_for_one_purpose_is_printed_as_it_is(size: str) -> None:
    assert example_text(size) == settings.example_path(size).read_text()


def test_each_key_has_a_comment_at_one_of_its_lines() -> None:
    text = example_text(COMPLETE)
    explained = "\n".join(line for line in text.splitlines() if HEAD.match(line) or " # " in line.removeprefix(OFF))
    assert set(example_keys(text)) - set(example_keys(explained)) == set()
