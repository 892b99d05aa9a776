"""The phone's end of the wire to the page process: plain HTTP/1.1 over a socket, as small as a phone's `fetch`.

It reads what any browser reads, so robots and benchmarks load a page process as phones do. It knows no secret.
"""

from __future__ import annotations

import base64
import gzip
import re
import select
import socket
import zlib
from dataclasses import dataclass, field
from typing import Final

from pi_app.text.errors import BrokenInstallationError

Address = tuple[str, int]
"""The host and the port of a page process."""

TIMEOUT_S: Final = 10.0
MOST_BYTES: Final = 4_000_000
"""The longest line, header or event that a page process may send."""

_CHUNK: Final = 65_536
_GAME: Final = re.compile(rb'data-game="([A-Za-z0-9+/]{22}==)"')


class PageError(BrokenInstallationError):
    """The page process answered with something that no phone can read, or not at all."""


@dataclass(frozen=True, slots=True)
class PageEvent:
    """One server-sent event. `name` is empty for a frame, "no" for a refusal."""

    name: str
    data: str


@dataclass(slots=True)
class EventReader:
    """Takes the bytes of a response as they come, and gives the events in them. `status`: 0 until the first line is
    there. `over`: the response has ended."""

    status: int = 0
    game: bytes = b""
    """The public name of the game, from the head."""
    over: bool = False
    _waiting: bytearray = field(default_factory=bytearray)
    _text: bytearray = field(default_factory=bytearray)
    _in_body: bool = False
    _left: int = 0
    """The bytes of the chunk that are still to come, with the line end behind them."""

    def feed(self, data: bytes) -> list[PageEvent]:
        """Return the events that are complete with these bytes. Raises PageError."""
        self._waiting += data
        if len(self._waiting) > MOST_BYTES or len(self._text) > MOST_BYTES:
            raise PageError("the page process sends a line without an end")
        if not self._in_body and not self._read_head():
            return []
        while not self.over and self._read_chunk():
            pass
        events = []
        while (end := self._text.find(b"\n\n")) >= 0:
            events.append(_event(self._text[:end].decode("utf-8", "replace")))
            del self._text[: end + 2]
        return events

    def _read_head(self) -> bool:
        end = self._waiting.find(b"\r\n\r\n")
        if end < 0:
            return False
        first, *lines = self._waiting[:end].decode("latin-1").split("\r\n")
        del self._waiting[: end + 4]
        words = first.split(" ")
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
            raise PageError(f"the page process answered {first[:80]!r}")
        self.status = int(words[1])
        chunked = any(line.lower().replace(" ", "") == "transfer-encoding:chunked" for line in lines)
        self._in_body, self.over = True, not chunked
        for name, _, value in (line.partition(":") for line in lines):
            if name.lower() == "trapdial-game":
                self.game = base64.b64decode(value.strip())
        return True

    def _read_chunk(self) -> bool:
        """Move what is there of a chunk into the text; return whether more may be read."""
        if self._left == 0:
            end = self._waiting.find(b"\r\n")
            if end < 0:
                return False
            try:
                size = int(self._waiting[:end], 16)
            except ValueError as error:
                raise PageError("the page process sends a chunk without a size") from error
            del self._waiting[: end + 2]
            self.over = size == 0
            self._left = size + 2
            return not self.over
        took = bytes(self._waiting[: self._left])
        del self._waiting[: len(took)]
        content = took[: max(0, self._left - 2)]
        self._left -= len(took)
        self._text += content
        return self._left == 0


def _event(text: str) -> PageEvent:
    fields = dict(line.split(": ", 1) for line in text.split("\n") if ": " in line)
    return PageEvent(fields.get("event", ""), fields.get("data", ""))


class PageStream:
    """One open response with frames. Close it with `cut`, as a lost connection does."""

    def __init__(self, address: Address, path: str, body: bytes, origin: str = "") -> None:
        """Open it, from the address `origin` of this machine if one is given. Raises PageError if no page process
        answers."""
        self._reader = EventReader()
        self.received = 0
        """The bytes that came, with everything of HTTP."""
        self._socket = _connected(address, origin)
        self._socket.sendall(request("POST", path, address, body))
        self._socket.setblocking(False)

    @property
    def status(self) -> int:
        """The status of the response; 0 until it has come."""
        return self._reader.status

    @property
    def over(self) -> bool:
        """Whether the response has ended."""
        return self._reader.over

    @property
    def game(self) -> bytes:
        """The public name of the game, from the head of the response; empty until it has come."""
        return self._reader.game

    def fileno(self) -> int:
        """For `select`."""
        return self._socket.fileno()

    def take(self, wait_s: float = 0.0) -> list[PageEvent]:
        """Return the events that have come; wait this long for the first bytes. Raises PageError."""
        if self.over or not select.select([self._socket], [], [], wait_s)[0]:
            return []
        events: list[PageEvent] = []
        while True:
            try:
                data = self._socket.recv(_CHUNK)
            except BlockingIOError:
                return events
            except OSError:
                data = b""
            if not data:
                self._reader.over = True
                return events
            self.received += len(data)
            events += self._reader.feed(data)

    def cut(self) -> None:
        """Close the connection without a word."""
        self._reader.over = True
        self._socket.close()


def request(method: str, path: str, address: Address, body: bytes = b"", *, close: bool = False) -> bytes:
    """Return the bytes of one request, as a phone's browser sends them."""
    host, port = address
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}{'' if port == 80 else f':{port}'}"]
    lines += ["Accept-Encoding: gzip"] if method == "GET" else []
    if body or method == "POST":
        lines += ["Content-Type: application/octet-stream", f"Content-Length: {len(body)}"]
    lines += ["Connection: close"] if close else []
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def exchange(address: Address, method: str, path: str, body: bytes = b"", *, origin: str = "") -> tuple[int, bytes]:
    """Send one request over a connection of its own; return the status, and every byte of the answer with its head.
    Raises PageError."""
    with _connected(address, origin) as connection:
        connection.sendall(request(method, path, address, body, close=True))
        answer = bytearray()
        try:
            while (data := connection.recv(_CHUNK)) and len(answer) < MOST_BYTES:
                answer += data
        except OSError as error:
            raise PageError(f"no answer from {address[0]}:{address[1]} ({error})") from error
    first = bytes(answer).split(b"\r\n", 1)[0].split(b" ")
    if len(first) < 2 or not first[1].isdigit():
        raise PageError(f"the page process at {address[0]}:{address[1]} gave no answer")
    return int(first[1]), bytes(answer)


def game_of(address: Address, origin: str = "") -> bytes:
    """Load the page, and return the public name of the game that it bears. Raises PageError."""
    _, answer = exchange(address, "GET", "/", origin=origin)
    try:
        return game_in(gzip.decompress(answer.partition(b"\r\n\r\n")[2]))
    except (OSError, EOFError, zlib.error):
        raise PageError("the page is not compressed") from None


def game_in(page: bytes) -> bytes:
    """The public name of the game that a page bears. Raises PageError."""
    named = _GAME.search(page)
    if named is None:
        raise PageError("the page names no game")
    return base64.b64decode(named[1])


def _connected(address: Address, origin: str) -> socket.socket:
    try:
        made = socket.create_connection(address, TIMEOUT_S, (origin, 0) if origin else None)
    except OSError as error:
        raise PageError(f"no page process answers at {address[0]}:{address[1]} ({error.strerror or error})") from error
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made
