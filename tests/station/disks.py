"""A station whose disk begins to refuse at any of its writes, and is good again after a while: it plays on or says so,
loses nothing that it told, and goes on by itself.

    python -m tests.station.disks --points 60

The disk is a stand-in inside this process, and the table is simulated; `test_supervised` of the service has real
processes.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_app.simulated.simulated_station import SimulatedStation
from pi_app.simulated.visitors import Visitors
from pi_app.station.service.boot_settings import choose
from pi_app.station.troubles.facts import table_facts
from pi_app.station.troubles.troubles import Facts, StationTrouble, find
from pi_app.station.visits.visit import SECOND_NS, State
from tests.crash.disk import Image, Made, Op, Seen, Shown, Told, Written, read_image
from tests.crash.recorder import recording
from tests.crash.runs import folder_with, telling
from tests.station.cuts.judge import faults
from tests.station.cuts.lives import NAMES, PAUSES_S, card_with, showing, small_budget, text

REFUSES_S: Final = 40
"""So long refuses the disk."""

MOST_S: Final = 900
"""A station that has no new game so long after that is stuck."""

GROUPS_BEFORE: Final = 5
"""So many groups have played before, that their records are pruned."""

EXPECTED: Final = {
    errno.ENOSPC: StationTrouble.DISK_FULL,
    errno.EROFS: StationTrouble.DISK_READ_ONLY,
    errno.EIO: StationTrouble.DISK_READ_ONLY,
}
"""What staff read of each refusal."""


@dataclass
class Refusing:
    """A disk that refuses with an error, from one of its writes on, for a while. A full disk still renames and removes.
    `asked`: how many writes there were."""

    number: int
    first: int
    at: SimulatedStation | None = None
    asked: int = 0
    since_ns: int | None = None

    @property
    def over(self) -> bool:
        """Whether it has refused, and does no more."""
        if self.at is None or self.since_ns is None:
            return False
        return self.at.now_ns() - self.since_ns >= REFUSES_S * SECOND_NS

    def __call__(self, op: Op) -> None:
        if self.at is None or (self.number == errno.ENOSPC and not isinstance(op, Made | Written)):
            return
        self.asked += 1
        if self.asked > self.first and not self.over:
            self.since_ns = self.at.now_ns() if self.since_ns is None else self.since_ns
            raise OSError(self.number, os.strerror(self.number))


@dataclass
class Lived:
    """What was seen: `asked`, the writes; `said`, the troubles that staff could read; `refused`, whether an event or a
    step of the records was refused; `wrong`, what should not be."""

    asked: int = 0
    refused: bool = False
    said: set[StationTrouble] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)


def prepared() -> Image:
    """A state folder in which some groups have played."""
    with tempfile.TemporaryDirectory() as folder, small_budget(), _station(Path(folder), 1) as at:
        while at.station.visit.number < GROUPS_BEFORE or at.state is not State.ATTRACT:
            at.stride()
        at.close()
        return read_image(Path(folder))


def _station(state: Path, seed: int) -> SimulatedStation:
    with card_with(text(NAMES[0]).encode()) as card:
        settings = choose(state, "this boot", [card]).settings
    at = SimulatedStation(settings, settings.beside(settings.table.journal), seed=seed)
    at.visitors = Visitors(at, seed, PAUSES_S)
    return at


def lived(image: Image, number: int, first: int, seed: int = 0) -> Lived:
    """Let a station live through a disk that refuses from its write number `first` on."""
    found, disk = Lived(), Refusing(number, first)
    with folder_with(image) as state:
        with small_budget(), recording(state, disk) as recorder, telling(recorder), showing(recorder):
            with _station(state, seed + 2) as at:
                at.station.step()
                disk.at = at
                found.wrong += _through(at, disk, found)
            disk.at = None
        seen = [op for op in recorder.ops if isinstance(op, Told | Shown)]
        found.wrong += _after(state, seen, seed)
    found.asked = disk.asked
    if found.refused and found.said != {EXPECTED[number]}:
        found.wrong.append(f"said: {sorted(each.code for each in found.said)}")
    return found


def _through(at: SimulatedStation, disk: Refusing, found: Lived) -> Iterator[str]:
    """Play while the disk refuses, and until another visit with a game is over."""
    visits, until_ns = at.station.visit.number + 2, at.now_ns() + MOST_S * SECOND_NS
    while not disk.over and at.station.visit.number <= visits:
        _step(at, found)
    games, session = 0, at.station.loop.session
    while games < 2 or at.state is not State.ATTRACT or at.station.loop.session.playing:
        before = session.game_id
        _step(at, found)
        games += bool(session.game_id and session.game_id != before)
        if at.now_ns() > until_ns:
            yield f"stuck in {at.state} after {games} games: {session.refused_by} {at.records.trouble}"
            return
    for _ in range(2 * (REFUSES_S + 60)):
        at.table.clock.advance(SECOND_NS // 2)
        at.station.step()
    if at.records.trouble or session.refused_since_ns is not None:
        yield f"not over: {at.records.trouble} {session.refused_by}"


def _step(at: SimulatedStation, found: Lived) -> None:
    at.stride()
    session = at.station.loop.session
    known = Facts(lasting=() if at.records.found is None else (at.records.found,))
    if session.refused_since_ns is not None or at.records.found is not None:
        found.refused = True
        found.said |= {each.trouble for each in find(table_facts(session, None, known))}


def _after(state: Path, seen: Sequence[Seen], seed: int) -> Iterator[str]:
    yield from (f"after a new start: {fault}" for fault in faults(state, seen, random.Random(seed)))


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(prog="python -m tests.station.disks", description=__doc__)
    parser.add_argument("--points", type=int, default=60, help="refusals of each kind (default 60)")
    given = parser.parse_args()
    image, wrong = prepared(), 0
    for number in EXPECTED:
        whole = lived(image, number, 10**9).asked
        step = max(1, whole // given.points)
        lives = {first: lived(image, number, first) for first in range(0, whole, step)}
        for first, each in lives.items():
            wrong += bool(each.wrong)
            for sentence in each.wrong:
                print(f"{os.strerror(number)} from write {first} on: {sentence}", flush=True)
        said = sum(each.refused for each in lives.values())
        print(f"{os.strerror(number)} from {len(lives)} of {whole} writes on: {said} times said, and over by itself")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
