"""Groups of robot visitors in a row without staff, of every temper, while faults strike: what is stuck, lost, or grows.

    python -m tests.station.groups --groups 200
    python -m tests.station.groups --groups 10 --plant stuck      # a visit that never ends, and is found
    python -m tests.station.groups --groups 10 --plant loss       # a face that the record does not have
    python -m tests.station.groups --groups 120 --plant memory    # 20 kB of each group are kept
    python -m tests.station.groups --groups 120 --plant files     # a file stays open now and then

All of it is simulated: twins on a virtual clock, and phones without a page process (`tests.station.page_kills` kills a
real one). A fault strikes in every second group for a while: a lead, a magnet, a bus, a mux, the disk (this process may
not write to files), the page process (its link goes silent and every phone is lost). It goes away by itself, as for
whoever plugs a lead in again; nobody types. At the end the plug is pulled in the middle of a game.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pi_app.game import events as ev
from pi_app.journal import read
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import Moment
from pi_app.report.pictures import SeatPicture, ShowFace
from pi_app.settings import load as st
from pi_app.settings.model import Settings
from pi_app.settings.station_section import StationSettings
from pi_app.simulated.simulated_station import SimulatedStation, StationDoors
from pi_app.simulated.visitors import TEMPERS
from pi_app.station.public.state import PublicState
from pi_app.station.service.health import StationHealth
from pi_app.station.service.watchdog import fed
from pi_app.station.table import Hooks
from pi_app.station.visits.visit import PLAYED, SECOND_NS, State
from tests.station.group_faults import Faults, LanePhones, a_disk, disk_takes
from tests.station.held import LEAST_LOOKS, Holding, grown, holding, settle
from tests.station.told import Told, ToldFace, lost

IDLE_S: Final = 30
STUCK_NS: Final = (IDLE_S + 60) * SECOND_NS
"""So long after the last hand and the last fault a station that plays with nobody is stuck."""

GAMELESS_NS: Final = 30 * SECOND_NS
"""Visitors who play for so long, with a disk that works, without a game: somebody would have to do something."""

LOOKS: Final = 100
"""How often memory and descriptors are looked at."""

WARM: Final = 3 * len(TEMPERS)
"""Memory is compared from the first tenth on, but not before so many groups: then each temper was there three times,
all screens, languages and sentences have been shown, and a record was put aside. What is used for the first time takes
memory until then: tables of letters, compiled patterns, SQLite's pages and statements, and the free space between them.
The records have filled their budget by then, and games are deleted. CPython's table of interned strings is settled
before (`held.settle`). 10,000 groups are compared from 1,000 on."""

PLUG_NS: Final = 1800 * SECOND_NS
"""At the end somebody is told something within this time, and then the plug is pulled."""

MOST_RED: Final = 10

PLANTS: Final = ("stuck", "loss", "memory", "files")

SQUARES: Final = 3
BUDGET_MB: Final = 2
"""So small that a record is put aside every few groups, also while the disk refuses."""


def settings() -> Settings:
    """The great table with all its seats, and few squares."""
    loaded = st.load(st.example_path("8x4"))
    squares = dict(list(loaded.squares.items())[:SQUARES])
    return replace(
        loaded, squares=MappingProxyType(squares), station=StationSettings(idle_s=IDLE_S, budget_mb=BUDGET_MB)
    )


# ----------------------------------------------------------------------------------------------------- figures


@dataclass
class GroupsTally:
    """What the groups came to. `games`: those whose record was compared with what was told; `squares`: told to all;
    `faces`: shown to one seat; `lost`: what was told and is not in the record; `interrupted`: what the station said
    after the plug was pulled. `reset_ms`: of this machine's processor; `reset_s`: on the virtual clock; `held`: looks
    at this process once it was warm."""

    groups: int = 0
    visits: int = 0
    stuck: list[str] = field(default_factory=list)
    manual: list[str] = field(default_factory=list)
    games: int = 0
    squares: int = 0
    faces: int = 0
    lost: list[str] = field(default_factory=list)
    interrupted: str = ""
    unfed: int = 0
    phones: int = 0
    reset_ms: array[float] = field(default_factory=lambda: array("d"))
    reset_s: array[float] = field(default_factory=lambda: array("d"))
    tempers: Counter[str] = field(default_factory=Counter)
    struck: Counter[str] = field(default_factory=Counter)
    cold: Holding | None = None
    held: list[Holding] = field(default_factory=list)
    simulated_s: float = 0.0
    took_s: float = 0.0

    @property
    def red(self) -> list[str]:
        """Everything that a station must not do."""
        grew = grown(self.held)
        return [*self.stuck, *self.manual, *self.lost, *([grew] if grew else [])]


def percentile(values: Iterable[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


# ------------------------------------------------------------------------------------------------- planted on purpose


class Planted:
    """What the lane must find: a visit that never ends, a record that leaves out turns, memory and files that are
    kept."""

    def __init__(self, plant: str, at: SimulatedStation) -> None:
        self._plant, self._at = plant, at
        self._rounds = self._groups = 0
        self._kept: list[bytes] = []
        self._files: list[int] = []
        if plant == "loss":
            self._append = at.journal.append
            at.journal.append = self._forgetful  # type: ignore[method-assign]

    def _forgetful(self, game_id: str, before: Moment, event: ev.AnyEvent) -> Moment:
        """A turn happens, and is not written."""
        if isinstance(event, ev.Turned) and event.seat:
            return MAGE_KNIGHT.advance(before, event)
        return self._append(game_id, before, event)

    def group(self) -> None:
        """A group has come."""
        self._groups += 1
        if self._plant == "memory":
            self._kept.append(random.Random(self._groups).randbytes(20_000))
        if self._plant == "files" and self._groups % 20 == 0:
            self._files.append(os.open("/dev/null", os.O_RDONLY))

    def round(self) -> None:
        """Tap at two seats in turn for ever, after the third group has come, as hands that nobody has."""
        if self._plant == "stuck" and self._groups >= 3:
            self._rounds += 1
            seat = self._at.seats[self._rounds // 2 % 2]
            (self._at.table.press if self._rounds % 2 else self._at.table.release)(seat)

    def close(self) -> None:
        for each in self._files:
            os.close(each)


# -------------------------------------------------------------------------------------------------------- a run


class Lane:
    """One station, and all that is looked at. `plant`: one of PLANTS, or nothing; `progress`: say each look."""

    def __init__(self, folder: Path, seed: int, *, plant: str = "", progress: bool = False) -> None:
        self._progress = progress
        self.tally, self.pages = GroupsTally(), LanePhones(self._phone_saw)
        self.told: dict[str, Told] = {}
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
                shown=self._seat_saw,
            ),
        )
        self._planted = Planted(plant, self.at)
        self._reset_ns: int | None = None
        self._gameless_ns: int | None = None
        self._every = 1

    def close(self) -> None:
        disk_takes(True)
        self._planted.close()
        self._close_past()
        self.at.close()

    # ------------------------------------------------------------------------------------------ what was told

    def _now_told(self) -> Told | None:
        session = self.at.station.loop.session
        return self.told.setdefault(session.game_id, Told()) if session.playing else None

    def _published(self, state: PublicState) -> None:
        told = self._now_told()
        if told is not None:
            told.squares.update(square.label for square in state.squares if square.state != "concealed")

    def _seat_saw(self, seat: str, picture: SeatPicture) -> None:
        if isinstance(picture, ShowFace) and (told := self._now_told()) is not None:
            told.see(seat, picture)

    def _phone_saw(self, face: ToldFace) -> None:
        told = self._now_told()
        if told is not None:
            told.faces.add(face)

    def _compare(self, said: str = "") -> None:
        """Compare what was told of each finished game with its record."""
        for game, told in self.told.items():
            self.tally.games += 1
            self.tally.squares += len(told.squares)
            self.tally.faces += len(told.faces)
            self.tally.lost += lost(self._path, game, told, said)
        self.told.clear()

    # ------------------------------------------------------------------------------------------------ rounds

    def _healthy(self, health: StationHealth) -> None:
        self.tally.unfed += not fed(health, health.now_ns)

    def _close_past(self) -> None:
        """Close what the tidying has open; it opens it again."""
        self.at.records.close()

    def run(self, groups: int) -> GroupsTally:
        """Let so many groups come and go, or stop at one that is stuck; then pull the plug."""
        began_s, group = time.perf_counter(), 0
        self._every = max(1, groups // LOOKS)
        while not self.tally.stuck:
            self._round()
            if self.at.visitors.groups > group:
                group = self.at.visitors.groups
                if group > groups:
                    break
                self._group_came(groups)
        self.tally.took_s = time.perf_counter() - began_s
        self.tally.simulated_s = self.at.now_ns() / SECOND_NS
        self.tally.visits, self.tally.struck = self.at.station.visit.number, self.faults.struck
        self.tally.phones = self.pages.joined
        if not self.tally.stuck:
            self._pull_the_plug()
        return self.tally

    def _group_came(self, groups: int) -> None:
        self.pages.forget()
        self.tally.groups += 1
        self.tally.tempers[self.at.visitors.temper] += 1
        self._planted.group()
        if (self.tally.groups - 1) % self._every == 0:
            self._look(warm=self.tally.groups > max(WARM, groups // 10))
        self.faults.plan(self.at.now_ns(), self.at.squares)

    def _look(self, *, warm: bool) -> None:
        """Look at this process. The record is read before, so that SQLite always keeps one descriptor for its next
        reader in this process, and not only until the record is put aside: a station has no such reader."""
        self._close_past()
        next(read(self._path, MAGE_KNIGHT), None)
        if warm and not self.tally.held:
            settle()
        held = holding()
        self.tally.cold = self.tally.cold or held
        if self._progress:
            with contextlib.suppress(OSError):  # a file, while the disk refuses
                kb = self._path.stat().st_size // 1024
                sys.stderr.write(f"group {self.tally.groups}: {held}, record {kb} kB, {len(self.tally.red)} red\n")
                sys.stderr.flush()
        if warm:
            self.tally.held.append(held)

    def _round(self) -> None:
        before, ends = self.at.state, self.at.state is State.THANKS
        began_s = time.process_time() if ends else 0.0
        self.faults.step(self.at)
        self._planted.round()
        self.at.stride()
        self.pages.step()
        now_ns, state = self.at.now_ns(), self.at.state
        if state is State.RESET and before is not State.RESET:
            self._reset_ns = self.at.station.visit.since_ns
            self.tally.reset_ms.append((time.process_time() - began_s) * 1e3 if ends else 0.0)
        elif state is not State.RESET and self._reset_ns is not None:
            self.tally.reset_s.append((self.at.station.visit.since_ns - self._reset_ns) / SECOND_NS)
            self._reset_ns = None
        if self.told and not self.at.station.loop.session.playing:
            self._compare()
        self._look_for_stuck(now_ns, state)

    def _look_for_stuck(self, now_ns: int, state: State) -> None:
        visitors, session = self.at.visitors, self.at.station.loop.session
        if state in PLAYED and not session.playing and not self.faults.disk_refuses:
            self._gameless_ns = self._gameless_ns or now_ns
            if now_ns - max(self._gameless_ns, self.faults.until_ns) > GAMELESS_NS:
                self.tally.manual.append(f"{visitors.temper}: no game")
                self._gameless_ns = now_ns + 3600 * SECOND_NS
        else:
            self._gameless_ns = None
        quiet_ns = now_ns - max(visitors.hand_ns, self.faults.until_ns)
        if visitors.gone and state is not State.ATTRACT and quiet_ns > STUCK_NS:
            self.tally.stuck.append(f"group {visitors.groups} ({visitors.temper}) in {state.value}, stuck")

    def _pull_the_plug(self) -> None:
        """Stop in the middle of a game in which something was told, and start again on the same record."""
        until_ns = self.at.now_ns() + PLUG_NS
        while not any(map(len, self.told.values())) and self.at.now_ns() < until_ns:
            self._round()
        session = self.at.station.loop.session
        on = session.game_id if session.playing else ""
        disk_takes(True)
        self._close_past()
        self.at.close()
        self.at = SimulatedStation(settings(), self._path)
        self.tally.interrupted = said = self.at.interrupted
        if on not in said:
            self.tally.lost.append(f"game {on}: nobody said that it was interrupted")
        self._compare(said)


def run(folder: Path, groups: int, seed: int = 1, *, plant: str = "", progress: bool = False) -> GroupsTally:
    """Let so many groups come and go. `progress`: a line to stderr at each look at this process."""
    with a_disk():
        lane = Lane(folder, seed, plant=plant, progress=progress)
        try:
            return lane.run(groups)
        finally:
            lane.close()


def lines(tally: GroupsTally) -> Iterator[str]:
    """The figures, for a person."""
    yield (
        f"{tally.groups} groups of {len(tally.tempers)} of {len(TEMPERS)} tempers, {tally.visits} visits, "
        f"{tally.simulated_s / 3600:.1f} simulated hours in {tally.took_s:.0f} s: {tally.groups / tally.took_s:.1f} "
        f"groups/s, 10,000 take {10_000 / tally.groups * tally.took_s / 60:.0f} min"
    )
    yield f"{len(tally.stuck)} stuck; {len(tally.manual)} manual steps"
    yield f"faults: {', '.join(f'{name} {count}' for name, count in sorted(tally.struck.items()))}"
    yield (
        f"{tally.games} games with {tally.squares} squares told to all and {tally.faces} faces shown to one seat, "
        f"{len(tally.lost)} of them lost; {tally.phones} phones"
    )
    yield f"after the plug was pulled: {tally.interrupted or 'no game was on'}"
    yield f"{tally.unfed} seconds in which the watchdog would not have been fed"
    yield from _memory(tally)
    parts = (0.5, 0.99, 1.0)
    yield "RESET p50, p99, max: " + "; ".join(
        ", ".join(f"{percentile(values, part):.{digits}f}" for part in parts) + f" {unit}"
        for values, digits, unit in ((tally.reset_ms, 0, "ms of processor"), (tally.reset_s, 2, "simulated s"))
    )
    yield from (f"RED: {each}" for each in tally.red[:MOST_RED])


def _memory(tally: GroupsTally) -> Iterator[str]:
    """The curve of the memory, in ten looks at most."""
    if len(tally.held) < LEAST_LOOKS:
        yield f"memory: too few groups to compare, {max(WARM, tally.groups // 10)} come first"
        return
    first, last, curve = tally.held[0], tally.held[-1], tally.held[:: max(1, len(tally.held) // 10)]
    cold_kb = 0 if tally.cold is None else first.rss_kb - tally.cold.rss_kb
    yield (
        f"memory: {cold_kb:+} kB while it became warm, {last.rss_kb - first.rss_kb:+} kB since, of them "
        f"{last.used_kb - first.used_kb:+} kB in use, {last.objects - first.objects:+} objects; resident kB: "
        f"{' '.join(str(each.rss_kb) for each in curve)}; descriptors "
        f"{', '.join(map(str, sorted({each.descriptors for each in tally.held})))}"
    )


def main() -> None:
    """Print the figures."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--groups", type=int, default=200)
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--plant", choices=PLANTS, default="")
    given.add_argument("--progress", action="store_true")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tally = run(Path(folder), asked.groups, asked.seed, plant=asked.plant, progress=asked.progress)
    sys.stdout.writelines(f"{line}\n" for line in lines(tally))
    raise SystemExit(bool(tally.red))


if __name__ == "__main__":
    main()
