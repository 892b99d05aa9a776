"""The lanes notice a centre that is wrong: each is run over a broken one, a few times."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from pi_app.centre.service import app as app_module
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.taking import decision
from pi_app.journal.record.checkpoints import read_checkpoint
from pi_app.journal.record.merkle import Tree
from tests.centre.lanes.attacks import SLOW_S, Outcome, attacked
from tests.centre.sqlite_cuts import SQLITE
from tests.crash.disk import FolderSynced, Synced
from tests.crash.points import strike

FEW = 250


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "BODY_S", SLOW_S)


def attacks(folder: Path, count: int = FEW) -> Outcome:
    path = folder / "centre.db"
    with contextlib.closing(SqliteStore(path)) as store, contextlib.closing(SqliteStore(path)) as reading:
        return attacked(store, reading, count, seed=4)


def test_a_sound_centre_withstands(tmp_path: Path) -> None:
    assert attacks(tmp_path).wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("_compare", lambda *_: None),
        ("_signed", lambda handed: read_checkpoint(handed.checkpoint.text)),
        ("_root", lambda *_: Tree().root()),
    ],
)
def test_a_broken_centre_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, broken: object) -> None:
    monkeypatch.setattr(decision, name, broken)
    assert attacks(tmp_path).wrong != []


@pytest.mark.slow
def test_a_store_that_does_not_wait_for_the_disk_is_noticed() -> None:
    tally = strike(1, 120, lives=1, lane=SQLITE)
    assert (tally.points >= 60, tally.wrong) == (True, [])
    careless = strike(
        1, 120, lives=1, lane=SQLITE,
        alter=lambda ops: [op for op in ops if not isinstance(op, Synced | FolderSynced)],
    )  # fmt: skip
    assert careless.wrong != []
