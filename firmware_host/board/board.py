"""This board's wiring, the only file here to edit. `trapdial hub install` never overwrites it.

Pins are GP numbers, not positions on the connector.
"""

BLOCK = 0
"""The I2C block: 0 has SDA on GP0, 4, 8, 12, 16 or 20; 1 has SDA on GP2, 6, 10, 14, 18 or 26. SCL is the next pin."""
SDA = 4
SCL = 5

SPEED_HZ = 400_000
"""If dials fail on long leads, try 100_000: a sweep of eight dials then takes about 9 ms."""
TIMEOUT_US = 2000

MUXES = (0x70,)
"""Addresses of the TCA9548A, one or two. The first has dials 0 to 7, the second 8 to 15."""
WIRED = range(8)
"""The connected dials. The hub never reads the others."""

MUX_RESET = None
"""The pin at the RESET of the muxes, or None. With it, a dial that holds the bus down does not stop the others."""
