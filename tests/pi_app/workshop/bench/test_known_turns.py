"""The evidence can fail: broken trackers are caught."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pi_app.dials.tracker import Tracker, Turn
from pi_app.dials.unwrap import Follower
from pi_app.workshop.bench import counting, known_turns
from pi_app.workshop.bench.known_turns import ClicksReport, run


class TrustingFollower(Follower):
    """Broken on purpose: it always takes the short way and doubts no angle."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._gap_ns = self._sure_ns = 10**12
        self._error = self._step_limit = 10**6


class LosesTurns(Tracker):
    """Broken on purpose: it loses every fifth turn."""

    made = 0

    def feed_many(self, at_ns: Sequence[int], raw: Sequence[int | None]) -> list[Turn]:
        turns = super().feed_many(at_ns, raw)
        self.made += len(turns)
        return [] if self.made % 5 == 0 else turns


class InventsTurns(Tracker):
    """Broken on purpose: it reports a turn of a dial that has just been switched on."""

    def feed_many(self, at_ns: Sequence[int], raw: Sequence[int | None]) -> list[Turn]:
        began = self._now_ns is None
        turns = super().feed_many(at_ns, raw)
        return [*turns, Turn(0, 0, 0, 1, None, 1, 1, 0, 0, 0, 0)] if began else turns


def test_the_tracker_passes() -> None:
    report = run(6_000, 1)
    assert report.passed, report.examples
    assert report.clicks >= 6_000
    assert report.right + report.unknown + report.unseen == report.turns
    assert report.right > report.turns / 2
    assert report.unknown > 0, "the hands are too kind"


@pytest.mark.slow
@pytest.mark.parametrize(("broken", "count"), [(LosesTurns, "unreported"), (InventsTurns, "invented")])
def test_a_broken_tracker_is_caught(broken: type[Tracker], count: str) -> None:
    caught(broken, count)


def test_a_broken_follower_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.dials.state.Follower", TrustingFollower)
    caught(Tracker, "wrong")


def caught(broken: type[Tracker], count: str) -> None:
    report = run(3_000, 2, make_tracker=broken)
    assert not report.passed
    assert getattr(report, count) > 0
    assert 1 <= len(report.examples) <= 10
    assert report.examples[0].startswith("dial 2/0/")


def test_the_report_does_not_depend_on_the_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_turns, "CLICKS_PER_JOB", 400)
    assert run(800, 3, jobs=2) == run(800, 3)


def test_a_machine_where_processes_cannot_share_a_lock_gives_the_same_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(known_turns, "CLICKS_PER_JOB", 400)
    monkeypatch.setattr(counting, "ProcessPoolExecutor", refuse)
    assert run(800, 3, jobs=2) == run(800, 3)


def test_other_seeds_are_other_hands() -> None:
    assert run(500, 4) != run(500, 5)


def test_reports_add_up() -> None:
    one = ClicksReport(clicks=1, turns=2, right=1, wrong=1, examples=("a",) * 8)
    both = one.plus(ClicksReport(clicks=3, turns=4, examples=("b",) * 8))
    assert (both.clicks, both.turns, both.right, both.wrong) == (4, 6, 1, 1)
    assert both.examples == ("a",) * 8 + ("b",) * 2
    assert not both.passed


@pytest.mark.slow
def test_a_million_clicks() -> None:
    """`trapdial bench clicks` plays ten million; this is the tenth of it that fits into an evening's tests."""
    report = run(1_000_000, 6, jobs=2)
    assert report.passed, report.examples
