"""A rival shop, a revoked table and a refused file before a centre: who is let in, and who is not.

`make attack-test` tries 10^5 mutated enrolments and first hand-overs (`TRAPDIAL_ENROLMENTS`).
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pi_app.centre.enrolment import code_hash, make_challenge
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import signed_checkpoint
from pi_app.journal.record.enrolment import Enrolment, sign_enrolment
from pi_app.journal.record.merkle import EMPTY_ROOT
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.attack.enrolments import CENTRES, Hall, attack_centre, brought, offer, tables
from tests.pi_app.centre.records import CENTRE, STRANGER, Table, a_game
from tests.pi_app.centre.service.asking import Replied
from tests.pi_app.cli.typed_centre import centre
from tests.pi_app.sender.shop import Shop

ENROLMENTS = int(os.environ.get("TRAPDIAL_ENROLMENTS", "200"))
PER_CHUNK = 2_500
CHUNKS = [range(first, min(first + PER_CHUNK, ENROLMENTS)) for first in range(0, ENROLMENTS, PER_CHUNK)]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with contextlib.closing(SqliteStore(tmp_path / "centre.db")) as store:
        yield Hall(store)


@pytest.fixture
def table() -> Table:
    return tables()[0][0]


def enrolling(table: Table, code: str) -> Enrolment:
    return sign_enrolment(table.key, CENTRE.verifier, code, make_challenge(CENTRE, 1_000))


# ------------------------------------------------------------------------------------------------- a rival shop's code


def test_a_rival_shop_enrols_no_table_of_another_one_with_its_public_notes(hall: Hall, table: Table) -> None:
    code = hall.code("RIVAL", "Rival")
    note = signed_checkpoint(table.key, 0, EMPTY_ROOT)
    theirs = msgspec.structs.replace(enrolling(table, code), signature=note.signatures[0].data.hex())

    async def work() -> list[int]:
        bodies: list[object] = [{"code": code, "checkpoint": note.written()}, theirs]
        return [(await hall.asks(body)).status for body in bodies]

    assert hall.run(work) == [400, 403]
    assert hall.store.records() == []
    assert hall.store.forget_codes("RIVAL") == 1, "it was not used up"


def test_an_enrolment_at_one_centre_is_none_at_another(hall: Hall, table: Table) -> None:
    code = hall.code("RIVAL")
    challenge = make_challenge(CENTRE, 1_000)

    async def work() -> list[int]:
        return [(await hall.asks(sign_enrolment(table.key, other, code, challenge))).status for other in CENTRES]

    assert hall.run(work) == [403, 403, 403]
    assert hall.store.records() == []


def test_a_table_that_is_enrolled_already_is_told_under_which_name(hall: Hall, table: Table) -> None:
    mine, rivals, again = hall.code("Table 7", "Cog"), hall.code("Bait", "Rival"), hall.code("x")
    hall.store.add_code(code_hash(again), "Table 7", "Cog", 2_000)

    async def work() -> list[Replied]:
        return [await hall.asks(enrolling(table, code)) for code in (mine, rivals, again)]

    first, second, third = hall.run(work)
    assert (first.status, second.status, third.status) == (200, 409, 200)
    assert second.body.decode() == (
        "This table's record is enrolled here already, as Table 7 of Cog; this code is for another one. Ask the "
        "centre's owner.\n"
    )
    assert [record.full_name for record in hall.store.records()] == ["Table 7 of Cog"]
    assert hall.said[1] == "Table 7 of Cog tried a code that was made for another name."


def test_a_challenge_that_others_chose_is_not_signed(table: Table) -> None:
    for challenge in ("", "x" * 64, "ab" * 15, "ab" * 101, "ab" * 32 + "\n" + "ab" * 32, "AB" * 32):
        with pytest.raises(ValueError, match=r"it is no challenge of a centre"):
            sign_enrolment(table.key, CENTRE.verifier, "CODE", challenge)


# ---------------------------------------------------------------------------------------------------- a revoked table


def test_no_code_lets_a_revoked_table_in_again(hall: Hall, table: Table) -> None:
    hall.enrol(table, "Table 7")
    hall.store.revoke(table.origin)
    codes = hall.code("Table 7"), hall.code("Other")

    async def work() -> list[tuple[int, int]]:
        return [((await hall.asks(enrolling(table, code))).status, await hall.hands(offer(table))) for code in codes]

    assert hall.run(work) == [(410, 410)] * 2
    assert hall.said[0] == "Table 7 was revoked, and tried to enrol again."
    assert [record.known.size for record in hall.store.records()] == [0]


def test_a_revoked_table_does_not_come_back_as_the_record_that_continues_it(hall: Hall) -> None:
    older, newer = tables()[0]
    hall.enrol(older, "Table 7")

    async def work() -> list[int]:
        statuses = [await hall.hands(offer(older))]
        hall.store.revoke(older.origin)
        statuses.append(await hall.hands(offer(newer)))
        statuses.append((await hall.asks(enrolling(newer, hall.code("Other")))).status)
        statuses.append(await hall.hands(offer(newer)))
        hall.store.readmit(older.origin)
        return [*statuses, await hall.hands(offer(newer))]

    assert hall.run(work) == [200, 410, 200, 410, 200]


def test_a_refused_hand_over_enrols_no_record_that_continues_another(hall: Hall) -> None:
    older, newer = tables()[0]
    hall.enrol(older, "Table 7")
    entries = list(newer.entries)
    public, sealed, leaf = entries[3]
    assert sealed is not None
    entries[3] = (public, bytes(len(sealed)), leaf)

    async def work() -> list[int]:
        return [
            await hall.hands(offer(older)),
            await hall.hands(newer.hands(1, len(entries), entries=entries)),
        ]

    assert hall.run(work) == [200, 400]
    assert [record.origin for record in hall.store.records()] == [older.origin]


# ------------------------------------------------------------------------------------------------------- a refused file


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    assert centre("new", tmp_path / "centre", "--name", "centre.example/c1")[0] == 0
    return tmp_path / "centre" / "centre.toml"


@pytest.fixture
def lines(tmp_path: Path) -> list[bytes]:
    """The lines of a table's export for a centre."""
    (tmp_path / "table").mkdir()
    shop = Shop(tmp_path / "table")
    shop.close()
    return brought(shop.path, tmp_path / "stick")


def nothing_is_here(settings: Path) -> bool:
    with contextlib.closing(SqliteStore(settings.with_name("centre.db"))) as store:
        return store.records() == [] and store.forget_codes("Table 4") == 0


@pytest.mark.parametrize("spoilt", ["changed", "of another device"])
def test_a_refused_file_enrols_nothing(tmp_path: Path, settings: Path, lines: list[bytes], spoilt: str) -> None:
    if spoilt == "changed":
        entry = json.loads(lines[3])
        lines[3] = json.dumps(entry | {"sealed": "AAAA" + entry["sealed"][4:]}).encode() + b"\n"
    else:
        lines[1:] = another_tables_lines(tmp_path)[1:]
    (tmp_path / "stick").write_bytes(b"".join(lines))
    code, _, errors = centre("take", tmp_path / "stick", "--enrol", "Table 4", "-s", settings)
    assert (code, ": not taken. " in errors) == (1, True)
    assert nothing_is_here(settings)


def test_a_file_that_cannot_be_read_to_its_end_enrols_nothing(
    tmp_path: Path, settings: Path, lines: list[bytes]
) -> None:
    (tmp_path / "stick").write_bytes(b"".join([*lines, *another_tables_lines(tmp_path)[:-1]]))
    code, output, errors = centre("take", tmp_path / "stick", "--enrol", "Table 4", "-s", settings)
    assert (code, output, "a centre takes a whole record" in errors) == (2, "", True)
    assert nothing_is_here(settings)


def another_tables_lines(folder: Path) -> list[bytes]:
    with Journal(folder / "other.db", MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 6)
    return brought(folder / "other.db", folder / "other")


# ------------------------------------------------------------------------------------------------- mutated, many times


@pytest.mark.parametrize("numbers", CHUNKS, ids=str)
def test_mutated_enrolments_and_hand_overs_change_nothing(tmp_path: Path, numbers: range) -> None:
    assert attack_centre(tmp_path, numbers).wrong == []


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("pi_app.journal.record.enrolment.signed_by", lambda *_: True),
        ("pi_app.journal.record.enrolment._enrolling", lambda centre, code, challenge: f"{code}{challenge}".encode()),
        (
            "pi_app.journal.record.enrolment._enrolling",
            lambda centre, code, challenge: f"{centre.text()}{challenge}".encode(),
        ),
        ("pi_app.centre.service.centre.is_fresh", lambda *_: True),
        ("pi_app.centre.enrolment.CHALLENGE_S", 10**7),
        ("pi_app.centre.store.sqlite.check_enrolled", lambda record, *_: record),
        ("pi_app.centre.taking.decision.check_older", lambda *_: None),
        ("pi_app.centre.taking.newcomer.check_older", lambda *_: None),
        ("pi_app.centre.taking.decision.is_signed", lambda *_: True),
    ],
)
def test_a_broken_centre_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, broken: object) -> None:
    monkeypatch.setattr(name, broken)
    assert attack_centre(tmp_path, range(400)).wrong != []


def test_what_a_stranger_signs_is_not_the_tables(hall: Hall, table: Table) -> None:
    stolen = msgspec.structs.replace(enrolling(Table(STRANGER, table.entries), hall.code("CODE")), origin=table.origin)
    assert hall.run(lambda: hall.asks(stolen)).status == 403
