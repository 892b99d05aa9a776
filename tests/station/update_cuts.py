"""Updates cut after every system call that changes the disk: old or new runs, never neither.

`python -m tests.station.update_cuts` makes a small station with two trees, updates it under strace, and kills the
update at each call that changes something (`--cuts N` of them, spread evenly, and every one of the switch). After each
cut it asks: does `current` run, the old or the new version; can the next boot confirm and go back; does the same update
work when it is repeated. A kill keeps what the kernel holds in memory, and a power cut does not: so the order of the
calls is checked too, that each rename comes after all that it names is synced. `--short` is what CI runs.
"""

from __future__ import annotations

import argparse
import itertools
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.trial import Watch, watch
from pi_app.station.updates.update import update
from tests.station.tiny import NEW, OLD, enabled, payload, tiny_package, trust

ROOT: Final = Path(__file__).resolve().parents[2]
CALLS: Final = (
    *("openat", "write", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir"),
    *("symlink", "symlinkat", "chmod", "fchmod", "fchmodat", "fsync", "fdatasync", "sync", "sendfile"),
    *("copy_file_range", "utimensat", "ftruncate", "link", "linkat"),
)
READS: Final = re.compile(r"openat\(.*O_RDONLY")
SHORT: Final = 24
Act = Callable[[Path, Path], None]


class Failed(Exception):
    """A cut left the station without a program, or an order is wrong; the text says where."""


@dataclass(frozen=True)
class Call:
    """A system call of a traced run: its number among all that are counted, and what strace wrote of it."""

    number: int
    line: str


def acts() -> dict[str, Act]:
    """What is cut: an update, its confirmation, going back, and a trial that ends with each of both."""
    return {
        "update": lambda home, package: void(update(package, home, enabled(), trust())),
        "confirm": lambda home, _: trees.confirm(home),
        "back": lambda home, _: void(trees.go_back(home)),
        "trial that gets ready": lambda home, _: void(watch(trial(home, "active"))),
        "trial that does not": lambda home, _: void(watch(trial(home, "activating"))),
    }


def trial(home: Path, active: str) -> Watch:
    """The trial of what an update left, in no time, with a service in this state."""
    seconds = itertools.count()

    def says(words: Sequence[str]) -> tuple[int, str]:
        return 0, f"ActiveState={active}\nInvocationID=one\nNRestarts=0\nJob=0\n"

    return Watch(home, Systemd(says, Path("/nowhere")), lambda: float(next(seconds)), lambda _: None)


def void(_: object) -> None:
    """Drop a result."""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.station.update_cuts", description=__doc__)
    parser.add_argument(
        "--short", action="store_true", help=f"cut at {SHORT} calls of the update, and all of the switch"
    )
    parser.add_argument("--cuts", type=int, help="cut at so many calls of the update")
    parser.add_argument("--act", nargs=3, metavar=("ACT", "HOME", "PACKAGE"), help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if asked.act:
        acts()[asked.act[0]](*map(Path, asked.act[1:]))
        return 0
    if (reason := _missing()) is not None:
        print(f"update cuts: NOT RUN HERE, because {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="trapdial-cuts-") as name:
        return _reported(Path(name), asked.cuts or (SHORT if asked.short else None))


def _reported(folder: Path, most: int | None) -> int:
    began = time.monotonic()
    try:
        said = list(_every_cut(folder, most))
    except Failed as trouble:
        print(f"update cuts: FAILED: {trouble}")
        return 1
    for line in said:
        print(f"update cuts: {line}")
    print(f"update cuts: passed in {time.monotonic() - began:.0f} s: old or new, never neither")
    return 0


def _missing() -> str | None:
    if shutil.which("strace") is None:
        return "there is no strace: sudo apt install strace"
    done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    return f"strace may not trace here: {done.stderr.strip()}" if done.returncode != 0 else None


def _every_cut(folder: Path, most: int | None) -> Iterator[str]:
    package = tiny_package(folder, NEW)
    start = folder / "start"
    start.mkdir()
    trees.switch(start, trees.build(payload(folder, OLD), start), trial=False)
    updated = folder / "updated"
    for act in acts():
        home = folder / "home"
        traced = _traced(_fresh(start, home), act, package)
        if act == "update":
            shutil.copytree(home, updated, symlinks=True)
        changes = [call for call in traced if _changes(call, home)]
        check_order(changes, home)
        chosen = _chosen(changes, most)
        seen = [_after_a_cut(_fresh(start, home), act, package, call.number) for call in chosen]
        counts = " and ".join(f"{seen.count(version)} times {version}" for version in (OLD, NEW))
        yield f"{act}: cut at {len(chosen)} of {len(changes)} calls that change something: {counts}"
        start = updated


def _fresh(start: Path, home: Path) -> Path:
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(start, home, symlinks=True)
    return home


def _strace(*words: str, log: Path, act: str, home: Path, package: Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "tests.station.update_cuts", "--act", act, str(home), str(package)]
    traced = ["strace", "-f", "-y", "-s", "200", "-o", str(log), "-e", f"trace={','.join(CALLS)}", *words]
    told = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*traced, *program], cwd=ROOT, env=told, capture_output=True, text=True, check=False)


def _traced(home: Path, act: str, package: Path) -> list[Call]:
    log = home.parent / "trace"
    done = _strace(log=log, act=act, home=home, package=package)
    if done.returncode != 0:
        raise Failed(f"{act} without a cut ended with {done.returncode}: {done.stderr[-500:]}")
    lines = [line for line in log.read_text(encoding="utf-8").splitlines() if re.match(r"\d+\s+\w+\(", line)]
    return [Call(number, line) for number, line in enumerate(lines, 1)]


def _changes(call: Call, home: Path) -> bool:
    return " sync(" in call.line or (str(home) in call.line and not READS.search(call.line))


def _chosen(changes: Sequence[Call], most: int | None) -> list[Call]:
    """All, or some that are spread evenly, and everything from the last sync on: the switch."""
    if most is None or len(changes) <= most:
        return [*changes]
    last = max((number for number, call in enumerate(changes) if " sync(" in call.line), default=0)
    step = max(1, last // most)
    return [*changes[:last:step], *changes[last:]]


def _after_a_cut(home: Path, act: str, package: Path, number: int) -> str:
    """Cut before a call; what runs afterwards, which must be the old or the new version."""
    where = f"{act}, cut before call {number}"
    inject = f"inject={','.join(CALLS)}:signal=SIGKILL:when={number}"
    _strace("-e", inject, log=home.parent / "cut", act=act, home=home, package=package)
    seen = _runs(home, where)
    _next_boot(home, where)
    return seen


def _runs(home: Path, where: str) -> str:
    done = subprocess.run([home / "current/bin/trapdial"], capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stdout.strip() not in (OLD, NEW):
        raise Failed(f"{where}: neither runs: {done.stdout}{done.stderr}")
    if trees.running(home) is None:
        raise Failed(f"{where}: the tree that runs is not whole")
    return done.stdout.strip()


def _next_boot(home: Path, where: str) -> None:
    """The next boot can go back, and a repeated update reaches the new version: nobody has to clean up."""
    if trees.on_trial(home):
        trees.go_back(home)
        if _runs(home, where) != OLD:
            raise Failed(f"{where}: it does not go back to {OLD}")
    package = home.parent / f"trapdial_{NEW}.deb"
    update(package, home, enabled(), trust())
    trees.confirm(home)
    if _runs(home, where) != NEW:
        raise Failed(f"{where}: the repeated update does not reach {NEW}")


def check_order(changes: Sequence[Call], home: Path) -> None:
    """Check that a power cut finds on the disk what a rename names: it comes after a sync of it, and is synced itself.

    Raises Failed."""
    for at, call in enumerate(changes):
        if not re.search(r"rename\w*\(.*/(?:current|confirmed)\"", call.line):
            continue
        before, after = changes[:at], changes[at + 1 :]
        made, flushed = before[-2:]
        if "symlink" not in made.line or not _flushes(flushed, home) or not after or not _flushes(after[0], home):
            raise Failed(f"a rename is not between two syncs of its folder: {call.line}")
        unsynced = list(_unsynced(before[:-2], home))
        if unsynced:
            raise Failed(f"not on the disk before {call.line}: {unsynced[0].line}")


def _flushes(call: Call, folder: Path) -> bool:
    return bool(re.search(rf"fsync\(\d+<{re.escape(str(folder))}>\)", call.line))


def _unsynced(calls: Sequence[Call], home: Path) -> Iterator[Call]:
    """Writes into a tree after the last sync of everything that no fsync of that file or folder follows."""
    last = max((number for number, call in enumerate(calls) if " sync(" in call.line), default=-1)
    late = calls[last + 1 :]
    for number, call in enumerate(late):
        place = re.search(rf"{re.escape(str(home))}/[AB]/[\w./-]+", call.line)
        if place is None or "fsync(" in call.line:
            continue
        if not any("fsync(" in each.line and place[0] in each.line for each in late[number:]):
            yield call


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
