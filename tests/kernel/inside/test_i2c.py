"""Our bus over smbus2, i2c-dev and i2c-core, down to a real driver: errnos, limits, locks, speed."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hardware.adapter import I2C_FUNC_PROTOCOL_MANGLING, I2C_M_RD, KernelMessage
from hardware.bus import Read, Write
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, NoBus
from hardware.i2c_device import open_adapter
from tests.kernel.inside.host import Host, refuse_with

SELECT = (Write(0x70, b"\x01"),)
ANGLE = (Write(0x36, b"\x0c"), Read(0x36, 2))
NO_CHIP = (Write(0x37, b"\x0c"), Read(0x37, 2))
CHECK_THE_PLUG = "Check its plug, then its power, then SDA and SCL."


def refused(bus: LinuxBus) -> HardwareError:
    with pytest.raises(HardwareError) as caught:
        bus.transfer(NO_CHIP)
    return caught.value


def test_the_angle_arrives_through_the_kernel(dials: LinuxBus, host: Host) -> None:
    dials.transfer(SELECT)
    assert host("mux_register", "dials", 0x70) == 0x01
    seen = int.from_bytes(dials.transfer(ANGLE))
    assert abs(seen - host("counts", "T01")) < 8, "noise alone"


def test_no_mangling_is_announced_so_each_transaction_is_a_call(dials: LinuxBus, host: Host) -> None:
    with contextlib.closing(open_adapter("/dev/i2c-1")) as adapter:
        assert not adapter.functions() & I2C_FUNC_PROTOCOL_MANGLING
    assert not dials.batching
    before = host("calls", "dials")["transactions"]
    dials.prepare([SELECT, ANGLE, (Read(0x36, 2),)])()
    after = host("calls", "dials")
    assert after["transactions"] - before == 3
    assert after["messages"][-3:] == [1, 2, 1]


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (0, NoAnswer, f"gave no answer (0 of 2 messages went through). {CHECK_THE_PLUG}"),
        (121, NoAnswer, f"gave no answer (errno 121). {CHECK_THE_PLUG}"),
        (6, NoAnswer, f"gave no answer (errno 6). {CHECK_THE_PLUG}"),
        (
            5,
            BusGlitch,
            "had a corrupted transfer (errno 5). "
            "Try again; if it stays, look for a loose plug, a long lead or missing pull-ups.",
        ),
        (
            110,
            BusStuck,
            "never ended a transfer (errno 110). "
            "Unplug tile after tile until the bus comes back; a mux whose RESET pin is wired recovers automatically.",
        ),
    ],
)
def test_a_silent_chip_as_the_kernel_reports_it(
    dials: LinuxBus, number: int, kind: type[HardwareError], words: str
) -> None:
    refuse_with(number)
    error = refused(dials)
    assert type(error) is kind
    assert str(error) == f"chip 0x37 (/dev/i2c-0) {words}"


def test_the_driver_itself_reports_no_error_for_a_silent_chip_and_leaves_old_bytes() -> None:
    refuse_with(0)
    with contextlib.closing(open_adapter("/dev/i2c-0")) as adapter:
        answer = KernelMessage(0x37, I2C_M_RD, bytearray(b"\x12\x34"))
        call = adapter.prepare([KernelMessage(0x37, 0, bytearray(b"\x0c")), answer])
        assert call() == 0
        assert bytes(answer.buffer) == b"\x12\x34"


def test_limits_of_i2c_dev() -> None:
    def number_of(*messages: KernelMessage) -> int | None:
        with contextlib.closing(open_adapter("/dev/i2c-0")) as adapter, pytest.raises(OSError) as caught:  # noqa: PT011
            adapter.prepare(messages)()
        return caught.value.errno

    byte = KernelMessage(0x70, 0, bytearray(b"\x00"))
    assert number_of(*[byte] * 43) == errno.EINVAL
    assert number_of(KernelMessage(0x70, 0, bytearray(8193))) == errno.EINVAL
    with contextlib.closing(open_adapter("/dev/i2c-0")) as adapter:
        assert adapter.prepare([byte] * 42)() == 42


def test_two_programs_on_one_bus_are_kept_apart() -> None:
    words = (
        "import sys\nfrom hardware.i2c_device import open_adapter\nfrom hardware.errors import NoBus\n"
        "try:\n    open_adapter('/dev/i2c-0')\nexcept NoBus as error:\n    print(error)\nelse:\n    print('free')\n"
    )

    def other() -> str:
        return subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout.strip()

    with contextlib.closing(open_adapter("/dev/i2c-0")):
        us = Path("/proc/self/comm").read_text(encoding="ascii").strip()
        assert other() == (
            f"I2C bus (/dev/i2c-0) is in use by another program: {us} (process {os.getpid()}). "
            "Stop the other one first: two programs on one bus corrupt each other's reads."
        )
    assert other() == "free"


def test_a_missing_bus_and_a_device_that_is_no_bus() -> None:
    with pytest.raises(NoBus, match=r"/dev/i2c-77\) is not there"):
        open_adapter("/dev/i2c-77")
    with pytest.raises(NoBus) as caught:
        open_adapter("/dev/gpiochip0")
    assert "/dev/gpiochip0" in str(caught.value)


@pytest.mark.parametrize("number", [0, 121, 6])
def test_a_tile_is_pulled_and_put_back(dials: LinuxBus, host: Host, number: int) -> None:
    refuse_with(number)
    chip = As5600(Tca9548a(dials, 0x70).channel(0))
    chip.start()
    host("strike", "T01", "unplugged")
    with pytest.raises(NoAnswer, match=r"gave no answer"):
        chip.start()
    host("mend", "T01", "unplugged")
    time.sleep(0.02)
    chip.start()


def test_a_held_line_is_freed_by_the_reset_pin(dials: LinuxBus, host: Host) -> None:
    from hardware.panel import ResetLine, real_pins

    refuse_with(110)
    dials.transfer(SELECT)
    host("strike", "T01", "stuck-low")
    with pytest.raises(BusStuck):
        dials.transfer((Read(0x70, 1),))
    with contextlib.closing(real_pins()) as pins, contextlib.closing(ResetLine(pins, 17)) as line:
        line.pulse()
        assert dials.transfer((Read(0x70, 1),)) == b"\x00"
    assert [level for _, level in host("edges_of", 17)][-2:] == [0, 1]
    host("mend", "T01", "stuck-low")


def test_reads_per_second(dials: LinuxBus, host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    dials.transfer(SELECT)
    dials.transfer((Write(0x36, b"\x0c"),))
    run = dials.prepare([(Read(0x36, 2),)] * 1000)
    figures = []
    for charging in (False, True):
        host("charge", charging)
        began = time.perf_counter()
        outcomes = run()
        figures.append(1000 / (time.perf_counter() - began))
        assert {type(outcome) for outcome in outcomes} == {bytes}
    with capsys.disabled():
        print(f"\nreads of 2 bytes per second: {figures[0]:.0f} on a timeless wire, {figures[1]:.0f} at 400 kHz")
