"""Assign a pin to each wire. A source, such as the Pi's ground, has a few pins; if more wires need it, a terminal strip
is added, and all wires of the strip's sources go there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.plans.wiring.values import Colour, Conductor, Lead, Part, PartKind, PartPin

FEED_M: Final = 0.05
"""From a source to the strip beside it, in metres."""

TWISTED: Final = ((Colour.BLUE, Colour.BLACK), (Colour.YELLOW, Colour.RED))
"""SDA with ground and SCL with 3.3 V; SDA is never twisted with SCL, which would couple them."""


@dataclass(frozen=True, slots=True)
class Source:
    """A signal or supply for wires: `pins` carry it, `near` describes where they are, `rail` is its name on `strip`. A
    source without a pin always has its strip, which a part with a wire to the rail feeds."""

    rail: str
    colour: Colour
    pins: tuple[PartPin, ...]
    strip: str
    host: str
    near: str
    bus: str = ""
    rows: bool = False


@dataclass(frozen=True, slots=True)
class WantedWire:
    """A wire whose near end has no pin yet."""

    source: Source
    far: PartPin

    @property
    def colour(self) -> Colour:
        return self.source.colour


@dataclass(frozen=True, slots=True)
class WantedLead:
    """A cable whose wires have no near pins yet."""

    label: str
    far: str
    length_m: float
    wires: tuple[WantedWire, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """The needed strips, the leads (those that feed strips first), and a pin of each source."""

    strips: tuple[Part, ...]
    leads: tuple[Lead, ...]
    at: Mapping[Source, PartPin]


def joined(wanted: Sequence[WantedLead], always: Iterable[Source] = ()) -> Joined:
    """Give every wire a pin. `always`: sources that must be in `Joined.at` even without a wire."""
    taps = Counter(wire.source for lead in wanted for wire in lead.wires)
    sources = list(dict.fromkeys([*taps, *always]))
    strips = list(dict.fromkeys(source.strip for source in sources if taps[source] > len(source.pins)))
    fed = {strip: [source for source in sources if source.strip == strip] for strip in strips}
    parts = tuple(_strip(strip, members) for strip, members in fed.items())
    feeds = [_feed(strip, members) for strip, members in fed.items()]
    free = {source: list(source.pins) for source in sources if source.strip not in fed}
    at = {source: PartPin(source.strip, source.rail) for members in fed.values() for source in members}
    at |= {source: pins[0] for source, pins in free.items() if pins}
    leads = tuple(_lead(lead, free, at) for lead in wanted)
    return Joined(parts, (*(lead for lead in feeds if lead is not None), *leads), at)


def _strip(strip: str, members: Sequence[Source]) -> Part:
    rails = " and ".join(dict.fromkeys(member.rail for member in members))
    return Part(strip, PartKind.STRIP, strip, f"terminal strip, {rails}", members[0].host, members[0].bus)


def _feed(strip: str, members: Sequence[Source]) -> Lead | None:
    wires = tuple(
        Conductor(member.colour, member.pins[0], PartPin(strip, member.rail)) for member in members if member.pins
    )
    near = " and ".join(dict.fromkeys(member.near for member in members if member.pins))
    return Lead(f"P-{strip.replace(' ', '-')}", near, strip, FEED_M, wires) if wires else None


def _lead(lead: WantedLead, free: Mapping[Source, list[PartPin]], at: Mapping[Source, PartPin]) -> Lead:
    signals = [pins[0] for wire in lead.wires if len(pins := wire.source.pins) == 1 and wire.source in free]
    wires = tuple(
        Conductor(wire.colour, _take_pin(wire.source, free, signals) or at[wire.source], wire.far)
        for wire in lead.wires
    )
    asked = sorted(lead.wires, key=lambda wire: wire.colour in (Colour.RED, Colour.BLACK))
    near = " and ".join(dict.fromkeys(_near(wire.source, free) for wire in asked))
    colours = {wire.colour for wire in wires}
    twisted = tuple(pair for pair in TWISTED if colours.issuperset(pair))
    return Lead(lead.label, near, lead.far, lead.length_m, wires, twisted)


def _take_pin(source: Source, free: Mapping[Source, list[PartPin]], signals: Sequence[PartPin]) -> PartPin | None:
    """Take a free pin of a source; None if it has a strip. `signals`: the pins of the lead that it cannot choose."""
    if source not in free:
        return None

    def distance(pin: PartPin) -> tuple[int, int]:
        steps = [abs(int(pin.name) - int(signal.name)) for signal in signals if signal.part == pin.part]
        return sum(step % 2 for step in steps), sum(steps)

    pin = min(free[source], key=distance) if source.rows else free[source][0]
    free[source].remove(pin)
    return pin


def _near(source: Source, free: Mapping[Source, list[PartPin]]) -> str:
    return source.near if source in free else source.strip
