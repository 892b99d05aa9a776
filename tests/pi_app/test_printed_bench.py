"""What the bench of the printed parts tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.bench import printed


def test_the_bench_writes_the_parts_and_has_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def write(folder: Path, clicks: int) -> None:
        asked.append(clicks)
        (folder / "top.stl").write_bytes(bytes(500_000))

    monkeypatch.setattr(printed, "write_parts", write)
    told = printed.bench(16)
    assert asked == [16]
    assert [(figure.name, figure.unit, figure.target) for figure in told.figures] == [
        ("printed parts of one square", "s", 2.0),
        ("files of one square", "MB", None),
    ]
    assert told.figures[1].value == 0.5
    assert told.passed
