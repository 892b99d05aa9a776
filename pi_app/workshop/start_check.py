"""Before a game: what must be refused, with all of it at once, and what the referee has to know.

A dial that does not answer, or has lost its magnet, is no reason not to play: it is a state, which the loop tells and
ends by itself when the dial is back. A bus or a mux that is not there, another chip than the settings name, something
that answers together with the dials, a pin that cannot be had: with these a game would tell of dials that are not
where it thinks, or of none, so it is not begun.
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
    """What was found: `refused` keeps a game from beginning, `noticed` is told to the referee. Whole sentences."""

    refused: tuple[str, ...]
    noticed: tuple[str, ...]

    def insist(self) -> None:
        """Raises WiringRefusedError with every problem that keeps a game from beginning."""
        if self.refused:
            raise WiringRefusedError(self.refused)


def start_check(settings: Settings, parts: Parts, host: Host) -> StartCheck:
    """Look at every part that the game needs, and reckon whether its wiring keeps its limits. The caller closes
    `parts`."""
    found = sorted_out(before_play(settings, parts, host))
    return StartCheck(found.refused, (*found.noticed, *_reckoned(settings, host)))


def _reckoned(settings: Settings, host: Host) -> tuple[str, ...]:
    """Nothing if nobody knows the pins of its buses, as behind the kernel's mux: such a table plays all the same."""
    try:
        return noticed(settings, spi=spi_is_on(host))
    except UserFileError:
        return ()


def sorted_out(checks: Iterable[Check]) -> StartCheck:
    """Each problem once. What was only not looked at because of another one is left out, and so is what is well."""
    refused: dict[str, None] = {}
    noticed: dict[str, None] = {}
    for check in checks:
        if check.refuses:
            refused[check.words] = None
        elif check.sign is Sign.FAILS:
            noticed[check.words] = None
    return StartCheck(tuple(refused), tuple(noticed))
