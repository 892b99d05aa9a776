"""Which dial is verified or read in full next.

Every dial is verified in turn: its chip forgot nothing, and its magnet is as strong as before. A dial that moved far is
read in full soon afterwards, so that its tracker knows whether a hand did it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hardware.chips.dial_chip import FULL, VERIFIED
from hardware.scan_plan import Slot, verification_extra_bits

VERIFY_SHARE: Final = 0.005
"""Of the bus's bits, for verifying dial after dial. With the screens' share it stays under the 5 % that a scan may lose
against the wire's own limit."""

FULL_ROUNDS: Final = 4
"""Every dial is verified in turn, and in every fourth round read in full: that a chip forgot its settings must be known
sooner than that its field has drifted."""

MORE_WITH_ROOM: Final = 4
"""A bus that rests between its scans verifies so many times as often as any other."""

FAR_TURN: Final = 1 / 64
FULLS_AFTER_A_MOVE: Final = 3
FULL_AFTER_NS: Final = 20_000_000
FULL_AGAIN_NS: Final = 60_000_000
"""A dial that moved farther than a 64th of a turn between two samples is read in full so often and so soon after."""


class Verification:
    """The schedule of verified and full reads: dials that have just moved far first, and all dials in turn. For the
    latter each scan earns a share of its bits, and each verification costs some."""

    def __init__(self, slots: Sequence[Slot], bits_per_scan: float) -> None:
        self._slots = slots
        self._bits_per_scan = bits_per_scan
        self._costs = {mode: [verification_extra_bits(slot, mode) for slot in slots] for mode in (VERIFIED, FULL)}
        self._saved_bits = 0.0
        self._next = self._round = 0
        self._moved: list[Slot] = []

    @property
    def waiting(self) -> bool:
        """Whether a dial that has just moved or come back waits for its full read."""
        return bool(self._moved)

    def request(self, slot: Slot, at_ns: int, fulls: int) -> None:
        """Request full reads of a dial that has just moved far, or is read for the first time."""
        slot.fulls, slot.full_at_ns = fulls, at_ns + FULL_AFTER_NS
        if slot not in self._moved:
            self._moved.append(slot)

    def choose(self, now_ns: int, *, rested: bool) -> None:
        """Choose for the next scan. `rested`: the bus had a gap before this one, so there is room for more."""
        if self._moved:
            self._choose_moved(now_ns)
        self._saved_bits += self._bits_per_scan * (MORE_WITH_ROOM if rested else 1)
        mode = VERIFIED if self._round % FULL_ROUNDS else FULL
        if not self._slots or self._saved_bits < self._costs[mode][self._next]:
            return
        self._saved_bits -= self._costs[mode][self._next]
        slot = self._slots[self._next]
        self._next = (self._next + 1) % len(self._slots)
        self._round += self._next == 0
        if slot.present and slot.chip.due is not FULL:
            slot.chip.due = mode

    def _choose_moved(self, now_ns: int) -> None:
        """One per scan, the longest waiting first: many moving dials must not lengthen each other's gaps."""
        slot = min(self._moved, key=lambda slot: slot.full_at_ns)
        if slot.full_at_ns > now_ns:
            return
        if slot.present:
            slot.chip.due = FULL
        slot.fulls, slot.full_at_ns = slot.fulls - 1, now_ns + FULL_AGAIN_NS
        if slot.fulls <= 0:
            self._moved.remove(slot)


def moved_far(slot: Slot, raw: int) -> bool:
    """Whether a dial moved farther than FAR_TURN since its last reading."""
    turn = slot.chip.counts_per_turn
    last = raw if slot.last_raw is None else slot.last_raw
    return abs((raw - last + turn // 2) % turn - turn // 2) > turn * FAR_TURN
