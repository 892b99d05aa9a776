"""What the doctor asks of the machine itself: which Pi it is, its power, its groups, its disk, its date.

Nothing here touches a wire. Everything is read below `Host.root`, so that a test can show it another machine.
Facts: `vcgencmd get_throttled` (Raspberry Pi documentation), linux i2c sysfs, systemd-timesyncd(8).
"""

from __future__ import annotations

import enum
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final


class Sign(enum.Enum):
    """How a part is, in a sign that needs no colour."""

    GOOD = "ok"
    FAILS = "!!"
    UNSURE = "??"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor: a part, where it is, what was seen, and what to try (empty if nothing)."""

    sign: Sign
    part: str
    place: str
    seen: str
    advice: str = ""

    def __str__(self) -> str:
        line = f"{self.sign.value}  {self.part} ({self.place}): {self.seen}"
        return f"{line}. {self.advice}" if self.advice else line


def _ask(words: Sequence[str]) -> str:
    """What a program answers; empty if it is not there, fails or takes too long."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=2)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


@dataclass(frozen=True, slots=True)
class Host:
    """The machine as the doctor sees it: its files below `root`, who runs this, and what its programs answer."""

    root: Path = Path("/")
    user_id: int = field(default_factory=os.getuid)
    user: str = field(default_factory=lambda: os.environ.get("USER", ""))
    group_ids: frozenset[int] = field(default_factory=lambda: frozenset(os.getgroups()))
    ask: Callable[[Sequence[str]], str] = _ask
    usage: Callable[[Path], tuple[int, int, int]] = shutil.disk_usage

    def text(self, path: str) -> str:
        """A file's text without its end, which may be a zero; empty if it cannot be read."""
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace").rstrip("\0\n ")
        except OSError:
            return ""


def machine(host: Host) -> Iterator[Check]:
    """Which machine this is, whether it has enough power, and who may use its wires."""
    yield board(host)
    yield from power(host)
    yield from groups(host)
    yield from date(host)


def board(host: Host) -> Check:
    """The model of the Pi, from the device tree, or from /proc/cpuinfo on old systems."""
    model = host.text("proc/device-tree/model") or _named(host.text("proc/cpuinfo"), "Model")
    if "Raspberry Pi" in model:
        return Check(Sign.GOOD, "machine", "this one", model)
    other = model or _named(host.text("proc/cpuinfo"), "model name") or "not known"
    return Check(
        Sign.UNSURE,
        "machine",
        "this one",
        f"is no Raspberry Pi ({other})",
        "Run this on the Pi that the wires hang on, or say --simulated.",
    )


def _named(text: str, name: str) -> str:
    lines = (line.partition(":") for line in text.splitlines())
    return next((value.strip() for key, _, value in lines if key.strip() == name), "")


# -------------------------------------------------------------------------------------------------------- power

UNDER_VOLTAGE_NOW: Final = 0x1
SLOWED_NOW: Final = 0xE
UNDER_VOLTAGE_BEFORE: Final = 0x10000
SLOWED_BEFORE: Final = 0xE0000
"""Bits of get_throttled: now, and since the Pi was started. Slowed: frequency capped, throttled, or too hot."""

THROTTLED: Final = "sys/devices/platform/soc/soc:firmware/get_throttled"
SUPPLY: Final = "Use the Pi's own power supply and a short, thick cable, and give the tiles a supply of their own."
COOLING: Final = "Give it air or a heat sink; a slow Pi reads its dials more seldom."


def power(host: Host) -> Iterator[Check]:
    """Under-voltage and throttling, now and since the start. Says nothing on a machine that does not tell."""
    told = host.text(THROTTLED) or host.ask(("vcgencmd", "get_throttled")).strip().removeprefix("throttled=")
    try:
        bits = int(told, 16)
    except ValueError:
        return
    if bits & UNDER_VOLTAGE_NOW:
        yield Check(Sign.FAILS, "power", "the Pi's supply", "the voltage is too low now", SUPPLY)
    elif bits & UNDER_VOLTAGE_BEFORE:
        yield Check(Sign.UNSURE, "power", "the Pi's supply", "the voltage was too low since the Pi was started", SUPPLY)
    else:
        yield Check(Sign.GOOD, "power", "the Pi's supply", "never too low since the Pi was started")
    if bits & SLOWED_NOW:
        yield Check(Sign.UNSURE, "processor", "the Pi", "runs slower than it could, because of heat or power", COOLING)
    elif bits & SLOWED_BEFORE:
        yield Check(Sign.UNSURE, "processor", "the Pi", "had to slow down since the Pi was started", COOLING)


# ------------------------------------------------------------------------------------------------------- groups


def groups(host: Host) -> Iterator[Check]:
    """Whether this user is in the groups that may use the wires and the pins, and whether this login knows it."""
    if host.user_id == 0:
        return
    known = dict(_groups(host.text("etc/group")))
    for name, what in (("i2c", "the I2C buses"), ("gpio", "the pins")):
        if name in known:
            yield _group(host, name, what, *known[name])


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


# -------------------------------------------------------------------------------------------------- date and disk


def date(host: Host) -> Iterator[Check]:
    """Whether the clock was set by the network since the start, if systemd-timesyncd tells."""
    state = host.root / "run/systemd/timesync"
    if not state.is_dir():
        return
    if (state / "synchronized").exists():
        yield Check(Sign.GOOD, "clock", "the date", "was set by the network")
    else:
        yield Check(
            Sign.UNSURE,
            "clock",
            "the date",
            "was not set by the network since the Pi was started",
            "Connect it once, or set the date: a journal's order is right all the same, its dates are not.",
        )


LEAST_FREE_BYTES: Final = 100_000_000
LEAST_FREE_SHARE: Final = 0.05
FAILING_FREE_BYTES: Final = 10_000_000


def disk(host: Host, folder: Path) -> Check:
    """Whether the journal's folder is there, may be written, and has room."""
    part, place = "disk", f"folder of the journal, {folder}"
    if not folder.is_dir():
        return Check(Sign.FAILS, part, place, "is not there", "Make it, or name another journal in the settings.")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            Sign.FAILS,
            part,
            place,
            "may not be written by this user",
            "Change its owner with chown, or name another journal in the settings.",
        )
    total, _, free = host.usage(folder)
    seen = f"{free / 1e9:.1f} GB free of {total / 1e9:.1f} GB"
    if free < FAILING_FREE_BYTES:
        advice = "Make room: an event that cannot be written is not played."
        return Check(Sign.FAILS, part, place, f"is full: {seen}", advice)
    if free < LEAST_FREE_BYTES or free < LEAST_FREE_SHARE * total:
        return Check(Sign.UNSURE, part, place, f"is nearly full: {seen}", "Make room before the next game.")
    return Check(Sign.GOOD, part, place, seen)


# ------------------------------------------------------------------------------------------- the kernel and I2C


def devices(host: Host) -> Sequence[str]:
    """The I2C devices that this machine has, such as `/dev/i2c-1`."""
    found = sorted((host.root / "dev").glob("i2c-*"), key=lambda path: (len(path.name), path.name))
    return [f"/dev/{path.name}" for path in found]


def kernel_owns(host: Host, device: str, addresses: Mapping[int, str]) -> Iterator[Check]:
    """A kernel driver that has taken an address of ours. The kernel does not stop us from talking past it, so this
    shows as nonsense and not as an error. `addresses`: what the settings say is there."""
    number = device.rpartition("-")[2]
    for address, part in sorted(addresses.items()):
        driver = host.root / f"sys/bus/i2c/devices/{number}-{address:04x}/driver"
        if driver.is_symlink():
            yield Check(
                Sign.FAILS,
                part,
                f"{device} 0x{address:02X}",
                f"belongs to the kernel's driver {driver.readlink().name}",
                "Take its dtoverlay out of config.txt and start the Pi again.",
            )


def asked_speed_hz(host: Host, device: str) -> int | None:
    """The speed that config.txt asks for, from the device tree (four bytes, big-endian); None if it does not say."""
    number = device.rpartition("-")[2]
    try:
        told = (host.root / f"sys/bus/i2c/devices/i2c-{number}/of_node/clock-frequency").read_bytes()
    except OSError:
        return None
    return int.from_bytes(told, "big") if len(told) == 4 else None
