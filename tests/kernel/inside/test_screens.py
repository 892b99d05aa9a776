"""Screens through the kernel: luma alone over smbus2, and our own slices; the checks read the twin's pixels."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from hardware.bus_linux import LinuxBus
from hardware.clock import MachineClock
from hardware.i2c_device import open_adapter
from hardware.screens import FRAME_BYTES, Screen
from tests.hardware.luma_pixels import luma_pixels as luma_pixels
from tests.kernel.inside.host import Host

SCREENS: tuple[tuple[str, str, int], ...] = (("ANN", "ssd1306", 0x3C), ("BEN", "sh1106", 0x3D))


@pytest.mark.usefixtures("luma_pixels")
@pytest.mark.parametrize(("seat", "chip", "address"), SCREENS)
def test_luma_draws_what_the_twin_shows(host: Host, seat: str, chip: str, address: int) -> None:
    import luma.oled.device
    from luma.core.interface.serial import i2c
    from luma.core.render import canvas

    device: Any = getattr(luma.oled.device, chip)(i2c(port=1, address=address))
    try:
        with canvas(device) as draw:
            draw.rectangle((8, 16, 23, 31), fill="white")
        seen = host("screen", seat)
        assert seen["lit"]
        assert seen["lit_pixels"] == 16 * 16
        pixels = bytes.fromhex(seen["pixels"])
        assert pixels[2 * 128 + 8 : 2 * 128 + 24] == b"\xff" * 16
    finally:
        device.cleanup()
    assert not host("screen", seat)["lit"]


@pytest.mark.parametrize(("seat", "chip", "address"), SCREENS)
def test_our_slices_draw_a_whole_frame(host: Host, seat: str, chip: str, address: int) -> None:
    frame = bytes(n * 7 % 256 for n in range(FRAME_BYTES))
    with contextlib.closing(open_adapter("/dev/i2c-1")) as adapter:
        screen = Screen(LinuxBus(adapter), chip, address, clock=MachineClock(), speed_hz=400_000)
        screen.show(frame, whole=True)
        while screen.waiting():
            screen.send_slice()
        assert bytes.fromhex(host("screen", seat)["pixels"]) == frame
        screen.dark()
        while screen.waiting():
            screen.send_slice()
    assert not host("screen", seat)["lit"]
