"""The viewers' sentences as plain lines: each sentence once, with its viewers.

Reports stay one per viewer; they are only printed here. One sentence for several viewers at one moment becomes one
line, and so do equal sentences about many squares or dials, which have one cause.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.report.visibility import PUBLIC

TOGETHER_NS: Final = 300_000_000
"""A sentence about a square that is not public (such as a lost dial, for the referee) waits so long for equal ones: one
cause reaches all dials of a bus in less. Public sentences do not wait."""

_DIAL: Final = re.compile(r"dial (\S+) \(([^()]*)\) (.*)", re.DOTALL)


@dataclass(slots=True)
class _Line:
    text: str
    viewers: list[str]
    at_ns: int
    before: str = ""
    label: str = ""
    """The first square that it names, between `before` and `rest`."""
    rest: str = ""
    place: str = ""


class PlainLines:
    """A listener that prints. Call `pause` regularly, and `close` at the end."""

    def __init__(
        self,
        write: Callable[[Sequence[str], str, int], None],
        viewers: Collection[str],
        squares: Iterable[str],
    ) -> None:
        """`write` takes the viewers of a line, the line and its time. `viewers`: those whose lines are printed."""
        self._write, self._viewers = write, viewers
        self._order = {label: n for n, label in enumerate(squares)}
        names = "|".join(re.escape(label) for label in self._order)
        self._square = re.compile(rf"(.{{0,60}}?)\b({names})\b(.*)", re.DOTALL)
        self._waiting: list[_Line] = []

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Take a sentence for one viewer."""
        if viewer not in self._viewers:
            return
        for waiting in self._waiting:
            if waiting.text == line and viewer not in waiting.viewers:
                waiting.viewers.append(viewer)
                return
        made = _Line(line, [viewer], at_ns)
        if dial := _DIAL.fullmatch(line):
            made.label, made.place, made.rest = dial[1], dial[2], dial[3]
        elif square := self._square.fullmatch(line):
            made.before, made.label, made.rest = square[1], square[2], square[3]
        self._waiting.append(made)

    def pause(self, now_ns: int) -> None:
        """End a step of the table: print what need not wait for equal sentences."""
        waiting = self._waiting
        hold = all(line.label and PUBLIC.name not in line.viewers for line in waiting)
        if waiting and (now_ns - waiting[0].at_ns >= TOGETHER_NS or not hold):
            self.flush()

    def flush(self) -> None:
        """Print everything that waits."""
        waiting, self._waiting = self._waiting, []
        groups: dict[tuple[object, ...], list[_Line]] = {}
        for n, line in enumerate(waiting):
            key = (line.before, line.rest, bool(line.place), *line.viewers) if line.label else (n,)
            groups.setdefault(key, []).append(line)
        for group in groups.values():
            group.sort(key=lambda line: self._order.get(line.label, 0))
            self._write(group[0].viewers, _joined(group), group[0].at_ns)

    def close(self) -> None:
        self.flush()


def _joined(group: Sequence[_Line]) -> str:
    labels = list(dict.fromkeys(line.label for line in group))
    if len(labels) < 2:
        return group[0].text
    names = ", ".join(labels)
    if not group[0].place:
        dash = " \N{EN DASH}" if group[0].rest.lstrip()[:1].isalpha() else ""  # a verb for one square
        return f"{group[0].before}{names}{dash}{group[0].rest}"
    places = [line.place.split() for line in group]
    shared = [words[0] for words in itertools.takewhile(lambda words: len(set(words)) == 1, zip(*places, strict=False))]
    where = f" ({' '.join(shared).rstrip(',')})" if shared else ""
    return f"dials {names}{where}: each {group[0].rest}"


def names(viewers: Sequence[str], everyone: Collection[str]) -> str:
    """The viewers of a line, as printed in front of it."""
    return "all" if len(viewers) > 2 and set(viewers) == set(everyone) else ", ".join(viewers)
