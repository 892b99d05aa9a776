"""Runs the stage's commands in the guest: one JSON object a line comes over the serial line, and one goes back.

It needs nothing but Python's standard library, and it is no part of what is tested. An answer longer than the line
likes goes through the shared folder. Each answer carries the guest's own time.
"""

from __future__ import annotations

import json
import os
import subprocess
import termios
import time
import tty
from pathlib import Path
from typing import Any, Final

LONG: Final = 2000
"""Bytes of an answer that still go over the line."""

SHARED: Final = Path("/host")


def execute(asked: dict[str, Any]) -> dict[str, Any]:
    """Run a command. A command that does not end in time gives 124, as timeout(1) has it."""
    try:
        done = subprocess.run(
            asked["words"],
            input=asked.get("input", ""),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=asked["seconds"],
            check=False,
            env={**os.environ, "LANG": "C.UTF-8", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": "cat"},
        )
    except subprocess.TimeoutExpired:
        return {"code": 124, "out": "", "err": f"not within {asked['seconds']} s"}
    except OSError as error:
        return {"code": 127, "out": "", "err": str(error)}
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def answered(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer as it goes over the line: whole, or the name of the file that has it."""
    answer = execute(asked)
    text = json.dumps(answer)
    if len(text) <= LONG:
        return {"id": asked["id"], **answer}
    name = f"answer-{asked['id']}.json"
    (SHARED / name).write_text(text, encoding="utf-8")
    return {"id": asked["id"], "file": name}


def raw(path: str) -> int:
    """Open a serial line as it is: no echo, no changed ends of lines."""
    line = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(line, termios.TCSANOW)
    return line


def main() -> None:
    raw("/dev/ttyS1")  # stays open: what the tested program says goes out there
    with os.fdopen(raw("/dev/ttyS0"), "r+b", buffering=0) as line:

        def say(value: dict[str, Any]) -> None:
            line.write(json.dumps({**value, "up_s": time.monotonic()}).encode() + b"\n")

        say({"id": 0, "boot": Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()})
        rest = b""
        while data := line.read(4096):
            *rows, rest = (rest + data).split(b"\n")
            for row in rows:
                say(answered(json.loads(row)))


if __name__ == "__main__":
    main()
