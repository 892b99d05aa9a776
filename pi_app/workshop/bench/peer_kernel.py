"""The kernel's side of `/dev/i2c-1` for libraries that are not ours, over our simulated adapter.

smbus2 and Adafruit's PureIO run unmodified down to their calls of `ioctl`, `read` and `write`. Here those calls become
the messages that Linux makes of them (i2c-dev.c, i2c_smbus_xfer_emulated in i2c-core-smbus.c). Each transfer is one
call of the adapter, as ours are; choosing an address (I2C_SLAVE) is a call of the kernel that costs nothing on the
wire, so it is counted and not charged.

Not modelled: SMBus sizes that no script here uses (they raise), and packet error checking.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, Final, Protocol

from hardware.adapter import I2C_M_RD, Adapter, KernelMessage
from hardware.clock import Clock

I2C_SLAVE: Final = 0x0703
I2C_RDWR: Final = 0x0707
I2C_SMBUS: Final = 0x0720
SMBUS_READ: Final = 1
SMBUS_BYTE: Final = 1
SMBUS_BYTE_DATA: Final = 2
SMBUS_I2C_BLOCK: Final = 8


class Kernel(Protocol):
    """An open `/dev/i2c-N`, as PureIO and smbus2 use it. `calls` counts calls of the kernel."""

    calls: int

    def ioctl(self, request: int, argument: Any) -> int: ...
    def read(self, length: int) -> bytes: ...
    def write(self, data: bytes) -> int: ...


class PeerKernel:
    """The kernel above one simulated adapter. All failures are OSError, as the adapter raises them."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._address = 0
        self.calls = 0

    def ioctl(self, request: int, argument: Any) -> int:
        """Carry out I2C_SLAVE, I2C_RDWR or I2C_SMBUS. Raises ValueError for anything else."""
        self.calls += 1
        if request == I2C_SLAVE:
            self._address = argument
        elif request == I2C_RDWR:
            self._rdwr(argument)
        elif request == I2C_SMBUS:
            self._smbus(argument)
        else:
            raise ValueError(f"no peer calls ioctl 0x{request:04X}")
        return 0

    def read(self, length: int) -> bytes:
        """`read(2)`: one message from the chosen address."""
        self.calls += 1
        buffer = bytearray(length)
        self._run([KernelMessage(self._address, I2C_M_RD, buffer)])
        return bytes(buffer)

    def write(self, data: bytes) -> int:
        """`write(2)`: one message to the chosen address."""
        self.calls += 1
        self._run([KernelMessage(self._address, 0, bytearray(data))])
        return len(data)

    def _run(self, messages: Sequence[KernelMessage]) -> None:
        self._adapter.prepare(messages)()

    def _rdwr(self, data: Any) -> None:
        given = [data.msgs[n] for n in range(data.nmsgs)]
        messages = [KernelMessage(m.addr, m.flags, bytearray(ctypes.string_at(m.buf, m.len))) for m in given]
        self._run(messages)
        for theirs, ours in zip(given, messages, strict=True):
            if ours.flags & I2C_M_RD:
                ctypes.memmove(theirs.buf, bytes(ours.buffer), theirs.len)

    def _smbus(self, data: Any) -> None:
        union = data.data.contents
        reading = data.read_write == SMBUS_READ
        if data.size == SMBUS_BYTE and not reading:
            self._run([KernelMessage(self._address, 0, bytearray((data.command,)))])
        elif data.size == SMBUS_BYTE_DATA and reading:
            union.byte = self._query(data.command, 1)[0]
        elif data.size == SMBUS_I2C_BLOCK and reading:
            length = union.block[0]
            union.block[1 : length + 1] = list(self._query(data.command, length))
        else:
            raise ValueError(f"no script here makes an SMBus call of size {data.size}")

    def _query(self, command: int, length: int) -> bytes:
        answer = bytearray(length)
        ask = KernelMessage(self._address, 0, bytearray((command,)))
        self._run([ask, KernelMessage(self._address, I2C_M_RD, answer)])
        return bytes(answer)


class StubKernel:
    """A kernel that answers at once, to measure a library's own computing. A read returns `answer`."""

    def __init__(self, answer: bytes = b"\0") -> None:
        self._answer = answer
        self.calls = 0

    def ioctl(self, request: int, argument: Any) -> int:
        return 0

    def read(self, length: int) -> bytes:
        return self._answer[:length].ljust(length, b"\0")

    def write(self, data: bytes) -> int:
        return len(data)


class PeerFile:
    """PureIO's open device; its file number is the kernel itself (`installed` passes it on)."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.read, self.write = kernel.read, kernel.write

    def fileno(self) -> Kernel:
        return self._kernel

    def close(self) -> None:
        """Nothing is open."""


@contextlib.contextmanager
def installed(modules: Sequence[Any]) -> Iterator[None]:
    """Redirect the `ioctl` of these modules to the kernel that they have as a file number."""
    with contextlib.ExitStack() as undo:
        for module in modules:
            undo.enter_context(replaced(module, "ioctl", _ioctl))
        yield


def _ioctl(kernel: Kernel, request: int, argument: Any) -> int:
    return kernel.ioctl(request, argument)


@contextlib.contextmanager
def sleeping(modules: Sequence[Any], clock: Clock) -> Iterator[None]:
    """Let `time.sleep` of these modules pass virtual time."""

    def sleep(seconds: float) -> None:
        clock.sleep_until(clock.now_ns() + round(seconds * 1e9))

    with contextlib.ExitStack() as undo:
        for module in modules:
            undo.enter_context(replaced(module, "time", SimpleNamespace(sleep=sleep)))
        yield


@contextlib.contextmanager
def replaced(module: Any, name: str, value: Callable[..., Any] | Any) -> Iterator[None]:
    """Set another value for a module's name until the end of the block."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)
