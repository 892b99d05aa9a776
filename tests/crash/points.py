"""Power cuts at every place of recorded lives, as many as are asked for."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tests.crash.disk import Disk, Image, Op, Told
from tests.crash.judge import faults
from tests.crash.runs import JOURNAL, folder_with, life

CHECKPOINT_AFTERS: Final = (3, 8, 10_000)
LIVES: Final = 4
"""Lives of one journal, each begun with what a power cut left of the one before."""


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

    def is_new(self, left: Image, told: Sequence[Told]) -> bool:
        """Whether no such folder was left before, after as much had been told."""
        hashed = hashlib.blake2b(told[-1].head.encode() if told else b"", digest_size=16)
        for name, content in sorted(left.items()):
            hashed.update(os.fsencode(name) + b"\0" + hashlib.blake2b(content or b"").digest())
        before = len(self.folders)
        self.folders.add(hashed.digest())
        return len(self.folders) > before


def strike(seed: int, points: int, *, lives: int = LIVES, alter: Alter = as_it_was) -> Tally:
    """The power is cut at every place of some lives of one journal, where that may leave one thing or another again and
    again, until there were so many cuts. `alter` changes what was recorded, to see that this is noticed."""
    tally = Tally()
    draw = random.Random(f"crash {seed}")
    image: Image = {}
    for number in range(lives):
        began, ops = life(image, seed * LIVES + number, checkpoint_after=draw.choice(CHECKPOINT_AFTERS))
        share = (points - tally.points) // (lives - number)
        lefts = list(_cut_everywhere(began, alter(ops), share, draw, tally, f"seed {seed}, life {number}"))
        image = draw.choice(lefts)
    return tally


def _cut_everywhere(
    began: Image, ops: Sequence[Op], points: int, draw: random.Random, tally: Tally, name: str
) -> Iterator[Image]:
    """What one of the cuts at each place left."""
    unsure = sum(disk.unsure() for disk, _, _ in _places(began, ops))
    rounds = max(1, -(-(points - len(ops) - 1 + unsure) // max(1, unsure)))
    for disk, told, at in _places(began, ops):
        tally.places += 1
        left: Image = {}
        for _ in range(rounds if disk.unsure() else 1):
            left = disk.after_a_cut(draw)
            tally.points += 1
            if tally.is_new(left, told):
                tally.wrong += [f"{name}, place {at}: {fault}" for fault in _after(left, told, draw)]
        yield left


def _places(began: Image, ops: Sequence[Op]) -> Iterator[tuple[Disk, list[Told], int]]:
    """The disk and what was told before the first of these operations, after it, after the second, and so on."""
    disk = Disk(began)
    told: list[Told] = []
    yield disk, told, 0
    for at, op in enumerate(ops, 1):
        disk.happen(op)
        if isinstance(op, Told):
            told.append(op)
        yield disk, told, at


def _after(left: Image, told: Sequence[Told], draw: random.Random) -> Iterator[str]:
    with folder_with(left) as folder:
        if draw.random() < 0.25 and JOURNAL in left:
            (folder / f"{JOURNAL}-shm").write_bytes(draw.randbytes(32768))
        yield from faults(folder / JOURNAL, told, verify_first=draw.random() < 0.25)
