"""One or two TCA9548A (Texas Instruments, SCPS207F) with at most one channel open among them.

The register takes effect at the STOP behind it (p.17) and can be read back (p.14). Two open channels with an AS5600
each would answer together, and the wired-AND of two angles looks like an angle: so a mux is closed before another one
opens, and each look ends with asking the mux what was open.
"""

from errno import ETIMEDOUT

CHANNELS = 8
DIAL = 0x36
"""The address of an AS5600."""

CLOSED = 0
NOT_KNOWN = -1
GONE = -2
"""It does not answer, and it is proven that no dial answers through it."""


class Astray(Exception):
    """A mux has other channels open than it was told, or one that cannot be closed."""


class Muxes:
    """The muxes of a bus. `open` sends one byte if the other mux is closed already."""

    def __init__(self, bus, addresses) -> None:
        self._bus = bus
        self._addresses = tuple(addresses)
        self._register = [NOT_KNOWN] * len(self._addresses)
        self._masks = tuple(bytes((1 << channel,)) for channel in range(CHANNELS))
        self._closed = bytes((CLOSED,))
        self._answer = bytearray(1)

    def forget(self) -> None:
        """Believe nothing about what is open."""
        for mux in range(len(self._addresses)):
            self._register[mux] = NOT_KNOWN

    def close_all(self) -> None:
        """Close whatever answers; never raises OSError."""
        self.forget()
        for mux, address in enumerate(self._addresses):
            try:
                self._bus.put(address, self._closed)
                self._register[mux] = CLOSED
            except OSError:
                pass

    def open(self, mux: int, channel: int) -> None:
        """Join this channel to the bus and no other. Raises OSError as the bus does, and Astray."""
        for other in range(len(self._addresses)):
            if other != mux and self._register[other] not in (CLOSED, GONE):
                self._close(other, mux)
        self._register[mux] = NOT_KNOWN
        self._bus.put(self._addresses[mux], self._masks[channel])
        self._register[mux] = 1 << channel

    def prove(self, mux: int) -> None:
        """Ask the mux whether it has open what it was told. Raises OSError and Astray."""
        told, self._register[mux] = self._register[mux], NOT_KNOWN
        self._bus.get(self._addresses[mux], self._answer)
        if self._answer[0] != told:
            raise Astray
        self._register[mux] = told

    def _close(self, other: int, mux: int) -> None:
        self._register[other] = NOT_KNOWN
        try:
            self._bus.put(self._addresses[other], self._closed)
            self._register[other] = CLOSED
        except OSError as error:
            if error.errno == ETIMEDOUT:
                raise
            self._prove_gone(other, mux)
            return
        self.prove(other)

    def _prove_gone(self, other: int, mux: int) -> None:
        """With all channels of this mux closed, a dial that answers can only be behind the other."""
        self._bus.put(self._addresses[mux], self._closed)
        try:
            self._bus.get(DIAL, self._answer)
        except OSError as error:
            if error.errno == ETIMEDOUT:
                raise
            self._register[other] = GONE
            return
        raise Astray
