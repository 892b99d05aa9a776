"""Exports hold what their reader may have and no more; they are read with DuckDB."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from pi_app.centre import parquet as parquet_module
from pi_app.centre.exports import FILES, PUBLIC_FILES, export
from pi_app.centre.parquet import ParquetFolder
from pi_app.centre.roles import ReaderRights
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.game import events as ev
from pi_app.journal.record.happenings import Event
from pi_app.text.errors import UserFileError
from tests.pi_app.centre.facts.games import hand_over, learn, write
from tests.pi_app.cli.typed_centre import ORIGINS, centre
from tests.pi_app.games import rolled, started, table_with, turned

AUDITOR = ReaderRights("auditor")
PUBLIC = ReaderRights("public")
NOW = 1_778_950_000
END = ev.Ended()


def game(clicks: int, *, on: bool = False) -> list[Event]:
    played: list[Event] = [
        ev.SetupChecked(stands={"T01": 0, "T02": 0}),
        ev.Claimed(seat="ANN", grade="button"),
        rolled(clicks),
        turned("T01", clicks, "ANN"),
    ]
    return played if on else [*played, END]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Table 1 of Alpha: five games, and one that is on; Table 2 of Beta: four games."""
    found = SqliteStore(tmp_path / "centre.db")
    for number, (origin, shop) in enumerate(zip(ORIGINS, ("Alpha", "Beta"), strict=False), 1):
        found.add_code(origin.encode(), f"Table {number}", shop, 10_000)
        found.enrol(origin.encode(), origin, 1)
    games = [game(clicks) for clicks in (1, 2, 3, 4, 5)]
    hand_over(found, write(tmp_path / "one.db", *games, game(6, on=True)), ORIGINS[0])
    hand_over(found, write(tmp_path / "two.db", *games[:4]), ORIGINS[1])
    learn(found)
    yield found
    found.close()


def asked(folder: Path, question: str) -> list[tuple[object, ...]]:
    with duckdb.connect(":memory:") as db:
        db.execute(f"SET file_search_path = '{str(folder).replace(chr(39), chr(39) * 2)}'")
        return db.execute(question).fetchall()


@pytest.mark.parametrize("name", [b"caf\xe9 [1-2]*", "Würfel; DROP 'x'".encode(), b"a\nb"])
def test_a_folder_may_have_any_name(store: SqliteStore, tmp_path: Path, name: bytes) -> None:
    folder = tmp_path / os.fsdecode(name)
    export(store, folder, AUDITOR, NOW)
    shutil.copytree(folder, tmp_path / "plain")
    assert asked(tmp_path / "plain", "SELECT count(*) FROM 'games.parquet'") == [(10,)]


def test_an_auditor_gets_tables_games_dials_and_turns(store: SqliteStore, tmp_path: Path) -> None:
    folder = tmp_path / "it's here"
    assert export(store, folder, AUDITOR, NOW) == {"tables": 2, "games": 10, "dials": 4, "turns": 9}
    assert sorted(each.name for each in folder.iterdir()) == [
        "dials.parquet", "games.parquet", "tables.parquet", "turns.parquet",
    ]  # fmt: skip
    assert asked(folder, "SELECT table_name, words, begun, ended, seen::VARCHAR FROM 'tables.parquet'") == [
        ("Table 1", ["silent since 1970-01-01 00:00 UTC"], 6, 5, "1970-01-01 00:00:01"),
        ("Table 2", ["silent since 1970-01-01 00:00 UTC"], 4, 4, "1970-01-01 00:00:01"),
    ]
    clicks = "SELECT table_name, clicks, rolled, from_position, to_position FROM 'turns.parquet' WHERE clicks > 3"
    assert asked(folder, f"{clicks} ORDER BY ALL") == [
        ("Table 1", 4, 4, 0, 4), ("Table 1", 5, 5, 0, 5), ("Table 2", 4, 4, 0, 4),
    ]  # fmt: skip
    assert asked(folder, "SELECT sum(turns), sum(die_of), sum(die_games), any_value(faces) FROM 'dials.parquet'") == [
        (9, 9, 0, [1, 1, 1, 1, 1, 0])
    ]
    states = "SELECT state, count(*), sum(turns), min(began)::VARCHAR FROM 'games.parquet' GROUP BY ALL ORDER BY 1"
    assert asked(folder, states) == [
        ("ended", 9, 9, "2026-05-16 14:00:01"), ("on", 1, None, "2026-05-16 14:00:31"),
    ]  # fmt: skip


def test_every_file_has_the_columns_that_are_stated(store: SqliteStore, tmp_path: Path) -> None:
    export(store, tmp_path / "all", AUDITOR, NOW)
    for name, columns in FILES.items():
        found = asked(tmp_path / "all", f"DESCRIBE SELECT * FROM '{name}.parquet'")
        assert {str(column): str(kind) for column, kind, *_ in found} == dict(columns)


def test_a_shop_gets_its_own_tables_alone(store: SqliteStore, tmp_path: Path) -> None:
    found = export(store, tmp_path / "beta", ReaderRights("shop", "Beta"), NOW)
    assert found == {"tables": 1, "games": 4, "dials": 2, "turns": 4}
    for name in FILES:
        assert asked(tmp_path / "beta", f"SELECT DISTINCT shop FROM '{name}.parquet'") == [("Beta",)]
    assert export(store, tmp_path / "none", ReaderRights("shop", ""), NOW)["tables"] == 0


def test_everybody_gets_sums_over_five_games_or_more(store: SqliteStore, tmp_path: Path) -> None:
    assert export(store, tmp_path / "public", PUBLIC, NOW) == {"months": 1}
    assert [each.name for each in (tmp_path / "public").iterdir()] == ["months.parquet"]
    assert asked(tmp_path / "public", "SELECT * FROM 'months.parquet'") == [("Alpha", "2026-05", 5, 25.0, 5)]
    assert list(PUBLIC_FILES) == ["months"]


def test_only_games_since_a_day_are_exported(store: SqliteStore, tmp_path: Path) -> None:
    assert export(store, tmp_path / "new", AUDITOR, NOW, "2026-05-16")["games"] == 10
    assert export(store, tmp_path / "new", AUDITOR, NOW, "2026-05-17") == {
        "tables": 2,
        "games": 0,
        "dials": 4,
        "turns": 0,
    }
    assert export(store, tmp_path / "new", PUBLIC, NOW, "2026-05-17") == {"months": 0}
    assert asked(tmp_path / "new", "SELECT count(*) FROM 'turns.parquet'") == [(0,)], "older files are replaced"


def test_what_a_running_game_holds_and_who_plays_changes_no_byte(tmp_path: Path) -> None:
    found = []
    for name, content, clicks in (("a", table_with(None), 2), ("b", table_with(None, xp=9), 5)):
        store = SqliteStore(tmp_path / f"{name}.db")
        store.add_code(b"code", "Table", "", 10_000)
        store.enrol(b"code", ORIGINS[0], 1)
        hand_over(
            store,
            write(tmp_path / f"{name}.journal", game(3), game(clicks, on=True), begin=started(content, content)),
            ORIGINS[0],
        )
        learn(store)
        export(store, tmp_path / name, AUDITOR, NOW)
        store.close()
        lines = [asked(tmp_path / name, f"SELECT * FROM '{file}.parquet'") for file in FILES]
        assert "ANN" not in str(lines)
        assert "Ann" not in str(lines)
        found.append(lines)
    assert found[0] == found[1]


def test_a_game_that_cannot_be_audited_has_a_line_without_its_turns(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pi_app.centre.findings import game_audit

    monkeypatch.setattr(game_audit, "MOST_ENTRIES", 4)
    assert export(store, tmp_path / "all", AUDITOR, NOW)["turns"] == 0
    assert asked(tmp_path / "all", "SELECT count(*), count(verdict) FROM 'games.parquet'") == [(10, 0)]


def test_an_export_that_fails_leaves_what_was_there(store: SqliteStore, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    export(store, folder, AUDITOR, NOW)
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    with ParquetFolder(folder, FILES) as files:
        files.add("tables", {"entries": "no number"})
        with pytest.raises(UserFileError, match=r"cannot be written \(.*\)\. Check its disk"):
            files.finish()
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


def test_a_folder_that_is_a_file_is_refused(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserFileError, match=r"file: cannot be written \(Not a directory\)\. Name another folder"):
        export(store, tmp_path / "file", AUDITOR, NOW)


def test_without_duckdb_it_says_what_to_type(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(UserFileError) as refused:
        export(store, tmp_path / "all", AUDITOR, NOW)
    assert str(refused.value) == parquet_module.NO_DUCKDB
    assert not (tmp_path / "all").exists()


def test_the_command_writes_and_counts(store: SqliteStore, tmp_path: Path) -> None:
    assert centre("new", tmp_path / "shop", "--name", "centre.example/c1")[0] == 0
    settings = tmp_path / "shop" / "centre.toml"
    code, output, errors = centre("export", tmp_path / "all", "-s", settings)
    assert (code, errors) == (0, "")
    assert output.splitlines()[1] == f"{tmp_path}/all/games.parquet: 0 games"
    settings.write_text(f'name = "centre.example/c1"\nstore = "{tmp_path}/centre.db"\n', encoding="utf-8")
    done = centre("export", tmp_path / "beta", "--shop", "Beta", "--since", "2026-05-16", "--json", "-s", settings)
    assert (done[0], json.loads(done[1])) == (0, {"tables": 1, "games": 4, "dials": 2, "turns": 4})
    assert centre("export", tmp_path / "p", "--public", "--shop", "Beta", "-s", settings)[0] == 2
    code, _, errors = centre("export", tmp_path / "x", "--shop", "Gamma", "-s", settings)
    assert (code, "--shop Gamma: is the shop of no table here. List them: trapdial centre tables." in errors) == (
        2,
        True,
    )
