"""How much filament the printed parts take, without the geometry library: their volumes are written down here, and a
test compares them with the solids."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

VOLUMES_CM3: Final[Mapping[str, float]] = {
    "comb": 8.7,
    "gauge": 1.1,
    "top": 12.0,
    "dial": 4.9,
    "spring": 0.3,
    "carrier": 7.1,
    "base": 6.1,
    "clamp": 0.3,
    "hood": 8.8,
}
"""Of the solids, rounded up; of a dial, the heaviest from 6 to 24 clicks."""
PETG_PARTS: Final = ("gauge", "dial", "spring")
PLA_G_CM3, PETG_G_CM3 = 1.24, 1.27
WASTE: Final = 0.10
"""For skirts, purging and one part that fails."""
ASSUMED: Final = "if every part is printed solid (100 % infill), plus a tenth"


class Filament(NamedTuple):
    """Grams of filament."""

    pla: int
    petg: int


def filament(squares: int, hoods: int) -> Filament:
    """For the comb and the gauge once, so many squares, and so many hoods."""
    copies = {"comb": 1, "gauge": 1, "hood": hoods}
    pla = petg = 0.0
    for name, volume in VOLUMES_CM3.items():
        grown = volume * copies.get(name, squares) * (1 + WASTE)
        if name in PETG_PARTS:
            petg += grown * PETG_G_CM3
        else:
            pla += grown * PLA_G_CM3
    return Filament(math.ceil(pla), math.ceil(petg))
