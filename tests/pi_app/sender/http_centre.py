"""A centre behind a real connection, for the sender's process: it may be slow, lie, or be gone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol

from pi_app.sender.client import CentreReply

PATIENCE_S = 60.0


class Posted(Protocol):
    def post(self, path: str, body: bytes) -> CentreReply: ...


class QuietServer(ThreadingHTTPServer):
    """A client that was killed is no error."""

    daemon_threads = True

    def handle_error(self, *about: object) -> None:
        pass


class HttpCentre:
    """Answers each path below an address with `desk`, one request at a time. `answers`: what is done with a request;
    None: the connection is closed without an answer."""

    def __init__(self, desk: Posted) -> None:
        self.desk = desk
        self.answers: Callable[[str, bytes], CentreReply | None] = self.from_desk
        self.asked: list[str] = []
        self._heard, self._turn = threading.Condition(), threading.Lock()
        centre = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                reply = centre.answered(self.path.rpartition("/")[2], body)
                if reply is None:
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                self.send_header("content-length", str(len(reply.body)))
                if reply.retry_s:
                    self.send_header("retry-after", str(reply.retry_s))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, *words: object) -> None:
                pass

        self._server = QuietServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def from_desk(self, path: str, body: bytes) -> CentreReply | None:
        with self._turn:
            return self.desk.post(path, body)

    def answered(self, path: str, body: bytes) -> CentreReply | None:
        self.asked.append(path)
        try:
            return self.answers(path, body)
        finally:
            with self._heard:
                self._heard.notify_all()

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until it holds; it is looked at after each request, and now and then."""
        with self._heard:
            for _ in range(int(PATIENCE_S / 0.1)):
                if condition():
                    return
                self._heard.wait(0.1)
        raise AssertionError("it does not happen")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
