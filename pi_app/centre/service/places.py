"""Which connections a centre keeps, and which one closes to make room for a new one. Pure.

A connection whose request is whole and not answered yet is at work and stays; every other one makes room: it idles, or
its request is half here. Of these, the oldest of the address that has most of them goes first, so strangers make room
for each other. Two kinds are kept from that: connections over which an enrolled table has handed over entries that were
new, and some of this machine itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final, Generic, Protocol, TypeVar

THIS_MACHINE: Final = "this machine"


@dataclass(frozen=True, slots=True)
class PlaceLimits:
    """How many connections there may be: `most` in all, `an_address` of each address, `tables` of tables that hand
    over, `a_table` of each of these. `this_machine` are kept for the centre's own machine, beyond `most` if need be. A
    proxy on that machine may have all."""

    most: int = 2_000
    an_address: int = 256
    tables: int = 1_500
    a_table: int = 2
    this_machine: int = 16


class HasPlace(Protocol):
    """A connection that has a place."""

    @property
    def is_at_work(self) -> bool:
        """Whether its request is whole and not answered yet."""


C = TypeVar("C", bound=HasPlace)


class ConnectionPlaces(Generic[C]):
    """The open connections of a centre. Addresses are those that `count_as` returns."""

    def __init__(self, limits: PlaceLimits) -> None:
        self.limits = limits
        self._addresses: dict[C, str] = {}
        self._strangers: dict[str, dict[C, None]] = {}
        self._tables: OrderedDict[C, str] = OrderedDict()
        """The origin of each connection of a table; the one that handed over longest ago is first."""
        self._of_origin: dict[str, dict[C, None]] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def __contains__(self, connection: object) -> bool:
        return connection in self._addresses

    @property
    def kept_tables(self) -> list[C]:
        """The connections of tables, those that handed over last at the end."""
        return list(self._tables)

    def enter(self, address: str, connection: C) -> list[C] | None:
        """Let a connection in; return those that must close for it, or None if it may not enter."""
        own = self._strangers.get(address, {})
        leaves: C | None = None
        if address != THIS_MACHINE and len(own) >= self.limits.an_address:
            leaves = next((each for each in own if not each.is_at_work), None)
            if leaves is None:
                return None
        elif len(self) >= self.limits.most:
            leaves = self._one_to_leave()
            if leaves is None and (address != THIS_MACHINE or len(own) >= self.limits.this_machine):
                return None
        if leaves is not None:
            self.leave(leaves)
        self._addresses[connection] = address
        self._strangers.setdefault(address, {})[connection] = None
        return [] if leaves is None else [leaves]

    def _one_to_leave(self) -> C | None:
        """The oldest connection that is not at work, of the address that has most; None if there is none."""
        crowds = sorted(self._strangers.items(), key=lambda each: len(each[1]), reverse=True)
        return next((each for address, own in crowds for each in self._those_who_may_leave(address, own)), None)

    def _those_who_may_leave(self, address: str, own: Mapping[C, None]) -> Iterator[C]:
        if address != THIS_MACHINE or len(own) > self.limits.this_machine:
            yield from (each for each in own if not each.is_at_work)

    def keep_table(self, connection: C, origin: str) -> None:
        """Over this connection an enrolled table has handed over entries that were new. The older connections of this
        table, above `a_table`, and the oldest of all tables, above `tables`, are strangers' again."""
        if connection not in self._addresses:
            return
        if self._tables.get(connection) != origin:
            self._take_out(connection)
            self._of_origin.setdefault(origin, {})[connection] = None
        self._tables[connection] = origin
        self._tables.move_to_end(connection)
        if len(self._of_origin[origin]) > self.limits.a_table:
            self._put_back(next(iter(self._of_origin[origin])))
        if len(self._tables) > self.limits.tables:
            self._put_back(next(iter(self._tables)))

    def _put_back(self, connection: C) -> None:
        self._take_out(connection)
        self._strangers.setdefault(self._addresses[connection], {})[connection] = None

    def leave(self, connection: C) -> None:
        """A connection is closed; one that has left before is ignored."""
        if connection in self._addresses:
            self._take_out(connection)
            del self._addresses[connection]

    def _take_out(self, connection: C) -> None:
        """Take a connection from where it is kept: among the tables, or among the strangers of its address."""
        origin = self._tables.pop(connection, None)
        kept, name = (self._strangers, self._addresses[connection]) if origin is None else (self._of_origin, origin)
        del kept[name][connection]
        if not kept[name]:
            del kept[name]


def count_as(client: str, server: str = "") -> str:
    """Return what an address is counted as: this machine is one, and so is an IPv6 network of 64 bits. `server`: the
    address that the client has reached."""
    try:
        address = ip_address(client)
    except ValueError:
        return client
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return count_as(str(address.ipv4_mapped), server.removeprefix("::ffff:"))
    if address.is_loopback or client == server:
        return THIS_MACHINE
    return str(int(address) >> 64) if isinstance(address, IPv6Address) else client
