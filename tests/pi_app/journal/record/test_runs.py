"""Runs give the same verdict as single rows, and no row in them needs a further check."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pi_app.journal.record import runs as module
from pi_app.journal.record.runs import runs
from pi_app.journal.record.verify import verify
from tests.pi_app.journal.record.attacking import ATTACKS, NoSuchPlace, Record, attack, play


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    folder: Path = tmp_path_factory.mktemp("runs")
    return [play(folder / f"{seed}.db", random.Random(f"runs {seed}")) for seed in range(6)]


def test_every_row_of_an_honest_record_is_in_a_run(records: list[Record]) -> None:
    for record in records:
        found = list(runs(record.rows))
        leaves = [leaf for run in found for leaf in (run.first.leaf, *run.leaves)]
        assert leaves == [row[3] for row in record.rows]
        assert len(found) < record.size


def test_a_run_ends_at_a_row_that_needs_a_check(records: list[Record]) -> None:
    for record in records:
        firsts = {run.first.number for run in runs(record.rows)}
        assert firsts >= {*record.of_kind("started", "set-up checked", "ended", "game deleted"), record.size}


@pytest.mark.slow
@pytest.mark.parametrize("longest", [0, 1, 3])
def test_the_verdict_is_the_same_however_long_runs_are(
    records: list[Record], longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of one row each check every row singly."""
    draw = random.Random(longest)
    for number in range(len(ATTACKS) * 3):
        record = draw.choice(records)
        try:
            rows = attack(ATTACKS[number % len(ATTACKS)], record, draw, records).rows
        except NoSuchPlace:
            rows = record.rows
        heads = [record.head(draw.randrange(1, record.size + 1)) for _ in range(draw.randrange(3))]
        with monkeypatch.context() as patch:
            patch.setattr(module, "LONGEST", longest)
            alone = verify(rows, heads, again=lambda: rows)  # noqa: B023
        assert verify(rows, heads, again=lambda: rows) == alone  # noqa: B023
