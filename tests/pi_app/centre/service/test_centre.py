"""A centre over HTTP: no cosignature without its rows, and every refusal with its status."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from pi_app.centre.enrolment import code_hash, make_challenge
from pi_app.centre.service import app as app_module
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import cosigned_at, read_checkpoint
from pi_app.journal.record.enrolment import sign_enrolment
from pi_app.journal.record.handover import LARGEST_BODY, HandOver, show_presence
from pi_app.journal.record.merkle import consistency_proof, leaf_hash
from pi_app.journal.record.notes import SignedNote, read_note, read_signatures
from pi_app.journal.record.presence import CHALLENGE_HEADER
from pi_app.journal.record.witness_protocol import AddCheckpoint
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.records import CENTRE, STRANGER, Table
from tests.pi_app.centre.service.asking import Replied, ask
from tests.pi_app.centre.service.halls import LEAVES, LOG, Hall, WatchedStore, hall_in, hashed, table_at, wanted


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return table_at(tmp_path_factory.mktemp("record") / "journal.db", "g1", "g2")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with hall_in(tmp_path) as hall:
        yield hall


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Hall]:
    with hall_in(tmp_path, LOG) as hall:
        yield hall


def time_of(handed: HandOver, replied: Replied) -> int | None:
    note = SignedNote(handed.checkpoint.text, (*handed.checkpoint.signatures, *read_signatures(replied.body.decode())))
    return cosigned_at(note, CENTRE.verifier)


def test_a_hand_over_is_answered_with_a_cosignature_once_it_is_on_disk(hall: Hall, table: Table) -> None:
    hall.enrols(table)
    hall.store.may_go_on.clear()

    async def work() -> Replied:
        answer = asyncio.create_task(hall.hands(table.hands(1, 7)))
        while not hall.store.may_go_on.is_set():
            await asyncio.sleep(0.05)
            assert not answer.done(), "no answer before the commit"
            hall.store.may_go_on.set()
        return await answer

    replied = hall.run(work)
    assert (replied.status, time_of(table.hands(1, 7), replied)) == (200, 1_000)
    record = hall.store.record(table.origin)
    assert record is not None
    assert (record.known.size, len(list(hall.store.rows(record.number)))) == (7, 7)


def test_a_table_that_has_nothing_new_is_noted_as_seen(tmp_path: Path, table: Table) -> None:
    times = [1_000.0]
    store = WatchedStore(tmp_path / "centre.db")
    centre = Centre(CENTRE, store, store, lambda: times[-1])
    hall = Hall(store, centre, CentreApp(centre))
    hall.enrols(table)

    async def work() -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        challenge = make_challenge(CENTRE, 1_000)
        for time, more in ((1_000, 9), (1_059, 0), (1_060, 3), (1_061, 0)):
            times.append(time)
            handed = replace(table.hands(6 if found else 1, 5), more=more)
            replied = await hall.hands(show_presence(handed, table.key, CENTRE.verifier, challenge))
            challenge = replied.headers[CHALLENGE_HEADER]
            record = store.record(table.origin)
            assert record is not None
            assert record.known.size == 5
            found.append((replied.status, record.seen_s, record.behind))
        return found

    assert hall.run(work) == [
        (200, 1_000, 9), (200, 1_059, 0), (200, 1_060, 3), (200, 1_061, 0),
    ]  # fmt: skip
    store.close()


def test_many_tables_share_a_transaction(hall: Hall, tmp_path: Path) -> None:
    tables = [table_at(tmp_path / f"{number}.db", "g") for number in range(12)]
    hall.enrols(*tables)

    async def work() -> list[Replied]:
        return await asyncio.gather(*(hall.hands(each.hands(1, 5)) for each in tables))

    assert [each.status for each in hall.run(work)] == [200] * 12
    assert (sum(hall.store.bundles), len(hall.store.bundles) <= 3) == (12, True)
    assert (hall.centre.counts.entries, hall.centre.counts.cosignatures) == (60, 12)


def test_a_database_that_is_away_loses_nothing_and_says_when_to_try_again(hall: Hall, table: Table) -> None:
    hall.enrols(table)

    async def work() -> tuple[Replied, Replied]:
        hall.store.refuses = True
        away = await hall.hands(table.hands(1, 5))
        hall.store.refuses = False
        return away, await hall.hands(table.hands(1, 5))

    away, back = hall.run(work)
    assert (away.status, away.headers["retry-after"]) == (503, "5")
    assert away.body == b"The centre's database does not answer.\n", "what it says of its address is not for tables"
    assert (back.status, hall.said) == (200, ["The database is away."])


def test_one_record_hands_over_one_thing_at_a_time(hall: Hall, table: Table) -> None:
    hall.enrols(table)

    async def work() -> list[int]:
        both = await asyncio.gather(hall.hands(table.hands(1, 3)), hall.hands(table.hands(1, 3)))
        return sorted(each.status for each in both)

    assert hall.run(work) == [200, 429]


def test_the_statuses_of_the_protocol(hall: Hall, table: Table) -> None:
    hall.enrols(table)
    stranger = replace(table, key=STRANGER)

    async def work() -> list[tuple[int, bytes]]:
        replies = [
            await hall.hands(table.hands(3, 4)),
            await hall.hands(stranger.hands(1, 4)),
            await ask(hall.app, "POST", "/hand-over", [b"x"]),
            await ask(hall.app, "GET", "/hand-over"),
            await ask(hall.app, "GET", "/healthz"),
            await ask(hall.app, "GET", "/else"),
            await ask(hall.app, "POST", "/hand-over", [b"x" * LARGEST_BODY, b"x"]),
            await ask(hall.app, "POST", "/hand-over", length=LARGEST_BODY + 1),
            await ask(hall.app, "POST", "/hand-over", [b"half", None]),  # type: ignore[list-item]
        ]
        return [(each.status, each.body) for each in replies]

    assert hall.run(work) == [
        (409, b"0\n"),
        (404, b"No record with this origin is enrolled here.\n"),
        (400, b"This is no hand-over: its first line is missing or too long.\n"),
        (405, b"Another method is needed here.\n"),
        (200, b"ok\n"),
        (404, b"There is nothing here.\n"),
        (413, b"At most 4194304 bytes are taken at once.\n"),
        (413, b"At most 4194304 bytes are taken at once.\n"),
        (400, b"The request was cut off.\n"),
    ]


def test_a_body_that_does_not_end_is_given_up(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "BODY_S", 0.05)
    replied = hall.run(lambda: ask(hall.app, "POST", "/hand-over", [b"..."]))
    assert (replied.status, replied.body) == (408, b"The request took too long.\n")


def test_two_histories_are_kept_as_they_came(hall: Hall, table: Table, tmp_path: Path) -> None:
    hall.enrols(table)
    clone = replace(table_at(tmp_path / "clone.db", "g8"), key=table.key)

    async def work() -> Replied:
        await hall.hands(table.hands(1, 5))
        return await hall.hands(clone.hands(1, 5))

    assert hall.run(work).status == 422
    (found,) = hall.store.evidence.all()
    assert (found.origin, found.address, found.body) == (table.origin, "10.0.0.9", clone.hands(1, 5).written())
    assert found.why.endswith("this record has two histories.")
    assert hall.centre.counts.evidence == 1
    assert hall.said == [f"{table.origin[-4:]}: {found.why} What it sent is kept as evidence."]


# ------------------------------------------------------------------------------------------------------- as a witness


async def wants(hall: Hall, asked: AddCheckpoint) -> Replied:
    return await ask(hall.app, "POST", "/add-checkpoint", [asked.written()])


def test_logs_of_other_programs_are_cosigned_as_the_protocol_says(witness: Hall) -> None:
    rewritten = [leaf_hash(b"x"), *LEAVES[1:]]

    async def work() -> list[Replied]:
        return [
            await ask(witness.app, "GET", hashed(LOG.name)),
            await wants(witness, wanted(0, 3)),
            await wants(witness, wanted(0, 5)),
            await wants(witness, wanted(3, 7)),
            await wants(witness, wanted(7, 8, rewritten)),
            await wants(witness, wanted(0, 7, rewritten)),
            await ask(witness.app, "POST", "/add-checkpoint", [b"x"]),
            await ask(witness.app, "GET", hashed(LOG.name)),
        ]

    *replies, latest = witness.run(work)
    assert [each.status for each in replies] == [404, 200, 409, 200, 422, 409, 400]
    assert (replies[2].body, replies[2].headers["content-type"]) == (b"3\n", "text/x.tlog.size")
    note = read_note(latest.body)
    assert (read_checkpoint(note.text).size, cosigned_at(note, CENTRE.verifier)) == (7, 1_000)
    assert [each.origin for each in witness.store.evidence.all()] == [LOG.name] * 2, "both of the second history"


def test_evidence_that_could_not_be_kept_is_asked_for_again(witness: Hall) -> None:
    rewritten = [leaf_hash(b"x"), *LEAVES[1:]]

    async def work() -> list[Replied]:
        first = await wants(witness, wanted(0, 7))
        witness.store.refuses = True
        away = await wants(witness, wanted(7, 8, rewritten))
        witness.store.refuses = False
        return [first, away, await wants(witness, wanted(7, 8, rewritten))]

    first, away, again = witness.run(work)
    assert [first.status, away.status, again.status] == [200, 503, 422]
    assert away.headers["retry-after"] == "5"
    assert len(list(witness.store.evidence.all())) == 1


def test_a_log_that_is_not_known_is_not_cosigned(hall: Hall) -> None:
    replied = hall.run(lambda: wants(hall, wanted(0, 3)))
    assert (replied.status, replied.body) == (404, b"No log with the origin 'example.com/log' is known here.\n")


def test_a_table_may_ask_as_any_log_does_once_its_entries_are_here(hall: Hall, table: Table) -> None:
    hall.enrols(table)
    leaves = [leaf for *_, leaf in table.entries]

    def asks(old: int, size: int) -> AddCheckpoint:
        proof = tuple(consistency_proof(leaves[:size], old)) if old else ()
        return AddCheckpoint(old, proof, table.hands(size + 1, size).checkpoint)

    async def work() -> list[Replied]:
        return [
            await wants(hall, asks(0, 3)),
            await hall.hands(table.hands(1, 5)),
            await wants(hall, asks(0, 5)),
            await wants(hall, asks(5, 5)),
            await wants(hall, asks(5, 6)),
            await ask(hall.app, "GET", hashed(table.origin)),
        ]

    *replies, latest = hall.run(work)
    assert [each.status for each in replies] == [503, 200, 409, 200, 503]
    assert replies[0].body == b"Entries up to 0 are here. Hand the others over first.\n"
    assert read_checkpoint(read_note(latest.body).text).size == 5


# ----------------------------------------------------------------------------------------------------------- enrolment


async def challenged(hall: Hall) -> str:
    return (await ask(hall.app, "GET", "/enrol")).body.decode().strip()


async def enrol(hall: Hall, code: str, table: Table) -> Replied:
    asked = sign_enrolment(table.key, CENTRE.verifier, code, await challenged(hall))
    return await ask(hall.app, "POST", "/enrol", [msgspec.json.encode(asked)])


def test_a_printed_code_enrols_a_table_once(hall: Hall, table: Table) -> None:
    hall.store.add_code(code_hash("ABCD EFGH JKLM"), "Table 7", "Shop", 2_000)

    async def work() -> list[Replied]:
        return [
            await enrol(hall, "abcd-efgh-jklm", table),
            await enrol(hall, "ABCD EFGH JKLM", table),
            await hall.hands(table.hands(1, 3)),
        ]

    first, again, handed = hall.run(work)
    assert (first.status, msgspec.json.decode(first.body)) == (200, {"name": "Table 7", "shop": "Shop", "size": 0})
    assert (again.status, again.body) == (
        403, b"This code is not known here, was used already, or is too old. Ask for a new one.\n",
    )  # fmt: skip
    assert (handed.status, hall.said) == (200, ["Table 7 of Shop is enrolled."])


def test_what_is_no_enrolment_is_refused(hall: Hall, table: Table) -> None:
    async def work() -> list[int]:
        asked = sign_enrolment(table.key, CENTRE.verifier, "CODE", await challenged(hall))
        bodies = [b"", b"{}", b"\xff", b"[" * 5_000, msgspec.json.encode(asked)[:-1] + b',"more":1}']
        return [(await ask(hall.app, "POST", "/enrol", [body])).status for body in bodies]

    assert hall.run(work) == [400] * 5
    assert hall.store.records() == []


def test_a_revocation_that_is_lifted_needs_no_new_start_of_the_centre(hall: Hall, table: Table) -> None:
    hall.enrols(table)

    async def work() -> list[int]:
        statuses = []
        for change in (hall.store.revoke, hall.store.readmit):
            change(table.origin)
            statuses += [(await hall.hands(table.hands(1, 3))).status for _ in range(2)]
        return statuses

    assert hall.run(work) == [410, 410, 200, 200]


def test_a_record_that_continues_an_enrolled_one_is_enrolled(hall: Hall, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    older = table_at(path, "g1")
    hall.enrols(older)
    with Journal(path, MAGE_KNIGHT) as journal:
        assert journal.begin_new_log()
    newer = table_at(path, "g2")

    async def work() -> list[int]:
        return [
            (await hall.hands(newer.hands(1, 5))).status,
            (await hall.hands(older.hands(1, 5))).status,
            (await hall.hands(replace(newer, key=STRANGER).hands(1, 5))).status,
            (await hall.hands(newer.hands(1, 5))).status,
        ]

    assert hall.run(work) == [404, 200, 404, 200], "only once all of the older one is here"
    assert [each.name for each in hall.store.records()] == [older.origin[-4:]] * 2
