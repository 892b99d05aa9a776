"""What encoders share that are told in every look which register is meant.

A look is one register read. It is believed while the angle is near the last one, and for a moment after a proof that
the dial moves. Anything else is proven in the same scan: the angle twice, with something between that only this chip
says. An angle of exactly 0, time after time, that comes from far off is what a chip says that still wakes up, so the
chip is started again before it is believed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hardware.bus import Bus, Read, Transaction, Write
from hardware.chips.dial_chip import FRESH, FULL, PROVEN, QUICK, Complaint, Health, Look, nonsense
from hardware.errors import WrongChip
from hardware.readings import Magnet, Proof, Reading, TroubleKind

CALM_TURN = 1 / 64
"""An angle that is nearer to the last one than this part of a turn (5.6 degrees) needs no proof."""

TWICE_TURN = 1 / 40
"""Two angles in a row of one proven look are nearer than this: the fastest fingers turn 7 degrees between them."""

PROVEN_NS = 40_000_000
"""A dial that was proven to move is far from its last angle in every sample. It is proven as often as this, and sampled
densely in between: a single spoilt angle is a spike, which whoever follows the dial leaves out."""

SNAP_TURN = 1 / 8
"""A crisp detent snaps a whole click within one proven look, and swings back a little at the most; no dial has fewer
than eight clicks. Three angles without a magnet do so once in forty looks, four once in four hundred."""


class PlainChip:
    """One encoder of `counts_per_turn`. A kind of chip fills in how it is identified and what proves it."""

    part = "encoder"
    absolute = True
    counts_per_turn = 16384
    settle_ns = 0
    wait_ns = 0

    def __init__(self, bus: Bus, address: int) -> None:
        """Sends nothing yet."""
        self._bus = bus
        self._address = address
        self.due = PROVEN
        self._started = False
        self._last: int | None = None
        self._proven_ns = -PROVEN_NS
        self._quick = self.quick_look()
        self._proof = self.proof()
        self._full = (*self._proof, *self.field_look())

    @property
    def bus(self) -> Bus:
        return self._bus

    @property
    def address(self) -> int:
        return self._address

    @property
    def started(self) -> bool:
        return self._started

    def starting(self) -> Iterator[None]:
        """Identify it, a few transactions per step. Raises WrongChip or another HardwareError."""
        self.forget()
        yield from self.identify()
        self._started = True

    def forget(self) -> None:
        self._started = False
        self._last = None
        self.due = PROVEN

    def distrust(self) -> None:
        self.due = PROVEN

    def transactions(self, look: Look) -> Sequence[Transaction]:
        if look is FULL:
            return self._full
        return self._quick if look in (QUICK, FRESH) else self._proof

    def hear(self, look: Look, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        """A Reading; or a Complaint; or None, if a PROVEN look must be taken before anything is believed."""
        if look in (QUICK, FRESH):
            return self.hear_quick(got[0], at_ns)
        proof = got[: len(self._proof)]
        verdict = self.judge(proof)
        if isinstance(verdict, Complaint):
            self.forget()
            return verdict
        reading = self._hear_proven([self.angle(each) for each in (proof[0], *proof[2:])], verdict, at_ns)
        if look is not FULL or isinstance(reading, Complaint):
            return reading
        return Reading(reading.raw, reading.at_ns, reading.magnet, proof=self.field(got[len(proof) :]))

    def hear_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        raw = self.angle(answer)
        if raw is None or self._last is None:
            self.due = PROVEN
            return None
        far = self._apart(raw, self._last) > self.counts_per_turn * CALM_TURN
        if far and (raw == 0 or at_ns - self._proven_ns > PROVEN_NS):
            self.due = PROVEN
            return None
        self._last = raw
        self.due = QUICK
        return Reading(raw, at_ns)

    def _hear_proven(self, angles: Sequence[int | None], magnet: Magnet, at_ns: int) -> Reading | Complaint:
        self.due = PROVEN
        counts = [angle for angle in angles if angle is not None]
        if len(counts) < len(angles):
            self.forget()
            return self.nonsense()
        if not self._fit_together(counts):
            self.forget()
            return self.two_angles()
        raw = counts[-1]
        far = self._last is not None and self._apart(raw, self._last) > self.counts_per_turn * CALM_TURN
        if far and not any(counts):
            self.forget()
            return self.forgot()
        if far:
            self._proven_ns = at_ns
        self._last = raw
        self.due = QUICK
        return Reading(raw, at_ns, magnet)

    def _fit_together(self, counts: Sequence[int]) -> bool:
        """Whether a dial that stands, turns or snaps can have shown these angles one after the other."""
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

    def identify(self) -> Iterator[None]:
        """Steps that raise WrongChip if another chip answers."""
        raise NotImplementedError

    def quick_look(self) -> tuple[Transaction, ...]:
        """One transaction that brings the angle."""
        raise NotImplementedError

    def proof(self) -> tuple[Transaction, ...]:
        """The angle, what proves the chip, and the angle again, once or more."""
        raise NotImplementedError

    def field_look(self) -> tuple[Transaction, ...]:
        """What a full read asks beside the proof; nothing where the chip cannot say how strong its field is."""
        return ()

    def field(self, got: Sequence[bytes]) -> Proof:
        """What the answers to `field_look` say."""
        return Proof(None, None)

    def angle(self, got: bytes | bytearray) -> int | None:
        """Counts; None for bytes that the chip cannot mean."""
        raise NotImplementedError

    def judge(self, got: Sequence[bytes]) -> Magnet | Complaint:
        """What stands behind the first angle of a proof."""
        raise NotImplementedError

    def health(self) -> Health:
        """What the chip knows of its magnet. Raises HardwareError."""
        raise NotImplementedError

    # --- registers and words

    def ask(self, register: int, length: int) -> Transaction:
        """The transaction that reads registers one after the other."""
        return (Write(self._address, bytes((register,))), Read(self._address, length))

    def registers(self, first: int, length: int) -> bytes:
        """Read registers now. Raises HardwareError."""
        return self._bus.transfer(self.ask(first, length))

    def wrong(self, seen: str) -> WrongChip:
        """Something else answered."""
        return WrongChip(
            f"chip 0x{self._address:02X}",
            self._bus.name,
            seen,
            f"Check that an {self.part} is wired here and nothing else has its address.",
        )

    def nonsense(self) -> Complaint:
        """Bytes that this kind of chip cannot mean."""
        return nonsense(self.part, self._address)

    def two_angles(self) -> Complaint:
        """No hand is that fast."""
        return Complaint(
            TroubleKind.IMPLAUSIBLE,
            "gave two angles in a row that do not fit together",
            "Check that its magnet is there, 0.5 to 3 mm above the chip, and then its plug.",
        )

    def forgot(self) -> Complaint:
        """It lost its power without being missed."""
        return Complaint(
            TroubleKind.IMPLAUSIBLE,
            "seems to have been switched on just now: it was unplugged, or its supply dipped",
            "It is started again by itself; if this comes back, check its plug and its 3.3 V.",
        )
