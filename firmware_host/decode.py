"""Decodes a line of the wire for builders: `trapdial hub decode`. Pure.

It shows angles too: the user has the line already.
"""

from __future__ import annotations

import re
import struct
from binascii import crc32, unhexlify
from collections.abc import Callable, Mapping
from typing import Final

from firmware_host.hub import wire
from firmware_host.lines import harmless
from firmware_host.reports import WITH_ANGLE, Record, parse_report

KINDS: Final[Mapping[int, str]] = {
    wire.HELLO: "HELLO",
    wire.STREAM: "STREAM",
    wire.PING: "PING",
    wire.DIAG: "DIAG",
    wire.STATS: "STATS",
    wire.MAINT: "MAINT",
    wire.BYE: "BYE",
    wire.WELCOME: "WELCOME",
    wire.ACK: "ACK",
    wire.PONG: "PONG",
    wire.REPORT: "REPORT",
    wire.DIAGNOSIS: "DIAGNOSIS",
    wire.COUNTS: "COUNTS",
    wire.PROVE: "PROVE",
    wire.PROOF: "PROOF",
}

STATUSES: Final = ("done", "unknown message", "bad body", "no session", "out of range", "no key")
ACTIONS: Final[Mapping[int, str]] = {
    wire.RESET: "reset",
    wire.BOOTLOADER: "start the bootloader",
    wire.REPL: "leave to the REPL",
}
READ_RESULTS: Final = (
    "good",
    "no magnet",
    "field too weak",
    "field too strong",
    "no answer",
    "bus stuck",
    "no mux",
    "implausible",
    "not wired",
    "not read yet",
)


def decoded(line: str) -> str:
    """Describe a line, or its damage. Never raises."""
    text = line.strip()
    before, colon, digits = text.rpartition(":")
    if not colon or (before and re.fullmatch(r"[0-9A-Fa-f]*", digits) is None):
        return f"text: {harmless(text.encode(errors='replace')) or 'nothing printable'}"
    if wrong := _wrong(digits):
        return f"damaged: {wrong}"
    message = wire.message(digits.encode())
    if message is None:
        return "damaged"
    kind, seq, body = message
    sealed = ""
    if kind & wire.SEALED and kind & ~wire.SEALED in KINDS and len(body) >= wire.SEAL_BYTES:
        counter, check = struct.unpack_from(">I8s", body, len(body) - wire.SEAL_BYTES)
        sealed = f"; sealed with counter {counter}, check {check.hex()}"
        kind, body = kind & ~wire.SEALED, body[: -wire.SEAL_BYTES]
    name = KINDS.get(kind, f"kind {kind:02x}")
    note = f"{sealed} (after {len(before)} characters of other text)" if before else sealed
    try:
        return f"{name} number {seq}: {_BODIES[kind](body) if kind in _BODIES else f'unknown, {len(body)} bytes'}{note}"
    except (struct.error, ValueError):
        return f"{name} number {seq}: its body of {len(body)} bytes is too short or invalid{note}"


def is_damaged(description: str) -> bool:
    """Whether `decoded` found a damaged line."""
    return description.startswith("damaged")


def _wrong(digits: str) -> str:
    """The damage in the text after the colon; empty if there is none."""
    strange = next((n for n, digit in enumerate(digits) if digit not in "0123456789abcdefABCDEF"), None)
    if strange is not None:
        return f"character {strange + 1} after the colon is not a hex digit"
    if len(digits) % 2:
        return f"{len(digits)} hex digits, an odd number: one is missing or extra"
    if len(digits) < 12:
        return f"{len(digits)} hex digits, but the shortest message has 12: it was truncated"
    if len(digits) > 2 * wire.MOST_INSIDE:
        return f"{len(digits)} hex digits, but the longest message has {2 * wire.MOST_INSIDE}"
    inside = unhexlify(digits)
    check = f"{crc32(inside[:-4]):08x}"
    if check != digits[-8:].lower():
        return f"its CRC is {digits[-8:].lower()}, but its content has CRC {check}"
    return ""


def _hello(body: bytes) -> str:
    oldest, newest, nonce = struct.unpack_from(wire.HELLO_BODY, body)
    return f"protocols {oldest} to {newest}, nonce {nonce:08x}"


def _welcome(body: bytes) -> str:
    fields = struct.unpack_from(wire.WELCOME_BODY, body)
    nonce, protocol, result, dials, cause, uid, major, minor, patch, flags, boot, at_us = fields
    agreed = {0: "agreed", 1: "no protocol in common"}.get(result, f"result {result}")
    return (
        f"nonce {nonce:08x}, protocol {protocol}, {agreed}, {dials} dials, reset cause {cause}, board {uid.hex()}, "
        f"firmware {major}.{minor}.{patch}, flags {flags}, boot {boot:08x}, at {_time(at_us)}"
    )


def _stream(body: bytes) -> str:
    period_ms, gap_ms = struct.unpack_from(wire.STREAM_BODY, body)
    if not period_ms:
        return "no reports"
    return f"a report every {period_ms} ms, gap limit {gap_ms} ms"


def _ack(body: bytes) -> str:
    kind, seq, status = struct.unpack_from(wire.ACK_BODY, body)
    status_text = STATUSES[status] if status < len(STATUSES) else f"status {status}"
    return f"{KINDS.get(kind, f'kind {kind:02x}')} number {seq}: {status_text}"


def _ping(body: bytes) -> str:
    return f"token {struct.unpack_from(wire.PING_BODY, body)[0]:08x}"


def _pong(body: bytes) -> str:
    token, at_us = struct.unpack_from(wire.PONG_BODY, body)
    return f"token {token:08x}, at {_time(at_us)}"


def _diag(body: bytes) -> str:
    return f"dial {struct.unpack_from(wire.DIAG_BODY, body)[0]}"


def _diagnosis(body: bytes) -> str:
    dial, result, status, agc, magnitude, raw, conf, failed = struct.unpack_from(wire.DIAGNOSIS_BODY, body)
    return (
        f"dial {dial}: {_results(result)}, STATUS {status:02x}, AGC {agc}, MAGNITUDE {magnitude}, RAW ANGLE {raw}, "
        f"CONF {conf:04x}, {failed} failed reads"
    )


def _counts(body: bytes) -> str:
    at_us, good, damaged, short, failed, freed, took_us, apart_ms, free, rate = struct.unpack_from(
        wire.COUNTS_BODY, body
    )
    return (
        f"at {_time(at_us)}, received {good} good messages and {damaged} damaged ones, {short} lines not sent whole, "
        f"{failed} failed transfers, {freed} bus recoveries, a sweep takes {took_us} us, at most {apart_ms} ms "
        f"from one to the next, {rate} in a second, {free} bytes free"
    )


def _maint(body: bytes) -> str:
    key, action = struct.unpack_from(wire.MAINT_BODY, body)
    lock = "" if key == wire.MAINT_KEY else f", with the wrong key {key:08x}"
    return f"{ACTIONS.get(action, f'action {action}')}{lock}"


def _report(body: bytes) -> str:
    report = parse_report(body)
    if report is None:
        raise ValueError
    wired = [n for n in range(len(report.jumps)) if report.wired >> n & 1]
    parts = [
        f"at {_time(report.at_us)}, {len(report.jumps)} dials, wired {' '.join(map(str, wired)) or 'none'}, "
        f"jumps {' '.join(map(str, report.jumps))}"
    ]
    return "; ".join((*parts, *map(_record, report.records)))


def _record(record: Record) -> str:
    dial = f"dial {record.dial}"
    if record.reads > 1:
        low, high = ((record.value + away) % wire.COUNTS_PER_TURN for away in (record.lowest, record.highest))
        spread = f", lowest {low}, highest {high}" if record.has_angle else ""
        return (
            f"{dial} from {record.first_us} to {record.last_us} us later, {record.reads} samples at most "
            f"{record.gap_us} us apart: first {_value(record.first)}, last {_value(record.value)}{spread}"
        )
    full = f", full read with AGC {record.agc}, MAGNITUDE {record.magnitude}" if record.agc >= 0 else ""
    return f"{dial} {record.last_us} us later: {_value(record.value)}{full}"


def _value(value: int) -> str:
    result, angle = value >> 12, value & 0xFFF
    if result == wire.GOOD:
        return str(angle)
    return f"{angle} ({_results(result)})" if result in WITH_ANGLE else _results(result)


def _results(result: int) -> str:
    return READ_RESULTS[result] if result < len(READ_RESULTS) else f"status {result}"


def _time(at_us: int) -> str:
    return f"{at_us / 1e6:.6f} s"


def _prove(body: bytes) -> str:
    return f"challenge {struct.unpack_from(wire.PROVE_BODY, body)[0].hex()}"


def _proof(body: bytes) -> str:
    mine, hub_us, proof = struct.unpack_from(wire.PROOF_BODY, body)
    return f"challenge {mine.hex()}, at {_time(hub_us)}, proof {proof.hex()}"


def _empty(_: bytes) -> str:
    return "empty body"


_BODIES: Final[Mapping[int, Callable[[bytes], str]]] = {
    wire.HELLO: _hello,
    wire.STREAM: _stream,
    wire.PING: _ping,
    wire.DIAG: _diag,
    wire.STATS: _empty,
    wire.MAINT: _maint,
    wire.BYE: _empty,
    wire.WELCOME: _welcome,
    wire.ACK: _ack,
    wire.PONG: _pong,
    wire.REPORT: _report,
    wire.DIAGNOSIS: _diagnosis,
    wire.COUNTS: _counts,
    wire.PROVE: _prove,
    wire.PROOF: _proof,
}
