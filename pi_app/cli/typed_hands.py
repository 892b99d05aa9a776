"""Hands at a simulated table that are typed: `sim tap ANN`, `sim turn T01 3`, `sim hold ANN`.

Each line waits until the hand before it has finished, so that a whole turn can come from a pipe. A line without `sim`
goes to the table. When the input has ended and everything has settled, the hands are over.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from hardware.sims.faults import FAULTS, mend, strike
from pi_app.play.commands.words import USAGE as TABLE_WORDS
from pi_app.text.language import words
from pi_app.text.suggest import did_you_mean, guess
from pi_app.text.table_words import in_english

if TYPE_CHECKING:
    from pi_app.play.loop import Loop
    from pi_app.settings.model import Settings
    from pi_app.simulated.table import SimulatedTable

SECOND_NS: Final = 1_000_000_000
TAP_NS: Final = 150_000_000
PAUSE_NS: Final = 500_000_000
"""A person's pause between two actions."""

HOLD_S: Final = 3.0
LONGEST_S: Final = 3600.0
MOST_CLICKS: Final = 99

LONGEST_SETTLING_NS: Final = 15_000_000_000
"""Longest wait after the last line for what a screen still shows."""

PREFIX: Final = "sim"

USAGE: Final[Mapping[str, tuple[str, str]]] = {
    "tap": ("sim tap SEAT", "tap a seat's button: claim the next dial that moves"),
    "turn": ("sim turn SQUARE CLICKS", "turn a dial counter-clockwise; with a minus sign, clockwise"),
    "hold": ("sim hold SEAT [SECONDS]", "hold a seat's button and look, for 3 seconds if none are given"),
    "press": ("sim press SEAT", "press a seat's button and keep it pressed"),
    "release": ("sim release SEAT", "release it"),
    "screen": ("sim screen SEAT", "draw what a seat's screen shows now"),
    "fault": ("sim fault SQUARE NAME", "inject a fault into a tile; `trapdial demo --faults` lists them"),
    "clear": ("sim clear SQUARE NAME", "clear a fault that lasts"),
    "wait": ("sim wait SECONDS", "do nothing for so long"),
    "help": ("sim help", "this list"),
}


class WrongWordsError(Exception):
    """A line that no hand can follow; the message says why."""


@dataclass(frozen=True, slots=True)
class SimulatedAnswer:
    """What a hand has begun: sentences about it, and when it is done."""

    told: tuple[str, ...]
    until_ns: int


class TypedHands:
    """Takes the lines of a simulated table. Any thread may call it; the table's thread calls `step`."""

    def __init__(
        self,
        settings: Settings,
        table: SimulatedTable,
        loop: Loop,
        tell: Callable[[str], None],
        echo: Callable[[str], None] = lambda line: None,
        *,
        paced: bool = False,
    ) -> None:
        """`tell` prints what a hand does, `echo` gets each line when it is carried out. `paced`: also after a line for
        the table comes a person's pause, so that what it causes has settled before the next one."""
        self._settings, self._table, self._loop, self._tell = settings, table, loop, tell
        self._echo, self._paced = echo, paced
        self._lines: deque[str] = deque()
        self._busy_until_ns = self._last_ns = 0
        self._ended = False
        self._changed = threading.Condition()

    def __call__(self, line: str) -> None:
        """Queue a line."""
        with self._changed:
            self._lines.append(line)
            self._changed.notify()

    def end_input(self) -> None:
        """Say that no more lines come."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    @property
    def waits(self) -> bool:
        """Whether nothing is left to do until another line comes."""
        return not self._lines and not self._ended and self._loop.ready and self._now_ns >= self._busy_until_ns

    def wait_for_line(self, seconds: float) -> bool:
        """Wait for a line; return whether one came in time, or the input has ended."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._lines) or self._ended, seconds)

    @property
    def over(self) -> bool:
        """Whether the input has ended, and what its last line caused has settled."""
        if not self._ended or self._lines or not self._loop.ready:
            return False
        still_ns = self._now_ns - max(self._busy_until_ns, self._last_ns + PAUSE_NS)
        return still_ns >= 0 and (self._loop.settled or still_ns >= LONGEST_SETTLING_NS)

    def step(self) -> None:
        """Do the next line, if the dials were read and no hand is busy. `quit` does not wait for the dials."""
        if not self._lines or self._now_ns < self._busy_until_ns:
            return
        if not self._loop.ready and self._lines[0].strip().lower() != "quit":
            return
        line = self._lines.popleft()
        self._echo(line)
        self._last_ns = self._now_ns
        first, *rest = line.split() or [""]
        if first.lower() != PREFIX:
            self._type(first.lower(), line)
            return
        try:
            done = self._do(rest)
        except WrongWordsError as wrong:
            self._tell(str(wrong))
            return
        self._busy_until_ns = done.until_ns
        for sentence in done.told:
            self._tell(sentence)

    def _type(self, verb: str, line: str) -> None:
        """Type a line at the table. Answer a hand's word without `sim` with what to type."""
        table_words = words(self._settings.table.language)
        if verb in USAGE and in_english(verb, table_words).lower() not in TABLE_WORDS:
            self._tell(f"Hands are simulated here: type `{PREFIX} {' '.join(line.split())}`.")
            return
        self._loop.say(line)
        if self._paced:
            self._busy_until_ns = self._now_ns + PAUSE_NS

    @property
    def _now_ns(self) -> int:
        return self._table.clock.now_ns()

    def _do(self, words: list[str]) -> SimulatedAnswer:
        verb, *rest = words or ["help"]
        verb = verb.lower()
        if verb not in USAGE:
            raise WrongWordsError(f"A hand cannot {verb[:20]!r}; {_guess(verb, USAGE)}")
        match verb, rest:
            case "help", []:
                return self._done(*(f"{usage}: {meaning}" for usage, meaning in USAGE.values()))
            case "wait", [seconds]:
                return self._done(until_ns=self._now_ns + _seconds(seconds))
            case "tap", [seat]:
                return self._hold(self._seat(seat), TAP_NS, "taps")
            case "hold", [seat]:
                return self._hold(self._seat(seat), round(HOLD_S * SECOND_NS), f"holds for {HOLD_S:g} seconds")
            case "hold", [seat, seconds]:
                return self._hold(self._seat(seat), _seconds(seconds), f"holds for {seconds} seconds")
            case "press", [seat]:
                self._table.press(self._seat(seat))
                return self._done(f"{self._seat(seat)} presses the button.")
            case "release", [seat]:
                self._table.release(self._seat(seat))
                return self._done(f"{self._seat(seat)} releases the button.")
            case "screen", [seat]:
                return self._screen(self._seat(seat))
            case "turn", [square, clicks]:
                return self._turn(self._square(square), clicks)
            case "fault" | "clear", [square, name]:
                return self._fault(verb, self._square(square), name)
            case _:
                raise WrongWordsError(f"Usage: {USAGE[verb][0]}")

    def _done(self, *told: str, until_ns: int | None = None) -> SimulatedAnswer:
        return SimulatedAnswer(told, self._now_ns if until_ns is None else until_ns)

    def _hold(self, seat: str, for_ns: int, does: str) -> SimulatedAnswer:
        self._table.press(seat)
        until_ns = self._now_ns + for_ns
        self._table.clock.at(until_ns, partial(self._table.release, seat))
        return self._done(f"{seat} {does}.", until_ns=until_ns + PAUSE_NS)

    def _turn(self, square: str, word: str) -> SimulatedAnswer:
        clicks = int(word) if word.removeprefix("-").isdecimal() and len(word) < 9 else 0
        if not 0 < abs(clicks) <= MOST_CLICKS:
            raise WrongWordsError(f"A dial is turned by 1 to {MOST_CLICKS} clicks, or by -1 to -{MOST_CLICKS}.")
        rests_ns = self._table.tiles[square].hand.turn(self._now_ns, clicks)
        way = "counter-clockwise" if clicks > 0 else "clockwise"
        seen_ns = self._settings.table.rest_ms * 1_000_000
        count = f"{abs(clicks)} {'click' if abs(clicks) == 1 else 'clicks'}"
        return self._done(f"A hand turns {square} by {count} {way}.", until_ns=rests_ns + seen_ns + PAUSE_NS)

    def _screen(self, seat: str) -> SimulatedAnswer:
        from pi_app.simulated.live.cells import boxed_screen

        oled = self._table.oleds.get(seat)
        if oled is None:
            raise WrongWordsError(f"{seat} has no screen.")
        return self._done(f"The screen of {seat}:", *boxed_screen(oled.pixels()))

    def _fault(self, verb: str, square: str, name: str) -> SimulatedAnswer:
        if name not in FAULTS:
            meant = guess(name, FAULTS)
            advice = f"did you mean {meant!r}?" if meant else "`trapdial demo --faults` lists all."
            raise WrongWordsError(f"There is no fault {name[:20]!r}; {advice}")
        act, does = (strike, "begins") if verb == "fault" else (mend, "is cleared")
        try:
            act(self._table.tiles[square], name)
        except ValueError as error:
            raise WrongWordsError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
        return self._done(f"The fault {name} of {square} {does}.")

    def _seat(self, word: str) -> str:
        names = {seat.name.casefold(): key for key, seat in self._settings.seats.items()}
        return names.get(word.casefold()) or _named(word, self._settings.seats, "seat")

    def _square(self, word: str) -> str:
        return _named(word, self._table.tiles, "square")


def _named(word: str, choices: Collection[str], what: str) -> str:
    for choice in choices:
        if choice.casefold() == word.casefold():
            return choice
    raise WrongWordsError(f"There is no {what} {word[:20]!r}; {_guess(word, choices)}")


def _guess(word: str, choices: Iterable[str]) -> str:
    advice = did_you_mean(word, choices)
    return advice if advice.endswith("?") else f"{advice}."


def _seconds(word: str) -> int:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_S:
        raise WrongWordsError(f"{word!r} is not a number of seconds, from 0.1 to {LONGEST_S:g}.")
    return round(seconds * SECOND_NS)
