"""A twin of Adafruit's encoder boards 4991 and 5880 (seesaw firmware; its Arduino library shows the requests).

A write of base and function is a request; the answer is ready READY_NS after its STOP, and a read before is garbage.
The position (0x11, 0x30) is four bytes, signed, high byte first; writing four bytes behind it sets it. Reading the
delta (0x11, 0x40) clears it. A reset (0x00, 0x7F, 0xFF) and a power cut set the position to 0, wherever the dial is.
A delta read, a reset, and anything for its EEPROM (0x0D), are noted in `burn_commands`: no correct run has any.

Not modelled: button, light and interrupt, the 0.5 s that a reset takes, and the quadrature signal itself (a
step counts when the shaft is half way to it).
Guesses: garbage is bytes without a pattern; an unknown function answers zeros.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import HAND_COUNTS, EncoderTwin, MagnetField, TwinPlace
from hardware.sims.wire import IDLE_HIGH

READY_NS = 250_000
STEPS = 24
VERSION, POSITION, DELTA, RESET = (0x00, 0x02), (0x11, 0x30), (0x11, 0x40), (0x00, 0x7F)
PROCESSOR = (0x00, 0x01)
ATTINY816 = 0x86
EEPROM_BASE = 0x0D
DATE_CODE = 0x1A2B


class SeesawTwin(EncoderTwin):
    """A board with `steps` per turn of its shaft. `takes_position` False: old firmware whose position cannot be set."""

    name = "seesaw"

    def __init__(
        self,
        clock: VirtualClock,
        angle_at: Callable[[int], float],
        *,
        address: int = 0x36,
        product: int = 5880,
        steps: int = STEPS,
        takes_position: bool = True,
    ) -> None:
        self._product, self._steps, self._takes_position = product, steps, takes_position
        super().__init__(clock, angle_at, address, steps)

    @property
    def field(self) -> MagnetField:
        """It has no magnet."""
        return MagnetField.GOOD

    @field.setter
    def field(self, field: MagnetField) -> None:
        raise ValueError("an encoder that counts steps has no magnet")

    def forget(self) -> None:
        super().forget()
        self._zero = self._turned_steps()
        self._asked: tuple[int, ...] = ()
        self._ready_ns = 0
        self._answer = b""
        self._at = 0
        self._delta_from = 0

    def begins(self, reading: bool) -> None:
        self._at = 0
        self._reading = reading
        if reading:
            self._answer = self._answered()
        else:
            self._message: list[int] = []

    def write(self, byte: int) -> bool:
        if not self.powered:
            return False
        self._message.append(byte)
        return True

    def read(self) -> int:
        if not self.powered:
            return IDLE_HIGH
        self._at += 1
        return self._answer[self._at - 1] if self._at <= len(self._answer) else 0

    def stop(self) -> None:
        if self._reading or not self.powered or len(self._message) < 2:
            return
        self._asked, data = (self._message[0], self._message[1]), self._message[2:]
        self._ready_ns = self._clock.now_ns() + READY_NS
        if self._asked == RESET or self._asked == DELTA or self._asked[0] == EEPROM_BASE:
            self.burn_commands += self._message
        if self._asked == RESET:
            self.forget()
        if self._asked == POSITION and len(data) == 4 and self._takes_position:
            self._zero = self._turned_steps() - int.from_bytes(bytes(data), "big", signed=True)

    def slip(self, steps: int) -> None:
        """Miss so many steps, as on a turn that stops half way."""
        self._zero += steps

    def _answered(self) -> bytes:
        if self._clock.now_ns() < self._ready_ns:
            return bytes(self._drawn() & 0xFF for _ in range(4))
        if self._asked == PROCESSOR:
            return bytes((ATTINY816,))
        if self._asked == VERSION:
            return (self._product << 16 | DATE_CODE).to_bytes(4, "big")
        if self._asked == POSITION:
            return self._position().to_bytes(4, "big", signed=True)
        if self._asked == DELTA:
            now = self._position()
            delta, self._delta_from = now - self._delta_from, now
            return delta.to_bytes(4, "big", signed=True)
        return bytes(4)

    def _position(self) -> int:
        if self._stale:
            self._stale -= 1
            return self._last_raw
        if self._zeros:
            self._zeros -= 1
            return 0
        spike, self._spike_counts = self._spike_counts, 0
        if self._jump_counts and self._drawn() & 1:
            spike += self._jump_counts
        torn, self._torn_bits = self._torn_bits, 0
        self._last_raw = self._turned_steps() - self._zero + spike
        return self._last_raw ^ torn

    def _turned_steps(self) -> int:
        return round(self.angle_at(self._clock.now_ns()) * self._steps / HAND_COUNTS)


def make_twin(at: TwinPlace) -> EncoderTwin:
    return SeesawTwin(at.clock, at.shaft, address=at.address)
