"""A table without a game: it serves the real page, joins phones with the real cipher and sends what a test wants.

For the page's own tests. It shows no game and keeps no record; `pi_app.play.phones` is the real one.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from pi_app.pages import sealing
from pi_app.pages.messages import NO_GAME
from pi_app.pages.page import built

FRAME_BYTES: Final = 16_384
END: Final = object()


@dataclass
class Stream:
    """One open response: events wait here until the handler's thread writes them."""

    events: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)


@dataclass
class FakeSeat:
    """What one seat is shown."""

    name: str
    content: dict[str, Any]
    picture: dict[str, Any] | None = None
    """Shown while the finger is down."""
    codes: set[bytes] = field(default_factory=set)
    session: sealing.Session | None = None
    stream: Stream | None = None
    counter: int = 0
    number: int = 0
    held: bool = False
    posts: list[int] = field(default_factory=list)


class FakeTable:
    """Leave the `with` block to stop it. Every method may be called from any thread."""

    def __init__(self, seats: dict[str, dict[str, Any]], port: int = 0) -> None:
        self.seats = {name: FakeSeat(name, content) for name, content in seats.items()}
        self.asked: list[str] = []
        """Every request, as `GET /`."""
        self.answers = True
        """False: a hold is not answered."""
        self.cut = False
        """True: streams are refused without a word, as a network does."""
        self.loses = 0
        """So many posts, of any kind, never arrive."""
        self.game = NO_GAME
        """The public name of the game that is on; the page that is served bears none."""
        self.refuses = ""
        """A word: every knock is refused with it."""
        self._lock = threading.Condition()
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> FakeTable:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self.cut_streams()
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def link(self, seat: str) -> str:
        """The address in a seat's QR code."""
        code = os.urandom(16)
        self.seats[seat].codes.add(code)
        return f"{self.address}#{base64.b32encode(code).decode().rstrip('=')}"

    def show(self, seat: str | None = None, **changes: Any) -> None:
        """Change what a seat (or every one) is shown, and send everybody a frame."""
        with self._lock:
            for name, each in self.seats.items():
                if seat in (None, name):
                    each.content |= changes
            self.send_all()

    def frame(self, seat: str) -> bytes:
        """A new frame of a seat, not sent."""
        with self._lock:
            return self._frame(self.seats[seat])

    def send(self, seat: str, frame: bytes) -> None:
        """Send this, whatever it is."""
        with self._lock:
            stream = self.seats[seat].stream
            assert stream is not None
            stream.events.put(_event(frame))

    def send_all(self) -> None:
        with self._lock:
            for seat in self.seats.values():
                if seat.session is not None and seat.stream is not None:
                    seat.stream.events.put(_event(self._frame(seat)))

    def got(self, seat: str, *posts: int) -> bool:
        """Wait until this seat's phone has sent these posts; False if it sends others, or none for a while."""
        with self._lock:
            self._lock.wait_for(lambda: len(self.seats[seat].posts) >= len(posts), 10)
            return self.seats[seat].posts == [*posts]

    def cut_streams(self) -> None:
        """All streams end without a word."""
        with self._lock:
            for seat in self.seats.values():
                if seat.stream is not None:
                    seat.stream.events.put(END)
                    seat.stream = None

    def end(self, seat: str, word: str) -> None:
        """End a seat's stream with a word."""
        with self._lock:
            each = self.seats[seat]
            if each.stream is not None:
                each.stream.events.put(f"event: no\ndata: {word}\n\n".encode())
                each.stream.events.put(END)
            each.stream = None
            each.session = None

    def knock(self, kind: str, body: bytes) -> tuple[FakeSeat, Stream] | str:
        with self._lock:
            if self.refuses:
                return self.refuses
            for seat in self.seats.values():
                if kind == "stream" and seat.session is not None:
                    opened = sealing.open_post(seat.session, body)
                    if opened is not None and opened[1] == sealing.OPEN_STREAM:
                        if opened[0] <= seat.counter:
                            return "twice"
                        seat.counter = opened[0]
                        return self._admitted(seat, sealing.decoy_greeting())
                for code in list(seat.codes) if kind == "join" else ():
                    answer = sealing.answer_join(code, body, game=self.game)
                    if answer is not None:
                        seat.codes.discard(code)
                        if seat.stream is not None:
                            self.end(seat.name, "moved")
                        seat.session, greeting = answer
                        seat.counter = seat.number = 0
                        return self._admitted(seat, greeting)
            return "code"

    def lost(self) -> bool:
        """Whether the network loses this post; if so, its connection says nothing until the test is over."""
        with self._lock:
            is_lost, self.loses = self.loses > 0, max(0, self.loses - 1)
        if is_lost:
            self._over.wait(60)
        return is_lost

    def posted(self, body: bytes) -> None:
        with self._lock:
            for seat in self.seats.values():
                opened = sealing.open_post(seat.session, body) if seat.session is not None else None
                if opened is None or opened[0] <= seat.counter:
                    continue
                seat.counter = opened[0]
                seat.posts.append(opened[1])
                self._lock.notify_all()
                if opened[1] in (sealing.HOLD, sealing.LET_GO):
                    seat.held = opened[1] == sealing.HOLD
                if opened[1] == sealing.TAP:
                    mine = seat.content["mine"]
                    seat.content["mine"] = mine | {"claim": "" if mine["claim"] else "open"}
                if self.answers:
                    self.send_all()

    def left(self, seat: FakeSeat, stream: Stream) -> None:
        with self._lock:
            if seat.stream is stream:
                seat.stream = None
                seat.held = False

    def _admitted(self, seat: FakeSeat, greeting: bytes) -> tuple[FakeSeat, Stream]:
        if seat.stream is not None:
            seat.stream.events.put(END)
        stream = seat.stream = Stream()
        seat.held = False
        stream.events.put(_event(greeting))
        stream.events.put(_event(self._frame(seat)))
        return seat, stream

    def _frame(self, seat: FakeSeat) -> bytes:
        assert seat.session is not None
        seat.number += 1
        picture = seat.picture if seat.held else None
        text = json.dumps(
            seat.content | {"held": seat.held, "picture": picture or seat.content.get("picture")}
        ).encode()
        plain = (struct.pack(">I", len(text)) + text).ljust(FRAME_BYTES - sealing.FRAME_OVERHEAD, b"\0")
        return sealing.seal_frame(seat.session, seat.number, plain)


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_request: Any) -> None:
        """A browser that ends cuts its connections: that is no error."""


def _event(data: bytes) -> bytes:
    return b"data: " + base64.b64encode(data) + b"\n\n"


def _handler(table: FakeTable) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_words: Any) -> None:
            """Print nothing."""

        def do_GET(self) -> None:
            table.asked.append(f"GET {self.path}")
            if self.path != "/":
                self._answer(404, "text/plain", b"")
                return
            self._answer(200, "text/html", built().gzipped, built().csp)

        def do_POST(self) -> None:
            table.asked.append(f"POST {self.path}")
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if table.lost():
                return
            if self.path == "/up":
                self._answer(204, None, b"")
                table.posted(body)
            elif table.cut:
                self.close_connection = True
            else:
                self._stream(table.knock(self.path[1:], body))

        def _answer(self, status: int, kind: str | None, data: bytes, csp: str | None = None) -> None:
            self.send_response(status)
            if kind:
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
            if csp:
                self.send_header("Content-Security-Policy", csp)
                self.send_header("Content-Encoding", "gzip")
                self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, admitted: tuple[FakeSeat, Stream] | str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Trapdial-Game", base64.b64encode(table.game).decode())
            self.end_headers()
            if isinstance(admitted, str):
                self._chunk(f"event: no\ndata: {admitted}\n\n".encode())
                self._chunk(b"")
                return
            seat, stream = admitted
            try:
                while (event := stream.events.get()) is not END:
                    self._chunk(event)
                self._chunk(b"")
            except OSError:
                pass
            finally:
                table.left(seat, stream)

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()

    return Handler
