"""A reader's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.settings import load as settings


@pytest.fixture
def small_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the small example's settings, as a reader of the pages has it."""
    monkeypatch.chdir(tmp_path)
    Path("trapdial.toml").write_text(settings.example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")
