"""The main loop on the board: read bytes, step the hub, feed the watchdog, handle errors."""

import gc
import os
import select
import sys
import time

import machine

from .bus import I2cBus
from .core import Hub, Identity
from .dials import DialBank
from .muxes import CHANNELS, Muxes
from .wire import BOOTLOADER, CHALLENGE_BYTES, KEY_BYTES, LAST_TICK, RESET

KEY_FILE = "hub.key"
"""Written by `trapdial hub install`; a board without one has no key."""

BYTES_A_ROUND = 64
"""Bytes read in one round; a byte costs about 0.1 ms."""
REPORTS_A_COLLECTION = 32
LEAVE_MS = 100
"""Time for the last answer to go out before the port closes."""
SHOW_MS = 1000
"""Time for the Pi to read a traceback before the reset."""


def hub_time() -> int:
    return time.ticks_us() & LAST_TICK  # type: ignore[attr-defined]


def free_memory() -> int:
    """Free bytes after a collection."""
    gc.collect()
    return gc.mem_free()  # type: ignore[attr-defined]


def forever(board, feed) -> None:
    """Run the hub that `board` describes; `feed` feeds the watchdog. Return when the Pi asks for the REPL.

    Ctrl-C passes through. Any other exception is a bug: print it on the console and reset the board.
    """
    try:
        requested = _loop(_hub(board), feed)
    except Exception as error:  # noqa: BLE001
        sys.print_exception(error)  # type: ignore[attr-defined]
        feed()
        time.sleep_ms(SHOW_MS)  # type: ignore[attr-defined]
        machine.reset()
        return
    time.sleep_ms(LEAVE_MS)  # type: ignore[attr-defined]
    if requested == RESET:
        machine.reset()
    if requested == BOOTLOADER:
        machine.bootloader()


def _hub(board) -> Hub:
    bus = I2cBus(machine, board.BLOCK, board.SDA, board.SCL, board.SPEED_HZ, board.TIMEOUT_US, board.MUX_RESET)
    muxes = Muxes(bus, board.MUXES)
    dials = DialBank(bus, muxes, CHANNELS * len(board.MUXES), board.WIRED, hub_time)
    boot = int.from_bytes(os.urandom(4), "big")
    identity = Identity(machine.unique_id(), boot, machine.reset_cause(), _key(), lambda: os.urandom(CHALLENGE_BYTES))
    return Hub(dials, bus, hub_time, sys.stdout.buffer.write, identity, free_memory)


def _key() -> bytes:
    """The board's key; empty without one."""
    try:
        with open(KEY_FILE, "rb") as file:
            key = file.read()
    except OSError:
        return b""
    return key if len(key) == KEY_BYTES else b""


def _loop(hub: Hub, feed) -> int:
    poller = select.poll()
    poller.register(sys.stdin, select.POLLIN)
    read, one = sys.stdin.buffer.readinto, bytearray(1)  # type: ignore[union-attr]
    reports = 0
    while not hub.requested_action:
        feed()
        wait_ms = hub.left_us() // 1000
        for _ in range(BYTES_A_ROUND):
            if not _waiting(poller, wait_ms) or not read(one):
                break
            wait_ms = 0
            hub.receive(one[0])
            if hub.requested_action:
                break
        if hub.step():
            reports += 1
            if reports == REPORTS_A_COLLECTION:
                reports = 0
                gc.collect()
    return hub.requested_action


def _waiting(poller, wait_ms: int) -> bool:
    for _ in poller.ipoll(wait_ms):
        return True
    return False
