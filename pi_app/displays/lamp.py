"""The lamp code: five flashes, always two long and three short, so that the glow in the room never differs.

This is the classic two-out-of-five code. It has ten words: eight traps, clear, and "look again". All have the same
number of flashes, the same total time and the same total light; only the order differs, so no colour is needed.

Readers tend to swap two adjacent flashes. The two ends of the list, both longs first and both longs last, have only one
neighbour each at such a swap; every other word has two or more. So `clear` and `look again` are there: a misreading is
least likely where it would hurt most.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pi_app.game.trap_words import TRAP_NAMES
from pi_app.text.language import CARD_LEGEND, CARD_TITLE, CLEAR, LOOK_AGAIN, Words

LONG_MS: Final = 600
SHORT_MS: Final = 200
GAP_MS: Final = 300
"""Dark after every flash."""
PAUSE_MS: Final = 1200
"""Further darkness after the fifth gap, so that the start of the word is clear."""

LONG_SIGN: Final = "▬"
SHORT_SIGN: Final = "·"

_NS_PER_MS: Final = 1_000_000


class CodeWord(enum.Enum):
    """The words of the lamp code. The values of the traps are their ids."""

    BUZZ_SAW = "buzz_saw"
    CAGE = "cage"
    FALLING_WEIGHT = "falling_weight"
    FIRE_JETS = "fire_jets"
    JAWS_OF_DOOM = "jaws_of_doom"
    MONSTROUS_HAND = "monstrous_hand"
    NOXIOUS_ACID_POOL = "noxious_acid_pool"
    SPIKED_PIT = "spiked_pit"
    CLEAR = "clear"
    LOOK_AGAIN = "look_again"


Flashes = tuple[bool, bool, bool, bool, bool]
"""Five flashes in order; True is long."""

_L, _S = True, False

CODE: Final[Mapping[CodeWord, Flashes]] = MappingProxyType(
    {
        CodeWord.CLEAR: (_L, _L, _S, _S, _S),
        CodeWord.BUZZ_SAW: (_L, _S, _L, _S, _S),
        CodeWord.CAGE: (_L, _S, _S, _L, _S),
        CodeWord.FALLING_WEIGHT: (_L, _S, _S, _S, _L),
        CodeWord.FIRE_JETS: (_S, _L, _L, _S, _S),
        CodeWord.JAWS_OF_DOOM: (_S, _L, _S, _L, _S),
        CodeWord.MONSTROUS_HAND: (_S, _L, _S, _S, _L),
        CodeWord.NOXIOUS_ACID_POOL: (_S, _S, _L, _L, _S),
        CodeWord.SPIKED_PIT: (_S, _S, _L, _S, _L),
        CodeWord.LOOK_AGAIN: (_S, _S, _S, _L, _L),
    }
)
"""In the order of the card: sorted by flashes, long before short, for look-up."""


def flashes(word: CodeWord) -> tuple[tuple[int, int], ...]:
    """Five pairs of milliseconds, lit and dark, without the pause before the repetition."""
    return tuple((LONG_MS if long else SHORT_MS, GAP_MS) for long in CODE[word])


ROUND_MS: Final = 2 * LONG_MS + 3 * SHORT_MS + 5 * GAP_MS + PAUSE_MS
"""From the start of a word to the start of its repetition, the same for all words."""


def _edges_ms(word: CodeWord) -> tuple[int, ...]:
    """The times of changes within one round: lit at even indices, dark at odd ones, and the round's end."""
    edges, at = [], 0
    for lit_ms, dark_ms in flashes(word):
        edges += [at, at + lit_ms]
        at += lit_ms + dark_ms
    return (*edges, ROUND_MS)


_EDGES_NS: Final = {word: tuple(ms * _NS_PER_MS for ms in _edges_ms(word)) for word in CodeWord}


def lit(word: CodeWord, started_ns: int, now_ns: int) -> bool:
    """Whether the lamp is lit at `now_ns` if it repeats `word` since `started_ns`."""
    if now_ns < started_ns:
        return False
    into = (now_ns - started_ns) % (ROUND_MS * _NS_PER_MS)
    return sum(edge <= into for edge in _EDGES_NS[word]) % 2 == 1


WORD_NS: Final = (ROUND_MS - PAUSE_MS) * _NS_PER_MS
_ROUND_NS: Final = ROUND_MS * _NS_PER_MS


@dataclass(slots=True)
class LampBlinker:
    """Blink words on one lamp. It repeats a word until another is set, and always finishes the word first.

    Everybody sees the glow, and a word cut off in the middle would reveal its order of long and short. So the number
    and length of flashes follow from the time that the button is held, never from the word (S-6).
    """

    _word: CodeWord | None = None
    _started_ns: int = 0
    _next: CodeWord | None = None
    _turns: bool = False

    def blink(self, word: CodeWord | None, now_ns: int) -> None:
        """Blink this word from now on, or none, after finishing the current word."""
        self._next, self._turns = word, True
        self._turn(now_ns)

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


def signs(word: CodeWord) -> str:
    """The word as printed on the card: `▬▬···`."""
    return "".join(LONG_SIGN if long else SHORT_SIGN for long in CODE[word])


def spoken(word: CodeWord) -> str:
    """The msgid of a word's meaning."""
    return {CodeWord.CLEAR: CLEAR, CodeWord.LOOK_AGAIN: LOOK_AGAIN}.get(word) or TRAP_NAMES[word.value]


def card(words: Words) -> str:
    """The card of the lamp code as text, from the same table as the lamp's flashes."""
    rows = [f"  {' '.join(signs(word))}   {words(spoken(word))}" for word in CODE]
    return "\n".join([words(CARD_TITLE), "", words(CARD_LEGEND), "", *rows, ""])
