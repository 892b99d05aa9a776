"""Everything that touches the wire, with the firmware in the real MicroPython under a heap of about a Pico's size.

These tests measure nothing, and none has run on a Pico.
"""

from __future__ import annotations

import itertools
import os
import select
import signal
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import serial

from firmware_host.hub import wire
from firmware_host.reports import WITH_ANGLE, parse_report
from firmware_host.sims.bad_wire import REPL_TEXT, BadWire
from firmware_host.sims.board_twin import BoardTwin
from firmware_host.sims.interpreter import cpython
from tests.firmware_host.sims.port import DEADLINE_S, UID, Port, real

REPORTS = int(os.environ.get("TRAPDIAL_HUB_DAMAGED", "40"))
SPEEDUP = 5
SLOW_US = 400_000
"""A busy machine may stop the hub this long between a read and its time stamp: 100 counts of a creeping dial."""


def twin(folder: Path, bad: BadWire | None = None, dials: int = 8, speedup: int = 1) -> BoardTwin:
    return BoardTwin([], UID, dials, folder, interpreter=replace(real(), speedup=speedup), wire=bad)


def creeps(n: int, at_us: int) -> int:
    """The angle of dial n at a hub time: `sims/on_board/formula.py`."""
    return n * 256 + (at_us % wire.TICKS >> 12) & 0xFFF


def wrong(body: bytes) -> tuple[int, int]:
    """How many angles a report has, and how many of them no dial had at that time."""
    found = parse_report(body)
    assert found is not None
    angles = false = 0
    for record in found.records:
        for value, after_us in ((record.first, record.first_us), (record.value, record.last_us)):
            if value >> 12 in WITH_ANGLE:
                angles += 1
                began, ended = (creeps(record.dial, found.at_us + after_us + late) for late in (-SLOW_US, 100))
                false += (value - began) & 0xFFF > (ended - began) & 0xFFF
    return angles, false


@pytest.mark.slow
def test_pings_while_reports_stream(tmp_path: Path) -> None:
    with twin(tmp_path, dials=16) as board, Port(board.port) as port:
        port.hello()
        port.stream(10)
        for token in range(500):
            port.send(wire.PING, struct.pack(wire.PING_BODY, token))
            assert struct.unpack(wire.PONG_BODY, port.until(wire.PONG)[2])[0] == token
        port.send(wire.STATS)
        counts = struct.unpack(wire.COUNTS_BODY, port.until(wire.COUNTS)[2])
        assert counts[1:6] == (503, 0, 0, 0, 0)
        assert counts[8] > 40_000


@pytest.mark.slow
def test_no_report_is_missing_and_no_angle_is_wrong(tmp_path: Path) -> None:
    """By the hub's own clock, so on any slow machine no sample is missing and no angle is wrong."""
    with twin(tmp_path) as board, Port(board.port) as port:
        port.hello()
        port.stream(20)
        port.report()
        seqs, angles = [], 0
        for _ in range(30):
            _, seq, body = port.until(wire.REPORT)
            seqs.append(seq)
            held, false = wrong(body)
            angles += held
            assert false == 0
        assert [(b - a) % 256 for a, b in itertools.pairwise(seqs)] == [1] * 29
        assert angles > 30 * 8


@pytest.mark.parametrize(
    "damage",
    [
        {"flips": 1e-3},
        {"drops": 1e-3},
        {"drops": 1e-2},
        {"garbage": 1e-3},
        {"cuts": 0.05},
        {"text": 0.05},
        {"flips": 5e-3, "drops": 5e-3, "garbage": 1e-3, "cuts": 0.02, "text": 0.02},
    ],
    ids=str,
)
@pytest.mark.slow
def test_damage_both_ways_never_makes_a_wrong_angle(damage: dict[str, float], tmp_path: Path) -> None:
    bad = BadWire(1)
    with twin(tmp_path, bad) as board, Port(board.port) as port:
        port.hello()
        port.stream(5)
        for kind, rate in damage.items():
            setattr(bad, kind, rate)
        angles = good = 0
        while good < REPORTS or not bad.seen:
            if good % 10 == 0:
                port.send(wire.PING, bytes(4))
            kind_, _, body = port.next()
            if kind_ == wire.REPORT:
                held, false = wrong(body)
                assert false == 0
                angles += held
                good += 1
        assert angles > 8 * good
        assert bad.seen > 0
        bad.mend()
        port.send(wire.PING, struct.pack(wire.PING_BODY, 77))
        port.send(wire.PING, struct.pack(wire.PING_BODY, 78))  # the first may end a line that was cut
        while struct.unpack(wire.PONG_BODY, port.until(wire.PONG)[2])[0] != 78:
            pass


def test_frozen_and_thawed_it_continues(tmp_path: Path) -> None:
    with twin(tmp_path) as board, Port(board.port) as port:
        port.hello()
        port.stream(10)
        port.good(8)
        board.freeze()
        while select.select([port.serial.fileno()], [], [], 0.3)[0]:
            port.serial.read(port.serial.in_waiting or 1)
        board.thaw()
        assert any(all(port.report().jumps) for _ in range(20))  # longer than the limit: the paths are unknown
        assert board.starts == 1


def test_killed_and_restarted_it_is_another_boot(tmp_path: Path) -> None:
    with twin(tmp_path) as board:
        with Port(board.port) as port:
            before = port.hello()
            os.kill(board.pid, signal.SIGKILL)
            assert board.wait(lambda: not board.plugged, DEADLINE_S)
            assert not board.port.exists()
        board.restart()
        with Port(board.port) as port:
            after = port.hello()
        assert before[8:16] == after[8:16] == bytes.fromhex(UID)
        assert before[20:24] != after[20:24]


def counts(port: Port) -> bytes:
    """Ask repeatedly: an answer may be among the lines lost while older ones wait to be read."""
    for _ in range(1000):
        port.send(wire.STATS)
        for kind, _, body in (port.next() for _ in range(20)):
            if kind == wire.COUNTS:
                return body
    raise AssertionError("asked a thousand times, and no answer came")


@pytest.mark.slow
def test_a_host_that_does_not_read_costs_lines_and_no_more(tmp_path: Path) -> None:
    with twin(tmp_path, dials=16) as board, Port(board.port) as port:
        port.hello()
        port.stream(5)
        for _ in range(5000):  # more answers than a terminal's buffers hold
            port.send(wire.PING, bytes(4))
        assert struct.unpack(wire.COUNTS_BODY, counts(port))[3] > 100
        assert wrong(port.until(wire.REPORT)[2])[1] == 0


def test_a_second_program_on_the_port_is_refused(tmp_path: Path) -> None:
    with twin(tmp_path) as board, Port(board.port), pytest.raises(serial.SerialException, match="lock"):
        Port(board.port)


# --------------------------------------------------------------------------------------- watchdog, maintenance


def maintain(port: Port, action: int) -> None:
    port.send(wire.MAINT, struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, action))
    assert port.until(wire.ACK)[2][2] == wire.OK


def read_until(port: Port, text: bytes) -> bytes:
    came = port.serial.read_until(text)
    assert came.endswith(text), came
    return bytes(came)


@pytest.mark.slow
def test_a_hub_that_hangs_is_reset_by_its_watchdog(tmp_path: Path) -> None:
    with twin(tmp_path, speedup=SPEEDUP) as board:
        with Port(board.port) as port:
            port.hello()
            board.freeze()
            assert board.wait(lambda: board.starts == 2, DEADLINE_S)
        assert board.watchdog_resets == 1
        with Port(board.port) as port:
            assert port.hello()[7] == 3  # reset by the watchdog


@pytest.mark.slow
def test_maintenance_outlives_the_watchdog(tmp_path: Path) -> None:
    limit_s = 8 / SPEEDUP
    with twin(tmp_path, speedup=SPEEDUP) as board, Port(board.port) as port:
        port.hello()
        maintain(port, wire.REPL)
        read_until(port, b">>> ")
        assert not board.wait(lambda: board.starts > 1, 1.5 * limit_s)
        port.serial.write(b"\x04")
        read_until(port, b"soft reboot\r\n")
        port.hello()
        board.freeze()
        assert board.wait(lambda: board.starts == 2, DEADLINE_S)


def test_reset_and_bootloader(tmp_path: Path) -> None:
    with twin(tmp_path) as board:
        with Port(board.port) as port:
            port.hello()
            maintain(port, wire.RESET)
            assert board.wait(lambda: board.starts == 2, DEADLINE_S)
        with Port(board.port) as port:
            port.hello()
            maintain(port, wire.BOOTLOADER)
            assert board.wait(lambda: not board.plugged, DEADLINE_S)
        assert not board.port.exists()
        board.plug()
        with Port(board.port) as port:
            port.hello()


def test_ctrl_c_leads_to_the_repl(tmp_path: Path) -> None:
    with twin(tmp_path, BadWire()) as board, Port(board.port) as port:
        port.hello()
        port.stream(10)
        port.report()
        port.serial.write(b"\x03")
        assert b"KeyboardInterrupt" in read_until(port, b">>> ")


@pytest.mark.slow
def test_a_bug_is_shown_and_the_board_is_reset(tmp_path: Path) -> None:
    with twin(tmp_path) as board, Port(board.port) as port:
        port.hello()
        with (tmp_path / f"board-{UID}" / "board.py").open("a") as wiring:
            wiring.write("BLOCK = 1\n")
        maintain(port, wire.REPL)
        read_until(port, b">>> ")
        port.serial.write(b"\x04")
        assert b"ValueError: bad S" in read_until(port, b"pin")
        assert board.wait(lambda: board.starts >= 2, DEADLINE_S)


# --------------------------------------------------------------------------------------- nothing left behind

LEAVES = """
import os, sys
from pathlib import Path
from firmware_host.sims.board_twin import BoardTwin
from firmware_host.sims.interpreter import best, cpython
interpreter = best() if sys.argv[2] == "best" else cpython()
board = BoardTwin([], "e6616408432b5c21", 8, Path(sys.argv[1]), interpreter=interpreter)
print(board.pid, flush=True)
sys.stdin.readline()
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("interpreter", ["best", "cpython"])
def test_a_board_ends_with_its_parent_process(interpreter: str, tmp_path: Path) -> None:
    with subprocess.Popen(
        (sys.executable, "-c", LEAVES, str(tmp_path), interpreter),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.communicate("go\n", timeout=DEADLINE_S)
            assert select.select([child], [], [], DEADLINE_S)[0]
        finally:
            os.close(child)


def test_the_same_seed_damages_the_same_bytes() -> None:
    data = b":0302000000013a91b0fb\n" * 200
    one, other = BadWire(5), BadWire(5)
    assert one.carry(data) == data
    for bad in (one, other):
        bad.flips, bad.drops, bad.garbage, bad.cuts, bad.text = 0.01, 0.01, 0.01, 0.1, 0.1
    came = one.carry(data)
    assert came == other.carry(data) != data
    assert b"\x03" not in came.replace(REPL_TEXT, b"")
    assert one.seen == other.seen > 0


def test_the_name_of_cpython() -> None:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert cpython().name == f"CPython {version} (no MicroPython found)"
