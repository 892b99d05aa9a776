"""The evidence under every fault: twins of a whole bus, the real drivers, scan and trackers, and known hands.

Eight tiles hang behind a mux on a wire of 100 or 400 kHz, at an adapter of one of three kinds, with or without the
mux's RESET wired. The table is played in rounds. In a round hands turn some dials (1 to 18 clicks at up to 60 a
second, either way), and up to six faults of the twins' whole list strike at random: any tile, any moment, any amount
that the fault can take, lasting up to a second. Then all faults end, and the round ends when every dial has been
read for a while. The reports of the trackers are compared with the hands:

- a turn with known clicks must be the hand's whole turn; beside an unknown path, it may be the seen part;
- a turn with an unknown path must begin and end at the dial's true positions;
- a dial that was turned must be reported, and a dial at rest must not;
- once a button pressed after the turn has been held long enough, the tracker must show the dial's true position
  (`wrong_faces`);
- a dial at rest must not satisfy a claim that waits for the first dial to move (`claims_taken`).

`startled` counts dials at rest that were reported as moved on an unknown path: no click was reported.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.readings import Reading, Sample
from hardware.scan import Scan, ScanDial
from hardware.sims import faults
from hardware.sims.adapter import CONTROLLERS, SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.faults import FAULTS
from hardware.sims.table import Tile, tiles_on_mux
from hardware.sims.wire import SimWire
from pi_app.dials.tracker import DialShape, Seated, Tracker, Turn
from pi_app.play.gestures import ButtonGestures
from pi_app.workshop.bench.counting import SummedReport, described, in_parts, spread

MS: Final = 1_000_000
TILES: Final = 8
CLICKS: Final = 12
REST_MS: Final = 600
PERIOD_NS: Final = 10 * MS
ROUND_NS: Final = 1_200 * MS
LONGEST_FAULT_NS: Final = 1_000 * MS
WELL_NS: Final = (REST_MS + 300) * MS
PATIENCE_NS: Final = 30_000 * MS
HOLD_NS: Final = ButtonGestures().hold_ms * MS
MOST_FAULTS: Final = 6
ROUNDS_PER_TABLE: Final = 12
SAMPLES_PER_JOB: Final = 200_000

AMOUNTS: Final = {
    "power-dip": (0.1, 300.0),
    "leads-swapped": (-1, -1),
    "stuck-mid-byte": (1, 9),
    "slow-bus": (0.3, 1.0),
    "gap": (1.0, 300.0),
    "spike": (-2048, 2048),
    "jumps": (-2048, 2048),
    "torn": (1, 255),
    "agc-drift": (-64, 64),
}
"""The range of each amount; `shape-refused` has two."""

FAULTLESS: Final = ("wrong", "unreported", "invented", "wrong_faces", "claims_taken", "never_back")


@dataclass(frozen=True, slots=True)
class FaultsReport(SummedReport):
    """The fields in `FAULTLESS` must be 0.

    `unseen`: whole revolutions while the dial could not be read. `never_back`: dials still not read long after the last
    fault. `slowest_ms`: the longest time from the last fault of a round until a dial was read again.
    """

    samples: int = 0
    rounds: int = 0
    faults: int = 0
    turns: int = 0
    right: int = 0
    unknown: int = 0
    unseen: int = 0
    startled: int = 0
    wrong: int = 0
    unreported: int = 0
    invented: int = 0
    wrong_faces: int = 0
    claims_taken: int = 0
    never_back: int = 0
    slowest_ms: int = 0
    examples: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not any(getattr(self, name) for name in FAULTLESS)


def run(samples: int, seed: int, *, jobs: int = 1) -> FaultsReport:
    """Play until at least so many samples were taken; spread over `jobs` processes if more than one."""
    return reduce(FaultsReport.plus, spread(_play_part, in_parts(samples, SAMPLES_PER_JOB, seed), jobs), FaultsReport())


def _play_part(part: tuple[int, str]) -> FaultsReport:
    samples, seed = part
    report, table = FaultsReport(), 0
    while report.samples < samples:
        report = report.plus(play_table(f"{seed}/{table}"))
        table += 1
    return report


def play_table(seed: str, rounds: int = ROUNDS_PER_TABLE, names: Sequence[str] = tuple(FAULTS)) -> FaultsReport:
    """Play one table for so many rounds with faults of these names."""
    table = FaultyTable(seed, names)
    report = FaultsReport()
    for _ in range(rounds):
        report = report.plus(table.round())
        if report.never_back:
            break
    return report


@dataclass(slots=True)
class _FaultyDial:
    """One dial: its twin, its tracker, and this round of both."""

    tile: Tile
    tracker: Tracker
    before: int
    turned: int = 0
    swapped: bool = False
    well_since_ns: int | None = None
    wrong_face: str = ""
    claim_taken: str = ""


class FaultyTable:
    """One bus of twins, with the real code above it."""

    def __init__(self, seed: str, names: Sequence[str]) -> None:
        draw = self._draw = random.Random(f"faults {seed}")
        self._seed, self._names, self._rounds = seed, names, 0
        self.clock = VirtualClock()
        kind = draw.choice(sorted(CONTROLLERS))
        wire = SimWire(self.clock, draw.choice((100_000, 400_000)))
        tiled = tiles_on_mux(wire, seed=draw.randrange(1 << 30), clicks=CLICKS, position=draw.randrange(CLICKS))
        bus = LinuxBus(SimAdapter(wire, self.clock, kind, call_cost_ns=draw.choice((0, 80_000))), timeout_ms=20)
        mux = Tca9548a(bus, reset=tiled.mux.reset if draw.random() < 0.8 else None)
        self.dials = [
            _FaultyDial(tile, Tracker(DialShape(clicks=CLICKS, rest_ms=REST_MS)), tile.hand.position or 0)
            for tile in tiled.tiles
        ]
        dials = [ScanDial(f"T{n:02}", As5600(mux.channel(n))) for n in range(TILES)]
        self.scan = Scan("dials", dials, self.clock)
        self._samples = 0
        self._turns: list[list[Turn]] = [[] for _ in self.dials]
        self._wait_until_well()

    # ------------------------------------------------------------------ a round

    def round(self) -> FaultsReport:
        """Turn dials and inject faults, wait until all dials are read and at rest, then compare."""
        self._rounds += 1
        self._samples = 0
        began_ns = self.clock.now_ns()
        struck = self._plan_faults(began_ns)
        self._plan_hands(began_ns)
        while self.clock.now_ns() < began_ns + ROUND_NS + LONGEST_FAULT_NS:
            self._scan_once()
        mended_ns = self.clock.now_ns()
        back = self._wait_until_well()
        report = FaultsReport(
            samples=self._samples,
            rounds=1,
            faults=len(struck),
            slowest_ms=max(0, (self._well_from_ns() - mended_ns) // MS),
            never_back=TILES - back,
            examples=() if back == TILES else (f"{self._name} never came back after {', '.join(struck)}",),
        )
        for number, dial in enumerate(self.dials):
            report = report.plus(self._compare(number, dial, struck))
        return report

    @property
    def _name(self) -> str:
        return f"table {self._seed} round {self._rounds}"

    def _plan_faults(self, began_ns: int) -> list[str]:
        draw, struck = self._draw, []
        for _ in range(draw.randint(0, MOST_FAULTS)):
            name, dial = draw.choice(self._names), draw.choice(self.dials)
            at_ns = draw.randrange(ROUND_NS)
            ends_ns = at_ns + round(LONGEST_FAULT_NS * 10 ** draw.uniform(-2.5, 0))
            amount = self._amount(name)
            self.clock.at(began_ns + at_ns, lambda t=dial.tile, n=name, a=amount: self._strike(t, n, a))  # type: ignore[misc]
            if FAULTS[name].lasts:
                self.clock.at(began_ns + ends_ns, lambda t=dial.tile, n=name: faults.mend(t, n))  # type: ignore[misc]
            if name == "leads-swapped":
                dial.swapped = self.dials[(dial.tile.channel + 1) % TILES].swapped = True
            shown = "" if amount is None else f"={amount:g}"
            until = f"-{ends_ns / 1e9:.3f}" if FAULTS[name].lasts else ""
            struck.append(f"{name}{shown}@T{dial.tile.channel:02}@{at_ns / 1e9:.3f}{until}")
        return struck

    def _strike(self, tile: Tile, name: str, amount: float | None) -> None:
        if name == "leads-swapped" and any(dial.tile.segment.swapped_with for dial in self.dials):
            return  # one pair of swapped leads at a time
        faults.strike(tile, name, amount)

    def _amount(self, name: str) -> float | None:
        if name == "shape-refused":
            return float(self._draw.choice((95, 22)))
        if name not in AMOUNTS:
            return None
        low, high = AMOUNTS[name]
        return self._draw.uniform(low, high) if isinstance(low, float) else float(self._draw.randint(low, int(high)))

    def _plan_hands(self, began_ns: int) -> None:
        draw = self._draw
        for dial in self.dials:
            dial.before, dial.turned = dial.tile.hand.position or 0, 0
            if dial.swapped or draw.random() < 0.4:
                continue
            dial.turned = draw.choice((1, 2, 3, 4, 5, 6, draw.randint(1, 18))) * draw.choice((1, 1, 1, -1))
            starts_ns = began_ns + draw.randrange(ROUND_NS // 2)
            gap_ms = 10 ** draw.uniform(math.log10(1000 / 60), math.log10(100))
            if draw.random() < 0.2:
                dial.tile.hand.flick(starts_ns, dial.turned, draw.uniform(20, 60))
            else:
                dial.tile.hand.turn(starts_ns, dial.turned, gap_ms)

    # ------------------------------------------------------------------ scanning

    def _scan_once(self) -> None:
        began_ns = self.clock.now_ns()
        samples = self.scan.scan()
        self._samples += len(samples)
        for dial, turns, sample in zip(self.dials, self._turns, samples, strict=True):
            turn = self._feed(dial, sample)
            if turn is not None:
                turns.append(turn)
            if dial.tracker.turning and not dial.swapped:
                self._show(dial, sample.at_ns)
        self.clock.sleep_until(began_ns + PERIOD_NS)

    def _feed(self, dial: _FaultyDial, sample: Sample) -> Turn | None:
        if not isinstance(sample, Reading):
            dial.well_since_ns = None
            return dial.tracker.feed(sample.at_ns, None)
        if dial.well_since_ns is None:
            dial.well_since_ns = sample.at_ns
        return dial.tracker.feed(sample.at_ns, sample.raw, sample.proof)

    def _show(self, dial: _FaultyDial, at_ns: int) -> None:
        """Show the face of a turning dial and let it satisfy a claim, as a table would."""
        tracker, hand = dial.tracker, dial.tile.hand
        stand = tracker.stand
        may_be_seen = isinstance(stand, Seated) and not tracker.moving and not tracker.glitching
        if may_be_seen and hand.at_rest_from_ns + HOLD_NS <= at_ns and stand != Seated(hand.position or 0):
            dial.wrong_face = f"{stand} at {at_ns / 1e9:.3f} s"
        if not dial.turned and not tracker.unseen:
            dial.claim_taken = f"at {at_ns / 1e9:.3f} s"

    def _wait_until_well(self) -> int:
        """Scan until every dial has been read and at rest for a while; return how many are."""
        give_up_ns = self.clock.now_ns() + PATIENCE_NS
        while self.clock.now_ns() < give_up_ns:
            self._scan_once()
            if all(self._is_well(dial) for dial in self.dials):
                break
        return sum(self._is_well(dial) for dial in self.dials)

    def _is_well(self, dial: _FaultyDial) -> bool:
        since_ns = dial.well_since_ns
        well = since_ns is not None and self.clock.now_ns() - since_ns > WELL_NS
        still = self.clock.now_ns() > dial.tile.hand.at_rest_from_ns + WELL_NS
        return well and still and not dial.tracker.moving and not dial.tracker.turning

    def _well_from_ns(self) -> int:
        return max(dial.well_since_ns or 0 for dial in self.dials)

    # ------------------------------------------------------------------ comparing

    def _compare(self, number: int, dial: _FaultyDial, struck: Sequence[str]) -> FaultsReport:
        turns, self._turns[number] = self._turns[number], []
        dial.swapped = False
        count = count_of(turns, dial.before, dial.turned)
        counted = {
            "turns": int(dial.turned != 0),
            "wrong_faces": int(bool(dial.wrong_face)),
            "claims_taken": int(bool(dial.claim_taken)),
            **({count: 1} if count else {}),
        }
        examples: tuple[str, ...] = ()
        if count in FAULTLESS or dial.wrong_face or dial.claim_taken:
            hand = f"the hand turned {dial.turned:+d} from {dial.before}"
            faults = ", ".join(struck) or "no fault"
            face = f", face shown: {dial.wrong_face}" if dial.wrong_face else ""
            claim = f", claim taken {dial.claim_taken}" if dial.claim_taken else ""
            examples = (f"{self._name} T{number:02}: {hand}, reported: {described(turns)}{face}{claim}; {faults}",)
        dial.wrong_face = dial.claim_taken = ""
        return FaultsReport(**counted, examples=examples)


def count_of(turns: Sequence[Turn], before: int, turned: int) -> str:
    """Return the field of the report that counts this dial; empty if it neither turned nor was reported."""
    after = (before + turned) % CLICKS
    if not turns:
        if not turned:
            return ""
        return "unseen" if turned % CLICKS == 0 else "unreported"
    known = [turn for turn in turns if turn.clicks is not None]
    chained = turns[0].from_position == before % CLICKS and turns[-1].to_position == after
    if not turned:
        if known:
            return "invented"
        return "startled" if chained else "wrong"
    if (
        not chained
        or (len(known) == len(turns) > 1)
        or not all(_is_part(turn, turned, whole=len(known) == len(turns)) for turn in known)
    ):
        return "wrong"
    return "right" if known and len(turns) == 1 else "unknown"


def _is_part(turn: Turn, turned: int, *, whole: bool) -> bool:
    """Whether the reported clicks are the hand's; beside an unknown path they may be a part of them."""
    clicks = turn.clicks or 0
    if whole:
        return clicks == turned
    if turn.from_position is None or turn.to_position is None:
        return False
    on_its_way = (turn.from_position + clicks - turn.to_position) % CLICKS == 0
    return on_its_way and 0 < clicks * (1 if turned > 0 else -1) <= abs(turned)
