from __future__ import annotations

import pytest

from hardware.sims.table import tiles_on_mux
from tests.hardware.sims.rig import Rig

MS = 1_000_000


def test_eight_tiles_each_on_its_channel() -> None:
    rig = Rig()
    tiles = tiles_on_mux(rig.wire, ideal=True).tiles
    for tile in tiles:
        tile.hand.turn(0, tile.channel)
    rig.clock.sleep_until(20_000 * MS)
    for tile in tiles:
        rig.write(0x70, 1 << tile.channel)
        assert int.from_bytes(rig.ask(0x36, 0x0C, 2), "big") == round(tile.channel * 4096 / 12)


def test_a_click_shows_on_the_wire() -> None:
    rig = Rig()
    (tile,) = tiles_on_mux(rig.wire, channels=[3], seed=4).tiles
    tile.hand.turn(50 * MS, 1)
    rig.write(0x70, 0x08)
    rig.write(0x36, 0x0C)
    seen = []
    while rig.clock.now_ns() < 300 * MS:
        seen.append(int.from_bytes(rig.read(0x36, 2), "big"))
    turned = (seen[-1] - seen[0] + 2048) % 4096 - 2048
    assert turned == pytest.approx(4096 / 12, abs=60), "one click, but for an eccentric magnet"
    assert len(set(seen)) > 50


def test_a_table_is_the_same_for_the_same_seed() -> None:
    def read_raw(seed: int) -> list[bytes]:
        rig = Rig()
        (tile,) = tiles_on_mux(rig.wire, channels=[0], seed=seed).tiles
        tile.hand.turn(0, 3)
        rig.write(0x70, 1)
        return [rig.ask(0x36, 0x0C, 2) for _ in range(200)]

    assert read_raw(7) == read_raw(7)
    assert read_raw(7) != read_raw(8)


def test_sixty_four_tiles_behind_eight_muxes_differ() -> None:
    rig = Rig()
    tiles = [tile for address in range(0x70, 0x78) for tile in tiles_on_mux(rig.wire, address).tiles]
    assert len(tiles) == 64
    assert len({tile.encoder.angle_at(0) for tile in tiles}) == 64


def test_a_mux_may_be_behind_another() -> None:
    rig = Rig()
    outer = tiles_on_mux(rig.wire, 0x70, [])
    inner = tiles_on_mux(rig.wire, 0x71, [2], trunk=outer.mux.channels[5], ideal=True, position=6)
    rig.write(0x70, 1 << 5)
    rig.write(0x71, 1 << 2)
    assert rig.ask(0x36, 0x0C, 2) == b"\x08\x00"
    assert inner.tiles[0].hand.position == 6


def test_pulling_a_tile_costs_the_others_nothing() -> None:
    rig = Rig()
    one, two = tiles_on_mux(rig.wire, channels=[0, 1], ideal=True, position=3).tiles
    one.unplug()
    assert not one.plugged
    rig.write(0x70, 1)
    with pytest.raises(OSError, match="Remote I/O"):
        rig.ask(0x36, 0x0C, 2)
    rig.write(0x70, 2)
    assert rig.ask(0x36, 0x0C, 2) == b"\x04\x00"
    one.plug_in()
    assert one.plugged
    assert two.encoder.pointer == 0x0C
    assert one.encoder.pointer == 0x00


def test_there_is_no_channel_8() -> None:
    with pytest.raises(ValueError, match=r"^a TCA9548A has channels 0 to 7, not 8$"):
        tiles_on_mux(Rig().wire, channels=[8])
