"""The places of a centre's connections: pure, without a socket."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.centre.service.places import THIS_MACHINE, ConnectionPlaces, PlaceLimits, count_as

SMALL = PlaceLimits(most=8, an_address=4, tables=3, a_table=2, this_machine=2)


@dataclass(eq=False)
class Connection:
    """One that is named in messages. `is_at_work`: its request is whole and not answered."""

    name: str
    is_at_work: bool = False


def enter(
    places: ConnectionPlaces[Connection], address: str, *, at_work: bool = False
) -> tuple[Connection, list[str] | None]:
    """A new connection, and the names of those that closed for it; None if it was refused."""
    made = Connection(address, at_work)
    leave = places.enter(address, made)
    return made, None if leave is None else [each.name for each in leave]


def full(*, at_work: bool = False) -> ConnectionPlaces[Connection]:
    """ConnectionPlaces that two strangers have taken."""
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    for address in ("a", "b"):
        for _ in range(4):
            assert enter(places, address, at_work=at_work)[1] == []
    return places


def test_strangers_make_room_for_each_other_and_for_a_table() -> None:
    places = full()
    assert enter(places, "table")[1] == ["a"]
    assert enter(places, "other")[1] == ["b"], "the address that has most now"
    assert len(places) == SMALL.most


def test_an_address_has_so_many_and_replaces_its_own() -> None:
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    first = enter(places, "a")[0]
    for _ in range(3):
        enter(places, "a")
    first.is_at_work = True
    assert enter(places, "a")[1] == ["a"], "not the one that is at work"
    assert (len(places), first in places) == (4, True)


def test_an_address_whose_connections_all_work_is_refused_alone() -> None:
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    for _ in range(4):
        enter(places, "a", at_work=True)
    assert enter(places, "a")[1] is None
    assert enter(places, "b")[1] == []


def test_this_machine_has_a_place_when_all_others_work() -> None:
    places = full(at_work=True)
    assert enter(places, "table")[1] is None
    assert [enter(places, THIS_MACHINE, at_work=True)[1] for _ in range(3)] == [[], [], None]


def test_strangers_leave_this_machine_its_places() -> None:
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    for _ in range(2):
        enter(places, THIS_MACHINE)
    for number in range(20):
        enter(places, f"stranger {number}")
    assert enter(places, THIS_MACHINE)[1] == ["stranger 14"]
    assert len(places) == SMALL.most


def test_a_proxy_on_this_machine_may_have_all_places_and_still_gets_new_ones() -> None:
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    answers = [enter(places, THIS_MACHINE)[1] for _ in range(10)]
    assert answers == [[]] * 8 + [[THIS_MACHINE]] * 2


def test_a_table_that_hands_over_keeps_its_place() -> None:
    places = full()
    table = enter(places, "a-table")[0]
    places.keep_table(table, "origin")
    for number in range(30):
        enter(places, f"stranger {number}")
    assert table in places
    places.leave(table)
    places.leave(table)
    assert len(places) == SMALL.most - 1


def test_a_table_has_two_kept_places_and_all_tables_have_some() -> None:
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    own = [enter(places, "a")[0] for _ in range(3)]
    for connection in own:
        places.keep_table(connection, "origin")
    assert places.kept_tables == own[1:]
    others = [enter(places, f"table {number}")[0] for number in range(2)]
    for number, connection in enumerate(others):
        places.keep_table(connection, f"other {number}")
    assert places.kept_tables == [own[2], *others]
    places.keep_table(own[2], "origin")
    assert places.kept_tables == [*others, own[2]]


def test_a_connection_that_has_left_is_not_kept() -> None:
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    gone = enter(places, "a")[0]
    places.leave(gone)
    places.keep_table(gone, "origin")
    assert len(places) == 0
    assert places.kept_tables == []


def test_a_table_behind_a_crowded_address_gets_in_and_stays() -> None:
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    for _ in range(4):
        enter(places, "shop")
    table, leave = enter(places, "shop")
    assert leave == ["shop"]
    places.keep_table(table, "origin")
    for _ in range(9):
        enter(places, "shop")
    assert table in places


STEPS = st.lists(
    st.tuples(st.sampled_from(["enter", "leave", "work", "rest", "keep"]), st.integers(0, 5)), max_size=120
)


@given(STEPS)
def test_whatever_comes_and_goes_the_limits_hold_and_no_one_at_work_is_put_out(steps: list[tuple[str, int]]) -> None:
    places: ConnectionPlaces[Connection] = ConnectionPlaces(SMALL)
    inside: list[Connection] = []
    for what, number in steps:
        if what == "enter":
            address = THIS_MACHINE if number == 0 else f"address {number}"
            made = Connection(address)
            leave = places.enter(address, made)
            for other in leave or ():
                assert not other.is_at_work
                inside.remove(other)
            if leave is not None:
                inside.append(made)
        elif inside:
            connection = inside[number % len(inside)]
            if what == "leave":
                inside.remove(connection)
                places.leave(connection)
            elif what == "keep":
                places.keep_table(connection, f"origin {number % 2}")
            else:
                connection.is_at_work = what == "work"
        assert len(places) == len(inside) <= SMALL.most + SMALL.this_machine
        assert len(places.kept_tables) <= SMALL.tables
        strangers = [each.name for each in inside if each not in places.kept_tables and each.name != THIS_MACHINE]
        assert all(each in places for each in inside)
        assert len(places.kept_tables) + len(strangers) <= SMALL.most


@pytest.mark.parametrize(
    ("client", "server", "counted"),
    [
        ("127.0.0.1", "127.0.0.1", THIS_MACHINE),
        ("::1", "::1", THIS_MACHINE),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1", THIS_MACHINE),
        ("192.0.2.7", "192.0.2.7", THIS_MACHINE),
        ("192.0.2.8", "192.0.2.7", "192.0.2.8"),
        ("::ffff:192.0.2.8", "::ffff:192.0.2.7", "192.0.2.8"),
        ("", "", ""),
    ],
)
def test_an_address_is_counted(client: str, server: str, counted: str) -> None:
    assert count_as(client, server) == counted


def test_a_network_of_64_bits_is_one_address() -> None:
    one, same, other = (count_as(each, "2001:db8::1") for each in ("2001:db8:1::2", "2001:db8:1::3", "2001:db8:2::3"))
    assert one == same != other
