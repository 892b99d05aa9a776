"""Dates: a real step is found, a clock that comes right is not, and earlier dates are put right by what says so."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.audit.files import audit_file
from pi_app.audit.stamps import Times, clock_steps, dated
from pi_app.game import events as ev
from pi_app.journal import Journal, Stamp
from pi_app.journal.record.entry import CLOCK_SOURCES, ClockSource, PublicPart
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.audit.records import BASE_NS, BEGAN, part
from tests.pi_app.games import started

EVENT = ev.Resumed(version="test")


def entry(
    seq: int, *, off_s: float = 0.0, clock: ClockSource = "ntp", boot: str = "boot", at_s: float | None = None
) -> PublicPart:
    """An entry, one each second, whose date is so far off."""
    second = seq if at_s is None else at_s
    found = part(seq, EVENT, wall_s=second + off_s, boot=boot)
    return msgspec.structs.replace(found, clock=clock, mono_ns=BASE_NS + round(second * 1e9))


def corrected(seq: int, add_ms: int, *, off_s: float = 0.0, clock: ClockSource = "ntp") -> PublicPart:
    event = ev.ClockCorrected(add_ms=add_ms, was="none", now=clock)
    return msgspec.structs.replace(part(seq, event, wall_s=seq + off_s), clock=clock, add_ms=add_ms)


def words(*parts: PublicPart) -> list[str | None]:
    found = list(clock_steps(parts))
    assert all((each.kinds, each.rule_ids) == (("clock stepped",), ("REC-CLOCK",)) for each in found)
    return [each.words for each in found]


def test_a_clock_that_is_set_is_found_with_its_source() -> None:
    assert words(entry(1, off_s=-3600, clock="none"), entry(2)) == [
        "The date was set forward by 1:00:00 between entries 1 and 2; its source went from none to ntp."
    ]
    assert words(entry(1), entry(2, off_s=-10)) == ["The date was set back by 10.0 s between entries 1 and 2."]


def test_a_clock_that_comes_right_later_was_not_stepped() -> None:
    wrong = [entry(n, off_s=-3600, clock="none") for n in (1, 2)]
    assert words(*wrong, corrected(3, 3_600_000), entry(4)) == []


def test_a_correction_that_says_another_step_than_the_dates_excuses_nothing() -> None:
    assert words(entry(1, off_s=-3600, clock="none"), corrected(2, 60_000)) == [
        "The date was set forward by 1:00:00 between entries 1 and 2; its source went from none to ntp."
    ]


@pytest.mark.parametrize(("before", "after"), [("ntp", "ntp"), ("ntp", "none"), ("rtc", "none"), ("none", "none")])
def test_a_date_set_by_hand_is_a_step_although_an_entry_says_so(before: ClockSource, after: ClockSource) -> None:
    (told,) = words(entry(1, clock=before), corrected(2, -90_000, off_s=-90, clock=after))
    assert told is not None
    assert told.startswith("The date was set back by 1:30 between entries 1 and 2")


def test_many_small_steps_count_together() -> None:
    assert words(*(entry(n, off_s=0.9 * n) for n in range(1, 8))) == [
        "The date was set forward by 2.7 s between entries 1 and 4.",
        "The date was set forward by 2.7 s between entries 4 and 7.",
    ]


def test_a_date_that_went_back_over_a_new_start_is_found_if_it_came_from_somewhere() -> None:
    assert words(entry(1), entry(2, off_s=-61, boot="another")) == [
        "The machine was restarted between entries 1 and 2, and its date went back by 1:00."
    ]
    assert words(entry(1), entry(2, off_s=-61, boot="another", clock="none")) == []


@given(slews=st.lists(st.floats(-0.9, 0.9), min_size=2, max_size=20))
def test_a_clock_that_is_only_slewed_is_not_found(slews: list[float]) -> None:
    assert words(*(entry(n, off_s=slew) for n, slew in enumerate(slews, 1))) == []


@settings(max_examples=15, deadline=None)
@given(
    offs=st.lists(st.tuples(st.integers(-100_000, 100_000), st.sampled_from(CLOCK_SOURCES)), min_size=1, max_size=12)
)
def test_what_the_journal_says_of_its_clock_gives_every_entry_its_right_date(
    offs: list[tuple[int, ClockSource]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever the clock does, in the end it is right: then every date is, to the millisecond of a correction each."""
    moments = [*offs, (0, "ntp"), (0, "ntp")]
    parts = recorded(tmp_path_factory.mktemp("clock") / "j.db", moments)
    right = dated(parts)
    for each in right:
        true = BEGAN + timedelta(seconds=(each.mono_ns - BASE_NS) / 1e9)
        assert abs(datetime.fromisoformat(each.wall) - true) <= timedelta(seconds=1, milliseconds=len(parts))


@settings(max_examples=15, deadline=None)
@given(wrong_s=st.integers(-(10**8), 10**8), entries=st.integers(1, 4))
def test_a_clock_that_the_network_puts_right_once_is_never_called_stepped(wrong_s: int, entries: int) -> None:
    wrong: list[tuple[int, ClockSource]] = [(wrong_s, "none")] * entries
    moments: list[tuple[int, ClockSource]] = [*wrong, (0, "ntp"), (0, "ntp")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "j.db"
        recorded(path, moments)
        assert [found for game in audit_file(path).games for found in (*game.findings, *game.faults)] == []


def recorded(path: Path, moments: Sequence[tuple[int, ClockSource]]) -> list[PublicPart]:
    """The entries of a real journal while its clock is off by some seconds and has this source."""
    from pi_app.journal.record.entry import read_public
    from tests.pi_app.journal.record.forging import rows

    stamps = [
        Stamp("boot", BASE_NS + n * 10**9, (BEGAN + timedelta(seconds=n + off)).isoformat(), clock)
        for n, (off, clock) in enumerate(moments)
    ]
    left = iter(stamps)
    with Journal(path, MAGE_KNIGHT, lambda: next(left)) as journal:
        moment = NO_GAME
        for n in range(len(stamps)):
            moment = journal.append("g1", moment, started() if n == 0 else EVENT)
    return [read_public(row[1]) for row in rows(path)]


def test_a_date_that_cannot_be_added_to_stays() -> None:
    late = msgspec.structs.replace(entry(1), wall="9999-12-31T23:59:59+00:00")
    none = msgspec.structs.replace(entry(2), wall="yesterday")
    huge = corrected(3, 10**18)
    assert dated([late, none, huge]) == [late, none, huge]


def test_time_that_a_machine_was_off_counts_if_both_dates_came_from_somewhere() -> None:
    for clock, at_s in (("ntp", 101.0), ("none", 0.0)):
        first = entry(1)
        times = Times(first)
        assert times.at(first) == 0.0
        later = entry(2, boot="another", at_s=102.0, clock=clock)  # type: ignore[arg-type]
        assert times.at(later) == at_s
