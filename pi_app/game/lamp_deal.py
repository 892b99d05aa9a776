"""The deal of a seat's lamp code: who knows which of its ten patterns means which word.

public  the printed card, the same for every seat and game
dealt   a secret order for each seat and game, on a card for its player alone
once    another pattern at random for each look: only the seat's screen says the word
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, Literal

from msgspec import Meta

LampKind = Literal["public", "dealt", "once"]

ONCE: Final = "once"

LETTERS: Final = "abcdefghij"
"""The names of the patterns in a dealt order."""

LampCode = Annotated[
    str, Meta(pattern=rf"\A(?:|{ONCE}|(?!.*(.).*\1)[{LETTERS}]{{{len(LETTERS)}}})\Z", max_length=len(LETTERS))
]
"""A seat's lamp code in one game: empty for the public one, `once`, or the dealt letters of the words' patterns, in the
order of `CodeWord` (`pi_app.report.lamp_code`)."""

Pick = Callable[[int], int]
"""Gives 0 to n-1, each with the same probability."""


def drawn(kind: LampKind, pick: Pick) -> LampCode:
    """Draw a seat's lamp code for one game."""
    match kind:
        case "public":
            return ""
        case "once":
            return ONCE
        case "dealt":
            left = [*LETTERS]
            return "".join(left.pop(pick(len(left))) for _ in LETTERS)
