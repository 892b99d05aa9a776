"""Draw a layout: boxes with their pins, wires with their colours and letters, sleeves, symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pi_app.plans.pictures.marks import Anchor, Area, Block, Disc, Ink, Mark, Point, Polyline, Rect, Text
from pi_app.plans.wiring.drawing.badges import INKS, Badge, BadgeKind, badge
from pi_app.plans.wiring.drawing.boxes import (
    GLYPH_GAP,
    MARGIN,
    NAME,
    RAIL,
    SMALL,
    TITLE,
    Extra,
    Row,
    Side,
    beside_symbol,
    row_width,
    shown,
    side_width,
    symbol_width,
)
from pi_app.plans.wiring.drawing.layout import Coded, DrawingLayout, Placed, Routed, Sleeve
from pi_app.plans.wiring.drawing.style import CODE, PITCH, text_width
from pi_app.plans.wiring.values import PartPin

WIRE: Final = 2.6
EDGE: Final = 3.8
"""Width of a wire with its edge."""
CLEAR: Final = 6.4
"""Width of the gap where one wire crosses another."""
CABLE: Final = 6.0
GLOW: Final = 13.0
"""Behind the wires of a lead to check first."""
CODE_SIZE: Final = 7.0
LOWERED: Final = 0.36
"""Distance from a line's middle to its base line, relative to its size."""


def painted(layout: DrawingLayout, marks: Mapping[str, Badge]) -> Iterator[Mark]:
    """Everything but the frame; `marks` by part id."""
    used = inks_of(layout)
    bold = {lead for mark in marks.values() for lead in mark.leads}
    for id_, placed in layout.boxes.items():
        mark = marks.get(id_)
        plain = mark is None or mark.seen in (BadgeKind.ANSWERS, BadgeKind.UNSEEN)
        yield Block(placed.rect, "board", "rim" if mark is None else INKS[mark.seen], 1.2 if plain else 2.4, 4)
    touched = [routed for routed in layout.wires if routed.strand.lead.label in bold]
    for routed in layout.wires:
        if routed.strand.lead.label not in bold:
            yield from _wire(routed)
    for routed in touched:
        yield Polyline(routed.points, "glow", GLOW)
    for routed in touched:
        yield from _bold_wire(routed)
    for coded in layout.codes:
        yield from _coded(coded)
    for sleeve in layout.sleeves:
        yield from _sleeve(sleeve, bold=sleeve.lead in bold)
    for id_, placed in layout.boxes.items():
        yield from _inside(placed, used, marks.get(id_))


def inks_of(layout: DrawingLayout) -> dict[tuple[str, str], Ink]:
    """The colour of the wire at each wired pin."""
    found: dict[tuple[str, str], Ink] = {}
    for routed in layout.wires:
        ink = routed.strand.colour or "soft"
        found[routed.strand.near.part, routed.strand.near.name] = ink
        found[routed.strand.far.part, routed.strand.far.name] = ink
    return found


def words_at(at: Point, text: str, size: float, ink: Ink = "ink", bold: bool = False) -> Text:
    """Text centred at this point."""
    return Text((at[0], at[1] + LOWERED * size), text, size, ink, "middle", bold)


# ------------------------------------------------------------------------------------------------------- wires


def _wire(routed: Routed) -> Iterator[Mark]:
    colour = routed.strand.colour
    if colour is None:
        yield Polyline(routed.points, "paper", CABLE + 4)
        yield Polyline(routed.points, "edge", CABLE)
        yield Polyline(routed.points, "board", CABLE - 2.4)
        return
    yield Polyline(routed.points, "paper", CLEAR)
    yield Polyline(routed.points, "edge", EDGE)
    yield Polyline(routed.points, colour, WIRE)


def _bold_wire(routed: Routed) -> Iterator[Mark]:
    """A thicker wire, on its glow."""
    yield Polyline(routed.points, "ink", EDGE + 1.2)
    yield Polyline(routed.points, routed.strand.colour or "board", WIRE + 0.6)


def _coded(coded: Coded) -> Iterator[Mark]:
    if coded.strand.colour is not None:
        yield Block(coded.rect, "paper")
        yield words_at(coded.rect.middle, CODE[coded.strand.colour], CODE_SIZE, bold=True)
    for rect, fitted in zip(coded.series, coded.strand.series, strict=False):  # at a wire's far end there are none
        yield Block(rect, "paper", "ink", 1.2)
        yield words_at(rect.middle, fitted.value, CODE_SIZE)


def _sleeve(sleeve: Sleeve, *, bold: bool) -> Iterator[Mark]:
    yield Block(sleeve.rect, "glow" if bold else "paper", "ink" if bold else "soft", 2 if bold else 1, 2.5)
    x, y = sleeve.rect.middle
    top = y - (len(sleeve.lines) - 1) * 5
    for n, line in enumerate(sleeve.lines):
        yield words_at((x, top + n * 10), line, SMALL, "ink" if bold or not n else "soft", bold=not n)


# ------------------------------------------------------------------------------------------------------- boxes


def _inside(placed: Placed, used: Mapping[tuple[str, str], Ink], mark: Badge | None) -> Iterator[Mark]:
    if placed.box.form == "plain":
        yield from _rows(placed, used)
        yield from _beside(placed, mark)
        return
    yield from _heading(placed, mark)
    match placed.box.form:
        case "header":
            yield from _header(placed, used)
        case "strip":
            yield from _strip(placed, used)
        case _:
            yield from _rows(placed, used)


def _heading(placed: Placed, mark: Badge | None) -> Iterator[Mark]:
    """Title and lines above the pins."""
    x, y = placed.rect.x + MARGIN + 1, placed.rect.y
    yield from _lines(placed, (x, y + PITCH + 1), 11.5, "start", mark)
    if mark is not None:
        yield from badge(mark.seen, (placed.rect.right - 12, y + 12))


def _beside(placed: Placed, mark: Badge | None) -> Iterator[Mark]:
    """Title and lines beside the pins of a small part."""
    on_left = any(row is not None for row in placed.box.left)
    wide = side_width(placed.box.left if on_left else placed.box.right)
    x = placed.rect.x + MARGIN + wide + 10 if on_left else placed.rect.right - MARGIN - wide - 10
    y = placed.rect.middle[1] - (TITLE + (len(placed.box.lines) - 1 + (mark is not None)) * 9.5) / 2
    yield from _lines(placed, (x, y + 0.85 * TITLE), 0.15 * TITLE + 7.5, "start" if on_left else "end", mark)
    if mark is not None:
        yield from badge(mark.seen, (placed.rect.right - 11 if on_left else placed.rect.x + 11, placed.rect.y + 11))


def _lines(placed: Placed, at: Point, step: float, anchor: Anchor, mark: Badge | None) -> Iterator[Mark]:
    title, *more = placed.box.lines
    yield Text(at, title, TITLE, "ink", anchor, True)
    for n, line in enumerate(more):
        yield Text((at[0], at[1] + step + 9.5 * n), line, SMALL, "soft", anchor)
    if mark is not None:
        yield Text((at[0], at[1] + step + 9.5 * len(more)), placed.box.said, SMALL, INKS[mark.seen], anchor, True)


def _rows(placed: Placed, used: Mapping[tuple[str, str], Ink]) -> Iterator[Mark]:
    for side, n, row in placed.box.rows():
        y = placed.row_y(n)
        yield _pad(placed.edge(side), y, row.pin, used)
        yield from _named(placed, side, y, row, MARGIN)


def _named(placed: Placed, side: Side, y: float, row: Row, inset: float) -> Iterator[Mark]:
    """A pin's name inside the edge, and its components further in."""
    name = shown(row.pin)
    ink = "ink" if row.strand is not None or row.extras else "soft"
    inward = 1 if side == "left" else -1
    x = placed.edge(side) + inward * (inset + 1)
    if not row.again:
        yield Text((x, y + LOWERED * NAME), name, NAME, ink, "start" if side == "left" else "end")
    yield from _extras(row.extras, x + inward * text_width(name, NAME), y, inward)


def _extras(extras: Sequence[Extra], x: float, y: float, inward: int) -> Iterator[Mark]:
    """Symbols from the edge inwards, each with its value and target pin; a stroke separates two, since both start at
    the row's pin."""
    for n, extra in enumerate(extras):
        if n:
            x += inward * GLYPH_GAP
            yield Polyline(((x, y - 4.5), (x, y + 4.5)), "rim", 1)
            x += inward * GLYPH_GAP
        wide, words = symbol_width(extra), beside_symbol(extra)
        start = x + inward * GLYPH_GAP
        end = start + inward * wide
        yield from symbol_of(extra, min(start, end), y)
        yield Text((end + inward * 3, y + LOWERED * SMALL), words, SMALL, "ink", "start" if inward > 0 else "end")
        x = end + inward * (3 + text_width(words, SMALL))


def symbol_of(extra: Extra, x: float, y: float) -> Iterator[Mark]:
    """The symbol of a component, on a line that starts at its left end."""
    wide = symbol_width(extra)
    middle = x + wide / 2
    match extra.kind:
        case "resistor":
            yield Polyline(((x, y), (x + wide, y)), "ink", 1.1)
            inside = Rect(x + 4, y - 4.8, wide - 8, 9.6)
            yield Block(inside, "paper", "ink", 1)
            yield words_at(inside.middle, extra.value, SMALL)
        case "capacitor":
            for way in (((x, y), (middle - 1.8, y)), ((middle + 1.8, y), (x + wide, y))):
                yield Polyline(way, "ink", 1.1)
            for plate in (middle - 1.8, middle + 1.8):
                yield Polyline(((plate, y - 4), (plate, y + 4)), "ink", 1.5)
        case _:
            yield Polyline(((x, y), (x + wide, y)), "ink", 1.1)
            yield Area(((middle - 4, y - 3.6), (middle + 3, y), (middle - 4, y + 3.6)), "paper", "ink", 1.1)
            yield Polyline(((middle + 3, y - 3.8), (middle + 3, y + 3.8)), "ink", 1.3)


def _header(placed: Placed, used: Mapping[tuple[str, str], Ink]) -> Iterator[Mark]:
    """Pads in two columns with their numbers, names outside."""
    left, right = side_width(placed.box.left), side_width(placed.box.right)
    middle = placed.rect.x + (placed.rect.w - left - right) / 2 + left
    pins = [n for n, row in enumerate(placed.box.left) if row is not None and row.pin.name.isdigit()]
    top, bottom = placed.row_y(pins[0]) - 6, placed.row_y(pins[-1]) + 6
    yield Block(Rect(middle - 13, top, 26, bottom - top), "paper", "rim", 1, 2)
    for side, n, row in placed.box.rows():
        y, outward = placed.row_y(n), -1 if side == "left" else 1
        wired = (row.pin.part, row.pin.name) in used
        yield from _named(placed, side, y, row, MARGIN)
        if not row.pin.name.isdigit():
            continue
        pad = Rect(middle + outward * 6.5 - 4, y - 4, 8, 8)
        ink = used.get((row.pin.part, row.pin.name), "paper")
        yield Block(pad, ink, "edge" if wired else "rim", 1.2, 0 if row.pin.name == "1" else 4)
        number = (middle + outward * 23, y)
        yield words_at(number, row.pin.name, SMALL, "ink" if wired else "soft", bold=wired)


def _strip(placed: Placed, used: Mapping[tuple[str, str], Ink]) -> Iterator[Mark]:
    """A rail for each source, with a dot at each wire."""
    box = placed.box
    left = max(side_width(box.left), 8)
    room = placed.rect.w - 2 * MARGIN - left - max(side_width(box.right), 8)
    rails = box.rails
    start = placed.rect.x + MARGIN + left + (room - RAIL * (len(rails) - 1)) / 2
    at = {name: start + RAIL * n for n, name in enumerate(rails)}
    for side, n, row in box.rows():
        y, x = placed.row_y(n), at[row.pin.name]
        if row.extras:
            yield from _at_rail(row.extras, placed.rect.x + MARGIN, x, y)
        else:
            inner = placed.edge(side) + (1 if side == "left" else -1) * (MARGIN + 4 + row_width(row))
            yield Polyline(((inner, y), (x, y)), "edge", 1)
            yield _pad(placed.edge(side), y, row.pin, used)
            yield from _named(placed, side, y, row, MARGIN)
    for name, x in at.items():
        ends = [placed.row_y(n) for _, n, row in box.rows() if row.pin.name == name]
        ink = used.get((box.part.id, name), "soft")
        way = ((x, min(ends) - 4), (x, max(ends) + 4))
        yield Polyline(way, "board", CLEAR)
        yield Polyline(way, "edge", EDGE)
        yield Polyline(way, ink, WIRE)
        for y in ends:
            yield Disc((x, y), 3.4, ink, "edge", 1.2)


def _at_rail(extras: Sequence[Extra], x: float, rail: float, y: float) -> Iterator[Mark]:
    """The target, then the symbol, then the rail."""
    for extra in extras:
        words = beside_symbol(extra)
        yield Text((x, y + LOWERED * SMALL), words, SMALL)
        x += text_width(words, SMALL) + 3
        yield from symbol_of(extra, x, y)
        x += symbol_width(extra) + GLYPH_GAP
    yield Polyline(((x - GLYPH_GAP, y), (rail, y)), "ink", 1.1)


def _pad(x: float, y: float, pin: PartPin, used: Mapping[tuple[str, str], Ink]) -> Mark:
    ink = used.get((pin.part, pin.name))
    return Disc((x, y), 2.6, ink or "paper", "edge" if ink else "rim", 1)
