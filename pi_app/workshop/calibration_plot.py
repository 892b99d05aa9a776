"""A picture of a calibration: one round plot per dial, as marks on paper. Pure: no library, no file.

In the middle is the angle error: a dot for each detent, outside the zero ring if it comes late (counter-clockwise),
inside if early, and the part of it that the magnet explains as a line. Around it is a bar per detent: its margin before
it is mistaken for its neighbour. The start mark is on top and positions go counter-clockwise, as on the dial itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pi_app.dials.calibration import Calibration
from pi_app.dials.magnet_error import DetentErrors, Wave
from pi_app.plans.pictures.marks import Area, Disc, Ink, Mark, Picture, Point, Polyline, Text, moved

CARD_WIDTH: Final = 420.0
CARD_HEIGHT: Final = 572.0
FOOT: Final = 64.0
_MIDDLE: Final = (CARD_WIDTH / 2, 264.0)

_ZERO: Final = 84.0
_REACH: Final = 48.0
"""The distance of the scale's largest error from the zero ring."""

_NUMBERS: Final = 144.0
_BAR_FROM, _BAR_TO = 156.0, 176.0
_MARGINS: Final = 187.0
_SCALES: Final = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0)
_MOST_NUMBERS: Final = 16
"""Dials with more detents have only their smallest margin written."""

_SEEN_DEG: Final = 0.1
"""The peak of a lower wave is not named."""

_SCANT_PART, _BAD_PART = 0.7, 0.45
"""Parts of half the distance to the next detent: a smaller margin is scant, or bad."""


def plot(dials: Mapping[str, Calibration], *, simulated: bool = False) -> Picture:
    """Draw all dials of a table side by side; mark simulated ones. Raises ValueError without dials."""
    if not dials:
        raise ValueError("there is no dial to draw")
    columns = 1 if len(dials) == 1 else 2 if len(dials) <= 4 else 4
    rows = -(-len(dials) // columns)
    marks: list[Mark] = []
    for n, (label, dial) in enumerate(dials.items()):
        row, column = divmod(n, columns)
        marks += [moved(mark, column * CARD_WIDTH, row * CARD_HEIGHT) for mark in _card(label, dial)]
    width, height = columns * CARD_WIDTH, rows * CARD_HEIGHT + FOOT
    paper = Area(((0, 0), (width, 0), (width, height), (0, height)), "paper")
    title = f"Calibration of {'simulated ' if simulated else ''}{', '.join(dials)}"
    if simulated:
        marks.append(Text((width / 2, 20), "SIMULATED: not real dials", 11.5, "soft", "middle"))
    return Picture(width, height, title, (paper, *marks, *_key(width, rows * CARD_HEIGHT, columns)))


def _card(label: str, dial: Calibration) -> Iterator[Mark]:
    form = dial.errors
    margins = [margin * 360 / dial.counts_per_turn for margin in dial.margin]
    scale = next((scale for scale in _SCALES if scale >= _largest(form)), _SCALES[-1])
    yield Text((28, 46), label, 26, "ink", bold=True)
    yield Text((CARD_WIDTH - 28, 46), f"{dial.clicks} detents", 14, "soft", "end")
    yield from _bars(margins, 180 / dial.clicks)
    yield from _rings(scale)
    yield from _error(form, scale)
    yield from _numbers(dial.clicks, form)
    yield from _words(form, dial, margins)


def _largest(form: DetentErrors) -> float:
    return max(*map(abs, form.off_deg), *(abs(form.wave_at(k / 2)) for k in range(2 * len(form.off_deg))))


def _spot(position: float, clicks: int, radius: float) -> Point:
    """Return a point: position 0 is on top, counting counter-clockwise."""
    turned = math.tau * position / clicks
    return _MIDDLE[0] - radius * math.sin(turned), _MIDDLE[1] - radius * math.cos(turned)


def _ring(radius: float) -> tuple[Point, ...]:
    return tuple(_spot(k, 120, radius) for k in range(120))


def _bars(margins: Sequence[float], ideal: float) -> Iterator[Mark]:
    clicks, worst = len(margins), min(range(len(margins)), key=lambda k: margins[k])
    for k, margin in enumerate(margins):
        yield Area(_wedge(k, clicks, 1.0), "track")
        part = min(1.0, max(0.04, margin / ideal))
        colour: Ink = "bad" if part < _BAD_PART else "scant" if part < _SCANT_PART else "good"
        yield Area(_wedge(k, clicks, part), colour)
        if clicks <= _MOST_NUMBERS or k == worst:
            x, y = _spot(k, clicks, _MARGINS + 3 * abs(math.sin(math.tau * k / clicks)))
            yield Text((x, y + 4), f"{margin:.1f}", 11.5, "ink" if k == worst else "soft", "middle", bold=k == worst)


def _wedge(k: int, clicks: int, part: float) -> tuple[Point, ...]:
    """Return a piece of the outer ring, filled from inside to a part of its height."""
    steps = max(2, 96 // clicks)
    across = [k - 0.38 + 0.76 * step / steps for step in range(steps + 1)]
    outer = _BAR_FROM + part * (_BAR_TO - _BAR_FROM)
    return (
        *(_spot(position, clicks, _BAR_FROM) for position in across),
        *(_spot(position, clicks, outer) for position in reversed(across)),
    )


def _rings(scale: float) -> Iterator[Mark]:
    for part in (-1.0, -0.5, 0.5, 1.0):
        yield Polyline(_ring(_ZERO + part * _REACH), "grid", 0.8, dash="3 4" if abs(part) < 1 else "", closed=True)
    yield Polyline(_ring(_ZERO), "soft", 1.2, closed=True)


def _error(form: DetentErrors, scale: float) -> Iterator[Mark]:
    clicks = len(form.off_deg)

    def radius(degrees: float) -> float:
        return _ZERO + degrees / scale * _REACH

    if form.once is not None:
        way = tuple(_spot(k * clicks / 180, clicks, radius(form.wave_at(k * clicks / 180))) for k in range(180))
        yield Polyline(way, "wave", 2.4, closed=True)
    for k, off in enumerate(form.off_deg):
        worn = k in form.worn
        colour: Ink = "bad" if worn else "ink"
        yield Polyline((_spot(k, clicks, _ZERO), _spot(k, clicks, radius(off))), colour, 1.4)
        if worn:
            yield Disc(_spot(k, clicks, radius(off)), 9, "paper", "bad", 2)
        yield Disc(_spot(k, clicks, radius(off)), 4.6, colour, "paper", 1.4)
    for degrees in (scale, 0.0, -scale):
        sign = "+" if degrees > 0 else "\N{MINUS SIGN}" if degrees else ""
        x, y = _spot(-0.5, clicks, radius(degrees))
        yield Disc((x, y), 10, "paper", "paper", 0)
        yield Text((x, y + 3.8), f"{sign}{abs(degrees):g}°", 10.5, "soft", "middle")


def _numbers(clicks: int, form: DetentErrors) -> Iterator[Mark]:
    for k in range(clicks):
        if clicks > 2 * _MOST_NUMBERS and k % 5:
            continue
        x, y = _spot(k, clicks, _NUMBERS)
        colour: Ink = "bad" if k in form.worn else "ink"
        yield Text((x, y + 4.5), str(k), 13, colour, "middle", bold=k == 0 or k in form.worn)


def _words(form: DetentErrors, dial: Calibration, margins: Sequence[float]) -> Iterator[Mark]:
    worst = min(range(dial.clicks), key=lambda k: margins[k])
    varies = max(dial.spread) * 360 / dial.counts_per_turn
    lines: list[tuple[str, str, Ink]] = [
        ("Least margin", f"{margins[worst]:.1f}° of {180 / dial.clicks:.1f}°, at {worst}", "ink"),
    ]
    if form.worn:
        lines.append(("Worn", f"position {' and '.join(map(str, form.worn))}", "bad"))
    else:
        lines.append(("Varies at rest", f"{varies:.1f}° at most", "ink"))
    for name, wave in (("Magnet off centre", form.once), ("Magnet tilted", form.twice)):
        lines.append((name, _of_wave(wave, form), "ink"))
    for n, (name, value, colour) in enumerate(lines):
        x = 28 + n % 2 * 192
        y = CARD_HEIGHT - 64 + (n // 2) * 40
        yield Text((x, y - 17), name, 11.5, "soft")
        yield Text((x, y), value, 13.5, colour)


def _of_wave(wave: Wave | None, form: DetentErrors) -> str:
    if wave is None:
        return "too few detents"
    height = f"±{wave.degrees:.1f}°"
    return height if wave.degrees < _SEEN_DEG else f"{height}, most near {_near(wave.peak, form)}"


def _near(peak: float, form: DetentErrors) -> int:
    return round(peak) % len(form.off_deg)


def _key(width: float, top: float, columns: int) -> Iterator[Mark]:
    """Explain the marks, once for all dials."""
    base = top + FOOT - 22
    yield Polyline(((28, top + 14), (width - 28, top + 14)), "grid", 1)
    items = ["dot", "wave", "bar"]
    words = {"dot": "error of a detent", "wave": "explained by magnet", "bar": "margin of a detent"}
    places = (28.0, 146.0, 286.0) if columns == 1 else (28.0, 220.0, 412.0)
    for x, item in zip(places, items, strict=True):
        match item:
            case "dot":
                yield Disc((x + 6, base - 4), 4.6, "ink", "paper", 0)
            case "wave":
                yield Polyline(((x, base - 4), (x + 14, base - 4)), "wave", 2.4)
            case _:
                yield Area(((x, base - 10), (x + 12, base - 10), (x + 12, base + 2), (x, base + 2)), "good")
        yield Text((x + 20, base), words[item], 11.5, "soft")
