"""Watch an updated program, and go back to the one before it unless the new one gets ready and stays so.

The confirmed program runs this (`trapdial-trial.service`), so that a new one that cannot even start is judged by one
that could. Time is CLOCK_MONOTONIC, which no change of the clock moves. A power cut starts the trial again with the
next boot; a version whose trial was cut three times goes back.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from pi_app.station.service.systemctl import Systemd, UnitState
from pi_app.station.updates import trees
from pi_app.station.updates.in_use import is_in_use, put_in_use
from pi_app.text.errors import UserFileError
from pi_app.text.printed import shown

READY_S: Final = 60.0
"""The new program must be ready after this many seconds, ..."""
HELD_S: Final = 60.0
"""... and stay so, without a restart, for this many."""
MOST_RESTARTS: Final = 2
"""It goes back at the next one: before the service's own escalation starts another program, which gets ready."""
EVERY_S: Final = 0.5
GRACE: Final = 40
"""Looks that find the units of another version, before they are taken for what a power cut has left."""
STOPPED: Final = 10
"""Looks in a row that find the service inactive, which it is for a moment at every restart too."""
MOST_CUTS: Final = 3
"""Trials of one version that may end with the power; then it goes back. A fourth start would be a recovery table, which
gets ready whatever is wrong with the version."""


def pending(home: Path, slot: trees.Slot) -> Path:
    """The package that a slot's tree was made from. When the tree is confirmed, dpkg installs it, so that the package
    that dpkg knows is the program that runs."""
    return home / f"pending-{slot}.deb"


def drop_pending(home: Path) -> None:
    """Remove the packages that wait for dpkg."""
    for slot in trees.SLOTS:
        pending(home, slot).unlink(missing_ok=True)


Verdict = Literal["wait", "keep", "back", "leave"]


@dataclass(frozen=True, slots=True)
class Seen:
    """The service's state, so many seconds after the trial began."""

    at_s: float
    state: UnitState


def verdict(seen: Sequence[Seen]) -> Verdict:
    """Judge a trial from all that was seen of it, the last one last.

    `keep`: it has been ready for 60 s without a restart. `back`: it was not ready after 60 s, or lost that, or it
    restarted three times. `leave`: a person stopped the service; its next start goes on with the trial. The time that
    systemd waits before the first start, for the check of a disk for example, does not count."""
    last = seen[-1]
    if last.state.restarts - min(each.state.restarts for each in seen) > MOST_RESTARTS:
        return "back"
    if len(seen) >= STOPPED and all(_is_stopped(each.state) for each in seen[-STOPPED:]):
        return "leave"
    began = next((each.at_s for each in seen if not _is_waiting(each.state)), last.at_s)
    since = _ready_since(seen)
    if since is None or since - began > READY_S:
        return "back" if last.at_s - began >= READY_S else "wait"
    return "keep" if last.at_s - since >= HELD_S else "wait"


def _is_waiting(state: UnitState) -> bool:
    return state.active == "inactive" and state.queued


def _is_stopped(state: UnitState) -> bool:
    return state.active == "inactive" and not state.queued


def _ready_since(seen: Sequence[Seen]) -> float | None:
    """When the start that is ready now was first seen ready; None if the service is not ready now."""
    since = None
    last = seen[-1].state
    for each in reversed(seen):
        if each.state.active != "active" or each.state.run != last.run:
            break
        since = each.at_s
    return since


@dataclass(frozen=True, slots=True)
class Watch:
    """What a trial needs of its machine."""

    home: Path = trees.HOME
    systemd: Systemd = field(default_factory=Systemd)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def watch(on: Watch) -> Verdict:
    """Wait for the verdict on the tree on trial, and act on it. Returns at once if there is none."""
    _finish_units(on)
    if not trees.on_trial(on.home):
        return "keep"
    found: Verdict = "back" if _cuts(on.home) >= MOST_CUTS else _waited(on)
    _act(on, found)
    return found


def _finish_units(on: Watch) -> None:
    """Put the running tree into use, if a power cut or a kill came before that. What is doing it now may end first: the
    restart that it asks for has started this watch too."""
    for _ in range(GRACE):
        if is_in_use(on.home):
            return
        on.sleep(EVERY_S)
    put_in_use(on.home, on.systemd)


def _waited(on: Watch) -> Verdict:
    _count(on.home)
    began = on.clock()
    seen: list[Seen] = []
    while True:
        seen.append(Seen(on.clock() - began, on.systemd.state()))
        if (found := verdict(seen)) != "wait":
            return found
        on.sleep(EVERY_S)


def _cuts(home: Path) -> int:
    """How many trials of this version began and did not end."""
    with contextlib.suppress(OSError, ValueError):
        return int((home / trees.TRIALS).read_text(encoding="ascii"))
    return 0


def _count(home: Path) -> None:
    """Count a trial before it begins. A disk that refuses this counts none."""
    cuts = _cuts(home)
    with contextlib.suppress(OSError), (home / trees.TRIALS).open("w", encoding="ascii") as file:
        file.write(f"{cuts + 1}\n")
        file.flush()
        os.fsync(file.fileno())


def _act(on: Watch, found: Verdict) -> None:
    with contextlib.suppress(OSError):
        (on.home / trees.TRIALS).unlink(missing_ok=True)
    if found == "keep":
        trees.confirm(on.home)
    elif found == "back":
        trees.go_back(on.home)
        drop_pending(on.home)
        put_in_use(on.home, on.systemd)


def settle(on: Watch) -> str | None:
    """Let dpkg install the package of the confirmed tree. Returns what failed; None if nothing did, or there is none.

    The program runs from its tree in any case. A power cut here leaves the package, for the next boot."""
    slot = trees.pointed(on.home, "confirmed")
    if slot is None or trees.on_trial(on.home) or not pending(on.home, slot).exists():
        return None
    package = pending(on.home, slot)
    words = ["dpkg", "--install", "--force-confold", "--force-confdef", str(package)]
    code, printed = on.systemd.run(["env", "DEBIAN_FRONTEND=noninteractive", *words])
    drop_pending(on.home)
    return None if code == 0 else f"dpkg ended with {code}: {' '.join(printed.split())[-300:]}"


def main(words: Sequence[str]) -> int:
    """Run a trial to its end: the program of `trapdial-trial.service`. Returns the exit code."""
    on = Watch(home=Path(words[0]) if words else trees.HOME)
    before = trees.running(on.home)
    found = watch(on)
    sys.stderr.write(shown(said(found, before, trees.running(on.home))) + "\n")
    trouble = settle(on)
    if trouble is not None:
        advice = "The new program runs all the same. Install the package with apt when you can"
        sys.stderr.write(f"{UserFileError.at('package', '', trouble, advice)}\n")
    return 0


def said(found: Verdict, tried: trees.ProgramTree | None, now: trees.ProgramTree | None) -> str:
    """Return the sentence about a trial, for the system's log."""
    new, old = (each.version if each else "none" for each in (tried, now))
    return {
        "keep": f"Version {new} is confirmed.",
        "back": f"Version {new} did not get ready and stay so: version {old} runs again. `journalctl -u trapdial` has "
        "its last lines.",
        "leave": f"The service was stopped: version {new} stays on trial until its next start.",
        "wait": f"Version {new} is on trial.",
    }[found]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
