from __future__ import annotations

import dataclasses

import pytest

from hardware.sims.faults import FAULTS, UnknownFault, find
from hardware.sims.table import Tile, tiles_on_mux
from tests.hardware.sims.rig import Rig

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

    def look(self, tile: Tile) -> int:
        self.select(tile)
        return int.from_bytes(self.rig.read(0x36, 2), "big")

    def error(self, tile: Tile) -> int | None:
        with pytest.raises(OSError) as caught:  # noqa: PT011 - the errno is what is looked at
            self.look(tile)
        return caught.value.errno


def test_the_names() -> None:
    assert set(FAULTS) == {
        "unplugged",
        "re-plugged",
        "stuck-low",
        "two-channels-open",
        "spike",
        "stale-repeat",
        "slow-bus",
        "nack-once",
        "eio-once",
        "magnet-weak",
        "magnet-strong",
        "magnet-missing",
    }
    assert all(fault.name == name and fault.line for name, fault in FAULTS.items())


def test_an_unknown_name_gets_a_guess() -> None:
    with pytest.raises(UnknownFault) as caught:
        find("unpluged")
    assert str(caught.value) == (
        "no fault called 'unpluged'; did you mean 'unplugged'? (known: unplugged, re-plugged, stuck-low, "
        "two-channels-open, spike, stale-repeat, slow-bus, nack-once, eio-once, magnet-weak, magnet-strong, "
        "magnet-missing)"
    )
    with pytest.raises(UnknownFault, match=r"^no fault called 'zzz' \(known: unplugged"):
        Fixture().tile.mend("zzz")


def test_an_amount_where_none_belongs_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^the fault 'unplugged' takes no amount$"):
        Fixture().tile.strike("unplugged", 3)


def test_unplugged_and_mended() -> None:
    f = Fixture()
    f.tile.strike("unplugged")
    assert f.error(f.tile) == 121
    assert f.look(f.other) == 0x0C00
    f.tile.mend("unplugged")
    assert f.look(f.tile) == 0x0000, "settings bytes that look like an angle near 0"


def test_replugged_looks_alive_and_lies() -> None:
    f = Fixture()
    f.tile.strike("re-plugged")
    f.tile.mend("re-plugged")
    assert f.look(f.tile) == 0x0000
    assert f.tile.encoder.pointer == 2


def test_stuck_low_blocks_everything_while_the_channel_is_open() -> None:
    f = Fixture()
    f.look(f.other)
    f.tile.strike("stuck-low")
    assert f.look(f.other) == 0x0C00
    before_ns = f.rig.clock.now_ns()
    assert f.error(f.tile) == 110
    assert f.rig.clock.now_ns() - before_ns == 20 * 10_000 + 4_700 + 50 * MS
    assert f.error(f.other) == 110
    assert f.tile.mux is not None
    f.tile.mux.reset()
    assert f.look(f.other) == 0x0C00
    f.tile.mend("stuck-low")
    assert f.look(f.tile) == 0x0400


def test_pulling_a_stuck_tile_frees_the_wire() -> None:
    f = Fixture()
    f.tile.strike("stuck-low")
    assert f.error(f.tile) == 110
    f.tile.unplug()
    assert f.look(f.other) == 0x0C00


def test_two_channels_open_gives_a_plausible_wrong_angle() -> None:
    f = Fixture()
    f.tile.strike("two-channels-open")
    assert f.look(f.other) == 0x0C00 & 0x0400
    assert f.rig.read(0x70, 1) == b"\x03"
    f.tile.mend("two-channels-open")
    assert f.look(f.other) == 0x0C00


def test_a_tile_without_a_mux_has_no_channel_to_leave_open() -> None:
    f = Fixture()
    bare = dataclasses.replace(f.tile, mux=None)
    with pytest.raises(ValueError, match=r"^the fault 'two-channels-open' needs a tile behind a mux$"):
        bare.strike("two-channels-open")
    bare.mend("two-channels-open")
    assert f.look(f.tile) == 0x0400


def test_one_sample_spikes() -> None:
    f = Fixture()
    f.tile.strike("spike")
    assert [f.look(f.tile) for _ in range(2)] == [0x0400 + 569, 0x0400]
    f.tile.strike("spike", -1100)
    assert [f.look(f.tile) for _ in range(2)] == [(0x0400 - 1100) % 4096, 0x0400]


def test_one_sample_is_stale() -> None:
    f = Fixture()
    f.look(f.tile)
    done_ns = f.tile.hand.turn(f.rig.clock.now_ns(), 3, 100)
    f.rig.clock.sleep_until(done_ns)
    f.tile.strike("stale-repeat")
    assert [f.look(f.tile) for _ in range(2)] == [0x0400, 0x0800]


def test_a_slow_bus() -> None:
    f = Fixture()
    for amount, bit_ns in ((None, 16_000), (0.5, 20_000)):
        f.tile.strike("slow-bus", amount)
        before_ns = f.rig.clock.now_ns()
        f.look(f.tile)
        assert f.rig.clock.now_ns() - before_ns == 49 * bit_ns + 2 * 4_700
    f.tile.mend("slow-bus")
    assert f.rig.wire.bit_ns == 10_000


def test_one_nack_and_one_broken_transfer() -> None:
    f = Fixture()
    f.tile.strike("nack-once")
    assert f.error(f.tile) == 121
    assert f.look(f.tile) == 0x0400
    f.tile.strike("eio-once")
    assert f.error(f.tile) == 5
    assert f.look(f.tile) == 0x0400


@pytest.mark.parametrize(
    ("fault", "status"), [("magnet-weak", 0x30), ("magnet-strong", 0x28), ("magnet-missing", 0x10)]
)
def test_magnets(fault: str, status: int) -> None:
    f = Fixture()
    f.tile.strike(fault)
    assert f.rig.ask(0x36, 0x0B, 1) == bytes([status])
    f.tile.mend(fault)
    assert f.rig.ask(0x36, 0x0B, 3) == b"\x20\x04\x00"


def test_every_lasting_fault_can_be_mended() -> None:
    for name, fault in FAULTS.items():
        f = Fixture()
        f.tile.strike(name)
        f.tile.mend(name)
        f.rig.clock.advance(20 * MS)
        if fault.mend is not None:
            f.select(f.tile)
            assert f.rig.ask(0x36, 0x0C, 2) == b"\x04\x00", name
