"""In which order the dials of one bus are looked at, and with which transactions.

The cheapest legal order: what hangs on the trunk first, then mux after mux, channel after channel, so that
a mux is left only once per scan. The dials of one mux become one prepared run; an adapter that knows
mangling takes it in one call. Such an adapter cannot say which transaction of a call failed, so the bus then runs
them all again, one by one; therefore a run begins with its own selection, stays on one mux and within one
call: begun anew from any of its channels, it reads the same dials.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hardware.adapter import MESSAGES_PER_CALL
from hardware.bus import Bus, Prepared, Transaction, wire_bits
from hardware.chips.dial_chip import DialChip, Look
from hardware.chips.tca9548a import Channel, MuxTrunk
from hardware.ladder import SOUND, DialLadder
from hardware.readings import TroubleKind

SHARES = 1024


@dataclass(frozen=True, slots=True)
class ScanDial:
    """One dial to scan: its name as the table says it, and its encoder on its bus or channel."""

    name: str
    chip: DialChip


@dataclass(slots=True, eq=False)
class Slot:
    """What a scan keeps of one dial. `present` means that its angle counts at the moment."""

    index: int
    name: str
    chip: DialChip
    channel: Channel | None
    present: bool = False
    kind: TroubleKind = TroubleKind.NOT_READ
    words: str = ""
    last_ns: int | None = None
    next_try_ns: int = 0
    delay_ns: int = 0
    steps: Iterator[None] | None = None
    ladder: DialLadder = SOUND
    hung: bool = False
    reads: int = 0
    retries: int = 0
    losses: int = 0
    longest_gap_ns: int = 0

    @property
    def place(self) -> str:
        return f"{self.chip.bus.name}, chip 0x{self.chip.address:02X}"


@dataclass(frozen=True, slots=True, eq=False)
class PlannedLook:
    """Where one dial's answers stand in a run's outcomes (`first` to before `last`), whether the mux's
    register stands behind them (`read_back`), and at which SHARES-th of the run's time they were there."""

    slot: Slot
    look: Look
    first: int
    last: int
    read_back: int | None
    share: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One run over dials of one mux, or of the trunk (`enter` and `leave` are None).

    Either it selects by itself, and the other muxes must be closed before it; or it needs `enter` open.
    """

    run: Prepared
    looks: Sequence[PlannedLook]
    selections: Sequence[int]
    enter: Channel | None
    leave: Channel | None
    addresses: Sequence[int]


@dataclass(slots=True)
class _Draft:
    transactions: list[Transaction] = field(default_factory=list)
    selections: list[int] = field(default_factory=list)
    places: list[tuple[Slot, Look, int, int, int | None]] = field(default_factory=list)
    here: Channel | None = None


def build(bus: Bus, trunk: MuxTrunk | None, slots: Sequence[Slot], dues: Sequence[Look | None]) -> list[Plan]:
    """The runs that take these looks (None: leave the dial out); nearly always one."""
    wanted = [(slot, look) for slot, look in zip(slots, dues, strict=True) if look is not None]
    several = len({slot.channel for slot, _ in wanted}) > 1
    drafts: list[_Draft] = []
    for slot, look in wanted:
        if not drafts or not _fits(drafts[-1], slot, look):
            drafts.append(_Draft())
        if several and trunk is not None and slot.channel is not None:
            _go_to(drafts[-1], trunk, slot.channel)
        _add(drafts[-1], slot, look)
    return [_finished(bus, draft) for draft in drafts]


def _fits(draft: _Draft, slot: Slot, look: Look) -> bool:
    """With at most two messages to select and one to read the register back."""
    messages = sum(map(len, draft.transactions)) + sum(map(len, slot.chip.transactions(look))) + 3
    return messages <= MESSAGES_PER_CALL


def _finished(bus: Bus, draft: _Draft) -> Plan:
    ends = _running_bits(draft.transactions)
    looks = [
        PlannedLook(slot, look, first, last, back, ends[last - 1] * SHARES // ends[-1])
        for slot, look, first, last, back in draft.places
    ]
    addresses = sorted({slot.chip.address for slot, *_ in draft.places})
    return Plan(
        bus.prepare(draft.transactions),
        looks,
        draft.selections,
        draft.places[0][0].channel,
        draft.places[-1][0].channel,
        addresses,
    )


def _go_to(draft: _Draft, trunk: MuxTrunk, channel: Channel) -> None:
    hops = trunk.hop(draft.here, channel)
    draft.selections += range(len(draft.transactions), len(draft.transactions) + len(hops))
    draft.transactions += hops
    draft.here = channel


def _add(draft: _Draft, slot: Slot, look: Look) -> None:
    first = len(draft.transactions)
    draft.transactions += slot.chip.transactions(look)
    last = len(draft.transactions)
    read_back = None
    if look is Look.PROVEN and slot.channel is not None:
        read_back = last
        draft.transactions.append((slot.channel.mux.read_back,))
    draft.places.append((slot, look, first, last, read_back))


def _running_bits(transactions: Sequence[Transaction]) -> list[int]:
    ends: list[int] = []
    total = 0
    for transaction in transactions:
        total += wire_bits(transaction)
        ends.append(total)
    return ends


def in_order(slots: Sequence[Slot]) -> list[Slot]:
    """Trunk first, then by mux and channel."""

    def place(slot: Slot) -> tuple[int, int, int]:
        channel = slot.channel
        return (
            (0, 0, slot.chip.address) if channel is None else (channel.mux.address, channel.number, slot.chip.address)
        )

    return sorted(slots, key=place)


def stretches(slots: Sequence[Slot]) -> list[list[Slot]]:
    """The order cut where one mux ends and the next begins."""
    return [
        list(together)
        for _, together in itertools.groupby(slots, key=lambda slot: slot.channel and slot.channel.mux.address)
    ]


def ideal_transactions(trunk: MuxTrunk | None, ordered: Sequence[Slot]) -> list[Transaction]:
    """What the wire needs at least for one of many equal scans: quick looks, and the way between them, also
    from the last dial back to the first."""
    channels = [slot.channel for slot in ordered if slot.channel is not None]
    here = channels[-1] if channels else None
    ideal: list[Transaction] = []
    for slot in ordered:
        if slot.channel is not None and trunk is not None:
            ideal += trunk.hop(here, slot.channel)
            here = slot.channel
        ideal += slot.chip.transactions(Look.QUICK)
    return ideal


def proof_extra_bits(slot: Slot) -> int:
    """What a PROVEN look costs more than a QUICK one, and the FRESH one after it."""
    quick, fresh, proven = (
        sum(map(wire_bits, slot.chip.transactions(look))) for look in (Look.QUICK, Look.FRESH, Look.PROVEN)
    )
    back = wire_bits((slot.channel.mux.read_back,)) if slot.channel is not None else 0
    return proven + back - quick + fresh - quick


def problems(dials: Sequence[ScanDial]) -> list[str]:
    """What makes these dials unreadable or ambiguous on one bus; all of it."""
    found = [f"dial {name} is listed twice" for name in _doubles([dial.name for dial in dials])]
    if len({id(trunk_bus(dial.chip)) for dial in dials}) > 1:
        found.append("the dials of one scan hang on one bus")
    places = [f"{dial.chip.bus.name}, chip 0x{dial.chip.address:02X}" for dial in dials]
    found += [f"two dials have the same place: {place}" for place in _doubles(places)]
    muxed = {dial.chip.address for dial in dials if isinstance(dial.chip.bus, Channel)}
    direct = {dial.chip.address for dial in dials} - muxed | {
        dial.chip.address for dial in dials if not isinstance(dial.chip.bus, Channel)
    }
    found += [
        f"chip 0x{address:02X} on the trunk would answer together with every one behind a mux"
        for address in sorted(muxed & direct)
    ]
    return found


def _doubles(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def trunk_bus(chip: DialChip) -> Bus:
    """The bus itself, also for a chip behind a mux."""
    return chip.bus.mux.bus if isinstance(chip.bus, Channel) else chip.bus
