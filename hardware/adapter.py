"""The kernel's side of an I2C adapter, as `/dev/i2c-N` offers it: I2C_FUNCS and I2C_RDWR.

`hardware.bus_linux` opens the real one through smbus2; `hardware.sims.adapter` imitates one, errnos and
all, above simulated wires. The code that builds transfers (`hardware.bus_linux.LinuxBus`) is the same
above both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

I2C_FUNC_I2C = 0x00000001
I2C_FUNC_PROTOCOL_MANGLING = 0x00000004
"""The adapter honours I2C_M_STOP: one call may hold many transactions (i2c-gpio does; a Pi's own do not)."""

I2C_M_RD = 0x0001
I2C_M_STOP = 0x8000

MESSAGES_PER_CALL = 42
"""I2C_RDWR_IOCTL_MAX_MSGS of linux/i2c-dev.h."""


@dataclass(frozen=True, slots=True, eq=False)
class KernelMessage:
    """One `struct i2c_msg`: a read fills `buffer` in place at every run."""

    address: int
    flags: int
    buffer: bytearray


class Adapter(Protocol):
    """One I2C controller. All failures are OSError with the errno that the kernel's driver would give."""

    @property
    def name(self) -> str:
        """`/dev/i2c-1`, or for a twin a name that says it is simulated."""

    def functions(self) -> int:
        """The I2C_FUNCS bits."""

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int | None]:
        """One I2C_RDWR call, built once: 1 to 42 messages. Calling it runs it; it raises OSError.

        It gives how many messages went through, as the kernel counts them, or None for all of them. Some drivers
        (i2c-virtio) raise nothing for a message that was refused: the count is too small, and what the buffers of
        the others hold is old.
        """

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Lower the adapter's own time-out (I2C_TIMEOUT counts tens of milliseconds)."""

    def close(self) -> None:
        """Give the device back; closing twice is harmless."""
