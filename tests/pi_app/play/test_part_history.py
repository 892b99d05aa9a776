from __future__ import annotations

import random

from pi_app.play.part_history import ALWAYS_FREE, ENTRIES, PARTS, PartHistory

S = 1_000_000_000
HOUR_NS = 3600 * S


def test_a_failure_is_always_recorded_and_no_hour_has_more_entries_than_the_budget() -> None:
    chance = random.Random(18)
    history, bad, entries, now_ns = PartHistory(), set[str](), list[int](), 0
    while now_ns < 6 * HOUR_NS:
        now_ns += chance.choice((1, 50, 300, 5_000, 700_000)) * 1_000_000
        part = chance.choice(PARTS)
        if chance.random() < 0.5:
            history.failed(part, now_ns)
            if part in bad:
                continue
            bad.add(part)
        else:
            history.good(part, now_ns)
            if part not in bad or not history.counts_as_good(part, now_ns):
                continue
            history.reported_good(part)
            bad.discard(part)
        history.recorded(now_ns)
        entries.append(now_ns)
    most = max(sum(at <= other < at + HOUR_NS for other in entries) for at in entries)
    assert most <= ENTRIES.most_in(HOUR_NS) == 32
    assert most > 18


def test_an_evening_with_four_pulled_leads_is_told_as_it_happens() -> None:
    history, now_ns = PartHistory(), 0
    for _ in range(4):
        for part in ("readings", "home"):
            history.failed(part, now_ns)
            history.recorded(now_ns)
            now_ns += 60 * S
            history.good(part, now_ns)
            now_ns += 20 * S
            assert history.counts_as_good(part, now_ns)
            history.reported_good(part)
            history.recorded(now_ns)
        now_ns += 1200 * S


def test_recoveries_leave_room_for_a_failure_of_each_part() -> None:
    history = PartHistory()
    for _ in range(ENTRIES.at_once - ALWAYS_FREE):
        assert history.has_room(0)
        history.recorded(0)
    assert not history.has_room(0)
    assert history.has_room(ENTRIES.every_ns)


def test_what_is_forgotten_starts_again() -> None:
    history = PartHistory()
    history.failed("readings", 5)
    history.forget("readings", "home")
    assert history.of("readings").failures == 0
