"""Blinks a lamp in the patterns of the lamp code (`pi_app.report.lamp_code`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi_app.report.lamp_code import PATTERNS, Flashes

LONG_MS: Final = 600
SHORT_MS: Final = 200
GAP_MS: Final = 300
"""Dark after every flash."""
PAUSE_MS: Final = 1200
"""Further darkness after the fifth gap, so that the start of the word is clear."""

_NS_PER_MS: Final = 1_000_000


def timed(flashes: Flashes) -> tuple[tuple[int, int], ...]:
    """Five pairs of milliseconds, lit and dark, without the pause before the repetition."""
    return tuple((LONG_MS if long else SHORT_MS, GAP_MS) for long in flashes)


ROUND_MS: Final = 2 * LONG_MS + 3 * SHORT_MS + 5 * GAP_MS + PAUSE_MS
"""From the start of a word to the start of its repetition, the same for all words."""


def _edges_ms(flashes: Flashes) -> tuple[int, ...]:
    """The times of changes within one round: lit at even indices, dark at odd ones, and the round's end."""
    edges, at = [], 0
    for lit_ms, dark_ms in timed(flashes):
        edges += [at, at + lit_ms]
        at += lit_ms + dark_ms
    return (*edges, ROUND_MS)


_EDGES_NS: Final = {each: tuple(ms * _NS_PER_MS for ms in _edges_ms(each)) for each in PATTERNS}


def lit(flashes: Flashes, started_ns: int, now_ns: int) -> bool:
    """Whether the lamp is lit at `now_ns` if it repeats this pattern since `started_ns`."""
    if now_ns < started_ns:
        return False
    into = (now_ns - started_ns) % (ROUND_MS * _NS_PER_MS)
    return sum(edge <= into for edge in _EDGES_NS[flashes]) % 2 == 1


WORD_NS: Final = (ROUND_MS - PAUSE_MS) * _NS_PER_MS
_ROUND_NS: Final = ROUND_MS * _NS_PER_MS


@dataclass(slots=True)
class LampBlinker:
    """Blink words on one lamp. It repeats a word until another is set, and always finishes the word first.

    Everybody sees the glow, and a word cut off in the middle would reveal its order of long and short. So the number
    and length of flashes follow from the time that the button is held, never from the word (S-6).
    """

    _word: Flashes | None = None
    _started_ns: int = 0
    _next: Flashes | None = None
    _turns: bool = False

    def blink(self, word: Flashes | None, now_ns: int) -> None:
        """Blink this word from now on, or none, after finishing the current word."""
        self._next, self._turns = word, True
        self._turn(now_ns)

    @property
    def idle(self) -> bool:
        """Whether it blinks no word, and none is to follow."""
        return self._word is None and not self._turns

    def lit(self, now_ns: int) -> bool:
        """Whether the lamp is lit at this time; times must not decrease."""
        self._turn(now_ns)
        return self._word is not None and lit(self._word, self._started_ns, now_ns)

    def _turn(self, now_ns: int) -> None:
        if not self._turns:
            return
        if self._word is None:
            self._begin(now_ns)
            return
        rounds, into = divmod(now_ns - self._started_ns, _ROUND_NS)
        if rounds < 0 or into >= WORD_NS:
            self._begin(self._started_ns + max(0, rounds + 1) * _ROUND_NS)

    def _begin(self, at_ns: int) -> None:
        self._word, self._started_ns, self._turns = self._next, at_ns, False
