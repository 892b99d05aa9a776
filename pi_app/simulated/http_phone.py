"""A simulated phone that speaks real HTTP to a page process: it joins with a code, taps, holds, and comes back.

It acts on what its frames say alone, as a player does who looks at a phone.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable
from typing import Any, Final

from pi_app.pages import sealing
from pi_app.pages.messages import NO_GAME
from pi_app.simulated.page_stream import Address, PageError, PageEvent, PageStream, exchange
from pi_app.simulated.phone import PhoneSession, knock

WAITS_S: Final = 30.0
Shown = dict[str, Any]
"""What a frame says: see `pi_app.pages.content`."""


class HttpPhone:
    """One phone. `shown`: what its newest frame says. `word`: why its stream was ended; empty while it is open."""

    def __init__(
        self,
        address: Address,
        code: bytes,
        *,
        origin: str = "",
        came: Callable[[HttpPhone, Shown, int], None] | None = None,
    ) -> None:
        """`origin`: the address of this machine that it comes from. `came` is called with each frame that opens, and
        with the time at which it was open (ns, monotonic)."""
        self.address, self.origin, self.shown, self.word = address, origin, Shown(), ""
        self.frames = self.unread = 0
        """Frames that opened, and those that did not."""
        self._came = came
        self._code, self._game = code, NO_GAME
        self._session: PhoneSession | None = None
        self._greeted = False
        self._join()

    def _join(self) -> None:
        """Knock. A phone that loaded its page before the game began is refused, learns its name, and knocks again."""
        body, self._finish = knock(self._code, game=self._game)
        self._stream = PageStream(self.address, "/join", body, self.origin)

    def fileno(self) -> int:
        """For `select`."""
        return self._stream.fileno()

    @property
    def joined(self) -> bool:
        """Whether the table has admitted this phone, and a frame has proven that it was the table."""
        return self.frames > 0

    @property
    def over(self) -> bool:
        """Whether the stream has ended, by a word of the table or by a cut."""
        return self._stream.over

    @property
    def received(self) -> int:
        """The bytes that came on the open stream."""
        return self._stream.received

    def take(self, wait_s: float = 0.0) -> int:
        """Read what has come; return how many frames opened. Raises PageError."""
        opened = 0
        for event in self._stream.take(wait_s):
            opened += self._read(event)
        return opened

    def wait(self, wanted: Callable[[Shown], bool], *, limit_s: float = WAITS_S) -> Shown:
        """Read until a frame says this. Raises PageError if none does in this time."""
        until_s = time.monotonic() + limit_s
        while not (self.frames and wanted(self.shown)):
            left_s = until_s - time.monotonic()
            if left_s <= 0 or (self.over and not self.take()):
                raise PageError(f"a simulated phone waits for a frame that does not come ({self.word or 'silence'})")
            self.take(min(left_s, 0.2))
        return self.shown

    def tap(self) -> None:
        """Claim the next dial, or take that back."""
        self._post(sealing.TAP)

    def hold(self) -> None:
        """Put the finger down to look."""
        self._post(sealing.HOLD)

    def let_go(self) -> None:
        """Lift the finger."""
        self._post(sealing.LET_GO)

    def leave(self) -> None:
        """Give up the seat."""
        self._post(sealing.LEAVE)

    def cut(self) -> None:
        """Lose the connection."""
        self._stream.cut()

    def come_back(self) -> None:
        """Open the stream again after a cut. Raises PageError."""
        self._stream.cut()
        self._greeted, self.word = False, ""
        self._stream = PageStream(self.address, "/stream", self._joined_session().resume(), self.origin)

    def _post(self, kind: int) -> None:
        status, _ = exchange(self.address, "POST", "/up", self._joined_session().post(kind), origin=self.origin)
        if status != 204:
            raise PageError(f"the page process answered a simulated phone's finger with {status}")

    def _joined_session(self) -> PhoneSession:
        if self._session is None:
            raise PageError("a simulated phone has not joined yet")
        return self._session

    def _read(self, event: PageEvent) -> int:
        if event.data == "code" and self._session is None and self._stream.game not in (b"", self._game):
            self._game = self._stream.game
            self._stream.cut()
            self._join()
            return 0
        if event.name:
            self.word = event.data
            return 0
        try:
            data = base64.b64decode(event.data, validate=True)
        except binascii.Error as error:
            raise PageError("the page process sends an event that is no base64") from error
        if not self._greeted:
            self._greeted = True
            self._session = self._session or self._finish(data)
            return 0
        said = self._joined_session().open_frame(data)
        if said is None:
            self.unread += 1
            return 0
        self.frames += 1
        self.shown = said
        if self._came is not None:
            self._came(self, said, time.monotonic_ns())
        return 1


def visit(address: Address) -> tuple[int, int]:
    """Open the page as a browser's first visit does; return the bytes of the compressed page, and those of the head
    before it. Raises PageError."""
    status, answer = exchange(address, "GET", "/")
    if status != 200:
        raise PageError(f"the page process answered a first visit with {status}")
    head, _, page = answer.partition(b"\r\n\r\n")
    return len(page), len(head) + 4
