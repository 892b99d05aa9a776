"""The lines of a table on standard output: as text for people, or as JSON for programs. Each line says whose it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from pi_app.text.printed import shown_json

if TYPE_CHECKING:
    from pi_app.report.pictures import SeatPicture
    from pi_app.settings.model import SeatSettings

SIMULATED: Final = "SIMULATED "
"""Begins each line of a simulated table."""

EVERYONE: Final = "everyone"


class TableOutput(Protocol):
    """Prints the lines of one table. `at_ns`: the table's time, None if a line has none."""

    def tell(self, viewers: Sequence[str], line: str, at_ns: int | None = None) -> None:
        """Print a sentence for these viewers."""

    def show(self, seat: SeatSettings, picture: SeatPicture, at_ns: int) -> None:
        """Print in words what a seat's own screen shows now."""

    def echo(self, line: str, at_ns: int) -> None:
        """Print a line that was typed and is carried out now."""

    def say(self, line: str) -> None:
        """Print a line that is for everyone and part of a longer text."""


class TextLines:
    """A line of text for each; `mark` begins all of them."""

    def __init__(self, print_line: Callable[[str], None], mark: str = "") -> None:
        self._print, self._mark = print_line, mark

    def tell(self, viewers: Sequence[str], line: str, at_ns: int | None = None) -> None:
        self.say(f"{', '.join(viewers):<8} | {line}")

    def show(self, seat: SeatSettings, picture: SeatPicture, at_ns: int) -> None:
        from pi_app.displays.describe import ON_SCREEN, describe
        from pi_app.text.language import words

        translated = words(seat.language)
        self.tell([f"seat {seat.key}"], translated(ON_SCREEN).format(shown=describe(picture, translated)), at_ns)

    def echo(self, line: str, at_ns: int) -> None:
        self.tell(["typed"], line, at_ns)

    def say(self, line: str) -> None:
        self._print(f"{self._mark}{line}")


class JsonLines:
    """A JSON object a line, for a simulated table. `viewers` are those whom `line` or `screen` is for: what is for a
    seat is its secret."""

    def __init__(self, print_line: Callable[[str], None]) -> None:
        self._print = print_line

    def tell(self, viewers: Sequence[str], line: str, at_ns: int | None = None) -> None:
        self._write(at_ns, viewers=list(viewers), line=line)

    def show(self, seat: SeatSettings, picture: SeatPicture, at_ns: int) -> None:
        from pi_app.displays.describe import describe
        from pi_app.text.language import words

        self._write(at_ns, viewers=[f"seat {seat.key}"], screen=describe(picture, words(seat.language)))

    def echo(self, line: str, at_ns: int) -> None:
        self._write(at_ns, typed=line)

    def say(self, line: str) -> None:
        if line.strip():
            self.tell([EVERYONE], line.strip())

    def _write(self, at_ns: int | None, **what: object) -> None:
        time = {} if at_ns is None else {"at_ns": at_ns}
        self._print(shown_json(json.dumps({"simulated": True, **time, **what}, ensure_ascii=False)))
