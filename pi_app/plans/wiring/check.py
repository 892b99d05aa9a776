"""One check before power: a number, its limit, where the limit comes from, and what to do if it is broken."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final, NamedTuple

from pi_app.plans import check as doctor
from pi_app.plans.check import Sign


class LimitKind(enum.StrEnum):
    """Which side of a limit is well."""

    AT_MOST = "at most"
    AT_LEAST = "at least"


NEAR: Final = 0.9
"""Cables and chips are never quite what their papers say: within a tenth of a limit, look at it."""


@dataclass(frozen=True, slots=True)
class WiringCheck:
    """One line: FAILS must not be built so, UNSURE should be looked at, GOOD was looked at and is well.

    `value` and `limit` are in `unit`, empty for counts. `how` says in words how the value came about, `source` where
    the limit is written, `advice` what to do, empty if it is well.
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
        """Value, limit and source in words."""
        unit = self.unit and f" {self.unit}"
        shown = f"{_number(self.value, self.limit)}{unit}{self.how}"
        return f"{shown}, {self.bound} {_number(self.limit)}{unit} ({self.source})"

    @property
    def words(self) -> str:
        """The line without its sign, as the doctor says its own."""
        return self._as_doctor().words

    def __str__(self) -> str:
        return str(self._as_doctor())

    def _as_doctor(self) -> doctor.Check:
        return doctor.Check(self.sign, self.part, self.place, self.seen, self.advice)

    def facts(self) -> dict[str, object]:
        """The line as plain values, fit for JSON."""
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
    """What a quantity is held against. `source`: where the figure comes from."""

    bound: LimitKind
    value: float
    unit: str
    source: str


def measured(part: str, place: str, value: float, limit: Limit, advice: str, how: str = "") -> WiringCheck:
    """Compare a quantity with its limit: it fails beyond it and is unsure close to it. Only then is there advice."""
    share = value / limit.value if limit.bound is LimitKind.AT_MOST else limit.value / value
    if share > 1:
        return WiringCheck(Sign.FAILS, part, place, value, *limit, how, advice)
    if share > NEAR:
        return WiringCheck(Sign.UNSURE, part, place, value, *limit, how, f"Near the limit. {advice}")
    return WiringCheck(Sign.GOOD, part, place, value, *limit, how)


def counted(
    part: str, place: str, number: int, source: str, advice: str, how: str, bad: Sign = Sign.FAILS
) -> WiringCheck:
    """Mistakes: so many, and none may be. `bad` is the sign if there is one."""
    well = number == 0
    sign, told = (Sign.GOOD, "") if well else (bad, advice)
    return WiringCheck(sign, part, place, number, LimitKind.AT_MOST, 0, "", source, how, told)


def _number(value: float, beside: float | None = None) -> str:
    """Three digits or all before the point; more where it would look like the limit beside it and is not."""
    for digits in (0 if value >= 100 else 3 - len(str(int(value))), 1, 2, 3):
        shown = f"{value:.{digits}f}"
        shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
        if beside is None or value == beside or shown != _number(beside):
            break
    return shown
