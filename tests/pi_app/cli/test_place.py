"""`trapdial place`, as it is typed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli import place as command
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.game.ruleset import Ruleset
from pi_app.plans.placement.files import load
from pi_app.settings import load as settings
from pi_app.settings.load import example_path
from tests.pi_app.audit.records import write
from tests.pi_app.games import exposes

GOOD = "sample:SAMPLE-cellar"
WRONG = "sample:SAMPLE-warren"


def run(*typed: str | Path, width: int = 120) -> Result:
    return CliRunner(env={"COLUMNS": str(width)}).invoke(main, ["place", *(str(word) for word in typed)])


def small(folder: Path, text: str = "players: 2\nmap:\n....T\n") -> Path:
    path = folder / "d.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_dungeon_that_keeps_the_rules_is_0() -> None:
    result = run("check", GOOD)
    assert result.exit_code == 0
    assert "ok   P-6        All traps are 5 or more squares apart." in result.output
    assert result.output.splitlines()[-1] == (
        f"{GOOD}: Nothing was found. Hallways: computed, at most 3 wide. Dead ends: computed."
    )


def test_findings_are_1_and_have_their_places() -> None:
    result = run("check", WRONG)
    assert result.exit_code == 1
    assert "\n 7    P-7        T06           24:17         In a hallway that leads to a dead end. " in result.output
    assert f"{WRONG}: Findings: 11." in result.output
    assert "!f" in result.output


def test_a_map_that_cannot_be_read_is_2(tmp_path: Path) -> None:
    result = run("check", small(tmp_path, "map:\n.q.\n"))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{tmp_path}/d.txt line 2, column 2: 'q' has no meaning.")
    assert result.stdout == ""
    assert run("check", tmp_path / "missing.txt").exit_code == 2


def test_everything_as_json() -> None:
    result = run("check", WRONG, "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert (told["squares"], told["traps_each"], told["traps_in_all"]) == (140, 2, 6)
    assert (told["hallways"], told["dead_ends"], told["rounding"]) == ("computed", "computed", "floor")
    assert told["dead_end_hallways"] == [{"squares": [[line, 17] for line in range(21, 26)], "begins": [[21, 17]]}]
    assert {"rule": "P-1", "verdict": "open", "words": "Not checked here: turn every dial to its start mark."} in told[
        "rules"
    ]
    assert told["findings"][7] == {
        "rule": "P-8",
        "part": "T03",
        "line": 20,
        "column": 15,
        "other": [21, 17],
        "seen": "too close to the dead-end hallway at 21:17: distance 2, must be at least 5",
        "advice": "Move it away from there.",
    }


def test_artifacts_sections_and_speed_points_as_json(tmp_path: Path) -> None:
    path = small(tmp_path, "agreed: 1\nmap:\nE==.PO.\nartifacts:\n...H\nsections:\naab\n")
    told = json.loads(run("check", path, "--json").stdout)
    assert told["artifacts"] == [
        {"kind": kind, "letter": letter, "whole": True, "squares": [[3, column] for column in columns]}
        for kind, letter, columns in (
            ("Stone Column", "O", [6]), ("chair", "H", [4]), ("table", "=", [2, 3]), ("Small Pond", "P", [5]),
        )
    ]  # fmt: skip
    assert told["speed_points"] == {"2": [[3, 2], [3, 3], [3, 4]], "3": [[3, 5]]}
    assert told["closed"] == [[3, 6]]
    assert told["sections"] == {"a": [[3, 1], [3, 2]], "b": [[3, 3]]}
    assert [(each["rule"], each["line"], each["column"]) for each in told["findings"]] == [
        ("F-COL-2", 3, 6), ("F-COL-2", 3, 6),
    ]  # fmt: skip
    old = json.loads(run("check", WRONG, "--json").stdout)
    assert not {"artifacts", "speed_points", "closed", "sections"} & old.keys()


def test_the_plan_names_the_artifacts_that_it_shows() -> None:
    result = run("check", "sample:SAMPLE-shrine", width=100)
    assert result.exit_code == 1
    assert "\nD Death Clock  G Griffin Throne  A Dragon Altar  L Large Pond  Z Serpent Statue" in result.output
    told = " ".join(result.output.split())
    assert "O Stone Column @ All-Seeing Column H chair = table Y Statue of Sharise" in told
    assert "! F-COL-2 Findings: 2." in told
    assert "2 F-COL-2 Stone Column 24:22 Blocks the only way to 24:23. Move it so that a way stays open." in told
    assert "Stone Column" not in run("check", GOOD).output


def test_what_the_command_line_says_goes_first(tmp_path: Path) -> None:
    path = small(tmp_path, "rounding: floor\nagreed: 7\nmap:\n....T\n")
    told = json.loads(run("check", path, "--json", "--players", "3", "--traps", "2", "--rounding", "ceil").stdout)
    assert (told["traps_each"], told["traps_in_all"], told["players"], told["rounding"]) == (
        2,
        6,
        ["1", "2", "3"],
        "ceil",
    )
    ceil = json.loads(run("check", small(tmp_path), "--json", "--rounding", "ceil").stdout)
    assert ceil["traps_each"] == 1


def test_players_of_the_map_and_of_the_command_line_agree(tmp_path: Path) -> None:
    result = run("check", small(tmp_path), "--players", "3")
    assert result.exit_code == 2
    assert (
        result.stderr == f"{tmp_path}/d.txt players: names 2 players, and --players says 3. Correct one of the two.\n"
    )


def test_settings_know_the_dials_and_how_many_play(tmp_path: Path) -> None:
    table = tmp_path / "trapdial.toml"
    table.write_text(example_path("8x4").read_text(encoding="utf-8"), encoding="utf-8")
    path = small(tmp_path, "agreed: 1\n1 = T01\n2 = T99\nmap:\n1......2E\n")
    result = run("check", path, "--settings", table, "--json")
    told = json.loads(result.stdout)
    assert told["players"] == ["1", "2", "3", "4"]
    assert [(each["rule"], each["part"], each["seen"]) for each in told["findings"] if each["rule"] == "P-1"] == [
        ("P-1", "T99", "no dial in the settings")
    ]
    write(tmp_path / "journal.db", *exposes("T01", 3, "ANN"), ev.Ended())
    after = json.loads(run("check", path, "--settings", table, "--json").stdout)
    (start,) = [rule for rule in after["rules"] if rule["rule"] == "P-1"]
    assert start["verdict"] == "broken"
    off = small(tmp_path, "1 = T01\nmap:\n1......E\n")
    told = json.loads(run("check", off, "--settings", table, "--json").stdout)
    (start,) = [rule for rule in told["rules"] if rule["rule"] == "P-1"]
    assert start == {"rule": "P-1", "verdict": "kept", "words": "The last game found every dial at its start mark."}


@pytest.mark.parametrize(("name", "begins"), [("plan.svg", b"<?xml"), ("plan.png", b"\x89PNG")])
def test_the_plan_is_drawn_into_a_file(tmp_path: Path, name: str, begins: bytes) -> None:
    assert run("check", small(tmp_path), "-o", tmp_path / name).exit_code == 1
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_a_picture_never_takes_the_place_of_the_map(tmp_path: Path) -> None:
    path = tmp_path / "d.svg"
    path.write_text("map:\n.\n", encoding="utf-8")
    result = run("check", path, "-o", path)
    assert result.exit_code == 2
    assert "would overwrite" in result.stderr
    assert path.read_text(encoding="utf-8") == "map:\n.\n"
    assert "draws .svg and .png" in run("check", GOOD, "-o", tmp_path / "d.jpg").stderr


def test_a_plan_that_is_too_wide_is_not_broken_up() -> None:
    result = run("check", WRONG, width=66)
    told = result.output.replace("\n", " ")
    assert told.startswith("The plan is 68 characters wide, and there is room for 66. Draw it: -o plan.svg")


def test_labels_are_no_markup(tmp_path: Path) -> None:
    path = small(tmp_path, "players: [red]A, B\n1 = [bold]T1, [red]A\nmap:\n1.E\n")
    result = run("check", path)
    assert "[red]A" in result.output
    assert "[bold]T1" in run("check", path, "--traps", "0").output + result.output


def test_new_writes_a_map_that_can_be_checked(tmp_path: Path) -> None:
    path = tmp_path / "cave.txt"
    assert run("new", path).exit_code == 0
    assert run("check", path).exit_code in (0, 1)
    again = run("new", path)
    assert again.exit_code == 2
    assert "exists already and is never overwritten" in again.stderr


def test_the_tables_switch_rounds_unless_the_map_does(tmp_path: Path) -> None:
    path = tmp_path / "trapdial.toml"
    path.write_text(example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")
    table = settings.load(path)
    ceil = Ruleset(placement_rounding="ceil")
    bare, said = load(str(small(tmp_path))), load(str(small(tmp_path, "rounding: floor\nmap:\n.\n")))
    assert command.completed(bare, "d.txt", None, None, None, table).rounding == "floor"
    assert command.completed(bare, "d.txt", None, None, None, replace(table, ruleset=ceil)).rounding == "ceil"
    assert command.completed(said, "d.txt", None, None, None, replace(table, ruleset=ceil)).rounding == "floor"


def test_no_trap_table_is_named(tmp_path: Path) -> None:
    """S-9."""
    path = tmp_path / "trapdial.toml"
    path.write_text(example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")
    result = run("check", small(tmp_path), "--settings", path)
    assert "SAMPLE" not in result.output
    assert "SAMPLE" not in run("check", small(tmp_path), "--settings", path, "--json").output
