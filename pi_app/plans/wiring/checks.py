"""All checks before power: failing, unsure and passed.

Nothing is measured: every figure is calculated from the settings, and every limit has its source. Problems that loading
the settings already refuses are listed too, so that a builder sees that they were checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pi_app.plans.check import Sign
from pi_app.plans.wiring.check import WiringCheck
from pi_app.plans.wiring.copper import copper
from pi_app.plans.wiring.jobs import jobs
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.pace import pace
from pi_app.plans.wiring.supply import supply
from pi_app.plans.wiring.values import Wiring
from pi_app.settings.model import Settings


def checks(wiring: Wiring, settings: Settings, *, spi: bool = False) -> Sequence[WiringCheck]:
    """Every check of this table, in the order of building. `spi`: whether config.txt switches SPI on."""
    return (
        *supply(wiring, settings),
        *jobs(wiring, settings, spi=spi),
        *copper(wiring),
        *pace(wiring, settings),
    )


def failed(found: Iterable[WiringCheck]) -> bool:
    """Whether any check fails."""
    return any(check.sign is Sign.FAILS for check in found)


def failing(found: Iterable[WiringCheck]) -> list[str]:
    """A line for each failing check."""
    return [str(check) for check in found if check.sign is Sign.FAILS]


def table(found: Iterable[WiringCheck]) -> list[str]:
    """One line per check, with the doctor's signs, and a last line with totals."""
    found = list(found)
    good, bad, unsure = (sum(check.sign is sign for check in found) for sign in (Sign.GOOD, Sign.FAILS, Sign.UNSURE))
    return [*map(str, found), f"{good} ok, {bad} failing, {unsure} to check"]


def json_lines(found: Iterable[WiringCheck]) -> list[str]:
    """One JSON object per check."""
    return [json.dumps(check.facts()) for check in found]


KNOWN_FROM_LOADING = ("addresses", "pins of the serial console", "resets", "screens")
"""Checks of which loading the settings already warns."""


def noticed(settings: Settings, *, spi: bool = False) -> tuple[str, ...]:
    """The notices before a game: every check that is not GOOD and of which loading the settings did not warn.

    `spi`: as for `checks`. Raises UserFileError if this table cannot be wired.
    """
    return tuple(
        check.words
        for check in checks(wired(settings), settings, spi=spi)
        if check.sign is not Sign.GOOD and check.part not in KNOWN_FROM_LOADING
    )
