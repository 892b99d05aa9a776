"""The bus contract above any adapter of the kernel's kind.

`LinuxBus` decides how many calls a sequence of transactions takes. A Pi's own controllers allow one
transaction per call (i2c-bcm2835: one read, and last; i2c-designware: one address). An adapter that knows
protocol mangling honours I2C_M_STOP, and then many transactions fit into one call (i2c-algo-bit).
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardware.adapter import (
    I2C_FUNC_I2C,
    I2C_FUNC_PROTOCOL_MANGLING,
    I2C_M_RD,
    I2C_M_STOP,
    KERNEL_LOG,
    MESSAGES_PER_CALL,
    Adapter,
    KernelMessage,
)
from hardware.bus import Outcome, Prepared, PreparedRun, Read, Transaction, Write
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, NoBus, ShapeRefused

TIMEOUT_MS = 20
"""Three times the longest transaction here (a screen's slice at half speed), and short enough that the other
dials keep their gap limit while a hung tile is probed."""

BYTES_PER_MESSAGE = 8192
"""i2c-dev.c refuses longer ones."""

SILENCE = "Check its plug, then its power, then SDA and SCL."
HELD = "Unplug tile after tile until the bus comes back; a mux whose RESET pin is wired recovers automatically."
NOISE = "Try again; if it stays, look for a loose plug, a long lead or missing pull-ups."
SHAPE = "The wires are fine: the controller needs another form of transfer."
OWNED = "A kernel driver owns this address: take its dtoverlay out of config.txt and start the Pi again."
GONE = "Plug the USB adapter in again, or start the Pi again."

_MEANINGS: dict[int, tuple[type[HardwareError], str, str]] = {
    errno.EREMOTEIO: (NoAnswer, "gave no answer", SILENCE),
    errno.ENXIO: (NoAnswer, "gave no answer", SILENCE),
    errno.EIO: (BusGlitch, "had a corrupted transfer", NOISE),
    errno.EAGAIN: (BusGlitch, "lost the bus, because something else held a line", NOISE),
    errno.ETIMEDOUT: (BusStuck, "never ended a transfer", HELD),
    errno.EOPNOTSUPP: (ShapeRefused, "needs a form of transfer that this controller refuses", SHAPE),
    errno.EINVAL: (ShapeRefused, "needs a form of transfer that this controller refuses", SHAPE),
    errno.EBUSY: (HardwareError, "is in use by the kernel", OWNED),
    errno.ENODEV: (NoBus, "lost its controller", GONE),
}


class ShortCall(OSError):
    """A call that ended early without an error from the kernel: `done` of `count` messages went through.

    i2c-virtio has no errno for a refused message, and a signal can cut its wait short. If not even the first
    message went through, the likely cause is a silent chip, otherwise a corrupted transfer.
    """

    def __init__(self, done: int, count: int) -> None:
        super().__init__(errno.EIO if done else errno.EREMOTEIO, f"{done} of {count} messages went through")


def meaning(error: OSError, part: str, place: str) -> HardwareError:
    """Translate the kernel's error; different faults stay different (silent, stuck, corrupted, refused)."""
    number = error.errno or 0
    fallback = (HardwareError, f"failed: {error.strerror}", KERNEL_LOG)
    kind, seen, advice = _MEANINGS.get(number, fallback)
    cause = error.strerror if isinstance(error, ShortCall) else f"errno {number}"
    return kind(part, place, f"{seen} ({cause})", advice)


# --- transactions to kernel messages ---------------------------------------------------------------


def check(transaction: Transaction) -> None:
    """Raise ValueError for a transaction that no adapter can take: a bug here, not a fault of the wire."""
    if not 1 <= len(transaction) <= MESSAGES_PER_CALL:
        raise ValueError(f"a transaction has 1 to {MESSAGES_PER_CALL} messages, not {len(transaction)}")
    for message in transaction:
        length = message.length if isinstance(message, Read) else len(message.data)
        if not 1 <= length <= BYTES_PER_MESSAGE:
            raise ValueError(f"a message has 1 to {BYTES_PER_MESSAGE} bytes, not {length}")
        if not 0 <= message.address <= 0x7F:
            raise ValueError(f"an I2C address has 7 bits, not 0x{message.address:X}")
    if any(isinstance(message, Read) for message in transaction[:-1]):
        raise ValueError("a transaction has at most one read, and it is the last message")


def _kernel_message(message: Read | Write) -> KernelMessage:
    if isinstance(message, Read):
        return KernelMessage(message.address, I2C_M_RD, bytearray(message.length))
    return KernelMessage(message.address, 0, bytearray(message.data))


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One transaction in the kernel's form; `answer` is the buffer of its read."""

    messages: tuple[KernelMessage, ...]
    call: Callable[[], int | None]
    answer: bytearray | None
    address: int

    def run(self) -> bytes:
        """Run it; return the bytes of its read. Raises OSError."""
        _all_through(self.call(), len(self.messages))
        return b"" if self.answer is None else bytes(self.answer)


def _all_through(done: int | None, count: int) -> None:
    """Raise ShortCall if a call ended early: it leaves old bytes in the buffers."""
    if done is not None and done != count:
        raise ShortCall(done, count)


def _stopped(messages: Sequence[KernelMessage]) -> list[KernelMessage]:
    """The same messages and buffers, with a STOP after the last one."""
    *before, last = messages
    return [*before, KernelMessage(last.address, last.flags | I2C_M_STOP, last.buffer)]


def _batches(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Group whole transactions, as many as one call takes."""
    batches: list[list[_Part]] = []
    room = 0
    for part in parts:
        if len(part.messages) > room:
            batches.append([])
            room = MESSAGES_PER_CALL
        batches[-1].append(part)
        room -= len(part.messages)
    return batches


class LinuxBus:
    """The bus contract above one adapter, real or simulated."""

    def __init__(self, adapter: Adapter, timeout_ms: int = TIMEOUT_MS) -> None:
        """Query the adapter's functions once, and lower its time-out (the kernel's default is 1 s).

        An adapter that refuses the time-out is usable all the same: `bounded` is False then, and a hung tile costs its
        own time-out. Raises NoBus if it has no plain I2C.
        """
        functions = adapter.functions()
        if not functions & I2C_FUNC_I2C:
            raise NoBus(
                "I2C bus",
                adapter.name,
                "supports only SMBus calls",
                "Use a controller with plain I2C: one of the Pi's own, or i2c-gpio.",
            )
        try:
            adapter.set_timeout_ms(timeout_ms)
            self.bounded = True
        except OSError:
            self.bounded = False
        self._adapter = adapter
        self._batching = bool(functions & I2C_FUNC_PROTOCOL_MANGLING)

    @property
    def name(self) -> str:
        return self._adapter.name

    @property
    def batching(self) -> bool:
        """Whether many transactions go into one call here."""
        return self._batching

    def transfer(self, transaction: Transaction) -> bytes:
        """Run one transaction; return the bytes of its read. Raises HardwareError, or ValueError."""
        part = self._part(transaction)
        try:
            return part.run()
        except OSError as error:
            raise self._meaning(error, part) from error

    def prepare(self, transactions: Sequence[Transaction]) -> PreparedRun:
        """Build once, run often; one Outcome per transaction. Raises ValueError for an illegal one.

        Where many transactions share a call (`batching`), a failed call is run again one by one: a sequence that leads
        through a mux must be repeatable from the channel where it ended.

        A failed transaction leaves the others alone, except for BusStuck: then the rest of this run is skipped and is
        BusStuck too, since each attempt would wait out the adapter's time-out again.
        """
        parts = [self._part(transaction) for transaction in transactions]
        attempt = self._one_by_one(parts)
        if self._batching and len(parts) > 1:
            attempt = self._batched(parts, attempt)
        return PreparedRun(attempt, [part.answer for part in parts])

    def _part(self, transaction: Transaction) -> _Part:
        check(transaction)
        messages = tuple(_kernel_message(message) for message in transaction)
        answer = messages[-1].buffer if messages[-1].flags & I2C_M_RD else None
        return _Part(messages, self._adapter.prepare(messages), answer, messages[0].address)

    def _meaning(self, error: OSError, part: _Part) -> HardwareError:
        return meaning(error, f"chip 0x{part.address:02X}", self.name)

    def _one_by_one(self, parts: Sequence[_Part]) -> _Attempt:
        steps = [(part.call, len(part.messages)) for part in parts]

        def attempt() -> Sequence[Outcome] | None:
            left = iter(steps)
            try:
                for call, count in left:
                    done = call()
                    if done is not None and done != count:
                        raise ShortCall(done, count)
            except OSError as error:
                return self._after(error, parts, len(steps) - len(list(left)) - 1)
            return None

        return attempt

    def _after(self, error: OSError, parts: Sequence[_Part], failed: int) -> list[Outcome]:
        """The answers before the failed part, its error, and the outcomes of the parts after it."""
        outcomes: list[Outcome] = [b"" if part.answer is None else bytes(part.answer) for part in parts[:failed]]
        outcomes.append(self._meaning(error, parts[failed]))
        for part in parts[failed + 1 :]:
            if isinstance(outcomes[-1], BusStuck):
                return outcomes + [outcomes[-1]] * (len(parts) - len(outcomes))
            try:
                outcomes.append(part.run())
            except OSError as another:
                outcomes.append(self._meaning(another, part))
        return outcomes

    def _batched(self, parts: Sequence[_Part], one_by_one: _Attempt) -> _Attempt:
        batches = [self._batch(batch) for batch in _batches(parts)]

        def attempt() -> Sequence[Outcome] | None:
            if not self._batching:
                return one_by_one()
            outcomes: list[Outcome] = []
            for together, count, alone in batches:
                try:
                    _all_through(together(), count)
                except OSError as error:
                    outcomes += self._again(error, alone)
                    if isinstance(outcomes[-1], BusStuck):
                        return outcomes + [outcomes[-1]] * (len(parts) - len(outcomes))
                else:
                    outcomes += alone.outcomes()
            return None if all(isinstance(outcome, bytes) for outcome in outcomes) else outcomes

        return attempt

    def _batch(self, parts: Sequence[_Part]) -> _Batch:
        messages = [message for part in parts[:-1] for message in _stopped(part.messages)]
        messages += parts[-1].messages
        together = self._adapter.prepare(messages)
        return together, len(messages), PreparedRun(self._one_by_one(parts), [part.answer for part in parts])

    def _again(self, error: OSError, alone: Prepared) -> Sequence[Outcome]:
        """Run each transaction of a failed call alone, to find the one that failed.

        An adapter that promised mangling and refuses it gets no batches any more.
        """
        if isinstance(meaning(error, "batch", self.name), ShapeRefused):
            self._batching = False
        return alone()


_Attempt = Callable[[], Sequence[Outcome] | None]
"""As in PreparedRun."""

_Batch = tuple[Callable[[], int | None], int, PreparedRun]
"""One call for several transactions, its number of messages, and the same one by one, in the same buffers."""
