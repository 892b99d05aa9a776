"""The wire between a hub and the Pi: one text line per message. Both ends use this file; MicroPython runs it too.

    ":" HEX LF        bytes inside: kind u8, seq u8, body 0 to 240 bytes, CRC-32 of all before it u32

The body of a sealed message has 12 bytes more, see `seal.py`.

All numbers are big-endian. Hex digits are sent in lower case and read in either; a CR before the LF is ignored. A
reader parses the text after the last ":" of a line, so garbage or half a message in front never costs the next message;
everything else on the wire is console text. A line never contains 0x03, so Ctrl-C still stops the program on the board.

Hub time is `ticks_us` of the board: microseconds modulo 2^30. `wiring_docs/hub_wire.md` is the specification.
"""

import struct
from binascii import crc32, hexlify, unhexlify

PROTOCOL = 2
OLDEST_PROTOCOL = 2
FIRMWARE = (2, 1, 0)
"""The version of this folder."""

MOST_BODY = 240
SEAL_BYTES = 12
"""Counter and keyed check behind the body of a sealed message."""
MOST_INSIDE = 2 + MOST_BODY + SEAL_BYTES + 4
MOST_LINE = 2 * MOST_INSIDE + 3
"""The longest line, with its colon, a CR and its LF."""
MOST_COMMAND = 96
"""The longest line that a hub accepts: it reads byte by byte."""

MOST_DIALS = 16
TICKS = 1 << 30
"""Where hub time wraps."""
LAST_TICK = 0x3FFF_FFFF
"""A mask: the largest fast integer of a 32-bit MicroPython, where TICKS is a slow one."""

HELLO, STREAM, PING, DIAG, STATS, MAINT, BYE, PROVE = 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x08, 0x09
"""Kinds of messages from the Pi."""
WELCOME, ACK, PONG, REPORT, DIAGNOSIS, COUNTS, PROOF = 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87
"""Kinds of messages from a hub."""
SEALED = 0x40
"""Added to the kind of a message with counter and keyed check."""

OK, UNKNOWN, BAD_BODY, NO_SESSION, OUT_OF_RANGE, NO_KEY = 0, 1, 2, 3, 4, 5
"""Status of an ACK."""

RESET, BOOTLOADER, REPL = 1, 2, 3
"""Actions of MAINT."""
MAINT_KEY = 0x4D41494E
"""`MAIN` in ASCII: a damaged message never resets a board."""

GOOD, NO_MAGNET, TOO_WEAK, TOO_STRONG, SILENT, STUCK, NO_MUX, IMPLAUSIBLE, NOT_WIRED, NOT_READ = range(10)
"""Result of a read of one dial. GOOD, TOO_WEAK and TOO_STRONG come with an angle; for the others the angle is 0."""

LEAST_PERIOD_MS, MOST_PERIOD_MS = 5, 50
LEAST_GAP_MS, MOST_GAP_MS = 5, 1000

COUNTS_PER_TURN = 4096


def line(kind: int, seq: int, body: "bytes | bytearray") -> bytes:
    """Encode a message."""
    inside = bytes((kind, seq)) + body
    return b":" + hexlify(inside + struct.pack(">I", crc32(inside))) + b"\n"


def message(text: bytes) -> "tuple[int, int, bytes] | None":
    """Decode the text after the colon to kind, seq and body; None if it is damaged or no message."""
    try:
        inside = unhexlify(text)
    except ValueError:
        return None
    if not 6 <= len(inside) <= MOST_INSIDE:
        return None
    if struct.unpack_from(">I", inside, len(inside) - 4)[0] != crc32(inside[:-4]):
        return None
    return inside[0], inside[1], inside[2:-4]


# Bodies. A reader ignores bytes after the known fields: a later protocol may append some. A body that is too short is
# damaged, and `struct` raises.

HELLO_BODY = ">BBI"
"""Oldest and newest protocol of the Pi, nonce."""
WELCOME_BODY = ">IBBBB8sBBBBII"
"""Nonce, protocol, result (0: agreed, 1: none in common), dials, reset cause, board id, firmware version (three),
flags, boot id, hub time. WELCOME and HELLO stay the same in every later protocol."""
STREAM_BODY = ">HH"
"""Report period in ms (0: none), gap limit in ms."""
ACK_BODY = ">BBB"
"""Kind and seq of the acknowledged message, status."""
PING_BODY = ">I"
"""Token."""
PONG_BODY = ">II"
"""Token, hub time."""
DIAG_BODY = ">B"
"""Dial."""
DIAGNOSIS_BODY = ">BBBBHHHH"
"""Dial, read result, STATUS, AGC, MAGNITUDE, RAW ANGLE, CONF, failed reads since the board's start."""
COUNTS_BODY = ">IHHHHHHHIH"
"""Hub time, good messages, damaged ones, lines not sent whole, failed transfers, bus recoveries, duration of a sweep in
us, the longest time from one sweep to the next in ms, free memory, sweeps in a second."""
MAINT_BODY = ">IB"
"""Key, action."""

KEY_BYTES, CHALLENGE_BYTES, PROOF_BYTES = 32, 16, 16
KEYED = 0x01
"""Flag of WELCOME: the hub has a key."""
PROVE_BODY = ">16s"
"""The Pi's challenge."""
PROOF_HEAD = ">16sI"
"""The hub's challenge, hub time."""
PROOF_BODY = ">16sI16s"
"""The head, and the proof."""
COUNTER = ">I"
"""Counts up from 1 with each sealed line of this end in a session."""

REPORT_HEAD = ">IBHB"
"""Hub time, dials, which of them are wired (bit n: dial n), records. Then for each dial the number of its jumps, modulo
256; then the records. The first byte of a record has its kind in the upper four bits and the dial in the lower four.
Times are microseconds after the report's hub time; a value has the read result in the upper four bits and the raw angle
in the lower twelve."""
REPORT_HEAD_LENGTH = 8

ONE, RUN, FULL = 0x10, 0x20, 0x30
ONE_RECORD = ">BHH"
"""Kind and dial, time, value."""
RUN_RECORD = ">BHHHBBHH"
"""Kind and dial, time of the first sample, time of the last, value of the last; in counts: last above lowest (upper
four bits) and highest above last (lower four), first above lowest; number of samples, at least 2; the longest time
between two of them in us."""
FULL_RECORD = ">BHHBH"
"""Kind and dial, time, value, AGC, MAGNITUDE."""


def since(later: int, earlier: int) -> int:
    """Microseconds of hub time from `earlier` to `later`, less than nine minutes either way."""
    return (later - earlier + 0x2000_0000 & LAST_TICK) - 0x2000_0000
