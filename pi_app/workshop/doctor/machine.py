"""Checks the machine itself: its model, power, groups, disk and date, and known faults of its kernel and libraries.

Nothing here touches a wire. Everything is read below `Host.root`, so that a test can pose as another machine.
Facts: Raspberry Pi documentation (config.txt, get_throttled), linux i2c and gpio sysfs, systemd-timesyncd(8).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from hardware.host import Host, has_rp1, named, pip, take_lgpio
from pi_app.plans.check import Check, Sign
from pi_app.play import power as power_now
from pi_app.play.power import Date


def examine_machine(host: Host) -> Iterator[Check]:
    """Check the model, its power, and the permissions for its wires."""
    yield board(host)
    yield from kernel(host)
    yield from power(host)
    yield from heat(host)
    yield from priority(host)
    yield from groups(host)
    yield from libraries(host)
    yield from date(host)


def board(host: Host) -> Check:
    """Check the model of the Pi, from the device tree, or from /proc/cpuinfo on old systems."""
    model = host.model()
    if model:
        return Check(Sign.GOOD, "machine", "this one", model)
    other = host.text("proc/device-tree/model") or named(host.text("proc/cpuinfo"), "model name") or "unknown"
    return Check(
        Sign.UNSURE,
        "machine",
        "this one",
        f"is not a Raspberry Pi ({other})",
        "Run this on the Pi with the wires, or use --simulated.",
    )


SOUND_RP1_KERNEL: Final = (6, 6, 28)
"""Of April 2024: before it a Pi 5's I2C could hang until the power was cut (raspberrypi/linux#5784, #6091)."""


def kernel(host: Host) -> Iterator[Check]:
    """Report a Pi 5 with a kernel whose I2C can hang."""
    release = host.text("proc/sys/kernel/osrelease")
    numbers = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", release)
    if numbers is None or not has_rp1(host):
        return
    if tuple(int(number or 0) for number in numbers.groups()) < SOUND_RP1_KERNEL:
        yield Check(
            Sign.UNSURE,
            "kernel",
            "this Pi 5",
            f"is {release}, from before April 2024: its I2C can hang until the power is cut",
            "sudo apt full-upgrade, then reboot.",
        )


# -------------------------------------------------------------------------------------------------------- power


def power(host: Host) -> Iterator[Check]:
    """Check for under-voltage and throttling, now and since the start, by get_throttled and the kernel's monitor of the
    supply. Report nothing on a machine without either."""
    bits, dips = power_now.throttled(host), power_now.supply_dips(host)
    if bits is None and dips is None:
        return
    found = list(_bits(bits or 0, dips=bool(dips)))
    yield from found
    if not any(check.part == "power" for check in found):
        seen = "not too low now" if bits is None else "never too low since the Pi was started"
        yield Check(Sign.GOOD, "power", "the Pi's supply", seen)


def _bits(bits: int, *, dips: bool) -> Iterator[Check]:
    for bit in power_now.BITS:
        is_supply = bit.number == 0
        if bit.is_now(bits) or (is_supply and dips):
            yield Check(Sign.FAILS if is_supply else Sign.UNSURE, bit.part, bit.place, bit.now, bit.advice)
        elif bit.was_before(bits):
            yield Check(Sign.UNSURE, bit.part, bit.place, bit.before, bit.advice)


def heat(host: Host) -> Iterator[Check]:
    """Check the processor's temperature. Report nothing on a machine without a sensor."""
    degrees = power_now.temperature_c(host)
    if degrees is None:
        return
    part, place, seen = "temperature", "the Pi's processor", f"{degrees} degrees Celsius"
    if degrees < power_now.HOT_C:
        yield Check(Sign.GOOD, part, place, seen)
    else:
        yield Check(Sign.UNSURE, part, place, f"{seen}: every Pi throttles itself there", power_now.HOT.advice)


HOW_TO_BE_FIRST: Final = (
    "If the referee is told that dials are read late, run play as a service: `trapdial docs service` has its unit, "
    "with CPUSchedulingPolicy=fifo and LimitMEMLOCK=infinity."
)
TOO_HIGH: Final = 50
"""From here on a program runs before the kernel's own interrupt threads, and so before the bus that it waits for."""


def priority(host: Host) -> Iterator[Check]:
    """Check whether `play`, started from here, runs before other programs and can lock its memory. An ordinary priority
    is fine where nothing else runs."""
    granted = host.real_time()
    if granted is None:
        return
    part, place = "priority", "play, started from here"
    memory = "its memory can be locked" if granted.locks else "its memory cannot be locked"
    if granted.priority >= TOO_HIGH:
        seen = f"real-time {granted.priority}: before the kernel's own I2C and pins; {memory}"
        yield Check(Sign.UNSURE, part, place, seen, "Use CPUSchedulingPriority=10.")
    elif granted.priority:
        yield Check(Sign.GOOD, part, place, f"real-time {granted.priority}; {memory}")
    else:
        most = f"up to {granted.most} is allowed" if granted.most else "no higher one is allowed"
        yield Check(Sign.GOOD, part, place, f"ordinary, {most}; {memory}", HOW_TO_BE_FIRST)


# ------------------------------------------------------------------------------------------------------- groups


def groups(host: Host) -> Iterator[Check]:
    """Check that this user, and this login, is in the groups that may use the wires and the pins."""
    if host.user_id == 0:
        return
    known = dict(_groups(host.text("etc/group")))
    for name, what in (("i2c", "the I2C buses"), ("gpio", "the pins")):
        if name in known:
            yield _group(host, name, what, *known[name])
    for name, what in (("dialout", "a hub's USB cable"), ("spi", "parts on SPI")):
        if name in known:
            yield _spare_group(_group(host, name, what, *known[name]))


def _spare_group(check: Check) -> Check:
    """Weaken the check of a group that only some tables need."""
    if check.sign is Sign.GOOD:
        return check
    return replace(check, sign=Sign.UNSURE, advice=f"Only if this table has {check.place}: {check.advice}")


def _groups(text: str) -> Iterator[tuple[str, tuple[int, Sequence[str]]]]:
    for line in text.splitlines():
        fields = line.split(":")
        if len(fields) == 4 and fields[2].isdigit():
            yield fields[0], (int(fields[2]), fields[3].split(","))


def _group(host: Host, name: str, what: str, number: int, members: Sequence[str]) -> Check:
    who = f"user {host.user}" if host.user else "this user"
    if number in host.group_ids:
        return Check(Sign.GOOD, f"group {name}", what, f"{who} is in it")
    if host.user and host.user in members:
        return Check(
            Sign.FAILS,
            f"group {name}",
            what,
            f"{who} was added to it after this login",
            "Log out and in again, or reboot.",
        )
    return Check(
        Sign.FAILS,
        f"group {name}",
        what,
        f"{who} is not in it",
        f"sudo usermod -aG {name} {host.user or '$USER'}, then log in again.",
    )


# ---------------------------------------------------------------------------------------------------- libraries


def libraries(host: Host) -> Iterator[Check]:
    """Check for library versions that are known to fail."""
    yield from _lgpio(host)
    yield from _gpiozero(host)
    smbus2 = host.version("smbus2")
    if smbus2 and host.python >= (3, 14) and _numbers(smbus2) < (0, 6):
        yield Check(
            Sign.FAILS,
            "library smbus2",
            f"version {smbus2}",
            f"crashes with a buffer overflow on Python {host.python[0]}.{host.python[1]}",
            f"Type `{pip(host.environment)} install --upgrade smbus2`: 0.6 is the first that works.",
        )


def _lgpio(host: Host) -> Iterator[Check]:
    size, python = host.module_bytes("lgpio"), f"Python {host.python[0]}.{host.python[1]}"
    if size is None:
        yield Check(Sign.FAILS, "library lgpio", python, "is not installed", take_lgpio(host.environment))
    elif size == 0:
        seen = "is an empty file (a wheel of version 0.0.0.2)"
        yield Check(Sign.FAILS, "library lgpio", python, seen, take_lgpio(host.environment, empty=True))


def _gpiozero(host: Host) -> Iterator[Check]:
    version = host.version("gpiozero")
    place = f"version {version}"
    newer = f"Type `{pip(host.environment)} install --upgrade gpiozero`: 2.0.1.post3 is the first with the fix."
    if version in ("2.0.1.post1", "2.0.1.post2"):
        yield Check(Sign.FAILS, "library gpiozero", place, "does not recognise a Pi 5", newer)
    elif version and _numbers(version) < (2, 0, 1, 3):
        yield Check(Sign.FAILS, "library gpiozero", place, "searches for a Pi 5's pins in the wrong place", newer)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


# -------------------------------------------------------------------------------------------------- date and disk


def date(host: Host) -> Iterator[Check]:
    """Check whether the date can be trusted. Report nothing where that is unknown."""
    part, place = "clock", "the date"
    advice = "Connect it to a network once, or set the date: a journal keeps its order, but not its dates."
    match power_now.date(host):
        case Date.SET:
            yield Check(Sign.GOOD, part, place, "was set by the network")
        case Date.KEPT:
            yield Check(Sign.GOOD, part, place, "was kept by a clock chip")
        case Date.UNSET:
            yield Check(Sign.UNSURE, part, place, "was not set by the network since the Pi was started", advice)
        case Date.WRONG:
            yield Check(Sign.FAILS, part, place, "is wrong: before this program's release, or decades later", advice)
        case Date.UNKNOWN:
            pass


def disk(host: Host, folder: Path) -> Check:
    """Check that the journal's folder exists, is writable, and has free space."""
    part, place = "disk", f"folder of the journal, {folder}"
    if not folder.is_dir():
        return Check(Sign.FAILS, part, place, "does not exist", "Create it, or name another journal in the settings.")
    room = power_now.disk_space(host, folder)
    if room is None:
        return Check(Sign.FAILS, part, place, power_now.GONE.seen, power_now.GONE.advice)
    if room.read_only:
        return Check(Sign.FAILS, part, place, power_now.READ_ONLY.seen, power_now.READ_ONLY.advice)
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            Sign.FAILS,
            part,
            place,
            "is not writable for this user",
            "Change its owner with chown, or name another journal in the settings.",
        )
    seen = f"{room.free_bytes / 1e9:.1f} GB free of {room.total_bytes / 1e9:.1f} GB"
    left = f"{seen}, room for some {room.events} events"
    if room.events < power_now.HARDLY_ANY_EVENTS:
        return Check(
            Sign.FAILS,
            part,
            place,
            f"is full: {left}",
            "Free some space: an event that cannot be written is not played.",
        )
    if room.events < power_now.FEW_EVENTS:
        return Check(Sign.UNSURE, part, place, f"is nearly full: {left}", "Free some space before the next game.")
    return Check(Sign.GOOD, part, place, seen)
