"""The main loop and the watchdog, on a `machine` that records its calls."""

from __future__ import annotations

import gc
import importlib
import os
import select
import struct
import sys
import time
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from firmware_host.hub import wire

BOARD = SimpleNamespace(
    BLOCK=0, SDA=4, SCL=5, SPEED_HZ=400_000, TIMEOUT_US=2000, MUXES=(0x70,), WIRED=range(8), MUX_RESET=None
)
HELLO = wire.line(wire.HELLO, 0, struct.pack(wire.HELLO_BODY, wire.OLDEST_PROTOCOL, wire.PROTOCOL, 5))
STREAM = wire.line(wire.STREAM, 1, struct.pack(wire.STREAM_BODY, 5, 35))


class Host:
    """Incoming bytes, sent lines, and the board's calls. When all is read the loop meets `after`."""

    def __init__(self) -> None:
        self.incoming = b""
        self.out: list[bytes] = []
        self.calls: list[str] = []
        self.shown: list[str] = []
        self.after: BaseException = KeyboardInterrupt()
        self.idle_rounds = 0

    def poll(self, ms: int) -> list[tuple[int, int]]:
        if self.incoming:
            return [(0, 1)]
        if self.idle_rounds:
            self.idle_rounds -= 1
            return []
        raise self.after

    def readinto(self, one: bytearray) -> int:
        one[0], self.incoming = self.incoming[0], self.incoming[1:]
        return 1

    def write(self, line: bytes) -> int:
        self.out.append(bytes(line))
        return len(line)

    def watchdog(self, timeout: int) -> SimpleNamespace:
        self.calls.append(f"WDT {timeout}")
        return SimpleNamespace(feed=lambda: self.calls.append("feed"))

    def kinds(self) -> list[int]:
        return [found[0] for line in self.out if (found := wire.message(line[1:-1]))]


class _Pin:
    OPEN_DRAIN, PULL_UP = 2, 1

    def __init__(self, *_: object, **__: object) -> None:
        """Always high."""

    def value(self, *_: int) -> int:
        return 1


class _Timer:
    PERIODIC = 1
    host: Host
    callback: Callable[[object], None]

    def init(self, *, period: int, mode: int, callback: Callable[[object], None]) -> None:
        self.host.calls.append(f"timer {period}")
        _Timer.callback = staticmethod(callback)

    def deinit(self) -> None:
        self.host.calls.append("no timer")


class _NoChips:
    def __init__(self, *_: object, **__: object) -> None:
        """Nothing answers."""

    def _silent(self, *_: object) -> None:
        raise OSError(5, "EIO")

    writeto = readfrom_into = readfrom_mem_into = _silent


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    host = Host()
    machine: Any = ModuleType("machine")
    machine.Pin, machine.I2C = _Pin, _NoChips
    machine.unique_id = lambda: bytes(8)
    machine.reset_cause = lambda: 3
    machine.reset = lambda: host.calls.append("reset")
    machine.bootloader = lambda: host.calls.append("bootloader")
    machine.WDT, machine.Timer = host.watchdog, _Timer
    _Timer.host = host
    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setattr(time, "ticks_us", lambda: time.monotonic_ns() // 1000, raising=False)
    monkeypatch.setattr(time, "sleep_us", lambda _: None, raising=False)
    monkeypatch.setattr(time, "sleep_ms", lambda ms: host.calls.append(f"sleep {ms}"), raising=False)
    monkeypatch.setattr(gc, "mem_free", lambda: 4711, raising=False)
    poller = SimpleNamespace(register=lambda *_: None, ipoll=host.poll)
    monkeypatch.setattr(select, "poll", lambda: poller)
    console = SimpleNamespace(buffer=host)
    shown = SimpleNamespace(stdin=console, stdout=console, print_exception=lambda e: host.shown.append(str(e)))
    monkeypatch.setattr(importlib.import_module("firmware_host.hub.run"), "sys", shown)
    yield host
    for name in ("firmware_host.hub.run", "firmware_host.hub.watchdog"):
        sys.modules.pop(name, None)


def forever(host: Host) -> None:
    importlib.import_module("firmware_host.hub.run").forever(BOARD, lambda: host.calls.append("feed"))


def maintenance(action: int) -> bytes:
    return HELLO + wire.line(wire.MAINT, 1, struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, action))


@pytest.mark.parametrize(
    ("action", "done"),
    [(wire.RESET, ["sleep 100", "reset"]), (wire.BOOTLOADER, ["sleep 100", "bootloader"]), (wire.REPL, ["sleep 100"])],
)
def test_maintenance_is_answered_first_and_done_then(host: Host, action: int, done: list[str]) -> None:
    host.incoming = maintenance(action) + HELLO
    forever(host)
    assert host.kinds() == [wire.WELCOME, wire.ACK]
    assert [calls for calls in host.calls if calls != "feed"] == done
    assert host.incoming == HELLO  # left for the REPL


def test_without_input_it_feeds_the_watchdog_and_continues(host: Host) -> None:
    host.idle_rounds = 50
    with pytest.raises(KeyboardInterrupt):
        forever(host)
    assert host.calls.count("feed") == 51
    assert host.out == []


def test_ctrl_c_leaves_the_loop_and_nothing_is_reset(host: Host) -> None:
    host.incoming = HELLO
    with pytest.raises(KeyboardInterrupt):
        forever(host)
    assert "reset" not in host.calls
    assert host.kinds() == [wire.WELCOME]


def test_a_bug_is_shown_and_the_board_is_reset(host: Host) -> None:
    host.after = ZeroDivisionError("a fault of ours")
    forever(host)
    assert host.shown == ["a fault of ours"]
    assert host.calls[-3:] == ["feed", "sleep 1000", "reset"]


def test_an_invalid_wiring_is_shown(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(BOARD, "MUXES")
    forever(host)
    assert host.shown == ["'types.SimpleNamespace' object has no attribute 'MUXES'"]
    assert host.calls[-1] == "reset"


def test_a_flood_of_bytes_does_not_stop_the_reports(host: Host) -> None:
    host.incoming = HELLO + STREAM + b"\n" * 50_000
    with pytest.raises(KeyboardInterrupt):
        forever(host)
    assert host.kinds().count(wire.REPORT) >= 2
    assert host.calls.count("feed") >= 50_000 // 64


def test_garbage_is_collected_every_32_reports(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    monkeypatch.setattr(time, "ticks_us", iter(range(0, 10**9, 1000)).__next__, raising=False)
    host.incoming, host.idle_rounds = HELLO + STREAM, 2000
    with pytest.raises(KeyboardInterrupt):
        forever(host)
    assert len(collected) == host.kinds().count(wire.REPORT) // 32 > 3


def test_the_boards_number_and_a_new_boot_id(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda count: b"\x0a\x0b\x0c\x0d"[:count])
    host.incoming = HELLO
    with pytest.raises(KeyboardInterrupt):
        forever(host)
    found = wire.message(host.out[0][1:-1])
    assert found is not None
    _, _, _, dials, cause, uid, *_, boot, _ = struct.unpack(wire.WELCOME_BODY, found[2])
    assert (dials, cause, uid, boot) == (8, 3, bytes(8), 0x0A0B0C0D)


def test_the_watchdog_is_fed_by_the_timer_or_the_caller(host: Host) -> None:
    watchdog = importlib.import_module("firmware_host.hub.watchdog")
    assert host.calls == ["WDT 8000"]
    watchdog.feed_by_timer()
    assert host.calls[1:3] == ["feed", "timer 1000"]
    _Timer.callback(None)
    watchdog.feed_by_caller()
    assert host.calls[3:] == ["feed", "no timer", "feed"]
