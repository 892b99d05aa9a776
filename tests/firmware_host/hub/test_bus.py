"""The board's I2C block and its pins, on a `machine` that records its calls."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from typing import Any

import pytest

from firmware_host.hub.bus import I2cBus


class Machine:
    """`calls` records the calls; SDA stays low until it has received `clocks` clocks."""

    def __init__(self, clocks: int = 0) -> None:
        self.calls: list[str] = []
        self.clocks = clocks
        self.error = 0
        machine = self

        class Pin:
            OPEN_DRAIN, PULL_UP = 2, 1

            def __init__(
                self, number: int, mode: int = -1, pull: int | None = None, *, value: int | None = None
            ) -> None:
                self.number = number
                self.level = 1
                if mode == Pin.OPEN_DRAIN:
                    assert (pull, value) == (Pin.PULL_UP, 1)
                    machine.calls.append(f"pin {number} by hand")

            def value(self, level: int | None = None) -> int:
                if level is None:
                    return self.level if machine.clocks <= 0 else 0
                machine.calls.append(f"{self.number}={level}")
                machine.clocks -= self.number == 5 and level == 1
                self.level = level
                return 0

        class I2C:
            def __init__(self, block: int, *, scl: Pin, sda: Pin, freq: int, timeout: int) -> None:
                machine.calls.append(f"I2C({block}, scl={scl.number}, sda={sda.number}, {freq} Hz, {timeout} us)")

            def writeto(self, address: int, data: bytes) -> None:
                machine.transfer()
                machine.calls.append(f"write {address:02x} {data.hex()}")

            def readfrom_into(self, address: int, into: bytearray) -> None:
                machine.transfer()
                into[:] = bytes(len(into))

            def readfrom_mem_into(self, address: int, register: int, into: bytearray) -> None:
                machine.transfer()
                into[:] = bytes((register,)) * len(into)

        self.Pin, self.I2C = Pin, I2C

    def transfer(self) -> None:
        if self.error:
            raise OSError(self.error, "as asked")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep_us", lambda _: None, raising=False)


def bus(machine: Any, reset: int | None = None) -> I2cBus:
    return I2cBus(machine, 0, 4, 5, 400_000, 2000, reset)


I2C_AGAIN = "I2C(0, scl=5, sda=4, 400000 Hz, 2000 us)"
STOP = ["5=0", "4=0", "5=1", "4=1"]


def test_a_start_frees_the_bus_first() -> None:
    """A reset by the watchdog may have interrupted a chip in the middle of a byte."""
    machine = Machine(clocks=3)
    assert bus(machine).freed == 0
    assert machine.calls == ["pin 5 by hand", "pin 4 by hand", *["5=0", "5=1"] * 3, *STOP, I2C_AGAIN]


def test_no_more_than_nine_clocks() -> None:
    machine = Machine(clocks=99)
    bus(machine)
    assert machine.calls.count("5=1") == 9 + 1
    assert machine.calls[-1] == I2C_AGAIN


def test_freeing_pulses_the_muxes_reset_if_it_is_wired() -> None:
    machine = Machine()
    here = bus(machine, reset=9)
    machine.calls.clear()
    here.free()
    assert here.freed == 1
    assert machine.calls == ["9=0", "9=1", "pin 5 by hand", "pin 4 by hand", *STOP, I2C_AGAIN]


def test_transfers_and_their_failures() -> None:
    machine = Machine()
    here = bus(machine)
    here.write(0x70, b"\x01")
    into = bytearray(3)
    here.read_register(0x36, 0x0B, into)
    assert into == b"\x0b\x0b\x0b"
    here.read(0x70, into)
    machine.error = errno.EIO
    uses: list[Callable[[], None]] = [
        lambda: here.write(1, b""),
        lambda: here.read(1, into),
        lambda: here.read_register(1, 2, into),
    ]
    for use in uses:
        with pytest.raises(OSError, match="as asked"):
            use()
    assert machine.calls[-1] == "write 70 01"
