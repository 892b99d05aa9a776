"""One seat's lamp and screen, driven by a picture alone.

For every face the screen gets the same number of bytes and the lamp the same light (S-6): a secret picture, and the
picture after it, are sent whole; only later neutral ones may be sent as differences. The screen goes dark at once when
the button is released; the lamp finishes its word, since half a word would reveal its content.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pi_app.displays.lamp import LampBlinker
from pi_app.displays.shift import placed
from pi_app.report.lamp_code import CODE, PATTERNS, Code, CodeWord, Flashes, card_code
from pi_app.report.pictures import SECRETS, Dark, Drift, Say, SeatPicture, ShowFace
from pi_app.text.language import Words

Draw = Callable[[SeatPicture, Words], bytes]
RunOn = Callable[[Callable[[], None]], None]


class LampPort(Protocol):
    """A lamp that is on or off."""

    def on(self) -> None: ...
    def off(self) -> None: ...


class ScreenPort(Protocol):
    """A 128x64 screen: frames of 1024 bytes, each a column of eight pixels. `trouble`: why it is out; None if it
    works."""

    @property
    def trouble(self) -> object: ...

    def show(self, frame: bytes, *, whole: bool) -> None: ...
    def light(self, contrast: int) -> None: ...
    def dark(self) -> None: ...


class SeatDisplay:
    """The lamp and screen in front of one player. Either may be missing."""

    def __init__(
        self,
        words: Words,
        draw: Draw,
        *,
        lamp: LampPort | None = None,
        screen: ScreenPort | None = None,
        contrast: int = 0x20,
        run_on: RunOn = lambda job: job(),
        shown: Callable[[SeatPicture, int], None] | None = None,
    ) -> None:
        self._words, self._draw, self._contrast = words, draw, contrast
        self._lamp, self._screen, self._run_on = lamp, screen, run_on
        self.shown = shown
        self._blinker = LampBlinker()
        self._code: Code | None = CODE
        self._pick: Callable[[int], int] = lambda count: 0
        self._lamp_is_on = False
        self._was_secret = False
        self._picture: SeatPicture = Dark()
        self._standing: Callable[[int], bool] | None = None

    def speak(self, words: Words) -> None:
        """Draw the next pictures in another language."""
        self._words = words

    def stand_by(self, light: Callable[[int], bool] | None) -> None:
        """Light the lamp by the time alone (ns) while it has no word to blink; None: leave it dark then."""
        self._standing = light

    def deal(self, lamp: str, pick: Callable[[int], int]) -> None:
        """Blink in this `LampCode` from now on. `pick` draws the patterns of one that has another at each look."""
        self._code, self._pick = card_code(lamp), pick

    def _pattern(self, word: CodeWord) -> Flashes:
        """Return the flashes for a word. While its screen is out, a lamp whose patterns only the screen explains uses
        the public card."""
        if self._code is not None:
            return self._code[word]
        works = self._screen is not None and self._screen.trouble is None
        return PATTERNS[self._pick(len(PATTERNS))] if works else CODE[word]

    def show(self, picture: SeatPicture, now_ns: int) -> None:
        """Show this picture until the next one."""
        if picture == self._picture and isinstance(picture, Dark):
            return
        self._picture = picture
        word = code_word(picture)
        self._blinker.blink(None if word is None else self._pattern(word), now_ns)
        if self._screen is not None:
            frame = placed(self._draw(picture, self._words), picture, now_ns)
            self._run_on(lambda: self._send(picture, frame))
        self.tick(now_ns)
        if self.shown is not None:
            self.shown(picture, now_ns)

    def _send(self, picture: SeatPicture, frame: bytes) -> None:
        """Run on the screen's bus thread. A screen that was dark is always sent whole."""
        screen = self._screen
        if screen is None:
            return
        if isinstance(picture, Dark):
            screen.dark()
            return
        secret, wiped = isinstance(picture, SECRETS), picture == Drift()
        screen.light(self._contrast)
        screen.show(frame, whole=secret or wiped or self._was_secret)
        self._was_secret = secret

    def tick(self, now_ns: int) -> None:
        """Switch the lamp by its code."""
        if self._lamp is None:
            return
        on = self._blinker.lit(now_ns)
        if self._standing is not None and self._blinker.idle:
            on = self._standing(now_ns)
        if on is not self._lamp_is_on:
            (self._lamp.on if on else self._lamp.off)()
            self._lamp_is_on = on


def code_word(picture: SeatPicture) -> CodeWord | None:
    """The lamp's word for this picture: a trap, clear, or look again; None for neutral texts."""
    match picture:
        case ShowFace(kind="trap", trap=str(trap)):
            return CodeWord(trap)
        case ShowFace(kind="clear"):
            return CodeWord.CLEAR
        case ShowFace() | Say(again=True):
            return CodeWord.LOOK_AGAIN
        case _:
            return None
