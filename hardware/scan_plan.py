"""The order in which the dials of one bus are read, and the transactions.

The cheapest legal order: what is wired to the trunk first, then mux after mux, channel after channel, so that
a mux is left only once per scan. The dials of one mux become one prepared run; an adapter that knows
mangling takes it in one call. Such an adapter cannot report which transaction of a call failed, so the bus then runs
all of them again, one by one; therefore a run begins with its own selection, stays on one mux and within one
call: repeated from any of its channels, it reads the same dials.

Chips that need time between request and answer (`wait_ns`) all get their requests first; meanwhile the other chips are
read, and the answers are fetched last, each as soon as its own chip has had its time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hardware.adapter import MESSAGES_PER_CALL
from hardware.bus import Bus, Outcome, Prepared, PreparedRun, Transaction, prepared_run, wire_bits
from hardware.chips.dial_chip import Complaint, DialChip, ReadMode
from hardware.chips.tca9548a import Channel, MuxTrunk
from hardware.clock import Clock
from hardware.errors import BusStuck
from hardware.readings import Reading, TroubleKind
from hardware.recovery_stages import HEALTHY, DialStages

SHARES = 1024


@dataclass(frozen=True, slots=True)
class ScanDial:
    """One dial to scan: its name at the table, and its encoder on its bus or channel."""

    name: str
    chip: DialChip


@dataclass(slots=True, eq=False)
class Slot:
    """A scan's state of one dial. `present`: its angle counts at the moment."""

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
    stages: DialStages = HEALTHY
    hung: bool = False
    reads: int = 0
    retries: int = 0
    losses: int = 0
    longest_gap_ns: int = 0
    last_raw: int | None = None
    """Its last reading; None since it was started."""
    full_at_ns: int = 0
    fulls: int = 0
    """So many full reads are still due since it moved far, the next one at `full_at_ns`."""

    @property
    def place(self) -> str:
        return f"{self.chip.bus.name}, chip 0x{self.chip.address:02X}"


def new_slot(index: int, dial: ScanDial) -> Slot:
    """The slot of a dial that was not read yet."""
    slot = Slot(index, dial.name, dial.chip, dial.chip.bus if isinstance(dial.chip.bus, Channel) else None)
    slot.words = f"dial {dial.name} ({slot.place}) was not read yet. Wait a moment."
    return slot


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRead:
    """Where one dial's answers are in a run's outcomes (`first` to before `last`), whether the mux's
    register follows them (`read_back`), and at which SHARES-th of the run's time they arrived. `request`:
    where the request is, if it was sent before."""

    slot: Slot
    mode: ReadMode
    first: int
    last: int
    read_back: int | None
    share: int
    request: int | None = None


Decoded = Reading | Complaint | None
DirectRead = tuple[Slot, Callable[[bytearray, int], Decoded | PlannedRead], bytearray, int]
"""A read for the hot path: its dial, its decoder, the buffer of its answer, and its share of the run's time.
The decoder returns the PlannedRead if one answer is not enough."""


@dataclass(frozen=True, slots=True, eq=False)
class RunPlan:
    """One run over dials of one mux, or of the trunk (`enter` and `leave` are None).

    Either it selects its channels, and the other muxes must be closed before it; or it needs `enter` open.
    """

    run: PreparedRun
    reads: Sequence[PlannedRead]
    direct: Sequence[DirectRead]
    selections: Sequence[int]
    enter: Channel | None
    leave: Channel | None
    addresses: Sequence[int]


MOST_PLANS = 64


class MuxGroup:
    """Dials that are planned together. Plans are kept by the modes that are due."""

    __slots__ = ("_dues", "_kept", "_planned", "slots")

    def __init__(self, slots: Sequence[Slot]) -> None:
        self.slots = slots
        self._kept: dict[tuple[ReadMode | None, ...], list[RunPlan]] = {}
        self._dues: Sequence[ReadMode | None] = ()
        self._planned: Sequence[RunPlan] = ()

    def forget_plans(self) -> None:
        self._kept.clear()
        self._dues = ()

    def planned(self, bus: Bus | None, trunk: MuxTrunk | None, clock: Clock) -> Sequence[RunPlan]:
        """The plans for what is due now: nearly always those of the last scan, everything QUICK."""
        dues = [slot.chip.due if slot.present else None for slot in self.slots]
        if dues != self._dues:
            self._dues, key = dues, tuple(dues)
            if key not in self._kept:
                if len(self._kept) >= MOST_PLANS:
                    self._kept.clear()
                assert bus is not None
                self._kept[key] = build(bus, trunk, self.slots, dues, clock)
            self._planned = self._kept[key]
        return self._planned


@dataclass(slots=True)
class _Draft:
    transactions: list[Transaction] = field(default_factory=list)
    selections: list[int] = field(default_factory=list)
    places: list[tuple[Slot, ReadMode, int, int, int | None]] = field(default_factory=list)
    here: Channel | None = None


Wanted = tuple[Slot, ReadMode]

MOST_WAITING = 12
"""Dials that share a call: the selections, requests and answers of each must fit into it."""


def build(
    bus: Bus, trunk: MuxTrunk | None, slots: Sequence[Slot], dues: Sequence[ReadMode | None], clock: Clock
) -> list[RunPlan]:
    """The runs for these modes (None: leave the dial out); nearly always one."""
    wanted = [(slot, mode) for slot, mode in zip(slots, dues, strict=True) if mode is not None]
    way = trunk if len({slot.channel for slot, _ in wanted}) > 1 else None
    drafts = _drafted(way, [each for each in wanted if not each[0].chip.wait_ns])
    waiting = [each for each in wanted if each[0].chip.wait_ns]
    plans = []
    for at in range(0, len(waiting), MOST_WAITING):
        between = drafts.pop(0) if drafts else _Draft()
        plans.append(_pipelined(bus, way, waiting[at : at + MOST_WAITING], between, clock))
    return [*plans, *(_finished(bus, draft) for draft in drafts)]


def _pipelined(bus: Bus, way: MuxTrunk | None, waiting: Sequence[Wanted], between: _Draft, clock: Clock) -> RunPlan:
    """All requests, then the reads of other dials, then all answers, each no sooner after its own request than its
    chip needs. Where dials share a call the time of each request is unknown: all count from the call's end."""
    together = [waiting] if getattr(bus, "batching", False) else [[each] for each in waiting]
    requests = _halves(way, together, last=1)
    answers = _halves(way, together, first=1)
    waits_ns = [max(slot.chip.wait_ns for slot, _ in wanted) for wanted in together]
    parts = [*requests, *([between] if between.transactions else []), *answers]
    runs = [bus.prepare(part.transactions) for part in parts]
    first_answer = len(parts) - len(answers)

    def run() -> Sequence[Outcome]:
        outcomes: list[Outcome] = []
        sent_ns: list[int] = []
        for at, part in enumerate(runs):
            if outcomes and isinstance(outcomes[-1], BusStuck):
                return outcomes + [outcomes[-1]] * (len(whole.transactions) - len(outcomes))
            if at >= first_answer:
                clock.sleep_until(sent_ns[at - first_answer] + waits_ns[at - first_answer])
            outcomes += part()
            sent_ns.append(clock.now_ns())
        return outcomes

    whole = _joined(parts)
    sent = sum(len(part.places) for part in requests)
    requested = {id(slot): first for slot, _, first, _, _ in whole.places[:sent]}
    del whole.places[:sent]
    return _planned(whole, run, requested, enter=waiting[0][0].channel)


def _halves(
    way: MuxTrunk | None, together: Sequence[Sequence[Wanted]], first: int = 0, last: int | None = None
) -> list[_Draft]:
    """One half of every read, a run for those that share one; each starts on the channel where the last one ended."""
    drafts: list[_Draft] = []
    for wanted in together:
        drafts.append(_Draft(here=drafts[-1].here if drafts else None))
        for slot, mode in wanted:
            _go_to(drafts[-1], way, slot)
            _add(drafts[-1], slot, mode, first, last)
    return drafts


def _joined(parts: Sequence[_Draft]) -> _Draft:
    """The parts in sequence, as their outcomes are."""
    whole = _Draft()
    for part in parts:
        start = len(whole.transactions)
        whole.transactions += part.transactions
        whole.selections += [at + start for at in part.selections]
        whole.places += [
            (slot, mode, first + start, last + start, None if back is None else back + start)
            for slot, mode, first, last, back in part.places
        ]
    return whole


def _drafted(way: MuxTrunk | None, wanted: Sequence[Wanted]) -> list[_Draft]:
    drafts: list[_Draft] = []
    for slot, mode in wanted:
        if not drafts or not _fits(drafts[-1], slot, mode):
            drafts.append(_Draft())
        _go_to(drafts[-1], way, slot)
        _add(drafts[-1], slot, mode)
    return drafts


def _fits(draft: _Draft, slot: Slot, mode: ReadMode) -> bool:
    """Whether it fits, with at most two messages to select and one to read the register back."""
    messages = sum(map(len, draft.transactions)) + sum(map(len, slot.chip.transactions(mode))) + 3
    return messages <= MESSAGES_PER_CALL


def _finished(bus: Bus, draft: _Draft) -> RunPlan:
    return _planned(draft, bus.prepare(draft.transactions), {}, enter=draft.places[0][0].channel)


def _planned(draft: _Draft, run: Prepared, requests: Mapping[int, int], enter: Channel | None) -> RunPlan:
    ends = _running_bits(draft.transactions)
    reads = [
        PlannedRead(slot, mode, first, last, back, ends[last - 1] * SHARES // ends[-1], requests.get(id(slot)))
        for slot, mode, first, last, back in draft.places
    ]
    addresses = sorted({slot.chip.address for slot, *_ in draft.places})
    ready = prepared_run(run, draft.transactions)
    direct = [_direct(read, ready.answers) for read in reads]
    return RunPlan(ready, reads, direct, draft.selections, enter, draft.places[-1][0].channel, addresses)


def _direct(planned: PlannedRead, answers: Sequence[bytearray | None]) -> DirectRead:
    slot, mode, answer = planned.slot, planned.mode, answers[planned.last - 1]
    assert answer is not None
    whole = planned.read_back is None and planned.last - planned.first == 1
    if not whole:
        return slot, lambda _answer, _at_ns: planned, answer, planned.share
    decode, decode_quick = slot.chip.decode, slot.chip.decode_quick
    if mode is ReadMode.QUICK:
        return slot, decode_quick, answer, planned.share
    return slot, lambda answer, at_ns: decode(mode, (bytes(answer),), at_ns), answer, planned.share


def _go_to(draft: _Draft, way: MuxTrunk | None, slot: Slot) -> None:
    """Select the dial's channel, if it has one and other channels are read too."""
    if way is None or slot.channel is None:
        return
    switches = way.route(draft.here, slot.channel)
    draft.selections += range(len(draft.transactions), len(draft.transactions) + len(switches))
    draft.transactions += switches
    draft.here = slot.channel


def _add(draft: _Draft, slot: Slot, mode: ReadMode, first: int = 0, last: int | None = None) -> None:
    """Add the transactions of a read, or some of them; after a verified answer the mux is read back."""
    begin = len(draft.transactions)
    draft.transactions += slot.chip.transactions(mode)[first:last]
    end = len(draft.transactions)
    read_back = None
    if mode in (ReadMode.VERIFIED, ReadMode.FULL) and slot.channel is not None and last is None:
        read_back = end
        draft.transactions.append((slot.channel.mux.read_back,))
    draft.places.append((slot, mode, begin, end, read_back))


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


def by_mux(slots: Sequence[Slot]) -> list[list[Slot]]:
    """The slots, cut where one mux ends and the next begins."""
    return [
        list(together)
        for _, together in itertools.groupby(slots, key=lambda slot: slot.channel and slot.channel.mux.address)
    ]


def ideal_transactions(trunk: MuxTrunk | None, ordered: Sequence[Slot]) -> list[Transaction]:
    """The least that one of many equal scans needs: quick reads, and the selections between them, also
    from the last dial back to the first."""
    channels = [slot.channel for slot in ordered if slot.channel is not None]
    draft = _Draft(here=channels[-1] if channels else None)
    way = trunk if trunk is not None and channels else None
    for group in by_mux(ordered):
        waiting = [slot for slot in group if slot.chip.wait_ns]
        for slot in waiting:
            _go_to(draft, way, slot)
            _add(draft, slot, ReadMode.QUICK, last=1)
        for slot in group:
            if not slot.chip.wait_ns:
                _go_to(draft, way, slot)
                _add(draft, slot, ReadMode.QUICK)
        for slot in waiting:
            _go_to(draft, way, slot)
            _add(draft, slot, ReadMode.QUICK, first=1)
    return draft.transactions


def verification_extra_bits(slot: Slot, mode: ReadMode = ReadMode.VERIFIED) -> int:
    """The extra bits of a VERIFIED or FULL read over a QUICK one, and of the FRESH read after it."""
    modes = (ReadMode.QUICK, ReadMode.FRESH, mode)
    quick, fresh, full = (sum(map(wire_bits, slot.chip.transactions(each))) for each in modes)
    back = wire_bits((slot.channel.mux.read_back,)) if slot.channel is not None else 0
    return full + back - quick + fresh - quick


def problems(dials: Sequence[ScanDial]) -> list[str]:
    """Everything that makes these dials unreadable or ambiguous on one bus."""
    found = [f"dial {name} is listed twice" for name in _doubles([dial.name for dial in dials])]
    if len({id(trunk_bus(dial.chip)) for dial in dials}) > 1:
        found.append("the dials of one scan must be on one bus")
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
    """The bus of the adapter, also for a chip behind a mux."""
    return chip.bus.mux.bus if isinstance(chip.bus, Channel) else chip.bus
