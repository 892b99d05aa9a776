"""Posts bytes to a centre or a witness over HTTP, with one connection that is kept, and reads a short answer.

What the centre says proves itself by its cosignature, so TLS only keeps others from reading along. A machine that does
not know the date cannot check a certificate's: then the date alone is not checked.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urljoin

import urllib3

from pi_app.journal.record.presence import CHALLENGE_HEADER
from pi_app.sender.certificates import explain_refusal

CONNECT_S: Final = 5.0
ANSWER_S: Final = 30.0
"""The longest silence."""

EXCHANGE_S: Final = 60.0
"""The deadline of a whole exchange: name, connection, request, and all of the answer."""

SLOWEST_BYTES_S: Final = 50_000
"""An exchange whose answer may be large has one second more for each so many bytes."""

LARGEST_ANSWER: Final = 65_536

_NO_CHECK_OF_TIME: Final = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME (openssl/x509_vfy.h), which Python's ssl has no name for."""


class UnreachableError(Exception):
    """No answer came. The message is a sentence for people, without an address of the table. `connected`: there was a
    connection, so the request may have been too large for its speed."""

    def __init__(self, said: str, *, connected: bool = False) -> None:
        self.connected = connected
        super().__init__(said)


@dataclass(frozen=True, slots=True)
class CentreReply:
    """An answer. `retry_s`: after how many seconds the other side wants to be asked again, or 0. `challenge`: of a
    centre, for the next hand-over; empty if there is none."""

    status: int
    body: bytes
    kind: str = ""
    retry_s: int = 0
    challenge: str = ""

    @property
    def words(self) -> str:
        """Its first words, for a person."""
        said = " ".join(self.body.decode("utf-8", "replace").split())[:200]
        return "".join(letter for letter in said if letter.isprintable()) or f"status {self.status}"


class CentreClient(Protocol):
    """Whoever posts, over a network or not."""

    def post(self, path: str, body: bytes) -> CentreReply:
        """Post a body below the address. Raises UnreachableError."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    data: bytes


class _Line:
    """One kept connection, which another thread can cut."""

    def __init__(self, address: str, tls: ssl.SSLContext) -> None:
        self._sock: socket.socket | None = None
        self._is_cut, self._lock = False, threading.Lock()
        take = self._take

        class Plain(urllib3.connection.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                take(self.sock)

        class Secure(urllib3.connection.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                take(self.sock)

        class PlainPool(urllib3.HTTPConnectionPool):
            ConnectionCls = Plain

        class SecurePool(urllib3.HTTPSConnectionPool):
            ConnectionCls = Secure

        timeout = urllib3.Timeout(connect=CONNECT_S, read=ANSWER_S)
        self._pool = urllib3.PoolManager(1, maxsize=1, retries=False, timeout=timeout, ssl_context=tls)
        self._pool.pool_classes_by_scheme = {"http": PlainPool, "https": SecurePool}

    def exchange(self, method: str, url: str, body: bytes | None, most: int) -> _Answer:
        """Send a request and read at most `most` bytes of its answer, and a few more if there are. Raises HTTPError,
        OSError, ValueError."""
        headers = {} if body is None else {"content-type": "application/octet-stream"}
        answer = self._pool.request(method, url, body=body, headers=headers, redirect=False, preload_content=False)
        data = bytearray()
        while len(data) <= most and (more := answer.read(LARGEST_ANSWER, decode_content=False)):
            data += more
        answer.release_conn() if len(data) <= most else answer.close()
        return _Answer(answer.status, answer.headers, bytes(data))

    def cut(self) -> bool:
        """Cut the connection for good; return whether there was one. Who reads from it gets an error."""
        with self._lock:
            self._is_cut = True
            if self._sock is not None:
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(self._sock, socket.SHUT_RDWR)  # that of ssl forgets that there is TLS
            return self._sock is not None

    def _take(self, sock: socket.socket | None) -> None:
        with self._lock:
            self._sock = sock
            if self._is_cut:
                raise TimeoutError("it was given up")


class _Work(threading.Thread):
    """Does something in a thread that is left alone if the program ends."""

    def __init__(self, work: Callable[[], _Answer]) -> None:
        super().__init__(name="exchange", daemon=True)
        self._work = work
        self.done: _Answer | Exception = OSError("it was not begun")

    def run(self) -> None:
        try:
            self.done = self._work()
        except Exception as error:  # noqa: BLE001 - whoever waits for it raises it
            self.done = error


class HttpClient:
    """Posts and gets over one kept connection. Each exchange has one deadline: a socket's own time-out begins again
    with each byte, so an answer that drips would hold its reader for ever."""

    def __init__(
        self, address: str, authority: Path | None = None, knows_time: bool = True, exchange_s: float | None = None
    ) -> None:
        """`address`: such as `https://centre.example/`. `authority`: a file with the certificate that signs the
        centre's; None for those that the system trusts. `knows_time`: whether this machine's clock is set.
        `exchange_s`: the deadline of an exchange, if not EXCHANGE_S. Raises OSError if the authority's file cannot be
        read."""
        self.address, self.authority = address, authority
        self.exchange_s = EXCHANGE_S if exchange_s is None else exchange_s
        self._tls = tls_context(authority, knows_time=knows_time)
        self._line = _Line(address, self._tls)
        self._left: threading.Thread | None = None
        """The thread of an exchange whose time was over."""

    def post(self, path: str, body: bytes) -> CentreReply:
        return self._answer("POST", path, body, LARGEST_ANSWER)

    def get(self, path: str, most: int = LARGEST_ANSWER) -> CentreReply:
        """Get what is below the address, if it has at most `most` bytes. Raises UnreachableError."""
        return self._answer("GET", path, None, most)

    def _answer(self, method: str, path: str, body: bytes | None, most: int) -> CentreReply:
        """Exchange in a thread of its own, and leave that alone when the time is over: nothing else ends a look-up of a
        name."""
        limit_s = self.exchange_s + max(0, most - LARGEST_ANSWER) / SLOWEST_BYTES_S
        if self._left is not None:
            self._left.join(limit_s)
            if self._left.is_alive():
                raise UnreachableError(f"{self.address} does not answer (an earlier request still hangs).")
        line, self._left = self._line, None
        work = _Work(lambda: line.exchange(method, urljoin(self.address, path), body, most))
        work.start()
        work.join(limit_s)
        if work.is_alive():
            connected = line.cut()
            self._line, self._left = _Line(self.address, self._tls), work
            raise UnreachableError(
                f"{self.address} did not answer in full within {limit_s:.3g} seconds.", connected=connected
            )
        return self._read(work.done, most)

    def _read(self, done: _Answer | Exception, most: int) -> CentreReply:
        if isinstance(done, urllib3.exceptions.HTTPError | OSError | ValueError):
            connected = not isinstance(
                done, urllib3.exceptions.ConnectTimeoutError | urllib3.exceptions.NewConnectionError
            )
            cause = _innermost(done)
            refusal = explain_refusal(self.address, cause, self.authority)
            said = refusal or f"{self.address} does not answer ({_why(cause)})."
            raise UnreachableError(said, connected=connected and not refusal) from done
        if isinstance(done, Exception):
            raise done
        if len(done.data) > most:
            raise UnreachableError(f"{self.address} answers with more than {most:,} bytes.")
        later = done.headers.get("retry-after", "")
        retry_s = int(later) if later.isascii() and later.isdigit() and len(later) < 6 else 0
        kind, challenge = done.headers.get("content-type", ""), done.headers.get(CHALLENGE_HEADER, "")
        return CentreReply(done.status, done.data, kind, retry_s, challenge)


def tls_context(authority: Path | None, *, knows_time: bool) -> ssl.SSLContext:
    """Return how a certificate is checked: its name and who signed it always, its dates if the clock is set. Raises
    OSError if the authority's file cannot be read."""
    tls = ssl.create_default_context(cafile=None if authority is None else str(authority))
    if authority is not None:  # OpenSSL's own commands make authorities without all that RFC 5280 asks of them
        tls.verify_flags &= ~ssl.VERIFY_X509_STRICT  # Python 3.13 sets it, earlier ones do not
    if not knows_time:
        tls.verify_flags |= _NO_CHECK_OF_TIME
    return tls


def _innermost(error: BaseException) -> BaseException:
    """Return the cause: urllib3 wraps it several times."""
    while (below := error.__cause__ or error.__context__) is not None:
        error = below
    return error


def _why(error: BaseException) -> str:
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(words).split())[:200]
