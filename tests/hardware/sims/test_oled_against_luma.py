"""A third reading of the screens' datasheets: luma.oled's own drivers must paint the twins correctly."""

from __future__ import annotations

import random
from typing import Any

import pytest
from luma.oled.device import sh1106, ssd1306
from PIL import Image

from hardware.sims.oled import OledTwin
from hardware.sims.sh1106 import Sh1106Twin
from hardware.sims.ssd1306 import Ssd1306Twin
from tests.hardware.luma_pixels import luma_pixels as luma_pixels
from tests.hardware.sims.rig import Rig


class LumaOnARig:
    """luma's serial interface, one transaction per call."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig

    def command(self, *commands: int) -> None:
        self.rig.write(0x3C, 0x00, *commands)

    def data(self, data: list[int]) -> None:
        self.rig.write(0x3C, 0x40, *data)

    def cleanup(self) -> None:
        self.rig.adapter.close()


def page_format(image: Any) -> bytes:
    return bytes(
        sum(bool(image.getpixel((x, page * 8 + bit))) << bit for bit in range(8))
        for page in range(8)
        for x in range(128)
    )


@pytest.mark.parametrize(("twin", "driver", "bits"), [(Ssd1306Twin, ssd1306, 9310), (Sh1106Twin, sh1106, 9752)])
@pytest.mark.usefixtures("luma_pixels")
def test_luma_paints_the_twin_correctly(twin: type[OledTwin], driver: Any, bits: int) -> None:
    rig = Rig()
    chip = twin()
    rig.wire.trunk.hang(chip)
    device = driver(LumaOnARig(rig))
    assert chip.lit
    assert chip.pixels() == bytes(1024)
    image = Image.frombytes("1", (128, 64), random.Random(4).randbytes(1024))
    before = rig.wire.bits
    device.display(image)
    assert chip.pixels() == page_format(image)
    assert rig.wire.bits - before == bits
    device.contrast(0x30)
    assert chip.contrast == 0x30
    device.hide()
    assert not chip.lit
