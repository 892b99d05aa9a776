"""The opening hours of a station: those of the settings, or those that the staff has set since, in the state folder."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from pi_app.journal.record.entry import ClockSource
from pi_app.play.power import may_be
from pi_app.settings.station_section import DAYS, Hours, in_order
from pi_app.station.staff.hours import LocalTime, is_open
from pi_app.text.plain_file import NotPlainError, read_plain
from pi_app.text.private_files import replace_file

FILE_NAME: Final = "hours.json"
_MOST_BYTES: Final = 4_000


class OpeningHours:
    """The hours of one station."""

    def __init__(self, folder: Path, settings: Mapping[Any, str]) -> None:
        """`folder`: of the state. `settings`: the hours in [station]."""
        self._path, self._settings = folder / FILE_NAME, dict(settings)
        self.hours: Mapping[str, str] = self._read() or self._settings
        """By day, as in the settings."""

    @property
    def is_changed(self) -> bool:
        """Whether the staff has set other hours than the settings have."""
        return dict(self.hours) != self._settings

    def _read(self) -> dict[str, str] | None:
        try:
            return checked(msgspec.json.decode(read_plain(self._path, _MOST_BYTES)))
        except (OSError, NotPlainError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def change(self, hours: object) -> bool:
        """Set other hours for all days. Return False for what is none, which changes nothing. Raises OSError if they
        cannot be kept; then they hold until the restart."""
        found = checked(hours)
        if found is None:
            return False
        self.hours = found
        replace_file(self._path, msgspec.json.encode(found))
        return True

    def is_open(self, now: datetime.datetime, clock: ClockSource) -> bool:
        """Return whether the station is open at a local time. A date that cannot be right is one that is not known."""
        return is_open(self.hours, local_time(now), clock if may_be(now.year) else "none")


class WrongDay(enum.Enum):
    """Why a day's hours cannot be taken."""

    NO_TIMES = enum.auto()
    """They are not one or two pairs of times."""
    ORDER = enum.auto()
    """It would close before it opens."""


def wrong_days(hours: Mapping[str, str]) -> Mapping[str, WrongDay]:
    """Return what is wrong with the hours of each day that cannot be taken, in the order of the week."""
    found = {day: _wrong(hours[day]) for day in DAYS if day in hours}
    return {day: wrong for day, wrong in found.items() if wrong is not None}


def _wrong(text: str) -> WrongDay | None:
    try:
        msgspec.convert(text, Hours)
    except msgspec.ValidationError:
        return WrongDay.NO_TIMES
    return None if in_order(text) else WrongDay.ORDER


def checked(hours: object) -> dict[str, str] | None:
    """Return hours by day; None if they are not as the settings take them."""
    try:
        found = msgspec.convert(hours, dict[str, Hours])
    except msgspec.ValidationError:
        return None
    return found if set(found) <= set(DAYS) and all(map(in_order, found.values())) else None


def local_time(now: datetime.datetime) -> LocalTime:
    """Return the day and minute of a local time."""
    return LocalTime(now.weekday(), now.hour * 60 + now.minute)
