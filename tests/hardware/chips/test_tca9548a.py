"""The mux above its twin: golden bytes, and never two open channels."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bus import Outcome, Prepared, Read, Transaction, Write
from hardware.bus_linux import LinuxBus
from hardware.chips.tca9548a import Channel, Tca9548a, trunk_of
from hardware.errors import BusStuck, HardwareError, NoAnswer
from hardware.sims.adapter import SimAdapter
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import SimWire

ANGLE: Transaction = (Write(0x36, b"\x0c"), Read(0x36, 2))


class Log:
    """A bus in between that logs the traffic as short text."""

    def __init__(self, inner: LinuxBus) -> None:
        self.inner = inner
        self.log: list[str] = []

    @property
    def name(self) -> str:
        return self.inner.name

    def transfer(self, transaction: Transaction) -> bytes:
        self.log.append(_text(transaction))
        return self.inner.transfer(transaction)

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        inner = self.inner.prepare(transactions)

        def run() -> Sequence[Outcome]:
            self.log += map(_text, transactions)
            return inner()

        return run


def _text(transaction: Transaction) -> str:
    return " ".join(
        f"{m.address:02X}<{m.data.hex()}" if isinstance(m, Write) else f"{m.address:02X}>{m.length}"
        for m in transaction
    )


class Rig:
    """Two muxes at 0x70 and 0x71, an AS5600 on each of their channels 0 to 3, its angle identifying it."""

    def __init__(self, *, reset: bool = False, deselect_between: bool = False) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock)
        self.bus = Log(LinuxBus(SimAdapter(self.wire, self.clock, "bcm2835")))
        self.twins = [Tca9548aTwin(0x70), Tca9548aTwin(0x71)]
        for twin in self.twins:
            self.wire.trunk.hang(twin)
            for n in range(4):
                twin.channels[n].hang(As5600Twin(self.clock, self.angle(twin.address, n)))
        self.clock.advance(20_000_000)
        self.muxes = [
            Tca9548a(self.bus, twin.address, twin.reset if reset else None, deselect_between) for twin in self.twins
        ]

    @staticmethod
    def raw(address: int, channel: int) -> int:
        return (address & 1) * 2048 + channel * 300 + 7

    def angle(self, address: int, channel: int) -> Callable[[int], float]:
        return lambda _ns: self.raw(address, channel)

    def reads(self, channel: Channel) -> bool:
        """Whether the channel gives its own angle."""
        got = channel.transfer(ANGLE)
        return got[0] << 8 | got[1] == self.raw(channel.mux.address, channel.number)

    def open_channels(self) -> int:
        return sum(len(twin.open_segments) for twin in self.twins)


def test_a_channel_is_selected_once_and_replaced_by_one_write() -> None:
    rig = Rig()
    one, three = rig.muxes[0].channel(1), rig.muxes[0].channel(3)
    assert rig.reads(one)
    rig.bus.log.clear()
    for channel in (one, three, three, one):
        assert rig.reads(channel)
    assert rig.bus.log == ["36<0c 36>2", "70<08", "36<0c 36>2", "36<0c 36>2", "70<02", "36<0c 36>2"]


def test_what_another_program_left_open_is_closed_first() -> None:
    rig = Rig()
    rig.twins[1].join(0x0F)
    assert rig.reads(rig.muxes[0].channel(0))
    assert rig.bus.log[:2] == ["71<00", "70<01"]


def test_leaving_a_mux_closes_it_before_the_next_one_opens() -> None:
    rig = Rig()
    rig.reads(rig.muxes[0].channel(0))
    rig.bus.log.clear()
    assert rig.reads(rig.muxes[1].channel(2))
    assert rig.reads(rig.muxes[0].channel(0))
    assert rig.bus.log == ["70<00", "71<04", "36<0c 36>2", "71<00", "70<01", "36<0c 36>2"]


def test_some_boards_need_a_deselect_between_two_channels() -> None:
    rig = Rig(deselect_between=True)
    rig.reads(rig.muxes[0].channel(1))
    rig.bus.log.clear()
    rig.reads(rig.muxes[0].channel(2))
    assert rig.bus.log == ["70<00", "70<04", "36<0c 36>2"]
    trunk = trunk_of(rig.bus)
    assert [_text(route) for route in trunk.route(rig.muxes[0].channel(1), rig.muxes[0].channel(2))] == [
        "70<00",
        "70<04",
    ]


def test_prepared_runs_select_too_and_keep_it() -> None:
    rig = Rig()
    run = rig.muxes[0].channel(1).prepare([ANGLE, (Read(0x36, 2),)])
    rig.muxes[1].channel(0).transfer(ANGLE)
    rig.bus.log.clear()
    assert run() == run()
    assert rig.bus.log == ["71<00", "70<02", *["36<0c 36>2", "36>2"] * 2]


def test_if_the_channel_cannot_be_opened_nothing_else_is_sent() -> None:
    rig = Rig()
    run = rig.muxes[0].channel(1).prepare([(Write(0x36, b"\x07\x02\x04"),), ANGLE])
    rig.reads(rig.muxes[0].channel(2))
    rig.muxes[0].forget()
    rig.twins[0].powered = False  # silent, and still joined
    rig.bus.log.clear()
    outcomes = run()
    assert [type(outcome) for outcome in outcomes] == [NoAnswer, NoAnswer]
    assert rig.bus.log == ["70<02"]
    assert str(outcomes[0]) == (
        "mux 0x70 (simulated /dev/i2c-1, on the way to mux 0x70 channel 1) gave no answer (errno 121). "
        "Check the mux's plug and its power first, then its straps A0 to A2, and that RESET is pulled up to 3.3 V."
    )


def test_a_silent_chip_is_named_by_its_channel_and_invalidates_the_selection() -> None:
    rig = Rig()
    channel = rig.muxes[0].channel(6)
    with pytest.raises(NoAnswer) as caught:
        channel.transfer(ANGLE)
    assert str(caught.value) == (
        "chip 0x36 (simulated /dev/i2c-1 mux 0x70 channel 6) gave no answer (errno 121). "
        "Check its plug, then its power, then SDA and SCL."
    )
    rig.bus.log.clear()
    with pytest.raises(NoAnswer):
        channel.transfer(ANGLE)
    assert rig.bus.log == ["70<40", "36<0c 36>2"]


def test_after_a_failed_selection_every_mux_is_written_again() -> None:
    rig = Rig()
    rig.reads(rig.muxes[0].channel(0))
    rig.twins[1].unplug()
    with pytest.raises(NoAnswer):
        rig.reads(rig.muxes[1].channel(0))
    rig.twins[1].plug_in()
    rig.bus.log.clear()
    assert rig.reads(rig.muxes[0].channel(0))
    assert rig.bus.log == ["71<00", "70<01", "36<0c 36>2"]


def test_a_missing_mux_costs_the_others_one_verification() -> None:
    rig = Rig()
    rig.twins[1].unplug()
    for _ in range(3):
        assert rig.reads(rig.muxes[0].channel(0))
    assert rig.bus.log == ["71<00", "70<00", "36>1", "70<01", *["36<0c 36>2"] * 3]


def test_a_silent_mux_with_an_open_channel_is_detected() -> None:
    rig = Rig()
    rig.reads(rig.muxes[1].channel(3))
    rig.twins[1].powered = False  # it does not answer any more, and its channel stays joined
    with pytest.raises(BusStuck) as caught:
        rig.reads(rig.muxes[0].channel(0))
    assert str(caught.value) == (
        "mux 0x71 (simulated /dev/i2c-1) does not answer, yet one of its channels is open. Wire the mux's "
        "RESET pin, or switch its power off and on: until then nothing can be read safely beside it."
    )


def test_the_register_can_be_read_back() -> None:
    rig = Rig()
    rig.reads(rig.muxes[0].channel(3))
    rig.muxes[0].verify()
    rig.twins[0].join(0x28)
    with pytest.raises(BusStuck) as caught:
        rig.muxes[0].verify()
    assert str(caught.value) == (
        "mux 0x70 (simulated /dev/i2c-1) has channels 3 and 5 open instead of channel 3. Wire the "
        "mux's RESET pin, or switch its power off and on: until then nothing can be read safely beside it."
    )
    rig.muxes[0].deselect()
    rig.muxes[0].verify()
    assert rig.open_channels() == 0


def test_a_reset_pulse_forgets_what_was_selected() -> None:
    rig = Rig(reset=True)
    rig.reads(rig.muxes[0].channel(3))
    assert rig.muxes[0].pulse_reset()
    assert rig.open_channels() == 0
    rig.bus.log.clear()
    assert rig.reads(rig.muxes[0].channel(3))
    assert rig.bus.log == ["70<08", "36<0c 36>2"]


def test_reset_frees_a_hung_channel() -> None:
    rig = Rig(reset=True)
    rig.twins[0].channels[0].held = True
    with pytest.raises(BusStuck):
        rig.reads(rig.muxes[0].channel(0))
    assert trunk_of(rig.bus).recover()
    assert rig.reads(rig.muxes[0].channel(1))


def test_without_reset_there_is_nothing_to_pulse() -> None:
    rig = Rig()
    assert not trunk_of(rig.bus).recover()
    assert not rig.muxes[0].pulse_reset()


def test_impossible_arguments_are_refused() -> None:
    rig = Rig()
    upper = rig.muxes[0].channel(0)
    refusals: dict[str, Callable[[], object]] = {
        "a TCA9548A has an address from 0x70 to 0x77, not 0x36": lambda: Tca9548a(rig.bus, 0x36),
        "simulated /dev/i2c-1 already has a mux 0x71": lambda: Tca9548a(rig.bus, 0x71),
        "mux 0x72 is on simulated /dev/i2c-1 mux 0x70 channel 0: a mux behind a mux is not supported; "
        "put it on the trunk with its own address": lambda: Tca9548a(upper, 0x72),
        "mux 0x70 has channels 0 to 7, not -1": lambda: rig.muxes[0].channel(-1),
        "mux 0x70 has channels 0 to 7, not 8": lambda: rig.muxes[0].channel(8),
        "simulated /dev/i2c-1 mux 0x70 channel 0: a mux is not addressed through a channel": lambda: upper.transfer(
            (Write(0x71, b"\x00"),)
        ),
    }
    for words, attempt in refusals.items():
        with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
            attempt()
    assert rig.bus.log == []


def test_a_channel_is_the_same_bus_every_time() -> None:
    rig = Rig()
    assert rig.muxes[0].channel(2) is rig.muxes[0].channel(2)
    assert rig.muxes[0].channel(2).name == "simulated /dev/i2c-1 mux 0x70 channel 2"


@pytest.mark.slow
def test_buses_and_their_muxes_are_garbage_collected() -> None:
    rig = Rig()
    gone = weakref.ref(rig.bus)
    del rig
    gc.collect()
    assert gone() is None


def right_or_silent(rig: Rig, channel: Channel) -> bool:
    """Whether the result is right or an allowed failure: one after a power cycle, a second only while a mux is off."""
    for last_try in (False, True):
        try:
            return rig.reads(channel)
        except HardwareError:
            if last_try and all(twin.powered for twin in rig.twins):
                raise
    return True


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["read", "unplug", "plug_in", "reset", "leave_open"]), st.integers(0, 1), st.integers(0, 3)
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(MOVES)
def test_whatever_happens_an_answer_comes_from_the_selected_channel(moves: list[tuple[str, int, int]]) -> None:
    rig = Rig(reset=True)
    for what, mux, channel in moves:
        match what:
            case "read":
                assert right_or_silent(rig, rig.muxes[mux].channel(channel))
                assert rig.open_channels() <= 1
            case "unplug":
                rig.twins[mux].unplug()
            case "plug_in":
                rig.twins[mux].plug_in()
            case "reset":
                rig.muxes[mux].pulse_reset()
            case "leave_open":  # as another program might, before ours restarts
                rig.twins[mux].join(1 << channel if rig.twins[mux].powered else 0)
                trunk_of(rig.bus).forget()
