"""Troubles of the machine: supply, heat, date and disk. The doctor reports them; during play the referee gets a notice
when one begins and when it is over.

Sources: `get_throttled` (Raspberry Pi documentation, vcgencmd); the kernel's raspberrypi-hwmon driver, whose
in0_lcrit_alarm is 1 while the supply dips; systemd-timesyncd(8) and adjtimex(2) for the date; linux thermal sysfs.
"""

from __future__ import annotations

import datetime
import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hardware.host import Host
from pi_app.text.language import N_, Words

NOTICE: Final = N_("{part} ({place}): {seen}. {advice}")
NOTICE_OVER: Final = N_("{part} ({place}): {seen}.")


@dataclass(frozen=True, slots=True)
class MachineTrouble:
    """A trouble of the machine, in English texts that are translated when they are shown. `over` describes its end;
    `number` fills `{number}` in `seen`."""

    part: str
    place: str
    seen: str
    advice: str
    over: str
    number: int = 0

    def notice(self, words: Words) -> str:
        """Return the notice of its beginning."""
        seen = words(self.seen).format(number=self.number)
        advice = words(self.advice)
        return words(NOTICE).format(part=words(self.part), place=words(self.place), seen=seen, advice=advice)

    def notice_over(self, words: Words) -> str:
        """Return the notice of its end."""
        return words(NOTICE_OVER).format(part=words(self.part), place=words(self.place), seen=words(self.over))


# ------------------------------------------------------------------------------------------------ supply and heat


@dataclass(frozen=True, slots=True)
class Bit:
    """One bit of get_throttled: bit `number` is the state now, bit `number + 16` the time since the Pi was started."""

    number: int
    part: str
    place: str
    now: str
    before: str
    over: str
    advice: str

    def is_now(self, bits: int) -> bool:
        return bool(bits >> self.number & 1)

    def was_before(self, bits: int) -> bool:
        return bool(bits >> self.number + 16 & 1)


_POWER, _SUPPLY = N_("power"), N_("the Pi's supply")
_PROCESSOR, _THE_PI = N_("processor"), N_("the Pi")
_BETTER_SUPPLY = N_("Use the Pi's own power supply and a short, thick cable, and give the tiles a supply of their own.")
_COOLING = N_("Give it air or a heat sink; a slow Pi reads its dials less often.")

BITS: Final = (
    Bit(
        0,
        _POWER,
        _SUPPLY,
        N_("the voltage is too low now"),
        N_("the voltage was too low since the Pi was started"),
        N_("the voltage is right again"),
        _BETTER_SUPPLY,
    ),
    Bit(
        1,
        _PROCESSOR,
        _THE_PI,
        N_("its clock is held down now"),
        N_("its clock was held down since the Pi was started"),
        N_("its clock is free again"),
        _BETTER_SUPPLY,
    ),
    Bit(
        2,
        _PROCESSOR,
        _THE_PI,
        N_("it is slowed down now, because of low voltage or heat"),
        N_("it was slowed down since the Pi was started, because of low voltage or heat"),
        N_("it runs at full speed again"),
        _COOLING,
    ),
    Bit(
        3,
        _PROCESSOR,
        _THE_PI,
        N_("it is so warm that it runs slower now"),
        N_("it was so warm since the Pi was started that it ran slower"),
        N_("it is cool enough again"),
        _COOLING,
    ),
)
"""All bits of get_throttled: under-voltage, frequency capped, throttled, soft temperature limit."""

_NOW: Final = 0xF

THROTTLED: Final = "sys/devices/platform/soc/soc:firmware/get_throttled"


def throttled(host: Host) -> int | None:
    """Return the bits of get_throttled, from the kernel if it has them, else from vcgencmd; None without either."""
    bits = host.text(THROTTLED) or host.ask(("vcgencmd", "get_throttled")).strip().removeprefix("throttled=")
    try:
        return int(bits, 16)
    except ValueError:
        return None


def supply_dips(host: Host) -> bool | None:
    """Return whether the kernel has just seen a low supply (hwmon `rpi_volt`); None if it does not measure it."""
    for name in sorted((host.root / "sys/class/hwmon").glob("hwmon*/name")):
        folder = name.parent.relative_to(host.root).as_posix()
        if host.text(f"{folder}/name") == "rpi_volt":
            alarm = host.number(f"{folder}/in0_lcrit_alarm")
            return None if alarm is None else alarm != 0
    return None


HOT_C: Final = 80
"""At this temperature every Pi slows down (Raspberry Pi documentation, frequency management)."""


def temperature_c(host: Host) -> int | None:
    """Return the processor's temperature in whole degrees Celsius; None if it is unknown."""
    milli = host.number("sys/class/thermal/thermal_zone0/temp")
    return None if milli is None else round(milli / 1000)


# ----------------------------------------------------------------------------------------------------------- date


class Date(enum.Enum):
    """The state of the machine's date."""

    SET = "set by the network"
    KEPT = "kept by a clock chip"
    UNSET = "not set since the start"
    WRONG = "before this program was written, or decades after it"
    UNKNOWN = "unknown"


RELEASE_YEAR: Final = 2026
"""The year of this version: an earlier date is wrong."""

LATEST_YEAR: Final = RELEASE_YEAR + 30
"""A later date is wrong too: a clock chip whose battery fails leaps there."""


def may_be(year: int) -> bool:
    """Return whether a date of this year can be right, whoever keeps it."""
    return RELEASE_YEAR <= year <= LATEST_YEAR


def date(host: Host) -> Date:
    """Return the state of the date. A Pi without network and clock chip continues from when it was switched off."""
    if not may_be(year_of(host.now_s())):
        return Date.WRONG
    kernel = host.kernel_is_set()
    timesync = host.root / "run/systemd/timesync"
    if kernel or (timesync / "synchronized").exists():
        return Date.SET
    if _clock_chip_knows(host):
        return Date.KEPT
    return Date.UNSET if kernel is False or timesync.is_dir() else Date.UNKNOWN


def _clock_chip_knows(host: Host) -> bool:
    """Return whether the kernel took its date from a clock chip with a plausible date. A Pi 5 has the chip, which
    starts in 1970 without its battery."""
    for chip in sorted((host.root / "sys/class/rtc").glob("rtc*")):
        folder = chip.relative_to(host.root).as_posix()
        seconds = host.number(f"{folder}/since_epoch")
        if host.text(f"{folder}/hctosys") == "1" and seconds is not None and may_be(year_of(seconds)):
            return True
    return False


def year_of(seconds: float) -> int:
    """Return the year of a POSIX time, UTC."""
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).year


# ----------------------------------------------------------------------------------------------------------- disk

EVENT_BYTES: Final = 2_000
"""The space of one event in the journal; about 800 at a small table."""
LOG_BYTES: Final = 17_000_000
"""The most that the journal's log takes until it is tidied."""

FEW_EVENTS: Final = 50_000
"""Below this the disk counts as nearly full: some weeks of play."""
HARDLY_ANY_EVENTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The free space on the journal's disk."""

    total_bytes: int
    free_bytes: int
    read_only: bool

    @property
    def events(self) -> int:
        """The events that surely fit."""
        return max(0, self.free_bytes - LOG_BYTES) // EVENT_BYTES


def disk_space(host: Host, folder: Path) -> DiskSpace | None:
    """Return the free space on the disk of a folder; None if it cannot be read."""
    try:
        total, _, free = host.usage(folder)
        return DiskSpace(total, free, host.read_only(folder))
    except OSError:
        return None


# ------------------------------------------------------------------------------------------------ the troubles now


def _bit_trouble(bit: Bit) -> MachineTrouble:
    return MachineTrouble(bit.part, bit.place, bit.now, bit.advice, bit.over)


_CLOCK = N_("clock")
_THE_DATE = N_("the date")
_SET_IT = N_("Connect the Pi to the network once, or set the date. The order of a journal is right without it.")
_DISK = N_("disk")
_JOURNALS_DISK = N_("where the journal lies")

HOT: Final = MachineTrouble(
    _PROCESSOR,
    _THE_PI,
    N_("it is at {number} degrees Celsius, where every Pi slows down"),
    _COOLING,
    N_("it is cool enough again"),
)
WRONG_DATE: Final = MachineTrouble(_CLOCK, _THE_DATE, N_("it is wrong: it says {number}"), _SET_IT, N_("it is set now"))
UNSET_DATE: Final = MachineTrouble(
    _CLOCK, _THE_DATE, N_("it was not set since the Pi was started"), _SET_IT, N_("it is set now")
)
READ_ONLY: Final = MachineTrouble(
    _DISK,
    _JOURNALS_DISK,
    N_("it is read-only"),
    N_("Linux does that when a card wears out: copy the journal, then use a new card."),
    N_("it can be written again"),
)
NEARLY_FULL: Final = MachineTrouble(
    _DISK,
    _JOURNALS_DISK,
    N_("it is nearly full: space for about {number} more events"),
    N_("Free some space before the next game: an event that cannot be written does not count."),
    N_("it has space again"),
)
GONE: Final = MachineTrouble(
    _DISK,
    _JOURNALS_DISK,
    N_("it cannot be read"),
    N_("Check that its card or stick is still in."),
    N_("it is back"),
)


def troubles(host: Host, folder: Path, bits: int | None) -> Iterator[tuple[str, MachineTrouble]]:
    """Yield the troubles of the machine now, each under a name that stays the same while it lasts. `bits`: of
    get_throttled."""
    dips = supply_dips(host)
    for bit in BITS:
        if (bits is not None and bit.is_now(bits)) or (bit.number == 0 and dips):
            yield f"throttled bit {bit.number}", _bit_trouble(bit)
    heat = temperature_c(host)
    if heat is not None and heat >= HOT_C:
        yield "heat", _counted(HOT, heat)
    yield from _date_troubles(host)
    yield from _disk_troubles(host, folder)


def _date_troubles(host: Host) -> Iterator[tuple[str, MachineTrouble]]:
    match date(host):
        case Date.WRONG:
            yield "date", _counted(WRONG_DATE, year_of(host.now_s()))
        case Date.UNSET:
            yield "date", UNSET_DATE
        case _:
            pass


def _disk_troubles(host: Host, folder: Path) -> Iterator[tuple[str, MachineTrouble]]:
    there = disk_space(host, folder)
    if there is None:
        yield "disk gone", GONE
    elif there.read_only:
        yield "disk read-only", READ_ONLY
    elif there.events < FEW_EVENTS:
        yield "disk full", _counted(NEARLY_FULL, there.events)


def _counted(trouble: MachineTrouble, number: int) -> MachineTrouble:
    return replace(trouble, number=number)


# ---------------------------------------------------------------------------------------------------- during play

CALM_POLLS: Final = 3
"""A trouble is over after this many polls in a row without it, so that notices do not chatter."""
ASK_EVERY: Final = 6
"""Starting vcgencmd delays this program for a moment, so it runs at every sixth poll."""


class MachineWatch:
    """Reports the troubles of the machine as they begin and end. Starts from a machine without any."""

    def __init__(self, host: Host, folder: Path, words: Words) -> None:
        self._host, self._folder, self._words = host, folder, words
        self._troubles: dict[str, MachineTrouble] = {}
        self._calm: dict[str, int] = {}
        self._bits: int | None = None
        self._polls = 0

    def poll(self) -> Sequence[str]:
        """Return a notice for each trouble that has begun or is over."""
        now = dict(troubles(self._host, self._folder, self._throttled()))
        notices = [trouble.notice(self._words) for key, trouble in now.items() if key not in self._troubles]
        for key in [*self._troubles]:
            self._calm[key] = 0 if key in now else self._calm.get(key, 0) + 1
            if self._calm[key] >= CALM_POLLS:
                notices.append(self._troubles.pop(key).notice_over(self._words))
                del self._calm[key]
        self._troubles |= now
        return notices

    def _throttled(self) -> int | None:
        """Return the bits now; a short event since the last poll counts as now."""
        asked = self._polls % ASK_EVERY == 0 or bool(self._host.text(THROTTLED))
        self._polls += 1
        if not asked:
            return self._bits
        before, bits = self._bits, throttled(self._host)
        self._bits = bits
        if bits is None or before is None:
            return bits
        return bits | (bits >> 16 & ~(before >> 16) & _NOW)
