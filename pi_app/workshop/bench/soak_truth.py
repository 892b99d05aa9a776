"""The hands of a simulated table, held against what the program makes of them: each turn that a dial reports, each
that the journal takes, each dial that a claim is bound to, and what a program that was killed remembers."""

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
"""A dial that rested and was read for so long has been reported, or never will be. Nor does a claim that comes so long
after a hand let go have anything to do with it."""

READ_NS: Final = S_NS
"""A dial whose last angle is younger than this is read: a quiet table is looked at twice a second."""

PLACES: Final = 256
"""Remembered of each hand: more than it goes through in any turn."""

MOST_EXAMPLES: Final = 12


@dataclass(slots=True)
class Told:
    """What was told of the hands. `wrong`: the hand made another turn; `invented`: it made none; `misclaimed`: a claim
    took a dial that nobody turned; `misrecorded`: the journal has other clicks than were told; `misremembered`: the
    program started again and believes a dial elsewhere."""

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
        """Keep the first few of what went wrong."""
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(words)


@dataclass(slots=True)
class DialTruth:
    """What is known of one dial: where its hand has it, where it stood when a turn was last reported, and what was
    reported since the journal last took a turn of it."""

    told_at: int
    places: deque[tuple[int, int]]
    still_from_ns: int = 0
    since: list[Turn] = field(default_factory=list)

    @property
    def at(self) -> int:
        """The detent at which the hand has it now."""
        return self.places[-1][1]


class Truth:
    """The hands of one table, beside what the program that plays it says of them."""

    def __init__(self, demo: Demo, told: Told) -> None:
        self._told = told
        self._clock = demo.table.clock
        self._hands = {label: tile.hand for label, tile in demo.table.tiles.items()}
        self._pitch = {label: 4096 / square.table.clicks for label, square in demo.settings.squares.items()}
        self._clicks = {label: square.table.clicks for label, square in demo.settings.squares.items()}
        self._looked_ns = self._clock.now_ns()
        self.dials = {label: self._dial(label) for label in self._hands}
        self._watch(demo)

    def _dial(self, label: str) -> DialTruth:
        place = self._place(label, self._looked_ns)
        return DialTruth(place, deque([(self._looked_ns, place)], PLACES), self._looked_ns)

    def _watch(self, demo: Demo) -> None:
        self._demo = demo
        for label, place in demo.loop.session.dials.items():
            heard, looked = _heard_of(self, label), self._looked
            place.tracker = WatchedTracker(place.tracker, heard, looked)  # type: ignore[assignment]
        demo.loop.session.journal = WatchedJournal(demo.loop.session.journal, self.recorded)  # type: ignore[assignment]

    def _looked(self) -> None:
        self._told.samples += 1

    def let_go(self) -> None:
        """The program that was watched is no more."""
        del self._demo

    def again(self, demo: Demo) -> None:
        """Another program plays the same table from now on; it has not looked at it yet."""
        self._looked_ns = self._clock.now_ns()
        self.dials = {label: self._dial(label) for label in self._hands}
        self._watch(demo)

    def remembers(self) -> None:
        """It has looked by now and taken up its game: does it know where the dials stand? One that is claimed is
        written down when its player looks."""
        game = self._demo.loop.moment.game
        for label, square in game.squares.items():
            self.dials[label].told_at = self._place(label, self._clock.now_ns())
            known = game.phase is Phase.PLAYING and square.homed and not square.lost and game.claim_on(label) is None
            at = self.dials[label].told_at % self._clicks[label]
            if known and square.stands not in (None, at):
                self._told.misremembered += 1
                self._say(label, f"stands at {at}, and the program that was started again has it at {square.stands}")

    @property
    def at_rest(self) -> bool:
        """Whether no hand moves."""
        now_ns = self._clock.now_ns()
        return all(hand.at_rest_from_ns <= now_ns for hand in self._hands.values())

    def place(self, label: str) -> int:
        """The detent nearest to the dial, whole turns counted."""
        return self._place(label, self._clock.now_ns())

    def _place(self, label: str, at_ns: int) -> int:
        return round(self._hands[label].angle_counts(at_ns) / self._pitch[label])

    def look(self) -> None:
        """Note where every dial is; a change that nobody reported in all that time never will be.

        A place is noted as of the last look: what a dial says in a step was asked before the step's end.
        """
        since_ns, self._looked_ns = self._looked_ns, self._clock.now_ns()
        now_ns = self._looked_ns
        for label, dial in self.dials.items():
            if self._hands[label].at_rest_from_ns > since_ns:
                dial.places.append((since_ns, self._place(label, now_ns)))
                dial.still_from_ns = now_ns
            elif dial.at == dial.told_at or not self._is_read(label, now_ns):
                dial.still_from_ns = now_ns
            elif now_ns - dial.still_from_ns > PATIENCE_NS:
                self._told.unreported += 1
                self._say(label, f"{dial.told_at} to {dial.at} unreported")
                dial.told_at = dial.at

    def _is_read(self, label: str, now_ns: int) -> bool:
        place = self._demo.loop.session.dials[label]
        read = place.good_ns is not None and now_ns - place.good_ns < READ_NS
        return read and not place.tracker.turning

    def reported(self, label: str, turn: Turn) -> None:
        """Hold a turn against the hand."""
        dial, told = self.dials[label], self._told
        stands = next((place for at_ns, place in reversed(dial.places) if at_ns <= turn.end_ns), dial.told_at)
        moved, dial.told_at = stands - dial.told_at, stands
        dial.since.append(turn)
        told.turns += 1
        there = turn.to_position in (None, stands % self._clicks[label])
        if there and turn.clicks is None:
            told.unknown += 1
        elif there and turn.clicks == moved:
            told.right += 1
        else:
            told.wrong, told.invented = told.wrong + (moved != 0), told.invented + (moved == 0)
            self._say(
                label,
                f"the hand turned {moved:+d} to {stands % self._clicks[label]}, reported: "
                f"{turn.from_position} to {turn.to_position}, clicks {turn.clicks}",
                turn.end_ns,
            )

    def recorded(self, event: ev.AnyEvent) -> None:
        """A turn in the journal is all that was reported of that dial since the last one there."""
        self._told.events[type(event).__name__] += 1
        match event:
            case ev.Started():
                self._told.games += 1
                for dial in self.dials.values():
                    dial.since.clear()
            case ev.Bound():
                self._bound(event)
            case ev.Turned():
                self._turn_recorded(event)
            case _:
                pass

    def _bound(self, event: ev.Bound) -> None:
        self._told.claimed += 1
        dial, hand = self.dials[event.square], self._hands[event.square]
        if dial.at == dial.told_at and hand.at_rest_from_ns < self._clock.now_ns() - PATIENCE_NS:
            self._told.misclaimed += 1
            self._say(event.square, f"the claim of {event.seat} took it, and nobody turned it")

    def _turn_recorded(self, event: ev.Turned) -> None:
        since = self.dials[event.square].since
        clicks = [turn.clicks for turn in since]
        told = None if None in clicks else sum(each or 0 for each in clicks)
        if event.motion.clicks is not None and event.motion.clicks != told:
            self._told.misrecorded += 1
            self._say(event.square, f"{told} clicks were reported, {event.motion.clicks} written down")
        since.clear()

    def _say(self, label: str, words: str, at_ns: int | None = None) -> None:
        at_s = (self._clock.now_ns() if at_ns is None else at_ns) / S_NS
        self._told.example(f"{label} at {at_s:.2f} s: {words}")


def _heard_of(truth: Truth, label: str) -> Callable[[Turn], None]:
    return lambda turn: truth.reported(label, turn)


class WatchedTracker:
    """A tracker whose looks and turns somebody else hears of as well."""

    def __init__(self, tracker: Tracker, heard: Callable[[Turn], None], looked: Callable[[], None]) -> None:
        self._tracker, self._heard, self._looked = tracker, heard, looked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tracker, name)

    @property
    def ends_at_rest(self) -> bool:
        return self._tracker.ends_at_rest

    @ends_at_rest.setter
    def ends_at_rest(self, ends: bool) -> None:
        self._tracker.ends_at_rest = ends

    def feed(self, at_ns: int, raw: int | None, proof: Proof | None = None) -> Turn | None:
        self._looked()
        return self._tell(self._tracker.feed(at_ns, raw, proof))

    def end_turn(self, now_ns: int) -> Turn | None:
        return self._tell(self._tracker.end_turn(now_ns))

    def _tell(self, turn: Turn | None) -> Turn | None:
        if turn is not None:
            self._heard(turn)
        return turn


class WatchedJournal:
    """A journal whose entries somebody else hears of as well."""

    def __init__(self, journal: Any, heard: Callable[[ev.AnyEvent], None]) -> None:
        self._journal, self._heard = journal, heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def append(self, game_id: str, before: Any, event: ev.AnyEvent) -> Any:
        after = self._journal.append(game_id, before, event)
        self._heard(event)
        return after
