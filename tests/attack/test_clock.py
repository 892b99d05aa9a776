"""Against a centre's own clock: whatever date its machine shows, it signs no wrong one, and is not stuck after it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pi_app.centre.clock.doubts import DoubtKind
from pi_app.centre.service.process import status_line
from pi_app.centre.store.store import CentreStore, Commit
from tests.pi_app.centre.clocked import DAY, NOW, ClockedHall, Machine, dated_table
from tests.pi_app.centre.closed_stores import stores_are_closed
from tests.pi_app.centre.records import Table
from tests.pi_app.centre.service.asking import ask
from tests.pi_app.centre.service.halls import LOG, hashed, wanted
from tests.pi_app.centre.store.conftest import opens, postgres, store

__all__ = ["opens", "postgres", "store", "stores_are_closed"]

IN_2099 = datetime(2099, 3, 1, tzinfo=UTC).timestamp()
IN_2041 = datetime(2041, 3, 1, tzinfo=UTC).timestamp()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine")


@pytest.fixture
def hall(store: CentreStore, machine: Machine) -> Iterator[ClockedHall]:
    centre = ClockedHall(store, machine)
    yield centre
    centre.end()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[Table]:
    folder = tmp_path_factory.mktemp("tables")
    return [dated_table(folder / f"{number}.db", NOW - 600) for number in range(5)]


def kinds(hall: ClockedHall) -> list[DoubtKind]:
    return [each.kind for each in hall.watch.doubts]


# ---------------------------------------------------------------------------------- a date that was in the future


def test_a_centre_that_was_stuck_after_a_date_in_the_future_goes_on_by_a_persons_word(
    hall: ClockedHall, machine: Machine, tables: list[Table]
) -> None:
    one, two, fresh = tables[:3]
    hall.enrol(one, two, fresh)
    machine.now_s = IN_2041
    assert [hall.time(each.hands(1, 3)) for each in (one, two)] == [IN_2041] * 2
    machine.now_s = NOW
    assert hall.time(one.hands(4, 6)) is None, "the entries are taken, and not cosigned"
    assert hall.time(fresh.hands(1, 3)) is None, "nor are those of a table that saw no wrong date"
    assert kinds(hall) == [DoubtKind.BEHIND]
    assert status_line(hall.centre, "noon").startswith("Its clock is in doubt, and it does not cosign: trapdial centre")
    assert hall.accept() == 2
    assert hall.watch.words() == ""
    assert status_line(hall.centre, "noon").startswith("Since noon: 12 entries taken, 2 cosignatures, ")
    assert hall.time(one.hands(7, 8)) == NOW
    assert hall.time(two.hands(4, 4)) == NOW
    assert hall.time(fresh.hands(4, 4)) == NOW
    assert hall.lines == [
        "This centre does not cosign: its clock is in doubt. It shows 2026-11-28 12:00:00 UTC. The newest "
        "cosignature names 2041-03-01 00:00:00 UTC, which is 14 years later. If the date is right, type: "
        "trapdial centre clock --accept",
        "The centre's clock is in order again: it cosigns.",
    ]
    (accepted,) = hall.store.clock.acceptances()
    assert (accepted.at_s, accepted.until_s, accepted.renewed) == (NOW, IN_2041, 2)


def test_a_table_that_plays_on_during_the_acceptance_is_not_stuck_again(
    hall: ClockedHall, machine: Machine, tables: list[Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, bundles = tables[0], hall.centre.bundles
    hall.enrol(one)
    machine.now_s = IN_2041
    hall.time(one.hands(1, 3))
    machine.now_s = NOW
    before = bundles.commit

    async def accept_and_commit(commit: Commit) -> bool:
        assert hall.accept() == 1
        monkeypatch.undo()
        return await before(commit)

    monkeypatch.setattr(bundles, "commit", accept_and_commit)
    assert hall.time(one.hands(4, 5)) is None, "it was decided before the acceptance, and is written after it"
    assert hall.time(one.hands(6, 7)) == NOW


def test_a_table_that_has_nothing_new_is_seen_again_after_a_date_in_the_future(
    hall: ClockedHall, machine: Machine, tables: list[Table]
) -> None:
    hall.enrol(tables[0])
    machine.now_s = IN_2041
    hall.time(tables[0].hands(1, 3))
    machine.now_s = NOW
    hall.accept()
    hall.hand_over(tables[0].hands(4, 3))
    record = hall.store.record(tables[0].origin)
    assert record is not None
    assert record.seen_s == NOW


def test_a_log_of_another_program_gets_no_cosignature_while_the_clock_is_in_doubt(
    store: CentreStore, machine: Machine
) -> None:
    hall = ClockedHall(store, machine, (LOG,))
    machine.now_s = IN_2041

    async def ask_for(old: int, size: int) -> tuple[int, str]:
        replied = await ask(hall.app, "POST", "/add-checkpoint", [wanted(old, size).written()])
        return replied.status, replied.headers.get("retry-after", "")

    async def newest() -> int:
        return (await ask(hall.app, "GET", hashed(LOG.name))).status

    assert hall.run(ask_for(0, 3)) == (200, "")
    machine.now_s = NOW
    assert hall.run(ask_for(3, 4)) == (503, "60")
    assert hall.accept() == 1
    assert hall.run(ask_for(3, 4)) == (200, "")
    assert hall.run(newest()) == 200, "an origin that is asked for is looked up, though the date went back"
    hall.end()


@pytest.mark.parametrize("wrong_s", [0.0, 1_000.0, IN_2099])
def test_a_date_that_cannot_be_right_is_not_signed(
    hall: ClockedHall, machine: Machine, tables: list[Table], wrong_s: float
) -> None:
    hall.enrol(tables[0])
    machine.now_s = wrong_s
    assert hall.time(tables[0].hands(1, 3)) is None
    assert kinds(hall) == [DoubtKind.YEAR]
    machine.now_s = NOW
    assert hall.time(tables[0].hands(4, 6)) == NOW, "no person is needed when the date is right again"


# ------------------------------------------------------------------------------------------ no source of the date


def test_a_board_that_nobody_told_the_date_does_not_sign_it(
    hall: ClockedHall, machine: Machine, tables: list[Table]
) -> None:
    machine.is_a_board()
    machine.network = False
    hall.enrol(tables[0])
    assert hall.time(tables[0].hands(1, 2)) is None
    assert kinds(hall) == [DoubtKind.SOURCE]
    assert hall.accept() == 0
    assert hall.time(tables[0].hands(3, 4)) == NOW
    machine.passes(3 * DAY)
    hall.begin()
    assert hall.time(tables[0].hands(5, 6)) == NOW + 3 * DAY, "the word counts until the machine starts again"
    machine.begin(network=False)
    hall.begin()
    assert hall.time(tables[0].hands(7, 8)) is None
    assert kinds(hall) == [DoubtKind.SOURCE]


def test_a_clock_chip_that_jumped_by_years_is_in_doubt_unless_the_network_says_so(
    hall: ClockedHall, machine: Machine, tables: list[Table]
) -> None:
    hall.enrol(tables[0])
    assert hall.time(tables[0].hands(1, 2)) == NOW
    machine.now_s = IN_2041
    machine.begin(network=False)
    machine.has_a_chip()
    hall.begin()
    assert hall.time(tables[0].hands(3, 4)) is None
    assert kinds(hall) == [DoubtKind.AHEAD]
    machine.now_s, machine.network = NOW + DAY, True
    assert hall.time(tables[0].hands(5, 6)) == NOW + DAY


# ------------------------------------------------------------------------------------------------ what most tables say


def play(hall: ClockedHall, tables: list[Table], first: int) -> None:
    """Each table hands over all that it has, makes two entries, and hands them over."""
    hall.hand_over(*(each.hands(1, first) for each in tables))
    hall.machine.passes(120)
    hall.hand_over(*(each.hands(first + 1, first + 2) for each in tables))


@pytest.mark.parametrize("late", [-2 * 3_600, 2 * 3_600, 40 * DAY])
def test_a_date_far_from_what_most_tables_say_is_in_doubt(
    hall: ClockedHall, machine: Machine, tables: list[Table], late: float
) -> None:
    hall.enrol(*tables)
    machine.now_s = NOW + late
    play(hall, tables[:3], 10)
    hall.watch.step()
    assert kinds(hall) == [DoubtKind.TABLES]
    assert "The dates of 3 of 3 tables that play now are" in hall.watch.words()
    assert hall.time(tables[3].hands(1, 2)) is None
    assert hall.accept() == 0
    assert hall.time(tables[3].hands(3, 4)) == machine.now_s, "a person knows better"


def test_entries_that_strangers_bring_say_nothing_of_the_date(hall: ClockedHall, tables: list[Table]) -> None:
    old = [table.hands(1, 10) for table in tables[:3]], [table.hands(11, 12) for table in tables[:3]]
    hall.enrol(*tables)
    hall.machine.now_s = NOW + 3 * 3_600
    assert [each.status for handed in old for each in hall.bring(*handed)] == [200] * 6
    hall.watch.step()
    assert kinds(hall) == []


def test_a_few_tables_with_wrong_dates_stop_no_centre(hall: ClockedHall, tables: list[Table], tmp_path: Path) -> None:
    wrong = [dated_table(tmp_path / f"wrong {number}.db", NOW + 9 * DAY) for number in range(4)]
    hall.enrol(*tables, *wrong)
    play(hall, [*tables, *wrong], 10)
    hall.watch.step()
    assert kinds(hall) == []


def test_tables_that_come_back_with_old_entries_stop_no_centre(
    hall: ClockedHall, machine: Machine, tables: list[Table]
) -> None:
    hall.enrol(*tables)
    machine.now_s = NOW + 90 * DAY
    hall.hand_over(*(each.hands(1, 10) for each in tables))
    machine.passes(3_600)
    hall.hand_over(*(each.hands(11, 20) for each in tables))
    hall.watch.step()
    assert kinds(hall) == []


def test_tables_without_a_clock_and_simulated_ones_say_nothing(hall: ClockedHall, tmp_path: Path) -> None:
    tables = [dated_table(tmp_path / f"{number}.db", NOW + 9 * DAY, "none") for number in range(4)]
    hall.enrol(*tables)
    play(hall, tables, 10)
    hall.watch.step()
    assert kinds(hall) == []


# ---------------------------------------------------------------------------------------------- what is ordinary


def test_no_ordinary_case_needs_a_person(hall: ClockedHall, machine: Machine, tables: list[Table]) -> None:
    one = tables[0]
    machine.is_a_board()
    hall.enrol(one)
    assert hall.time(one.hands(1, 2)) == NOW
    machine.passes(3 * DAY)
    machine.network = False
    assert hall.time(one.hands(3, 3)) == NOW + 3 * DAY, "the network is away for days"
    off_s = machine.now_s
    machine.begin(network=False)
    hall.begin()
    assert hall.time(one.hands(4, 4)) is None, "a board starts after a month, with the date of its last day"
    machine.now_s, machine.network = off_s + 30 * DAY, True
    assert hall.time(one.hands(5, 5)) == off_s + 30 * DAY, "the network has set it"
    machine.now_s -= 4
    assert hall.time(one.hands(6, 6)) == off_s + 30 * DAY, "a correction by seconds"
    machine.now_s -= 3_600
    assert hall.time(one.hands(7, 7)) is None, "the date was an hour ahead"
    assert "The centre goes on when that time is over" in hall.watch.words()
    machine.passes(3_600)
    hall.watch.step()
    assert hall.time(one.hands(8, 8)) == off_s + 30 * DAY
    machine.now_s += 300 * DAY
    machine.begin()
    hall.begin()
    assert hall.time(one.hands(9, 9)) == machine.now_s, "off for most of a year"


def test_a_pc_without_a_network_is_in_no_doubt(hall: ClockedHall, machine: Machine, tables: list[Table]) -> None:
    machine.begin(network=False)
    hall.enrol(tables[0])
    assert hall.time(tables[0].hands(1, 2)) == NOW, "whether a container shows its clock chip or not"
    machine.has_a_chip()
    machine.passes(200 * DAY)
    hall.begin()
    assert hall.time(tables[0].hands(3, 4)) == NOW + 200 * DAY
