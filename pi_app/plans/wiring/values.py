"""The values of a wiring: parts with pins, leads with wires, resistors and capacitors, and the stretches of I2C line
that they form. All are frozen; `nets` makes them, everything else only reads them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.settings.wiring_section import WiringSettings


class Colour(enum.StrEnum):
    """Of a wire's insulation; each has one meaning on the whole table."""

    RED = "red"
    BLACK = "black"
    BLUE = "blue"
    YELLOW = "yellow"
    WHITE = "white"
    GREEN = "green"
    ORANGE = "orange"
    VIOLET = "violet"
    GREY = "grey"
    BROWN = "brown"


MEANING: Final[dict[Colour, str]] = {
    Colour.RED: "3.3 V",
    Colour.BLACK: "ground",
    Colour.BLUE: "SDA",
    Colour.YELLOW: "SCL",
    Colour.WHITE: "RESET of a mux",
    Colour.GREEN: "button",
    Colour.ORANGE: "lamp, or its red leg",
    Colour.VIOLET: "green leg of a lamp of three colours",
    Colour.GREY: "blue leg of a lamp of three colours",
    Colour.BROWN: "control of a load switch",
}


class PartKind(enum.StrEnum):
    """The kind of a part."""

    PI = "Raspberry Pi"
    HUB = "hub"
    REGULATOR = "regulator"
    SWITCH = "load switch"
    STRIP = "strip"
    MUX = "mux"
    TILE = "tile"
    SCREEN = "screen"
    BUTTON = "button"
    LAMP = "lamp"


@dataclass(frozen=True, slots=True)
class I2cChip:
    """A chip that answers on I2C: its model, and its 7-bit address."""

    model: str
    address: int


@dataclass(frozen=True, slots=True)
class Part:
    """One physical part.

    `id` is unique, such as `mux dials 0x70` or `T01`; `name` is for pages; `host` is the id of its Pi or hub; `bus`,
    `mux` and `channel` say where it is connected, if anywhere. `set_to`: how to set its straps or bridges.
    """

    id: str
    kind: PartKind
    name: str
    model: str
    host: str
    bus: str = ""
    chips: tuple[I2cChip, ...] = ()
    mux: int | None = None
    channel: int | None = None
    set_to: str = ""


@dataclass(frozen=True, slots=True)
class PartPin:
    """A pin of a part: the printed name, and what it is called (`3` and `GPIO 2` on a Pi; `SD0` on a mux)."""

    part: str
    name: str
    called: str = ""


@dataclass(frozen=True, slots=True)
class Conductor:
    """One wire. `near` is the end towards the Pi or hub."""

    colour: Colour
    near: PartPin
    far: PartPin


@dataclass(frozen=True, slots=True)
class Lead:
    """One cable with a label at both ends. `label` is short and unique; `near` and `far` describe the two ends. A USB
    cable has no wires here."""

    label: str
    near: str
    far: str
    length_m: float
    wires: tuple[Conductor, ...]
    twisted: tuple[tuple[Colour, Colour], ...] = ()
    usb: bool = False


@dataclass(frozen=True, slots=True)
class Fitted:
    """A resistor, a capacitor or a protection diode between two pins. `value` such as `4.7 kOhm` or `100 nF`; `at`: the
    place to solder it; `why`: its purpose."""

    value: str
    ends: tuple[PartPin, PartPin]
    at: str
    why: str


@dataclass(frozen=True, slots=True)
class PullUp:
    """A resistor from SDA and an equal one from SCL to 3.3 V. `at`: the part that carries them."""

    ohm: int
    at: str


@dataclass(frozen=True, slots=True)
class CopperSegment:
    """Connected SDA and SCL lines: a bus with all its muxes closed (`channel` None), or its trunk with one channel of
    one mux open.

    `length_m`: of all its cables. `parts`: ids of the parts whose chips load it, including the Pi or hub.
    """

    host: str
    bus: str
    speed_hz: int
    length_m: float
    chips: int
    parts: tuple[str, ...]
    pull_ups: tuple[PullUp, ...]
    mux: int | None = None
    channel: int | None = None

    @property
    def place(self) -> str:
        """In words, for messages."""
        if self.mux is None:
            return f"bus {self.bus}"
        return f"bus {self.bus} mux 0x{self.mux:02X} channel {self.channel}"


@dataclass(frozen=True, slots=True)
class BusLine:
    """A bus and its two pins on its host. `config` is its line of config.txt, empty for a hub."""

    host: str
    name: str
    device: str
    speed_hz: int
    sda: PartPin
    scl: PartPin
    config: str = ""


@dataclass(frozen=True, slots=True)
class Wiring:
    """The wiring of a whole table."""

    name: str
    chosen: WiringSettings
    parts: tuple[Part, ...]
    buses: tuple[BusLine, ...]
    leads: tuple[Lead, ...]
    fitted: tuple[Fitted, ...]
    segments: tuple[CopperSegment, ...]

    def part(self, wanted: str) -> Part:
        """The part with this id. Raises KeyError if there is none."""
        for part in self.parts:
            if part.id == wanted:
                return part
        raise KeyError(wanted)

    def of(self, *kinds: PartKind) -> Sequence[Part]:
        """Parts of these kinds, in order."""
        return [part for part in self.parts if part.kind in kinds]
