"""Adafruit's rotary encoder boards 4991 and 5880 (seesaw firmware): they count steps, and forget without power.

A request is two bytes, base and function; the answer may be read WAIT_NS later, and is garbage before. The driver reads
the version (0x00, 0x02; the product number is its upper half) and the position (0x11, 0x30; four bytes, signed, high
byte first). It never reads the delta (0x11, 0x40), which is lost when the read fails, and never sends a software reset
(0x00, 0x7F), which would clear the count of a dial in play.

A board that was switched on counts from 0. To distinguish this from a dial that happens to be there, the driver moves
the position far off once, to MARK plus the count: a count that is not near MARK any more begins a new life of the
board, and the dial's position is unknown. A board that does not take the mark begins a new life with every failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hardware.bus import Bus, Read, Transaction, Write
from hardware.chips.dial_chip import FULL, QUICK, VERIFIED, Complaint, Health, ReadMode
from hardware.chips.encoder_chip import EncoderChip
from hardware.encoders import STEPS_PER_TURN, EncoderKind
from hardware.readings import Magnet, Proof, Reading, TroubleKind

ADDRESS = 0x36
PRODUCTS = (4991, 5880)
COUNTS_PER_STEP = 128
"""A reading is in finer counts than steps, so that a tracker can treat it like an angle."""

WAIT_NS = 300_000
"""Adafruit's own Arduino code waits 250 us."""

VERSION = b"\x00\x02"
POSITION = b"\x11\x30"
ANSWER_BYTES = 4

MARK = 1 << 29
MARK_REACH = 1 << 28

CALM_STEPS = 2

COUNT_LOST = Complaint(
    TroubleKind.IMPLAUSIBLE,
    "lost its count: it was unplugged, or its supply dipped",
    "It counts again, but from an unknown position: turn it to its start mark and type `home` with its square.",
)


class Seesaw(EncoderChip):
    """One board. `steps_per_turn`: what it counts in one turn of the dial."""

    part = "seesaw encoder"
    absolute = False
    wait_ns = WAIT_NS

    def __init__(self, bus: Bus, address: int = ADDRESS, steps_per_turn: int = STEPS_PER_TURN) -> None:
        super().__init__(bus, address)
        self._steps = steps_per_turn
        self.counts_per_turn = steps_per_turn * COUNTS_PER_STEP
        self.life = 0
        self.product = 0
        self._marked = False
        self._read: tuple[Transaction, ...] = (self._request(POSITION), self._answer())

    @property
    def expected(self) -> str:
        return "an encoder board 4991 or 5880"

    def starting(self) -> Iterator[None]:
        """Identify it, and mark it if it begins a new life. `wait_ns` must pass between two steps."""
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
            raise self.wrong("answers with ones only")
        product = version[0] << 8 | version[1]
        if product not in PRODUCTS:
            raise self.wrong(f"reports product {product}, not 4991 or 5880")
        self.product = product

    def _begin_life(self, steps: int) -> Iterator[None]:
        marked = (MARK + steps) & 0xFFFF_FFFF
        self._bus.transfer((Write(self._address, POSITION + marked.to_bytes(ANSWER_BYTES, "big")),))
        self.life += 1
        yield
        self._bus.transfer(self._request(POSITION))
        yield
        self._marked = _near_mark(_signed(self._bus.transfer(self._answer())))

    def transactions(self, mode: ReadMode) -> Sequence[Transaction]:
        """The request, and `wait_ns` later the answer."""
        return self._read

    def decode(self, mode: ReadMode, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        if mode not in (VERIFIED, FULL):
            return self.decode_quick(got[-1], at_ns)
        steps = _signed(got[-1])
        if self._marked and not _near_mark(steps):
            self.forget()
            return COUNT_LOST
        return self._accept(steps, at_ns, Proof(None, None) if mode is FULL else None)

    def decode_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        steps = _signed(answer)
        far = self.last is not None and abs(steps - self.last) > CALM_STEPS
        if far or (self._marked and not _near_mark(steps)):
            self.due = VERIFIED
            return None
        return self._accept(steps, at_ns)

    def _accept(self, steps: int, at_ns: int, proof: Proof | None = None) -> Reading:
        self.last = steps
        self.due = QUICK
        raw = (steps - (MARK if self._marked else 0)) % self._steps * COUNTS_PER_STEP
        return Reading(raw, at_ns, life=self.life, proof=proof)

    def health(self) -> Health:
        """Which board it is, and its limits. Sends nothing."""
        return Health(
            Magnet.UNKNOWN,
            None,
            None,
            f"counts steps (incremental, product {self.product}); after a power cut its position is unknown: "
            "before a game turn its dial to the start mark and type `home` with its square",
        )

    def _request(self, request: bytes) -> Transaction:
        return (Write(self._address, request),)

    def _answer(self) -> Transaction:
        return (Read(self._address, ANSWER_BYTES),)


def _signed(answer: bytes | bytearray) -> int:
    return int.from_bytes(answer, "big", signed=True)


def _near_mark(steps: int) -> bool:
    return abs(steps - MARK) < MARK_REACH


KIND = EncoderKind(
    part=Seesaw.part,
    driver=lambda at: Seesaw(at.bus, at.address, at.steps_per_turn),
    addresses=tuple(range(0x36, 0x3E)),
    address=ADDRESS,
    counts_per_turn=STEPS_PER_TURN * COUNTS_PER_STEP,
    most_ma=25,  # an upper estimate: a small controller with its power LED and pixel
    order="Adafruit 5880; or 4991, and a rotary encoder to solder onto it",
    absolute=False,
    tells_magnet=False,
    read_bits=76,
    set_by="its three jumpers",
)
