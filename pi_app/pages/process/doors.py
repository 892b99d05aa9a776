"""Who has a place when there are more connections than places. Pure.

A place is a seat's, or for one purpose: the pages that newcomers ask for, phones that come back, the status, the staff,
public displays. Each kind has its own places, so that no crowd of one kind takes those of another. Nobody is turned
away: the connection that has done nothing for the longest makes room, of those of the address that has the most.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pi_app.pages.process.limits import Limits

T = TypeVar("T", bound=Hashable)

AWAY_SECONDS: Final = 3_600.0
"""A seat's address has its places for so long after its last stream."""


class Place(enum.Enum):
    """What a connection is for. Its request says so, but for two: a `SEAT` has proven itself at its address, and the
    `HOUSE` is this machine itself."""

    ARRIVING = "arriving"
    """It has asked for nothing yet, or for nothing that has places of its own."""
    NEWCOMER = "newcomer"
    RETURNING = "returning"
    STATUS = "status"
    STAFF = "staff"
    DISPLAY = "display"
    SEAT = "seat"
    HOUSE = "house"


@dataclass(slots=True)
class _Seat:
    address: str
    conn: int
    left: float | None = None
    """When its stream ended."""


class SeatAddresses:
    """The address of each seat's phone: where the table has admitted it last. A seat has one address at a time, so
    places at many addresses take as many seats.

    A phone that sleeps, or that loses its network every second, has no stream when it comes back; it is no stranger."""

    def __init__(self) -> None:
        self._seats: dict[int, _Seat] = {}

    def admit(self, seat: int, address: str, conn: int) -> str:
        """Note that a seat's phone is at this address; return the seat's address before, or an empty text."""
        before = self._seats.get(seat)
        self._seats[seat] = _Seat(address, conn)
        return "" if before is None else before.address

    def leave(self, conn: int, now: float) -> None:
        """A stream is over; an older stream of a seat that has a newer one is ignored."""
        for seat in self._seats.values():
            if seat.conn == conn:
                seat.left = now

    def forget(self, now: float) -> None:
        """Leave out the seats whose phones have been away for too long."""
        for number, seat in list(self._seats.items()):
            if seat.left is not None and now - seat.left > AWAY_SECONDS:
                del self._seats[number]

    def count(self, address: str) -> int:
        """How many seats have this address."""
        return sum(seat.address == address for seat in self._seats.values())

    def __contains__(self, address: object) -> bool:
        return any(seat.address == address for seat in self._seats.values())


@dataclass(slots=True)
class _Inside:
    address: str
    house: bool
    asks: Place
    held: bool = False
    room: tuple[Place, str] = (Place.ARRIVING, "")


class Doors(Generic[T]):
    """Which connections are open, and which one closes to make room for another."""

    def __init__(self, limits: Limits, seats: SeatAddresses) -> None:
        self._seats, self._a_seat = seats, limits.connections_a_seat
        self._places = {
            Place.ARRIVING: limits.arriving,
            Place.NEWCOMER: limits.newcomers,
            Place.RETURNING: limits.returning,
            Place.STATUS: limits.status_places,
            Place.STAFF: limits.staff_places,
            Place.DISPLAY: limits.displays,
            Place.SEAT: 0,
            Place.HOUSE: limits.house,
        }
        self._inside: dict[T, _Inside] = {}
        self._rooms: dict[tuple[Place, str], dict[T, None]] = {}

    def __len__(self) -> int:
        return len(self._inside)

    def enter(self, connection: T, address: str, *, house: bool = False) -> list[T]:
        """Let a connection in; return those that must close for it. `house`: it comes from this machine."""
        self._inside[connection] = _Inside(address, house, Place.ARRIVING)
        return self._settle([connection])

    def ask(self, connection: T, place: Place) -> list[T]:
        """A connection's request says what it is for; return those that must close for it."""
        if (inside := self._inside.get(connection)) is None:
            return []
        inside.asks = place
        return self._settle([connection])

    def resettle(self, *addresses: str) -> list[T]:
        """Seats have come to these addresses, or have left them; return those that must close."""
        return self._settle([each for each, inside in self._inside.items() if inside.address in addresses])

    def hold(self, connection: T, *, held: bool = True) -> None:
        """Keep a connection's place while the table has admitted what is on it."""
        if (inside := self._inside.get(connection)) is not None:
            inside.held = held

    def leave(self, connection: T) -> None:
        """A connection is closed; one that left before is ignored."""
        if (inside := self._inside.pop(connection, None)) is not None:
            self._empty(connection, inside)

    def place_of(self, connection: T) -> Place | None:
        """Where a connection is; None if it is not inside."""
        inside = self._inside.get(connection)
        return None if inside is None else inside.room[0]

    # ------------------------------------------------------------------------------------------------- rooms

    def _settle(self, connections: Iterable[T]) -> list[T]:
        """Put each in the room where it belongs, as the newest there; return who has no place any more."""
        leave: list[T] = []
        for connection in connections:
            inside = self._inside[connection]
            self._empty(connection, inside)
            inside.room = self._room_of(inside)
            room = self._rooms.setdefault(inside.room, {})
            room[connection] = None
            if len(room) > self._size(inside) and (last := self._crowd(room)) is not None:
                leave.append(last)
        for connection in leave:
            self.leave(connection)
        return leave

    def _room_of(self, inside: _Inside) -> tuple[Place, str]:
        if inside.house:
            return Place.HOUSE, ""
        return (Place.SEAT, inside.address) if inside.address in self._seats else (inside.asks, "")

    def _size(self, inside: _Inside) -> int:
        """How many places there are in the room of a connection."""
        place = inside.room[0]
        of_seats = place in (Place.SEAT, Place.HOUSE)
        return self._places[place] + (self._a_seat * self._seats.count(inside.address) if of_seats else 0)

    def _crowd(self, room: dict[T, None]) -> T | None:
        """Of the address that has the most connections here, the one that has done nothing for the longest."""
        numbers = Counter(self._inside[each].address for each in room)
        loose = (each for each in room if not self._inside[each].held)
        return max(loose, key=lambda each: numbers[self._inside[each].address], default=None)

    def _empty(self, connection: T, inside: _Inside) -> None:
        room = self._rooms.get(inside.room)
        if room is not None:
            room.pop(connection, None)
            if not room:
                del self._rooms[inside.room]
