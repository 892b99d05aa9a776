"""SIMULATED: a board's start. Runs the board's `boot.py` and `main.py`, then simulates a REPL.

The REPL has what mpremote needs: raw mode, and the soft reset, which runs `boot.py`, and `main.py` unless it comes from
raw mode. Under CPython this file adds functions that only MicroPython has.

Not modelled: a REPL for people, and raw-paste mode.
"""

import gc
import select
import sys
import time

if sys.implementation.name != "micropython":
    import signal
    import traceback

    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # without its parent it dies, as MicroPython does

    class _Console:
        def __init__(self, number: int, mode: str) -> None:
            self.buffer = open(number, mode, buffering=0, closefd=False)  # noqa: SIM115

        def fileno(self) -> int:
            return self.buffer.fileno()

        def write(self, text: str) -> None:
            self.buffer.write(text.encode())

        def flush(self) -> None:
            """Unbuffered."""

    class _Poll:
        def __init__(self) -> None:
            self._poll = _new_poll()

        def register(self, what, events) -> None:
            self._poll.register(what, events)

        def ipoll(self, ms: int):
            return self._poll.poll(ms)

    _new_poll = select.poll
    select.poll = _Poll
    sys.stdin, sys.stdout = _Console(0, "rb"), _Console(1, "wb")
    sys.print_exception = lambda error: sys.stdout.write("".join(traceback.format_exception(error)))
    time.ticks_us = lambda: time.monotonic_ns() // 1000
    time.ticks_ms = lambda: time.monotonic_ns() // 1_000_000
    time.ticks_diff = lambda later, earlier: later - earlier
    time.sleep_us = lambda us: time.sleep(us / 1e6)
    time.sleep_ms = lambda ms: time.sleep(ms / 1e3)
    gc.mem_free = lambda: 0

import machine

CTRL_A, CTRL_B, CTRL_C, CTRL_D, CTRL_E, ENTER = 1, 2, 3, 4, 5, 13

FRIENDLY = "\r\nMicroPython, SIMULATED board; this prompt supports only Ctrl-A and Ctrl-D\r\n>>> "
RAW = "raw REPL; CTRL-B to exit\r\n>"


def start(name: str) -> None:
    """Run a file of the board as a program of its own, if it exists."""
    try:
        with open(name) as file:
            text = file.read()
    except OSError:
        return
    try:
        exec(compile(text, name, "exec"), {"__name__": "__main__"})
    except BaseException as error:  # noqa: BLE001 - as a board: show it and continue to the REPL
        sys.print_exception(error)


class Repl:
    """The prompt of a board: none for people, the raw one for mpremote."""

    def __init__(self) -> None:
        self.raw = False
        self._line = bytearray()
        self._skip = 0
        self._names = {"__name__": "__main__"}

    def run(self) -> None:
        """Run until a soft reset is requested."""
        self._names = {"__name__": "__main__"}
        say(RAW if self.raw else FRIENDLY)
        poller = select.poll()
        poller.register(sys.stdin, select.POLLIN)
        one = bytearray(1)
        while True:
            try:
                for _ in poller.ipoll(1000):
                    if sys.stdin.buffer.readinto(one) and self._take(one[0]):
                        return
            except KeyboardInterrupt:
                self._line = bytearray()
                say("\r\n>" if self.raw else "\r\n>>> ")

    def _take(self, byte: int) -> bool:
        """Process a byte; return whether it requests a soft reset."""
        if self._skip:
            self._skip -= 1
        elif byte == CTRL_A:
            self.raw, self._line = True, bytearray()
            say(RAW)
        elif not self.raw:
            if byte == ENTER:
                say("\r\n>>> ")
            return byte == CTRL_D
        elif byte == CTRL_B:
            self.raw = False
            say(FRIENDLY)
        elif byte == CTRL_D:
            say("OK")
            if not self._line:
                say("\r\n")
                return True
            self._do()
        elif byte == CTRL_E and not self._line:
            self._skip = 2
            say("R\0")  # a request for raw-paste mode, which this REPL does not have
        else:
            self._line.append(byte)
        return False

    def _do(self) -> None:
        text, self._line = bytes(self._line).decode(), bytearray()
        failed = None
        try:
            exec(compile(text, "<stdin>", "exec"), self._names)
        except BaseException as error:  # noqa: BLE001 - the other end receives the traceback
            failed = error
        say("\4")
        if failed is not None:
            sys.print_exception(failed)
        say("\4>")


def say(text: str) -> None:
    sys.stdout.write(text)


def stop_timers() -> None:
    """As a soft reset does."""
    while machine.Timer.running:
        machine.Timer.running.pop().deinit()


repl = Repl()
while True:
    start("boot.py")
    if not repl.raw:
        start("main.py")
    repl.run()
    stop_timers()
    for name in list(sys.modules):
        if name in ("board", "hub") or name.startswith("hub."):
            del sys.modules[name]
    say("\r\nMPY: soft reboot\r\n")
