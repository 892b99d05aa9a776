"""The kernel's I2C bus: the device opened through smbus2, and the bus contract above any adapter.

`LinuxBus` decides how many calls a sequence of transactions takes. A Pi's own controllers allow one
transaction per call (i2c-bcm2835: one read, and last; i2c-designware: one address). An adapter that knows
protocol mangling honours I2C_M_STOP, and then many transactions fit into one call (i2c-algo-bit).
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hardware.adapter import (
    I2C_FUNC_I2C,
    I2C_FUNC_PROTOCOL_MANGLING,
    I2C_M_RD,
    I2C_M_STOP,
    MESSAGES_PER_CALL,
    Adapter,
    KernelMessage,
)
from hardware.bus import Outcome, Prepared, PreparedRun, Read, Transaction, Write
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, NoBus, ShapeRefused

I2C_TIMEOUT = 0x0702
"""linux/i2c-dev.h: the adapter's time-out, in units of 10 ms. smbus2 has no name for it."""

TIMEOUT_UNIT_MS = 10
TIMEOUT_MS = 20
"""Three times the longest transaction here (a screen's slice at half speed), and short enough that the other
dials keep their gap limit while a hung tile is tried."""

BYTES_PER_MESSAGE = 8192
"""i2c-dev.c refuses longer ones."""

SILENCE = "Check its plug, then its power, then SDA and SCL."
HELD = "Unplug tile after tile until the bus comes back; a mux whose RESET pin is wired lets go by itself."
NOISE = "Try again; if it stays, look for a loose plug, a long lead or missing pull-ups."
SHAPE = "Nothing is wrong with the wires: the controller needs another form of transfer."
OWNED = "A kernel driver owns this address: take its dtoverlay out of config.txt and start the Pi again."
KERNEL_LOG = "Look into the kernel's log: dmesg | grep i2c."
GONE = "Plug the USB adapter in again, or start the Pi again."

_MEANINGS: dict[int, tuple[type[HardwareError], str, str]] = {
    errno.EREMOTEIO: (NoAnswer, "gave no answer", SILENCE),
    errno.ENXIO: (NoAnswer, "gave no answer", SILENCE),
    errno.EIO: (BusGlitch, "had a transfer spoilt", NOISE),
    errno.EAGAIN: (BusGlitch, "lost the bus to something else that held a line", NOISE),
    errno.ETIMEDOUT: (BusStuck, "never ended a transfer", HELD),
    errno.EOPNOTSUPP: (ShapeRefused, "was asked in a form that this controller refuses", SHAPE),
    errno.EINVAL: (ShapeRefused, "was asked in a form that this controller refuses", SHAPE),
    errno.EBUSY: (HardwareError, "is in use by the kernel", OWNED),
    errno.ENODEV: (NoBus, "lost its controller", GONE),
}


class ShortCall(OSError):
    """A call that the kernel took for good although it ended early: `done` of `count` messages went through.

    i2c-virtio has no errno for a refused message, and a signal can cut its waiting short. If not even the first
    message went through, the likely cause is a silent chip, else a spoilt transfer.
    """

    def __init__(self, done: int, count: int) -> None:
        super().__init__(errno.EIO if done else errno.EREMOTEIO, f"{done} of {count} messages went through")


def meaning(error: OSError, part: str, place: str) -> HardwareError:
    """Our error for the kernel's; different faults stay different (silent, stuck, spoilt, refused)."""
    number = error.errno or 0
    fallback = (HardwareError, f"failed: {error.strerror}", KERNEL_LOG)
    kind, seen, advice = _MEANINGS.get(number, fallback)
    told = error.strerror if isinstance(error, ShortCall) else f"errno {number}"
    return kind(part, place, f"{seen} ({told})", advice)


# --- transactions to kernel messages ---------------------------------------------------------------


def check(transaction: Transaction) -> None:
    """Raises ValueError for what no adapter of ours may be asked: our own mistake, not the wire's."""
    if not 1 <= len(transaction) <= MESSAGES_PER_CALL:
        raise ValueError(f"a transaction has 1 to {MESSAGES_PER_CALL} messages, not {len(transaction)}")
    for message in transaction:
        length = message.length if isinstance(message, Read) else len(message.data)
        if not 1 <= length <= BYTES_PER_MESSAGE:
            raise ValueError(f"a message has 1 to {BYTES_PER_MESSAGE} bytes, not {length}")
        if not 0 <= message.address <= 0x7F:
            raise ValueError(f"an I2C address has 7 bits, not 0x{message.address:X}")
    if any(isinstance(message, Read) for message in transaction[:-1]):
        raise ValueError("a transaction has at most one read, and it stands last")


def _kernel_message(message: Read | Write) -> KernelMessage:
    if isinstance(message, Read):
        return KernelMessage(message.address, I2C_M_RD, bytearray(message.length))
    return KernelMessage(message.address, 0, bytearray(message.data))


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One transaction as the kernel takes it: `answer` is the buffer of its read."""

    messages: tuple[KernelMessage, ...]
    call: Callable[[], int | None]
    answer: bytearray | None
    address: int

    def carried_out(self) -> bytes:
        """The bytes of its read. Raises OSError."""
        _all_through(self.call(), len(self.messages))
        return b"" if self.answer is None else bytes(self.answer)


def _all_through(done: int | None, count: int) -> None:
    """Raises ShortCall if not all messages of a call went through: a short one leaves old bytes in the buffers."""
    if done is not None and done != count:
        raise ShortCall(done, count)


def _stopped(messages: Sequence[KernelMessage]) -> list[KernelMessage]:
    """The same messages and buffers, with a STOP asked for behind the last one."""
    *before, last = messages
    return [*before, KernelMessage(last.address, last.flags | I2C_M_STOP, last.buffer)]


def _batches(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Whole transactions, as many as one call takes."""
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
        """Asks the adapter once what it can do, and bounds its waiting (the kernel's own bound is 1 s).

        An adapter that refuses the bound can be used all the same: `bounded` is False then, and a hung tile costs its
        own patience. Raises NoBus if it can do no plain I2C.
        """
        functions = adapter.functions()
        if not functions & I2C_FUNC_I2C:
            raise NoBus(
                "I2C bus",
                adapter.name,
                "knows SMBus calls only",
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
        """One transaction, START to STOP; the bytes of its read. Raises HardwareError, or ValueError."""
        part = self._part(transaction)
        try:
            return part.carried_out()
        except OSError as error:
            raise self._meaning(error, part) from error

    def prepare(self, transactions: Sequence[Transaction]) -> PreparedRun:
        """Build once, run often; one Outcome per transaction. Raises ValueError for an illegal one.

        Where many transactions share a call, a failed call is run again one by one: what leads through a mux
        must bear to be begun anew from the channel where it ended (`batching` says whether that may happen).

        A failed transaction leaves the others alone, but for BusStuck: then nothing more is tried in this
        run, since each try would wait out the adapter's time-out again, and the rest is BusStuck too.
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
        """What was read before the one that failed, its trouble, and what the others say all the same."""
        outcomes: list[Outcome] = [b"" if part.answer is None else bytes(part.answer) for part in parts[:failed]]
        outcomes.append(self._meaning(error, parts[failed]))
        for part in parts[failed + 1 :]:
            if isinstance(outcomes[-1], BusStuck):
                return outcomes + [outcomes[-1]] * (len(parts) - len(outcomes))
            try:
                outcomes.append(part.carried_out())
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
        """A call that failed says nothing about which of its transactions did: ask each by itself.

        An adapter that promised mangling and refuses it is not asked for it again.
        """
        if isinstance(meaning(error, "batch", self.name), ShapeRefused):
            self._batching = False
        return alone()


_Attempt = Callable[[], Sequence[Outcome] | None]
"""As in PreparedRun."""

_Batch = tuple[Callable[[], int | None], int, PreparedRun]
"""One call for several transactions, how many messages it has, and the same one by one, in the same buffers."""


# --- the device ------------------------------------------------------------------------------------


def open_adapter(device: str, proc: Path = Path("/proc")) -> DeviceAdapter:
    """The I2C controller behind `/dev/i2c-N`, locked for this program until `close()`.

    Raises NoBus, with advice, if the device is missing, forbidden, no I2C bus, or used by another program.
    """
    try:
        file = open(device, "r+b", buffering=0)  # noqa: SIM115 - the adapter owns it until close()
    except OSError as error:
        raise _no_bus(device, error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return DeviceAdapter(device, file)
    except OSError as error:
        held_by = holder(file, proc) if error.errno == errno.EWOULDBLOCK else ""
        file.close()
        raise _no_bus(device, error, held_by) from error


_NO_BUS: dict[int, tuple[str, str]] = {
    errno.ENOENT: (
        "is not there",
        "Switch I2C on: dtparam=i2c_arm=on in config.txt, or sudo raspi-config, Interface Options, I2C; "
        "then start the Pi again.",
    ),
    errno.EACCES: (
        "may not be opened by this user",
        "Join the group that may: sudo usermod -aG i2c $USER, then log in again.",
    ),
    errno.EWOULDBLOCK: (
        "is in use by another program",
        "Stop the other one first: two programs on one bus spoil each other's reads.",
    ),
    errno.ENOTTY: ("is not an I2C bus", "Name a device such as /dev/i2c-1 in the settings."),
}


OF_AN_OVERLAY = (
    "Switch this bus on with its own dtoverlay in config.txt, such as dtoverlay=i2c6 for /dev/i2c-6 on a Pi 4; then "
    "start the Pi again."
)
HEADER_BUSES = ("i2c-0", "i2c-1")
"""Which need no overlay."""


def _no_bus(device: str, error: OSError, held_by: str = "") -> NoBus:
    fallback = (f"cannot be used: {error.strerror}", KERNEL_LOG)
    seen, advice = _NO_BUS.get(error.errno or 0, fallback)
    if error.errno == errno.ENOENT and Path(device).name not in HEADER_BUSES:
        advice = OF_AN_OVERLAY
    return NoBus("I2C bus", device, f"{seen}: {held_by}" if held_by else seen, advice)


def holder(file: IO[bytes], proc: Path = Path("/proc")) -> str:
    """Who has a lock on this file, such as `trapdial (process 708)`; empty if the machine does not tell.

    Reads lines such as `1: FLOCK  ADVISORY  WRITE 708 00:06:312 0 EOF` (proc_locks(5)): major and minor number of the
    file system in hex, and the inode.
    """
    status = os.fstat(file.fileno())
    of_file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        lines = (proc / "locks").read_text(encoding="ascii", errors="replace").splitlines()
        rows = [line.split() for line in lines]
        pid = next((row[4] for row in rows if len(row) > 5 and row[1] == "FLOCK" and row[5] == of_file), "")
        name = (proc / pid / "comm").read_text(encoding="utf-8", errors="replace").strip() if pid else ""
    except OSError:
        return ""
    return f"{name} (process {pid})" if name else ""


class DeviceAdapter:
    """`hardware.adapter.Adapter` over the kernel's device. smbus2 brings the kernel's structures."""

    def __init__(self, device: str, file: IO[bytes]) -> None:
        from smbus2 import smbus2  # here, so that a simulated table never loads it

        self._smbus2 = smbus2
        self._name = device
        self._file = file
        functions = ctypes.c_ulong()
        fcntl.ioctl(file, smbus2.I2C_FUNCS, functions)
        self._functions = functions.value

    @property
    def name(self) -> str:
        return self._name

    def functions(self) -> int:
        return self._functions

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int]:
        """The call holds the kernel's structures, whose pointers lead into the messages' own buffers.

        It is given the file and not its number: a call after `close()` is a ValueError and can never reach
        another file that got the same number.
        """
        smbus2 = self._smbus2
        kernel_form = [
            smbus2.i2c_msg(
                addr=m.address,
                flags=m.flags,
                len=len(m.buffer),
                buf=(ctypes.c_char * len(m.buffer)).from_buffer(m.buffer),
            )
            for m in messages
        ]
        request = smbus2.i2c_rdwr_ioctl_data.create(*kernel_form)
        return functools.partial(fcntl.ioctl, self._file, smbus2.I2C_RDWR, request)

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Rounded up to whole tens. A transfer that takes longer on the wire will fail as stuck."""
        if timeout_ms < 1:
            raise ValueError(f"a time-out is at least 1 ms, not {timeout_ms} ms")
        fcntl.ioctl(self._file, I2C_TIMEOUT, -(-timeout_ms // TIMEOUT_UNIT_MS))

    @property
    def closed(self) -> bool:
        """Whether it was given back."""
        return self._file.closed

    def close(self) -> None:
        """Closing gives the lock back too."""
        self._file.close()
