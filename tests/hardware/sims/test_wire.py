from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bus import Read, Transaction, Write, wire_bits
from hardware.sims.clock import VirtualClock
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import LineHeld, SimWire
from tests.hardware.sims.rig import Echo


def wired(speed_hz: int = 100_000) -> tuple[VirtualClock, SimWire]:
    clock = VirtualClock()
    return clock, SimWire(clock, speed_hz)


def run(wire: SimWire, transaction: Transaction) -> None:
    for part in transaction:
        assert wire.start(part.address, isinstance(part, Read))
        if isinstance(part, Read):
            for _ in range(part.length):
                wire.read()
        else:
            for byte in part.data:
                assert wire.write(byte)
    wire.stop()


@pytest.mark.parametrize(
    ("transaction", "bits"),
    [
        ((Write(0x36, b"\x0c"), Read(0x36, 2)), 48),  # S 9 9 Sr 9 9 9 P = 1 + 18 + 1 + 27 + 1
        ((Read(0x36, 2),), 29),  # S 9 9 9 P = 1 + 27 + 1
        ((Write(0x36, b"\x08"),), 20),  # S 9 9 P = 1 + 18 + 1
        ((Read(0x36, 3),), 38),
        ((Write(0x36, bytes(129)),), 1172),  # a page of 128 and its control byte: 1 + 9 * 130 + 1
    ],
)
def test_golden_bit_counts(transaction: Transaction, bits: int) -> None:
    clock, wire = wired()
    wire.trunk.hang(Echo(clock, 0x36))
    run(wire, transaction)
    assert wire.bits == bits
    assert clock.now_ns() == bits * 10_000 + 4_700
    assert wire.busy_ns == clock.now_ns()


@pytest.mark.parametrize(
    ("speed_hz", "bit_ns", "free_ns"),
    [
        (62_500, 16_000, 4_700),
        (100_000, 10_000, 4_700),
        (250_000, 4_000, 1_300),
        (400_000, 2_500, 1_300),
        (1_000_000, 1_000, 500),
    ],
)
def test_a_mux_select_and_a_sticky_read_take_49_bits_and_two_pauses(speed_hz: int, bit_ns: int, free_ns: int) -> None:
    clock, wire = wired(speed_hz)
    wire.trunk.hang(Echo(clock, 0x70))
    wire.trunk.hang(Echo(clock, 0x36))
    run(wire, (Write(0x70, b"\x01"),))
    run(wire, (Read(0x36, 2),))
    assert clock.now_ns() == 49 * bit_ns + 2 * free_ns
    assert wire.transactions == 2


parts = st.one_of(
    st.builds(Write, st.just(0x36), st.binary(max_size=20)), st.builds(Read, st.just(0x36), st.integers(0, 20))
)


@settings(deadline=None)
@given(
    st.lists(st.lists(parts, min_size=1, max_size=5).map(tuple), max_size=6),
    st.sampled_from([100_000, 400_000, 1_000_000]),
)
def test_the_wire_and_the_bus_contract_count_the_same_bits(transactions: list[Transaction], speed_hz: int) -> None:
    clock, wire = wired(speed_hz)
    wire.trunk.hang(Echo(clock, 0x36))
    for transaction in transactions:
        run(wire, transaction)
    assert wire.bits == sum(map(wire_bits, transactions))
    assert clock.now_ns() == wire.busy_ns


def test_chips_see_the_time_of_their_bit() -> None:
    clock, wire = wired()
    chip = Echo(clock, 0x36, answer=0xA5)
    wire.trunk.hang(chip)
    run(wire, (Write(0x36, b"\x0c"), Read(0x36, 2)))
    assert chip.seen == [
        ("write", 0, 100_000),  # acknowledges at the end of START and address
        ("byte", 0x0C, 190_000),
        ("read", 0, 290_000),  # repeated START and address
        ("out", 0xA5, 290_000),  # begins to shift the first byte out
        ("out", 0xA5, 380_000),
        ("stop", 0, 480_000),
        ("stop", 0, 480_000),
    ]


def test_an_absent_chip_does_not_acknowledge() -> None:
    clock, wire = wired()
    assert not wire.start(0x36, reading=False)
    wire.stop()
    assert wire.bits == 11
    assert clock.now_ns() == 11 * 10_000 + 4_700


@settings(deadline=None)
@given(st.lists(st.integers(0, 255), min_size=1, max_size=5))
def test_chips_that_answer_together_are_a_wired_and(answers: list[int]) -> None:
    clock, wire = wired()
    for answer in answers:
        wire.trunk.hang(Echo(clock, 0x36, answer))
    wire.start(0x36, reading=True)
    expected = 0xFF
    for answer in answers:
        expected &= answer
    assert wire.read() == expected


def test_one_acknowledge_is_enough() -> None:
    clock, wire = wired()
    wire.trunk.hang(Echo(clock, 0x36, accepts=0))
    willing = Echo(clock, 0x36)
    wire.trunk.hang(willing)
    wire.start(0x36, reading=False)
    assert wire.write(1)
    wire.trunk.remove(willing)
    wire.stop()
    wire.start(0x36, reading=False)
    assert not wire.write(1)


def test_a_chip_that_was_removed_is_silent() -> None:
    clock, wire = wired()
    chip = Echo(clock, 0x36)
    mux = Tca9548aTwin()
    wire.trunk.hang(mux)
    mux.channels[0].hang(chip)
    run(wire, (Write(0x70, b"\x01"),))
    assert wire.start(0x36, reading=True)
    wire.stop()
    wire.trunk.remove(mux)
    assert not wire.start(0x36, reading=True)
    assert not wire.start(0x70, reading=True)
    with pytest.raises(ValueError, match="not in list"):
        wire.trunk.remove(chip)


def test_a_held_line_lets_no_start_through_and_costs_no_bits() -> None:
    clock, wire = wired()
    wire.trunk.hang(Echo(clock, 0x36))
    wire.trunk.held = True
    with pytest.raises(LineHeld, match="trunk"):
        wire.start(0x36, reading=True)
    wire.give_up(1_000_000)
    assert (wire.bits, wire.timeouts, clock.now_ns()) == (0, 1, 1_000_000)


def test_slowness_changes_every_bit_and_the_totals_stay_right() -> None:
    clock, wire = wired(400_000)
    wire.trunk.hang(Echo(clock, 0x36))
    run(wire, (Read(0x36, 2),))
    assert clock.now_ns() == 29 * 2_500 + 1_300
    wire.set_slowness(0.625)
    run(wire, (Read(0x36, 2),))
    assert clock.now_ns() == 29 * (2_500 + 4_000) + 2 * 1_300
    wire.set_slowness(0.5)
    run(wire, (Read(0x36, 2),))
    assert clock.now_ns() == 29 * (2_500 + 4_000 + 5_000) + 3 * 1_300
    assert wire.busy_ns == clock.now_ns()


@pytest.mark.parametrize("speed_hz", [0, -1, 1_000_001])
def test_impossible_speeds_are_refused(speed_hz: int) -> None:
    with pytest.raises(ValueError, match=f"^a wire runs at 1 to 1000000 Hz, not at {speed_hz} Hz$"):
        SimWire(VirtualClock(), speed_hz)


@pytest.mark.parametrize("factor", [0, 1.01, -0.5])
def test_impossible_slowness_is_refused(factor: float) -> None:
    _, wire = wired()
    with pytest.raises(ValueError, match=f"^a wire runs at more than 0 and up to 1 times its speed, not {factor}$"):
        wire.set_slowness(factor)
