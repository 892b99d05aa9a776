"""The page process as a program of its own: stopped by a debugger, killed, ended with the table."""

from __future__ import annotations

import os
import select
import signal
import socket
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from pi_app.pages.link import STOPPED, ProcessLink
from pi_app.pages.listening import listen, port_of
from pi_app.pages.messages import Admitted, Counts, Dropped, Frames, FromPages, Knock, Left, Setup

ROUNDS = 20_000
BODY = bytes(128)
PHONES: list[socket.socket] = []


@pytest.fixture
def port_and_link() -> Iterator[tuple[int, ProcessLink]]:
    PHONES.clear()
    listeners = listen("127.0.0.1", 0)
    port = port_of(listeners)
    link = ProcessLink(Setup((f"localhost:{port}",), f"http://localhost:{port}/"), listeners)
    yield port, link
    for phone in PHONES:
        phone.close()
    link.close()


def until(link: ProcessLink, there: Callable[[list[FromPages]], object]) -> list[FromPages]:
    taken: list[FromPages] = []
    for _ in range(ROUNDS):
        taken += link.take()
        if there(taken):
            return taken
        select.select([], [], [], 0.001)
    raise AssertionError(f"not seen; {link.trouble}; {link.last_words}; {taken[:20]}")


def join(port: int, link: ProcessLink) -> tuple[socket.socket, int]:
    """A phone with an open stream, and the stream's number."""
    phone = socket.create_connection(("127.0.0.1", port), timeout=20)
    PHONES.append(phone)
    phone.sendall(b"POST /join HTTP/1.1\r\nHost: localhost:%d\r\nContent-Length: 128\r\n\r\n" % port + BODY)
    taken = until(link, lambda taken: [each for each in taken if isinstance(each, Knock)])
    (conn,) = (each.conn for each in taken if isinstance(each, Knock))
    link.send(Admitted(conn, bytes(48)))
    read_until(phone, b"AAAA\n\n\r\n")
    return phone, conn


def read_until(phone: socket.socket, end: bytes) -> bytes:
    data = b""
    while not data.endswith(end):
        more = phone.recv(65_536)
        assert more, data
        data += more
    return data


def test_a_stopped_process_costs_the_table_nothing_and_goes_on_with_the_newest(
    port_and_link: tuple[int, ProcessLink],
) -> None:
    port, link = port_and_link
    phone, conn = join(port, link)
    process = link.process_id
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    for _ in range(200):
        link.send(Frames(((conn, bytes(16_384)),)))
    tracemalloc.start()
    for number in range(3_000):
        link.send(Frames(((conn, number.to_bytes(6, "big") + bytes(16_380)),)))
        link.take()
    held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (held < 200_000, most < 400_000) == (True, True), (held, most)
    assert link.trouble is None
    link.send(Dropped(conn, "over"))
    os.kill(process, signal.SIGCONT)
    taken = until(link, lambda taken: Left(conn) in taken)
    assert not [each for each in taken if isinstance(each, Knock)]
    data = read_until(phone, b"0\r\n\r\n")
    assert data.endswith(b"event: no\ndata: over\n\n\r\n0\r\n\r\n")
    assert data.count(b"data: AAAAAAu3") == 1  # 2,999 in six bytes: the last batch came
    assert data.count(b"data: ") < 200
    assert link.process_id == process


def test_a_killed_process_is_started_again_on_the_same_port_and_phones_come_back(
    port_and_link: tuple[int, ProcessLink],
) -> None:
    port, link = port_and_link
    phone, conn = join(port, link)
    before = link.process_id
    assert before is not None
    os.kill(before, signal.SIGKILL)
    taken = until(link, lambda taken: Left(conn) in taken)
    assert taken[-1] == Left(conn)
    assert phone.recv(10) == b""
    again, new = join(port, link)
    assert (link.trouble, new > conn, link.process_id != before) == (None, True, True)
    link.send(Frames(((new, b"frame"),)))
    assert b"data: ZnJhbWU=\n\n" in read_until(again, b"=\n\n\r\n")
    assert STOPPED.startswith("The page process stopped.")


def test_the_process_ends_with_the_table_and_its_streams_end_properly(port_and_link: tuple[int, ProcessLink]) -> None:
    port, link = port_and_link
    phone, conn = join(port, link)
    process = link.process_id
    link.send(Frames(((conn, b"last"),)))
    link.send(Dropped(conn, "over"))
    link.close()
    assert read_until(phone, b"0\r\n\r\n").endswith(
        b"data: bGFzdA==\n\n\r\n16\r\nevent: no\ndata: over\n\n\r\n0\r\n\r\n"
    )
    with pytest.raises(ProcessLookupError):
        os.kill(process or 0, 0)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_signals_of_the_terminal_do_not_end_it(port_and_link: tuple[int, ProcessLink]) -> None:
    """Ctrl-C reaches the table, which ends the pages in their order."""
    _, link = port_and_link
    until(link, lambda taken: [each for each in taken if isinstance(each, Counts)])
    process = link.process_id
    assert process is not None
    assert os.getsid(process) != os.getsid(0)
