"""The state of a part as a badge on its box: a shape, a colour and a word, each of them enough alone."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pi_app.plans.pictures.marks import Area, Block, Disc, Ink, Mark, Point, Polyline, Rect, Text

SIZE: Final = 14.0
"""Width of a badge."""


class BadgeKind(enum.Enum):
    """The state of a part."""

    ANSWERS = "answers"
    SILENT = "silent"
    STRANGER = "other address"
    WEAK = "magnet too far"
    STRONG = "magnet too close"
    MISSING = "no magnet"
    HELD = "holds the bus"
    FLAKY = "intermittent"
    FAILS = "fails"
    DOUBT = "check it"
    UNSEEN = "not checked"


INKS: Final[dict[BadgeKind, Ink]] = {
    BadgeKind.ANSWERS: "good",
    BadgeKind.SILENT: "bad",
    BadgeKind.STRANGER: "bad",
    BadgeKind.WEAK: "doubt",
    BadgeKind.STRONG: "doubt",
    BadgeKind.MISSING: "bad",
    BadgeKind.HELD: "bad",
    BadgeKind.FLAKY: "doubt",
    BadgeKind.FAILS: "bad",
    BadgeKind.DOUBT: "doubt",
    BadgeKind.UNSEEN: "unseen",
}


@dataclass(frozen=True, slots=True)
class Badge:
    """`word`: short, for the box, if it adds to `seen`. `advice`: one sentence with the problem and what to try.
    `leads`: labels of the leads to check first."""

    seen: BadgeKind
    word: str = ""
    advice: str = ""
    leads: tuple[str, ...] = ()


def badge(seen: BadgeKind, middle: Point) -> Iterator[Mark]:
    """Draw a badge."""
    x, y = middle
    ink, half = INKS[seen], SIZE / 2
    match seen:
        case BadgeKind.ANSWERS:
            yield Disc(middle, half, ink, ink, 0)
            yield Polyline(((x - 3.4, y + 0.2), (x - 1, y + 2.8), (x + 3.6, y - 2.8)), "paper", 2)
        case BadgeKind.SILENT:
            yield Block(Rect(x - half, y - half, SIZE, SIZE), ink, "", 0, 2)
            for rise in (-1, 1):
                yield Polyline(((x - 3.4, y - 3.4 * rise), (x + 3.4, y + 3.4 * rise)), "paper", 2.2)
        case BadgeKind.STRANGER:
            yield Area(((x, y - half - 1), (x + half + 1, y), (x, y + half + 1), (x - half - 1, y)), ink)
            yield Text((x, y + 3.6), "?", 10, "paper", "middle", True)
        case BadgeKind.WEAK:
            yield Area(((x - half, y - half + 1), (x + half, y - half + 1), (x, y + half)), ink)
            yield Polyline(((x - 3, y - 2.6), (x + 3, y - 2.6)), "paper", 1.8)
        case BadgeKind.STRONG:
            yield Area(((x - half, y + half - 1), (x + half, y + half - 1), (x, y - half)), ink)
            yield Polyline(((x - 3, y + 2.6), (x + 3, y + 2.6)), "paper", 1.8)
            yield Polyline(((x, y - 0.4), (x, y + 5.6)), "paper", 1.8)
        case BadgeKind.MISSING:
            yield Disc(middle, half - 1, "paper", ink, 2.2)
            yield Polyline(((x - 4.6, y + 4.6), (x + 4.6, y - 4.6)), ink, 2.2)
        case BadgeKind.HELD:
            yield Disc(middle, half, ink, ink, 0)
            yield Polyline(((x - 3.8, y), (x + 3.8, y)), "paper", 3)
        case BadgeKind.FLAKY:
            yield Disc(middle, half, ink, ink, 0)
            wave = ((x - 4.4, y + 1.6), (x - 2, y - 2.6), (x + 2, y + 2.6), (x + 4.4, y - 1.6))
            yield Polyline(wave, "paper", 2)
        case BadgeKind.FAILS:
            yield Block(Rect(x - half, y - half, SIZE, SIZE), ink, "", 0, 2)
            yield Text((x, y + 3.8), "!", 11, "paper", "middle", True)
        case BadgeKind.DOUBT:
            yield Area(((x, y - half - 1), (x + half + 1, y), (x, y + half + 1), (x - half - 1, y)), ink)
            yield Text((x, y + 3.6), "!", 10, "paper", "middle", True)
        case BadgeKind.UNSEEN:
            yield Block(Rect(x - half + 1, y - half + 1, SIZE - 2, SIZE - 2), "paper", ink, 1.6, 6, "2.4 2")
