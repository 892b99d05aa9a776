"""AS5600: 12-bit absolute magnetic encoder (ams OSRAM, "AS5600 12-Bit Programmable Contactless
Potentiometer", datasheet v1-06).

The driver reads RAW ANGLE, never ANGLE, which follows ZPOS, MPOS and MANG and has a dead band at its ends (p.18-19).

The register pointer stays on RAW ANGLE when it was set to its high byte (p.13), so a read may leave the
pointer out: 29 bit times instead of 48. But a chip that lost its power has its pointer at 0x00, and the
same read then returns ZMCO and ZPOS, which pass for a small angle. So a quick read is accepted only if

- it is not what a lost pointer would return: on an unburnt chip 0, which a chip that is waking up returns too; and
- it is at most NEAR_LAST_COUNTS away from the last accepted angle.

Anything else is verified in the same scan: STATUS and RAW ANGLE with the pointer set again, and after them
CONF, which a chip loses together with its pointer. CONF comes last so that it vouches for what came before:
a plug pulled in the middle of a read (which leaves ones where bits should be) shows as well. A dial that
rests where a lost pointer would point has its pointer set and its STATUS read every time. The error that remains
possible is at most NEAR_LAST_COUNTS (5.6 degrees), which the dial's own hysteresis absorbs: never a wrong click.

Never sent: BURN_ANGLE and BURN_SETTING (p.21), which cannot be undone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from hardware.bus import Bus, Read, Transaction, Write
from hardware.chips.dial_chip import (
    FIELD,
    FRESH,
    FULL,
    QUICK,
    VERIFIED,
    Complaint,
    Health,
    ReadMode,
    magnet_words,
)
from hardware.chips.encoder_chip import EncoderChip
from hardware.encoders import EncoderKind
from hardware.readings import Magnet, Proof, Reading, TroubleKind

ADDRESS = 0x36
COUNTS_PER_TURN = 4096

ZMCO = 0x00  # and ZPOS(11:8) behind it (p.18)
CONF = 0x07
STATUS = 0x0B  # and RAW ANGLE behind it
RAW_ANGLE = 0x0C
AGC = 0x1A  # and MAGNITUDE behind it

STATUS_MD = 0x20  # magnet detected (p.20)
STATUS_ML = 0x10  # AGC at its maximum: magnet too weak
STATUS_MH = 0x08  # AGC at its minimum: magnet too strong

CONF_OURS = 0x3F0F
"""WD 13, FTH 12:10, SF 9:8, HYST 3:2, PM 1:0 (p.19). OUTS, PWMF and the blank bits stay as they are."""

CONF_WANTED = 0x0204
"""Watchdog off (it delays the first move after a rest), slow filter only, SF 4x, HYST 1 LSB, PM NOM."""

SETTLE_NS = 12_000_000
"""First valid angle about 10 ms after power-up, and SF 4x settles in 0.55 ms."""

NEAR_LAST_COUNTS = 64
NEAR_LAST_BACK = -NEAR_LAST_COUNTS
NOISE_COUNTS = 3
"""Noise around a rest; rms is half a count."""

SETTINGS_LOST = Complaint(
    TroubleKind.IMPLAUSIBLE,
    "forgot its settings: it was unplugged, or its supply dipped",
    "It is set up again automatically; if this recurs, check its plug and its 3.3 V.",
)
NO_MAGNET = Complaint(
    TroubleKind.NO_MAGNET,
    "answers, but sees no magnet",
    "Put the dial back, or check that its magnet sits 0.5 to 3 mm above the chip.",
)

_word = struct.Struct(">H").unpack


class As5600(EncoderChip):
    """One AS5600. `due` and `decode` are for the scan; `read_now` and `health` need none."""

    part = "AS5600"
    counts_per_turn = COUNTS_PER_TURN
    settle_ns = SETTLE_NS

    def __init__(self, bus: Bus, address: int = ADDRESS) -> None:
        super().__init__(bus, address)
        self._conf = b""
        self._burst = True
        self.expect_lost_pointer(0)
        self._reads = self._build_reads()

    # --- setting up

    def start(self) -> None:
        """Identify the chip and set it up; verified. Raises WrongChip or another HardwareError."""
        for _ in self.starting():
            pass

    def starting(self) -> Iterator[None]:
        """`start` in steps of at most two transactions, so that a scan can go on in between."""
        self.forget()
        conf = self.registers(CONF, 2)
        at_lost_pointer = self.registers(ZMCO, 2)
        if conf == b"\xff\xff":
            raise self.wrong("answers with ones only")
        yield
        self._identify()
        yield
        wanted = _wanted(conf)
        if wanted != conf:
            self._bus.transfer((Write(self._address, bytes((CONF,)) + wanted),))
            yield
            if self.registers(CONF, 2) != wanted:
                raise self.wrong("did not take its settings")
        self._conf = wanted
        self.expect_lost_pointer(at_lost_pointer[0] << 8 | at_lost_pointer[1])
        self._reads = self._build_reads()
        self._started = True

    def registers(self, first: int, length: int) -> bytes:
        """Read consecutive registers now. It moves the pointer, so no quick read may follow. Raises HardwareError."""
        self.invalidate()
        return super().registers(first, length)

    def _identify(self) -> None:
        """Check the chip, and whether three bytes from STATUS hold RAW ANGLE, as the pointer rule suggests.

        Where they do not (or the dial is moving just now), the two are read one after the other.
        """
        status, high, low = self.registers(STATUS, 3)
        alone = self.registers(RAW_ANGLE, 2)
        angle_alone = alone[0] << 8 | alone[1]
        if angle_alone >= COUNTS_PER_TURN or _contradicts_itself(status):
            raise self.wrong(self.implausible_bytes().seen)
        in_burst = high << 8 | low
        self._burst = in_burst < COUNTS_PER_TURN and _apart(in_burst, angle_alone) <= NEAR_LAST_COUNTS

    def expect_lost_pointer(self, value: int) -> None:
        """Set what a quick read returns if the pointer went back to 0x00; on a fresh chip 0."""
        self.lost_pointer = frozenset((0, value))
        self._near_lost = frozenset(
            (at + off) % COUNTS_PER_TURN for at in (0, value) for off in range(-NOISE_COUNTS, NOISE_COUNTS + 1)
        )
        self._unusual = self._near_lost.union(range(COUNTS_PER_TURN, COUNTS_PER_TURN + NEAR_LAST_COUNTS))

    # --- reading

    def transactions(self, mode: ReadMode) -> Sequence[Transaction]:
        return self._reads[mode]

    def _build_reads(self) -> dict[ReadMode, tuple[Transaction, ...]]:
        fresh = self.ask(RAW_ANGLE, 2)
        field_and_angle = (self.ask(STATUS, 3),) if self._burst else (self.ask(STATUS, 1), fresh)
        return {
            QUICK: ((Read(self._address, 2),),),
            FRESH: (fresh,),
            FIELD: field_and_angle,
            VERIFIED: (*field_and_angle, self.ask(CONF, 2)),
            FULL: (*field_and_angle, self.ask(AGC, 3), self.ask(CONF, 2)),
        }

    def decode(self, mode: ReadMode, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        if mode is VERIFIED:
            return self._decode_verified(got, at_ns)
        if mode is FULL:
            verified = self._decode_verified((*got[:-2], got[-1]), at_ns)
            return verified if isinstance(verified, Complaint) else _with_proof(verified, got[-2])
        if mode is FIELD:
            return self._decode_field(got, at_ns)
        self.due = QUICK
        return self.decode_quick(got[0], at_ns)

    def decode_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        """Accept an ordinary angle close to the last one at once; verify anything else."""
        (raw,) = _word(answer)
        last = self.last
        if last is not None and NEAR_LAST_BACK <= raw - last <= NEAR_LAST_COUNTS and raw not in self._unusual:
            self.last = raw
            return Reading(raw, at_ns)
        if raw in self.lost_pointer:
            self.due = VERIFIED
            return None
        return self.decode_near(raw, at_ns, QUICK)

    def decode_near(self, raw: int, at_ns: int, then: ReadMode, magnet: Magnet = Magnet.UNKNOWN) -> Reading | None:
        """Accept an angle close to the last one; `then` is the mode that is due next."""
        last = self.last
        if (
            last is None
            or raw >= COUNTS_PER_TURN
            or NEAR_LAST_COUNTS < (raw - last) % COUNTS_PER_TURN < COUNTS_PER_TURN - NEAR_LAST_COUNTS
        ):
            self.due = VERIFIED
            return None
        self.last = raw
        self.due = FIELD if raw in self._near_lost else then
        return Reading(raw, at_ns, magnet)

    def _decode_field(self, got: Sequence[bytes], at_ns: int) -> Reading | None:
        status, high, low = b"".join(got)
        magnet = _FIELDS.get(status & (STATUS_MD | STATUS_ML | STATUS_MH))
        if magnet is None:
            self.due = VERIFIED
            return None
        return self.decode_near(high << 8 | low, at_ns, FRESH, magnet)

    def _decode_verified(self, got: Sequence[bytes], at_ns: int) -> Reading | Complaint:
        self.due = VERIFIED
        status, high, low = b"".join(got[:-1])
        raw = high << 8 | low
        if got[-1] != self._conf:
            self.forget()
            return SETTINGS_LOST
        if raw >= COUNTS_PER_TURN or _contradicts_itself(status):
            self.forget()
            return self.implausible_bytes()
        if not status & STATUS_MD:
            self.last = None
            return NO_MAGNET
        moves_fast = self.last is not None and _apart(raw, self.last) > NEAR_LAST_COUNTS
        self.last = raw
        if not moves_fast:  # a quick read would be doubtful anyway
            self.due = FIELD if raw in self._near_lost else FRESH
        return Reading(raw, at_ns, _magnet(status))

    def read_now(self, at_ns: int) -> Reading | Complaint:
        """One verified read without a scan; the chip must be started.

        Raises HardwareError if the wire fails; then start it again.
        """
        got = [self._bus.transfer(transaction) for transaction in self._reads[VERIFIED]]
        return self._decode_verified(got, at_ns)

    def health(self) -> Health:
        """The field in numbers and words (STATUS, AGC, MAGNITUDE; p.20). Raises HardwareError."""
        status = self.registers(STATUS, 1)[0]
        agc = self.registers(AGC, 1)[0]
        magnitude = self.registers(AGC + 1, 2)
        return health_of(status, agc, magnitude[0] << 8 | magnitude[1])


def _with_proof(reading: Reading, field: bytes) -> Reading:
    """The reading with AGC and MAGNITUDE (p.20)."""
    proof = Proof(field[0], (field[1] << 8 | field[2]) & 0x0FFF)
    return Reading(reading.raw, reading.at_ns, reading.magnet, proof=proof)


def health_of(status: int, agc: int, magnitude: int) -> Health:
    """The diagnosis in STATUS, AGC and MAGNITUDE."""
    magnet = _magnet(status)
    return Health(magnet, agc, magnitude & 0x0FFF, _words(magnet, agc))


def _wanted(conf: bytes) -> bytes:
    word = (conf[0] << 8 | conf[1]) & ~CONF_OURS | CONF_WANTED
    return word.to_bytes(2, "big")


def _apart(one: int, other: int) -> int:
    """Counts between two angles, the short way round."""
    half = COUNTS_PER_TURN // 2
    return abs((one - other + half) % COUNTS_PER_TURN - half)


def _contradicts_itself(status: int) -> bool:
    """Whether it says too weak and too strong at once, as an idle bus (0xFF) or another chip does."""
    return status & STATUS_ML != 0 and status & STATUS_MH != 0


def _magnet(status: int) -> Magnet:
    if not status & STATUS_MD:
        return Magnet.MISSING
    if status & STATUS_ML:
        return Magnet.TOO_WEAK
    return Magnet.TOO_STRONG if status & STATUS_MH else Magnet.GOOD


_FIELDS = {status: _magnet(status) for status in (STATUS_MD, STATUS_MD | STATUS_ML, STATUS_MD | STATUS_MH)}
"""What STATUS means if there is a magnet."""


def _words(magnet: Magnet, agc: int) -> str:
    top = 128 if agc <= 128 else 255
    gain = f"gain {agc} of {top}"
    if magnet is Magnet.GOOD and not top * 30 // 128 <= agc <= top * 100 // 128:
        return f"magnet seen, but near a limit ({gain}): {'closer' if agc > top // 2 else 'farther away'} is better"
    return magnet_words(magnet, gain)


KIND = EncoderKind(
    part=As5600.part,
    driver=lambda at: As5600(at.bus, at.address),
    addresses=(ADDRESS,),
    address=ADDRESS,
    counts_per_turn=COUNTS_PER_TURN,
    most_ma=6.5,  # in nominal power mode
    order="white AS5600 board of 23 x 23 mm with four holes 18 mm apart, sold with a magnet; others (Seeed Grove "
    "101020692) do not fit the printed frame",
    read_bits=29,
    straps="VDD5V and VDD3V3 joined, DIR to {direction}, OUT and PGO left open",
    fastest_hz=1_000_000,
    source="ams AS5600 v1-06",
    clashes=((range(0x36, 0x37), "the first seesaw encoder, and the MAX17048 fuel gauge"),),
)
