"""The rounds of a table's loop: read the dials, poll the buttons, update the screens, rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from hardware.readings import Trouble
from pi_app.dials.sampling import Sampling
from pi_app.game import events as ev
from pi_app.journal import Journal
from pi_app.play.feed import DialSample, rounds
from pi_app.play.garbage import collect_due
from pi_app.play.gestures import Gesture
from pi_app.play.loop.beginning import Beginning
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.players import Players
from pi_app.play.loop.session import GameSession
from pi_app.play.loop.setup import GameStart, Phones, Randomness, TableOptions, TableParts
from pi_app.play.loop.turns import Turns
from pi_app.play.loop.typed import TypedLines
from pi_app.play.seats_and_dials import Listener
from pi_app.play.typing_pace import MOST_WAITING
from pi_app.report.moment import Moment

OTHERS_EVERY_NS: Final = 1_000_000_000
"""How often the journal is checked for events of other programs."""

QUIET_AFTER_NS: Final = 20_000_000_000
"""Without a game and without any activity for this long, the dials are sampled only now and then."""

QUIET_PERIOD_NS: Final = 40_000_000
"""The period of a quiet table: shorter than any tap of a button."""

LINES_A_ROUND: Final = 16
"""The typed lines that are carried out in one round."""


class Loop:
    """One table in play."""

    def __init__(
        self,
        parts: TableParts,
        journal: Journal[Moment, ev.AnyEvent],
        start: GameStart,
        randomness: Randomness,
        options: TableOptions,
        listeners: Sequence[Listener] = (),
    ) -> None:
        self.session = session = GameSession(parts, journal, options, listeners, start.resume)
        self.dials = DialWatch(session, parts.fingerprints)
        self._turns = Turns(session, self.dials)
        self._beginning = Beginning(session, self.dials, self._turns, start)
        self._players = Players(
            session, self.dials, self._turns, self._beginning, dice=randomness, device_rolls=options.device_rolls
        )
        self.feed, self._notices = parts.feed, parts.notices
        self._typed = TypedLines(
            session, self.dials, self._turns, self._beginning, self._players, options.spawn, self._rate_hz
        )
        self._period_ns = options.period_ns
        self._inbox: deque[str] = deque()
        self._overflowed = False
        self._others_ns = 0
        self._active_ns = session.step_ns
        self.running = True

    def put_phones(self, made: Callable[[GameSession, Players], Phones]) -> None:
        """Put phones at the table, before the first round."""
        self._players.phones = made(self.session, self._players)

    def notice(self, noticed: Callable[[str, Gesture | None], bool]) -> None:
        """Let `noticed` have each gesture before it counts: see `Players.noticed`."""
        self._players.noticed = noticed

    def begin_game(self) -> bool:
        """Begin a game, unless one is on. Return whether one is on now, and its beginning on disk."""
        if self.session.ready and not self.session.playing and not self._beginning.due:
            self._beginning.new_game(None)
        return self._players.may_play

    def end_game(self) -> bool:
        """End the game that is on. Return False if the disk refuses that."""
        if not self.session.playing:
            self._beginning.due.clear()
            return True
        return self.session.disk_ready and self._typed.end()

    def forget(self) -> None:
        """Forget the game that has ended, all that its players did, and the lines that wait."""
        self._inbox.clear()
        self._beginning.due.clear()
        self.session.forget()
        self._players.forget()
        self._turns.forget()

    def say(self, line: str) -> None:
        """Queue a line of the table's command language for the next steps. Any thread may call. A line that finds
        MOST_WAITING before it is dropped, but for `quit`."""
        if len(self._inbox) < MOST_WAITING or line.strip().lower() == "quit":
            self._inbox.append(line)
        else:
            self._overflowed = True

    @property
    def ready(self) -> bool:
        """Whether the dials were read, so that a game is on or can begin."""
        return self.session.ready

    @property
    def moment(self) -> Moment:
        """The state of the game, with the reports of all viewers."""
        return self.session.moment

    @property
    def settled(self) -> bool:
        """Whether no typed line waits, and no screen still shows anything that will go dark."""
        return not self._inbox and all(seat.until_ns is None for seat in self.session.seats.values())

    def stop(self) -> None:
        """End `run` after this step. Any thread and any signal handler may call."""
        self.running = False

    def run(self) -> None:
        """Play until a player types quit, or until `stop` is called."""
        while self.running:
            self.step()

    def step(self) -> None:
        """Run one round."""
        began_ns = self.session.step_ns = self.session.clock.now_ns()
        phones = self._players.phones
        if phones is not None:
            phones.send()
        self._read_dials()
        if not self.session.ready:
            self._beginning.begin_when_seen()
        elif self._beginning.due and self.session.disk_ready:
            self._beginning.begin()
        for seat in self.session.seats.values():
            if self._players.poll(seat):
                self._active_ns = began_ns
        if phones is not None and phones.take():
            self._active_ns = began_ns
        self._execute_typed()
        self._turns.drop_expired_claim()
        self._beginning.starts.settle()
        self.dials.note_conditions()
        self.dials.report_causes()
        self.dials.report_dials_back()
        self.dials.sum_up_flapping()
        self._catch_up()
        self._report_notices()
        self.session.refresh_screens()
        if phones is not None:
            phones.make()
        self._collect_garbage()
        sampling = self.feed.sampling = self._sampling
        self.feed.rest(began_ns + max(self._period_ns, QUIET_PERIOD_NS if sampling is Sampling.SELDOM else 0))

    def _execute_typed(self) -> None:
        """Carry out the lines that wait, a few in a round: a pasted file must not keep the dials from being read."""
        for _ in range(min(LINES_A_ROUND, len(self._inbox))):
            if not (self.session.ready or self._inbox[0].strip().lower() == "quit"):
                return
            self._active_ns = self.session.step_ns
            playing = self.session.playing
            if not self._typed.execute(self._inbox.popleft()):
                self.running = False
            if playing and not self.session.playing:
                break  # phones get their last frames before the next line begins another game
        if self._overflowed:
            self._overflowed = False
            self._typed.too_many()

    @property
    def _sampling(self) -> Sampling:
        """Dense during a claim and while a dial is off its rest, unless that dial glitches: it cannot be followed."""
        if self._quiet:
            return Sampling.SELDOM
        watched = self.session.game.claims or any(
            dial.tracker.off_rest and not dial.tracker.glitching for dial in self.session.dials.values()
        )
        return Sampling.DENSE if watched else Sampling.STEADY

    def _rate_hz(self) -> float:
        return self.feed.rate_hz()

    @property
    def _quiet(self) -> bool:
        """Whether no game is on, and for long no dial moved or failed and no button or keyboard was used."""
        still_ns = self.session.step_ns - self._active_ns
        return self.session.ready and not self.session.playing and still_ns > QUIET_AFTER_NS

    def _collect_garbage(self) -> None:
        """Collect garbage and tidy the journal; long work waits until there is no claim."""
        idle = not self.session.game.claims
        collect_due(idle=idle)
        if idle:
            self.session.tidy_journal()

    def _read_dials(self) -> None:
        for one_round in rounds(self.feed.take()):
            self._process(one_round)
        self._turns.bind()

    def _process(self, samples: Sequence[DialSample]) -> None:
        starting: list[str] = []
        for label, sample in samples:
            dial = self.session.dials[label]
            turn = self.dials.follow(label, dial, sample)
            if turn is not None:
                self._turns.turned(label, turn)
            if dial.tracker.turning or isinstance(sample, Trouble):
                self._active_ns = self.session.step_ns
            turning = dial.tracker.turning and not dial.tracker.unseen
            if turning and not dial.was_turning:
                starting.append(label)
            dial.was_turning = turning
        self._turns.started(starting)

    def _catch_up(self) -> None:
        """Retry unclaimed turns, and apply what another program added to the journal."""
        now_ns = self.session.clock.now_ns()
        if now_ns - self._others_ns < OTHERS_EVERY_NS or not self.session.game_id:
            return
        self._others_ns = now_ns
        self._turns.retry_unclaimed()
        self.session.catch_up()

    def _report_notices(self) -> None:
        """Send notices of power, heat, date, disk and screens to the referee; they are not in the record."""
        for source in self._notices:
            for line in source.take():
                self.session.notice(line)
        self.session.sum_up_notices()
