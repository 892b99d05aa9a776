"""A device's protocol and its queues, with these tests as the kernel: memory in a file, rings written by hand."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel.vhost import HEADER, Device

BASE = 0x60000000
DESCRIPTORS, AVAILABLE, USED, BUFFERS = 0x0, 0x400, 0x800, 0x1000


class ReversingDevice(Device):
    """Answers every request with its bytes in reverse."""

    virtio_id = 99
    features = 1

    def config(self) -> bytes:
        return b"\x2a\x00"

    def handle(self, number: int) -> None:
        for request in self.queue[number].requests():
            self.queue[number].answer(request, b"".join(request.data)[::-1])
        self.queue[number].interrupt()


@pytest.fixture
def device(tmp_path: Path) -> Iterator[ReversingDevice]:
    device = ReversingDevice(tmp_path / "s")
    device.start()
    yield device
    device.close()
    assert device.failure is None


@pytest.fixture
def kernel(device: ReversingDevice) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(str(device.path))
        yield connection


def send(connection: socket.socket, request: int, payload: bytes = b"", *files: int) -> None:
    socket.send_fds(connection, [HEADER.pack(request, 1, len(payload)) + payload], list(files))


def ask(connection: socket.socket, request: int, payload: bytes = b"") -> bytes:
    send(connection, request, payload)
    number, flags, size = HEADER.unpack(connection.recv(HEADER.size, socket.MSG_WAITALL))
    assert (number, flags) == (request, 5), "an answer, version 1"
    return connection.recv(size, socket.MSG_WAITALL)


def test_what_a_device_offers(kernel: socket.socket) -> None:
    assert ask(kernel, 1) == struct.pack("<Q", 1 | 1 << 30 | 1 << 32)
    assert ask(kernel, 15) == struct.pack("<Q", 1 << 5 | 1 << 9), "without SLAVE_REQ virtio_uml gives up"
    assert ask(kernel, 24, struct.pack("<III", 0, 4, 0)) == struct.pack("<III", 0, 4, 0) + b"\x2a\x00\x00\x00"


def test_a_chain_of_buffers_is_answered(kernel: socket.socket, tmp_path: Path) -> None:
    with (tmp_path / "memory").open("w+b") as memory:
        memory.truncate(0x2000)
        send(kernel, 5, struct.pack("<IIQQQQ", 1, 0, BASE, 0x2000, BASE, 0), memory.fileno())
        kick = os.eventfd(0)
        answered, call = os.pipe()
        send(kernel, 13, struct.pack("<Q", 0), call)
        send(kernel, 8, struct.pack("<II", 0, 8))
        send(kernel, 10, struct.pack("<II", 0, 0))
        send(kernel, 9, struct.pack("<IIQQQQ", 0, 0, BASE + DESCRIPTORS, BASE + USED, BASE + AVAILABLE, 0))
        send(kernel, 12, struct.pack("<Q", 0), kick)
        assert ask(kernel, 1)  # everything before this has been consumed
        try:
            for turn in range(10):  # more often than the ring is long
                os.pwrite(memory.fileno(), b"ab%dcd" % turn, BUFFERS)
                chain = struct.pack("<QIHH", BASE + BUFFERS, 3, 1, 3) + bytes(32)
                chain += struct.pack("<QIHH", BASE + BUFFERS + 3, 2, 1, 4)
                chain += struct.pack("<QIHH", BASE + BUFFERS + 0x100, 8, 2, 0)
                os.pwrite(memory.fileno(), chain, DESCRIPTORS)
                os.pwrite(memory.fileno(), struct.pack("<H", 0), AVAILABLE + 4 + 2 * (turn % 8))
                os.pwrite(memory.fileno(), struct.pack("<H", turn + 1), AVAILABLE + 2)
                os.eventfd_write(kick, 1)
                assert len(os.read(answered, 8)) == 8
                assert os.pread(memory.fileno(), 5, BUFFERS + 0x100) == b"dc%dba" % turn
                assert os.pread(memory.fileno(), 2, USED + 2) == struct.pack("<H", turn + 1)
                assert os.pread(memory.fileno(), 8, USED + 4 + 8 * (turn % 8)) == struct.pack("<II", 0, 5)
        finally:
            for file in (kick, answered, call):
                os.close(file)


def test_memory_that_was_never_shared_closes_the_connection_with_a_reason(tmp_path: Path) -> None:
    device = ReversingDevice(tmp_path / "s")
    device.start()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(str(device.path))
        kick = os.eventfd(0)
        send(connection, 9, struct.pack("<IIQQQQ", 0, 0, BASE, BASE, BASE, 0))
        send(connection, 12, struct.pack("<Q", 0), kick)
        os.eventfd_write(kick, 1)
        assert connection.recv(1) == b""
        os.close(kick)
    device.close()
    assert str(device.failure) == "the kernel never shared 2 bytes at 0x60000002"
