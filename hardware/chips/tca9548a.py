"""TCA9548A: one I2C trunk, eight channels (Texas Instruments, SCPS207F, "TCA9548A Low-Voltage 8-Channel I2C
Switch With Reset").

One register: bit n joins channel n to the trunk. It takes effect at the STOP behind it (p.17), can be read
back, and is 0 after power-up and RESET (p.14). Several bits join several channels electrically, and the
channels of all muxes on a trunk share the same wires: two open ones with an AS5600 each answer
together, and the wired-AND of two angles looks like an angle. So on one trunk at most one channel is
open, whatever the number of muxes, and in doubt the others are closed first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakValueDictionary

from hardware.bus import Bus, Outcome, Prepared, Read, Transaction, Write
from hardware.errors import BusStuck, HardwareError, NoAnswer

ADDRESSES = range(0x70, 0x78)
"""A2 to A0 choose (p.16)."""

CHANNELS = range(8)
ALL_CLOSED = 0x00

ADVICE = "Check the mux's plug and its power first, then its straps A0 to A2, and that RESET is pulled up to 3.3 V."
TWO_OPEN = "Wire the mux's RESET pin, or switch its power off and on: until then nothing can be read safely beside it."


class WrongChannel(BusStuck):
    """A mux that acknowledged and has other channels open than selected; `beside`: those, as a mask."""

    def __init__(self, part: str, place: str, seen: str, advice: str, beside: int = 0) -> None:
        super().__init__(part, place, seen, advice)
        self.beside = beside


def at_place(error: HardwareError, place: str) -> HardwareError:
    """The same error, with the channel where it happened."""
    return type(error)(error.part, place, error.seen, error.advice)


class MuxTrunk:
    """All muxes of one bus, so that two channels are never open. Get it from `trunk_of(bus)`."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.muxes: list[Tca9548a] = []

    def route(self, open_now: Channel | None, to: Channel) -> list[Transaction]:
        """The writes that lead from one open channel to another (None: unknown, but on the same mux), for a
        prepared sequence. Before it runs call the mux's `forget`, and after success set its `mask`.
        """
        if open_now is to:
            return []
        mux, left = to.mux, to.mux if open_now is None else open_now.mux
        closing = [left.write(ALL_CLOSED)] if left is not mux or mux.deselect_between else []
        return [*closing, mux.write(to.mask)]

    def forget(self) -> None:
        """Forget every mux's selection: the next one closes every other mux first."""
        for mux in self.muxes:
            mux.forget()

    def recover(self) -> bool:
        """Pulse every RESET line, which releases a hung channel (p.14); False if there is none."""
        pulsed = [mux.pulse_reset() for mux in self.muxes]
        self.forget()
        return any(pulsed)

    def open(self, channel: Channel, for_address: int) -> None:
        """Leave exactly this channel open. Writes nothing if it already is.

        Raises HardwareError; then it is unknown what is open, and the next call begins by closing.
        """
        self.close_others(channel, for_address)
        mux = channel.mux
        if mux.mask == channel.mask:
            return
        if mux.deselect_between and mux.mask != ALL_CLOSED:
            mux.put(ALL_CLOSED, channel)
        mux.put(channel.mask, channel)

    def close_others(self, channel: Channel, for_address: int) -> None:
        """Ensure that no other mux has a channel open. Raises HardwareError as `open` does."""
        others = [mux for mux in self.muxes if mux is not channel.mux and not mux.closed_for(for_address)]
        silent = [other for other in others if not other.try_to_close(channel)]
        if silent:
            self._verify_closed(silent, channel, for_address)

    def verify(self, channel: Channel) -> None:
        """Read every mux back: only this channel may be open. Raises HardwareError; a mux that was closed and kept a
        channel open would join its chip to any other mux's channel."""
        channel.mux.verify()
        for mux in self.muxes:
            mux.verify_closed(but=channel.mux)

    def _verify_closed(self, silent: Sequence[Tca9548a], channel: Channel, address: int) -> None:
        """Verify that silent muxes are unpowered or unplugged, and do not hang with a channel open.

        With every other channel closed, a chip that now answers can only be behind one of them.
        """
        channel.mux.put(ALL_CLOSED, channel)
        try:
            self.bus.transfer((Read(address, 1),))
        except NoAnswer:
            for mux in silent:
                mux.silent_for.add(address)
            return
        raise BusStuck(
            silent[0].part,
            self.bus.name,
            "does not answer, yet one of its channels is open",
            TWO_OPEN,
        )


_TRUNKS: WeakValueDictionary[int, MuxTrunk] = WeakValueDictionary()
"""By the bus's id, which is unique as long as the trunk lives: a trunk holds its bus."""


def trunk_of(bus: Bus) -> MuxTrunk:
    """The one MuxTrunk of this bus.

    Kept by bus, and not passed around by callers: two muxes that do not know of each other are the one mistake
    here that shows as wrong angles instead of an error.
    """
    trunk = _TRUNKS.get(id(bus))
    if trunk is None:
        trunk = _TRUNKS[id(bus)] = MuxTrunk(bus)
    return trunk


class Tca9548a:
    """One mux. Its channels are buses: `channel(3)` is used like the trunk itself."""

    def __init__(
        self, bus: Bus, address: int = 0x70, reset: Callable[[], None] | None = None, deselect_between: bool = False
    ) -> None:
        """`reset` pulses the RESET pin; `deselect_between` closes before every change of channel, which
        some boards need. Sends nothing yet.

        Raises ValueError for an address that it cannot have or that is taken, and for a mux behind a mux.
        """
        if address not in ADDRESSES:
            raise ValueError(f"a TCA9548A has an address from 0x70 to 0x77, not 0x{address:02X}")
        if isinstance(bus, Channel):
            raise ValueError(
                f"mux 0x{address:02X} is on {bus.name}: a mux behind a mux is not supported; "
                "put it on the trunk with its own address"
            )
        self.bus = bus
        self.address = address
        self.trunk = trunk_of(bus)
        if any(mux.address == address for mux in self.trunk.muxes):
            raise ValueError(f"{bus.name} already has a mux 0x{address:02X}")
        self.deselect_between = deselect_between
        self.mask: int | None = None
        """The content of its register; None: unknown."""
        self.silent_for: set[int] = set()
        """Chip addresses verified, since it stopped answering, not to be open behind it."""
        self._reset = reset
        self._puts: dict[int, Prepared] = {}
        self._channels: dict[int, Channel] = {}
        self.trunk.muxes.append(self)

    def channel(self, number: int) -> Channel:
        """The bus behind channel 0 to 7; the same object every time. Raises ValueError."""
        if number not in CHANNELS:
            raise ValueError(f"mux 0x{self.address:02X} has channels 0 to 7, not {number}")
        return self._channels.setdefault(number, Channel(self, number))

    def deselect(self) -> None:
        """Close all channels. Raises HardwareError."""
        self.put(ALL_CLOSED)

    def verify(self) -> None:
        """Read the register back. Raises HardwareError if it differs from the selection."""
        got = self.bus.transfer((self.read_back,))
        if self.mask is not None and got[0] != self.mask:
            raise self.differs(got[0], self.mask)

    def pulse_reset(self) -> bool:
        """Pulse RESET, if it is wired, and forget the selection; True if it is wired."""
        self.forget()
        if self._reset is None:
            return False
        self._reset()
        return True

    def forget(self) -> None:
        """Forget the selection."""
        self.mask = None
        self.silent_for.clear()

    @property
    def part(self) -> str:
        """Its name in messages."""
        return f"mux 0x{self.address:02X}"

    @property
    def has_reset(self) -> bool:
        """Whether its RESET pin is wired."""
        return self._reset is not None

    # --- for the trunk and for prepared sequences

    @property
    def read_back(self) -> Read:
        """The message that reads the register."""
        return Read(self.address, 1)

    def write(self, mask: int) -> Transaction:
        """The transaction that writes a mask into the register; it takes effect at its STOP."""
        return (Write(self.address, bytes((mask,))),)

    def closed_for(self, address: int) -> bool:
        """Whether no chip with this address can be joined to the trunk by this mux."""
        return self.mask == ALL_CLOSED or address in self.silent_for

    def put(self, mask: int, wanted: Channel | None = None) -> None:
        """Write the register now. Raises HardwareError with the mux and the wanted channel."""
        run = self._puts.get(mask)
        if run is None:
            run = self._puts[mask] = self.bus.prepare([self.write(mask)])
        self.forget()
        (outcome,) = run()
        if isinstance(outcome, HardwareError):
            raise self._failed(outcome, wanted)
        self.mask = mask

    def try_to_close(self, wanted: Channel) -> bool:
        """Close all channels; False if the mux is silent. Raises the other HardwareErrors."""
        try:
            self.put(ALL_CLOSED, wanted)
        except NoAnswer:
            return False
        return True

    def differs(self, got: int, wanted: int) -> WrongChannel:
        """The error for a register that differs from what was written: other channels may be joined to the trunk."""
        self.forget()
        return WrongChannel(
            self.part,
            self.bus.name,
            f"has {_named(got)} open instead of {_named(wanted)}",
            TWO_OPEN,
            got & ~wanted,
        )

    def verify_closed(self, but: Tca9548a) -> None:
        """Verify a mux that was closed, unless it is the one in use (`but`). One that has gone silent
        is closed and verified again with the next selection. Raises HardwareError."""
        if self is but or self.mask != ALL_CLOSED:
            return
        try:
            self.verify()
        except NoAnswer:
            self.forget()

    def wrong_channel(self, channel: Channel) -> WrongChannel | None:
        """Read the register now: the error if it holds another channel than this. Raises HardwareError."""
        return channel.check(self.bus.transfer((self.read_back,)))

    def _failed(self, error: HardwareError, wanted: Channel | None) -> HardwareError:
        way = "" if wanted is None else f", on the way to {wanted.short_name}"
        advice = ADVICE if isinstance(error, NoAnswer) else error.advice
        return type(error)(self.part, self.bus.name + way, error.seen, advice)


def _named(mask: int) -> str:
    numbers = [str(n) for n in CHANNELS if mask >> n & 1]
    return f"channel{'s' if len(numbers) > 1 else ''} {' and '.join(numbers)}" if numbers else "none"


class Channel:
    """One channel of a mux: a bus. Each use opens it first, unless it is open."""

    def __init__(self, mux: Tca9548a, number: int) -> None:
        self.mux = mux
        self.number = number
        self.mask = 1 << number
        self.short_name = f"mux 0x{mux.address:02X} channel {number}"
        self._name = f"{mux.bus.name} {self.short_name}"

    @property
    def name(self) -> str:
        return self._name

    def check(self, register: bytes) -> WrongChannel | None:
        """The error if the mux's register holds another channel than this."""
        return None if register[0] == self.mask else self.mux.differs(register[0], self.mask)

    def transfer(self, transaction: Transaction) -> bytes:
        """As Bus.transfer. Any failure invalidates the selection."""
        self._refuse_muxes(transaction)
        self.mux.trunk.open(self, transaction[0].address if transaction else 0)
        try:
            return self.mux.bus.transfer(transaction)
        except HardwareError as error:
            self.mux.forget()
            raise at_place(error, self._name) from error

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        """As Bus.prepare. If the channel cannot be opened nothing else is sent: it would reach
        another open channel, perhaps another player's screen.
        """
        for transaction in transactions:
            self._refuse_muxes(transaction)
        run_inside = self.mux.bus.prepare(transactions)
        addresses = sorted({message.address for transaction in transactions for message in transaction})

        def run() -> Sequence[Outcome]:
            try:
                for address in addresses:
                    self.mux.trunk.open(self, address)
            except HardwareError as error:
                return [error] * len(transactions)
            return self._placed(run_inside())

        return run

    def _placed(self, outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
        if not any(isinstance(outcome, HardwareError) for outcome in outcomes):
            return outcomes
        self.mux.forget()
        return [
            at_place(outcome, self._name) if isinstance(outcome, HardwareError) else outcome for outcome in outcomes
        ]

    def _refuse_muxes(self, transaction: Transaction) -> None:
        muxes = self.mux.trunk.muxes
        if any(mux.address == message.address for mux in muxes for message in transaction):
            raise ValueError(f"{self._name}: a mux is not addressed through a channel")
