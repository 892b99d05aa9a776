"""Shared by these tests: a wire with an adapter, and transfers in one line."""

from __future__ import annotations

from hardware.adapter import I2C_M_RD, I2C_M_STOP, KernelMessage
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import SimWire


class Rig:
    """A wire, its clock and an adapter; every method is one I2C_RDWR call."""

    def __init__(self, kind: str = "bcm2835", speed_hz: int = 100_000, call_cost_ns: int = 0) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, speed_hz)
        self.adapter = SimAdapter(self.wire, self.clock, kind, call_cost_ns)

    def call(self, *messages: KernelMessage) -> int:
        return self.adapter.prepare(messages)()

    def write(self, address: int, *data: int) -> None:
        self.call(sent(address, *data))

    def read(self, address: int, length: int) -> bytes:
        message = wanted(address, length)
        self.call(message)
        return bytes(message.buffer)

    def ask(self, address: int, register: int, length: int) -> bytes:
        """Register write, repeated START, read."""
        message = wanted(address, length)
        self.call(sent(address, register), message)
        return bytes(message.buffer)


def sent(address: int, *data: int, stop: bool = False) -> KernelMessage:
    return KernelMessage(address, I2C_M_STOP if stop else 0, bytearray(data))


def wanted(address: int, length: int, *, stop: bool = False) -> KernelMessage:
    return KernelMessage(address, I2C_M_RD | (I2C_M_STOP if stop else 0), bytearray(length))


class Echo:
    """A chip that records everything and gives scripted answers; not a twin."""

    def __init__(self, clock: VirtualClock, address: int, answer: int = 0xFF, accepts: int = 1 << 30) -> None:
        self.clock, self.answer, self.accepts = clock, answer, accepts
        self._address = address
        self.seen: list[tuple[str, int, int]] = []

    @property
    def address(self) -> int:
        return self._address

    def start(self, reading: bool) -> bool:
        self.seen.append(("read" if reading else "write", 0, self.clock.now_ns()))
        return True

    def write(self, byte: int) -> bool:
        self.seen.append(("byte", byte, self.clock.now_ns()))
        self.accepts -= 1
        return self.accepts >= 0

    def read(self) -> int:
        self.seen.append(("out", self.answer, self.clock.now_ns()))
        return self.answer

    def stop(self) -> None:
        self.seen.append(("stop", 0, self.clock.now_ns()))
