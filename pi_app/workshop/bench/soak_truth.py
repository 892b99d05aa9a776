"""The hands of a simulated table, compared with the program: with each turn that a dial reports or the journal
records, with each dial that a claim is bound to, and with the positions that a restarted program assumes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hardware.readings import Proof
from pi_app.dials.tracker import Tracker, Turn
from pi_app.game import events as ev
from pi_app.game.state import Phase

if TYPE_CHECKING:
    from pi_app.simulated.demo import Demo

S_NS: Final = 1_000_000_000

PATIENCE_NS: Final = 5 * S_NS
"""A dial that rested and was read for so long has been reported, or never will be. A claim that comes so long after a
hand let go has nothing to do with that hand."""

READ_NS: Final = S_NS
"""A dial whose last angle is younger than this is being read: a quiet table is sampled twice a second."""

POSITIONS: Final = 256
"""Remembered of each hand: more than it passes in any turn."""

MOST_EXAMPLES: Final = 12


@dataclass(slots=True)
class TurnCounts:
    """What the program reported. `wrong`: the hand made another turn; `invented`: it made none; `misclaimed`: a claim
    took a dial that was not turned; `misrecorded`: the journal has other clicks than were reported; `misremembered`:
    after a restart the program assumes a wrong position."""

    samples: int = 0
    games: int = 0
    turns: int = 0
    right: int = 0
    unknown: int = 0
    wrong: int = 0
    invented: int = 0
    unreported: int = 0
    misrecorded: int = 0
    claimed: int = 0
    misclaimed: int = 0
    misremembered: int = 0
    events: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def example(self, words: str) -> None:
        """Keep the first few errors."""
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(words)


@dataclass(slots=True)
class DialTruth:
    """The recent detents of one dial, its detent when a turn was last reported, and the reports that the journal has
    not recorded yet."""

    reported_at: int
    positions: deque[tuple[int, int]]
    still_from_ns: int = 0
    unrecorded: list[Turn] = field(default_factory=list)

    @property
    def at(self) -> int:
        """The detent at which the hand has it now."""
        return self.positions[-1][1]


class Truth:
    """The hands of one table, beside what the program that plays it reports of them."""

    def __init__(self, demo: Demo, counts: TurnCounts) -> None:
        self._counts = counts
        self._clock = demo.table.clock
        self._hands = {label: tile.hand for label, tile in demo.table.tiles.items()}
        self._pitch = {label: 4096 / square.table.clicks for label, square in demo.settings.squares.items()}
        self._clicks = {label: square.table.clicks for label, square in demo.settings.squares.items()}
        self.watch(demo)

    def watch(self, demo: Demo) -> None:
        """Follow a program that has not sampled this table yet."""
        self._stepped_ns = self._clock.now_ns()
        self.dials = {label: self._dial(label) for label in self._hands}
        self._demo = demo
        for label, place in demo.loop.session.dials.items():
            place.tracker = WatchedTracker(place.tracker, _to_reported(self, label), self._count_sample)  # type: ignore[assignment]
        demo.loop.session.journal = WatchedJournal(demo.loop.session.journal, self.recorded)  # type: ignore[assignment]

    def _dial(self, label: str) -> DialTruth:
        position = self._position(label, self._stepped_ns)
        return DialTruth(position, deque([(self._stepped_ns, position)], POSITIONS), self._stepped_ns)

    def _count_sample(self) -> None:
        self._counts.samples += 1

    def release(self) -> None:
        """Drop the program that was killed."""
        del self._demo

    def check_restart(self) -> None:
        """Compare the positions that a restarted program assumes, once it has sampled its dials and resumed its game.
        The position of a claimed dial is recorded only when its player looks."""
        game = self._demo.loop.moment.game
        for label, square in game.squares.items():
            self.dials[label].reported_at = self._position(label, self._clock.now_ns())
            known = game.phase is Phase.PLAYING and square.homed and not square.lost and game.claim_on(label) is None
            at = self.dials[label].reported_at % self._clicks[label]
            if known and square.stands not in (None, at):
                self._counts.misremembered += 1
                self._example(label, f"stands at {at}, and the restarted program has it at {square.stands}")

    @property
    def at_rest(self) -> bool:
        """Whether no hand moves."""
        now_ns = self._clock.now_ns()
        return all(hand.at_rest_from_ns <= now_ns for hand in self._hands.values())

    def position(self, label: str) -> int:
        """The detent nearest to the dial, whole turns counted."""
        return self._position(label, self._clock.now_ns())

    def _position(self, label: str, at_ns: int) -> int:
        return round(self._hands[label].angle_counts(at_ns) / self._pitch[label])

    def step(self) -> None:
        """Note the position of every dial. A change that is not reported within PATIENCE_NS never will be.

        A position is noted as of the last step: a dial was sampled before this step's end.
        """
        since_ns, self._stepped_ns = self._stepped_ns, self._clock.now_ns()
        now_ns = self._stepped_ns
        for label, dial in self.dials.items():
            if self._hands[label].at_rest_from_ns > since_ns:
                dial.positions.append((since_ns, self._position(label, now_ns)))
                dial.still_from_ns = now_ns
            elif dial.at == dial.reported_at or not self._is_read(label, now_ns):
                dial.still_from_ns = now_ns
            elif now_ns - dial.still_from_ns > PATIENCE_NS:
                self._counts.unreported += 1
                self._example(label, f"{dial.reported_at} to {dial.at} unreported")
                dial.reported_at = dial.at

    def _is_read(self, label: str, now_ns: int) -> bool:
        place = self._demo.loop.session.dials[label]
        read = place.good_ns is not None and now_ns - place.good_ns < READ_NS
        return read and not place.tracker.turning

    def reported(self, label: str, turn: Turn) -> None:
        """Compare a reported turn with the hand's."""
        dial, counts = self.dials[label], self._counts
        stands = next((at for at_ns, at in reversed(dial.positions) if at_ns <= turn.end_ns), dial.reported_at)
        moved, dial.reported_at = stands - dial.reported_at, stands
        dial.unrecorded.append(turn)
        counts.turns += 1
        there = turn.to_position in (None, stands % self._clicks[label])
        if there and turn.clicks is None:
            counts.unknown += 1
        elif there and turn.clicks == moved:
            counts.right += 1
        else:
            counts.wrong, counts.invented = counts.wrong + (moved != 0), counts.invented + (moved == 0)
            self._example(
                label,
                f"the hand turned {moved:+d} to {stands % self._clicks[label]}, reported: "
                f"{turn.from_position} to {turn.to_position}, clicks {turn.clicks}",
                turn.end_ns,
            )

    def recorded(self, event: ev.AnyEvent) -> None:
        """Compare a recorded event with the reports since the last one."""
        self._counts.events[type(event).__name__] += 1
        match event:
            case ev.Started():
                self._counts.games += 1
                for dial in self.dials.values():
                    dial.unrecorded.clear()
            case ev.Bound():
                self._bound(event)
            case ev.Turned():
                self._turn_recorded(event)
            case _:
                pass

    def _bound(self, event: ev.Bound) -> None:
        self._counts.claimed += 1
        dial, hand = self.dials[event.square], self._hands[event.square]
        if dial.at == dial.reported_at and hand.at_rest_from_ns < self._clock.now_ns() - PATIENCE_NS:
            self._counts.misclaimed += 1
            self._example(event.square, f"the claim of {event.seat} took it, and it was not turned")

    def _turn_recorded(self, event: ev.Turned) -> None:
        unrecorded = self.dials[event.square].unrecorded
        clicks = [turn.clicks for turn in unrecorded]
        reported = None if None in clicks else sum(each or 0 for each in clicks)
        if event.motion.clicks is not None and event.motion.clicks != reported:
            self._counts.misrecorded += 1
            self._example(event.square, f"{reported} clicks were reported, {event.motion.clicks} recorded")
        unrecorded.clear()

    def _example(self, label: str, words: str, at_ns: int | None = None) -> None:
        at_s = (self._clock.now_ns() if at_ns is None else at_ns) / S_NS
        self._counts.example(f"{label} at {at_s:.2f} s: {words}")


def _to_reported(truth: Truth, label: str) -> Callable[[Turn], None]:
    return lambda turn: truth.reported(label, turn)


class WatchedTracker:
    """A tracker that also passes its turns to `reported` and calls `sampled` for each sample."""

    def __init__(self, tracker: Tracker, reported: Callable[[Turn], None], sampled: Callable[[], None]) -> None:
        self._tracker, self._reported, self._sampled = tracker, reported, sampled

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tracker, name)

    @property
    def ends_at_rest(self) -> bool:
        return self._tracker.ends_at_rest

    @ends_at_rest.setter
    def ends_at_rest(self, ends: bool) -> None:
        self._tracker.ends_at_rest = ends

    def feed(self, at_ns: int, raw: int | None, proof: Proof | None = None) -> Turn | None:
        self._sampled()
        return self._pass_on(self._tracker.feed(at_ns, raw, proof))

    def end_turn(self, now_ns: int) -> Turn | None:
        return self._pass_on(self._tracker.end_turn(now_ns))

    def _pass_on(self, turn: Turn | None) -> Turn | None:
        if turn is not None:
            self._reported(turn)
        return turn


class WatchedJournal:
    """A journal that also passes its events to `recorded`."""

    def __init__(self, journal: Any, recorded: Callable[[ev.AnyEvent], None]) -> None:
        self._journal, self._recorded = journal, recorded

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def append(self, game_id: str, before: Any, event: ev.AnyEvent) -> Any:
        after = self._journal.append(game_id, before, event)
        self._recorded(event)
        return after
