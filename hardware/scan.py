"""The scan: read all dials of one bus, over and over, as fast as the wire allows; screens get the gaps.

Every read gives a Reading or a Trouble. A failed or implausible read is retried in the same scan and fully verified. A
dial that fails again is lost: it costs the others nothing but a retry now and then, and comes back when a start, one
step per scan, succeeds.

A hung segment costs one time-out of the adapter. The muxes' RESET lines are pulsed, the other dials of this
scan are read after it, and the hung one is retried ever more rarely, behind all others. `hardware.recovery_stages`
decides which step comes next, `hardware.bus_recovery` acts on a whole bus, and `hardware.lost_dials` reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hardware.bus import Outcome, wire_bits
from hardware.bus_recovery import NO_ACTIONS, BusRecovery, RecoveryActions
from hardware.chips.dial_chip import Complaint, ReadMode, read_once
from hardware.chips.tca9548a import MuxTrunk, trunk_of
from hardware.clock import Clock
from hardware.errors import BusStuck, HardwareError
from hardware.lost_dials import NO_SAMPLE, STUCK_PER_SCAN, LostDials
from hardware.readings import Reading, Sample, TroubleKind
from hardware.recovery_stages import HEALTHY, RecoveryStage
from hardware.scan_plan import (
    SHARES,
    Decoded,
    MuxGroup,
    PlannedRead,
    RunPlan,
    ScanDial,
    Slot,
    by_mux,
    ideal_transactions,
    in_order,
    new_slot,
    problems,
    trunk_bus,
)
from hardware.screen_gaps import SCREEN_SHARE, ScreenGaps, SliceSource
from hardware.verification import FULLS_AFTER_A_MOVE, VERIFY_SHARE, Verification, moved_far

__all__ = ["DialCounts", "Scan", "ScanDial", "SliceSource"]

ROOMY = 0.25
"""A bus that rests between its scans, for such a part of their time, has room for more verification."""

STEPS_PER_SCAN = 4
"""Lost dials that may be retried in one scan while others are being read."""

BUSY_SCAN = 1.4
"""A scan that takes so many times as long as a calm one has dials that move: then screens get only the gaps."""


@dataclass(frozen=True, slots=True)
class DialCounts:
    """The quality of one dial's wire: a dial that needs retries today is broken next month."""

    reads: int
    retries: int
    losses: int
    longest_gap_ns: int


class Scan:
    """All dials of one bus. Implements `hardware.readings.DialSource`; one thread owns it."""

    def __init__(
        self,
        bus_name: str,
        dials: Sequence[ScanDial],
        clock: Clock,
        screens: Sequence[SliceSource] = (),
        *,
        actions: RecoveryActions = NO_ACTIONS,
        screen_share: float = SCREEN_SHARE,
        verify_share: float = VERIFY_SHARE,
    ) -> None:
        """Sends nothing yet: the first scans identify the chips and set them up.

        Raises ValueError, naming all of it, if dials clash (names, places, addresses, buses).
        """
        if found := problems(dials):
            raise ValueError(f"{bus_name}: " + "; ".join(found))
        self.bus_name = bus_name
        self._clock = clock
        self._names = tuple(dial.name for dial in dials)
        slots = [new_slot(index, dial) for index, dial in enumerate(dials)]
        self._by_name = {slot.name: slot for slot in slots}
        self._slots = in_order(slots)
        self._bus = trunk_bus(dials[0].chip) if dials else None
        self._trunk: MuxTrunk | None = trunk_of(self._bus) if self._bus is not None else None
        self._groups = [MuxGroup(slots) for slots in by_mux(self._slots)]
        self._samples: list[Sample] = []
        place = bus_name if self._bus is None else self._bus.name
        self._recovery = BusRecovery(bus_name, place, clock, actions)
        self._lost = LostDials(bus_name, place, self._slots, self._trunk, clock, self._recovery)
        self._verification = Verification(self._slots, verify_share * self.wire_bits_per_scan())
        self._gaps = ScreenGaps(screens, screen_share, clock.now_ns())
        self._calm_ns = self._ended_ns = 0
        self.calm = False
        self._busy = False

    # --- results

    @property
    def dials(self) -> Sequence[str]:
        return self._names

    def age_ns(self, dial: str) -> int | None:
        """How old the dial's last Reading is; None if there was none yet. Raises KeyError for an unknown dial."""
        last_ns = self._by_name[dial].last_ns
        return None if last_ns is None else self._clock.now_ns() - last_ns

    def counts(self, dial: str) -> DialCounts:
        """Reads, retries, losses and the longest gap between two Readings since the last `reset_counts`."""
        slot = self._by_name[dial]
        return DialCounts(slot.reads, slot.retries, slot.losses, slot.longest_gap_ns)

    def reset_counts(self) -> None:
        """Start counting again, as a benchmark does after warming up."""
        for slot in self._slots:
            slot.reads = slot.retries = slot.losses = slot.longest_gap_ns = 0

    def stage(self, dial: str) -> RecoveryStage:
        """The dial's recovery stage. Raises KeyError for an unknown dial."""
        return self._by_name[dial].stages.stage

    @property
    def given_up(self) -> bool:
        """Whether nothing on this bus can be read, and every recovery step has failed."""
        return self._recovery.given_up

    @property
    def settled(self) -> bool:
        """Whether every dial is read, and none still waits for the full read that follows a start or a fast move."""
        return not self._verification.waiting and all(slot.present for slot in self._slots)

    @property
    def screen_failures(self) -> int:
        """Slices that failed."""
        return self._gaps.failures

    def wire_bits_per_scan(self) -> int:
        """The wire's own limit: the bits of one scan with only the cheapest legal reads, with all
        selections and deselections of muxes (start and stop bits included, bus-free time not)."""
        return sum(map(wire_bits, ideal_transactions(self._trunk, self._slots)))

    def transactions_per_scan(self) -> int:
        """How many STOPs such a scan has; each is followed by the bus-free time tBUF (NXP UM10204 table 10)."""
        return len(ideal_transactions(self._trunk, self._slots))

    # --- scanning

    def scan(self) -> Sequence[Sample]:
        """One sample per dial, in the order of `dials`. Never raises for a chip's or a wire's failure."""
        lost, calm = self._lost, 0
        began_ns = self._clock.now_ns()
        self._samples = lost.begin(began_ns)
        if lost.power_is_on():
            for group in self._groups:
                for plan in group.planned(self._bus, self._trunk, self._clock):
                    calm += self._run(plan)
            if calm < len(self._slots):
                self._bring_back()
                if lost.timeouts and lost.all_lost:
                    lost.report_held()
                lost.escalate()
            rested = began_ns - self._ended_ns > ROOMY * self._calm_ns
            self._verification.choose(self._clock.now_ns(), rested=rested)
        self._ended_ns = self._clock.now_ns()
        took_ns = self._ended_ns - began_ns
        self.calm = calm == len(self._slots)
        shortest = self._calm_ns == 0 or took_ns < self._calm_ns
        self._calm_ns = took_ns if shortest else self._calm_ns + self._calm_ns // 256
        self._busy = took_ns > self._calm_ns * BUSY_SCAN
        if took_ns == 0:
            lost.idle()  # the samples of two scans must differ in time
        if not self.calm:
            lost.explain()
        return self._samples

    def _run(self, plan: RunPlan) -> int:
        """Read and decode; return how many of these dials were calm."""
        if self._lost.timeouts >= STUCK_PER_SCAN or not self._enter(plan):
            for planned in plan.reads:
                self._retry(planned.slot, None)
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
        return self.decode_run(plan, began_ns, took_ns // SHARES)

    def decode_run(self, plan: RunPlan, began_ns: int, share_ns: int) -> int:
        """Decode a run without failures; return how many dials were calm.

        This is `decode_read` and `accept` in one go for a dial that is present and gives a Reading; anything else is
        passed on to them.
        """
        samples, unusual = self._samples, 0
        for slot, decode, answer, share in plan.direct:
            at_ns = began_ns + share_ns * share
            decoded = decode(answer, at_ns)
            if decoded.__class__ is Reading:
                gap_ns = at_ns - slot.last_ns  # type: ignore[operator]  # present: it was read before
                if gap_ns > slot.longest_gap_ns:
                    slot.longest_gap_ns = gap_ns
                slot.last_ns, slot.last_raw = at_ns, decoded.raw
                slot.reads += 1
                samples[slot.index] = decoded
            else:
                unusual += 1
                if isinstance(decoded, PlannedRead):
                    self.decode_read(decoded, plan.run.outcomes(), at_ns)
                else:
                    self.accept(slot, decoded)
        return len(plan.direct) - unusual

    def _enter(self, plan: RunPlan) -> bool:
        channel = plan.enter
        if channel is None:
            return True
        trunk = channel.mux.trunk
        if plan.selections and len(trunk.muxes) == 1:
            return True  # the run selects its channels, and there is no other mux to close
        make_way = trunk.close_others if plan.selections else trunk.open
        try:
            for address in plan.addresses:
                make_way(channel, address)
        except HardwareError as error:
            self._lost.after_failure(error)
            return False
        return True

    def decode_read(self, planned: PlannedRead, outcomes: Sequence[Outcome], at_ns: int) -> None:
        """Decode one dial's part of a run, and check the mux's register behind it."""
        slot = planned.slot
        got = outcomes[planned.first : planned.last]
        if planned.read_back is not None and slot.channel is not None:
            error = slot.channel.check(outcomes[planned.read_back])  # type: ignore[arg-type]  # all bytes: checked
            if error is not None:
                self._lost.after_failure(error)
                self._retry(slot, error)
                return
        decoded = slot.chip.decode(planned.mode, got, at_ns)  # type: ignore[arg-type]  # all bytes: checked
        self.accept(slot, decoded, verified=planned.mode in (ReadMode.VERIFIED, ReadMode.FULL))

    def accept(self, slot: Slot, decoded: Decoded, *, verified: bool = False) -> None:
        """Take a Reading for the dial's sample; retry what is in doubt; lose a dial with a Complaint. A verified
        Reading far from the last one requests full reads."""
        if decoded is None:
            self._retry(slot, None)
            return
        if isinstance(decoded, Complaint):
            self._lost.lose_to_complaint(slot, decoded)
            return
        at_ns = decoded.at_ns
        if slot.last_ns is not None and at_ns - slot.last_ns > slot.longest_gap_ns:
            slot.longest_gap_ns = at_ns - slot.last_ns
        slot.last_ns = at_ns
        slot.reads += 1
        self._samples[slot.index] = decoded
        slot.stages = HEALTHY
        if verified and moved_far(slot, decoded.raw):
            self._verification.request(slot, at_ns, FULLS_AFTER_A_MOVE)
        slot.last_raw = decoded.raw
        if not slot.present:
            self._returned(slot)

    # --- failures

    def _sort_out(self, plan: RunPlan, outcomes: Sequence[Outcome], began_ns: int, took_ns: int) -> None:
        """A run with failures: accept what is verified, retry everything else.

        From the first failed selection on it is unknown which channel answered.
        """
        failed = [at for at, outcome in enumerate(outcomes) if isinstance(outcome, HardwareError)]
        astray = min(set(plan.selections) & set(failed), default=len(outcomes))
        if isinstance(outcomes[failed[0]], BusStuck):
            self._lost.remember_hang(plan, failed[0])
        self._lost.after_failure(_error(outcomes[failed[0]]))
        again: list[tuple[Slot, HardwareError | None]] = []
        for planned in plan.reads:
            last = planned.last if planned.read_back is None else planned.last + 1
            own = next((at for at in failed if planned.first <= at < last or at == planned.request), None)
            if planned.first > astray:
                again.append((planned.slot, None if own is None else _error(outcomes[own])))
            elif own is None:
                self.decode_read(planned, outcomes, began_ns + took_ns // SHARES * planned.share)
            elif own == failed[0] and isinstance(error := outcomes[own], BusStuck):
                self._lost.lose_to_error(planned.slot, error)  # it is the one that hangs: avoid a second time-out
            else:
                again.append((planned.slot, _error(outcomes[own])))
        if astray < len(outcomes):
            for planned in plan.reads:  # reads that went astray moved some chip's pointer
                planned.slot.chip.invalidate()
        for slot, cause in again:
            self._retry(slot, cause)

    def _retry(self, slot: Slot, failed: HardwareError | None) -> None:
        """A verified read of one dial alone; if the wire fails, or has failed, once more."""
        lost = self._lost
        for _ in range(1 if failed else 2):
            if lost.timeouts >= STUCK_PER_SCAN:
                lost.postpone(slot)
                return
            slot.retries += failed is not None
            try:
                got = read_once(slot.chip, ReadMode.VERIFIED, self._clock)
                if slot.channel is not None:
                    slot.channel.mux.trunk.verify(slot.channel)
            except HardwareError as error:
                failed = error
                lost.after_failure(error)
                continue
            decoded = slot.chip.decode(ReadMode.VERIFIED, got, self._clock.now_ns())
            assert decoded is not None, "a verified read leaves no doubt"
            self.accept(slot, decoded, verified=True)
            return
        assert failed is not None
        lost.lose_to_error(slot, failed)

    # --- coming back

    def _bring_back(self) -> None:
        """Take a step for each lost dial that is due, behind all others, and only a few while others are read.

        Dials that hung come last of all, one at a time.
        """
        now_ns = self._clock.now_ns()
        lost = [slot for slot in self._slots if not slot.present and self._samples[slot.index] is NO_SAMPLE]
        lost.sort(key=lambda slot: slot.next_try_ns)
        due = [slot for slot in lost if not slot.hung and slot.next_try_ns <= now_ns]
        probe = next((slot for slot in lost if slot.hung and self._recovery.may_probe(now_ns)), None)
        all_lost = self._lost.all_lost
        if all_lost and not due and probe is None:
            self._lost.idle()
        for slot in due if all_lost else due[:STEPS_PER_SCAN]:
            if self._lost.timeouts:
                return
            self._step(slot)
        if probe is not None and not self._lost.timeouts:
            self._step(probe)

    def _step(self, slot: Slot) -> None:
        if slot.chip.started:
            self._retry(slot, None)
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
            self._lost.after_failure(error)
            self._lost.lose_to_error(slot, error)
        else:
            slot.next_try_ns = self._clock.now_ns() + slot.chip.wait_ns
            if slot.hung:
                slot.hung = False
                self._recovery.responded()

    def _returned(self, slot: Slot) -> None:
        slot.present = True
        slot.delay_ns = 0
        slot.last_raw = None
        self._verification.request(slot, self._clock.now_ns(), 1)
        self._recovery.answered()
        slot.kind, slot.words = TroubleKind.NOT_READ, ""
        for group in self._groups:  # a restarted chip may want other transactions
            group.forget_plans()

    # --- screens

    def use_gap(self, until_ns: int) -> None:
        """Send screen slices while they fit before `until_ns`; if the dials leave no gap, enough of them
        that the screens get their share of the time. Never raises for a screen's failure."""
        for error in self._gaps.use(self._clock, until_ns, only_gaps=self._busy):
            self._lost.after_failure(error)


def _error(outcome: Outcome) -> HardwareError:
    assert isinstance(outcome, HardwareError)
    return outcome
