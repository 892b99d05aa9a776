"""The section [station] of the settings: a table that a shop plugs in and leaves to its visitors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import one_of
from pi_app.text.user_file import Complaints

PLACE: Final = "[station]"

StationLanguage = Annotated[str, Meta(pattern=rf"^({'|'.join(LANGUAGES)})\Z", description=one_of(LANGUAGES))]
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_SPAN: Final = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]-(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)"
Hours = Annotated[
    str, Meta(pattern=rf"^(?:{_SPAN}(?:, {_SPAN})?)?\Z", description="hours such as '10:00-19:00', or empty for closed")
]


class StationSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[station]: a demo station.

    `idle_s`: without any input for so long, the next visitors begin from the start. `starts`: whether a dial's start is
    where it stands when a visit begins, or the mark that is printed. `languages`: what a visitor can choose, the first
    one first. `hours`: by day; a day that is missing is open all day, and so is every day of a machine that does not
    know the time; `20:00-02:00` ends on the next day. `pin`: of the staff page; empty for no such page. `budget_mb`:
    how much the records may take. `keep`: what stays of a finished day."""

    idle_s: Annotated[int, Meta(ge=30, le=900, description="whole seconds from 30 to 900")] = 90
    starts: Annotated[Literal["found", "printed"], Meta(description="'found' or 'printed'")] = "found"
    languages: Annotated[
        tuple[StationLanguage, ...],
        Meta(min_length=1, max_length=len(LANGUAGES), description=f"a list of {one_of(LANGUAGES)}"),
    ] = LANGUAGES
    hours: Annotated[
        dict[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], Hours],
        Meta(description="a table of days, such as { mon = '10:00-19:00', sun = '' }"),
    ] = {}
    pin: Annotated[str, Meta(pattern=r"^([0-9]{6,12})?\Z", description="6 to 12 digits, or empty")] = ""
    budget_mb: Annotated[int, Meta(ge=50, le=1_000_000, description="whole megabytes from 50 to 1000000")] = 2_000
    keep: Annotated[Literal["records", "heads"], Meta(description="'records' or 'heads'")] = "records"


def check_station(station: Mapping[str, object], complaints: Complaints) -> None:
    """Report what does not go together in [station]."""
    languages = station.get("languages", ())
    if isinstance(languages, (list, tuple)) and len(set(languages)) != len(languages):
        complaints.error(PLACE, "languages", "names a language twice; name each one once")
    hours = station.get("hours", {})
    for day, spans in hours.items() if isinstance(hours, dict) else ():
        if not in_order(str(spans)):
            complaints.error(PLACE, f"hours.{day}", ENDS_EARLY)


LATEST_END: Final = "06:00"
"""A day's last hours may end on the next day, at this time at the latest."""

ENDS_EARLY: Final = (
    f"ends before it begins; write the earlier time first (only hours until {LATEST_END} go on overnight)"
)


def in_order(spans: str) -> bool:
    """Return whether the times of a day follow each other: `10:00-12:00, 20:00-02:00` do."""
    edges = [edge for span in spans.split(", ") for edge in span.split("-")] if spans else []
    if edges and edges[-1] <= min(edges[-2], LATEST_END):
        edges[-1] = f"{int(edges[-1][:2]) + 24}{edges[-1][2:]}"
    return edges == sorted(set(edges))
