"""The Pi and the hubs, where leads begin: their supply, pins and buses.

Facts: Raspberry Pi documentation (GPIO header), Raspberry Pi Pico datasheet (pinout), and for a hub the defaults of its
`board.py` (firmware_host/board).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.plans.wiring import header
from pi_app.plans.wiring.joints import Source
from pi_app.plans.wiring.values import BusLine, Colour, Part, PartKind, PartPin
from pi_app.settings.model import BusSettings, Settings
from pi_app.settings.wiring_section import PiModel

HUB_MUX: Final = 0x70
"""Of a hub's first mux; the second has the next address."""
CHANNELS: Final = 8
PI_ID: Final = "pi"
PI_NAME: Final = "Raspberry Pi"


@dataclass(frozen=True, slots=True)
class WantedMux:
    """A mux and the GPIO of its RESET, if that is wired."""

    address: int
    reset_gpio: int | None


@dataclass(frozen=True, slots=True)
class HostBus:
    """One bus of a host. `power` feeds its tiles and screens; `switch_gpio` is the pin that switches `power`."""

    line: BusLine
    sda: Source
    scl: Source
    power: Source
    muxes: tuple[WantedMux, ...]
    switch_gpio: int | None
    pulled_up: bool

    @property
    def name(self) -> str:
        return self.line.name


@dataclass(frozen=True, slots=True)
class WiringHost:
    """A Pi or hub. `prefix` makes the ids of a hub's parts unique."""

    part: Part
    prefix: str
    v33: Source
    ground: Source
    gpio: Callable[[int], PartPin]
    buses: tuple[HostBus, ...]


def pi_host(settings: Settings) -> WiringHost:
    """The Pi. All its buses must have known pins (`refused`)."""
    model = settings.wiring.pi
    part = Part(PI_ID, PartKind.PI, PI_NAME, header.PI_NAMES[model], PI_ID)
    own = settings.wiring.supply == "pi"
    v33 = _supply("3.3 V", Colour.RED, _pins(PI_ID, header.V33_PINS, "3.3 V") if own else (), "", PI_ID)
    ground = _supply("ground", Colour.BLACK, _pins(PI_ID, header.GROUND_PINS, "ground"), "", PI_ID)
    buses = tuple(_pi_bus(name, bus, model, v33) for name, bus in settings.buses.items())
    return WiringHost(part, "", v33, ground, pi_gpio, buses)


def pi_gpio(number: int) -> PartPin:
    """The pin of the header with this GPIO."""
    return PartPin(PI_ID, str(header.BOARD_PIN[number]), f"GPIO {number}")


def _pins(part: str, numbers: Sequence[int], called: str) -> tuple[PartPin, ...]:
    return tuple(PartPin(part, str(number), called) for number in numbers)


def _supply(rail: str, colour: Colour, pins: tuple[PartPin, ...], prefix: str, host: str) -> Source:
    near, rows = (PI_NAME, True) if host == PI_ID else (host, False)
    return Source(rail, colour, pins, f"{prefix}supply strip", host, near, rows=rows)


def _pi_bus(name: str, bus: BusSettings, model: PiModel, v33: Source) -> HostBus:
    number = header.bus_number(bus.device)
    pins = header.bus_pins(model, number, bus.sda_gpio, bus.scl_gpio)
    if pins is None:
        raise ValueError(f"the pins of {bus.device} are not known")
    sda, scl = (pi_gpio(pin) for pin in pins)
    config = header.config_line(model, number, pins, bus.speed_hz)
    line = BusLine(PI_ID, name, bus.device, bus.speed_hz, sda, scl, config)
    muxes = tuple(WantedMux(mux.address, mux.reset_gpio) for mux in bus.mux)
    return _host_bus(line, "", v33, muxes, bus.power_gpio, pulled_up=pins == header.PULLED_UP)


def hub_host(name: str, channels: Sequence[int]) -> WiringHost:
    """A hub that reads these channels: a Pico with the default `board.py`."""
    id_ = f"hub {name}"
    part = Part(id_, PartKind.HUB, id_, "Raspberry Pi Pico", id_)
    prefix = f"{id_} "
    v33 = _supply("3.3 V", Colour.RED, _pins(id_, header.PICO_V33_PINS, "3V3(OUT)"), prefix, id_)
    ground = _supply("ground", Colour.BLACK, _pins(id_, header.PICO_GROUND_PINS, "GND"), prefix, id_)

    def gpio(number: int) -> PartPin:
        return PartPin(id_, str(header.PICO_PIN[number]), f"GP{number}")

    line = BusLine(id_, name, "", header.PICO_SPEED_HZ, gpio(header.PICO_SDA), gpio(header.PICO_SCL))
    addresses = sorted({HUB_MUX + channel // CHANNELS for channel in channels})
    muxes = tuple(WantedMux(address, header.PICO_RESET) for address in addresses)
    return WiringHost(part, prefix, v33, ground, gpio, (_host_bus(line, prefix, v33, muxes, None, pulled_up=False),))


def _host_bus(
    line: BusLine, prefix: str, v33: Source, muxes: tuple[WantedMux, ...], switch_gpio: int | None, *, pulled_up: bool
) -> HostBus:
    strip = f"{prefix}bus strip" if prefix else f"{line.name} strip"
    power = v33
    if switch_gpio is not None:
        out = PartPin(f"switch {line.name}", "OUT")
        near = f"load switch of bus {line.name}"
        power = Source("3.3 V switched", Colour.RED, (out,), f"{line.name} switched strip", line.host, near)
    near = line.host if prefix else PI_NAME
    return HostBus(
        line,
        Source("SDA", Colour.BLUE, (line.sda,), strip, line.host, near, line.name),
        Source("SCL", Colour.YELLOW, (line.scl,), strip, line.host, near, line.name),
        power,
        muxes,
        switch_gpio,
        pulled_up,
    )
