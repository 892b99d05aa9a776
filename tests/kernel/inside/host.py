"""The host from inside the guest: hands and eyes at the simulated table, over the guest's serial line.

`tests.kernel.served.ACTIONS` lists the requests: `host("press", "ANN")`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LINE = "/dev/ttyS0"
PATIENCE_S = 20.0


class Host:
    """One serial line, opened raw by pyserial."""

    def __init__(self) -> None:
        import serial

        self._line = serial.Serial(LINE, 115_200, timeout=PATIENCE_S)

    def __call__(self, action: str, *rest: object) -> Any:
        """Send a request and return its result. Raises RuntimeError if the host refuses or is silent."""
        self._line.write(json.dumps([action, *rest]).encode() + b"\n")
        answer = json.loads(self._line.readline() or b'{"error": "the host is silent"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["got"]

    def close(self) -> None:
        self._line.close()


def until(condition: Callable[[], object], what: str, seconds: float = PATIENCE_S) -> None:
    """Wait for an effect of the kernel or the host. Raises AssertionError after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds:g} s")
        time.sleep(0.005)


NACK = Path("/sys/module/i2c_virtio/parameters/nack")


def refuse_with(number: int) -> None:
    """Set the kernel's errno for a refused message: 0 is i2c-virtio's own way, 121 a Pi's."""
    NACK.write_text(f"{number}\n", encoding="ascii")
