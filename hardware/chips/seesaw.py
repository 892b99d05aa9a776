"""Adafruit's rotary encoder boards 4991 and 5880 (seesaw firmware): they count steps, and forget with their power.

A question is two bytes, base and function; the answer may be read WAIT_NS after it, and is nonsense before. Asked are
the version (0x00, 0x02; the product number is its upper half) and the position (0x11, 0x30; four bytes, signed, high
byte first). Never the delta (0x11, 0x40), which is gone when a read of it fails; and never a software reset (0x00,
0x7F), which would take the count of a dial in play.

A board that was switched on counts from 0. So that this can be told from a dial that happens to be there, the position
is moved far off once, to MARK plus what was counted: a count that is not near MARK any more is a new life of the board,
and where the dial stood is not known. A board that does not take the mark begins a new life with every failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hardware.bus import Bus, Read, Transaction, Write
from hardware.chips.dial_chip import FULL, PROVEN, QUICK, Complaint, Health, Look
from hardware.errors import WrongChip
from hardware.readings import Magnet, Proof, Reading, TroubleKind

ADDRESS = 0x36
PRODUCTS = (4991, 5880)
STEPS_PER_TURN = 24
COUNTS_PER_STEP = 128
"""A reading is in finer counts than steps, so that whoever follows it can treat it like an angle."""

WAIT_NS = 300_000
"""250 us is what Adafruit's own Arduino code waits."""

VERSION = b"\x00\x02"
POSITION = b"\x11\x30"
ANSWER_BYTES = 4

MARK = 1 << 29
MARK_REACH = 1 << 28

CALM_STEPS = 2

FORGOT = Complaint(
    TroubleKind.IMPLAUSIBLE,
    "lost its count: it was unplugged, or its supply dipped",
    "It counts again by itself, but nobody knows from where: turn it to its start mark and say `home` with its square.",
)


class Seesaw:
    """One board. `steps_per_turn`: what it counts in one turn of the dial."""

    part = "seesaw encoder"
    absolute = False
    wait_ns = WAIT_NS
    settle_ns = 0

    def __init__(self, bus: Bus, address: int = ADDRESS, steps_per_turn: int = STEPS_PER_TURN) -> None:
        """Sends nothing yet."""
        self._bus, self._address, self._steps = bus, address, steps_per_turn
        self.counts_per_turn = steps_per_turn * COUNTS_PER_STEP
        self.due = PROVEN
        self.life = 0
        self.product = 0
        self._started = self._marked = False
        self._last: int | None = None
        self._look: tuple[Transaction, ...] = (self._request(POSITION), self._answer())

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
        """Identify it, and mark it if it began a new life. `wait_ns` must pass between two steps."""
        self.forget()
        self._bus.transfer(self._request(VERSION))
        yield
        self._identify(self._bus.transfer(self._answer()))
        self._bus.transfer(self._request(POSITION))
        yield
        steps = _signed(self._bus.transfer(self._answer()))
        if not _near_mark(steps):
            yield from self._begin_life(steps)
        elif not self.life:
            self.life, self._marked = 1, True
        self._started = True

    def _identify(self, version: bytes) -> None:
        if version == b"\xff" * ANSWER_BYTES:
            raise self._wrong("answers with ones only")
        product = version[0] << 8 | version[1]
        if product not in PRODUCTS:
            raise self._wrong(f"says that it is product {product}, not 4991 or 5880")
        self.product = product

    def _begin_life(self, steps: int) -> Iterator[None]:
        marked = (MARK + steps) & 0xFFFF_FFFF
        self._bus.transfer((Write(self._address, POSITION + marked.to_bytes(ANSWER_BYTES, "big")),))
        self.life += 1
        yield
        self._bus.transfer(self._request(POSITION))
        yield
        self._marked = _near_mark(_signed(self._bus.transfer(self._answer())))

    def forget(self) -> None:
        self._started = False
        self._last = None
        self.due = PROVEN

    def distrust(self) -> None:
        self.due = PROVEN

    def transactions(self, look: Look) -> Sequence[Transaction]:
        """The question, and `wait_ns` later the answer."""
        return self._look

    def hear(self, look: Look, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        """A Reading; or a Complaint; or None for a count that is far off the last one: then it is asked again."""
        if look not in (PROVEN, FULL):
            return self.hear_quick(got[-1], at_ns)
        steps = _signed(got[-1])
        if self._marked and not _near_mark(steps):
            self.forget()
            return FORGOT
        return self._believed(steps, at_ns, Proof(None, None) if look is FULL else None)

    def hear_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        steps = _signed(answer)
        far = self._last is not None and abs(steps - self._last) > CALM_STEPS
        if far or (self._marked and not _near_mark(steps)):
            self.due = PROVEN
            return None
        return self._believed(steps, at_ns)

    def _believed(self, steps: int, at_ns: int, proof: Proof | None = None) -> Reading:
        self._last = steps
        self.due = QUICK
        raw = (steps - (MARK if self._marked else 0)) % self._steps * COUNTS_PER_STEP
        return Reading(raw, at_ns, life=self.life, proof=proof)

    def health(self) -> Health:
        """Which board it is, and what such a board cannot do. Sends nothing."""
        return Health(
            Magnet.UNKNOWN,
            None,
            None,
            f"counts steps (incremental, product {self.product}); after a power cut it does not know where it stands: "
            "before a game turn its dial to the start mark and say `home` with its square",
        )

    def _request(self, question: bytes) -> Transaction:
        return (Write(self._address, question),)

    def _answer(self) -> Transaction:
        return (Read(self._address, ANSWER_BYTES),)

    def _wrong(self, seen: str) -> WrongChip:
        return WrongChip(
            f"chip 0x{self._address:02X}",
            self._bus.name,
            seen,
            "Check that an encoder board 4991 or 5880 is wired here and nothing else has its address.",
        )


def _signed(answer: bytes | bytearray) -> int:
    return int.from_bytes(answer, "big", signed=True)


def _near_mark(steps: int) -> bool:
    return abs(steps - MARK) < MARK_REACH
