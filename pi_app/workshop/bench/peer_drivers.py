"""The libraries that are compared: our own scan, Adafruit's CircuitPython drivers, and smbus2 as scripts use it.

Each reads every dial behind one TCA9548A once and returns the raw angles. Adafruit's packages run unmodified, with
Blinka's Linux layer and PureIO; only the choice of a board's pins is left out, since there is no board. They are the
extra `peers` of the installation.
"""

from __future__ import annotations

import contextlib
import importlib
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
from pi_app.text.printed import shown
from pi_app.workshop.bench.peer_kernel import Kernel, PeerFile, installed, sleeping

MUX: Final = 0x70
ENCODER: Final = 0x36
FIRST_SEESAW: Final = 0x36
SEESAW_STEPS: Final = 24
RAW_ANGLE: Final = 0x0C
STATUS: Final = 0x0B
MAGNET_DETECTED: Final = 0x20

MODULES: Final = (
    "Adafruit_PureIO.smbus",
    "busio",
    "adafruit_blinka.microcontroller.generic_linux.i2c",
    "adafruit_bus_device.i2c_device",
    "adafruit_as5600",
    "adafruit_tca9548a",
    "adafruit_seesaw.seesaw",
)
"""What is imported of the extra `peers`, each after what it needs: without busio, Adafruit's drivers raise a NameError.
On a board that Blinka knows, its layer imports that board's pins too."""

ReadAll = Callable[[], Sequence[int]]
"""Reads every dial once: the raw angles in order of their channels."""


@dataclass(frozen=True, slots=True)
class SharedBus:
    """One bus with its dials behind mux 0x70, as our drivers and as the peers access it."""

    dials: int
    adapter: Adapter
    kernel: Kernel
    clock: Clock


@dataclass(frozen=True, slots=True)
class Library:
    """A library that reads dials. `status`: every read also asks whether the magnet is there."""

    name: str
    build: Callable[[SharedBus], ReadAll]
    status: bool = False


@contextlib.contextmanager
def peers_at_work(clock: Clock) -> Iterator[None]:
    """Redirect the peers' kernel calls and sleeps to ours.

    Raises BrokenInstallationError, with what to type, if a peer is not installed or does not know this machine.
    """
    import_peers()
    import adafruit_bus_device.i2c_device
    import adafruit_seesaw.seesaw
    import adafruit_tca9548a
    from Adafruit_PureIO import smbus
    from smbus2 import smbus2

    sleepers = (adafruit_seesaw.seesaw, adafruit_bus_device.i2c_device, adafruit_tca9548a)
    with installed((smbus, smbus2)), sleeping(sleepers, clock):
        yield


def import_peers() -> None:
    """Import all that runs of the peers.

    Raises BrokenInstallationError with the name of every missing library, also of one that Blinka needs on this board
    alone, or with Blinka's reason if it does not know the board.
    """
    missing: list[str] = []
    for module in MODULES:
        try:
            importlib.import_module(module)
        except ImportError as error:
            missing.append(error.name or module)
        except NameError:
            if not missing:
                raise
        except RuntimeError as error:
            if not isinstance(error.__cause__, ImportError):
                reason = shown(str(error).partition("\n")[0])
                raise BrokenInstallationError(
                    f"The libraries to compare with cannot run on this machine ({reason}). "
                    "Run `trapdial bench scan` for the figures of Trapdial alone."
                ) from error
            missing.append(error.__cause__.name or module)
    if missing:
        raise BrokenInstallationError(
            f"The libraries to compare with are not installed ({', '.join(dict.fromkeys(missing))} not found). "
            "Install them with `trapdial extras install peers`."
        )


# ------------------------------------------------------------------------------------------------------ our own


def _ours(bench: SharedBus) -> ReadAll:
    return _scanning(bench, As5600)


def _ours_with_status(bench: SharedBus) -> ReadAll:
    return _scanning(bench, FieldEachTime)


class FieldEachTime(As5600):
    """Our driver, reading STATUS with every angle for a fair comparison."""

    @property
    def due(self) -> ReadMode:
        return ReadMode.FIELD if self._due in (ReadMode.QUICK, ReadMode.FRESH) else self._due

    @due.setter
    def due(self, mode: ReadMode) -> None:
        self._due = mode


def _scanning(bench: SharedBus, chip: type[As5600]) -> ReadAll:
    mux = Tca9548a(LinuxBus(bench.adapter), MUX)
    return _reading(bench, [chip(mux.channel(n)) for n in range(bench.dials)])


def _reading(bench: SharedBus, chips: Sequence[DialChip]) -> ReadAll:
    dials = [ScanDial(f"T{n + 1:02}", chip) for n, chip in enumerate(chips)]
    scan = Scan("peers", dials, bench.clock)
    until_ns = bench.clock.now_ns() + 5_000_000_000
    while not scan.settled:
        scan.scan()
        if bench.clock.now_ns() > until_ns:
            raise RuntimeError("our own scan cannot read a simulated dial, which must not happen on a sound wire")

    def read_all() -> Sequence[int]:
        return [sample.raw if isinstance(sample, Reading) else -1 for sample in scan.scan()]

    return read_all


def _our_seesaws(bench: SharedBus) -> ReadAll:
    bus = LinuxBus(bench.adapter)
    return _reading(bench, [Seesaw(bus, FIRST_SEESAW + n) for n in range(bench.dials)])


# ---------------------------------------------------------------------------------------------------- Adafruit's


def circuitpython_bus(kernel: Kernel) -> Any:
    """Return Blinka's `busio.I2C` over a kernel of ours: as on a Pi, except for the choice of its pins."""
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
    """A `busio.I2C` that answers at once, to measure Adafruit's drivers alone, without Blinka."""

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


def _adafruit(bench: SharedBus) -> ReadAll:
    dials = _adafruit_dials(circuitpython_bus(bench.kernel), bench.dials)
    return lambda: [dial.raw_angle for dial in dials]


def _adafruit_with_status(bench: SharedBus) -> ReadAll:
    dials = _adafruit_dials(circuitpython_bus(bench.kernel), bench.dials)
    return lambda: [_angle_if(dial.magnet_detected, dial.raw_angle) for dial in dials]


def _angle_if(magnet: bool, raw: int) -> int:
    return raw if magnet else -1


def adafruit_alone(bench: SharedBus) -> ReadAll:
    """Build Adafruit's drivers with nothing beneath them, to measure their own computing."""
    dials = _adafruit_dials(AnsweringBus(), bench.dials)
    return lambda: [dial.raw_angle for dial in dials]


def _adafruit_seesaws(bench: SharedBus) -> ReadAll:
    bus = circuitpython_bus(bench.kernel)
    return _their_seesaws([(bus, FIRST_SEESAW + n) for n in range(bench.dials)])


def _adafruit_seesaws_behind_mux(bench: SharedBus) -> ReadAll:
    from adafruit_tca9548a import TCA9548A

    mux = TCA9548A(circuitpython_bus(bench.kernel), MUX)
    return _their_seesaws([(mux[n], FIRST_SEESAW) for n in range(bench.dials)])


def _their_seesaws(places: Sequence[tuple[Any, int]]) -> ReadAll:
    from adafruit_seesaw.seesaw import Seesaw as TheirSeesaw

    boards = [TheirSeesaw(bus, address) for bus, address in places]
    return lambda: [board.encoder_position() % SEESAW_STEPS for board in boards]


# ------------------------------------------------------------------------------------------------------- smbus2


def script_bus(kernel: Kernel) -> Any:
    """Return an smbus2 bus over a kernel of ours."""
    from smbus2 import SMBus

    bus: Any = SMBus()
    bus.fd = kernel
    return bus


def _two_bytes(bench: SharedBus) -> ReadAll:
    """Read two single bytes, as most scripts do. If the angle changes between them, the result is torn."""
    bus = script_bus(bench.kernel)

    def read(channel: int) -> int:
        bus.write_byte(MUX, 1 << channel)
        high = bus.read_byte_data(ENCODER, RAW_ANGLE)
        low = bus.read_byte_data(ENCODER, RAW_ANGLE + 1)
        return int(high << 8 | low)

    return lambda: [read(channel) for channel in range(bench.dials)]


def _block(bench: SharedBus) -> ReadAll:
    bus = script_bus(bench.kernel)

    def read(channel: int) -> int:
        bus.write_byte(MUX, 1 << channel)
        high, low = bus.read_i2c_block_data(ENCODER, RAW_ANGLE, 2)
        return int(high << 8 | low)

    return lambda: [read(channel) for channel in range(bench.dials)]


def _block_with_status(bench: SharedBus) -> ReadAll:
    bus = script_bus(bench.kernel)

    def read(channel: int) -> int:
        bus.write_byte(MUX, 1 << channel)
        status = bus.read_byte_data(ENCODER, STATUS)
        high, low = bus.read_i2c_block_data(ENCODER, RAW_ANGLE, 2)
        return _angle_if(bool(status & MAGNET_DETECTED), int(high << 8 | low))

    return lambda: [read(channel) for channel in range(bench.dials)]


OURS: Final = Library("Trapdial", _ours)
OURS_WITH_STATUS: Final = Library("Trapdial, status each time", _ours_with_status, status=True)
ADAFRUIT: Final = Library("Adafruit as5600 + tca9548a", _adafruit)
ADAFRUIT_WITH_STATUS: Final = Library(
    "Adafruit as5600 + tca9548a, status each time", _adafruit_with_status, status=True
)
TWO_BYTES: Final = Library("smbus2, two single bytes", _two_bytes)
BLOCK: Final = Library("smbus2, one block", _block)
BLOCK_WITH_STATUS: Final = Library("smbus2, one block, status each time", _block_with_status, status=True)

LIBRARIES: Final = (OURS, ADAFRUIT, TWO_BYTES, BLOCK, OURS_WITH_STATUS, ADAFRUIT_WITH_STATUS, BLOCK_WITH_STATUS)

OUR_SEESAWS: Final = Library("Trapdial, seesaw boards", _our_seesaws)
ADAFRUIT_SEESAWS: Final = Library("Adafruit seesaw", _adafruit_seesaws)
ADAFRUIT_SEESAWS_BEHIND_MUX: Final = Library("Adafruit seesaw + tca9548a", _adafruit_seesaws_behind_mux)
