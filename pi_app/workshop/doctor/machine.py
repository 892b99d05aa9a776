"""What the doctor asks of the machine itself: which Pi it is, its power, its groups, its disk, its date, and the
pitfalls of its kernel and its libraries.

Nothing here touches a wire. Everything is read below `Host.root`, so that a test can show it another machine.
Facts: Raspberry Pi documentation (config.txt, get_throttled), linux i2c and gpio sysfs, systemd-timesyncd(8).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from hardware.host import Host, has_rp1, named
from pi_app.plans.check import Check, Sign
from pi_app.play import power as power_now
from pi_app.play.power import Date


def examine_machine(host: Host) -> Iterator[Check]:
    """Which machine this is, whether it has enough power, and who may use its wires."""
    yield board(host)
    yield from kernel(host)
    yield from power(host)
    yield from heat(host)
    yield from priority(host)
    yield from groups(host)
    yield from libraries(host)
    yield from date(host)


def board(host: Host) -> Check:
    """The model of the Pi, from the device tree, or from /proc/cpuinfo on old systems."""
    model = host.model()
    if model:
        return Check(Sign.GOOD, "machine", "this one", model)
    other = host.text("proc/device-tree/model") or named(host.text("proc/cpuinfo"), "model name") or "not known"
    return Check(
        Sign.UNSURE,
        "machine",
        "this one",
        f"is no Raspberry Pi ({other})",
        "Run this on the Pi that the wires hang on, or say --simulated.",
    )


SOUND_RP1_KERNEL: Final = (6, 6, 28)
"""Of April 2024: before it a Pi 5's I2C could hang until the power was cut (raspberrypi/linux#5784, #6091)."""


def kernel(host: Host) -> Iterator[Check]:
    """A Pi 5 with a kernel whose I2C could hang. Nothing is said of any other."""
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
            "sudo apt full-upgrade, then start the Pi again.",
        )


# -------------------------------------------------------------------------------------------------------- power


def power(host: Host) -> Iterator[Check]:
    """Under-voltage and throttling, now and since the start: all that get_throttled and the kernel's own watch of the
    supply tell. Says nothing on a machine that does not tell."""
    bits, dips = power_now.throttled(host), power_now.supply_dips(host)
    if bits is None and dips is None:
        return
    said = list(_bits(bits or 0, dips=bool(dips)))
    yield from said
    if not any(check.part == "power" for check in said):
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
    """How warm the processor is. Says nothing on a machine that does not tell."""
    degrees = power_now.temperature_c(host)
    if degrees is None:
        return
    part, place, seen = "temperature", "the Pi's processor", f"{degrees} degrees Celsius"
    if degrees < power_now.HOT_C:
        yield Check(Sign.GOOD, part, place, seen)
    else:
        yield Check(Sign.UNSURE, part, place, f"{seen}: every Pi slows itself down there", power_now.HOT.advice)


HOW_TO_BE_FIRST: Final = (
    "If the referee reads that dials are read late, run play as a service: wiring_docs/service.md has its unit, with "
    "CPUSchedulingPolicy=fifo and LimitMEMLOCK=infinity."
)
TOO_HIGH: Final = 50
"""From here on a program goes before the kernel's own interrupt threads, and so before the bus that it waits for."""


def priority(host: Host) -> Iterator[Check]:
    """Whether `play`, started from here, goes before other programs, and may keep its memory. An ordinary priority is
    well where nothing else runs."""
    granted = host.real_time()
    if granted is None:
        return
    part, place = "priority", "play, started from here"
    memory = "its memory may be locked" if granted.locks else "its memory may not be locked"
    if granted.priority >= TOO_HIGH:
        seen = f"real-time {granted.priority}: before the kernel's own I2C and pins; {memory}"
        yield Check(Sign.UNSURE, part, place, seen, "Take CPUSchedulingPriority=10.")
    elif granted.priority:
        yield Check(Sign.GOOD, part, place, f"real-time {granted.priority}; {memory}")
    else:
        most = f"up to {granted.most} may be asked for" if granted.most else "no more may be asked for"
        yield Check(Sign.GOOD, part, place, f"ordinary, {most}; {memory}", HOW_TO_BE_FIRST)


# ------------------------------------------------------------------------------------------------------- groups


def groups(host: Host) -> Iterator[Check]:
    """Whether this user is in the groups that may use the wires and the pins, and whether this login knows it."""
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
    """Of a group that only some tables need."""
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
            f"{who} is in it, but this login does not know it yet",
            "Log out and in again, or start the Pi again.",
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
    """Versions of the libraries under the wires that are known to fail, and where lgpio may put its pipe."""
    yield from _lgpio(host)
    yield from _gpiozero(host)
    smbus2 = host.version("smbus2")
    if smbus2 and host.python >= (3, 14) and _numbers(smbus2) < (0, 6):
        yield Check(
            Sign.FAILS,
            "library smbus2",
            f"version {smbus2}",
            f"ends with a buffer overflow on Python {host.python[0]}.{host.python[1]}",
            "make install, or pip install --upgrade smbus2: 0.6 is the first that does not.",
        )


def _lgpio(host: Host) -> Iterator[Check]:
    size, python = host.module_bytes("lgpio"), f"Python {host.python[0]}.{host.python[1]}"
    if size is None:
        yield Check(Sign.FAILS, "library lgpio", python, "is not there", TAKE_LGPIO)
    elif size == 0:
        yield Check(Sign.FAILS, "library lgpio", python, "is an empty file (a wheel of version 0.0.0.2)", TAKE_LGPIO)


TAKE_LGPIO: Final = (
    "Install lgpio from the system: `sudo apt install python3-lgpio`, and make the virtual environment with "
    "`python3 -m venv --system-site-packages`."
)


def _gpiozero(host: Host) -> Iterator[Check]:
    version = host.version("gpiozero")
    place = f"version {version}"
    newer = "make install, or pip install --upgrade gpiozero: 2.0.1.post3 is the first with the fix."
    if version in ("2.0.1.post1", "2.0.1.post2"):
        yield Check(Sign.FAILS, "library gpiozero", place, "does not know a Pi 5 for what it is", newer)
    elif version and _numbers(version) < (2, 0, 1, 3):
        yield Check(Sign.FAILS, "library gpiozero", place, "looks for a Pi 5's pins in the wrong place", newer)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


# -------------------------------------------------------------------------------------------------- date and disk


def date(host: Host) -> Iterator[Check]:
    """Whether the date can be believed. Says nothing where nobody tells."""
    part, place = "clock", "the date"
    advice = "Connect it once, or set the date: a journal's order is right all the same, its dates are not."
    match power_now.date(host):
        case Date.SET:
            yield Check(Sign.GOOD, part, place, "was set by the network")
        case Date.KEPT:
            yield Check(Sign.GOOD, part, place, "was kept by a clock chip")
        case Date.UNSET:
            yield Check(Sign.UNSURE, part, place, "was not set by the network since the Pi was started", advice)
        case Date.WRONG:
            yield Check(Sign.FAILS, part, place, "is surely wrong: this program is younger", advice)
        case Date.UNKNOWN:
            pass


def disk(host: Host, folder: Path) -> Check:
    """Whether the journal's folder is there, may be written, and has room."""
    part, place = "disk", f"folder of the journal, {folder}"
    if not folder.is_dir():
        return Check(Sign.FAILS, part, place, "is not there", "Make it, or name another journal in the settings.")
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
            "may not be written by this user",
            "Change its owner with chown, or name another journal in the settings.",
        )
    seen = f"{room.free_bytes / 1e9:.1f} GB free of {room.total_bytes / 1e9:.1f} GB"
    left = f"{seen}, room for some {room.events} events"
    if room.events < power_now.HARDLY_ANY_EVENTS:
        return Check(
            Sign.FAILS, part, place, f"is full: {left}", "Make room: an event that cannot be written is not played."
        )
    if room.events < power_now.FEW_EVENTS:
        return Check(Sign.UNSURE, part, place, f"is nearly full: {left}", "Make room before the next game.")
    return Check(Sign.GOOD, part, place, seen)
