"""A twin of the AS5600 magnetic encoder, from ams OSRAM AS5600 datasheet v1-06.

The pointer increments after each byte, but for reads that begin at the high byte of RAW ANGLE, ANGLE or
MAGNITUDE when the pointer was set there: those repeat without a new pointer (p.13). Power-up clears the
pointer and all settings that were not burnt.

Not modelled: the slow and fast filters' settling (the angle is the true one at the bit),
the watchdog and the low power modes (CONF keeps their bits, sampling does not slow down), HYST, the OUT and
PWM pins, the DIR pin, OTP memory (a burn is only noted), and AGC that follows temperature.
Guesses where the datasheet is silent: a sticky read longer than two bytes repeats the pair; registers
without a name read 0 when the pointer runs into them, and setting the pointer there is a TwinError;
in the first 10 ms after power-up RAW ANGLE is 0 and MD is 0; ANGLE's lag follows the reads, not the magnet.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import EncoderTwin, MagnetField, TwinPlace
from hardware.sims.wire import IDLE_HIGH, TwinError

COUNTS = 4096
TOP_COUNT = COUNTS - 1
NOT_LATCHED = -1
END_HYSTERESIS = 10
"""LSB by which ANGLE lags at the end of its range (p.19)."""

SETTINGS = range(0x09)
CONF_HIGH = 0x07
STATUS, RAW_HIGH, ANGLE_HIGH, AGC, MAGNITUDE_HIGH, BURN = 0x0B, 0x0C, 0x0E, 0x1A, 0x1B, 0xFF
STICKY = frozenset({RAW_HIGH, ANGLE_HIGH, MAGNITUDE_HIGH})
LOW_BYTES = frozenset(high + 1 for high in STICKY)
MOST_GAIN = 128
"""AGC at 3.3 V goes from 0 to this (p.20)."""
MAGNET_LOW, MAGNET_HIGH = 0x10, 0x08
BLANK_CONF_BITS = 0xC0
"""CONF bits 15 and 14 have no name and may hold factory settings (p.18)."""


class As5600Twin(EncoderTwin):
    """An encoder under a magnet. `angle_at(t_ns)`: the angle in counts (any real number, unwrapped).

    Counts grow counter-clockwise here. Noise and eccentricity come from `angle_at`. `burn_commands` lists
    every byte sent to BURN, `blank_bits_changed`: whether CONF's unnamed bits were changed. Both must stay
    empty in any correct run.
    """

    name = "AS5600"
    named = frozenset(SETTINGS) | STICKY | LOW_BYTES | {STATUS, AGC, BURN}

    def __init__(
        self,
        clock: VirtualClock,
        angle_at: Callable[[int], float],
        *,
        address: int = 0x36,
        conf_factory_bits: int = 0x00,
    ) -> None:
        self._factory_conf_high = conf_factory_bits & BLANK_CONF_BITS
        super().__init__(clock, angle_at, address, COUNTS)

    @property
    def conf(self) -> int:
        """CONF now, 16 bits."""
        return self._settings[CONF_HIGH] << 8 | self._settings[CONF_HIGH + 1]

    # --- the pins

    def start(self, reading: bool) -> bool:
        if self._odd and not self.answers():
            return False
        self._addressed = True
        self._pointer_next = not reading
        self._low_next = False
        self._latch = NOT_LATCHED
        return True

    def write(self, byte: int) -> bool:
        if not self._addressed:
            return False
        if self._pointer_next:
            self._sticky = byte in STICKY
        return super().write(byte)

    def read(self) -> int:
        if not self._addressed:
            return IDLE_HIGH
        if not self._sticky:
            byte = self.register(self._pointer)
            self._pointer = (self._pointer + 1) & 0xFF
            return byte
        self._low_next = not self._low_next
        if self._low_next:
            self._latch = self._measured(self._pointer)
            return self._latch >> 8
        return self._latch & 0xFF

    # --- the plug, and faults

    def unplug(self) -> None:
        """Cut the power: no answer."""
        super().unplug()
        self._addressed = False

    def lose_settings(self) -> None:
        """Lose the settings in a brown-out, but keep the pointer."""
        self._settings = self._at_power_up()

    def lose_pointer(self) -> None:
        """Reset the pointer to register 0, and keep everything else."""
        super().lose_pointer()
        self._sticky = self._addressed = False

    # --- inside

    def forget(self) -> None:
        """Lose everything that a power cut clears."""
        super().forget()
        self._latch = NOT_LATCHED
        self._last_angle = COUNTS // 2  # far from the wrap: nothing to lag behind yet
        self._low_next = self._sticky = self._addressed = False
        self._settings = self._at_power_up()

    def _at_power_up(self) -> bytearray:
        settings = bytearray(len(SETTINGS))
        settings[CONF_HIGH] = self._factory_conf_high
        return settings

    def store(self, register: int, byte: int) -> None:
        if register == BURN:
            self.burn_commands.append(byte)
        elif register in SETTINGS and register != 0:
            if register == CONF_HIGH and (byte ^ self._settings[CONF_HIGH]) & BLANK_CONF_BITS:
                self.blank_bits_changed = True
            self._settings[register] = byte
        else:
            raise TwinError(f"{self.name}: register 0x{register:02X} cannot be written")

    def register(self, at: int) -> int:
        if at in STICKY:
            self._latch = self._measured(at)
            return self._latch >> 8
        if at in LOW_BYTES:
            # Read alone, the low byte belongs to a newer measurement than the high one: it can tear.
            value = self._measured(at - 1) if self._latch == NOT_LATCHED else self._latch
            return value & 0xFF
        if at in SETTINGS:
            return self._settings[at]
        if at == STATUS:
            return 0 if self.waking else self._status_and_gain()[0]
        return self._status_and_gain()[1] if at == AGC else 0

    def _status_and_gain(self) -> tuple[int, int]:
        status, gain, _ = self._field.value
        if not self._gain_drift:
            return status, gain
        gain = min(max(gain + self._gain_drift, 0), MOST_GAIN)
        return status | MAGNET_LOW * (gain == MOST_GAIN) | MAGNET_HIGH * (gain == 0), gain

    def _measured(self, high: int) -> int:
        if high == MAGNITUDE_HIGH:
            return self._field.value[2]
        raw = self._odd_raw() if self._odd else round(self.angle_at(self._clock.now_ns())) & TOP_COUNT
        self._last_raw = raw
        return raw if high == RAW_HIGH else self._scaled(raw)

    def _odd_raw(self) -> int:
        if self.waking:
            return 0
        if self._stale:
            self._stale -= 1
            return self._last_raw
        if self._zeros:
            self._zeros -= 1
            return 0
        if self._field is MagnetField.MISSING:
            return self._drawn() % COUNTS
        off, self._spike_counts = self._spike_counts, 0
        if self._jump_counts:
            off += self._jump_counts * (self._drawn() & 1)
        torn, self._torn_bits = self._torn_bits, 0
        self._odd = bool(self._nacks or self._breaks or self._jump_counts)
        return (round(self.angle_at(self._clock.now_ns())) + off) & TOP_COUNT ^ torn

    def _scaled(self, raw: int) -> int:
        """ANGLE: RAW ANGLE over the programmed range (p.22), with the lag at 0 and 360 degrees."""
        zero, stop, span = (self._word(at) & TOP_COUNT for at in (0x01, 0x03, 0x05))
        turned = (raw - zero) % COUNTS
        span = span or (stop - zero) % COUNTS
        if 0 < span < TOP_COUNT:
            return _clamped(turned, span)
        self._last_angle = _lagging(self._last_angle, turned)
        return self._last_angle

    def _word(self, high: int) -> int:
        return self._settings[high] << 8 | self._settings[high + 1]


def _clamped(turned: int, span: int) -> int:
    """0 to 4095 over `span`; outside it, the nearer end."""
    if turned <= span:
        return turned * TOP_COUNT // span
    return TOP_COUNT if turned - span < COUNTS - turned else 0


def _lagging(last: int, now: int) -> int:
    """Stay at the end of the range until the angle passes the wrap by more than the hysteresis."""
    if last >= COUNTS - END_HYSTERESIS and now < END_HYSTERESIS:
        return TOP_COUNT
    if last < END_HYSTERESIS and now >= COUNTS - END_HYSTERESIS:
        return 0
    return now


def make_twin(at: TwinPlace) -> EncoderTwin:
    return As5600Twin(at.clock, at.magnet)
