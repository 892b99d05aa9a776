"""The captures on all legs at once, kept small enough for millions of exposes, and compared leg by leg."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.pages.capture import Capture, Listener, Said
from tests.pages.namespaces import Room

Comparable = tuple[int, str, int, str]


@dataclass(slots=True)
class Heard:
    """What was said on each leg, as numbers into `kinds`; a leg's list is in the order of its capture."""

    kinds: list[Comparable] = field(default_factory=list)
    legs: list[array[int]] = field(default_factory=list)
    lost: int = 0
    """Packets that the kernel could not keep: a comparison with any proves nothing."""

    def differing(self, other: Heard) -> list[str]:
        """Return what differs on each leg, as sentences; none if an eavesdropper saw the same."""
        return [
            told
            for number, (this, that) in enumerate(zip(self.legs, other.legs, strict=True))
            if (told := self._first_difference(number, this, other, that))
        ]

    def _first_difference(self, leg: int, this: Sequence[int], other: Heard, that: Sequence[int]) -> str:
        if self.kinds == other.kinds and this == that:
            return ""
        ones, others = [self.kinds[each] for each in this], [other.kinds[each] for each in that]
        if ones == others:
            return ""
        at = next(
            (n for n, (a, b) in enumerate(zip(ones, others, strict=False)) if a != b), min(len(ones), len(others))
        )
        a, b = (str(each[at]) if at < len(each) else "nothing more" for each in (ones, others))
        return f"leg {leg}, after {at} things that are the same: {a} in one game, {b} in the other"

    @property
    def things(self) -> int:
        return sum(map(len, self.legs))


class Recorder:
    """Captures on every leg of a room. Call `read` often enough that the kernel's buffers do not run over."""

    def __init__(self, made: Room, noticed: Callable[[int, Said], None] | None = None) -> None:
        """`noticed` is called with each leg's number and each thing that is said there."""
        self._captures = [Capture(made.table, leg) for leg in made.legs]
        self._noticed = noticed
        self.restart()

    def restart(self) -> None:
        """Begin a new recording; connections are counted from 0 again."""
        for capture in self._captures:
            for _ in capture.packets():
                pass
            capture.lost()
        self._listeners = [Listener() for _ in self._captures]
        self._numbers: dict[Comparable, int] = {}
        self.heard = Heard(legs=[array("H") for _ in self._captures])

    def read(self) -> None:
        for leg, (capture, listener) in enumerate(zip(self._captures, self._listeners, strict=True)):
            kept = self.heard.legs[leg]
            for packet in capture.packets():
                for said in listener.hear(packet):
                    kind = said.comparable()
                    number = self._numbers.get(kind)
                    if number is None:
                        number = self._numbers[kind] = len(self.heard.kinds)
                        self.heard.kinds.append(kind)
                    kept.append(number)
                    if self._noticed is not None:
                        self._noticed(leg, said)
            self.heard.lost += capture.lost()

    def close(self) -> None:
        for capture in self._captures:
            capture.close()
