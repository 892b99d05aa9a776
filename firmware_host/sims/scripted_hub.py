"""SIMULATED: a hub's end of the wire without bus or clock; a script supplies the samples. For tests and benches.

The firmware's own `hub/records.py` builds its reports. Nothing else but the protocol is modelled. `board_twin.py` runs
the whole firmware.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable

from firmware_host.hub import seal, wire
from firmware_host.hub.records import ReportBuilder, has_angle

Script = Callable[[int], tuple[int, ...]]
"""The values of all dials at a time in whole microseconds."""


class ScriptedHub:
    """`script` returns values as on the wire: the read result in the upper four bits, the angle below. It is called
    once in `every_us`."""

    def __init__(
        self,
        script: Script,
        dials: int = 8,
        uid: str = "e6616408432b5c21",
        boot: int = 0xA1B2C3D4,
        seq: int = 255,
        *,
        every_us: int = 10_000,
        key: bytes = b"",
    ) -> None:
        self.script, self.dials, self.uid, self.boot = script, dials, uid, boot
        self.key = key
        self._seal: seal.Seal | None = None
        self._welcome_body = b""
        self.every_us = every_us
        self.firmware = wire.FIRMWARE
        self.protocol, self.result = wire.PROTOCOL, 0
        self.refuses: dict[int, int] = {}
        """Kind of message -> the status of its ACK."""
        self.ignores: set[int] = set()
        """Kinds of messages without an answer."""
        self.diagnosis = (wire.GOOD, 0x20, 64, 2100, 77, 0x0204, 3)
        """The DIAGNOSIS of each dial."""
        self.received: deque[tuple[int, bytes]] = deque(maxlen=100)
        """The latest received messages."""
        self.period_us = 0
        self.full: dict[int, tuple[int, int]] = {}
        """AGC and MAGNITUDE of dials whose next good sample is a full read."""
        self._seq = seq
        self._session = False
        self._rest = b""
        self._next_us = self._last_message_us = 0
        self._made = 0
        self._sent: list[bytes] = []
        self._records = ReportBuilder(
            dials, range(dials), lambda body: self._sent.append(self.next_line(wire.REPORT, bytes(body)))
        )

    def restart(self, boot: int) -> None:
        """Simulate a power cycle."""
        self.__init__(self.script, self.dials, self.uid, boot, every_us=self.every_us, key=self.key)  # type: ignore[misc]

    # ------------------------------------------------------------------ receiving

    def feed(self, data: bytes, now_us: int) -> bytes:
        """Process these bytes; return the answers."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return b"".join(self._handle(line, now_us) for line in lines)

    def _handle(self, line: bytes, now_us: int) -> bytes:
        fields = wire.message(line.rpartition(b":")[2])
        if fields is None:
            return b""
        kind, seq, body = fields
        self.received.append((kind, body))
        if kind in self.ignores:
            return b""
        if self._seal is not None and kind not in (wire.HELLO, wire.PROVE):
            opened = self._seal.open(kind, seq, body)
            if opened is None:
                return b""
            kind, body = kind & ~wire.SEALED, opened
            self.received[-1] = (kind, body)
        self._last_message_us = now_us
        if kind == wire.HELLO and len(body) >= struct.calcsize(wire.HELLO_BODY):
            return self._welcome(body, now_us)
        if not self._session:
            return self._ack(kind, seq, wire.NO_SESSION)
        if kind in self.refuses:
            return self._ack(kind, seq, self.refuses[kind])
        if kind in _BODIES and len(body) < struct.calcsize(_BODIES[kind]):
            return self._ack(kind, seq, wire.BAD_BODY)
        return self._answer(kind, seq, body, now_us)

    def _welcome(self, body: bytes, now_us: int) -> bytes:
        (nonce,) = struct.unpack_from(">I", body, 2)
        self._session, self.period_us, self._seal = self.result == 0, 0, None
        fields = struct.pack(
            wire.WELCOME_BODY,
            nonce,
            self.protocol,
            self.result,
            self.dials,
            1,
            bytes.fromhex(self.uid),
            *self.firmware,
            wire.KEYED if self.key else 0,
            self.boot,
            now_us % wire.TICKS,
        )
        self._welcome_body = fields
        return self.next_line(wire.WELCOME, fields)

    def _prove(self, seq: int, challenge: bytes, now_us: int) -> bytes:
        if not self.key:
            return self._ack(wire.PROVE, seq, wire.NO_KEY)
        mine = struct.pack(">QQ", self.boot, now_us)
        self._seal = None
        proof, sealed = seal.answer(self.key, self._welcome_body, challenge, mine, now_us % wire.TICKS)
        line = self.next_line(wire.PROOF, proof)
        self._seal = sealed
        return line

    def _answer(self, kind: int, seq: int, body: bytes, now_us: int) -> bytes:
        if kind == wire.PING:
            return self.next_line(wire.PONG, body[:4] + struct.pack(">I", now_us % wire.TICKS))
        if kind == wire.STREAM:
            period_ms, gap_ms = struct.unpack_from(wire.STREAM_BODY, body)
            if period_ms and not wire.LEAST_PERIOD_MS <= period_ms <= wire.MOST_PERIOD_MS:
                return self._ack(kind, seq, wire.OUT_OF_RANGE)
            self.period_us = period_ms * 1000
            self._next_us = now_us
            self._made = 0
            self._records.start(gap_ms * 1000)
        elif kind == wire.PROVE:
            return self._prove(seq, body, now_us)
        elif kind == wire.DIAG:
            return self.next_line(wire.DIAGNOSIS, struct.pack(wire.DIAGNOSIS_BODY, body[0], *self.diagnosis))
        elif kind == wire.STATS:
            fields = struct.pack(wire.COUNTS_BODY, now_us % wire.TICKS, 10, 1, 0, 2, 0, 1900, 3, 150_000, 240)
            return self.next_line(wire.COUNTS, fields)
        elif kind == wire.BYE:
            self._session, self.period_us = False, 0
        elif kind != wire.MAINT:
            return self._ack(kind, seq, wire.UNKNOWN)
        return self._ack(kind, seq, wire.OK)

    def _ack(self, kind: int, seq: int, status: int) -> bytes:
        return self.next_line(wire.ACK, struct.pack(wire.ACK_BODY, kind, seq, status))

    def next_line(self, kind: int, body: bytes) -> bytes:
        """A line with the next number."""
        self._seq = (self._seq + 1) % 256
        if self._seal is not None:
            kind |= wire.SEALED
            body = self._seal.close(kind, self._seq, body)
        return wire.line(kind, self._seq, body)

    # ------------------------------------------------------------------ sampling

    def due_us(self) -> int | None:
        """When `tick` has something to do; None: never, in this state."""
        return self._next_us if self.period_us else None

    def tick(self, now_us: int) -> bytes:
        """Take the samples that are due; return the reports that they fill."""
        if self.period_us and now_us - self._last_message_us > 5_000_000:
            self._session, self.period_us, self._seal = False, 0, None
        while self.period_us and self._next_us <= now_us:
            self._sweep(self._next_us)
            self._next_us += self.every_us
            self._made += 1
            if self._made >= self.period_us // self.every_us:
                self._made = 0
                self._records.flush(self._next_us % wire.TICKS)
        sent, self._sent = b"".join(self._sent), []
        return sent

    def _sweep(self, at_us: int) -> None:
        for dial, value in enumerate(self.script(at_us)):
            if dial in self.full and has_angle(value):
                self._records.add_full(dial, value, at_us % wire.TICKS, *self.full.pop(dial))
            else:
                self._records.add(dial, value, at_us % wire.TICKS)


_BODIES = {
    wire.STREAM: wire.STREAM_BODY,
    wire.PING: wire.PING_BODY,
    wire.DIAG: wire.DIAG_BODY,
    wire.MAINT: wire.MAINT_BODY,
}
