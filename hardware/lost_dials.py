"""The dials of one bus that a scan could not read: which, why, and what the referee reads about it.

A failed dial, a mux that fails for all dials behind it, and a bus on which nothing gets through get different
messages (`hardware.scan_words`). After a failure the scan selects each mux's channel again; after a time-out it
pulses the muxes' RESET lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hardware import scan_words
from hardware.bus_recovery import UNPLUG, WAKING_NS, BusRecovery
from hardware.chips.dial_chip import Complaint
from hardware.chips.tca9548a import MuxTrunk, Tca9548a, WrongChannel
from hardware.clock import Clock
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, WrongTile
from hardware.readings import Sample, Trouble, TroubleKind
from hardware.scan_plan import RunPlan, Slot

FIRST_DELAY_NS: Final = 20_000_000
LONGEST_DELAY_NS: Final = 320_000_000
"""A silent dial costs 31 bits per attempt, so it is retried often: plugged in, it is back within a third of a
second."""

STUCK_PER_SCAN: Final = 3
"""After so many time-outs the bus is left alone until the next scan."""

IDLE_NS: Final = 1_000_000

NO_SAMPLE: Final = Trouble(TroubleKind.NOT_READ, 0, "")
"""Where a scan has no sample yet."""


class LostDials:
    """One bus's failures, during a scan and from scan to scan."""

    def __init__(
        self, bus_name: str, place: str, slots: Sequence[Slot], trunk: MuxTrunk | None, clock: Clock, bus: BusRecovery
    ) -> None:
        self._bus_name, self._place, self._slots, self._trunk, self._clock = bus_name, place, slots, trunk, clock
        self._bus = bus
        self.samples: list[Sample] = []
        self.timeouts = self._glitches = self._began_ns = 0
        self._wrong_channel: tuple[Tca9548a, WrongChannel] | None = None
        self._hung_by: tuple[Slot, Tca9548a | None] | None = None
        self._hung_ns = 0

    @property
    def all_lost(self) -> bool:
        """Whether no dial of this bus can be read."""
        return not any(slot.present for slot in self._slots)

    def begin(self, now_ns: int) -> list[Sample]:
        """Begin a scan; return its samples, to be filled in."""
        self.samples = [NO_SAMPLE] * len(self._slots)
        self.timeouts = self._glitches = 0
        self._wrong_channel = None
        self._began_ns = now_ns
        return self.samples

    # --- one failure

    def after_failure(self, error: HardwareError) -> None:
        """Stop trusting the muxes' selection; after a time-out pulse their RESET lines."""
        stuck = isinstance(error, BusStuck)
        self.timeouts += stuck
        if self._trunk is None:
            return
        if stuck:
            self._trunk.recover()
        else:
            self._trunk.forget()

    def remember_hang(self, plan: RunPlan, failed: int) -> None:
        """Remember the first read that timed out, or the channel that was open when a mux did not answer."""
        if self._hung_by is not None and not any((slot.last_ns or 0) > self._hung_ns for slot in self._slots):
            return
        own = next((each.slot for each in plan.reads if each.first <= failed < each.last), None)
        before = [each.slot for each in plan.reads if each.last <= failed]
        open_then = before[-1] if before else next((s for s in reversed(self._slots) if s.present), plan.reads[0].slot)
        mux = None if open_then.channel is None else open_then.channel.mux
        self._hung_by = (open_then, mux) if own is None else (own, None)
        self._hung_ns = self._clock.now_ns()

    def lose_to_error(self, slot: Slot, error: HardwareError) -> None:
        """Mark a dial as lost after a failed transfer."""
        slot.chip.forget()
        if isinstance(error, NoAnswer) and self._mux_of(error) is None:
            error = self._wrong_channel_of(slot) or error
        if isinstance(error, BusGlitch):
            self._glitches += 1
            if self._trunk is not None:
                self._trunk.recover()  # a held line may show as lost arbitration, time after time
        mux = self._mux_of(error)
        if isinstance(error, WrongChannel) and mux is not None:
            self._wrong_channel = mux, error
        words = scan_words.own(slot, error) if mux is None else scan_words.behind(mux, self._slots, error)
        self._lose(slot, _kind(error), words)

    def lose_to_complaint(self, slot: Slot, complaint: Complaint) -> None:
        """Mark a dial as lost whose chip sent no angle."""
        self._lose(slot, complaint.kind, f"dial {slot.name} ({slot.place}) {complaint.seen}. {complaint.advice}")

    def postpone(self, slot: Slot) -> None:
        """Mark a dial as lost for which time-outs of others left no time in this scan."""
        if self._wrong_channel is None:
            words = scan_words.not_read(slot)
        else:
            words = scan_words.behind(self._wrong_channel[0], self._slots, self._wrong_channel[1])
        self._lose(slot, TroubleKind.STUCK, words)

    def _lose(self, slot: Slot, kind: TroubleKind, words: str) -> None:
        """Leave the dial out of the next runs, and retry it after a while."""
        now_ns = self._clock.now_ns()
        slot.hung = kind is TroubleKind.STUCK
        slot.stages = slot.stages.missed(hung=slot.hung)
        slot.losses += slot.present
        slot.present = False
        slot.kind, slot.words, slot.steps = kind, words, None
        slot.delay_ns = min(max(FIRST_DELAY_NS, 2 * slot.delay_ns), LONGEST_DELAY_NS)
        slot.next_try_ns = now_ns if slot.hung else now_ns + slot.delay_ns
        self.samples[slot.index] = Trouble(kind, now_ns, words)

    def _mux_of(self, error: HardwareError) -> Tca9548a | None:
        muxes = [] if self._trunk is None else self._trunk.muxes
        return next((mux for mux in muxes if error.part in (mux.part, f"chip 0x{mux.address:02X}")), None)

    def _wrong_channel_of(self, slot: Slot) -> HardwareError | None:
        """The error if a dial is silent because its mux has another channel open."""
        if slot.channel is None:
            return None
        try:
            wrong = slot.channel.mux.wrong_channel(slot.channel)
        except HardwareError:
            return None
        if wrong is not None:
            self.after_failure(wrong)
        return wrong

    # --- the whole bus

    def report_held(self) -> None:
        """Give all dials one message if nothing gets through: no single dial is to blame for its own silence."""
        if self._wrong_channel is not None:
            return
        waits = self._bus.may_help and not self._bus.given_up
        advice = scan_words.NOTHING_YET if waits else self._advice()
        words = scan_words.held(self._bus_name, self._place, self._slots, self._hung_by, advice)
        for slot in self._slots:
            sample = self.samples[slot.index]
            if slot.kind is TroubleKind.STUCK:
                slot.words = words
                if isinstance(sample, Trouble) and sample is not NO_SAMPLE:
                    self.samples[slot.index] = Trouble(sample.kind, sample.at_ns, words, sample.notice)

    def escalate(self) -> None:
        """After a time-out, delay the next probe. If no dial can be read, take the bus's next recovery step."""
        if self.timeouts:
            now_ns = self._clock.now_ns()
            self._bus.timed_out(now_ns, now_ns - self._began_ns)
        if not (self.timeouts or self._glitches) or not self.all_lost:
            return
        if self._bus.escalate(self._advice()):
            self._restart_all(self._clock.now_ns())

    def power_is_on(self) -> bool:
        """Whether the bus has power. When it comes back, restart all dials."""
        if not self._bus.power_is_off:
            return True
        if not self._bus.switch_on_if_due():
            self.idle()
            return False
        if self._trunk is not None:
            self._trunk.forget()
        self._restart_all(self._clock.now_ns() + WAKING_NS)
        return True

    def idle(self) -> None:
        """Let a scan with nothing to read take a moment all the same: a loop around it must not spin."""
        if self._slots:
            self._clock.sleep_until(self._clock.now_ns() + IDLE_NS)

    def explain(self) -> None:
        """Fill in why dials have no angle, and what was done for the whole bus."""
        now_ns = self._clock.now_ns()
        for slot in self._slots:
            if self.samples[slot.index] is NO_SAMPLE:
                self.samples[slot.index] = Trouble(slot.kind, now_ns, slot.words)
        if notice := self._bus.take_notices():
            self._attach(notice)

    def _attach(self, notice: str) -> None:
        """Attach a notice to the first trouble of this scan: a bus with notices gave no reading."""
        at = next(at for at, sample in enumerate(self.samples) if isinstance(sample, Trouble))
        trouble = self.samples[at]
        assert isinstance(trouble, Trouble)
        notices = f"{trouble.notice} {notice}".strip()
        self.samples[at] = Trouble(trouble.kind, trouble.at_ns, trouble.words, notices)

    def _advice(self) -> str:
        """What people can do about a bus on which nothing can be read."""
        if self._wrong_channel is not None:
            return scan_words.OFF_AND_ON.format(mux=self._wrong_channel[0].part)
        return UNPLUG if self._hung_by is None else scan_words.free(*self._hung_by)

    def _restart_all(self, from_ns: int) -> None:
        for slot in self._slots:
            slot.chip.forget()
            slot.steps, slot.hung, slot.delay_ns, slot.next_try_ns = None, False, 0, from_ns


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
