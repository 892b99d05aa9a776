"""The code for a phone on a seat's screen: a camera reads it, people read the address, and its light never differs."""

from __future__ import annotations

import os
from io import BytesIO

import pytest
import zxingcpp
from PIL import Image

from pi_app.displays import letters
from pi_app.displays.canvas import WIDTH
from pi_app.displays.code import code_canvas
from pi_app.displays.describe import describe
from pi_app.displays.frame import CODE_LIT_PIXELS, CannotDraw
from pi_app.displays.picture import draw, png
from pi_app.displays.seat import code_word
from pi_app.displays.shift import STEP_NS, placed
from pi_app.pages.address import code_text
from pi_app.pages.qr import modules
from pi_app.report.pictures import ShowCode
from pi_app.report.seat_screen import seat_code
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.everyday import first
from tests.pi_app.displays.frames import lit

HOSTS = ("10.77.0.1", "192.168.178.255", "255.255.255.255:65535")


def code(host: str, secret: bytes, language: str = "en") -> ShowCode:
    link = f"HTTP://{host}/#{code_text(secret)}"
    return seat_code(link, host, modules(link, "L"), words(language))


def scanned(frame: bytes) -> list[str]:
    """What a camera reads off the lit pixels of a screen, which is black where no pixel is lit."""
    picture = Image.open(BytesIO(png(frame))).convert("L")
    around = Image.new("L", (WIDTH + 40, 104))
    around.paste(picture, (20, 20))
    return [found.text for found in zxingcpp.read_barcodes(around.resize((4 * around.width, 4 * around.height)))]


@pytest.mark.parametrize("host", first(1, HOSTS))
def test_a_camera_reads_the_code_off_the_screen(host: str) -> None:
    for _ in range(20):
        shown = code(host, os.urandom(16))
        assert scanned(draw(shown, str)) == [shown.link]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("host", HOSTS)
def test_every_code_shines_alike_and_its_words_are_whole(
    language: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    shown = code(host, os.urandom(16), language)
    assert lit(draw(shown, words(language))) == CODE_LIT_PIXELS
    text = "pi_app.displays.canvas.PixelCanvas.text"
    monkeypatch.setattr(text, lambda canvas, x, y, line: drawn.append(line))
    code_canvas(shown)
    assert "".join(drawn).replace(" ", "") == "".join((*shown.lines, host)).replace(" ", "")
    assert max(map(letters.width, drawn)) <= 56


def test_it_is_never_shifted_against_burn_in() -> None:
    shown = code(HOSTS[0], bytes(16))
    frame = draw(shown, str)
    assert {placed(frame, shown, at * STEP_NS) for at in range(40)} == {frame}


def test_it_prints_as_sealed_and_is_no_word_of_the_lamp() -> None:
    shown = code(HOSTS[0], bytes(16))
    assert repr(shown) == "ShowCode((sealed))"
    assert code_word(shown) is None
    assert describe(shown, str) == "Scan it with your phone: HTTP://10.77.0.1/#AAAAAAAAAAAAAAAAAAAAAAAAAA"


def test_a_code_that_is_too_large_is_refused() -> None:
    large = ((True,) * 30,) * 30
    with pytest.raises(CannotDraw, match="A code of 30 modules does not fit a seat's screen"):
        code_canvas(ShowCode((), "", "", large))
