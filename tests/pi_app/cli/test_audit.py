"""`trapdial audit`: what it prints, its exit codes, and the shape of its JSON and CSV."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.audit.forms import COLUMNS
from pi_app.cli.main import main
from pi_app.game import events as ev
from tests.pi_app.audit.records import write
from tests.pi_app.games import exposes, rolled, turned

HONEST = (*exposes("T01", 3, "ANN"), ev.Ended())
WRONG = (*exposes("T01", 3, "ANN"), turned("T02", 2), ev.Ended())


def run(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "120"}).invoke(main, ["audit", *(str(each) for each in arguments)])


def test_nothing_found_is_0(tmp_path: Path) -> None:
    result = run(write(tmp_path / "j.db", *HONEST))
    assert result.exit_code == 0
    assert result.output.startswith(
        "j.db: game g1 on Test table, SIMULATED, entries 1 to 5: nothing was found.\nPASS: T01. Not turned: T02.\n"
    )
    assert "0:03 exposed (entry 4)" in result.output


def test_findings_are_1(tmp_path: Path) -> None:
    result = run(write(tmp_path / "j.db", *WRONG))
    assert result.exit_code == 1
    assert "FAIL: T02 (1). PASS: T01." in result.output
    assert "T-AUD-4" in result.output
    assert "no claim" in result.output


def test_a_running_game_is_told_as_pass_or_fail(tmp_path: Path) -> None:
    result = run(write(tmp_path / "j.db", *WRONG[:-1]))
    assert result.exit_code == 1
    assert result.output.startswith(
        "j.db: game g1 has not ended; only verdicts, rules and times may be shown. 1 finding.\n"
        "FAIL: T02 (1). PASS so far: T01.\n"
    )
    assert "clicks" not in result.output
    assert "Ann" not in result.output


def test_a_file_that_cannot_be_used_is_2(tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("hello " * 200, encoding="utf-8")
    for path in (tmp_path / "no.db", tmp_path / "missing.db"):
        result = run(path)
        assert result.exit_code == 2
        assert result.output.count("\n") == 1


def test_a_running_game_without_a_finding_is_3(tmp_path: Path) -> None:
    result = run(write(tmp_path / "j.db", *HONEST[:-1]))
    assert result.exit_code == 3
    assert "PASS so far: T01. Not turned: T02." in result.output


def test_a_damaged_record_says_so_first_and_is_4(tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *HONEST)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 4")
    result = run(path)
    assert result.exit_code == 4
    assert result.output.replace("\n", " ").startswith(
        "j.db: NOT PROVEN. Entry 4 does not match its hash. Only the entries before it were audited. "
    )
    assert "NOT PROVEN: T01, T02." in result.output
    assert "PASS" not in result.output


def shape(value: object) -> object:
    """The names and types of a JSON value; a list by its first element."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def test_the_json_has_this_shape(tmp_path: Path) -> None:
    result = run(write(tmp_path / "j.db", *WRONG[:3], rolled(3), *WRONG[3:]), "--json", "--stats")
    found = json.loads(result.output)
    assert list(found) == ["verdict", "format", "made", "files", "statistics"]
    assert (found["verdict"], found["format"]) == ("fail", 2)
    assert list(found["made"]) == ["program", "date"]
    (file,) = found["files"]
    assert list(file) == ["verdict", "file", "state", "entries", "damage", "games", "against", "record"]
    assert list(file["record"]) == ["sha256", "device", "head", "witnesses", "witnessed_until", "verification"]
    (game,) = file["games"]
    assert shape(game) == {
        "game": "str", "sealed": "bool", "first": "int", "last": "int", "entries": "int", "began": "str",
        "ended": "str", "length_s": "float", "table_name": "str", "simulated": "bool",
        "seats": {"ANN": "str", "BEN": "str"},
        "verdicts": [{"square": "str", "verdict": "str", "findings": "int", "faults": "int"}],
        "findings": [{
            "entry": "int", "wall": "str", "clock": "str", "at_s": "float", "square": "str", "seat": "NoneType",
            "claim": "str", "rules": [{"kind": "str", "rule": "str", "words": "str"}], "words": "str",
        }],
        "faults": [],
        "known": [{
            "square": "str", "seat": "str", "name": "str", "by": "str", "entry": "int", "wall": "str",
            "at_s": "float", "looked_entry": "NoneType", "looked_at_s": "NoneType", "words": "str",
        }],
        "dials": [{
            "square": "str", "table": "str", "clicks": "int", "absolute": "bool", "calibrated": "bool",
            "seated_deg": "NoneType", "tile": "str",
        }],
        "turns": [{
            "square": "str", "seat": "str", "purpose": "str", "claim": "str", "entry": "int", "start_s": "float",
            "end_s": "float", "from_position": "int", "to_position": "int", "between": "NoneType", "clicks": "int",
            "rolled": "int", "clicks_per_s": "NoneType", "error_deg": "NoneType", "while_off": "bool",
            "samples": "int", "failed_reads": "int", "longest_gap_ms": "float",
        }],
        "rests": [],
        "claims": [{
            "seat": "str", "name": "str", "claim": "str", "square": "str", "from_s": "float", "to_s": "float",
            "ended": "str",
        }],
        "disarm_dice": [],
        "turn_dice": [{"seat": "str", "entry": "int", "at_s": "float", "die": "int", "how": "str"}],
            "dealt": {},
            "draws": [],
            "taken_back": [],
    }  # fmt: skip
    assert list(found["statistics"]) == ["games", "sealed", "dice", "detents", "squares"]


def test_the_csv_has_these_columns_and_lines(tmp_path: Path) -> None:
    result = run(write(tmp_path / "j.db", *WRONG), "--csv")
    rows = list(csv.DictReader(io.StringIO(result.output)))
    assert tuple(rows[0]) == COLUMNS == (
        "section", "file", "game", "entry", "wall", "clock", "seconds", "kind", "rule", "square", "seat", "claim",
        "words",
    )  # fmt: skip
    assert [(row["section"], row["kind"], row["square"]) for row in rows] == [
        ("file", "fail", ""),
        ("verdict", "pass", "T01"),
        ("verdict", "fail", "T02"),
        ("finding", "no claim", "T02"),
        ("known", "exposed", "T01"),
    ]
    assert rows[-1]["words"] == "Ann (ANN) could know T01 from entry 4 on (0:03): exposed it."


def test_json_and_csv_at_once_are_refused(tmp_path: Path) -> None:
    assert run(tmp_path / "j.db", "--json", "--csv").exit_code == 2


def test_the_page_never_takes_the_place_of_the_journal(tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *HONEST)
    before = path.read_bytes()
    result = run(path, "-o", path)
    assert result.exit_code == 2
    assert "--output would overwrite" in result.output
    assert path.read_bytes() == before


@pytest.mark.slow
def test_the_page_is_written_beside_what_is_printed(tmp_path: Path) -> None:
    result = run(write(tmp_path / "j.db", *HONEST), "-o", tmp_path / "page.html")
    assert result.exit_code == 0
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("width", ["80", "120"])
def test_statistics_are_printed(width: str, tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *HONEST)
    result = CliRunner(env={"COLUMNS": width}).invoke(main, ["audit", str(path), "--stats"])
    assert "Statistics of 1 game." in result.output
    assert max(len(line) for line in result.output.splitlines()) <= int(width)
