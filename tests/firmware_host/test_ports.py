"""The ports tried for a hub, and their order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_host.ports import SerialPort, candidates, listed

UID = "e6616408432b5c21"


@dataclass(frozen=True)
class Listed:
    device: str
    vid: int | None
    pid: int | None
    serial_number: str | None


def test_only_boards_with_micropython_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = [
        Listed("/dev/ttyACM3", 0x2E8A, 0x0005, UID.upper()),
        Listed("/dev/ttyACM1", 0x2E8A, 0x0005, None),
        Listed("/dev/ttyACM2", 0x2E8A, 0x0005, "not a number"),
        Listed("/dev/ttyUSB0", 0x1A86, 0x7523, None),
        Listed("/dev/ttyS0", None, None, None),
    ]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: there)
    assert listed() == [SerialPort("/dev/ttyACM1"), SerialPort("/dev/ttyACM2"), SerialPort("/dev/ttyACM3", UID)]


THERE = [SerialPort("/dev/ttyACM0", "e661640843ffffff"), SerialPort("/dev/ttyACM1"), SerialPort("/dev/ttyACM2", UID)]


def test_the_board_with_the_id_first_then_those_without_one() -> None:
    assert candidates(UID.upper(), "", THERE) == ["/dev/ttyACM2", "/dev/ttyACM1"]


def test_any_board_if_nothing_is_named() -> None:
    assert candidates("", "", THERE) == ["/dev/ttyACM0", "/dev/ttyACM1", "/dev/ttyACM2"]


def test_a_named_port_is_the_only_one(tmp_path: Path) -> None:
    path = tmp_path / "hub"
    assert candidates(UID, str(path), THERE) == []
    path.touch()
    assert candidates(UID, str(path), THERE) == [str(path)]
