"""The machine's own troubles: its supply, its heat, its date, its disk. Said by the doctor, and during play to the
referee, once when they come and once when they are over.

Sources: `get_throttled` (Raspberry Pi documentation, vcgencmd); the kernel's raspberrypi-hwmon driver, whose
in0_lcrit_alarm is 1 while the supply dips; systemd-timesyncd(8) and adjtimex(2) for the date; linux thermal sysfs.
"""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.host import Host
from pi_app.text.language import N_

Words = Callable[[str], str]


TOLD: Final = N_("{part} ({place}): {seen}. {advice}")
TOLD_OVER: Final = N_("{part} ({place}): {seen}.")


@dataclass(frozen=True, slots=True)
class Ill:
    """Something that ails the machine: English texts, to be translated where they are said. `over` is what is seen
    when it is gone; `number` fills `{number}` in `seen`."""

    part: str
    place: str
    seen: str
    advice: str
    over: str
    number: int = 0

    def told(self, words: Words) -> str:
        """The sentence in four parts."""
        seen = words(self.seen).format(number=self.number)
        advice = words(self.advice)
        return words(TOLD).format(part=words(self.part), place=words(self.place), seen=seen, advice=advice)

    def told_over(self, words: Words) -> str:
        """The sentence for its end."""
        return words(TOLD_OVER).format(part=words(self.part), place=words(self.place), seen=words(self.over))


# ------------------------------------------------------------------------------------------------ supply and heat


@dataclass(frozen=True, slots=True)
class Bit:
    """One bit of get_throttled: bit `number` says it of now, bit `number + 16` of the time since the Pi was started."""

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
_COOLING = N_("Give it air or a heat sink; a slow Pi reads its dials more seldom.")

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
"""All that get_throttled says: under-voltage, frequency capped, throttled, soft temperature limit."""

_NOW: Final = 0xF

THROTTLED: Final = "sys/devices/platform/soc/soc:firmware/get_throttled"


def throttled(host: Host) -> int | None:
    """The bits of get_throttled, from the kernel if it has them, else from vcgencmd; None if nobody tells."""
    told = host.text(THROTTLED) or host.ask(("vcgencmd", "get_throttled")).strip().removeprefix("throttled=")
    try:
        return int(told, 16)
    except ValueError:
        return None


def supply_dips(host: Host) -> bool | None:
    """Whether the kernel has just seen the supply too low (hwmon `rpi_volt`); None if it does not watch it."""
    for name in sorted((host.root / "sys/class/hwmon").glob("hwmon*/name")):
        folder = name.parent.relative_to(host.root).as_posix()
        if host.text(f"{folder}/name") == "rpi_volt":
            alarm = host.number(f"{folder}/in0_lcrit_alarm")
            return None if alarm is None else alarm != 0
    return None


HOT_C: Final = 80
"""From here on every Pi slows itself down (Raspberry Pi documentation, frequency management)."""


def temperature_c(host: Host) -> int | None:
    """The processor's temperature in whole degrees Celsius; None if it is not told."""
    milli = host.number("sys/class/thermal/thermal_zone0/temp")
    return None if milli is None else round(milli / 1000)


# ----------------------------------------------------------------------------------------------------------- date


class Date(enum.Enum):
    """What is known of the machine's date."""

    SET = "set by the network"
    KEPT = "kept by a clock chip"
    UNSET = "not set since the start"
    WRONG = "before this program was written"
    UNKNOWN = "nobody tells"


RELEASE_YEAR: Final = 2026
"""The year of this version: a date before it is surely wrong."""


def date(host: Host) -> Date:
    """Whether the date can be believed. A Pi without network and clock chip goes on where it was switched off."""
    if _year(host.now_s()) < RELEASE_YEAR:
        return Date.WRONG
    kernel = host.kernel_is_set()
    timesync = host.root / "run/systemd/timesync"
    if kernel or (timesync / "synchronized").exists():
        return Date.SET
    if _clock_chip_knows(host):
        return Date.KEPT
    return Date.UNSET if kernel is False or timesync.is_dir() else Date.UNKNOWN


def _clock_chip_knows(host: Host) -> bool:
    """Whether the kernel took its date from a clock chip, and that has a date to believe. A Pi 5 has the chip, but
    without its battery that begins in 1970."""
    for chip in sorted((host.root / "sys/class/rtc").glob("rtc*")):
        folder = chip.relative_to(host.root).as_posix()
        seconds = host.number(f"{folder}/since_epoch")
        if host.text(f"{folder}/hctosys") == "1" and seconds is not None and _year(seconds) >= RELEASE_YEAR:
            return True
    return False


def _year(seconds: float) -> int:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).year


# ----------------------------------------------------------------------------------------------------------- disk

EVENT_BYTES: Final = 2_000
"""What one event takes in the journal for good; some 800 at a small table."""
LOG_BYTES: Final = 17_000_000
"""What the journal's log may take beside it until it is tidied."""

FEW_EVENTS: Final = 50_000
"""Below this the disk is said to be nearly full: some weeks of play."""
HARDLY_ANY_EVENTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Room:
    """How much the journal's disk still takes."""

    total_bytes: int
    free_bytes: int
    read_only: bool

    @property
    def events(self) -> int:
        """So many events surely fit."""
        return max(0, self.free_bytes - LOG_BYTES) // EVENT_BYTES


def room(host: Host, folder: Path) -> Room | None:
    """The room on the disk that a folder lies on; None if that cannot be looked at."""
    try:
        total, _, free = host.usage(folder)
        return Room(total, free, host.read_only(folder))
    except OSError:
        return None


# ------------------------------------------------------------------------------------------------ what is ill now


def _ill_of_bit(bit: Bit) -> Ill:
    return Ill(bit.part, bit.place, bit.now, bit.advice, bit.over)


_CLOCK = N_("clock")
_THE_DATE = N_("the date")
_SET_IT = N_("Connect the Pi to the network once, or set the date: a journal's order is right all the same.")
_DISK = N_("disk")
_JOURNALS_DISK = N_("where the journal lies")

HOT: Final = Ill(
    _PROCESSOR,
    _THE_PI,
    N_("it is at {number} degrees Celsius, where every Pi slows itself down"),
    _COOLING,
    N_("it is cool enough again"),
)
WRONG_DATE: Final = Ill(
    _CLOCK, _THE_DATE, N_("it is surely wrong: it says {number}"), _SET_IT, N_("it was set meanwhile")
)
UNSET_DATE: Final = Ill(
    _CLOCK, _THE_DATE, N_("nobody has set it since the Pi was started"), _SET_IT, N_("it was set meanwhile")
)
READ_ONLY: Final = Ill(
    _DISK,
    _JOURNALS_DISK,
    N_("it can only be read"),
    N_("Linux does that when a card wears out: copy the journal, then take a new card."),
    N_("it can be written again"),
)
NEARLY_FULL: Final = Ill(
    _DISK,
    _JOURNALS_DISK,
    N_("it is nearly full: room for some {number} more events"),
    N_("Make room before the next game: an event that cannot be written is not played."),
    N_("it has room again"),
)
GONE: Final = Ill(
    _DISK,
    _JOURNALS_DISK,
    N_("it cannot be looked at"),
    N_("Look whether its card or stick is still in."),
    N_("it is there again"),
)


def ills(host: Host, folder: Path, bits: int | None) -> Iterator[tuple[str, Ill]]:
    """What ails the machine now, each under a name that stays the same while it lasts. `bits`: of get_throttled."""
    dips = supply_dips(host)
    for bit in BITS:
        if (bits is not None and bit.is_now(bits)) or (bit.number == 0 and dips):
            yield f"throttled bit {bit.number}", _ill_of_bit(bit)
    heat = temperature_c(host)
    if heat is not None and heat >= HOT_C:
        yield "heat", _counted(HOT, heat)
    yield from _date_ills(host)
    yield from _disk_ills(host, folder)


def _date_ills(host: Host) -> Iterator[tuple[str, Ill]]:
    match date(host):
        case Date.WRONG:
            yield "date", _counted(WRONG_DATE, _year(host.now_s()))
        case Date.UNSET:
            yield "date", UNSET_DATE
        case _:
            pass


def _disk_ills(host: Host, folder: Path) -> Iterator[tuple[str, Ill]]:
    there = room(host, folder)
    if there is None:
        yield "disk gone", GONE
    elif there.read_only:
        yield "disk read-only", READ_ONLY
    elif there.events < FEW_EVENTS:
        yield "disk full", _counted(NEARLY_FULL, there.events)


def _counted(ill: Ill, number: int) -> Ill:
    return Ill(ill.part, ill.place, ill.seen, ill.advice, ill.over, number)


# ---------------------------------------------------------------------------------------------------- during play

CALM_LOOKS: Final = 3
"""What comes and goes is over only after so many looks in a row without it: it must not chatter."""
ASK_EVERY: Final = 6
"""vcgencmd is a program to be started, which holds up this one for a moment: it is asked at every sixth look."""


class Watch:
    """Looks at the machine and says what has changed since the last look. Starts from a machine that ails nothing."""

    def __init__(self, host: Host, folder: Path, words: Words) -> None:
        self._host, self._folder, self._words = host, folder, words
        self._ills: dict[str, Ill] = {}
        self._calm: dict[str, int] = {}
        self._bits: int | None = None
        self._looks = 0

    def look(self) -> Sequence[str]:
        """One look: a sentence for all that has come, and for all that is over."""
        now = dict(ills(self._host, self._folder, self._throttled()))
        told = [ill.told(self._words) for key, ill in now.items() if key not in self._ills]
        for key in [*self._ills]:
            self._calm[key] = 0 if key in now else self._calm.get(key, 0) + 1
            if self._calm[key] >= CALM_LOOKS:
                told.append(self._ills.pop(key).told_over(self._words))
                del self._calm[key]
        self._ills |= now
        return told

    def _throttled(self) -> int | None:
        """The bits now; what was only for a moment since the last look counts as now."""
        asked = self._looks % ASK_EVERY == 0 or bool(self._host.text(THROTTLED))
        self._looks += 1
        if not asked:
            return self._bits
        before, bits = self._bits, throttled(self._host)
        self._bits = bits
        if bits is None or before is None:
            return bits
        return bits | (bits >> 16 & ~(before >> 16) & _NOW)
