"""Before a game: all problems that refuse it at once, and those that the referee has to know.

A dial that does not answer, or has lost its magnet, does not refuse a game: the loop reports it, and reports when the
dial is back. A missing bus or mux, another chip than the settings name, something that answers together with the
dials, or an unusable pin refuses it: the game would report wrong positions, or none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hardware.host import Host
from pi_app.plans.config_txt import spi_is_on
from pi_app.plans.wiring.checks import noticed
from pi_app.play.parts import Parts
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError, WiringRefusedError
from pi_app.workshop.doctor import Check, Sign, before_play


@dataclass(frozen=True, slots=True)
class StartCheck:
    """Problems in whole sentences: `refused` keeps a game from beginning, `noticed` is told to the referee."""

    refused: tuple[str, ...]
    noticed: tuple[str, ...]

    def insist(self) -> None:
        """Raises WiringRefusedError with every problem that keeps a game from beginning."""
        if self.refused:
            raise WiringRefusedError(self.refused)


def start_check(settings: Settings, parts: Parts, host: Host) -> StartCheck:
    """Check every part that the game needs, and calculate whether its wiring keeps its limits. The caller closes
    `parts`."""
    found = sorted_out(before_play(settings, parts, host))
    return StartCheck(found.refused, (*found.noticed, *_calculated(settings, host)))


def _calculated(settings: Settings, host: Host) -> tuple[str, ...]:
    """Return nothing if the pins of its buses are unknown, as behind the kernel's mux: such a table can be played."""
    try:
        return noticed(settings, spi=spi_is_on(host))
    except UserFileError:
        return ()


def sorted_out(checks: Iterable[Check]) -> StartCheck:
    """Sort failed checks, each once. Leave out those that were not made because of another failure."""
    refused: dict[str, None] = {}
    noticed: dict[str, None] = {}
    for check in checks:
        if check.refuses:
            refused[check.words] = None
        elif check.sign is Sign.FAILS:
            noticed[check.words] = None
    return StartCheck(tuple(refused), tuple(noticed))
