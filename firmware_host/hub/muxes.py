"""One or two TCA9548A (Texas Instruments, SCPS207F) with at most one channel open among them.

The register takes effect at the STOP behind it (p.17) and can be read back (p.14). Two open channels with an AS5600
each would answer together, and the wired-AND of two angles looks like an angle: so a mux is closed before another one
opens, and each look ends with asking the mux what was open.
"""

from errno import ETIMEDOUT

CHANNELS = 8
DIAL = 0x36
"""The address of an AS5600."""

NONE = -1


class WrongChannel(Exception):
    """A mux has other channels open than it was told, or one that cannot be closed."""


class Muxes:
    """The muxes of a bus. Dial n hangs on channel n % 8 of mux n // 8.

    After a failure call `forget`: then the next `open` closes every other mux first.
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
        """The one mux that may have a channel open."""
        self._absent = [False] * len(self._addresses)
        """It does not answer, and it is proven that no dial answers through it."""

    def forget(self) -> None:
        """Believe nothing about what is open."""
        self._used = NONE
        for mux in range(len(self._absent)):
            self._absent[mux] = False

    def close_all(self) -> None:
        """Close whatever answers; never raises OSError."""
        self.forget()
        for address in self._addresses:
            try:
                self._bus.write(address, self._closed)
            except OSError:
                self._bus.failed += 1

    def open(self, n: int) -> None:
        """Join this dial to the bus and no other. Raises OSError as the bus does, and Astray."""
        if self._mux[n] != self._used:
            self._close_others(n)
        self._bus.write(self._mux[n], self._mask[n])

    def verify(self, n: int) -> None:
        """Ask the mux whether it has open what it was told. Raises OSError and Astray."""
        self._bus.read(self._mux[n], self._answer)
        if self._answer[0] != self._bit[n]:
            raise WrongChannel

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
            raise WrongChannel

    def _verify_absent(self, other: int, n: int) -> None:
        """With all channels of this dial's mux closed, a dial that answers can only be behind the other."""
        self._bus.write(self._mux[n], self._closed)
        try:
            self._bus.read(DIAL, self._answer)
        except OSError as error:
            if error.errno == ETIMEDOUT:
                raise
            self._absent[other] = True
            return
        raise WrongChannel
