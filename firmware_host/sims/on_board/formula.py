"""SIMULATED: muxes and encoders without faults, for tests of speed and endurance.

Every dial creeps: n * 256 counts plus one in 4096 us of hub time, so a test can check every angle of a report.

Not modelled: anything but the registers that the firmware reads. The twins of `hardware/sims` model more.
"""

import time

import twin_setup

CONF, STATUS, RAW_HIGH, RAW_LOW, AGC, MAGNITUDE_HIGH, MAGNITUDE_LOW = 0x07, 0x0B, 0x0C, 0x0D, 0x1A, 0x1B, 0x1C
DIAL = 0x36

_open = [0, 0]
_conf = [0] * 16
_pointer = [0] * 16


def angle(n: int) -> int:
    return n * 256 + (time.ticks_us() % (1 << 30) >> 12) & 0xFFF


def _dial() -> int:
    for mux in range(len(_open)):
        for channel in range(8):
            if _open[mux] == 1 << channel and mux * 8 + channel < twin_setup.DIALS:
                return mux * 8 + channel
    return -1


def write(address: int, data) -> bool:
    """Return whether a chip acknowledged."""
    if address != DIAL:
        return _write_mux(address - 0x70, data)
    n = _dial()
    if n < 0:
        return False
    _pointer[n] = data[0]
    if len(data) == 3 and data[0] == CONF:
        _conf[n] = data[1] << 8 | data[2]
    return True


def _write_mux(mux: int, data) -> bool:
    if 0 <= mux < -(-twin_setup.DIALS // 8):
        _open[mux] = data[0]
        return True
    return False


def read(address: int, into) -> bool:
    """Fill `into`; return whether a chip acknowledged."""
    if address != DIAL:
        if not 0 <= address - 0x70 < -(-twin_setup.DIALS // 8):
            return False
        into[0] = _open[address - 0x70]
        return True
    n = _dial()
    if n < 0:
        return False
    raw = angle(n)
    for place in range(len(into)):
        into[place] = _register(n, _pointer[n] + place, raw)
    return True


def _register(n: int, at: int, raw: int) -> int:
    if at == CONF:
        return _conf[n] >> 8
    if at == CONF + 1:
        return _conf[n] & 0xFF
    if at == STATUS:
        return 0x20
    if at == RAW_HIGH:
        return raw >> 8
    if at == RAW_LOW:
        return raw & 0xFF
    if at == AGC:
        return 64
    return (2150).to_bytes(2, "big")[at - MAGNITUDE_HIGH] if at in (MAGNITUDE_HIGH, MAGNITUDE_LOW) else 0
