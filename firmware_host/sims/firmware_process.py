"""One run of a simulated board's firmware, from power-up to its end, and the thread that answers its pins."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from firmware_host.sims.bad_wire import CTRL_C, BadWire
from firmware_host.sims.i2c_blocks import NO_ANSWER, OK, I2cBlocks

DIED, RESET, BOOTLOADER, WATCHDOG = range(4)
"""How a run ended: unasked or by a signal, by a request of the firmware (two ways), by its watchdog."""

ASK_TRANSFER, ASK_CLOCK, ASK_LINES, ASK_MUX_RESET, ASK_WATCH, ASK_FEED, ASK_RESET, ASK_BOOTLOADER = range(8)
CHUNK = 65536
NEVER_MS = -1

SWITCH_INTERVAL_S = 0.0002
"""Switch interval of Python's threads. A sweep sends two dozen requests, and with Python's default of 5 ms each may
wait that long: then a dial's path is unknown although nothing is wrong."""


class FirmwareProcess:
    """`ends`: the pipes of requests and answers. `cable`: the terminal's master and the child's socket, if a bad wire
    lies between them; otherwise the child has the master itself."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        ends: tuple[int, int],
        owned: tuple[int, ...],
        blocks: I2cBlocks,
        died: Callable[[FirmwareProcess, int], None],
        failed: Callable[[Exception], None],
        bad_wire: BadWire | None,
        cable: tuple[int, int],
    ) -> None:
        """`owned`: descriptors to close at the end. `died` receives how it ended, unless `end` ended it."""
        self._process = process
        self._questions, self._answers = ends
        self._owned, self._blocks = owned, blocks
        self._on_end, self._on_failure = died, failed
        self._bad_wire, (self._master, self._relay) = bad_wire, cable
        self._end = DIED
        self._waiting = b""
        self._limit_ns = self._bites_at_ns = 0
        self._thread = threading.Thread(target=self._run, name=f"board {process.pid}", daemon=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    def begin(self) -> None:
        if sys.getswitchinterval() > SWITCH_INTERVAL_S:
            sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._thread.start()

    def end(self) -> None:
        """Stop it at once; return when nothing of it is left."""
        self._kill()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def _run(self) -> None:
        try:
            self._serve()
        except Exception as error:  # noqa: BLE001 - `close` raises it
            self._on_failure(error)
        finally:
            self._kill()
            self._process.wait()
            for number in self._owned:
                os.close(number)
        self._on_end(self, self._end)

    def _serve(self) -> None:
        poll = select.poll()
        poll.register(self._questions, select.POLLIN)
        if self._bad_wire is not None:
            poll.register(self._master, select.POLLIN)
            poll.register(self._relay, select.POLLIN)
        while True:
            for number, _ in poll.poll(self._patience_ms()):
                if number != self._questions:
                    self._carry(number)
                elif not self._read():
                    return
            if self._limit_ns and time.monotonic_ns() >= self._bites_at_ns:
                self._end, self._limit_ns = WATCHDOG, 0
                self._kill()

    def _patience_ms(self) -> int:
        if not self._limit_ns:
            return NEVER_MS
        return max(0, self._bites_at_ns - time.monotonic_ns()) // 1_000_000 + 1

    # --- pins

    def _read(self) -> bool:
        """Handle the received requests; return False when the child is gone."""
        data = os.read(self._questions, CHUNK)
        self._waiting += data
        while self._waiting and len(self._waiting) > self._waiting[0]:
            end = 1 + self._waiting[0]
            asked, self._waiting = self._waiting[1:end], self._waiting[end:]
            self._handle(asked[0], asked[1:])
        return bool(data)

    def _handle(self, what: int, rest: bytes) -> None:
        if what == ASK_WATCH:
            self._limit_ns = int.from_bytes(rest, "big") * 1_000_000
            self._feed()
        elif what == ASK_FEED:
            self._feed()
        elif what in (ASK_RESET, ASK_BOOTLOADER):
            self._end = RESET if what == ASK_RESET else BOOTLOADER
            self._kill()
        else:
            self._answer(*self._pins(what, rest))

    def _feed(self) -> None:
        self._bites_at_ns = time.monotonic_ns() + self._limit_ns

    def _pins(self, what: int, rest: bytes) -> tuple[int, bytes]:
        try:
            if what == ASK_TRANSFER:
                return self._blocks.transfer(rest)
            if what == ASK_LINES:
                return OK, bytes(self._blocks.lines_held(rest[0]))
            if what == ASK_CLOCK:
                self._blocks.clock(rest[0])
            elif what == ASK_MUX_RESET:
                self._blocks.reset_muxes()
        except Exception as error:  # noqa: BLE001 - from a twin: the firmware did something that no datasheet describes
            self._on_failure(error)
            return NO_ANSWER, b""
        return OK, b""

    def _answer(self, status: int, got: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._answers, bytes((1 + len(got), status)) + got)

    # --- the cable

    def _carry(self, came_from: int) -> None:
        assert self._bad_wire is not None
        try:
            data = os.read(came_from, CHUNK)
        except OSError:
            return
        came = self._bad_wire.carry(data)
        if came_from == self._master and CTRL_C in came:
            came = came.rpartition(bytes((CTRL_C,)))[2]  # a Pico empties its input on Ctrl-C
            self._process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):
            os.write(self._relay if came_from == self._master else self._master, came)
