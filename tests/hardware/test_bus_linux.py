"""LinuxBus above a scripted adapter (every call seen, every errno given), and the device without a device."""

from __future__ import annotations

import ast
import contextlib
import ctypes
import errno
import fcntl
import gc
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hardware import bus_linux
from hardware.adapter import I2C_M_RD, I2C_M_STOP, KernelMessage
from hardware.bus import Outcome, Read, Transaction, Write
from hardware.bus_linux import LinuxBus, open_adapter
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, NoBus, ShapeRefused
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import Wire

PLAIN, MANGLING = 0x0EFF0001, 0x0EFF0005
SELECT: Transaction = (Write(0x70, b"\x08"),)
LOOK: Transaction = (Read(0x36, 2),)
FULL: Transaction = (Write(0x36, b"\x0c"), Read(0x36, 2))


class Script:
    """An adapter that answers each read with its own address and then 1, 2..., and fails where told:
    `fails` maps an address to an errno."""

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
        "I2C bus (/dev/i2c-7) knows SMBus calls only. "
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
            "had a transfer spoilt (errno 5). "
            "Try again; if it stays, look for a loose plug, a long lead or missing pull-ups.",
        ),
        (
            11,
            BusGlitch,
            "lost the bus to something else that held a line (errno 11). "
            "Try again; if it stays, look for a loose plug, a long lead or missing pull-ups.",
        ),
        (
            110,
            BusStuck,
            "never ended a transfer (errno 110). Unplug tile after tile until the bus comes back; "
            "a mux whose RESET pin is wired lets go by itself.",
        ),
        (
            95,
            ShapeRefused,
            "was asked in a form that this controller refuses (errno 95). "
            "Nothing is wrong with the wires: the controller needs another form of transfer.",
        ),
        (
            22,
            ShapeRefused,
            "was asked in a form that this controller refuses (errno 22). "
            "Nothing is wrong with the wires: the controller needs another form of transfer.",
        ),
        (
            16,
            HardwareError,
            "is in use by the kernel (errno 16). A kernel driver owns this address: take its "
            "dtoverlay out of config.txt and start the Pi again.",
        ),
        (19, NoBus, "lost its controller (errno 19). Plug the USB adapter in again, or start the Pi again."),
        (14, HardwareError, "failed: Bad address (errno 14). Look into the kernel's log: dmesg | grep i2c."),
    ],
)
def test_each_errno_means_one_thing(number: int, kind: type[HardwareError], words: str) -> None:
    adapter = Script()
    adapter.fails[0x36] = number
    with pytest.raises(HardwareError) as caught:
        LinuxBus(adapter).transfer(LOOK)
    assert type(caught.value) is kind
    assert str(caught.value) == f"chip 0x36 (/dev/i2c-7) {words}"
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize(
    ("transaction", "words"),
    [
        ((), "a transaction has 1 to 42 messages, not 0"),
        ((Write(0x36, b"x"),) * 43, "a transaction has 1 to 42 messages, not 43"),
        ((Read(0x36, 2), Write(0x36, b"x")), "a transaction has at most one read, and it stands last"),
        ((Read(0x36, 2), Read(0x36, 2)), "a transaction has at most one read, and it stands last"),
        ((Write(0x36, b""),), "a message has 1 to 8192 bytes, not 0"),
        ((Read(0x36, 0),), "a message has 1 to 8192 bytes, not 0"),
        ((Read(0x36, 8193),), "a message has 1 to 8192 bytes, not 8193"),
        ((Read(0x80, 1),), "an I2C address has 7 bits, not 0x80"),
    ],
)
def test_illegal_transactions_never_reach_the_wire(transaction: Transaction, words: str) -> None:
    adapter = Script()
    bus = LinuxBus(adapter)
    for ask in (lambda: bus.transfer(transaction), lambda: bus.prepare([LOOK, transaction])):
        with pytest.raises(ValueError, match="^" + words.replace("(", "\\(") + "$"):
            ask()
    assert adapter.calls == []


# --- prepared runs, one transaction per call


def test_without_mangling_every_transaction_is_a_call_and_nothing_is_built_while_running() -> None:
    adapter = Script()
    run = LinuxBus(adapter).prepare([SELECT, LOOK, FULL])
    built = adapter.prepared
    for _ in range(3):
        assert run() == [b"", b"\x36\x01", b"\x36\x01"]
    assert adapter.prepared == built
    assert adapter.calls[:3] == [[(0x70, 0, 1)], [(0x36, 1, 2)], [(0x36, 0, 1), (0x36, 1, 2)]]


def test_one_dead_chip_costs_the_others_nothing() -> None:
    adapter = Script()
    run = LinuxBus(adapter).prepare([SELECT, (Read(0x40, 1),), LOOK])
    adapter.fails[0x40] = errno.EREMOTEIO
    assert kinds(run()) == [b"", NoAnswer, b"\x36\x01"]
    adapter.fails.clear()
    assert run() == [b"", b"\x40", b"\x36\x01"]


def test_after_a_time_out_nothing_more_is_tried_in_this_run() -> None:
    adapter = Script()
    run = LinuxBus(adapter).prepare([LOOK, (Read(0x40, 1),), SELECT, LOOK])
    adapter.fails[0x40] = errno.ETIMEDOUT
    assert kinds(run()) == [b"\x36\x01", BusStuck, BusStuck, BusStuck]
    assert len(adapter.calls) == 2


def test_outcomes_are_bytes_of_their_own() -> None:
    run = LinuxBus(Script()).prepare([LOOK])
    first = run()
    run()
    assert first == [b"\x36\x01"]
    assert type(first[0]) is bytes


# --- prepared runs on an adapter that knows I2C_M_STOP


def test_with_mangling_whole_transactions_share_a_call_with_stops_between_them() -> None:
    adapter = Script(MANGLING)
    run = LinuxBus(adapter).prepare([SELECT, FULL, SELECT, LOOK])
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


def test_a_failed_batch_is_asked_one_by_one_so_that_each_outcome_is_true() -> None:
    adapter = Script(MANGLING)
    run = LinuxBus(adapter).prepare([SELECT, (Read(0x40, 1),), LOOK])
    adapter.fails[0x40] = errno.ENXIO
    assert kinds(run()) == [b"", NoAnswer, b"\x36\x01"]
    assert len(adapter.calls) == 4
    adapter.fails.clear()
    adapter.calls.clear()
    assert run() == [b"", b"\x40", b"\x36\x01"]
    assert len(adapter.calls) == 1  # together again


def test_a_stuck_batch_ends_the_run() -> None:
    adapter = Script(MANGLING)
    run = LinuxBus(adapter).prepare([LOOK] * 42 + [SELECT] * 3)
    adapter.fails[0x36] = errno.ETIMEDOUT
    assert kinds(run()) == [BusStuck] * 45
    assert len(adapter.calls) == 2


@pytest.mark.parametrize("number", [errno.EOPNOTSUPP, errno.EINVAL])
def test_an_adapter_that_refuses_batches_is_asked_for_them_once(number: int) -> None:
    adapter = Script(MANGLING)
    adapter.refuse_batches = number
    bus = LinuxBus(adapter)
    run, other = bus.prepare([SELECT, LOOK]), bus.prepare([SELECT, LOOK])
    for again in (run, run, other):
        assert again() == [b"", b"\x36\x01"]
    assert [len(call) for call in adapter.calls] == [2, 1, 1, 1, 1, 1, 1]
    assert not bus.batching


# --- the device


def test_a_missing_device_says_how_to_switch_i2c_on(tmp_path: Path) -> None:
    device = str(tmp_path / "i2c-1")
    with pytest.raises(NoBus) as caught:
        open_adapter(device)
    assert str(caught.value) == (
        f"I2C bus ({device}) is not there. Switch I2C on: dtparam=i2c_arm=on in config.txt, or sudo "
        "raspi-config, Interface Options, I2C; then start the Pi again."
    )


def test_a_missing_spare_bus_asks_for_its_overlay(tmp_path: Path) -> None:
    device = str(tmp_path / "i2c-6")
    with pytest.raises(NoBus) as caught:
        open_adapter(device)
    assert str(caught.value) == (
        f"I2C bus ({device}) is not there. Switch this bus on with its own dtoverlay in config.txt, such as "
        "dtoverlay=i2c6 for /dev/i2c-6 on a Pi 4; then start the Pi again."
    )


def test_a_forbidden_device_names_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_args: object, **_more: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", forbidden)
    with pytest.raises(NoBus) as caught:
        open_adapter("/dev/i2c-1")
    assert str(caught.value) == (
        "I2C bus (/dev/i2c-1) may not be opened by this user. "
        "Join the group that may: sudo usermod -aG i2c $USER, then log in again."
    )


def test_a_plain_file_is_no_bus_and_is_closed_again(tmp_path: Path) -> None:
    device = tmp_path / "file"
    device.write_bytes(b"")
    with pytest.raises(NoBus) as caught:
        open_adapter(str(device))
    assert str(caught.value) == (
        f"I2C bus ({device}) is not an I2C bus. Name a device such as /dev/i2c-1 in the settings."
    )
    gc.collect()  # an unclosed file would warn here, and warnings are errors


class Kernel:
    """fcntl.ioctl of an I2C device, working on the very structures and memory that it is given."""

    def __init__(self) -> None:
        self.short = 0
        self.requests: list[tuple[int, object]] = []
        self.seen: list[list[tuple[int, int, bytes]]] = []

    def __call__(self, file: Any, request: int, argument: Any) -> int:
        file.fileno()  # a closed file raises here, as in the real one
        self.requests.append((request, argument))
        if request == 0x0705:
            argument.value = MANGLING
        elif request == 0x0707:
            self._transfer([argument.msgs[at] for at in range(argument.nmsgs)])
            return int(argument.nmsgs) - self.short
        return 0

    def _transfer(self, messages: list[Any]) -> None:
        self.seen.append([(m.addr, m.flags, ctypes.string_at(m.buf, m.len)) for m in messages])
        for message in messages:
            if message.flags & I2C_M_RD:
                ctypes.memmove(message.buf, b"\x0a\xbc\xde"[: message.len], message.len)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    fake = Kernel()
    monkeypatch.setattr(fcntl, "ioctl", fake)
    return fake


def test_a_call_that_went_through_in_part_is_a_failure_though_the_kernel_says_nothing(
    kernel: Kernel, device: str
) -> None:
    with contextlib.closing(open_adapter(device)) as adapter:
        bus = LinuxBus(adapter)
        kernel.short = 1
        with pytest.raises(BusGlitch) as spoilt:
            bus.transfer(FULL)
        kernel.short = 2
        with pytest.raises(NoAnswer) as silent:
            bus.transfer(FULL)
    assert str(spoilt.value) == (
        f"chip 0x36 ({device}) had a transfer spoilt (1 of 2 messages went through). "
        "Try again; if it stays, look for a loose plug, a long lead or missing pull-ups."
    )
    assert str(silent.value) == (
        f"chip 0x36 ({device}) gave no answer (0 of 2 messages went through). "
        "Check its plug, then its power, then SDA and SCL."
    )


def test_a_short_batch_is_run_again_one_by_one(kernel: Kernel, device: str) -> None:
    with contextlib.closing(open_adapter(device)) as adapter:
        run = LinuxBus(adapter).prepare([SELECT, FULL])
        assert kinds(run()) == [b"", b"\x0a\xbc"]
        kernel.seen.clear()
        kernel.short = 1
        assert kinds(run()) == [NoAnswer, BusGlitch]
        assert [len(messages) for messages in kernel.seen] == [3, 1, 2]


@pytest.fixture
def device(tmp_path: Path) -> str:
    path = tmp_path / "i2c-1"
    path.write_bytes(b"")
    return str(path)


def test_the_kernel_reads_into_the_messages_own_buffers(kernel: Kernel, device: str) -> None:
    adapter = open_adapter(device)
    assert (adapter.name, adapter.functions()) == (device, MANGLING)
    pointer, answer = KernelMessage(0x36, 0, bytearray(b"\x0c")), KernelMessage(0x36, I2C_M_RD, bytearray(2))
    call = adapter.prepare([pointer, answer])
    gc.collect()  # the call alone must keep the kernel's structures alive
    for _ in range(2):
        answer.buffer[:] = b"\x00\x00"
        call()
        assert answer.buffer == b"\x0a\xbc"
    assert kernel.seen == [[(0x36, 0, b"\x0c"), (0x36, 1, b"\x00\x00")]] * 2
    adapter.close()


def test_the_bus_above_the_device(kernel: Kernel, device: str) -> None:
    adapter = open_adapter(device)
    bus = LinuxBus(adapter)
    assert bus.transfer(FULL) == b"\x0a\xbc"
    assert (0x0702, 2) in kernel.requests  # 20 ms in units of 10 ms
    adapter.close()


def test_time_outs_are_rounded_up_to_tens(kernel: Kernel, device: str) -> None:
    adapter = open_adapter(device)
    adapter.set_timeout_ms(41)
    assert kernel.requests[-1] == (0x0702, 5)
    with pytest.raises(ValueError, match="at least 1 ms, not 0 ms"):
        adapter.set_timeout_ms(0)
    adapter.close()


def test_the_other_program_is_named_if_the_machine_tells(kernel: Kernel, device: str, tmp_path: Path) -> None:
    first = open_adapter(device)
    status = Path(device).stat()
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    (tmp_path / "locks").write_text(
        f"1: POSIX  ADVISORY  READ 5 {place} 128 128\n2: FLOCK  ADVISORY  WRITE 708 {place} 0 EOF\n"
    )
    (tmp_path / "708").mkdir()
    (tmp_path / "708" / "comm").write_text("trapdial\n")
    with pytest.raises(NoBus, match=r"is in use by another program: trapdial \(process 708\)\. Stop the other one"):
        open_adapter(device, tmp_path)
    first.close()


def test_an_adapter_that_keeps_its_own_patience_is_used_all_the_same() -> None:
    class Stubborn(SimAdapter):
        def set_timeout_ms(self, timeout_ms: int) -> None:
            raise OSError(errno.EINVAL, "refused")

    clock = VirtualClock()
    assert not LinuxBus(Stubborn(Wire(clock), clock)).bounded
    assert LinuxBus(SimAdapter(Wire(clock), clock)).bounded


def test_two_programs_are_kept_apart_until_the_first_closes(kernel: Kernel, device: str, tmp_path: Path) -> None:
    first = open_adapter(device)
    assert not first.closed
    with pytest.raises(NoBus) as caught:
        open_adapter(device, tmp_path)
    assert str(caught.value) == (
        f"I2C bus ({device}) is in use by another program. "
        "Stop the other one first: two programs on one bus spoil each other's reads."
    )
    first.close()
    first.close()
    open_adapter(device).close()


def test_a_call_after_close_cannot_reach_another_file(kernel: Kernel, device: str) -> None:
    adapter = open_adapter(device)
    call = adapter.prepare([KernelMessage(0x36, I2C_M_RD, bytearray(2))])
    adapter.close()
    with open(device, "rb"), pytest.raises(ValueError, match="closed file"):
        call()
    assert kernel.seen == []


def test_smbus2_is_loaded_only_when_a_device_is_opened() -> None:
    tree = ast.parse(Path(bus_linux.__file__).read_text(encoding="utf-8"))
    at_import = [
        alias.name for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
    ] + [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert not [name for name in at_import if name and name.startswith("smbus2")]
