"""The lane of `tests.station.budget`, with few games."""

from __future__ import annotations

from pathlib import Path

from tests.station.budget import MEGABYTE, run


def test_a_few_games_at_a_small_budget(tmp_path: Path) -> None:
    tally = run(tmp_path, 14, MEGABYTE // 2, every=7)
    assert tally.games == 14
    assert 0 < tally.left < 14
    assert tally.gone + tally.left <= 14
    assert tally.most_bytes < 2 * MEGABYTE
    did = {line.split(" ", 3)[3].partition(":")[0] for line in tally.times()}
    assert did >= {"put the record aside", "deleted a game"}
