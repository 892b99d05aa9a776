from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.sims.ssd1306 import Ssd1306Twin
from hardware.sims.wire import TwinError
from tests.hardware.sims.rig import Rig

UPRIGHT = (0x8D, 0x14, 0xA1, 0xC8, 0x20, 0x00, 0xAF)
WHOLE = (0x21, 0, 127, 0x22, 0, 7)
DARK = bytes(1024)


class Fixture:
    """A screen alone on a wire; `commands` and `data` are one transaction each."""

    def __init__(self, *start: int) -> None:
        self.rig = Rig()
        self.chip = Ssd1306Twin()
        self.rig.wire.trunk.hang(self.chip)
        if start:
            self.commands(*start)

    def commands(self, *commands: int) -> None:
        self.rig.write(0x3C, 0x00, *commands)

    def data(self, data: bytes) -> None:
        self.rig.write(0x3C, 0x40, *data)


def shown() -> Fixture:
    f = Fixture(*UPRIGHT, *WHOLE)
    f.data(DARK)
    return f


def test_after_power_up_it_is_dark_and_its_memory_is_snow() -> None:
    chip = Fixture().chip
    assert (chip.on, chip.lit, chip.contrast) == (False, False, 0x7F)
    assert chip.pixels() == DARK
    assert 3000 < int.from_bytes(chip.ram, "big").bit_count() < 5200


def test_switched_on_uncleared_it_shows_the_snow() -> None:
    assert Fixture(*UPRIGHT).chip.lit_pixels() > 3000


def test_without_the_charge_pump_it_stays_dark() -> None:
    f = Fixture(0xAF)
    assert (f.chip.on, f.chip.lit) == (True, False)
    assert f.chip.pixels() == DARK
    f.commands(0x8D, 0x14)
    assert f.chip.lit
    f.commands(0x8D, 0x10)
    assert not f.chip.lit


def test_a_whole_frame_in_horizontal_mode() -> None:
    f = Fixture(*UPRIGHT, *WHOLE)
    frame = bytes(n * 7 & 0xFF for n in range(1024))
    f.data(frame)
    assert f.chip.pixels() == frame
    f.data(b"\x5a")
    assert f.chip.pixels() == b"\x5a" + frame[1:], "after the last byte the window begins again"


def test_a_window_takes_its_bytes_row_by_row_and_wraps_inside_itself() -> None:
    f = shown()
    f.commands(0x21, 10, 12, 0x22, 3, 4)
    f.data(bytes([1, 2, 3, 4, 5, 6, 7]))
    pixels = f.chip.pixels()
    assert pixels[3 * 128 + 10 : 3 * 128 + 13] == bytes([7, 2, 3])
    assert pixels[4 * 128 + 10 : 4 * 128 + 13] == bytes([4, 5, 6])
    assert sum(pixels) == 27


def test_vertical_mode_goes_down_first() -> None:
    f = shown()
    f.commands(0x20, 0x01, 0x21, 10, 11, 0x22, 3, 4)
    f.data(bytes([1, 2, 3, 4, 5]))
    pixels = f.chip.pixels()
    assert [pixels[page * 128 + x] for x, page in ((10, 3), (10, 4), (11, 3), (11, 4))] == [5, 2, 3, 4]


def test_page_mode_is_the_one_after_power_up_and_never_leaves_its_page() -> None:
    f = Fixture(0x8D, 0x14, 0xA1, 0xC8, 0xAF, 0x20, 0x00, *WHOLE)
    f.data(DARK)
    f.commands(0x20, 0x02, 0xB5, 0x0E, 0x17)  # page 5, column 0x7E
    f.data(bytes([1, 2, 3]))
    pixels = f.chip.pixels()
    assert pixels[5 * 128 + 126 : 5 * 128 + 128] == b"\x01\x02"
    assert pixels[5 * 128] == 3
    assert sum(pixels) == 6


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=60), st.data())
def test_any_chopping_into_transactions_paints_the_same(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.sets(st.integers(1, len(data)), max_size=5)))
    f = shown()
    for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True):
        f.data(data[a:b])
    assert f.chip.pixels() == data + bytes(1024 - len(data))


@settings(deadline=None)
@given(st.sets(st.integers(1, len(UPRIGHT + WHOLE) - 1)))
def test_commands_may_be_cut_anywhere_by_a_stop(cuts: set[int]) -> None:
    commands = UPRIGHT + WHOLE
    places = [0, *sorted(cuts), len(commands)]
    f = Fixture()
    for a, b in itertools.pairwise(places):
        f.commands(*commands[a:b])
    f.data(b"\x81" * 1024)
    assert f.chip.pixels() == b"\x81" * 1024


def test_control_bytes_may_announce_single_bytes() -> None:
    f = shown()
    f.rig.write(0x3C, 0x80, 0x81, 0x80, 0x20, 0xC0, 0xAA, 0xC0, 0x55, 0x80, 0xA6, 0x40, 0x11, 0x22)
    assert f.chip.contrast == 0x20
    assert f.chip.pixels()[:5] == b"\xaa\x55\x11\x22\x00"


def test_contrast_off_all_on_and_inverse() -> None:
    f = shown()
    f.commands(0x81, 0x20)
    assert f.chip.contrast == 0x20
    f.commands(0xA7)
    assert f.chip.lit_pixels() == 8192
    f.commands(0xA6)
    assert f.chip.lit_pixels() == 0
    f.commands(0xA5)
    assert f.chip.lit_pixels() == 8192
    f.commands(0xAE)
    assert f.chip.pixels() == DARK
    f.commands(0xA4, 0xAF)
    assert f.chip.pixels() == DARK


def test_segment_remap_changes_only_what_is_written_after_it() -> None:
    f = shown()
    f.data(b"\x01")
    f.commands(0xA0, *WHOLE)
    f.data(b"\x02")
    pixels = f.chip.pixels()
    assert (pixels[0], pixels[127]) == (0x01, 0x02)


def test_com_scan_turns_the_picture_upside_down_at_once() -> None:
    f = shown()
    f.data(b"\x01")
    f.commands(0xC0)
    assert f.chip.pixels()[7 * 128] == 0x80
    assert f.chip.lit_pixels() == 1


def test_start_line_moves_the_rows() -> None:
    f = shown()
    f.data(b"\x01\x80")
    f.commands(0x41)
    pixels = f.chip.pixels()
    assert (pixels[7 * 128], pixels[1]) == (0x80, 0x40)


def test_the_status_byte_says_whether_the_display_is_off() -> None:
    f = Fixture()
    assert f.rig.read(0x3C, 1) == b"\x43"
    f.commands(0xAF)
    assert f.rig.read(0x3C, 1) == b"\x03"


def test_without_power_it_is_silent_and_dark_and_forgets() -> None:
    f = shown()
    f.commands(0x81, 0x20, 0xA5)
    f.chip.unplug()
    assert f.chip.pixels() == DARK
    with pytest.raises(OSError, match="Remote I/O"):
        f.commands(0xAF)
    f.chip.plug_in()
    assert (f.chip.on, f.chip.contrast) == (False, 0x7F)


@pytest.mark.parametrize(
    ("bytes_sent", "words"),
    [
        ((0x01, 0xAF), "SSD1306: 0x01 is no control byte (its low six bits are 0)"),
        ((0x00, 0x2F), "SSD1306: command 0x2F is not in the datasheet, or not in the twin"),
        ((0x00, 0xA8, 0x1F), "SSD1306: the twin's glass has 64 rows, not 32"),
        ((0x00, 0x20, 0x03), "SSD1306: memory addressing mode 3 is not a valid one"),
        ((0x00, 0x21, 9, 8), "SSD1306: a window cannot go from 9 to 8"),
    ],
)
def test_what_the_twin_cannot_answer_raises(bytes_sent: tuple[int, ...], words: str) -> None:
    with pytest.raises(TwinError) as caught:
        Fixture().rig.write(0x3C, *bytes_sent)
    assert str(caught.value) == words


def test_only_two_addresses() -> None:
    assert Ssd1306Twin(0x3D).address == 0x3D
    with pytest.raises(ValueError, match=r"^an SSD1306 has the address 0x3C or 0x3D, not 0x3E$"):
        Ssd1306Twin(0x3E)


def test_a_page_costs_1172_bits() -> None:
    f = shown()
    before = f.rig.wire.bits
    f.data(bytes(128))
    assert f.rig.wire.bits - before == 1 + 9 * 130 + 1
