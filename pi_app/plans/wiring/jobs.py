"""Checks of addresses, channels and pins that two parts share, of RESET lines, and of screens beside dials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from pi_app.plans.check import Sign
from pi_app.plans.config_txt import SPI_PINS
from pi_app.plans.wiring import electrical
from pi_app.plans.wiring.check import WiringCheck, counted
from pi_app.plans.wiring.header import HIGH_AT_BOOT
from pi_app.plans.wiring.hosts import pi_gpio
from pi_app.plans.wiring.values import Colour, PartKind, PartPin, Wiring
from pi_app.settings import wiring as known
from pi_app.settings.model import Settings
from pi_app.settings.wiring_checks import check_clashes
from pi_app.text.user_file import Complaints, Severity


def jobs(wiring: Wiring, settings: Settings, *, spi: bool = False) -> Iterator[WiringCheck]:
    """`spi`: whether config.txt switches SPI on."""
    chips = settings_chips(settings)
    yield from addresses(wiring, settings, chips)
    yield channels(wiring)
    yield from pins(wiring, spi=spi)
    yield lamps(settings)
    yield resets(wiring)
    yield screens(wiring, chips)


def settings_chips(settings: Settings) -> list[known.WiredChip]:
    """The chips on the Pi's own buses, in the form of the settings' own checks."""
    squares = {label: msgspec.structs.asdict(each) for label, each in settings.squares.items() if each.bus is not None}
    seats = {
        key: {"screen": msgspec.structs.asdict(seat.screen)}
        for key, seat in settings.seats.items()
        if seat.screen is not None
    }
    return known.chips_of(squares, seats, settings_wires(settings), Complaints(settings.where))


def settings_wires(settings: Settings) -> dict[str, known.WiredBus]:
    """The Pi's own buses, in the form of the settings' own checks."""
    return known.wires_of({name: msgspec.structs.asdict(bus) for name, bus in settings.buses.items()})


# ------------------------------------------------------------------------------------- addresses and channels


def addresses(wiring: Wiring, settings: Settings, chips: Sequence[known.WiredChip]) -> Iterator[WiringCheck]:
    """The settings' own check of addresses; a hub's dials have a channel each."""
    complaints = Complaints(settings.where)
    check_clashes(chips, complaints)
    part, source = "addresses", electrical.UM10204_ADDRESSES
    number = sum(len(each.chips) for each in wiring.parts)
    errors = [each for each in complaints.found if each.severity is Severity.ERROR]
    how = f" of {number} chips answer together with another"
    if not complaints.found:
        yield counted(part, "all buses", 0, source, "", how)
    for problem in errors:
        yield counted(part, problem.place, len(errors), source, f"{_capital(problem.reason)}.", how)
    wakers = [each for each in complaints.found if each.severity is Severity.WARNING]
    for problem in wakers:
        how = f" of {number} chips wake up together with another"
        yield counted(part, problem.place, len(wakers), source, f"{_capital(problem.reason)}.", how, Sign.UNSURE)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


MOVE_LEAD: Final = "Give each a channel of its own."


def channels(wiring: Wiring) -> WiringCheck:
    """Two chips with one address on one channel. Different addresses may share one."""
    taken = Counter(
        (part.host, part.bus, part.mux, part.channel, chip.address)
        for part in wiring.parts
        for chip in part.chips
        if part.channel is not None
    )
    used = {key[:4] for key in taken}
    twice = sorted({key[:4] for key, count in taken.items() if count > 1}, key=str)
    where = ", ".join(f"{bus} mux 0x{mux:02X} channel {channel}" for _, bus, mux, channel in twice) or "all muxes"
    how = f" of {len(used)} used twice with one address"
    return counted("channels", where, len(twice), electrical.MUX_SOURCE, MOVE_LEAD, how)


# ------------------------------------------------------------------------------------------------------ pins


SUPPLY: Final = (Colour.RED, Colour.BLACK)
EEPROM_PINS: Final = (0, 1)

ONE_WIRE: Final = "Give one of them another pin."
CONSOLE: Final = "Switch the serial console off (sudo raspi-config, Interface), or use other pins."
EEPROM: Final = "They belong to the ID EEPROM of a HAT: fine without a HAT, otherwise use other pins."
SPI: Final = "Remove dtparam=spi=on from config.txt, or use other pins."


def pins(wiring: Wiring, *, spi: bool = False) -> Iterator[WiringCheck]:
    """Pins with two wires, and pins of the Pi that something else may use."""
    used = _used_pins(wiring)
    twice = [pin for pin, count in used.items() if count > 1]
    where = ", ".join(f"{pin.part} {pin.called}" for pin in twice) or "Pi and hubs"
    how = f" of {len(used)} in use have two jobs"
    yield counted("pins", where, len(twice), electrical.PI_SOURCE, ONE_WIRE, how)
    reserved: list[tuple[str, Sequence[int], str, Sign]] = [
        ("the serial console", known.CONSOLE_PINS, CONSOLE, Sign.UNSURE),
        ("the ID EEPROM", EEPROM_PINS, EEPROM, Sign.UNSURE),
    ]
    if spi:
        reserved.append(("SPI", SPI_PINS, SPI, Sign.FAILS))
    for name, gpios, advice, bad in reserved:
        taken = [gpio for gpio in gpios if pi_gpio(gpio) in used]
        where = ", ".join(f"GPIO {gpio}" for gpio in taken or gpios)
        how = f" of {len(gpios)} in use"
        yield counted(f"pins of {name}", where, len(taken), electrical.PI_SOURCE, advice, how, bad)


def _used_pins(wiring: Wiring) -> Counter[PartPin]:
    """Signal pins of the Pi and the hubs, with their number of wires."""
    hosts = {part.id for part in wiring.of(PartKind.PI, PartKind.HUB)}
    wires = [wire for lead in wiring.leads for wire in lead.wires if wire.colour not in SUPPLY]
    return Counter(wire.near for wire in wires if wire.near.part in hosts)


DARK_PINS: Final = (
    "Move them, so that they are dark before the program starts and after it ends: a lamp to ground belongs on one of "
    "GPIO 9 to 27, which the Pi pulls down; one with a common anode on one of GPIO 0 to 8, which it pulls up."
)


def lamps(settings: Settings) -> WiringCheck:
    """Lamps that the Pi's internal pull-up or pull-down lights while no program drives their pin."""
    single = [seat.lamp_gpio for seat in settings.seats.values() if seat.lamp_gpio is not None]
    coloured = [lamp for seat in settings.seats.values() if (lamp := seat.lamp) is not None]
    to_ground = single + [gpio for lamp in coloured if lamp.common == "cathode" for gpio in lamp.gpios]
    to_supply = [gpio for lamp in coloured if lamp.common == "anode" for gpio in lamp.gpios]
    lit = [gpio for gpio in to_ground if gpio in HIGH_AT_BOOT]
    lit += [gpio for gpio in to_supply if gpio not in HIGH_AT_BOOT]
    where = ", ".join(f"GPIO {gpio}" for gpio in sorted(lit)) or "all lamps' pins"
    how = f" of {len(to_ground) + len(to_supply)} pulled to the level that lights their lamp"
    return counted("lamps at rest", where, len(lit), electrical.BOOT_SOURCE, DARK_PINS, how, Sign.UNSURE)


# --------------------------------------------------------------------------------------- muxes and screens


WIRE_RESET: Final = (
    "Wire RESET to a free GPIO, with 10 kOhm to 3.3 V, and set its reset_gpio: otherwise a stuck tile can hold the "
    "bus until the power is cut."
)


def resets(wiring: Wiring) -> WiringCheck:
    """Muxes without a RESET line."""
    muxes = wiring.of(PartKind.MUX)
    wired = {wire.far.part for lead in wiring.leads for wire in lead.wires if wire.colour is Colour.WHITE}
    without = [mux.name for mux in muxes if mux.id not in wired]
    where = ", ".join(without) or "all muxes"
    how = f" of {len(muxes)} have no RESET line"
    return counted("resets", where, len(without), electrical.MUX_SOURCE, WIRE_RESET, how, Sign.UNSURE)


OWN_BUS: Final = "Give the screens a bus of their own: a whole picture takes 93 ms at 100 kHz, 23 ms at 400 kHz."


def screens(wiring: Wiring, chips: Sequence[known.WiredChip]) -> WiringCheck:
    """Screens on a bus that dials are read on."""
    beside = known.screens_among_dials(chips)
    where = ", ".join(chip.place for chip in beside) or "all buses"
    how = f" of {len(wiring.of(PartKind.SCREEN))} on a bus with dials"
    return counted("screens", where, len(beside), electrical.SCREEN_SOURCE, OWN_BUS, how, Sign.UNSURE)
