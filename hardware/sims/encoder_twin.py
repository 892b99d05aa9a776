"""The common part of encoder twins: a plug, a register pointer, and a measurement into which faults can be injected.

A chip's registers, and what it loses in a power cut, are in its own twin.

Not modelled: how long a measurement takes (the angle is the true one at the bit), filters, supply noise.
Guesses where datasheets are silent: a chip that wakes up acknowledges at once and measures 0.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from hardware.sims.clock import VirtualClock
from hardware.sims.wire import IDLE_HIGH, ArbitrationLost, LineHeld, TransferGlitch, TwinError

HAND_COUNTS = 4096
"""Counts per turn of `angle_at`, as in `hardware.sims.hand`, whatever the chip's resolution."""

RANDOM_STEP = 1_103_515_245, 12_345


@dataclass(frozen=True, slots=True)
class TwinPlace:
    """What a twin is made from: the angles of its magnet, with noise, and of its shaft, in 4096ths of a turn, and its
    address, which a twin without a choice does not need."""

    clock: VirtualClock
    magnet: Callable[[int], float]
    shaft: Callable[[int], float]
    address: int


class MagnetField(enum.Enum):
    """The magnet over the chip: STATUS (MD 0x20, ML 0x10, MH 0x08), AGC at 3.3 V (0 to 128), MAGNITUDE."""

    GOOD = (0x20, 64, 2150)
    WEAK = (0x30, 128, 640)
    STRONG = (0x28, 0, 3900)
    MISSING = (0x10, 128, 24)


class EncoderTwin:
    """An encoder with a register pointer. `angle_at(t_ns)`: the angle in 4096ths of a turn, any real number.

    `burn_commands` lists every byte that would have changed the chip permanently: it must stay empty in a correct run.
    """

    name = "encoder"
    power_up_ns = 10_000_000
    named: frozenset[int] = frozenset()
    blank_bits_changed = False

    def __init__(self, clock: VirtualClock, angle_at: Callable[[int], float], address: int, counts: int) -> None:
        self._clock, self._address, self._counts = clock, address, counts
        self.angle_at = angle_at
        self.burn_commands: list[int] = []
        self.powered = True
        self._field = MagnetField.GOOD
        self._valid_from_ns = clock.now_ns()
        self._dips = 0
        self._breaks: deque[Exception] = deque()
        self._nacks = self._stale = self._zeros = self._torn_bits = 0
        self._spike_counts = self._jump_counts = self._gain_drift = 0
        self._random = address
        self._last_raw = 0
        self._odd = False
        """Something is not as usual: a twin may skip the questions below while it is False."""
        self.forget()

    @property
    def address(self) -> int:
        return self._address

    @property
    def conf(self) -> int:
        """Of an AS5600 only: the other chips have no settings that a driver could damage."""
        return 0

    @property
    def pointer(self) -> int:
        """The register pointer."""
        return self._pointer

    @property
    def field(self) -> MagnetField:
        """The magnet now; set it to weaken, strengthen or remove the magnet."""
        return self._field

    @field.setter
    def field(self, field: MagnetField) -> None:
        self._field = field
        self._odd = True

    # --- the pins

    def answers(self) -> bool:
        """Whether the chip acknowledges its address now. Raises an injected break."""
        if not self.powered:
            return False
        if self._nacks:
            self._nacks -= 1
            return False
        if self._breaks:
            raise self._breaks.popleft()
        return True

    def start(self, reading: bool) -> bool:
        if not self.answers():
            return False
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
        """The STOP has no effect."""

    # --- what a chip fills in

    def forget(self) -> None:
        """Lose everything that a power cut clears."""
        self._pointer = 0
        self._pointer_next = False

    def begins(self, reading: bool) -> None:
        """Handle a START with its address."""

    def store(self, at: int, byte: int) -> None:
        """Write a byte to a register."""
        raise TwinError(f"{self.name}: register 0x{at:02X} cannot be written")

    def register(self, at: int) -> int:
        """The content of a register."""
        raise TwinError(f"{self.name}: register 0x{at:02X} cannot be read")

    # --- the plug, and faults

    def unplug(self) -> None:
        """Cut the power: no answer."""
        self._dips += 1
        self.powered = False
        self._odd = True

    def plug_in(self) -> None:
        """Power up."""
        self._dips += 1
        self.powered = self._odd = True
        self.forget()
        self._valid_from_ns = self._clock.now_ns() + self.power_up_ns

    def dip(self, for_ns: int) -> None:
        """Cut the power for a moment; then power up, unless it was unplugged meanwhile."""
        if not self.powered:
            return
        self.unplug()
        this_dip = self._dips
        self._clock.at(self._clock.now_ns() + for_ns, lambda: self.plug_in() if self._dips == this_dip else None)

    def lose_settings(self) -> None:
        """Lose the settings in a brown-out: such a chip has none, or loses everything."""
        self.forget()

    def lose_pointer(self) -> None:
        """Reset the pointer to register 0, and keep everything else."""
        self._pointer = 0

    def nack_once(self) -> None:
        """Do not acknowledge the next address byte."""
        self._nacks += 1
        self._odd = True

    def glitch_once(self) -> None:
        """Break off the next transfer after the address."""
        self.break_once(TransferGlitch())

    def lose_arbitration_once(self) -> None:
        """Let something else pull a released line in the next transfer."""
        self.break_once(ArbitrationLost())

    def hang_once(self) -> None:
        """Never end the next transfer; the one after it may end."""
        self.break_once(LineHeld("chip"))

    def break_once(self, how: Exception) -> None:
        """Raise this in the next transfer."""
        self._breaks.append(how)
        self._odd = True

    def repeat_once(self) -> None:
        """Repeat the previous measurement once."""
        self._stale += 1
        self._odd = True

    def zero_once(self) -> None:
        """Make the next measured angle 0."""
        self._zeros += 1
        self._odd = True

    def tear_once(self, bits: int) -> None:
        """Flip these bits of the low byte in the next measured angle, as if they were from another measurement."""
        self._torn_bits = bits & 0xFF
        self._odd = True

    def spike_once(self, counts: int) -> None:
        """Make the next measured angle wrong by `counts` 4096ths of a turn."""
        self._spike_counts = self._own(counts)
        self._odd = True

    def jump(self, counts: int) -> None:
        """Make every measurement wrong by `counts` 4096ths of a turn with a probability of one half; 0 ends it."""
        self._jump_counts = self._own(counts)
        self._odd = True

    def drift_gain(self, by: int) -> None:
        """Shift the automatic gain by so much."""
        self._gain_drift = by

    # --- the measurement

    @property
    def waking(self) -> bool:
        return self._clock.now_ns() < self._valid_from_ns

    def measured(self) -> int:
        """The angle in the chip's own counts, with the injected faults."""
        if self.waking:
            return 0
        if self._stale:
            self._stale -= 1
            return self._last_raw
        if self._zeros:
            self._zeros -= 1
            return 0
        if self._field is MagnetField.MISSING:
            return self._drawn() % self._counts
        spike, self._spike_counts = self._spike_counts, 0
        if self._jump_counts and self._drawn() & 1:
            spike += self._jump_counts
        torn, self._torn_bits = self._torn_bits, 0
        true = self.angle_at(self._clock.now_ns()) * self._counts / HAND_COUNTS
        self._last_raw = (round(true) + spike) % self._counts
        return (self._last_raw ^ torn) % self._counts

    def _own(self, counts: int) -> int:
        return round(counts * self._counts / HAND_COUNTS)

    def _drawn(self) -> int:
        factor, more = RANDOM_STEP
        self._random = (self._random * factor + more) & 0x7FFF_FFFF
        return self._random >> 12
