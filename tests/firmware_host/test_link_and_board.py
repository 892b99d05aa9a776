"""The Pi's end against the firmware on a simulated board: in CPython, and in MicroPython where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_host.hub import wire
from firmware_host.link import Link
from firmware_host.link_events import HubReport, LinkNotice, LinkState
from firmware_host.reports import WITH_ANGLE
from firmware_host.requirements import HubRequirements
from firmware_host.sims.bad_wire import BadWire
from firmware_host.sims.board_twin import BoardTwin
from hardware.clock import MachineClock
from tests.firmware_host.sims.port import UID, interpreters

CLOCK = MachineClock()
PATIENCE_NS = 30_000_000_000
DIALS = 8
KEY = bytes(range(32))
Event = HubReport | LinkNotice


@pytest.fixture(params=interpreters())
def board(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BoardTwin]:
    with BoardTwin((), UID, DIALS, tmp_path, interpreter=request.param, wire=BadWire(), key=KEY) as made:
        yield made


def link(board: BoardTwin) -> Link:
    return Link(HubRequirements("north", uid=UID, port=str(board.port), dials=DIALS, key_of={UID: KEY}.get), CLOCK)


def until(cable: Link, condition: Callable[[Event], bool]) -> list[Event]:
    end_ns = CLOCK.now_ns() + PATIENCE_NS
    events: list[Event] = []
    while cable.wait(end_ns):
        events += cable.take()
        if any(map(condition, events)):
            return events
    raise AssertionError(f"not in {[each for each in events if isinstance(each, LinkNotice)]}")


def becomes(state: LinkState) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, LinkNotice) and event.state is state


def is_report(event: Event) -> bool:
    return isinstance(event, HubReport)


def reports(cable: Link, count: int) -> list[HubReport]:
    found: list[HubReport] = []
    while len(found) < count:
        found += [event for event in until(cable, is_report) if isinstance(event, HubReport)]
    return found


def check(found: list[HubReport]) -> int:
    """The number of angles; each matches `sims/on_board/formula.py`, and times increase."""
    angles = 0
    last: dict[int, tuple[int, int]] = {}
    for sample in (sample for report in found for sample in report.samples):
        assert sample.at_ns <= CLOCK.now_ns()
        if sample.value >> 12 not in WITH_ANGLE:
            continue
        at_ns, turned = last.get(sample.dial, (0, None))
        assert sample.at_ns > at_ns
        home = (sample.value - 256 * sample.dial) & 0xFFF
        if turned is not None:
            crept = (home - turned - round((sample.at_ns - at_ns) / 4_096_000) + 2048) % 4096 - 2048
            assert abs(crept) <= 100  # a busy machine may stop the hub between a read and its time stamp
        last[sample.dial] = (sample.at_ns, home)
        angles += 1
    return angles


def test_samples_answers_and_goodbye(board: BoardTwin) -> None:
    with link(board) as cable:
        found = reports(cable, 20)
        assert check(found) > 100
        assert {report.unknown for report in found} == {frozenset()}
        assert cable.hub is not None
        assert (cable.hub.uid, cable.hub.firmware, cable.hub.dials) == (UID, wire.FIRMWARE, DIALS)
        assert cable.ask(wire.DIAG, b"\3").kind == wire.DIAGNOSIS
        assert cable.ask(wire.STATS).kind == wire.COUNTS


@pytest.mark.slow
def test_pulled_frozen_and_restarted(board: BoardTwin) -> None:
    with link(board) as cable:
        reports(cable, 3)
        board.pull()
        until(cable, becomes(LinkState.NO_PORT))
        board.plug()
        check(reports(cable, 3))
        board.freeze()
        until(cable, becomes(LinkState.STALE))
        board.thaw()
        until(cable, becomes(LinkState.RUNNING))
        boot = cable.hub.boot if cable.hub is not None else 0
        board.restart()
        until(cable, becomes(LinkState.NO_PORT))
        check(reports(cable, 3))
        assert cable.hub is not None
        assert cable.hub.boot != boot


@pytest.mark.slow
def test_damage_both_ways_never_makes_a_wrong_angle(tmp_path: Path) -> None:
    bad = BadWire(7)
    with BoardTwin((), UID, DIALS, tmp_path, wire=bad, key=KEY) as board, link(board) as cable:
        reports(cable, 3)
        bad.flips = bad.drops = 0.0005
        bad.garbage, bad.cuts, bad.text = 0.0002, 0.03, 0.03
        assert check(reports(cable, 50)) > 400
        assert bad.seen > 5
