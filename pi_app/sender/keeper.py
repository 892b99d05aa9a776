"""Keeps the sender's process running, in a thread of the table's process or in a service of its own: the table never
waits for it. What it says goes into a file beside the journal, where the staff's side finds it.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from pi_app.sender.orders import (
    AGAIN,
    LEFT_OUT,
    MOST_BYTES,
    SenderOrders,
    SenderSays,
    SenderTrouble,
    keep_said,
    said_in,
)
from pi_app.text.child_environment import child_environment
from pi_app.text.language import N_

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
LONG_LIFE_S: Final = 60.0
"""A process that ran for so long was well: the pause begins from the shortest again."""

LEFT_OUT_S: Final = 3_600.0
"""A past record that could not be handed over is tried again after so long."""

STOPPING_S: Final = 3.0
LONGEST_WORDS: Final = 8_000

STOPS: Final = N_("The process that hands entries over stops again and again: {why}")


class SenderKeeper:
    """Keeps the sender of one journal running until `close`."""

    def __init__(
        self,
        orders: SenderOrders,
        seed: Callable[[], bytes] = lambda: b"",
        command: Sequence[str] = (sys.executable, "-P", "-m", "pi_app.sender.process"),
    ) -> None:
        """`seed`: of the device's key if its file is encrypted; it is asked in a thread."""
        self._orders, self._seed, self._command = orders, seed, tuple(command)
        self._journal = Path(orders.journal)
        self._closing = threading.Event()
        self._left_out: dict[str, float] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._said: SenderSays | None = None
        self._thread = threading.Thread(target=self._run, name="sender", daemon=True)
        self._thread.start()

    @property
    def process_id(self) -> int | None:
        """The number of the process that runs now; None between two."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def close(self) -> None:
        """End the process and wait for that, a few seconds at most."""
        self._closing.set()
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()
        self._thread.join(STOPPING_S)
        with contextlib.suppress(OSError):
            keep_said(self._journal, None)

    # ---------------------------------------------------------------------------------------- in the thread

    def _run(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._closing.is_set():
            began_s = time.monotonic()
            try:
                ended, last_words = self._one_life()
            except OSError as error:  # no memory, too many processes, or Python itself is gone
                ended, last_words = 1, f"it cannot be started ({error.strerror})"
            if self._closing.is_set():
                return
            lived_s = time.monotonic() - began_s
            if ended in (AGAIN, LEFT_OUT) or lived_s > LONG_LIFE_S:
                pause_s = FIRST_PAUSE_S
            else:
                if pause_s > 4 * FIRST_PAUSE_S:
                    self._say(SenderSays(troubles=(SenderTrouble(sentence=STOPS, why=last_words[:400]),)))
                pause_s = min(LONGEST_PAUSE_S, pause_s * 2)
            self._closing.wait(0.0 if ended in (AGAIN, LEFT_OUT) and lived_s > FIRST_PAUSE_S else pause_s)

    def _one_life(self) -> tuple[int, str]:
        """Start the process; return how it ended, and its last line of standard error."""
        now_s = time.monotonic()
        self._left_out = {name: until_s for name, until_s in self._left_out.items() if until_s > now_s}
        orders = msgspec.structs.replace(self._orders, left_out=tuple(self._left_out), seed=self._seed().hex())
        self._orders = msgspec.structs.replace(self._orders, spread=False)
        with subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C reaches the table alone
            cwd="/",
            env=child_environment(),
        ) as process:
            self._process = process
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            if self._closing.is_set():
                process.kill()
            with contextlib.suppress(OSError):
                process.stdin.write(msgspec.json.encode(orders) + b"\n")
                process.stdin.flush()
            while line := process.stdout.readline(MOST_BYTES):
                if (said := said_in(line)) is not None:
                    self._say(said)
                    if said.left_out:
                        self._left_out[said.left_out] = now_s + LEFT_OUT_S
            words = process.stderr.read(LONGEST_WORDS).decode("utf-8", "replace").split("\n")
            ended = process.wait()
        return ended, next((line.strip() for line in reversed(words) if line.strip()), "")

    def _say(self, said: SenderSays) -> None:
        """Write down how it goes, if that has changed. A disk that refuses it has troubles of its own."""
        if said != self._said:
            self._said = said
            with contextlib.suppress(OSError):
                keep_said(self._journal, said)
