"""The phone's end of HTTP: responses in any pieces, and what no phone can read."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pi_app.simulated.page_stream import Address, EventReader, PageError, PageEvent, PageStream, exchange, request

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(text: str) -> bytes:
    return f"{len(text):x}\r\n{text}\r\n".encode()


WHOLE = HEAD + chunk("data: QUJD\n\n") + chunk("data: RA==\n\nevent: no\n") + chunk("data: over\n\n") + b"0\r\n\r\n"
EVENTS = [PageEvent("", "QUJD"), PageEvent("", "RA=="), PageEvent("no", "over")]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1000])
def test_a_response_reads_the_same_in_pieces_of_any_size(size: int) -> None:
    reader, events = EventReader(), list[PageEvent]()
    for start in range(0, len(WHOLE), size):
        events += reader.feed(WHOLE[start : start + size])
    assert events == EVENTS
    assert (reader.status, reader.over) == (200, True)


def test_an_event_waits_for_its_end() -> None:
    reader = EventReader()
    assert reader.feed(HEAD + chunk("data: QU")) == []
    assert reader.feed(chunk("JD\n\n")) == [PageEvent("", "QUJD")]
    assert not reader.over


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", "the page process answered 'SSH-2.0-OpenSSH'"),
        (HEAD + b"what\r\n", "the page process sends a chunk without a size"),
        (b"x" * 4_000_001, "the page process sends a line without an end"),
    ],
)
def test_what_is_no_response_is_refused_with_a_sentence(answer: bytes, said: str) -> None:
    with pytest.raises(PageError) as refused:
        EventReader().feed(answer)
    assert str(refused.value) == said


def test_an_answer_without_a_stream_is_over_at_once() -> None:
    reader = EventReader()
    assert reader.feed(b"HTTP/1.1 421 Misdirected Request\r\nContent-Length: 2\r\n\r\nno") == []
    assert (reader.status, reader.over) == (421, True)


@contextmanager
def answering(*pieces: bytes) -> Iterator[tuple[Address, list[bytes]]]:
    """A server that takes one request and sends these bytes."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                asked.append(connection.recv(65_536))
                for piece in pieces:
                    connection.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname(), asked
        thread.join(10)


def test_a_stream_gives_events_and_counts_every_byte() -> None:
    with answering(WHOLE[:100], WHOLE[100:]) as (address, asked):
        stream, events = PageStream(address, "/join", bytes(128)), list[PageEvent]()
        while not stream.over:
            events += stream.take(5.0)
        stream.cut()
    assert events == EVENTS
    assert stream.received == len(WHOLE)
    assert asked == [request("POST", "/join", address, bytes(128))]
    assert asked[0].startswith(f"POST /join HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\n".encode())


def test_an_exchange_returns_the_status_and_all_bytes() -> None:
    answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
    with answering(answer) as (address, _):
        assert exchange(address, "POST", "/up", bytes(128)) == (204, answer)


def test_a_closed_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
    with pytest.raises(PageError) as refused:
        exchange(address, "GET", "/")
    assert str(refused.value) == f"no page process answers at 127.0.0.1:{address[1]} (Connection refused)"


def test_port_80_is_not_named_in_the_host() -> None:
    assert b"\r\nHost: 10.77.0.1\r\n" in request("GET", "/", ("10.77.0.1", 80))
