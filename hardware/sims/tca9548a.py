"""A twin of the TCA9548A mux, from TI SCPS207F.

One register, bit n joins channel n to the trunk (section 9.5); it takes effect at STOP, the last byte wins,
and it can be read back. Several bits join several channels electrically: chips with one address then
answer together. RESET and power-up clear it.

Not modelled: the pass gates' resistance and voltage shift, the length of the RESET pulse,
and a STOP that only some of the channels saw. Guess: read back before the STOP, it returns the previous value.
"""

from __future__ import annotations

from collections.abc import Sequence

from hardware.sims.wire import IDLE_HIGH, BusSegment

CHANNELS = 8


class Tca9548aTwin:
    """A mux on a segment, with chips on `channels[n]`.

    `keeps` is the fault two-channels-open: bits that every write adds to the register. `deaf` is the fault
    mux-not-switched: it acknowledges a selection and does not switch.
    """

    def __init__(self, address: int = 0x70, name: str = "") -> None:
        """Raises ValueError outside 0x70 to 0x77: only A2 to A0 can be chosen."""
        if not 0x70 <= address <= 0x77:
            raise ValueError(f"a TCA9548A has an address from 0x70 to 0x77, not 0x{address:02X}")
        self._address = address
        place = name or f"mux 0x{address:02X}"
        self.channels = tuple(BusSegment(f"{place} channel {n}") for n in range(CHANNELS))
        self.keeps = 0
        self.deaf = False
        self.powered = True
        self._waiting: int | None = None
        self._register = 0
        self._open: Sequence[BusSegment] = ()
        self.resets = 0
        """Pulses on the RESET line."""
        self._joined_by: dict[int, tuple[BusSegment, ...]] = {}

    @property
    def address(self) -> int:
        return self._address

    @property
    def open_segments(self) -> Sequence[BusSegment]:
        return self._open

    @property
    def register(self) -> int:
        """The control register: one bit for each joined channel."""
        return self._register

    def start(self, reading: bool) -> bool:
        return self.powered

    def write(self, byte: int) -> bool:
        self._waiting = byte
        return self.powered

    def read(self) -> int:
        return self._register if self.powered else IDLE_HIGH

    def stop(self) -> None:
        if self._waiting is not None and self.powered and not self.deaf:
            self.join(self._waiting | self.keeps)
        self._waiting = None

    def reset(self) -> None:
        """Pulse the RESET line: every channel is released, a hung one too."""
        self.resets += 1
        self._release_all()

    def hang(self) -> None:
        """Hold its own lines low, until RESET or its plug is pulled."""
        held = BusSegment("inside the mux")
        held.held = True
        self._open = (held,)

    def unplug(self) -> None:
        """Cut the power: no answer, and no channel is joined."""
        self.powered = False
        self._release_all()

    def plug_in(self) -> None:
        """Power up with nothing selected."""
        self.powered = True
        self._release_all()

    def _release_all(self) -> None:
        self._waiting = None
        self.join(0)

    def join(self, register: int) -> None:
        """Join exactly these channels to the trunk, one bit for each."""
        self._register = register
        joined = self._joined_by.get(register)
        if joined is None:
            joined = tuple(self.channels[n] for n in range(CHANNELS) if register >> n & 1)
            self._joined_by[register] = joined
        self._open = joined
