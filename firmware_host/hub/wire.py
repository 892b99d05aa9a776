"""The wire between a hub and the Pi: one text line per message. Both ends use this file; MicroPython runs it too.

    ":" HEX LF        bytes inside: kind u8, seq u8, body 0 to 240 bytes, CRC-32 of all before it u32

All numbers are big-endian. Digits are sent in lower case and read in either; a CR before the LF is let pass. A reader
takes what follows the last ":" of a line, so rubbish or half a message in front never costs the next one; everything
else on the wire is text of the console. A line never holds 0x03: Ctrl-C goes on to stop the program on the board.

Hub time is `ticks_us` of the board: microseconds modulo 2^30. `wiring_docs/hub_wire.md` describes all of it.
"""

import struct
from binascii import crc32, hexlify, unhexlify

PROTOCOL = 2
OLDEST_PROTOCOL = 2
FIRMWARE = (2, 0, 0)
"""The version of what lies in this folder."""

MOST_BODY = 240
MOST_LINE = 2 * (2 + MOST_BODY + 4) + 3
"""Of a line with its colon, a CR and its LF."""
MOST_COMMAND = 96
"""Of a line that a hub takes: it reads byte by byte."""

MOST_DIALS = 16
TICKS = 1 << 30
"""Where hub time begins again."""
LAST_TICK = 0x3FFF_FFFF
"""Serves as a mask: the largest fast integer of a 32-bit MicroPython, to which TICKS is a slow one."""

HELLO, STREAM, PING, DIAG, STATS, MAINT, BYE = 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x08
"""What the Pi sends."""
WELCOME, ACK, PONG, REPORT, DIAGNOSIS, COUNTS = 0x81, 0x82, 0x83, 0x84, 0x85, 0x86
"""What a hub sends."""

OK, UNKNOWN, BAD_BODY, NO_SESSION, OUT_OF_RANGE = 0, 1, 2, 3, 4
"""The status in an ACK."""

RESET, BOOTLOADER, REPL = 1, 2, 3
"""What MAINT asks for."""
MAINT_KEY = 0x4D41494E
"""`MAIN`: a damaged message never resets a board."""

GOOD, NO_MAGNET, TOO_WEAK, TOO_STRONG, SILENT, STUCK, NO_MUX, IMPLAUSIBLE, NOT_WIRED, NOT_READ = range(10)
"""What a look at a dial gave. With GOOD, TOO_WEAK and TOO_STRONG the angle holds; else it is 0."""

LEAST_PERIOD_MS, MOST_PERIOD_MS = 5, 50
LEAST_GAP_MS, MOST_GAP_MS = 5, 1000

COUNTS_PER_TURN = 4096


def line(kind: int, seq: int, body: "bytes | bytearray") -> bytes:
    """A message as it goes over the wire."""
    inside = bytes((kind, seq)) + body
    return b":" + hexlify(inside + struct.pack(">I", crc32(inside))) + b"\n"


def message(text: bytes) -> "tuple[int, int, bytes] | None":
    """Kind, seq and body of what stands behind the colon, or None if it is damaged or none."""
    try:
        inside = unhexlify(text)
    except ValueError:
        return None
    if not 6 <= len(inside) <= 6 + MOST_BODY:
        return None
    if struct.unpack_from(">I", inside, len(inside) - 4)[0] != crc32(inside[:-4]):
        return None
    return inside[0], inside[1], inside[2:-4]


# Bodies. A body that is longer than known is read as far as it is known: a later protocol may add to its end. One that
# is shorter is damaged, and `struct` says so.

HELLO_BODY = ">BBI"
"""Oldest and newest protocol that the Pi speaks, nonce."""
WELCOME_BODY = ">IBBBB8sBBBBII"
"""Nonce, protocol, result (0: agreed, 1: none in common), dials, reset cause, board id, the firmware's version (three),
flags, boot id, hub time. With HELLO the same in every protocol to come."""
STREAM_BODY = ">HH"
"""Report period in ms (0: none), gap limit in ms."""
ACK_BODY = ">BBB"
"""Kind and seq of what is answered, status."""
PING_BODY = ">I"
"""Token."""
PONG_BODY = ">II"
"""Token, hub time."""
DIAG_BODY = ">B"
"""Dial."""
DIAGNOSIS_BODY = ">BBBBHHHH"
"""Dial, how the look went, STATUS, AGC, MAGNITUDE, RAW ANGLE, CONF, failed looks since the board's start."""
COUNTS_BODY = ">IHHHHHHHIH"
"""Hub time, good messages, damaged ones, lines that were not sent whole, failed transfers, bus recoveries, duration of
a sweep in us, the longest time from one sweep to the next in ms, free memory, sweeps in a second."""
MAINT_BODY = ">IB"
"""Key, action."""

REPORT_HEAD = ">IBHB"
"""Hub time, dials, which of them are wired (bit n: dial n), records. Then for each dial how often it leapt, modulo 256;
then the records. The first byte of a record is its kind in the upper four bits, the dial in the lower four. Times are
microseconds after the report's hub time; a look is what the sample gave in the upper four bits, the raw angle in the
lower twelve."""
REPORT_HEAD_LENGTH = 8

ONE, RUN, FULL = 0x10, 0x20, 0x30
ONE_RECORD = ">BHH"
"""Kind and dial, time, look."""
RUN_RECORD = ">BHHHBBHH"
"""Kind and dial, time of the first sample, time of the last, look of the last; in counts: last above lowest
(upper four bits) and highest above last (lower four), first above lowest; samples, at least 2; the longest time
between two of them in us."""
FULL_RECORD = ">BHHBH"
"""Kind and dial, time, look, AGC, MAGNITUDE."""


def since(later: int, earlier: int) -> int:
    """Microseconds of hub time from one to the other, less than nine minutes either way."""
    return (later - earlier + 0x2000_0000 & LAST_TICK) - 0x2000_0000
