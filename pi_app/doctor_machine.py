"""What the doctor asks of the machine itself: which Pi it is, its power, its groups, its disk, its date, and the
pitfalls of its kernel and its libraries.

Nothing here touches a wire. Everything is read below `Host.root`, so that a test can show it another machine.
Facts: Raspberry Pi documentation (config.txt, get_throttled), linux i2c and gpio sysfs, systemd-timesyncd(8).
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hardware.readings import Magnet
from pi_app import power as power_now
from pi_app.host import Host as Host
from pi_app.host import named
from pi_app.power import Date


class Sign(enum.Enum):
    """How a part is, in a sign that needs no colour."""

    GOOD = "ok"
    FAILS = "!!"
    UNSURE = "??"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor: a part, where it is, what was seen, and what to try (empty if nothing).

    `refuses`: with this no game may be begun, since it could tell of dials that are not where it thinks, or of none.
    """

    sign: Sign
    part: str
    place: str
    seen: str
    advice: str = ""
    refuses: bool = False

    def __str__(self) -> str:
        return f"{self.sign.value}  {self.words}"

    @property
    def words(self) -> str:
        """The line without its sign."""
        line = f"{self.part} ({self.place}): {self.seen}"
        return f"{line}. {self.advice}" if self.advice else line


def field(part: str, place: str, magnet: Magnet, words: str) -> Check:
    """What an encoder says of its magnet; after a colon, `words` says what to do (`hardware/chips/dial_chip.py`)."""
    seen, _, advice = words.partition(": ")
    sign = {Magnet.GOOD: Sign.UNSURE if advice else Sign.GOOD, Magnet.MISSING: Sign.FAILS}.get(magnet, Sign.UNSURE)
    return Check(sign, part, place, seen, f"{advice[:1].upper()}{advice[1:]}." if advice else "")


def machine(host: Host) -> Iterator[Check]:
    """Which machine this is, whether it has enough power, and who may use its wires."""
    yield board(host)
    yield from kernel(host)
    yield from power(host)
    yield from heat(host)
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


_RP1: Final = re.compile(r"Raspberry Pi (5\b|500|Compute Module 5)")
"""Models whose pins and buses hang on an RP1 chip."""


def has_rp1(host: Host) -> bool:
    """Whether this is a Pi 5 or one of its family."""
    return bool(_RP1.match(host.model()))


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
    "Take lgpio from the system: `sudo apt install python3-lgpio`, and make the virtual environment with "
    "`python3 -m venv --system-site-packages`."
)


def _gpiozero(host: Host) -> Iterator[Check]:
    version = host.version("gpiozero")
    place = f"version {version}"
    newer = "make install, or pip install --upgrade gpiozero: 2.0.1.post3 is the first that is sound."
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
    room = power_now.room(host, folder)
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
                refuses=True,
            )


def asked_speed_hz(host: Host, device: str) -> int | None:
    """The speed that config.txt asks for, from the device tree (four bytes, big-endian); None if it does not say."""
    number = device.rpartition("-")[2]
    try:
        told = (host.root / f"sys/bus/i2c/devices/i2c-{number}/of_node/clock-frequency").read_bytes()
    except OSError:
        return None
    return int.from_bytes(told, "big") if len(told) == 4 else None


# ---------------------------------------------------------------------------------------------------- config.txt

CONFIG: Final = ("boot/firmware/config.txt", "boot/config.txt")


def config_lines(host: Host) -> Iterator[str]:
    """The lines of config.txt that hold for every model or for this one, without comments (Raspberry Pi documentation,
    conditional filters). Sections that ask for more than the model are taken for another Pi's."""
    text = next((told for path in CONFIG if (told := host.text(path))), "")
    holds = True
    for line in (raw.partition("#")[0].strip() for raw in text.splitlines()):
        if line.startswith("["):
            holds = line in {"[all]", *_sections(host.model())}
        elif line and holds:
            yield line


def _sections(model: str) -> Sequence[str]:
    found = re.match(r"Raspberry Pi (Compute Module )?(\d)", model)
    if found is not None:
        return (f"[cm{found[2]}]", f"[pi{found[2]}]") if found[1] else (f"[pi{found[2]}]",)
    return ("[pi0]",) if "Zero" in model else ()


_PARAMETER_BAUD: Final = {
    0: re.compile(r"(?:i2c_vc_baudrate|i2c0_baudrate)=(\d+)"),
    1: re.compile(r"(?:i2c_arm_baudrate|i2c_baudrate|i2c1_baudrate)=(\d+)"),
}
_OVERLAY_BAUD: Final = re.compile(r"dtoverlay=i2c(\d)(?:-pi5)?,(?:.*,)?baudrate=(\d+)")


def configured_speed_hz(host: Host, device: str) -> int | None:
    """The speed that config.txt sets for a bus at the next start; None if no line of it does."""
    number = int(device.rpartition("-")[2])
    found = None
    for line in config_lines(host):
        if overlay := _OVERLAY_BAUD.match(line):
            found = int(overlay[2]) if int(overlay[1]) == number else found
        elif line.startswith("dtparam=") and number in _PARAMETER_BAUD:
            told = _PARAMETER_BAUD[number].search(line)
            found = int(told[1]) if told else found
    return found


def bus_speed(host: Host, name: str, device: str, wanted_hz: int) -> Iterator[Check]:
    """Settings, config.txt and the running kernel about the speed of one bus, where they differ."""
    part = f"speed of bus {name}"
    running_hz, config_hz = asked_speed_hz(host, device), configured_speed_hz(host, device)
    asked_hz = running_hz if running_hz is not None else config_hz
    if asked_hz is not None and asked_hz != wanted_hz:
        seen = f"config.txt asks for {asked_hz} Hz, the settings for {wanted_hz} Hz"
        yield Check(Sign.UNSURE, part, device, seen, "Say the same in both.")
    if running_hz is not None and config_hz is not None and running_hz != config_hz:
        seen = f"config.txt says {config_hz} Hz, and the Pi still runs with {running_hz} Hz"
        yield Check(Sign.UNSURE, part, device, seen, "Start the Pi again.")


def follows_the_core(host: Host) -> bool:
    """Whether this model derives its I2C speed from the core's clock, so that only measuring tells it
    (raspberrypi/firmware#1281): all before the Pi 5."""
    return bool(host.model()) and not has_rp1(host)


SPI_PINS: Final = range(7, 12)


def spi_pins(host: Host, gpios: Collection[int]) -> Iterator[Check]:
    """Pins of the settings that SPI has taken, if config.txt switches it on."""
    taken = sorted(set(gpios) & set(SPI_PINS))
    if taken and any(re.search(r"dtparam=(.*,)?spi(=on)?(,|$)", line) for line in config_lines(host)):
        pins = ", ".join(f"GPIO{gpio}" for gpio in taken)
        seen = "the settings give them a job, and config.txt gives them to SPI"
        yield Check(Sign.FAILS, "pins", pins, seen, "Take dtparam=spi=on out of config.txt, or take other pins.")
