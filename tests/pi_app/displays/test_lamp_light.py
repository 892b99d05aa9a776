"""S-6 measured at the pins: with any kind of lamp every word makes the same glow."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from hardware.sims.clock import VirtualClock
from hardware.sims.pins import SimPins
from pi_app.displays.lamp import PAUSE_MS, ROUND_MS
from pi_app.displays.seat import SeatDisplay, code_word
from pi_app.play.wires import seat_lamp
from pi_app.report.lamp_code import CodeWord
from pi_app.report.pictures import Dark, Say, SeatPicture, ShowFace
from pi_app.settings import load as st
from pi_app.settings.model import LampSettings, LedColour, SeatSettings

MS = 1_000_000
STEP_NS = 50 * MS

COLOURED = [
    LampSettings(red_gpio=5, green_gpio=6, blue_gpio=13, colour=colour, common=common)
    for colour in get_args(LedColour)
    for common in ("cathode", "anode")
]


def seat(lamp: LampSettings | None) -> SeatSettings:
    made = st.load(st.example_path("2x2")).seats["ANN"]
    return msgspec.structs.replace(made, lamp=lamp, lamp_gpio=20 if lamp is None else None)


def picture(word: CodeWord) -> SeatPicture:
    if word is CodeWord.LOOK_AGAIN:
        return Say(lines=("Look again",), again=True)
    trap = None if word is CodeWord.CLEAR else word.value
    kind = "clear" if trap is None else "trap"
    return ShowFace("T01", kind, trap, 3, None, None, None, None, "", sample=False, simulated=False)  # type: ignore[arg-type]


def glow(word: CodeWord, settings: SeatSettings, held_ms: int) -> dict[int, int]:
    """How long each pin of the lamp shone, in ns, when the button was held for so long."""
    clock = VirtualClock()
    pins = SimPins(clock)
    lamp = seat_lamp(pins.factory, settings)
    assert lamp is not None
    display = SeatDisplay(str, lambda picture, words: b"", lamp=lamp)
    shines_at = 0 if settings.lamp is not None and settings.lamp.common == "anode" else 1
    gpios = settings.gpios[1:]
    shone = dict.fromkeys(gpios, 0)
    assert code_word(picture(word)) is word
    display.show(picture(word), clock.now_ns())
    while clock.now_ns() < 3 * ROUND_MS * MS:
        if clock.now_ns() == held_ms * MS:
            display.show(Dark(), clock.now_ns())
        display.tick(clock.now_ns())
        for gpio in gpios:
            shone[gpio] += STEP_NS * (pins.level(gpio) == shines_at)
        clock.advance(STEP_NS)
    lamp.close()
    pins.close()
    return shone


@pytest.mark.slow
@pytest.mark.parametrize("lamp", [None, COLOURED[0], COLOURED[3], COLOURED[8]])
@pytest.mark.parametrize("held_ms", [100, ROUND_MS - PAUSE_MS, 2 * ROUND_MS + 700])
def test_s_6_every_word_glows_alike_on_every_pin(lamp: LampSettings | None, held_ms: int) -> None:
    settings = seat(lamp)
    words = [glow(word, settings, held_ms) for word in CodeWord]
    assert all(word == words[0] for word in words)
    assert sum(words[0].values()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("lamp", COLOURED)
def test_s_6_a_lamp_of_three_colours_shines_in_its_one_colour_whatever_it_says(lamp: LampSettings) -> None:
    settings = seat(lamp)
    lit = [
        {gpio for gpio, shone in glow(word, settings, 100).items() if shone} for word in (CodeWord.CAGE, CodeWord.CLEAR)
    ]
    assert lit[0] == lit[1] != set()
    alone = glow(CodeWord.CAGE, seat(None), 100)[20]
    assert set(glow(CodeWord.CAGE, settings, 100).values()) - {0} == {alone}, "as long as a lamp of one colour"


def test_the_colour_in_the_settings_must_be_one_of_the_lamps(tmp_path: Path) -> None:
    from hardware.panel import COLOURS

    assert set(get_args(LedColour)) == set(COLOURS)
