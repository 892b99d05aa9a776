"""Hubs: their sampling rate, the delay until the program has a sample, its processor time, damaged reports. SIMULATED.

The rate is that of the firmware on a simulated wire in virtual time (`firmware_host/sims/wire_hub.py`). All else comes
from scripts behind ptys in another process (`firmware_host/sims/scripted_hub.py`); the ptys, pyserial, the links and
their threads are real. A pty is faster than USB, so no figure applies to a real cable.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import select
import tempfile
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from firmware_host.hub import wire
from firmware_host.link import Link
from firmware_host.link_events import HubReport, LinkNotice, LinkState
from firmware_host.port_owners import PortOwners
from firmware_host.requirements import HubRequirements
from firmware_host.session import HubSession
from firmware_host.sims.scripted_hub import ScriptedHub
from hardware.clock import MachineClock
from pi_app.text.errors import BrokenInstallationError
from pi_app.workshop.bench import Bench, Figure, Progress, machine, no_progress, p50, percentile
from pi_app.workshop.bench.hub_rates import SIZES, bytes_figures, rate_figure

MOST_MS: Final = 2.0
MOST_CORE: Final = 10.0
MOST_BACK_MS: Final = 500.0
HUBS: Final = 8
DIALS: Final = 8
PERIOD_MS: Final = 20
EVERY_US: Final = 4_500
"""From sample to sample of a dial: the estimated rate of a real hub with eight dials."""
DAMAGED_EVERY_US: Final = 10_000
PATIENCE_S: Final = 20.0
MS_NS: Final = 1_000_000


def run(reports: int, seconds: float, damaged: int, pulls: int, *, progress: Progress = no_progress) -> Bench:
    """Measure so many reports, so many seconds of eight hubs, so many damaged reports and so many plugs put back.

    Raises BrokenInstallationError if a simulated hub is silent: then ptys do not work here.
    """
    progress("the wire of a hub")
    rates = [rate_figure(dials) for dials in SIZES]
    progress("one hub")
    took_ms = handed_over_ms(reports)
    busy = f"{os.getloadavg()[0]:.1f} programs ran on {os.cpu_count()} cores"
    slow = f"the slowest {max(took_ms):.2f} ms; {busy}"
    progress(f"{HUBS} hubs")
    load = load_of(HUBS, seconds)
    busiest = load_of(HUBS, seconds, moving=DIALS)
    progress("damaged reports")
    damage = false_angles(damaged)
    progress("plugs put back")
    back_ms = back_after_ms(pulls)
    all_of = f"{HUBS} hubs of {DIALS} dials, {load.reads / load.seconds / HUBS / DIALS:.0f} samples/s at each"
    figures = (
        *rates,
        *bytes_figures(),
        Figure("report to value, p50", p50(took_ms), "ms", note=f"{len(took_ms)} reports of one hub"),
        Figure("report to value, p99", percentile(took_ms, 99), "ms", MOST_MS, note=slow),
        Figure("CPU time of the Pi's end", load.share, "% of a core", MOST_CORE, note=f"{all_of}, one moves"),
        Figure("CPU time while every dial moves", busiest.share, "% of a core", note=f"{busiest.samples} samples"),
        Figure("lost reports", load.lost, "messages", 0, note=f"{load.reports} reports"),
        Figure("false angles in damaged reports", damage.false, "", 0, note=f"{damage.damaged} damaged, {damage.how}"),
        Figure(
            "longest time from the port's return to samples", max(back_ms), "ms", MOST_BACK_MS, note=f"{pulls} times"
        ),
    )
    return Bench("hub", machine(), figures, EXPLAINS)


EXPLAINS: Final = (
    "The hubs are SIMULATED, each behind a pty, in another process; ptys, pyserial, links and threads are real.",
    "Report to value: from just before a report is written into the pty until a thread waiting in Link.wait has it.",
    "Samples per second: the firmware on a simulated wire at 400 kHz; the time of an RP2040's Python is estimated.",
    "A pty is faster than USB, and no board was measured.",
)


# ------------------------------------------------------------------------------------------ hubs in another process


def angle_at(at_us: int, dial: int) -> int:
    """Return the true angle of a dial at a time. The last dial turns so slowly that no two sweeps within hours are
    equal."""
    turned = at_us // 1000 * 7 + dial * 300
    return (turned >> 12 if dial == DIALS - 1 else turned) % wire.COUNTS_PER_TURN


def angles_at(at_us: int, moving: int = DIALS) -> tuple[int, ...]:
    """Return the angles of all dials; only the first so many move, the others rest within a chip's noise."""
    return tuple(
        angle_at(at_us, dial) if dial < moving else 300 * dial + at_us // EVERY_US % 3 for dial in range(DIALS)
    )


def _serve(paths: Sequence[str], moving: int, ready: Connection) -> None:
    """Play these hubs until the parent closes its end of the pipe. See `_ServedHub.obey` for its words."""
    hubs = {path: _ServedHub(path, number, moving) for number, path in enumerate(paths)}
    ready.send("ready")
    while True:
        due_s = min(served.due_s() for served in hubs.values())
        readers: list[int | Connection] = [ready, *(served.master for served in hubs.values() if served.master >= 0)]
        readable, _, _ = select.select(readers, [], [], max(0.0, due_s - time.monotonic()))
        if ready in readable:
            try:
                word = ready.recv()
            except EOFError:
                return
            ready.send(hubs[paths[0]].obey(word))
            continue
        for served in hubs.values():
            served.step(served.master in readable)


Written = tuple[tuple[int, ...], int]
"""The last angles of a report, and when it was written into the pty (ns of the kernel's monotonic clock)."""


class _ServedHub:
    """One hub on one pty. It notes the time of each report."""

    def __init__(self, path: str, number: int, moving: int) -> None:
        self.path, self._moving = Path(path), moving
        self.hub = ScriptedHub(self.angles_now, DIALS, uid=f"{number:016x}", every_us=EVERY_US)
        self.master = self.slave = -1
        self.angles: tuple[int, ...] = ()
        self.written: list[Written] = []
        self.plug()

    def angles_now(self, at_us: int) -> tuple[int, ...]:
        self.angles = angles_at(at_us, self._moving)
        return self.angles

    def obey(self, word: str) -> int | list[Written]:
        """Pull the plug (`out`) or put it back (`in`) and return the time; or return the reports `written` so far."""
        if word == "written":
            return self.written
        self.pull() if word == "out" else self.plug()
        return time.monotonic_ns()

    def plug(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        new = self.path.with_suffix(".new")
        new.symlink_to(os.ttyname(self.slave))
        new.rename(self.path)

    def pull(self) -> None:
        self.path.unlink()
        os.close(self.master)
        os.close(self.slave)
        self.master = -1

    def due_s(self) -> float:
        due_us = self.hub.due_us() if self.master >= 0 else None
        return time.monotonic() + 1.0 if due_us is None else due_us / 1e6

    def step(self, readable: bool) -> None:
        if self.master < 0:
            return
        data = b""
        if readable:
            data = self.hub.feed(os.read(self.master, 4096), time.monotonic_ns() // 1000)
        self._write(data)
        now_us = time.monotonic_ns() // 1000
        while (due_us := self.hub.due_us()) is not None and due_us <= now_us:
            if reported := self.hub.tick(due_us):
                self.written.append((self.angles, time.monotonic_ns()))
                self._write(reported)

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self.master, data)


@contextlib.contextmanager
def served(count: int, moving: int = DIALS) -> Iterator[tuple[list[Path], Connection]]:
    """Start so many hubs in another process; yield their ports and the pipe to the first one's plug."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-") as folder:
        paths = [Path(folder) / f"hub{number}" for number in range(count)]
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=([str(path) for path in paths], moving, theirs), daemon=True)
        process.start()
        theirs.close()
        try:
            if not ours.poll(PATIENCE_S) or ours.recv() != "ready":
                raise BrokenInstallationError("simulated hubs (this machine) did not start. Are there ptys here?")
            yield paths, ours
        finally:
            ours.close()
            process.join(PATIENCE_S)


def _wanted(path: Path) -> HubRequirements:
    return HubRequirements(path.name, port=str(path), dials=DIALS, period_ms=PERIOD_MS)


def _until(link: Link, wanted: Callable[[HubReport | LinkNotice], bool]) -> int:
    """Wait for such a message and return its time."""
    clock = MachineClock()
    end_ns = clock.now_ns() + round(PATIENCE_S * 1e9)
    while link.wait(end_ns):
        if any(map(wanted, link.take())):
            return clock.now_ns()
    raise BrokenInstallationError(
        f"simulated hub ({link.required.port}) was silent for {PATIENCE_S:.0f} s. Are there ptys here?"
    )


def _is_report(message: HubReport | LinkNotice) -> bool:
    return isinstance(message, HubReport)


# ------------------------------------------------------------------------------------------------------ the figures


def handed_over_ms(reports: int) -> list[float]:
    """Measure from the writing of each report into the pty until a waiting thread has it."""
    clock = MachineClock()
    came: dict[tuple[int, ...], int] = {}
    with served(1) as ((path,), hub), Link(_wanted(path), clock) as link:
        until_ns = clock.now_ns() + round((PATIENCE_S + reports * PERIOD_MS / 1e3) * 1e9)
        while len(came) < reports and link.wait(until_ns):
            now_ns = clock.now_ns()
            for message in link.take():
                if isinstance(message, HubReport):
                    came[last_angles(message)] = now_ns
        hub.send("written")
        written: dict[tuple[int, ...], int] = dict(hub.recv())
    return [(now_ns - written[angles]) / MS_NS for angles, now_ns in came.items() if angles in written]


def last_angles(report: HubReport) -> tuple[int, ...]:
    """Return the last angle of each dial in a report."""
    last = {sample.dial: sample.value for sample in report.samples}
    return tuple(last[dial] for dial in sorted(last))


@dataclass(frozen=True, slots=True)
class HubLoad:
    """`share`: processor time of this process in percent of a core."""

    share: float
    seconds: float
    reports: int
    reads: int
    samples: int
    lost: int


def load_of(hubs: int, seconds: float, moving: int = 1) -> HubLoad:
    """Take the samples of so many hubs every 5 ms, as the table's loop does. `moving`: moving dials on each."""
    clock = MachineClock()
    owners = PortOwners()
    with served(hubs, moving) as (paths, _), contextlib.ExitStack() as closing:
        links = [closing.enter_context(Link(_wanted(path), clock, owners=owners)) for path in paths]
        for link in links:
            _until(link, _is_report)
        for link in links:
            link.take()
        reports = reads = samples = 0
        began_ns, spent_ns = clock.now_ns(), time.process_time_ns()
        end_ns = began_ns + round(seconds * 1e9)
        while clock.now_ns() < end_ns:
            for link in links:
                for message in link.take():
                    if isinstance(message, HubReport):
                        reports += 1
                        reads += sum(message.reads)
                        samples += len(message.samples)
            clock.sleep_until(clock.now_ns() + 5 * MS_NS)
        spent_ns = time.process_time_ns() - spent_ns
        took_ns = clock.now_ns() - began_ns
        lost = sum(link.session.counts.lost for link in links)
    return HubLoad(100 * spent_ns / took_ns, took_ns / 1e9, reports, reads, samples, lost)


def back_after_ms(times: int) -> list[float]:
    """Measure from the port's return to the first samples."""
    clock = MachineClock()
    took: list[float] = []
    with served(1) as ((path,), plug), Link(_wanted(path), clock) as link:
        for _ in range(times):
            _until(link, _is_report)
            plug.send("out")
            plug.recv()
            _until(link, lambda message: isinstance(message, LinkNotice) and message.state is LinkState.NO_PORT)
            plug.send("in")
            back_ns = plug.recv()
            took.append((_until(link, _is_report) - back_ns) / MS_NS)
    return took


@dataclass(frozen=True, slots=True)
class DamageResult:
    """Damaged reports: all, the false angles in them, and those accepted."""

    damaged: int
    false: int
    accepted: int

    @property
    def how(self) -> str:
        return f"{self.accepted} of them keep their meaning: another case of a digit, two equal ones swapped"


def false_angles(reports: int, seed: int = 7) -> DamageResult:
    """Damage every report: flip bits, lose, cut or double bytes, join lines. Compare each accepted angle with what was
    sent. There is no port here, only the session."""
    draw = random.Random(f"damage {seed}")
    hub = ScriptedHub(angles_at, DIALS)
    session = HubSession(HubRequirements("bench", dials=DIALS, period_ms=PERIOD_MS), lambda: draw.getrandbits(32))
    now_us = 1_000_000
    session.opened("SIMULATED", now_us * 1000)
    sent: dict[tuple[int, int], None] = {}
    spoilt = false = accepted = 0
    while spoilt < reports:
        now_us += DAMAGED_EVERY_US
        data = hub.feed(session.poll(now_us * 1000), now_us)
        for line in hub.tick(now_us).splitlines(keepends=True):
            new = (angles for ms in (0, 10) for angles in enumerate(angles_at(now_us - ms * 1000)))
            sent = dict.fromkeys([*list(sent)[-16 * DIALS :], *new])
            data += damaged(line, draw)
            spoilt += 1
        for message in session.feed(data, now_us * 1000):
            if isinstance(message, HubReport):
                accepted += 1
                false += sum((sample.dial, sample.value) not in sent for sample in message.samples)
    return DamageResult(spoilt, false, accepted)


def damaged(line: bytes, draw: random.Random) -> bytes:
    """Return a line as a bad wire delivers it."""
    spoilt = bytearray(line)
    how = draw.randrange(6)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        at = draw.randrange(len(spoilt) - 1)
        if how == 0:
            spoilt[at] ^= 1 << draw.randrange(8)
        elif how == 1:
            del spoilt[at]
        elif how == 2:
            spoilt[at] = draw.choice(b"0123456789abcdef")
        elif how == 3:
            spoilt[at:at] = spoilt[at : at + draw.randrange(1, 9)]
        elif how == 4:
            spoilt[at], spoilt[at + 1] = spoilt[at + 1], spoilt[at]
        elif len(spoilt) > 4:
            del spoilt[max(2, at) :]
    return bytes(spoilt)
