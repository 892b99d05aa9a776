"""The kernel's own mux driver (i2c-mux-pca954x): each channel is a bus of its own, and our drivers run on it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.bus import Read, Write
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.errors import NoAnswer
from hardware.i2c_device import open_adapter
from hardware.kernel_mux import I2cTree, KernelMux, number_of
from tests.kernel.inside.host import Host

PARENT = Path("/sys/bus/i2c/devices/i2c-2")
MUX = Path("/sys/bus/i2c/devices/2-0071")
ANGLE = (Write(0x36, b"\x0c"), Read(0x36, 2))


@pytest.fixture(scope="module")
def channels() -> Iterator[list[str]]:
    """The devices of the eight channels, as the kernel numbers them."""
    (PARENT / "new_device").write_text("pca9548 0x71\n", encoding="ascii")
    yield [f"/dev/{(MUX / f'channel-{n}').resolve().name}" for n in range(8)]
    (PARENT / "delete_device").write_text("0x71\n", encoding="ascii")


def test_each_channel_is_a_bus_of_its_own(channels: list[str], host: Host) -> None:
    assert channels == [f"/dev/i2c-{n}" for n in range(5, 13)]
    for channel, square in ((0, "T03"), (7, "T04")):
        with contextlib.closing(open_adapter(channels[channel])) as adapter:
            bus = LinuxBus(adapter)
            As5600(bus).start()
            assert abs(int.from_bytes(bus.transfer(ANGLE)) - host("counts", square)) < 8
        assert host("mux_register", "kernels", 0x71) == 1 << channel


def test_our_reading_of_sysfs_is_the_kernels(channels: list[str]) -> None:
    tree, mux = I2cTree(), KernelMux(2, 0x71)
    assert tree.on(2) == [mux]
    assert tree.channels(mux) == channels
    last = number_of(channels[7])
    assert (tree.above(last), tree.root(last)) == ([mux], 2)
    assert (tree.on(0), tree.above(0), tree.root(0)) == ([], [], 0)
    idle = MUX / "idle_state"
    before = idle.read_text(encoding="ascii")
    assert not tree.closes_when_idle(mux)
    idle.write_text("-2\n", encoding="ascii")
    assert tree.closes_when_idle(mux)
    idle.write_text(before, encoding="ascii")


def test_a_channel_without_a_tile_is_silent_and_names_its_own_bus(channels: list[str]) -> None:
    with contextlib.closing(open_adapter(channels[3])) as adapter, pytest.raises(NoAnswer) as caught:
        LinuxBus(adapter).transfer(ANGLE)
    assert str(caught.value) == (
        "chip 0x36 (/dev/i2c-8) gave no answer (errno 121). Check its plug, then its power, then SDA and SCL."
    )


def test_the_kernel_lets_any_program_write_past_its_mux_driver(channels: list[str], host: Host) -> None:
    """I2C_RDWR does not check who owns an address (I2C_SLAVE would return EBUSY), and the driver trusts its last write.
    So the kernel does not keep its mux and ours apart: a program that uses both reads the wrong tile."""
    time.sleep(host("turn", "T04", 4, 30.0) + 0.1)
    with (
        contextlib.closing(open_adapter(channels[0])) as first,
        contextlib.closing(open_adapter("/dev/i2c-2")) as trunk,
    ):
        bus = LinuxBus(first)
        bus.transfer(ANGLE)
        LinuxBus(trunk).transfer((Write(0x71, b"\x80"),))
        read = int.from_bytes(bus.transfer(ANGLE))
    assert abs(read - host("counts", "T04")) < 8, "channel 0 gives the tile of channel 7"
    assert abs(read - host("counts", "T03")) > 100
