"""Places: pure, with a clock of the test's own."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pi_app.pages.process.doors import AWAY_SECONDS, Doors, Place, SeatAddresses
from pi_app.pages.process.limits import Limits

SMALL = Limits(
    connections_a_seat=2, arriving=3, newcomers=2, returning=2, status_places=1, staff_places=1, displays=2, house=1
)
ROOM = {
    Place.ARRIVING: 3,
    Place.NEWCOMER: 2,
    Place.RETURNING: 2,
    Place.STATUS: 1,
    Place.STAFF: 1,
    Place.DISPLAY: 2,
}
ASKS = tuple(ROOM)


def test_a_seat_has_one_address_and_keeps_it_for_an_hour_after_its_last_stream() -> None:
    seats = SeatAddresses()
    assert seats.admit(0, "a", 1) == ""
    assert seats.admit(0, "a", 2) == "a"
    assert seats.admit(1, "a", 3) == ""
    assert seats.count("a") == 2
    seats.leave(1, 0.0)
    seats.forget(2 * AWAY_SECONDS)
    assert seats.count("a") == 2, "its newer stream is open"
    assert seats.admit(1, "b", 4) == "a"
    assert (seats.count("a"), seats.count("b")) == (1, 1)
    seats.leave(2, 10_000.0)
    seats.forget(10_000.0 + AWAY_SECONDS)
    assert "a" in seats
    seats.forget(10_001.0 + AWAY_SECONDS)
    assert ("a" in seats, "b" in seats) == (False, True)


def test_each_kind_has_places_of_its_own_and_the_one_that_rests_longest_makes_room() -> None:
    doors: Doors[int] = Doors(SMALL, SeatAddresses())
    assert [doors.enter(number, f"a{number}") for number in range(4)] == [[], [], [], [0]]
    assert [doors.ask(number, Place.NEWCOMER) for number in (1, 2, 1, 3)] == [[], [], [], [2]]
    assert doors.enter(9, "a9") == []
    assert [doors.ask(number, Place.STAFF) for number in (9, 1)] == [[], [9]]
    assert doors.ask(9, Place.STAFF) == [], "it is gone"
    assert [doors.place_of(number) for number in (1, 3, 9)] == [Place.STAFF, Place.NEWCOMER, None]


def test_the_address_that_has_the_most_makes_room() -> None:
    doors: Doors[int] = Doors(SMALL, SeatAddresses())
    assert [doors.enter(number, address) for number, address in enumerate("abb")] == [[], [], []]
    assert doors.enter(3, "c") == [1]
    assert doors.enter(4, "b") == [2]


def test_a_seats_places_move_with_it_and_an_admitted_stream_keeps_its_own() -> None:
    seats = SeatAddresses()
    doors: Doors[int] = Doors(SMALL, seats)
    seats.admit(0, "a", 1)
    doors.enter(1, "a")
    doors.hold(1)
    assert [doors.enter(number, "a") for number in (2, 3, 4)] == [[], [2], [3]]
    assert {doors.place_of(number) for number in (1, 4)} == {Place.SEAT}
    seats.admit(0, "b", 5)
    assert doors.resettle("a", "b") == []
    assert {doors.place_of(number) for number in (1, 4)} == {Place.ARRIVING}
    assert [doors.enter(number, address) for number, address in enumerate("cdef", 10)] == [[], [4], [10], [11]]
    assert doors.place_of(1) is Place.ARRIVING, "it is held"


def test_this_machine_always_has_a_place() -> None:
    doors: Doors[int] = Doors(SMALL, SeatAddresses())
    doors.enter(0, "127.0.0.1", house=True)
    for number in range(1, 100):
        doors.enter(number, str(number % 7))
        doors.ask(number, ASKS[number % len(ASKS)])
    assert doors.place_of(0) is Place.HOUSE
    assert doors.ask(0, Place.STATUS) == []
    assert doors.enter(100, "127.0.0.1", house=True) == [0], "the newest of its own"


STEPS = st.lists(
    st.tuples(st.sampled_from(["enter", "ask", "leave", "admit"]), st.integers(0, 5), st.integers(0, 30),
              st.sampled_from(ASKS)), max_size=200)  # fmt: skip


@given(STEPS)
def test_no_kind_ever_has_more_than_its_places_and_no_held_one_leaves(
    steps: list[tuple[str, int, int, Place]],
) -> None:
    seats = SeatAddresses()
    doors: Doors[int] = Doors(SMALL, seats)
    inside: dict[int, str] = {}
    held: dict[int, int] = {}
    for do, host, number, place in steps:
        address, leave = f"10.0.0.{host}", list[int]()
        if do == "enter" and number not in inside:
            inside[number] = address
            leave = doors.enter(number, address)
        elif do == "ask":
            leave = doors.ask(number, place)
        elif do == "leave":
            doors.leave(number)
            inside.pop(number, None)
            held = {seat: each for seat, each in held.items() if each != number}
        elif do == "admit" and number in inside and number not in held.values():
            seat = host % 2
            if seat in held:
                doors.hold(held[seat], held=False)
            held[seat] = number
            before = seats.admit(seat, inside[number], number)
            doors.hold(number)
            leave = doors.resettle(before, inside[number])
        assert not set(leave) & set(held.values())
        for other in leave:
            del inside[other]
        assert len(doors) == len(inside)
        rooms = Counter(doors.place_of(each) for each in inside)
        assert all(rooms[place] <= most for place, most in ROOM.items())
        assert rooms[Place.SEAT] <= 2 * 2
