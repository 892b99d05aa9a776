"""The door of the staff page: the PIN opens it, five wrong ones are free, and a restart shortens no pause."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.pages import staff_kinds as kinds
from pi_app.pages import staff_sealing as staff
from pi_app.pages.cpace import SID_BYTES
from pi_app.pages.staff_sealing import StaffKeys
from pi_app.station.staff.door import (
    AT_TABLE,
    EXCHANGE_NS,
    FEW_OPEN,
    FREE_TRIES,
    LONGEST_PAUSE_NS,
    MOST_PAGES,
    NUMBER_NS,
    NUMBERS,
    OPEN_NS,
    SHARES,
    StaffDoor,
    Tries,
    pause_ns,
)

HOST = "10.77.0.1"
PIN = "271828"
SECOND = 1_000_000_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE


def door(folder: Path, now_ns: int = 0, pin: str = PIN) -> StaffDoor:
    return StaffDoor(pin, lambda: (HOST,), Tries(folder, now_ns), lambda text: b"answer to " + text)


def enter(at: StaffDoor, now_ns: int, pin: str = PIN, number: str = "") -> StaffKeys | tuple[int, int]:
    """The keys of a page that got in, or why it did not: the reason and the seconds. `number`: of the screens."""
    page = staff.begin(pin, HOST, number=int(number) if number else None)
    first = at.answer(page.body, now_ns)
    if first[0] == kinds.REFUSED:
        return first[1], int.from_bytes(first[2:6], "big")
    proved = page.proved(first)
    assert proved is not None
    second = at.answer(proved[1], now_ns)
    if second[0] == kinds.REFUSED:
        return second[1], int.from_bytes(second[2:6], "big")
    assert second[1:33] == staff.proof_of(staff.TABLE_PROOF, proved[0])
    return proved[0].keys


def refused(reason: kinds.Reason, seconds: int = 0) -> tuple[int, int]:
    return reason, seconds


def test_the_pin_opens_it_and_asks_are_answered_once(tmp_path: Path) -> None:
    at = door(tmp_path)
    keys = enter(at, 0)
    assert isinstance(keys, StaffKeys)
    ask = staff.seal_ask(keys, 1, b"look")
    assert staff.open_answer(keys, 1, at.answer(ask, 1)) == b"answer to look"
    assert at.answer(ask, 2)[:2] == bytes([kinds.REFUSED, kinds.LOG_IN]), "a recorded ask is none"
    assert at.answer(staff.seal_ask(keys, 3, b"look"), 2)[0] == kinds.SEALED
    assert at.answer(staff.seal_ask(keys, 2, b"look"), 2)[0] == kinds.REFUSED


def test_a_page_that_is_quiet_for_a_quarter_of_an_hour_logs_in_again(tmp_path: Path) -> None:
    at = door(tmp_path)
    keys = enter(at, 0)
    assert isinstance(keys, StaffKeys)
    assert at.answer(staff.seal_ask(keys, 1, b"look"), OPEN_NS)[0] == kinds.SEALED
    assert at.answer(staff.seal_ask(keys, 2, b"look"), 2 * OPEN_NS + 1)[0] == kinds.REFUSED


def test_wrong_pins_shut_it_for_longer_and_longer(tmp_path: Path) -> None:
    at, now_ns = door(tmp_path), 0
    for number in range(1, FREE_TRIES + 1):
        now_ns += 2 * SECOND
        expected = refused(kinds.WRONG_PIN, 60 if number == FREE_TRIES else 0)
        assert enter(at, now_ns, "111111") == expected
    assert enter(at, now_ns + 30 * SECOND) == refused(kinds.WAIT, 30), "also for the right PIN"
    now_ns += MINUTE
    assert enter(at, now_ns, "111111") == refused(kinds.WRONG_PIN, 120)
    now_ns += 2 * MINUTE
    assert isinstance(enter(at, now_ns), StaffKeys)
    assert enter(at, now_ns + SECOND, "111111") == refused(kinds.WRONG_PIN), "a right one forgets the wrong ones"


def test_pulling_the_plug_shortens_nothing(tmp_path: Path) -> None:
    at = door(tmp_path)
    for number in range(FREE_TRIES):
        enter(at, number * 2 * SECOND, "111111")
    again = door(tmp_path, now_ns=5)
    assert enter(again, 5) == refused(kinds.WAIT, 60)
    assert isinstance(enter(again, 5 + MINUTE), StaffKeys)


def shut(folder: Path) -> tuple[StaffDoor, int]:
    """A door that a stranger in the Wi-Fi keeps shut, and when."""
    at, now_ns = door(folder), 0
    for _ in range(12):
        now_ns += at_rest(at, now_ns)
        assert enter(at, now_ns, "111111")[0] == kinds.WRONG_PIN  # type: ignore[index]
        now_ns += 2 * SECOND
    return at, now_ns


def at_rest(at: StaffDoor, now_ns: int) -> int:
    """How long somebody waits who tries again as soon as he can."""
    answer = at.answer(staff.begin("111111", HOST).body, now_ns)
    return int.from_bytes(answer[2:6], "big") * SECOND if answer[0] == kinds.REFUSED else 0


def test_the_staff_opens_a_shut_door_with_the_number_on_the_screens(tmp_path: Path) -> None:
    at, now_ns = shut(tmp_path)
    assert enter(at, now_ns)[0] == kinds.WAIT  # type: ignore[index]
    number = at.invite(now_ns)
    assert len(number) == 6
    assert isinstance(enter(at, now_ns, PIN, number), StaffKeys)
    assert enter(at, now_ns + SECOND, "111111") == refused(kinds.WRONG_PIN), "a right PIN forgets the wrong ones"


def test_a_number_lets_one_exchange_through_for_three_minutes(tmp_path: Path) -> None:
    at, now_ns = shut(tmp_path)
    number = at.invite(now_ns)
    other = f"{(int(number) + 1) % NUMBERS:06}"
    assert enter(at, now_ns, PIN, other) == refused(kinds.WRONG_NUMBER)
    assert enter(at, now_ns + NUMBER_NS + 1, PIN, number) == refused(kinds.WRONG_NUMBER)
    number = at.invite(now_ns)
    assert enter(at, now_ns, "111111", number)[0] == kinds.WRONG_PIN  # type: ignore[index]
    assert enter(at, now_ns, PIN, number) == refused(kinds.WRONG_NUMBER)


def test_strangers_use_up_neither_the_number_nor_the_tries_at_the_table(tmp_path: Path) -> None:
    at, now_ns = shut(tmp_path)
    number = at.invite(now_ns)
    for guess in range(300):
        if guess != int(number):
            assert enter(at, now_ns, "111111", str(guess)) == refused(kinds.WRONG_NUMBER)
    assert isinstance(enter(at, now_ns + NUMBER_NS, PIN, number), StaffKeys)


def test_wrong_pins_at_the_table_are_three_and_one_each_half_hour_after_every_restart_too(tmp_path: Path) -> None:
    at, now_ns = shut(tmp_path)
    for _ in range(AT_TABLE.at_once):
        assert enter(at, now_ns, "111111", at.invite(now_ns))[0] == kinds.WRONG_PIN  # type: ignore[index]
    assert at.invite(now_ns + 29 * MINUTE) == ""
    again = door(tmp_path, now_ns=5)
    assert enter(again, 5)[0] == kinds.WAIT  # type: ignore[index]
    assert again.invite(5 + 29 * MINUTE) == ""
    assert isinstance(enter(again, 5 + 30 * MINUTE, PIN, again.invite(5 + 30 * MINUTE)), StaffKeys)


def test_a_door_that_is_open_shows_no_number_and_minds_none(tmp_path: Path) -> None:
    at = door(tmp_path)
    assert at.invite(0) == ""
    assert isinstance(enter(at, 0, PIN, "123456"), StaffKeys)
    assert door(tmp_path, pin="").invite(0) == ""


def tries_on(folder: Path, days: int, *, at_table: bool) -> list[int]:
    """How many PINs a patient stranger can try on each day."""
    tries = Tries(folder, 0)
    at = StaffDoor(PIN, lambda: (HOST,), tries, bytes)
    tried = [0] * days
    for now_ns in range(0, days * DAY, MINUTE):
        while not tries.left_ns(now_ns):
            assert enter(at, now_ns, "111111")[0] == kinds.WRONG_PIN  # type: ignore[index]
            tried[now_ns // DAY] += 1
        while at_table and (number := at.invite(now_ns)):
            assert enter(at, now_ns, "111111", number)[0] == kinds.WRONG_PIN  # type: ignore[index]
            tried[now_ns // DAY] += 1
    return tried


@pytest.mark.parametrize(("at_table", "found"), [(False, [33, 24]), (True, [83, 72])])
def test_a_day_is_enough_for_few_guesses(tmp_path: Path, at_table: bool, found: list[int]) -> None:
    """The figures of wiring_docs/station.md."""
    assert tries_on(tmp_path, 2, at_table=at_table) == found


@pytest.mark.parametrize("garbage", [b"", b"{", b'{"wrong": -1}', b"\x00" * 300, b'{"wrong": "no"}'])
def test_a_spoiled_count_is_not_taken_for_none(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "staff.tries").write_bytes(garbage)
    tries = Tries(tmp_path, 0)
    assert (tries.wrong, tries.left_at_table(0)) == (FREE_TRIES, 0)


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


def begin_many(at: StaffDoor, count: int, now_ns: int = 0) -> list[bytes]:
    """Begin exchanges and finish none; return the first two bytes of each answer."""
    body = bytearray(staff.begin("111111", HOST).body)
    answers = []
    for number in range(count):
        body[1 : 1 + SID_BYTES] = (now_ns + number).to_bytes(SID_BYTES, "big")
        answers.append(at.answer(bytes(body), now_ns)[:2])
    return answers


def test_many_exchanges_at_once_wait(tmp_path: Path) -> None:
    at = door(tmp_path)
    answers = begin_many(at, SHARES.at_once + 2)
    assert [answer[0] for answer in answers[:-2]] == [kinds.SHARE] * SHARES.at_once
    assert answers[-2:] == [bytes([kinds.REFUSED, kinds.CROWDED])] * 2


def test_exchanges_that_never_finish_take_no_place_from_one_that_does(tmp_path: Path) -> None:
    at, page = door(tmp_path), staff.begin(PIN, HOST)
    proved = page.proved(at.answer(page.body, 0))
    assert proved is not None
    for second in range(60):
        begin_many(at, SHARES.at_once, second * SECOND)
    assert at.answer(proved[1], EXCHANGE_NS)[0] == kinds.PROVE


def test_a_busy_door_has_a_number_too_and_it_passes_the_strangers(tmp_path: Path) -> None:
    at = door(tmp_path)
    begin_many(at, FEW_OPEN)
    assert at.invite(0) == "", "one or two are the staff's own"
    begin_many(at, SHARES.at_once, 1)
    assert enter(at, 2) == refused(kinds.CROWDED)
    assert isinstance(enter(at, 2, PIN, at.invite(2)), StaffKeys)
    assert at.invite(EXCHANGE_NS + SECOND) == "", "what they began is too old"


def test_wrong_pins_with_a_number_count_at_a_busy_door_as_at_a_shut_one(tmp_path: Path) -> None:
    at = door(tmp_path)
    for _ in range(AT_TABLE.at_once):
        begin_many(at, SHARES.at_once)
        assert enter(at, 0, "111111", at.invite(0)) == refused(kinds.WRONG_PIN)
    assert at.invite(0) == ""


def test_a_proof_counts_once_and_not_for_ever(tmp_path: Path) -> None:
    at, page = door(tmp_path), staff.begin(PIN, HOST)
    proved = page.proved(at.answer(page.body, 0))
    assert proved is not None
    assert at.answer(proved[1], EXCHANGE_NS + 1)[:2] == bytes([kinds.REFUSED, kinds.LOG_IN])
    assert at.answer(proved[1], 1)[:2] == bytes([kinds.REFUSED, kinds.LOG_IN])
    assert at.answer(page.body, 2)[0] == kinds.SHARE, "its session id is free again"


def test_no_more_than_four_pages_are_open(tmp_path: Path) -> None:
    at = door(tmp_path)
    pages = [enter(at, number * SECOND) for number in range(MOST_PAGES + 1)]
    alive = [at.answer(staff.seal_ask(keys, 1, b""), 9 * SECOND)[0] for keys in pages if isinstance(keys, StaffKeys)]
    assert alive == [kinds.REFUSED, *[kinds.SEALED] * MOST_PAGES]


def test_a_station_without_a_pin_has_no_door(tmp_path: Path) -> None:
    assert enter(door(tmp_path, pin=""), 0, "") == refused(kinds.NO_STAFF_PAGE)


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
