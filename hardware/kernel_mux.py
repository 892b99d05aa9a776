"""Which muxes the kernel drives, and where that conflicts with our own driver.

With `dtoverlay=i2c-mux` the kernel's driver pca954x makes a bus of each channel. It switches the mux
between transfers and remembers the open channel; it sees neither writes past it through the parent's device nor
a pulse of RESET. Two drivers of one mux read wrong dials without an error, so only one of them may drive it.

Facts: linux Documentation/i2c/i2c-sysfs.rst (`mux_device`, `channel-N`, `idle_state`), drivers/i2c/i2c-mux.c (a
transfer on a channel goes out with the time-out of the parent, whatever was set for the channel) and
drivers/i2c/muxes/i2c-mux-pca954x.c (`idle_state`: -1 leaves the last channel open, -2 closes it).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.errors import HardwareError

DEVICES: Final = Path("/sys/bus/i2c/devices")
CLOSES_WHEN_IDLE: Final = "-2"
CONFIG: Final = "/boot/firmware/config.txt"


@dataclass(frozen=True, slots=True, order=True)
class KernelMux:
    """A mux that a kernel driver holds: on which bus, at which address."""

    bus: int
    address: int

    @property
    def name(self) -> str:
        """Its name in sysfs: `1-0070`."""
        return f"{self.bus}-{self.address:04x}"

    @property
    def place(self) -> str:
        return f"/dev/i2c-{self.bus} 0x{self.address:02X}"


def number_of(device: str) -> int:
    """1 for `/dev/i2c-1`. Raises ValueError for another name."""
    return int(device.removeprefix("/dev/i2c-"))


class I2cTree:
    """The kernel's buses and muxes, read from sysfs; empty on a machine without any."""

    def __init__(self, devices: Path = DEVICES) -> None:
        self._devices = devices

    def above(self, number: int) -> list[KernelMux]:
        """The muxes between a bus and its root, nearest first; empty for a root."""
        found: list[KernelMux] = []
        link = self._devices / f"i2c-{number}" / "mux_device"
        while link.is_symlink() and (mux := _mux(link.readlink().name)) is not None and mux not in found:
            found.append(mux)
            link = self._devices / f"i2c-{mux.bus}" / "mux_device"
        return found

    def root(self, number: int) -> int:
        """The number of the controller above a bus; a root's own."""
        muxes = self.above(number)
        return muxes[-1].bus if muxes else number

    def on(self, number: int) -> list[KernelMux]:
        """The muxes right on this bus that a driver is bound to."""
        found = [_mux(path.name) for path in self._devices.glob(f"{number}-*") if (path / "driver").is_symlink()]
        return sorted(mux for mux in found if mux is not None and self.channels(mux))

    def joined(self, number: int) -> frozenset[int]:
        """The addresses of the kernel's muxes that answer on this bus too, since it is a channel behind them."""
        return frozenset(mux.address for above in self.above(number) for mux in (above, *self.on(above.bus)))

    def channels(self, mux: KernelMux) -> list[str]:
        """The devices of its channels in order: `/dev/i2c-11`, ..."""
        links = sorted((self._devices / mux.name).glob("channel-*"), key=lambda path: int(path.name.rpartition("-")[2]))
        return [f"/dev/{link.readlink().name}" for link in links if link.is_symlink()]

    def closes_when_idle(self, mux: KernelMux) -> bool:
        """Whether it closes its channel after every transfer."""
        try:
            state = (self._devices / mux.name / "idle_state").read_text(encoding="ascii")
        except OSError:
            return False
        return state.strip() == CLOSES_WHEN_IDLE


def _mux(name: str) -> KernelMux | None:
    found = re.fullmatch(r"(\d+)-([0-9a-f]{4})", name)
    return None if found is None else KernelMux(int(found[1]), int(found[2], 16))


@dataclass(frozen=True, slots=True)
class BusUse:
    """How a table uses one bus: our muxes there, and the addresses of the chips directly on it."""

    name: str
    device: str
    muxes: Sequence[int] = ()
    direct: frozenset[int] = frozenset()

    @property
    def number(self) -> int:
        return number_of(self.device)


def problems(tree: I2cTree, uses: Sequence[BusUse]) -> list[HardwareError]:
    """All conflicts between our driver and the kernel's."""
    return [*_owned(tree, uses), *_parent_and_child(tree, uses), *_left_open(tree, uses)]


def _owned(tree: I2cTree, uses: Sequence[BusUse]) -> Iterator[HardwareError]:
    for use in uses:
        if not use.muxes:
            continue
        for mux in tree.on(use.number):
            channels = tree.channels(mux)
            yield HardwareError(
                f"mux 0x{mux.address:02X}",
                use.device,
                f"is driven by the kernel (its channels are {channels[0]} to {channels[-1]}), and [bus.{use.name}] "
                "has a mux of ours on the same wires: both drivers at once would read wrong dials",
                f"Either remove the line dtoverlay=i2c-mux from {CONFIG} and start the Pi again, or remove "
                f"[[bus.{use.name}.mux]] from the settings and give each channel a [bus.NAME] with its own device.",
            )
        for mux in tree.above(use.number):
            if mux.address in use.muxes:
                yield HardwareError(
                    f"mux 0x{mux.address:02X}",
                    use.device,
                    "has the address of the kernel's mux that this bus is a channel of: both would answer",
                    "Set A2, A1 and A0 differently on one of them.",
                )


def _parent_and_child(tree: I2cTree, uses: Sequence[BusUse]) -> Iterator[HardwareError]:
    by_number = {use.number: use for use in uses}
    for use in uses:
        for parent in (by_number.get(mux.bus) for mux in tree.above(use.number)):
            if parent is None:
                continue
            if parent.muxes:
                yield HardwareError(
                    f"bus {use.name}",
                    use.device,
                    f"is a channel of the kernel's mux on {parent.device}, where [bus.{parent.name}] has a mux of "
                    "ours: neither knows what the other has open",
                    f"Remove [[bus.{parent.name}.mux]] from the settings, or dtoverlay=i2c-mux from {CONFIG}.",
                )
            for address in sorted(parent.direct & use.direct):
                yield HardwareError(
                    f"chip 0x{address:02X}",
                    use.device,
                    f"would answer together with the one on {parent.device} ([bus.{parent.name}]), which every channel "
                    "is joined to",
                    "Move that one behind a channel of its own.",
                )


def _left_open(tree: I2cTree, uses: Sequence[BusUse]) -> Iterator[HardwareError]:
    """Two muxes side by side where one leaves its channel open: chips of both answer together."""
    used = sorted({mux for use in uses for mux in tree.above(use.number)})
    for mux in used:
        beside = [other for other in used if other.bus == mux.bus and other != mux]
        if beside and not tree.closes_when_idle(mux):
            yield HardwareError(
                f"mux 0x{mux.address:02X}",
                f"/dev/i2c-{mux.bus}",
                f"is the kernel's and leaves its last channel open while 0x{beside[0].address:02X} beside it is used: "
                "dials behind both would answer together",
                f"Let it close: echo -2 | sudo tee {DEVICES}/{mux.name}/idle_state (after each start, before play).",
            )


def together(tree: I2cTree, devices: Sequence[str]) -> list[list[int]]:
    """Group the buses of one controller, by their positions in the list: they take turns in one thread."""
    groups: dict[int, list[int]] = {}
    for at, device in enumerate(devices):
        groups.setdefault(tree.root(number_of(device)), []).append(at)
    return list(groups.values())
