"""Counts starts that failed, and decides what the next start is: the table, the recovery table, or a reboot.

Time here is time with the power on, added up over all boots: a Pi may believe that it is 1970. Five failures of a boot
in five minutes, or three plug-outs before the table was ready, lead to the recovery table, which opens no hardware.
Three recovery tables in an hour lead to one reboot, and to no second one within an hour. The recovery table gives way
to the table after ten minutes, and after a plug-out. `StartCounts` is pure; `Counter` keeps it in a file of the state
folder.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pi_app.text.language import N_
from pi_app.text.plain_file import read_plain
from pi_app.text.private_files import make_folder, replace_file

FAILURES: Final = 5
WITHIN_S: Final = 300
PLUG_OUTS: Final = 3
RECOVERIES: Final = 3
HOUR_S: Final = 3_600
RECOVERY_S: Final = 600
"""So long is a recovery table up before the table is tried again."""

KEPT: Final = 40
"""So many starts are remembered: more than an hour's."""

QUICK_DISK_S: Final = 2.0
"""So long is waited for a disk that keeps the counts."""

MOST_BYTES: Final = 64_000
MOST_WORDS: Final = 400

Kind = Literal["table", "recovery", "reboot"]
"""What a start is, or becomes."""

Uptime = Annotated[int, Meta(ge=0, le=2**40)]
Words = Annotated[str, Meta(max_length=MOST_WORDS)]
BootId = Annotated[str, Meta(max_length=64)]


class Why(Enum):
    """Why a recovery table or a reboot comes, as the screen says it."""

    FAILED = N_("The table stopped five times in five minutes, so it rests for ten minutes. Nothing is lost.")
    UNPLUGGED = N_(
        "The power was cut three times before the table was ready. Unplug it once more, or wait ten minutes."
    )
    REBOOT = N_("The table did not recover, so the machine starts again from the beginning.")


class CountedStart(msgspec.Struct, frozen=True, kw_only=True):
    """One start. `at_s`: with the power on, over all boots. `ended`: whether the program itself ended it, after a stop
    or a quit; a start that neither ended nor goes on has failed. `words`: what went wrong, if that is known."""

    boot: BootId
    at_s: Uptime
    kind: Kind = "table"
    ready: bool = False
    ended: bool = False
    words: Words = ""


class StartCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The last starts, oldest first. `boot` and `uptime_s`: when this was written; `on_s`: the same as time with the
    power on, over all boots. `rebooted_s`: when this program last asked for a reboot."""

    starts: Annotated[tuple[CountedStart, ...], Meta(max_length=KEPT)] = ()
    boot: BootId = ""
    uptime_s: Uptime = 0
    on_s: Uptime = 0
    rebooted_s: Uptime | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What this start is. `why`: for a recovery table and a reboot. `words`: what the last failures said of
    themselves, newest first."""

    kind: Kind
    why: Why | None = None
    words: tuple[str, ...] = ()


def at(known: StartCounts, boot: str, uptime_s: int) -> StartCounts:
    """Return what is known, moved on to this time of this boot."""
    passed = uptime_s - known.uptime_s if boot == known.boot else uptime_s
    return msgspec.structs.replace(known, boot=boot, uptime_s=uptime_s, on_s=known.on_s + max(0, passed))


def decide(known: StartCounts) -> Decision:
    """Return what the start that begins now must be. `known` is of now."""
    words = tuple(dict.fromkeys(start.words for start in reversed(known.starts) if start.words))[:3]
    why = Why.FAILED if _failures(known) >= FAILURES else Why.UNPLUGGED if _plug_outs(known) >= PLUG_OUTS else None
    if why is None:
        return Decision("table", None, words)
    if _recoveries(known) >= RECOVERIES - 1 and _may_reboot(known):
        return Decision("reboot", Why.REBOOT, words)
    return Decision("recovery", why, words)


def _failures(known: StartCounts) -> int:
    """How many starts of this boot failed in the last minutes. The next start tells when one failed: two seconds
    later. A recovery table that gave way ended in good order, so it is not a failure."""
    own = [start for start in known.starts if start.boot == known.boot]
    failed_s = [after.at_s for after in own[1:]] + [known.on_s]
    return sum(
        not start.ended and known.on_s - when_s <= WITHIN_S for start, when_s in zip(own, failed_s, strict=False)
    )


def _plug_outs(known: StartCounts) -> int:
    """How many boots in a row ended before any start in them was ready."""
    boots: dict[str, bool] = {}
    for start in known.starts:
        if start.boot != known.boot:
            well = start.ready or start.ended or start.kind == "reboot"
            boots[start.boot] = boots.get(start.boot, False) or well
    count = 0
    for ready in reversed(boots.values()):
        if ready:
            break
        count += 1
    if any(start.boot == known.boot and (start.ready or start.ended) for start in known.starts):
        return 0
    return count


def _recoveries(known: StartCounts) -> int:
    """How many recovery tables began in the last hour of this boot."""
    return sum(
        start.kind == "recovery" and start.boot == known.boot and known.on_s - start.at_s < HOUR_S
        for start in known.starts
    )


def _may_reboot(known: StartCounts) -> bool:
    return known.rebooted_s is None or known.on_s - known.rebooted_s >= HOUR_S


def begun(known: StartCounts, kind: Kind) -> StartCounts:
    """Return what is known after a start of this kind has begun."""
    start = CountedStart(boot=known.boot, at_s=known.on_s, kind=kind)
    rebooted_s = known.on_s if kind == "reboot" else known.rebooted_s
    return msgspec.structs.replace(known, starts=(*known.starts, start)[-KEPT:], rebooted_s=rebooted_s)


def with_last(
    known: StartCounts, *, ready: bool | None = None, ended: bool | None = None, words: str = ""
) -> StartCounts:
    """Return what is known after something happened to the last start."""
    if not known.starts:
        return known
    last = known.starts[-1]
    changed = msgspec.structs.replace(
        last,
        ready=last.ready if ready is None else ready,
        ended=last.ended if ended is None else ended,
        words=" ".join(words.split())[:MOST_WORDS] or last.words,
    )
    return msgspec.structs.replace(known, starts=(*known.starts[:-1], changed))


# ---------------------------------------------------------------------------------------------------- on the disk


def read(path: Path) -> StartCounts:
    """Return what a file knows; nothing if it is missing, cut off, or no such file."""
    try:
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=StartCounts)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return StartCounts()


class LatestFile:
    """Writes the latest of its contents to a file in a thread of its own, so that no caller waits for a slow disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._written = threading.Event()
        self._thread: threading.Thread | None = None

    def write(self, data: bytes) -> None:
        """Write this content; wait for it only as long as a quick disk takes."""
        self._written.clear()
        self._waiting.put(data)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="starts", daemon=True)
            self._thread.start()
        self._written.wait(QUICK_DISK_S)

    def _run(self) -> None:
        while True:
            data = self._waiting.get()
            while not self._waiting.empty():
                data = self._waiting.get()
            replaced(self._path, data)
            if self._waiting.empty():
                self._written.set()


def replaced(path: Path, data: bytes) -> None:
    """Replace a file. A disk that takes nothing makes no start fail."""
    with contextlib.suppress(OSError):
        make_folder(path.parent)
        replace_file(path, data)


class Counter:
    """The starts of this station, in a file."""

    def __init__(self, path: Path, clock: Callable[[], tuple[str, int]], run: Path | None = None) -> None:
        """`clock`: the id of this boot and its seconds. `run`: a copy in memory that lasts for this boot; with it, no
        slow disk is waited for."""
        self._path, self._run, self._clock = path, run, clock
        self._later = LatestFile(path)
        known = max(map(read, [path] if run is None else [run, path]), key=lambda each: each.on_s)
        self.known = at(known, *clock())

    def begin(self) -> Decision:
        """Decide what this start is, and count it."""
        decision = decide(self.known)
        self._keep(begun(self.known, decision.kind))
        return decision

    def ready(self) -> None:
        """The start has become ready."""
        self._keep(with_last(self.known, ready=True))

    def ended(self) -> None:
        """The program ends because it was told to."""
        self._keep(with_last(self.known, ended=True))

    def failed(self, words: str) -> None:
        """The program is about to fail, and this is why. The next start brings it to the state folder."""
        self._keep(with_last(self.known, words=words), lasting=self._run is None)

    @property
    def never_ready(self) -> bool:
        """Whether the start before this one was of this boot, and failed before it was ready."""
        last = self.known.starts[-1] if self.known.starts else None
        return last is not None and last.boot == self.known.boot and not (last.ready or last.ended)

    def failed_here(self, words: str) -> bool:
        """Return whether a start of this boot failed with these words."""
        return any(start.words == words for start in self.known.starts if start.boot == self.known.boot)

    def _keep(self, known: StartCounts, *, lasting: bool = True) -> None:
        self.known = at(known, *self._clock())
        data = msgspec.json.encode(self.known)
        if self._run is not None:
            replaced(self._run, data)
        if lasting:
            (self._later.write if self._run is not None else partial(replaced, self._path))(data)
