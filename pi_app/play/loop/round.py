"""The round of the table's loop: look, listen, show, rest.

It is handed parts and makes none. Nothing here knows whether a part is real or a twin.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hardware.clock import Clock
from hardware.readings import Trouble
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.sampling import Sampling
from pi_app.dials.tracker import Tracker
from pi_app.game import events as ev
from pi_app.game.conversion import Figure
from pi_app.journal import Journal
from pi_app.play.feed import Feed, Look, rounds
from pi_app.play.garbage import tidy
from pi_app.play.loop.beginning import Beginning
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.players import Players
from pi_app.play.loop.sitting import Sitting
from pi_app.play.loop.turns import Turns
from pi_app.play.loop.typed import TypedWords
from pi_app.play.machine_notices import News, NoNews
from pi_app.play.seats_and_dials import DialPlace, Listener, SeatPlace, Timing
from pi_app.report.visibility import Moment

FOREIGN_EVERY_NS: Final = 1_000_000_000

QUIET_AFTER_NS: Final = 20_000_000_000
"""With no game on and nothing stirring for so long, the dials are looked at now and then only."""

QUIET_PERIOD_NS: Final = 40_000_000
"""From step to step at a quiet table: nobody taps a button for a shorter time."""


class Loop:
    """One table being played."""

    def __init__(
        self,
        *,
        clock: Clock,
        feed: Feed,
        dials: Mapping[str, Tracker],
        seats: Sequence[SeatPlace],
        journal: Journal[Moment, ev.AnyEvent],
        start: Callable[[bool | None], ev.Started],
        pick: Callable[[int], int],
        spawn: Sequence[Figure] = (),
        new_game_id: Callable[[], str],
        roll: Callable[[], int],
        device_rolls: bool = False,
        listeners: Sequence[Listener] = (),
        timing: Timing | None = None,
        resume: tuple[str, Moment] | None = None,
        language: str = "en",
        notes: Sequence[str] = (),
        fingerprints: Fingerprints | None = None,
        machine: News | None = None,
    ) -> None:
        """`pick` gives 0 to n-1, each as likely as the others; `spawn` is the owner's Mage Spawn pool. `roll` gives a
        die of 1 to 6; with `device_rolls` it is rolled at every claim."""
        timing = timing or Timing()
        self.sitting = sitting = Sitting(
            clock=clock,
            journal=journal,
            seats={place.seat: place for place in seats},
            dials={label: DialPlace(tracker) for label, tracker in dials.items()},
            listeners=listeners,
            language=language,
            show_ns=timing.show_ns,
            resume=resume,
        )
        self._watch = DialWatch(sitting, fingerprints or Fingerprints({}))
        self._turns = Turns(sitting, self._watch)
        self._beginning = Beginning(
            sitting,
            self._watch,
            self._turns,
            start=start,
            new_game_id=new_game_id,
            notes=notes,
            resumes=resume is not None,
        )
        self._players = Players(sitting, self._watch, self._turns, self._beginning, die=roll, device_rolls=device_rolls)
        self.feed = feed
        self._typed = TypedWords(
            sitting,
            self._watch,
            self._turns,
            self._beginning,
            self._players,
            pick=pick,
            spawn=spawn,
            rate_hz=self._rate_hz,
        )
        self._machine = machine or NoNews()
        self._period_ns = timing.period_ns
        self._inbox: deque[str] = deque()
        self._foreign_ns = 0
        self._stirred_ns = sitting.step_ns
        self.running = True

    def say(self, line: str) -> None:
        """Hand in a line of the table's command language; it is carried out in the next step. Any thread may call."""
        self._inbox.append(line)

    @property
    def ready(self) -> bool:
        """Whether the dials were seen, so that a game is on or may begin."""
        return self.sitting.ready

    @property
    def moment(self) -> Moment:
        """The game as it stands, and what everybody was told of it."""
        return self.sitting.moment

    def stop(self) -> None:
        """Let `run` end after this step. Any thread and any signal handler may call."""
        self.running = False

    def run(self) -> None:
        """Play until somebody says quit, or calls `stop`."""
        while self.running:
            self.step()

    def step(self) -> None:
        """One round: look, listen, show, rest."""
        began_ns = self.sitting.step_ns = self.sitting.clock.now_ns()
        self._look()
        if not self.sitting.ready:
            self._beginning.begin_when_seen()
        elif self._beginning.due and self.sitting.disk_rested:
            self._beginning.begin()
        for place in self.sitting.seats.values():
            if self._players.listen_to(place):
                self._stirred_ns = began_ns
        while self._inbox and (self.sitting.ready or self._inbox[0].strip().lower() == "quit"):
            self._stirred_ns = began_ns
            if not self._typed.obey(self._inbox.popleft()):
                self.running = False
        self._turns.let_claims_run_out()
        self._watch.note_conditions()
        self._watch.tell_why()
        self._watch.tell_who_is_back()
        self._hear_others()
        self._hear_the_machine()
        self.sitting.refresh_screens()
        self._tidy()
        sampling = self.feed.sampling = self._sampling
        self.feed.rest(began_ns + max(self._period_ns, QUIET_PERIOD_NS if sampling is Sampling.SELDOM else 0))

    @property
    def _sampling(self) -> Sampling:
        """Densely from a claim until it ends, and while a dial is off its rest: any but one that hops, which has no way
        to be seen on."""
        if self._quiet:
            return Sampling.SELDOM
        watched = self.sitting.game.claims or any(
            place.tracker.off_rest and not place.tracker.hopping for place in self.sitting.dials.values()
        )
        return Sampling.DENSE if watched else Sampling.STEADY

    def _rate_hz(self) -> float:
        return self.feed.rate_hz()

    @property
    def _quiet(self) -> bool:
        """No game is on, and for long no dial moved or failed, nobody pressed or said anything."""
        still_ns = self.sitting.step_ns - self._stirred_ns
        return self.sitting.ready and not self.sitting.playing and still_ns > QUIET_AFTER_NS

    def _tidy(self) -> None:
        """Long work of Python's and of the journal's own waits until nobody does."""
        idle = not self.sitting.game.claims
        tidy(idle=idle)
        if idle:
            self.sitting.journal.checkpoint_if_due()

    def _look(self) -> None:
        for one_round in rounds(self.feed.take()):
            self._look_at(one_round)
        self._turns.bind()

    def _look_at(self, looks: Sequence[Look]) -> None:
        starting: list[str] = []
        for label, sample in looks:
            place = self.sitting.dials[label]
            turn = self._watch.follow(label, place, sample)
            if turn is not None:
                self._turns.turned(label, turn)
            if place.tracker.turning or isinstance(sample, Trouble):
                self._stirred_ns = self.sitting.step_ns
            turning = place.tracker.turning and not place.tracker.unseen
            if turning and not place.was_turning:
                starting.append(label)
            place.was_turning = turning
        self._turns.started(starting)

    def _hear_others(self) -> None:
        """Now and then, what another program did to the game."""
        now_ns = self.sitting.clock.now_ns()
        if now_ns - self._foreign_ns < FOREIGN_EVERY_NS or not self.sitting.game_id:
            return
        self._foreign_ns = now_ns
        self._turns.record_what_was_kept()
        self.sitting.catch_up()

    def _hear_the_machine(self) -> None:
        """Power, heat, date, disk, screens: the referee's business, and neither public nor in the record."""
        for line in self._machine.take():
            self.sitting.tell_referee(line)
