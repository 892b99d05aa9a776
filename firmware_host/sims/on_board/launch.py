"""SIMULATED: a board's start. Runs `boot.py` and `main.py` as they lie on it, then plays a REPL that knows nothing.

Under CPython it adds what MicroPython has and CPython has not. A REPL's Ctrl-D starts both files anew, as a soft reset
does; anything else is answered with an error.
"""

import gc
import select
import sys
import time

if sys.implementation.name != "micropython":
    import traceback

    class _Console:
        def __init__(self, number: int, mode: str) -> None:
            self.buffer = open(number, mode, buffering=0, closefd=False)  # noqa: SIM115

        def fileno(self) -> int:
            return self.buffer.fileno()

        def write(self, text: str) -> None:
            self.buffer.write(text.encode())

        def flush(self) -> None:
            """Nothing waits."""

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

CTRL_D, ENTER = 4, 13


def start(*names: str) -> None:
    """Run a file of the board as a program of its own."""
    for name in names:
        with open(name) as file:
            text = file.read()
        try:
            exec(compile(text, name, "exec"), {"__name__": "__main__"})
        except BaseException as error:  # noqa: BLE001 - a board shows it and goes on to the REPL
            sys.print_exception(error)
            return


def repl() -> None:
    """Until somebody types Ctrl-D."""
    sys.stdout.write("\r\nMicroPython, SIMULATED board without a REPL of its own; Ctrl-D starts anew\r\n>>> ")
    poller = select.poll()
    poller.register(sys.stdin, select.POLLIN)
    one = bytearray(1)
    while True:
        try:
            for _ in poller.ipoll(1000):
                if sys.stdin.buffer.readinto(one):
                    if one[0] == CTRL_D:
                        return
                    if one[0] == ENTER:
                        sys.stdout.write("\r\nNameError: this REPL is SIMULATED\r\n>>> ")
        except KeyboardInterrupt:
            sys.stdout.write("\r\nKeyboardInterrupt: \r\n>>> ")


def stop_timers() -> None:
    """As a soft reset does."""
    while machine.Timer.running:
        machine.Timer.running.pop().deinit()


while True:
    start("boot.py", "main.py")
    repl()
    stop_timers()
    for name in list(sys.modules):
        if name in ("board", "hub") or name.startswith("hub."):
            del sys.modules[name]
    sys.stdout.write("\r\nMPY: soft reboot\r\n")
