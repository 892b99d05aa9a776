"""The AS5600L: it gets its address, loses it with its power, and gets it back only if there is no doubt."""

from __future__ import annotations

import pytest

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600l import As5600L
from hardware.chips.dial_chip import start_up
from hardware.chips.tca9548a import Tca9548a
from hardware.errors import NoAnswer, WrongChip
from hardware.readings import Reading
from hardware.scan import Scan, ScanDial
from hardware.sims.adapter import SimAdapter
from hardware.sims.as5048b import As5048bTwin
from hardware.sims.as5600l import As5600LTwin
from hardware.sims.clock import VirtualClock
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import SimWire
from tests.contract.encoders import Stranger, still


class Line:
    """AS5600L on one line, to be moved to these addresses; the n-th dial is at 100 n."""

    def __init__(self, *addresses: int) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock)
        self.bus = LinuxBus(SimAdapter(self.wire, self.clock))
        self.twins = [As5600LTwin(self.clock, still(100.0 * n)) for n in range(1, len(addresses) + 1)]
        self.chips = [
            As5600L(self.bus, address, [other for other in addresses if other != address]) for address in addresses
        ]
        self.clock.advance(50_000_000)

    def plug(self, n: int) -> None:
        self.wire.trunk.hang(self.twins[n])

    def start(self, n: int) -> None:
        start_up(self.chips[n], self.clock)

    def refusal(self, n: int) -> str:
        with pytest.raises(WrongChip) as refused:
            self.start(n)
        return str(refused.value)

    def angle(self, n: int) -> int:
        verdict = self.chips[n].read_now(self.clock.now_ns())
        assert isinstance(verdict, Reading)
        return verdict.raw


def test_the_address_is_written_as_the_datasheet_says() -> None:
    line = Line(0x41)
    line.plug(0)
    line.start(0)
    assert line.twins[0].address == 0x41
    assert line.bus.transfer(line.chips[0].ask(0x20, 2)) == b"\x82\x82"
    assert line.angle(0) == 100
    assert line.twins[0].burn_commands == []


def test_a_chip_that_stays_at_0x40_is_not_written_to() -> None:
    line = Line(0x40)
    line.plug(0)
    line.start(0)
    assert (line.twins[0].address, line.angle(0)) == (0x40, 100)


def test_a_chip_at_its_address_is_left_there() -> None:
    line = Line(0x41)
    line.plug(0)
    line.start(0)
    line.chips[0].forget()
    line.start(0)
    assert (line.twins[0].address, line.angle(0)) == (0x41, 100)


def test_two_are_distinguished_if_plugged_in_one_after_the_other() -> None:
    line = Line(0x41, 0x42)
    line.plug(0)
    assert line.refusal(0) == (
        "chip 0x41 (simulated /dev/i2c-1) does not answer, and neither does the AS5600L 0x42: the one that answers at "
        "0x40 could be any of them. Give each a mux channel of its own, or plug them in one after the other."
    )
    assert line.twins[0].address == 0x40


def test_the_second_of_two_is_found_again_while_the_first_has_its_address() -> None:
    line = Line(0x41, 0x42)
    line.plug(0)
    line.twins[0].move_to(0x41)
    line.plug(1)
    line.start(1)
    line.start(0)
    assert [line.angle(0), line.angle(1)] == [100, 200]
    line.twins[1].plug_in()
    line.clock.advance(50_000_000)
    line.chips[1].forget()
    line.start(1)
    assert [line.angle(0), line.angle(1)] == [100, 200]


def test_two_that_both_lost_their_power_are_left_alone() -> None:
    line = Line(0x41, 0x42)
    for n in (0, 1):
        line.plug(n)
    assert "could be any of them" in line.refusal(0)
    assert "could be any of them" in line.refusal(1)
    assert [twin.address for twin in line.twins] == [0x40, 0x40]


def test_none_may_stay_at_0x40_beside_another() -> None:
    for addresses in ((0x40, 0x41), (0x41, 0x40)):
        with pytest.raises(ValueError, match="every AS5600L wakes up at 0x40; none may stay there beside another"):
            Line(*addresses)


@pytest.mark.parametrize("answers", [(0xFF,), (0x11, 0x04), (0x39, 0x9F)], ids=["idle line", "PCA9685", "INA219"])
def test_another_chip_at_0x40_is_never_written_to(answers: tuple[int, ...]) -> None:
    line = Line(0x41)
    stranger = Stranger(0x40, answers)
    line.wire.trunk.hang(stranger)
    assert line.refusal(0) == (
        "chip 0x41 (simulated /dev/i2c-1) does not answer, and the chip at 0x40 is no AS5600L that was just "
        "switched on. Check that an AS5600L is wired here and nothing else has the address 0x40."
    )
    assert {len(message) for message in stranger.heard} == {1}


def test_no_chip_at_either_address_is_no_answer() -> None:
    line = Line(0x41)
    with pytest.raises(NoAnswer, match="0x41"):
        line.start(0)


def test_an_as5048b_on_another_channel_is_no_neighbour() -> None:
    clock = VirtualClock()
    wire = SimWire(clock)
    mux_twin = Tca9548aTwin(0x70)
    wire.trunk.hang(mux_twin)
    mux = Tca9548a(LinuxBus(SimAdapter(wire, clock)), 0x70)
    mux_twin.channels[0].hang(As5048bTwin(clock, lambda _ns: 1.0))
    twin = As5600LTwin(clock, lambda _ns: 700.0)
    mux_twin.channels[1].hang(twin)
    clock.advance(50_000_000)
    start_up(As5600L(mux.channel(1), 0x41), clock)
    assert twin.address == 0x41


def test_in_a_scan_it_recovers_after_a_power_cut() -> None:
    line = Line(0x41)
    line.plug(0)
    scan = Scan("/dev/i2c-1", [ScanDial("T01", line.chips[0])], line.clock)

    def read_within(ms: int) -> Reading:
        until_ns = line.clock.now_ns() + ms * 1_000_000
        while not isinstance(sample := scan.scan()[0], Reading):
            assert line.clock.now_ns() < until_ns, sample
        return sample

    assert read_within(1000).raw == 100
    line.twins[0].plug_in()
    while isinstance(sample := scan.scan()[0], Reading):
        assert sample.raw == 100
    assert read_within(1000).raw == 100
    assert line.twins[0].address == 0x41
