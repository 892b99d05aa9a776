"""Samples AS5600 encoders behind muxes (ams OSRAM, AS5600 datasheet v1-06).

A read sets the pointer to STATUS and reads three bytes, STATUS and RAW ANGLE: the pointer auto-increments (p.13). The
firmware never relies on the pointer that a chip kept, so after a power loss no other register can pass as an angle. A
chip that lost its power also loses its settings and gives wrong values for 10 ms. So the firmware reads CONF after the
angle whenever the angle is new, zero or far from the last one, and for one dial in turn in every sweep; if CONF is not
what it wrote, it rejects the angle and sets the dial up again. A full read includes CONF, AGC and MAGNITUDE.

Never sent: BURN_ANGLE and BURN_SETTING (p.21), which cannot be undone.
"""

from errno import ETIMEDOUT

from .muxes import CHANNELS, DIAL, ChannelMismatch
from .ticks import after
from .wire import (
    COUNTS_PER_TURN,
    GOOD,
    IMPLAUSIBLE,
    LAST_TICK,
    NO_MAGNET,
    NO_MUX,
    NOT_READ,
    NOT_WIRED,
    SILENT,
    STUCK,
    TOO_STRONG,
    TOO_WEAK,
    since,
)

CONF, STATUS, RAW_ANGLE, AGC, MAGNITUDE = 0x07, 0x0B, 0x0C, 0x1A, 0x1B
MD, ML, MH = 0x20, 0x10, 0x08
FIELD = MD | ML | MH

CONF_OURS = 0x3F0F
"""WD, FTH, SF, HYST and PM (p.19). OUTS, PWMF and the unnamed bits stay as they are."""
CONF_WANTED = 0x0204
"""Watchdog off, slow filter only, SF 4x, HYST 1 LSB, PM NOM: as the Pi configures the dials on its own bus."""
SETTLE_US = 12_000
"""The first angle comes 10 ms after power-up, and SF 4x settles in 0.55 ms."""

NEAR = 64
"""Counts between two samples within which a read skips CONF."""

NONE = -1
PATIENCE = 2
"""Failures in a row before the firmware retries a dial less often."""
WAIT_US = 10_000
"""Unit of the retry delay."""
LONGEST_WAIT = 32
"""Units. A dial that times out delays the others, so its retry delay may be thirty times as long."""
LONGEST_HELD = 1024
TIME_OUTS = 2
"""Time-outs in one sweep after which the bus is freed."""
FREE_EVERY_US = 1_000_000
MOST_COUNT = 0xFFFF


class DialBank:
    """All dials of a board: call `begin`, `sample` each, `end`. Number n is channel n % 8 of mux n // 8.

    The code path of a ready dial is as short as possible: on an RP2040 each line of Python costs about 10 us.
    """

    def __init__(self, bus, muxes, count, wired, clock) -> None:
        """`clock` returns hub time in us. Closes the muxes and sends nothing else."""
        self._bus, self._muxes, self._clock = bus, muxes, clock
        self.count = count
        self.wired = tuple(n for n in range(count) if n in wired)
        self._three, self._two, self._one, self._field = bytearray(3), bytearray(2), bytearray(1), bytearray(2)
        self.agc = self.magnitude = NONE
        self._errors = [0] * count
        self._freed_us = clock() - FREE_EVERY_US & LAST_TICK
        self.start()

    def start(self) -> None:
        """Start over: set up every dial before its next sample, without retry delays."""
        count = self.count
        self._ready = [False] * count
        """Set up, settled, and the last read did not fail."""
        self._conf = [NONE] * count
        self._last = [NONE] * count
        self._ready_us = [NONE] * count
        self._fails = [0] * count
        self._wait = [0] * count
        self._results = [NOT_READ] * count
        self._mux_fails = [0] * (count // CHANNELS)
        self._mux_wait = [0] * (count // CHANNELS)
        self._turn = 0
        self._waited_us = self._clock()
        self.begin(self._waited_us, 0)
        self._muxes.close_all()

    def _begin(self) -> None:
        self._time_outs = 0
        self._at_mux = False
        self._set_up_one = False

    def is_ready(self, n: int) -> bool:
        """Whether it is set up and its last read did not fail."""
        return self._ready[n]

    def begin(self, began: int, room_us: int) -> None:
        """Begin a sweep. `room_us`: set up dials only until the sweep has taken this long; always set up one."""
        self._begin()
        self._began_us, self._room_us = began, room_us
        self._waits = not 0 <= since(began, self._waited_us) < WAIT_US
        if self._waits:
            self._waited_us = began
            for mux in range(len(self._mux_wait)):
                if self._mux_wait[mux]:
                    self._mux_wait[mux] -= 1
        self._turn = (self._turn + 1) % self.count

    def sample(self, n: int, full: bool) -> int:
        """Sample a dial; return the value as a report holds it. After a successful `full` read, `agc` and `magnitude`
        hold the chip's registers; otherwise `agc` is NONE."""
        self.agc = NONE
        try:
            if self._ready[n] and self._time_outs < TIME_OUTS:
                return self._read(n, full)
            return self._read_or_retry(n, full)
        except (OSError, ChannelMismatch) as error:
            self.agc = NONE
            self._note_failure(n, error)
            return self._results[n] << 12

    def end(self) -> None:
        """End a sweep."""
        if self._time_outs >= TIME_OUTS:
            self._free()

    # --- one dial

    def _read(self, n: int, full: bool) -> int:
        bus, three = self._bus, self._three
        self._at_mux = True
        self._muxes.open(n)
        self._at_mux = False
        bus.read_register(DIAL, STATUS, three)
        raw = three[1] << 8 | three[2]
        last = self._last[n]
        near = last >= 0 and -NEAR <= raw - last <= NEAR and raw and n != self._turn and not full
        if not near:
            bus.read_register(DIAL, CONF, self._two)
        if full:
            bus.read_register(DIAL, AGC, self._one)
            bus.read_register(DIAL, MAGNITUDE, self._field)
        self._at_mux = True
        self._muxes.verify(n)
        self._at_mux = False
        if near and raw < COUNTS_PER_TURN and three[0] & FIELD == MD:
            self._last[n] = raw
            return raw
        forgot = not near and self._two[0] << 8 | self._two[1] != self._conf[n]
        result = IMPLAUSIBLE if forgot else _field(three[0], raw)
        if full and result not in (IMPLAUSIBLE, NO_MAGNET):
            self.agc, self.magnitude = self._one[0], self._field[0] << 8 & 0xF00 | self._field[1]
        return self._judge(n, raw, result)

    def _judge(self, n: int, raw: int, result: int) -> int:
        if result == IMPLAUSIBLE:
            self._conf[n] = NONE
            self._ready[n] = False
        if result in (IMPLAUSIBLE, NO_MAGNET):
            self._results[n] = result
            self._last[n] = NONE
            return result << 12
        self._last[n] = raw
        return result << 12 | raw

    def _read_or_retry(self, n: int, full: bool) -> int:
        """Sample a dial that is not ready, or whose bus is down."""
        mux = n // CHANNELS
        if self._time_outs >= TIME_OUTS:
            self._results[n] = STUCK
        elif self._wait[n]:
            self._wait[n] -= self._waits
        elif self._mux_wait[mux]:
            self._results[n] = NO_MUX
        elif self._conf[n] == NONE:
            if not self._set_up_one or since(self._clock(), self._began_us) < self._room_us:
                self._set_up_one = True
                self._set_up(n)
        elif self._settled(n):
            self._ready[n] = True
            value = self._read(n, full)
            self._fails[n] = self._mux_fails[mux] = 0
            return value
        return self._results[n] << 12

    def _settled(self, n: int) -> bool:
        if self._ready_us[n] == NONE:
            return True
        if 0 < since(self._ready_us[n], self._clock()) <= SETTLE_US:
            return False
        self._ready_us[n] = NONE
        return True

    def _set_up(self, n: int) -> None:
        required = self._write_settings(n)
        if required == NONE:
            self._retry_later(n, IMPLAUSIBLE)
            return
        self._fails[n] = self._mux_fails[n // CHANNELS] = 0
        self._conf[n] = required
        self._last[n] = NONE
        self._ready_us[n] = after(self._clock(), SETTLE_US)
        self._results[n] = NOT_READ

    def _write_settings(self, n: int) -> int:
        """Write CONF and read it back; also verify that three bytes from STATUS contain RAW ANGLE. NONE if not."""
        bus, three, two = self._bus, self._three, self._two
        self._at_mux = True
        self._muxes.open(n)
        self._at_mux = False
        bus.read_register(DIAL, CONF, two)
        had = two[0] << 8 | two[1]
        bus.read_register(DIAL, STATUS, three)
        in_three = three[1] << 8 | three[2]
        bus.read_register(DIAL, RAW_ANGLE, two)
        apart = (two[0] << 8 | two[1]) - in_three
        if had == 0xFFFF or in_three >= COUNTS_PER_TURN or (apart + NEAR) % COUNTS_PER_TURN > 2 * NEAR:
            return NONE
        required = had & ~CONF_OURS | CONF_WANTED
        if required != had:
            bus.write(DIAL, bytes((CONF, required >> 8, required & 0xFF)))
            bus.read_register(DIAL, CONF, two)
            if two[0] << 8 | two[1] != required:
                return NONE
        self._at_mux = True
        self._muxes.verify(n)
        return required

    # --- failures

    def _note_failure(self, n: int, error: Exception) -> None:
        self._muxes.forget()
        held = False
        if isinstance(error, OSError):
            self._bus.failed += 1
            held = error.errno == ETIMEDOUT
        if held:
            self._time_outs += 1
        if held and self._at_mux:
            self._count(n, STUCK)  # the bus was down before this dial was read, so the dial did not cause it
        elif self._at_mux:
            self._mux_failed(n)
        else:
            self._retry_later(n, STUCK if held else SILENT)

    def _count(self, n: int, result: int) -> None:
        self._ready[n] = False
        self._results[n] = result
        self._last[n] = NONE
        self._errors[n] = min(self._errors[n] + 1, MOST_COUNT)

    def _retry_later(self, n: int, result: int) -> None:
        """Retry at the next sweep, and after some failures with a growing delay."""
        self._count(n, result)
        self._fails[n] = min(self._fails[n] + 1, 16)
        if self._fails[n] >= PATIENCE:
            longest = LONGEST_HELD if result == STUCK and self._time_outs == 1 else LONGEST_WAIT
            self._wait[n] = min(1 << (self._fails[n] - PATIENCE + 1), longest)

    def _mux_failed(self, n: int) -> None:
        mux = n // CHANNELS
        self._count(n, NO_MUX)
        self._mux_fails[mux] = min(self._mux_fails[mux] + 1, 16)
        if self._mux_fails[mux] >= PATIENCE:
            self._mux_wait[mux] = min(1 << (self._mux_fails[mux] - PATIENCE + 1), LONGEST_WAIT)

    def _free(self) -> None:
        now = self._clock()
        if 0 <= since(now, self._freed_us) < FREE_EVERY_US:
            return
        self._freed_us = now
        self._bus.free()
        self._muxes.close_all()

    # --- diagnosis

    def diagnosis(self, n: int) -> "tuple[int, int, int, int, int, int, int]":
        """Read result, STATUS, AGC, MAGNITUDE, RAW ANGLE, CONF and the number of failed reads."""
        if n not in self.wired:
            return NOT_WIRED, 0, 0, 0, 0, 0, 0
        bus, three, two = self._bus, self._three, self._two
        self._begin()
        try:
            self._at_mux = True
            self._muxes.open(n)
            self._at_mux = False
            bus.read_register(DIAL, STATUS, three)
            bus.read_register(DIAL, AGC, self._one)
            bus.read_register(DIAL, MAGNITUDE, two)
            magnitude = two[0] << 8 | two[1]
            bus.read_register(DIAL, CONF, two)
            self._at_mux = True
            self._muxes.verify(n)
        except (OSError, ChannelMismatch) as error:
            self._note_failure(n, error)
            return self._results[n], 0, 0, 0, 0, 0, self._errors[n]
        raw = three[1] << 8 | three[2]
        return _field(three[0], raw), three[0], self._one[0], magnitude, raw, two[0] << 8 | two[1], self._errors[n]


def _field(status: int, raw: int) -> int:
    if raw >= COUNTS_PER_TURN or status & (ML | MH) == ML | MH:
        return IMPLAUSIBLE
    if not status & MD:
        return NO_MAGNET
    if status & ML:
        return TOO_WEAK
    return TOO_STRONG if status & MH else GOOD
