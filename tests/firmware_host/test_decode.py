"""Decoded lines of the wire: each kind of message, and the damage of a line."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.decode import KINDS, decoded, is_damaged
from firmware_host.hub import wire

DESCRIPTIONS = {
    wire.HELLO: (b"\2\2" + bytes.fromhex("c0ffee01"), "HELLO number 7: protocols 2 to 2, nonce c0ffee01"),
    wire.WELCOME: (
        struct.pack(wire.WELCOME_BODY, 0xC0FFEE01, 2, 0, 8, 1, bytes(range(8)), 1, 2, 3, 0, 0xA1B2C3D4, 1_234_567),
        "WELCOME number 7: nonce c0ffee01, protocol 2, agreed, 8 dials, reset cause 1, board 0001020304050607, "
        "firmware 1.2.3, flags 0, boot a1b2c3d4, at 1.234567 s",
    ),
    wire.STREAM: (
        struct.pack(wire.STREAM_BODY, 20, 35),
        "STREAM number 7: a report every 20 ms, gap limit 35 ms",
    ),
    wire.ACK: (bytes((wire.STREAM, 1, 4)), "ACK number 7: STREAM number 1: out of range"),
    wire.PING: (struct.pack(wire.PING_BODY, 1), "PING number 7: token 00000001"),
    wire.PONG: (struct.pack(wire.PONG_BODY, 1, 500), "PONG number 7: token 00000001, at 0.000500 s"),
    wire.DIAG: (b"\5", "DIAG number 7: dial 5"),
    wire.DIAGNOSIS: (
        struct.pack(wire.DIAGNOSIS_BODY, 5, 2, 0x30, 128, 900, 77, 0x0204, 3),
        "DIAGNOSIS number 7: dial 5: field too weak, STATUS 30, AGC 128, MAGNITUDE 900, RAW ANGLE 77, CONF 0204, 3 "
        "failed reads",
    ),
    wire.STATS: (b"", "STATS number 7: empty body"),
    wire.COUNTS: (
        struct.pack(wire.COUNTS_BODY, 1_000_000, 1, 2, 3, 4, 5, 1900, 6, 150_000, 240),
        "COUNTS number 7: at 1.000000 s, received 1 good messages and 2 damaged ones, 3 lines not sent whole, 4 failed "
        "transfers, 5 bus recoveries, a sweep takes 1900 us, at most 6 ms from one to the next, 240 in a "
        "second, 150000 bytes free",
    ),
    wire.MAINT: (struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, 1), "MAINT number 7: reset"),
    wire.BYE: (b"", "BYE number 7: empty body"),
    wire.PROVE: (bytes(16), f"PROVE number 7: challenge {'00' * 16}"),
    wire.PROOF: (
        struct.pack(wire.PROOF_BODY, bytes(16), 1_234_567, bytes(range(16))),
        f"PROOF number 7: challenge {'00' * 16}, at 1.234567 s, proof 000102030405060708090a0b0c0d0e0f",
    ),
    wire.REPORT: (
        struct.pack(wire.REPORT_HEAD, 1_254_000, 3, 5, 4)
        + bytes((0, 0, 9))
        + struct.pack(wire.ONE_RECORD, wire.ONE | 0, 0, 512)
        + struct.pack(wire.RUN_RECORD, wire.RUN | 2, 250, 19_400, 2 << 12 | 4095, 0x12, 3, 5, 4_900)
        + struct.pack(wire.FULL_RECORD, wire.FULL | 0, 2_500, 515, 64, 2100)
        + struct.pack(wire.ONE_RECORD, wire.ONE | 2, 20_000, 0x4000),
        "REPORT number 7: at 1.254000 s, 3 dials, wired 0 2, jumps 0 0 9; dial 0 0 us later: 512; dial 2 from 250 to "
        "19400 us later, 5 samples at most 4900 us apart: first 1 (field too weak), last 4095 (field too weak), lowest "
        "4094, highest 1; dial 0 2500 us later: 515, full read with AGC 64, MAGNITUDE 2100; dial 2 20000 us later: no "
        "answer",
    ),
}


@pytest.mark.parametrize("kind", KINDS, ids=KINDS.get)
def test_every_kind_of_message(kind: int) -> None:
    body, description = DESCRIPTIONS[kind]
    line = wire.line(kind, 7, body).decode()
    assert decoded(line) == description
    assert decoded(line.upper()) == description
    assert not is_damaged(description)
    if body:
        short = f"{KINDS[kind]} number 7: its body of {len(body) - 1} bytes is too short or invalid"
        assert decoded(wire.line(kind, 7, body[:-1]).decode()) == short


PING = wire.line(wire.PING, 2, bytes(4)).decode()


@pytest.mark.parametrize(
    ("line", "description"),
    [
        (">>> ", "text: >>>"),
        ("", "text: nothing printable"),
        ("OSError: [Errno 5] EIO", "text: OSError: [Errno 5] EIO"),
        (">>> " + PING, "PING number 2: token 00000000 (after 4 characters of other text)"),
        (
            wire.line(wire.BYE | wire.SEALED, 2, bytes(4) + bytes(range(8))).decode(),
            "BYE number 2: empty body; sealed with counter 0, check 0001020304050607",
        ),
        (PING[:-1][:-1], "damaged: 19 hex digits, an odd number: one is missing or extra"),
        (":0302", "damaged: 4 hex digits, but the shortest message has 12: it was truncated"),
        (":" + "00" * 300, "damaged: 600 hex digits, but the longest message has 516"),
        (":03g2000000000000", "damaged: character 3 after the colon is not a hex digit"),
        (PING.replace("0302", "0303"), None),
        (wire.line(0x55, 1, b"abc").decode(), "kind 55 number 1: unknown, 3 bytes"),
        (
            wire.line(wire.MAINT, 1, struct.pack(wire.MAINT_BODY, 5, 9)).decode(),
            "MAINT number 1: action 9, with the wrong key 00000005",
        ),
    ],
)
def test_damaged_lines_and_other_text(line: str, description: str | None) -> None:
    if description is None:
        assert decoded(line).startswith("damaged: its CRC is ")
    else:
        assert decoded(line) == description


@given(st.text())
def test_anything_can_be_pasted(line: str) -> None:
    assert decoded(line)


@given(st.integers(0, 255), st.binary(max_size=240))
def test_any_message_is_decoded(kind: int, body: bytes) -> None:
    assert not is_damaged(decoded(wire.line(kind, 1, body).decode()))
