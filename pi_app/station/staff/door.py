"""The door of the staff page: it opens for the PIN, in the table's own process. The page process only carries bytes.

Five wrong PINs are free; after each later one the door stays shut, for one minute, then two, four and so on up to an
hour. How many were wrong is kept in the state folder, and after a restart the whole pause begins again, so pulling the
plug shortens nothing. A right PIN forgets the wrong ones.
"""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.journal.budget import Budget
from pi_app.pages import staff_sealing as sealing
from pi_app.pages.messages import ASK_BYTES
from pi_app.pages.sealing import Random
from pi_app.pages.staff_sealing import Exchange, StaffKeys
from pi_app.text.plain_file import NotPlainError, read_plain
from pi_app.text.private_files import replace_file
from pi_app.text.sealed import Sealed

FREE_TRIES: Final = 5
FIRST_PAUSE_NS: Final = 60_000_000_000
LONGEST_PAUSE_NS: Final = 3_600_000_000_000
OPEN_NS: Final = 900_000_000_000
"""A page that asks nothing for so long must log in again."""
EXCHANGE_NS: Final = 60_000_000_000
MOST_EXCHANGES: Final = 8
SHARES: Final = Budget(at_once=6, every_ns=1_000_000_000)
"""The exchanges that the table answers: strangers who begin many do not slow a game down."""
MOST_PAGES: Final = 4
FILE_NAME: Final = "staff.tries"
_MOST_BYTES: Final = 200

Desk = Callable[[bytes], bytes]
"""Answers the text of an ask with a text of at most `staff_sealing.MOST_TEXT` bytes."""


def pause_ns(wrong: int) -> int:
    """Return how long the door stays shut after so many wrong PINs in a row."""
    later = wrong - FREE_TRIES
    return 0 if later < 0 else min(LONGEST_PAUSE_NS, FIRST_PAUSE_NS << min(later, 12))


class _Kept(msgspec.Struct, frozen=True):
    wrong: Annotated[int, Meta(ge=0, le=1_000_000)]


class Tries:
    """How many wrong PINs there were, in a file that survives a restart. A disk that refuses to keep them does not shut
    the staff out; they are counted in memory then."""

    def __init__(self, folder: Path, now_ns: int) -> None:
        self._path, self._since_ns = folder / FILE_NAME, now_ns
        self.wrong = self._read()

    def _read(self) -> int:
        """A file that is not readable counts as the last free try."""
        try:
            return msgspec.json.decode(read_plain(self._path, _MOST_BYTES), type=_Kept).wrong
        except FileNotFoundError:
            return 0
        except (OSError, NotPlainError, msgspec.MsgspecError, UnicodeDecodeError):
            return FREE_TRIES

    def left_ns(self, now_ns: int) -> int:
        """Return for how long the door is still shut."""
        return max(0, self._since_ns + pause_ns(self.wrong) - now_ns)

    def count_wrong(self, now_ns: int) -> None:
        """Count a wrong PIN; it is on disk when this returns, if the disk takes it."""
        self.wrong, self._since_ns = self.wrong + 1, now_ns
        self._keep()

    def forget(self) -> None:
        """The PIN was right."""
        if self.wrong:
            self.wrong = 0
            self._keep()

    def _keep(self) -> None:
        with contextlib.suppress(OSError):
            replace_file(self._path, msgspec.json.encode(_Kept(self.wrong)))


@dataclass(slots=True, repr=False)
class _StaffPage(Sealed):
    keys: StaffKeys
    number: int
    seen_ns: int


class StaffDoor(Sealed):
    """The staff pages of one station. `answer` never raises and never waits for more than a small file."""

    def __init__(
        self, pin: str, hosts: Callable[[], tuple[str, ...]], tries: Tries, desk: Desk, random: Random = os.urandom
    ) -> None:
        """`pin`: empty for a station without a staff page. `hosts`: as the page process serves them now."""
        self._pin, self._hosts, self._tries, self._desk, self._random = pin, hosts, tries, desk, random
        self._exchanges: OrderedDict[bytes, tuple[Exchange, int]] = OrderedDict()
        self._pages: OrderedDict[bytes, _StaffPage] = OrderedDict()
        self._shares = SHARES

    def answer(self, body: bytes, now_ns: int) -> bytes:
        """Return the answer to one ask."""
        if not self._pin:
            return self._refusal(sealing.NO_STAFF_PAGE)
        if len(body) != ASK_BYTES:
            return self._refusal(sealing.LOG_IN)
        match body[0]:
            case sealing.SHARE:
                return self._share(body, now_ns)
            case sealing.PROVE:
                return self._prove(body, now_ns)
            case sealing.SEALED:
                return self._sealed(body, now_ns)
        return self._refusal(sealing.LOG_IN)

    def _refusal(self, reason: sealing.Reason, left_ns: int = 0) -> bytes:
        return sealing.refusal_body(reason, -(-left_ns // 1_000_000_000), self._random)

    def _share(self, body: bytes, now_ns: int) -> bytes:
        left_ns = self._tries.left_ns(now_ns)
        if left_ns:
            return self._refusal(sealing.WAIT, left_ns)
        if self._shares.room(now_ns) < 1:
            return self._refusal(sealing.WAIT, 1_000_000_000)
        self._shares = self._shares.used(now_ns)
        sid = sealing.sid_of(body)
        made = None if self._is_known(sid) else sealing.answer_share(self._pin, body, self._hosts(), self._random)
        if made is None:
            return self._refusal(sealing.LOG_IN)
        exchange, share = made
        self._exchanges[sid] = exchange, now_ns
        while len(self._exchanges) > MOST_EXCHANGES:
            self._exchanges.popitem(last=False)
        return sealing.answer_body(sealing.SHARE, share, self._random)

    def _is_known(self, sid: bytes) -> bool:
        return sid in self._exchanges or sid in self._pages

    def _prove(self, body: bytes, now_ns: int) -> bytes:
        """Check a proof, once for each exchange. A wrong one counts before it is answered."""
        exchange, began_ns = self._exchanges.pop(sealing.sid_of(body), (None, 0))
        left_ns = self._tries.left_ns(now_ns)
        if exchange is None or now_ns - began_ns > EXCHANGE_NS:
            return self._refusal(sealing.LOG_IN)
        if left_ns:
            return self._refusal(sealing.WAIT, left_ns)
        if not exchange.is_proved(sealing.proof_in(body)):
            self._tries.count_wrong(now_ns)
            return self._refusal(sealing.WRONG_PIN, self._tries.left_ns(now_ns))
        self._tries.forget()
        self._pages[exchange.sid] = _StaffPage(exchange.keys, 0, now_ns)
        while len(self._pages) > MOST_PAGES:
            self._pages.popitem(last=False)
        proof = sealing.proof_of(sealing.TABLE_PROOF, exchange)
        return sealing.answer_body(sealing.PROVE, proof, self._random)

    def _sealed(self, body: bytes, now_ns: int) -> bytes:
        page = self._pages.get(sealing.sid_of(body))
        if page is None or now_ns - page.seen_ns > OPEN_NS:
            self._pages.pop(sealing.sid_of(body), None)
            return self._refusal(sealing.LOG_IN)
        opened = sealing.open_ask(page.keys, body)
        if opened is None or opened[0] <= page.number:
            return self._refusal(sealing.LOG_IN)
        page.number, page.seen_ns = opened[0], now_ns
        return sealing.seal_answer(page.keys, page.number, self._desk(opened[1]), self._random)
