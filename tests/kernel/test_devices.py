"""The two devices without a kernel: requests as the kernel's drivers send them, written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import SimWire
from tests.kernel.devices import GpioDevice, I2cDevice
from tests.kernel.vhost import Queue, Request


class KeptAnswers(Queue):
    """A queue that keeps its answers instead of writing them into a kernel's memory."""

    def __init__(self, *requests: Request) -> None:
        self.waiting = list(requests)
        self.given: list[tuple[int, int, bytes]] = []
        self.interrupts = 0

    def requests(self) -> Iterator[Request]:
        while self.waiting:
            yield self.waiting.pop(0)

    def answer(self, request: Request, answer: bytes, untouched: int = 0) -> None:
        self.given.append((request.head, untouched, answer))

    def interrupt(self) -> None:
        self.interrupts += 1

    def close(self) -> None:
        """No descriptors are open."""


def message(head: int, address: int, flags: int, data: bytes = b"", room: int = 1) -> Request:
    header = bytes((address << 1, 0, 0, 0, flags, 0, 0, 0))
    return Request(head, (header, data) if data else (header,), ((0x1000, room),))


@pytest.fixture
def i2c(tmp_path: Path) -> Iterator[I2cDevice]:
    clock = VirtualClock(1_000_000_000)
    wire = SimWire(clock)
    wire.trunk.hang(As5600Twin(clock, lambda _ns: 0x123))
    clock.advance(20_000_000)
    device = I2cDevice(tmp_path / "i2c", wire, lambda: None, timeout_ms=20)
    yield device
    device.close()


def test_one_call_is_one_transaction_with_one_stop(i2c: I2cDevice) -> None:
    queue = i2c.queue[0] = KeptAnswers(message(1, 0x36, 1, b"\x0c"), message(2, 0x36, 2, room=3))
    i2c.handle(0)
    assert queue.given == [(1, 0, b"\x00"), (2, 0, b"\x01\x23\x00")]
    assert (queue.interrupts, i2c.requests, i2c.wire.transactions) == (1, 1, 1)
    assert list(i2c.messages_in_calls) == [2]


def test_after_a_failure_the_rest_of_a_call_fails_untouched_and_the_next_call_is_good(i2c: I2cDevice) -> None:
    queue = i2c.queue[0] = KeptAnswers(
        message(1, 0x37, 1, b"\x0c"), message(2, 0x36, 2, room=3), message(3, 0x36, 0, b"\x0c")
    )
    i2c.handle(0)
    assert queue.given == [(1, 0, b"\x01"), (2, 2, b"\x01"), (3, 0, b"\x00")]
    i2c.wire.trunk.held = True
    queue.waiting.append(message(4, 0x36, 2, room=3))
    i2c.handle(0)
    assert queue.given[-1] == (4, 2, b"\x01")


@pytest.fixture
def gpio(tmp_path: Path) -> Iterator[GpioDevice]:
    changes: list[tuple[int, int]] = []
    device = GpioDevice(tmp_path / "gpio", 4, lambda gpio, level: changes.append((gpio, level)))
    device.changes = changes  # type: ignore[attr-defined]
    yield device
    device.close()


def ask(device: GpioDevice, kind: int, gpio: int, value: int = 0) -> bytes:
    queue = device.queue[0] = KeptAnswers(Request(0, (bytes((kind, 0, gpio, 0, value, 0, 0, 0)),), ((0x1000, 2),)))
    device.handle(0)
    ((_, _, answer),) = queue.given
    return answer


def test_the_configuration_has_the_number_of_lines(gpio: GpioDevice) -> None:
    assert gpio.config() == b"\x04\x00\x00\x00\x00\x00\x00\x00"


def test_an_output_reports_every_change_and_an_input_is_read(gpio: GpioDevice) -> None:
    assert ask(gpio, 2, 1) == b"\x00\x02", "a line without set-up is an input"
    assert ask(gpio, 5, 1, 1) == b"\x00\x00"
    assert ask(gpio, 3, 1, 1) == b"\x00\x00"
    assert ask(gpio, 5, 1, 0) == b"\x00\x00"
    assert ask(gpio, 5, 1, 0) == b"\x00\x00"
    assert gpio.changes == [(1, 1), (1, 0)]  # type: ignore[attr-defined]
    assert ask(gpio, 4, 2) == b"\x00\x01", "pulled up"
    gpio.drive(2, 0)
    assert ask(gpio, 4, 2) == b"\x00\x00"
    assert ask(gpio, 4, 9) == b"\x01\x00", "there is no such line"


def test_an_edge_answers_a_waiting_request_once_and_an_early_one_is_kept(gpio: GpioDevice) -> None:
    events = gpio.queue[1] = KeptAnswers(Request(7, (b"\x02\x00",), ((0x1000, 1),)))
    ask(gpio, 6, 2, 3)
    gpio.handle(1)
    assert events.given == []
    gpio.drive(2, 0)
    gpio.drive(2, 0)
    assert events.given == [(7, 0, b"\x01")]
    gpio.drive(2, 1)
    events.waiting.append(Request(8, (b"\x02\x00",), ((0x1000, 1),)))
    gpio.handle(1)
    assert events.given[1:] == [(8, 0, b"\x01")]
    events.waiting.append(Request(9, (b"\x02\x00",), ((0x1000, 1),)))
    gpio.handle(1)
    ask(gpio, 6, 2, 0)
    assert events.given[2:] == [(9, 0, b"\x00")], "given back when the watching ends"
