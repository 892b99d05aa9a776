"""Files copied to a board, and their order, with an mpremote that only records its arguments."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware_host.errors import InstallError
from firmware_host.install import ROOT, ProgramResult, install, mpremote

PORT = "/dev/ttyACM0"


class FakeMpremote:
    """An mpremote whose board has these files."""

    def __init__(self, *there: str, fails: str = "", output: str = "") -> None:
        self.there, self.fails, self.output = there, fails, output
        self.calls: list[list[str]] = []

    def __call__(self, words: Sequence[str]) -> ProgramResult:
        self.calls.append(list(words))
        if self.fails and self.fails in words:
            return ProgramResult(1, self.output)
        if words[-2:] == ["ls", ":"]:
            return ProgramResult(0, "ls :\n" + "".join(f"{139:12} {name}\n" for name in self.there))
        return ProgramResult(0, "")

    @property
    def commands(self) -> list[list[str]]:
        """Commands of the last call."""
        (*_, last) = self.calls
        assert last[:2] == ["connect", PORT]
        commands: list[list[str]] = [[]]
        for word in last[2:]:
            if word == "+":
                commands.append([])
            else:
                commands[-1].append(word)
        return commands


PACKAGE = sorted((ROOT / "hub").glob("*.py"))


def test_an_empty_board_gets_everything_and_main_last() -> None:
    board = FakeMpremote()
    copied = install(PORT, run=board)
    assert board.calls[0] == ["connect", PORT, "fs", "ls", ":"]
    assert board.commands == [
        ["fs", "mkdir", ":hub"],
        ["fs", "cp", *map(str, PACKAGE), ":hub/"],
        ["fs", "cp", str(ROOT / "board" / "boot.py"), ":boot.py"],
        ["fs", "cp", str(ROOT / "board" / "board.py"), ":board.py"],
        ["fs", "cp", str(ROOT / "board" / "main.py"), ":main.py"],
        ["reset"],
    ]
    assert copied == [*(f"hub/{file.name}" for file in PACKAGE), "boot.py", "board.py", "main.py"]
    assert {"hub/wire.py", "hub/core.py", "hub/__init__.py"} <= set(copied)


def test_the_builders_board_py_stays() -> None:
    board = FakeMpremote("boot.py", "board.py", "main.py", "hub/")
    assert "board.py" not in install(PORT, run=board)
    assert [command[-1] for command in board.commands] == [":hub/", ":boot.py", ":main.py", "reset"]


def test_unless_another_is_named(tmp_path: Path) -> None:
    board = FakeMpremote("board.py", "hub/")
    install(PORT, tmp_path / "mine.py", run=board)
    assert ["fs", "cp", str(tmp_path / "mine.py"), ":board.py"] in board.commands


def test_everything_that_is_copied_is_there() -> None:
    board = FakeMpremote()
    install(PORT, run=board)
    for command in board.commands:
        assert all(Path(file).is_file() for file in command[2:-1])


def test_a_board_without_micropython() -> None:
    board = FakeMpremote(fails="ls", output="Traceback\nmpremote.transport.TransportError: could not enter raw repl\n")
    with pytest.raises(InstallError) as caught:
        install(PORT, run=board)
    assert str(caught.value) == (
        "board (/dev/ttyACM0) does not respond to mpremote: mpremote.transport.TransportError: could not enter raw "
        "repl. If the board has no MicroPython yet: hold its BOOTSEL button while you plug it in, and copy the "
        "official MicroPython .uf2 for this board, 1.25 or later, onto the drive that appears."
    )


def test_a_copy_that_breaks_off() -> None:
    board = FakeMpremote(fails="reset", output="cp: OSError: [Errno 28] ENOSPC")
    with pytest.raises(InstallError) as caught:
        install(PORT, run=board)
    assert str(caught.value) == (
        "board (/dev/ttyACM0) did not accept its files: cp: OSError: [Errno 28] ENOSPC. Unplug it and install again."
    )


def test_without_mpremote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InstallError) as caught:
        mpremote(["version"])
    assert str(caught.value) == (
        "program mpremote (this machine) is not installed. `trapdial extras install hub` installs it."
    )


def test_mpremote_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(words: Sequence[str], **given: object) -> None:
        raise subprocess.TimeoutExpired(words, 120)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(subprocess, "run", never)
    assert mpremote(["version"]) == ProgramResult(1, "mpremote did not end in 120 s")
