"""The source of MicroPython, and the messages where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware_host.sims.interpreter import FINDER, Interpreter, best, micropython

HELP = "Install a package 'micropython' (Debian 13 or newer has it), or have a network and run: .ci/micropython again\n"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The script in a tree of its own, with no tools but a shell's."""
    (tmp_path / "tree" / ".ci").mkdir(parents=True)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "mkdir", "cat", "flock"):
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"this machine has no {name}")
        (tools / name).symlink_to(found)
    shutil.copy(FINDER, tmp_path / "tree" / ".ci" / "micropython")
    return tmp_path


def run(bare: Path, *words: str) -> tuple[int, str, str]:
    script = str(bare / "tree" / ".ci" / "micropython")
    environment = os.environ | {"PATH": str(bare / "tools")}
    done = subprocess.run(("sh", script, *words), env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_it_fails_with_one_sentence_and_remembers_it(bare: Path) -> None:
    message = f"MicroPython (.ci/micropython) cannot be fetched, since this machine has no apt-get. {HELP}"
    assert run(bare) == (1, "", message)
    (bare / "tools" / "apt-get").symlink_to("/bin/false")
    assert run(bare) == (1, "", message)
    assert run(bare, "again") == (1, "", message.replace("apt-get", "dpkg-deb"))


def test_here_fetches_nothing(bare: Path) -> None:
    assert run(bare, "here") == (1, "", "MicroPython (.ci/micropython) is not here; .ci/micropython fetches it.\n")
    assert not (bare / "tree" / ".venv").exists()


def test_an_installed_one_is_used(bare: Path) -> None:
    installed = bare / "tools" / "micropython"
    installed.write_text("#!/bin/sh\n")
    installed.chmod(0o755)
    assert run(bare) == (0, f"{installed}\n", "")


def test_a_named_one_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAPDIAL_MICROPYTHON", "/somewhere/micropython")
    micropython.cache_clear()
    try:
        assert best() == Interpreter(
            "MicroPython, unix port", ("/somewhere/micropython", "-X", "heapsize=190k"), "MICROPYPATH"
        )
    finally:
        micropython.cache_clear()
