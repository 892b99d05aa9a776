"""A hub's cable, on a pty: SIMULATED hubs, real ports, real threads."""

from __future__ import annotations

import errno
import fcntl
import os
import select
import struct
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_host import link as link_module
from firmware_host import ports
from firmware_host.commands import HubReply
from firmware_host.hub import wire
from firmware_host.link import Link
from firmware_host.link_events import HubReport, LinkNotice, LinkState
from firmware_host.port_owners import PortOwners
from firmware_host.requirements import HubRequirements
from firmware_host.sims.scripted_hub import ScriptedHub
from hardware.clock import MachineClock
from tests.firmware_host.exchange import still
from tests.firmware_host.pty_hub import PtyHub

CLOCK = MachineClock()
PATIENCE_S = 20.0
"""An upper limit that only a missing event reaches."""
UID = "e6616408432b5c21"


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No thread and no open file stays."""
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    yield
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == files


def hub(uid: str = UID) -> ScriptedHub:
    return ScriptedHub(still(100, 200), dials=2, uid=uid)


def link(path: Path, name: str = "north", *, owners: PortOwners | None = None, dials: int = 2) -> Link:
    return Link(HubRequirements(name, port=str(path), dials=dials), CLOCK, owners=owners)


Event = HubReport | LinkNotice


def until(cable: Link, condition: Callable[[Event], bool]) -> list[Event]:
    """Events up to the first that satisfies the condition."""
    end_ns = CLOCK.now_ns() + round(PATIENCE_S * 1e9)
    events: list[Event] = []
    while cable.wait(end_ns):
        events += cable.take()
        if any(map(condition, events)):
            return events
    raise AssertionError(f"not in {[each for each in events if isinstance(each, LinkNotice)]}")


def becomes(state: LinkState) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, LinkNotice) and event.state is state


def words(cable: Link, state: LinkState) -> str:
    return next(
        event.words for event in until(cable, becomes(state)) if isinstance(event, LinkNotice) and event.state is state
    )


def a_report(event: Event) -> bool:
    return isinstance(event, HubReport)


def test_samples_arrive(tmp_path: Path) -> None:
    with PtyHub(hub(), tmp_path / "hub") as board, link(board.path) as cable:
        events = until(cable, a_report)
        assert isinstance(events[0], LinkNotice)
        assert events[0].state is LinkState.RUNNING
        assert cable.hub is not None
        assert cable.hub.uid == UID
        report = next(each for each in events if isinstance(each, HubReport))
        assert [(sample.dial, sample.value) for sample in report.samples[-2:]] == [(0, 100), (1, 200)]
        assert abs(CLOCK.now_ns() - report.samples[-1].at_ns) < PATIENCE_S * 1e9


def test_waiting_ends_in_time_and_take_is_empty(tmp_path: Path) -> None:
    with link(tmp_path / "nothing") as cable:
        until(cable, becomes(LinkState.NO_PORT))
        assert not cable.wait(CLOCK.now_ns())
        assert cable.take() == ()


def test_arrived_is_called(tmp_path: Path) -> None:
    arrived = threading.Event()
    required = HubRequirements("north", port=str(tmp_path / "nothing"))
    with Link(required, CLOCK, arrived=arrived.set):
        assert arrived.wait(PATIENCE_S)


@pytest.mark.slow
def test_pulled_and_put_back_three_times(tmp_path: Path) -> None:
    with PtyHub(hub(), tmp_path / "hub") as board, link(board.path) as cable:
        for _ in range(3):
            until(cable, a_report)
            board.pull()
            assert words(cable, LinkState.NO_PORT) == (
                f"hub north ({board.path}) was unplugged. Plug it in. trapdial hub list shows the connected boards."
            )
            board.plug()
        until(cable, a_report)


@pytest.mark.slow
def test_a_frozen_hub_is_stale_and_comes_back(tmp_path: Path) -> None:
    with PtyHub(hub(), tmp_path / "hub") as board, link(board.path) as cable:
        until(cable, a_report)
        board.frozen = True
        until(cable, becomes(LinkState.STALE))
        board.frozen = False
        until(cable, becomes(LinkState.RUNNING))


def test_bye_is_sent(tmp_path: Path) -> None:
    with PtyHub(hub(), tmp_path / "hub") as board:
        with link(board.path) as cable:
            until(cable, a_report)
        end = time.monotonic() + PATIENCE_S
        while board.hub.received[-1] != (wire.BYE, b"") and time.monotonic() < end:
            select.select([], [], [], 0.005)
        assert board.hub.received[-1] == (wire.BYE, b"")


# ------------------------------------------------------------------------------------------------ ports that fail to
# open


def test_no_port_yet(tmp_path: Path) -> None:
    path = tmp_path / "hub"
    with link(path) as cable:
        assert words(cable, LinkState.NO_PORT) == (
            f"hub north ({path}) is not plugged in: the port does not exist. Plug it in. trapdial hub list shows the "
            "connected boards."
        )
        with PtyHub(hub(), path):
            until(cable, a_report)


def test_another_program_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "BUSY_NS", 50_000_000)
    with PtyHub(hub(), tmp_path / "hub") as board:
        other = os.open(board.path, os.O_RDWR | os.O_NOCTTY)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with link(board.path) as cable:
            assert words(cable, LinkState.BUSY) == (
                f"hub north ({board.path}) is in use by another program. Close that program: another trapdial, "
                "mpremote, a terminal, or ModemManager (`trapdial docs hub_wire` shows how to keep it away)."
            )
            os.close(other)
            until(cable, a_report)


def refusing(code: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    tried: list[str] = []

    def refuse(path: str, **_: Any) -> None:
        tried.append(path)
        raise serial.SerialException(code, f"could not open port {path}")

    monkeypatch.setattr(serial, "Serial", refuse)
    return tried


def test_permission_denied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = refusing(errno.EACCES, monkeypatch)
    path = tmp_path / "hub"
    path.touch()
    with link(path) as cable:
        assert words(cable, LinkState.NO_PERMISSION) == (
            f"hub north ({path}) cannot be opened: permission denied. Add yourself to the group dialout (sudo usermod "
            "-aG dialout $USER), then log out and in again; `trapdial docs hub_wire` has a udev rule that does it for "
            "every hub."
        )
    assert len(tried) >= 2  # the first refusal may be udev's, for a new port


def test_what_is_no_serial_port(tmp_path: Path) -> None:
    path = tmp_path / "hub"
    path.touch()
    with link(path) as cable:
        assert words(cable, LinkState.NO_PORT) == (
            f"hub north ({path}) cannot be opened (Inappropriate ioctl for device). Unplug it and plug it in again; "
            "try another USB port."
        )


def test_another_program_on_the_board_shows_its_console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_host.session.GREETING_NS", 5_000_000)
    with PtyHub(hub(), tmp_path / "hub") as board:
        board.hub.ignores.add(wire.HELLO)
        board.hub.feed = lambda data, now_us: b">>> \r\n"  # type: ignore[method-assign]
        with link(board.path) as cable:
            answer = words(cable, LinkState.NOT_A_HUB)
            assert answer.startswith(f"hub north ({board.path}) does not answer as a hub: no answer to 10 greetings.")
            assert answer.endswith('Its console shows: ">>> / >>> / >>> / >>>".')
            assert ">>>" in cable.texts()


@pytest.mark.slow
def test_it_is_tried_again_at_once_if_it_was_pulled_meanwhile(tmp_path: Path) -> None:
    with PtyHub(hub(), tmp_path / "hub") as board, link(board.path, dials=3) as cable:
        until(cable, becomes(LinkState.WRONG_BOARD))
        board.pull()
        until(cable, becomes(LinkState.NO_PORT))
        board.hub = ScriptedHub(still(1, 2, 3), dials=3)
        board.plug()
        until(cable, a_report)


# --------------------------------------------------------------------------------------------------- several hubs


def test_hubs_are_found_by_their_ids(tmp_path: Path) -> None:
    other = "e661640843ffffff"
    with PtyHub(hub(), tmp_path / "one") as one, PtyHub(hub(other), tmp_path / "two") as two:

        def listed() -> list[ports.SerialPort]:
            return [ports.SerialPort(str(one.path)), ports.SerialPort(str(two.path), other)]

        owners = PortOwners()
        north = Link(HubRequirements("north", uid=UID, dials=2), CLOCK, owners=owners, listed=listed)
        south = Link(HubRequirements("south", uid=other, dials=2), CLOCK, owners=owners, listed=listed)
        with north, south:
            until(north, a_report)
            until(south, a_report)
            assert (north.hub and north.hub.uid, south.hub and south.hub.uid) == (UID, other)


def test_a_board_id_that_is_missing(tmp_path: Path) -> None:
    with Link(HubRequirements("north", uid=UID), CLOCK, listed=list) as cable:
        assert words(cable, LinkState.NO_PORT) == (
            f"hub north (board {UID}) is not plugged in: no port has it. Plug it in. trapdial hub list shows the "
            "connected boards."
        )


def test_two_hubs_of_the_settings_on_one_port(tmp_path: Path) -> None:
    (tmp_path / "same").symlink_to(tmp_path / "hub")
    owners = PortOwners()
    with PtyHub(hub(), tmp_path / "hub") as board, link(board.path, owners=owners) as north:
        until(north, a_report)
        with link(tmp_path / "same", "south", owners=owners) as south:
            assert words(south, LinkState.BUSY) == (
                f"hub south ({tmp_path}/same) is already used by hub north of these settings. Give each hub "
                "of the settings its own id or port."
            )


def test_two_boards_with_one_id(tmp_path: Path) -> None:
    owners = PortOwners()
    with (
        PtyHub(hub(), tmp_path / "one") as one,
        PtyHub(hub(), tmp_path / "two") as two,
        link(one.path, owners=owners) as north,
    ):
        until(north, a_report)
        with link(two.path, "south", owners=owners) as south:
            assert words(south, LinkState.WRONG_BOARD) == (
                f"hub south ({two.path}) is already used by hub north of these settings. Give each hub of "
                "the settings its own id or port."
            )


# -------------------------------------------------------------------------------------------------- queries, failures


@pytest.mark.slow
def test_queries(tmp_path: Path) -> None:
    with PtyHub(hub(), tmp_path / "hub") as board, link(board.path) as cable:
        until(cable, a_report)
        answer = cable.ask(wire.DIAG, b"\1")
        assert answer.kind == wire.DIAGNOSIS
        assert answer.body is not None
        assert struct.unpack(wire.DIAGNOSIS_BODY, answer.body)[:2] == (1, 0)
        board.hub.ignores.add(wire.DIAG)
        assert cable.ask(wire.DIAG, b"\1") == HubReply(wire.DIAG, None)


@pytest.mark.slow
def test_a_hub_that_does_not_read_does_not_block(tmp_path: Path) -> None:
    """Bytes fill the port's buffer until it is full."""
    master, slave = os.openpty()
    tty.setraw(slave)
    (tmp_path / "hub").symlink_to(os.ttyname(slave))
    filler = os.open(tmp_path / "hub", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    while select.select([], [filler], [], 0)[1]:
        os.write(filler, bytes(4096))
    began = time.monotonic()
    with link(tmp_path / "hub") as cable:
        assert not cable.wait(CLOCK.now_ns() + 500_000_000)
    assert time.monotonic() - began < PATIENCE_S
    for descriptor in (filler, master, slave):
        os.close(descriptor)


@pytest.mark.slow
@pytest.mark.parametrize("failure", [OSError(errno.EIO, "gone"), termios.error(5, "gone"), serial.SerialException()])
def test_whatever_a_dead_port_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    with PtyHub(hub(), tmp_path / "hub") as board, link(board.path) as cable:
        until(cable, a_report)

        def fail(*_: object) -> None:
            raise failure

        close = serial.Serial.close

        def close_and_fail(port: serial.Serial) -> None:
            close(port)
            raise failure

        with monkeypatch.context() as broken:
            broken.setattr(link_module, "_received", fail)
            broken.setattr(serial.Serial, "close", close_and_fail)
            until(cable, becomes(LinkState.NO_PORT))
        until(cable, a_report)


def test_a_thread_that_dies_is_noticed(tmp_path: Path) -> None:
    def broken() -> list[ports.SerialPort]:
        raise ZeroDivisionError("a bug")

    with Link(HubRequirements("north"), CLOCK, listed=broken) as cable:
        assert cable.wait(CLOCK.now_ns() + round(PATIENCE_S * 1e9))
        with pytest.raises(ZeroDivisionError, match="a bug"):
            cable.take()


@pytest.mark.slow
def test_undelivered_samples_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "MOST_KEPT", 5)
    with PtyHub(hub(), tmp_path / "hub") as board, link(board.path) as cable:
        end = time.monotonic() + PATIENCE_S
        while cable.session.counts.reports < 20 and time.monotonic() < end:
            select.select([], [], [], 0.01)
        events = cable.take()
        assert len(events) <= 5
        assert becomes(LinkState.RUNNING)(events[0])
