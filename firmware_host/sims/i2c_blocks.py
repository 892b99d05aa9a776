"""The I2C blocks of a simulated board on adapters of `hardware.sims`, so that a hub has the same twins as any bus.

Not modelled: pins without an I2C block, and anything that a board does to a bus in the middle of a transfer.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from hardware.adapter import I2C_M_RD, Adapter, KernelMessage
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import BusSegment, SimWire

OK, NO_ANSWER, TIMED_OUT = range(3)


class I2cBlocks:
    """The I2C blocks of a board: adapter 0 is block 0, adapter 1 block 1. One thread at a time uses it."""

    def __init__(self, adapters: Sequence[Adapter]) -> None:
        self._adapters = adapters
        self._prepared: dict[bytes, tuple[Callable[[], int | None], int, list[bytearray]]] = {}

    def transfer(self, asked: bytes) -> tuple[int, bytes]:
        """Run a transfer: block, then messages: address, whether it reads, length, bytes if it writes. Return the
        status and the bytes read."""
        if asked[0] >= len(self._adapters):
            return NO_ANSWER, b""
        if asked not in self._prepared:
            self._prepared[asked] = self._prepare(asked)
        run, messages, reads = self._prepared[asked]
        try:
            done = run()
        except OSError as error:
            return (TIMED_OUT if error.errno == errno.ETIMEDOUT else NO_ANSWER), b""
        if done is not None and done < messages:
            return NO_ANSWER, b""
        return OK, b"".join(reads)

    def _prepare(self, asked: bytes) -> tuple[Callable[[], int | None], int, list[bytearray]]:
        messages = []
        at = 1
        while at < len(asked):
            address, reading, length = asked[at : at + 3]
            at += 3
            buffer = bytearray(length) if reading else bytearray(asked[at : at + length])
            at += 0 if reading else length
            messages.append(KernelMessage(address, I2C_M_RD if reading else 0, buffer))
        reads = [message.buffer for message in messages if message.flags & I2C_M_RD]
        return self._adapters[asked[0]].prepare(messages), len(messages), reads

    def lines_held(self, block: int) -> tuple[bool, bool]:
        """Whether SDA and SCL are held low."""
        wire = self._wire(block)
        return (wire.sda_held, any(s.clock_held for s in _joined(wire.trunk))) if wire else (False, False)

    def clock(self, block: int) -> None:
        """Bit-bang one clock."""
        if wire := self._wire(block):
            wire.pulse_clock()

    def reset_muxes(self) -> None:
        """Pulse the RESET lines."""
        for block in range(len(self._adapters)):
            wire = self._wire(block)
            for gate in wire.trunk.gates if wire else ():
                if isinstance(gate, Tca9548aTwin):
                    gate.reset()

    def _wire(self, block: int) -> SimWire | None:
        """Bit-banged clocks need a wire below the adapter; without one they do nothing."""
        wire = getattr(self._adapters[block], "wire", None) if block < len(self._adapters) else None
        return wire if isinstance(wire, SimWire) else None


def _joined(segment: BusSegment) -> list[BusSegment]:
    return [segment, *(found for gate in segment.gates for inner in gate.open_segments for found in _joined(inner))]
