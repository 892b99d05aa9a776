"""The firmware on both interpreters behind a real pseudo-terminal, with pyserial at the other end."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_host.hub import wire
from firmware_host.sims.board_twin import BoardTwin
from firmware_host.sims.interpreter import Interpreter, cpython
from hardware.sims import faults
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.table import TiledMux, tiles_on_mux
from hardware.sims.wire import SimWire
from tests.firmware_host.sims.port import UID, Port, interpreters


@pytest.fixture(params=interpreters())
def interpreter(request: pytest.FixtureRequest) -> Interpreter:
    found: Interpreter = request.param
    return found


def tiles() -> tuple[SimAdapter, TiledMux]:
    clock = VirtualClock()
    bus = SimWire(clock, 400_000)
    return SimAdapter(bus, clock), tiles_on_mux(bus, ideal=True)


def stands(raw: int) -> Callable[[int], float]:
    return lambda _: raw


def read_all(port: Port) -> None:
    while port.serial.read(4096):
        pass


def test_it_identifies_itself_and_reads_the_same_twins_as_any_bus(interpreter: Interpreter, tmp_path: Path) -> None:
    adapter, on_mux = tiles()
    for n, tile in enumerate(on_mux.tiles):
        tile.encoder.angle_at = stands(300 + 400 * n)
    with BoardTwin([adapter], UID, 8, tmp_path, interpreter=interpreter) as board, Port(board.port) as port:
        body = port.hello()
        nonce, protocol, result, dials, cause, uid = struct.unpack_from(">IBBBB8s", body)
        assert (nonce, protocol, result, dials, cause, uid.hex()) == (0xC0FFEE01, 2, 0, 8, 1, UID)
        port.stream(20)
        assert port.good(8) == tuple(300 + 400 * n for n in range(8))
        on_mux.tiles[3].unplug()
        while next(port.statuses()).get(3) != wire.SILENT << 12:
            pass
        on_mux.tiles[3].plug_in()
        assert port.good(8)[3] == 1500


def test_the_cable_pulled_and_put_back(interpreter: Interpreter, tmp_path: Path) -> None:
    with BoardTwin([], UID, 8, tmp_path, interpreter=interpreter) as board:
        for _ in range(3):
            with Port(board.port) as port:
                port.hello()
                port.stream(10)
                port.report()
                board.pull()
                assert not board.port.exists()
                with pytest.raises((serial.SerialException, OSError)):
                    read_all(port)
            board.plug()
        assert board.starts == 4


def test_a_port_is_not_there_without_a_board(tmp_path: Path) -> None:
    board = BoardTwin([], UID, 8, tmp_path, interpreter=cpython())
    board.close()
    board.close()
    board.plug()
    assert not board.plugged
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match=f"^board {UID} is not plugged in$"):
        _ = board.pid


@pytest.mark.parametrize(("uid", "dials"), [(UID, 0), (UID, 17), ("12", 8)])
def test_an_impossible_board(uid: str, dials: int, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"^a simulated board has 1 to 16 dials and an id of 16 hex digits, not \d+ and .+$"
    ):
        BoardTwin([], uid, dials, tmp_path)


def test_sixteen_dials_on_two_muxes(interpreter: Interpreter, tmp_path: Path) -> None:
    clock = VirtualClock()
    bus = SimWire(clock, 400_000)
    tiles = [tile for address in (0x70, 0x71) for tile in tiles_on_mux(bus, address, ideal=True).tiles]
    for n, tile in enumerate(tiles):
        tile.encoder.angle_at = stands(100 + 250 * n)
    adapter = SimAdapter(bus, clock)
    with BoardTwin([adapter], UID, 16, tmp_path, interpreter=interpreter) as board, Port(board.port) as port:
        assert port.hello()[6] == 16
        port.stream(40)
        assert port.good(16) == tuple(100 + 250 * n for n in range(16))


def comes_to(port: Port, required: Callable[[list[int]], bool]) -> None:
    """Read until the results of all dials satisfy the condition; fail after some hundred reports."""
    result: dict[int, int] = {}
    for _ in range(500):
        port.send(wire.PING, bytes(4))
        for record in port.report().records:
            result[record.dial] = record.value >> 12
            if required([result[n] for n in sorted(result)]):
                return
    pytest.fail("it never came to it")


def test_a_chip_interrupted_in_a_byte_is_clocked_free(interpreter: Interpreter, tmp_path: Path) -> None:
    """Bit-banged by the firmware at its own pins."""
    adapter, on_mux = tiles()
    with BoardTwin([adapter], UID, 8, tmp_path, interpreter=interpreter) as board, Port(board.port) as port:
        port.hello()
        port.stream(20)
        port.good(8)
        faults.strike(on_mux.tiles[2], "stuck-mid-byte", 9)
        comes_to(port, lambda result: wire.STUCK in result)
        comes_to(port, lambda result: result == [wire.GOOD] * 8)
        port.send(wire.STATS)
        assert struct.unpack(wire.COUNTS_BODY, port.until(wire.COUNTS)[2])[5] >= 1


@pytest.mark.slow
def test_with_the_muxes_reset_wired_the_others_continue(interpreter: Interpreter, tmp_path: Path) -> None:
    adapter, on_mux = tiles()
    how: Any = {"interpreter": interpreter, "mux_reset": 9}
    with BoardTwin([adapter], UID, 8, tmp_path, **how) as board, Port(board.port) as port:
        port.hello()
        port.stream(20)
        port.good(8)
        faults.strike(on_mux.tiles[2], "stuck-low")
        comes_to(port, lambda result: result == [0, 0, wire.STUCK, 0, 0, 0, 0, 0])
