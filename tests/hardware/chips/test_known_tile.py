"""A tile on the wrong lead: detected at every start, reported with both squares, and none of its angles counts."""

from __future__ import annotations

import pytest

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.known_tile import KnownTile, TileRegister
from hardware.chips.tca9548a import Tca9548a
from hardware.chips.tile_memory import TileMemory
from hardware.readings import Reading, Trouble, TroubleKind
from hardware.scan import Scan, ScanDial
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.table import Tile, tiles_on_mux
from hardware.sims.tile_memory import TileMemoryTwin
from hardware.sims.wire import BusSegment, SimWire

LABELS = ("T01", "T02", "T03")
NUMBERS = {label: f"24aa02uid:0000000{n}" for n, label in enumerate(LABELS, 1)}


class Table:
    """Three tiles with memories behind one mux; `learnt`: the square of each."""

    def __init__(self, learnt: dict[str, str]) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, 400_000)
        self.tiles = list(tiles_on_mux(self.wire, channels=range(3), position=2, ideal=True).tiles)
        self.memories = [TileMemoryTwin(self.clock, serial=n) for n in (1, 2, 3)]
        for tile, memory in zip(self.tiles, self.memories, strict=True):
            memory.hang_on(tile.segment)
        bus = LinuxBus(SimAdapter(self.wire, self.clock))
        mux = Tca9548a(bus)
        register = TileRegister(learnt)
        self.dials = [
            KnownTile(label, As5600(mux.channel(n)), TileMemory(mux.channel(n), "24aa02uid", self.clock), register)
            for n, label in enumerate(LABELS)
        ]
        self.scan = Scan("/dev/i2c-1", [ScanDial(dial.square, dial) for dial in self.dials], self.clock)

    def run(self, seconds: float = 1.0) -> dict[str, Reading | Trouble]:
        until_ns = self.clock.now_ns() + round(seconds * 1e9)
        samples: dict[str, Reading | Trouble] = {}
        while self.clock.now_ns() < until_ns:
            samples = dict(zip(LABELS, self.scan.scan(), strict=True))
        return samples

    def swap(self, one: int, other: int) -> None:
        """Pull two leads and put each into the other's socket."""
        first, second = self.tiles[one].segment, self.tiles[other].segment
        for tile, memory in ((self.tiles[n], self.memories[n]) for n in (one, other)):
            tile.unplug()
            memory.unplug()
        _exchange(first, second)
        for n in (one, other):
            self.tiles[n].plug_in()
            self.memories[n].plug_in()


def _exchange(one: BusSegment, other: BusSegment) -> None:
    one.chips, other.chips = other.chips, one.chips


def test_each_tile_on_its_own_lead() -> None:
    assert all(isinstance(sample, Reading) for sample in Table(NUMBERS).run().values())


def test_without_calibration_every_tile_is_accepted() -> None:
    assert all(isinstance(sample, Reading) for sample in Table({}).run().values())


def test_two_swapped_leads_before_the_start() -> None:
    table = Table(NUMBERS)
    table.swap(0, 2)
    samples = table.run()
    assert isinstance(samples["T02"], Reading)
    trouble = samples["T01"]
    assert isinstance(trouble, Trouble)
    assert trouble.kind is TroubleKind.OTHER_TILE
    assert trouble.words == (
        "dial T01 (simulated /dev/i2c-1 mux 0x70 channel 0, chip 0x36) is the tile of T03 on the lead of T01. Swap the "
        "leads of T01 and T03 back; if the tiles were meant to change places, run "
        "`trapdial calibrate --square T01 --square T03`."
    )
    other = samples["T03"]
    assert isinstance(other, Trouble)
    assert "is the tile of T01 on the lead of T03. Swap the leads of T03 and T01 back" in other.words


def test_two_leads_swapped_while_it_scans_and_swapped_back() -> None:
    table = Table(NUMBERS)
    table.run()
    table.swap(0, 1)
    began_ns = table.clock.now_ns()
    while True:
        samples = dict(zip(LABELS, table.scan.scan(), strict=True))
        assert not isinstance(samples["T01"], Reading)
        assert not isinstance(samples["T02"], Reading)
        words = [getattr(samples[label], "words", "") for label in LABELS[:2]]
        if all("on the lead of" in word for word in words):
            break
        assert table.clock.now_ns() - began_ns < 1_000_000_000
    table.swap(0, 1)
    assert all(isinstance(sample, Reading) for sample in table.run().values())


def test_an_unknown_tile_is_refused_where_one_was_calibrated() -> None:
    table = Table(NUMBERS | {"T02": "24aa02uid:0000BEEF"})
    trouble = table.run()["T02"]
    assert isinstance(trouble, Trouble)
    assert trouble.words == (
        "dial T02 (simulated /dev/i2c-1 mux 0x70 channel 1, chip 0x36) is not the tile that T02 was calibrated with, "
        "nor that of any other square. Put the tile of T02 back; if this one is to stay, run "
        "`trapdial calibrate --square T02`."
    )


def test_a_tile_without_its_memory() -> None:
    table = Table(NUMBERS)
    table.memories[1].unplug()
    trouble = table.run()["T02"]
    assert isinstance(trouble, Trouble)
    assert trouble.words == (
        "dial T02 (simulated /dev/i2c-1 mux 0x70 channel 1, chip 0x36) answers, but the memory of its tile (0x50) does "
        "not. Check that this tile has a 24AA02UID, or remove `memory` from [square.T02]."
    )


@pytest.mark.parametrize(
    ("learnt", "words"),
    [
        ({"T01": NUMBERS["T01"]}, "answers, but is no 24AA02UID"),
        ({"T01": "24aa025e48:0004A3C0FFEE"}, "is the tile of T01 on the lead of T02"),
    ],
)
def test_a_memory_of_the_other_kind(learnt: dict[str, str], words: str) -> None:
    table = Table(learnt)
    segment = table.tiles[1].segment
    for address in range(0x50, 0x58):
        segment.chips[address].clear()
    TileMemoryTwin(table.clock, "24aa025e48", 0xC0FFEE).hang_on(segment)
    trouble = table.run()["T02"]
    assert isinstance(trouble, Trouble)
    assert words in trouble.words


@pytest.mark.parametrize("faults", [1, 2])
def test_a_glitch_at_the_memory_is_no_unknown_tile(faults: int) -> None:
    table = Table(NUMBERS)
    for _ in range(faults):
        table.memories[1].glitch_once()
    assert all(isinstance(sample, Reading) for sample in table.run().values())


def test_a_pulled_tile_gives_the_message_of_any_dial() -> None:
    table = Table(NUMBERS)
    tile: Tile = table.tiles[1]
    tile.unplug()
    table.memories[1].unplug()
    trouble = table.run()["T02"]
    assert isinstance(trouble, Trouble)
    assert trouble.kind is TroubleKind.SILENT
    assert "memory" not in trouble.words


def test_it_costs_nothing_while_dials_are_read() -> None:
    table = Table(NUMBERS)
    table.run()
    bits = table.wire.bits
    for _ in range(100):
        table.scan.scan()
    with_memory = table.wire.bits - bits
    assert with_memory < 1.05 * 100 * table.scan.wire_bits_per_scan()
