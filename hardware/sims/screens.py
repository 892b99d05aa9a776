"""The twins of all small screens, by the names that their kinds have in the settings.

A twin is a file of this folder with `make_twin`, and its line here. The file is read when the first such twin is made.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from hardware.sims.oled import OledTwin

TWINS: Final = (
    "ssd1306",
    "sh1106",
)


def screen_twin(name: str, address: int) -> OledTwin:
    """Return a new twin of this kind. Raises ValueError for a kind without one, or an address that it cannot have."""
    if name not in TWINS:
        raise ValueError(f"no simulated screen is called {name!r}")
    twin = import_module(f"hardware.sims.{name}").make_twin(address)
    assert isinstance(twin, OledTwin)
    return twin
