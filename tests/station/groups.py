"""Groups of robot visitors in a row without staff, of every temper, while faults strike: what is stuck, lost, or grows.

    python -m tests.station.groups --groups 200
    python -m tests.station.groups --groups 10 --plant     # a visit that never ends, and is found

All of it is simulated: twins on a virtual clock, and phones without a page process. A fault strikes in every second
group for a while: a lead, a magnet, a bus, a mux, the disk (this process may not write to files), the page process (its
link goes silent and every phone is lost). It goes away by itself, as for whoever plugs a lead in again; nobody types.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import signal
import sys
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pi_app.game import events as ev
from pi_app.journal import read
from pi_app.journal.past import past_logs
from pi_app.pages.address import read_code
from pi_app.pages.link import STOPPED
from pi_app.pages.messages import Left
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.settings import load as st
from pi_app.settings.model import Settings
from pi_app.settings.station_section import StationSettings
from pi_app.simulated.phone import knock
from pi_app.simulated.simulated_station import SimulatedStation, StationDoors
from pi_app.simulated.table import faults
from pi_app.simulated.visitors import TEMPERS, VisitorPhone
from pi_app.station.public.state import PublicState
from pi_app.station.service.health import StationHealth
from pi_app.station.service.watchdog import fed
from pi_app.station.table import Hooks
from pi_app.station.visits.visit import PLAYED, SECOND_NS, State
from tests.pi_app.phones_at_table import Phone, Phones

IDLE_S: Final = 30
STUCK_NS: Final = (IDLE_S + 60) * SECOND_NS
"""So long after the last hand and the last fault a station that plays with nobody is stuck."""

GAMELESS_NS: Final = 30 * SECOND_NS
"""Visitors who play for so long, with a disk that works, without a game: somebody would have to do something."""

LOOKS: Final = 100
"""How often memory and descriptors are looked at."""

SQUARES: Final = 3
BUDGET_MB: Final = 8
TILE_FAULTS: Final = (
    "unplugged",
    "magnet-weak",
    "magnet-missing",
    "stuck-low",
    "clock-held",
    "mux-silent",
    "mux-not-switched",
    "jumps",
)
DISK, PAGES = "disk refuses", "page process killed"


def settings() -> Settings:
    """The great table with all its seats, and few squares."""
    loaded = st.load(st.example_path("8x4"))
    squares = dict(list(loaded.squares.items())[:SQUARES])
    return replace(
        loaded, squares=MappingProxyType(squares), station=StationSettings(idle_s=IDLE_S, budget_mb=BUDGET_MB)
    )


# -------------------------------------------------------------------------------------------------- the phones


class LanePhone:
    """A visitor's phone without a network."""

    def __init__(self, phones: Phones, phone: Phone) -> None:
        self._phones, self._phone = phones, phone

    @property
    def joined(self) -> bool:
        return self._phone.session is not None

    def tap(self) -> None:
        self._phone.tap()

    def hold(self) -> None:
        self._phone.hold()

    def let_go(self) -> None:
        self._phone.let_go()

    def cut(self) -> None:
        self._phones.send(Left(self._phone.conn))


class LanePhones:
    """All phones, and the page process that can be killed."""

    def __init__(self) -> None:
        self.phones = Phones()
        self.phones.pages = replace(self.phones.pages, cards={})
        self.joined = 0

    def open(self, link: str) -> VisitorPhone:
        """Scan a code."""
        code = read_code(link.partition("#")[2])
        return LanePhone(self.phones, self.phones.knock(*knock(code, game=self.phones.game)))

    def step(self) -> None:
        if self.phones.link.trouble is None:
            self.phones.read()
        else:
            self.phones.link.sent.clear()

    def kill(self) -> None:
        self.phones.link.trouble = STOPPED
        self.phones.link.incoming.extend(Left(conn) for conn in self.phones.phones)

    def start(self) -> None:
        self.phones.link.trouble = None

    def forget(self) -> None:
        """Nobody has a phone any more."""
        self.joined += sum(phone.session is not None for phone in self.phones.phones.values())
        self.phones.forget()


# -------------------------------------------------------------------------------------------------- the faults


class Faults:
    """What strikes, and for how long. `struck` counts by name; `until_ns`: when the last one went away."""

    def __init__(self, draw: random.Random, pages: LanePhones) -> None:
        self._draw, self._pages = draw, pages
        self.struck: Counter[str] = Counter()
        self._begin: list[tuple[int, str, str, int]] = []
        self._on: list[tuple[int, str, str]] = []
        self.until_ns = 0

    def plan(self, now_ns: int, squares: Sequence[str]) -> None:
        """Have something strike in this group, or nothing."""
        if self._draw.random() < 0.5:
            name = self._draw.choice((*TILE_FAULTS, DISK, PAGES))
            begins_ns = now_ns + round(self._draw.uniform(0, 60) * SECOND_NS)
            lasts_ns = round(self._draw.uniform(1, 60) * SECOND_NS)
            self._begin.append((begins_ns, name, self._draw.choice(squares), lasts_ns))

    @property
    def disk_refuses(self) -> bool:
        return any(name == DISK for _, name, _ in self._on)

    def step(self, at: SimulatedStation) -> None:
        now_ns = at.now_ns()
        for each in [each for each in self._begin if each[0] <= now_ns]:
            self._begin.remove(each)
            _, name, square, lasts_ns = each
            self._strike(at, name, square)
            self.struck[name] += 1
            self._on.append((now_ns + lasts_ns, name, square))
        for over in [each for each in self._on if each[0] <= now_ns]:
            self._on.remove(over)
            self._mend(at, *over[1:])
            self.until_ns = now_ns
        if self._on:
            self.until_ns = now_ns

    def _strike(self, at: SimulatedStation, name: str, square: str) -> None:
        if name == DISK:
            _disk_takes(False)
        elif name == PAGES:
            self._pages.kill()
        else:
            faults.strike(at.table.tiles[square], name)

    def _mend(self, at: SimulatedStation, name: str, square: str) -> None:
        if name == DISK:
            _disk_takes(self.disk_refuses is False)
        elif name == PAGES:
            self._pages.start()
        else:
            faults.mend(at.table.tiles[square], name)


_LIMITS: Final = resource.getrlimit(resource.RLIMIT_FSIZE)


def _disk_takes(takes: bool) -> None:
    """The kernel refuses each write to a file with EFBIG, or takes it again."""
    resource.setrlimit(resource.RLIMIT_FSIZE, _LIMITS if takes else (0, _LIMITS[1]))


@contextmanager
def _a_disk() -> Iterator[None]:
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        yield
    finally:
        _disk_takes(True)
        signal.signal(signal.SIGXFSZ, before)


# ----------------------------------------------------------------------------------------------------- figures


@dataclass(frozen=True)
class Held:
    """What a process holds."""

    rss_kb: int
    objects: int
    descriptors: int


def held() -> Held:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Held(pages * resource.getpagesize() // 1024, len(gc.get_objects()), len(os.listdir("/proc/self/fd")))


@dataclass
class GroupsTally:
    """What the groups came to. `games`: those whose record was compared with what everybody was told; `lost`: squares
    that were told and are not in it. `reset_ms`: of this machine's processor; `reset_s`: on the virtual clock."""

    groups: int = 0
    visits: int = 0
    stuck: list[str] = field(default_factory=list)
    manual: list[str] = field(default_factory=list)
    games: int = 0
    told: int = 0
    lost: int = 0
    interrupted: int = 0
    unfed: int = 0
    phones: int = 0
    reset_ms: array[float] = field(default_factory=lambda: array("d"))
    reset_s: array[float] = field(default_factory=lambda: array("d"))
    tempers: Counter[str] = field(default_factory=Counter)
    struck: Counter[str] = field(default_factory=Counter)
    held: list[Held] = field(default_factory=list)
    simulated_s: float = 0.0
    took_s: float = 0.0

    @property
    def grown(self) -> tuple[int, int]:
        """How many kB and objects more at the end than after the first tenth, once each temper was there."""
        early = self.held[len(self.held) // 10]
        return self.held[-1].rss_kb - early.rss_kb, self.held[-1].objects - early.objects


def percentile(values: Iterable[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


# -------------------------------------------------------------------------------------------------------- a run


class Lane:
    """One station, and all that is looked at."""

    def __init__(self, folder: Path, seed: int, *, plant: bool) -> None:
        self.tally, self.pages = GroupsTally(), LanePhones()
        self.told: dict[str, set[str]] = {}
        self._path = folder / "journal.db"
        self.faults = Faults(random.Random(f"faults {seed}"), self.pages)
        self.at = SimulatedStation(
            settings(),
            self._path,
            seed=seed,
            doors=StationDoors(
                hooks=Hooks(published=self._published, healthy=self._healthy),
                pages=self.pages.phones.pages,
                phone=self.pages.open,
            ),
        )
        self._plant, self._rounds = plant, 0
        self._reset_ns: int | None = None
        self._gameless_ns: int | None = None
        self._every = 1

    def close(self) -> None:
        _disk_takes(True)
        self._close_past()
        self.at.close()

    def _published(self, state: PublicState) -> None:
        session = self.at.station.loop.session
        if session.playing:
            told = self.told.setdefault(session.game_id, set())
            told.update(square.label for square in state.squares if square.state != "concealed")

    def _healthy(self, health: StationHealth) -> None:
        self.tally.unfed += not fed(health, health.now_ns)

    def _close_past(self) -> None:
        """Close what the tidying has open; it opens it again."""
        self.at.records.close()

    def _planted(self) -> None:
        """Tap at two seats in turn for ever, after the third group has come, as hands that nobody has."""
        self._rounds += 1
        seat = self.at.seats[self._rounds // 2 % 2]
        (self.at.table.press if self._rounds % 2 else self.at.table.release)(seat)

    def run(self, groups: int) -> GroupsTally:
        """Let so many groups come and go, or stop at one that is stuck."""
        began_s, group = time.perf_counter(), 0
        self._every = max(1, groups // LOOKS)
        while not self.tally.stuck:
            self._round()
            if self.at.visitors.groups > group:
                group = self.at.visitors.groups
                if group > groups:
                    break
                self._group_came()
        self.tally.took_s = time.perf_counter() - began_s
        self.tally.simulated_s = self.at.now_ns() / SECOND_NS
        self.tally.visits, self.tally.struck = self.at.station.visit.number, self.faults.struck
        self.tally.phones = self.pages.joined
        return self.tally

    def _group_came(self) -> None:
        self.pages.forget()
        self.tally.groups += 1
        self.tally.tempers[self.at.visitors.temper] += 1
        if (self.tally.groups - 1) % self._every == 0:
            self._close_past()
            self.tally.held.append(held())
        self.faults.plan(self.at.now_ns(), self.at.squares)

    def _round(self) -> None:
        before, began_s = self.at.state, time.process_time()
        self.faults.step(self.at)
        if self._plant and self.at.visitors.groups >= 3:
            self._planted()
        self.at.stride()
        self.pages.step()
        took_s, now_ns, state = time.process_time() - began_s, self.at.now_ns(), self.at.state
        if state is State.RESET and before is not State.RESET:
            self._reset_ns = now_ns
            self.tally.reset_ms.append(took_s * 1e3)
        elif before is State.RESET and self._reset_ns is not None:
            self.tally.reset_s.append((now_ns - self._reset_ns) / SECOND_NS)
            self._reset_ns = None
        session = self.at.station.loop.session
        if self.told and not session.playing:
            self._compare()
        self._look_for_stuck(now_ns, state)

    def _look_for_stuck(self, now_ns: int, state: State) -> None:
        visitors, session = self.at.visitors, self.at.station.loop.session
        if state in PLAYED and not session.playing and not self.faults.disk_refuses:
            self._gameless_ns = self._gameless_ns or now_ns
            if now_ns - max(self._gameless_ns, self.faults.until_ns) > GAMELESS_NS:
                self.tally.manual.append(visitors.temper)
                self._gameless_ns = now_ns + 3600 * SECOND_NS
        else:
            self._gameless_ns = None
        quiet_ns = now_ns - max(visitors.hand_ns, self.faults.until_ns)
        if visitors.gone and state is not State.ATTRACT and quiet_ns > STUCK_NS:
            self.tally.stuck.append(f"group {visitors.groups} ({visitors.temper}) in {state.value}")

    def _compare(self) -> None:
        """Compare what everybody was told of each finished game with its record."""
        for game, told in self.told.items():
            self.tally.games += 1
            self.tally.told += len(told)
            self.tally.lost += len(told - self._recorded(game))
        self.told.clear()

    def _recorded(self, game: str) -> set[str]:
        found: set[str] = set()
        for path in (self._path, *past_logs(self._path)):
            if found:
                break
            for entry in read(path, MAGE_KNIGHT, game):
                if isinstance(entry.event, ev.Turned | ev.Exposed | ev.Triggered | ev.DisarmTried):
                    found.add(entry.event.square)
        return found


def run(folder: Path, groups: int, seed: int = 1, *, plant: bool = False) -> GroupsTally:
    """Let so many groups come and go."""
    with _a_disk():
        lane = Lane(folder, seed, plant=plant)
        try:
            return lane.run(groups)
        finally:
            lane.close()


def lines(tally: GroupsTally) -> Iterator[str]:
    """The figures, for a person."""
    kb, objects = tally.grown
    descriptors = {each.descriptors for each in tally.held}
    yield (
        f"{tally.groups} groups of {len(tally.tempers)} of {len(TEMPERS)} tempers, {tally.visits} visits, "
        f"{tally.simulated_s / 3600:.1f} simulated hours in {tally.took_s:.0f} s: {tally.groups / tally.took_s:.1f} "
        f"groups/s, 10,000 take {10_000 / tally.groups * tally.took_s / 60:.0f} min"
    )
    yield f"{len(tally.stuck)} stuck{''.join(f'; {each}' for each in tally.stuck)}; {len(tally.manual)} manual steps"
    yield f"faults: {', '.join(f'{name} {count}' for name, count in sorted(tally.struck.items()))}"
    yield f"{tally.games} games with {tally.told} squares told, {tally.lost} of them lost; {tally.phones} phones"
    yield f"{tally.unfed} seconds in which the watchdog would not have been fed"
    yield f"memory: {kb:+} kB and {objects:+} objects since the first tenth; descriptors {sorted(descriptors)}"
    parts = (0.5, 0.99, 1.0)
    yield "RESET p50, p99, max: " + "; ".join(
        ", ".join(f"{percentile(values, part):.{digits}f}" for part in parts) + f" {unit}"
        for values, digits, unit in ((tally.reset_ms, 0, "ms of processor"), (tally.reset_s, 2, "simulated s"))
    )


def main() -> None:
    """Print the figures."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--groups", type=int, default=200)
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--plant", action="store_true")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tally = run(Path(folder), asked.groups, asked.seed, plant=asked.plant)
    sys.stdout.writelines(f"{line}\n" for line in lines(tally))
    raise SystemExit(bool(tally.stuck or tally.manual or tally.lost))


if __name__ == "__main__":
    main()
