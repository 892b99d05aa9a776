"""A sender and a centre over a real connection, plain and with TLS, and every way in which no answer comes."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.sender import client as client_module
from pi_app.sender.client import CentreReply, HttpClient, UnreachableError, tls_context
from pi_app.sender.outbox import Outbox
from pi_app.sender.sender import RecordSender
from tests.pi_app.centre.records import CENTRE
from tests.pi_app.sender.served import served
from tests.pi_app.sender.shop import Shop, until_idle


def test_a_record_goes_over_a_real_connection(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with served(tmp_path) as address:
        client = HttpClient(address)
        assert until_idle(RecordSender(Outbox(shop.path, shop.key), client, CENTRE.verifier)) == shop.here == 8
        assert client.post("else", b"").status == 404
    shop.close()


@contextlib.contextmanager
def answering(data: bytes) -> Iterator[str]:
    """Something that answers one connection with these bytes, whatever is asked, and closes it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with contextlib.suppress(OSError):
            asked, _ = listener.accept()
            with asked:
                asked.settimeout(5)
                while b"\r\n\r\n" not in asked.recv(65_536):
                    pass
                asked.sendall(data)

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        listener.close()
        thread.join()


def head(length: int, more: str = "") -> bytes:
    return f"HTTP/1.1 503 Later\r\nContent-Length: {length}\r\n{more}\r\n".encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (head(2, "Retry-After: 7\r\nContent-Type: text/plain\r\n") + b"no", CentreReply(503, b"no", "text/plain", 7)),
        (head(0, "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"), CentreReply(503, b"")),
        (head(0, "Retry-After: 99999999999\r\n"), CentreReply(503, b"")),
    ],
)
def test_an_answer_is_read_with_what_it_asks(data: bytes, expected: CentreReply) -> None:
    with answering(data) as address:
        assert HttpClient(address).post("hand-over", b"x") == expected


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "does not answer"),
        (b"garbage\r\n\r\n", "does not answer"),
        (head(90) + b"cut off", "does not answer"),
        (head(70_000) + b"x" * 70_000, "answers with more than 65,536 bytes"),
    ],
)
def test_what_is_no_answer_is_said_and_never_a_traceback(data: bytes, why: str) -> None:
    with answering(data) as address, pytest.raises(UnreachableError, match=why):
        HttpClient(address).post("hand-over", b"x")


def test_a_centre_that_is_gone_or_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    monkeypatch.setattr(client_module, "ANSWER_S", 0.05)
    with pytest.raises(UnreachableError, match=r"does not answer \(.*timed out.*\)") as silent:
        HttpClient(address).post("hand-over", b"x")
    listener.close()
    with pytest.raises(UnreachableError, match=r"does not answer \(Connection refused\)") as gone:
        HttpClient(address).post("hand-over", b"x")
    assert (silent.value.connected, gone.value.connected) == (True, False)


def test_only_a_machine_that_does_not_know_the_date_ignores_that_of_a_certificate() -> None:
    for knows_time in (True, False):
        tls = tls_context(None, knows_time=knows_time)
        assert bool(tls.verify_flags & 0x200000) is not knows_time
        assert (tls.verify_mode, tls.check_hostname) == (ssl.CERT_REQUIRED, True)
