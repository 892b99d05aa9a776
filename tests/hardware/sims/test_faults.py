from __future__ import annotations

import dataclasses

import pytest

from hardware.sims import faults
from hardware.sims.adapter import SimAdapter
from hardware.sims.faults import FAULTS, UnknownFault, find
from hardware.sims.table import Tile, tiles_on_mux
from tests.hardware.sims.rig import Rig, sent, wanted

MS = 1_000_000


class Fixture:
    """Two ideal tiles on channels 0 and 1, at positions 3 (0x0400) and 3; the second is turned to 9 (0x0C00)."""

    def __init__(self) -> None:
        self.rig = Rig()
        self.rig.adapter.set_timeout_ms(50)
        self.tile, self.other = tiles_on_mux(self.rig.wire, channels=[0, 1], ideal=True, position=3).tiles
        self.other.hand.turn(0, 6, 100)
        self.rig.clock.sleep_until(2_000 * MS)
        for tile in (self.other, self.tile):
            self.select(tile)
            self.rig.write(0x36, 0x0C)

    def select(self, tile: Tile) -> None:
        self.rig.write(0x70, 1 << tile.channel)

    def read_raw(self, tile: Tile) -> int:
        self.select(tile)
        return int.from_bytes(self.rig.read(0x36, 2), "big")

    def error(self, tile: Tile) -> int | None:
        with pytest.raises(OSError) as caught:  # noqa: PT011 - the errno is checked
            self.read_raw(tile)
        return caught.value.errno


def test_the_names() -> None:
    assert list(FAULTS) == [
        "unplugged", "re-plugged", "power-dip", "settings-lost", "pointer-lost", "leads-swapped",
        "stuck-low", "stuck-mid-byte", "clock-held", "mux-hung", "mux-silent", "mux-reset", "mux-not-switched",
        "two-channels-open",
        "nack-once", "eio-once", "eagain-once", "timeout-once", "shape-refused", "slow-bus", "gap",
        "spike", "jumps", "false-zero", "stale-repeat", "torn",
        "magnet-weak", "magnet-strong", "magnet-missing", "agc-drift",
    ]  # fmt: skip
    assert all(fault.name == name and fault.line for name, fault in FAULTS.items())
    assert all((fault.amount is None) == (not fault.unit) for fault in FAULTS.values())


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownFault) as caught:
        find("unpluged")
    assert str(caught.value) == (
        "no fault called 'unpluged'; did you mean 'unplugged'? (known: " + ", ".join(FAULTS) + ")"
    )
    with pytest.raises(UnknownFault, match=r"^no fault called 'zzz' \(known: unplugged"):
        faults.mend(Fixture().tile, "zzz")


def test_an_unexpected_amount_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^the fault 'unplugged' takes no amount$"):
        faults.strike(Fixture().tile, "unplugged", 3)


def test_unplugged_and_mended() -> None:
    f = Fixture()
    faults.strike(f.tile, "unplugged")
    assert f.error(f.tile) == 121
    assert f.read_raw(f.other) == 0x0C00
    faults.mend(f.tile, "unplugged")
    assert f.read_raw(f.tile) == 0x0000, "settings bytes that look like an angle near 0"


def test_a_replugged_chip_answers_with_wrong_angles() -> None:
    f = Fixture()
    faults.strike(f.tile, "re-plugged")
    faults.mend(f.tile, "re-plugged")
    assert f.read_raw(f.tile) == 0x0000
    assert f.tile.encoder.pointer == 2


def test_stuck_low_blocks_everything_while_the_channel_is_open() -> None:
    f = Fixture()
    f.read_raw(f.other)
    faults.strike(f.tile, "stuck-low")
    assert f.read_raw(f.other) == 0x0C00
    before_ns = f.rig.clock.now_ns()
    assert f.error(f.tile) == 110
    assert f.rig.clock.now_ns() - before_ns == 20 * 10_000 + 4_700 + 50 * MS
    assert f.error(f.other) == 110
    assert f.tile.mux is not None
    f.tile.mux.reset()
    assert f.read_raw(f.other) == 0x0C00
    faults.mend(f.tile, "stuck-low")
    assert f.read_raw(f.tile) == 0x0400


def test_pulling_a_stuck_tile_frees_the_wire() -> None:
    f = Fixture()
    faults.strike(f.tile, "stuck-low")
    assert f.error(f.tile) == 110
    f.tile.unplug()
    assert f.read_raw(f.other) == 0x0C00


def test_two_channels_open_gives_a_plausible_wrong_angle() -> None:
    f = Fixture()
    faults.strike(f.tile, "two-channels-open")
    assert f.read_raw(f.other) == 0x0C00 & 0x0400
    assert f.rig.read(0x70, 1) == b"\x03"
    faults.mend(f.tile, "two-channels-open")
    assert f.read_raw(f.other) == 0x0C00


def test_a_tile_without_a_mux_has_no_channel_to_leave_open() -> None:
    f = Fixture()
    bare = dataclasses.replace(f.tile, mux=None)
    with pytest.raises(ValueError, match=r"^the fault 'two-channels-open' needs a tile behind a mux$"):
        faults.strike(bare, "two-channels-open")
    faults.mend(bare, "two-channels-open")
    assert f.read_raw(f.tile) == 0x0400


def test_one_sample_spikes() -> None:
    f = Fixture()
    faults.strike(f.tile, "spike")
    assert [f.read_raw(f.tile) for _ in range(2)] == [0x0400 + 569, 0x0400]
    faults.strike(f.tile, "spike", -1100)
    assert [f.read_raw(f.tile) for _ in range(2)] == [(0x0400 - 1100) % 4096, 0x0400]


def test_one_sample_is_stale() -> None:
    f = Fixture()
    f.read_raw(f.tile)
    done_ns = f.tile.hand.turn(f.rig.clock.now_ns(), 3, 100)
    f.rig.clock.sleep_until(done_ns)
    faults.strike(f.tile, "stale-repeat")
    assert [f.read_raw(f.tile) for _ in range(2)] == [0x0400, 0x0800]


def test_a_slow_bus() -> None:
    f = Fixture()
    for amount, bit_ns in ((None, 16_000), (0.5, 20_000)):
        faults.strike(f.tile, "slow-bus", amount)
        before_ns = f.rig.clock.now_ns()
        f.read_raw(f.tile)
        assert f.rig.clock.now_ns() - before_ns == 49 * bit_ns + 2 * 4_700
    faults.mend(f.tile, "slow-bus")
    assert f.rig.wire.bit_ns == 10_000


def test_one_nack_and_one_broken_transfer() -> None:
    f = Fixture()
    faults.strike(f.tile, "nack-once")
    assert f.error(f.tile) == 121
    assert f.read_raw(f.tile) == 0x0400
    faults.strike(f.tile, "eio-once")
    assert f.error(f.tile) == 5
    assert f.read_raw(f.tile) == 0x0400


@pytest.mark.parametrize(
    ("fault", "status"), [("magnet-weak", 0x30), ("magnet-strong", 0x28), ("magnet-missing", 0x10)]
)
def test_magnets(fault: str, status: int) -> None:
    f = Fixture()
    faults.strike(f.tile, fault)
    assert f.rig.ask(0x36, 0x0B, 1) == bytes([status])
    faults.mend(f.tile, fault)
    assert f.rig.ask(0x36, 0x0B, 3) == b"\x20\x04\x00"


def test_a_power_dip_ends_and_clears_everything() -> None:
    f = Fixture()
    f.rig.write(0x36, 0x08, 0x04)
    faults.strike(f.tile, "power-dip", 3)
    assert f.error(f.tile) == 121
    f.rig.clock.advance(3 * MS)
    assert (f.tile.encoder.conf, f.read_raw(f.tile)) == (0, 0), "the pointer is at 0 again"
    faults.strike(f.tile, "power-dip", 3)
    faults.strike(f.tile, "unplugged")
    f.rig.clock.advance(10 * MS)
    assert f.error(f.tile) == 121, "a lead pulled meanwhile stays pulled"


@pytest.mark.parametrize("fault", ["re-plugged", "pointer-lost"])
def test_a_chip_that_forgot_in_the_middle_of_a_write_waits_for_the_next_start(fault: str) -> None:
    f = Fixture()
    f.select(f.tile)
    f.rig.clock.at(f.rig.clock.now_ns() + 25 * 10_000, lambda: faults.strike(f.tile, fault))
    with pytest.raises(OSError, match=r"\[Errno 121\]"):
        f.rig.write(0x36, 0x07, 0x02, 0x04)
    assert f.tile.encoder.pointer == 0
    assert f.tile.encoder.conf == 0


def test_settings_and_pointer_are_lost_one_without_the_other() -> None:
    f = Fixture()
    f.select(f.tile)
    f.rig.write(0x36, 0x08, 0x04)
    f.rig.write(0x36, 0x0C)
    faults.strike(f.tile, "settings-lost")
    assert (f.tile.encoder.conf, f.read_raw(f.tile)) == (0, 0x0400)
    f.rig.write(0x36, 0x08, 0x04)
    f.rig.write(0x36, 0x0C)
    faults.strike(f.tile, "pointer-lost")
    assert (f.tile.encoder.conf, f.read_raw(f.tile)) == (4, 0)


def test_swapped_leads_show_the_other_dial_and_come_back() -> None:
    f = Fixture()
    faults.strike(f.tile, "leads-swapped")
    assert f.error(f.tile) == 121, "no plug is in both sockets"
    f.rig.clock.advance(220 * MS)
    for tile, raw in ((f.tile, b"\x0c\x00"), (f.other, b"\x04\x00")):
        f.select(tile)
        assert f.rig.ask(0x36, 0x0C, 2) == raw
    faults.mend(f.tile, "leads-swapped")
    f.rig.clock.advance(220 * MS)
    f.select(f.tile)
    assert f.rig.ask(0x36, 0x0C, 2) == b"\x04\x00"


def test_leads_that_cannot_be_swapped_are_refused() -> None:
    f = Fixture()
    with pytest.raises(ValueError, match=r"^the fault 'leads-swapped' needs a second tile on the mux$"):
        faults.strike(f.tile, "leads-swapped", 5)
    with pytest.raises(ValueError, match=r"^the fault 'leads-swapped' needs a channel from 0 to 7, not 8$"):
        faults.strike(f.tile, "leads-swapped", 8)


def test_a_held_clock_stops_everything_while_the_channel_is_open() -> None:
    f = Fixture()
    faults.strike(f.tile, "clock-held")
    assert [f.error(f.tile), f.error(f.other)] == [110, 110]
    assert not f.tile.segment.held, "the data line is free: what gives nine clocks has nothing to free"
    faults.mend(f.tile, "clock-held")
    assert f.read_raw(f.tile) == 0x0400


def test_a_chip_in_the_middle_of_a_byte_releases_the_line_after_enough_clocks() -> None:
    f = Fixture()
    faults.strike(f.tile, "stuck-mid-byte", 3)
    assert f.error(f.tile) == 110
    faults.strike(f.tile, "clock-held")
    f.rig.wire.pulse_clock()
    faults.mend(f.tile, "clock-held")
    for still_held in (True, True, False):
        f.rig.wire.pulse_clock()
        assert f.tile.segment.held == still_held
    assert f.read_raw(f.tile) == 0x0400


def test_a_hung_mux_recovers_only_at_reset() -> None:
    f = Fixture()
    faults.strike(f.tile, "mux-hung")
    assert [f.error(f.tile), f.error(f.other), f.error(f.tile)] == [110, 110, 110]
    assert f.tile.mux is not None
    f.tile.mux.reset()
    assert f.read_raw(f.other) == 0x0C00


def test_a_mux_without_power_and_one_that_forgot() -> None:
    f = Fixture()
    faults.strike(f.tile, "mux-silent")
    assert [f.error(f.tile), f.error(f.other)] == [121, 121]
    faults.mend(f.tile, "mux-silent")
    assert f.read_raw(f.tile) == 0x0400
    faults.strike(f.tile, "mux-reset")
    assert f.rig.read(0x70, 1) == b"\x00"


def test_a_mux_that_did_not_switch_gives_another_dials_angle() -> None:
    f = Fixture()
    f.read_raw(f.tile)
    faults.strike(f.tile, "mux-not-switched")
    assert f.read_raw(f.other) == 0x0400, "which is why the register is read back"
    assert f.rig.read(0x70, 1) == b"\x01"
    faults.mend(f.tile, "mux-not-switched")
    assert f.read_raw(f.other) == 0x0C00


@pytest.mark.parametrize(("fault", "number"), [("eagain-once", 11), ("timeout-once", 110), ("eio-once", 5)])
def test_transfers_that_fail_once(fault: str, number: int) -> None:
    f = Fixture()
    faults.strike(f.tile, fault)
    before_ns = f.rig.clock.now_ns()
    assert f.error(f.tile) == number
    assert (f.rig.clock.now_ns() - before_ns > 50 * MS) == (number == 110), "a time-out takes its time"
    assert f.read_raw(f.tile) == 0x0400


def test_nacks_on_a_bit_banged_bus_have_another_number() -> None:
    f = Fixture()
    bit_banged = SimAdapter(f.rig.wire, f.rig.clock, "i2c-gpio")
    f.select(f.tile)
    faults.strike(f.tile, "nack-once")
    with pytest.raises(OSError, match=r"\[Errno 6\]"):
        bit_banged.prepare([wanted(0x36, 2)])()


@pytest.mark.parametrize("number", [95, 22])
def test_a_promised_form_of_transfer_is_refused(number: int) -> None:
    f = Fixture()
    bit_banged = SimAdapter(f.rig.wire, f.rig.clock, "i2c-gpio")
    two = bit_banged.prepare([sent(0x70, 1, stop=True), wanted(0x36, 2)])
    two()
    faults.strike(f.tile, "shape-refused", number)
    with pytest.raises(OSError, match=rf"\[Errno {number}\]"):
        two()
    bit_banged.prepare([wanted(0x36, 2)])()
    faults.mend(f.tile, "shape-refused")
    two()


def test_a_gap_is_time_that_passes() -> None:
    f = Fixture()
    before_ns = f.rig.clock.now_ns()
    faults.strike(f.tile, "gap")
    assert f.rig.clock.now_ns() - before_ns == 93 * MS


def test_a_false_zero_and_a_torn_sample() -> None:
    f = Fixture()
    faults.strike(f.tile, "false-zero")
    assert [f.read_raw(f.tile) for _ in range(2)] == [0, 0x0400]
    faults.strike(f.tile, "torn")
    assert [f.read_raw(f.tile) for _ in range(2)] == [0x04FF, 0x0400]
    faults.strike(f.tile, "torn", 0x81)
    assert [f.read_raw(f.tile) for _ in range(2)] == [0x0481, 0x0400]


def test_jumping_between_two_values_at_rest() -> None:
    f = Fixture()
    faults.strike(f.tile, "jumps", 592)
    seen = [f.read_raw(f.tile) for _ in range(64)]
    assert set(seen) == {0x0400, 0x0400 + 592}
    assert 16 < seen.count(0x0400) < 48
    faults.mend(f.tile, "jumps")
    assert {f.read_raw(f.tile) for _ in range(8)} == {0x0400}


def test_the_gain_drifts_to_its_ends() -> None:
    f = Fixture()
    f.select(f.tile)
    seen = {}
    for amount in (30, 64, -64):
        faults.strike(f.tile, "agc-drift", amount)
        seen[amount] = f.rig.ask(0x36, 0x0B, 1) + f.rig.ask(0x36, 0x1A, 1)
    assert seen == {30: b"\x20\x5e", 64: b"\x30\x80", -64: b"\x28\x00"}
    faults.mend(f.tile, "agc-drift")
    assert f.rig.ask(0x36, 0x1A, 1) == b"\x40"


def test_every_lasting_fault_can_be_mended() -> None:
    for name, fault in FAULTS.items():
        f = Fixture()
        faults.strike(f.tile, name)
        faults.mend(f.tile, name)
        f.rig.clock.advance(220 * MS)
        if fault.mend is not None:
            f.select(f.tile)
            assert f.rig.ask(0x36, 0x0C, 2) == b"\x04\x00", name
