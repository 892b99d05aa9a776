"""Every sentence that somebody at the table can read is marked for translation, or has its reason here.

All of `pi_app` is looked at, but for the rooms in ENGLISH. A string counts as words if two words with a blank between
them stand in it, or if it is the whole of what is told or put on a screen.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from pi_app.game.effects import TrapArea
from pi_app.play.commands.words import USAGE
from pi_app.rooms.commands import USAGE as ROOMS_USAGE
from pi_app.rooms.demo import EXAMPLE
from pi_app.simulated.visitors import TEMPERS
from tests import catalogues

ROOT = Path(__file__).resolve().parents[1]

ENGLISH = {
    "pi_app/cli/": "the command line: its help, its tables and its refusals",
    "pi_app/workshop/bench/": "figures of this machine, for whoever measures it",
    "pi_app/workshop/bench/known_turns.py": "figures of this machine",
    "pi_app/centre/": "who runs a centre reads it, and the auditor, whose report is in English too",
    "pi_app/sender/outbox.py": "what is wrong with a file",
    "pi_app/sender/process.py": "what is wrong with a file",
    "pi_app/sender/records.py": "what is wrong with a file",
    "pi_app/sender/by_hand.py": "handing over by hand is done at the command line",
    "pi_app/sender/keeper.py": "why a program could not be started, in a sentence that is marked",
    "pi_app/audit/": "the auditor's report is written for organisers and compared between tables",
    "pi_app/journal/record/": "what a record proves, for whoever checks it",
    "pi_app/workshop/doctor/": "the doctor speaks about wires, with the makers' English words",
    "pi_app/plans/printed/": "who prints and builds a square reads it, with the makers' English words",
    "pi_app/plans/printed/faces/": "who prints and cuts a sheet reads it; the faces speak the language asked for",
    "pi_app/workshop/start_check.py": "as the doctor",
    "pi_app/plans/check.py": "as the doctor",
    "pi_app/pages/page/": "a page's script and its policy; its words are in pi_app/pages/page_words.py",
    "pi_app/plans/config_txt.py": "as the doctor",
    "pi_app/plans/wiring/": "wiring speaks about wires, with the makers' English words",
    "pi_app/workshop/hubs.py": "as the doctor",
    "pi_app/pages/meeting.py": "who sets up a service reads it",
    "pi_app/station/service/boot_settings.py": "problems of settings, as settings check prints them",
    "pi_app/station/service/install.py": "who sets up a service reads it",
    "pi_app/station/service/units.py": "the system's files",
    "pi_app/station/service/system_files.py": "the system's files",
    "pi_app/workshop/access_point.py": "setting up a network is done at the command line",
    "pi_app/pages/address.py": "what is wrong with a file",
    "pi_app/pages/card_codes.py": "what is wrong with a file",
    "pi_app/simulated/demo_pages.py": "what is wrong with a port of the command line",
    "pi_app/simulated/page_stream.py": "HTTP, and what is wrong with a page process, for robots and benchmarks",
    "pi_app/workshop/extras.py": "installing is done at the command line",
    "pi_app/workshop/calibrate.py": "calibrating is done at the command line",
    "pi_app/dials/calibration.py": "as calibrating",
    "pi_app/dials/learn_detents.py": "as calibrating",
    "pi_app/dials/magnet_error.py": "as calibrating",
    "pi_app/workshop/calibration_plot.py": "as calibrating",
    "pi_app/dials/detents.py": "as calibrating",
    "pi_app/plans/pictures/": "as calibrating",
    "pi_app/dials/tile_record.py": "what is wrong with a file",
    "pi_app/play/tiles.py": "what is wrong with a tile's memory: wires",
    "pi_app/settings/": "what is wrong with a file",
    "pi_app/game/trap_table.py": "what is wrong with a file",
    "pi_app/game/trap_table_file.py": "what is wrong with a file",
    "pi_app/game/ruleset.py": "what is wrong with a file",
    "pi_app/game/tokens.py": "what is wrong with a file",
    "pi_app/game/chests.py": "what is wrong with a file",
    "pi_app/game/figures.py": "what is wrong with a file",
    "pi_app/game/conversion.py": "what is wrong with a file",
    "pi_app/text/plain_file.py": "what is wrong with a file",
    "pi_app/text/user_file.py": "what is wrong with a file",
    "pi_app/text/pages.py": "the names of the documentation's pages, which are English",
    "pi_app/text/suggest.py": "what is wrong with a file",
    "pi_app/workshop/transcribe.py": "two people read a dial at the command line",
    "pi_app/play/samples_csv.py": "what is wrong with a file",
    "pi_app/play/opened.py": "what the command line refuses while a game is on",
    "pi_app/play/resuming.py": "what is wrong with a file",
    "pi_app/play/open_pages.py": "what is wrong with a file",
    "pi_app/station/public/feed.py": "what is wrong with a socket, for whoever sets a display up",
    "pi_app/audit/decode.py": "what is wrong with a file",
    "pi_app/audit/decode_lines.py": "lines of `trapdial decode`, at the command line alone",
    "pi_app/dials/unwrap.py": "what is wrong with a file",
    "pi_app/audit/replay.py": "what is wrong with a file",
    "pi_app/audit/looking_back.py": "what is wrong with a file",
    "pi_app/journal/archive.py": "what is wrong with a file",
    "pi_app/journal/": "what is wrong with a file, and with a disk that does not take it",
    "pi_app/journal/disk_trouble.py": "as the journal: what helps against a disk that does not take it",
    "pi_app/cli/stopping.py": "the command line's last line",
    "pi_app/cli/terminal.py": "the command line's standard error",
    "pi_app/simulated/streams.py": "what is wrong with a file",
    "pi_app/simulated/other_tables.py": "what is wrong with a file",
    "pi_app/text/errors.py": "what is wrong with a file",
    "pi_app/simulated/fault_option.py": "faults of twins have the names of their files",
    "pi_app/simulated/table.py": "faults of twins have the names of their files",
    "pi_app/play/dial_shapes.py": "what is wrong with a file",
    "pi_app/play/wires.py": "names a part for whoever mends it",
    "pi_app/play/parts.py": "what is wrong with a file",
    "pi_app/sender/client.py": "why a connection failed, in the words of the system and of TLS",
    "pi_app/sender/certificates.py": "as the client",
    "pi_app/plans/placement/files.py": "what is wrong with a file",
    "pi_app/rooms/audit.py": "what is wrong with a file",
    "pi_app/rooms/settings.py": "what is wrong with a file",
    "pi_app/pages/confined.py": "as the doctor",
    "pi_app/pages/cpace.py": "a mistake in the program",
    "pi_app/pages/staff_sealing.py": "a mistake in the program",
    "pi_app/pages/station_status.py": "figures for whoever watches stations",
    "pi_app/pages/listening.py": "what is wrong with a file",
    "pi_app/pages/process/": "refusals to a browser without a seat, so without a language; errors of the program",
    "pi_app/pages/supervisor.py": "as the doctor",
    "pi_app/station/package/": "builds the package, on the machine of whoever works on the program",
    "pi_app/station/troubles/start_errors.py": "reads what other modules say in English",
    "pi_app/rooms/start.py": "what is wrong with a file",
    "pi_app/plans/placement/reading.py": "what is wrong with a file",
    "pi_app/plans/placement/layers.py": "what is wrong with a file",
    "pi_app/plans/placement/problems.py": "what is wrong with a file",
    "pi_app/text/pseudo.py": "a broken installation",
    **{
        f"pi_app/station/{name}.py": "an update, for whoever keeps the machine"
        for name in (
            "service/systemctl",
            *(
                f"updates/{each}"
                for each in ("deb_file", "in_use", "placing", "trees", "trial", "trust", "update", "wheels")
            ),
        )
    },
}
"""Rooms that speak English to everybody, with the reason; wiring_docs/languages.md says the same."""


def words_in(text: str) -> bool:
    return re.search(r"[^\W\d_]{2,}[,;:.]? [^\W\d_]{2,}", text) is not None


NO_WORDS = {
    "pi_app/simulated/demo.py": {"device dice "},
    "pi_app/simulated/simulated_station.py": {"device dice "},
    "pi_app/simulated/fleet.py": {"no clock", "Brass Cog", "Old Mill", "Harbour Games"},
    "pi_app/simulated/visitors.py": {name for name in TEMPERS if " " in name},
    "pi_app/game/effects.py": {*get_args(TrapArea)},
    "pi_app/simulated/live/app.py": {"disarm dice ", "Trapdial: SIMULATED TABLE"},
    "pi_app/plans/placement/plain.py": {"dead end"},
    "pi_app/rooms/demo.py": {"turn ROOM QUARTERS", "unplug ROOM", "plug ROOM", *filter(words_in, EXAMPLE)},
    "pi_app/play/power.py": {"disk gone", "disk read-only", "disk full", "throttled bit "},
    "pi_app/station/public/scene.py": {"clear for all"},
    "pi_app/station/troubles/troubles.py": {
        *("disk gone", "disk read-only", "disk full"),
        *(f"throttled bit {number}" for number in range(4)),
    },
    "pi_app/station/staff/desk.py": {
        "not a Raspberry Pi",
        "troubles, the newest first (number, code, place, began or over, boot, its seconds, date, clock):",
    },
}
"""Strings that look like words and that nobody at a table reads: seeds of dice, lines that a demo plays, names of
troubles and of styles, how far a trap reaches, a title that no terminal shows."""

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


@functools.cache
def data() -> frozenset[str]:
    """Values that events may have: they are recorded, and not read at the table."""
    tree = ast.parse((ROOT / "pi_app/game/events.py").read_text(encoding="utf-8"))
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
