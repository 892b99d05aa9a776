"""LinuxBus above a scripted adapter that records every call and gives every errno."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence

import pytest

from hardware.adapter import I2C_M_RD, I2C_M_STOP, KernelMessage
from hardware.bus import Outcome, Read, Transaction, Write
from hardware.bus_linux import LinuxBus
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, NoBus, ShapeRefused
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import SimWire

PLAIN, MANGLING = 0x0EFF0001, 0x0EFF0005
SELECT: Transaction = (Write(0x70, b"\x08"),)
READ: Transaction = (Read(0x36, 2),)
FULL: Transaction = (Write(0x36, b"\x0c"), Read(0x36, 2))


class Script:
    """An adapter that answers each read with its own address and then 1, 2...; `fails` maps an address to an errno."""

    name = "/dev/i2c-7"

    def __init__(self, functions: int = PLAIN) -> None:
        self._functions = functions
        self.fails: dict[int, int] = {}
        self.refuse_batches = 0
        self.calls: list[list[tuple[int, int, int]]] = []
        self.prepared = 0
        self.timeout_ms = 0

    def functions(self) -> int:
        return self._functions

    def set_timeout_ms(self, timeout_ms: int) -> None:
        self.timeout_ms = timeout_ms

    def close(self) -> None:
        """Nothing is open."""

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], None]:
        self.prepared += 1

        def call() -> None:
            self.calls.append([(m.address, m.flags, len(m.buffer)) for m in messages])
            if self.refuse_batches and len({m.address for m in messages}) > 1:
                raise OSError(self.refuse_batches, "refused")
            for message in messages:
                if number := self.fails.get(message.address):
                    raise OSError(number, os.strerror(number))
            for message in messages:
                if message.flags & I2C_M_RD:
                    message.buffer[:] = bytes((message.address, *range(1, len(message.buffer))))

        return call


def kinds(outcomes: Sequence[Outcome]) -> list[object]:
    return [type(o) if isinstance(o, HardwareError) else o for o in outcomes]


# --- transfers


def test_a_transfer_gives_the_bytes_of_its_read_and_nothing_for_a_write() -> None:
    adapter = Script()
    bus = LinuxBus(adapter)
    assert bus.transfer(FULL) == b"\x36\x01"
    assert bus.transfer(SELECT) == b""
    assert adapter.calls == [[(0x36, 0, 1), (0x36, I2C_M_RD, 2)], [(0x70, 0, 1)]]


def test_waiting_is_bounded_from_the_start() -> None:
    adapter = Script()
    LinuxBus(adapter)
    assert adapter.timeout_ms == 20
    LinuxBus(adapter, timeout_ms=200)
    assert adapter.timeout_ms == 200


def test_an_adapter_without_plain_i2c_is_refused() -> None:
    with pytest.raises(NoBus) as caught:
        LinuxBus(Script(0x0EFF0000))
    assert str(caught.value) == (
        "I2C bus (/dev/i2c-7) supports only SMBus calls. "
        "Use a controller with plain I2C: one of the Pi's own, or i2c-gpio."
    )


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (121, NoAnswer, "gave no answer (errno 121). Check its plug, then its power, then SDA and SCL."),
        (6, NoAnswer, "gave no answer (errno 6). Check its plug, then its power, then SDA and SCL."),
        (
            5,
            BusGlitch,
            "had a corrupted transfer (errno 5). "
            "Try again; if it stays, look for a loose plug, a long lead or missing pull-ups.",
        ),
        (
            11,
            BusGlitch,
            "lost the bus, because something else held a line (errno 11). "
            "Try again; if it stays, look for a loose plug, a long lead or missing pull-ups.",
        ),
        (
            110,
            BusStuck,
            "never ended a transfer (errno 110). Unplug tile after tile until the bus comes back; "
            "a mux whose RESET pin is wired recovers automatically.",
        ),
        (
            95,
            ShapeRefused,
            "needs a form of transfer that this controller refuses (errno 95). "
            "The wires are fine: the controller needs another form of transfer.",
        ),
        (
            22,
            ShapeRefused,
            "needs a form of transfer that this controller refuses (errno 22). "
            "The wires are fine: the controller needs another form of transfer.",
        ),
        (
            16,
            HardwareError,
            "is in use by the kernel (errno 16). A kernel driver owns this address: take its "
            "dtoverlay out of config.txt and start the Pi again.",
        ),
        (19, NoBus, "lost its controller (errno 19). Plug the USB adapter in again, or start the Pi again."),
        (14, HardwareError, "failed: Bad address (errno 14). Check the kernel's log: dmesg | grep i2c."),
    ],
)
def test_each_errno_means_one_thing(number: int, kind: type[HardwareError], words: str) -> None:
    adapter = Script()
    adapter.fails[0x36] = number
    with pytest.raises(HardwareError) as caught:
        LinuxBus(adapter).transfer(READ)
    assert type(caught.value) is kind
    assert str(caught.value) == f"chip 0x36 (/dev/i2c-7) {words}"
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize(
    ("transaction", "words"),
    [
        ((), "a transaction has 1 to 42 messages, not 0"),
        ((Write(0x36, b"x"),) * 43, "a transaction has 1 to 42 messages, not 43"),
        ((Read(0x36, 2), Write(0x36, b"x")), "a transaction has at most one read, and it is the last message"),
        ((Read(0x36, 2), Read(0x36, 2)), "a transaction has at most one read, and it is the last message"),
        ((Write(0x36, b""),), "a message has 1 to 8192 bytes, not 0"),
        ((Read(0x36, 0),), "a message has 1 to 8192 bytes, not 0"),
        ((Read(0x36, 8193),), "a message has 1 to 8192 bytes, not 8193"),
        ((Read(0x80, 1),), "an I2C address has 7 bits, not 0x80"),
    ],
)
def test_illegal_transactions_never_reach_the_wire(transaction: Transaction, words: str) -> None:
    adapter = Script()
    bus = LinuxBus(adapter)
    for ask in (lambda: bus.transfer(transaction), lambda: bus.prepare([READ, transaction])):
        with pytest.raises(ValueError, match="^" + words.replace("(", "\\(") + "$"):
            ask()
    assert adapter.calls == []


# --- prepared runs, one transaction per call


def test_without_mangling_every_transaction_is_a_call_and_nothing_is_built_while_running() -> None:
    adapter = Script()
    run = LinuxBus(adapter).prepare([SELECT, READ, FULL])
    built = adapter.prepared
    for _ in range(3):
        assert run() == [b"", b"\x36\x01", b"\x36\x01"]
    assert adapter.prepared == built
    assert adapter.calls[:3] == [[(0x70, 0, 1)], [(0x36, 1, 2)], [(0x36, 0, 1), (0x36, 1, 2)]]


def test_one_dead_chip_costs_the_others_nothing() -> None:
    adapter = Script()
    run = LinuxBus(adapter).prepare([SELECT, (Read(0x40, 1),), READ])
    adapter.fails[0x40] = errno.EREMOTEIO
    assert kinds(run()) == [b"", NoAnswer, b"\x36\x01"]
    adapter.fails.clear()
    assert run() == [b"", b"\x40", b"\x36\x01"]


def test_a_time_out_ends_the_run() -> None:
    adapter = Script()
    run = LinuxBus(adapter).prepare([READ, (Read(0x40, 1),), SELECT, READ])
    adapter.fails[0x40] = errno.ETIMEDOUT
    assert kinds(run()) == [b"\x36\x01", BusStuck, BusStuck, BusStuck]
    assert len(adapter.calls) == 2


def test_outcomes_are_copies() -> None:
    run = LinuxBus(Script()).prepare([READ])
    first = run()
    run()
    assert first == [b"\x36\x01"]
    assert type(first[0]) is bytes


# --- prepared runs on an adapter that knows I2C_M_STOP


def test_with_mangling_whole_transactions_share_a_call_with_stops_between_them() -> None:
    adapter = Script(MANGLING)
    run = LinuxBus(adapter).prepare([SELECT, FULL, SELECT, READ])
    assert run() == [b"", b"\x36\x01", b"", b"\x36\x01"]
    assert adapter.calls == [
        [
            (0x70, I2C_M_STOP, 1),
            (0x36, 0, 1),
            (0x36, I2C_M_RD | I2C_M_STOP, 2),
            (0x70, I2C_M_STOP, 1),
            (0x36, I2C_M_RD, 2),
        ]
    ]


def test_a_call_never_has_more_than_42_messages_and_never_half_a_transaction() -> None:
    adapter = Script(MANGLING)
    run = LinuxBus(adapter).prepare([SELECT, *[FULL] * 43])
    assert run() == [b"", *[b"\x36\x01"] * 43]
    assert [len(call) for call in adapter.calls] == [41, 42, 4]
    assert all(call[-1][1] == I2C_M_RD for call in adapter.calls)


def test_a_failed_batch_is_run_one_by_one_so_that_each_outcome_is_true() -> None:
    adapter = Script(MANGLING)
    run = LinuxBus(adapter).prepare([SELECT, (Read(0x40, 1),), READ])
    adapter.fails[0x40] = errno.ENXIO
    assert kinds(run()) == [b"", NoAnswer, b"\x36\x01"]
    assert len(adapter.calls) == 4
    adapter.fails.clear()
    adapter.calls.clear()
    assert run() == [b"", b"\x40", b"\x36\x01"]
    assert len(adapter.calls) == 1  # together again


def test_a_stuck_batch_ends_the_run() -> None:
    adapter = Script(MANGLING)
    run = LinuxBus(adapter).prepare([READ] * 42 + [SELECT] * 3)
    adapter.fails[0x36] = errno.ETIMEDOUT
    assert kinds(run()) == [BusStuck] * 45
    assert len(adapter.calls) == 2


@pytest.mark.parametrize("number", [errno.EOPNOTSUPP, errno.EINVAL])
def test_an_adapter_that_refuses_batches_gets_only_one(number: int) -> None:
    adapter = Script(MANGLING)
    adapter.refuse_batches = number
    bus = LinuxBus(adapter)
    run, other = bus.prepare([SELECT, READ]), bus.prepare([SELECT, READ])
    for again in (run, run, other):
        assert again() == [b"", b"\x36\x01"]
    assert [len(call) for call in adapter.calls] == [2, 1, 1, 1, 1, 1, 1]
    assert not bus.batching


def test_an_adapter_that_refuses_our_time_out_is_used_all_the_same() -> None:
    class Stubborn(SimAdapter):
        def set_timeout_ms(self, timeout_ms: int) -> None:
            raise OSError(errno.EINVAL, "refused")

    clock = VirtualClock()
    assert not LinuxBus(Stubborn(SimWire(clock), clock)).bounded
    assert LinuxBus(SimAdapter(SimWire(clock), clock)).bounded
