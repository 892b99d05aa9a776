"""The table and a page process that somebody else started meet at a socket; no other user is let in."""

from __future__ import annotations

import os
import select
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.pages import meeting as meetings
from pi_app.pages.link import ProcessLink
from pi_app.pages.meeting import MISSED, MISSING_SECONDS, Meeting, users
from pi_app.pages.messages import Counts, FromPages, Setup, ToPages, Unpacker, packed
from pi_app.pages.process.__main__ import handed_over
from pi_app.pages.supervisor import CONNS_A_PROCESS
from pi_app.play.open_pages import RoamingLink
from pi_app.settings.pages_section import PagesSettings
from pi_app.text.errors import UserFileError

SETUP = Setup(hosts=("localhost",), address="localhost")
ME = frozenset({os.geteuid()})


@pytest.fixture
def at(tmp_path: Path) -> Path:
    return tmp_path / "pages.sock"


def comes(at: Path) -> socket.socket:
    handle = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    handle.settimeout(60)
    handle.connect(str(at))
    return handle


@pytest.fixture
def link(at: Path) -> Iterator[ProcessLink]:
    made = ProcessLink(SETUP, (), source=Meeting(at, ME))
    yield made
    made.close()


def first(process: socket.socket) -> ToPages:
    message: ToPages = next(Unpacker(ToPages).feed(process.recv(65_536)))
    return message


def taken(link: ProcessLink) -> list[FromPages]:
    found: list[FromPages] = []
    for _ in range(1_000):
        found += link.take()
        if found:
            return found
        select.select([], [], [], 0.001)
    return found


def test_who_comes_is_set_up_with_numbers_of_its_own(at: Path, link: ProcessLink) -> None:
    for number in (1, 2):
        with comes(at) as process:
            link.take()
            assert first(process) == Setup(("localhost",), "localhost", first=number * CONNS_A_PROCESS + 1)
            process.sendall(packed(Counts(1, 2, 3, 4)))
            assert taken(link) == [Counts(1, 2, 3, 4)]
            assert (link.process_id, link.trouble) == (os.getpid(), None)
            assert link.answered_ns is not None
        for _ in range(100):
            link.take()
        assert link.trouble is not None
        assert link.answered_ns is None


def test_another_user_is_not_let_in(at: Path) -> None:
    closed = Meeting(at, frozenset({os.geteuid() + 1}))
    with comes(at) as process:
        assert closed.new_channel() is None
        assert process.recv(10) == b""
    closed.close()
    assert not at.exists()


def test_the_newest_takes_the_place_of_an_older_one(at: Path, link: ProcessLink) -> None:
    with comes(at) as older, comes(at) as newer:
        link.take()
        assert isinstance(first(newer), Setup)
        assert older.recv(10) == b""


def test_a_process_that_never_comes_is_missed(at: Path) -> None:
    now = [0.0]
    meeting = Meeting(at, ME, lambda: now[0])
    assert meeting.last_words == ""
    now[0] = MISSING_SECONDS + 1
    assert meeting.last_words == MISSED
    meeting.close()


def test_its_name_is_free_for_it_and_everybody_may_knock(at: Path) -> None:
    at.write_text("left over")
    meeting = Meeting(at, ME)
    assert stat.S_IMODE(at.stat().st_mode) == 0o666
    meeting.close()
    with pytest.raises(UserFileError) as refused:
        Meeting(at.parent / "missing" / "pages.sock")
    assert str(refused.value) == (
        f"{at.parent}/missing/pages.sock: the socket for the page process cannot be made (No such file or directory). "
        "Let the service have its run folder, or start it without TRAPDIAL_PAGES."
    )


def test_only_the_pages_own_user_may_come_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert users() == ME or users().isdisjoint(ME)
    monkeypatch.setattr(meetings, "USER", "root")
    assert users() == {0}


def test_open_ports_are_taken_over_only_from_the_own_service_manager() -> None:
    assert handed_over({}, 1) == []
    assert handed_over({"LISTEN_PID": "2", "LISTEN_FDS": "1"}, 1) == []
    assert handed_over({"LISTEN_PID": "1", "LISTEN_FDS": "-1"}, 1) == []


def test_an_address_that_comes_later_is_served_then(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, now = [""], [0.0]
    monkeypatch.setattr("pi_app.play.open_pages.addresses.own_address", lambda _: own[0])
    monkeypatch.setattr("pi_app.play.open_pages.addresses.own_interfaces", list)
    monkeypatch.setattr("pi_app.play.open_pages.addresses.local_name", lambda: "pi.local")
    link = RoamingLink(PagesSettings(), Meeting(at, ME), clock=lambda: now[0])
    with comes(at) as process:
        link.take()
        assert first(process) == Setup(("pi.local", "127.0.0.1", "localhost"), "pi.local", first=CONNS_A_PROCESS + 1)
        own[0], now[0] = "192.168.1.20", 6.0
        process.sendall(packed(Counts(0, 0, 0, 0)))
        assert taken(link)
        assert link.host == "192.168.1.20"
        assert first(process) == Setup(("192.168.1.20", "127.0.0.1", "localhost", "pi.local"), "192.168.1.20")
    link.close()
