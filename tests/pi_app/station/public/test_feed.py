"""The public feed: what is written, who may read it, and that nobody is waited for."""

from __future__ import annotations

import contextlib
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_app.pages.messages import Public
from pi_app.station.public.feed import (
    EVERY_NS,
    MOST_READERS,
    RETRY_NS,
    SILENT_NS,
    FeedReader,
    PublicFeed,
    feed_path,
    line_of,
    scene_of,
)
from pi_app.station.public.scene import scene
from pi_app.station.public.state import MOST_BYTES, decoded
from tests.station.states import SHOWN, state

Connect = Callable[[Path], socket.socket]


@pytest.fixture
def connected() -> Iterator[Connect]:
    """Connects to a feed, and closes what is left at the end."""
    with contextlib.ExitStack() as stack:

        def connect(path: Path) -> socket.socket:
            made = stack.enter_context(socket.socket(socket.AF_UNIX))
            made.settimeout(5)
            made.connect(str(path))
            return made

        yield connect


@pytest.mark.parametrize("name", SHOWN)
def test_a_line_holds_the_state_and_its_scene(name: str) -> None:
    line = line_of(state(name))
    assert line.count(b"\n") == 1
    assert decoded(line) == state(name)
    assert scene_of(line) == scene(state(name))
    assert len(line) < MOST_BYTES // 3


def test_a_line_that_holds_no_scene_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^no scene: Object missing required field `scene`$"):
        scene_of(b'{"version":1}')
    with pytest.raises(ValueError, match=r"^a line of 64001 bytes is longer than 64000$"):
        scene_of(b" " * (MOST_BYTES + 1))


def test_every_reader_gets_each_change_and_every_second_a_line(tmp_path: Path, connected: Connect) -> None:
    sent: list[Public] = []
    feed = PublicFeed(tmp_path / "s", sent.append)
    reader = connected(tmp_path / "s")
    feed.show(state("attract"), 0)
    attract = line_of(state("attract"))
    assert reader.recv(MOST_BYTES) == attract
    feed.show(state("attract", seq=7), EVERY_NS - 1)
    feed.show(state("joining"), EVERY_NS - 1)
    joining = line_of(state("joining"))
    assert reader.recv(MOST_BYTES) == joining
    late = connected(tmp_path / "s")
    feed.show(state("joining"), EVERY_NS)
    assert late.recv(MOST_BYTES) == joining
    feed.show(state("joining"), 2 * EVERY_NS - 1)
    assert reader.recv(MOST_BYTES) == joining
    assert sent == [Public(attract), Public(joining), Public(joining)]
    feed.close()
    assert not (tmp_path / "s").exists()
    assert reader.recv(MOST_BYTES) == b""


def test_the_socket_is_for_the_owner_and_the_group(tmp_path: Path) -> None:
    feed = PublicFeed(tmp_path / "s")
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o660
    feed.close()


def test_a_reader_that_does_not_read_is_dropped_and_nobody_waits(tmp_path: Path, connected: Connect) -> None:
    feed = PublicFeed(tmp_path / "s")
    connected(tmp_path / "s")
    well = connected(tmp_path / "s")
    for second in range(200):
        feed.show(state("free"), second * EVERY_NS)
        assert well.recv(MOST_BYTES) == line_of(state("free"))
        if feed.readers == 1:
            break
    assert feed.readers == 1
    feed.close()


def test_too_many_readers_are_turned_away(tmp_path: Path, connected: Connect) -> None:
    feed = PublicFeed(tmp_path / "s")
    readers = []
    for _ in range(MOST_READERS + 1):
        readers.append(connected(tmp_path / "s"))
        feed.show(state("attract"), 0)
    assert feed.readers == MOST_READERS
    assert readers[-1].recv(9) == b""
    feed.close()


def test_a_socket_that_a_power_cut_left_is_replaced(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "s"))
    left.close()
    feed = PublicFeed(tmp_path / "s")
    assert feed.trouble == ""
    feed.close()


def test_a_feed_that_cannot_be_opened_stops_nothing(tmp_path: Path) -> None:
    feed = PublicFeed(tmp_path / "none" / "s")
    assert feed.trouble == (
        f"{tmp_path}/none/s: the public feed cannot be opened (No such file or directory); displays on this machine "
        "stay dark."
    )
    feed.show(state("attract"), 0)
    long = PublicFeed(tmp_path / ("x" * 120))
    assert "(the path is too long for a socket)" in long.trouble
    feed.close()


def test_where_the_feed_is(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    assert feed_path({"RUNTIME_DIRECTORY": "/run/trapdial:/run/other"}, journal) == Path("/run/trapdial/public.sock")
    assert feed_path({}, journal) == tmp_path / "public.sock"


# ---------------------------------------------------------------------------------------------------- the reader


def test_a_reader_comes_back_by_itself(tmp_path: Path) -> None:
    reader = FeedReader(tmp_path / "s")
    assert not reader.read(0)
    assert reader.why == f"{tmp_path}/s: no station has opened it"
    feed = PublicFeed(tmp_path / "s")
    assert not reader.read(RETRY_NS - 1)
    reader.read(RETRY_NS)
    feed.show(state("free"), 0)
    assert reader.read(RETRY_NS)
    assert reader.scene == scene(state("free"))
    assert not reader.lost(RETRY_NS + SILENT_NS - 1)
    assert reader.lost(RETRY_NS + SILENT_NS)
    feed.close()
    assert not reader.read(2 * RETRY_NS)
    assert reader.why == "the station has closed it"
    feed = PublicFeed(tmp_path / "s")
    reader.read(3 * RETRY_NS)
    feed.show(state("free"), 0)
    assert not reader.read(3 * RETRY_NS), "it is the same scene"
    assert not reader.lost(3 * RETRY_NS)
    feed.close()
    reader.close()


def test_a_reader_takes_the_newest_line_and_leaves_what_is_none(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "s"))
    listener.listen()
    reader = FeedReader(tmp_path / "s")
    reader.read(0)
    there, _ = listener.accept()
    there.sendall(line_of(state("attract")) + line_of(state("closed")) + line_of(state("free"))[:100])
    assert reader.read(0)
    assert reader.scene == scene(state("closed"))
    there.sendall(b"nonsense\n")
    assert not reader.read(0)
    assert reader.why.startswith("no scene: ")
    reader.read(RETRY_NS)
    there.close()
    there, _ = listener.accept()
    there.settimeout(0.2)
    for _ in range(20):
        try:
            there.sendall(b"x" * 60_000)
        except OSError:
            break
        reader.read(RETRY_NS)
    assert reader.why == f"a line is longer than {MOST_BYTES} bytes"
    reader.close()
    there.close()
    listener.close()
