"""An adapter without wires: an AS5600 that never moves answers at once on every channel of every mux."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hardware.adapter import I2C_FUNC_I2C, I2C_M_RD, KernelMessage

MUXES: Final = range(0x70, 0x78)
RAW_ANGLE: Final = 0x0C
REGISTERS: Final = bytes.fromhex("00 00 00 00 00 00 00 02 04 00 00 20 08 00 08 00") + bytes(10) + b"\x40\x08\x66"
"""AS5600 registers 0x00 to 0x1C: CONF as the driver wants it, a magnet, half a turn, a good gain and field."""


class StubAdapter:
    """Each mux holds what was last written to it. The time that is left is our own computing."""

    def __init__(self, name: str = "stub") -> None:
        self.name = name
        self._masks: dict[int, int] = {}

    def functions(self) -> int:
        return I2C_FUNC_I2C

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Nothing is ever late."""

    def close(self) -> None:
        """Nothing is open."""

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], None]:
        last = messages[-1]
        if last.address in MUXES:
            return self._mux(last)
        if last.flags & I2C_M_RD:
            last.buffer[:] = REGISTERS[first_register(messages) :][: len(last.buffer)]
        return do_nothing

    def _mux(self, message: KernelMessage) -> Callable[[], None]:
        masks, address, buffer = self._masks, message.address, message.buffer

        def select() -> None:
            masks[address] = buffer[0]

        def read_back() -> None:
            buffer[0] = masks.get(address, 0)

        return read_back if message.flags & I2C_M_RD else select


def first_register(messages: Sequence[KernelMessage]) -> int:
    """The register that a read starts at: the pointer written before it, else RAW ANGLE."""
    return messages[0].buffer[0] if len(messages) > 1 else RAW_ANGLE


def do_nothing() -> None:
    """A transfer without an effect."""
