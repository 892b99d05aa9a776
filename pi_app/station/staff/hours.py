"""Whether a station is open: its hours by day, and the local time. Pure.

Hours are wall-clock times, and each moment is compared with them again. So summer time needs no rule: the hour that is
skipped or repeated in its night is closed or open by its own time, and nothing adds up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pi_app.settings.station_section import DAYS

ClockQuality = Literal["none", "rtc", "ntp"]
"""Who keeps the clock right, as in the journal: nobody, a clock chip, the network."""

DAY_MINUTES: Final = 24 * 60


@dataclass(frozen=True, slots=True)
class LocalTime:
    """`weekday`: 0 for Monday. `minute`: of the day, 0 to 1439."""

    weekday: int
    minute: int


def is_open(hours: Mapping[str, str], at: LocalTime, clock: ClockQuality) -> bool:
    """Return whether a station with these hours is open. A machine that does not know the time stays open, and so does
    a day that is not named. Hours that end before they begin, such as `20:00-02:00`, end on the next day."""
    if clock == "none" or not hours:
        return True
    today, yesterday = DAYS[at.weekday], DAYS[at.weekday - 1]
    if today not in hours:
        return True
    return any(begin <= at.minute < end for begin, end in spans(hours[today])) or any(
        at.minute < end - DAY_MINUTES for _, end in spans(hours.get(yesterday, ""))
    )


def next_opening(hours: Mapping[str, str], at: LocalTime) -> tuple[str, str] | None:
    """Return the day and the time when a closed station opens next, such as `("mon", "10:00")`; None if it never
    does."""
    for ahead in range(len(DAYS) + 1):
        day = DAYS[(at.weekday + ahead) % len(DAYS)]
        begins = [begin for begin, _ in spans(hours[day])] if day in hours else [0]
        later = [begin for begin in begins if ahead or begin > at.minute]
        if later:
            return day, written(later[0])
    return None


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each span of a day, in minutes from its midnight; an end after midnight is
    above 1440."""
    for span in text.split(", ") if text else ():
        begin, end = (_minutes(edge) for edge in span.split("-"))
        yield begin, end if end > begin else end + DAY_MINUTES


def written(minute: int) -> str:
    """Return a minute of the day as `10:00`."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)
