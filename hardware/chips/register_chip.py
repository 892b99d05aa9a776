"""Drivers of encoders that are given the register's number with every read.

A read is one register read. An angle is accepted while it is near the last one, and for a moment after the chip has
verified that the dial moves. Anything else is verified in the same scan: the angle twice, with a register in between
that only this chip has. An angle of exactly 0, several times in a row and far from the last one, is what a chip returns
that is still waking up, so the chip is started again before it is accepted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hardware.bus import Bus, Transaction
from hardware.chips.dial_chip import FRESH, FULL, QUICK, VERIFIED, Complaint, Health, ReadMode
from hardware.chips.encoder_chip import EncoderChip
from hardware.readings import Magnet, Proof, Reading, TroubleKind

NEAR_LAST_TURN = 1 / 64
"""An angle closer to the last one than this part of a turn (5.6 degrees) is not verified."""

TWICE_TURN = 1 / 40
"""Two angles in a row of one verified read are closer than this: the fastest fingers turn 7 degrees between them."""

VERIFIED_NS = 40_000_000
"""A dial that was verified to move is far from its last angle in every sample. It is verified as often as this, and
sampled densely in between: a single corrupted angle is a spike, which the tracker of the dial leaves out."""

SNAP_TURN = 1 / 8
"""A crisp detent snaps a whole click within one verified read, and swings back a little at most; no dial has fewer than
eight clicks. Three angles without a magnet do so once in forty reads, four once in four hundred."""


class RegisterChip(EncoderChip, ABC):
    """One encoder of `counts_per_turn`. A kind of chip fills in how it is identified and verified."""

    counts_per_turn = 16384

    def __init__(self, bus: Bus, address: int) -> None:
        super().__init__(bus, address)
        self._verified_ns = -VERIFIED_NS
        self._quick = self.quick_read()
        self._verified = self.verified_read()
        self._full = (*self._verified, *self.field_read())

    def starting(self) -> Iterator[None]:
        """Identify it, a few transactions per step. Raises WrongChip or another HardwareError."""
        self.forget()
        yield from self.identify()
        self._started = True

    def transactions(self, mode: ReadMode) -> Sequence[Transaction]:
        if mode is FULL:
            return self._full
        return self._quick if mode in (QUICK, FRESH) else self._verified

    def decode(self, mode: ReadMode, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        if mode in (QUICK, FRESH):
            return self.decode_quick(got[0], at_ns)
        verified = got[: len(self._verified)]
        magnet = self.judge(verified)
        if isinstance(magnet, Complaint):
            self.forget()
            return magnet
        reading = self._decode_verified([self.angle(each) for each in (verified[0], *verified[2:])], magnet, at_ns)
        if mode is not FULL or isinstance(reading, Complaint):
            return reading
        return Reading(reading.raw, reading.at_ns, reading.magnet, proof=self.field(got[len(verified) :]))

    def decode_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        raw = self.angle(answer)
        if raw is None or self.last is None:
            self.due = VERIFIED
            return None
        far = self._apart(raw, self.last) > self.counts_per_turn * NEAR_LAST_TURN
        if far and (raw == 0 or at_ns - self._verified_ns > VERIFIED_NS):
            self.due = VERIFIED
            return None
        self.last = raw
        self.due = QUICK
        return Reading(raw, at_ns)

    def _decode_verified(self, angles: Sequence[int | None], magnet: Magnet, at_ns: int) -> Reading | Complaint:
        self.due = VERIFIED
        counts = [angle for angle in angles if angle is not None]
        if len(counts) < len(angles):
            self.forget()
            return self.implausible_bytes()
        if not self._plausible(counts):
            self.forget()
            return self.two_angles()
        raw = counts[-1]
        far = self.last is not None and self._apart(raw, self.last) > self.counts_per_turn * NEAR_LAST_TURN
        if far and not any(counts):
            self.forget()
            return self.restarted()
        if far:
            self._verified_ns = at_ns
        self.last = raw
        self.due = QUICK
        return Reading(raw, at_ns, magnet)

    def _plausible(self, counts: Sequence[int]) -> bool:
        """Whether a dial that rests, turns or snaps can have these angles one after the other."""
        steps, little = [self._step(one, other) for one, other in pairwise(counts)], self.counts_per_turn * TWICE_TURN
        if all(abs(step) <= little for step in steps):
            return True
        one_way = min(steps) >= -little or max(steps) <= little
        return one_way and abs(sum(steps)) <= self.counts_per_turn * SNAP_TURN

    def _step(self, before: int, after: int) -> int:
        half = self.counts_per_turn // 2
        return (after - before + half) % self.counts_per_turn - half

    def _apart(self, one: int, other: int) -> int:
        return abs(self._step(one, other))

    # --- what a chip fills in

    @abstractmethod
    def identify(self) -> Iterator[None]:
        """Identify the chip in steps. Raises WrongChip if another one answers."""

    @abstractmethod
    def quick_read(self) -> tuple[Transaction, ...]:
        """One transaction that reads the angle."""

    @abstractmethod
    def verified_read(self) -> tuple[Transaction, ...]:
        """The angle, what identifies the chip, and the angle again, once or more."""

    def field_read(self) -> tuple[Transaction, ...]:
        """What a full read adds; nothing where the chip does not report how strong its field is."""
        return ()

    def field(self, got: Sequence[bytes]) -> Proof:
        """Decode the answers to `field_read`."""
        return Proof(None, None)

    @abstractmethod
    def angle(self, got: bytes | bytearray) -> int | None:
        """Counts; None for implausible bytes."""

    @abstractmethod
    def judge(self, got: Sequence[bytes]) -> Magnet | Complaint:
        """Decode what vouches for the first angle of a verified read."""

    @abstractmethod
    def health(self) -> Health:
        """The chip's diagnosis of its magnet. Raises HardwareError."""

    # --- complaints

    def two_angles(self) -> Complaint:
        """The complaint about a turn faster than any hand."""
        return Complaint(
            TroubleKind.IMPLAUSIBLE,
            "gave two angles in a row that contradict each other",
            "Check that its magnet is there, 0.5 to 3 mm above the chip, and then its plug.",
        )

    def restarted(self) -> Complaint:
        """The complaint about a power cut that went unnoticed."""
        return Complaint(
            TroubleKind.IMPLAUSIBLE,
            "seems to have restarted just now: it was unplugged, or its supply dipped",
            "It is started again automatically; if this recurs, check its plug and its 3.3 V.",
        )
