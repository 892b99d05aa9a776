from __future__ import annotations

import pytest

from hardware.sims.sh1106 import Sh1106Twin
from hardware.sims.wire import TwinError
from tests.hardware.sims.rig import Rig

UPRIGHT = (0xA1, 0xC8, 0xAF)


class Fixture:
    """A screen alone on a wire; `commands` and `data` are one transaction each."""

    def __init__(self, *start: int) -> None:
        self.rig = Rig()
        self.chip = Sh1106Twin(0x3D)
        self.rig.wire.trunk.hang(self.chip)
        if start:
            self.commands(*start)

    def commands(self, *commands: int) -> None:
        self.rig.write(0x3D, 0x00, *commands)

    def data(self, data: bytes) -> None:
        self.rig.write(0x3D, 0x40, *data)

    def page(self, page: int, data: bytes, column: int = 2) -> None:
        self.commands(0xB0 | page, column & 0x0F, 0x10 | column >> 4)
        self.data(data)


def cleared() -> Fixture:
    f = Fixture(*UPRIGHT)
    for page in range(8):
        f.page(page, bytes(132), column=0)
    return f


def test_it_lights_without_a_charge_pump_command_and_shows_snow() -> None:
    f = Fixture(*UPRIGHT)
    assert f.chip.lit
    assert f.chip.lit_pixels() > 3000
    f.commands(0xAD, 0x8A)
    assert not f.chip.lit
    assert f.chip.pixels() == bytes(1024)


def test_the_glass_shows_columns_2_to_129() -> None:
    f = cleared()
    f.page(0, bytes([9, 9, 1, 2]), column=0)
    f.page(7, bytes([3, 4, 9, 9]), column=128)
    pixels = f.chip.pixels()
    assert pixels[:2] == b"\x01\x02"
    assert pixels[7 * 128 + 126 :] == b"\x03\x04"
    assert sum(pixels) == 10


def test_eight_pages_make_a_frame() -> None:
    f = cleared()
    frame = bytes(n * 11 & 0xFF for n in range(1024))
    for page in range(8):
        f.page(page, frame[page * 128 : page * 128 + 128])
    assert f.chip.pixels() == frame


def test_a_picture_made_for_an_ssd1306_comes_out_two_columns_off() -> None:
    f = cleared()
    f.page(0, b"\x01\x02\x03", column=0)
    assert f.chip.pixels()[:3] == b"\x03\x00\x00"


def test_the_column_stays_at_the_end_and_the_page_never_moves() -> None:
    f = cleared()
    f.page(3, bytes(range(1, 8)), column=128)
    assert f.chip.ram[3 * 132 + 128 : 4 * 132] == bytes([1, 2, 3, 7])
    assert f.chip.ram[4 * 132] == 0


def test_the_windows_of_an_ssd1306_are_unknown_commands() -> None:
    with pytest.raises(TwinError) as caught:
        Fixture(0x21, 0, 127)
    assert str(caught.value) == "SH1106: command 0x21 is not in the datasheet, or not in the twin"


def test_memory_mode_and_charge_pump_do_nothing() -> None:
    f = cleared()
    f.page(2, b"\x01")
    f.commands(0x20, 0x10, 0x8D, 0x14)
    f.page(2, b"\x02", column=3)
    assert f.chip.pixels()[2 * 128 : 2 * 128 + 3] == b"\x01\x02\x00"


def test_unremapped_it_is_mirrored_and_upside_down() -> None:
    f = cleared()
    f.page(0, b"\x01")
    f.commands(0xA0, 0xC0)
    pixels = f.chip.pixels()
    assert pixels[7 * 128 + 127] == 0x80
    assert f.chip.lit_pixels() == 1


def test_the_converter_takes_two_values_only() -> None:
    with pytest.raises(TwinError, match=r"^SH1106: 0xAD takes 0x8A or 0x8B, not 0x14$"):
        Fixture(0xAD, 0x14)


def test_the_status_byte_differs_from_an_ssd1306() -> None:
    f = Fixture()
    assert f.rig.read(0x3D, 1) == b"\x48"
