"""All checks before power: what must not be built so, what should be looked at, and what was found well.

Nothing is measured here: every figure is reckoned from the settings, and every limit has its source. What the settings'
own reading already refuses is still listed, so that a builder sees that it was looked at.
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
from pi_app.settings.load import Settings


def checks(wiring: Wiring, settings: Settings, *, spi: bool = False) -> Sequence[WiringCheck]:
    """Every check of this table, in the order in which a builder meets them. `wiring` is that of these `settings`;
    `spi`: whether config.txt switches SPI on."""
    return (
        *supply(wiring, settings),
        *jobs(wiring, settings, spi=spi),
        *copper(wiring),
        *pace(wiring, settings),
    )


def failed(found: Iterable[WiringCheck]) -> bool:
    """Whether anything must not be built so."""
    return any(check.sign is Sign.FAILS for check in found)


def failing(found: Iterable[WiringCheck]) -> list[str]:
    """A line for each that must not be built so."""
    return [str(check) for check in found if check.sign is Sign.FAILS]


def table(found: Iterable[WiringCheck]) -> list[str]:
    """One line for each, with the doctor's signs, and a last one that counts."""
    found = list(found)
    good, bad, unsure = (sum(check.sign is sign for check in found) for sign in (Sign.GOOD, Sign.FAILS, Sign.UNSURE))
    return [*map(str, found), f"{good} ok, {bad} failing, {unsure} to look at"]


def json_lines(found: Iterable[WiringCheck]) -> list[str]:
    """One JSON object for each."""
    return [json.dumps(check.facts()) for check in found]


TOLD_AT_READING = ("addresses", "pins of the serial console", "resets", "screens")
"""Parts of which the settings warn by themselves."""


def noticed(settings: Settings, *, spi: bool = False) -> tuple[str, ...]:
    """What should be told before a game: every check that is not well and that the settings did not warn of.

    `spi`: as for `checks`. Raises UserFileError if nobody knows how this table is wired.
    """
    return tuple(
        check.words
        for check in checks(wired(settings), settings, spi=spi)
        if check.sign is not Sign.GOOD and check.part not in TOLD_AT_READING
    )
