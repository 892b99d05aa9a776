"""Makes a station's status for programs (`pi_app.pages.station_status`) from its troubles and a few counts. Pure.

Nothing of a game is an argument here, so nothing of a game can be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pi_app.journal.record.entry import ClockSource
from pi_app.pages.station_status import StationStatus, TroubleStatus
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound, lamp
from pi_app.text.language import SOURCE_LANGUAGE, words


@dataclass(frozen=True, slots=True, kw_only=True)
class StationCounts:
    """What a station counts. `state`: of its visit, in small letters, or `recovery`."""

    program: str
    state: str
    uptime_s: int
    visits: int = 0
    open: bool = True
    clock: ClockSource = "none"
    simulated: bool = False


def status_of(
    counts: StationCounts, found: Iterable[TroubleFound], seconds_of: Callable[[StationTrouble], int]
) -> StationStatus:
    """Return the status. `found`: the troubles now; `seconds_of`: for how many seconds each has lasted."""
    now = tuple(found)
    return StationStatus(
        program=counts.program,
        simulated=counts.simulated,
        state=counts.state,
        open=counts.open,
        lamp=lamp(now).name.lower(),  # type: ignore[arg-type]
        uptime_s=counts.uptime_s,
        visits=counts.visits,
        clock=counts.clock,
        troubles=tuple(_status(each, seconds_of(each.trouble)) for each in now),
        codes=tuple(each.code for each in StationTrouble),
    )


def _status(found: TroubleFound, since_s: int) -> TroubleStatus:
    english = words(SOURCE_LANGUAGE)
    return TroubleStatus(
        code=found.trouble.code,
        weight=found.trouble.value.weight.value,
        since_s=max(0, since_s),
        seen=found.seen(english),
        do=found.do(english),
    )
