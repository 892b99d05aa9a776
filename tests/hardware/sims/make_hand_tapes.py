"""Three tapes of each kind of hand, with the truth: `python -m tests.hardware.sims.make_hand_tapes`.

A tape is a CSV file. Its first line is a comment with the truth, then comes one line per sample: `t_us,counts`. Samples
are 2 to 10 ms apart, counts are a 12 bit encoder's over a dial of 12 clicks: noise as a sensor has it, and a magnet
in the middle, so that position k is at k * 4096 / 12.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hardware.sims.hand import COUNTS_PER_TURN, HANDS, SimHand, SimMagnet

FOLDER = Path(__file__).with_name("hand_tapes")
CLICKS = 12
BEFORE_NS = 300_000_000
AFTER_NS = 1_000_000_000
APART_MS = (2.0, 10.0)
WAYS = ("one", "six", "between")


@dataclass(frozen=True, slots=True)
class Tape:
    """The samples and the truth: the detent at the start, signed clicks to the end, the last click's time."""

    samples: tuple[tuple[int, int], ...]
    """Time in us, counts from 0 to 4095."""
    kind: str
    way: str
    start: int
    clicks: int
    last_click_us: int
    at_rest_us: int


def name(kind: str, way: str) -> str:
    return f"{kind}-{way}.csv"


def made(kind: str, way: str) -> Tape:
    """A tape of one click, of six, or of a dial that stops between two detents and goes on, back and forth."""
    seed = 100 + WAYS.index(way)
    start = {"one": 0, "six": 9, "between": 5}[way]
    hand = SimHand(seed, CLICKS, start, kind)
    clicks = _turned(hand, way)
    end_ns = hand.at_rest_from_ns
    magnet = SimMagnet(hand.angle_counts, seed, eccentricity_deg=0.0)
    draw = random.Random(f"{kind} {way}")
    samples, t_ns = [], 0
    while t_ns < end_ns + AFTER_NS:
        samples.append((t_ns // 1000, round(magnet(t_ns)) % COUNTS_PER_TURN))
        t_ns += round(draw.uniform(*APART_MS) * 1e3) * 1000
    return Tape(tuple(samples), kind, way, start, clicks, hand.last_click_ns // 1000, end_ns // 1000)


def _turned(hand: SimHand, way: str) -> int:
    """Turn the dial; return the clicks between start and end."""
    if way == "one":
        hand.turn(BEFORE_NS, 1)
        return 1
    if way == "six":
        hand.turn(BEFORE_NS, 6, [180.0, 90.0, 240.0, 70.0, 400.0])
        return 6
    held_ns = hand.stop_between(BEFORE_NS, 0.4)
    turned_ns = hand.turn(held_ns + 400_000_000, 2, 60.0)
    hand.turn(turned_ns + 50_000_000, -3)
    return -1


def written(tape: Tape) -> str:
    """The file's text."""
    truth = (
        f"# kind={tape.kind} way={tape.way} dial_clicks={CLICKS} from={tape.start} clicks={tape.clicks} "
        f"last_click_us={tape.last_click_us} at_rest_us={tape.at_rest_us}"
    )
    return "\n".join([truth, "t_us,counts", *(f"{t_us},{counts}" for t_us, counts in tape.samples)]) + "\n"


def read(text: str) -> Tape:
    """A tape from its text."""
    truth, _, *lines = text.splitlines()
    facts: Mapping[str, str] = dict(part.split("=", 1) for part in truth.removeprefix("# ").split(" "))
    samples = tuple((int(t_us), int(counts)) for t_us, _, counts in (line.partition(",") for line in lines))
    return Tape(
        samples, facts["kind"], facts["way"], int(facts["from"]), int(facts["clicks"]), int(facts["last_click_us"]),
        int(facts["at_rest_us"]),
    )  # fmt: skip


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for kind in HANDS:
        for way in WAYS:
            (FOLDER / name(kind, way)).write_text(written(made(kind, way)), encoding="utf-8")


if __name__ == "__main__":
    main()
