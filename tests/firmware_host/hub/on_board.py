"""Runs in MicroPython and in CPython, with `firmware_host` and its stand-ins on the path: lines, fuzz or endurance.

Prints its result as one line of JSON.
"""

import gc
import json
import sys
import time


class _Setup:
    """The set-up of a simulated board: no parent, dials by formula."""

    UID, RESET_CAUSE, QUESTIONS, ANSWERS, CHIPS, DIALS, MUX_RESET, SPEEDUP = bytes(8), 1, -1, -1, False, 16, None, 1
    PACED = False


if not hasattr(time, "ticks_us"):
    time.ticks_us = lambda: time.monotonic_ns() // 1000
    time.sleep_us = lambda us: None
    gc.mem_free = lambda: 0
    gc.mem_alloc = lambda: len(gc.get_objects())
sys.modules["twin_setup"] = _Setup

import machine
from hub import seal, wire
from hub.bus import I2cBus
from hub.core import Hub, Identity
from hub.dials import DialBank
from hub.muxes import Muxes

COMMANDS = (
    (wire.HELLO, b"\x01\x02\xc0\xff\xee\x01"),
    (wire.STREAM, b"\x00\x05\x00\x23"),
    (wire.STREAM, b"\x00\x00\x00\x00"),
    (wire.PING, b"\x01\x02\x03\x04"),
    (wire.DIAG, b"\x07"),
    (wire.STATS, b""),
    (wire.MAINT, b"\x4d\x41\x49\x4e\x07"),
    (wire.BYE, b""),
    (wire.PROVE, bytes(16)),
    (wire.STATS | wire.SEALED, bytes(12)),
    (0x55, b"what?"),
)


class World:
    """A hub time that jumps, and a sender that only counts."""

    def __init__(self) -> None:
        self.now = wire.TICKS - 3_000_000
        self.lines = self.bytes = 0
        self.last = b""

    def clock(self) -> int:
        self.now = (self.now + 20) % wire.TICKS
        return self.now

    def send(self, line) -> int:
        self.lines += 1
        self.bytes += len(line)
        self.last = line
        return len(line)


def new_hub(world: World, key: bytes = bytes(32)) -> Hub:
    bus = I2cBus(machine, 0, 4, 5, 400_000, 2000)
    dials = DialBank(bus, Muxes(bus, (0x70, 0x71)), 16, range(16), world.clock)
    return Hub(dials, bus, world.clock, world.send, Identity(bytes(8), 1, 1, key, lambda: bytes(16)), gc.mem_free)


def free() -> int:
    gc.collect()
    return gc.mem_free()


def held() -> int:
    """Bytes in MicroPython, objects in CPython."""
    gc.collect()
    return gc.mem_alloc()


def golden(lines) -> dict:
    """Encode and decode each line."""
    made, read = [], []
    for kind, seq, body, line in lines:
        made.append(wire.line(kind, seq, bytes.fromhex(body)).decode())
        found = wire.message(line[1:].encode())
        read.append([found[0], found[1], found[2].hex()])
    return {"made": made, "read": read}


class Chance:
    """A random generator with the same numbers in every interpreter."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, end: int) -> int:
        self._state = (self._state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        return (self._state >> 8) % end


def mutated(chance: Chance, seq: int) -> bytearray:
    kind, body = COMMANDS[chance.below(len(COMMANDS))]
    line = bytearray(wire.line(kind, seq & 0xFF, body))
    for _ in range(chance.below(4)):
        at = chance.below(len(line) or 1)
        what = chance.below(6)
        if what == 0:
            line[at : at + 1] = bytes(b ^ 1 << chance.below(8) for b in line[at : at + 1])
        elif what == 1:
            line = line[:at] + line[at + 1 :]
        elif what == 2:
            line = line[:at] + bytes((chance.below(256),)) + line[at:]
        elif what == 3:
            line = line[:at] + line
        elif what == 4:
            line = line[: at + 1]
        else:
            line = bytearray(chance.below(256) for _ in range(chance.below(120))) + line
    return line


def fuzz(count: int, seed: int) -> dict:
    """The number of lines, their results, and the memory before and after."""
    world, chance = World(), Chance(seed)
    hub = new_hub(world)
    begun = 0
    for n in range(count):
        if n == count // 10:
            begun = held()
        for byte in mutated(chance, n):
            hub.receive(byte)
        if chance.below(4) == 0:
            world.now = (world.now + chance.below(20_000)) % wire.TICKS
            hub.step()
        if n % 1000 == 999:
            world.now = (world.now + 6_000_000) % wire.TICKS
            hub.step()
    reader = hub.reader
    return {
        "lines": count,
        "good": reader.good,
        "damaged": reader.damaged,
        "sent": world.lines,
        "wanted": hub.requested_action,
        "before": begun,
        "after": held(),
    }


def sealed(key: bytes, transcript: str, lines) -> dict:
    """Seal each line of one session, and open it at the other end."""
    hub, pi, made, read = seal.Seal(key, transcript), seal.Seal(key, transcript), [], []
    for kind, seq, body in lines:
        closed = hub.close(kind, seq, bytes.fromhex(body))
        made.append(wire.line(kind, seq, closed).decode())
        read.append(pi.open(kind, seq, closed).hex())
    return {"made": made, "read": read, "proof": seal.proof_of(key, transcript).hex()}


def soak(count: int, keyed: bool) -> dict:
    """Produce this many reports as fast as possible, with pings and DIAGs in between."""
    world = World()
    hub = new_hub(world)
    greet(world, hub, COMMANDS[0])
    pi = None
    if keyed:
        welcome = wire.message(world.last[1:-1])[2]
        greet(world, hub, (wire.PROVE, bytes(16)))
        pi = seal.accepted(bytes(32), welcome, bytes(16), wire.message(world.last[1:-1])[2])
    greet(world, hub, COMMANDS[1], pi)
    reports, begun = 0, 0
    while reports < count:
        world.now = (world.now + 1000) % wire.TICKS
        if not hub.step():
            continue
        reports += 1
        if reports == count // 20:
            begun = free()
        if reports % 32 == 0:
            gc.collect()
        if reports % 100 == 0:
            greet(world, hub, COMMANDS[3], pi)
            greet(world, hub, COMMANDS[4], pi)
    return {
        "reports": reports,
        "before": begun,
        "after": free(),
        "state": hub.state,
        "good": wire.message(world.last[1:-1]) is not None,
        "kind": wire.message(world.last[1:-1])[0],
        "refused": hub.refused,
    }


def greet(world: World, hub: Hub, command, pi=None) -> None:
    """Send a command, sealed in a keyed session."""
    kind, body = command
    if pi is not None:
        kind |= wire.SEALED
        body = pi.close(kind, 0, body)
    for byte in wire.line(kind, 0, body):
        hub.receive(byte)


if sys.argv[1] == "golden":
    found = golden(json.loads(sys.stdin.read()))
elif sys.argv[1] == "sealed":
    asked = json.loads(sys.stdin.read())
    found = sealed(bytes.fromhex(asked["key"]), bytes.fromhex(asked["transcript"]), asked["lines"])
elif sys.argv[1] == "fuzz":
    found = fuzz(int(sys.argv[2]), int(sys.argv[3]))
else:
    found = soak(int(sys.argv[2]), sys.argv[3:] == ["keyed"])
print(json.dumps(found))
