"""Looks at AS5600 encoders behind muxes (ams OSRAM, AS5600 datasheet v1-06).

A look sets the pointer to STATUS and reads three bytes, STATUS and RAW ANGLE: the pointer runs on from there (p.13).
The pointer that a chip keeps by itself is never trusted, so a chip that lost its power cannot pass another register
off as an angle. It also loses its settings then, and says nothing right for 10 ms. So CONF is read behind the angle
whenever the angle is new, zero or far from the last one, and for one dial in turn in every sweep; if it is not what was
written, the angle does not count and the dial is set up again.

Never sent: BURN_ANGLE and BURN_SETTING (p.21), which cannot be undone.
"""

from errno import ETIMEDOUT

from .muxes import CHANNELS, DIAL, Astray
from .wire import (
    COUNTS_PER_TURN,
    GOOD,
    IMPLAUSIBLE,
    NO_MAGNET,
    NO_MUX,
    NOT_READ,
    NOT_WIRED,
    SILENT,
    STUCK,
    TICKS,
    TOO_STRONG,
    TOO_WEAK,
    since,
)

CONF, STATUS, RAW_ANGLE, AGC, MAGNITUDE = 0x07, 0x0B, 0x0C, 0x1A, 0x1B
MD, ML, MH = 0x20, 0x10, 0x08

CONF_OURS = 0x3F0F
"""WD, FTH, SF, HYST and PM (p.19). OUTS, PWMF and the bits without a name stay as they are."""
CONF_WANTED = 0x0204
"""Watchdog off, slow filter only, SF 4x, HYST 1 LSB, PM NOM: as the Pi sets the dials on its own bus."""
SETTLE_US = 12_000
"""The first angle comes 10 ms after power-up, and SF 4x settles in 0.55 ms."""

CALM = 64
"""Counts between two looks at which CONF need not be asked."""

NONE = -1
PATIENCE = 2
"""Failures in a row before a dial is asked less often."""
LONGEST_WAIT = 32
"""Sweeps. A dial that times out holds up the others, so it may have to wait thirty times as long."""
LONGEST_HELD = 1024
TIME_OUTS = 2
"""In one sweep: then the bus is freed."""
FREE_EVERY_US = 1_000_000
MOST_COUNT = 0xFFFF


class Held(Exception):
    """The bus was down before a dial was asked: it is not that dial's fault."""


class Dials:
    """All dials of a board. `sweep` looks at each once; number n is channel n % 8 of mux n // 8."""

    def __init__(self, bus, muxes, count, wired, clock) -> None:
        """`clock` gives hub time in us. Nothing is sent yet."""
        self._bus, self._muxes, self._clock = bus, muxes, clock
        self.count = count
        self._wired = tuple(n in wired for n in range(count))
        self._three, self._two, self._one = bytearray(3), bytearray(2), bytearray(1)
        self._errors = [0] * count
        self._freed_us = (clock() - FREE_EVERY_US) % TICKS
        self.start()

    def start(self) -> None:
        """Begin anew: every dial is set up before its next look, and none waits."""
        count = self.count
        self._conf = [NONE] * count
        self._last = [NONE] * count
        self._ready_us = [0] * count
        self._settling = [False] * count
        self._fails = [0] * count
        self._wait = [0] * count
        self._gave = [NOT_READ if wired else NOT_WIRED for wired in self._wired]
        self._mux_fails = [0] * (count // CHANNELS)
        self._mux_wait = [0] * (count // CHANNELS)
        self._turn = 0
        self._time_outs = 0
        self._muxes.close_all()

    def sweep(self, looks: "list[int]", room_us: int) -> None:
        """Look at each dial and put what it gave into `looks`, as a report holds it.

        `room_us`: dials are set up only as long as the sweep has not taken so long; one is in any case.
        """
        began = self._clock()
        self._time_outs = 0
        set_up = False
        for mux in range(len(self._mux_wait)):
            if self._mux_wait[mux]:
                self._mux_wait[mux] -= 1
        self._turn = (self._turn + 1) % self.count
        for n in range(self.count):
            if self._wait[n]:
                self._wait[n] -= 1
            elif self._wired[n] and self._time_outs < TIME_OUTS:
                if self._mux_wait[n // CHANNELS]:
                    self._gave[n] = NO_MUX
                elif self._conf[n] != NONE:
                    looks[n] = self._tried(n)
                    continue
                elif not set_up or since(self._clock(), began) < room_us:
                    set_up = True
                    self._try_to_set_up(n)
            elif self._wired[n]:
                self._gave[n] = STUCK
            looks[n] = self._gave[n] << 12
        if self._time_outs >= TIME_OUTS:
            self._free()

    # --- one dial

    def _tried(self, n: int) -> int:
        if self._settling[n]:
            left = since(self._ready_us[n], self._clock())
            if 0 < left <= SETTLE_US:
                return NOT_READ << 12
            self._settling[n] = False
        try:
            return self._look(n)
        except (OSError, Astray, Held) as error:
            self._failed(n, error)
        return self._gave[n] << 12

    def _look(self, n: int) -> int:
        self._open(n)
        three = self._three
        self._bus.ask(DIAL, STATUS, three)
        status, raw = three[0], three[1] << 8 | three[2]
        apart = (raw - self._last[n]) % COUNTS_PER_TURN
        doubtful = self._last[n] == NONE or raw == 0 or CALM < apart < COUNTS_PER_TURN - CALM or n == self._turn
        forgot = False
        if doubtful:
            self._bus.ask(DIAL, CONF, self._two)
            forgot = self._two[0] << 8 | self._two[1] != self._conf[n]
        self._prove_mux(n)
        self._fails[n] = 0
        if forgot or raw >= COUNTS_PER_TURN or status & (ML | MH) == ML | MH:
            self._conf[n] = self._last[n] = NONE
            return self._say(n, IMPLAUSIBLE)
        if not status & MD:
            self._last[n] = NONE
            return self._say(n, NO_MAGNET)
        self._last[n] = raw
        if status & ML:
            return self._say(n, TOO_WEAK) | raw
        return self._say(n, TOO_STRONG if status & MH else GOOD) | raw

    def _try_to_set_up(self, n: int) -> None:
        try:
            done = self._set_up(n)
        except (OSError, Astray, Held) as error:
            self._failed(n, error)
        else:
            if done:
                self._fails[n] = 0
                self._gave[n] = NOT_READ
            else:
                self._later(n, IMPLAUSIBLE)

    def _set_up(self, n: int) -> bool:
        """Write CONF and read it back; also try whether three bytes from STATUS hold RAW ANGLE. False if not."""
        self._open(n)
        three, two = self._three, self._two
        self._bus.ask(DIAL, CONF, two)
        had = two[0] << 8 | two[1]
        self._bus.ask(DIAL, STATUS, three)
        in_three = three[1] << 8 | three[2]
        self._bus.ask(DIAL, RAW_ANGLE, two)
        apart = (two[0] << 8 | two[1]) - in_three
        honest = had != 0xFFFF and in_three < COUNTS_PER_TURN and (apart + CALM) % COUNTS_PER_TURN <= 2 * CALM
        if not honest:
            return False
        wanted = had & ~CONF_OURS | CONF_WANTED
        if wanted != had:
            self._bus.put(DIAL, bytes((CONF, wanted >> 8, wanted & 0xFF)))
            self._bus.ask(DIAL, CONF, two)
            if two[0] << 8 | two[1] != wanted:
                return False
        self._prove_mux(n)
        self._conf[n] = wanted
        self._last[n] = NONE
        self._ready_us[n] = (self._clock() + SETTLE_US) % TICKS
        self._settling[n] = True
        return True

    def _say(self, n: int, gave: int) -> int:
        self._gave[n] = gave
        return gave << 12

    # --- failures

    def _open(self, n: int) -> None:
        """Raises Held for a bus that is down, and Astray for a mux that does not answer."""
        try:
            self._muxes.open(n // CHANNELS, n % CHANNELS)
        except OSError as error:
            raise (Held if error.errno == ETIMEDOUT else Astray) from None

    def _prove_mux(self, n: int) -> None:
        try:
            self._muxes.prove(n // CHANNELS)
        except OSError as error:
            if error.errno == ETIMEDOUT:
                raise
            raise Astray from None
        self._mux_fails[n // CHANNELS] = 0

    def _failed(self, n: int, error: Exception) -> None:
        self._muxes.forget()
        held = isinstance(error, OSError) and error.errno == ETIMEDOUT
        if held or isinstance(error, Held):
            self._time_outs += 1
        if isinstance(error, Held):
            self._count(n, STUCK)
        elif isinstance(error, Astray):
            self._mux_failed(n)
        else:
            self._later(n, STUCK if held else SILENT)

    def _count(self, n: int, gave: int) -> None:
        self._gave[n] = gave
        self._last[n] = NONE
        self._errors[n] = min(self._errors[n] + 1, MOST_COUNT)

    def _later(self, n: int, gave: int) -> None:
        """Ask again at the next sweep, and after some failures ever more rarely."""
        self._count(n, gave)
        self._fails[n] = min(self._fails[n] + 1, 16)
        if self._fails[n] >= PATIENCE:
            longest = LONGEST_HELD if gave == STUCK and self._time_outs == 1 else LONGEST_WAIT
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

    # --- for the builder

    def diagnosis(self, n: int) -> "tuple[int, int, int, int, int, int, int]":
        """How a look went, STATUS, AGC, MAGNITUDE, RAW ANGLE, CONF and how many looks failed."""
        if not self._wired[n]:
            return NOT_WIRED, 0, 0, 0, 0, 0, 0
        self._time_outs = 0
        try:
            self._open(n)
            self._bus.ask(DIAL, STATUS, self._three)
            self._bus.ask(DIAL, AGC, self._one)
            self._bus.ask(DIAL, MAGNITUDE, self._two)
            magnitude = self._two[0] << 8 | self._two[1]
            self._bus.ask(DIAL, CONF, self._two)
            self._prove_mux(n)
        except (OSError, Astray, Held) as error:
            self._failed(n, error)
            return self._gave[n], 0, 0, 0, 0, 0, self._errors[n]
        status, raw = self._three[0], self._three[1] << 8 | self._three[2]
        conf = self._two[0] << 8 | self._two[1]
        return _field(status, raw), status, self._one[0], magnitude, raw, conf, self._errors[n]


def _field(status: int, raw: int) -> int:
    if raw >= COUNTS_PER_TURN or status & (ML | MH) == ML | MH:
        return IMPLAUSIBLE
    if not status & MD:
        return NO_MAGNET
    if status & ML:
        return TOO_WEAK
    return TOO_STRONG if status & MH else GOOD
