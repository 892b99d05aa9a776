"""In which order the dials of one bus are looked at, and with which transactions.

The cheapest legal order: what hangs on the trunk first, then mux after mux, channel after channel, so that
a mux is left only once per scan. The dials of one mux become one prepared run; an adapter that knows
mangling takes it in one call. Such an adapter cannot say which transaction of a call failed, so the bus then runs
them all again, one by one; therefore a run begins with its own selection, stays on one mux and within one
call: begun anew from any of its channels, it reads the same dials.

Chips that want time between question and answer (`wait_ns`) are all asked first; while they think the others are
read, and their answers are fetched last, each as soon as its own chip has had its time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hardware.adapter import MESSAGES_PER_CALL
from hardware.bus import Bus, Outcome, Prepared, PreparedRun, Transaction, prepared_run, wire_bits
from hardware.chips.dial_chip import Complaint, DialChip, Look
from hardware.chips.tca9548a import Channel, MuxTrunk
from hardware.clock import Clock
from hardware.errors import BusStuck
from hardware.readings import Reading, TroubleKind
from hardware.recovery_stages import SOUND, DialLadder

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
    last_raw: int | None = None
    """What it gave last; None since it was started."""
    full_at_ns: int = 0
    fulls: int = 0
    """So many full reads are still wanted since it moved far, the next one from then on."""

    @property
    def place(self) -> str:
        return f"{self.chip.bus.name}, chip 0x{self.chip.address:02X}"


@dataclass(frozen=True, slots=True, eq=False)
class PlannedLook:
    """Where one dial's answers stand in a run's outcomes (`first` to before `last`), whether the mux's
    register stands behind them (`read_back`), and at which SHARES-th of the run's time they were there. `request`:
    where the question stands, if it was asked before."""

    slot: Slot
    look: Look
    first: int
    last: int
    read_back: int | None
    share: int
    request: int | None = None


Verdict = Reading | Complaint | None
Straight = tuple[Slot, Callable[[bytearray, int], Verdict | PlannedLook], bytearray, int]
"""A look made ready to be heard: whose it is, who hears it, where its answer lands, and its share of the run's time.
Who hears it gives the look itself back if one answer does not say all."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One run over dials of one mux, or of the trunk (`enter` and `leave` are None).

    Either it selects by itself, and the other muxes must be closed before it; or it needs `enter` open.
    """

    run: PreparedRun
    looks: Sequence[PlannedLook]
    straight: Sequence[Straight]
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


Wanted = tuple[Slot, Look]

MOST_WAITING = 12
"""Dials that are asked in one go: selections, questions and answers of each must fit into a call."""


def build(
    bus: Bus, trunk: MuxTrunk | None, slots: Sequence[Slot], dues: Sequence[Look | None], clock: Clock
) -> list[Plan]:
    """The runs that take these looks (None: leave the dial out); nearly always one."""
    wanted = [(slot, look) for slot, look in zip(slots, dues, strict=True) if look is not None]
    way = trunk if len({slot.channel for slot, _ in wanted}) > 1 else None
    drafts = _drafted(way, [each for each in wanted if not each[0].chip.wait_ns])
    waiting = [each for each in wanted if each[0].chip.wait_ns]
    plans = []
    for at in range(0, len(waiting), MOST_WAITING):
        between = drafts.pop(0) if drafts else _Draft()
        plans.append(_pipelined(bus, way, waiting[at : at + MOST_WAITING], between, clock))
    return [*plans, *(_finished(bus, draft) for draft in drafts)]


def _pipelined(bus: Bus, way: MuxTrunk | None, waiting: Sequence[Wanted], between: _Draft, clock: Clock) -> Plan:
    """All questions, then the looks at other dials, then all answers, each no sooner after its own question than its
    chip wants. Where dials share a call nobody knows when in it each was asked: all of them count from its end."""
    together = [waiting] if getattr(bus, "batching", False) else [[each] for each in waiting]
    questions = _halves(way, together, last=1)
    answers = _halves(way, together, first=1)
    waits_ns = [max(slot.chip.wait_ns for slot, _ in wanted) for wanted in together]
    parts = [*questions, *([between] if between.transactions else []), *answers]
    runs = [bus.prepare(part.transactions) for part in parts]
    first_answer = len(parts) - len(answers)

    def run() -> Sequence[Outcome]:
        outcomes: list[Outcome] = []
        asked_ns: list[int] = []
        for at, part in enumerate(runs):
            if outcomes and isinstance(outcomes[-1], BusStuck):
                return outcomes + [outcomes[-1]] * (len(whole.transactions) - len(outcomes))
            if at >= first_answer:
                clock.sleep_until(asked_ns[at - first_answer] + waits_ns[at - first_answer])
            outcomes += part()
            asked_ns.append(clock.now_ns())
        return outcomes

    whole = _joined(parts)
    asked = sum(len(part.places) for part in questions)
    requests = {id(slot): first for slot, _, first, _, _ in whole.places[:asked]}
    del whole.places[:asked]
    return _planned(whole, run, requests, enter=waiting[0][0].channel)


def _halves(
    way: MuxTrunk | None, together: Sequence[Sequence[Wanted]], first: int = 0, last: int | None = None
) -> list[_Draft]:
    """One half of every look, a run for those that share one; each goes on where the one before it ended."""
    drafts: list[_Draft] = []
    for wanted in together:
        drafts.append(_Draft(here=drafts[-1].here if drafts else None))
        for slot, look in wanted:
            _go_to(drafts[-1], way, slot)
            _add(drafts[-1], slot, look, first, last)
    return drafts


def _joined(parts: Sequence[_Draft]) -> _Draft:
    """One after the other, as their outcomes are."""
    whole = _Draft()
    for part in parts:
        start = len(whole.transactions)
        whole.transactions += part.transactions
        whole.selections += [at + start for at in part.selections]
        whole.places += [
            (slot, look, first + start, last + start, None if back is None else back + start)
            for slot, look, first, last, back in part.places
        ]
    return whole


def _drafted(way: MuxTrunk | None, wanted: Sequence[Wanted]) -> list[_Draft]:
    drafts: list[_Draft] = []
    for slot, look in wanted:
        if not drafts or not _fits(drafts[-1], slot, look):
            drafts.append(_Draft())
        _go_to(drafts[-1], way, slot)
        _add(drafts[-1], slot, look)
    return drafts


def _fits(draft: _Draft, slot: Slot, look: Look) -> bool:
    """With at most two messages to select and one to read the register back."""
    messages = sum(map(len, draft.transactions)) + sum(map(len, slot.chip.transactions(look))) + 3
    return messages <= MESSAGES_PER_CALL


def _finished(bus: Bus, draft: _Draft) -> Plan:
    return _planned(draft, bus.prepare(draft.transactions), {}, enter=draft.places[0][0].channel)


def _planned(draft: _Draft, run: Prepared, requests: Mapping[int, int], enter: Channel | None) -> Plan:
    ends = _running_bits(draft.transactions)
    looks = [
        PlannedLook(slot, look, first, last, back, ends[last - 1] * SHARES // ends[-1], requests.get(id(slot)))
        for slot, look, first, last, back in draft.places
    ]
    addresses = sorted({slot.chip.address for slot, *_ in draft.places})
    ready = prepared_run(run, draft.transactions)
    straight = [_straight(look, ready.answers) for look in looks]
    return Plan(ready, looks, straight, draft.selections, enter, draft.places[-1][0].channel, addresses)


def _straight(planned: PlannedLook, answers: Sequence[bytearray | None]) -> Straight:
    slot, look, answer = planned.slot, planned.look, answers[planned.last - 1]
    assert answer is not None
    whole = planned.read_back is None and planned.last - planned.first == 1
    if not whole:
        return slot, lambda _answer, _at_ns: planned, answer, planned.share
    hear, hear_quick = slot.chip.hear, slot.chip.hear_quick
    if look is Look.QUICK:
        return slot, hear_quick, answer, planned.share
    return slot, lambda answer, at_ns: hear(look, (bytes(answer),), at_ns), answer, planned.share


def _go_to(draft: _Draft, way: MuxTrunk | None, slot: Slot) -> None:
    """Select the dial's channel, if there is one and others are visited too."""
    if way is None or slot.channel is None:
        return
    hops = way.hop(draft.here, slot.channel)
    draft.selections += range(len(draft.transactions), len(draft.transactions) + len(hops))
    draft.transactions += hops
    draft.here = slot.channel


def _add(draft: _Draft, slot: Slot, look: Look, first: int = 0, last: int | None = None) -> None:
    """The transactions of a look, or some of them; the mux is asked behind a proven answer."""
    begin = len(draft.transactions)
    draft.transactions += slot.chip.transactions(look)[first:last]
    end = len(draft.transactions)
    read_back = None
    if look in (Look.PROVEN, Look.FULL) and slot.channel is not None and last is None:
        read_back = end
        draft.transactions.append((slot.channel.mux.read_back,))
    draft.places.append((slot, look, begin, end, read_back))


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
    draft = _Draft(here=channels[-1] if channels else None)
    way = trunk if trunk is not None and channels else None
    for stretch in stretches(ordered):
        waiting = [slot for slot in stretch if slot.chip.wait_ns]
        for slot in waiting:
            _go_to(draft, way, slot)
            _add(draft, slot, Look.QUICK, last=1)
        for slot in stretch:
            if not slot.chip.wait_ns:
                _go_to(draft, way, slot)
                _add(draft, slot, Look.QUICK)
        for slot in waiting:
            _go_to(draft, way, slot)
            _add(draft, slot, Look.QUICK, first=1)
    return draft.transactions


def proof_extra_bits(slot: Slot, proof: Look = Look.PROVEN) -> int:
    """What a PROVEN or FULL look costs more than a QUICK one, and the FRESH one after it."""
    quick, fresh, full = (sum(map(wire_bits, slot.chip.transactions(look))) for look in (Look.QUICK, Look.FRESH, proof))
    back = wire_bits((slot.channel.mux.read_back,)) if slot.channel is not None else 0
    return full + back - quick + fresh - quick


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
