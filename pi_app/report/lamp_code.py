"""The lamp code: five flashes, always two long and three short, so that the glow in the room never differs.

This is the classic two-out-of-five code. It has ten patterns for ten words: eight traps, clear, and "look again". All
have the same number of flashes, the same total time and the same total light; only the order differs, so no colour is
needed.

The rhythm itself is seen across the room. So which pattern means which word can be a secret of the seat
(`pi_app.game.lamp_deal`).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pi_app.game.lamp_deal import LETTERS, ONCE, LampCode
from pi_app.game.trap_words import TRAP_NAMES
from pi_app.text.language import CARD_LEGEND, CARD_TITLE, CLEAR, LOOK_AGAIN, Words

LONG_SIGN: Final = "▬"
SHORT_SIGN: Final = "·"


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

Code = Mapping[CodeWord, Flashes]
"""The pattern of each word, in the order of the card: sorted by flashes, long before short, for look-up."""

_L, _S = True, False

CODE: Final[Code] = MappingProxyType(
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
"""The public code. Readers tend to swap two adjacent flashes. The two ends of the list, both longs first and both longs
last, have only one neighbour each at such a swap; every other pattern has two or more. So `clear` and `look again` are
there: a misreading is least likely where it would hurt most. A dealt code cannot keep them there, because then their
two patterns would tell a camera that it saw no trap."""

PATTERNS: Final = tuple(CODE.values())


def card_code(lamp: LampCode) -> Code | None:
    """Return the code on the player's card; None if each look has a pattern of its own."""
    if not lamp:
        return CODE
    if lamp == ONCE:
        return None
    dealt = {word: PATTERNS[LETTERS.index(letter)] for word, letter in zip(CodeWord, lamp, strict=True)}
    return MappingProxyType({word: dealt[word] for word in sorted(dealt, key=lambda each: dealt[each], reverse=True)})


def dealt_code(lamp: LampCode) -> Code | None:
    """Return the code of a card that was dealt to one seat; None if none was."""
    return None if lamp in ("", ONCE) else card_code(lamp)


def signs(flashes: tuple[bool, ...]) -> str:
    """Return a pattern as printed on the card: `▬▬···`."""
    return "".join(LONG_SIGN if long else SHORT_SIGN for long in flashes)


def spoken(word: CodeWord) -> str:
    """Return the msgid of a word's meaning."""
    return {CodeWord.CLEAR: CLEAR, CodeWord.LOOK_AGAIN: LOOK_AGAIN}.get(word) or TRAP_NAMES[word.value]


def card(words: Words, code: Code = CODE) -> str:
    """Return the card of a code as text."""
    rows = [f"  {' '.join(signs(flashes))}   {words(spoken(word))}" for word, flashes in code.items()]
    return "\n".join([words(CARD_TITLE), "", words(CARD_LEGEND), "", *rows, ""])
