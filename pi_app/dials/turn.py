"""One turn of a dial: all movement from one rest to the next. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class Turn:
    """All movement from one rest to the next. Times are those of samples, angles are the chip's.

    `start_ns`: first sample that left the rest; `end_ns`: first of the new rest. Positions are None between two
    detents or when unknown; `between` then names the two at the end, in counter-clockwise order. `clicks` are signed,
    counter-clockwise positive, whole turns counted; None if they are not certain. `passed`: detents, None exactly if
    `path` is "unknown". `clicks_range`: lowest and highest of a turn that was followed and began between two detents.
    `samples` and `failed` reads from start to end; `longest_gap_ns` between good samples, from the last one at the old
    rest (`left_ns`) on. `cut`: the samples ended before the new rest was one. `unseen`: the angle jumped, and the
    evidence for a hand never came in.
    """

    start_ns: int
    end_ns: int
    from_position: int | None
    to_position: int | None
    between: tuple[int, int] | None
    clicks: int | None
    samples: int
    failed: int
    longest_gap_ns: int
    start_raw: int
    end_raw: int
    cut: bool = False
    passed: int | None = None
    clicks_range: tuple[int, int] | None = None
    left_ns: int = 0
    unseen: bool = False

    @property
    def path(self) -> Literal["followed", "unknown"]:
        """Whether direction and number of rounds are known."""
        return "unknown" if self.clicks is None and self.passed is None else "followed"


def joined(first: Turn, then: Turn) -> Turn:
    """Join two turns in a row: under a claim, pauses do not end a turn."""
    before, after = _detents_passed(first), _detents_passed(then)
    passed = None if before is None or after is None else before + after
    lowest = None if passed is None or first.clicks_range is None else first.clicks_range[0] + (after or 0)
    return replace(
        then,
        start_ns=first.start_ns,
        left_ns=first.left_ns,
        unseen=first.unseen and then.unseen,
        from_position=first.from_position,
        clicks=passed if lowest is None else None,
        passed=passed,
        clicks_range=None if lowest is None else (lowest, lowest + 1),
        samples=first.samples + then.samples,
        failed=first.failed + then.failed,
        longest_gap_ns=max(first.longest_gap_ns, then.longest_gap_ns),
        start_raw=first.start_raw,
    )


def _detents_passed(turn: Turn) -> int | None:
    return turn.clicks if turn.passed is None else turn.passed
