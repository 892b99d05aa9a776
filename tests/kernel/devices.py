"""The two devices of the kernel: an I2C controller over simulated wires, and a chip of GPIO lines.

virtio 1.2 sections 5.17 (I2C adapter) and 5.18 (GPIO).
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.sims.wire import ArbitrationLost, LineHeld, SimWire, TransferGlitch
from tests.kernel.vhost import Device, Queue, Request

I2C_HEADER: Final = struct.Struct("<HHI")
FAIL_NEXT, READS = 1, 2
DONE, FAILED = b"\x00", b"\x01"


class I2cDevice(Device):
    """An I2C controller (virtio id 34). The requests that the kernel queues in one call are one transaction on the
    wire: repeated STARTs between its messages and one STOP, and nothing after the first failure."""

    virtio_id = 34
    features = 1  # zero-length requests, which the driver requires

    def __init__(self, path: Path, wire: SimWire, settle: Callable[[], None], timeout_ms: int) -> None:
        """`settle` waits until the wire's time has passed in real time; it is called once per transaction."""
        super().__init__(path)
        self.wire = wire
        self.settle = settle
        self.timeout_ns = timeout_ms * 1_000_000
        self.messages_in_calls: deque[int] = deque(maxlen=1000)
        self._failed = False
        self._messages = 0

    def handle(self, number: int) -> None:
        queue = self.queue[number]
        for request in queue.requests():
            self._message(queue, request)
        queue.interrupt()

    def _message(self, queue: Queue, request: Request) -> None:
        address, _, flags = I2C_HEADER.unpack(request.data[0])
        data = b"".join(request.data[1:])
        self._messages += 1
        got = None if self._failed else self._run(address >> 1, bool(flags & READS), data, request.room_bytes - 1)
        last = not flags & FAIL_NEXT
        if last:
            if got is not None:
                self.wire.stop()
            self.requests += 1
            self.messages_in_calls.append(self._messages)
            self.settle()
        self._failed = got is None and not last
        self._messages = 0 if last else self._messages
        if got is None:
            queue.answer(request, FAILED, untouched=request.room_bytes - 1)
        else:
            queue.answer(request, got + DONE)

    def _run(self, address: int, reads: bool, data: bytes, length: int) -> bytes | None:
        """The bytes read (none for a write), or None if the wire refused."""
        wire = self.wire
        try:
            if wire.start(address, reads):
                if reads:
                    return bytes(wire.read() for _ in range(length))
                if all(wire.write(byte) for byte in data):
                    return b""
        except LineHeld:
            wire.give_up(self.timeout_ns)
            return None
        except (TransferGlitch, ArbitrationLost):
            pass
        wire.stop()
        return None


GPIO_REQUEST: Final = struct.Struct("<HHI")
GET_NAMES, GET_DIRECTION, SET_DIRECTION, GET_VALUE, SET_VALUE, IRQ_TYPE = 1, 2, 3, 4, 5, 6
NONE, OUT, IN = 0, 1, 2
RISING, FALLING, HIGH, LOW = 1, 2, 4, 8
IRQ_VALID, IRQ_INVALID = b"\x01", b"\x00"


@dataclass(slots=True)
class Line:
    """One pin: `outside` is the level that buttons and pull-ups give it."""

    direction: int = NONE
    latch: int = 0
    outside: int = 1
    watched: int = 0
    waiting: Request | None = None
    pending: bool = False

    @property
    def level(self) -> int:
        return self.latch if self.direction == OUT else self.outside

    @property
    def pulls(self) -> int:
        """As an open drain: 0 while the driver pulls it low."""
        return self.latch if self.direction == OUT else 1


class GpioDevice(Device):
    """A GPIO chip with interrupts (virtio id 41), its lines pulled up as a button's pin on a Pi is.

    The chip ignores pull settings: virtio-gpio has none.
    """

    virtio_id = 41
    features = 1  # interrupts
    queues = 2

    def __init__(self, path: Path, lines: int, changed: Callable[[int, int], None]) -> None:
        """`changed` receives every change of an output: the line and its new level."""
        super().__init__(path)
        self.lines = [Line() for _ in range(lines)]
        self.changed = changed
        self.banged: dict[int, Callable[[], None]] = {}
        """Callback for changes of these lines by the driver; they are open drain."""

    def config(self) -> bytes:
        return struct.pack("<HHI", len(self.lines), 0, 0)

    def handle(self, number: int) -> None:
        queue = self.queue[number]
        for request in queue.requests():
            if number == 0:
                self.requests += 1
                queue.answer(request, self._of_a_line(*GPIO_REQUEST.unpack(request.data[0])))
            else:
                (gpio,) = struct.unpack("<H", request.data[0])
                self.lines[gpio].waiting = request
                self._tell(self.lines[gpio])
        queue.interrupt()

    def _of_a_line(self, kind: int, gpio: int, value: int) -> bytes:
        if gpio >= len(self.lines):
            return b"\x01\x00"
        line = self.lines[gpio]
        before = line.level if line.direction == OUT else None
        answer = 0
        if kind == GET_DIRECTION:
            answer = IN if line.direction == NONE else line.direction
        elif kind == SET_DIRECTION:
            line.direction = value
        elif kind == GET_VALUE:
            answer = line.level
        elif kind == SET_VALUE:
            line.latch = value
        elif kind == IRQ_TYPE:
            self._watch(line, value)
        else:
            return b"\x01\x00"
        if gpio in self.banged:
            self.banged[gpio]()
        elif line.direction == OUT and line.level != before:
            self.changed(gpio, line.level)
        return bytes((0, answer))

    def _watch(self, line: Line, kind: int) -> None:
        line.watched, line.pending = kind, False
        if kind == NONE and line.waiting is not None:
            waiting, line.waiting = line.waiting, None
            self.queue[1].answer(waiting, IRQ_INVALID)
            self.queue[1].interrupt()

    def drive(self, gpio: int, level: int) -> None:
        """Set the pin's level from outside; a watcher in the kernel gets an interrupt."""
        with self.lock:
            line = self.lines[gpio]
            edge = RISING if level > line.outside else FALLING if level < line.outside else 0
            line.outside = level
            line.pending |= bool(line.watched & edge) and line.direction != OUT
            self._tell(line)

    def _tell(self, line: Line) -> None:
        steady = bool(line.watched & (HIGH if line.level else LOW))
        if line.waiting is not None and (line.pending or steady):
            waiting, line.waiting, line.pending = line.waiting, None, False
            self.queue[1].answer(waiting, IRQ_VALID)
            self.queue[1].interrupt()
