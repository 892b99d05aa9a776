"""Who is measured side by side: our own scan, Adafruit's CircuitPython drivers, and smbus2 as scripts use it.

Each entrant looks once at every dial behind one TCA9548A and gives the raw angles. Adafruit's packages run unmodified,
Blinka's Linux layer and PureIO included; only the choice of a board's pins is left out, since there is no board.
They are the extra `peers` of the installation.
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hardware.adapter import Adapter
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.dial_chip import DialChip, ReadMode
from hardware.chips.seesaw import Seesaw
from hardware.chips.tca9548a import Tca9548a
from hardware.clock import Clock
from hardware.readings import Reading
from hardware.scan import Scan, ScanDial
from pi_app.text.errors import BrokenInstallationError
from pi_app.workshop.bench.peer_kernel import Kernel, PeerFile, installed, sleeping

MUX: Final = 0x70
ENCODER: Final = 0x36
FIRST_SEESAW: Final = 0x36
SEESAW_STEPS: Final = 24
RAW_ANGLE: Final = 0x0C
STATUS: Final = 0x0B
MAGNET_DETECTED: Final = 0x20

NEEDED: Final = ("adafruit_as5600", "adafruit_tca9548a", "adafruit_seesaw", "busio")
"""Modules of the extra `peers`."""

Looks = Callable[[], Sequence[int]]
"""One look at every dial: the raw angles in order of their channels."""


@dataclass(frozen=True, slots=True)
class SharedBus:
    """What an entrant is built on: one bus with its dials behind mux 0x70, seen from both of its ends."""

    dials: int
    adapter: Adapter
    kernel: Kernel
    clock: Clock


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who reads dials. `status`: every look asks whether the magnet is there, too."""

    name: str
    build: Callable[[SharedBus], Looks]
    status: bool = False


@contextlib.contextmanager
def peers_at_work(clock: Clock) -> Iterator[None]:
    """While this lasts, the peers' kernel calls and sleeps are ours. Raises BrokenInstallationError, naming the
    extra, if a peer is not installed."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise BrokenInstallationError(
            f"The libraries to compare with are not installed ({', '.join(missing)} not found). "
            "Install them into the same Python: pip install 'trapdial[peers]', or from a checkout "
            "pip install -e '.[peers]'."
        )
    import adafruit_bus_device.i2c_device
    import adafruit_seesaw.seesaw
    import adafruit_tca9548a
    from Adafruit_PureIO import smbus
    from smbus2 import smbus2

    sleepers = (adafruit_seesaw.seesaw, adafruit_bus_device.i2c_device, adafruit_tca9548a)
    with installed((smbus, smbus2)), sleeping(sleepers, clock):
        yield


# ------------------------------------------------------------------------------------------------------ our own


def _ours(bench: SharedBus) -> Looks:
    return _scanning(bench, As5600)


def _ours_with_status(bench: SharedBus) -> Looks:
    return _scanning(bench, FieldEachTime)


class FieldEachTime(As5600):
    """Our driver made to ask for STATUS with every angle, as nobody needs to, for a like comparison."""

    @property
    def due(self) -> ReadMode:
        return ReadMode.FIELD if self._due in (ReadMode.QUICK, ReadMode.FRESH) else self._due

    @due.setter
    def due(self, look: ReadMode) -> None:
        self._due = look


def _scanning(bench: SharedBus, chip: type[As5600]) -> Looks:
    mux = Tca9548a(LinuxBus(bench.adapter), MUX)
    return _looks_of(bench, [chip(mux.channel(n)) for n in range(bench.dials)])


def _looks_of(bench: SharedBus, chips: Sequence[DialChip]) -> Looks:
    dials = [ScanDial(f"T{n + 1:02}", chip) for n, chip in enumerate(chips)]
    scan = Scan("peers", dials, bench.clock)
    until_ns = bench.clock.now_ns() + 5_000_000_000
    while not scan.settled:
        scan.scan()
        if bench.clock.now_ns() > until_ns:
            raise RuntimeError("our own scan cannot read a simulated dial, which must not happen on a sound wire")

    def looks() -> Sequence[int]:
        return [sample.raw if isinstance(sample, Reading) else -1 for sample in scan.scan()]

    return looks


def _our_seesaws(bench: SharedBus) -> Looks:
    bus = LinuxBus(bench.adapter)
    return _looks_of(bench, [Seesaw(bus, FIRST_SEESAW + n) for n in range(bench.dials)])


# ---------------------------------------------------------------------------------------------------- Adafruit's


def circuitpython_bus(kernel: Kernel) -> Any:
    """Blinka's `busio.I2C` over a kernel of ours: as on a Pi, but for the choice of its pins."""
    import busio
    from adafruit_blinka.microcontroller.generic_linux import i2c
    from Adafruit_PureIO import smbus

    device = smbus.SMBus()
    device._device = PeerFile(kernel)
    linux = i2c.I2C.__new__(i2c.I2C)
    linux._i2c_bus = device
    bus = busio.I2C.__new__(busio.I2C)
    bus._i2c = linux
    return bus


class AnsweringBus:
    """A `busio.I2C` that answers at once: what then is left are Adafruit's drivers alone, without Blinka."""

    def try_lock(self) -> bool:
        return True

    def unlock(self) -> None: ...
    def writeto(self, address: int, buffer: bytes, *, start: int = 0, end: int | None = None) -> None: ...
    def readfrom_into(self, address: int, buffer: bytearray, *, start: int = 0, end: int | None = None) -> None: ...

    def writeto_then_readfrom(
        self,
        address: int,
        buffer_out: bytes,
        buffer_in: bytearray,
        *,
        out_start: int = 0,
        out_end: int | None = None,
        in_start: int = 0,
        in_end: int | None = None,
    ) -> None: ...


def _adafruit_dials(bus: Any, dials: int) -> list[Any]:
    from adafruit_as5600 import AS5600
    from adafruit_tca9548a import TCA9548A

    mux = TCA9548A(bus, MUX)
    return [AS5600(mux[n], ENCODER) for n in range(dials)]


def _adafruit(bench: SharedBus) -> Looks:
    dials = _adafruit_dials(circuitpython_bus(bench.kernel), bench.dials)
    return lambda: [dial.raw_angle for dial in dials]


def _adafruit_with_status(bench: SharedBus) -> Looks:
    dials = _adafruit_dials(circuitpython_bus(bench.kernel), bench.dials)
    return lambda: [_angle_if(dial.magnet_detected, dial.raw_angle) for dial in dials]


def _angle_if(magnet: bool, raw: int) -> int:
    return raw if magnet else -1


def adafruit_alone(bench: SharedBus) -> Looks:
    """Adafruit's drivers with nothing at all beneath them: for their own computing only."""
    dials = _adafruit_dials(AnsweringBus(), bench.dials)
    return lambda: [dial.raw_angle for dial in dials]


def _adafruit_seesaws(bench: SharedBus) -> Looks:
    bus = circuitpython_bus(bench.kernel)
    return _their_seesaws([(bus, FIRST_SEESAW + n) for n in range(bench.dials)])


def _adafruit_seesaws_behind_mux(bench: SharedBus) -> Looks:
    from adafruit_tca9548a import TCA9548A

    mux = TCA9548A(circuitpython_bus(bench.kernel), MUX)
    return _their_seesaws([(mux[n], FIRST_SEESAW) for n in range(bench.dials)])


def _their_seesaws(places: Sequence[tuple[Any, int]]) -> Looks:
    from adafruit_seesaw.seesaw import Seesaw as TheirSeesaw

    boards = [TheirSeesaw(bus, address) for bus, address in places]
    return lambda: [board.encoder_position() % SEESAW_STEPS for board in boards]


# ------------------------------------------------------------------------------------------------------- smbus2


def script_bus(kernel: Kernel) -> Any:
    """An smbus2 bus over a kernel of ours."""
    from smbus2 import SMBus

    bus: Any = SMBus()
    bus.fd = kernel
    return bus


def _two_bytes(bench: SharedBus) -> Looks:
    """Two single reads, as most scripts do it; between them the angle may change, and then it is torn."""
    bus = script_bus(bench.kernel)

    def look(channel: int) -> int:
        bus.write_byte(MUX, 1 << channel)
        high = bus.read_byte_data(ENCODER, RAW_ANGLE)
        low = bus.read_byte_data(ENCODER, RAW_ANGLE + 1)
        return int(high << 8 | low)

    return lambda: [look(channel) for channel in range(bench.dials)]


def _block(bench: SharedBus) -> Looks:
    bus = script_bus(bench.kernel)

    def look(channel: int) -> int:
        bus.write_byte(MUX, 1 << channel)
        high, low = bus.read_i2c_block_data(ENCODER, RAW_ANGLE, 2)
        return int(high << 8 | low)

    return lambda: [look(channel) for channel in range(bench.dials)]


def _block_with_status(bench: SharedBus) -> Looks:
    bus = script_bus(bench.kernel)

    def look(channel: int) -> int:
        bus.write_byte(MUX, 1 << channel)
        status = bus.read_byte_data(ENCODER, STATUS)
        high, low = bus.read_i2c_block_data(ENCODER, RAW_ANGLE, 2)
        return _angle_if(bool(status & MAGNET_DETECTED), int(high << 8 | low))

    return lambda: [look(channel) for channel in range(bench.dials)]


OURS: Final = Entrant("Trapdial", _ours)
OURS_WITH_STATUS: Final = Entrant("Trapdial, status each time", _ours_with_status, status=True)
ADAFRUIT: Final = Entrant("Adafruit as5600 + tca9548a", _adafruit)
ADAFRUIT_WITH_STATUS: Final = Entrant(
    "Adafruit as5600 + tca9548a, status each time", _adafruit_with_status, status=True
)
TWO_BYTES: Final = Entrant("smbus2, two single bytes", _two_bytes)
BLOCK: Final = Entrant("smbus2, one block", _block)
BLOCK_WITH_STATUS: Final = Entrant("smbus2, one block, status each time", _block_with_status, status=True)

ENTRANTS: Final = (OURS, ADAFRUIT, TWO_BYTES, BLOCK, OURS_WITH_STATUS, ADAFRUIT_WITH_STATUS, BLOCK_WITH_STATUS)

OUR_SEESAWS: Final = Entrant("Trapdial, seesaw boards", _our_seesaws)
ADAFRUIT_SEESAWS: Final = Entrant("Adafruit seesaw", _adafruit_seesaws)
ADAFRUIT_SEESAWS_BEHIND_MUX: Final = Entrant("Adafruit seesaw + tca9548a", _adafruit_seesaws_behind_mux)
