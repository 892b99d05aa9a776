"""The kernel's bit-banged controller (i2c-gpio over i2c-algo-bit): only this one honours I2C_M_STOP, so one call can
hold many transactions, each with a real STOP on the lines."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.adapter import I2C_FUNC_PROTOCOL_MANGLING
from hardware.bus import Read, Write
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.errors import NoAnswer
from hardware.i2c_device import open_adapter
from tests.kernel.inside.host import Host

DEVICE = "/dev/i2c-4"
TO_T06, TO_T07 = (Write(0x72, b"\x04"),), (Write(0x72, b"\x08"),)
ANGLE = (Write(0x36, b"\x0c"), Read(0x36, 2))
NO_CHIP = (Write(0x37, b"\x0c"), Read(0x37, 2))


@pytest.fixture
def banged() -> Iterator[LinuxBus]:
    with contextlib.closing(open_adapter(DEVICE)) as adapter:
        assert adapter.functions() & I2C_FUNC_PROTOCOL_MANGLING
        yield LinuxBus(adapter, timeout_ms=200)


def test_the_kernel_names_it_correctly() -> None:
    assert Path("/sys/bus/i2c/devices/i2c-4/name").read_text(encoding="ascii").startswith("i2c-gpio")


def test_many_dials_in_one_call_with_a_stop_after_each(banged: LinuxBus, host: Host) -> None:
    time.sleep(host("turn", "T07", 3, 30.0) + 0.1)
    assert banged.batching
    run = banged.prepare([TO_T06, ANGLE, TO_T07, ANGLE])
    run()
    before = host("banged_stops")
    _, first, _, second = run()
    assert host("banged_stops") - before == 4
    assert isinstance(first, bytes)
    assert isinstance(second, bytes)
    assert abs(int.from_bytes(first) - host("counts", "T06")) < 8
    assert abs(int.from_bytes(second) - host("counts", "T07")) < 8
    assert abs(int.from_bytes(first) - int.from_bytes(second)) > 100, "the mux switched in the middle of the call"


def test_a_silent_chip_in_a_batch_leaves_the_others_alone(banged: LinuxBus, host: Host) -> None:
    outcomes = banged.prepare([TO_T06, ANGLE, NO_CHIP, TO_T07, ANGLE])()
    assert [type(outcome) for outcome in outcomes] == [bytes, bytes, NoAnswer, bytes, bytes]
    assert str(outcomes[2]) == (
        f"chip 0x37 ({DEVICE}) gave no answer (errno 6). Check its plug, then its power, then SDA and SCL."
    )
    assert banged.batching, "a silent chip says nothing about the form of a call"


def test_our_drivers_run_on_it(banged: LinuxBus) -> None:
    mux = Tca9548a(banged, 0x72)
    for channel in (2, 3):
        As5600(mux.channel(channel)).start()
