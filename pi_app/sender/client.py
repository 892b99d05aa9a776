"""Posts bytes to a centre or a witness over HTTP, with one connection that is kept, and reads a short answer.

What the centre says proves itself by its cosignature, so TLS only keeps others from reading along. A machine that does
not know the date cannot check a certificate's: then the date alone is not checked.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urljoin

import urllib3

CONNECT_S: Final = 5.0
ANSWER_S: Final = 30.0
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
    """An answer. `retry_s`: after how many seconds the other side wants to be asked again, or 0."""

    status: int
    body: bytes
    kind: str = ""
    retry_s: int = 0

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
class HttpClient:
    """`address`: such as `https://centre.example/`. `authority`: a file with the certificate that signs the centre's;
    None for those that the system trusts. `knows_time`: whether this machine's clock is set."""

    address: str
    authority: Path | None = None
    knows_time: bool = True
    _pool: urllib3.PoolManager = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tls = tls_context(self.authority, knows_time=self.knows_time)
        timeout = urllib3.Timeout(connect=CONNECT_S, read=ANSWER_S)
        pool = urllib3.PoolManager(1, maxsize=1, retries=False, timeout=timeout, ssl_context=tls)
        object.__setattr__(self, "_pool", pool)

    def post(self, path: str, body: bytes) -> CentreReply:
        return self._answer("POST", path, body, LARGEST_ANSWER)

    def get(self, path: str, most: int = LARGEST_ANSWER) -> CentreReply:
        """Get what is below the address, if it has at most `most` bytes. Raises UnreachableError."""
        return self._answer("GET", path, None, most)

    def _answer(self, method: str, path: str, body: bytes | None, most: int) -> CentreReply:
        headers = {} if body is None else {"content-type": "application/octet-stream"}
        try:
            answer = self._pool.request(
                method, urljoin(self.address, path), body=body, headers=headers, redirect=False, preload_content=False
            )
            data = bytearray()
            while len(data) <= most and (more := answer.read(LARGEST_ANSWER, decode_content=False)):
                data += more
            answer.release_conn() if len(data) <= most else answer.close()
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            connected = not isinstance(
                error, urllib3.exceptions.ConnectTimeoutError | urllib3.exceptions.NewConnectionError
            )
            raise UnreachableError(f"{self.address} does not answer ({_why(error)}).", connected=connected) from error
        if len(data) > most:
            raise UnreachableError(f"{self.address} answers with more than {most:,} bytes.")
        later = answer.headers.get("retry-after", "")
        retry_s = int(later) if later.isascii() and later.isdigit() and len(later) < 6 else 0
        return CentreReply(answer.status, bytes(data), answer.headers.get("content-type", ""), retry_s)


def tls_context(authority: Path | None, *, knows_time: bool) -> ssl.SSLContext:
    """Return how a certificate is checked: its name and who signed it always, its dates if the clock is set. Raises
    OSError if the authority's file cannot be read."""
    tls = ssl.create_default_context(cafile=None if authority is None else str(authority))
    if not knows_time:
        tls.verify_flags |= _NO_CHECK_OF_TIME
    return tls


def _why(error: Exception) -> str:
    """Name the innermost cause: urllib3 wraps it several times."""
    inner: BaseException = error
    while (below := inner.__cause__ or inner.__context__) is not None:
        inner = below
    words = getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
    return " ".join(str(words).split())[:200]
