"""Parses `NAME[=AMOUNT]@SQUARE[@AT[-UNTIL]]`, a fault for a simulated table. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from pi_app.text.suggest import did_you_mean

FORM: Final = "NAME[=AMOUNT]@SQUARE[@AT[-UNTIL]]"
_SECONDS: Final = r"[0-9]+(?:\.[0-9]+)?"
_SHAPE: Final = re.compile(
    rf"(?P<name>[^=@]+)(?:=(?P<amount>[^@]*))?@(?P<square>[^@]+?)(?:@(?P<at>{_SECONDS})(?:-(?P<until>{_SECONDS}))?)?"
)


@dataclass(frozen=True, slots=True)
class WantedFault:
    """A fault by name, with its square and its time. `at_s` and `until_s` are seconds since the start of the table;
    without `until_s` a lasting one stays. `amount` None: its default."""

    name: str
    square: str
    amount: float | None = None
    at_s: float = 0.0
    until_s: float | None = None


def wanted_fault(text: str, squares: Collection[str]) -> WantedFault:
    """Parse one fault; the table checks its name and amount. Raises ValueError with a sentence for a wrong form, an
    unknown square, and an end before the beginning."""
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no fault. Write {FORM}, such as spike=300@T02@12 or unplugged@T02@5-9")
    name, word = found["name"].strip(), found["square"].strip()
    square = next((label for label in squares if label.casefold() == word.casefold()), None)
    if square is None:
        raise ValueError(f"{text!r}: the table has no square {word!r}; {did_you_mean(word, squares)}")
    at_s = float(found["at"] or 0)
    until_s = None if found["until"] is None else float(found["until"])
    if until_s is not None and until_s <= at_s:
        raise ValueError(f"{text!r}: it would end before it begins. Write the earlier time first, in seconds")
    return WantedFault(name, square, _amount(text, found["amount"]), at_s, until_s)


def _amount(text: str, amount: str | None) -> float | None:
    if amount is None:
        return None
    try:
        number = float(amount)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{text!r}: an amount is a number, not {amount!r}")
    return number
