"""The kernel's side of an I2C adapter, as `/dev/i2c-N` offers it: I2C_FUNCS and I2C_RDWR.

`hardware.i2c_device` opens the real one through smbus2; `hardware.sims.adapter` imitates one, with its errnos,
above simulated wires. `hardware.bus_linux` builds the transfers, the same above both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

I2C_FUNC_I2C = 0x00000001
I2C_FUNC_PROTOCOL_MANGLING = 0x00000004
"""The adapter honours I2C_M_STOP: one call may hold many transactions (i2c-gpio does; a Pi's own adapters do not)."""

I2C_M_RD = 0x0001
I2C_M_STOP = 0x8000

MESSAGES_PER_CALL = 42
"""I2C_RDWR_IOCTL_MAX_MSGS of linux/i2c-dev.h."""

KERNEL_LOG = "Check the kernel's log: dmesg | grep i2c."


@dataclass(frozen=True, slots=True, eq=False)
class KernelMessage:
    """One `struct i2c_msg`: a read fills `buffer` in place each time."""

    address: int
    flags: int
    buffer: bytearray


class Adapter(Protocol):
    """One I2C controller. All failures are OSError with the errno that the kernel's driver would give."""

    @property
    def name(self) -> str:
        """`/dev/i2c-1`; a twin's name begins with "simulated"."""

    def functions(self) -> int:
        """The I2C_FUNCS bits."""

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int | None]:
        """Build one I2C_RDWR call of 1 to 42 messages. Calling it runs it; it raises OSError.

        It returns how many messages went through, as the kernel counts them, or None for all of them. Some drivers
        (i2c-virtio) raise nothing for a message that was refused: the count is too small, and the buffers of
        the others are stale.
        """

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Lower the adapter's own time-out (I2C_TIMEOUT counts tens of milliseconds)."""

    def close(self) -> None:
        """Close the device; closing twice is harmless."""
