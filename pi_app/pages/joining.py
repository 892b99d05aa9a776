"""Which phone holds which seat: codes that admit a phone, its keys, its stream and the posts that count.

A seat has at most one phone at a time. A one-time code admits one phone; the code on a printed card admits a phone
again and again, and each time the seat moves. Nothing here is a secret's content, and nothing is told to anybody: the
table (`pi_app.play.phones`) does that. A join counts, and a code is used up, once the table has written the join down.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from pi_app.pages import sealing
from pi_app.pages.messages import NO_GAME
from pi_app.pages.sealing import CODE_BYTES, KEY_BYTES, Random, Session
from pi_app.text.sealed import PartlySealed, Sealed

Kind = Literal["join", "stream"]


class Post(enum.Enum):
    """What a phone's post says. Opening a stream is no post: it is a knock."""

    TAP = sealing.TAP
    HOLD = sealing.HOLD
    LET_GO = sealing.LET_GO
    LEAVE = sealing.LEAVE


@dataclass(frozen=True, slots=True, repr=False)
class Admission(PartlySealed):
    """A stream that may stay. `moved`: another phone had the seat. `replaced_conn`: an older stream that ends now.
    `resumed`: the same phone has come back, or has sent its join once more."""

    _open = ("seat", "moved", "replaced_conn", "resumed")
    _hidden = "session"

    seat: str
    session: Session
    greeting: bytes
    moved: bool
    replaced_conn: int | None
    resumed: bool


@dataclass(slots=True, repr=False)
class _Phone(Sealed):
    session: Session
    conn: int | None = None
    posts: int = 0
    """The highest counter of a gesture."""
    streams: int = 0
    """The highest counter that has opened a stream. Apart from `posts`, because a gesture may overtake it."""
    known: bool = True
    """Whether its counters are: after a restart they are not, until it opens its stream."""
    join: bytes = b""
    """What it sent to join."""
    greeting: bytes = b""
    """What it was answered; empty once the same join is not answered again."""
    joined_ns: int = 0


AGAIN_NS: Final = 10_000_000_000
"""A phone whose network loses packets sends its join again, byte for byte: so long, the answer is the same. It ends
when the phone first uses its keys. A stranger who repeats a recorded join gets frames that only the phone can read, and
the stream until the phone opens its own again."""

RESTARTS: Final = 32


def first_after(restarts: int) -> int:
    """The number that frames and counters begin above, after so many restarts of the table in one game: what was sent
    before a power cut is then old for both ends, although the table has forgotten how far it was."""
    return restarts << RESTARTS


def record_nowhere(_: Admission) -> bool:
    """For tables without a record: every join counts."""
    return True


class PhoneSeats(Sealed):
    """The phones of one table."""

    def __init__(self, seats: Iterable[str], random: Random = os.urandom) -> None:
        self._random = random
        self._once: dict[str, bytes] = dict.fromkeys(seats, b"")
        self._cards: dict[str, bytes] = {}
        self._phones: dict[str, _Phone] = {}
        self._seats: dict[int, str] = {}
        self._knocked: set[bytes] = set()
        self._game = NO_GAME

    def begin(self, game: bytes) -> None:
        """Another game begins: joins count that are bound to its public name, and none that was sent before."""
        self._game = game
        self._knocked.clear()

    # ------------------------------------------------------------------------------------------------------ codes

    def new_code(self, seat: str) -> bytes:
        """Make a one-time code for a seat; its older one no longer admits anybody. Raises KeyError for another seat."""
        if seat not in self._once:
            raise KeyError(seat)
        self._once[seat] = code = self._random(CODE_BYTES)
        return code

    def use_cards(self, cards: Mapping[str, bytes]) -> None:
        """Let the codes of the printed cards admit phones; those of seats that this table does not have are left
        out."""
        self._cards = {seat: code for seat, code in cards.items() if seat in self._once}

    # ---------------------------------------------------------------------------------------------------- streams

    def knock(
        self,
        conn: int,
        kind: Kind,
        body: bytes,
        at_ns: int = 0,
        record: Callable[[Admission], bool] = record_nowhere,
    ) -> Admission | None:
        """Admit a stream, if its body proves a code (`join`) or the phone that has a seat (`stream`).

        `record` writes down that another phone has the seat. If it returns False, nothing changes: the phone that has
        the seat keeps it, and the code admits a phone later."""
        if conn in self._seats:
            return None
        return self._join(conn, body, at_ns, record) if kind == "join" else self._stream(conn, body)

    def refusal(self, kind: Kind, body: bytes) -> Literal["code", "twice"]:
        """Why `knock` admitted nothing: `twice` if it is an older knock of a phone that has its seat."""
        if kind == "join":
            return "twice" if any(phone.join == body for phone in self._phones.values()) else "code"
        return "twice" if self._opened(body)[3] == sealing.OPEN_STREAM else "code"

    def _join(self, conn: int, body: bytes, at_ns: int, record: Callable[[Admission], bool]) -> Admission | None:
        phone = body[:KEY_BYTES]
        if phone in self._knocked:
            return self._join_again(conn, body, at_ns)
        for seat, code in self._codes():
            answer = sealing.answer_join(code, body, self._random, self._game)
            if answer is not None:
                session, greeting = answer
                before = self._phones.get(seat)
                replaced = None if before is None else before.conn
                admission = Admission(seat, session, greeting, before is not None, replaced, resumed=False)
                if not record(admission):
                    return None
                self._knocked.add(phone)
                self._once[seat] = b""
                self._phones[seat] = _Phone(session, join=body, greeting=greeting, joined_ns=at_ns)
                self._take(seat, conn, before)
                return admission
        return None

    def _join_again(self, conn: int, body: bytes, at_ns: int) -> Admission | None:
        for seat, phone in self._phones.items():
            if phone.greeting and phone.join == body and at_ns - phone.joined_ns <= AGAIN_NS:
                replaced = self._take(seat, conn, phone)
                return Admission(seat, phone.session, phone.greeting, False, replaced, resumed=True)
        return None

    def _codes(self) -> Iterable[tuple[str, bytes]]:
        yield from ((seat, code) for seat, code in self._once.items() if code)
        yield from self._cards.items()

    def _stream(self, conn: int, body: bytes) -> Admission | None:
        seat, phone, counter, kind = self._opened(body)
        if phone is None or kind != sealing.OPEN_STREAM or counter <= phone.streams:
            return None
        phone.streams, phone.greeting = counter, b""
        if not phone.known:
            phone.posts, phone.known = max(phone.posts, counter), True
        replaced = self._take(seat, conn, phone)
        greeting = sealing.decoy_greeting(self._random)
        return Admission(seat, phone.session, greeting, False, replaced, resumed=True)

    def _take(self, seat: str, conn: int, before: _Phone | None) -> int | None:
        """Give the seat's phone this stream; return the one that ends."""
        replaced = None if before is None else before.conn
        if replaced is not None:
            del self._seats[replaced]
        self._phones[seat].conn = conn
        self._seats[conn] = seat
        return replaced

    def left(self, conn: int) -> str | None:
        """A stream is over. Return its seat, whose phone may come back; None if it was no seat's, or no longer."""
        seat = self._seats.pop(conn, None)
        if seat is not None:
            self._phones[seat].conn = None
        return seat

    # ------------------------------------------------------------------------------------------------------- posts

    def posted(self, body: bytes) -> tuple[str, Post] | None:
        """Return the seat and what its phone says; None for what is forged, repeated, or of a phone that was
        replaced."""
        seat, phone, counter, kind = self._opened(body)
        if phone is None or kind == sealing.OPEN_STREAM or counter <= phone.posts or not phone.known:
            return None
        phone.posts, phone.greeting = counter, b""
        return seat, Post(kind)

    def _opened(self, body: bytes) -> tuple[str, _Phone | None, int, int]:
        """The seat, phone, counter and kind of a body that a phone has sealed; no phone if none has."""
        slot = sealing.slot_of(body)
        for seat, phone in self._phones.items():
            if phone.session.slot == slot and (post := sealing.open_post(phone.session, body)) is not None:
                return seat, phone, *post
        return "", None, 0, 0

    # ------------------------------------------------------------------------------------------------------- seats

    def leave(self, seat: str) -> int | None:
        """Free a seat. Return the stream of its phone, which ends."""
        phone = self._phones.pop(seat, None)
        conn = None if phone is None else phone.conn
        if conn is not None:
            del self._seats[conn]
        return conn

    def resume(self, seat: str, session: Session, after: int = 0) -> None:
        """Give a seat the phone that had it before the table was restarted. Its gestures count once it has opened its
        stream, with a counter above that one's and above `after` (see `first_after`), which its first frame names."""
        self.leave(seat)
        self._phones[seat] = _Phone(session, posts=after, known=False)

    def void(self) -> tuple[int, ...]:
        """The game is over: forget every code and every phone. Return the streams that were open."""
        open_now = tuple(self._seats)
        self._once = dict.fromkeys(self._once, b"")
        self._cards, self._phones, self._seats = {}, {}, {}
        return open_now

    @property
    def connected(self) -> Mapping[str, int]:
        """The stream of each seat that has one now."""
        return MappingProxyType({seat: conn for conn, seat in self._seats.items()})

    @property
    def taken(self) -> tuple[str, ...]:
        """The seats that a phone holds, connected or not."""
        return tuple(self._phones)

    def session(self, seat: str) -> Session | None:
        """The keys of the phone that holds a seat."""
        phone = self._phones.get(seat)
        return None if phone is None else phone.session
