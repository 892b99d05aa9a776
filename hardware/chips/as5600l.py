"""AS5600L: an AS5600 with an address that can be changed (ams OSRAM, AS5600L datasheet). Its angle, status and
settings are the AS5600's.

Each of them wakes up at 0x40. Writing I2CADDR (0x20) and then I2CUPDT (0x21), both with the address in their upper
seven bits, moves it at once and until its power goes; a permanent address would have to be burnt, and the driver burns
nothing. So it looks for a silent chip of another address at 0x40, and moves it back. Only its address distinguishes it
from its neighbours: if another AS5600L of the same wires does not answer at its own address either, the one at 0x40
could be that one (or both at once, which reads as one), and the driver leaves it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hardware.bus import Bus, Read, Write
from hardware.chips.as5600 import STATUS, STATUS_MD, STATUS_MH, STATUS_ML, ZMCO, As5600
from hardware.encoders import ANY_FREE, EncoderKind
from hardware.errors import NoAnswer, WrongChip

FACTORY_ADDRESS = 0x40
I2CADDR, I2CUPDT = 0x20, 0x21
SETTINGS_BYTES = 9
MOST_BURNS = 3
STATUS_BITS = STATUS_MD | STATUS_ML | STATUS_MH


class As5600L(As5600):
    """One AS5600L. `others`: the addresses of the other AS5600L on the same bus or channel."""

    part = "AS5600L"

    def __init__(self, bus: Bus, address: int = FACTORY_ADDRESS, others: Iterable[int] = ()) -> None:
        """Raises ValueError if one of several AS5600L is to stay at 0x40: at every power-up another would answer there
        too."""
        super().__init__(bus, address)
        self._others = tuple(others)
        if FACTORY_ADDRESS in self._others or (address == FACTORY_ADDRESS and self._others):
            raise ValueError(f"{bus.name}: every AS5600L wakes up at 0x40; none may stay there beside another")

    def starting(self) -> Iterator[None]:
        self.forget()
        if not self._answers(self.address):
            yield
            yield from self._move_from_factory_address()
        yield from super().starting()

    def _answers(self, address: int) -> bool:
        try:
            self.bus.transfer((Read(address, 1),))
        except NoAnswer:
            return False
        return True

    def _move_from_factory_address(self) -> Iterator[None]:
        """Move it to its address. Raises WrongChip if what answers at 0x40 may be another chip."""
        if self.address == FACTORY_ADDRESS:
            return
        try:
            settings = self._at_factory(ZMCO, SETTINGS_BYTES)
            status = self._at_factory(STATUS, 1)[0]
        except NoAnswer:
            return
        yield
        if not _just_woken(settings, status):
            raise self._not_moved(
                "does not answer, and the chip at 0x40 is no AS5600L that was just switched on",
                "Check that an AS5600L is wired here and nothing else has the address 0x40.",
            )
        absent = [f"0x{address:02X}" for address in self._others if not self._answers(address)]
        yield
        if absent:
            raise self._not_moved(
                f"does not answer, and neither does the AS5600L {' and '.join(absent)}: "
                "the one that answers at 0x40 could be any of them",
                "Give each a mux channel of its own, or plug them in one after the other.",
            )
        for register in (I2CADDR, I2CUPDT):
            self.bus.transfer((Write(FACTORY_ADDRESS, bytes((register, self.address << 1))),))
        yield
        if self.registers(I2CADDR, 1)[0] != self.address << 1:
            raise self._not_moved("did not take its address", "Unplug it and plug it in again.")

    def _at_factory(self, register: int, length: int) -> bytes:
        return self.bus.transfer((Write(FACTORY_ADDRESS, bytes((register,))), Read(FACTORY_ADDRESS, length)))

    def _not_moved(self, seen: str, advice: str) -> WrongChip:
        return WrongChip(f"chip 0x{self.address:02X}", self.bus.name, seen, advice)


def _just_woken(settings: bytes, status: int) -> bool:
    """Whether this is an AS5600L without our settings: not burnt full, no zero, no range, blank upper halves, and a
    magnet status."""
    fresh = settings[0] <= MOST_BURNS and not any(settings[1:7])
    return fresh and not status & ~STATUS_BITS and bool(status & (STATUS_MD | STATUS_ML))


KIND = EncoderKind(
    part=As5600L.part,
    driver=lambda at: As5600L(at.bus, at.address, at.others),
    addresses=ANY_FREE,
    address=FACTORY_ADDRESS,
    counts_per_turn=As5600L.counts_per_turn,
    most_ma=6.5,  # the AS5600's core
    order="a board with the ams OSRAM AS5600L and its I2C pins led out",
    read_bits=29,
    wakes_at=FACTORY_ADDRESS,
    clashes=((range(0x40, 0x41), "PCA9685, INA219, HTU21D"),),
)
