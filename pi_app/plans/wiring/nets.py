"""Derive the wiring from the settings: every part, every wire from pin to pin, every resistor. Pure.

Facts: TI SCPS207 (TCA9548A), ams AS5600 datasheet v1-06, Microchip DS20005202 (24AA02UID), Raspberry Pi documentation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hardware.screen_kinds import SCREENS
from pi_app.plans.wiring.fitting import fitted
from pi_app.plans.wiring.hosts import (
    CHANNELS,
    HUB_MUX,
    PI_ID,
    PI_NAME,
    HostBus,
    WantedMux,
    WiringHost,
    hub_host,
    pi_host,
)  # fmt: skip
from pi_app.plans.wiring.joints import Source, WantedLead, WantedWire, joined
from pi_app.plans.wiring.refused import insist
from pi_app.plans.wiring.segments import segments_of
from pi_app.plans.wiring.values import Colour, CopperSegment, Fitted, I2cChip, Lead, Part, PartKind, PartPin, Wiring
from pi_app.settings.model import ScreenSettings, SeatSettings, Settings, SquareSettings
from pi_app.settings.wiring import MEMORY_ADDRESS
from pi_app.settings.wiring_section import WiringSettings


def wired(settings: Settings) -> Wiring:
    """The wiring of this table. Raises UserFileError with every problem if it cannot be wired."""
    insist(settings)
    tables = [_Table(pi_host(settings), settings)]
    for name in settings.hubs:
        channels = [square.channel or 0 for square in settings.squares.values() if square.hub == name]
        if channels:
            tables.append(_Table(hub_host(name, channels), settings))
    made = [_made(table) for table in tables]
    cables = tuple(
        Lead(f"U-{table.host.buses[0].name}", PI_NAME, table.host.part.id, settings.wiring.usb_m, (), usb=True)
        for table in tables[1:]
    )
    return Wiring(
        name=settings.table.name,
        chosen=settings.wiring,
        parts=tuple(part for each in made for part in each.parts),
        buses=tuple(bus.line for table in tables for bus in table.host.buses),
        leads=(*(lead for each in made for lead in each.leads), *cables),
        fitted=tuple(one for each in made for one in each.fitted),
        segments=tuple(segment for each in made for segment in each.segments),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """One host and the settings of everything connected to it."""

    host: WiringHost
    settings: Settings

    @property
    def chosen(self) -> WiringSettings:
        return self.settings.wiring

    @property
    def is_pi(self) -> bool:
        return self.host.part.id == PI_ID

    def squares(self, bus: HostBus) -> list[SquareSettings]:
        """The squares on this bus."""
        each = self.settings.squares.values()
        return [square for square in each if (square.bus if self.is_pi else square.hub) == bus.name]

    def screens(self, bus: HostBus) -> list[tuple[str, ScreenSettings]]:
        """The screens on this bus, with their seats' keys."""
        seats = self.settings.seats.items() if self.is_pi else ()
        return [(key, seat.screen) for key, seat in seats if seat.screen is not None and seat.screen.bus == bus.name]

    def seats(self) -> Mapping[str, SeatSettings]:
        """The seats whose buttons and lamps are connected to this host."""
        return self.settings.seats if self.is_pi else {}


@dataclass(frozen=True, slots=True)
class _Made:
    parts: tuple[Part, ...]
    leads: tuple[Lead, ...]
    fitted: tuple[Fitted, ...]
    segments: tuple[CopperSegment, ...]


def _made(table: _Table) -> _Made:
    connected = [*_regulator(table)]
    for bus in table.host.buses:
        connected += [*_switch(table, bus), *_muxes(table, bus), *_tiles(table, bus), *_screens(table, bus)]
    connected += _seats(table)
    host = table.host
    buses = [source for bus in host.buses for source in (bus.sda, bus.scl)]
    join = joined([each.lead for each in connected], [host.v33, host.ground, *buses])
    parts = (host.part, *join.strips, *(part for each in connected for part in each.parts))
    by_id = {part.id: part for part in parts}
    segments = [segment for bus in host.buses for segment in segments_of(bus, by_id, join.leads, table.chosen)]
    return _Made(parts, join.leads, tuple(fitted(host, by_id, join, table.chosen)), tuple(segments))


@dataclass(frozen=True, slots=True)
class _Connected:
    """Parts and their lead."""

    parts: tuple[Part, ...]
    lead: WantedLead


def _wires(part: str, **sources: Source) -> tuple[WantedWire, ...]:
    """A wire to each of these pins of a part."""
    return tuple(WantedWire(source, PartPin(part, pin)) for pin, source in sources.items())


# --------------------------------------------------------------------------------------------- supply and muxes


def _regulator(table: _Table) -> Iterator[_Connected]:
    host, chosen = table.host, table.chosen
    if not table.is_pi or chosen.supply == "pi":
        return
    id_ = "regulator"
    model = f"3.3 V regulator for {chosen.supply_ma} mA or more"
    set_to = "its input has a supply of its own, never pin 2 or 4 of the Pi"
    wires = _wires(id_, OUT=host.v33, GND=host.ground)
    part = Part(id_, PartKind.REGULATOR, id_, model, PI_ID, set_to=set_to)
    yield _Connected((part,), WantedLead("P-regulator", id_, chosen.trunk_m, wires))


def _switch(table: _Table, bus: HostBus) -> Iterator[_Connected]:
    """A switch that power-cycles the tiles and screens of a bus, as a last resort."""
    if bus.switch_gpio is None:
        return
    host, id_ = table.host, f"switch {bus.name}"
    control = host.gpio(bus.switch_gpio)
    high = table.settings.buses[bus.name].power_active_high
    part = Part(
        id_,
        PartKind.SWITCH,
        f"load switch of bus {bus.name}",
        "high-side load switch, 3.3 V",
        host.part.id,
        bus.name,
        set_to=f"on while ON is {'high' if high else 'low'}, and on while nothing drives it",
    )
    wires = _wires(id_, IN=host.v33, GND=host.ground, ON=_single(control, Colour.BROWN, host))
    yield _Connected((part,), WantedLead(f"P-switch-{bus.name}", part.name, table.chosen.trunk_m, wires))


def _muxes(table: _Table, bus: HostBus) -> Iterator[_Connected]:
    host = table.host
    for mux in bus.muxes:
        id_ = mux_id(host, bus, mux.address)
        wires = _wires(id_, VIN=host.v33, GND=host.ground, SDA=bus.sda, SCL=bus.scl)
        if mux.reset_gpio is not None:
            wires += _wires(id_, RESET=_reset(host, bus, mux))
        name = f"mux 0x{mux.address:02X}"
        if not table.is_pi:
            name = f"{name} of {host.part.name}"
        elif len(host.buses) > 1:
            name = f"{name} of bus {bus.name}"
        part = Part(
            id_,
            PartKind.MUX,
            name,
            "TCA9548A",
            host.part.id,
            bus.name,
            (I2cChip("TCA9548A", mux.address),),
            set_to=mux_straps(mux.address),
        )
        label = f"{'B' if table.is_pi else 'H'}-{bus.name}-{mux.address:02X}"
        yield _Connected((part,), WantedLead(label, part.name, table.chosen.trunk_m, wires))


def mux_id(host: WiringHost, bus: HostBus, address: int) -> str:
    """The id of a mux's part."""
    return f"{host.prefix}mux 0x{address:02X}" if host.prefix else f"mux {bus.name} 0x{address:02X}"


def mux_straps(address: int) -> str:
    """How A2, A1 and A0 of a TCA9548A are wired for this address (SCPS207 table 1)."""
    high = [f"A{bit}" for bit in (2, 1, 0) if address >> bit & 1]
    low = [f"A{bit}" for bit in (2, 1, 0) if not address >> bit & 1]
    straps = [f"{_and(pins)} to {where}" for pins, where in ((high, "3.3 V"), (low, "ground")) if pins]
    return ", ".join(straps)


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _reset(host: WiringHost, bus: HostBus, mux: WantedMux) -> Source:
    """RESET of a mux: its own pin of the Pi, or the strip of its bus if muxes share a pin or belong to a hub."""
    pin = host.gpio(mux.reset_gpio or 0)
    alone = sum(other.reset_gpio == mux.reset_gpio for other in bus.muxes) == 1
    if host.part.id == PI_ID and alone:
        return _single(pin, Colour.WHITE, host)
    return Source("RESET", Colour.WHITE, (pin,), bus.sda.strip, host.part.id, host.part.name, bus.name)


def _single(pin: PartPin, colour: Colour, host: WiringHost) -> Source:
    """A pin for a single wire."""
    return Source(pin.called, colour, (pin,), f"{pin.called} strip", host.part.id, host.part.name)


# -------------------------------------------------------------------------------------------- tiles and screens


def _lines(table: _Table, bus: HostBus, mux: int | None, channel: int | None) -> tuple[Source, Source]:
    """The sources of SDA and SCL for a part on this bus."""
    host = table.host
    if mux is None or channel is None:
        return bus.sda, bus.scl
    id_ = mux_id(host, bus, mux)
    strip = f"{bus.name} 0x{mux:02X} channel {channel} strip"
    near = f"{host.prefix or bus.name + ' '}mux 0x{mux:02X} channel {channel}"
    sda = Source("SDA", Colour.BLUE, (PartPin(id_, f"SD{channel}"),), strip, host.part.id, near, bus.name)
    scl = Source("SCL", Colour.YELLOW, (PartPin(id_, f"SC{channel}"),), strip, host.part.id, near, bus.name)
    return sda, scl


def _tiles(table: _Table, bus: HostBus) -> Iterator[_Connected]:
    for square in table.squares(bus):
        mux, channel = square.mux, square.channel
        if not table.is_pi and channel is not None:
            mux, channel = HUB_MUX + channel // CHANNELS, channel % CHANNELS
        sda, scl = _lines(table, bus, mux, channel)
        id_ = square.label
        chips = [I2cChip(square.kind.part, square.address)]
        if square.memory is not None:
            chips.append(I2cChip(square.memory.upper(), MEMORY_ADDRESS))
        part = Part(
            id_,
            PartKind.TILE,
            f"tile {square.label}",
            square.kind.part,
            table.host.part.id,
            bus.name,
            tuple(chips),
            mux,
            channel,
            _tile_straps(square),
        )
        wires = _wires(id_, VCC=bus.power, GND=table.host.ground, SDA=sda, SCL=scl)
        length = table.chosen.lead_m if square.lead_m is None else square.lead_m
        yield _Connected((part,), WantedLead(f"D-{square.label}", part.name, length, wires))


def _tile_straps(square: SquareSettings) -> str:
    straps = square.kind.straps.format(direction="ground" if square.invert else "3.3 V")
    address = f"its address set to 0x{square.address:02X}" if square.kind.set_by else ""
    return "; ".join(filter(None, (straps, address)))


def _screens(table: _Table, bus: HostBus) -> Iterator[_Connected]:
    for key, screen in table.screens(bus):
        sda, scl = _lines(table, bus, screen.mux, screen.channel)
        id_ = f"screen {key}"
        part = Part(
            id_,
            PartKind.SCREEN,
            f"screen of seat {key}",
            f"OLED 128x64, {SCREENS[screen.chip].part}",
            table.host.part.id,
            bus.name,
            (I2cChip(SCREENS[screen.chip].part, screen.address),),
            screen.mux,
            screen.channel,
            f"its solder bridge at 0x{screen.address:02X}",
        )
        wires = _wires(id_, VCC=bus.power, GND=table.host.ground, SDA=sda, SCL=scl)
        length = table.chosen.screen_m if screen.lead_m is None else screen.lead_m
        yield _Connected((part,), WantedLead(f"O-{key}", part.name, length, wires))


# -------------------------------------------------------------------------------------------------------- seats


def _seats(table: _Table) -> Iterator[_Connected]:
    """A button and a lamp on one lead."""
    for key, seat in table.seats().items():
        button = Part(f"button {key}", PartKind.BUTTON, f"button of seat {key}", "push button", PI_ID)
        wires = [
            _at(table, seat.button_gpio, PartPin(button.id, "1"), Colour.GREEN),
            WantedWire(table.host.ground, PartPin(button.id, "2")),
        ]
        parts = [button]
        if seat.lamp_gpio is not None or seat.lamp is not None:
            lamp, at_lamp = _lamp(table, key, seat)
            parts.append(lamp)
            wires += at_lamp
        length = table.chosen.seat_m if seat.lead_m is None else seat.lead_m
        yield _Connected(tuple(parts), WantedLead(f"S-{key}", f"seat {key}", length, tuple(wires)))


def _lamp(table: _Table, key: str, seat: SeatSettings) -> tuple[Part, list[WantedWire]]:
    id_, name = f"lamp {key}", f"lamp of seat {key}"
    if seat.lamp is None:
        part = Part(id_, PartKind.LAMP, name, "LED", PI_ID, set_to="its long leg is +")
        plus = _at(table, seat.lamp_gpio or 0, PartPin(id_, "+"), Colour.ORANGE)
        return part, [plus, WantedWire(table.host.ground, PartPin(id_, "-"))]
    common = seat.lamp.common
    part = Part(id_, PartKind.LAMP, name, f"LED of three colours, common {common}", PI_ID)
    legs = zip(seat.lamp.gpios, "RGB", (Colour.ORANGE, Colour.VIOLET, Colour.GREY), strict=True)
    wires = [_at(table, gpio, PartPin(id_, leg), colour) for gpio, leg, colour in legs]
    if common == "cathode":
        return part, [*wires, WantedWire(table.host.ground, PartPin(id_, "common"))]
    return part, [*wires, WantedWire(table.host.v33, PartPin(id_, "common"))]


def _at(table: _Table, gpio: int, far: PartPin, colour: Colour) -> WantedWire:
    return WantedWire(_single(table.host.gpio(gpio), colour, table.host), far)
