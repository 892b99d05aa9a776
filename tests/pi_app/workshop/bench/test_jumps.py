"""Hops that no hand could have made never take a claim; those that one could hardly ever do."""

from __future__ import annotations

import pytest

from pi_app.dials.tracker import Tracker
from pi_app.workshop.bench import hops
from pi_app.workshop.bench.hops import INTO_A_DETENT, NO_HAND, HoppingDial, HopsReport


@pytest.mark.parametrize("kind", NO_HAND)
def test_no_hop_that_no_hand_could_have_made_takes_a_claim(kind: str) -> None:
    dial = HoppingDial(kind)
    assert not any(dial.hop(kind) for _ in range(40))


def test_a_hop_into_a_detent_is_taken_for_a_hand_only_if_it_stays_long() -> None:
    assert not any(HoppingDial("a", average_ms=30).hop(INTO_A_DETENT) for _ in range(40))
    dial = HoppingDial("b", average_ms=2_000)
    assert sum(dial.hop(INTO_A_DETENT) for _ in range(40)) > 20


def test_both_sorts_are_counted_and_jobs_change_nothing() -> None:
    report = hops.run(12, seed=3)
    assert report == HopsReport(no_hand=12, into_a_detent=12)


class Credulous(Tracker):
    """Broken on purpose: whatever moves was moved by a hand."""

    @property
    def unseen(self) -> bool:
        return False


def test_a_tracker_that_believes_hops_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hops, "Tracker", Credulous)
    report = hops.run(30, seed=4)
    assert report.taken_by_no_hand > 10
    assert report.taken_in_a_detent > 10
