"""Power cuts at every place of recorded lives, as many as are asked for."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.crash import judge, runs
from tests.crash.disk import Disk, Image, Kept, Op, Seen, Shown, Told
from tests.crash.runs import folder_with

LIVES: Final = 4
"""Lives of one journal, each begun with what a power cut left of the one before."""


@dataclass(frozen=True, slots=True)
class Lane:
    """What lives and is cut. `life` gets what lies in its folder, its own number and chance; it returns what lay there
    and what was done. `faults` checks a folder after a cut, and returns every fault as a sentence."""

    life: Callable[[Image, int, random.Random], tuple[Image, Sequence[Op]]]
    faults: Callable[[Path, Sequence[Seen], random.Random], Iterable[str]]
    thinned: bool = False
    """Whether some places are left out, by chance, where there are more of them than cuts are asked for."""


Alter = Callable[[Sequence[Op]], Sequence[Op]]


def as_it_was(ops: Sequence[Op]) -> Sequence[Op]:
    """What was recorded, unchanged."""
    return ops


@dataclass(slots=True)
class Tally:
    """What was seen: places (between two things that were done), power cuts, the different folders that these left
    (each is judged once), and what was wrong, each with the seed that shows it again."""

    places: int = 0
    points: int = 0
    folders: set[bytes] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def is_new(self, left: Image, told: Sequence[Seen]) -> bool:
        """Whether no such folder was left before, after as much had been told."""
        hashed = hashlib.blake2b(repr(told[-1:]).encode(), digest_size=16)
        for name, content in sorted(left.items()):
            hashed.update(os.fsencode(name) + b"\0" + hashlib.blake2b(content or b"").digest())
        before = len(self.folders)
        self.folders.add(hashed.digest())
        return len(self.folders) > before


def strike(seed: int, points: int, *, lives: int = LIVES, alter: Alter = as_it_was, lane: Lane | None = None) -> Tally:
    """The power is cut at every place of some lives of one journal, where that may leave one thing or another again and
    again, until there were so many cuts. `alter` changes what was recorded, to see that this is noticed. `lane`: what
    is cut, a table in play if nothing else is given."""
    lane, tally = lane or TABLE, Tally()
    draw = random.Random(f"crash {seed}")
    image: Image = {}
    for number in range(lives):
        began, ops = lane.life(image, seed * lives + number, draw)
        share = (points - tally.points) // (lives - number)
        cuts = Cuts(lane, tally, draw, f"seed {seed}, life {number}")
        image = draw.choice(list(cuts.everywhere(began, alter(ops), share)))
    return tally


@dataclass(frozen=True, slots=True)
class Cuts:
    """The power cuts of one life."""

    lane: Lane
    tally: Tally
    draw: random.Random
    name: str

    def everywhere(self, began: Image, ops: Sequence[Op], points: int) -> Iterator[Image]:
        """Yield what one of the cuts at each place left."""
        unsure = sum(disk.unsure() for disk, _, _ in places(began, ops))
        rounds = max(1, -(-(points - len(ops) - 1 + unsure) // max(1, unsure)))
        part = points / (len(ops) + 1) if self.lane.thinned else 1
        for disk, seen, at in places(began, ops):
            if at and self.draw.random() > part:
                continue
            self.tally.places += 1
            left: Image = {}
            for _ in range(rounds if disk.unsure() else 1):
                left = disk.after_a_cut(self.draw)
                self.tally.points += 1
                if self.tally.is_new(left, seen):
                    self.tally.wrong += [f"{self.name}, place {at}: {fault}" for fault in self._after(left, seen)]
            yield left

    def _after(self, left: Image, seen: Sequence[Seen]) -> Iterator[str]:
        with folder_with(left) as folder:
            if self.draw.random() < 0.25 and runs.JOURNAL in left:
                (folder / f"{runs.JOURNAL}-shm").write_bytes(self.draw.randbytes(32768))
            yield from self.lane.faults(folder, seen, self.draw)


def places(began: Image, ops: Sequence[Op]) -> Iterator[tuple[Disk, list[Seen], int]]:
    """The disk and what was told before the first of these operations, after it, after the second, and so on."""
    disk = Disk(began)
    seen: list[Seen] = []
    yield disk, seen, 0
    for at, op in enumerate(ops, 1):
        disk.happen(op)
        if isinstance(op, Told | Shown | Kept):
            seen.append(op)
        yield disk, seen, at


def _table_after(folder: Path, seen: Sequence[Seen], draw: random.Random) -> Iterable[str]:
    told = [each for each in seen if isinstance(each, Told)]
    return judge.faults(folder / runs.JOURNAL, told, verify_first=draw.random() < 0.25)


TABLE: Final = Lane(runs.any_life, _table_after)
"""A table in play, which anybody may have: its journal and the keys of it."""
