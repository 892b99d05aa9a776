"""The legend below the drawing, in blocks: wires, signs, buses, settings of parts, advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.plans.pictures.marks import Block, Disc, Mark, Polyline, Rect, Text, moved
from pi_app.plans.wiring.drawing.badges import SIZE, Badge, BadgeKind, badge
from pi_app.plans.wiring.drawing.boxes import Extra
from pi_app.plans.wiring.drawing.paint import CABLE, EDGE, WIRE, symbol_of, words_at
from pi_app.plans.wiring.drawing.strands import beside, strands_of
from pi_app.plans.wiring.drawing.style import CODE, text_width, wrapped
from pi_app.plans.wiring.values import MEANING, Colour, PartKind, Wiring

HEADING: Final = 10.5
TEXT: Final = 8.5
LINE: Final = 13.0
SAMPLE: Final = 44.0
BETWEEN: Final = 30.0
TEXT_WIDE: Final = 330.0


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of the legend, its corner at (0, 0)."""

    width: float
    height: float
    shapes: tuple[Mark, ...]


def legend(wiring: Wiring, marks: Mapping[str, Badge], advice: Sequence[str], width: float) -> Paragraph:
    """All blocks in rows of this width."""
    blocks = [_wires(wiring), _signs(wiring), _buses(wiring), _set_to(wiring)]
    if marks:
        blocks = [_marks(marks), *([_advice(advice)] if advice else []), *blocks]
    shapes: list[Mark] = []
    x = y = tall = widest = 0.0
    for block in blocks:
        if x and x + block.width > width:
            x, y, tall = 0.0, y + tall + LINE, 0.0
        shapes += [moved(shape, x, y) for shape in block.shapes]
        widest = max(widest, x + block.width)
        x, tall = x + block.width + BETWEEN, max(tall, block.height)
    return Paragraph(widest, y + tall, tuple(shapes))


def _block(title: str, rows: Sequence[tuple[Sequence[Mark], float, str]], step: float = LINE) -> Paragraph:
    """A heading and rows: shapes around (0, 0), their width, and a text."""
    shapes: list[Mark] = [Text((0, HEADING), title, HEADING, bold=True)]
    width = text_width(title, HEADING, bold=True)
    y = HEADING + LINE
    for sample, room, words in rows:
        shapes += [moved(shape, 0, y) for shape in sample]
        shapes.append(Text((room, y + 0.36 * TEXT), words, TEXT))
        width = max(width, room + text_width(words, TEXT))
        y += step
    return Paragraph(width, y - step / 2, tuple(shapes))


def _wires(wiring: Wiring) -> Paragraph:
    used = {wire.colour for lead in wiring.leads for wire in lead.wires}
    rows = [(_wire(colour), SAMPLE, f"{colour}: {MEANING[colour]}") for colour in Colour if colour in used]
    if any(lead.usb for lead in wiring.leads):
        cable = (Polyline(((0, 0), (36, 0)), "edge", CABLE), Polyline(((0, 0), (36, 0)), "board", CABLE - 2.4))
        rows.append((cable, SAMPLE, "USB cable"))
    return _block("Wires", rows)


def _wire(colour: Colour) -> tuple[Mark, ...]:
    way = ((0.0, 0.0), (36.0, 0.0))
    code = Rect(10, -5, 16, 10)
    return (
        Polyline(way, "edge", EDGE),
        Polyline(way, colour, WIRE),
        Block(code, "paper"),
        words_at(code.middle, CODE[colour], 7, bold=True),
    )


def _signs(wiring: Wiring) -> Paragraph:
    rows: list[tuple[Sequence[Mark], float, str]] = []
    sleeve = Rect(0, -5, 38, 10)
    label = (Block(sleeve, "paper", "soft", 1, 2.5), words_at(sleeve.middle, "D-T01", 8, bold=True))
    rows.append((label, SAMPLE, "label of a lead, at both ends, with its length"))
    cross = (
        Polyline(((0, 0), (36, 0)), "edge", EDGE),
        Polyline(((18, -6), (18, 6)), "paper", 6.4),
        Polyline(((18, -6), (18, 6)), "edge", EDGE),
    )
    rows.append((cross, SAMPLE, "wires that cross are not joined"))
    values = {one.value for one in wiring.fitted}
    if any(value.endswith("Ohm") for value in values):
        rows.append(
            (tuple(symbol_of(Extra("Ohm", ""), 0, 0)), SAMPLE, "resistor, from the row's pin to the pin that is named")
        )
    if len(beside(wiring, strands_of(wiring))) < len(wiring.fitted):
        inside = Rect(4, -5, 28, 10)
        way = Polyline(((0, 0), (36, 0)), "edge", EDGE)
        series = (way, Block(inside, "paper", "ink", 1.2), words_at(inside.middle, "Ohm", 7))
        rows.append((series, SAMPLE, "resistor soldered into the wire, at this end"))
    if any(value.endswith("F") for value in values):
        rows.append(
            (tuple(symbol_of(Extra("F", ""), 8, 0)), SAMPLE, "capacitor, from the row's pin to the pin that is named")
        )
    if any("TVS" in value for value in values):
        rows.append(
            (
                tuple(symbol_of(Extra("TVS", ""), 8, 0)),
                SAMPLE,
                "protection diode, from the row's pin to the pin that is named",
            )
        )
    pads = (Disc((10, 0), 4, "blue", "edge", 1.2), Disc((26, 0), 4, "paper", "rim", 1.2))
    rows.append((pads, SAMPLE, "pin with a wire, pin without; the square pad is pin 1"))
    if any(lead.twisted for lead in wiring.leads):
        pairs = dict.fromkeys(pair for lead in wiring.leads for pair in lead.twisted)
        twisted = " and ".join(f"{CODE[one]} with {CODE[other]}" for one, other in pairs)
        rows.append(((), 0, f"Twist in each lead that has them: {twisted}."))
    return _block("Signs", rows)


def _buses(wiring: Wiring) -> Paragraph:
    rows = []
    for bus in wiring.buses:
        sda, scl = (f"{pin.called or pin.name} (pin {pin.name})" for pin in (bus.sda, bus.scl))
        where = bus.device or wiring.part(bus.host).name
        rows.append(((), 0.0, f"{bus.name}: {where}, {bus.speed_hz // 1000} kHz; SDA {sda}, SCL {scl}"))
        if bus.config:
            rows.append(((), 10.0, bus.config))
    return _block("Buses, and their lines in config.txt", rows)


def _set_to(wiring: Wiring) -> Paragraph:
    """The setting of straps and bridges, once for all parts with the same setting."""
    found: dict[str, list[str]] = {}
    for part in wiring.parts:
        if part.set_to and part.kind is not PartKind.MUX:
            found.setdefault(part.set_to, []).append(part.id)
    rows = []
    for set_to, parts in found.items():
        first, *more = wrapped(f"{_several(parts)}: {set_to}", TEXT, TEXT_WIDE)
        rows.append(((), 0.0, first))
        rows += [((), 10.0, line) for line in more]
    return _block("Set before soldering", rows)


def _several(parts: Sequence[str]) -> str:
    return ", ".join(parts) if len(parts) < 4 else f"{parts[0]} to {parts[-1]}"


def _marks(marks: Mapping[str, Badge]) -> Paragraph:
    seen = {mark.seen for mark in marks.values()}
    rows: list[tuple[Sequence[Mark], float, str]] = [
        (tuple(badge(each, (8, 0))), 22.0, each.value) for each in BadgeKind if each in seen
    ]
    if any(mark.leads for mark in marks.values()):
        sleeve = Rect(0, -5, 18, 10)
        rows.append(((Block(sleeve, "glow", "ink", 2, 2.5),), 22.0, "lead to check first"))
    return _block("State", rows, SIZE + 4)


def _advice(advice: Sequence[str]) -> Paragraph:
    rows: list[tuple[Sequence[Mark], float, str]] = []
    for n, sentence in enumerate(advice, 1):
        first, *more = wrapped(sentence, TEXT, 1.4 * TEXT_WIDE)
        rows.append(([Text((0, 0.36 * TEXT), str(n), TEXT, bold=True)], 16.0, first))
        rows += [([], 16.0, line) for line in more]
    return _block("Try in this order", rows)
