"""How many connections and requests each address may make, and all of them together. Pure: the caller gives the time.

Strangers share what all have in common; a seat's address has its own share, so that strangers who use up theirs do not
slow a player down, and so have the staff's pages and the status. Who has a place is said in `doors`.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Final


@dataclass(frozen=True)
class Allowance:
    """So many at once, and so many a second after that."""

    burst: float
    a_second: float


@dataclass(frozen=True)
class Limits:
    """What the page process allows. Times are in seconds."""

    connections: int = 256
    connections_a_seat: int = 6
    arriving: int = 48
    newcomers: int = 16
    returning: int = 12
    status_places: int = 6
    staff_places: int = 6
    displays: int = 20
    house: int = 8
    ending_seconds: float = 1.0
    header_bytes: int = 8_192
    request_seconds: float = 10.0
    keep_alive_seconds: int = 20
    answer_seconds: float = 10.0
    unread_seconds: int = 20
    arrivals: Allowance = Allowance(60, 20)
    arrivals_in_all: Allowance = Allowance(200, 80)
    first_arrivals: Allowance = Allowance(5, 0.25)
    first_arrivals_in_all: Allowance = Allowance(2_500, 150)
    players_arrivals: Allowance = Allowance(60, 30)
    requests: Allowance = Allowance(60, 20)
    requests_in_all: Allowance = Allowance(240, 120)
    first_requests: Allowance = Allowance(20, 0.5)
    first_requests_in_all: Allowance = Allowance(500, 60)
    status_requests: Allowance = Allowance(30, 4)
    status_requests_in_all: Allowance = Allowance(60, 20)
    first_status_requests: Allowance = Allowance(4, 0.25)
    first_status_requests_in_all: Allowance = Allowance(1_000, 150)
    joins: Allowance = Allowance(30, 20 / 60)
    joins_in_all: Allowance = Allowance(60, 1)
    first_joins: Allowance = Allowance(4, 2 / 60)
    first_joins_in_all: Allowance = Allowance(120, 2)
    resumes: Allowance = Allowance(30, 0.5)
    resumes_in_all: Allowance = Allowance(120, 4)
    first_resumes: Allowance = Allowance(6, 0.2)
    first_resumes_in_all: Allowance = Allowance(200, 8)
    players_resumes: Allowance = Allowance(240, 32)
    posts: Allowance = Allowance(60, 30)
    strangers_posts: Allowance = Allowance(5, 1)
    strangers_posts_in_all: Allowance = Allowance(30, 10)
    watchers: int = 12
    watchers_an_address: int = 3
    watches: Allowance = Allowance(12, 0.5)
    staff: Allowance = Allowance(20, 2)
    staff_begins: Allowance = Allowance(12, 1)
    staff_numbers: Allowance = Allowance(60, 8)
    staff_others: Allowance = Allowance(30, 4)


DEMO: Final = replace(
    Limits(),
    house=128,
    requests=Allowance(2_000, 1_000),
    requests_in_all=Allowance(2_000, 1_000),
    joins=Allowance(400, 20),
    joins_in_all=Allowance(400, 20),
    resumes=Allowance(400, 20),
    resumes_in_all=Allowance(400, 20),
    posts=Allowance(2_000, 1_000),
)
"""A demo serves this machine alone: all of its phones have one address."""

MOST_ADDRESSES: Final = 1_024
"""So many addresses are remembered; the one that asked longest ago is forgotten first."""


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


@dataclass
class Buckets:
    """One rate for each of many addresses."""

    rate: Allowance
    most: int = MOST_ADDRESSES
    _each: OrderedDict[str, _Bucket] = field(default_factory=OrderedDict)

    def take(self, address: str, now: float) -> bool:
        """Whether this address may do it once more; then it is counted."""
        bucket = self._each.get(address)
        if bucket is None:
            bucket = self._each[address] = _Bucket(self.rate.burst, now)
            if len(self._each) > self.most:
                self._each.popitem(last=False)
        else:
            self._each.move_to_end(address)
        bucket.left = min(self.rate.burst, bucket.left + max(0.0, now - bucket.at) * self.rate.a_second)
        bucket.at = now
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True

    def used_up(self, address: str, now: float) -> bool:
        """Whether `take` would say no now; nothing is counted."""
        return self.left(address, now) < 1

    def left(self, address: str, now: float) -> float:
        """How often `take` would say yes now; nothing is counted."""
        bucket = self._each.get(address)
        if bucket is None:
            return self.rate.burst
        return min(self.rate.burst, bucket.left + max(0.0, now - bucket.at) * self.rate.a_second)

    def __len__(self) -> int:
        return len(self._each)


ALL: Final = ""
"""The address that stands for all strangers together."""


class Shares:
    """A rate for each address and one for all strangers together, with a share for the first requests of each address:
    those who ask on and on do not keep a newcomer out."""

    def __init__(self, each: Allowance, in_all: Allowance, first: Allowance, first_in_all: Allowance) -> None:
        self._each, self._in_all = Buckets(each), Buckets(in_all)
        self._first, self._first_in_all = Buckets(first), Buckets(first_in_all)

    def take(self, address: str, now: float) -> bool:
        if not self._each.take(address, now):
            return False
        if self._first.take(address, now) and self._first_in_all.take(ALL, now):
            return True
        return self._in_all.take(ALL, now)

    def used_up(self, address: str, now: float) -> bool:
        """Whether this address has used up its own rate."""
        return self._each.used_up(address, now)


class Rates:
    """Who may ask for what now. `known`: the address is a seat's. `house`: it is this machine's."""

    def __init__(self, limits: Limits) -> None:
        self._arrivals = Shares(
            limits.arrivals, limits.arrivals_in_all, limits.first_arrivals, limits.first_arrivals_in_all
        )
        self._players_arrivals = Buckets(limits.players_arrivals)
        self._requests = Shares(
            limits.requests, limits.requests_in_all, limits.first_requests, limits.first_requests_in_all
        )
        self._status = Shares(
            limits.status_requests,
            limits.status_requests_in_all,
            limits.first_status_requests,
            limits.first_status_requests_in_all,
        )
        self._joins = Shares(limits.joins, limits.joins_in_all, limits.first_joins, limits.first_joins_in_all)
        self._resumes = Shares(limits.resumes, limits.resumes_in_all, limits.first_resumes, limits.first_resumes_in_all)
        self._players_resumes = Buckets(limits.players_resumes)
        self._posts, self._own = Buckets(limits.posts), Buckets(limits.requests)
        self._strangers, self._strangers_in_all = (
            Buckets(limits.strangers_posts),
            Buckets(limits.strangers_posts_in_all),
        )

    def connection(self, address: str, now: float, *, known: bool, house: bool) -> bool:
        """Whether this address may open a connection: a stranger's not if its next request would be refused anyway."""
        if house:
            return True
        if known:
            return self._players_arrivals.take(address, now)
        return not self._requests.used_up(address, now) and self._arrivals.take(address, now)

    def request(self, address: str, now: float, *, known: bool, house: bool = False, status: bool = False) -> bool:
        """Whether this address may send another request. `status`: for the status or for a page of the staff."""
        if known:
            return self._posts.take(address, now) or self._own.take(address, now)
        if house:
            return self._own.take(address, now)
        return (self._status if status else self._requests).take(address, now)

    def join(self, address: str, now: float) -> bool:
        return self._joins.take(address, now)

    def resume(self, address: str, now: float, *, known: bool) -> bool:
        if known:
            return self._players_resumes.take(address, now)
        return self._resumes.take(address, now)

    def post(self, address: str, now: float, *, known: bool) -> bool:
        if known:
            return True  # `request` has counted it
        return self._strangers.take(address, now) and self._strangers_in_all.take(ALL, now)
