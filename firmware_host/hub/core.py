"""The hub's sessions: what it answers, and when it samples and reports. Bus, clock and sender are passed in.

    IDLE        accepts HELLO only; answers everything else with "no session"; sends nothing unasked
    SESSION     after a HELLO with a common protocol
    STREAMING   after STREAM with a period

BYE, or five seconds without a good message, returns to IDLE. HELLO starts a new session at any time. Every command may
be repeated: a repetition does not disturb a running stream.
"""

import struct

from .reader import Reader
from .sampler import Sampler
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
    LEAST_GAP_MS,
    LEAST_PERIOD_MS,
    MAINT,
    MAINT_BODY,
    MAINT_KEY,
    MOST_GAP_MS,
    MOST_PERIOD_MS,
    NO_SESSION,
    OK,
    OLDEST_PROTOCOL,
    OUT_OF_RANGE,
    PING,
    PING_BODY,
    PONG,
    PONG_BODY,
    PROTOCOL,
    REPL,
    REPORT,
    RESET,
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
    """The board's identity in WELCOME."""

    def __init__(self, uid: bytes, boot: int, reset_cause: int) -> None:
        """`uid`: the board id, 8 bytes. `boot`: a number that differs after each start, 32 bits."""
        self.uid, self.boot, self.reset_cause = uid, boot, reset_cause


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
            self.state = IDLE
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
        if self.state == IDLE:
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
        else:
            self._ack(kind, seq, OK)
            self.state = IDLE

    def _hello(self, seq: int, body: bytes) -> None:
        if len(body) < struct.calcsize(HELLO_BODY):
            self._ack(HELLO, seq, BAD_BODY)
            return
        oldest, newest, nonce = struct.unpack_from(HELLO_BODY, body)
        agreed = oldest <= PROTOCOL and newest >= OLDEST_PROTOCOL
        me = self._identity
        self.state = SESSION if agreed else IDLE
        self._last_message_us = now = self._clock()
        result = 0 if agreed else 1
        protocol = min(newest, PROTOCOL) if agreed else PROTOCOL
        major, minor, patch = FIRMWARE
        about = (nonce, protocol, result, self._dials.count, me.reset_cause, me.uid, major, minor, patch, 0)
        self._send_message(WELCOME, struct.pack(WELCOME_BODY, *about, me.boot, now))

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
        text = line(kind, self._seq, body)
        self._seq = (self._seq + 1) & 0xFF
        if self._send(text) != len(text):
            self._short += 1


FORMS = {STREAM: STREAM_BODY, PING: PING_BODY, DIAG: DIAG_BODY, STATS: ">", MAINT: MAINT_BODY, BYE: ">"}
