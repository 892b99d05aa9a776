"""The scenes of the real package: installed, started, played, killed, stopped, cut, a full disk, updated, removed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pi_app.station.troubles.troubles import StationTrouble
from pi_app.station.updates.minisign import SUFFIX
from tests.programs import ran
from tests.station.guest import lanes
from tests.station.guest.itself import goes_red
from tests.station.guest.machine import Failed, Machine, Told
from tests.station.guest.stage import wait_until_up
from tests.station.guest.station import (
    DROP_IN,
    INTERRUPTED,
    PAGES,
    SQUARES,
    STATE,
    UNIT,
    Robot,
    Station,
    copied,
    faces_in,
    must_be_installed,
    people_see,
    unsound,
)
from tests.station.guest.subject import must_get_ready, must_keep
from tests.station.guest.unit import show

INSTALLED_S: Final = 60.0
QUIET_S: Final = 20.0
FULL_S: Final = 30.0
FULL_SENTENCE: Final = StationTrouble.DISK_FULL.value.seen
FULL_CODE: Final = StationTrouble.DISK_FULL.code
SEED: Final = 20
QUICK_S: Final = 0.4
"""Between two lines that hands type where the plug is pulled soon: a visitor sees a face within a few seconds."""
STARTS: Final = 3
ARMED: Final = "Watchdog running with a hardware timeout of 14s"
"""What systemd says once the machine's watchdog counts; here it is the kernel's softdog."""
DAY_S: Final = 86_400
STATE_MB: Final = 128
CLOCKS: Final = {"1970": "@86400", "2099": "2099-06-01 12:00"}
FACES_S: Final = 240.0
UPDATED_S: Final = 600.0
"""An update is ready within 60 s and confirmed 60 s later; a machine that is busy takes longer."""

PHONES: Final = """
printf '\\n[pages]\\naddress = "127.0.0.1"\\n' >> /etc/trapdial/trapdial.toml; trapdial station install
"""
"""The owner adds phones, and installs again. The guest has no network, so only the guest itself can open the pages."""
LEFT: Final = ("/etc/trapdial", STATE)
"""What a removal leaves: settings and data."""


def installed(machine: Machine, package: Path) -> str:
    """One command, no network, no compiler; the station is ready by itself, and plays."""
    station = Station()
    machine.boot()
    wait_until_up(machine)
    station.simulate(machine)
    took = must_be_installed(machine, package)
    said = f"installed with one command in {took}"
    if took.own_s > INSTALLED_S:
        raise Failed(f"{said}; {INSTALLED_S:g} s is the limit")
    must_get_ready(station, machine)
    machine.shell(PHONES, seconds=200)
    _until(lambda: show(machine, PAGES).is_ready, f"{PAGES} is ready", seconds=station.ready_within_s)
    must_get_ready(station, machine)
    machine.shell("sync")
    machine.off()
    return f"{said} (limit {INSTALLED_S:g} s), then ready"


def started(machine: Machine) -> str:
    """Switched on: our share, play with a robot, no restart without a fault, the machine's watchdog, a stop."""
    station = Station()
    found = [_quick_start(station, machine)]
    with Robot(machine):
        found.append(_plays(machine))
        found.append(lanes.quiet(station, machine, QUIET_S))
    must_keep(station, machine)
    found.append(machine.must("journalctl", "-b", "-q", "-o", "cat", "-g", ARMED).strip())
    machine.must("systemctl", "stop", UNIT, PAGES)  # in good order: no unit has failed then
    failed = machine.run("systemctl", "--failed", "--plain", "--no-legend").out.split("\n")[0].split(" ")[0]
    if failed:
        raise Failed(f"{failed} has failed: {machine.run('journalctl', '-b', '-u', failed, '-n', '20').out[-1500:]}")
    return "; ".join(found)


def _quick_start(station: Station, machine: Machine) -> str:
    """Switch it on, and again if it was slow: what else this machine does only ever adds to what a start needs, since
    programs that take turns on a processor spoil each other's caches."""
    slow: list[str] = []
    for _ in range(STARTS):
        machine.boot()
        must_get_ready(station, machine)
        wait_until_up(machine)
        try:
            return "; ".join([*slow, lanes.share(station, machine)])
        except Failed as failure:
            slow.append(str(failure))
            machine.off()
    raise Failed("; ".join(slow))


def _plays(machine: Machine) -> str:
    """Wait until the robot has seen a face. Raises Failed."""
    deadline_s = time.monotonic() + FACES_S
    while not faces_in(machine.told):
        if time.monotonic() > deadline_s:
            last = "\n".join(line.text for line in machine.told[-10:])
            raise Failed(f"the robot saw no face within {FACES_S:g} s; the last lines told:\n{last}")
        time.sleep(0.2)
    return "a robot plays and sees faces"


def faulty(machine: Machine) -> str:
    """Each process killed, each stopped."""
    station = Station()
    machine.boot()
    must_get_ready(station, machine)
    units = [unit for unit in (UNIT, PAGES) if show(machine, unit).main_pid]
    with Robot(machine):
        _plays(machine)
        found = [lanes.killed(station, machine, unit) for unit in units]
        found += [lanes.stopped(station, machine, unit) for unit in units]
    return "; ".join(found)


def cut(machine: Machine, times: int) -> str:
    station = Station()
    machine.boot()
    with Robot(machine, QUICK_S):
        found = lanes.cuts(station, machine, times, SEED)
    interrupted = sum(INTERRUPTED in line.text for line in machine.told)
    return f"{found}; {_faces(machine)} faces seen, {interrupted} interrupted games said"


def briefly(machine: Machine, times: int) -> str:
    """What a change may break first, in one guest: its start, play, a restart, a planted fault, some power cuts."""
    station = Station()
    found = [_quick_start(station, machine)]
    with Robot(machine):
        found += [_plays(machine), lanes.killed(station, machine)]
        found += [_finds_a_lost_face(station, machine), lanes.cuts(station, machine, times, SEED)]
    return "; ".join(found)


def _finds_a_lost_face(station: Station, machine: Machine) -> str:
    """A planted fault: a face that no record has, told as the others were."""
    face = next(line for line in machine.told if faces_in([line]))
    told = [*machine.told, *[Told(face.at_s, face.text.replace(SQUARES[0], "T99").replace(SQUARES[1], "T99"))]]
    trouble = station.lost(machine, told)
    if trouble is None or "T99" not in trouble:
        raise Failed(f"a planted fault was not found: a face that is in no record gave {trouble!r}")
    return f"a planted fault is found: {trouble}"


def planted(machine: Machine) -> str:
    """Two planted faults: a record from which the last entries have gone, and a station that never gets ready."""
    station = Station()
    machine.boot()
    must_get_ready(station, machine)
    machine.shell(f"cp -a {STATE} /var/lib/earlier")
    with Robot(machine):
        _plays(machine)
    machine.shell(f"systemctl stop {UNIT}; rm -rf {STATE}; mv /var/lib/earlier {STATE}")
    first = goes_red(lambda: must_keep(station, machine), "told but lost")
    station.simulate(machine, "sleep 3600; ")
    machine.must("systemctl", "--no-block", "start", UNIT)
    never = Station(ready_within_s=20.0)
    second = goes_red(lambda: must_get_ready(never, machine), "is not ready after")
    return f"planted faults are found: {first}; {second}"


def full_disk(machine: Machine) -> str:
    """No byte left: no restart, and people read of it; with room again the station plays on, and says nothing of it."""
    station = Station()
    machine.boot()
    must_get_ready(station, machine)
    with Robot(machine):
        _plays(machine)
        before = show(machine, UNIT)
        machine.run("sh", "-c", "fallocate -l $(($(stat -f -c '%f*%S' /))) /var/fill; cat /dev/zero > /var/fill2")
        _until(lambda: _says_full(machine), "the display and the status page say that the card is full", FACES_S)
        said = people_see(machine)
        time.sleep(FULL_S)
        during = show(machine, UNIT)
        machine.shell("rm -f /var/fill /var/fill2")
        lanes.works(station, machine)
        faces = _faces(machine)
        _until(lambda: _faces(machine) > faces, "the station plays on when the disk has room again", FACES_S)
        _until(lambda: not _says_full(machine), "nobody reads of a full card any more", FACES_S)
        after = show(machine, UNIT)
    must_keep(station, machine)
    if not before.main_pid == during.main_pid == after.main_pid:
        raise Failed(f"the station was restarted because the disk was full: {after.restarts} restarts")
    return f"a full disk: no restart in {FULL_S:g} s, people read {said}; with room again it plays on"


def _says_full(machine: Machine) -> bool:
    """Whether both the display for passers-by and the status page say that the card is full."""
    seen = people_see(machine)
    return FULL_SENTENCE in seen.sentence and FULL_CODE in seen.troubles


def _faces(machine: Machine) -> int:
    return sum(faces_in(machine.told).values())


def read_only(machine: Machine) -> str:
    """The root read-only, the state folder on a disk of its own."""
    station = Station()
    disk = machine.disks.root.with_name("state.img")
    with disk.open("wb") as file:
        file.truncate(STATE_MB << 20)
    ran(["mke2fs", "-q", "-t", "ext4", str(disk)])
    machine.boot(f"ubd2={disk}")
    must_get_ready(station, machine)
    machine.shell(
        f"systemctl stop {UNIT}; mount /dev/ubdc /mnt; cp -a {STATE}/. /mnt/; "
        f"chown --reference={STATE} /mnt; chmod --reference={STATE} /mnt; umount /mnt; "
        f"sed -i '1s/rw,/ro,/' /etc/fstab; echo '/dev/ubdc {STATE} ext4 rw 0 0' >> /etc/fstab; sync"
    )
    machine.off()
    machine.boot(f"ubd2={disk}")
    must_get_ready(station, machine)
    if machine.run("touch", "/usr/stage").code == 0:
        raise Failed("the root is not read-only, so this proves nothing")
    with Robot(machine):
        said = _plays(machine)
    must_keep(station, machine)
    return f"a read-only root: ready, {said}"


def clocks(machine: Machine) -> str:
    """The clock is wrong, leaps to and fro in play, and is wrong at a start."""
    station = Station()
    machine.boot()
    pid = must_get_ready(station, machine)
    with Robot(machine):
        for setting in (*CLOCKS.values(), f"+{DAY_S} seconds", f"-{2 * DAY_S} seconds"):
            machine.must("date", "-s", setting)
            lanes.works(station, machine)
        if must_get_ready(station, machine) != pid:
            raise Failed("the station was restarted because the clock leapt")
        for setting in CLOCKS.values():
            machine.must("date", "-s", setting)
            machine.must("systemctl", "restart", UNIT, seconds=300)
            lanes.works(station, machine)
            must_keep(station, machine)
    return f"clock {', '.join(CLOCKS)} and leaps of days: no restart in play, and ready from each"


def updated(machine: Machine, newer: Path) -> str:
    """An update that does not get ready goes back by itself; one that does is confirmed."""
    station = Station()
    machine.boot()
    must_get_ready(station, machine)
    for file in (newer, newer.with_name(newer.name + SUFFIX)):
        shutil.copyfile(file, machine.share / file.name)
    first = _slot(machine, "current")
    station.simulate(machine, f"test $$(readlink /opt/trapdial/current) = {first} || exit 1; ")
    machine.must("trapdial", "station", "update", f"/host/{newer.name}", seconds=900)
    _until(lambda: _slot(machine, "current") == first, "the update that fails went back")
    must_get_ready(station, machine)
    must_keep(station, machine)
    station.simulate(machine)
    machine.must("trapdial", "station", "update", f"/host/{newer.name}", seconds=900)
    _until(lambda: _slot(machine, "confirmed") != first, "the update was confirmed")
    must_get_ready(station, machine)
    must_keep(station, machine)
    if _slot(machine, "current") == first:
        raise Failed("an update that gets ready went back")
    return "an update that does not get ready goes back by itself; one that does is confirmed"


def _slot(machine: Machine, link: str) -> str:
    return machine.must("readlink", f"/opt/trapdial/{link}").strip()


def _until(condition: Callable[[], bool], what: str, seconds: float = UPDATED_S) -> None:
    """Wait for something. Raises Failed."""
    deadline_s = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline_s:
            raise Failed(f"not within {seconds:g} s: {what}")
        time.sleep(1.0)


def removed(machine: Machine) -> str:
    """One command takes all of it away but settings and data."""
    station = Station()
    machine.boot()
    must_get_ready(station, machine)
    with Robot(machine):
        _plays(machine)
    machine.shell(f"rm -r {DROP_IN} {Path(DROP_IN).parent}; apt-get remove -y -q trapdial", seconds=600)
    left = machine.shell(
        "systemctl list-unit-files --no-legend 'trapdial*' || true; "
        "ls -d /opt/trapdial /usr/bin/trapdial 2>/dev/null || true; "
        "find /etc /usr /var/lib -xdev -name '*trapdial*' -not -path '/etc/trapdial*' "
        f"-not -path '/var/lib/dpkg/*' -not -path '{STATE}*'"
    ).split()
    if left:
        raise Failed(f"a removal leaves {', '.join(left)}")
    for folder in LEFT:
        machine.must("test", "-d", folder)
    if trouble := unsound(copied(machine), ()):
        raise Failed(f"after the removal {trouble}")
    return f"removed with one command; only {' and '.join(LEFT)} are left, and the record is whole"
