"""A simulated phone with its own leg: it keeps its stream and one connection for posts, as a browser does."""

from __future__ import annotations

import base64
import socket
from collections.abc import Callable
from typing import Any, Final

from pi_app.pages import sealing
from pi_app.pages.messages import NO_GAME
from pi_app.simulated.page_stream import Address, EventReader, PageError, request
from pi_app.simulated.phone import PhoneSession, knock
from tests.pages.namespaces import inside

PATIENCE_S: Final = 30.0
_TCP_REPAIR: Final = 19
_ANSWER: Final = b"HTTP/1.1 204 "


class Phone:
    """One phone in its namespace. `opens`: whether it opens its frames; a phone of a fast run only counts them."""

    def __init__(self, namespace: str, address: Address, code: bytes, *, opens: bool = True) -> None:
        self._namespace, self._address, self._opens = namespace, address, opens
        self._code = code
        self.game = NO_GAME
        """The public name of the game that it joins."""
        self.session: PhoneSession | None = None
        self._finish: Callable[[bytes], PhoneSession] | None = None
        self._stream: socket.socket | None = None
        self._posts: socket.socket | None = None
        self._reader = EventReader()
        self.greeted = False
        self.events = 0
        """Frames that have come, opened or not."""
        self.shown: dict[str, Any] = {}
        """What the newest frame says."""
        self.unread = 0
        """Frames that did not open."""
        self.words: list[str] = []
        """Why streams ended."""
        self.reopened = 0
        """How often the page process had closed the connection for posts."""

    def join(self) -> None:
        """Ask for the stream with the code. `take` reads the answer."""
        body, self._finish = knock(self._code, game=self.game)
        self.session = None
        self._open("/join", body)

    def resume(self) -> None:
        """Ask for the stream again."""
        assert self.session is not None
        self._open("/stream", self.session.resume())

    def post(self, kind: int) -> None:
        """Send a gesture, and wait for its 204."""
        assert self.session is not None
        self.send(self.session.post(kind))

    def send(self, body: bytes, status: bytes = _ANSWER) -> None:
        """Send these bytes as a post. Raises PageError if the answer has another status."""
        whole = request("POST", "/up", self._address, body)
        for _ in range(2):
            if self._posts is None:
                self._posts = self._connected()
                self._posts.settimeout(PATIENCE_S)
            try:
                self._posts.sendall(whole)
                answer = self._answer(self._posts)
            except OSError:
                answer = b""
            if answer:
                if not answer.startswith(status):
                    raise PageError(f"a post was answered with {answer[:60]!r}")
                return
            self._posts.close()
            self._posts = None
            self.reopened += 1
        raise PageError("the page process closes the connection for posts without an answer")

    def take(self) -> int:
        """Read what has come of the stream; return how many frames."""
        came = 0
        while self._stream is not None:
            try:
                data = self._stream.recv(262_144)
            except BlockingIOError:
                return came
            except OSError:
                data = b""
            if not data:
                self._reader.over = True
                self._stream.close()
                self._stream = None
                return came
            for event in self._reader.feed(data):
                came += self._event(event.name, event.data)
            if self._reader.over:
                self._stream.close()
                self._stream = None
        return came

    @property
    def is_open(self) -> bool:
        return self._stream is not None

    def fileno(self) -> int:
        """The stream's, for `select`."""
        return -1 if self._stream is None else self._stream.fileno()

    def cut(self) -> None:
        """Forget both connections, with a reset."""
        for each in (self._stream, self._posts):
            if each is not None:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                each.close()
        self._stream = self._posts = None

    def vanish(self) -> None:
        """Forget both connections without a packet, as a phone does that goes out of reach. Needs root."""
        for each in (self._stream, self._posts):
            if each is not None:
                each.setsockopt(socket.IPPROTO_TCP, _TCP_REPAIR, 1)
                each.close()
        self._stream = self._posts = None

    def hang_up(self) -> None:
        """Close the connection for posts alone; the next one opens another."""
        if self._posts is not None:
            self._posts.close()
            self._posts = None

    def close(self) -> None:
        for each in (self._stream, self._posts):
            if each is not None:
                each.close()
        self._stream = self._posts = None

    def _event(self, name: str, data: str) -> int:
        if name:
            self.words.append(data)
            return 0
        if not self.greeted:
            self.greeted = True
            if self.session is None:
                assert self._finish is not None
                self.session = self._finish(base64.b64decode(data))
            return 0
        self.events += 1
        if self._opens:
            assert self.session is not None
            said = self.session.open_frame(base64.b64decode(data))
            if said is None:
                self.unread += 1
            else:
                self.shown = said
        return 1

    def _open(self, path: str, body: bytes) -> None:
        self._reader, self.greeted = EventReader(), False
        self._stream = self._connected()
        self._stream.sendall(request("POST", path, self._address, body))
        self._stream.setblocking(False)

    def _connected(self) -> socket.socket:
        with inside(self._namespace):
            made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.settimeout(PATIENCE_S)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.connect(self._address)
        return made

    @staticmethod
    def _answer(connection: socket.socket) -> bytes:
        answer = b""
        while b"\r\n\r\n" not in answer:
            more = connection.recv(4096)
            if not more:
                return b""
            answer += more
        return answer


TAP, HOLD, LET_GO = sealing.TAP, sealing.HOLD, sealing.LET_GO
