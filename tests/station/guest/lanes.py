"""What is done to a service in a guest, and what must be true afterwards. Each lane returns what it found, as a
sentence, or raises Failed."""

from __future__ import annotations

import random
import time
from typing import Final

from tests.station.guest.machine import Failed, Machine
from tests.station.guest.subject import Subject, must_get_ready, must_keep, must_start_well
from tests.station.guest.unit import begins_s, found_stopped_s, pause_s, show, signal_at, until_ready

CURED_S: Final = 15.0
SHARE_S: Final = 3.0
WORKS_S: Final = (0.3, 6.0)
"""For so long a service works before it is cut."""
AT_START: Final = 0.2
"""This part of the cuts is followed by another one, in the middle of the start after it."""
STARTED_S: Final = (0.0, 4.0)
"""So long after the first services of the guest."""
PATIENCE_S: Final = 180.0


def share(subject: Subject, machine: Machine) -> str:
    """From multi-user's beginning to READY. Raises Failed if the guest needs longer for it than is allowed."""
    now = until_ready(machine, subject.unit, subject.ready_within_s)
    needed, program = machine.need(begins_s(machine), now.ready_s), machine.need(now.begun_s, now.ready_s)
    said = f"READY after multi-user begins: {needed}; of that, the program: {program}"
    if needed.own_s > SHARE_S:
        raise Failed(f"{said}; {SHARE_S:g} s is the limit")
    return f"{said} (limit {SHARE_S:g} s)"


def works(subject: Subject, machine: Machine, seconds: float = PATIENCE_S) -> str:
    """Wait until the service tells something new. Raises Failed."""
    before = subject.newest(machine.told)
    deadline_s = time.monotonic() + seconds
    while subject.newest(machine.told) == before:
        if time.monotonic() > deadline_s:
            raise Failed(f"{subject.unit} told nothing new within {seconds:g} s (last: {before or 'nothing'})")
        time.sleep(0.05)
    return f"it tells {subject.newest(machine.told)}"


def killed(subject: Subject, machine: Machine, unit: str = "") -> str:
    """kill -9 of the main process of a unit: ready again by itself, and nothing told is lost."""
    unit = unit or subject.unit
    old = until_ready(machine, unit, subject.ready_within_s)
    at_s = signal_at(machine, old.main_pid, "KILL")
    now = until_ready(machine, unit, subject.ready_within_s, not_pid=old.main_pid)
    must_get_ready(subject, machine)
    must_keep(subject, machine)
    works(subject, machine)
    return f"{unit} ready again {now.ready_s - at_s:.1f} s after kill -9, nothing told is lost"


def stopped(subject: Subject, machine: Machine, unit: str = "") -> str:
    """SIGSTOP of the main process of a unit: a watchdog finds it."""
    unit = unit or subject.unit
    old = until_ready(machine, unit, subject.ready_within_s)
    at_s = signal_at(machine, old.main_pid, "STOP")
    now = until_ready(machine, unit, CURED_S + subject.ready_within_s, not_pid=old.main_pid)
    found_s, start = found_stopped_s(machine, unit) - at_s, machine.need(now.started_s, now.ready_s)
    cured_s = found_s + pause_s(machine, unit) + start.own_s
    said = f"{cured_s:.1f} s after SIGSTOP: found after {found_s:.1f} s, a pause, a start of {start}"
    if cured_s > CURED_S:
        raise Failed(f"{unit} was ready again {said}; {CURED_S:g} s is the limit")
    must_get_ready(subject, machine)
    must_keep(subject, machine)
    works(subject, machine)
    return f"{unit} ready again {said} (limit {CURED_S:g} s), nothing told is lost"


def cut(subject: Subject, machine: Machine, chance: random.Random) -> str:
    """One power cut at any moment, perhaps another one while it starts: ready again by itself, and nothing told is
    lost."""
    time.sleep(chance.uniform(*WORKS_S))
    machine.cut()
    last, since = subject.newest(machine.told), len(machine.told)
    machine.boot()
    if chance.random() < AT_START:
        time.sleep(chance.uniform(*STARTED_S))
        machine.cut()
        machine.boot()
    must_get_ready(subject, machine)
    must_keep(subject, machine)
    must_start_well(subject, machine, since)
    return last


def cuts(subject: Subject, machine: Machine, times: int, seed: int) -> str:
    """Power cuts in a row, some soon after READY, some in play, some in the middle of a start."""
    chance = random.Random(seed)
    must_get_ready(subject, machine)
    works(subject, machine)
    lasts = []
    for number in range(times):
        try:
            lasts.append(cut(subject, machine, chance))
        except Failed as failure:
            raise Failed(f"cut {number + 1} of {times} (seed {seed}): {failure}") from failure
    if not machine.disks_are_whole():
        raise Failed("the root's file system is damaged after the cuts")
    return f"{times} power cuts: ready again by itself each time, nothing told is lost (last told: {lasts[-1]})"


def quiet(subject: Subject, machine: Machine, seconds: float) -> str:
    """Without a fault nothing is restarted."""
    before = show(machine, subject.unit)
    time.sleep(seconds)
    after = show(machine, subject.unit)
    if (before.main_pid, before.restarts) != (after.main_pid, after.restarts) or not after.is_ready:
        raise Failed(f"{subject.unit} was restarted without a fault")
    return f"no restart in {seconds:g} s without a fault"
