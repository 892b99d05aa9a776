"""The kernel's I2C device, with an ioctl that is simulated."""

from __future__ import annotations

import ast
import contextlib
import ctypes
import errno
import fcntl
import gc
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hardware import i2c_device
from hardware.adapter import I2C_M_RD, KernelMessage
from hardware.bus import Outcome, Read, Transaction, Write
from hardware.bus_linux import LinuxBus
from hardware.errors import BusGlitch, HardwareError, NoAnswer, NoBus
from hardware.i2c_device import open_adapter

MANGLING = 0x0EFF0005
SELECT: Transaction = (Write(0x70, b"\x08"),)
FULL: Transaction = (Write(0x36, b"\x0c"), Read(0x36, 2))


def kinds(outcomes: Sequence[Outcome]) -> list[object]:
    return [type(o) if isinstance(o, HardwareError) else o for o in outcomes]


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
        "I2C bus (/dev/i2c-1) cannot be opened: permission denied. "
        "Join the group i2c: sudo usermod -aG i2c $USER, then log in again."
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
    """fcntl.ioctl of an I2C device, working on the real structures and memory of the call."""

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


def test_a_partly_done_call_is_a_failure_without_a_kernel_error(kernel: Kernel, device: str) -> None:
    with contextlib.closing(open_adapter(device)) as adapter:
        bus = LinuxBus(adapter)
        kernel.short = 1
        with pytest.raises(BusGlitch) as corrupted:
            bus.transfer(FULL)
        kernel.short = 2
        with pytest.raises(NoAnswer) as silent:
            bus.transfer(FULL)
    assert str(corrupted.value) == (
        f"chip 0x36 ({device}) had a corrupted transfer (1 of 2 messages went through). "
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


def test_the_other_program_is_named_if_it_is_known(kernel: Kernel, device: str, tmp_path: Path) -> None:
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


def test_two_programs_are_kept_apart_until_the_first_closes(kernel: Kernel, device: str, tmp_path: Path) -> None:
    first = open_adapter(device)
    assert not first.closed
    with pytest.raises(NoBus) as caught:
        open_adapter(device, tmp_path)
    assert str(caught.value) == (
        f"I2C bus ({device}) is in use by another program. "
        "Stop the other one first: two programs on one bus corrupt each other's reads."
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
    tree = ast.parse(Path(i2c_device.__file__).read_text(encoding="utf-8"))
    at_import = [
        alias.name for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
    ] + [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert not [name for name in at_import if name and name.startswith("smbus2")]
