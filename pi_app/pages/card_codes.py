"""The join secrets of the printed cards: one per seat, in the folder of the journal's keys, in `card.codes`.

The first line is the address that the cards were printed with; each other line is a seat's key and its code.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pi_app.journal.record.key_ring import CARD_CODES, KeyRing
from pi_app.journal.record.keys import KeyFileError
from pi_app.pages.address import CODE_BYTES, code_text, read_code
from pi_app.text.errors import UserFileError

ADVICE: Final = "Make new ones, and print the cards again: trapdial pages cards --new"


@dataclass(frozen=True, slots=True)
class CardCodes:
    """`host`: the address on the cards, such as `10.77.0.1:8080`. `codes`: a join secret for each seat's key."""

    host: str
    codes: Mapping[str, bytes]

    def __repr__(self) -> str:
        return f"CardCodes({self.host!r}, {len(self.codes)} sealed)"


NO_CARDS: Final = CardCodes("", MappingProxyType({}))


def load(place: Path) -> Mapping[str, bytes]:
    """Return the code of each seat that has a card, from the folder of the journal's keys; none if there are no cards.

    Raises UserFileError for a file that holds no codes, or that another user could read or replace.
    """
    return printed(KeyRing(place)).codes


def printed(ring: KeyRing) -> CardCodes:
    """Return what the cards were printed with; `NO_CARDS` if there are none. Raises as `load`."""
    try:
        text = ring.card_codes()
    except KeyFileError as error:
        raise UserFileError([str(error)]) from error
    if text is None:
        return NO_CARDS
    host, *lines = text.splitlines() or [""]
    codes: dict[str, bytes] = {}
    for number, line in enumerate(lines, 2):
        key, _, letters = line.partition(" ")
        try:
            if key in codes:
                raise ValueError("the seat has two codes")
            codes[key] = read_code(letters)
        except ValueError as error:
            raise UserFileError.at(str(ring.folder / CARD_CODES), f"line {number}", str(error), ADVICE) from None
    if len(set(codes.values())) < len(codes):
        raise UserFileError.at(str(ring.folder / CARD_CODES), "", "two seats have the same code", ADVICE)
    return CardCodes(host, MappingProxyType(codes))


def renewed(seats: Iterable[str], before: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a code for each of these seats: the one from before, or a new one."""
    return {seat: before.get(seat) or os.urandom(CODE_BYTES) for seat in seats}


def keep(ring: KeyRing, cards: CardCodes) -> None:
    """Write the codes; they are on disk when this returns. Raises UserFileError."""
    lines = [cards.host, *(f"{seat} {code_text(code)}" for seat, code in cards.codes.items())]
    try:
        ring.keep_card_codes("\n".join(lines))
    except KeyFileError as error:
        raise UserFileError([str(error)]) from error
