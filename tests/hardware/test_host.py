"""Where files may be put that cost no disk: one place knows it, and a machine without it does without."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware import host

ROOT = Path(__file__).resolve().parents[2]
KNOW_IT = {
    "hardware/host.py",
    "tests/conftest.py",  # before anything of the program is imported
    "tests/kernel/guest.py",  # which must also be able to run code there
    "tests/hardware/test_host.py",
}


def test_a_machine_without_the_folder_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(host, "MEMORY", tmp_path)
    assert host.memory_folder() == tmp_path
    monkeypatch.setattr(host, "MEMORY", tmp_path / "absent")
    assert host.memory_folder() is None


def test_everybody_else_asks_for_it() -> None:
    """A path that is written down works on most machines, and then not where a container forbids it."""
    files = [
        file for folder in ("hardware", "firmware_host", "pi_app", "tests") for file in ROOT.glob(f"{folder}/**/*.py")
    ]
    assert {file.relative_to(ROOT).as_posix() for file in files if '"/dev/shm' in file.read_text("utf-8")} == KNOW_IT
