"""One check before power: a value, its limit, the limit's source, and advice if the limit is broken."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final, NamedTuple

from pi_app.plans import check as doctor
from pi_app.plans.check import Sign


class LimitKind(enum.StrEnum):
    """Which side of a limit is good."""

    AT_MOST = "at most"
    AT_LEAST = "at least"


NEAR: Final = 0.9
"""Cables and chips differ from their datasheets: within a tenth of a limit, a check is unsure."""


@dataclass(frozen=True, slots=True)
class WiringCheck:
    """One line: do not build it if it FAILS, check it yourself if UNSURE.

    `value` and `limit` are in `unit`, empty for counts. `how` explains the value, `source` names the document with the
    limit, `advice` is empty for GOOD.
    """

    sign: Sign
    part: str
    place: str
    value: float
    bound: LimitKind
    limit: float
    unit: str
    source: str
    how: str = ""
    advice: str = ""

    @property
    def seen(self) -> str:
        """Value, limit and source as text."""
        unit = self.unit and f" {self.unit}"
        shown = f"{_number(self.value, self.limit)}{unit}{self.how}"
        return f"{shown}, {self.bound} {_number(self.limit)}{unit} ({self.source})"

    @property
    def words(self) -> str:
        """The line without its sign, as in the doctor's report."""
        return self._as_doctor().words

    def __str__(self) -> str:
        return str(self._as_doctor())

    def _as_doctor(self) -> doctor.Check:
        return doctor.Check(self.sign, self.part, self.place, self.seen, self.advice)

    def facts(self) -> dict[str, object]:
        """The line as plain values for JSON."""
        return {
            "sign": self.sign.value,
            "part": self.part,
            "place": self.place,
            "value": round(self.value, 3),
            "bound": self.bound.value,
            "limit": round(self.limit, 3),
            "unit": self.unit,
            "how": self.how.strip(),
            "source": self.source,
            "try": self.advice,
        }


class Limit(NamedTuple):
    """A limit of a quantity. `source`: where the figure comes from."""

    bound: LimitKind
    value: float
    unit: str
    source: str


def measured(part: str, place: str, value: float, limit: Limit, advice: str, how: str = "") -> WiringCheck:
    """Compare a quantity with its limit: it fails beyond it and is unsure close to it; only then it gets advice."""
    share = value / limit.value if limit.bound is LimitKind.AT_MOST else limit.value / value
    if share > 1:
        return WiringCheck(Sign.FAILS, part, place, value, *limit, how, advice)
    if share > NEAR:
        return WiringCheck(Sign.UNSURE, part, place, value, *limit, how, f"Near the limit. {advice}")
    return WiringCheck(Sign.GOOD, part, place, value, *limit, how)


def counted(
    part: str, place: str, number: int, source: str, advice: str, how: str, bad: Sign = Sign.FAILS
) -> WiringCheck:
    """A number of mistakes, which must be 0. `bad` is the sign otherwise."""
    sign, shown = (bad, advice) if number else (Sign.GOOD, "")
    return WiringCheck(sign, part, place, number, LimitKind.AT_MOST, 0, "", source, how, shown)


def _number(value: float, beside: float | None = None) -> str:
    """Three digits, or all before the point; more if it would otherwise look equal to the limit `beside` it."""
    for digits in (0 if value >= 100 else 3 - len(str(int(value))), 1, 2, 3):
        shown = f"{value:.{digits}f}"
        shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
        if beside is None or value == beside or shown != _number(beside):
            break
    return shown
