"""Which asks of staff pages reach the table: those who begin exchanges and never finish one keep nobody out. Pure: the
caller gives the time.

An exchange costs the table arithmetic, so all share one rate for beginning one. An address that has begun some and not
finished them leaves the rest of that rate to the others. A finished exchange, with a right or a wrong PIN, counts no
more; wrong PINs are the table's to limit. The number on the table's screens, which no stranger can read, goes past all
of this; guesses at it share a rate of their own in the same way.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Final, TypeVar

from pi_app.pages.process.limits import ALL, MOST_ADDRESSES, Allowance, Buckets, Limits
from pi_app.pages.staff_kinds import PROVE, SEALED, SHARE, SHARE_AT_TABLE, is_wrong_pin, read_number

T = TypeVar("T")

OPEN_SECONDS: Final = 60.0
"""What an address has begun and not finished counts for so long: the table forgets an exchange then."""

ROOM_FOR_EACH: Final = 4
"""An address needs room for so many more with each that it has begun and not finished."""

STAFF_SECONDS: Final = 900.0
"""An address is the staff's for so long after the table let it in or served it: a page logs in again after that."""

MOST_STAFF: Final = 16


class FairRate:
    """One rate for all, of which an address with much unfinished leaves the rest to the others."""

    def __init__(self, rate: Allowance) -> None:
        self._rate = Buckets(rate)
        self._open: OrderedDict[str, deque[float]] = OrderedDict()

    def begin(self, address: str, now: float) -> bool:
        """Whether this address may begin one more now; then it is counted, until it is finished or old."""
        own = self._open.setdefault(address, deque())
        self._open.move_to_end(address)
        if len(self._open) > MOST_ADDRESSES:
            self._open.popitem(last=False)
        while own and now - own[0] >= OPEN_SECONDS:
            own.popleft()
        if self._rate.left(ALL, now) < 1 + ROOM_FOR_EACH * len(own):
            return False
        own.append(now)
        return self._rate.take(ALL, now)

    def finish(self, address: str) -> None:
        """One of this address is finished."""
        if own := self._open.get(address):
            own.popleft()


class StaffGate:
    """Who may ask the table now. `invited`: the number on the table's screens, until it is used."""

    def __init__(self, limits: Limits) -> None:
        self._own, self._others = Buckets(limits.staff), Buckets(limits.staff_others)
        self._begins, self._numbers = FairRate(limits.staff_begins), FairRate(limits.staff_numbers)
        self._to_prove: OrderedDict[str, int] = OrderedDict()
        self._staff: OrderedDict[str, float] = OrderedDict()
        self.invited: int | None = None

    def admits(self, address: str, body: bytes, now: float) -> bool:
        """Whether an ask may reach the table; then it is counted."""
        if not self._own.take(address, now):
            return False
        if body[0] == SHARE_AT_TABLE and self.invited is not None:
            if not self._numbers.begin(address, now):
                return False
            if read_number(body) == self.invited:
                self._numbers.finish(address)
                self.invited = None
                return True
        if body[0] in (SHARE, SHARE_AT_TABLE):
            return self._begins.begin(address, now)
        if self.is_staff(address, now):
            return True
        if body[0] == PROVE and self._to_prove.get(address, 0):
            self._to_prove[address] -= 1
            return True
        return self._others.take(ALL, now)

    def is_staff(self, address: str, now: float) -> bool:
        """Whether the table has let a staff page at this address in, not long ago."""
        return now - self._staff.get(address, -STAFF_SECONDS) < STAFF_SECONDS

    def note_answer(self, address: str, body: bytes, answer: bytes, now: float) -> None:
        """Take what the table answered to an ask that was admitted."""
        if answer[0] == SHARE:
            _keep_newest(self._to_prove, address, self._to_prove.get(address, 0) + 1, MOST_ADDRESSES)
        if body[0] == PROVE and (answer[0] == PROVE or is_wrong_pin(answer)):
            self._begins.finish(address)
        if answer[0] in (PROVE, SEALED):
            _keep_newest(self._staff, address, now, MOST_STAFF)


def _keep_newest(kept: OrderedDict[str, T], address: str, value: T, most: int) -> None:
    kept[address] = value
    kept.move_to_end(address)
    if len(kept) > most:
        kept.popitem(last=False)
