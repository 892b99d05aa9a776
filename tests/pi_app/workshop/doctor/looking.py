"""Shared by the doctor's tests: checks of a simulated table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import Check, Sign, examine
from tests.pi_app.hosts import host

SMALL = load(example_path("2x2"))
LARGE = load(example_path("8x4"))

PI_4 = b"Raspberry Pi 4 Model B Rev 1.4\0"
PI_5 = b"Raspberry Pi 5 Model B Rev 1.0\0"


def seen(
    settings: Settings,
    root: Path,
    table: SimulatedTable | None = None,
    meanwhile: Callable[[Check], None] = lambda check: None,
) -> list[Check]:
    """Return all checks of a simulated table; `meanwhile` is called with each."""
    parts = SimulatedTable(settings) if table is None else table
    checks = []
    try:
        for check in examine(replace(settings, where=str(root / "trapdial.toml")), parts, host(root), seconds=0.2):
            checks.append(check)
            meanwhile(check)
    finally:
        parts.close()
    return checks


def line(checks: Sequence[Check], part: str) -> str:
    """Return the one line of a part."""
    (found,) = [check for check in checks if check.part == part]
    return str(found)


def ill(checks: Sequence[Check]) -> list[str]:
    return [str(check) for check in checks if check.sign is not Sign.GOOD]


class Real(SimulatedTable):
    """Twins that claim to be real, so that the machine is checked too."""

    simulated = False
