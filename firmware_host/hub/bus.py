"""The board's I2C controller, and the recovery of a bus that is held down.

The RP2040's I2C block has no bus clear. A chip that was interrupted in the middle of a byte (by a reset, for example)
releases SDA within nine clocks (NXP UM10204, 3.1.16), so this module bit-bangs them.
"""

import time

CLOCKS = 9
HALF_US = 5
"""The slowest mode needs 4.7."""
RESET_US = 10
"""A TCA9548A needs 6 ns."""


class I2cBus:
    """An I2C controller with its pins. All failures are OSError: EIO for no acknowledge, ETIMEDOUT for a held line.

    `write(address, bytes)`, `read(address, into)` and `read_register(address, register, into)` are the block's own
    functions; `read_register` sets a chip's pointer and reads after a repeated START, in one transfer. The caller
    counts `failed`.

    `timeout_us` limits one transfer: the port's default of 50 ms would cost 400 ms in a sweep.
    """

    def __init__(self, machine, block, sda, scl, speed_hz, timeout_us, reset=None) -> None:
        """`machine`: the module. `block`: 0 or 1. `reset`: the pin at the muxes' RESET, or None."""
        self._machine, self._sleep_us = machine, time.sleep_us  # type: ignore[attr-defined]
        self._block, self._sda, self._scl = block, sda, scl
        self._speed_hz, self._timeout_us = speed_hz, timeout_us
        self._reset = None if reset is None else _by_hand(machine.Pin, reset)
        self.failed = self.freed = 0
        self._free()

    def free(self) -> None:
        """Pulse the muxes' RESET if it is wired, bit-bang nine clocks and a STOP, and set up the controller again."""
        self.freed += 1
        self._free()

    def _free(self) -> None:
        pin = self._machine.Pin
        if self._reset is not None:
            self._reset.value(0)
            self._sleep_us(RESET_US)
            self._reset.value(1)
        scl = _by_hand(pin, self._scl)
        sda = _by_hand(pin, self._sda)
        self._sleep_us(HALF_US)
        for _ in range(CLOCKS):
            if sda.value():
                break
            scl.value(0)
            self._sleep_us(HALF_US)
            scl.value(1)
            self._sleep_us(HALF_US)
        scl.value(0)
        sda.value(0)
        self._sleep_us(HALF_US)
        scl.value(1)
        self._sleep_us(HALF_US)
        sda.value(1)
        self._sleep_us(HALF_US)
        # Constructing the pins again takes them back from the processor, and constructing I2C resets the block.
        block = self._machine.I2C(
            self._block, scl=pin(self._scl), sda=pin(self._sda), freq=self._speed_hz, timeout=self._timeout_us
        )
        self.write, self.read, self.read_register = block.writeto, block.readfrom_into, block.readfrom_mem_into


def _by_hand(pin, number):
    """An open-drain line. A pin that gets a mode loses its pull-up unless the call asks for one."""
    return pin(number, pin.OPEN_DRAIN, pin.PULL_UP, value=1)
