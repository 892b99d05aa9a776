"""Facts and findings follow the records by themselves, while the centre runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pi_app.centre.findings import watching as watching_module
from pi_app.centre.findings.found import kept_findings
from pi_app.centre.findings.watching import FleetWatch
from pi_app.centre.store.store import StoreError
from pi_app.game import events as ev
from tests.pi_app.centre.facts.games import ORIGIN, Clock, facts_of, hand_over, write
from tests.pi_app.centre.records import new_store


def without_clock(path: Path) -> Path:
    clock = Clock()
    clock.source = "none"
    return write(path, [ev.Ended()], clock=clock)


def test_findings_are_looked_for_after_news_and_not_too_often(tmp_path: Path) -> None:
    path, now = without_clock(tmp_path / "journal.db"), [0.0]
    store = new_store(tmp_path / "centre.db", ORIGIN)
    watch = FleetWatch(store, lambda: 5_000.0, now_s=lambda: now[0])
    assert (watch.step(), watch.step()) == (True, False), "looked once, though there is nothing"
    hand_over(store, path)
    assert (watch.step(), watch.step()) == (True, False), "learnt"
    assert kept_findings(store) == []
    now[0] = 300.0
    assert (watch.step(), watch.step()) == (True, False)
    assert [each.kind for each in kept_findings(store)] == ["clock"]
    now[0] = 600.0
    assert not watch.step(), "nothing is new"
    store.close()


def test_a_database_that_is_away_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = without_clock(tmp_path / "journal.db")
    store = new_store(tmp_path / "centre.db", ORIGIN)
    hand_over(store, path)
    away, real = [True, True], store.all_facts

    def sometimes() -> object:
        if away:
            away.pop()
            raise StoreError("away")
        return real()

    monkeypatch.setattr(store, "all_facts", sometimes)
    monkeypatch.setattr(watching_module, "IDLE_S", 0.0)

    async def work() -> None:
        watching = asyncio.create_task(FleetWatch(store, lambda: 5_000.0).run())
        while not store.findings():
            await asyncio.sleep(0.001)
        watching.cancel()
        (ended,) = await asyncio.gather(watching, return_exceptions=True)
        assert isinstance(ended, asyncio.CancelledError)

    asyncio.run(asyncio.wait_for(work(), 60))
    assert (away, facts_of(store).ended) == ([], 1)
    store.close()
