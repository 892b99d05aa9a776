"""SIMULATED: a scripted hub behind a pty, in a thread, for tests that open ports. The path is a link in a folder, so
that a reconnected hub has the same name, as with udev."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Self

from firmware_host.sims.scripted_hub import ScriptedHub


class PtyHub:
    """`path`: the port while it is plugged in. `damage` changes the hub's bytes. Plugged in at first."""

    def __init__(self, hub: ScriptedHub, path: Path, damage: Callable[[bytes], bytes] = lambda data: data) -> None:
        self.hub, self.path, self.damage = hub, path, damage
        self.frozen = False
        self._master = -1
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.plug()

    def plug(self) -> None:
        """Plug the cable in."""
        self._master, slave = os.openpty()
        tty.setraw(slave)
        name = os.ttyname(slave)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._master, slave, self._stop), daemon=True)
        self._thread.start()
        new = self.path.with_name(f"{self.path.name}.new")
        new.symlink_to(name)
        new.rename(self.path)

    def pull(self) -> None:
        """Pull the cable: the port's name vanishes, and an open port reports an error."""
        self.path.unlink(missing_ok=True)
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._thread = None

    def write(self, data: bytes) -> None:
        """Send any bytes from the hub's end."""
        os.write(self._master, data)

    def close(self) -> None:
        self.pull()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, master: int, slave: int, stop: threading.Event) -> None:
        os.set_blocking(master, False)
        try:
            while not stop.is_set():
                due_us = self.hub.due_us()
                left_s = 0.02 if due_us is None else max(0.0, min(0.02, due_us / 1e6 - time.monotonic()))
                ready, _, _ = select.select([master], [], [], left_s)
                if self.frozen:
                    stop.wait(0.01)
                    continue
                now_us = time.monotonic_ns() // 1000
                sent = self.hub.feed(os.read(master, 4096), now_us) if ready else b""
                sent += self.hub.tick(now_us)
                if sent:
                    with contextlib.suppress(BlockingIOError):
                        os.write(master, self.damage(sent))
        finally:
            os.close(master)
            os.close(slave)
