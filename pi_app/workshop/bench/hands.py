"""The evidence for ordinary turns: every kind of hand on every encoder, through the real trackers.

Dials of one kind hang behind muxes on a simulated wire of 100 or 400 kHz, with or without a screen that keeps the bus
busy (`pi_app.workshop.bench.hand_wires`). Hands of one kind turn up to four of them at once by 1 to 6 clicks, with
pauses or in a sweep. Sampling follows the rule of the table: at the idle rate while all rest, densely from a claim
until it ends and while a dial moves; a busy screen takes what dense sampling would have used.

- A claimed turn is accepted at the first hold if, HOLD_NS after the last click, the claim is bound to the dial, the
  dial stands in the right detent, and the turn has just the clicks that the hand made.
- An unclaimed turn is ended in time if it is reported, with just those clicks, REST_NS after the last click.

The dials are calibrated, as a table's are.
What is told as certain must be right: wrong clicks, wrong positions and turns that nobody made must be 0.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Final

from hardware.readings import Reading, Sample
from hardware.sims.clock import VirtualClock
from hardware.sims.hand import COUNTS_PER_TURN, HANDS, SimHand, SimMagnet
from pi_app.dials.sampling import Sampling
from pi_app.dials.tracker import DialShape, Seated, Tracker, Turn
from pi_app.play.feed import InlineFeed
from pi_app.workshop.bench.hand_hub import HubFeed
from pi_app.workshop.bench.hand_wires import ENCODERS, HUB, Dial, Rig, source

MS: Final = 1_000_000
PLAYERS: Final = 4
"""So many hands turn at once at the most: as many as there are seats at the example tables."""

HOLD_NS: Final = 700 * MS
REST_NS: Final = 1_000 * MS
HOLD_ON_NS: Final = 1_000 * MS
"""A button that is held on is asked again for so long."""

ROUND_NS: Final = 10 * MS
CLICKS: Final = 12
SETTLES_NS: Final = 1_500 * MS
KEPT_EXAMPLES: Final = 10
MOST_ON_HUBS: Final = 100
"""Turns on each hub rig."""


@dataclass(frozen=True, slots=True)
class HandsReport:
    """What became of the turns. The last four must be 0."""

    turns: int = 0
    samples: int = 0
    claimed: int = 0
    at_first_hold: int = 0
    held_on: int = 0
    unclaimed: int = 0
    in_time: int = 0
    late: int = 0
    unknown: int = 0
    wrong_clicks: int = 0
    wrong_position: int = 0
    invented: int = 0
    not_bound: int = 0
    examples: tuple[str, ...] = ()

    @property
    def accepted(self) -> float:
        """Claimed turns accepted at the first hold, in percent."""
        return 100 * self.at_first_hold / max(1, self.claimed)

    @property
    def ended(self) -> float:
        """Unclaimed turns ended in time, in percent."""
        return 100 * self.in_time / max(1, self.unclaimed)

    def plus(self, other: HandsReport) -> HandsReport:
        """Two reports as one."""
        names = [each.name for each in fields(self) if each.name != "examples"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return HandsReport(**sums, examples=(self.examples + other.examples)[:KEPT_EXAMPLES])


def rigs() -> Iterator[Rig]:
    """Every hand on every encoder, wire and number of dials, with screens quiet and busy; and on hubs."""
    for hand, chip, speed_hz, dials, screens in itertools.product(
        HANDS, ENCODERS, (100_000, 400_000), (1, 8, 16), (False, True)
    ):
        yield Rig(hand, chip, speed_hz, dials, screens)
    for hand, dials in itertools.product(HANDS, (1, 8, 16)):
        yield Rig(hand, HUB, 400_000, dials, screens=False)


def run(turns: int, seed: int, *, jobs: int = 1, wired: bool = False) -> dict[Rig, HandsReport]:
    """At least so many turns, as many on each rig but hubs, whose firmware takes its time; spread over `jobs` processes
    if more than one."""
    each = list(rigs())
    share = -(-turns // sum(rig.chip != HUB for rig in each))
    parts = [(rig, min(share, MOST_ON_HUBS) if rig.chip == HUB else share, f"{seed}/{n}") for n, rig in enumerate(each)]
    play = partial(_play, wired=wired)
    if jobs == 1:
        return dict(zip(each, map(play, parts), strict=True))
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        return dict(zip(each, pool.map(play, parts, chunksize=8), strict=True))


def _play(part: tuple[Rig, int, str], *, wired: bool) -> HandsReport:
    rig, turns, seed = part
    report, table = HandsReport(), HandTable(rig, seed, wired=wired)
    while report.turns < turns:
        report = report.plus(table.round())
    return report


@dataclass(slots=True)
class _Place:
    """One dial: its hand, its tracker, and what both did in this round."""

    name: str
    hand: SimHand
    tracker: Tracker
    before: int = 0
    clicks: int = 0
    bound: bool = False
    asked: bool = False
    judged: bool = False
    turns: list[Turn] = field(default_factory=list)


def _centres(seed: int, tilt_deg: float, counts: int) -> tuple[float, ...]:
    """The detents as `trapdial calibrate` learns them: where this magnet shows the middle of each."""
    seen = (
        SimMagnet(partial(_standing, COUNTS_PER_TURN * position / CLICKS), seed, noise_sd_deg=0, tilt_deg=tilt_deg)(0)
        for position in range(CLICKS)
    )
    return tuple(angle * counts / COUNTS_PER_TURN % counts for angle in seen)


def _standing(angle: float, at_ns: int) -> float:
    """A shaft that stands."""
    return angle


class HandTable:
    """One bus of dials with hands of one kind, and the real code above it."""

    def __init__(self, rig: Rig, seed: str, *, wired: bool) -> None:
        """`wired`: with the real scan and drivers above twins; else at the pace of such a bus."""
        self._rig, self._seed = rig, seed
        draw = self._draw = random.Random(f"hands {seed}")
        on_hub = rig.chip == HUB
        kind = ENCODERS["as5600" if on_hub else rig.chip]
        self.places: list[_Place] = []
        dials: list[Dial] = []
        for number in range(rig.dials if wired or on_hub else min(rig.dials, PLAYERS)):
            hand = SimHand(draw.randrange(1 << 30), CLICKS, draw.randrange(CLICKS), rig.hand)
            seed_of_magnet, tilt_deg = draw.randrange(1 << 30), draw.uniform(0, 1)
            magnet = SimMagnet(hand.angle_counts, seed_of_magnet, tilt_deg=tilt_deg)
            centres = None if kind.in_steps else _centres(seed_of_magnet, tilt_deg, kind.counts)
            shape = DialShape(clicks=CLICKS, counts_per_turn=kind.counts, centres=centres, in_steps=kind.in_steps)
            dials.append(Dial(f"T{number:02}", magnet, hand.angle_counts))
            self.places.append(_Place(dials[-1].name, hand, Tracker(shape)))
        self._feed: HubFeed | InlineFeed
        if on_hub:
            self._feed = HubFeed(dials)
            self.clock = self._feed.clock
        else:
            self.clock = VirtualClock()
            self._feed = InlineFeed([source(rig, self.clock, dials, wired=wired)], self.clock)
        self._by_name = {place.name: place for place in self.places}
        self._samples = self._rounds = 0
        self._zero: dict[str, int] = {}
        self._run_until(self.clock.now_ns() + SETTLES_NS)
        for place in self.places:
            if place.hand.position is None or not self._stands_right(place):
                raise AssertionError(f"{self._name(place)} does not stand where its hand left it")

    # ------------------------------------------------------------------ a round

    def round(self) -> HandsReport:
        """Hands turn some dials, in a claimed round or in one without claims; then what was told is judged."""
        self._rounds += 1
        self._samples = 0
        claimed = self._draw.random() < 0.5
        for place in self.places:
            place.bound = place.asked = False
            place.turns.clear()
            place.tracker.ends_at_rest = not claimed
        if claimed:
            self._feed.sampling = Sampling.DENSE
        self._plan()
        report = self._claimed_round() if claimed else self._unclaimed_round()
        for place in self.places:
            place.tracker.ends_at_rest = True
        self._feed.sampling = Sampling.STEADY
        self._run_until(self.clock.now_ns() + 100 * MS)
        report = report.plus(HandsReport(samples=self._samples))
        return report.plus(self._back_to_rest())

    def _plan(self) -> None:
        """What each hand will do: 1 to 6 clicks, mostly counter-clockwise, with a coin's pauses, even ones or none."""
        draw, now_ns = self._draw, self.clock.now_ns()
        playing = draw.sample(self.places, min(len(self.places), draw.randint(1, PLAYERS)))
        for place in self.places:
            place.before, place.clicks = place.hand.position or 0, 0
            place.judged = place not in playing
        for place in playing:
            place.clicks = draw.randint(1, 6) * draw.choice((1, 1, 1, 1, 1, -1))
            gap_ms = draw.choice((None, 10 ** draw.uniform(math.log10(60), math.log10(400)), draw.uniform(40, 120)))
            place.hand.turn(now_ns + draw.randrange(150 * MS, 400 * MS), place.clicks, gap_ms)

    def _claimed_round(self) -> HandsReport:
        report = HandsReport()
        while not all(place.judged for place in self.places):
            self._step(claimed=True)
            now_ns = self.clock.now_ns()
            for place in self.places:
                if not place.judged and now_ns >= place.hand.last_click_ns + HOLD_NS:
                    report = report.plus(self._hold(place, now_ns))
        return report

    def _hold(self, place: _Place, now_ns: int) -> HandsReport:
        """A thumb that goes down, and stays down if the dial is not ready."""
        tracker = place.tracker
        stand = tracker.stand
        late, place.asked = place.asked, True
        if not place.bound or tracker.moving or tracker.glitching or not isinstance(stand, Seated):
            if now_ns < place.hand.last_click_ns + HOLD_NS + HOLD_ON_NS:
                return HandsReport()
            place.judged = True
            turn = tracker.end_turn(now_ns)
            self._say_again(place, turn)
            found = HandsReport(turns=1, claimed=1, not_bound=not place.bound, unknown=1)
            return found.plus(HandsReport(examples=(self._example(place, "not accepted", [turn] if turn else []),)))
        place.judged = True
        turn = tracker.end_turn(now_ns)
        report = HandsReport(turns=1, claimed=1)
        if turn is None or not self._stands_right(place):
            return report.plus(self._wrong(place, "wrong_position", turn))
        if turn.clicks is None:
            return report.plus(HandsReport(unknown=1, examples=(self._example(place, "unknown", [turn]),)))
        if turn.clicks != place.clicks:
            return report.plus(self._wrong(place, "wrong_clicks", turn))
        if late:
            return report.plus(HandsReport(held_on=1, examples=(self._example(place, "held on", [turn]),)))
        return report.plus(HandsReport(at_first_hold=1))

    def _say_again(self, place: _Place, turn: Turn | None) -> None:
        """A turn that was not accepted goes on as an unclaimed one."""
        if turn is not None:
            place.turns.append(turn)

    def _unclaimed_round(self) -> HandsReport:
        report = HandsReport()
        while not all(place.judged for place in self.places):
            self._step(claimed=False)
            now_ns = self.clock.now_ns()
            for place in self.places:
                if not place.judged and now_ns >= place.hand.last_click_ns + REST_NS:
                    place.judged = True
                    report = report.plus(self._rested(place))
        return report

    def _rested(self, place: _Place) -> HandsReport:
        report = HandsReport(turns=1, unclaimed=1)
        turns = place.turns
        if any(turn.clicks is None for turn in turns):
            return report.plus(HandsReport(unknown=1, examples=(self._example(place, "unknown", turns),)))
        told = sum(turn.clicks or 0 for turn in turns)
        if place.tracker.turning or told != place.clicks:
            if place.tracker.turning and abs(told) <= abs(place.clicks):
                return report.plus(HandsReport(late=1, examples=(self._example(place, "late", turns),)))
            return report.plus(self._wrong(place, "wrong_clicks", *turns))
        if not self._stands_right(place):
            if isinstance(place.tracker.stand, Seated):
                return report.plus(self._wrong(place, "wrong_position", *turns))
            return report.plus(HandsReport(unknown=1, examples=(self._example(place, "between two", turns),)))
        return report.plus(HandsReport(in_time=1))

    def _back_to_rest(self) -> HandsReport:
        """Before the next round every dial rests; what was still open is over, and nothing else is told."""
        give_up_ns = self.clock.now_ns() + 5_000 * MS
        while any(place.tracker.turning for place in self.places) and self.clock.now_ns() < give_up_ns:
            self._step(claimed=False)
        lost = [
            place
            for place in self.places
            if place.tracker.turning or (isinstance(place.tracker.stand, Seated) and not self._stands_right(place))
        ]
        still = [place for place in self.places if not place.clicks and place.turns]
        return HandsReport(
            wrong_position=len(lost),
            invented=len(still),
            examples=(
                *(self._example(place, "not at rest", []) for place in lost),
                *(self._example(place, "nobody turned it", place.turns) for place in still),
            ),
        )

    # ------------------------------------------------------------------ sampling

    def _run_until(self, at_ns: int) -> None:
        while self.clock.now_ns() < at_ns:
            self._step(claimed=False)

    def _step(self, *, claimed: bool) -> None:
        began_ns = self.clock.now_ns()
        for name, sample in self._feed.take():
            self._follow(self._by_name[name], sample)
        if not claimed:
            off = any(place.tracker.off_rest for place in self.places)
            self._feed.sampling = Sampling.DENSE if off else Sampling.STEADY
        self._feed.rest(began_ns + ROUND_NS)

    def _follow(self, place: _Place, sample: Sample) -> None:
        self._samples += 1
        tracker = place.tracker
        if not isinstance(sample, Reading):
            tracker.feed(sample.at_ns, None)
            return
        turn = tracker.feed(sample.at_ns, self._angle(place, sample), sample.proof)
        if turn is not None:
            place.turns.append(turn)
        place.bound = place.bound or (tracker.turning and not tracker.unseen)

    def _angle(self, place: _Place, reading: Reading) -> int:
        """An encoder that counts steps is homed by its first reading: it says nothing of where the dial stands."""
        turn = place.tracker.shape.counts_per_turn
        if not place.tracker.shape.in_steps:
            return reading.raw
        stands = (place.hand.position or 0) * turn // CLICKS
        zero = self._zero.setdefault(place.name, (reading.raw - stands) % turn)
        return (reading.raw - zero) % turn

    def _stands_right(self, place: _Place) -> bool:
        return place.tracker.stand == Seated(place.hand.position or 0)

    # ------------------------------------------------------------------ words

    def _name(self, place: _Place) -> str:
        rig = self._rig
        screens = "busy" if rig.screens else "quiet"
        return (
            f"{rig.hand} hand, {rig.dials} x {rig.column}, screens {screens}, {self._seed}/{self._rounds} {place.name}"
        )

    def _wrong(self, place: _Place, what: str, *turns: Turn | None) -> HandsReport:
        told = [turn for turn in turns if turn is not None]
        return HandsReport(examples=(self._example(place, what.replace("_", " "), told),), **{what: 1})

    def _example(self, place: _Place, what: str, turns: Sequence[Turn]) -> str:
        told = "; ".join(
            f"{turn.from_position} to {turn.to_position}, clicks {turn.clicks}, "
            f"longest gap {turn.longest_gap_ns / MS:.0f} ms"
            for turn in turns
        )
        hand = f"the hand turned {place.clicks:+d} from {place.before}"
        return f"{self._name(place)}: {what}: {hand}, reported: {told or 'nothing'}"
