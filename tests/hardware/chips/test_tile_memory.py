"""The tile's memory above its twin: its number, its pages, its write cycles, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bus import Read, Transaction, Write
from hardware.bus_linux import LinuxBus
from hardware.chips.tile_memory import ROOM, TileMemory
from hardware.errors import BusGlitch, NoAnswer, WrongChip
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.tile_memory import TileMemoryTwin
from hardware.sims.wire import SimWire


class Rig:
    """One memory and one driver on a bus of their own."""

    def __init__(self, kind: str = "24aa02uid", driven_as: str = "", serial: int = 0x12345678) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, 400_000)
        self.twin = TileMemoryTwin(self.clock, kind, serial)
        self.twin.hang_on(self.wire.trunk)
        self.bus = LinuxBus(SimAdapter(self.wire, self.clock))
        self.memory = TileMemory(self.bus, driven_as or kind, self.clock)


@pytest.mark.parametrize(
    ("kind", "identity"), [("24aa02uid", "24aa02uid:12345678"), ("24aa025e48", "24aa025e48:0004A3345678")]
)
def test_the_number_of_a_tile(kind: str, identity: str) -> None:
    assert Rig(kind).memory.identity() == identity


class Scripted:
    """A bus that answers from a list."""

    name = "/dev/i2c-1 mux 0x70 channel 3"

    def __init__(self, *answers: bytes) -> None:
        self.answers = list(answers)
        self.sent: list[Transaction] = []

    def transfer(self, transaction: Transaction) -> bytes:
        self.sent.append(transaction)
        return self.answers.pop(0)

    def prepare(self, transactions: object) -> Callable[[], list[bytes]]:
        raise AssertionError("not used here")


def test_the_number_is_asked_for_twice_in_one_transaction_each() -> None:
    bus = Scripted(*[bytes.fromhex("294112345678")] * 2)
    assert TileMemory(bus, "24aa02uid", VirtualClock()).identity() == "24aa02uid:12345678"
    assert bus.sent == [(Write(0x50, b"\xfa"), Read(0x50, 6))] * 2


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("24aa02uid", "0004A3123456"),  # the other of the two
        ("24aa025e48", "294112345678"),
        ("24aa02uid", "2941FFFFFFFF"),
        ("24aa02uid", "FFFFFFFFFFFF"),  # a plain EEPROM, or no chip
        ("24aa025e48", "FFFFFFFFFFFF"),
        ("24aa025e48", "000000000000"),
        ("24aa025e48", "0204A3123456"),  # locally administered
    ],
)
def test_another_chip_is_refused(kind: str, number: str) -> None:
    bus = Scripted(*[bytes.fromhex(number)] * 2)
    with pytest.raises(WrongChip) as refused:
        TileMemory(bus, kind, VirtualClock()).identity()
    part = kind.upper()
    assert str(refused.value) == (
        f"chip 0x50 (/dev/i2c-1 mux 0x70 channel 3) answers, but is no {part}. Check that the tile's memory is a "
        f"{part}, or set `memory` in the settings to what it is."
    )


@pytest.mark.parametrize("oui", ["0004A3", "001EC0", "D88039", "5410EC", "E8EB1B"])
def test_every_maker_of_eui_48_is_accepted(oui: str) -> None:
    bus = Scripted(*[bytes.fromhex(oui + "123456")] * 2)
    assert TileMemory(bus, "24aa025e48", VirtualClock()).identity() == f"24aa025e48:{oui}123456"


def test_two_different_numbers_are_an_error() -> None:
    bus = Scripted(bytes.fromhex("294112345678"), bytes.fromhex("294112345679"))
    with pytest.raises(BusGlitch) as glitch:
        TileMemory(bus, "24aa02uid", VirtualClock()).identity()
    assert str(glitch.value) == (
        "chip 0x50 (/dev/i2c-1 mux 0x70 channel 3) gave two different numbers of its tile. Check its plug."
    )


@given(
    st.sampled_from(["24aa02uid", "24aa025e48"]),
    st.integers(0, ROOM - 1).flatmap(lambda at: st.tuples(st.just(at), st.binary(max_size=ROOM - at))),
)
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_there_and_nothing_else_changed(kind: str, piece: tuple[int, bytes]) -> None:
    at, data = piece
    rig = Rig(kind)
    before = bytes(rig.twin.bytes)
    rig.memory.write(at, data)
    assert bytes(rig.twin.bytes) == before[:at] + data + before[at + len(data) :]
    assert rig.memory.read() == bytes(rig.twin.bytes[:ROOM])


@pytest.mark.parametrize(("kind", "cycles"), [("24aa02uid", 16), ("24aa025e48", 8)])
def test_a_write_takes_as_few_cycles_as_there_are_pages(kind: str, cycles: int) -> None:
    rig = Rig(kind)
    rig.memory.write(0, bytes(range(ROOM)))
    assert rig.twin.writes == cycles
    assert cycles * 5_000_000 < rig.clock.now_ns() < cycles * 7_000_000


@pytest.mark.parametrize(("at", "length"), [(0, 129), (120, 9), (128, 1), (-1, 1)])
def test_the_factorys_half_is_never_written(at: int, length: int) -> None:
    with pytest.raises(ValueError, match="only the 128 bytes from 0 on are writable"):
        Rig().memory.write(at, bytes(length))


def test_a_tile_that_is_pulled_while_it_writes() -> None:
    rig = Rig()
    rig.clock.at(rig.clock.now_ns() + 6_000_000, rig.twin.unplug)
    with pytest.raises(NoAnswer):
        rig.memory.write(0, bytes(ROOM))
    assert rig.clock.now_ns() < 50_000_000
    rig.twin.plug_in()
    assert rig.memory.identity() == "24aa02uid:12345678"
    assert rig.memory.read()[:16] != bytes(16)


def test_a_memory_that_does_not_keep_what_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig()
    monkeypatch.setattr(rig.twin, "stop", lambda: None)
    with pytest.raises(WrongChip, match="does not hold what was written to it"):
        rig.memory.write(0, b"\x00")
