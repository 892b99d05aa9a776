"""Opening hours: a clock that nobody keeps right, days that are not named, and nights."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.settings.station_section import DAYS, in_order
from pi_app.station.staff.hours import DAY_MINUTES, LocalTime, is_open, next_opening, spans, written

MON, TUE, SUN = 0, 1, 6
SHOP = {"mon": "10:00-12:30, 13:00-19:00", "sat": "20:00-02:00", "sun": ""}

times = st.builds(LocalTime, st.integers(0, 6), st.integers(0, DAY_MINUTES - 1))
edges = st.integers(0, DAY_MINUTES - 1).map(written)
day = st.one_of(st.just(""), st.builds("{}-{}".format, edges, edges)).filter(in_order)
weeks = st.dictionaries(st.sampled_from(DAYS), day)


def at(weekday: int, time: str) -> LocalTime:
    return LocalTime(weekday, int(time[:2]) * 60 + int(time[3:]))


def test_a_day_has_its_hours() -> None:
    moments = ("09:59", "10:00", "12:29", "12:30", "13:00", "18:59", "19:00")
    assert [is_open(SHOP, at(MON, time), "ntp") for time in moments] == [False, True, True, False, True, True, False]


def test_hours_go_on_overnight() -> None:
    assert is_open(SHOP, at(5, "20:00"), "rtc")
    assert is_open(SHOP, at(SUN, "01:59"), "rtc")
    assert not is_open(SHOP, at(SUN, "02:00"), "rtc")
    assert not is_open(SHOP, at(5, "01:00"), "rtc")


def test_a_day_that_is_not_named_is_open() -> None:
    assert is_open(SHOP, at(TUE, "03:00"), "ntp")


@given(weeks, times)
@settings(max_examples=25)
def test_a_machine_that_does_not_know_the_time_stays_open(hours: dict[str, str], time: LocalTime) -> None:
    assert is_open(hours, time, "none")


@given(weeks, times)
@settings(max_examples=25)
def test_it_is_closed_until_the_next_opening_and_open_then(hours: dict[str, str], time: LocalTime) -> None:
    if is_open(hours, time, "ntp"):
        return
    found = next_opening(hours, time)
    if found is None:
        assert all(hours.get(each) == "" for each in DAYS)
        return
    opens = at(DAYS.index(found[0]), found[1])
    assert is_open(hours, opens, "ntp")
    minute = time
    for _ in range(7 * DAY_MINUTES):
        if minute == opens:
            return
        assert not is_open(hours, minute, "ntp")
        ahead = divmod(minute.minute + 37, DAY_MINUTES)  # every 37th minute is enough
        step = LocalTime((minute.weekday + ahead[0]) % 7, ahead[1])
        if _between(minute, opens, step):
            return
        minute = step


def _between(first: LocalTime, wanted: LocalTime, last: LocalTime) -> bool:
    week = 7 * DAY_MINUTES
    begin = first.weekday * DAY_MINUTES + first.minute
    return (wanted.weekday * DAY_MINUTES + wanted.minute - begin) % week <= (
        last.weekday * DAY_MINUTES + last.minute - begin
    ) % week


def test_what_a_closed_station_says_of_its_next_opening() -> None:
    assert next_opening(SHOP, at(MON, "09:00")) == ("mon", "10:00")
    assert next_opening(SHOP, at(MON, "19:00")) == ("tue", "00:00")
    assert next_opening(dict.fromkeys(DAYS, ""), at(MON, "09:00")) is None


def test_the_night_of_summer_time_needs_no_rule() -> None:
    """On that night 02:00 to 03:00 comes twice, or not at all: each minute is open or closed by what the clock says."""
    hours = {"sun": "02:30-10:00"}
    night = ("01:59", "02:29", "02:30", "02:59", "02:00", "02:30", "03:00")
    assert [is_open(hours, at(SUN, time), "ntp") for time in night] == [False, False, True, True, False, True, True]


def test_spans_are_minutes_from_midnight() -> None:
    assert list(spans("10:00-12:30, 20:00-02:00")) == [(600, 750), (1200, 1560)]
    assert list(spans("00:00-24:00")) == [(0, 1440)]
    assert list(spans("")) == []
