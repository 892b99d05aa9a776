"""The door of the staff page: it opens for the PIN, in the table's own process. The page process only carries bytes.

Five wrong PINs are free; after each later one the door stays shut, for one minute, then two, four and so on up to an
hour. So a stranger in the Wi-Fi can keep it shut, or keep it busy with exchanges that never end, and the staff opens it
at the table: while it is shut or busy, holding all buttons shows a number on the screens (`invite`). The number lets
one exchange through, within three minutes; a stranger who is not at the table cannot read it. Wrong PINs with a number
are counted separately: three are free, and one more each half hour.

An exchange that begins has its place until it is finished or too old: there are as many places as can begin meanwhile.

How many were wrong is kept in the state folder, and after a restart each pause begins again as a whole, so pulling the
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
from pi_app.pages import staff_kinds as kinds
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
AT_TABLE: Final = Budget(at_once=3, every_ns=1_800_000_000_000)
"""The wrong PINs of whoever is at the table: of visitors too."""
NUMBERS: Final = 1_000_000
"""How many numbers there are: guesses at the full speed of the page process hit one in 660 before it is void."""
NUMBER_NS: Final = 180_000_000_000
"""So long a number on the screens holds, for one exchange."""
OPEN_NS: Final = 900_000_000_000
"""A page that asks nothing for so long must log in again."""
EXCHANGE_NS: Final = 60_000_000_000
SHARES: Final = Budget(at_once=16, every_ns=1_000_000_000)
"""The exchanges that the table answers: strangers who begin many do not slow a game down. The page process lets fewer
through (`staff_begins`), a fair part from each address; so this one is never used up, unless that process is broken."""
NUMBERS_PLACES: Final = 8
"""Exchanges with a number have no budget of their own beside that of the number."""
MOST_EXCHANGES: Final = SHARES.most_in(EXCHANGE_NS) + NUMBERS_PLACES
FEW_OPEN: Final = 2
"""With more exchanges that are open, the door is busy."""
MOST_PAGES: Final = 4
FILE_NAME: Final = "staff.tries"
MOST_WRONG: Final = 1_000_000
_MOST_BYTES: Final = 200

Desk = Callable[[bytes], bytes]
"""Answers the text of an ask with a text of at most `staff_sealing.MOST_TEXT` bytes."""


def pause_ns(wrong: int) -> int:
    """Return how long the door stays shut after so many wrong PINs in a row."""
    later = wrong - FREE_TRIES
    return 0 if later < 0 else min(LONGEST_PAUSE_NS, FIRST_PAUSE_NS << min(later, 12))


class _Kept(msgspec.Struct, frozen=True):
    wrong: Annotated[int, Meta(ge=0, le=MOST_WRONG)]
    at_table: Annotated[int, Meta(ge=0, le=AT_TABLE.at_once)] = AT_TABLE.at_once


class Tries:
    """How many wrong PINs there were, in a file that survives a restart. A disk that refuses to keep them does not shut
    the staff out; they are counted in memory then."""

    def __init__(self, folder: Path, now_ns: int) -> None:
        self._path, self._since_ns = folder / FILE_NAME, now_ns
        kept = self._read()
        self.wrong, self._at_table = kept.wrong, AT_TABLE
        for _ in range(AT_TABLE.at_once - kept.at_table):
            self._at_table = self._at_table.used(now_ns)

    def _read(self) -> _Kept:
        """A file that is not readable counts as the last free tries."""
        try:
            return msgspec.json.decode(read_plain(self._path, _MOST_BYTES), type=_Kept)
        except FileNotFoundError:
            return _Kept(0)
        except (OSError, NotPlainError, msgspec.MsgspecError, UnicodeDecodeError):
            return _Kept(FREE_TRIES, 0)

    def left_ns(self, now_ns: int) -> int:
        """Return for how long the door is still shut."""
        return max(0, self._since_ns + pause_ns(self.wrong) - now_ns)

    def count_wrong(self, now_ns: int) -> None:
        """Count a wrong PIN; it is on disk when this returns, if the disk takes it."""
        self.wrong, self._since_ns = self.wrong + 1, now_ns
        self._keep(now_ns)

    def left_at_table(self, now_ns: int) -> int:
        """Return how many wrong PINs are free for whoever is at the table."""
        return max(0, self._at_table.room(now_ns))

    def count_wrong_at_table(self, now_ns: int) -> None:
        """Count a wrong PIN of somebody at the table, as `count_wrong` does. It makes no pause longer."""
        self._at_table = self._at_table.used(now_ns)
        self._keep(now_ns)

    def forget(self, now_ns: int) -> None:
        """The PIN was right."""
        if self.wrong or self.left_at_table(now_ns) < AT_TABLE.at_once:
            self.wrong, self._at_table = 0, AT_TABLE
            self._keep(now_ns)

    def _keep(self, now_ns: int) -> None:
        kept = _Kept(min(self.wrong, MOST_WRONG), self.left_at_table(now_ns))
        with contextlib.suppress(OSError):
            replace_file(self._path, msgspec.json.encode(kept))


@dataclass(frozen=True, slots=True, repr=False)
class _Begun(Sealed):
    """An exchange that waits for its proof. `at_table`: whether the page gave the number of the screens."""

    exchange: Exchange
    began_ns: int
    at_table: bool


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
        self._exchanges: OrderedDict[bytes, _Begun] = OrderedDict()
        self._pages: OrderedDict[bytes, _StaffPage] = OrderedDict()
        self._shares = SHARES
        self._number: tuple[int, int] | None = None
        """What the screens of the table show, and when it began."""

    def invite(self, now_ns: int) -> str:
        """Return a number for the screens of the table, which lets one exchange through a door that is shut or busy;
        empty if it is neither, or too many PINs of people at the table were wrong."""
        self._number = None
        is_needed = self._tries.left_ns(now_ns) or self._is_busy(now_ns)
        if not self._pin or not is_needed or not self._tries.left_at_table(now_ns):
            return ""
        number = int.from_bytes(self._random(8), "big") % NUMBERS
        self._number = number, now_ns
        return f"{number:06}"

    def _is_busy(self, now_ns: int) -> bool:
        """Whether several exchanges have begun and were not finished."""
        return sum(now_ns - each.began_ns <= EXCHANGE_NS for each in self._exchanges.values()) > FEW_OPEN

    def _is_invited(self, number: int, now_ns: int) -> bool:
        """Whether this is the number of the screens. It is used up then."""
        if self._number is None or now_ns - self._number[1] > NUMBER_NS or self._number[0] != number:
            return False
        self._number = None
        return True

    def answer(self, body: bytes, now_ns: int) -> bytes:
        """Return the answer to one ask."""
        if not self._pin:
            return self._refusal(kinds.NO_STAFF_PAGE)
        if len(body) != ASK_BYTES:
            return self._refusal(kinds.LOG_IN)
        match body[0]:
            case kinds.SHARE:
                return self._share(body, now_ns)
            case kinds.SHARE_AT_TABLE:
                return self._share_at_table(body, now_ns)
            case kinds.PROVE:
                return self._prove(body, now_ns)
            case kinds.SEALED:
                return self._sealed(body, now_ns)
        return self._refusal(kinds.LOG_IN)

    def _refusal(self, reason: kinds.Reason, left_ns: int = 0) -> bytes:
        return sealing.refusal_body(reason, -(-left_ns // 1_000_000_000), self._random)

    def _share(self, body: bytes, now_ns: int) -> bytes:
        left_ns = self._tries.left_ns(now_ns)
        if left_ns:
            return self._refusal(kinds.WAIT, left_ns)
        if self._shares.room(now_ns) < 1:
            return self._refusal(kinds.CROWDED)
        self._shares = self._shares.used(now_ns)
        return self._begin(body, now_ns, at_table=False)

    def _share_at_table(self, body: bytes, now_ns: int) -> bytes:
        """Take a number in place of the pause and of the budget. A wrong one costs no arithmetic, and nobody a try."""
        number, share = sealing.number_in(body)
        if self._is_invited(number, now_ns):
            return self._begin(share, now_ns, at_table=True)
        if self._tries.left_ns(now_ns):
            return self._refusal(kinds.WRONG_NUMBER)
        return self._share(share, now_ns)

    def _begin(self, body: bytes, now_ns: int, *, at_table: bool) -> bytes:
        sid = sealing.sid_of(body)
        made = None if self._is_known(sid) else sealing.answer_share(self._pin, body, self._hosts(), self._random)
        if made is None:
            return self._refusal(kinds.LOG_IN)
        exchange, share = made
        self._exchanges[sid] = _Begun(exchange, now_ns, at_table)
        while len(self._exchanges) > MOST_EXCHANGES:
            self._exchanges.popitem(last=False)
        return sealing.answer_body(kinds.SHARE, share, self._random)

    def _is_known(self, sid: bytes) -> bool:
        return sid in self._exchanges or sid in self._pages

    def _prove(self, body: bytes, now_ns: int) -> bytes:
        """Check a proof, once for each exchange. A wrong one counts before it is answered."""
        begun = self._exchanges.pop(sealing.sid_of(body), None)
        left_ns = self._tries.left_ns(now_ns)
        if begun is None or now_ns - begun.began_ns > EXCHANGE_NS:
            return self._refusal(kinds.LOG_IN)
        if left_ns and not begun.at_table:
            return self._refusal(kinds.WAIT, left_ns)
        exchange = begun.exchange
        if not exchange.is_proved(sealing.proof_in(body)):
            count = self._tries.count_wrong_at_table if begun.at_table else self._tries.count_wrong
            count(now_ns)
            return self._refusal(kinds.WRONG_PIN, self._tries.left_ns(now_ns))
        self._tries.forget(now_ns)
        self._pages[exchange.sid] = _StaffPage(exchange.keys, 0, now_ns)
        while len(self._pages) > MOST_PAGES:
            self._pages.popitem(last=False)
        proof = sealing.proof_of(sealing.TABLE_PROOF, exchange)
        return sealing.answer_body(kinds.PROVE, proof, self._random)

    def _sealed(self, body: bytes, now_ns: int) -> bytes:
        page = self._pages.get(sealing.sid_of(body))
        if page is None or now_ns - page.seen_ns > OPEN_NS:
            self._pages.pop(sealing.sid_of(body), None)
            return self._refusal(kinds.LOG_IN)
        opened = sealing.open_ask(page.keys, body)
        if opened is None or opened[0] <= page.number:
            return self._refusal(kinds.LOG_IN)
        page.number, page.seen_ns = opened[0], now_ns
        return sealing.seal_answer(page.keys, page.number, self._desk(opened[1]), self._random)
