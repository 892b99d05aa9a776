"""What twins of encoders share: a plug, a register pointer, and a measurement that can be made to go wrong.

A chip's own registers, and what it has forgotten after a power cut, are in its own twin.

What it does not model: how long a measurement takes (the angle is the true one at the bit), filters, supply noise.
Guesses where datasheets are silent: a chip that wakes up acknowledges at once and measures 0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from hardware.sims.as5600 import Field
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import IDLE_HIGH, ArbitrationLost, LineHeld, Spoilt, TwinError

HAND_COUNTS = 4096
"""`angle_at` speaks in these per turn, as `hardware.sims.hand` does, however fine the chip is."""

OFTEN_AS_NOT = 1_103_515_245, 12_345


class EncoderTwin:
    """An encoder with a register pointer. `angle_at(t_ns)`: the angle in 4096ths of a turn, any real number.

    `burn_commands` lists every byte that would have changed the chip for good: it must stay empty in any honest run.
    """

    name = "encoder"
    power_up_ns = 10_000_000
    named: frozenset[int] = frozenset()
    blank_bits_spoilt = False
    conf = 0
    """Of an AS5600 alone: these chips have no settings that a driver could spoil."""

    def __init__(self, clock: VirtualClock, angle_at: Callable[[int], float], address: int, counts: int) -> None:
        self._clock, self._address, self._counts = clock, address, counts
        self.angle_at = angle_at
        self.burn_commands: list[int] = []
        self.powered = True
        self._field = Field.GOOD
        self._valid_from_ns = clock.now_ns()
        self._dips = 0
        self._breaks: deque[Exception] = deque()
        self._nacks = self._stale = self._zeros = self._torn_bits = 0
        self._spike_counts = self._hop_counts = self._gain_drift = 0
        self._random = address
        self._last_raw = 0
        self.forget()

    @property
    def address(self) -> int:
        return self._address

    @property
    def pointer(self) -> int:
        """Where the register pointer stands."""
        return self._pointer

    @property
    def field(self) -> Field:
        """The magnet as it is now; set it to weaken, strengthen or take away the magnet."""
        return self._field

    @field.setter
    def field(self, field: Field) -> None:
        self._field = field

    # --- the pins

    def start(self, reading: bool) -> bool:
        if not self.powered:
            return False
        if self._nacks:
            self._nacks -= 1
            return False
        if self._breaks:
            raise self._breaks.popleft()
        self._pointer_next = not reading
        self.begins(reading)
        return True

    def write(self, byte: int) -> bool:
        if not self.powered:
            return False
        if self._pointer_next:
            if byte not in self.named:
                raise TwinError(f"{self.name}: the datasheet names no register 0x{byte:02X}")
            self._pointer, self._pointer_next = byte, False
        else:
            self.store(self._pointer, byte)
            self._pointer = (self._pointer + 1) & 0xFF
        return True

    def read(self) -> int:
        if not self.powered:
            return IDLE_HIGH
        at, self._pointer = self._pointer, (self._pointer + 1) & 0xFF
        return self.register(at)

    def stop(self) -> None:
        """Nothing waits for the STOP."""

    # --- what a chip fills in

    def forget(self) -> None:
        """Everything that a power cut takes."""
        self._pointer = 0
        self._pointer_next = False

    def begins(self, reading: bool) -> None:
        """A START with its address."""

    def store(self, at: int, byte: int) -> None:
        """A byte for a register."""
        raise TwinError(f"{self.name}: register 0x{at:02X} cannot be written")

    def register(self, at: int) -> int:
        """What a register holds now."""
        raise NotImplementedError

    # --- the plug, and faults

    def unplug(self) -> None:
        """No power: silence."""
        self._dips += 1
        self.powered = False

    def plug_in(self) -> None:
        """Power-up."""
        self._dips += 1
        self.powered = True
        self.forget()
        self._valid_from_ns = self._clock.now_ns() + self.power_up_ns

    def dip(self, for_ns: int) -> None:
        """No power for a moment; then it powers up, unless somebody unplugged it meanwhile."""
        if not self.powered:
            return
        self.unplug()
        this_dip = self._dips
        self._clock.at(self._clock.now_ns() + for_ns, lambda: self.plug_in() if self._dips == this_dip else None)

    def lose_settings(self) -> None:
        """A brown-out that takes the settings: such a chip has none, or loses all it knows."""
        self.forget()

    def lose_pointer(self) -> None:
        """The pointer goes back to register 0 and everything else stays."""
        self._pointer = 0

    def nack_once(self) -> None:
        """The next address byte is not acknowledged."""
        self._nacks += 1

    def spoil_once(self) -> None:
        """The next transfer breaks off after the address."""
        self.break_once(Spoilt())

    def lose_arbitration_once(self) -> None:
        """In the next transfer something else pulls a line that the controller let go."""
        self.break_once(ArbitrationLost())

    def hang_once(self) -> None:
        """The next transfer never ends; the one after it may."""
        self.break_once(LineHeld("chip"))

    def break_once(self, how: Exception) -> None:
        """The next transfer ends like this."""
        self._breaks.append(how)

    def repeat_once(self) -> None:
        """The next measurement gives the former one again."""
        self._stale += 1

    def zero_once(self) -> None:
        """The next measured angle is 0."""
        self._zeros += 1

    def tear_once(self, bits: int) -> None:
        """The next measured angle has these bits of its low byte from another measurement."""
        self._torn_bits = bits & 0xFF

    def spike_once(self, counts: int) -> None:
        """The next measured angle is off by `counts` 4096ths of a turn."""
        self._spike_counts = self._own(counts)

    def hop(self, counts: int) -> None:
        """From now on every measurement is, as likely as not, off by `counts` 4096ths of a turn; 0 ends it."""
        self._hop_counts = self._own(counts)

    def drift_gain(self, by: int) -> None:
        """The automatic gain is off by so much."""
        self._gain_drift = by

    # --- the measurement

    @property
    def waking(self) -> bool:
        return self._clock.now_ns() < self._valid_from_ns

    def measured(self) -> int:
        """The angle in the chip's own counts, with whatever was made to go wrong."""
        if self.waking:
            return 0
        if self._stale:
            self._stale -= 1
            return self._last_raw
        if self._zeros:
            self._zeros -= 1
            return 0
        if self._field is Field.MISSING:
            return self._drawn() % self._counts
        spike, self._spike_counts = self._spike_counts, 0
        if self._hop_counts and self._drawn() & 1:
            spike += self._hop_counts
        torn, self._torn_bits = self._torn_bits, 0
        true = self.angle_at(self._clock.now_ns()) * self._counts / HAND_COUNTS
        self._last_raw = (round(true) + spike) % self._counts
        return (self._last_raw ^ torn) % self._counts

    def _own(self, counts: int) -> int:
        return round(counts * self._counts / HAND_COUNTS)

    def _drawn(self) -> int:
        factor, more = OFTEN_AS_NOT
        self._random = (self._random * factor + more) & 0x7FFF_FFFF
        return self._random >> 12
