"""The twins of all encoders, by the names that their kinds have in the settings.

A twin is a file of this folder with `make_twin`, and its line here. The file is read when the first such twin is made.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from hardware.sims.encoder_twin import EncoderTwin, TwinPlace

TWINS: Final = (
    "as5600",
    "as5600l",
    "mt6701",
    "as5048b",
    "seesaw",
)


def encoder_twin(name: str, at: TwinPlace) -> EncoderTwin:
    """Return a new twin of this kind at this place. Raises ValueError for a kind without one."""
    if name not in TWINS:
        raise ValueError(f"no simulated encoder is called {name!r}")
    twin = import_module(f"hardware.sims.{name}").make_twin(at)
    assert isinstance(twin, EncoderTwin)
    return twin
