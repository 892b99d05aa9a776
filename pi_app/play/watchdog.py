"""Starts the program that switches screens and lamps off if this one dies (`hardware/lights_out.py`)."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pi_app.settings.model import Settings
from pi_app.text.language import N_

COMMAND: Sequence[str] = (
    *(sys.executable, "-I", "-S"),
    str(Path(__file__).resolve().parents[2] / "hardware" / "lights_out.py"),
)

KEPT_OUT: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGTERM, signal.SIGTSTP)
"""Signals that the watchdog blocks from its start: they are for the game."""

ENDS_WITHIN_S: Final = 5.0

NOT_STARTED: Final = N_(
    "watchdog (this machine): could not be started ({why}). If the program is killed, screens and lamps stay on: "
    "switch the power off then."
)


def orders(settings: Settings, chip: str) -> list[str]:
    """Return the addresses and pins to switch off at this table, and nothing else. `chip`: the device of the pins."""
    lines = [
        f"mux {bus.device} {mux.address}"
        for name, bus in settings.buses.items()
        if any(seat.screen is not None and seat.screen.bus == name for seat in settings.seats.values())
        for mux in bus.mux
    ]
    for seat in settings.seats.values():
        if seat.screen is not None:
            place = f"screen {settings.buses[seat.screen.bus].device} {seat.screen.address}"
            behind = seat.screen.mux is not None and seat.screen.channel is not None
            lines.append(f"{place} {seat.screen.mux} {seat.screen.channel}" if behind else place)
        if seat.lamp is not None:
            dark = 0 if seat.lamp.common == "cathode" else 1
            lines += [f"lamp {chip} {gpio} {dark}" for gpio in seat.lamp.gpios]
        elif seat.lamp_gpio is not None:
            lines.append(f"lamp {chip} {seat.lamp_gpio} 0")
    return [*lines, "armed"]


class Watchdog:
    """A watchdog that is running. Closed after everything is dark, it exits without touching anything."""

    def __init__(self, orders: Sequence[str]) -> None:
        """Raises OSError if it cannot be started."""
        pipe, self._pipe = os.pipe()
        try:
            self._process = os.posix_spawn(
                COMMAND[0],
                tuple(COMMAND),
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, pipe, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                ],
                setsigmask=KEPT_OUT,
            )
            self._send(orders)
        except OSError:
            os.close(self._pipe)
            raise
        finally:
            os.close(pipe)

    def _send(self, lines: Sequence[str]) -> None:
        data = "".join(f"{line}\n" for line in lines).encode("ascii")
        while data:
            data = data[os.write(self._pipe, data) :]

    def close(self) -> None:
        """Let it exit: everything is dark. Closing twice is harmless."""
        if self._pipe < 0:
            return
        with contextlib.suppress(OSError):
            self._send(["done"])
        os.close(self._pipe)
        self._pipe = -1
        self._wait()

    def _wait(self) -> None:
        """Wait until it has exited; kill one that does not."""
        until = time.monotonic() + ENDS_WITHIN_S
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(self._process, os.WNOHANG) == (0, 0):
                if time.monotonic() > until:
                    os.kill(self._process, signal.SIGKILL)
                    os.waitpid(self._process, 0)
                    return
                time.sleep(0.005)


def guarded(settings: Settings, chip: str) -> tuple[Watchdog | None, str]:
    """Return a watchdog for this table, or why there is none. `chip`: as for `orders`."""
    try:
        return Watchdog(orders(settings, chip)), ""
    except OSError as error:
        return None, error.strerror or type(error).__name__
