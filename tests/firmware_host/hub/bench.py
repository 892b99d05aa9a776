"""A hub's core on twins: a bus above simulated chips, a virtual clock, and a sender that keeps its lines."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence

from firmware_host.hub import wire
from firmware_host.hub.core import Hub, Identity
from firmware_host.hub.dials import DialBank
from firmware_host.hub.muxes import Muxes
from firmware_host.reports import Record, WireReport, parse_report
from firmware_host.sims.i2c_blocks import I2cBlocks
from firmware_host.sims.wire_hub import TwinBus
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.table import Tile, TiledMux, tiles_on_mux
from hardware.sims.wire import SimWire

UID = bytes.fromhex("e6616408432b5c21")
MS = 1_000_000


class Bench:
    """A hub with one or two muxes of tiles; `raws` are their angles."""

    def __init__(self, muxes: int = 1, wired: Sequence[int] | None = None, key: bytes = b"") -> None:
        self.clock = VirtualClock(start_ns=7_000_000_000)
        bus = SimWire(self.clock, 400_000)
        adapter = SimAdapter(bus, self.clock)
        adapter.set_timeout_ms(10)
        self.on_mux: list[TiledMux] = [tiles_on_mux(bus, 0x70 + n, ideal=True) for n in range(muxes)]
        self.tiles: list[Tile] = [tile for mux in self.on_mux for tile in mux.tiles]
        self.raws = [200.0 + 100 * n for n in range(8 * muxes)]
        for n, tile in enumerate(self.tiles):
            tile.encoder.angle_at = lambda _, n=n: self.raws[n]  # type: ignore[misc]
        self.clock.advance(20 * MS)
        self.bus = TwinBus(I2cBlocks([adapter]))
        addresses = tuple(0x70 + n for n in range(muxes))
        count = 8 * muxes
        self.muxes = Muxes(self.bus, addresses)
        self.dials = DialBank(self.bus, self.muxes, count, range(count) if wired is None else wired, self.hub_us)
        self.sent: list[bytes] = []
        self.taken: int | None = None
        """How many bytes of a line are sent; None for all."""
        self.hub = Hub(
            self.dials,
            self.bus,
            self.hub_us,
            self._send,
            Identity(UID, 0xA1B2C3D4, 1, key, lambda: bytes(range(16))),
            lambda: 123_456,
        )
        self._seq = self._ping_at_ns = 0
        self._values: dict[int, int] = {}

    def hub_us(self) -> int:
        return self.clock.now_ns() // 1000 % wire.TICKS

    def _send(self, line: bytes) -> int:
        self.sent.append(bytes(line))
        return len(line) if self.taken is None else self.taken

    # --- the Pi

    def send(self, kind: int, form: str = ">", *fields: int) -> list[tuple[int, int, bytes]]:
        """Send a message; return the immediate answers."""
        before = len(self.sent)
        self.feed(wire.line(kind, self._seq, struct.pack(form, *fields)))
        self._seq = (self._seq + 1) & 0xFF
        return [decoded(line) for line in self.sent[before:]]

    def feed(self, data: bytes) -> None:
        for byte in data:
            self.hub.receive(byte)

    def status(self, kind: int, form: str = ">", *fields: int) -> int:
        """The status of the ACK."""
        seq = self._seq
        ((answer, _, body),) = self.send(kind, form, *fields)
        assert (answer, body[0], body[1]) == (wire.ACK, kind, seq)
        return body[2]

    def hello(self, oldest: int = wire.PROTOCOL, newest: int = wire.PROTOCOL, nonce: int = 7) -> bytes:
        ((kind, _, body),) = self.send(wire.HELLO, wire.HELLO_BODY, oldest, newest, nonce)
        assert kind == wire.WELCOME
        return body

    def stream(self, period_ms: int = 20, gap_ms: int = 35) -> None:
        self.hello()
        assert self.status(wire.STREAM, wire.STREAM_BODY, period_ms, gap_ms) == wire.OK

    def run_ms(self, ms: float, step_us: int = 100, *, silent: bool = False) -> list[WireReport]:
        """Let time pass in steps; return the reports. The Pi pings, unless it is `silent`."""
        before = len(self.sent)
        until = self.clock.now_ns() + round(ms * MS)
        while self.clock.now_ns() < until:
            if not silent and self.clock.now_ns() >= self._ping_at_ns:
                self._ping_at_ns = self.clock.now_ns() + 1000 * MS
                self.feed(wire.line(wire.PING, 0, bytes(4)))
            self.hub.step()
            self.clock.advance(step_us * 1000)
        found = [decoded(line) for line in self.sent[before:]]
        return [report for kind, _, body in found if kind == wire.REPORT and (report := parse_report(body))]

    def last(self, ms: float = 200) -> dict[int, int]:
        """The last value of each dial after some time; a dial without a new value keeps its last one."""
        reports = self.run_ms(ms)
        self._values |= {record.dial: record.value for report in reports for record in report.records}
        return self._values

    def statuses(self, ms: float = 200) -> list[int]:
        """The last read result of each dial after some time. A dial that is not wired has none."""
        values = self.last(ms)
        return [values.get(n, wire.NOT_WIRED << 12) >> 12 for n in range(len(self.tiles))]


def records(reports: Sequence[WireReport], dial: int) -> list[Record]:
    """The records of a dial in these reports."""
    return [record for report in reports for record in report.records if record.dial == dial]


def results(reports: Sequence[WireReport], dial: int) -> Counter[int]:
    """How often a dial had each read result."""
    found: Counter[int] = Counter()
    for record in records(reports, dial):
        found[record.value >> 12] += record.reads
    return found


def decoded(line: bytes) -> tuple[int, int, bytes]:
    """Decode a line of the hub. Raises AssertionError if it is not a message."""
    assert line[:1] == b":"
    assert line[-1:] == b"\n"
    found = wire.message(line[1:-1])
    assert found is not None
    return found
