"""A stranger sends a journal, a table file or a file's name with escape sequences, invisible letters and changes of the
writing direction. He wants them to reach a terminal, a page or a spreadsheet: to set the window's title, to hide a line,
to turn NOT PROVEN into GENUINE, to run a formula or a script.

Every command is tried, also one that is added later: it fails here until it has a case.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.dials.calibration import Calibration, dump
from pi_app.game import events as ev
from pi_app.game.trap_table_file import sample_path
from pi_app.rooms.settings import example
from pi_app.settings.load import example_path
from tests.attack.dirty import ARGUMENT, BIDI, DIRTY, NAME, RED, TITLE, raw_files, raw_letters
from tests.pi_app.audit.records import write
from tests.pi_app.games import EVERY_KIND, exposes, rolled, started, turned
from tests.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
VISIBLE = "<b>=*[x](y)|&`"
"""A name that every check of a settings file accepts: HTML, Markdown, and a formula."""


def leaves(command: click.Command, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), name)
            assert found is not None
            yield from leaves(found, *path, name)
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield " ".join(path), command


ALL = dict(leaves(main))

SETTINGS = f"{NAME}.toml"
JOURNAL = f"{NAME}.db"

CASES: dict[str, list[list[str]]] = {
    "play": [
        ["-s", SETTINGS, "--simulated", "--unchecked", "--new", "--journal", f"{NAME}2.db"],
        ["-s", "refused.toml"],
        ["-s", SETTINGS, "--journal", JOURNAL],
    ],
    "demo": [
        ["-s", SETTINGS, "--auto", "--exposes", "1", "--streams", f"{NAME}.streams", "--journal", f"{NAME}3.db"],
        ["--fault", ARGUMENT], ["--language", ARGUMENT], [ARGUMENT], ["--tables", "refused_table.toml"],
    ],
    "docs": [[ARGUMENT], ["journal#" + ARGUMENT], ["--man"]],
    "place check": [
        ["map.txt"], ["refused_map.txt"], [f"{NAME}.txt", "--json"], [f"{NAME}.txt", "-o", f"{NAME}.svg"], [ARGUMENT],
    ],
    "place new": [[f"{NAME}.new.txt"], [f"{NAME}.txt"]],
    "rules convert": [["2", "figures", "50", "points", "--pool", file] for file in ("pool.toml", "refused_pool.toml")],
    "rooms audit": [["rooms.db"], ["rooms.db", "--json"], [JOURNAL], [ARGUMENT]],
    "rooms demo": [["-s", f"{NAME}.rooms.toml"], ["-s", "refused.toml"], ["--language", ARGUMENT]],
    "rooms example": [[]],
    "rooms play": [["-s", "refused.toml"], [f"{NAME}.rooms.toml"], [ARGUMENT]],
    "settings check": [["-s", SETTINGS], ["-s", "refused.toml"], ["-s", "refused.toml", "--json"], [ARGUMENT]],
    "settings example": [["starter"], [ARGUMENT]],
    "tables check": [[f"{NAME}.table.toml", "refused_table.toml"], ["--json", "refused_table.toml"], [ARGUMENT]],
    "tables faces": [
        [f"{NAME}.table.toml", "-o", f"{NAME}.faces.svg", "--full"], ["refused_table.toml", "-o", "x.svg"],
        ["sample:SAMPLE-A", "-o", ARGUMENT], ["sample:SAMPLE-A", "-o", "x.svg", "--language", ARGUMENT],
    ],
    "tables new": [[f"{NAME}.new.toml"], [SETTINGS]],
    "tables show": [[f"{NAME}.table.toml"], ["refused_table.toml"], [ARGUMENT, "--journal", JOURNAL]],
    "wiring": [
        ["-s", SETTINGS, "--check"], ["-s", SETTINGS, "--check", "--json"], ["-s", SETTINGS, "-o", f"{NAME}.wiring"],
        ["-s", "refused.toml", "--check"],
    ],
    "doctor": [
        ["-s", SETTINGS, "--simulated", "--seconds", "0.1", "-o", f"{NAME}.doctor.svg"], ["-s", "refused.toml"],
        ["-s", SETTINGS, "--simulated", "--seconds", "0.1", "--json", "--fault", f"T01={ARGUMENT}"],
        ["-s", SETTINGS, "--simulated", "--fault", ARGUMENT],
    ],
    "calibrate": [
        ["-s", SETTINGS, "--square", "T01", "--simulated", "--auto", "-o", f"{NAME}.calibration.toml"],
        ["-s", SETTINGS, "--square", ARGUMENT], ["-s", "refused.toml"], ["-s", SETTINGS, "--plot", ARGUMENT],
        ["-s", SETTINGS, "-o", "refused_calibration.toml", "--known", "--plot", "x.svg"],
    ],
    "hub decode": [[ARGUMENT], []],
    "hub diag": [[ARGUMENT], ["--port", ARGUMENT], ["-s", "refused.toml"]],
    "hub install": [[ARGUMENT], ["-s", "refused.toml", "--board-file", SETTINGS]],
    "hub list": [["--port", ARGUMENT], ["--json", "--port", ARGUMENT]],
    "hub monitor": [[ARGUMENT], ["--angles", "-s", ARGUMENT, "--port", ARGUMENT]],
    "hub reset": [[ARGUMENT], ["--port", ARGUMENT]],
    "extras": [[], [ARGUMENT]],
    "extras install": [[ARGUMENT]],
    "completion": [["bash"], [ARGUMENT]],
    "journal delete": [[JOURNAL, ARGUMENT], [JOURNAL, "g1"], [ARGUMENT, "g1"]],
    "journal export": [[JOURNAL], [JOURNAL, "-o", f"{NAME}.jsonl"], [JOURNAL, "--witness", ARGUMENT], [ARGUMENT]],
    "journal head": [[JOURNAL], [JOURNAL, "--json"], [SETTINGS]],
    "journal merge": [[JOURNAL, "open.db", "-o", f"{NAME}.archive.db"], [JOURNAL, JOURNAL, "-o", SETTINGS], [ARGUMENT, "-o", "x"]],
    "journal verify": [[JOURNAL, "open.db", "damaged.db"], ["--json", JOURNAL], [JOURNAL, "--witness", SETTINGS], [ARGUMENT]],
    "audit": [
        [JOURNAL, "--rules", "--stats"], [JOURNAL, "--json", "--stats"], [JOURNAL, "--csv"], ["damaged.db"], ["open.db"],
        [JOURNAL, "-o", f"{NAME}.html", "--sign"], [ARGUMENT], [JOURNAL, "--witness", ARGUMENT],
    ],
    "audit verify": [[f"{NAME}.html", "--journal", JOURNAL], [SETTINGS], [ARGUMENT], ["forged.html"]],
    "replay": [
        [JOURNAL, "--lines"], [JOURNAL, "--json"], [JOURNAL, "--as", "public"], [JOURNAL, "--as", "ANN"], ["damaged.db"],
        [JOURNAL, "--as", "referee"], [JOURNAL, "--as", ARGUMENT], [JOURNAL, "--as", "ANN", "--until", ARGUMENT],
        [JOURNAL, "--as", "ANN", "-o", f"{NAME}.png"], [ARGUMENT], [JOURNAL, "--as", "log"],
    ],
    "record": [
        ["-s", SETTINGS, "--simulated", "--seconds", "0.2", "-o", f"{NAME}.csv"], ["-s", "refused.toml", "-o", "x.csv"],
        ["-s", SETTINGS, "-o", "x.csv", "--square", ARGUMENT],
    ],
    "decode": [
        [f"{NAME}.trace.csv"], ["refused_trace.csv"], [ARGUMENT], ["trace.csv", "--calibration", "refused_calibration.toml"],
        ["trace.csv", "--calibration", "calibration.toml", "--square", ARGUMENT],
    ],
    **{f"bench {name}": [["--strict", ARGUMENT]] for name in (
        "clicks", "cpu", "hub", "journal", "latency", "memory", "peers", "scan", "soak", "start", "wiring")},
}  # fmt: skip
"""What is typed after each command. The files are made by `folder`."""

TYPED = b"help\n" + DIRTY.encode(errors="surrogatepass") + b"\nab\xff\nclaim <b>\nwarrior x\nsim x\nquit\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's files."""
    folder = tmp_path_factory.mktemp("stranger")
    fill(folder)
    return folder


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a hostile name and a stranger's files in it."""
    folder = tmp_path / NAME
    shutil.copytree(files, folder)
    monkeypatch.chdir(folder)
    return folder


def fill(folder: Path) -> None:
    good = example_path("2x2").read_text(encoding="utf-8")
    named, sample = renamed(good, VISIBLE), sample_path("SAMPLE-12").read_text(encoding="utf-8")
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in TITLE + RED + BIDI)
    toml = {
        SETTINGS: named,
        "refused.toml": renamed(good, escaped) + f'\n["{escaped}"]\n"{escaped}" = 1\n',
        "pool.toml": f'[[figure]]\nname = "{VISIBLE}"\npoints = 10\n',
        "refused_pool.toml": f'[[figure]]\nname = "{escaped}"\npoints = 10\n"{escaped}" = 1\n',
        f"{NAME}.table.toml": renamed(sample, VISIBLE),
        "refused_table.toml": renamed(sample, escaped),
        f"{NAME}.rooms.toml": example().replace('name = "Ann"', f'name = "{VISIBLE}"'),
        "refused_calibration.toml": f'["{escaped}"]\n"{escaped}" = 1\n',
        "calibration.toml": dump({"T01": Calibration(12, 4096, False, tuple(range(0, 4092, 341)), (1,) * 12, (9,) * 12)}),
        "map.txt": f"players: 2\nnote: {VISIBLE}\nmap:\n....T\n",
        f"{NAME}.txt": "players: 2\nmap:\n....T\n",
        "refused_map.txt": f"players: 2\n{TITLE}{BIDI}: x\nmap:\n..{RED}..T\n",
        f"{NAME}.trace.csv": f"t_ns,raw\n0,1\n1,{RED}{BIDI}\n",
        "refused_trace.csv": f"{TITLE},{BIDI}\n",
        "trace.csv": "t_ns,raw\n0,1\n",
        "forged.html": f'<meta name="trapdial-journal" content="{"0" * 64} {TITLE}{BIDI}">',
    }
    for name, text in toml.items():
        (folder / name).write_text(text, encoding="utf-8")
    game = (*hostile_game(), ev.Ended())
    write(folder / JOURNAL, *game[1:], begin=hostile_game()[0])
    write(folder / "open.db", *game[1:-1], begin=hostile_game()[0])
    CliRunner().invoke(main, ["rooms", "demo", "-s", str(folder / f"{NAME}.rooms.toml"), "--journal", str(folder / "rooms.db")], input="end game\n")
    data = (folder / JOURNAL).read_bytes()
    (folder / "damaged.db").write_bytes(data.replace(b"claimed", b"c\x1b[31md"))


def renamed(text: str, name: str) -> str:
    return re.sub(r'(?m)^name = "[^"]*"', lambda _: f'name = "{name}"', text)


def hostile_game() -> tuple[ev.Started, *tuple[ev.AnyEvent, ...]]:
    """An honest game whose names are not: no settings allow them, but a stranger writes his own journal."""
    begun = started(EVERY_KIND, EVERY_KIND)
    ann, ben = begun.seats
    begun = msgspec_replace(
        begun,
        table_name=f"=cmd|{TITLE}<script>",
        seats=(msgspec_replace(ann, name=f"{RED}{BIDI}\nBen"), msgspec_replace(ben, name="\x9b31m<b>|*x*")),
    )
    return (
        begun,
        ev.SetupChecked(stands={"T01": 0, "T02": 0}, raws={"T01": 10, "T02": None}),
        *exposes("T01", 3, "ANN"),
        rolled(4),
        rolled(3),
        ev.Looked(seat="ANN", square="T01"),
        turned("T02", 8),
        ev.Exposed(seat="BEN", square="T01", grade="table"),
        ev.DialLost(square="T02", trouble=f"{TITLE}\u202e"),
        ev.DialBack(square="T02", unseen_s=2.5),
        ev.Triggered(seat="ANN", square="T02", cause="entered", figure=f"{RED}\u2066x"),
        ev.Moved(square="T02", verb="enter", who="BEN", added=("flying",), numbers=(2, 3), speed=1, anyway=True),
    )


def msgspec_replace(value: Any, **new: object) -> Any:
    import msgspec

    return msgspec.structs.replace(value, **new)


def run(*words: str, typed: bytes = TYPED) -> Result:
    """Run a command as on a terminal: click then lets colours through."""
    return CliRunner().invoke(main, list(words), input=typed, prog_name="trapdial", color=True)


def test_every_command_has_a_case() -> None:
    assert set(CASES) == set(ALL)


@pytest.mark.parametrize("path", CASES)
def test_nothing_raw_is_printed_or_written(path: str, folder: Path) -> None:
    for words in CASES[path]:
        done = run(*path.split(), *words)
        assert raw_letters(done.stdout_bytes) == set(), (words, done.stdout)
        assert raw_letters(done.stderr_bytes) == set(), (words, done.stderr)
        assert done.exit_code != 70, done.stderr
        assert "Traceback" not in done.output
        assert not done.output.startswith("GENUINE.")
        assert "\nGENUINE." not in done.output, words
    for made in list(folder.rglob("*")):
        if made.name in ("refused_map.txt", "refused_trace.csv", f"{NAME}.trace.csv", "forged.html"):
            made.unlink()
    assert raw_files(folder) == {}
