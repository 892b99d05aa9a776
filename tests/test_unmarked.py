"""Every sentence that somebody at the table can read is marked for translation, or has its reason here.

All of `pi_app` is looked at, but for the rooms in ENGLISH. A string counts as words if two words with a blank between
them stand in it, or if it is the whole of what is told or put on a screen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from pi_app.commands import USAGE
from pi_app.effects import Area
from pi_app.rooms.commands import USAGE as ROOMS_USAGE
from pi_app.rooms.demo import EXAMPLE
from tests import catalogues

ROOT = Path(__file__).resolve().parents[1]

ENGLISH = {
    "pi_app/cli/": "the command line: its help, its tables and its refusals",
    "pi_app/bench/": "figures of this machine, for whoever measures it",
    "pi_app/clicks_bench.py": "figures of this machine",
    "pi_app/auditing/": "the auditor's report is written for organisers and compared between tables",
    "pi_app/record/": "what a record proves, for whoever checks it",
    "pi_app/doctor/": "the doctor speaks about wires, with the makers' English words",
    "pi_app/printed/": "who prints and builds a square reads it, with the makers' English words",
    "pi_app/dial_faces/": "who prints and cuts a sheet reads it; the faces themselves speak the language asked for",
    "pi_app/start_check.py": "as the doctor",
    "pi_app/wiring/": "wiring speaks about wires, with the makers' English words",
    "pi_app/hub_tools.py": "as the doctor",
    "pi_app/calibrat": "calibrating is done at the command line",
    "pi_app/learning.py": "as calibrating",
    "pi_app/dial_form.py": "as calibrating",
    "pi_app/dial_plot.py": "as calibrating",
    "pi_app/detents.py": "as calibrating",
    "pi_app/plot_": "as calibrating",
    "pi_app/tile_record.py": "what is wrong with a file",
    "pi_app/tiles.py": "what is wrong with a tile's memory: wires",
    "pi_app/settings": "what is wrong with a file",
    "pi_app/tables.py": "what is wrong with a file",
    "pi_app/ruleset.py": "what is wrong with a file",
    "pi_app/tokens.py": "what is wrong with a file",
    "pi_app/chests.py": "what is wrong with a file",
    "pi_app/conversion.py": "what is wrong with a file",
    "pi_app/userfile.py": "what is wrong with a file",
    "pi_app/suggest.py": "what is wrong with a file",
    "pi_app/transcribe.py": "two people read a dial at the command line",
    "pi_app/recording.py": "what is wrong with a file",
    "pi_app/decode.py": "what is wrong with a file",
    "pi_app/decode_words.py": "lines of `trapdial decode`, at the command line alone",
    "pi_app/follow.py": "what is wrong with a file",
    "pi_app/replay.py": "what is wrong with a file",
    "pi_app/looking_back.py": "what is wrong with a file",
    "pi_app/archive.py": "what is wrong with a file",
    "pi_app/journal/": "what is wrong with a file, and with a disk that does not take it",
    "pi_app/disk_trouble.py": "as the journal: what helps against a disk that does not take it",
    "pi_app/stopping.py": "the command line's last line",
    "pi_app/terminal.py": "the command line's standard error",
    "pi_app/streams.py": "what is wrong with a file",
    "pi_app/deal.py": "what is wrong with a file",
    "pi_app/errors.py": "what is wrong with a file",
    "pi_app/wanted_faults.py": "faults of twins have the names of their files",
    "pi_app/simulated.py": "faults of twins have the names of their files",
    "pi_app/host.py": "asks the machine",
    "pi_app/dial_setups.py": "what is wrong with a file",
    "pi_app/house.py": "names a part for whoever mends it",
    "pi_app/placement/files.py": "what is wrong with a file",
    "pi_app/rooms/audit.py": "what is wrong with a file",
    "pi_app/rooms/settings.py": "what is wrong with a file",
    "pi_app/rooms/start.py": "what is wrong with a file",
    "pi_app/placement/reading.py": "what is wrong with a file",
    "pi_app/displays/pseudo.py": "a broken installation",
}
"""Rooms that speak English to everybody, with the reason; wiring_docs/languages.md says the same."""


def words_in(text: str) -> bool:
    return re.search(r"[^\W\d_]{2,}[,;:.]? [^\W\d_]{2,}", text) is not None


NO_WORDS = {
    "pi_app/demo.py": {"device dice "},
    "pi_app/effects.py": {*get_args(Area)},
    "pi_app/live/app.py": {"disarm dice ", "Trapdial: SIMULATED TABLE"},
    "pi_app/live/picture.py": {
        "Say where the picture goes: python -m pi_app.live.picture wiring_docs/demo.svg",
        " (picture) cannot be written (",
        "). Choose another place.",
    },
    "pi_app/live/svg.py": {
        "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace",
        r"font-family:\s*(?:Fira Code|arial)[^;}]*",
    },
    "pi_app/placement/plain.py": {"dead end"},
    "pi_app/rooms/demo.py": {"turn ROOM QUARTERS", "unplug ROOM", "plug ROOM", *filter(words_in, EXAMPLE)},
    "pi_app/power.py": {"disk gone", "disk read-only", "disk full", "throttled bit "},
}
"""Strings that look like words and that nobody at a table reads: seeds of dice, lines that a demo plays, names of
troubles and of styles, how far a trap reaches, a title that no terminal shows, the maker of the docs' picture."""

SINKS = {"_tell", "RefusedError", "Say", "ShowDie"}
"""What these are handed is read by somebody: not even one word goes in without a mark."""


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def strings(node: ast.AST) -> Iterator[ast.Constant]:
    yield from (each for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str))


def for_programmers(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a file that no player reads: docstrings, types, names of values and events, broken promises."""
    match node:
        case ast.Expr(value=ast.Constant()):
            yield node
        case ast.Call() if name_of(node) in catalogues.MARKS:
            yield node
        case ast.Call() if name_of(node).endswith(("Error", "CannotDraw")) and name_of(node) not in SINKS:
            yield node
        case ast.Assert(msg=ast.expr() as said):
            yield said
        case ast.Subscript(value=ast.Name(id="Literal")):
            yield node
        case ast.ClassDef(keywords=given, bases=bases, body=body):
            yield from given
            if any(isinstance(base, ast.Attribute) and base.attr == "Enum" for base in bases):
                yield from body
        case ast.Assign(targets=[ast.Name(id="CSS")]):
            yield node
        case _:
            pass


def unmarked(tree: ast.Module, data: frozenset[str] = frozenset()) -> list[tuple[int, str]]:
    """Line and text of every string that should be marked; `data` are names of values, and usage lines."""
    spared = {id(each) for node in ast.walk(tree) for part in for_programmers(node) for each in strings(part)}
    found = [each for each in strings(tree) if id(each) not in spared and words_in(str(each.value))]
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and name_of(node) in SINKS):
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            parts = [*strings(argument)] if isinstance(argument, ast.Constant | ast.JoinedStr | ast.Tuple) else []
            found += [part for part in parts if id(part) not in spared and re.search(r"[^\W\d_]", str(part.value))]
    return sorted({(each.lineno, str(each.value)) for each in found if each.value not in data})


def data() -> frozenset[str]:
    """Values that events may have: they are recorded, and not read at the table."""
    tree = ast.parse((ROOT / "pi_app/events.py").read_text(encoding="utf-8"))
    literals = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal"
    ]
    values = {str(each.value) for node in literals for each in strings(node)}
    return frozenset({*values, *(usage for usage, _ in (*USAGE.values(), *ROOMS_USAGE.values()))})


def speaks_english(file: str) -> bool:
    return any(file.startswith(room) for room in ENGLISH)


FILES = [file for source in catalogues.sources() if not speaks_english(file := source.relative_to(ROOT).as_posix())]


@pytest.mark.parametrize("file", FILES)
def test_what_the_table_reads_is_marked(file: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert [found for found in unmarked(tree, data()) if found[1] not in NO_WORDS.get(file, ())] == []


def test_every_reason_is_still_needed() -> None:
    names = [source.relative_to(ROOT).as_posix() for source in catalogues.sources()]
    assert [room for room in ENGLISH if not any(name.startswith(room) for name in names)] == []
    for file, allowed in NO_WORDS.items():
        there = {text for _, text in unmarked(ast.parse((ROOT / file).read_text(encoding="utf-8")), data())}
        assert allowed <= there, file


@pytest.mark.parametrize(
    "slip",
    [
        'self._tell(PUBLIC.name, "Hello")',
        'self._tell(PUBLIC.name, f"{name}: hello")',
        'Say(("Wait.",), label)',
        'Say(lines=("Wait.",))',
        'raise RefusedError("No.")',
        'NOTES = {"one": "It is not there."}',
        'told = f"{square} cannot be read"',
        'print("Please wait")',
    ],
)
def test_a_string_without_a_mark_is_found(slip: str) -> None:
    assert len(unmarked(ast.parse(slip))) == 1


@pytest.mark.parametrize(
    "fine",
    [
        'self._tell(PUBLIC.name, self._words(N_("Hello you")))',
        'Say((words(N_("Wait here.")),), "")',
        'def f() -> None:\n    """It does this."""',
        'raise ValueError("this cannot be")',
        'assert x, "this cannot be"',
        'Way = Literal["taken back"]',
        'class State(enum.Enum):\n    ON = "it is on"',
        'class Lost(Event, tag="dial lost"):\n    pass',
        'square = f"{label} "',
    ],
)
def test_what_nobody_reads_needs_no_mark(fine: str) -> None:
    assert unmarked(ast.parse(fine)) == []
