"""Every scan takes some time, even if no dial answers: two samples never have the same time."""

from __future__ import annotations

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.readings import Reading
from hardware.scan import Scan, ScanDial
from hardware.sims import faults
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.table import tiles_on_mux
from hardware.sims.wire import SimWire


def test_a_lone_dial_that_kept_its_settings_is_set_up_again_and_time_passes() -> None:
    """Found by the soak: the last step of setting up a chip that needs no setting sends nothing; without another
    dial to read, two scans ended at the same moment, which no tracker accepts."""
    clock = VirtualClock()
    wire = SimWire(clock, 400_000)
    (tile,) = tiles_on_mux(wire, channels=(3,)).tiles
    mux = Tca9548a(LinuxBus(SimAdapter(wire, clock)))
    scan = Scan("bus", [ScanDial("T01", As5600(mux.channel(3)))], clock)
    while not isinstance(scan.scan()[0], Reading):
        pass
    assert tile.mux is not None
    faults.strike(tile, "mux-silent")
    scan.scan()
    faults.mend(tile, "mux-silent")
    took_ns: list[int] = []
    for _ in range(100):
        began_ns = clock.now_ns()
        (sample,) = scan.scan()
        took_ns.append(clock.now_ns() - began_ns)
    assert min(took_ns) > 0
    assert isinstance(sample, Reading)
