"""What the service manager hears: one datagram a message, at a path or an abstract name, and never too often."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.notify import FEED_EVERY_NS, MOST_STATUS, VARIABLE, Notify, of


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    name = str(tmp_path / "notify") if request.param == "path" else f"@trapdial-test-{tmp_path.name}-{id(request)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(name.replace("@", "\0", 1))
        listening.setblocking(False)
        yield listening, name


def heard(listening: socket.socket) -> list[str]:
    messages = []
    while True:
        try:
            messages.append(listening.recv(4096).decode())
        except BlockingIOError:
            return messages


def test_each_message_is_one_datagram(manager: tuple[socket.socket, str]) -> None:
    listening, name = manager
    notify = of({VARIABLE: name})
    assert notify.listens
    notify.ready()
    notify.status("All is\nwell,  and more")
    notify.status("All is well, and more")
    notify.trigger()
    notify.stopping()
    assert heard(listening) == ["READY=1", "STATUS=All is well, and more", "WATCHDOG=trigger", "STOPPING=1"]
    notify.status("long " * 1_000)
    assert len(heard(listening)[0]) == len("STATUS=") + MOST_STATUS
    notify.close()
    notify.ready()
    assert heard(listening) == []


def test_the_watchdog_is_fed_at_most_once_a_second(manager: tuple[socket.socket, str]) -> None:
    listening, name = manager
    with contextlib.closing(Notify(name)) as notify:
        for now_ns in range(0, 3 * FEED_EVERY_NS, FEED_EVERY_NS // 10):
            notify.feed(now_ns)
    assert heard(listening) == ["WATCHDOG=1"] * 3


def test_a_manager_that_reads_nothing_costs_no_waiting(manager: tuple[socket.socket, str]) -> None:
    with contextlib.closing(Notify(manager[1])) as notify:
        for each in range(2_000):
            notify.status(f"line {each}")


@pytest.mark.parametrize("address", ["", "relative", "/nowhere/at/all", "@nobody-listens-here", "/" + "x" * 200])
def test_without_a_manager_nothing_is_sent(address: str) -> None:
    notify = Notify(address)
    notify.ready()
    notify.feed(0)
    assert not notify.listens
