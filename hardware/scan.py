"""The scan: all dials of one bus, over and over, as fast as the wire allows; screens get the gaps.

Every look gives a Reading or a Trouble. A look that fails or cannot be believed is taken again in the same
scan, proven this time. A dial that fails then is lost: it costs the others nothing but a try now and
then, and comes back by itself, started afresh, one step per scan.

A hung segment costs one time-out of the adapter. The muxes' RESET lines are pulsed, the other dials of this
scan are read after it, and the hung one is tried again ever more rarely, behind all others. Which step comes
next is `hardware.recovery_stages`'s to say; what is done for a whole bus is in `hardware.bus_recovery`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hardware import scan_words
from hardware.bus import Outcome, wire_bits
from hardware.bus_recovery import NONE, UNPLUG, WAKING_NS, Means, Rescue
from hardware.chips.dial_chip import FULL, PROVEN, Complaint, Look, taken
from hardware.chips.tca9548a import Channel, MuxTrunk, Tca9548a, WrongChannel, trunk_of
from hardware.clock import Clock
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, WrongTile
from hardware.readings import Reading, Sample, Trouble, TroubleKind
from hardware.recovery_stages import SOUND, Rung
from hardware.scan_plan import (
    SHARES,
    Plan,
    PlannedLook,
    ScanDial,
    Slot,
    Verdict,
    build,
    ideal_transactions,
    in_order,
    problems,
    proof_extra_bits,
    stretches,
    trunk_bus,
)

__all__ = ["DialCounts", "Scan", "ScanDial", "SliceSource"]

SCREEN_SHARE = 0.04
"""Of the bus's time, for screens, even if the dials could use all of it."""

PROOF_SHARE = 0.005
"""Of the bus's bits, for proving dial after dial: it forgot nothing, and its magnet is as strong as before. With the
screens' share it stays under the 5 % that a scan may lose against the wire's own limit."""

FULL_ROUNDS = 4
"""Everybody is proven in turn, and in every fourth round read in full: that a chip forgot its settings must be known
sooner than that its field has drifted."""

ROOMY = 0.25
MORE_PROOFS = 4
"""A bus that rests between its scans, for such a part of their time, proves so many times as often as any other."""

FAR_TURN = 1 / 64
FULLS_AFTER_A_MOVE = 3
FULL_AFTER_NS = 20_000_000
FULL_AGAIN_NS = 60_000_000
"""A dial that moved farther than a 64th of a turn between two samples is read in full so often and so soon after:
whoever follows it needs to know whether a hand did it."""

FIRST_DELAY_NS = 20_000_000
LONGEST_DELAY_NS = 320_000_000
"""A silent dial costs 31 bits per try, so it may be tried often: plugged in, it is back within a third of a
second."""

IDLE_NS = 1_000_000

STEPS_PER_SCAN = 4
"""Lost dials that may be tried in one scan while others are being read."""

STUCK_PER_SCAN = 3
"""So many time-outs, and the bus is left alone until the next scan."""

BUSY_SCAN = 1.4
"""A scan that takes so many times as long as a calm one has dials that move: then screens get nothing but the gaps."""

MOST_PLANS = 64

MOST_EXTRA_NS = 1_000_000
"""Slices cost more than they say (a mux in between, the kernel); learned, but never from one long hiccup."""


class SliceSource(Protocol):
    """A screen, as the scan sees it: it has slices of at most a few milliseconds to send."""

    def waiting(self) -> bool:
        """Whether a slice should be sent now."""

    def send_slice(self) -> None:
        """Send the next one. May raise HardwareError; the state of the screen is the screen's affair."""

    def slice_cost_ns(self) -> int:
        """How long the next one will keep the wire busy."""


@dataclass(frozen=True, slots=True)
class DialCounts:
    """What one dial's wire is worth: a dial that needs retries today is broken next month."""

    reads: int
    retries: int
    losses: int
    longest_gap_ns: int


@dataclass(slots=True, eq=False)
class _Group:
    """Dials that are planned together, their plans by the looks that are due, and the one that was used last."""

    slots: Sequence[Slot]
    plans: dict[tuple[Look | None, ...], list[Plan]] = field(default_factory=dict)
    dues: Sequence[Look | None] = ()
    planned: Sequence[Plan] = ()

    def plan_anew(self) -> None:
        """Forget all plans."""
        self.plans.clear()
        self.dues = ()


NO_SAMPLE = Trouble(TroubleKind.NOT_READ, 0, "")
"""Where a scan has no sample yet."""


class Scan:
    """All dials of one bus. Implements `hardware.readings.DialSource`; one thread owns it."""

    def __init__(
        self,
        bus_name: str,
        dials: Sequence[ScanDial],
        clock: Clock,
        screens: Sequence[SliceSource] = (),
        *,
        means: Means = NONE,
        screen_share: float = SCREEN_SHARE,
        proof_share: float = PROOF_SHARE,
    ) -> None:
        """Sends nothing yet: the first scans identify the chips and set them up.

        Raises ValueError, naming all of it, if dials clash (names, places, addresses, buses).
        """
        if found := problems(dials):
            raise ValueError(f"{bus_name}: " + "; ".join(found))
        self.bus_name = bus_name
        self._clock = clock
        self._names = tuple(dial.name for dial in dials)
        slots = [_slot(index, dial) for index, dial in enumerate(dials)]
        self._by_name = {slot.name: slot for slot in slots}
        self._slots = in_order(slots)
        self._bus = trunk_bus(dials[0].chip) if dials else None
        self._trunk: MuxTrunk | None = trunk_of(self._bus) if self._bus is not None else None
        self._groups = [_Group(stretch) for stretch in stretches(self._slots)]
        self._samples: list[Sample] = []
        self._stuck = self._spoilt = self._began_ns = 0
        self._hung_by: tuple[Slot, Tca9548a | None] | None = None
        self._hung_ns = 0
        self._wrong_channel: tuple[Tca9548a, WrongChannel] | None = None
        self._place = bus_name if self._bus is None else self._bus.name
        self._rescue = Rescue(bus_name, self._place, clock, means)
        self._proofs = _Proofs(self._slots, proof_share * self.wire_bits_per_scan())
        self._gaps = _Gaps(screens, screen_share, clock.now_ns())
        self._calm_ns = self._ended_ns = 0
        self.calm = False
        self._busy = False

    # --- what it gives

    @property
    def dials(self) -> Sequence[str]:
        return self._names

    def age_ns(self, dial: str) -> int | None:
        """How old the dial's last Reading is; None if there was none yet. Raises KeyError for a stranger."""
        last_ns = self._by_name[dial].last_ns
        return None if last_ns is None else self._clock.now_ns() - last_ns

    def counts(self, dial: str) -> DialCounts:
        """Reads, retries, losses and the longest gap between two Readings since the last `reset_counts`."""
        slot = self._by_name[dial]
        return DialCounts(slot.reads, slot.retries, slot.losses, slot.longest_gap_ns)

    def reset_counts(self) -> None:
        """Count from here on, as a benchmark does after warming up."""
        for slot in self._slots:
            slot.reads = slot.retries = slot.losses = slot.longest_gap_ns = 0

    def rung(self, dial: str) -> Rung:
        """How far up the recovery ladder the dial stands. Raises KeyError for a stranger."""
        return self._by_name[dial].ladder.rung

    @property
    def given_up(self) -> bool:
        """Whether nothing on this bus can be read, and all that could be done was done."""
        return self._rescue.ladder.given_up

    @property
    def settled(self) -> bool:
        """Whether every dial is read, and none still waits for the full read that follows a start or a fast move."""
        return not self._proofs.waiting and all(slot.present for slot in self._slots)

    @property
    def screen_failures(self) -> int:
        """Slices that did not get through."""
        return self._gaps.failures

    def wire_bits_per_scan(self) -> int:
        """The wire's own limit: the bits of one scan with nothing but the cheapest legal looks, with all
        selections and deselections of muxes (start and stop bits included, bus-free time not)."""
        return sum(map(wire_bits, ideal_transactions(self._trunk, self._slots)))

    def transactions_per_scan(self) -> int:
        """How many STOPs such a scan has; each is followed by the bus-free time tBUF (NXP UM10204 table 10)."""
        return len(ideal_transactions(self._trunk, self._slots))

    # --- scanning

    def scan(self) -> Sequence[Sample]:
        """One sample per dial, in the order of `dials`. Never raises for a chip's or a wire's failure."""
        self._samples = [NO_SAMPLE] * len(self._slots)
        self._stuck = self._spoilt = calm = 0
        self._wrong_channel = None
        self._began_ns = began_ns = self._clock.now_ns()
        if self._has_power():
            for group in self._groups:
                for plan in self._planned(group):
                    calm += self._run(plan)
            if calm < len(self._slots):
                self._bring_back()
                if self._stuck and not any(slot.present for slot in self._slots):
                    self._say_that_it_is_held()
                self._climb()
            self._proofs.choose(self._clock.now_ns(), rested=began_ns - self._ended_ns > ROOMY * self._calm_ns)
        self._ended_ns = self._clock.now_ns()
        took_ns = self._ended_ns - began_ns
        self.calm = calm == len(self._slots)
        shortest = self._calm_ns == 0 or took_ns < self._calm_ns
        self._calm_ns = took_ns if shortest else self._calm_ns + self._calm_ns // 256
        self._busy = took_ns > self._calm_ns * BUSY_SCAN
        if took_ns == 0:
            self._idle()  # nobody's samples may have the time of the scan before
        if not self.calm:
            self._explain()
        return self._samples

    def _explain(self) -> None:
        """Why there is no angle of those that have no sample yet, and what was done for the whole bus."""
        now_ns = self._clock.now_ns()
        for slot in self._slots:
            if self._samples[slot.index] is NO_SAMPLE:
                self._samples[slot.index] = Trouble(slot.kind, now_ns, slot.words)
        if news := self._rescue.news():
            self._announce(news)

    def _announce(self, news: str) -> None:
        """On the first trouble of this scan: news come of a bus on which nothing was read."""
        at = next(at for at, sample in enumerate(self._samples) if isinstance(sample, Trouble))
        trouble = self._samples[at]
        assert isinstance(trouble, Trouble)
        self._samples[at] = Trouble(trouble.kind, trouble.at_ns, trouble.words, f"{trouble.news} {news}".strip())

    def _planned(self, group: _Group) -> Sequence[Plan]:
        """Plans are kept by what they take of whom: nearly always the same as in the scan before, everything QUICK."""
        dues = [slot.chip.due if slot.present else None for slot in group.slots]
        if dues != group.dues:
            group.dues, key = dues, tuple(dues)
            if key not in group.plans:
                if len(group.plans) >= MOST_PLANS:
                    group.plans.clear()
                assert self._bus is not None
                group.plans[key] = build(self._bus, self._trunk, group.slots, dues, self._clock)
            group.planned = group.plans[key]
        return group.planned

    def _run(self, plan: Plan) -> int:
        """Look and hear; how many of these dials were calm."""
        if self._stuck >= STUCK_PER_SCAN or not self._enter(plan):
            for planned in plan.looks:
                self._look_again(planned.slot, None)
            return 0
        if plan.selections and plan.enter is not None:
            plan.enter.mux.forget()
        began_ns = self._clock.now_ns()
        failed = plan.run.attempt()
        took_ns = self._clock.now_ns() - began_ns
        if failed is not None:
            self._sort_out(plan, failed, began_ns, took_ns)
            return 0
        if plan.leave is not None:
            plan.leave.mux.mask = plan.leave.mask
        return self._hear_straight(plan, began_ns, took_ns // SHARES)

    def _hear_straight(self, plan: Plan, began_ns: int, share_ns: int) -> int:
        """The shortcut of a run in which nothing failed: all at once what `_hear`, `_weigh` and `_judge` do for a dial
        that is present and gives a Reading; whatever else it is, is handed on to them. How many dials were calm so.
        """
        samples, unusual = self._samples, 0
        for slot, hear, answer, share in plan.straight:
            at_ns = began_ns + share_ns * share
            verdict = hear(answer, at_ns)
            if verdict.__class__ is Reading:
                gap_ns = at_ns - slot.last_ns  # type: ignore[operator]  # present: it was read before
                if gap_ns > slot.longest_gap_ns:
                    slot.longest_gap_ns = gap_ns
                slot.last_ns, slot.last_raw = at_ns, verdict.raw
                slot.reads += 1
                samples[slot.index] = verdict
            else:
                unusual += 1
                if isinstance(verdict, PlannedLook):
                    self._hear(verdict, plan.run.outcomes(), at_ns)
                else:
                    self._weigh(slot, verdict)
        return len(plan.straight) - unusual

    def _enter(self, plan: Plan) -> bool:
        channel = plan.enter
        if channel is None:
            return True
        trunk = channel.mux.trunk
        if plan.selections and len(trunk.muxes) == 1:
            return True  # it selects by itself, and there is no other mux to close
        make_way = trunk.close_others if plan.selections else trunk.open
        try:
            for address in plan.addresses:
                make_way(channel, address)
        except HardwareError as error:
            self._after_failure(error)
            return False
        return True

    def _hear(self, planned: PlannedLook, outcomes: Sequence[Outcome], at_ns: int) -> None:
        slot = planned.slot
        got = outcomes[planned.first : planned.last]
        if planned.read_back is not None and (error := _wrong_way(slot, outcomes[planned.read_back])):
            self._after_failure(error)
            self._look_again(slot, error)
            return
        self._weigh(slot, slot.chip.hear(planned.look, got, at_ns))  # type: ignore[arg-type]  # all bytes: checked

    def _weigh(self, slot: Slot, verdict: Verdict) -> None:
        if verdict is None:
            self._look_again(slot, None)
        else:
            self._judge(slot, verdict)

    def _judge(self, slot: Slot, verdict: Reading | Complaint) -> None:
        if isinstance(verdict, Complaint):
            words = f"dial {slot.name} ({slot.place}) {verdict.seen}. {verdict.advice}"
            self._lose(slot, verdict.kind, words)
            return
        at_ns = verdict.at_ns
        if slot.last_ns is not None and at_ns - slot.last_ns > slot.longest_gap_ns:
            slot.longest_gap_ns = at_ns - slot.last_ns
        slot.last_ns = at_ns
        slot.reads += 1
        self._samples[slot.index] = verdict
        slot.ladder = SOUND
        if _moved_far(slot, verdict.raw):
            self._proofs.want(slot, at_ns, FULLS_AFTER_A_MOVE)
        slot.last_raw = verdict.raw
        if not slot.present:
            self._returned(slot)

    # --- when something went wrong

    def _sort_out(self, plan: Plan, outcomes: Sequence[Outcome], began_ns: int, took_ns: int) -> None:
        """A run with failures: what is proven to be right counts, everything else is asked again.

        From the first failed selection on, nobody knows which channel answered.
        """
        failed = [at for at, outcome in enumerate(outcomes) if isinstance(outcome, HardwareError)]
        astray = min(set(plan.selections) & set(failed), default=len(outcomes))
        if isinstance(outcomes[failed[0]], BusStuck):
            self._remember_who_hung(plan, failed[0])
        self._after_failure(_error(outcomes[failed[0]]))
        again: list[tuple[Slot, HardwareError | None]] = []
        for planned in plan.looks:
            last = planned.last if planned.read_back is None else planned.last + 1
            own = next((at for at in failed if planned.first <= at < last or at == planned.request), None)
            if planned.first > astray:
                again.append((planned.slot, None if own is None else _error(outcomes[own])))
            elif own is None:
                self._hear(planned, outcomes, began_ns + took_ns // SHARES * planned.share)
            elif own == failed[0] and isinstance(error := outcomes[own], BusStuck):
                self._lose_to(planned.slot, error)  # it is the one that hangs: no second time-out
            else:
                again.append((planned.slot, _error(outcomes[own])))
        if astray < len(outcomes):
            for planned in plan.looks:  # looks that went astray moved somebody's pointer
                planned.slot.chip.distrust()
        for slot, cause in again:
            self._look_again(slot, cause)

    def _look_again(self, slot: Slot, failed: HardwareError | None) -> None:
        """A proven look at one dial by itself; if the wire fails, or has failed, once more."""
        for _ in range(1 if failed else 2):
            if self._stuck >= STUCK_PER_SCAN:
                self._put_off(slot)
                return
            slot.retries += failed is not None
            try:
                got = taken(slot.chip, Look.PROVEN, self._clock)
                if slot.channel is not None:
                    slot.channel.mux.trunk.verify(slot.channel)
            except HardwareError as error:
                failed = error
                self._after_failure(error)
                continue
            verdict = slot.chip.hear(Look.PROVEN, got, self._clock.now_ns())
            assert verdict is not None, "a proven look leaves no doubt"
            self._judge(slot, verdict)
            return
        assert failed is not None
        self._lose_to(slot, failed)

    def _after_failure(self, error: HardwareError) -> None:
        stuck = isinstance(error, BusStuck)
        self._stuck += stuck
        if self._trunk is None:
            return
        if stuck:
            self._trunk.recover()
        else:
            self._trunk.forget()

    def _remember_who_hung(self, plan: Plan, failed: int) -> None:
        """The first look that did not end, or the channel that was open when a mux could not be asked for another."""
        if self._hung_by is not None and not any((slot.last_ns or 0) > self._hung_ns for slot in self._slots):
            return
        own = next((each.slot for each in plan.looks if each.first <= failed < each.last), None)
        before = [each.slot for each in plan.looks if each.last <= failed]
        open_then = before[-1] if before else next((s for s in reversed(self._slots) if s.present), plan.looks[0].slot)
        mux = None if open_then.channel is None else open_then.channel.mux
        self._hung_by = (open_then, mux) if own is None else (own, None)
        self._hung_ns = self._clock.now_ns()

    def _put_off(self, slot: Slot) -> None:
        """Others held the bus up so often that this scan has no time for it."""
        if self._wrong_channel is None:
            self._lose(slot, TroubleKind.STUCK, scan_words.not_asked(slot))
        else:
            self._lose(
                slot, TroubleKind.STUCK, scan_words.behind(self._wrong_channel[0], self._slots, self._wrong_channel[1])
            )

    def _lose_to(self, slot: Slot, error: HardwareError) -> None:
        slot.chip.forget()
        if isinstance(error, NoAnswer) and self._mux_of(error) is None:
            error = self._looked_for_on_the_wrong_channel(slot) or error
        if isinstance(error, BusGlitch):
            self._spoilt += 1
            if self._trunk is not None:
                self._trunk.recover()  # a held line may show as lost arbitration, time after time
        mux = self._mux_of(error)
        if isinstance(error, WrongChannel) and mux is not None:
            self._wrong_channel = mux, error
        words = scan_words.own(slot, error) if mux is None else scan_words.behind(mux, self._slots, error)
        self._lose(slot, _kind(error), words)

    def _mux_of(self, error: HardwareError) -> Tca9548a | None:
        muxes = [] if self._trunk is None else self._trunk.muxes
        return next((mux for mux in muxes if error.part in (mux.part, f"chip 0x{mux.address:02X}")), None)

    def _looked_for_on_the_wrong_channel(self, slot: Slot) -> HardwareError | None:
        """Whether a dial is silent because its mux has another channel open than it was asked for."""
        if slot.channel is None:
            return None
        try:
            astray = slot.channel.mux.astray(slot.channel)
        except HardwareError:
            return None
        if astray is not None:
            self._after_failure(astray)
        return astray

    def _what_to_do(self) -> str:
        """By people, about a bus on which nothing can be read."""
        if self._wrong_channel is not None:
            return scan_words.OFF_AND_ON.format(mux=self._wrong_channel[0].part)
        return UNPLUG if self._hung_by is None else scan_words.free(*self._hung_by)

    def _say_that_it_is_held(self) -> None:
        """Nothing gets through, and no single dial is to blame for its own silence."""
        if self._wrong_channel is not None:
            return
        waits = self._rescue.may_help and not self.given_up
        advice = scan_words.NOTHING_YET if waits else self._what_to_do()
        words = scan_words.held(self.bus_name, self._place, self._slots, self._hung_by, advice)
        for slot in self._slots:
            sample = self._samples[slot.index]
            if slot.kind is TroubleKind.STUCK:
                slot.words = words
                if isinstance(sample, Trouble) and sample is not NO_SAMPLE:
                    self._samples[slot.index] = Trouble(sample.kind, sample.at_ns, words, sample.news)

    def _lose(self, slot: Slot, kind: TroubleKind, words: str) -> None:
        """No angle from this dial, and no look at it in the next runs; tried again after a while."""
        now_ns = self._clock.now_ns()
        slot.hung = kind is TroubleKind.STUCK
        slot.ladder = slot.ladder.missed(hung=slot.hung)
        slot.losses += slot.present
        slot.present = False
        slot.kind, slot.words, slot.steps = kind, words, None
        slot.delay_ns = min(max(FIRST_DELAY_NS, 2 * slot.delay_ns), LONGEST_DELAY_NS)
        slot.next_try_ns = now_ns if slot.hung else now_ns + slot.delay_ns
        self._samples[slot.index] = Trouble(kind, now_ns, words)

    # --- when nothing can be read

    def _has_power(self) -> bool:
        """False while the bus's power is off. When it comes on, everything is started again."""
        if not self._rescue.dark:
            return True
        if not self._rescue.switch_on_if_due():
            self._idle()
            return False
        if self._trunk is not None:
            self._trunk.forget()
        self._start_all_anew(self._clock.now_ns() + WAKING_NS)
        return True

    def _climb(self) -> None:
        """After a hang: the next probe comes later. With nothing readable at all, the bus's own steps."""
        if self._stuck:
            now_ns = self._clock.now_ns()
            self._rescue.ladder = self._rescue.ladder.hung(now_ns, now_ns - self._began_ns)
        if not (self._stuck or self._spoilt) or any(slot.present for slot in self._slots):
            return
        if self._rescue.climb(self._what_to_do()):
            self._start_all_anew(self._clock.now_ns())

    def _start_all_anew(self, from_ns: int) -> None:
        for slot in self._slots:
            slot.chip.forget()
            slot.steps, slot.hung, slot.delay_ns, slot.next_try_ns = None, False, 0, from_ns

    # --- coming back

    def _bring_back(self) -> None:
        """Lost dials that are due: a step each. Behind all others, and only a few while others are read.

        Dials that hung come last of all, one at a time.
        """
        now_ns = self._clock.now_ns()
        lost = [slot for slot in self._slots if not slot.present and self._samples[slot.index] is NO_SAMPLE]
        lost.sort(key=lambda slot: slot.next_try_ns)
        due = [slot for slot in lost if not slot.hung and slot.next_try_ns <= now_ns]
        probe = next((slot for slot in lost if slot.hung and self._rescue.ladder.may_probe(now_ns)), None)
        all_lost = not any(slot.present for slot in self._slots)
        if all_lost and not due and probe is None:
            self._idle()
        for slot in due if all_lost else due[:STEPS_PER_SCAN]:
            if self._stuck:
                return
            self._step(slot)
        if probe is not None and not self._stuck:
            self._step(probe)

    def _idle(self) -> None:
        """With nothing to read, a scan takes a moment all the same: a loop around it must not spin."""
        if self._slots:
            self._clock.sleep_until(self._clock.now_ns() + IDLE_NS)

    def _step(self, slot: Slot) -> None:
        if slot.chip.started:
            self._look_again(slot, None)
            return
        if slot.steps is None:
            slot.steps = slot.chip.starting()
        now_ns = slot.next_try_ns = self._clock.now_ns()
        try:
            next(slot.steps)
        except StopIteration:
            slot.steps = None
            slot.next_try_ns = now_ns + slot.chip.settle_ns
        except HardwareError as error:
            self._after_failure(error)
            self._lose_to(slot, error)
        else:
            slot.next_try_ns = self._clock.now_ns() + slot.chip.wait_ns
            self._heard(slot)

    def _heard(self, slot: Slot) -> None:
        """It answered: it does not hang, and the next one that did may be tried."""
        if slot.hung:
            slot.hung = False
            self._rescue.ladder = self._rescue.ladder.let_go(self._clock.now_ns())

    def _returned(self, slot: Slot) -> None:
        slot.present = True
        slot.delay_ns = 0
        slot.last_raw = None
        self._proofs.want(slot, self._clock.now_ns(), 1)
        self._rescue.answered()
        slot.kind, slot.words = TroubleKind.NOT_READ, ""
        for group in self._groups:  # started anew, a chip may want other transactions
            group.plan_anew()

    # --- screens

    def use_gap(self, until_ns: int) -> None:
        """Send screen slices while they fit before `until_ns`; and if the dials leave no gap, still so many
        that the screens get their share of the time. Never raises for a screen's failure."""
        for error in self._gaps.use(self._clock, until_ns, only_gaps=self._busy):
            self._after_failure(error)


def _slot(index: int, dial: ScanDial) -> Slot:
    channel = dial.chip.bus if isinstance(dial.chip.bus, Channel) else None
    slot = Slot(index, dial.name, dial.chip, channel)
    slot.words = f"dial {dial.name} ({slot.place}) was not read yet. Wait a moment."
    return slot


def _moved_far(slot: Slot, raw: int) -> bool:
    """Whether a dial has come farther than FAR_TURN since its last reading."""
    turn = slot.chip.counts_per_turn
    last = raw if slot.last_raw is None else slot.last_raw
    return abs((raw - last + turn // 2) % turn - turn // 2) > turn * FAR_TURN


def _error(outcome: Outcome) -> HardwareError:
    assert isinstance(outcome, HardwareError)
    return outcome


def _wrong_way(slot: Slot, register: Outcome) -> HardwareError | None:
    """The mux says that something else is open than was asked for."""
    channel = slot.channel
    assert channel is not None
    assert isinstance(register, bytes)
    return None if register[0] == channel.mask else channel.mux.differs(register[0], channel.mask)


def _kind(error: HardwareError) -> TroubleKind:
    match error:
        case NoAnswer():
            return TroubleKind.SILENT
        case BusStuck():
            return TroubleKind.STUCK
        case BusGlitch():
            return TroubleKind.GLITCH
        case WrongTile():
            return TroubleKind.OTHER_TILE
    return TroubleKind.IMPLAUSIBLE


class _Proofs:
    """Who is proven or read in full next: dials that have just moved far, and besides everybody in turn. For the latter
    each scan earns a share of its bits, and one proof costs some."""

    def __init__(self, slots: Sequence[Slot], bits_per_scan: float) -> None:
        self._slots = slots
        self._bits_per_scan = bits_per_scan
        self._costs = {look: [proof_extra_bits(slot, look) for slot in slots] for look in (PROVEN, FULL)}
        self._saved_bits = 0.0
        self._next = self._round = 0
        self._moved: list[Slot] = []

    @property
    def waiting(self) -> bool:
        """Whether a dial that has just moved or come back waits for its full read."""
        return bool(self._moved)

    def want(self, slot: Slot, at_ns: int, fulls: int) -> None:
        """This dial moved far just now, or is read for the first time."""
        slot.fulls, slot.full_at_ns = fulls, at_ns + FULL_AFTER_NS
        if slot not in self._moved:
            self._moved.append(slot)

    def choose(self, now_ns: int, *, rested: bool) -> None:
        """Ask for proofs in the next scan. `rested`: the bus had a gap before this one, so there is room for more."""
        if self._moved:
            self._choose_moved(now_ns)
        self._saved_bits += self._bits_per_scan * (MORE_PROOFS if rested else 1)
        look = PROVEN if self._round % FULL_ROUNDS else FULL
        if not self._slots or self._saved_bits < self._costs[look][self._next]:
            return
        self._saved_bits -= self._costs[look][self._next]
        slot = self._slots[self._next]
        self._next = (self._next + 1) % len(self._slots)
        self._round += self._next == 0
        if slot.present and slot.chip.due is not FULL:
            slot.chip.due = look

    def _choose_moved(self, now_ns: int) -> None:
        """One in a scan, the longest waiting first: many dials that move must not make each other's gaps longer."""
        slot = min(self._moved, key=lambda slot: slot.full_at_ns)
        if slot.full_at_ns > now_ns:
            return
        if slot.present:
            slot.chip.due = FULL
        slot.fulls, slot.full_at_ns = slot.fulls - 1, now_ns + FULL_AGAIN_NS
        if slot.fulls <= 0:
            self._moved.remove(slot)


class _Gaps:
    """Screens take turns. What they may send beyond the gaps is earned with time, and never saved up for
    more than the next slice."""

    def __init__(self, screens: Sequence[SliceSource], share: float, now_ns: int) -> None:
        self._screens = list(screens)
        self._share = share
        self._earned_ns = 0.0
        self._extra_ns = 0
        self._since_ns = now_ns
        self.failures = 0

    def use(self, clock: Clock, until_ns: int, *, only_gaps: bool = False) -> list[HardwareError]:
        """Send what fits, and unless `only_gaps` what was earned; the failures that came of it. A screen that failed
        waits for the next gap."""
        troubles: list[HardwareError] = []
        if not self._screens:
            return troubles
        now_ns = clock.now_ns()
        self._earned_ns += self._share * (now_ns - self._since_ns)
        self._since_ns = now_ns
        failed: list[SliceSource] = []
        while (screen := self._whose_turn(failed)) is not None:
            cost_ns = screen.slice_cost_ns() + self._extra_ns
            self._earned_ns = min(self._earned_ns, cost_ns)
            if now_ns + cost_ns > until_ns and (only_gaps or self._earned_ns < cost_ns):
                break
            self._screens.sort(key=lambda other: other is screen)  # to the end of the queue
            try:
                screen.send_slice()
            except HardwareError as error:
                troubles.append(error)
                failed.append(screen)
            spent_ns = clock.now_ns() - now_ns
            now_ns += spent_ns
            if not failed:
                self._extra_ns = min(self._extra_ns + max(0, spent_ns - cost_ns), MOST_EXTRA_NS)
            self._earned_ns = max(0.0, self._earned_ns - spent_ns)
        self.failures += len(troubles)
        return troubles

    def _whose_turn(self, failed: Sequence[SliceSource]) -> SliceSource | None:
        return next((screen for screen in self._screens if screen not in failed and screen.waiting()), None)
