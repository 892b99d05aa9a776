"""The evidence for ordinary turns: every kind of hand on every encoder, through the real trackers.

Dials of one kind hang behind muxes on a simulated wire of 100 or 400 kHz, with or without a screen that keeps the bus
busy (`pi_app.workshop.bench.hand_bus`). Hands of one kind turn up to four of them at once by 1 to 6 clicks, with
pauses or in a sweep. Sampling follows the rule of the table: at the idle rate while all rest, densely from a claim
until it ends and while a dial moves; a busy screen takes what dense sampling would have used.

- A claimed turn is accepted at the first hold if, HOLD_NS after the last click, the claim is bound to the dial, the
  tracker has the right detent, and the turn has exactly the hand's clicks.
- An unclaimed turn is ended in time if it is reported, with exactly those clicks, REST_NS after the last click.

The dials are calibrated, as a table's are. Reports without a doubt must be right: wrong clicks, wrong positions and
invented turns must be 0.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from hardware.encoders import ENCODERS
from hardware.readings import Reading, Sample
from hardware.sims.clock import VirtualClock
from hardware.sims.hand import COUNTS_PER_TURN, HANDS, SimHand, SimMagnet
from pi_app.dials.sampling import Sampling
from pi_app.dials.tracker import DialShape, Seated, Tracker, Turn
from pi_app.play.feed import InlineFeed
from pi_app.workshop.bench.counting import SummedReport, described, spread
from pi_app.workshop.bench.hand_bus import HUB, Rig, TurnedDial, source
from pi_app.workshop.bench.hand_hub import HubFeed

MS: Final = 1_000_000
PLAYERS: Final = 4
"""The most hands that turn at once: the seats at the example tables."""

HOLD_NS: Final = 700 * MS
REST_NS: Final = 1_000 * MS
HOLD_ON_NS: Final = 1_000 * MS
"""A button that stays held is checked for so long."""

ROUND_NS: Final = 10 * MS
CLICKS: Final = 12
SETTLES_NS: Final = 1_500 * MS
MOST_ON_HUBS: Final = 100
"""Turns on each hub rig."""


@dataclass(frozen=True, slots=True)
class HandsReport(SummedReport):
    """`wrong_clicks`, `wrong_position` and `invented` must be 0."""

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


def rigs() -> Iterator[Rig]:
    """Every hand on every encoder, wire and number of dials, with screens quiet and busy; and on hubs."""
    for hand, chip, speed_hz, dials, screens in itertools.product(
        HANDS, ENCODERS, (100_000, 400_000), (1, 8, 16), (False, True)
    ):
        yield Rig(hand, chip, speed_hz, dials, screens)
    for hand, dials in itertools.product(HANDS, (1, 8, 16)):
        yield Rig(hand, HUB, 400_000, dials, screens=False)


def run(turns: int, seed: int, *, jobs: int = 1, wired: bool = False) -> dict[Rig, HandsReport]:
    """Make at least so many turns in `jobs` processes, as many on each rig except hubs, whose firmware is slow."""
    each = list(rigs())
    share = -(-turns // sum(rig.chip != HUB for rig in each))
    parts = [(rig, min(share, MOST_ON_HUBS) if rig.chip == HUB else share, f"{seed}/{n}") for n, rig in enumerate(each)]
    return dict(zip(each, spread(partial(_play, wired=wired), parts, jobs, at_once=8), strict=True))


def _play(part: tuple[Rig, int, str], *, wired: bool) -> HandsReport:
    rig, turns, seed = part
    report, table = HandsReport(), HandTable(rig, seed, wired=wired)
    while report.turns < turns:
        report = report.plus(table.round())
    return report


@dataclass(slots=True)
class _HandDial:
    """One dial: its hand, its tracker, and this round of both."""

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
    """Return the detents as `trapdial calibrate` learns them: the magnet's angle at the middle of each."""
    seen = (
        SimMagnet(partial(_standing, COUNTS_PER_TURN * position / CLICKS), seed, noise_sd_deg=0, tilt_deg=tilt_deg)(0)
        for position in range(CLICKS)
    )
    return tuple(angle * counts / COUNTS_PER_TURN % counts for angle in seen)


def _standing(angle: float, at_ns: int) -> float:
    """A shaft at rest."""
    return angle


class HandTable:
    """One bus of dials with hands of one kind, and the real code above it."""

    def __init__(self, rig: Rig, seed: str, *, wired: bool) -> None:
        """`wired`: use the real scan and drivers above twins; else only the pace of such a bus."""
        self._rig, self._seed = rig, seed
        draw = self._draw = random.Random(f"hands {seed}")
        on_hub = rig.chip == HUB
        kind = ENCODERS["as5600" if on_hub else rig.chip]
        self.dials: list[_HandDial] = []
        turned: list[TurnedDial] = []
        for number in range(rig.dials if wired or on_hub else min(rig.dials, PLAYERS)):
            hand = SimHand(draw.randrange(1 << 30), CLICKS, draw.randrange(CLICKS), rig.hand)
            seed_of_magnet, tilt_deg = draw.randrange(1 << 30), draw.uniform(0, 1)
            magnet = SimMagnet(hand.angle_counts, seed_of_magnet, tilt_deg=tilt_deg)
            counts = kind.counts_per_turn
            centres = _centres(seed_of_magnet, tilt_deg, counts) if kind.absolute else None
            shape = DialShape(clicks=CLICKS, counts_per_turn=counts, centres=centres, in_steps=not kind.absolute)
            turned.append(TurnedDial(f"T{number:02}", magnet, hand.angle_counts))
            self.dials.append(_HandDial(turned[-1].name, hand, Tracker(shape)))
        self._feed: HubFeed | InlineFeed
        if on_hub:
            self._feed = HubFeed(turned)
            self.clock = self._feed.clock
        else:
            self.clock = VirtualClock()
            self._feed = InlineFeed([source(rig, self.clock, turned, wired=wired)], self.clock)
        self._by_name = {dial.name: dial for dial in self.dials}
        self._samples = self._rounds = 0
        self._zero: dict[str, int] = {}
        self._run_until(self.clock.now_ns() + SETTLES_NS)
        for dial in self.dials:
            if dial.hand.position is None or not self._stands_right(dial):
                raise AssertionError(f"{self._name(dial)} is not where its hand left it")

    # ------------------------------------------------------------------ a round

    def round(self) -> HandsReport:
        """Turn some dials, in a claimed round or in one without claims, and compare what was reported."""
        self._rounds += 1
        self._samples = 0
        claimed = self._draw.random() < 0.5
        for dial in self.dials:
            dial.bound = dial.asked = False
            dial.turns.clear()
            dial.tracker.ends_at_rest = not claimed
        if claimed:
            self._feed.sampling = Sampling.DENSE
        self._plan()
        report = self._claimed_round() if claimed else self._unclaimed_round()
        for dial in self.dials:
            dial.tracker.ends_at_rest = True
        self._feed.sampling = Sampling.STEADY
        self._run_until(self.clock.now_ns() + 100 * MS)
        report = report.plus(HandsReport(samples=self._samples))
        return report.plus(self._back_to_rest())

    def _plan(self) -> None:
        """Plan each hand: 1 to 6 clicks, mostly counter-clockwise, with a coin's pauses, even ones or none."""
        draw, now_ns = self._draw, self.clock.now_ns()
        playing = draw.sample(self.dials, min(len(self.dials), draw.randint(1, PLAYERS)))
        for dial in self.dials:
            dial.before, dial.clicks = dial.hand.position or 0, 0
            dial.judged = dial not in playing
        for dial in playing:
            dial.clicks = draw.randint(1, 6) * draw.choice((1, 1, 1, 1, 1, -1))
            gap_ms = draw.choice((None, 10 ** draw.uniform(math.log10(60), math.log10(400)), draw.uniform(40, 120)))
            dial.hand.turn(now_ns + draw.randrange(150 * MS, 400 * MS), dial.clicks, gap_ms)

    def _claimed_round(self) -> HandsReport:
        report = HandsReport()
        while not all(dial.judged for dial in self.dials):
            self._step(claimed=True)
            now_ns = self.clock.now_ns()
            for dial in self.dials:
                if not dial.judged and now_ns >= dial.hand.last_click_ns + HOLD_NS:
                    report = report.plus(self._hold(dial, now_ns))
        return report

    def _hold(self, dial: _HandDial, now_ns: int) -> HandsReport:
        """Hold the button, and keep holding it while the dial is not ready."""
        tracker = dial.tracker
        stand = tracker.stand
        late, dial.asked = dial.asked, True
        if not dial.bound or tracker.moving or tracker.glitching or not isinstance(stand, Seated):
            if now_ns < dial.hand.last_click_ns + HOLD_NS + HOLD_ON_NS:
                return HandsReport()
            dial.judged = True
            turn = tracker.end_turn(now_ns)
            rest = [turn] if turn else []
            dial.turns += rest
            found = HandsReport(turns=1, claimed=1, not_bound=not dial.bound, unknown=1)
            return found.plus(HandsReport(examples=(self._example(dial, "not accepted", rest),)))
        dial.judged = True
        turn = tracker.end_turn(now_ns)
        report = HandsReport(turns=1, claimed=1)
        if turn is None or not self._stands_right(dial):
            return report.plus(self._wrong(dial, "wrong_position", turn))
        if turn.clicks is None:
            return report.plus(HandsReport(unknown=1, examples=(self._example(dial, "unknown", [turn]),)))
        if turn.clicks != dial.clicks:
            return report.plus(self._wrong(dial, "wrong_clicks", turn))
        if late:
            return report.plus(HandsReport(held_on=1, examples=(self._example(dial, "held on", [turn]),)))
        return report.plus(HandsReport(at_first_hold=1))

    def _unclaimed_round(self) -> HandsReport:
        report = HandsReport()
        while not all(dial.judged for dial in self.dials):
            self._step(claimed=False)
            now_ns = self.clock.now_ns()
            for dial in self.dials:
                if not dial.judged and now_ns >= dial.hand.last_click_ns + REST_NS:
                    dial.judged = True
                    report = report.plus(self._rested(dial))
        return report

    def _rested(self, dial: _HandDial) -> HandsReport:
        report = HandsReport(turns=1, unclaimed=1)
        turns = dial.turns
        if any(turn.clicks is None for turn in turns):
            return report.plus(HandsReport(unknown=1, examples=(self._example(dial, "unknown", turns),)))
        clicks = sum(turn.clicks or 0 for turn in turns)
        if dial.tracker.turning or clicks != dial.clicks:
            if dial.tracker.turning and abs(clicks) <= abs(dial.clicks):
                return report.plus(HandsReport(late=1, examples=(self._example(dial, "late", turns),)))
            return report.plus(self._wrong(dial, "wrong_clicks", *turns))
        if not self._stands_right(dial):
            if isinstance(dial.tracker.stand, Seated):
                return report.plus(self._wrong(dial, "wrong_position", *turns))
            return report.plus(HandsReport(unknown=1, examples=(self._example(dial, "between two", turns),)))
        return report.plus(HandsReport(in_time=1))

    def _back_to_rest(self) -> HandsReport:
        """Wait until every dial rests; check that nothing else was reported."""
        give_up_ns = self.clock.now_ns() + 5_000 * MS
        while any(dial.tracker.turning for dial in self.dials) and self.clock.now_ns() < give_up_ns:
            self._step(claimed=False)
        lost = [
            dial
            for dial in self.dials
            if dial.tracker.turning or (isinstance(dial.tracker.stand, Seated) and not self._stands_right(dial))
        ]
        still = [dial for dial in self.dials if not dial.clicks and dial.turns]
        return HandsReport(
            wrong_position=len(lost),
            invented=len(still),
            examples=(
                *(self._example(dial, "not at rest", []) for dial in lost),
                *(self._example(dial, "was not turned", dial.turns) for dial in still),
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
            off = any(dial.tracker.off_rest for dial in self.dials)
            self._feed.sampling = Sampling.DENSE if off else Sampling.STEADY
        self._feed.rest(began_ns + ROUND_NS)

    def _follow(self, dial: _HandDial, sample: Sample) -> None:
        self._samples += 1
        tracker = dial.tracker
        if not isinstance(sample, Reading):
            tracker.feed(sample.at_ns, None)
            return
        turn = tracker.feed(sample.at_ns, self._angle(dial, sample), sample.proof)
        if turn is not None:
            dial.turns.append(turn)
        dial.bound = dial.bound or (tracker.turning and not tracker.unseen)

    def _angle(self, dial: _HandDial, reading: Reading) -> int:
        """Return the raw angle; an encoder that counts steps is homed by its first reading."""
        turn = dial.tracker.shape.counts_per_turn
        if not dial.tracker.shape.in_steps:
            return reading.raw
        stands = (dial.hand.position or 0) * turn // CLICKS
        zero = self._zero.setdefault(dial.name, (reading.raw - stands) % turn)
        return (reading.raw - zero) % turn

    def _stands_right(self, dial: _HandDial) -> bool:
        return dial.tracker.stand == Seated(dial.hand.position or 0)

    # ------------------------------------------------------------------ examples

    def _name(self, dial: _HandDial) -> str:
        rig = self._rig
        screens = "busy" if rig.screens else "quiet"
        return (
            f"{rig.hand} hand, {rig.dials} x {rig.column}, screens {screens}, {self._seed}/{self._rounds} {dial.name}"
        )

    def _wrong(self, dial: _HandDial, what: str, *turns: Turn | None) -> HandsReport:
        made = [turn for turn in turns if turn is not None]
        return HandsReport(examples=(self._example(dial, what.replace("_", " "), made),), **{what: 1})

    def _example(self, dial: _HandDial, what: str, turns: Sequence[Turn]) -> str:
        gaps = "".join(f", longest gap {turn.longest_gap_ns / MS:.0f} ms" for turn in turns)
        hand = f"the hand turned {dial.clicks:+d} from {dial.before}"
        return f"{self._name(dial)}: {what}: {hand}, reported: {described(turns)}{gaps}"
