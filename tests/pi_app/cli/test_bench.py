"""`trapdial bench`, as it is typed; every bench once, as small as it can be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.settings.load import example_path
from pi_app.workshop import bench as benches
from pi_app.workshop.bench import Bench, Figure, Matrix


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["bench", *words])


SMALLEST = {
    "scan": ["--seconds", "0.1", "--dials", "2", "--rounds", "1"],
    "clicks": ["--clicks", "100", "--samples", "2000", "--turns", "0", "--jumps", "20"],
    "latency": ["--exposes", "1"],
    "peers": ["--scans", "1", "--rounds", "1", "--speed", "400000"],
    "journal": ["--appends", "2", "--events", "20"],
    "cpu": ["--seconds", "0.1"],
    "centre": ["--sqlite", "--tables", "2", "--seconds", "1", "--back", "1", "--entries", "20", "--live", "0"],
    "pages": ["--phones", "2", "--strangers", "2", "--exposes", "1", "--looks", "2", "--seconds", "0.3"],
    "hub": ["--reports", "10", "--seconds", "0.3", "--damaged", "300", "--pulls", "1"],
}


@pytest.mark.parametrize("name", SMALLEST)
@pytest.mark.slow
def test_each_bench_prints_a_table_with_targets_and_the_machine(name: str, tmp_path: Path) -> None:
    folder = ["--folder", str(tmp_path)] if name in ("latency", "journal", "pages") else []
    result = run(name, *SMALLEST[name], *folder)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    here = benches.machine()
    assert lines[0] == f"{here.name}: {here.cpu}, {here.cores} cores, {here.system}, {here.python}"
    assert lines[1].rstrip() == f"trapdial bench {name}"
    assert all(word in lines[3] for word in ("figure", "measured", "target", "how"))
    assert "imulated" in result.stdout or "SIMULATED" in result.stdout


def test_a_matrix_stands_below_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    from pi_app.workshop.bench import memory

    matrix = Matrix("turns, % by hand", ("hand", "as5600 100 kHz"), (("crisp", "99.99"),))
    made = Bench("memory", benches.machine(), (Figure("the most", 1.0, "MB"),), (), matrix)
    monkeypatch.setattr(memory, "run", lambda minutes: made)
    lines = run("memory").stdout.splitlines()
    assert any(line.split() == ["turns,", "%", "by", "hand"] for line in lines)
    assert any("crisp" in line and "99.99" in line for line in lines)


def test_json_goes_to_standard_output_alone(tmp_path: Path) -> None:
    result = run("clicks", "--clicks", "100", "--samples", "2000", "--turns", "0", "--jumps", "0", "--json")
    told = json.loads(result.stdout)
    assert (told["bench"], told["passed"]) == ("clicks", True)
    assert set(told) == {"bench", "machine", "figures", "explains", "matrix", "passed"}
    assert set(told["figures"][0]) == {"name", "value", "unit", "target", "at_most", "note", "verdict"}
    assert [figure["verdict"] for figure in told["figures"]] == [
        *["pass"] * 3,
        *["no target"] * 4,
        *["pass"] * 6,
        *["no target"] * 5,
    ]


@pytest.mark.slow
def test_json_to_a_file_goes_with_the_table(tmp_path: Path) -> None:
    few = ("clicks", "--clicks", "100", "--samples", "2000", "--turns", "0", "--jumps", "0")
    result = run(*few, "-o", str(tmp_path / "b.json"))
    assert json.loads((tmp_path / "b.json").read_text())["bench"] == "clicks"
    assert "trapdial bench clicks" in result.stdout
    refused = run(*few, "-o", str(tmp_path / "none" / "b.json"))
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"{tmp_path}/none/b.json: it cannot be written (No such file or directory). "
        "Check the folder, who may write there, and the disk.\n"
    )


@pytest.mark.parametrize(
    ("value", "strict", "code", "word"),
    [
        (1.0, True, 0, "pass"),
        (3.0, True, 1, "fail"),
        (3.0, False, 0, "fail"),
    ],
)
def test_only_strict_makes_a_missed_target_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, value: float, strict: bool, code: int, word: str
) -> None:
    from pi_app.workshop.bench import memory

    figures = (Figure("the most", value, "MB", 2.0), Figure("other", 1234.5, "MB", note="told"))
    monkeypatch.setattr(memory, "run", lambda minutes: Bench("memory", benches.machine(), figures))
    result = run("memory", *(["--strict"] if strict else []))
    assert result.exit_code == code
    (row,) = [line for line in result.stdout.splitlines() if "the most" in line]
    assert [cell.strip() for cell in row.strip()[1:-1].split("│")] == [
        "the most",
        f"{value:.0f} MB",
        "at most 2 MB",
        word,
        "",
    ]
    (row,) = [line for line in result.stdout.splitlines() if "other" in line]
    assert [cell.strip() for cell in row.strip()[1:-1].split("│")] == ["other", "1234 MB", "", "", "told"]


def test_the_starts_are_asked_for_as_often_as_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from pi_app.workshop.bench import start

    asked: list[list[str]] = []

    def first_line(command: list[str], environment: object) -> float:
        asked.append(list(command))
        return 0.1

    monkeypatch.setattr(start, "first_line_s", first_line)
    result = run("start", "--times", "2", "--json")
    told = json.loads(result.stdout)
    assert [figure["target"] for figure in told["figures"]] == [0.2, 0.5, None]
    assert [command[-1] for command in asked] == ["--help"] * 3 + ["7"] * 3 + ["print()"] * 3


def test_a_tables_own_wires_or_their_twins(tmp_path: Path) -> None:
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    result = run("scan", "--settings", str(tmp_path / "trapdial.toml"), "--simulated", "--seconds", "0.2")
    assert result.exit_code == 0, result.output
    assert "bus dials: scans" in result.stdout
    assert "SIMULATED: twins of this table's wires." in result.stdout
    assert run("scan", "--simulated").exit_code == 2


def test_what_is_simulated_stands_in_the_help() -> None:
    for name in ("scan", "clicks", "latency", "memory"):
        assert "imulated" in run(name, "--help").stdout
