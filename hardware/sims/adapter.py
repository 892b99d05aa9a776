"""A simulated I2C adapter: how `/dev/i2c-N` of four kinds of controller handles I2C_RDWR, with their errnos.

- `bcm2835` (Pi 1 to 4, Zero): a read must be the last message, else EOPNOTSUPP; a NACK is EREMOTEIO
  (linux i2c-bcm2835.c).
- `designware` (Pi 5): one address per call, else EINVAL; no empty messages; a NACK is EREMOTEIO
  (linux i2c-designware-master.c).
- `i2c-gpio` (bit-banged): knows protocol mangling, so a message flagged I2C_M_STOP is followed by a STOP; an
  address NACK is ENXIO, a data NACK is EIO (linux i2c-algo-bit.c).
- `virtio` (a virtual machine's): after any failure on the wire the call succeeds with a count of messages that is
  too small, and the buffers of the others stay unchanged (linux i2c-virtio.c; seen with a real kernel,
  wiring_docs/kernel_stage.md).

Not modelled: 10-bit addresses, SMBus calls, other mangling flags, the controllers' own
clock-stretch bug, retries by the kernel after lost arbitration, and several processes on one bus.
"""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardware.adapter import (
    I2C_FUNC_I2C,
    I2C_FUNC_PROTOCOL_MANGLING,
    I2C_M_RD,
    I2C_M_STOP,
    MESSAGES_PER_CALL,
    KernelMessage,
)
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import ArbitrationLost, LineHeld, SimWire, TransferGlitch

LONGEST_MESSAGE = 8192
"""i2c-dev.c refuses longer ones."""

DEFAULT_TIMEOUT_MS = 1_000
TIMEOUT_STEP_MS = 10
"""ioctl I2C_TIMEOUT counts in these."""

SMBUS_EMULATED = 0x0EFF0008

Refusal = Callable[[Sequence[KernelMessage]], int]
"""The errno with which a controller's driver refuses a call, or 0."""


def _one_read_and_last(messages: Sequence[KernelMessage]) -> int:
    early_read = any(message.flags & I2C_M_RD for message in messages[:-1])
    return errno.EOPNOTSUPP if early_read else 0


def _one_address(messages: Sequence[KernelMessage]) -> int:
    if any(not message.buffer for message in messages):
        return errno.EOPNOTSUPP
    return errno.EINVAL if len({message.address for message in messages}) > 1 else 0


def _anything(messages: Sequence[KernelMessage]) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Controller:
    """How one kernel driver behaves."""

    functions: int
    address_nack_errno: int
    data_nack_errno: int
    refuses: Refusal
    short_counts: bool = False
    """A failure on the wire gives no errno, but a count that is too small."""


CONTROLLERS: dict[str, Controller] = {
    "bcm2835": Controller(I2C_FUNC_I2C | SMBUS_EMULATED, errno.EREMOTEIO, errno.EREMOTEIO, _one_read_and_last),
    "designware": Controller(
        I2C_FUNC_I2C | SMBUS_EMULATED & ~0x00010000, errno.EREMOTEIO, errno.EREMOTEIO, _one_address
    ),
    "i2c-gpio": Controller(
        I2C_FUNC_I2C | SMBUS_EMULATED | I2C_FUNC_PROTOCOL_MANGLING, errno.ENXIO, errno.EIO, _anything
    ),
    "virtio": Controller(I2C_FUNC_I2C | SMBUS_EMULATED, errno.EIO, errno.EIO, _anything, short_counts=True),
}


class SimAdapter:
    """`hardware.adapter.Adapter` above a simulated wire. Its name begins with "simulated".

    `call_cost_ns` is charged to the clock at the start of every call, for the time of a real kernel and
    controller.
    """

    def __init__(
        self,
        wire: SimWire,
        clock: VirtualClock,
        kind: str = "bcm2835",
        call_cost_ns: int = 0,
        device: str = "/dev/i2c-1",
    ) -> None:
        """Raises ValueError for a kind that is not in CONTROLLERS."""
        if kind not in CONTROLLERS:
            raise ValueError(_unknown_kind(kind))
        self.wire = wire
        self.clock = clock
        self.kind = kind
        self.call_cost_ns = call_cost_ns
        self.calls = 0
        self._controller = CONTROLLERS[kind]
        self._name = f"simulated {device}"
        self._timeout_ns = DEFAULT_TIMEOUT_MS * 1_000_000
        self._closed = False

    @property
    def name(self) -> str:
        return self._name

    def functions(self) -> int:
        self._must_be_open()
        return self._controller.functions

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Rounded up to whole tens, as I2C_TIMEOUT counts. Raises OSError EINVAL below 1 ms."""
        self._must_be_open()
        if timeout_ms < 1:
            raise _os_error(errno.EINVAL)
        self._timeout_ns = -(-timeout_ms // TIMEOUT_STEP_MS) * TIMEOUT_STEP_MS * 1_000_000

    def close(self) -> None:
        self._closed = True

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int]:
        refused = self._refusal(messages)
        last = len(messages) - 1
        joined = any(m.flags & I2C_M_STOP for m in messages[:-1])
        steps = tuple(
            (
                m.address,
                bool(m.flags & I2C_M_RD),
                m.buffer,
                range(len(m.buffer)),
                i == last or bool(m.flags & I2C_M_STOP),
            )
            for i, m in enumerate(messages)
        )

        def call() -> int:
            if self._closed:
                raise _os_error(errno.EBADF)
            self.calls += 1
            if self.call_cost_ns:
                self.clock.advance(self.call_cost_ns)
            if refused:
                raise _os_error(refused)
            if joined and self.wire.refuses_joined:
                raise _os_error(self.wire.refuses_joined)
            return self._run(steps)

        return call

    def _run(self, steps: Sequence[tuple[int, bool, bytearray, range, bool]]) -> int:
        """How many messages went through."""
        wire = self.wire
        done = 0
        try:
            for address, reading, buffer, places, stop_after in steps:
                if not wire.start(address, reading):
                    raise _NotAcknowledged(self._controller.address_nack_errno)
                if reading:
                    for place in places:
                        buffer[place] = wire.read()
                else:
                    for byte in buffer:
                        if not wire.write(byte):
                            raise _NotAcknowledged(self._controller.data_nack_errno)
                if stop_after:
                    wire.stop()
                done += 1
        except LineHeld:
            wire.give_up(self._timeout_ns)
            self._failed(errno.ETIMEDOUT)
        except TransferGlitch:
            wire.stop()
            self._failed(errno.EIO)
        except ArbitrationLost:
            wire.stop()
            self._failed(errno.EAGAIN)
        except _NotAcknowledged as refusal:
            wire.stop()
            self._failed(refusal.number)
        return done

    def _failed(self, number: int) -> None:
        if not self._controller.short_counts:
            raise _os_error(number) from None

    def _refusal(self, messages: Sequence[KernelMessage]) -> int:
        if not 1 <= len(messages) <= MESSAGES_PER_CALL:
            return errno.EINVAL
        if any(len(m.buffer) > LONGEST_MESSAGE or not 0 <= m.address <= 0x7F for m in messages):
            return errno.EINVAL
        known = I2C_M_RD
        if self._controller.functions & I2C_FUNC_PROTOCOL_MANGLING:
            known |= I2C_M_STOP
        if any(m.flags & ~known for m in messages):
            return errno.EOPNOTSUPP
        return self._controller.refuses(messages)

    def _must_be_open(self) -> None:
        if self._closed:
            raise _os_error(errno.EBADF)


class _NotAcknowledged(Exception):
    """A byte was not acknowledged; `number` is the controller's errno for it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class SimKernelMux:
    """A mux under the kernel's driver pca954x: an adapter for each channel (linux i2c-mux.c).

    Each transfer on a channel selects it unless the driver remembers it as open, and runs on the parent, with
    the parent's time-out. With `closes_when_idle` (idle_state -2) the mux is closed afterwards.
    """

    def __init__(self, parent: SimAdapter, address: int = 0x70, *, closes_when_idle: bool = False) -> None:
        self.parent = parent
        self._address, self._closes = address, closes_when_idle
        self._last: int | None = None

    def channel(self, number: int, device: str) -> SimChannel:
        """The adapter of one channel."""
        return SimChannel(self, number, device)

    def run(self, number: int, call: Callable[[], int]) -> int:
        """Select, transfer, deselect, as __i2c_mux_master_xfer does."""
        if self._last != number:
            self._last = None
            self._put(1 << number)
            self._last = number
        try:
            return call()
        finally:
            if self._closes:
                self._last = None
                self._put(0)

    def _put(self, mask: int) -> None:
        self.parent.prepare((KernelMessage(self._address, 0, bytearray((mask,))),))()


class SimChannel:
    """`/dev/i2c-N` of one channel of a kernel mux."""

    def __init__(self, mux: SimKernelMux, number: int, device: str) -> None:
        self._mux, self._number = mux, number
        self._name = f"simulated {device}"

    @property
    def name(self) -> str:
        return self._name

    def functions(self) -> int:
        return self._mux.parent.functions()

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Accepted without effect: the parent's time-out applies."""

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int]:
        call = self._mux.parent.prepare(messages)
        return lambda: self._mux.run(self._number, call)

    def close(self) -> None:
        """The parent stays open for the other channels."""


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _unknown_kind(kind: str) -> str:
    near = difflib.get_close_matches(kind, CONTROLLERS, n=1, cutoff=0.4)
    guess = f"; did you mean '{near[0]}'?" if near else ""
    return f"no adapter of kind '{kind}'{guess} (known: {', '.join(CONTROLLERS)})"
