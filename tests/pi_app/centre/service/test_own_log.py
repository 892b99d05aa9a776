"""The centre's own log over HTTP, and in the background of the service."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.centre.own_log.background import OwnLogThread, own_log_of
from pi_app.centre.own_log.entries import OwnLogKey
from pi_app.centre.own_log.own_log import LogWitness, OwnLog
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.settings import CentreSettings, parse
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal.record.checkpoints import is_signed, origin_of, read_checkpoint
from pi_app.journal.record.notes import read_note
from pi_app.sender.client import CentreReply
from tests.pi_app.centre.own_log.public_witness import PublicWitness
from tests.pi_app.centre.records import CENTRE
from tests.pi_app.centre.service.asking import Replied, ask, living
from tests.pi_app.sender.shop import Shop

KEY = OwnLogKey.of("centre.example/log", CENTRE)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A table that has handed over."""
    shop = Shop(tmp_path)
    shop.sender().step()
    yield shop
    shop.close()


def app_of(store: SqliteStore, *witnesses: PublicWitness) -> tuple[CentreApp, OwnLogThread, list[str]]:
    said: list[str] = []
    asked = [LogWitness(each.key, each) for each in witnesses]
    thread = OwnLogThread(OwnLog(KEY, CENTRE, store, store, asked), said.append)
    return CentreApp(Centre(CENTRE, store, store, lambda: 1_000.0), own_log=thread), thread, said


def store_of(shop: Shop) -> SqliteStore:
    store = shop.client.desk.store
    assert isinstance(store, SqliteStore)
    return store


async def until(app: CentreApp, path: str) -> Replied:
    """Ask until the background has made it: a checkpoint over an entry, not the one of a log that has none yet."""
    while (replied := await ask(app, "GET", path)).status == 404 or b"\n0\n" in replied.body:
        await asyncio.sleep(0)
    return replied


def test_the_log_is_made_in_the_background_and_anyone_may_read_it(shop: Shop) -> None:
    app, _, said = app_of(store_of(shop), PublicWitness(trusted=[KEY.verifier]))
    hashed = hashlib.sha256(origin_of(shop.key.public).encode()).hexdigest()

    async def work() -> list[Replied]:
        return [
            await until(app, "/log/checkpoint"),
            await ask(app, "GET", "/log/tile/0/000.p/1"),
            await ask(app, "GET", "/log/tile/entries/000.p/1"),
            await ask(app, "GET", f"/log/newest/{hashed}"),
            await ask(app, "HEAD", "/log/checkpoint"),
        ]

    checkpoint, hashes, entries, newest, head = living(app, work)
    note = read_note(checkpoint.body)
    assert (read_checkpoint(note.text).size, is_signed(note, KEY.verifier), len(note.signatures)) == (1, True, 2)
    assert (checkpoint.headers["content-type"], checkpoint.headers["cache-control"]) == (
        "text/plain; charset=utf-8", "no-store",
    )  # fmt: skip
    for tile in (hashes, entries):
        assert tile.headers["content-type"] == "application/octet-stream"
        assert tile.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert (len(hashes.body), int.from_bytes(entries.body[:2], "big")) == (32, len(entries.body) - 2)
    assert (newest.body, head.status, said) == (b"0\n", 200, [])


@pytest.mark.parametrize(
    "path",
    ["checkpoint", "tile/0/000", "tile/0/000.p/1", "tile/0/1", "tile/entries/000", "newest/" + "0" * 64, "", "x"],
)
def test_what_the_log_does_not_have_is_said(tmp_path: Path, path: str) -> None:
    store = SqliteStore(tmp_path / "centre.db")
    app, _, _ = app_of(store)

    async def work() -> tuple[Replied, Replied]:
        return await ask(app, "GET", f"/log/{path}"), await ask(app, "POST", f"/log/{path}")

    replied, posted = asyncio.run(work())
    assert (replied.status, replied.body) == (404, b"The centre's own log does not have this.\n")
    assert posted.status == 404
    store.close()


def test_a_database_that_is_away_is_said(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "centre.db")
    app, _, _ = app_of(store)
    store.close()
    replied = asyncio.run(ask(app, "GET", "/log/checkpoint"))
    assert (replied.status, "retry-after" in replied.headers) == (503, True)


def test_a_centre_without_a_log_has_nothing_there(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "centre.db")
    app = CentreApp(Centre(CENTRE, store, store, lambda: 1_000.0))
    assert asyncio.run(ask(app, "GET", "/log/checkpoint")).body == b"There is nothing here.\n"
    store.close()


def test_whoever_runs_the_centre_reads_each_trouble_once(shop: Shop) -> None:
    witness = PublicWitness()
    app, thread, said = app_of(store_of(shop), witness)

    async def work() -> None:
        while len(said) < 1:
            await asyncio.sleep(0)
        await until(app, "/log/checkpoint")

    living(app, work)
    thread.stop()
    assert said == [
        "witness.example/w1 does not know the log centre.example/log. Give its owner the log's key: "
        + KEY.verifier.text()
    ]


def test_the_log_is_that_of_the_settings(tmp_path: Path) -> None:
    witness = PublicWitness()
    text = 'name = "centre.example/c1"\n'
    more = (
        '[own_log]\norigin = "centre.example/log"\n[[own_log.witness]]\n'
        f'key = "{witness.key.text()}"\naddress = "https://witness.example"\n'
    )
    store = SqliteStore(tmp_path / "centre.db")
    without, found = (parse(each, tmp_path / "centre.toml") for each in (text, text + more))
    assert isinstance(without, CentreSettings)
    assert isinstance(found, CentreSettings)
    assert own_log_of(without, CENTRE, store, store, print) is None
    thread = own_log_of(found, CENTRE, store, store, print)
    assert thread is not None
    assert (thread.log.key, [each.key for each in thread.log.witnesses]) == (KEY, [witness.key])
    store.close()


def test_a_log_that_waits_for_a_witness_does_not_keep_the_centre_from_ending(shop: Shop) -> None:
    reached, may_go_on = threading.Event(), threading.Event()

    class SlowWitness(PublicWitness):
        def post(self, path: str, body: bytes) -> CentreReply:
            reached.set()
            may_go_on.wait(30)
            return super().post(path, body)

    app, _, _ = app_of(store_of(shop), SlowWitness(trusted=[KEY.verifier]))

    async def work() -> int:
        await asyncio.to_thread(reached.wait, 20)
        return (await ask(app, "GET", "/healthz")).status

    assert living(app, work) == 200
    may_go_on.set()
