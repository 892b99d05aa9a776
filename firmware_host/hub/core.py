"""The hub's sessions: what it answers, and when it samples and reports. Bus, clock and sender are passed in.

    IDLE        accepts HELLO only; answers everything else with "no session"; sends nothing unasked
    SESSION     after a HELLO with a common protocol
    STREAMING   after STREAM with a period

After PROVE the session is keyed: every line of both ends is sealed, and others are dropped without an answer.
BYE, or five seconds without a good message, returns to IDLE. HELLO starts a new session at any time. Every command may
be repeated: a repetition does not disturb a running stream.
"""

import struct

from .reader import Reader
from .sampler import Sampler
from .seal import Seal, answer
from .wire import (
    ACK,
    ACK_BODY,
    BAD_BODY,
    BOOTLOADER,
    BYE,
    COUNTS,
    COUNTS_BODY,
    DIAG,
    DIAG_BODY,
    DIAGNOSIS,
    DIAGNOSIS_BODY,
    FIRMWARE,
    HELLO,
    HELLO_BODY,
    KEYED,
    LEAST_GAP_MS,
    LEAST_PERIOD_MS,
    MAINT,
    MAINT_BODY,
    MAINT_KEY,
    MOST_GAP_MS,
    MOST_PERIOD_MS,
    NO_KEY,
    NO_SESSION,
    OK,
    OLDEST_PROTOCOL,
    OUT_OF_RANGE,
    PING,
    PING_BODY,
    PONG,
    PONG_BODY,
    PROOF,
    PROTOCOL,
    PROVE,
    PROVE_BODY,
    REPL,
    REPORT,
    RESET,
    SEALED,
    STATS,
    STREAM,
    STREAM_BODY,
    UNKNOWN,
    WELCOME,
    WELCOME_BODY,
    line,
    since,
)

IDLE, SESSION, STREAMING = range(3)

FORGET_US = 5_000_000
"""Without a good message for this long, the session ends."""
RESTING_US = 100_000
"""Longest sleep of the loop when nothing is due."""
MOST_U16 = 0xFFFF


class Identity:
    """The board's identity in WELCOME, and what proves it."""

    def __init__(self, uid: bytes, boot: int, reset_cause: int, key: bytes = b"", challenge=None) -> None:
        """`uid`: the board id, 8 bytes. `boot`: a number that differs after each start, 32 bits. `key`: 32 bytes, or
        empty. `challenge()` returns 16 random bytes."""
        self.uid, self.boot, self.reset_cause = uid, boot, reset_cause
        self.key, self.challenge = key, challenge


class Hub:
    """Pass it bytes with `receive`, call `step` whenever `left_us` has passed, stop when `requested_action` is set."""

    def __init__(self, dials, bus, clock, send, identity, free_memory) -> None:
        """`clock`: hub time in us. `send(line)` returns the number of bytes sent. `free_memory()`: bytes."""
        self._dials, self._bus, self._clock, self._send = dials, bus, clock, send
        self._identity, self._free_memory = identity, free_memory
        self.reader = Reader()
        self.sampler = Sampler(dials, clock, self._report)
        self._seq = 0
        self._short = 0
        self._asked = (0, 0)
        self._reports = 0
        self._last_message_us = 0
        self._welcome = b""
        """The body of the last WELCOME."""
        self._seal: Seal | None = None
        self._proved = (b"", b"")
        """The last challenge, and the body of its PROOF."""
        self.refused = 0
        """Lines of a keyed session that were not the Pi's."""
        self.state = IDLE
        self.requested_action = 0
        """Action of MAINT: RESET, BOOTLOADER or REPL; 0: none."""

    def receive(self, byte: int) -> None:
        """Process one byte from the Pi."""
        found = self.reader.feed(byte)
        if found is not None:
            self._handle(found[0], found[1], found[2])

    def step(self) -> bool:
        """Do what is due; return whether a report was sent."""
        if self.state == IDLE:
            return False
        now = self._clock()
        if not 0 <= since(now, self._last_message_us) < FORGET_US:
            self._end()
            return False
        if self.state == SESSION:
            return False
        before = self._reports
        self.sampler.sweep()
        return self._reports != before

    def left_us(self) -> int:
        """Time until something is due."""
        return 0 if self.state == STREAMING else RESTING_US

    # --- receiving

    def _handle(self, kind: int, seq: int, body: bytes) -> None:
        if kind == HELLO:
            self._hello(seq, body)
            return
        if self._seal is not None and kind != PROVE:
            opened = self._seal.open(kind, seq, body)
            if opened is None:
                self.refused += 1
                return
            kind, body = kind & ~SEALED, opened
        elif self.state == IDLE or (kind & SEALED and kind & ~SEALED in FORMS):
            self._ack(kind, seq, NO_SESSION)
            return
        self._last_message_us = self._clock()
        form = FORMS.get(kind)
        if form is None:
            self._ack(kind, seq, UNKNOWN)
        elif len(body) < struct.calcsize(form):
            self._ack(kind, seq, BAD_BODY)
        else:
            self._execute(kind, seq, struct.unpack_from(form, body))

    def _execute(self, kind: int, seq: int, fields) -> None:
        if kind == PING:
            self._send_message(PONG, struct.pack(PONG_BODY, fields[0], self._clock()))
        elif kind == STREAM:
            self._ack(kind, seq, self._stream(fields))
        elif kind == DIAG and fields[0] < self._dials.count:
            self._send_message(DIAGNOSIS, struct.pack(DIAGNOSIS_BODY, fields[0], *self._dials.diagnosis(fields[0])))
        elif kind == DIAG:
            self._ack(kind, seq, OUT_OF_RANGE)
        elif kind == STATS:
            self._send_message(COUNTS, self._counts())
        elif kind == MAINT:
            self._maint(seq, fields)
        elif kind == PROVE:
            self._prove(seq, fields[0])
        else:
            self._ack(kind, seq, OK)
            self._end()

    def _end(self) -> None:
        self.state, self._seal = IDLE, None

    def _hello(self, seq: int, body: bytes) -> None:
        if len(body) < struct.calcsize(HELLO_BODY):
            self._ack(HELLO, seq, BAD_BODY)
            return
        oldest, newest, nonce = struct.unpack_from(HELLO_BODY, body)
        agreed = oldest <= PROTOCOL and newest >= OLDEST_PROTOCOL
        me = self._identity
        self._end()
        if agreed:
            self.state = SESSION
        self._last_message_us = now = self._clock()
        result = 0 if agreed else 1
        protocol = min(newest, PROTOCOL) if agreed else PROTOCOL
        major, minor, patch = FIRMWARE
        flags = KEYED if me.key else 0
        about = (nonce, protocol, result, self._dials.count, me.reset_cause, me.uid, major, minor, patch, flags)
        self._proved = (b"", b"")
        self._welcome = struct.pack(WELCOME_BODY, *about, me.boot, now)
        self._send_message(WELCOME, self._welcome)

    def _prove(self, seq: int, challenge: bytes) -> None:
        """Answer a challenge; from then on the session is keyed. A repeated one has the same answer."""
        me = self._identity
        if not me.key:
            self._ack(PROVE, seq, NO_KEY)
            return
        if challenge != self._proved[0]:
            proof, seal = answer(me.key, self._welcome, challenge, me.challenge(), self._clock())
            self._proved, self._seal, self.state = (challenge, proof), seal, SESSION
        self._send_line(PROOF, self._proved[1])

    def _stream(self, fields) -> int:
        period_ms, gap_ms = fields
        if not period_ms:
            self.state = SESSION
            return OK
        if not (LEAST_PERIOD_MS <= period_ms <= MOST_PERIOD_MS and LEAST_GAP_MS <= gap_ms <= MOST_GAP_MS):
            return OUT_OF_RANGE
        if self.state == STREAMING and fields == self._asked:
            return OK
        again = self.state == STREAMING and gap_ms == self._asked[1]
        if self.state != STREAMING:
            self._dials.start()
        self._asked = fields
        self.sampler.start(period_ms * 1000, gap_ms * 1000, again=again)
        self.state = STREAMING
        return OK

    def _maint(self, seq: int, fields) -> None:
        key, action = fields
        if key != MAINT_KEY or action not in (RESET, BOOTLOADER, REPL):
            self._ack(MAINT, seq, OUT_OF_RANGE)
            return
        self._ack(MAINT, seq, OK)
        self.requested_action = action

    # --- sending

    def _counts(self) -> bytes:
        sampler, reader, bus = self.sampler, self.reader, self._bus
        apart_ms = sampler.longest_us // 1000
        found = (reader.good, reader.damaged, self._short, bus.failed, bus.freed, sampler.took_us, apart_ms)
        shown = [min(number, MOST_U16) for number in found]
        return struct.pack(COUNTS_BODY, self._clock(), *shown, self._free_memory(), min(sampler.rate, MOST_U16))

    def _report(self, body: "bytes | bytearray") -> None:
        self._reports = (self._reports + 1) & 0xFFFF
        self._send_message(REPORT, body)

    def _ack(self, kind: int, seq: int, status: int) -> None:
        self._send_message(ACK, struct.pack(ACK_BODY, kind, seq, status))

    def _send_message(self, kind: int, body: "bytes | bytearray") -> None:
        if self._seal is not None:
            kind |= SEALED
            body = self._seal.close(kind, self._seq, body)
        self._send_line(kind, body)

    def _send_line(self, kind: int, body: "bytes | bytearray") -> None:
        text = line(kind, self._seq, body)
        self._seq = (self._seq + 1) & 0xFF
        if self._send(text) != len(text):
            self._short += 1


FORMS = {
    STREAM: STREAM_BODY,
    PING: PING_BODY,
    DIAG: DIAG_BODY,
    STATS: ">",
    MAINT: MAINT_BODY,
    BYE: ">",
    PROVE: PROVE_BODY,
}
