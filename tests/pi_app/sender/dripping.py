"""A centre or a witness that means ill, behind a real socket: it answers one byte at a time, without end, or never."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

PAUSE_S: Final = 0.01
"""Between two bytes that drip: shorter than any time-out of a socket."""

Way = Callable[[socket.socket, threading.Event], None]
"""What is done with a connection until the event says that the test is over."""


def _read_request(line: socket.socket) -> None:
    seen = b""
    while b"\r\n\r\n" not in seen:
        more = line.recv(65_536)
        if not more:
            return
        seen += more


def _drips(first: bytes, byte: bytes) -> Way:
    def drip(line: socket.socket, over: threading.Event) -> None:
        _read_request(line)
        line.sendall(first)
        while not over.wait(PAUSE_S):
            line.sendall(byte)

    return drip


def _pours(first: bytes, more: bytes) -> Way:
    def pour(line: socket.socket, over: threading.Event) -> None:
        _read_request(line)
        line.sendall(first)
        while not over.is_set():
            line.sendall(more)

    return pour


def _reads_nothing(line: socket.socket, over: threading.Event) -> None:
    over.wait()


def _half_closes(line: socket.socket, over: threading.Event) -> None:
    """End its own side at once, and keep the other one open."""
    line.shutdown(socket.SHUT_WR)
    over.wait()


def _says_nothing_more(line: socket.socket, over: threading.Event) -> None:
    _read_request(line)
    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
    over.wait()


def _shakes_hands_slowly(line: socket.socket, over: threading.Event) -> None:
    """Begin a TLS record of 16,000 bytes, and send them one at a time."""
    line.recv(65_536)
    line.sendall(b"\x16\x03\x03\x3e\x80\x02\x00\x3e\x7c")
    while not over.wait(PAUSE_S):
        line.sendall(b"\x00")


OK: Final = b"HTTP/1.1 200 OK\r\n"
WAYS: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "drips its first line": _drips(b"HTTP/1.1 2", b"0"),
        "drips a header": _drips(OK + b"X: ", b"x"),
        "drips headers": _drips(OK, b"X: y\r\n"),
        "drips its body": _drips(OK + b"Content-Length: 60000\r\n\r\n", b"x"),
        "drips a body without a length": _drips(OK + b"\r\n", b"x"),
        "drips the length of a chunk": _drips(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        "drips chunks": _drips(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        "drips trailers": _drips(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
        "says again and again that it goes on": _pours(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        "pours trailers": _pours(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 100),
        "reads nothing": _reads_nothing,
        "says half and nothing more": _says_nothing_more,
    }
)
"""Ways to hold whoever reads, unless the whole exchange has a deadline. Over plain HTTP."""

ENDLESS: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "pours a body": _pours(OK + b"\r\n", b"x" * 65_536),
        "pours chunks": _pours(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"x" * 4_096 + b"\r\n"),
        "pours a header": _pours(OK + b"X: ", b"x" * 65_536),
        "pours headers": _pours(OK, b"X: y\r\n" * 100),
        "pours the length of a chunk": _pours(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 65_536),
        "closes one half": _half_closes,
    }
)
"""Ways that need no deadline: what is read has a limit."""

SLOW_HANDS: Final[Way] = _shakes_hands_slowly


def bomb(size: int) -> bytes:
    """An answer that is small on the wire, and has so many bytes for whoever unpacks it."""
    body = gzip.compress(bytes(size))
    return OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def answers(data: bytes) -> Way:
    """Answer each request with these bytes."""

    def answer(line: socket.socket, over: threading.Event) -> None:
        _read_request(line)
        line.sendall(data)

    return answer


class Dripping:
    """Listens until the end. `asked`: how many connections came."""

    def __init__(self, way: Way) -> None:
        self.way, self._over = way, threading.Event()
        self.asked = 0
        self._lines: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._threads = [threading.Thread(target=self._listen)]
        self._threads[0].start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def _listen(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(OSError):
                line, _ = self._listener.accept()
                self.asked += 1
                self._lines.append(line)
                self._threads.append(threading.Thread(target=self._serve, args=(line,)))
                self._threads[-1].start()

    def _serve(self, line: socket.socket) -> None:
        with line, contextlib.suppress(OSError):
            self.way(line, self._over)

    def close(self) -> None:
        self._over.set()
        for line in (self._listener, *self._lines):
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()


@contextlib.contextmanager
def dripping(way: Way) -> Iterator[Dripping]:
    """Something that answers in this way, until the end."""
    server = Dripping(way)
    try:
        yield server
    finally:
        server.close()
