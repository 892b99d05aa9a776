"""The table's link to the page process: never waits, keeps little, and comes back when the process ends."""

from __future__ import annotations

import os
import select
import socket
import sys
import tracemalloc
from collections.abc import Callable, Iterator

import msgspec
import pytest

from pi_app.pages.link import MOST_A_ROUND, MOST_WAITING, SILENT, SILENT_SECONDS, STOPPED, MemoryLink, ProcessLink
from pi_app.pages.listening import listen, port_of
from pi_app.pages.messages import (
    Counts,
    Dropped,
    Frames,
    FromPages,
    Knock,
    Left,
    NamedGame,
    Posted,
    Public,
    Refused,
    Setup,
    ToPages,
)
from pi_app.text.errors import UserFileError

SETUP = Setup(hosts=("localhost",), address="http://localhost/")
BODY = bytes(128)
BATCH = Frames(tuple((conn, bytes(4096)) for conn in range(8)))
ROUNDS = 20_000
"""So often a test asks before it gives up; each waits a thousandth of a second."""

OPENING = """
import socket, sys, time
from pi_app.pages.messages import *
first, link = int(sys.argv[1]), socket.socket(fileno=int(sys.argv[2]))
def send(message): link.sendall(packed(message))
def received():
    unpacker = Unpacker(ToPages)
    while data := link.recv(65536):
        yield from unpacker.feed(data)
"""
NEVER_READS = "while True: send(Counts(0, 0, 0, 0)); time.sleep(0.005)"
ECHOES = "for message in received(): send(Counts(len(str(message)), 0, 0, 0)); send(Knock(first, 'join', bytes(128)))"
KNOCKS_AND_DIES = "send(Knock(first, 'join', bytes(128))); next(received()); sys.exit('no more memory')"
SENDS_TOO_LONG = "link.sendall((5000).to_bytes(4, 'big')); next(received()); list(received())"
SENDS_A_TABLES_MESSAGE = "send(Refused(first, 'full')); list(received())"
NAMES_TOO_MANY = "[send(Knock(first + each, 'join', bytes(128))) for each in range(1000)]; list(received())"
FLOODS = "while True: send(Posted(bytes(128)))"
SILENT_CHILD = "time.sleep(1000)"


@pytest.fixture
def started() -> Iterator[Callable[..., ProcessLink]]:
    links: list[ProcessLink] = []

    def start(script: str, clock: Callable[[], float] = lambda: 0.0) -> ProcessLink:
        listeners = listen("127.0.0.1", 0)
        links.append(ProcessLink(SETUP, listeners, clock=clock, command=[sys.executable, "-c", OPENING + script]))
        return links[-1]

    yield start
    for link in links:
        if link.process_id is not None:
            os.kill(link.process_id, 9)
        link.close()


def until(link: ProcessLink, there: Callable[[list[FromPages]], object]) -> list[FromPages]:
    """Take messages until it is there."""
    taken: list[FromPages] = []
    for _ in range(ROUNDS):
        new = link.take()
        assert len(new) <= MOST_A_ROUND
        taken += new
        if there(taken):
            return taken
        select.select([], [], [], 0.001)
    raise AssertionError(f"not seen; {link.trouble}; {link.last_words}; {taken[:20]}")


def test_a_memory_link_hands_over_at_most_sixteen_messages_a_round() -> None:
    link = MemoryLink([Posted(BODY)] * 20)
    assert (len(link.take()), len(link.take()), len(link.take())) == (16, 4, 0)
    link.send(BATCH)
    link.close()
    assert (list(link.sent), link.closed, link.trouble) == ([BATCH], True, None)


def test_a_process_is_set_up_first_and_answers(started: Callable[..., ProcessLink]) -> None:
    link = started(ECHOES)
    first, knock = until(link, lambda taken: len(taken) >= 2)[:2]
    assert first == Counts(len(str(SETUP)), 0, 0, 0)
    assert knock == Knock(1, "join", BODY)
    assert link.trouble is None


def test_a_process_that_never_reads_costs_no_memory_and_no_waiting(started: Callable[..., ProcessLink]) -> None:
    link = started(NEVER_READS)
    until(link, lambda taken: taken)
    for _ in range(100):
        link.send(BATCH)
    tracemalloc.start()
    for _ in range(2_000):
        link.send(BATCH)
        link.take()
    held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (held < 100_000, most < 500_000) == (True, True), (held, most)
    assert link.trouble is None


def test_a_process_that_never_reads_is_replaced_when_short_messages_pile_up(
    started: Callable[..., ProcessLink],
) -> None:
    link = started(NEVER_READS)
    until(link, lambda taken: taken)
    before = link.process_id
    for number in range(100 * MOST_WAITING):
        link.send(Refused(number, "code"))
        if link.trouble:
            break
    assert link.trouble == SILENT
    until(link, lambda taken: link.process_id not in (None, before) and taken)
    assert link.trouble is None


def test_of_frames_only_the_newest_batch_waits_and_the_order_is_kept(started: Callable[..., ProcessLink]) -> None:
    """A stopped process reads on: the batches between the first ones, which were under way, and the last are gone."""
    link = started("time.sleep(0.3)\nfor m in received(): send(Counts(m.frames[0][0] if type(m) is Frames else "
                   "7_000_000 if type(m) is Dropped else 0, 0, 0, 0))")  # fmt: skip
    until(link, lambda taken: link.process_id)
    for number in range(1, 2_001):
        link.send(Frames(((number, bytes(20_000)),)))
    link.send(Dropped(1, "over"))
    seen = [
        each.pages for each in until(link, lambda taken: Counts(7_000_000, 0, 0, 0) in taken) if type(each) is Counts
    ]
    assert seen[0] == 0
    assert seen[-2:] == [2_000, 7_000_000]
    assert seen == sorted(seen)
    assert len(seen) < 200


def test_a_process_that_ends_is_started_again_and_its_streams_are_over(started: Callable[..., ProcessLink]) -> None:
    link = started(KNOCKS_AND_DIES)
    taken = until(link, lambda taken: len(taken) >= 4)
    first, second = 1, (1 << 32) + 1
    assert taken[:4] == [Knock(first, "join", BODY), Left(first), Knock(second, "join", BODY), Left(second)]
    assert link.trouble == STOPPED
    assert link.last_words == "no more memory"
    link.send(Refused(first, "code"))  # about a stream of a process that is gone
    link.send(BATCH)


def test_a_process_that_is_started_again_serves_the_game_that_is_on(started: Callable[..., ProcessLink]) -> None:
    link, game = started(ECHOES), bytes(range(16))
    until(link, lambda taken: len(taken) >= 2)
    link.send(NamedGame(game))
    assert link.process_id is not None
    os.kill(link.process_id, 9)
    newest = Counts(len(str(msgspec.structs.replace(SETUP, game=game))), 0, 0, 0)
    until(link, lambda taken: newest in taken)


def test_of_public_states_only_the_newest_waits_and_a_new_process_gets_it(started: Callable[..., ProcessLink]) -> None:
    """A display shows what is: not each state that a page process was too slow for, and not nothing after a restart."""
    link = started("time.sleep(0.3)\nfor m in received():\n"
                   "  if type(m) is Public: send(Counts(int(m.line), 0, 0, 0))")  # fmt: skip
    for number in range(1, 1_001):
        link.send(Public(b"%60000d" % number))
    seen = [each.pages for each in until(link, lambda taken: Counts(1_000, 0, 0, 0) in taken) if type(each) is Counts]
    assert seen == sorted(seen)
    assert len(seen) < 100
    assert link.process_id is not None
    os.kill(link.process_id, 9)
    until(link, lambda _: link.trouble)
    link.send(Public(b"1001"))
    until(link, lambda taken: Counts(1_001, 0, 0, 0) in taken)


@pytest.mark.parametrize("script", [SENDS_TOO_LONG, SENDS_A_TABLES_MESSAGE, NAMES_TOO_MANY])
def test_a_process_that_breaks_the_rules_is_replaced(started: Callable[..., ProcessLink], script: str) -> None:
    link = started(script)
    until(link, lambda _: link.trouble)
    assert link.trouble == STOPPED


def test_a_flood_is_taken_sixteen_messages_a_round(started: Callable[..., ProcessLink]) -> None:
    link = started(FLOODS)
    taken = until(link, lambda taken: len(taken) > 5_000)
    assert set(taken) == {Posted(BODY)}


def test_a_silent_process_is_stopped_and_started_again(started: Callable[..., ProcessLink]) -> None:
    now = [0.0]
    link = started(SILENT_CHILD, lambda: now[0])
    until(link, lambda _: link.process_id)
    before = link.process_id
    now[0] += SILENT_SECONDS
    link.take()
    assert link.trouble is None
    now[0] += 1.0
    link.take()
    assert link.trouble == SILENT
    until(link, lambda _: link.process_id not in (None, before))


def test_a_program_that_cannot_be_started_is_said() -> None:
    link = ProcessLink(SETUP, listen("127.0.0.1", 0), command=["/nonexistent/python"])
    until(link, lambda _: link.trouble)
    assert (link.trouble, link.last_words) == (STOPPED, "it cannot be started (No such file or directory)")
    link.send(ToPages.__args__[0](hosts=(), address=""))
    link.close()


def test_the_child_gets_no_secret_of_the_environment(
    started: Callable[..., ProcessLink], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAPDIAL_SECRET", "passphrase")
    link = started("import os; send(Counts(len([n for n in os.environ if 'TRAPDIAL' in n]), 0, 0, 0)); time.sleep(100)")
    assert until(link, lambda taken: taken) == [Counts(0, 0, 0, 0)]


# --------------------------------------------------------------------------------------------------- the port


def test_a_taken_port_is_named_with_what_to_try() -> None:
    first = listen("127.0.0.1", 0)
    port = port_of(first)
    with pytest.raises(UserFileError) as caught:
        listen("127.0.0.1", port, "trapdial.toml")
    assert str(caught.value) == (
        f"trapdial.toml [pages]: port {port} is taken by another program. Stop that program (`ss -ltnp 'sport = "
        f":{port}'` names it), or write port = 8080."
    )
    first[0].close()


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(UserFileError) as caught:
        listen("192.0.2.7", 8080)
    assert str(caught.value) == (
        "settings [pages]: 192.0.2.7 is not an address of this machine now. Write one that `ip -4 address` shows, or "
        'leave it out (address = "") to serve all of them.'
    )


def test_a_port_without_the_right_to_open_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", refused)
    with pytest.raises(UserFileError) as caught:
        listen("", 80, "trapdial.toml")
    assert str(caught.value) == (
        "trapdial.toml [pages]: this user may not open port 80. Give the service "
        "AmbientCapabilities=CAP_NET_BIND_SERVICE, or write port = 8080; without a service, `sudo sysctl "
        "net.ipv4.ip_unprivileged_port_start=80` allows it until the next start."
    )
    with pytest.raises(UserFileError, match=r"may not open port 8080\. Write port = 8090, or ask who set up"):
        listen("", 8080)
