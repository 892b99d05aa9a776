"""A virtio device served from outside the kernel: the vhost-user protocol over a Unix socket, and split virtqueues.

Only what User-Mode Linux's virtio_uml needs (QEMU's docs/interop/vhost-user.rst; virtio 1.2 section 2.7). The kernel's
memory arrives as file descriptors and is mapped; a queue's requests are chains of buffers in it.
"""

from __future__ import annotations

import array
import contextlib
import mmap
import os
import selectors
import socket
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROTOCOL_FEATURES: Final = 1 << 30
VERSION_1: Final = 1 << 32
SLAVE_REQ: Final = 1 << 5
"""Must be offered: without it virtio_uml asks for interrupt 0 and gives up."""
CONFIG: Final = 1 << 9

GET_FEATURES, SET_FEATURES, SET_OWNER, SET_MEM_TABLE = 1, 2, 3, 5
SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_BASE, GET_VRING_BASE = 8, 9, 10, 11
SET_VRING_KICK, SET_VRING_CALL, SET_VRING_ERR = 12, 13, 14
GET_PROTOCOL_FEATURES, SET_PROTOCOL_FEATURES, SET_VRING_ENABLE = 15, 16, 18
SET_SLAVE_REQ_FD, GET_CONFIG, SET_CONFIG = 21, 24, 25

HEADER: Final = struct.Struct("<III")
REPLY: Final = 1 | 1 << 2
REGION: Final = struct.Struct("<QQQQ")
DESCRIPTOR: Final = struct.Struct("<QIHH")
USED: Final = struct.Struct("<II")
NEXT, DEVICE_WRITES = 1, 2


@dataclass(frozen=True, slots=True)
class Region:
    """A piece of the kernel's memory, mapped here."""

    first: int
    size: int
    memory: mmap.mmap
    offset: int


class Memory:
    """The kernel's memory, by the kernel's addresses."""

    def __init__(self) -> None:
        self._regions: list[Region] = []

    def share(self, payload: bytes, files: list[int]) -> None:
        """Map the regions of SET_MEM_TABLE."""
        (count,) = struct.unpack_from("<I", payload)
        for n in range(count):
            first, size, _, offset = REGION.unpack_from(payload, 8 + n * REGION.size)
            self._regions.append(Region(first, size, mmap.mmap(files[n], offset + size), offset))

    def place(self, address: int, length: int) -> tuple[mmap.mmap, int]:
        """The mapping that contains these bytes, and their offset. Raises ValueError for unshared memory."""
        for region in self._regions:
            if region.first <= address and address + length <= region.first + region.size:
                return region.memory, address - region.first + region.offset
        raise ValueError(f"the kernel never shared {length} bytes at 0x{address:X}")

    def read(self, address: int, length: int) -> bytes:
        memory, at = self.place(address, length)
        return memory[at : at + length]

    def write(self, address: int, data: bytes) -> None:
        memory, at = self.place(address, len(data))
        memory[at : at + len(data)] = data

    def close(self) -> None:
        for region in self._regions:
            region.memory.close()
        self._regions.clear()


@dataclass(frozen=True, slots=True)
class Request:
    """One chain: the driver's data, and the room for the answer."""

    head: int
    data: tuple[bytes, ...]
    room: tuple[tuple[int, int], ...]
    """Address and length of each buffer for the answer."""

    @property
    def room_bytes(self) -> int:
        return sum(length for _, length in self.room)


class Queue:
    """One split virtqueue, from the device's side."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.size = 0
        self.descriptors = self.used = self.available = 0
        self.seen = self.answered = 0
        self.kick = self.call = -1

    def requests(self) -> Iterator[Request]:
        """Requests that the driver made available since the last call."""
        while self.available:
            (upto,) = struct.unpack("<H", self._memory.read(self.available + 2, 2))
            if upto == self.seen:
                return
            slot = self.available + 4 + 2 * (self.seen % self.size)
            self.seen = (self.seen + 1) & 0xFFFF
            (head,) = struct.unpack("<H", self._memory.read(slot, 2))
            yield self._chain(head)

    def _chain(self, head: int) -> Request:
        data: list[bytes] = []
        room: list[tuple[int, int]] = []
        at = head
        while True:
            where = self.descriptors + DESCRIPTOR.size * at
            address, length, flags, at = DESCRIPTOR.unpack(self._memory.read(where, DESCRIPTOR.size))
            if flags & DEVICE_WRITES:
                room.append((address, length))
            else:
                data.append(self._memory.read(address, length))
            if not flags & NEXT:
                return Request(head, tuple(data), tuple(room))

    def answer(self, request: Request, answer: bytes, untouched: int = 0) -> None:
        """Fill the request's room after its first `untouched` bytes and return it; the driver is notified at
        `interrupt`."""
        skip, left = untouched, answer
        for address, length in request.room:
            here = left[: max(length - skip, 0)]
            self._memory.write(address + min(skip, length), here)
            skip, left = max(skip - length, 0), left[len(here) :]
        slot = self.used + 4 + USED.size * (self.answered % self.size)
        self._memory.write(slot, USED.pack(request.head, untouched + len(answer)))
        self.answered = (self.answered + 1) & 0xFFFF
        self._memory.write(self.used + 2, struct.pack("<H", self.answered))

    def interrupt(self) -> None:
        """Notify the driver. The descriptor is a pipe in UML and an eventfd elsewhere: eight bytes suit both."""
        if self.call >= 0:
            os.write(self.call, struct.pack("<Q", 1))

    def close(self) -> None:
        for descriptor in (self.kick, self.call):
            if descriptor >= 0:
                os.close(descriptor)
        self.kick = self.call = -1


class Device:
    """One device on its own socket, served by a thread of its own. `lock` is held while it serves a request."""

    virtio_id = 0
    features = 0
    queues = 1

    def __init__(self, path: Path) -> None:
        """Listen at `path` at once; nothing is served before `serve` or `start`."""
        self.path = path
        self.lock = threading.RLock()
        self.requests = 0
        self._memory = Memory()
        self.queue = [Queue(self._memory) for _ in range(self.queues)]
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._stop, self._stopped = socket.socketpair()
        self._thread = threading.Thread(target=self.serve, name=path.name, daemon=True)
        self._unused: list[int] = []
        self.failure: Exception | None = None

    def config(self) -> bytes:
        """The device's configuration space."""
        return b""

    def handle(self, number: int) -> None:
        """Serve the requests of this queue. Called with the lock held."""
        raise NotImplementedError

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Close the connection, as a controller does that is pulled out of its socket."""
        self._stop.close()
        if self._thread.is_alive():
            self._thread.join(5)
        self._listener.close()
        self._stopped.close()
        self.path.unlink(missing_ok=True)

    def serve(self) -> None:
        """Serve one kernel until it closes the connection or the device is closed."""
        with contextlib.ExitStack() as closing:
            selector = closing.enter_context(selectors.DefaultSelector())
            selector.register(self._stopped, selectors.EVENT_READ)
            selector.register(self._listener, selectors.EVENT_READ)
            if any(key.fileobj is self._stopped for key, _ in selector.select()):
                return
            connection = closing.enter_context(self._listener.accept()[0])
            selector.unregister(self._listener)
            selector.register(connection, selectors.EVENT_READ)
            closing.callback(self._release)
            try:
                while self._serve_event(selector, connection):
                    pass
            except (ValueError, struct.error, OSError) as error:
                self.failure = error  # the kernel sees a closed connection, and the stage prints the reason

    def _serve_event(self, selector: selectors.BaseSelector, connection: socket.socket) -> bool:
        for key, _ in selector.select():
            if key.fileobj is self._stopped:
                return False
            if key.fileobj is connection:
                if not self._handle_message(selector, connection):
                    return False
            else:
                os.read(key.fd, 8)
                with self.lock:
                    self.handle(key.data)
        return True

    def _release(self) -> None:
        with self.lock:
            for queue in self.queue:
                queue.close()
            for file in self._unused:
                os.close(file)
            self._unused.clear()
            self._memory.close()

    # --- the protocol

    def _handle_message(self, selector: selectors.BaseSelector, connection: socket.socket) -> bool:
        header, files = _received(connection, HEADER.size)
        if not header:
            return False
        request, _, size = HEADER.unpack(header)
        payload, more = _received(connection, size) if size else (b"", [])
        answer = self._handle_request(selector, request, payload, files + more)
        if answer is not None:
            connection.sendall(HEADER.pack(request, REPLY, len(answer)) + answer)
        return True

    def _handle_request(
        self, selector: selectors.BaseSelector, request: int, payload: bytes, files: list[int]
    ) -> bytes | None:
        if request == GET_FEATURES:
            return struct.pack("<Q", self.features | VERSION_1 | PROTOCOL_FEATURES)
        if request == GET_PROTOCOL_FEATURES:
            return struct.pack("<Q", SLAVE_REQ | CONFIG)
        if request == GET_CONFIG:
            offset, size, flags = struct.unpack_from("<III", payload)
            space = self.config().ljust(offset + size, b"\0")
            return struct.pack("<III", offset, size, flags) + space[offset : offset + size]
        if request == SET_MEM_TABLE:
            self._memory.share(payload, files)
            for file in files:
                os.close(file)
        elif request in (SET_VRING_KICK, SET_VRING_CALL):
            self._wire(selector, request, payload, files)
        elif request in (SET_VRING_NUM, SET_VRING_BASE, SET_VRING_ADDR, GET_VRING_BASE):
            return self._shape(request, payload)
        else:  # accept features as offered; keep even an unused channel open
            self._unused += files
        return None

    def _wire(self, selector: selectors.BaseSelector, request: int, payload: bytes, files: list[int]) -> None:
        number = payload[0]
        queue = self.queue[number]
        if request == SET_VRING_CALL:
            queue.call = files[0]
        else:
            queue.kick = files[0]
            selector.register(queue.kick, selectors.EVENT_READ, number)

    def _shape(self, request: int, payload: bytes) -> bytes | None:
        number, value = struct.unpack_from("<II", payload)
        queue = self.queue[number]
        if request == GET_VRING_BASE:
            return struct.pack("<II", number, queue.seen)
        if request == SET_VRING_NUM:
            queue.size = value
        elif request == SET_VRING_BASE:
            queue.seen = queue.answered = value
        else:
            queue.descriptors, queue.used, queue.available = struct.unpack_from("<QQQ", payload, 8)
        return None


def _received(connection: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """This many bytes, and the descriptors that came with them; empty at the end of the connection."""
    data, files = b"", array.array("i")
    while len(data) < size:
        try:
            piece, ancillary, _, _ = connection.recvmsg(size - len(data), socket.CMSG_LEN(8 * files.itemsize))
        except ConnectionResetError:
            return b"", []
        for level, kind, carried in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                files.frombytes(carried[: len(carried) - len(carried) % files.itemsize])
        if not piece:
            return b"", []
        data += piece
    return data, files.tolist()
