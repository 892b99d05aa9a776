"""What a power cut leaves of a file that was being replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_app.text.private_files import remove_drafts, replace_file

OTHERS = (".trapdial.toml", ".hidden.12345678.txt", "starts.json", "journal.db-wal", ".hidden.ABCDEFGH")


def test_a_draft_that_lost_its_power_is_removed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in OTHERS:
        (tmp_path / name).write_text("kept")

    def cut(*_: object, **__: object) -> None:
        raise SystemExit

    with monkeypatch.context() as power:
        power.setattr(os, "replace", cut)
        power.setattr(Path, "unlink", cut)
        with pytest.raises(SystemExit):
            replace_file(tmp_path / "starts.json", b"new")
    assert len(list(tmp_path.iterdir())) == len(OTHERS) + 1
    remove_drafts(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(OTHERS)


def test_a_folder_that_is_not_there_has_no_drafts(tmp_path: Path) -> None:
    remove_drafts(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []
