"""Which part is blamed, and the advice: whole messages, above the twins."""

from __future__ import annotations

import pytest

from hardware.bus_linux import LinuxBus
from hardware.bus_recovery import NO_ACTIONS, RecoveryActions
from hardware.chips.as5600 import NEAR_LAST_COUNTS, As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.readings import Reading, Sample, Trouble, TroubleKind
from hardware.scan import Scan, ScanDial
from hardware.scan_words import listed
from hardware.sims import faults
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.table import tiles_on_mux
from hardware.sims.wire import SimWire

MS = 1_000_000


class Rig:
    """So many dials behind each mux; `reset`: whether RESET is wired; `held`: the trunk's data line is down."""

    def __init__(
        self, *muxes: int, reset: bool = True, held: bool = False, actions: RecoveryActions = NO_ACTIONS
    ) -> None:
        self.clock = VirtualClock()
        wire = SimWire(self.clock, 100_000)
        wire.trunk.held = held
        bus = LinuxBus(SimAdapter(wire, self.clock, "bcm2835"))
        made = [
            tiles_on_mux(wire, 0x70 + n, range(dials), seed=n, position=3, ideal=True)
            for n, dials in enumerate(muxes or (3,))
        ]
        self.tiles = [tile for each in made for tile in each.tiles]
        ours = [Tca9548a(bus, 0x70 + n, each.mux.reset if reset else None) for n, each in enumerate(made)]
        dials = [
            ScanDial(f"T{n}{tile.channel}", As5600(mux.channel(tile.channel)))
            for n, (mux, each) in enumerate(zip(ours, made, strict=True))
            for tile in each.tiles
        ]
        self.scan = Scan("main", dials, self.clock, actions=actions)
        self.run(300)
        assert (self.words() == {}) is not held

    def run(self, for_ms: int) -> None:
        until_ns = self.clock.now_ns() + for_ms * MS
        while self.clock.now_ns() < until_ns:
            began_ns = self.clock.now_ns()
            self.last: list[Sample] = list(self.scan.scan())
            self.clock.sleep_until(began_ns + 10 * MS)

    def words(self) -> dict[str, str]:
        """The message about each dial that is not read."""
        pairs = zip(self.scan.dials, self.last, strict=True)
        return {dial: sample.words for dial, sample in pairs if isinstance(sample, Trouble)}

    def readings(self) -> dict[str, Reading]:
        pairs = zip(self.scan.dials, self.last, strict=True)
        return {dial: sample for dial, sample in pairs if isinstance(sample, Reading)}

    def messages_after(self, fault: str, tile: int = 1, for_ms: int = 400) -> dict[str, str]:
        faults.strike(self.tiles[tile], fault)
        self.run(for_ms)
        return self.words()


HELD = (
    "bus main (simulated /dev/i2c-1) has been held down since {} was read, so T00, T01 and T02 cannot be read; it is "
)


def test_squares_are_listed_as_people_do() -> None:
    assert [listed(names) for names in (["A"], ["A", "B"], ["A", "B", "C"])] == ["A", "A and B", "A, B and C"]


@pytest.mark.parametrize("fault", ["stuck-low", "clock-held", "stuck-mid-byte"])
def test_a_tile_that_hangs_alone_is_named_with_its_plug(fault: str) -> None:
    assert Rig().messages_after(fault) == {
        "T01": "dial T01 (simulated /dev/i2c-1 mux 0x70 channel 1, chip 0x36) never ended a transfer (errno 110). It "
        "is set aside and retried now and then; the others are read without it. Pull the plug of T01, look for a "
        "short between its wires, and plug it in again."
    }


@pytest.mark.parametrize("fault", ["stuck-low", "clock-held"])
def test_without_reset_the_bus_is_held_and_the_message_names_where_it_began(fault: str) -> None:
    messages = Rig(reset=False).messages_after(fault)
    assert list(messages) == ["T00", "T01", "T02"]
    assert set(messages.values()) == {
        HELD.format("T01")
        + "retried automatically. Pull the plug of T01; if that does not help, unplug tile after tile."
    }


def test_a_mux_that_does_not_answer_blames_the_open_channel_first() -> None:
    assert set(Rig(reset=False).messages_after("mux-hung").values()) == {
        HELD.format("mux 0x70")
        + "retried automatically. Pull the plug of T02, whose channel was open then; if that does not help, switch the "
        "power of mux 0x70 off and on."
    }


def test_while_recovery_runs_the_message_asks_for_no_action() -> None:
    rig = Rig(reset=False, actions=RecoveryActions(clear=lambda: None))
    messages = [words for _ in range(40) for words in rig.messages_after("stuck-low", for_ms=10).values()]
    assert HELD.format("T01") + ("retried automatically. No action needed: automatic recovery is running.") in messages
    rig.run(5_000)
    assert rig.scan.given_up
    assert set(rig.words().values()) == {
        HELD.format("T01")
        + "retried automatically. Pull the plug of T01; if that does not help, unplug tile after tile."
    }


def test_a_bus_that_was_held_from_the_start_blames_no_dial() -> None:
    rig = Rig(reset=False, held=True)
    rig.run(500)
    assert set(rig.words().values()) == {
        "bus main (simulated /dev/i2c-1) is held down, so T00, T01 and T02 cannot be read; it is "
        "retried automatically. Unplug tile after tile until the bus comes back."
    }


def test_a_dial_that_hung_long_ago_is_not_blamed_for_a_new_hang() -> None:
    rig = Rig(reset=False)
    rig.messages_after("stuck-low", tile=0)
    faults.mend(rig.tiles[0], "stuck-low")
    rig.run(1_500)
    messages = rig.messages_after("stuck-low", tile=1)
    assert set(messages.values()) == {
        HELD.format("T01")
        + "retried automatically. Pull the plug of T01; if that does not help, unplug tile after tile."
    }


def test_a_silent_mux_has_one_message_for_its_own_dials() -> None:
    messages = Rig(3, 3).messages_after("mux-silent")
    assert list(messages) == ["T00", "T01", "T02"]
    assert set(messages.values()) == {
        "mux 0x70 (simulated /dev/i2c-1) gave no answer (errno 121), so T00, T01 and T02 cannot be read. Check the "
        "mux's plug and its power first, then its straps A0 to A2, and that RESET is pulled up to 3.3 V."
    }


@pytest.mark.parametrize(
    ("reset", "advice"),
    [
        (True, "Its RESET did not help: switch its power off and on, and if this stays, replace the mux."),
        (False, "Switch its power off and on, and wire its RESET pin: then the reset is automatic."),
    ],
)
def test_a_channel_that_stays_open_is_named_and_its_own_dial_plays_on(reset: bool, advice: str) -> None:
    messages = Rig(reset=reset).messages_after("two-channels-open", for_ms=2_500)
    assert list(messages) == ["T00", "T02"]
    assert set(messages.values()) == {
        f"mux 0x70 (simulated /dev/i2c-1) does not close channel 1 (T01), so T00 and T02 cannot be read. {advice}"
    }


@pytest.mark.parametrize("clicks", [(0, 1, 5, 2, 4, 6), (0, 0, 0, 0, 0, 0)], ids=["apart", "alike"])
def test_a_channel_that_another_mux_keeps_open_is_detected_before_any_angle_is_wrong(clicks: tuple[int, ...]) -> None:
    rig = Rig(3, 3)
    for tile, clicks_of_it in zip(rig.tiles, clicks, strict=True):
        tile.hand.turn(rig.clock.now_ns(), clicks_of_it)
    rig.run(3_000)
    before = {dial: sample.raw for dial, sample in rig.readings().items()}
    faults.strike(rig.tiles[1], "two-channels-open")
    for _ in range(800):
        rig.run(10)
        for dial, sample in rig.readings().items():
            assert abs(sample.raw - before[dial]) <= NEAR_LAST_COUNTS
    messages = rig.words()
    assert list(messages) == ["T00", "T02", "T10", "T11", "T12"]
    assert set(messages.values()) == {
        "mux 0x70 (simulated /dev/i2c-1) does not close channel 1 (T01), so T00, T02, T10, T11 and T12 cannot be read. "
        "Its RESET did not help: switch its power off and on, and if this stays, replace the mux."
    }
    faults.mend(rig.tiles[1], "two-channels-open")
    rig.run(1_000)
    assert rig.words() == {}


def test_a_kept_channel_is_detected_even_if_all_dials_agree() -> None:
    rig = Rig(1, 2)
    faults.strike(rig.tiles[0], "two-channels-open")
    rig.run(5_000)
    assert set(rig.words().values()) == {
        "mux 0x70 (simulated /dev/i2c-1) does not close channel 0 (T00), so T10 and T11 cannot be read. Its RESET "
        "did not help: switch its power off and on, and if this stays, replace the mux."
    }


def test_a_mux_that_does_not_switch_is_blamed_and_not_the_dials_plug() -> None:
    messages = Rig().messages_after("mux-not-switched", for_ms=2_500)
    assert list(messages) == ["T00", "T01", "T02"]
    assert set(messages.values()) == {
        "mux 0x70 (simulated /dev/i2c-1) acknowledges but does not switch: no channel is open, so T00, T01 and T02 "
        "cannot be read. Its RESET did not help: switch its power off and on, and if this stays, replace the mux."
    }


def test_an_unplugged_dial_is_blamed_alone() -> None:
    assert Rig().messages_after("unplugged") == {
        "T01": "dial T01 (simulated /dev/i2c-1 mux 0x70 channel 1, chip 0x36) gave no answer (errno 121). Check its "
        "plug, then its power, then SDA and SCL."
    }


def test_three_hung_dials_postpone_the_others_which_is_reported() -> None:
    rig = Rig(3, 3)
    for tile in rig.tiles[1:5]:
        faults.strike(tile, "stuck-low")
    rig.last = list(rig.scan.scan())
    assert isinstance(rig.last[0], Reading)
    assert rig.words()["T12"] == (
        "dial T12 (simulated /dev/i2c-1 mux 0x71 channel 2, chip 0x36) was not read, because others blocked the bus "
        "too often. Wait: it is retried automatically."
    )
    assert {sample.kind for sample in rig.last if isinstance(sample, Trouble)} == {TroubleKind.STUCK}
