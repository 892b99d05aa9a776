"""The settings of a new table, written from six answers. Whatever they are, the settings are good and the wiring has no
clash; the tests try them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.settings.wiring_section import PiModel

MOST_SQUARES: Final = 16
MOST_SEATS: Final = 4
PER_MUX: Final = 8
PER_SCREEN_BUS: Final = 2
"""A screen has one of two addresses."""

FIRST_MUX: Final = 0x70
ONE_MUX_HZ: Final = 100_000
TWO_MUXES_HZ: Final = 400_000
"""Sixteen dials behind two muxes are read a hundred times a second only at this speed."""

NAMES: Final = ("Ann", "Ben", "Cal", "Dee")
BUTTON_AND_LAMP: Final = ((16, 20), (26, 21), (19, 24), (25, 27))
"""Pins of each seat that are no bus's on any Pi and do not light a lamp while the Pi starts."""

TABLES: Final = ("SAMPLE-A", "SAMPLE-B")
COMMENTS_AT: Final = 27
"""The column in which comments begin."""


@dataclass(frozen=True, slots=True)
class TableAnswers:
    """The six answers. `screens`: the number of seats with a screen, the first ones; the others have a lamp."""

    pi: PiModel = "4"
    squares: int = 2
    seats: int = 2
    screens: int = 2
    phones: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True)
class _ScreenBus:
    """A bus for two screens: its pins, and whether the Pi must make it from two ordinary pins."""

    device: str
    sda: int
    scl: int
    speed_hz: int = 400_000
    named: bool = True
    """Whether the settings name its pins, since they are not those that a Pi of this model has there."""


_BIT_BANGED: Final = (
    _ScreenBus("/dev/i2c-3", 22, 23, speed_hz=100_000),
    _ScreenBus("/dev/i2c-4", 8, 9, speed_hz=100_000),
)
SCREEN_BUSES: Final[dict[PiModel, tuple[_ScreenBus, _ScreenBus]]] = {
    "zero2": _BIT_BANGED,
    "3": _BIT_BANGED,
    "4": (_ScreenBus("/dev/i2c-6", 22, 23, named=False), _ScreenBus("/dev/i2c-4", 8, 9, named=False)),
    "5": (_ScreenBus("/dev/i2c-3", 22, 23), _ScreenBus("/dev/i2c-2", 12, 13)),
}


def new_settings(new: TableAnswers) -> str:
    """Return the settings of this table as a commented text."""
    parts = (_table(new), _pages(new), _wiring(new), _dials(new), _screens(new), _squares(new), _seats(new))
    return "\n".join(text for text in parts if text)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _table(new: TableAnswers) -> str:
    size = f"{_count(new.squares, 'square', 'squares')}, {_count(new.seats, 'seat', 'seats')}"
    return f"""\
# Trapdial settings: {size}. `trapdial settings new` wrote this file; change what differs at your table.
# `trapdial settings check` lists everything that is wrong with it, `trapdial wiring -o my_table` draws how to build it.
# `trapdial play` runs it on real wires, `trapdial demo -s FILE` on simulated ones.
# What is left out here has a usual value: `trapdial settings example 2x2` prints every setting.

[table]
name = "My table"          # shown on the public display; 1 to 40 characters
language = "{new.language}"            # of everything that belongs to no seat
calibration = ""           # the file that `trapdial calibrate` writes; it asks, and fills this in
"""


def _pages(new: TableAnswers) -> str:
    if not new.phones:
        return ""
    return """\
# --- phones can be the screens of seats. Delete this section, and no port is open. More: `trapdial docs phones`
[pages]
port = 8080                # an ordinary user may open this one; 80 is shorter to type, where it is allowed
network = ""               # your Wi-Fi, for the printed cards; and its passphrase:
passphrase = ""            # 8 to 63 characters, or empty for an open one
"""


def _wiring(new: TableAnswers) -> str:
    screens = "screen_m = 0.4             # metres from the Pi to a screen\n" if new.screens else ""
    tile = "the mux" if new.squares > 1 else "the Pi"
    pi = f'pi = "{new.pi}"'.ljust(COMMENTS_AT)
    return f"""\
# --- how it is built: for `trapdial wiring`, which draws it, lists its parts and checks it before power.
[wiring]
{pi}# which Raspberry Pi: "zero2", "3", "4" or "5"
lead_m = 0.4               # metres from {tile} to a tile
{screens}seat_m = 0.4               # metres from the Pi to a seat's button and lamp
"""


def _dials(new: TableAnswers) -> str:
    muxes = range(0 if new.squares == 1 else 1 + (new.squares - 1) // PER_MUX)
    speed_hz = TWO_MUXES_HZ if len(muxes) > 1 else ONE_MUX_HZ
    bus = f"""\
# --- the dials' bus: GPIO 2 (SDA) and GPIO 3 (SCL). The Pi has their pull-ups; config.txt in the folder of
#     `trapdial wiring` has the line that switches it on.
[bus.dials]
device = "/dev/i2c-1"
speed_hz = {speed_hz}          # the same number is in config.txt
"""
    return bus + "".join(_mux(number) for number in muxes)


def _mux(number: int) -> str:
    address = f"0x{FIRST_MUX + number:02X}"
    if number:
        wired = "             # A2 and A1 to ground, A0 to 3.3 V"
        return f"\n[[bus.dials.mux]]          # eight more channels\naddress = {address}{wired}\nreset_gpio = 17\n"
    return f"""
[[bus.dials.mux]]          # a TCA9548A: eight channels, one for each tile
address = {address}             # A2, A1, A0 to ground
reset_gpio = 17            # its RESET, with 10 kOhm to 3.3 V; frees the bus when a tile holds it
"""


def _bus_names(new: TableAnswers) -> Sequence[str]:
    return ("screens",) if new.screens <= PER_SCREEN_BUS else ("screensL", "screensR")


def _screens(new: TableAnswers) -> str:
    if not new.screens:
        return ""
    head = """\
# --- the screens hang on buses of their own, so that drawing never delays a dial: two on each, at 0x3C and 0x3D.
#     Each line needs 2.2 kOhm to 3.3 V unless the screens carry them.
"""
    return head + "\n".join(
        _screen_bus(name, bus) for name, bus in zip(_bus_names(new), SCREEN_BUSES[new.pi], strict=False)
    )


def _screen_bus(name: str, bus: _ScreenBus) -> str:
    pins = f"sda_gpio = {bus.sda}\nscl_gpio = {bus.scl}\n" if bus.named else ""
    return f"""\
{f"[bus.{name}]".ljust(COMMENTS_AT)}# GPIO {bus.sda} (SDA) and GPIO {bus.scl} (SCL)
device = "{bus.device}"
speed_hz = {bus.speed_hz}
{pins}"""


def _squares(new: TableAnswers) -> str:
    head = "# --- squares: the label stands on the tile and says nothing of what lies under it; each has an AS5600\n"
    return head + "\n".join(_square(new, number) for number in range(new.squares))


def _square(new: TableAnswers, number: int) -> str:
    first = number == 0
    if new.squares > 1:
        mux, channel = FIRST_MUX + number // PER_MUX, number % PER_MUX
        place = f"mux = 0x{mux:02X}\nchannel = {channel}{'                # SD0 and SC0 of the mux' if first else ''}\n"
    else:
        place = ""
    table = f'table = "sample:{TABLES[number % len(TABLES)]}"'
    own = '  # made-up numbers; a file of your own: "tables/red.toml", from `trapdial tables new`' if first else ""
    direction = "             # DIR of the AS5600 at 3.3 V; with DIR at ground write true (counts then fall)"
    return f"""\
[square.T{number + 1:02}]
bus = "dials"
{place}{table}{own}
invert = false{direction if first else ""}
"""


def _seats(new: TableAnswers) -> str:
    head = "# --- seats: a button to ground, and a screen, or a lamp with 330 Ohm in series\n"
    return head + "\n".join("".join(_seat(new, number)) for number in range(new.seats))


def _seat(new: TableAnswers, number: int) -> Iterator[str]:
    name, (button, lamp) = NAMES[number], BUTTON_AND_LAMP[number]
    first, on_screen = number == 0, number < new.screens
    yield f"[seat.{name.upper()}]\n"
    yield f'name = "{name}"' + ('               # as others read it: "exposed by Ann"\n' if first else "\n")
    yield f"button_gpio = {button}" + ("           # tap to claim a dial, hold to look\n" if first else "\n")
    if not on_screen:
        yield f"lamp_gpio = {lamp}             # flashes what its player may know, in a code: the lamp card has it\n"
        return
    if first:
        yield f"# lamp_gpio = {lamp}           # a lamp beside the screen, if you want one\n"
    bus = _bus_names(new)[number // PER_SCREEN_BUS]
    address = f"0x{0x3C + number % PER_SCREEN_BUS:02X}"
    yield f'\n[seat.{name.upper()}.screen]\nbus = "{bus}"\n'
    yield f"address = {address}" + ("             # set by the solder bridge on its back\n" if first else "\n")
