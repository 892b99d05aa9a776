"""What an eavesdropper records on the leg of one phone, and what of it may be compared.

Kept of each phone's leg, in the order of the capture: every opened connection, every write with its direction and
length, every end and reset. Dropped, because the kernels' timing decides it and no program:

- packets without payload, SYN, FIN or RST (acknowledgements, window updates, probes);
- the cut of one write into segments: segments are put together up to one with the PSH flag that is not full. Linux
  sets PSH at the end of a write, and on a busy machine, where it may send only part of one now, on a full one too;
- repeats of a segment;
- whether a FIN rode on the last payload or came alone.

Nothing else is dropped: not the number of writes, not their lengths, not which connection of the phone they were on.
"""

from __future__ import annotations

import ctypes
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tests.pages.namespaces import ADDRESS, inside

DOWN: Final = "down"
UP: Final = "up"

FULL: Final = 1448
"""The payload of a full segment: an Ethernet packet of 1,500 bytes without its headers and timestamps."""

_ALL: Final = 3
_HEADERS: Final = 80
"""Bytes kept of a packet whose payload is not asked for: Ethernet, IP and TCP with options."""

_SOL_PACKET: Final = 263
_PACKET_STATISTICS: Final = 6
_SO_ATTACH_FILTER: Final = 26
_SO_TIMESTAMPNS: Final = 35
_SO_RCVBUFFORCE: Final = 33
_FIN, _SYN, _RST, _PSH = 1, 2, 4, 8
_BUFFER: Final = 256 * 1024 * 1024
_TABLE: Final = socket.inet_aton(ADDRESS)


class Packet(NamedTuple):
    """A TCP packet that is kept."""

    at_ns: int
    towards: str
    port: int
    """The phone's: it names the connection."""
    sequence: int
    size: int
    """Of its payload."""
    flags: int
    payload: bytes


class Said(NamedTuple):
    """One thing on the air: connections are counted from 0 for each phone."""

    at_ns: int
    connection: int
    towards: str
    size: int
    what: str

    def comparable(self) -> tuple[int, str, int, str]:
        """All but the time."""
        return self[1:]


class Capture:
    """Records one interface."""

    def __init__(self, namespace: str, interface: str, *, payload: bool = False) -> None:
        with inside(namespace):
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self._filter(65535 if payload else _HEADERS)
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BUFFER)
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self._socket.setblocking(False)
        with inside(namespace):
            self._socket.bind((interface, _ALL))
        self._payload = payload

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def packets(self) -> Iterator[Packet]:
        """Those that have come since the last call."""
        while True:
            try:
                data, extra, _, _ = self._socket.recvmsg(65536, 64)
            except BlockingIOError:
                return
            yield parsed(data, extra)

    def lost(self) -> int:
        """How many packets the kernel could not keep for this capture."""
        _, dropped = struct.unpack("II", self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
        return int(dropped)

    def _filter(self, keep: int) -> None:
        code = b"".join(struct.pack("HBBI", *each) for each in _program(keep))
        buffer = ctypes.create_string_buffer(code)
        self._socket.setsockopt(
            socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", len(code) // 8, ctypes.addressof(buffer))
        )


def _program(keep: int) -> list[tuple[int, int, int, int]]:
    """A classic filter program: IPv4 and TCP, with SYN, FIN, RST or a payload. Its jumps count from the next line."""
    lines: list[tuple[str, int]] = [
        ("load half", 12),  # EtherType
        ("else drop", 0x0800),
        ("load byte", 23),  # protocol
        ("else drop", 6),
        ("x = IP header", 14),
        ("load byte x", 14 + 13),  # TCP flags
        ("any: keep", _FIN | _SYN | _RST),
        ("load byte x", 14 + 12),  # TCP's length in the upper half
        ("and", 0xF0),
        ("shift right", 2),
        ("add x", 0),
        ("to memory", 0),
        ("load half", 16),  # IP's total length
        ("x from memory", 0),
        ("subtract x", 0),
        ("zero: drop", 0),
        ("return", keep),
        ("return", 0),
    ]
    kept, dropped = len(lines) - 2, len(lines) - 1
    return [
        (_CODES[name], *_jump(name, kept - at - 1, dropped - at - 1), value) for at, (name, value) in enumerate(lines)
    ]


_CODES: Final = {
    "load half": 0x28, "load byte": 0x30, "load byte x": 0x50, "x = IP header": 0xB1, "and": 0x54, "shift right": 0x74,
    "add x": 0x0C, "subtract x": 0x1C, "to memory": 0x02, "x from memory": 0x61, "else drop": 0x15, "zero: drop": 0x15,
    "any: keep": 0x45, "return": 0x06,
}  # fmt: skip


def _jump(name: str, keep: int, drop: int) -> tuple[int, int]:
    """Where to go if true and if false."""
    return {"else drop": (0, drop), "zero: drop": (drop, 0), "any: keep": (keep, 0)}.get(name, (0, 0))


def parsed(data: bytes, extra: list[tuple[int, int, bytes]]) -> Packet:
    """Take a packet apart. The filter has let only TCP over IPv4 through."""
    header = (data[14] & 15) * 4
    total = int.from_bytes(data[16:18], "big")
    tcp = 14 + header
    from_port, to_port, sequence = struct.unpack_from("!HHI", data, tcp)
    begin = tcp + (data[tcp + 12] >> 4) * 4
    down = data[26:30] == _TABLE
    seconds, nanoseconds = struct.unpack("qq", extra[0][2]) if extra else (0, 0)
    size = 14 + total - begin
    return Packet(
        seconds * 1_000_000_000 + nanoseconds,
        DOWN if down else UP,
        to_port if down else from_port,
        sequence,
        size,
        data[tcp + 13],
        data[begin : begin + size],
    )


@dataclass(slots=True)
class _Way:
    """One direction of a connection: what is awaited next, and what of a write has come."""

    next: int | None = None
    waiting: int = 0
    ended: bool = False


@dataclass(slots=True)
class Listener:
    """Puts the packets of one phone's leg together to what was said. Keep it for the whole capture."""

    _connections: dict[int, int] = field(default_factory=dict)
    _ways: dict[tuple[int, str], _Way] = field(default_factory=dict)
    _opened: int = 0

    def hear(self, packet: Packet) -> Iterator[Said]:
        if packet.flags & _SYN and packet.towards == UP:
            if self._repeated_opening(packet):
                return
            self._connections[packet.port] = self._opened
            self._opened += 1
            for towards in (UP, DOWN):
                self._ways[packet.port, towards] = _Way()
        number = self._connections.get(packet.port, -1)
        way = self._ways.setdefault((packet.port, packet.towards), _Way())
        if packet.flags & _RST:
            yield Said(packet.at_ns, number, packet.towards, 0, "reset")
            return
        if packet.flags & _SYN:
            if way.next is None:
                way.next = (packet.sequence + 1) & 0xFFFFFFFF
                yield Said(packet.at_ns, number, packet.towards, 0, "open")
            return
        yield from self._payload(packet, number, way)

    def _repeated_opening(self, packet: Packet) -> bool:
        way = self._ways.get((packet.port, UP))
        return way is not None and not way.ended and way.next == (packet.sequence + 1) & 0xFFFFFFFF

    def _payload(self, packet: Packet, number: int, way: _Way) -> Iterator[Said]:
        new = packet.size
        if way.next is not None:
            behind = (way.next - packet.sequence) & 0xFFFFFFFF
            if behind < 0x80000000:
                new = max(0, packet.size - behind)
        if new:
            way.next = (packet.sequence + packet.size) & 0xFFFFFFFF
            way.waiting += new
            if packet.flags & _PSH and packet.size < FULL:
                size, way.waiting = way.waiting, 0
                yield Said(packet.at_ns, number, packet.towards, size, "write")
        if packet.flags & _FIN and not way.ended:
            way.ended = True
            if way.waiting:
                size, way.waiting = way.waiting, 0
                yield Said(packet.at_ns, number, packet.towards, size, "write")
            yield Said(packet.at_ns, number, packet.towards, 0, "end")
