"""Draws what `trapdial record` reads: a dial with its angle, the state of its magnet, and a strip of the recent angle.

Pure: samples in, lines of text out. Half blocks only, which every font of a terminal has, also the Linux console's.
"""

from __future__ import annotations

import math
import textwrap
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hardware.readings import Magnet, Reading, Sample, Trouble

if TYPE_CHECKING:
    from pi_app.settings.model import SquareSettings

LEAST: Final = (60, 20)
"""Columns and rows that the whole drawing needs; in a smaller window there is one line."""

STRIP_NS: Final = 10_000_000_000
STRIP_ROWS: Final = 5
DIAL_ROWS: Final = 14

MAGNETS: Final[Mapping[Magnet, str]] = {
    Magnet.GOOD: "good",
    Magnet.TOO_WEAK: "too far: bring it nearer to the chip; is it magnetised across its diameter?",
    Magnet.TOO_STRONG: "too near: move it a little away from the chip",
    Magnet.MISSING: "none: hold it over the middle of the chip, 0.5 to 3 mm above",
    Magnet.UNKNOWN: "not reported",
}

Pixel = tuple[int, int]
"""x to the right, y down."""


@dataclass(slots=True)
class WatchedDial:
    """What is known of one dial. `turned`: how far it was turned since the first read, in degrees, counter-clockwise
    positive; `recent`: times in nanoseconds with the angle in degrees, None for a failed read."""

    label: str
    part: str
    counts_per_turn: int
    way: int
    """1 if its counts grow counter-clockwise, else -1."""
    raw: int | None = None
    turned: float = 0.0
    magnet: Magnet = Magnet.UNKNOWN
    gain: int | None = None
    trouble: Trouble | None = None
    samples: int = 0
    failed: int = 0
    moved_ns: int = 0
    recent: deque[tuple[int, float | None]] = field(default_factory=deque)

    def take(self, sample: Sample) -> None:
        """Take one more sample."""
        self.samples += 1
        if isinstance(sample, Reading):
            self._turn_to(sample)
        else:
            self.failed += 1
            self.trouble = sample
        self.recent.append((sample.at_ns, None if self.trouble is not None else self.degrees))
        while self.recent[0][0] < sample.at_ns - STRIP_NS:
            self.recent.popleft()

    def _turn_to(self, reading: Reading) -> None:
        self.trouble = None
        if self.raw is not None:
            half = self.counts_per_turn // 2
            step = (reading.raw - self.raw + half) % self.counts_per_turn - half
            self.turned += self.way * step * 360 / self.counts_per_turn
            if abs(step) * 100 > self.counts_per_turn:
                self.moved_ns = reading.at_ns
        self.raw = reading.raw
        if reading.magnet is not Magnet.UNKNOWN:
            self.magnet = reading.magnet
        if reading.proof is not None:
            self.gain = reading.proof.agc

    @property
    def degrees(self) -> float:
        """Its angle, 0 up to 360, counter-clockwise; 0 before the first read."""
        return self.way * (self.raw or 0) * 360 / self.counts_per_turn % 360

    def state(self) -> str:
        """Describe the magnet, or why the dial cannot be read, and what to try."""
        if self.trouble is not None:
            return self.trouble.words
        gain = "" if self.gain is None else f" (gain {self.gain})"
        return f"magnet{gain} {MAGNETS[self.magnet]}"

    def turned_words(self) -> str:
        """Return how far and which way it was turned, and how many times round that is."""
        way = "counter-clockwise" if self.turned >= 0 else "clockwise"
        return f"{abs(self.turned):.0f} degrees {way}, {abs(self.turned) / 360:.2f} times round"


def watched_dials(squares: Mapping[str, SquareSettings]) -> dict[str, WatchedDial]:
    """Return a dial to watch for each square."""
    return {
        label: WatchedDial(label, square.kind.part, square.counts_per_turn, -1 if square.invert else 1)
        for label, square in squares.items()
    }


def draw_dials(dials: Sequence[WatchedDial], columns: int, rows: int, title: str = "") -> list[str]:
    """Return the lines of the picture of the dial that was turned last, at most `rows` lines of `columns` letters."""
    dial = max(dials, key=lambda dial: dial.moved_ns)
    if columns < LEAST[0] or rows < LEAST[1]:
        return [draw_line(dial)[: columns - 1]]
    high = min(DIAL_ROWS, rows - STRIP_ROWS - 4)
    words = [*_facts(dial, columns - 2 * high - 4), "", *(draw_line(other) for other in dials if other is not dial)]
    words = [f"{title}  Ctrl-C ends".strip(), "", *words][:high]
    picture = _half_blocks(_dial_pixels(2 * high, None if dial.raw is None else dial.degrees), 2 * high, high)
    lines = [f" {row}  {text}" for row, text in zip(picture, [*words, *[""] * (high - len(words))], strict=True)]
    return [line[:columns].rstrip() for line in (*lines, "", *_strip(dial, columns))]


def draw_line(dial: WatchedDial) -> str:
    """Return a dial in one line."""
    angle = "no angle yet" if dial.raw is None else f"{dial.degrees:5.1f} degrees"
    return f"{dial.label} {angle}; {dial.state() if dial.trouble is None else dial.trouble.kind.value}"


def _facts(dial: WatchedDial, columns: int) -> Iterator[str]:
    raw = (
        "no angle yet"
        if dial.raw is None
        else f"{dial.degrees:.1f} degrees  (raw {dial.raw} of {dial.counts_per_turn})"
    )
    yield f"{dial.label}  {dial.part}"
    yield raw
    yield from textwrap.wrap(f"turned {dial.turned_words()}", columns, subsequent_indent="  ")
    yield from textwrap.wrap(dial.state(), columns, subsequent_indent="  ")
    yield f"{dial.samples} samples, {dial.failed} of them failed reads"


def _dial_pixels(size: int, degrees: float | None) -> set[Pixel]:
    """Return a ring, and a needle that points up at 0 and goes counter-clockwise."""
    middle = radius = (size - 1) / 2
    steps = range(8 * size)
    turns = ((math.cos(math.tau * n / len(steps)), math.sin(math.tau * n / len(steps))) for n in steps)
    pixels = {(round(middle + radius * x), round(middle + radius * y)) for x, y in turns}
    if degrees is not None:
        x, y = -math.sin(math.radians(degrees)), -math.cos(math.radians(degrees))
        for n in range(4 * size):
            far = radius * 0.85 * n / (4 * size)
            pixels.add((round(middle + far * x), round(middle + far * y)))
            if n < 2.4 * size:  # a thick root shows at a glance which end points
                pixels.add((round(middle + far * x + y * 0.7), round(middle + far * y - x * 0.7)))
    return pixels


def _strip(dial: WatchedDial, columns: int) -> Iterator[str]:
    """Yield the angle of the last seconds, 360 degrees at the top; gaps are failed reads."""
    wide, high = columns - 7, 2 * STRIP_ROWS
    now_ns = dial.recent[-1][0] if dial.recent else 0
    pixels = {
        (min(wide - 1, int((at_ns - now_ns + STRIP_NS) * wide / STRIP_NS)), high - 1 - int(degrees * high / 360))
        for at_ns, degrees in dial.recent
        if degrees is not None
    }
    for number, row in enumerate(_half_blocks(pixels, wide, STRIP_ROWS)):
        yield f"{'360' if number == 0 else '0' if number == STRIP_ROWS - 1 else '':>4} │{row}"
    yield f"{'degrees, the last 10 s':>{columns - 1}}"


def _half_blocks(pixels: Iterable[Pixel], columns: int, rows: int) -> list[str]:
    lit = set(pixels)
    return [
        "".join(" ▀▄█"[((x, 2 * y) in lit) + 2 * ((x, 2 * y + 1) in lit)] for x in range(columns)) for y in range(rows)
    ]
