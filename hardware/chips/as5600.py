"""AS5600: 12-bit absolute magnetic encoder (ams OSRAM, "AS5600 12-Bit Programmable Contactless
Potentiometer", datasheet v1-06).

Read is RAW ANGLE, never ANGLE: that one follows ZPOS, MPOS and MANG and has a dead band at its ends (p.18-19).

The register pointer stays on RAW ANGLE when it was set to its high byte (p.13), so a look may leave the
pointer out: 29 bit times instead of 48. But a chip that lost its power has its pointer at 0x00, and that
same look then brings ZMCO and ZPOS, which pass for a small angle. So a quick look is believed only if

- it does not say what a forgotten pointer would say: on an unburnt chip 0, which is also what a chip says that
  still wakes up; and
- it is at most CALM_COUNTS away from the last angle that was believed.

Anything else is proven in the same scan: STATUS and RAW ANGLE with the pointer set anew, and after them
CONF, which a chip forgets together with its pointer. CONF comes last so that it vouches for what came before:
a plug pulled in the middle of a look (which leaves ones where bits should be) shows as well. A dial that
rests where a forgotten pointer would point has its pointer set and its STATUS read in every look. What stays
possible is an error of CALM_COUNTS (5.6 degrees) that the dial's own hysteresis swallows, never a wrong click.

Never sent: BURN_ANGLE and BURN_SETTING (p.21), which cannot be undone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from hardware.bus import Bus, Read, Transaction, Write
from hardware.chips.dial_chip import FIELD, FRESH, FULL, PROVEN, QUICK, Complaint, Health, Look, nonsense
from hardware.errors import WrongChip
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
"""Watchdog off (it would see the first move after a rest late), slow filter only, SF 4x, HYST 1 LSB, PM NOM."""

SETTLE_NS = 12_000_000
"""First valid angle about 10 ms after power-up, and SF 4x settles in 0.55 ms."""

CALM_COUNTS = 64
CALM_BACK = -CALM_COUNTS
NEAR_COUNTS = 3
"""Noise around a rest; rms is half a count."""

FORGOT = Complaint(
    TroubleKind.IMPLAUSIBLE,
    "forgot its settings: it was unplugged, or its supply dipped",
    "It is set up again by itself; if this comes back, check its plug and its 3.3 V.",
)
NONSENSE = nonsense("AS5600", ADDRESS)
NO_MAGNET = Complaint(
    TroubleKind.NO_MAGNET,
    "answers, but sees no magnet",
    "Put the dial back, or check that its magnet sits 0.5 to 3 mm above the chip.",
)

_word = struct.Struct(">H").unpack


class As5600:
    """One AS5600. `due` and `hear` are for the scan; `look` and `health` stand alone."""

    part = "AS5600"
    absolute = True
    counts_per_turn = COUNTS_PER_TURN
    settle_ns = SETTLE_NS
    wait_ns = 0

    def __init__(self, bus: Bus, address: int = ADDRESS) -> None:
        """Sends nothing yet."""
        self._bus = bus
        self._address = address
        self.due = PROVEN
        self._started = False
        self._conf = b""
        self._last: int | None = None
        self._burst = True
        self._expect_forgotten(0)
        self._looks = self._build_looks()

    @property
    def bus(self) -> Bus:
        return self._bus

    @property
    def address(self) -> int:
        return self._address

    @property
    def started(self) -> bool:
        return self._started

    # --- setting up

    def start(self) -> None:
        """Identify the chip and set it up; verified. Raises WrongChip or another HardwareError."""
        for _ in self.starting():
            pass

    def starting(self) -> Iterator[None]:
        """`start` in steps of at most two transactions, so that a scan can go on in between."""
        self.forget()
        conf = self._registers(CONF, 2)
        forgotten = self._registers(ZMCO, 2)
        if conf == b"\xff\xff":
            raise self._wrong("answers with ones only")
        yield
        self._identify()
        yield
        wanted = _wanted(conf)
        if wanted != conf:
            self._bus.transfer((Write(self._address, bytes((CONF,)) + wanted),))
            yield
            if self._registers(CONF, 2) != wanted:
                raise self._wrong("did not take its settings")
        self._conf = wanted
        self._expect_forgotten(forgotten[0] << 8 | forgotten[1])
        self._looks = self._build_looks()
        self._started = True

    def forget(self) -> None:
        self._started = False
        self._last = None
        self.due = PROVEN

    def distrust(self) -> None:
        self.due = PROVEN

    def _identify(self) -> None:
        """Also try whether three bytes from STATUS hold RAW ANGLE, as the pointer rule lets one expect.

        Where they do not (or the dial moves just now), looks ask for the two one after the other.
        """
        status, high, low = self._registers(STATUS, 3)
        alone = self._registers(RAW_ANGLE, 2)
        angle_alone = alone[0] << 8 | alone[1]
        if angle_alone >= COUNTS_PER_TURN or _contradicts_itself(status):
            raise self._wrong(f"sent bytes that an {self.part} cannot mean")
        in_burst = high << 8 | low
        self._burst = in_burst < COUNTS_PER_TURN and _apart(in_burst, angle_alone) <= CALM_COUNTS

    def _expect_forgotten(self, value: int) -> None:
        """What a quick look brings if the pointer went back to 0x00; on a fresh chip 0."""
        self._forgotten = frozenset((0, value))
        self._near_forgotten = frozenset(
            (at + off) % COUNTS_PER_TURN for at in (0, value) for off in range(-NEAR_COUNTS, NEAR_COUNTS + 1)
        )
        self._unusual = self._near_forgotten.union(range(COUNTS_PER_TURN, COUNTS_PER_TURN + CALM_COUNTS))

    # --- looking

    def transactions(self, look: Look) -> Sequence[Transaction]:
        return self._looks[look]

    def _build_looks(self) -> dict[Look, tuple[Transaction, ...]]:
        fresh = self._ask(RAW_ANGLE, 2)
        field_and_angle = (self._ask(STATUS, 3),) if self._burst else (self._ask(STATUS, 1), fresh)
        return {
            QUICK: ((Read(self._address, 2),),),
            FRESH: (fresh,),
            FIELD: field_and_angle,
            PROVEN: (*field_and_angle, self._ask(CONF, 2)),
            FULL: (*field_and_angle, self._ask(AGC, 3), self._ask(CONF, 2)),
        }

    def hear(self, look: Look, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        """A Reading; or a Complaint; or None, if a PROVEN look must be taken before anything is believed."""
        if look is PROVEN:
            return self._hear_proven(got, at_ns)
        if look is FULL:
            verdict = self._hear_proven((*got[:-2], got[-1]), at_ns)
            return verdict if isinstance(verdict, Complaint) else _with_proof(verdict, got[-2])
        if look is FIELD:
            return self._hear_field(got, at_ns)
        self.due = QUICK
        return self.hear_quick(got[0], at_ns)

    def hear_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        """What lies near the last angle and is nothing special is believed at once; the rest is thought over."""
        (raw,) = _word(answer)
        last = self._last
        if last is not None and CALM_BACK <= raw - last <= CALM_COUNTS and raw not in self._unusual:
            self._last = raw
            return Reading(raw, at_ns)
        if raw in self._forgotten:
            self.due = PROVEN
            return None
        return self._hear_calm(raw, at_ns, QUICK)

    def _hear_calm(self, raw: int, at_ns: int, then: Look, magnet: Magnet = Magnet.UNKNOWN) -> Reading | None:
        """Believe an angle that lies near the last one; `then` is the look that is due next."""
        last = self._last
        if (
            last is None
            or raw >= COUNTS_PER_TURN
            or CALM_COUNTS < (raw - last) % COUNTS_PER_TURN < COUNTS_PER_TURN - CALM_COUNTS
        ):
            self.due = PROVEN
            return None
        self._last = raw
        self.due = FIELD if raw in self._near_forgotten else then
        return Reading(raw, at_ns, magnet)

    def _hear_field(self, got: Sequence[bytes], at_ns: int) -> Reading | None:
        status, high, low = b"".join(got)
        magnet = _FIELDS.get(status & (STATUS_MD | STATUS_ML | STATUS_MH))
        if magnet is None:
            self.due = PROVEN
            return None
        return self._hear_calm(high << 8 | low, at_ns, FRESH, magnet)

    def _hear_proven(self, got: Sequence[bytes], at_ns: int) -> Reading | Complaint:
        self.due = PROVEN
        status, high, low = b"".join(got[:-1])
        raw = high << 8 | low
        if got[-1] != self._conf:
            self.forget()
            return FORGOT
        if raw >= COUNTS_PER_TURN or _contradicts_itself(status):
            self.forget()
            return nonsense(self.part, self._address)
        if not status & STATUS_MD:
            self._last = None
            return NO_MAGNET
        moves_fast = self._last is not None and _apart(raw, self._last) > CALM_COUNTS
        self._last = raw
        if not moves_fast:  # else a quick look would be in doubt anyway
            self.due = FIELD if raw in self._near_forgotten else FRESH
        return Reading(raw, at_ns, _magnet(status))

    def look(self, at_ns: int) -> Reading | Complaint:
        """One proven look by itself, for whoever has no scan; the chip must be started.

        Raises HardwareError if the wire fails; then start it again.
        """
        got = [self._bus.transfer(transaction) for transaction in self._looks[PROVEN]]
        return self._hear_proven(got, at_ns)

    def health(self) -> Health:
        """The field in numbers and words (STATUS, AGC, MAGNITUDE; p.20). Raises HardwareError."""
        status = self._registers(STATUS, 1)[0]
        agc = self._registers(AGC, 1)[0]
        magnitude = self._registers(AGC + 1, 2)
        return health_of(status, agc, magnitude[0] << 8 | magnitude[1])

    # --- registers

    def _ask(self, register: int, length: int) -> Transaction:
        return (Write(self._address, bytes((register,))), Read(self._address, length))

    def _registers(self, first: int, length: int) -> bytes:
        """Read registers one after the other. It moves the pointer, so no quick look may follow."""
        self.distrust()
        return self._bus.transfer(self._ask(first, length))

    def _wrong(self, seen: str) -> WrongChip:
        return WrongChip(
            f"chip 0x{self._address:02X}",
            self._bus.name,
            seen,
            f"Check that an {self.part} is wired here and nothing else has its address.",
        )


def _with_proof(reading: Reading, field: bytes) -> Reading:
    """AGC and MAGNITUDE behind it (p.20)."""
    proof = Proof(field[0], (field[1] << 8 | field[2]) & 0x0FFF)
    return Reading(reading.raw, reading.at_ns, reading.magnet, proof=proof)


def health_of(status: int, agc: int, magnitude: int) -> Health:
    """What STATUS, AGC and MAGNITUDE say of the field, whoever read them."""
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
    """Too weak and too strong at once: what an idle bus (0xFF) or another chip says."""
    return status & STATUS_ML != 0 and status & STATUS_MH != 0


def _magnet(status: int) -> Magnet:
    if not status & STATUS_MD:
        return Magnet.MISSING
    if status & STATUS_ML:
        return Magnet.TOO_WEAK
    return Magnet.TOO_STRONG if status & STATUS_MH else Magnet.GOOD


_FIELDS = {status: _magnet(status) for status in (STATUS_MD, STATUS_MD | STATUS_ML, STATUS_MD | STATUS_MH)}
"""What STATUS says of a magnet that is there."""


def _words(magnet: Magnet, agc: int) -> str:
    top = 128 if agc <= 128 else 255
    gain = f"gain {agc} of {top}"
    match magnet:
        case Magnet.MISSING:
            return f"no magnet seen ({gain}): put the dial in, with its magnet 0.5 to 3 mm above the chip"
        case Magnet.TOO_WEAK:
            return f"magnet too weak ({gain}): bring it closer, and check that it is magnetised across its diameter"
        case Magnet.TOO_STRONG:
            return f"magnet too strong ({gain}): move it away from the chip"
    if not top * 30 // 128 <= agc <= top * 100 // 128:
        return f"magnet seen, but near a limit ({gain}): {'closer' if agc > top // 2 else 'farther away'} is better"
    return f"magnet good ({gain})"
