"""The simulated wire: START, bytes and STOP reach every chip that is electrically joined, and take time.

SDA is open drain, so chips that answer together are a wired-AND and one acknowledge is enough
(NXP UM10204 section 3.1). Bits: START, repeated START and STOP one each, a byte nine with its acknowledge;
after a STOP the bus stays free for tBUF (UM10204 table 10: 4.7, 1.3, 0.5 us).

Not modelled: rise times and cable length, clock stretching, arbitration between two
controllers, a line that is held from the middle of a transfer on (the next START notices), and the
controller's own gap between the bytes of one transfer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from hardware.sims.clock import VirtualClock

START_BITS = 1
STOP_BITS = 1
BYTE_BITS = 9
BUS_FREE_NS = ((100_000, 4_700), (400_000, 1_300), (1_000_000, 500))
IDLE_HIGH = 0xFF


class TwinError(Exception):
    """A driver did something that the datasheet does not describe, so the twin cannot answer."""


class LineHeld(Exception):
    """A joined segment is held low: no START can be given."""


class TransferGlitch(Exception):
    """This transfer failed half way; the next may succeed."""


class ArbitrationLost(Exception):
    """Something else pulled a line low that the controller had released."""


class TwinChip(Protocol):
    """A chip on a segment. Every call happens at the clock's present time."""

    @property
    def address(self) -> int:
        """Its 7-bit address."""

    def start(self, reading: bool) -> bool:
        """Its address was sent after a START or a repeated START; True acknowledges. May raise
        TransferGlitch, ArbitrationLost or LineHeld."""

    def write(self, byte: int) -> bool:
        """Receive a byte; True acknowledges."""

    def read(self) -> int:
        """The byte that it shifts out now (0xFF leaves the line alone)."""

    def stop(self) -> None:
        """The transaction that addressed it is over."""


@runtime_checkable
class Gate(Protocol):
    """A chip that joins other segments to its own, as a mux does."""

    @property
    def open_segments(self) -> Sequence[BusSegment]:
        """The segments that are joined at this moment."""


@runtime_checkable
class MovableChip(Protocol):
    """A chip whose address may change."""

    def on_move(self, moved: Callable[[int], None]) -> None:
        """Call `moved` with the old address whenever it has changed."""


class BusSegment:
    """A pair of SDA and SCL, and the chips on it. `held`: something keeps a line low. `clock_held`: it is SCL, so
    that no clocks can be given to free it.

    `clocks_to_free`: a chip that was left in the middle of a byte holds SDA until it gets so many more
    clocks (1 to 9, UM10204 section 3.1.16). None: no clock helps, as with a short or a dead chip.
    """

    __slots__ = ("chips", "clock_held", "clocks_to_free", "gates", "held", "name", "swapped_with")

    def __init__(self, name: str) -> None:
        self.name = name
        self.held = self.clock_held = False
        self.clocks_to_free: int | None = None
        self.swapped_with: BusSegment | None = None
        self.chips: dict[int, list[TwinChip]] = {}
        self.gates: list[Gate] = []

    def hang(self, chip: TwinChip) -> None:
        """Connect a chip. If several have one address, all of them answer."""
        self.chips.setdefault(chip.address, []).append(chip)
        if isinstance(chip, Gate):
            self.gates.append(chip)
        if isinstance(chip, MovableChip):
            chip.on_move(lambda old: self._moved(chip, old))

    def _moved(self, chip: TwinChip, old: int) -> None:
        if chip in self.chips.get(old, []):
            self.chips[old].remove(chip)
            self.chips.setdefault(chip.address, []).append(chip)

    def hold_until(self, clocks: int) -> None:
        """Hold SDA: a chip stopped in the middle of a byte, so many clocks before its end."""
        self.held, self.clocks_to_free = True, clocks

    def clock_pulse(self) -> None:
        """SCL went down and up again without a controller's START."""
        if self.held and self.clocks_to_free is not None:
            self.clocks_to_free -= 1
            if self.clocks_to_free <= 0:
                self.held, self.clocks_to_free = False, None

    def remove(self, chip: TwinChip) -> None:
        """Disconnect a chip. Raises ValueError if it is not on this segment."""
        self.chips.get(chip.address, []).remove(chip)
        if isinstance(chip, Gate):
            self.gates.remove(chip)


class SimWire:
    """One adapter's pins: the trunk segment, all that is joined to it, and the time that its bits take."""

    def __init__(self, clock: VirtualClock, speed_hz: int = 100_000, name: str = "trunk") -> None:
        """A quiet wire. Raises ValueError for a speed outside 1 Hz to 1 MHz (Fast-mode Plus)."""
        if not 0 < speed_hz <= BUS_FREE_NS[-1][0]:
            raise ValueError(f"a wire runs at 1 to 1000000 Hz, not at {speed_hz} Hz")
        self.clock = clock
        self.trunk = BusSegment(name)
        self.nominal_hz = speed_hz
        self.transactions = 0
        self.bits = 0
        self.timeouts = 0
        self.refuses_joined = 0
        """The errno with which the adapter refuses joined transactions that it promised to take, or 0."""
        self.bit_ns = self.bus_free_ns = 0
        self._answering: list[TwinChip] = []
        self._touched: list[TwinChip] = []
        self._busy_before_ns = 0
        self._counted_from = (0, 0)
        self.set_slowness(1.0)

    def set_slowness(self, factor: float) -> None:
        """Run at `factor` times the nominal speed, as Pi 3 and 4 really do (0.5 and 0.625; firmware#1281)."""
        if not 0 < factor <= 1:
            raise ValueError(f"a wire runs at more than 0 and up to 1 times its speed, not {factor}")
        self._busy_before_ns = self.busy_ns
        self._counted_from = (self.bits, self.transactions)
        speed_hz = self.nominal_hz * factor
        self.slowness = factor
        self.bit_ns = round(1e9 / speed_hz)
        self.bus_free_ns = next(free_ns for up_to_hz, free_ns in BUS_FREE_NS if speed_hz <= up_to_hz)
        self._address_ns = (START_BITS + BYTE_BITS) * self.bit_ns
        self._byte_ns = BYTE_BITS * self.bit_ns
        self._stop_ns = STOP_BITS * self.bit_ns

    @property
    def busy_ns(self) -> int:
        """How long the wire was in use: all bits, and the bus-free time after each STOP."""
        bits, transactions = self._counted_from
        return (
            self._busy_before_ns
            + (self.bits - bits) * self.bit_ns
            + (self.transactions - transactions) * self.bus_free_ns
        )

    def start(self, address: int, reading: bool) -> bool:
        """START (or a repeated START) and the address byte; True if any joined chip acknowledged.

        Raises LineHeld without delay (the adapter models the time-out), TransferGlitch or ArbitrationLost.
        """
        called: list[TwinChip] = []
        _gather(self.trunk, address, called)
        self.clock.advance(self._address_ns)
        self.bits += START_BITS + BYTE_BITS
        answering = self._answering
        answering.clear()
        for chip in called:
            if chip.start(reading):
                answering.append(chip)
        self._touched += answering
        return bool(answering)

    def write(self, byte: int) -> bool:
        """One byte to all addressed chips; True if any acknowledged."""
        self.clock.advance(self._byte_ns)
        self.bits += BYTE_BITS
        acknowledged = False
        for chip in self._answering:
            if chip.write(byte):
                acknowledged = True
        return acknowledged

    def read(self) -> int:
        """One byte from all addressed chips at once: a line that any of them pulls low is low."""
        byte = IDLE_HIGH
        for chip in self._answering:
            byte &= chip.read()
        self.clock.advance(self._byte_ns)
        self.bits += BYTE_BITS
        return byte

    def stop(self) -> None:
        """STOP, and the bus-free time after it. Every chip addressed since the first START sees it."""
        self.clock.advance(self._stop_ns)
        self.bits += STOP_BITS
        for chip in self._touched:
            chip.stop()
        self._touched.clear()
        self._answering.clear()
        self.transactions += 1
        self.clock.advance(self.bus_free_ns)

    @property
    def sda_held(self) -> bool:
        """Whether any joined segment holds the line."""
        return any(segment.held for segment in _joined(self.trunk))

    def pulse_clock(self) -> None:
        """One clock from pins driven by software; it reaches all joined segments, unless one holds SCL."""
        joined = list(_joined(self.trunk))
        if not any(segment.clock_held for segment in joined):
            for segment in joined:
                segment.clock_pulse()

    def give_up(self, after_ns: int) -> None:
        """Let the controller time out on a held line; no STOP could be sent."""
        self.timeouts += 1
        self._answering.clear()
        self._touched.clear()
        self.clock.advance(after_ns)


def _joined(segment: BusSegment) -> Iterator[BusSegment]:
    yield segment
    for gate in segment.gates:
        for inner in gate.open_segments:
            yield from _joined(inner)


def _gather(segment: BusSegment, address: int, called: list[TwinChip]) -> None:
    """All chips with this address on the segment and on all that is joined to it."""
    if segment.held or segment.clock_held:
        raise LineHeld(segment.name)
    if address in segment.chips:
        called += segment.chips[address]
    for gate in segment.gates:
        for inner in gate.open_segments:
            _gather(inner, address, called)
