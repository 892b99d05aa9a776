"""Sheets of dial faces, 1:1, as SVG or PDF: several dials on a page, and a 50 mm bar to check the print's scale.

By default a sheet has position numbers only. It depends only on the number of clicks of each dial, so a sheet in the
printer's tray reveals nothing (S-9). A full sheet shows the traps of every dial, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

from pi_app.game.trap_table import TrapTable
from pi_app.plans.pictures.marks import SCALE, Area, Mark, Picture, Text, scale_bar
from pi_app.plans.pictures.marks import sheet as on_sheet
from pi_app.plans.printed.faces.faces import Ring, full, numbers
from pi_app.plans.printed.square import PrintedSquare, check

Paper = Literal["A4", "Letter"]
PAPERS: Final[dict[Paper, tuple[float, float]]] = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
MARGIN: Final = 12.0
HEAD: Final = 44.0
BETWEEN: Final = 6.0
LABEL: Final = 4.0

HOW: Final = (
    SCALE,
    "Cut along both circles. Glue the ring to the dial's disc, its black mark at the notch in the disc's rim.",
)
SECRET: Final = (
    "SECRET: this sheet shows the traps of every dial.",
    "Print, cut and glue it alone. Do not leave it in a printer, on a table or on a shared computer.",
)


LEGEND: Final = "Below each symbol: click number (bold) and disarm number; below them, experience."


def sheets(
    tables: Sequence[TrapTable], *, full: bool = False, paper: Paper = "A4", language: str = "en",
    square: PrintedSquare | None = None,
) -> tuple[str, ...]:  # fmt: skip
    """Each page as SVG, sized in mm. Raises UserFileError for a dial that cannot be printed."""
    from pi_app.plans.pictures.svg import svg

    return tuple(map(svg, layout(tables, full=full, paper=paper, language=language, square=square)))


def sheet(
    tables: Sequence[TrapTable], *, full: bool = False, paper: Paper = "A4", language: str = "en",
    square: PrintedSquare | None = None, page: int = 1,
) -> str:  # fmt: skip
    """One page of `sheets`, counted from 1. Raises IndexError if there is no such page."""
    from pi_app.plans.pictures.svg import svg

    made = layout(tables, full=full, paper=paper, language=language, square=square)
    if not 1 <= page <= len(made):
        raise IndexError(f"no page {page}: there are {len(made)}")
    return svg(made[page - 1])


def pages(tables: Sequence[TrapTable], *, paper: Paper = "A4", square: PrintedSquare | None = None) -> int:
    """The number of pages for the faces of these tables."""
    return len(list(_chunks(tables, paper, square or PrintedSquare())))


def pdf(
    tables: Sequence[TrapTable], *, full: bool = False, paper: Paper = "A4", language: str = "en",
    square: PrintedSquare | None = None,
) -> bytes:  # fmt: skip
    """All pages as one PDF file. Raises UserFileError as `sheets` does, or if the extra `parts` is not installed."""
    made = layout(tables, full=full, paper=paper, language=language, square=square)
    from pi_app.plans.pictures.pdf import pdf as written

    return written(made)


def layout(
    tables: Sequence[TrapTable], *, full: bool = False, paper: Paper = "A4", language: str = "en",
    square: PrintedSquare | None = None,
) -> tuple[Picture, ...]:  # fmt: skip
    """The pages as pictures. Raises UserFileError for a number of clicks that no printed dial can have."""
    numbers_of = square or PrintedSquare()
    for clicks in sorted({table.clicks for table in tables}):
        check(replace(numbers_of, clicks=clicks))
    ordered = tables if full else sorted(tables, key=lambda table: table.clicks)
    chunks = list(_chunks(ordered, paper, numbers_of))
    title = "Dial faces, SECRET" if full else "Dial faces: position numbers"
    wide, high = PAPERS[paper]
    return tuple(
        on_sheet((wide, high), title, _page(part, number, len(chunks), paper, numbers_of, language if full else None))
        for number, part in enumerate(chunks, 1)
    )


def _grid(paper: Paper, square: PrintedSquare) -> tuple[int, int]:
    """Columns and rows."""
    wide, high = PAPERS[paper]
    cell = square.face_diameter + BETWEEN
    return int((wide - 2 * MARGIN + BETWEEN) / cell), int((high - HEAD - MARGIN + BETWEEN) / (cell + LABEL))


def _chunks(tables: Sequence[TrapTable], paper: Paper, square: PrintedSquare) -> Iterator[Sequence[TrapTable]]:
    columns, rows = _grid(paper, square)
    for first in range(0, len(tables), columns * rows):
        yield tables[first : first + columns * rows]


def _page(
    tables: Sequence[TrapTable], number: int, count: int, paper: Paper, square: PrintedSquare, language: str | None
) -> Iterator[Mark]:
    """One page; `language` None: numbers only."""
    wide, high = PAPERS[paper]
    yield from _head(wide, language is not None)
    columns, _ = _grid(paper, square)
    cell = square.face_diameter + BETWEEN
    left = (wide - columns * cell + BETWEEN) / 2 + square.face_diameter / 2
    for place, table in enumerate(tables):
        row, column = divmod(place, columns)
        middle = left + column * cell, HEAD + square.face_diameter / 2 + row * (cell + LABEL)
        ring = Ring(middle, replace(square, clicks=table.clicks))
        yield from numbers(ring) if language is None else full(ring, table, language)
        label = f"{table.clicks} clicks" if language is None else _label(table)
        yield Text((middle[0], middle[1] + square.face_diameter / 2 + 3.6), label, 2.4, "grey", "middle")
    yield Text((wide / 2, high - 5), f"{number} / {count}", 2.4, "grey", "middle")


def _label(table: TrapTable) -> str:
    return f"{table.name} (SAMPLE)" if table.is_sample and "SAMPLE" not in table.name else table.name


def _head(wide: float, secret: bool) -> Iterator[Mark]:
    top = MARGIN
    if secret:
        yield Area(((MARGIN, 6), (wide - MARGIN, 6), (wide - MARGIN, 18), (MARGIN, 18)), "ink")
        yield Text((wide / 2, 11), SECRET[0], 4.6, "paper", "middle", bold=True)
        yield Text((wide / 2, 16), SECRET[1], 3.0, "paper", "middle")
        top = 22
    else:
        yield Text((MARGIN, top), "Dial faces: position numbers", 5.0, bold=True)
        top = 17
    lines = (*HOW, LEGEND) if secret else HOW
    for number, line in enumerate(lines):
        yield Text((MARGIN, top + 4.2 * number), line, 3.0)
    yield from scale_bar(MARGIN, top + 4.2 * len(lines) + 1.5)
