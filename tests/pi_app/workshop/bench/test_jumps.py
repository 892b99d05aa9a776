"""Jumps that no hand can make never satisfy a claim; those that a hand could make hardly ever do."""

from __future__ import annotations

import pytest

from pi_app.dials.tracker import Tracker
from pi_app.workshop.bench import jumps
from pi_app.workshop.bench.jumps import IMPOSSIBLE, INTO_A_DETENT, JumpingDial, JumpsReport
from tests.everyday import first


@pytest.mark.parametrize("kind", first(2, IMPOSSIBLE))
def test_no_jump_that_no_hand_can_make_satisfies_a_claim(kind: str) -> None:
    dial = JumpingDial(kind)
    assert not any(dial.jump(kind) for _ in range(40))


def test_a_jump_into_a_detent_counts_as_a_hand_only_if_it_stays_long() -> None:
    assert not any(JumpingDial("a", average_ms=30).jump(INTO_A_DETENT) for _ in range(40))
    dial = JumpingDial("b", average_ms=2_000)
    assert sum(dial.jump(INTO_A_DETENT) for _ in range(40)) > 20


def test_both_sorts_are_counted_and_jobs_change_nothing() -> None:
    report = jumps.run(12, seed=3)
    assert report == JumpsReport(impossible=12, into_a_detent=12)


class Credulous(Tracker):
    """Broken on purpose: every move is a hand's."""

    @property
    def unseen(self) -> bool:
        return False


def test_a_tracker_that_accepts_jumps_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jumps, "Tracker", Credulous)
    report = jumps.run(30, seed=4)
    assert report.impossible_claimed > 10
    assert report.into_a_detent_claimed > 10
