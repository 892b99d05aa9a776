"""`trapdial centre run` as a process: a table is enrolled and hands over, the centre is stopped and killed, and nothing
that was cosigned is lost; over SQLite and over PostgreSQL."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from pi_app.centre.settings import load
from pi_app.centre.store.cluster import MISSING, Cluster, cluster, programs
from pi_app.centre.store.opening import open_store
from pi_app.cli.main import main
from pi_app.journal.cosigned import cosigned
from pi_app.journal.record.checkpoints import cosigned_at, origin_of
from pi_app.journal.record.enrolment import sign_enrolment
from pi_app.journal.record.notes import VerifierKey, read_vkey
from pi_app.sender.client import HttpClient
from pi_app.sender.outbox import Outbox
from pi_app.sender.sender import RecordSender
from tests.pi_app.centre.records import entries_of
from tests.pi_app.centre.running import new_centre, running, started
from tests.pi_app.journal.record.forging import edit
from tests.pi_app.sender.shop import Shop, until_idle


@pytest.fixture(scope="module")
def postgres() -> Iterator[Cluster]:
    if programs() is None:
        pytest.skip(MISSING)
    with cluster({"fsync": "off"}) as here:
        yield here


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The settings of a new centre."""
    if request.param == "sqlite":
        return new_centre(tmp_path / "centre")
    import psycopg

    url, name = request.getfixturevalue("postgres").url, f"t{abs(hash(request.node.nodeid))}"
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    return new_centre(tmp_path / "centre", "--store", url.replace("@/postgres?", f"@/{name}?"))


def centre(*words: str | Path) -> str:
    done = CliRunner().invoke(main, ["centre", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def enrolled(shop: Shop, settings: Path, address: str, code: str) -> int:
    """Enrol a table with a code over HTTP; return the status."""
    client = HttpClient(address)
    challenge = client.get("enrol").body.decode().strip()
    asked = sign_enrolment(shop.key, public_key(settings), code, challenge)
    return client.post("enrol", msgspec.json.encode(asked)).status


def public_key(settings: Path) -> VerifierKey:
    made = centre("enrol", "x", "-s", settings)
    return read_vkey(made.split('key = "')[1].partition('"')[0])


def kept(settings: Path, shop: Shop) -> list[tuple[object, object, object]]:
    """What the store has of a table: the entries, and their number as its record says it."""
    store = open_store(load(settings))
    try:
        record = store.record(origin_of(shop.key.public))
        assert record is not None
        rows = [row[1:4] for row in store.rows(record.number)]
        assert record.known.size == len(rows)
        return rows
    finally:
        store.close()


def test_a_table_is_enrolled_and_hands_over_through_ends_of_every_kind(settings: Path, tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    key = public_key(settings)
    code = json.loads(centre("enrol", "Table 1", "--shop", "Brass Cog", "--json", "-s", settings))["code"]
    with running(settings) as first:
        assert enrolled(shop, settings, first.address, code) == 200
        assert enrolled(shop, settings, first.address, code) == 403, "a code works once"
        client = HttpClient(first.address)
        assert until_idle(RecordSender(Outbox(shop.path, shop.key), client, key)) == 8
        code, output, errors = first.ended()
        assert (code, errors) == (143, "Stopped: SIGTERM.\n")
        assert [line[9:] for line in output.splitlines()] == ["Table 1 of Brass Cog is enrolled.", "e has ended."]
    assert kept(settings, shop) == entries_of(shop.path)
    with contextlib.closing(open_store(load(settings))) as opened:
        assert [record.seen_s > 0 for record in opened.records()] == [True], "it showed itself over HTTP"
    for games in ("g2", "g3"):
        shop.play(games)
        with running(settings) as again:
            step = RecordSender(Outbox(shop.path, shop.key), HttpClient(again.address), key).step()
            assert step.trouble is None
            assert again.ended(signal.SIGKILL)[0] == -signal.SIGKILL
        assert len(kept(settings, shop)) == step.size, "what was cosigned is there"
    with running(settings) as last:
        client = HttpClient(last.address)
        assert until_idle(RecordSender(Outbox(shop.path, shop.key), client, key)) == 24
    assert kept(settings, shop) == entries_of(shop.path)
    assert [cosigned_at(note, key) is not None for note in cosigned(shop.path)] == [True]
    shop.close()


def test_a_centre_restored_from_a_backup_is_caught_up_without_an_alarm(tmp_path: Path) -> None:
    settings = new_centre(tmp_path / "centre")
    shop, key, store = Shop(tmp_path), public_key(settings), settings.with_name("centre.db")
    code = json.loads(centre("enrol", "Table 1", "--json", "-s", settings))["code"]
    with running(settings) as here:
        assert enrolled(shop, settings, here.address, code) == 200
        assert until_idle(RecordSender(Outbox(shop.path, shop.key), HttpClient(here.address), key)) == 8
        with contextlib.closing(sqlite3.connect(store)) as db, contextlib.closing(sqlite3.connect(tmp_path / "b")) as b:
            db.backup(b)  # while the centre runs, as the page says
        shop.play("g2")
        assert until_idle(RecordSender(Outbox(shop.path, shop.key), HttpClient(here.address), key)) == 16
    for each in ("-wal", "-shm"):
        store.with_name(f"centre.db{each}").unlink(missing_ok=True)
    shutil.copy(tmp_path / "b", store)
    assert len(kept(settings, shop)) == 8
    with running(settings) as here:
        shop.play("g3")
        assert until_idle(RecordSender(Outbox(shop.path, shop.key), HttpClient(here.address), key)) == 24
    assert kept(settings, shop) == entries_of(shop.path)
    with contextlib.closing(open_store(load(settings))) as opened:
        assert opened.evidence.all() == []
    shop.close()


def test_a_revoked_table_is_refused_while_the_centre_runs(settings: Path, tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    code = json.loads(centre("enrol", "Table 1", "--json", "-s", settings))["code"]
    with running(settings) as here:
        assert enrolled(shop, settings, here.address, code) == 200
        outbox, client = Outbox(shop.path, shop.key), HttpClient(here.address)
        first = outbox.next(0)
        assert first is not None
        assert client.post("hand-over", first.written()).status == 200
        assert "nothing more is taken from it" in centre("revoke", "Table 1", "-s", settings)
        shop.play("g2")
        more = outbox.next(8)
        assert more is not None
        assert [client.post("hand-over", more.written()).status for _ in range(2)] == [410, 410]
        code = json.loads(centre("enrol", "Table 1", "--json", "-s", settings))["code"]
        assert enrolled(shop, settings, here.address, code) == 410, "no code lets a revoked table in"
        centre("revoke", "Table 1", "--lift", "-s", settings)
        assert client.post("hand-over", more.written()).status == 200
    shop.close()


def test_a_second_run_on_one_file_is_refused_in_words(tmp_path: Path) -> None:
    settings = new_centre(tmp_path / "centre")
    with running(settings), started(settings) as second:
        output, errors = second.communicate(timeout=60)
        assert (second.returncode, output) == (2, "")
        assert errors == (
            f"{tmp_path}/centre/centre.db: another centre serves from this file. End that one, or name another file "
            "as `store`; PostgreSQL takes several.\n"
        )


def test_the_service_manager_hears_that_it_is_ready_well_and_ending(tmp_path: Path) -> None:
    settings = new_centre(tmp_path / "centre")
    seen: list[str] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(30)
        with running(settings, {"NOTIFY_SOCKET": str(tmp_path / "notify")}) as here:
            while "WATCHDOG=1" not in seen:
                seen.append(manager.recv(1_000).decode())
            assert here.ended()[1] == "The centre has ended.\n", "the manager's journal has the time"
        while "STOPPING=1" not in seen:
            seen.append(manager.recv(1_000).decode())
    began = seen[1].partition(": ")[0].removeprefix("STATUS=")
    nothing = "0 entries taken, 0 cosignatures, 0 requests refused, 0 contradictions kept."
    assert seen[0] == "READY=1"
    assert began.startswith("Since ")
    assert set(seen[1:]) == {f"STATUS={began}: {nothing}", "WATCHDOG=1", "STOPPING=1"}


def test_a_database_that_is_away_at_the_start_is_waited_for(tmp_path: Path, postgres: Cluster) -> None:
    settings = new_centre(tmp_path / "centre", "--store", postgres.url)
    postgres.control("-m", "fast", "stop")
    with started(settings) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first[9:].startswith("The database cannot be used (connection ")
        assert first.endswith("It is tried again until it answers.\n")
        socket_only = f"-c listen_addresses='' -k {postgres.folder}"
        postgres.control("-l", str(postgres.folder / "log"), "-o", socket_only, "start")
        assert " listens at " in process.stdout.readline()
        process.terminate()
        assert process.communicate(timeout=60)[1] == "Stopped: SIGTERM.\n"


def test_a_signal_while_the_database_is_away_ends_it(tmp_path: Path) -> None:
    settings = new_centre(tmp_path / "centre")
    text = settings.read_text().replace("centre.db", f"postgresql:///x?host={tmp_path}/nowhere")
    settings.write_text(text)
    with started(settings) as process:
        assert process.stdout is not None
        assert "The database cannot be used" in process.stdout.readline()
        process.terminate()
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (143, "The centre has ended.\n", "Stopped: SIGTERM.\n")


@pytest.mark.parametrize(
    ("spoils", "message"),
    [
        (
            lambda folder: (folder / "centre.key").unlink(),
            "{folder}/centre.key: there is no such file. Put the centre's key back from a copy; without one, make "
            "another centre, whose key every table has to pin again.\n",
        ),
        (
            lambda folder: edit(folder / "centre.db", "PRAGMA user_version = 99"),
            "{folder}/centre.db: it has version 99, and this program knows 2. Use the version of Trapdial that wrote "
            "it, or a newer one.\n",
        ),
        (
            lambda folder: (folder / "centre.toml").write_text(
                'name = "test/c1"\n[tls]\ncertificate = "c.pem"\nkey = "k.pem"\n'
            ),
            "{folder}/c.pem: it cannot be read (No such file or directory). {folder}/centre.toml [tls] names it; check "
            "the name, its owner and its mode.\n",
        ),
    ],
)
def test_what_cannot_be_used_ends_it_with_a_sentence(tmp_path: Path, spoils: object, message: str) -> None:
    settings = new_centre(tmp_path / "centre")
    assert callable(spoils)
    spoils(settings.parent)
    done = CliRunner().invoke(main, ["centre", "run", "-s", str(settings)])
    assert (done.exit_code, done.stderr) == (2, message.format(folder=settings.parent))


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    settings = new_centre(tmp_path / "centre")
    with socket.create_server(load(settings).address):
        done = CliRunner().invoke(main, ["centre", "run", "-s", str(settings)])
    assert done.exit_code == 2
    assert done.stderr == (
        f"{settings} listen = '{load(settings).listen}': its port cannot be opened (Address already in use). Is "
        "another centre running, or another program on this port? Else change `listen`.\n"
    )
