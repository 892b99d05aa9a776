"""A twin of the AS5600L: an AS5600 whose address can be changed (ams OSRAM, AS5600L datasheet).

I2CADDR (0x20) takes the address in its upper seven bits; it takes effect when I2CUPDT (0x21) is written, and
lasts until the power goes: every power-up resets it to 0x40. Only a burn would keep it.

Not modelled: a chip whose address was burnt, and what the AS5600's twin does not model.
Guesses where the datasheet is silent: both registers read back what was written, 0x80 after power-up; the value
written to I2CUPDT has no meaning.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import EncoderTwin, TwinPlace
from hardware.sims.wire import TwinError

FACTORY = 0x40
ADDRESS, UPDATE = 0x20, 0x21


class As5600LTwin(As5600Twin):
    """An AS5600L under a magnet. It powers up at 0x40."""

    name = "AS5600L"
    named = As5600Twin.named | {ADDRESS, UPDATE}

    def __init__(self, clock: VirtualClock, angle_at: Callable[[int], float], *, conf_factory_bits: int = 0x00) -> None:
        self._moved: Callable[[int], None] | None = None
        self._wanted = FACTORY << 1
        super().__init__(clock, angle_at, address=FACTORY, conf_factory_bits=conf_factory_bits)

    def on_move(self, moved: Callable[[int], None]) -> None:
        """Call `moved` with the old address whenever it has changed."""
        self._moved = moved

    def move_to(self, address: int) -> None:
        """Answer to another address until the power goes."""
        old, self._address = self._address, address
        if self._moved is not None and old != address:
            self._moved(old)

    def forget(self) -> None:
        super().forget()
        self._wanted = FACTORY << 1
        self.move_to(FACTORY)

    def store(self, register: int, byte: int) -> None:
        if register == ADDRESS:
            if byte & 1 or not 0x08 <= byte >> 1 <= 0x77:
                raise TwinError(f"AS5600L: 0x{byte:02X} is no address for I2CADDR")
            self._wanted = byte
        elif register == UPDATE:
            self.move_to(self._wanted >> 1)
        else:
            super().store(register, byte)

    def register(self, at: int) -> int:
        return self._wanted if at in (ADDRESS, UPDATE) else super().register(at)


def make_twin(at: TwinPlace) -> EncoderTwin:
    return As5600LTwin(at.clock, at.magnet)
