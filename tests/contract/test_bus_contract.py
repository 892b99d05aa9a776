"""What every bus owes its users, asked of each: the four kinds of simulated controller, a mux channel, a
recording, a replayed tape, and (marked `wired`) a real one with an AS5600 on it.

To run it on a Pi: `TRAPDIAL_BUS=/dev/i2c-1 pytest -m wired tests/contract`.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from hardware.bus import Bus, Read, Transaction, Write
from hardware.bus_linux import LinuxBus
from hardware.chips.tca9548a import Tca9548a
from hardware.errors import HardwareError, NoAnswer
from hardware.i2c_device import open_adapter
from hardware.sims.adapter import SimAdapter
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import SimWire
from tests.hardware.tape import RecordingBus, TapeBus

CHIP, NOBODY = 0x36, 0x0B
STATUS: Transaction = (Write(CHIP, b"\x0b"), Read(CHIP, 1))
POINT: Transaction = (Write(CHIP, b"\x0c"),)
ANGLE: Transaction = (Read(CHIP, 2),)
SILENT: Transaction = (Read(NOBODY, 1),)

Talk = Callable[[Bus], None]


# --- the contract


def a_read_gives_as_many_bytes_as_were_asked_for(bus: Bus) -> None:
    for length in (1, 2, 3):
        assert len(bus.transfer((Write(CHIP, b"\x0b"), Read(CHIP, length)))) == length


def a_write_gives_no_bytes(bus: Bus) -> None:
    assert bus.transfer(POINT) == b""


def nobody_at_an_address_is_no_answer_and_the_bus_goes_on(bus: Bus) -> None:
    for _ in range(2):
        with pytest.raises(NoAnswer):
            bus.transfer(SILENT)
        assert len(bus.transfer(STATUS)) == 1


def a_prepared_sequence_gives_one_outcome_per_transaction_each_time(bus: Bus) -> None:
    run = bus.prepare([POINT, ANGLE, STATUS])
    for _ in range(3):
        assert [len(outcome) for outcome in run() if isinstance(outcome, bytes)] == [0, 2, 1]


def a_prepared_failure_is_an_outcome_and_leaves_the_others_alone(bus: Bus) -> None:
    run = bus.prepare([STATUS, SILENT, POINT, ANGLE])
    for _ in range(2):
        status, silent, point, angle = run()
        assert isinstance(silent, NoAnswer)
        assert isinstance(status, bytes)
        assert point == b""
        assert isinstance(angle, bytes)


def a_sequence_may_be_longer_than_one_call(bus: Bus) -> None:
    outcomes = bus.prepare([POINT, *[ANGLE] * 90])()
    assert len(outcomes) == 91
    assert not [outcome for outcome in outcomes if isinstance(outcome, HardwareError)]


def illegal_transactions_are_our_own_mistake(bus: Bus) -> None:
    for illegal in (
        (),
        (Read(CHIP, 1), Read(CHIP, 1)),
        (Read(CHIP, 1), Write(CHIP, b"\x0c")),
        (Write(CHIP, b"\x0c"),) * 43,
    ):
        with pytest.raises(ValueError, match="transaction"):
            bus.transfer(illegal)
        with pytest.raises(ValueError, match="transaction"):
            bus.prepare([STATUS, illegal])


def it_has_a_name_and_messages_say_it(bus: Bus) -> None:
    assert bus.name
    with pytest.raises(NoAnswer) as caught:
        bus.transfer(SILENT)
    assert bus.name in str(caught.value)
    assert f"chip 0x{NOBODY:02X}" in str(caught.value)


CONTRACT: tuple[Talk, ...] = (
    a_read_gives_as_many_bytes_as_were_asked_for,
    a_write_gives_no_bytes,
    nobody_at_an_address_is_no_answer_and_the_bus_goes_on,
    a_prepared_sequence_gives_one_outcome_per_transaction_each_time,
    a_prepared_failure_is_an_outcome_and_leaves_the_others_alone,
    a_sequence_may_be_longer_than_one_call,
    illegal_transactions_are_our_own_mistake,
    it_has_a_name_and_messages_say_it,
)
EVERY_CLAUSE = pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: clause.__name__)


# --- the implementations


def simulated(kind: str) -> LinuxBus:
    clock = VirtualClock()
    wire = SimWire(clock)
    wire.trunk.hang(As5600Twin(clock, lambda _ns: 1234))
    return LinuxBus(SimAdapter(wire, clock, kind))


def behind_a_mux(kind: str) -> Bus:
    clock = VirtualClock()
    wire = SimWire(clock)
    mux = Tca9548aTwin()
    wire.trunk.hang(mux)
    mux.channels[3].hang(As5600Twin(clock, lambda _ns: 1234))
    return Tca9548a(LinuxBus(SimAdapter(wire, clock, kind))).channel(3)


@EVERY_CLAUSE
@pytest.mark.parametrize("kind", ["bcm2835", "designware", "i2c-gpio", "virtio"])
@pytest.mark.parametrize("make", [simulated, behind_a_mux])
def test_simulated_buses(clause: Talk, make: Callable[[str], Bus], kind: str) -> None:
    clause(make(kind))


@EVERY_CLAUSE
@pytest.mark.parametrize("kind", ["bcm2835", "i2c-gpio"])
def test_a_recording_and_its_replay(clause: Talk, kind: str) -> None:
    tape: list[str] = []
    clause(RecordingBus(simulated(kind), tape.append))
    replay = TapeBus(tape)
    clause(replay)
    replay.finish()


@pytest.mark.wired
@pytest.mark.skipif(
    "TRAPDIAL_BUS" not in os.environ,
    reason="needs an AS5600 on a real bus: TRAPDIAL_BUS=/dev/i2c-1 pytest -m wired tests/contract",
)
@EVERY_CLAUSE
def test_a_real_bus(clause: Talk) -> None:
    adapter = open_adapter(os.environ["TRAPDIAL_BUS"])
    try:
        clause(LinuxBus(adapter))
    finally:
        adapter.close()
