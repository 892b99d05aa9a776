"""The order of a scan, its cost, and dials that cannot be scanned together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hardware.chips.as5600 import As5600
from hardware.chips.dial_chip import DialChip, ReadMode
from hardware.chips.tca9548a import trunk_of
from hardware.scan import Scan
from hardware.scan_plan import RunPlan, ScanDial, Slot, build, in_order, new_slot, problems
from tests.hardware.table import Table

SELECT, QUICK = 20, 29


@pytest.mark.parametrize(
    ("dials", "muxed", "bits", "transactions"),
    [
        (1, False, QUICK, 1),
        (1, True, QUICK, 1),  # its channel stays open
        (8, True, 8 * (SELECT + QUICK), 16),  # one mux: no deselect
        (16, True, 16 * (SELECT + QUICK) + 2 * SELECT, 34),  # two: each is left once
        (64, True, 64 * (SELECT + QUICK) + 8 * SELECT, 136),
    ],
)
def test_the_wires_own_limit(dials: int, muxed: bool, bits: int, transactions: int) -> None:
    scan = Table(dials, muxed=muxed).scan
    assert scan.wire_bits_per_scan() == bits
    assert scan.transactions_per_scan() == transactions


def test_a_scan_costs_exactly_that_limit() -> None:
    table = Table(16).settled()
    costs = sorted(table.cost_of_scan()[0] for _ in range(9))
    assert costs[4] == table.scan.wire_bits_per_scan()


def test_dials_are_read_in_the_order_of_their_wires_and_reported_in_the_order_given() -> None:
    table = Table(3)
    chips = table.chips
    scan = Scan("bus", [ScanDial(name, chips[n]) for name, n in (("far", 2), ("near", 0), ("mid", 1))], table.clock)
    assert scan.dials == ("far", "near", "mid")
    assert [slot.name for slot in slots_of([chips[2], chips[0], chips[1]])] == ["T1", "T2", "T0"]


def test_clashes_are_all_named_at_once() -> None:
    table, other = Table(2), Table(1, muxed=False)
    dials = [
        ScanDial("A", table.chips[0]),
        ScanDial("A", table.chips[1]),
        ScanDial("B", table.chips[0]),
        ScanDial("C", As5600(table.bus)),
        ScanDial("D", other.chips[0]),
    ]
    assert problems(dials) == [
        "dial A is listed twice",
        "the dials of one scan must be on one bus",
        "two dials have the same place: simulated /dev/i2c-1 mux 0x70 channel 0, chip 0x36",
        "two dials have the same place: simulated /dev/i2c-1, chip 0x36",
        "chip 0x36 on the trunk would answer together with every one behind a mux",
    ]
    with pytest.raises(ValueError, match=r"^/dev/i2c-1: dial A is listed twice; the dials of"):
        Scan("/dev/i2c-1", dials, table.clock)


def test_the_dials_of_one_mux_share_one_call_if_the_adapter_can() -> None:
    table = Table(16, "i2c-gpio").settled()
    calls = []
    for _ in range(9):
        before = table.adapter.calls
        table.scan.scan()
        calls.append(table.adapter.calls - before)
    assert min(calls) == 4  # twice: close the other mux, then select and read eight times


def slots_of(chips: Sequence[DialChip]) -> Sequence[Slot]:
    return in_order([new_slot(n, ScanDial(f"T{n}", chip)) for n, chip in enumerate(chips)])


def plans(table: Table, mode: ReadMode = ReadMode.QUICK) -> list[RunPlan]:
    slots = slots_of(table.chips)
    return build(table.bus, trunk_of(table.bus), slots, [mode] * len(slots), table.clock)


def test_a_run_over_several_channels_selects_its_first_channel() -> None:
    for plan in plans(Table(2).settled()):
        assert plan.selections[0] == 0
        assert plan.enter is not plan.leave


def test_a_single_channel_is_opened_beforehand_and_stays_open() -> None:
    for plan in plans(Table(1).settled()):
        assert plan.selections == []
        assert plan.enter is plan.leave


@pytest.mark.parametrize("deselect_between", [False, True])
def test_every_run_fits_into_one_call_so_that_it_can_be_repeated(deselect_between: bool) -> None:
    table = Table(8, "i2c-gpio")
    table.muxes[0].deselect_between = deselect_between
    table.settled()
    for mode in ReadMode:
        for plan in plans(table, mode):
            calls = table.adapter.calls
            plan.run()
            assert table.adapter.calls - calls == 1
            assert plan.selections[0] == 0
