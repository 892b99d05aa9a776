"""Where the kernel and config.txt disagree with the settings about the Pi's buses and pins.

Nothing here touches a wire. Facts: Raspberry Pi documentation (config.txt), linux i2c sysfs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from hardware.host import Host, has_rp1
from pi_app.plans.check import Check, Sign


def devices(host: Host) -> Sequence[str]:
    """The I2C devices that this machine has, such as `/dev/i2c-1`."""
    found = sorted((host.root / "dev").glob("i2c-*"), key=lambda path: (len(path.name), path.name))
    return [f"/dev/{path.name}" for path in found]


def kernel_owns(host: Host, device: str, addresses: Mapping[int, str]) -> Iterator[Check]:
    """A kernel driver bound to an address of ours. The kernel lets us talk past it, so this shows up as nonsense rather
    than as an error. `addresses`: the parts that the settings put there."""
    number = device.rpartition("-")[2]
    for address, part in sorted(addresses.items()):
        driver = host.root / f"sys/bus/i2c/devices/{number}-{address:04x}/driver"
        if driver.is_symlink():
            yield Check(
                Sign.FAILS,
                part,
                f"{device} 0x{address:02X}",
                f"belongs to the kernel's driver {driver.readlink().name}",
                "Remove its dtoverlay from config.txt and reboot the Pi.",
                refuses=True,
            )


def asked_speed_hz(host: Host, device: str) -> int | None:
    """The speed in the device tree (four bytes, big-endian); None if it has none."""
    number = device.rpartition("-")[2]
    try:
        raw = (host.root / f"sys/bus/i2c/devices/i2c-{number}/of_node/clock-frequency").read_bytes()
    except OSError:
        return None
    return int.from_bytes(raw, "big") if len(raw) == 4 else None


# ---------------------------------------------------------------------------------------------------- config.txt

CONFIG: Final = ("boot/firmware/config.txt", "boot/config.txt")


def config_lines(host: Host) -> Iterator[str]:
    """The lines of config.txt that apply to every model or to this one, without comments (Raspberry Pi documentation,
    conditional filters). Sections that filter by more than the model are ignored."""
    text = next((found for path in CONFIG if (found := host.text(path))), "")
    holds = True
    for line in (raw.partition("#")[0].strip() for raw in text.splitlines()):
        if line.startswith("["):
            holds = line in {"[all]", *_sections(host.model())}
        elif line and holds:
            yield line


def _sections(model: str) -> Sequence[str]:
    found = re.match(r"Raspberry Pi (Compute Module )?(\d)", model)
    if found is not None:
        return (f"[cm{found[2]}]", f"[pi{found[2]}]") if found[1] else (f"[pi{found[2]}]",)
    return ("[pi0]",) if "Zero" in model else ()


_PARAMETER_BAUD: Final = {
    0: re.compile(r"(?:i2c_vc_baudrate|i2c0_baudrate)=(\d+)"),
    1: re.compile(r"(?:i2c_arm_baudrate|i2c_baudrate|i2c1_baudrate)=(\d+)"),
}
_OVERLAY_BAUD: Final = re.compile(r"dtoverlay=i2c(\d)(?:-pi5)?,(?:.*,)?baudrate=(\d+)")


def configured_speed_hz(host: Host, device: str) -> int | None:
    """The speed that config.txt sets for a bus from the next boot; None if it sets none."""
    number = int(device.rpartition("-")[2])
    found = None
    for line in config_lines(host):
        if overlay := _OVERLAY_BAUD.match(line):
            found = int(overlay[2]) if int(overlay[1]) == number else found
        elif line.startswith("dtparam=") and number in _PARAMETER_BAUD:
            baud = _PARAMETER_BAUD[number].search(line)
            found = int(baud[1]) if baud else found
    return found


def bus_speed(host: Host, name: str, device: str, wanted_hz: int) -> Iterator[Check]:
    """Differences between the settings, config.txt and the running kernel about the speed of one bus."""
    part = f"speed of bus {name}"
    running_hz, config_hz = asked_speed_hz(host, device), configured_speed_hz(host, device)
    asked_hz = running_hz if running_hz is not None else config_hz
    if asked_hz is not None and asked_hz != wanted_hz:
        seen = f"config.txt asks for {asked_hz} Hz, the settings for {wanted_hz} Hz"
        yield Check(Sign.UNSURE, part, device, seen, "Set the same speed in both.")
    if running_hz is not None and config_hz is not None and running_hz != config_hz:
        seen = f"config.txt says {config_hz} Hz, but the Pi still runs at {running_hz} Hz"
        yield Check(Sign.UNSURE, part, device, seen, "Reboot the Pi.")


def follows_the_core(host: Host) -> bool:
    """Whether this model derives its I2C speed from the core clock, so that it must be measured
    (raspberrypi/firmware#1281): all before the Pi 5."""
    return bool(host.model()) and not has_rp1(host)


SPI_PINS: Final = range(7, 12)


def spi_is_on(host: Host) -> bool:
    """Whether config.txt switches SPI on."""
    return any(re.search(r"dtparam=(.*,)?spi(=on)?(,|$)", line) for line in config_lines(host))


def spi_pins(host: Host, gpios: Collection[int]) -> Iterator[Check]:
    """Pins of the settings that SPI occupies, if config.txt switches it on."""
    taken = sorted(set(gpios) & set(SPI_PINS))
    if taken and spi_is_on(host):
        pins = ", ".join(f"GPIO{gpio}" for gpio in taken)
        seen = "used in the settings, but config.txt gives them to SPI"
        yield Check(Sign.FAILS, "pins", pins, seen, "Remove dtparam=spi=on from config.txt, or use other pins.")
