"""A part as a box: its text, and its pins in rows on the left and right as they are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Literal

from pi_app.plans.wiring.drawing.strands import USB
from pi_app.plans.wiring.drawing.style import PITCH, text_width
from pi_app.plans.wiring.header import (
    BOARD_PIN,
    GROUND_PINS,
    PICO_GROUND_PINS,
    PICO_PIN,
    PICO_V33_PINS,
    V5_PINS,
    V33_PINS,
)
from pi_app.plans.wiring.values import Fitted, Part, PartKind, PartPin

NAME: Final = 8.5
"""Size of a pin's name."""
TITLE: Final = 10.5
SMALL: Final = 8.0
MARGIN: Final = 5.0
NUMBERS: Final = 34.0
"""Half the distance between the names of an odd and an even pin: room for number and pad."""
RAIL: Final = 12.0
"""From one rail of a strip to the next."""
GLYPH: Final = 16.0
GLYPH_GAP: Final = 5.0
BADGE: Final = 16.0
"""Room for a badge beside the title."""

Side = Literal["left", "right"]
Form = Literal["header", "strip", "mux", "plain"]


@dataclass(frozen=True, slots=True)
class Extra:
    """A component between a row's pin and another one, called `to`."""

    value: str
    to: str

    @property
    def kind(self) -> Literal["resistor", "capacitor", "diode"]:
        if self.value.endswith("F"):
            return "capacitor"
        return "resistor" if self.value.endswith("Ohm") else "diode"


@dataclass(frozen=True, slots=True)
class Row:
    """One pin with at most one wire; a pin with several wires has several rows, all but the first `again`."""

    pin: PartPin
    strand: int | None = None
    again: bool = False
    extras: tuple[Extra, ...] = ()


@dataclass(frozen=True, slots=True)
class PartBox:
    """`head`: rows of heading above the pins. `lines`: the title and the text below it; `said`: one more line with the
    state. A side may have gaps without a pin."""

    part: Part
    form: Form
    left: tuple[Row | None, ...]
    right: tuple[Row | None, ...]
    head: int
    lines: tuple[str, ...]
    said: str = ""

    @property
    def height(self) -> float:
        """A multiple of the row height."""
        return (self.head + max(len(self.left), len(self.right))) * PITCH

    @property
    def width(self) -> float:
        """The least width for its text."""
        left, right = side_width(self.left), side_width(self.right)
        match self.form:
            case "header":
                inside = left + right + 2 * NUMBERS
            case "strip":
                inside = max(left, 8) + max(right, 8) + RAIL * (len(self.rails) + 1)
            case "mux":
                inside = left + right + 12
            case _:
                return max(left, right) + 2 * MARGIN + 11 + self.lines_width + BADGE
        return max(inside, self.lines_width + BADGE + 2) + 2 * MARGIN

    @property
    def lines_width(self) -> float:
        """Width of the widest line."""
        title, *more = self.lines
        wide = [text_width(title, TITLE, bold=True), text_width(self.said, SMALL, bold=True)]
        return max(*wide, *(text_width(line, SMALL) for line in more))

    @property
    def rails(self) -> tuple[str, ...]:
        """Of a strip: the names of its pins, each once."""
        return tuple(dict.fromkeys(row.pin.name for row in (*self.left, *self.right) if row is not None))

    def rows(self) -> Iterable[tuple[Side, int, Row]]:
        """Every pin's row with its side and its number."""
        for n, row in enumerate(self.left):
            if row is not None:
                yield "left", n, row
        for n, row in enumerate(self.right):
            if row is not None:
                yield "right", n, row

    def row_y(self, n: int) -> float:
        """Distance from the box's top to the middle of a row."""
        return (self.head + n) * PITCH + PITCH / 2


def side_width(rows: Iterable[Row | None]) -> float:
    """Width of the names and components on one side."""
    return max((row_width(row) for row in rows if row is not None), default=0.0)


def row_width(row: Row) -> float:
    """Width of a row's name and components."""
    return (0 if row.again else text_width(shown(row.pin), NAME)) + extras_width(row.extras)


def shown(pin: PartPin) -> str:
    """A pin's name, or else the printed one."""
    return pin.called or pin.name


def extras_width(extras: Sequence[Extra]) -> float:
    """Width of symbols, values and targets."""
    apart = 2 * GLYPH_GAP * max(0, len(extras) - 1)
    return apart + sum(
        GLYPH_GAP + symbol_width(extra) + 3 + text_width(beside_symbol(extra), SMALL) for extra in extras
    )


def symbol_width(extra: Extra) -> float:
    """A resistor has its value inside."""
    return text_width(extra.value, SMALL) + 13 if extra.kind == "resistor" else GLYPH


def beside_symbol(extra: Extra) -> str:
    """Its target, and its value unless that is written inside."""
    return extra.to if extra.kind == "resistor" else f"{extra.to}, {extra.value}"


# ------------------------------------------------------------------------------------------------ from parts


Wired = Mapping[tuple[str, Side], Sequence[int]]
"""The wires at each pin of a part, by printed name and side."""

Rank = Callable[[int], tuple[Any, ...]]
"""Sort key of a wire: the key of the part at its other end, then the wire's number."""


def box_of(
    part: Part,
    wired: Wired,
    pins: Sequence[PartPin],
    fitted: Sequence[Fitted],
    names: Mapping[str, str],
    rank: Rank,
) -> PartBox:
    """A part's box. `pins`: its wired pins in the order of their wires. `names`: of other parts. `rank`: order of the
    wires at a strip."""
    extras = _extras(part, fitted, names)
    if part.kind in (PartKind.PI, PartKind.HUB):
        return _header(part, wired, extras)
    if part.kind is PartKind.MUX:
        return _mux(part, wired, pins, extras)
    known = {pin.name: pin for pin in pins}
    sides = {side: _rows(known.values(), side, wired, extras) for side in ("left", "right")}
    if part.kind is PartKind.STRIP:
        wires = {side: sorted(rows, key=lambda row: rank(row.strand or 0)) for side, rows in sides.items()}
        left, right = (_spread([Row(row.pin, row.strand) for row in rows], rank) for rows in wires.values())
        soldered = tuple(Row(PartPin(part.id, name), again=True, extras=extras[name]) for name in extras)
        return PartBox(part, "strip", (*left, *soldered), right, 2, (part.name,))
    return PartBox(part, "plain", sides["left"], sides["right"], 0, _words(part))


MANY_WIRES: Final = 40
"""A strip with more wires is stretched to the height of its parts, so that wires go straight."""


def _spread(rows: Sequence[Row], rank: Rank) -> tuple[Row | None, ...]:
    """Add a free row after the wires to each part if there are many."""
    if len(rows) < MANY_WIRES:
        return tuple(rows)
    spread: list[Row | None] = list(rows[:1])
    for above, below in pairwise(rows):
        if rank(above.strand or 0)[:-1] != rank(below.strand or 0)[:-1]:
            spread.append(None)
        spread.append(below)
    return tuple(spread)


def saying(box: PartBox, words: str) -> PartBox:
    """The same box with one more line, which replaces the last one if there is no room."""
    if not words:
        return box
    room = 2 if box.form == "plain" and max(len(box.left), len(box.right)) < 4 else 4
    return replace(box, lines=box.lines[: room - 1], said=words)


def _extras(part: Part, fitted: Sequence[Fitted], names: Mapping[str, str]) -> dict[str, tuple[Extra, ...]]:
    found: dict[str, tuple[Extra, ...]] = {}
    for one in fitted:
        pin, other = one.ends
        if pin.part == part.id:
            to = other.name if other.part == part.id else f"{names[other.part]} {shown(other)}"
            at, to = (other.name, pin.name) if pin.name in found and _can_turn(one, found) else (pin.name, to)
            found[at] = (*found.get(at, ()), Extra(one.value, to))
    return found


def _can_turn(one: Fitted, found: Mapping[str, object]) -> bool:
    """Whether it can be drawn at its other pin, which is still free."""
    pin, other = one.ends
    return one.value.endswith("F") and other.part == pin.part and other.name not in found


def _rows(
    pins: Iterable[PartPin], side: Side, wired: Wired, extras: Mapping[str, tuple[Extra, ...]], free: bool = False
) -> tuple[Row, ...]:
    """`free`: pins without a wire get a row too."""
    rows: list[Row] = []
    for pin in pins:
        strands = wired.get((pin.name, side), ())
        if not strands and free:
            rows.append(Row(pin, None, extras=extras.get(pin.name, ())))
        shown_already = side == "right" and bool(wired.get((pin.name, "left")))
        for n, strand in enumerate(strands):
            rows.append(Row(pin, strand, n > 0, () if n or shown_already else extras.get(pin.name, ())))
    return tuple(rows)


_MUX_TRUNK: Final = ("VIN", "GND", "SDA", "SCL", "RESET", "A0", "A1", "A2")


def _mux(part: Part, wired: Wired, pins: Sequence[PartPin], extras: Mapping[str, tuple[Extra, ...]]) -> PartBox:
    channels = [f"{line}{channel}" for channel in range(8) for line in ("SD", "SC")]
    known = {pin.name: pin for pin in pins}

    def printed(names: Iterable[str]) -> list[PartPin]:
        return [known.get(name, PartPin(part.id, name)) for name in names]

    others = [pin.name for pin in pins if pin.name not in channels and pin.name not in _MUX_TRUNK]
    trunk, branches = printed((*_MUX_TRUNK, *others)), printed(channels)
    mirrored = any((pin, "right") in wired for pin in _MUX_TRUNK)
    left = _rows(branches if mirrored else trunk, "left", wired, extras, free=True)
    right = _rows(trunk if mirrored else branches, "right", wired, extras, free=True)
    return PartBox(part, "mux", left, right, 4, _words(part))


def _header(part: Part, wired: Wired, extras: Mapping[str, tuple[Extra, ...]]) -> PartBox:
    """Forty pins in two columns as on the board, and the socket of a USB cable below them."""
    left: list[Row | None] = []
    right: list[Row | None] = []
    for odd, even in _pairs(part):
        pair = _rows([odd], "left", wired, extras, free=True), _rows([even], "right", wired, extras, free=True)
        for n in range(max(map(len, pair))):
            for rows, side in zip(pair, (left, right), strict=True):
                side.append(rows[n] if n < len(rows) else None)
    left += _rows([PartPin(part.id, USB)], "left", wired, extras)
    right += _rows([PartPin(part.id, USB)], "right", wired, extras)
    return PartBox(part, "header", tuple(left), tuple(right), 3, _words(part))


def _pairs(part: Part) -> list[tuple[PartPin, PartPin]]:
    """Pairs of adjacent pins from top to bottom."""
    if part.kind is PartKind.PI:
        called = {pin: f"GPIO {gpio}" for gpio, pin in BOARD_PIN.items()}
        called |= (
            dict.fromkeys(V33_PINS, "3.3 V") | dict.fromkeys(V5_PINS, "5 V") | dict.fromkeys(GROUND_PINS, "ground")
        )
        numbers = [(n, n + 1) for n in range(1, 40, 2)]
    else:
        called = {pin: f"GP{gpio}" for gpio, pin in PICO_PIN.items()}
        called |= dict.fromkeys(PICO_V33_PINS, "3V3(OUT)") | dict.fromkeys(PICO_GROUND_PINS, "GND")
        called |= {40: "VBUS", 39: "VSYS", 37: "3V3_EN", 35: "ADC_VREF", 30: "RUN"}
        numbers = [(n, 41 - n) for n in range(1, 21)]
    return [(PartPin(part.id, str(a), called[a]), PartPin(part.id, str(b), called[b])) for a, b in numbers]


def _words(part: Part) -> tuple[str, ...]:
    """The title and the lines below it."""
    return tuple(line for line in _lines(part) if line)


def _lines(part: Part) -> tuple[str, ...]:
    chips = " + ".join(f"{chip.model} 0x{chip.address:02X}" for chip in part.chips)
    match part.kind:
        case PartKind.PI:
            return (part.name, part.model)
        case PartKind.HUB:
            return (part.name, part.model)
        case PartKind.MUX:
            return (f"mux 0x{part.chips[0].address:02X}" if part.chips else part.name, _on(part), part.set_to)
        case PartKind.TILE:
            where = f"bus {part.bus}" if part.channel is None else f"channel {part.channel}"
            return (part.id, *(f"{chip.model} 0x{chip.address:02X}" for chip in part.chips), where)
        case PartKind.SCREEN:
            return (part.id, chips, _channel(part) or _on(part))
        case PartKind.LAMP if "three" in part.model:
            return (part.id, *part.model.split(", "))
        case PartKind.BUTTON:
            return (part.id, "to ground")
        case _:
            return (part.id, part.model)


def _on(part: Part) -> str:
    return f"{part.model}, bus {part.bus}" if part.kind is PartKind.MUX else f"bus {part.bus}"


def _channel(part: Part) -> str:
    return "" if part.mux is None else f"mux 0x{part.mux:02X} channel {part.channel}"
