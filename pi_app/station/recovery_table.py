"""The recovery table: a station that claims no hardware, and says what failed.

It opens no bus, no pin, no hub and no journal, so whatever made the table fail cannot make this fail. The public
display and the staff page go on, with the reason in words.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pi_app.station.health import Health
from pi_app.station.recovery import Decision, Why
from pi_app.station.service import Service
from pi_app.text.language import N_, words

ROUND_S: Final = 0.25

WHAT_FAILED: Final = N_("Seen before it stopped: {words}")
UNKNOWN: Final = N_("Nothing was said before it stopped: look for a loose plug at the power, or write the card again.")

Tell = Callable[[Mapping[str, str]], None]
"""Shows everybody these sentences: one text for each language."""


def sentences(decision: Decision, language: str) -> str:
    """Return what a recovery table says in a language. What failed is said as it was said then."""
    translated, why = words(language), decision.why or Why.FAILED
    if not decision.words:
        return f"{translated(why.value)} {translated(UNKNOWN)}"
    return f"{translated(why.value)} {translated(WHAT_FAILED).format(words=' '.join(decision.words))}"


class RecoveryTable:
    """Runs until it has been up long enough, or is stopped."""

    def __init__(
        self,
        service: Service,
        tell: Tell,
        languages: Sequence[str],
        step: Callable[[], int | None] = lambda: None,
    ) -> None:
        """`step` serves the phones' pages for one round, if there are any, and returns when they last answered."""
        self._service, self._tell, self._step = service, tell, step
        self.said = {language: sentences(service.decision, language) for language in languages}
        self._turned_ns = time.monotonic_ns()
        self._answered_ns: int | None = None
        self._stop = threading.Event()

    def stop(self) -> None:
        """End it after this round. Any thread and any signal handler may call."""
        self._stop.set()

    def health(self) -> Health:
        """Return how it is."""
        return Health(self._turned_ns, {}, self._turned_ns, False, self._answered_ns, turned_ns=self._turned_ns)

    def run(self) -> None:
        """Run it. It is ready at once: nothing is waited for."""
        self._service.ready(self.health)
        self._service.say(next(iter(self.said.values())))
        while not self._stop.wait(ROUND_S) and not self._service.recovery_is_over:
            self._turned_ns = time.monotonic_ns()
            self._tell(self.said)
            self._answered_ns = self._step()
