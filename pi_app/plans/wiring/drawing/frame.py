"""The sheet: title, drawing and legend on the smallest common paper where they are readable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pi_app.plans.pictures.marks import Block, Mark, Picture, Polyline, Rect, Text, moved
from pi_app.plans.wiring.drawing.badges import Badge
from pi_app.plans.wiring.drawing.layout import DrawingLayout
from pi_app.plans.wiring.drawing.legend import legend
from pi_app.plans.wiring.drawing.style import STYLE, UNITS_PER_MM
from pi_app.plans.wiring.values import PartKind, Wiring

PAPERS: Final = (("A4", 297, 210), ("A3", 420, 297), ("A2", 594, 420), ("A1", 841, 594), ("A0", 1189, 841))
"""Name, longer and shorter side in millimetres."""
LEAST_SCALE: Final = 0.75
"""With less, the smallest letters are under 1.5 mm."""
MOST_SCALE: Final = 1.25
EDGE_MM: Final = 7
TITLE_SIZE: Final = 20.0
SHOUT: Final = 64.0
AIR: Final = 24.0


def framed(
    wiring: Wiring,
    layout: DrawingLayout,
    shapes: Sequence[Mark],
    marks: Mapping[str, Badge],
    advice: Sequence[str],
    *,
    simulated: bool,
) -> Picture:
    """The whole sheet."""
    head = TITLE_SIZE + 22 + (SHOUT if simulated else 0)
    below = legend(wiring, marks, advice, layout.width)
    width = max(layout.width, below.width)
    height = head + AIR + layout.height + AIR + below.height
    paper, paper_mm, scale = _paper(width, height)
    margin = EDGE_MM * UNITS_PER_MM / scale
    wide, tall = (each * UNITS_PER_MM / scale for each in paper_mm)
    left = max(margin, (wide - width) / 2)
    top = margin
    foot = tall - margin - below.height
    middle = top + head + (foot - top - head - layout.height) / 2
    found: list[Mark] = [Block(Rect(0, 0, wide, tall), "paper")]
    found += [moved(shape, left, top) for shape in _title(wiring, paper, live=bool(marks), simulated=simulated)]
    found += [moved(shape, left + (width - layout.width) / 2, middle) for shape in shapes]
    found.append(Polyline(((left, foot - AIR / 2), (left + width, foot - AIR / 2)), "rule", 1))
    found += [moved(shape, left, foot) for shape in below.shapes]
    title = f"Wiring of {wiring.name}"
    return Picture(wide, tall, f"SIMULATED: {title}" if simulated else title, tuple(found), STYLE, paper_mm)


def _paper(width: float, height: float) -> tuple[str, tuple[float, float], float]:
    """Name and size of the paper in millimetres, and the scale."""
    needed = width / UNITS_PER_MM, height / UNITS_PER_MM
    for name, long, short in PAPERS:
        scale, size = max((_scale(needed, size), size) for size in ((long, short), (short, long)))
        if scale >= LEAST_SCALE:
            return name, size, min(scale, MOST_SCALE)
    across, down = needed[0] + 2 * EDGE_MM, needed[1] + 2 * EDGE_MM
    return f"a roll {across:.0f} mm wide", (round(across, 1), round(down, 1)), 1.0


def _scale(needed: tuple[float, float], paper: tuple[float, float]) -> float:
    return min((side - 2 * EDGE_MM) / least for side, least in zip(paper, needed, strict=True))


def _title(wiring: Wiring, paper: str, *, live: bool, simulated: bool) -> Iterator[Mark]:
    y = TITLE_SIZE
    if simulated:
        yield Text((0, 0.8 * SHOUT), "SIMULATED", SHOUT, "bad", bold=True)
        y += SHOUT
    yield Text((0, y), f"{wiring.name}: wiring{', as checked by the doctor' if live else ''}", TITLE_SIZE, bold=True)
    dials, seats = len(wiring.of(PartKind.TILE)), len(wiring.of(PartKind.BUTTON))
    (pi,) = wiring.of(PartKind.PI)
    facts = f"{pi.model}; {_counted(dials, 'dial')}, {_counted(seats, 'seat')}; {_counted(len(wiring.leads), 'lead')}"
    yield Text(
        (0, y + 16), f"{facts}. Drawn for {paper}. Everything is 3.3 V; connect nothing to pins 2 and 4.", 10, "soft"
    )


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
