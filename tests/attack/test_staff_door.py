"""Strangers in the Wi-Fi who begin exchanges at the staff's door and never finish one keep no staff out."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.pages import staff_kinds as kinds
from pi_app.pages.messages import ANSWER_BYTES, Invited, packed
from tests.attack.staff_wifi import STAFF, BeginsOnly, StaffWifi, in_wifi

TRIES = 40
STEP_S = 0.25


async def besieged(wifi: StaffWifi, strangers: BeginsOnly, seconds: float) -> None:
    """Strangers ask four times a second each."""
    for _ in range(int(seconds / STEP_S)):
        wifi.wait(STEP_S)
        await strangers.ask()


@pytest.mark.slow
@pytest.mark.parametrize("moves", [False, True], ids=["one phone", "another phone each time"])
def test_a_right_pin_gets_in_each_time_while_five_addresses_begin_and_never_finish(tmp_path: Path, moves: bool) -> None:
    async def work(wifi: StaffWifi) -> int:
        strangers = BeginsOnly(wifi, [f"10.77.0.{number}" for number in range(10, 15)])
        got_in = 0
        for number in range(TRIES):
            await besieged(wifi, strangers, 5)
            got_in += await wifi.enter(
                f"10.77.1.{number}" if moves else STAFF, meanwhile=lambda: besieged(wifi, strangers, 2)
            )
        return got_in

    assert in_wifi(tmp_path, work) == TRIES


def test_the_number_lets_the_staff_in_past_three_hundred_addresses(tmp_path: Path) -> None:
    async def work(wifi: StaffWifi) -> tuple[bool, bool]:
        strangers = BeginsOnly(wifi, [f"10.77.{number // 200}.{number % 200}" for number in range(300)])
        few = BeginsOnly(wifi, [f"10.77.2.{number}" for number in range(20)])
        for kind in (kinds.SHARE, kinds.SHARE_AT_TABLE):
            await strangers.ask(kind)
            wifi.wait(6)
        await strangers.ask()
        without = await wifi.enter(STAFF)
        number = wifi.door.invite(wifi.now_ns)
        wifi.table.data_received(packed(Invited(int(number))))
        return without, await wifi.enter(STAFF, number=number, meanwhile=lambda: besieged(wifi, few, 2))

    assert in_wifi(tmp_path, work) == (False, True)


def test_strangers_without_an_exchange_keep_the_staff_from_nothing(tmp_path: Path) -> None:
    async def work(wifi: StaffWifi) -> bool:
        strangers = BeginsOnly(wifi, [f"10.77.0.{number}" for number in range(10, 60)])
        for kind in (kinds.PROVE, kinds.SEALED, 77):
            await strangers.ask(kind)
        return await wifi.enter(STAFF, meanwhile=lambda: strangers.ask(kinds.SEALED))

    assert in_wifi(tmp_path, work)


@pytest.mark.slow
def test_the_table_computes_no_more_than_once_a_second_whatever_strangers_begin(tmp_path: Path) -> None:
    async def work(wifi: StaffWifi) -> int:
        strangers = BeginsOnly(wifi, [f"10.77.1.{number}" for number in range(60)])
        for _ in range(60):
            await strangers.ask()
            wifi.wait(1)
        return sum(answer[:1] == bytes([kinds.SHARE]) for answer in strangers.answers)

    assert in_wifi(tmp_path, work) <= 12 + 60


def test_who_is_kept_waiting_reads_what_to_do(tmp_path: Path) -> None:
    async def work(wifi: StaffWifi) -> tuple[int, set[bytes]]:
        strangers = BeginsOnly(wifi, ["10.77.0.9"])
        for _ in range(10):
            await strangers.ask()
        return wifi.asked, {answer[:2] for answer in strangers.answers[3:] if len(answer) == ANSWER_BYTES}

    assert in_wifi(tmp_path, work) == (3, {bytes([kinds.REFUSED, kinds.CROWDED])})
