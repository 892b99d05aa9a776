"""The tables and curves of the page about hands.

`python -m tests.docs.pictures.hand_curves` draws the pictures and prints the tables.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from math import degrees, pi, radians

from hardware.sims.hand import COUNTS_PER_DEGREE, HANDS, SimHand
from hardware.sims.hand_kinds import COIN, PRINTED, DialRanges, FingerRanges, HandKind, Range
from pi_app.plans.pictures.marks import Area, Mark, Picture, Point, Polyline, Polylines, Text
from pi_app.plans.pictures.svg import svg
from tests.docs.pages import DOCS

MS = 1_000_000
EACH_NS = MS // 4
SEEDS = range(48)
STEADY_DEG = 1.0
Row = tuple[str, ...]

UNITS: dict[str, tuple[float, str]] = {
    "spring": (1e-3, "N/mm"), "preload": (1e3, "mm"), "play": (1, "times the cam's"), "loose": (1, "times the cam's"),
    "valley": (100, "% of half a click"), "crest": (100, "% of half a click"), "rubbing": (1, ""),
    "bearing": (1e3, "mN m"), "sticking": (1, ""), "viscous": (1e6, "µN m s/rad"), "inertia": (1e7, "g cm²"),
    "speed": (1, "rad/s"), "stiffness": (1, "N m/rad"), "damping": (1e3, "mN m s/rad"),
    "limit": (1, "times what it needs"), "slack": (degrees(1), "°"), "lingers_s": (1e3, "ms"),
    "hold_speed": (1, "rad/s"), "pause_at": (100, "% of a click"), "pause_s": (1e3, "ms"),
}  # fmt: skip
"""Units on the page in place of SI units."""


def ranged(name: str, value: object) -> str:
    """A range as text: `0.2 to 0.3`, with its unit."""
    if value is None:
        return "the cam's own"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, tuple):
        return str(value)
    scale, unit = UNITS[name]
    low, high = (_short(end * scale) for end in value)
    return " ".join(part for part in (low if low == high else f"{low} to {high}", unit) if part)


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _two(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}"


def parameters() -> list[Row]:
    """Every range of the printed dial and of the coin, by the code's name."""
    dial = [(field.name, ranged(field.name, getattr(PRINTED, field.name))) for field in fields(PRINTED)]
    coin = [(f"finger's {field.name}" if field.name in {"inertia"} else field.name,
             ranged(field.name, getattr(COIN, field.name))) for field in fields(COIN)]  # fmt: skip
    return [(f"`{name}`", span) for name, span in (*dial, *coin)]


def changes(kind: HandKind) -> str:
    """The differences from a printed dial and a coin."""
    if kind.dial is None or kind.touch is None:
        return "no equation"
    found = [*_different(kind.dial, PRINTED), *_different(kind.touch, COIN)]
    return "; ".join(found) or "nothing"


def _different(mine: DialRanges | FingerRanges, usual: DialRanges | FingerRanges) -> Iterator[str]:
    for field in fields(mine):
        value = getattr(mine, field.name)
        if value == getattr(usual, field.name):
            continue
        if field.name in ("grips", "lets_go"):
            yield {"grips": "only pushes", "lets_go": "lets go at the top"}[field.name]
        elif field.name == "outward":
            yield f"counter-clockwise {value:g} times as fast"
        elif value == (0.0, 0.0):
            yield f"no {field.name}"
        else:
            yield f"{field.name} {ranged(field.name, value)}"


@dataclass(frozen=True, slots=True)
class Click:
    """One click of one hand, as angles in degrees every quarter of a millisecond, upwards."""

    angles: tuple[float, ...]
    top: int
    """The sample after the top of the lobe."""

    @property
    def snap_ms(self) -> float:
        start, rest = self.angles[0], self.angles[-1]
        ten, ninety = (self._passes(start + part * (rest - start)) for part in (0.1, 0.9))
        return (ninety - ten) / 4

    @property
    def overshoot(self) -> float:
        return max(self.angles) - self.angles[-1]

    @property
    def settles_ms(self) -> float:
        """From the top until it stays within a degree of its rest position."""
        last = max(place for place, angle in enumerate(self.angles) if abs(angle - self.angles[-1]) > STEADY_DEG)
        return (last + 1 - self.top) / 4

    def _passes(self, wanted: float) -> float:
        place = next(place for place, angle in enumerate(self.angles) if angle >= wanted)
        return place - (self.angles[place] - wanted) / (self.angles[place] - self.angles[place - 1])


@cache
def clicks(kind: str) -> tuple[Click, ...]:
    """The second click of some hands in both directions, since it starts at the end of a click."""
    return tuple(_clicked(SimHand(seed, kind=kind), 1 if seed % 2 else -1) for seed in SEEDS)


def _clicked(hand: SimHand, direction: int) -> Click:
    start_ns = hand.turn(0, direction) + 100 * MS
    end_ns = hand.turn(start_ns, direction)
    home = direction * 30.0
    times = range(start_ns, end_ns + EACH_NS, EACH_NS)
    angles = tuple(direction * (hand.angle_counts(t_ns) / COUNTS_PER_DEGREE - home) for t_ns in times)
    return Click(angles, (hand.last_click_ns - start_ns) // EACH_NS + 1)


def measured(kind: str) -> Row:
    """A kind's row: snap, time from top to rest, overshoot, rest off the middle."""
    seen = clicks(kind)
    snaps = [click.snap_ms for click in seen]
    settles = [click.settles_ms for click in seen]
    over = [click.overshoot for click in seen]
    beside = max(abs(click.angles[-1] - 30) for click in seen)
    return (
        f"`{kind}`",
        " / ".join(_two(snap) for snap in (min(snaps), statistics.median(snaps), max(snaps))),
        f"{statistics.median(settles):.0f} / {max(settles):.0f}",
        f"{statistics.median(over):.1f} / {max(over):.1f}",
        f"{beside:.1f}",
    )


# ------------------------------------------------------------------------------------------------------- the curves

PANEL_WIDTH, PANEL_HEIGHT, COLUMNS, HEAD = 262.0, 132.0, 3, 58.0
FROM_MS, TO_MS = -60.0, 120.0
LOW_DEG, HIGH_DEG = -6.0, 44.0
SHOWN = 6


def curves() -> Picture:
    """A panel per kind: some clicks over time, with the top of the lobe at 0 ms."""
    rows = -(-len(HANDS) // COLUMNS)
    width, height = 20 + COLUMNS * PANEL_WIDTH, HEAD + rows * PANEL_HEIGHT + 20
    title = "One click of each kind of hand"
    under = "6 clicks each, by the dial's angle; 0 ms is the top of the lobe; the dots below are 10 ms apart"
    marks: list[Mark] = [
        Area(((0, 0), (width, 0), (width, height), (0, height)), "paper"),
        Text((16, 26), title, 17, "ink", bold=True),
        Text((16, 46), under, 12, "soft"),
    ]
    for place, kind in enumerate(HANDS):
        x, y = 14 + place % COLUMNS * PANEL_WIDTH, HEAD + place // COLUMNS * PANEL_HEIGHT
        marks += _panel(kind, x, y)
    return Picture(width, height, title, tuple(marks))


def _panel(kind: str, left: float, top: float) -> Iterator[Mark]:
    x0, x1, y0, y1 = left + 34, left + PANEL_WIDTH - 8, top + 20, top + PANEL_HEIGHT - 22

    def x(ms: float) -> float:
        return x0 + (ms - FROM_MS) / (TO_MS - FROM_MS) * (x1 - x0)

    def y(deg: float) -> float:
        return y1 - (deg - LOW_DEG) / (HIGH_DEG - LOW_DEG) * (y1 - y0)

    yield Text((x0, top + 14), kind, 13, "ink", bold=True)
    for deg in (0, 15, 30):
        yield Polyline(((x0, y(deg)), (x1, y(deg))), "grid", 1, dash="3 4" if deg == 15 else "")
        yield Text((x0 - 5, y(deg) + 4), f"{deg}°", 10, "soft", "end")
    for ms in (-50, 0, 50, 100):
        yield Text((x(ms), y1 + 14), f"{ms} ms" if ms == 100 else str(ms), 10, "soft", "middle")
    dots = tuple(((x(ms), y1), (x(ms) + 0.1, y1)) for ms in range(int(FROM_MS), int(TO_MS) + 1, 10))
    yield Polylines(dots, "soft", 2)
    yield Polylines(tuple(tuple(_way(click, x, y)) for click in clicks(kind)[:SHOWN]), "wave", 1.2)


def _way(click: Click, x: object, y: object) -> Iterator[Point]:
    assert callable(x)
    assert callable(y)
    shown = [(place - click.top) / 4 for place in range(len(click.angles))]
    last = None
    for ms, deg in zip(shown, click.angles, strict=True):
        if FROM_MS <= ms <= TO_MS and (last is None or abs(deg - last[1]) > 0.6 or ms - last[0] >= 6):
            last = (ms, deg)
            yield round(x(ms), 1), round(y(deg), 1)
    if shown[-1] < TO_MS:
        yield round(x(TO_MS), 1), round(y(click.angles[-1]), 1)


def torque() -> Picture:
    """The finger's torque over a click of a printed dial in the middle of its ranges, with and without friction."""
    middle = replace(
        PRINTED, spring=_middle(PRINTED.spring), play=(1, 1), loose=(0, 0), rubbing=_middle(PRINTED.rubbing),
        bearing=_middle(PRINTED.bearing), valley=_middle(PRINTED.valley),
    )  # fmt: skip
    detent = middle.drawn(random.Random(0), 12)
    angles = [radians(place / 8) for place in range(241)]
    needs = [1e3 * (detent.friction(angle, 1.0) - detent.cam_torque(angle)) for angle in angles]
    frictionless = [-1e3 * detent.cam_torque(angle) for angle in angles]
    width, height = 560.0, 330.0
    x0, x1, y0, y1 = 56.0, 540.0, 70.0, 290.0

    def x(angle: float) -> float:
        return x0 + angle / (pi / 6) * (x1 - x0)

    def y(mnm: float) -> float:
        return y1 - (mnm + 30) / 80 * (y1 - y0)

    def line(values: Sequence[float]) -> tuple[Point, ...]:
        return tuple((round(x(angle), 1), round(y(value), 1)) for angle, value in zip(angles, values, strict=True))

    marks: list[Mark] = [
        Area(((0, 0), (width, 0), (width, height), (0, height)), "paper"),
        Text((16, 26), "Torque of a printed dial over one click", 17, "ink", bold=True),
        Text((16, 48), "to turn it slowly (line), and without friction (dashed), in mN m", 12, "soft"),
    ]
    for mnm in (-20, 0, 20, 40):
        marks += [
            Polyline(((x0, y(mnm)), (x1, y(mnm))), "grid", 1),
            Text((x0 - 6, y(mnm) + 4), str(mnm), 11, "soft", "end"),
        ]
    for deg in (0, 5, 10, 15, 20, 25, 30):
        marks.append(Text((x(radians(deg)), y1 + 20), f"{deg}°", 11, "soft", "middle"))
    marks += [Polyline(line(frictionless), "soft", 1.4, dash="3 4"), Polyline(line(needs), "wave", 2)]
    return Picture(width, height, "Torque of a printed dial over one click", tuple(marks))


def _middle(span: Range) -> Range:
    return (sum(span) / 2, sum(span) / 2)


PICTURES = {"hands.svg": curves, "hands_torque.svg": torque}


def main() -> None:
    for name, picture in PICTURES.items():
        (DOCS / name).write_text(svg(picture()), encoding="utf-8")
    kinds = [(f"`{kind.name}`", kind.says, changes(kind)) for kind in HANDS.values()]
    for row in (*parameters(), *kinds, *(measured(name) for name in HANDS)):
        sys.stdout.write(f"| {' | '.join(row)} |\n")


if __name__ == "__main__":
    main()
