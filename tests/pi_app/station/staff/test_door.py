"""The door of the staff page: the PIN opens it, five wrong ones are free, and a restart shortens no pause."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.pages import staff_sealing as staff
from pi_app.pages.staff_sealing import Reason, StaffKeys
from pi_app.station.staff.door import (
    EXCHANGE_NS,
    FREE_TRIES,
    LONGEST_PAUSE_NS,
    MOST_PAGES,
    OPEN_NS,
    StaffDoor,
    Tries,
    pause_ns,
)

HOST = "10.77.0.1"
PIN = "271828"
SECOND = 1_000_000_000
MINUTE = 60 * SECOND


def door(folder: Path, now_ns: int = 0, pin: str = PIN) -> StaffDoor:
    return StaffDoor(pin, lambda: (HOST,), Tries(folder, now_ns), lambda text: b"answer to " + text)


def enter(at: StaffDoor, now_ns: int, pin: str = PIN) -> StaffKeys | tuple[int, int]:
    """The keys of a page that got in, or why it did not: the reason and the seconds."""
    page = staff.begin(pin, HOST)
    first = at.answer(page.body, now_ns)
    if first[0] == staff.REFUSED:
        return first[1], int.from_bytes(first[2:6], "big")
    proved = page.proved(first)
    assert proved is not None
    second = at.answer(proved[1], now_ns)
    if second[0] == staff.REFUSED:
        return second[1], int.from_bytes(second[2:6], "big")
    assert second[1:33] == staff.proof_of(staff.TABLE_PROOF, proved[0])
    return proved[0].keys


def refused(reason: Reason, seconds: int = 0) -> tuple[int, int]:
    return reason, seconds


def test_the_pin_opens_it_and_asks_are_answered_once(tmp_path: Path) -> None:
    at = door(tmp_path)
    keys = enter(at, 0)
    assert isinstance(keys, StaffKeys)
    ask = staff.seal_ask(keys, 1, b"look")
    assert staff.open_answer(keys, 1, at.answer(ask, 1)) == b"answer to look"
    assert at.answer(ask, 2)[:2] == bytes([staff.REFUSED, staff.LOG_IN]), "a recorded ask is none"
    assert at.answer(staff.seal_ask(keys, 3, b"look"), 2)[0] == staff.SEALED
    assert at.answer(staff.seal_ask(keys, 2, b"look"), 2)[0] == staff.REFUSED


def test_a_page_that_is_quiet_for_a_quarter_of_an_hour_logs_in_again(tmp_path: Path) -> None:
    at = door(tmp_path)
    keys = enter(at, 0)
    assert isinstance(keys, StaffKeys)
    assert at.answer(staff.seal_ask(keys, 1, b"look"), OPEN_NS)[0] == staff.SEALED
    assert at.answer(staff.seal_ask(keys, 2, b"look"), 2 * OPEN_NS + 1)[0] == staff.REFUSED


def test_wrong_pins_shut_it_for_longer_and_longer(tmp_path: Path) -> None:
    at, now_ns = door(tmp_path), 0
    for number in range(1, FREE_TRIES + 1):
        now_ns += 2 * SECOND
        expected = refused(staff.WRONG_PIN, 60 if number == FREE_TRIES else 0)
        assert enter(at, now_ns, "111111") == expected
    assert enter(at, now_ns + 30 * SECOND) == refused(staff.WAIT, 30), "also for the right PIN"
    now_ns += MINUTE
    assert enter(at, now_ns, "111111") == refused(staff.WRONG_PIN, 120)
    now_ns += 2 * MINUTE
    assert isinstance(enter(at, now_ns), StaffKeys)
    assert enter(at, now_ns + SECOND, "111111") == refused(staff.WRONG_PIN), "a right one forgets the wrong ones"


def test_pulling_the_plug_shortens_nothing(tmp_path: Path) -> None:
    at = door(tmp_path)
    for number in range(FREE_TRIES):
        enter(at, number * 2 * SECOND, "111111")
    again = door(tmp_path, now_ns=5)
    assert enter(again, 5) == refused(staff.WAIT, 60)
    assert isinstance(enter(again, 5 + MINUTE), StaffKeys)


@pytest.mark.parametrize("garbage", [b"", b"{", b'{"wrong": -1}', b"\x00" * 300, b'{"wrong": "no"}'])
def test_a_spoiled_count_is_not_taken_for_none(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "staff.tries").write_bytes(garbage)
    assert Tries(tmp_path, 0).wrong == FREE_TRIES


def test_a_disk_that_refuses_still_counts(tmp_path: Path) -> None:
    tries = Tries(tmp_path / "not there", 0)
    tries.count_wrong(1)
    assert tries.wrong == 1


def test_the_pause_grows_to_an_hour() -> None:
    pauses = [pause_ns(wrong) // MINUTE for wrong in range(4, 14)]
    assert pauses == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert pause_ns(10**6) == LONGEST_PAUSE_NS


def test_who_leaves_after_the_tables_share_has_tried_nothing_and_learns_nothing(tmp_path: Path) -> None:
    at = door(tmp_path)
    for number in range(20):
        at.answer(staff.begin("111111", HOST).body, number * SECOND)
    assert isinstance(enter(at, 30 * SECOND), StaffKeys)


def test_many_exchanges_at_once_wait(tmp_path: Path) -> None:
    at = door(tmp_path)
    answers = [at.answer(staff.begin(PIN, HOST).body, 0) for _ in range(8)]
    assert [answer[0] for answer in answers] == [staff.SHARE] * 6 + [staff.REFUSED] * 2


def test_a_proof_counts_once_and_not_for_ever(tmp_path: Path) -> None:
    at, page = door(tmp_path), staff.begin(PIN, HOST)
    proved = page.proved(at.answer(page.body, 0))
    assert proved is not None
    assert at.answer(proved[1], EXCHANGE_NS + 1)[:2] == bytes([staff.REFUSED, staff.LOG_IN])
    assert at.answer(proved[1], 1)[:2] == bytes([staff.REFUSED, staff.LOG_IN])
    assert at.answer(page.body, 2)[0] == staff.SHARE, "its session id is free again"


def test_no_more_than_four_pages_are_open(tmp_path: Path) -> None:
    at = door(tmp_path)
    pages = [enter(at, number * SECOND) for number in range(MOST_PAGES + 1)]
    alive = [at.answer(staff.seal_ask(keys, 1, b""), 9 * SECOND)[0] for keys in pages if isinstance(keys, StaffKeys)]
    assert alive == [staff.REFUSED, *[staff.SEALED] * MOST_PAGES]


def test_a_station_without_a_pin_has_no_door(tmp_path: Path) -> None:
    assert enter(door(tmp_path, pin=""), 0, "") == refused(staff.NO_STAFF_PAGE)


def test_the_page_process_has_nothing_of_the_pin(tmp_path: Path) -> None:
    """All that it carries, for a page that gets in."""
    at, page = door(tmp_path), staff.begin(PIN, HOST)
    first = at.answer(page.body, 0)
    proved = page.proved(first)
    assert proved is not None
    carried = page.body + first + proved[1] + at.answer(proved[1], 0)
    assert PIN.encode() not in carried
    assert proved[0].keys.up not in carried
    assert PIN not in repr(at)
