"""Which encoders there are, what holds for each kind before anything is wired, and how its driver is made.

Settings, doctor and twins know the kinds by these names. A driver in `hardware.chips` is imported when the first chip
of its kind is made, so a table loads only the chips that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

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


def _as5600(at: EncoderPlace) -> DialChip:
    from hardware.chips.as5600 import As5600

    return As5600(at.bus, at.address)


def _as5600l(at: EncoderPlace) -> DialChip:
    from hardware.chips.as5600l import As5600L

    return As5600L(at.bus, at.address, at.others)


def _mt6701(at: EncoderPlace) -> DialChip:
    from hardware.chips.mt6701 import Mt6701

    return Mt6701(at.bus, at.address)


def _as5048b(at: EncoderPlace) -> DialChip:
    from hardware.chips.as5048b import As5048b

    return As5048b(at.bus, at.address)


def _seesaw(at: EncoderPlace) -> DialChip:
    from hardware.chips.seesaw import Seesaw

    return Seesaw(at.bus, at.address, at.steps_per_turn)


@dataclass(frozen=True, slots=True)
class EncoderKind:
    """One kind of encoder.

    `driver` makes one and sends nothing. `addresses`: the 7-bit addresses that it can have, `address` its default.
    `absolute`: whether it knows its angle after a power cut. `read_bits`: bit times of its shortest read. `wakes_at`:
    its address after every power-up, whatever address it was given.
    """

    name: str
    part: str
    driver: Callable[[EncoderPlace], DialChip]
    addresses: Sequence[int]
    address: int
    counts_per_turn: int
    absolute: bool = True
    read_bits: int = 48
    wakes_at: int | None = None


_SEESAWS: Final = tuple(range(0x36, 0x3E))

ENCODERS: Final[Mapping[str, EncoderKind]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            EncoderKind("as5600", "AS5600", _as5600, (0x36,), 0x36, 4096, read_bits=29),
            EncoderKind("as5600l", "AS5600L", _as5600l, ANY_FREE, 0x40, 4096, read_bits=29, wakes_at=0x40),
            EncoderKind("mt6701", "MT6701", _mt6701, (0x06,), 0x06, 16384),
            EncoderKind("as5048b", "AS5048B", _as5048b, (0x40, 0x41, 0x42, 0x43), 0x40, 16384),
            EncoderKind("seesaw", "seesaw encoder", _seesaw, _SEESAWS, 0x36, 3072, absolute=False, read_bits=76),
        )
    }
)
