"""The kernel's own mux: found in a fake sysfs, never mixed with ours, and scanned through its channels' buses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.kernel_mux import BusUse, I2cTree, KernelMux, problems, together
from hardware.readings import Reading
from hardware.scan import Scan, ScanDial
from hardware.sims.adapter import SimAdapter, SimKernelMux
from hardware.sims.clock import VirtualClock
from hardware.sims.table import tiles_on_mux
from hardware.sims.wire import SimWire

MS = 1_000_000


class Sysfs:
    """/sys/bus/i2c/devices of a machine, with the links of linux Documentation/i2c/i2c-sysfs.rst."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = I2cTree(folder)

    def bus(self, number: int) -> None:
        (self.folder / f"i2c-{number}").mkdir()

    def mux(self, bus: int, address: int, first: int, *, bound: bool = True, idle: str = "-1\n") -> None:
        """A mux with eight channels, numbered from `first` on."""
        name = f"{bus}-{address:04x}"
        device = self.folder / name
        device.mkdir()
        if bound:
            (device / "driver").symlink_to("../../../bus/i2c/drivers/pca954x")
            (device / "idle_state").write_text(idle)
        for n in range(8 if bound else 0):
            self.bus(first + n)
            (self.folder / f"i2c-{first + n}" / "mux_device").symlink_to(f"../{name}")
            (device / f"channel-{n}").symlink_to(f"../i2c-{first + n}")


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    made = Sysfs(tmp_path)
    made.bus(1)
    made.bus(3)
    return made


def words(sysfs: Sysfs, *uses: BusUse) -> list[str]:
    return [str(problem) for problem in problems(sysfs.tree, uses)]


OURS = BusUse("dials", "/dev/i2c-1", (0x70,))


def test_without_kernel_muxes_there_are_no_problems(sysfs: Sysfs, tmp_path: Path) -> None:
    assert words(sysfs, OURS) == []
    assert problems(I2cTree(tmp_path / "none"), [OURS]) == []


def test_the_tree_is_read_through_muxes_behind_muxes(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x70, 11)
    sysfs.mux(12, 0x71, 21)
    assert sysfs.tree.above(23) == [KernelMux(12, 0x71), KernelMux(1, 0x70)]
    assert (sysfs.tree.root(23), sysfs.tree.root(18), sysfs.tree.root(3)) == (1, 1, 3)
    assert sysfs.tree.on(1) == [KernelMux(1, 0x70)]
    assert sysfs.tree.channels(KernelMux(1, 0x70))[:2] == ["/dev/i2c-11", "/dev/i2c-12"]


def test_a_mux_of_ours_where_the_kernel_drives_one_is_refused(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x70, 11)
    assert words(sysfs, OURS) == [
        "mux 0x70 (/dev/i2c-1) is driven by the kernel (its channels are /dev/i2c-11 to /dev/i2c-18), and [bus.dials] "
        "has a mux of ours on the same wires: both drivers at once would read wrong dials. Either remove the line "
        "dtoverlay=i2c-mux from /boot/firmware/config.txt and start the Pi again, or remove [[bus.dials.mux]] from "
        "the settings and give each channel a [bus.NAME] with its own device."
    ]


def test_a_mux_without_a_kernel_driver_is_ours(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x70, 11, bound=False)
    assert words(sysfs, OURS) == []


def test_a_channel_beside_our_mux_on_its_parent_is_refused(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x71, 11)
    ours, channel = words(sysfs, OURS, BusUse("far", "/dev/i2c-12"))
    assert ours.startswith("mux 0x71 (/dev/i2c-1) is driven by the kernel")
    assert channel == (
        "bus far (/dev/i2c-12) is a channel of the kernel's mux on /dev/i2c-1, where [bus.dials] has a mux of ours: "
        "neither knows what the other has open. Remove [[bus.dials.mux]] from the settings, or dtoverlay=i2c-mux "
        "from /boot/firmware/config.txt."
    )


def test_one_address_on_a_channel_and_on_its_parent_is_refused(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x70, 11)
    uses = (
        BusUse("near", "/dev/i2c-1", (), frozenset({0x36, 0x3C})),
        BusUse("far", "/dev/i2c-12", (), frozenset({0x36})),
    )
    assert words(sysfs, *uses) == [
        "chip 0x36 (/dev/i2c-12) would answer together with the one on /dev/i2c-1 ([bus.near]), which every channel is "
        "joined to. Move that one behind a channel of its own."
    ]


def test_our_mux_behind_the_kernels_needs_another_address(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x70, 11)
    assert words(sysfs, BusUse("far", "/dev/i2c-12", (0x71,))) == []
    assert words(sysfs, BusUse("far", "/dev/i2c-12", (0x70,))) == [
        "mux 0x70 (/dev/i2c-12) has the address of the kernel's mux that this bus is a channel of: both would answer. "
        "Set A2, A1 and A0 differently on one of them."
    ]


def test_a_channel_is_joined_with_every_mux_above_and_beside(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x70, first=11)
    sysfs.mux(1, 0x71, first=21)
    sysfs.mux(11, 0x74, first=31)
    assert sysfs.tree.joined(1) == frozenset()
    assert sysfs.tree.joined(12) == {0x70, 0x71}
    assert sysfs.tree.joined(33) == {0x70, 0x71, 0x74}


def test_two_kernel_muxes_side_by_side_must_close_when_idle(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x70, 11)
    sysfs.mux(1, 0x71, 21, idle="-2\n")
    one, other = BusUse("one", "/dev/i2c-11"), BusUse("other", "/dev/i2c-21")
    assert words(sysfs, one) == []
    assert [line.partition(", while")[0].partition(". Let it")[0] for line in words(sysfs, one, other)] == [
        "mux 0x70 (/dev/i2c-1) is the kernel's and leaves its last channel open while 0x71 beside it is used: dials "
        "behind both would answer together"
    ]
    (sysfs.folder / "1-0070" / "idle_state").write_text("-2\n")
    assert words(sysfs, one, other) == []


def test_buses_on_one_controller_take_turns_in_one_thread(sysfs: Sysfs) -> None:
    sysfs.mux(1, 0x70, 11)
    assert together(sysfs.tree, ["/dev/i2c-11", "/dev/i2c-3", "/dev/i2c-12", "/dev/i2c-1"]) == [[0, 2, 3], [1]]


# --- scanned through the twin


class Channels:
    """A scan for each channel of kernel muxes on one wire."""

    def __init__(self, muxes: int = 1, *, closes: bool = False) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, 400_000)
        self.parent = SimAdapter(self.wire, self.clock)
        self.tiles = []
        self.scans: list[Scan] = []
        for m in range(muxes):
            made = tiles_on_mux(self.wire, 0x70 + m, range(4), seed=m, ideal=True)
            kernel = SimKernelMux(self.parent, 0x70 + m, closes_when_idle=closes)
            for tile in made.tiles:
                tile.hand.turn(0, 1 + m * 4 + tile.channel, 50.0)
                self.tiles.append(tile)
                adapter = kernel.channel(tile.channel, f"/dev/i2c-{11 + 10 * m + tile.channel}")
                name = f"T{m}{tile.channel}"
                self.scans.append(Scan(name, [ScanDial(name, As5600(LinuxBus(adapter)))], self.clock))
        self.clock.advance(3_000 * MS)
        for _ in range(200):
            self.once()

    def once(self) -> Sequence[int | None]:
        """Each dial's reading, or None."""
        samples = [scan.scan()[0] for scan in self.scans]
        return [sample.raw if isinstance(sample, Reading) else None for sample in samples]

    @property
    def truth(self) -> list[int]:
        return [round(tile.hand.angle_counts(self.clock.now_ns())) % 4096 for tile in self.tiles]


def test_dials_on_the_channels_of_a_kernel_mux_read_true() -> None:
    table = Channels()
    assert table.once() == table.truth


def test_a_dead_channel_leaves_the_others_alone() -> None:
    table = Channels()
    table.tiles[1].unplug()
    table.once()
    assert table.once() == [table.truth[0], None, *table.truth[2:]]


def test_why_two_muxes_must_close_when_idle() -> None:
    left_open, closed = Channels(2), Channels(2, closes=True)
    assert left_open.once() != left_open.truth  # the check above refuses this table before it is played
    assert closed.once() == closed.truth


def test_a_channels_own_time_out_has_no_effect() -> None:
    table = Channels()
    table.wire.trunk.held = True
    before_ns = table.clock.now_ns()
    table.scans[0].scan()
    patient_ns = table.clock.now_ns() - before_ns
    table.parent.set_timeout_ms(20)
    before_ns = table.clock.now_ns()
    table.scans[1].scan()
    assert (patient_ns >= 1_000 * MS, table.clock.now_ns() - before_ns <= 100 * MS) == (True, True)
