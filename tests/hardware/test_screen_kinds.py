"""The screens' commands, compared with luma.oled's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import luma.oled.const
import luma.oled.device
import pytest

from hardware.chips.ssd1306 import COLUMNS, PAGES
from hardware.screen_kinds import COMMANDS, CONTRAST, OFF, ON, PIXELS, SCREENS


@dataclass
class Recorder:
    """A serial interface for luma that keeps every payload with its control byte."""

    sent: list[bytes] = field(default_factory=list)

    def command(self, *commands: int) -> None:
        self.sent.append(COMMANDS + bytes(commands))

    def data(self, values: list[int]) -> None:
        self.sent.append(PIXELS + bytes(values))


def device(chip: str, recorder: Recorder) -> Any:
    """luma's driver, without the clearing of the display RAM that follows its wake-up."""
    quiet: Any = type(chip, (getattr(luma.oled.device, chip),), {"clear": lambda self: None})
    made = quiet(recorder)
    made.persist = True  # luma's exit hook would send more
    return made


@pytest.mark.parametrize("chip", ["ssd1306", "sh1106"])
def test_every_payload_is_the_one_that_luma_sends(chip: str) -> None:
    recorder = Recorder()
    made = device(chip, recorder)
    assert recorder.sent == [*SCREENS[chip].wake, ON]
    recorder.sent.clear()
    made.hide()
    made.contrast(7)
    assert recorder.sent == [OFF, CONTRAST + b"\x07"]


def test_a_window_is_set_by_the_commands_that_luma_names() -> None:
    names = luma.oled.const.ssd1306
    assert (COLUMNS, PAGES) == (names.COLUMNADDR, names.PAGEADDR)
