"""What a wiring consists of: parts with pins, leads with wires, resistors and capacitors, and the stretches of I2C line
that they make. All of it frozen; `nets` makes it, everything else only reads it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.settings.wiring_section import WiringSettings


class Colour(enum.StrEnum):
    """Of a wire's insulation; each means one thing all over the table."""

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
    """What a part is."""

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
    """One thing that a builder holds in a hand.

    `id` is unique, such as `mux dials 0x70` or `T01`; `name` is what pages call it; `host` is the id of the Pi or hub
    that it belongs to; `bus` the bus that it hangs on, if any; `channel` that of the mux behind which it hangs.
    `set_to` says how its straps or bridges are set, in words.
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
    """A pin of a part: what is printed there, and what it is called (`3` and `GPIO 2` on a Pi; `SD0` on a mux)."""

    part: str
    name: str
    called: str = ""


@dataclass(frozen=True, slots=True)
class Conductor:
    """One conductor. `near` is the end at the Pi's or hub's side."""

    colour: Colour
    near: PartPin
    far: PartPin


@dataclass(frozen=True, slots=True)
class Lead:
    """One cable with a label at both ends. `label` is short and unique, `near` and `far` say in words where each end
    goes. A USB cable has no wires of its own here."""

    label: str
    near: str
    far: str
    length_m: float
    wires: tuple[Conductor, ...]
    twisted: tuple[tuple[Colour, Colour], ...] = ()
    usb: bool = False


@dataclass(frozen=True, slots=True)
class Fitted:
    """A resistor, a capacitor or a protection array between two pins. `value` such as `4.7 kOhm` or `100 nF`; `at` says
    where it is soldered; `why` what it is for."""

    value: str
    ends: tuple[PartPin, PartPin]
    at: str
    why: str


@dataclass(frozen=True, slots=True)
class PullUp:
    """A resistor from SDA, and one like it from SCL, to 3.3 V. `at` is the part that carries it."""

    ohm: int
    at: str


@dataclass(frozen=True, slots=True)
class CopperSegment:
    """A stretch of SDA and SCL that is one piece of copper while it is in use: a bus with all its muxes closed
    (`channel` None), or with one channel of one mux open, trunk included.

    `length_m`: of all cables on it. `parts`: ids of the parts whose chips load it, the Pi or hub itself among them.
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
        """In words, as messages say it."""
        if self.mux is None:
            return f"bus {self.bus}"
        return f"bus {self.bus} mux 0x{self.mux:02X} channel {self.channel}"


@dataclass(frozen=True, slots=True)
class BusLine:
    """A bus and its two pins: `sda` and `scl` are pins of its host. `config` is its line of config.txt, empty for a
    hub's."""

    host: str
    name: str
    device: str
    speed_hz: int
    sda: PartPin
    scl: PartPin
    config: str = ""


@dataclass(frozen=True, slots=True)
class Wiring:
    """A whole table."""

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
        """Parts of these kinds, in their order."""
        return [part for part in self.parts if part.kind in kinds]
