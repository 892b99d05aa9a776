"""TCA9548A: one I2C trunk, eight channels (Texas Instruments, SCPS207F, "TCA9548A Low-Voltage 8-Channel I2C
Switch With Reset").

One register: bit n joins channel n to the trunk. It takes effect at the STOP behind it (p.17), can be read
back, and is 0 after power-up and RESET (p.14). Several bits join several channels electrically, and the
channels of all muxes on a trunk hang on the same wires: two open ones with an AS5600 each answer
together, and the wired-AND of two angles looks like an angle. So on one trunk never more than one channel is
open, whatever the number of muxes, and whoever is not sure of that closes first.
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
    """A mux that acknowledged and has other channels open than it was told; `beside` are those, as a mask."""

    def __init__(self, part: str, place: str, seen: str, advice: str, beside: int = 0) -> None:
        super().__init__(part, place, seen, advice)
        self.beside = beside


def at_place(error: HardwareError, place: str) -> HardwareError:
    """The same trouble, named by the channel where it happened."""
    return type(error)(error.part, place, error.seen, error.advice)


class MuxTrunk:
    """All muxes of one bus, so that never two channels are open. `trunk_of(bus)` hands it out."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.muxes: list[Tca9548a] = []

    def hop(self, open_now: Channel | None, to: Channel) -> list[Transaction]:
        """The writes that lead from one open channel to another (None: not known, but on the same mux), for a
        sequence built beforehand. Before it runs tell the mux to `forget`, and set its `mask` if it went through.
        """
        if open_now is to:
            return []
        mux, left = to.mux, to.mux if open_now is None else open_now.mux
        closing = [left.write(ALL_CLOSED)] if left is not mux or mux.deselect_between else []
        return [*closing, mux.write(to.mask)]

    def forget(self) -> None:
        """Believe nothing about any mux: the next selection closes every other one first."""
        for mux in self.muxes:
            mux.forget()

    def recover(self) -> bool:
        """Pulse every RESET line there is, which lets a hung channel go (p.14); False if there is none."""
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
        """See to it that no other mux has a channel open. Raises HardwareError as `open` does."""
        others = [mux for mux in self.muxes if mux is not channel.mux and not mux.closed_for(for_address)]
        silent = [other for other in others if not other.try_to_close(channel)]
        if silent:
            self._prove_closed(silent, channel, for_address)

    def verify(self, channel: Channel) -> None:
        """Ask every mux what is open: this channel and nothing else. Raises HardwareError; a mux that was told to close
        and kept a channel open would join its chip to whatever another mux is asked for."""
        channel.mux.verify()
        for mux in self.muxes:
            mux.verify_closed(but=channel.mux)

    def _prove_closed(self, silent: Sequence[Tca9548a], channel: Channel, address: int) -> None:
        """A mux that does not answer is unpowered or unplugged, or it hangs with a channel open.

        With every other channel closed, a chip that now answers can only be behind it.
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
            "does not answer, and still one of its channels is open",
            TWO_OPEN,
        )


_TRUNKS: WeakValueDictionary[int, MuxTrunk] = WeakValueDictionary()
"""By the bus's id, which stays its own as long as the trunk lives: a trunk holds its bus."""


def trunk_of(bus: Bus) -> MuxTrunk:
    """The one MuxTrunk of this bus.

    Kept by bus, and not handed round by callers: two muxes that do not know of each other are the one mistake
    here that shows as wrong angles and not as an error.
    """
    trunk = _TRUNKS.get(id(bus))
    if trunk is None:
        trunk = _TRUNKS[id(bus)] = MuxTrunk(bus)
    return trunk


class Tca9548a:
    """One mux. What it hands out are buses: `channel(3)` is used like the trunk itself."""

    def __init__(
        self, bus: Bus, address: int = 0x70, reset: Callable[[], None] | None = None, deselect_between: bool = False
    ) -> None:
        """`reset` pulses the RESET pin; `deselect_between` closes before every change of channel, which
        some boards need. Nothing is sent yet.

        Raises ValueError for an address that it cannot have or that is taken, and for a mux behind a mux.
        """
        if address not in ADDRESSES:
            raise ValueError(f"a TCA9548A has an address from 0x70 to 0x77, not 0x{address:02X}")
        if isinstance(bus, Channel):
            raise ValueError(
                f"mux 0x{address:02X} hangs on {bus.name}: a mux behind a mux is not supported; "
                "put it on the trunk with an address of its own"
            )
        self.bus = bus
        self.address = address
        self.trunk = trunk_of(bus)
        if any(mux.address == address for mux in self.trunk.muxes):
            raise ValueError(f"{bus.name} already has a mux 0x{address:02X}")
        self.deselect_between = deselect_between
        self.mask: int | None = None
        """What its register holds; None: not known."""
        self.silent_for: set[int] = set()
        """Chip addresses of which it is proven, since it stopped answering, that none is open behind it."""
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
        """Read the register back. Raises HardwareError if it holds anything but what was selected."""
        got = self.bus.transfer((self.read_back,))
        if self.mask is not None and got[0] != self.mask:
            raise self.differs(got[0], self.mask)

    def pulse_reset(self) -> bool:
        """Pulse RESET, if it is wired, and forget what was selected; True if it is wired."""
        self.forget()
        if self._reset is None:
            return False
        self._reset()
        return True

    def forget(self) -> None:
        """Believe nothing about what is selected."""
        self.mask = None
        self.silent_for.clear()

    @property
    def part(self) -> str:
        """As messages name it."""
        return f"mux 0x{self.address:02X}"

    @property
    def has_reset(self) -> bool:
        """Whether its RESET pin is wired."""
        return self._reset is not None

    # --- for the trunk and for sequences built beforehand

    @property
    def read_back(self) -> Read:
        """The message that reads the register."""
        return Read(self.address, 1)

    def write(self, mask: int) -> Transaction:
        """The transaction that puts a mask into the register; it counts from its STOP on."""
        return (Write(self.address, bytes((mask,))),)

    def closed_for(self, address: int) -> bool:
        """Whether no chip with this address can be joined to the trunk by this mux."""
        return self.mask == ALL_CLOSED or address in self.silent_for

    def put(self, mask: int, wanted: Channel | None = None) -> None:
        """Write the register now. Raises HardwareError, naming the mux and the channel that was wanted."""
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
        """The register does not hold what was written: other channels may be joined to the trunk."""
        self.forget()
        return WrongChannel(
            self.part,
            self.bus.name,
            f"has {_named(got)} open where {_named(wanted)} was asked for",
            TWO_OPEN,
            got & ~wanted,
        )

    def verify_closed(self, but: Tca9548a) -> None:
        """The same for a mux that was told to close, and is not the one that is used (`but`). One that has gone silent
        is closed and proven anew with the next selection. Raises HardwareError."""
        if self is but or self.mask != ALL_CLOSED:
            return
        try:
            self.verify()
        except NoAnswer:
            self.forget()

    def astray(self, channel: Channel) -> WrongChannel | None:
        """Whether it says, asked now, that something else is open than this channel. Raises HardwareError."""
        (got,) = self.bus.transfer((self.read_back,))
        return None if got == channel.mask else self.differs(got, channel.mask)

    def _failed(self, error: HardwareError, wanted: Channel | None) -> HardwareError:
        way = "" if wanted is None else f", on the way to {wanted.short_name}"
        advice = ADVICE if isinstance(error, NoAnswer) else error.advice
        return type(error)(self.part, self.bus.name + way, error.seen, advice)


def _named(mask: int) -> str:
    numbers = [str(n) for n in CHANNELS if mask >> n & 1]
    return f"channel{'s' if len(numbers) > 1 else ''} {' and '.join(numbers)}" if numbers else "none"


class Channel:
    """One channel of a mux: a bus. Each use opens it first, if it is not open already."""

    def __init__(self, mux: Tca9548a, number: int) -> None:
        self.mux = mux
        self.number = number
        self.mask = 1 << number
        self.short_name = f"mux 0x{mux.address:02X} channel {number}"
        self._name = f"{mux.bus.name} {self.short_name}"

    @property
    def name(self) -> str:
        return self._name

    def transfer(self, transaction: Transaction) -> bytes:
        """As Bus.transfer. After any failure the selection is not believed any more."""
        self._refuse_muxes(transaction)
        self.mux.trunk.open(self, transaction[0].address if transaction else 0)
        try:
            return self.mux.bus.transfer(transaction)
        except HardwareError as error:
            self.mux.forget()
            raise at_place(error, self._name) from error

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        """As Bus.prepare. If the channel cannot be opened nothing else is sent: it would reach
        whatever is open in its stead, perhaps another player's screen.
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
            raise ValueError(f"{self._name}: a mux is not spoken to through a channel")
