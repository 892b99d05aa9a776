"""Hands hostile inputs to one reader, and measures each: processor time, and memory beyond that of honest inputs."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hardware.host import memory_folder
from tests.attack.hostile.mutations import hostile
from tests.attack.hostile.readers import NotAnsweredError, Reader

MOST_S: Final = 5.0
"""The most processor time for one input."""

MOST_MEMORY: Final = 200_000_000
"""The most memory for one input, in bytes beyond that for honest inputs."""

WAITS_S: Final = 30
"""A reader that uses no processor for this long waits for something that never comes."""

SPECIAL: Final = (
    "pipe",
    "folder",
    "endless device",
    "terminal",
    "nowhere",
    "circle",
    "socket",
    "huge",
    "not ours",
    "empty",
)


@dataclass
class Share:
    """What came of some inputs of one reader."""

    reader: str
    inputs: int = 0
    accepted: int = 0
    slowest_s: float = 0.0
    memory: int = 0
    wrong: list[str] = field(default_factory=list)


class WaitsError(Exception):
    """The reader waited too long."""


def run(reader: Reader, numbers: range, keep: Path | None = None) -> Share:
    """Hand over the inputs with these numbers; those below zero are special files.

    `keep`: a folder for those that were not answered well.
    """
    share = Share(reader.name)
    previous = signal.signal(signal.SIGALRM, _waits)
    try:
        with tempfile.TemporaryDirectory(dir=memory_folder()) as inside:
            folder = Path(inside)
            for honest in reader.honest:
                reader.hand(honest, folder)
            before = _memory()
            for number in numbers:
                _one(reader, number, folder, before, share, keep)
            reader.close()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    return share


def _one(reader: Reader, number: int, folder: Path, before: int, share: Share, keep: Path | None) -> None:
    draw = random.Random(f"{reader.name} {number}")
    data, what = b"", ""
    path = folder / "hostile"
    if reader.special and number < 0:
        what = SPECIAL[number]
        special(path, what)
    else:
        data = hostile(draw.choice(reader.honest), reader.honest, draw, most=reader.most) or b" "
    begun, known = time.process_time(), _memory()
    wrong = ""
    signal.alarm(WAITS_S)
    try:
        code, _ = reader.hand(data, folder)
        share.accepted += code == 0
    except (NotAnsweredError, WaitsError, MemoryError) as error:
        wrong = f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - a reader that raises is the finding
        wrong = f"raised {error!r}"
    finally:
        signal.alarm(0)
        if what:
            remove(path)
    took = time.process_time() - begun
    share.inputs += 1
    share.slowest_s, share.memory = max(share.slowest_s, took), max(share.memory, _memory() - before)
    if took > MOST_S:
        wrong += f" took {took:.1f} s"
    if _memory() > max(known, before + MOST_MEMORY):
        wrong += f" took {(_memory() - before) / 1e6:.0f} MB"
    if wrong:
        share.wrong.append(f"{reader.name} {number}{f' ({what})' if what else ''}: {wrong[:600]}")
        if keep is not None and data:
            (keep / f"{reader.name} {number}").write_bytes(data)


def special(path: Path, what: str) -> None:
    """Put something there that is no plain file with an honest content."""
    remove(path)
    match what:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "endless device":
            path.symlink_to("/dev/zero")
        case "terminal":
            path.symlink_to("/dev/ptmx")
        case "nowhere":
            path.symlink_to(path.with_name("missing"))
        case "circle":
            path.symlink_to(path)
        case "socket":
            os.mknod(path, 0o140600)
        case "huge":
            with path.open("wb") as file:
                file.truncate(5_000_000_000)
        case "not ours":
            path.symlink_to("/proc/kmsg")
        case _:
            path.touch()


def remove(path: Path) -> None:
    """Remove whatever lies there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _memory() -> int:
    """The most memory that this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _waits(*_: object) -> None:
    raise WaitsError(f"waits longer than {WAITS_S} s")
