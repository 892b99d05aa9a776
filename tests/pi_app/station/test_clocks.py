"""A machine whose date is wrong or leaps: visits go by the time since the start, and hours are kept only by a date that
can be right."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pi_app.journal import Stamp, verify
from pi_app.journal.record.entry import ClockSource
from pi_app.journal.record.verdict import RecordState
from pi_app.settings.station_section import StationSettings
from pi_app.simulated.simulated_station import SimulatedStation, StationDoors
from pi_app.station.staff.staff import StaffParts, StationStaff
from pi_app.station.table import Hooks
from pi_app.station.troubles.facts import HostSources, HostWatch
from pi_app.station.troubles.troubles import StationTrouble
from pi_app.station.visits.visit import SECOND_NS, State
from tests.pi_app.hosts import host
from tests.pi_app.playing import settings

UTC = datetime.UTC
NOON = datetime.datetime(2027, 3, 1, 12, 0, tzinfo=UTC)  # a Monday
DATES = {
    "1970": datetime.datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC),
    "2099": datetime.datetime(2099, 12, 31, 23, 59, tzinfo=UTC),
}


@dataclass
class WallClock:
    """A date that is set by hand; it runs with the table's clock. `source`: who keeps it right."""

    date: datetime.datetime
    source: ClockSource = "none"
    at: SimulatedStation | None = None

    def now(self) -> datetime.datetime:
        passed_ns = 0 if self.at is None else self.at.now_ns()
        return self.date + datetime.timedelta(microseconds=passed_ns // 1000)

    def stamp(self) -> Stamp:
        return Stamp("one boot", 0 if self.at is None else self.at.now_ns(), self.now().isoformat(), self.source)


@contextmanager
def playing(folder: Path, wall: WallClock) -> Iterator[SimulatedStation]:
    used = replace(settings(), station=StationSettings(idle_s=30))
    with SimulatedStation(used, folder / "journal.db", seed=1, doors=StationDoors(Hooks(), stamp=wall.stamp)) as at:
        wall.at = at
        yield at


def until(at: SimulatedStation, visits: int) -> list[tuple[int, State]]:
    """Let so many groups come; each state of theirs with the millisecond when it began."""
    states: list[tuple[int, State]] = []
    while at.station.visit.number < visits or at.state is not State.ATTRACT:
        at.stride()
        if not states or states[-1][1] is not at.state:
            states.append((at.station.visit.since_ns // 1_000_000, at.state))
    return states


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[int, State]]:
    with playing(tmp_path_factory.mktemp("right"), WallClock(NOON, "ntp")) as at:
        return until(at, 1)


@pytest.mark.parametrize("year", DATES)
def test_a_visit_takes_the_same_times_at_any_date(
    tmp_path: Path, year: str, undisturbed: list[tuple[int, State]]
) -> None:
    with playing(tmp_path, WallClock(DATES[year])) as at:
        assert until(at, 1) == undisturbed
    assert verify(tmp_path / "journal.db").state is RecordState.WHOLE


def test_a_date_that_leaps_by_hours_in_a_visit_changes_nothing_of_it(
    tmp_path: Path, undisturbed: list[tuple[int, State]]
) -> None:
    wall, leaps = WallClock(NOON, "ntp"), 0
    with playing(tmp_path, wall) as at:
        states: list[tuple[int, State]] = []
        while at.station.visit.number < 1 or at.state is not State.ATTRACT:
            wall.date += datetime.timedelta(hours=(5, -9)[leaps % 2])
            leaps += 1
            at.stride()
            if not states or states[-1][1] is not at.state:
                states.append((at.station.visit.since_ns // 1_000_000, at.state))
        assert states == undisturbed
    assert leaps > 100
    assert verify(tmp_path / "journal.db").state is RecordState.WHOLE


# --------------------------------------------------------------------------------------------------------- hours


@dataclass
class AtHours:
    """The staff's side of a station with hours, at a date."""

    staff: StationStaff
    watch: HostWatch

    @property
    def open(self) -> bool:
        self.watch.poll()
        self.staff.tick()
        return self.staff.open_now()

    @property
    def said(self) -> list[StationTrouble]:
        return [each.trouble for each in self.staff.found]


def with_hours(folder: Path, wall: WallClock) -> AtHours:
    machine = host(folder, now_s=lambda: wall.now().timestamp())
    watch = HostWatch(HostSources(machine, folder, has_hours=True))
    parts = StaffParts(
        settings=StationSettings(hours={"mon": "10:00-19:00"}, languages=("en",)),
        folder=folder,
        watch=watch,
        host=machine,
        hosts=tuple,
        program="1.0",
        stamp=wall.stamp,
        local=wall.now,
        now_ns=lambda: 0,
    )
    return AtHours(StationStaff(parts), watch)


def test_hours_are_kept_by_a_date_that_somebody_keeps_right(tmp_path: Path) -> None:
    at = with_hours(tmp_path, wall := WallClock(NOON, "ntp"))
    assert at.open
    wall.date = NOON.replace(hour=21)
    assert not at.open
    assert at.said == []


@pytest.mark.parametrize("source", ["none", "rtc", "ntp"])
@pytest.mark.parametrize("hour", [3, 12, 21])
def test_a_date_before_this_program_keeps_no_hours_and_is_said(tmp_path: Path, source: ClockSource, hour: int) -> None:
    """A clock chip whose battery was replaced, or a network with a wrong server."""
    at = with_hours(tmp_path, WallClock(DATES["1970"].replace(day=5, hour=hour), source))  # a Monday
    assert at.open
    assert at.said == [StationTrouble.CLOCK_WRONG]


@pytest.mark.parametrize("source", ["rtc", "ntp"])
def test_a_date_far_ahead_keeps_no_hours_and_is_said(tmp_path: Path, source: ClockSource) -> None:
    at = with_hours(tmp_path, WallClock(datetime.datetime(2099, 6, 1, 3, 0, tzinfo=UTC), source))  # a Monday
    assert at.open
    assert at.said == [StationTrouble.CLOCK_WRONG]


def test_a_date_that_nobody_keeps_right_keeps_the_shop_open_while_it_leaps(tmp_path: Path) -> None:
    at = with_hours(tmp_path, wall := WallClock(NOON))
    for hours in (9, -30, 48, -1000, 10**5):
        wall.date = NOON + datetime.timedelta(hours=hours)
        assert at.open, wall.date


def test_a_shop_that_closes_by_a_leap_does_not_end_a_visit(tmp_path: Path) -> None:
    """The visitors play to their end; then it is closed, and open again when the date is."""
    hours = {"open": True}
    used = replace(settings(), station=StationSettings(idle_s=30))
    hooks = Hooks(open_now=lambda: hours["open"])
    with SimulatedStation(used, tmp_path / "journal.db", seed=1, doors=StationDoors(hooks)) as at:
        strides_until(at, State.GUIDED)
        hours["open"] = False
        assert strides_until(at, State.CLOSED) >= {State.GUIDED, State.FREE, State.THANKS, State.RESET}
        hours["open"] = True
        strides_until(at, State.ATTRACT)


def strides_until(at: SimulatedStation, state: State) -> set[State]:
    """Let time pass until a state begins; the states before it."""
    passed, until_ns = set[State](), at.now_ns() + 600 * SECOND_NS
    while at.state is not state:
        assert at.now_ns() < until_ns, f"{at.state} and not {state}"
        passed.add(at.state)
        at.stride()
    return passed
