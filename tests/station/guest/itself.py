"""The stage judges itself: a small service that does right passes, and each planted fault is found."""

from __future__ import annotations

from collections.abc import Callable

from tests.station.guest import lanes
from tests.station.guest.machine import Failed, Machine
from tests.station.guest.stage import wait_until_up
from tests.station.guest.subject import LITTLE_FOLDER, Little, must_get_ready, must_keep

SEED = 7


def honest(machine: Machine, times: int) -> str:
    """A service that does right: started with the machine, killed, stopped, cut."""
    little = Little("honest")
    machine.boot()
    wait_until_up(machine)
    little.install(machine)
    machine.must("systemctl", "start", little.unit)
    found = [lanes.killed(little, machine), lanes.stopped(little, machine)]
    found.append(lanes.cuts(little, machine, times, SEED))
    return "a small service: " + "; ".join(found)


def planted(machine: Machine) -> str:
    """Three planted faults: a service that never gets ready, one that tells what it has not recorded, and a record that
    loses its last entries behind the service's back."""
    machine.boot()
    mute, forgetful, honest = Little("mute", ready_within_s=15.0), Little("forgetful"), Little("honest")
    mute.install(machine)
    machine.must("systemctl", "start", "--no-block", mute.unit)
    first = goes_red(lambda: must_get_ready(mute, machine), "is not ready after")
    forgetful.install(machine)
    machine.must("systemctl", "restart", forgetful.unit)
    second = goes_red(lambda: lanes.cuts(forgetful, machine, 2, SEED), "told but lost")
    machine.shell(f"systemctl stop {honest.unit}; rm -f {LITTLE_FOLDER}/entries")
    machine.told.clear()
    honest.install(machine)
    machine.must("systemctl", "restart", honest.unit)
    lanes.works(honest, machine)
    machine.shell(f"systemctl stop {honest.unit}; truncate -s -100 {LITTLE_FOLDER}/entries")
    third = goes_red(lambda: must_keep(honest, machine), "told but lost")
    return f"planted faults are found: {first}; {second}; {third}"


def goes_red(check: Callable[[], object], words: str) -> str:
    """Check that a check fails, with these words. Returns its sentence. Raises Failed if it passes."""
    try:
        check()
    except Failed as failure:
        if words not in str(failure):
            raise
        return str(failure).splitlines()[0]
    raise Failed(f"a planted fault was not found: nothing said {words!r}")
