"""The recovery table: a station that opens no hardware, and says what failed.

It opens no bus, pin, hub or journal, so what made the table fail cannot make this fail. The public display and the
staff page go on, and give the reason.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pi_app.pages.link import PagesLink
from pi_app.pages.messages import Knock, Refused, StaffAnswer, StaffAsk
from pi_app.station.public.state import PublicState
from pi_app.station.service.health import Answering, StationHealth
from pi_app.station.service.recovery import Decision, Why
from pi_app.station.service.service import Service
from pi_app.station.staff.staff import StationStaff
from pi_app.text.language import N_, words

ROUND_S: Final = 0.25
SECOND_NS: Final = 1_000_000_000

WHAT_FAILED: Final = N_("The last message before it stopped: {words}")
UNKNOWN: Final = N_("There was no message before it stopped: check the power plug, or write the card again.")

Tell = Callable[[Mapping[str, str]], None]
"""Shows everybody these sentences: one text for each language."""


def sentences(decision: Decision, language: str) -> str:
    """Return what a recovery table says in a language. What failed is said as it was said then."""
    translated, why = words(language), decision.why or Why.FAILED
    if not decision.words:
        return f"{translated(why.value)} {translated(UNKNOWN)}"
    return f"{translated(why.value)} {translated(WHAT_FAILED).format(words=' '.join(decision.words))}"


def public_state(said: Mapping[str, str]) -> PublicState:
    """Return what the public displays show of a recovery table: that it is closed, and why."""
    return PublicState(
        state="closed", language=next(iter(said)), languages=tuple(said), says=dict(said), trouble=dict(said)
    )


class RecoveryTable:
    """Runs until it has been up long enough, or is stopped."""

    def __init__(
        self,
        service: Service,
        tell: Tell,
        languages: Sequence[str],
        pages: PagesLink | None = None,
        staff: StationStaff | None = None,
    ) -> None:
        """`pages`: the link to the page process, if there is one; no phone can join. `staff`: of the staff page."""
        self._service, self._tell, self._pages, self._staff = service, tell, pages, staff
        self._answers: list[StaffAnswer] = []
        self._second_ns = 0
        if staff is not None:
            staff.state = "recovery"
            staff.attach(None, pages)
        self.said = {language: sentences(service.decision, language) for language in languages}
        self._turned_ns = time.monotonic_ns()
        self._answered_ns: int | None = None
        self._stop = threading.Event()

    def stop(self) -> None:
        """End it after this round. Any thread and any signal handler may call."""
        self._stop.set()

    def health(self) -> StationHealth:
        """Return how it is."""
        return StationHealth(self._turned_ns, {}, self._turned_ns, False, self._answered_ns, turned_ns=self._turned_ns)

    def run(self) -> None:
        """Run it. It is ready at once: nothing is waited for."""
        self._service.ready(self.health)
        self._service.say(next(iter(self.said.values())))
        while not self._stop.wait(ROUND_S) and not self._service.recovery_is_over:
            self._turned_ns = time.monotonic_ns()
            self._tell(self.said)
            self._serve_staff()
            self._serve_pages()

    def _serve_staff(self) -> None:
        """Send the status once a second."""
        if self._staff is not None and self._turned_ns - self._second_ns >= SECOND_NS:
            self._second_ns = self._turned_ns
            self._staff.tick()

    def _serve_pages(self) -> None:
        """Answer phones that want to join: no game is on. The staff's answers leave a round later, so their
        timing does not show how long the arithmetic took."""
        if self._pages is None:
            return
        while self._answers:
            self._pages.send(self._answers.pop())
        for message in self._pages.take():
            match message:
                case Knock(conn):
                    self._pages.send(Refused(conn, "game"))
                case StaffAsk(conn, body) if self._staff is not None:
                    self._answers.append(StaffAnswer(conn, self._staff.answer(body, time.monotonic_ns())))
        self._answered_ns = self._pages.answered_ns if isinstance(self._pages, Answering) else None
