"""A station as a service: READY, the watchdog, and what the next start is to know of this one.

The watchdog is fed in a thread of its own, and only while `watchdog.stalled` finds nothing. What has stalled is written
down first, then the service manager is told to restart the station: it need not wait for its own time to run out, which
is what remains for a program that was stopped as a whole.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_host.errors import LinkError
from hardware import notify
from hardware.errors import HardwareError
from hardware.notify import Notifier
from pi_app.journal import NotRecordedError, machine_stamp
from pi_app.station.service.health import StationHealth
from pi_app.station.service.recovery import RECOVERY_S, Counter, Decision
from pi_app.station.service.watchdog import SLOW_DISK_NS, WRITING_NS, Observed, Stalled, stalled
from pi_app.text.errors import BrokenInstallationError, UserFileError, WiringRefusedError
from pi_app.text.private_files import remove_drafts, replace_file

STARTS: Final = "starts.json"
REBOOT: Final = "reboot"
"""A file of this name in the run folder asks `trapdial-reboot.path` for a reboot."""

UPDATE: Final = "update"
"""A file of this name in the run folder asks `trapdial-update.path` for an update from the USB stick."""

LOOKS_EVERY_S: Final = 0.5

PAUSE_S: Final = 2.0
"""So long waits a start after one of the same boot that failed before it was ready: a part may not be there yet. One
that fails later is started again at once."""


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of a station. `state` lasts; `run` lasts for this boot, if there is one. `pages`: the
    socket at which the page process of a service comes; None to start one."""

    state: Path
    run: Path | None = None
    pages: Path | None = None


def places(environment: Mapping[str, str]) -> Places | None:
    """Return the folders that the service manager names; None for a station that it did not start."""
    state, run, pages = (environment.get(name, "") for name in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY", PAGES))
    first = _first(state)
    return None if first is None else Places(first, _first(run), Path(pages) if pages else None)


PAGES: Final = "TRAPDIAL_PAGES"


def _first(names: str) -> Path | None:
    """The first folder of a list that systemd gives."""
    first = names.partition(":")[0]
    return Path(first) if first else None


def powered() -> tuple[str, int]:
    """Return the id of this boot, and for how many seconds the machine has been on. No clock is asked."""
    return machine_stamp().boot, int(time.clock_gettime(time.CLOCK_BOOTTIME))


class Service:
    """One start of a station. `decision` says what it is to be."""

    def __init__(
        self,
        manager: Notifier,
        counter: Counter,
        run: Path | None = None,
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._manager, self._counter, self._run, self._now_ns = manager, counter, run, now_ns
        self._began_ns = now_ns()
        self._observed = Observed()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._health: Callable[[], StationHealth] | None = None
        self._slow = counter.failed_here(Stalled.JOURNAL.value)
        self.stalled: Stalled | None = None
        self.decision: Decision = counter.begin()
        if self.decision.kind == "reboot" and run is not None:
            with contextlib.suppress(OSError):
                replace_file(run / REBOOT, b"")

    def ready(self, health: Callable[[], StationHealth]) -> None:
        """The station is ready: tell it, and watch over it from now on. `health` is called in another thread."""
        self._manager.ready()
        self._health = health
        self.look()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()
        self._counter.ready()

    def say(self, line: str) -> None:
        """Tell the service manager one line about the station."""
        self._manager.status(line)

    def look(self) -> None:
        """Look once whether the station is well, and tell the service manager."""
        if self._health is None or self.stalled is not None:
            return
        now_ns = self._now_ns()
        health = self._observed.health(self._health(), now_ns)
        found = stalled(health, now_ns, SLOW_DISK_NS if self._slow else WRITING_NS)
        if found is None:
            self._manager.feed(now_ns)
            return
        self.stalled = found
        self._counter.failed(found.value)
        self._manager.status(found.value)
        self._manager.trigger()

    def _watch(self) -> None:
        while not self._stop.wait(LOOKS_EVERY_S):
            self.look()

    @property
    def recovery_is_over(self) -> bool:
        """Whether a recovery table has been up for long enough: the table is tried again."""
        return self._now_ns() - self._began_ns >= RECOVERY_S * 1_000_000_000

    def failed(self, words: str) -> None:
        """The start fails, and these are its sentences."""
        self._counter.failed(words)

    def ended(self) -> None:
        """The program ends because it was told to, or because a recovery table is over."""
        self._stop.set()
        self._manager.stopping()
        self._counter.ended()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=2.0)


@contextlib.contextmanager
def serving(
    environment: Mapping[str, str], at: Places, pause: Callable[[float], None] = time.sleep
) -> Iterator[Service]:
    """Count this start, and yield what it is to be. An error that leaves this block is kept for the next start; leaving
    it without one is an end in good order. What a power cut left half written in the state folder is removed. `pause`
    waits so many seconds after a start that was never ready."""
    remove_drafts(at.state)
    manager = notify.Notify(environment.get(notify.VARIABLE, ""))
    counter = Counter(at.state / STARTS, powered, None if at.run is None else at.run / STARTS)
    if counter.never_ready:
        pause(PAUSE_S)
    service = Service(manager, counter, at.run)
    try:
        yield service
    except Exception as error:
        service.failed(said_of(error))
        raise
    except KeyboardInterrupt:  # also a stop: pi_app.cli.stopping
        service.ended()
        raise
    else:
        service.ended()
    finally:
        service.close()
        manager.close()


SAFE_ERRORS: Final = (UserFileError, WiringRefusedError, BrokenInstallationError, HardwareError, LinkError)
"""Errors whose text is sentences for people, and no secret of a game."""


def said_of(error: Exception) -> str:
    """Return what may be said of an error."""
    if isinstance(error, (*SAFE_ERRORS, NotRecordedError)):
        return str(error)
    return f"{type(error).__name__} (a bug)"
