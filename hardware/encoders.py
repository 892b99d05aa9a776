"""Which encoders there are, and what is true of each kind before anything is wired.

Settings, doctor and twins know kinds by these names; the drivers themselves are in `hardware.chips`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

STEPS_PER_TURN: Final = 24
"""Of the shaft of an encoder that counts steps."""

ANY_FREE: Final = tuple(range(0x08, 0x78))
"""The addresses that a chip may have (NXP UM10204 table 4)."""


@dataclass(frozen=True, slots=True)
class EncoderKind:
    """One kind of encoder.

    `addresses`: the 7-bit ones that it can have, `address` the one that it has if nothing is said. `absolute`: whether
    it knows its angle after a power cut. `look_bits`: bit times of its shortest look. `wakes_at`: an address at which
    it is after every power-up, whatever it was given.
    """

    name: str
    part: str
    addresses: Sequence[int]
    address: int
    counts_per_turn: int
    absolute: bool = True
    look_bits: int = 48
    wakes_at: int | None = None


ENCODERS: Final[Mapping[str, EncoderKind]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            EncoderKind("as5600", "AS5600", (0x36,), 0x36, 4096, look_bits=29),
            EncoderKind("as5600l", "AS5600L", ANY_FREE, 0x40, 4096, look_bits=29, wakes_at=0x40),
            EncoderKind("mt6701", "MT6701", (0x06,), 0x06, 16384),
            EncoderKind("as5048b", "AS5048B", (0x40, 0x41, 0x42, 0x43), 0x40, 16384),
            EncoderKind("seesaw", "seesaw encoder", tuple(range(0x36, 0x3E)), 0x36, 3072, absolute=False, look_bits=76),
        )
    }
)
