"""SIMULATED: MicroPython's `machine` as far as the firmware needs it. It shadows the interpreter's own.

I2C transfers and bit-banged clocks go to the parent process, where simulated chips answer; without any, a formula in
this process does (`formula.py`). The watchdog really kills. Signatures and errors follow the rp2 port of MicroPython
1.28.

A transfer takes as long as its bits and an RP2040's Python need, so a simulated hub samples about as fast as a real
one.

Not modelled: pull-ups, drive strength, pin interrupts, clock stretching, and timers except periodic ones.
"""

import _thread
import time
from errno import EIO, ETIMEDOUT

import formula
import twin_setup

PWRON_RESET, WDT_RESET = 1, 3

TRANSFER, CLOCK, LINES, MUX_RESET, WATCH, FEED, RESET, BOOTLOADER = range(8)
"""Requests to the parent. A request is: number of bytes that follow, kind, the rest; so is an answer."""

OK, NO_ANSWER, TIMED_OUT = range(3)

PYTHON_US = 100
"""An RP2040's time for a transfer besides the wire: calculated in `wiring_docs/hub.md`."""
NAP_US = 1000
"""It never sleeps shorter, and makes up for the difference."""

FEED_EVERY_MS = 50
"""The parent receives no more than one feed in this time."""

if twin_setup.QUESTIONS < 0:
    _out = _in = None
else:
    _out = open(twin_setup.QUESTIONS, "wb", buffering=0)  # noqa: SIM115
    _in = open(twin_setup.ANSWERS, "rb", buffering=0)  # noqa: SIM115


def _tell(what: int, rest: bytes = b"") -> None:
    _out.write(bytes((1 + len(rest), what)) + rest)


def _ask(what: int, rest: bytes = b"") -> "tuple[int, bytes]":
    _tell(what, rest)
    length = _in.read(1)
    if not length:
        _tell(FEED)  # the parent is gone, so this write ends the process
    answer = _in.read(length[0])
    return answer[0], answer[1:]


def unique_id() -> bytes:
    return twin_setup.UID


def reset_cause() -> int:
    return twin_setup.RESET_CAUSE


def reset() -> None:
    """The parent kills this process: nothing after this call runs, as on a board."""
    _ask(RESET)


def bootloader() -> None:
    _ask(BOOTLOADER)


class Pin:
    """A GP pin. The pins of an I2C block reach the simulated bus."""

    IN, OUT, OPEN_DRAIN = 0, 1, 2
    PULL_UP = 1

    def __init__(self, number, mode=-1, pull=None, *, value=None) -> None:
        self.number = number
        self._level = 1
        if value is not None:
            self.value(value)

    def value(self, level=None):
        block, is_clock = self.number // 2 % 2, self.number % 2
        if level is None:
            if twin_setup.CHIPS:
                held = _ask(LINES, bytes((block,)))[1][is_clock]
                return 0 if held else self._level
            return self._level
        if twin_setup.CHIPS and level and not self._level:
            if self.number == twin_setup.MUX_RESET:
                _ask(MUX_RESET)
            elif is_clock:
                _ask(CLOCK, bytes((block,)))
        self._level = level
        return None


class I2C:
    """An I2C block of an RP2040."""

    def __init__(self, block, *, scl, sda, freq=400_000, timeout=50_000) -> None:
        if block not in (0, 1):
            raise ValueError("I2C(%d) doesn't exist" % block)  # noqa: UP031
        if scl.number % 2 != 1 or scl.number // 2 % 2 != block:
            raise ValueError("bad SCL pin")
        if sda.number % 2 != 0 or sda.number // 2 % 2 != block:
            raise ValueError("bad SDA pin")
        self._block, self._timeout_us = block, timeout
        self._bit_us, self._owed_us = 1_000_000 / freq, 0

    def _take_time(self, byte_count: int) -> None:
        self._owed_us += PYTHON_US + 9 * byte_count * self._bit_us
        if twin_setup.PACED and self._owed_us >= NAP_US:
            time.sleep_us(int(self._owed_us))
            self._owed_us = 0

    def writeto(self, address, data, stop=True):
        self._take_time(1 + len(data))
        if twin_setup.CHIPS:
            self._transfer(bytes((address, 0, len(data))) + data)
        elif not formula.write(address, data):
            raise OSError(EIO, "SIMULATED")
        return len(data)

    def readfrom_into(self, address, into, stop=True) -> None:
        self._take_time(1 + len(into))
        if twin_setup.CHIPS:
            into[:] = self._transfer(bytes((address, 1, len(into))))
        elif not formula.read(address, into):
            raise OSError(EIO, "SIMULATED")

    def readfrom_mem_into(self, address, register, into) -> None:
        self._take_time(3 + len(into))
        if twin_setup.CHIPS:
            into[:] = self._transfer(bytes((address, 0, 1, register, address, 1, len(into))))
        elif not (formula.write(address, bytes((register,))) and formula.read(address, into)):
            raise OSError(EIO, "SIMULATED")

    def _transfer(self, messages: bytes) -> bytes:
        status, got = _ask(TRANSFER, bytes((self._block,)) + messages)
        if status == TIMED_OUT:
            time.sleep_us(self._timeout_us)
            raise OSError(ETIMEDOUT, "SIMULATED")
        if status != OK:
            raise OSError(EIO, "SIMULATED")
        return got


class WDT:
    """The parent kills the process if nothing feeds it; it cannot be stopped."""

    def __init__(self, id=0, timeout=5000) -> None:  # noqa: A002
        if not 1 <= timeout <= 8388:
            raise ValueError("timeout exceeds 8388")
        self._fed_ms = time.ticks_ms()
        limit_ms = timeout // twin_setup.SPEEDUP
        _tell(WATCH, bytes((limit_ms >> 8, limit_ms & 0xFF)))

    def feed(self) -> None:
        now = time.ticks_ms()
        if time.ticks_diff(now, self._fed_ms) >= FEED_EVERY_MS:
            self._fed_ms = now
            _tell(FEED)


class Timer:
    """Calls back periodically, from a thread of its own."""

    ONE_SHOT, PERIODIC = 0, 1
    running: "list[Timer]" = []  # noqa: RUF012

    def __init__(self, id=-1) -> None:  # noqa: A002
        self._life = 0
        self.running.append(self)

    def init(self, *, period, mode=PERIODIC, callback) -> None:
        self._life += 1
        _thread.start_new_thread(self._run, (self._life, period // twin_setup.SPEEDUP, callback))

    def deinit(self) -> None:
        self._life += 1

    def _run(self, life: int, period_ms: int, callback) -> None:
        left_ms = period_ms
        while life == self._life:
            time.sleep_ms(min(left_ms, 20))
            left_ms -= 20
            if left_ms <= 0 and life == self._life:
                left_ms = period_ms
                callback(self)
