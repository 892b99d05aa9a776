"""The attacker hands over a damaged record and hopes that a script takes it for a sound one: no command may end with a
code that says less than `journal verify`."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from pi_app.cli import ends
from pi_app.cli.main import main
from pi_app.journal.record.notes import COSIGNS, VerifierKey
from pi_app.journal.record.verdict import RecordState
from pi_app.settings.load import example_path
from pi_app.text import exit_codes
from tests.click_tree import ALL, LEAVES
from tests.pi_app.journal.recorded import EXPECTED, UNFINISHED, unpack

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "wiring_docs" / "exit_codes.md"


@dataclass(frozen=True)
class Recorded:
    """What is known of a recorded file: the code of `journal verify`, and what it holds."""

    verified: int
    empty: bool
    journal: bool
    squares: bool
    rooms: bool


Rule = Callable[[Recorded], set[int]]


def refused(_: Recorded) -> set[int]:
    return {exit_codes.UNUSABLE}


def done(_: Recorded) -> set[int]:
    return {exit_codes.FINE}


def audited(file: Recorded) -> set[int]:
    return {file.verified, exit_codes.FOUND} if file.squares else {exit_codes.UNUSABLE}


def replayed(file: Recorded) -> set[int]:
    return {file.verified} if file.squares else {exit_codes.UNUSABLE, file.verified}


def looked_back(file: Recorded) -> set[int]:
    return {file.verified, exit_codes.UNUSABLE}


def rooms_audited(file: Recorded) -> set[int]:
    return {file.verified, exit_codes.FOUND} if file.rooms else {exit_codes.UNUSABLE}


def looks_for_a_game(_: Recorded) -> set[int]:
    return {exit_codes.FINE, exit_codes.UNUSABLE}


READERS: dict[str, dict[str, Rule]] = {
    "journal verify": {
        "journal verify {}": lambda file: {file.verified},
        "journal verify {} --json": lambda file: {file.verified},
    },
    "journal head": {"journal head {}": done, "journal head {} --json": done},
    "journal witness key": {"journal witness key --journal {}": done},
    "journal export": {"journal export {}": done},
    "journal merge": {"journal merge {} -o new.db": done},
    "journal delete": {"journal delete {} nothing --yes": refused},
    "audit": {
        "audit {}": audited,
        "audit {} --json": audited,
        "audit {} --csv --stats": audited,
        "audit {} -o page.html --rules": audited,
    },
    "replay": {
        "replay {}": replayed,
        "replay {} --lines": replayed,
        "replay {} --json": replayed,
        "replay {} --as public": looked_back,
        "replay {} --as log --until 1": looked_back,
        "replay {} --as ANN": looked_back,
    },
    "rooms audit": {"rooms audit {}": rooms_audited, "rooms audit {} --json": rooms_audited},
    "place check": {
        "place check sample:SAMPLE-cellar -s {}.toml": lambda file: {
            exit_codes.FINE,
            exit_codes.FOUND,
            exit_codes.UNUSABLE,
        }
    },
    "play": {"play --simulated --unchecked --resume -s trapdial.toml --journal {}": refused},
    "station play": {"station play --simulated -s trapdial.toml --journal {}": looks_for_a_game},
    "demo": {"demo --auto --size 2x2 --exposes 1 --resume --journal {}": refused},
    "rooms play": {"rooms play --resume -s {}": refused},
    "rooms demo": {"rooms demo --resume -s trapdial.toml --journal {}": refused},
}
"""Commands that read a record, each with its forms, and the code for a file that is a sound journal."""

WITNESS = VerifierKey("w", COSIGNS, b"k" * 32).text()

LOOKING: dict[str, str] = {
    "journal keys": "journal keys {}",
    "tables show": "tables show sample:SAMPLE-A --journal {}",
    "tables check": "tables check sample:SAMPLE-A --journal {}",
    "tables faces": "tables faces sample:SAMPLE-A -o a.svg --full --journal {}",
    "journal enrol": f"journal enrol CODE --to http://127.0.0.1:1/ --key {WITNESS} --journal {{}}",
    "journal hand-over": f"journal hand-over --to http://127.0.0.1:1/ --key {WITNESS} --journal {{}}",
    "journal witness add": f"journal witness add {WITNESS} --journal {{}}",
    "journal witness list": "journal witness list --journal {}",
    "journal witness remove": "journal witness remove w --journal {}",
    "journal witness take": "journal witness take cosigned.json --journal {}",
}
"""Commands that only look whether a game is on, where its keys are, or what lies beside it: a record that is damaged
elsewhere is none of theirs."""

NO_RECORD = {
    "docs", "place new", "rules convert", "rooms example", "settings check", "settings example", "settings new",
    "tables new", "wiring",
    "pages cards", "pages network", "station display", "station install", "station remove", "station sheet",
    "station update", "doctor", "calibrate", "hub decode", "hub diag", "hub install", "hub list", "hub monitor",
    "hub reset",
    "extras install", "completion", "audit verify", "record", "decode",
    *(name for name in LEAVES if name.startswith("centre ")),
    *(f"bench {name}" for name in ALL["bench"].list_commands(click.Context(ALL["bench"]))),  # type: ignore[attr-defined]
}  # fmt: skip
"""Commands that take no journal; `calibrate`, `record`, `hub` and `pages` look for a game as `tables` does."""

SAMPLE = (
    "another_devices_witness.db", "cut_off_and_signed.db", "rooms_unfinished.db", "file_of_another_program.db",
    "export_not_its_hash.jsonl", "another_kind_inside.db", "another_seat_inside.db", "empty.db", "another_device.db",
    "another_entry_before.db",
)  # fmt: skip
"""One file of each class that the commands tell apart."""


def test_every_command_is_in_the_table() -> None:
    assert {*READERS, *LOOKING, *NO_RECORD} == LEAVES
    taking = {name for name in LEAVES if {"journal", "file", "files"} & {each.name for each in ALL[name].params}}
    others = {"tables new", "place new", "rules convert", "audit verify", "centre log verify"}
    assert taking - {*READERS, *LOOKING} == others


def told() -> dict[str, set[int]]:
    rows = re.findall(r"^\| `(.*?)`.*? \| ([0-9, ]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: {int(code) for code in codes.split(", ")} for name, codes in rows}


def test_the_page_has_every_command_and_every_code() -> None:
    assert {*told()} == {"bench" if name.startswith("bench ") else name for name in LEAVES}
    codes = re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(code) for code in codes] == [
        exit_codes.FINE, exit_codes.FOUND, exit_codes.UNUSABLE, exit_codes.NO_END, exit_codes.DAMAGED,
        exit_codes.FORKED, exit_codes.BUG,
    ]  # fmt: skip
    assert {int(state) for state in RecordState} == {0, exit_codes.NO_END, exit_codes.DAMAGED, exit_codes.FORKED}
    assert ends.BY_SIGNAL == exit_codes.BY_SIGNAL


def test_no_command_writes_a_code_as_a_number() -> None:
    """The first lines of the program count signals without an import; all else takes its codes from one module."""
    call = re.compile(r"\b(?:_?exit|leave|stop)\((?:[^()]|\([^()]*\))*(?<![\w.\"])[0-9]+\)")
    assert call.search('stop("words", 2)')
    assert call.search("context.exit(1)")
    commands = sorted((ROOT / "pi_app" / "cli").glob("*.py"))
    assert [file.name for file in commands if call.search(file.read_text(encoding="utf-8"))] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(tmp_path_factory.mktemp("recorded"))


def of(name: str, verified: int) -> Recorded:
    facts: dict[str, Any] = EXPECTED[name]["facts"]
    return Recorded(
        verified=verified,
        empty=not Path(name).stat().st_size or name == "empty.db",
        journal=not name.endswith(".jsonl") and not isinstance(facts["first verifier"], str),
        squares=isinstance(facts.get("audit"), list) and name != "archive.db",
        rooms=isinstance(facts.get("rooms"), list) or name == "rooms_unfinished.db",
    )


def code(words: str) -> int:
    result = CliRunner().invoke(main, words.split(), input="quit\n")
    assert result.exception is None or isinstance(result.exception, SystemExit), words
    assert "Traceback" not in result.output
    return result.exit_code


def compare(name: str, folder: Path, here: Path, monkeypatch: pytest.MonkeyPatch, *, everything: bool) -> None:
    """Run every command on a recorded file; unless `everything`, one form of each that plays no game."""
    monkeypatch.chdir(here)
    shutil.copy(example_path("2x2"), "trapdial.toml")
    Path(f"{name}.toml").write_text(
        example_path("2x2").read_text(encoding="utf-8").replace('"journal.db"', f'"{name}"'), encoding="utf-8"
    )

    def fresh() -> None:
        for made in here.glob("new.db*"):
            made.unlink()
        shutil.rmtree(f"{name}.keys", ignore_errors=True)
        shutil.copy(folder / name, name)
        if name == "empty.db":  # as the program leaves one: the corpus was packed without logs
            with contextlib.closing(sqlite3.connect(name)) as db:
                db.execute("PRAGMA journal_mode=WAL")
        if name == UNFINISHED:
            shutil.copytree(folder / f"{name}.keys", f"{name}.keys")

    fresh()
    file = of(name, code(f"journal verify {name}"))
    listed = told()
    for command, forms in READERS.items():
        if not everything and command in PLAYING:
            continue
        for words, rule in forms.items() if everything else [next(iter(forms.items())), *_looking_back(forms)]:
            fresh()
            got = code(words.format(name))
            wanted = _wanted(command, file, rule)
            assert got in wanted, (words.format(name), got, wanted)
            assert got in listed[command], words
    for command, words in LOOKING.items():
        assert code(words.format(name)) in listed[command], words


PLAYING = ("play", "station play", "demo", "rooms play", "rooms demo")


def _looking_back(forms: dict[str, Rule]) -> list[tuple[str, Rule]]:
    return [(words, rule) for words, rule in forms.items() if words.endswith("--as public")]


def _wanted(command: str, file: Recorded, rule: Rule) -> set[int]:
    if command == "journal verify":
        return {file.verified}
    if command in ("rooms play", "rooms demo"):
        return {exit_codes.UNUSABLE}  # their settings are refused first
    if command in PLAYING and file.empty:
        return {exit_codes.FINE}  # a new journal
    if not file.journal:
        return {exit_codes.UNUSABLE}
    if file.verified == exit_codes.DAMAGED:
        return {exit_codes.DAMAGED}
    return rule(file)


@pytest.mark.parametrize("name", SAMPLE)
def test_no_command_says_less_than_the_verifier(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(name, folder, tmp_path, monkeypatch, everything=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_no_command_says_less_than_the_verifier_of_any_recorded_file(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(name, folder, tmp_path, monkeypatch, everything=True)
