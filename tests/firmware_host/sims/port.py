"""A host's end for these tests: pyserial on a simulated board's port, and the received messages."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import pytest
import serial

from firmware_host.hub import wire
from firmware_host.reports import WireReport, parse_report
from firmware_host.sims.interpreter import Interpreter, cpython, micropython

UID = "e6616408432b5c21"
DEADLINE_S = 20
NONCE = 0xC0FFEE01

Message = tuple[int, int, bytes]


def interpreters() -> list[object]:
    """Both, or CPython and a skip with its reason."""
    found = micropython(fetch=True)
    if isinstance(found, str):
        return [pytest.param(cpython(), id="cpython"), pytest.param(None, marks=pytest.mark.skip(found), id="micro")]
    return [pytest.param(cpython(), id="cpython"), pytest.param(found, id="micropython")]


def real() -> Interpreter:
    """MicroPython; skip the test with the reason if there is none."""
    found = micropython(fetch=True)
    if isinstance(found, str):
        pytest.skip(found)
    return found


class Port:
    """An open port. Waiting for a message ends after 20 s."""

    def __init__(self, path: Path) -> None:
        self.serial = serial.Serial(str(path), timeout=DEADLINE_S, write_timeout=DEADLINE_S, exclusive=True)
        self.text: list[bytes] = []
        """Received lines that are not messages."""
        self._seq = 0

    def __enter__(self) -> Port:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.serial.close()

    def send(self, kind: int, body: bytes = b"") -> int:
        """Send a message; return its seq."""
        seq, self._seq = self._seq, (self._seq + 1) & 0xFF
        self.serial.write(wire.line(kind, seq, body))
        return seq

    def next(self) -> Message:
        """The next good message. Raises AssertionError if none comes."""
        until = time.monotonic() + DEADLINE_S
        while time.monotonic() < until:
            line = self.serial.readline()
            assert line, f"nothing came; before it: {self.text[-5:]}"
            found = wire.message(line.rpartition(b":")[2].strip()) if b":" in line else None
            if found is not None:
                return found
            self.text.append(line)
        raise AssertionError(f"no message came, but {self.text[-5:]}")

    def until(self, *kinds: int) -> Message:
        """The next message of one of these kinds; skip others."""
        until = time.monotonic() + DEADLINE_S
        while time.monotonic() < until:
            found = self.next()
            if found[0] in kinds:
                return found
        raise AssertionError(f"none of {kinds} came")

    def hello(self, nonce: int = NONCE) -> bytes:
        """Greet until the answer has this nonce; return its body. A starting hub may miss the first HELLO."""
        self.send(wire.HELLO, struct.pack(wire.HELLO_BODY, wire.OLDEST_PROTOCOL, wire.PROTOCOL, nonce))
        while True:
            _, _, body = self.until(wire.WELCOME)
            if struct.unpack_from(">I", body)[0] == nonce:
                return body

    def stream(self, period_ms: int, gap_ms: int = 35) -> None:
        """Request reports; return when the hub has agreed."""
        self.send(wire.STREAM, struct.pack(wire.STREAM_BODY, period_ms, gap_ms))
        assert self.until(wire.ACK)[2][2] == wire.OK

    def report(self) -> WireReport:
        """The next report, parsed."""
        found = parse_report(self.until(wire.REPORT)[2])
        assert found is not None
        return found

    def statuses(self) -> Iterator[dict[int, int]]:
        """The last value of each dial, after each report."""
        result: dict[int, int] = {}
        for _ in range(500):
            result |= {record.dial: record.value for record in self.report().records}
            yield result

    def good(self, dials: int) -> tuple[int, ...]:
        """The values of all dials once this many are good; a hub needs a few dozen reports for it."""
        for values in self.statuses():
            if sum(value >> 12 == wire.GOOD for value in values.values()) == dials:
                return tuple(values[n] for n in sorted(values))
        raise AssertionError(f"never were {dials} dials good")
