"""Which encoders there are, and what holds for each kind before anything is wired.

A kind is the file of its driver in `hardware/chips`, and its line here. The file is read when somebody asks for the
first chip of that kind, so a table loads only the chips that it has. Its twin is in `hardware.sims.encoders`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hardware.kinds import Kinds

if TYPE_CHECKING:
    from hardware.bus import Bus
    from hardware.chips.dial_chip import DialChip

STEPS_PER_TURN: Final = 24
"""Of the shaft of an encoder that counts steps."""

ANY_FREE: Final = tuple(range(0x08, 0x78))
"""The addresses that a chip may have (NXP UM10204 table 4)."""


@dataclass(frozen=True, slots=True)
class EncoderPlace:
    """Where an encoder is. `others`: the addresses of the encoders of its kind on the same bus or channel."""

    bus: Bus
    address: int
    others: Sequence[int] = ()
    steps_per_turn: int = STEPS_PER_TURN


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderKind:
    """One kind of encoder: the value `KIND` in the file of its driver.

    `part`: its name for people. `driver` makes one and sends nothing. `addresses`: the 7-bit addresses that it can
    have, `address` its default. `most_ma`: the current that it takes, in milliamperes. `order`: what to ask a shop for.
    `absolute`: whether it knows its angle after a power cut. `tells_magnet`: whether it reports over I2C if its magnet
    is right. `read_bits`: bit times of its shortest read. `wakes_at`: its address after every power-up, whatever
    address it was given. `set_by`: what selects its address on the board. `straps`: what else is tied there;
    `{direction}` is where its direction pin goes. `fastest_hz`: the fastest clock of its bus, if it is slower than
    others, and `source` the datasheet with it. `clashes`: which parts of other makers have its addresses.
    """

    part: str
    driver: Callable[[EncoderPlace], DialChip]
    addresses: Sequence[int]
    address: int
    counts_per_turn: int
    most_ma: float
    order: str
    absolute: bool = True
    tells_magnet: bool = True
    read_bits: int = 48
    wakes_at: int | None = None
    set_by: str = ""
    straps: str = ""
    fastest_hz: int | None = None
    source: str = ""
    clashes: tuple[tuple[range, str], ...] = ()


ENCODERS: Final = Kinds(
    EncoderKind,
    "as5600",
    "as5600l",
    "mt6701",
    "as5048b",
    "seesaw",
)
