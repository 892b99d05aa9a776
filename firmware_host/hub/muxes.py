"""One or two TCA9548A (Texas Instruments, SCPS207F) with at most one channel open among them.

The register takes effect at the STOP after it (p.17) and can be read back (p.14). With two open channels both AS5600
would answer at once, and the wired-AND of two angles looks like an angle. So the hub closes a mux before it opens
another, and ends each read by reading back the mux.
"""

from errno import ETIMEDOUT

CHANNELS = 8
DIAL = 0x36
"""The address of an AS5600."""

NONE = -1


class ChannelMismatch(Exception):
    """A mux has other channels open than requested, or one that cannot be closed."""


class Muxes:
    """The muxes of a bus. Dial n is on channel n % 8 of mux n // 8.

    After a failure call `forget`: the next `open` then closes every other mux first.
    """

    def __init__(self, bus, addresses) -> None:
        self._bus = bus
        self._addresses = tuple(addresses)
        dials = range(CHANNELS * len(self._addresses))
        self._mux = tuple(self._addresses[n // CHANNELS] for n in dials)
        self._bit = tuple(1 << n % CHANNELS for n in dials)
        self._mask = tuple(bytes((bit,)) for bit in self._bit)
        self._closed = bytes((0,))
        self._answer = bytearray(1)
        self._used = NONE
        """The only mux that may have a channel open."""
        self._absent = [False] * len(self._addresses)
        """The mux does not answer, and a test read verified that no dial answers through it."""

    def forget(self) -> None:
        """Assume nothing about open channels."""
        self._used = NONE
        for mux in range(len(self._absent)):
            self._absent[mux] = False

    def close_all(self) -> None:
        """Close every mux that answers; never raise OSError."""
        self.forget()
        for address in self._addresses:
            try:
                self._bus.write(address, self._closed)
            except OSError:
                self._bus.failed += 1

    def open(self, n: int) -> None:
        """Connect this dial, and no other, to the bus. Raises OSError as the bus does, and ChannelMismatch."""
        if self._mux[n] != self._used:
            self._close_others(n)
        self._bus.write(self._mux[n], self._mask[n])

    def verify(self, n: int) -> None:
        """Read back the mux and verify its open channel. Raises OSError and ChannelMismatch."""
        self._bus.read(self._mux[n], self._answer)
        if self._answer[0] != self._bit[n]:
            raise ChannelMismatch

    def _close_others(self, n: int) -> None:
        for other in range(len(self._addresses)):
            if self._addresses[other] != self._mux[n] and not self._absent[other]:
                self._close(other, n)
        self._used = self._mux[n]

    def _close(self, other: int, n: int) -> None:
        try:
            self._bus.write(self._addresses[other], self._closed)
        except OSError as error:
            if error.errno == ETIMEDOUT:
                raise
            self._verify_absent(other, n)
            return
        self._bus.read(self._addresses[other], self._answer)
        if self._answer[0]:
            raise ChannelMismatch

    def _verify_absent(self, other: int, n: int) -> None:
        """With all channels of this dial's mux closed, a dial that answers can only be behind the other mux."""
        self._bus.write(self._mux[n], self._closed)
        try:
            self._bus.read(DIAL, self._answer)
        except OSError as error:
            if error.errno == ETIMEDOUT:
                raise
            self._absent[other] = True
            return
        raise ChannelMismatch
