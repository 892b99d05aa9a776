"""Robots wait for their phones, and the table's time does not run away from a phone that is slow."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from pi_app.play.loop.turns import CLAIM_EXPIRES_NS
from pi_app.simulated.actions import TableAction
from pi_app.simulated.http_phone import HttpPhone
from pi_app.simulated.page_stream import PageError
from pi_app.simulated.robots import AHEAD_S, LIMIT_S, Robots

ROUND_NS = 40_000_000


class FakeTable:
    """A table whose rounds take no real time, as on a fast machine."""

    running = True

    def __init__(self) -> None:
        self.ns = 0

    def step(self) -> None:
        self.ns += ROUND_NS

    def act(self, action: TableAction) -> None:
        raise AssertionError(action)

    def will_roll(self, die: int) -> None:
        raise AssertionError(die)

    def now_ns(self) -> int:
        return self.ns


class SlowPhone:
    """A phone whose first frame comes after so many seconds of a simulated wall clock."""

    over, joined, word, frames, unread = False, True, "", 1, 0

    def __init__(self, after_s: float) -> None:
        self.after_s, self.now_s = after_s, 0.0

    @property
    def shown(self) -> dict[str, Any]:
        return {"phase": "playing" if self.now_s >= self.after_s else "wait"}

    def take(self, wait_s: float = 0.0) -> int:
        self.now_s += wait_s
        return 0


def joined(phone: SlowPhone, monkeypatch: pytest.MonkeyPatch) -> FakeTable:
    """Let a robot with this phone join, by the phone's wall clock."""
    table = FakeTable()
    monkeypatch.setattr(time, "monotonic", lambda: phone.now_s)
    Robots(table, lambda seat: cast(HttpPhone, phone), ["ANN"], 1).join()
    return table


@pytest.mark.parametrize("after_s", [0.1, 5.0, 25.0])
def test_a_claim_does_not_expire_while_a_phone_is_slow(after_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    table = joined(SlowPhone(after_s), monkeypatch)
    assert table.ns <= (after_s + AHEAD_S + 1) * 1e9 < CLAIM_EXPIRES_NS


def test_a_phone_that_stays_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PageError, match="a simulated phone waits for a frame that does not come \\(silence\\)"):
        joined(SlowPhone(2 * LIMIT_S), monkeypatch)
