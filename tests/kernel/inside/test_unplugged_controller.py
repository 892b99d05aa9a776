"""A controller that is pulled out of its socket during a game, as a USB adapter is. It runs last: its device stays
gone, and the kernel reuses its number."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from hardware.bus import Read, Write
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.errors import HardwareError, NoAnswer, NoBus
from hardware.i2c_device import open_adapter
from tests.kernel.inside.host import Host, refuse_with, until

ANGLE = (Write(0x36, b"\x0c"), Read(0x36, 2))


def test_it_is_reported_and_no_old_angle_counts_as_a_new_one(host: Host) -> None:
    refuse_with(0)
    with contextlib.closing(open_adapter("/dev/i2c-3")) as adapter:
        bus = LinuxBus(adapter)
        As5600(bus).start()
        host("pull_adapter", "spare")

        def gone() -> bool:
            with contextlib.suppress(HardwareError):
                bus.transfer(ANGLE)
                return False
            return True

        until(gone, "a pulled controller is noticed")
        for _ in range(10):
            with pytest.raises(NoAnswer) as caught:
                bus.transfer(ANGLE)
            assert str(caught.value) == (
                "chip 0x36 (/dev/i2c-3) gave no answer (0 of 2 messages went through). "
                "Check its plug, then its power, then SDA and SCL."
            )

    until(lambda: not Path("/dev/i2c-3").exists(), "its device is taken away")
    with pytest.raises(NoBus, match=r"/dev/i2c-3\) is not there"):
        open_adapter("/dev/i2c-3")
