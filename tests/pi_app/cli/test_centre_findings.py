"""`trapdial centre status`, `tables`, `games` and `findings`, as they are typed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from pi_app.centre.store.sqlite import SqliteStore
from pi_app.game import events as ev
from pi_app.journal import archive
from tests.pi_app.centre.facts.games import Clock, hand_over, learn, write
from tests.pi_app.cli.typed_centre import ORIGINS, centre
from tests.pi_app.games import turned

END = ev.Ended()
TURN = [ev.Claimed(seat="ANN", grade="button"), turned("T01", 4, "ANN")]
TWICE = [*TURN, turned("T01", 2, "BEN", start=4), END]


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    assert centre("new", tmp_path / "shop", "--name", "centre.example/c1")[0] == 0
    return tmp_path / "shop" / "centre.toml"


@pytest.fixture
def fleet(settings: Path, tmp_path: Path) -> Path:
    """Table 1 of Alpha with two games that have ended and one that is on; Table 2 with one game; Table 3 with none."""
    store = SqliteStore(settings.with_name("centre.db"))
    for number, origin in enumerate(ORIGINS, 1):
        store.add_code(origin.encode(), f"Table {number}", "Alpha" if number == 1 else "", 10_000)
        store.enrol(origin.encode(), origin, 1)
    clock = Clock()
    clock.source = "none"
    hand_over(store, write(tmp_path / "one.db", [*TURN, END], TWICE, TURN), ORIGINS[0])
    hand_over(store, write(tmp_path / "two.db", [*TURN, END], clock=clock), ORIGINS[1])
    learn(store)
    store.close()
    return settings


@pytest.fixture(autouse=True)
def at_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 10.0)


def test_an_empty_centre_says_what_to_type(settings: Path) -> None:
    enrol = "No table is enrolled. Enrol one: trapdial centre enrol NAME\n"
    assert centre("status", "-s", settings) == (0, enrol, "")
    assert centre("tables", "-s", settings) == (0, enrol, "")
    assert centre("games", "-s", settings) == (0, "No game was handed over yet.\n", "")
    assert centre("findings", "-s", settings) == (0, "Nothing was found.\n", "")
    assert centre("tables", "--json", "-s", settings) == (0, "", "")


def test_the_status_is_one_line(fleet: Path) -> None:
    line = "3 tables: 1 plays, 1 idle, 1 not seen yet. 2 need a look, 0 must stop. 16 entries, 0 findings.\n"
    assert centre("status", "-s", fleet) == (0, line, "")
    found = json.loads(centre("status", "--json", "-s", fleet)[1])
    assert (found["tables"], found["plays"], found["look"], found["entries"]) == (3, 1, 2, 16)


def test_each_table_has_a_line_in_words(fleet: Path) -> None:
    assert centre("tables", "-s", fleet) == (
        0,
        "Table 1 (Alpha): plays. 12 entries, last seen 00:00 UTC.\n"
        "Table 2: its clock is not set; idle. 4 entries, last seen 00:00 UTC.\n"
        "Table 3: enrolled, and not seen yet. 0 entries.\n",
        "",
    )
    lines = [json.loads(line) for line in centre("tables", "--json", "-s", fleet)[1].splitlines()]
    assert [(each["name"], each["words"], each["level"]) for each in lines][1:] == [
        ("Table 2", ["its clock is not set", "idle"], "look"),
        ("Table 3", ["enrolled, and not seen yet"], "look"),
    ]


def test_games_are_listed_the_newest_first(fleet: Path) -> None:
    assert centre("games", "-s", fleet) == (
        0,
        "Table 1 (Alpha): g3, on, began 2026-05-16 14:00 UTC, 0:02, entries 10 to 12.\n"
        "Table 1 (Alpha): g2, ended, began 2026-05-16 14:00 UTC, 0:04, entries 5 to 9.\n"
        "Table 1 (Alpha): g1, ended, began 2026-05-16 14:00 UTC, 0:03, entries 1 to 4.\n"
        "Table 2: g1, ended, began 2026-05-16 14:00 UTC, 0:03, entries 1 to 4.\n",
        "",
    )
    found = [json.loads(line) for line in centre("games", "--most", "1", "--json", "-s", fleet)[1].splitlines()]
    assert [(each["table"], each["game"], each["state"]) for each in found] == [
        ("Table 1", "g3", "on"),
        ("Table 2", "g1", "ended"),
    ]
    assert centre("games", "--table", "Table 2", "-s", fleet)[1].count("\n") == 1


def test_a_deleted_game_is_listed_without_its_time_and_has_no_audit(fleet: Path, tmp_path: Path) -> None:
    archive.delete(tmp_path / "two.db", "g1")
    store = SqliteStore(fleet.with_name("centre.db"))
    hand_over(store, tmp_path / "two.db", ORIGINS[1])
    store.close()
    assert centre("games", "--table", "Table 2", "-s", fleet)[1] == "Table 2: g1, deleted, entries 1 to 4.\n"
    code, output, errors = centre("games", "g1", "--table", "Table 2", "-s", fleet)
    assert (code, output) == (2, "")
    assert "GAME g1: was deleted. Its hashes are all that is left of it." in errors


def test_the_audit_of_a_game_is_that_of_the_table(fleet: Path) -> None:
    code, output, errors = centre("games", "g2", "-s", fleet)
    assert (code, errors) == (1, "")
    assert "Table 1: game g2 on Test table, SIMULATED, entries 5 to 9: 1 finding." in output
    assert "turned again after it had been read" in " ".join(output.split())
    found = json.loads(centre("games", "g2", "--json", "-s", fleet)[1])
    assert [each["kind"] for each in found["files"][0]["games"][0]["findings"][0]["rules"]] == ["second turn"]


def test_a_running_game_is_audited_without_what_its_dials_hold(fleet: Path) -> None:
    code, output, errors = centre("games", "g3", "--json", "-s", fleet)
    assert (code, errors) == (3, "")
    found = json.loads(output)["files"][0]["games"][0]
    assert (found["sealed"], found["turns"], found["dials"]) == (True, [], [])


def test_a_game_of_two_tables_asks_for_one(fleet: Path) -> None:
    code, output, errors = centre("games", "g1", "-s", fleet)
    assert (code, output) == (2, "")
    assert "GAME g1: is a game of several tables: Table 1, Table 2. Name one with --table." in errors
    assert centre("games", "g1", "--table", "Table 2", "-s", fleet)[0] == 0


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (("games", "g9"), "GAME g9: is no game that was handed over. List them: trapdial centre games."),
        (("games", "--table", "X"), "--table X: is no table here. List them: trapdial centre tables."),
    ],
)
def test_what_is_not_there_is_said(fleet: Path, words: tuple[str, ...], seen: str) -> None:
    code, output, errors = centre(*words, "-s", fleet)
    assert (code, output) == (2, "")
    assert seen in errors


def test_findings_are_looked_for_now(fleet: Path) -> None:
    words = "Table 2: its clock is not set, so the dates of its entries are wrong. Check its network."
    assert centre("findings", "-s", fleet) == (1, f"LOOK  {words}\n", "")
    code, output, _ = centre("findings", "--json", "-s", fleet)
    assert (code, json.loads(output)) == (
        1,
        {"kind": "clock", "table": "Table 2", "shop": "", "origin": ORIGINS[1], "level": "look", "words": words},
    )
