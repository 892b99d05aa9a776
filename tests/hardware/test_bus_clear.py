"""Nine clocks and a STOP in software, and the pins returned to I2C whatever happens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hardware import bus_clear
from hardware.bus_clear import BusPins, Pinctrl, nine_clocks
from hardware.errors import BusStuck, NoPins
from hardware.panel import bus_line
from hardware.sims.clock import VirtualClock
from hardware.sims.pins import SimPinctrl, bus_line_pins
from hardware.sims.wire import SimWire, TwinError


class Traced:
    """Both lines of a bus on which a chip holds SDA for so many clocks; records the levels after each change."""

    def __init__(self, clocks: int, *, scl_free: bool = True) -> None:
        self.clocks, self.scl_free = clocks, scl_free
        self.low = {"scl": False, "sda": False}
        self.seen: list[str] = []

    def line(self, name: str) -> Drawn:
        return Drawn(self, name)

    def set(self, name: str, low: bool) -> None:
        if name == "scl" and self.low["scl"] and not low:
            self.clocks -= 1
        self.low[name] = low
        self.seen.append(f"{int(self.high('scl'))}{int(self.high('sda'))}")

    def high(self, name: str) -> bool:
        held = self.clocks > 0 if name == "sda" else not self.scl_free
        return not self.low[name] and not held


class Drawn:
    def __init__(self, bus: Traced, name: str) -> None:
        self.bus, self.name = bus, name

    def pull_low(self) -> None:
        self.bus.set(self.name, True)

    def release(self) -> None:
        self.bus.set(self.name, False)

    def is_high(self) -> bool:
        return self.bus.high(self.name)


def test_a_free_bus_gets_only_a_stop() -> None:
    bus = Traced(0)
    assert nine_clocks(bus.line("scl"), bus.line("sda"))
    assert bus.seen[2:] == ["01", "00", "10", "11"]  # SDA goes up while SCL is up: a STOP


def test_clocks_are_sent_until_sda_is_released_and_then_a_stop() -> None:
    bus = Traced(3)
    assert nine_clocks(bus.line("scl"), bus.line("sda"))
    assert bus.seen[2:] == ["00", "10", "00", "10", "00", "11", "01", "00", "10", "11"]


@pytest.mark.parametrize(("clocks", "freed"), [(8, True), (9, True), (11, False)])
def test_at_most_nine_clocks_are_sent(clocks: int, freed: bool) -> None:
    bus = Traced(clocks)
    assert nine_clocks(bus.line("scl"), bus.line("sda")) is freed


def test_a_held_clock_line_cannot_be_clocked_and_is_left_alone() -> None:
    bus = Traced(3, scl_free=False)
    assert not nine_clocks(bus.line("scl"), bus.line("sda"))
    assert bus.seen == ["00", "00"]


class Pi:
    """A simulated wire with the pins of its controller."""

    def __init__(self, function: str) -> None:
        self.wire = SimWire(VirtualClock())
        self.sim = SimPinctrl({3: "SCL1", 2: "SDA1"}, function)
        self.asked: list[str] = []
        self.pins = BusPins("dials", 3, 2, self._new_pins, bus_line, Pinctrl(self._run))

    def _new_pins(self) -> object:
        self.sim.functions.update({2: "ip", 3: "ip"})  # the effect of claiming a pin
        factory = bus_line_pins(self.wire, 3, 2)
        close = factory.close

        def closed() -> None:
            self.asked.append("pins let go")
            self.sim.functions.update({2: "ip", 3: "ip"})  # and of releasing it
            close()

        factory.close = closed
        return factory

    def _run(self, words: Sequence[str]) -> str:
        self.asked.append(" ".join(words))
        return self.sim.run(words)


@pytest.mark.parametrize("function", ["a0", "a3"])
def test_the_pins_are_restored_as_they_were_found(function: str) -> None:
    pi = Pi(function)
    pi.wire.trunk.hold_until(clocks=5)
    pi.pins.clear()
    assert not pi.wire.sda_held
    assert pi.sim.functions == {2: function, 3: function}
    assert pi.asked == [
        "pinctrl get 3",
        "pinctrl get 2",
        "pins let go",
        f"pinctrl set 3 {function}",
        f"pinctrl set 2 {function}",
    ]


def test_a_line_that_stays_down_is_reported_and_the_pins_are_restored() -> None:
    pi = Pi("a0")
    pi.wire.trunk.held = True
    with pytest.raises(BusStuck) as stuck:
        pi.pins.clear()
    assert str(stuck.value) == (
        "bus dials (SCL on GPIO3, SDA on GPIO2) still has a line held down after nine clocks. "
        "Unplug tile after tile until the bus comes back."
    )
    assert pi.sim.functions == {2: "a0", 3: "a0"}


def test_pins_of_another_function_are_not_touched() -> None:
    pi = Pi("a0")
    pi.sim.functions[3] = "ip"
    with pytest.raises(NoPins) as refused:
        pi.pins.clear()
    assert str(refused.value) == (
        "bus line (GPIO3) is not SCL of an I2C controller now (pinctrl says: 3: ip    pu | hi // GPIO3 = input). "
        "Compare scl_gpio and sda_gpio with the bus's dtoverlay, or remove clear = true from the settings."
    )
    assert pi.asked == ["pinctrl get 3"]


@pytest.mark.parametrize(
    "line",
    [
        " 3: a3    pu | hi // GPIO3 = SCL1",  # a Pi 5
        " 3: a0    pu | hi // SCL1/GPIO3 = SCL1",  # a Pi 4
        " 3: a5    pn | lo // GPIO3 = SCL6",
    ],
)
def test_the_output_of_pinctrl_is_parsed(line: str) -> None:
    assert Pinctrl(lambda words: line + "\n").function(3, "SCL") == line.split()[1]
    with pytest.raises(NoPins):
        Pinctrl(lambda words: line).function(3, "SDA")
    with pytest.raises(NoPins):
        Pinctrl(lambda words: line).function(13, "SCL")


def test_a_missing_program_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoPins) as refused:
        Pinctrl().function(3, "SCL")
    assert str(refused.value) == (
        "pinctrl (this machine) is not installed, so a pin could not be returned to I2C. Install it from the system: "
        "sudo apt install raspi-utils. Or remove clear = true from the settings."
    )


def test_the_programs_message_is_passed_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "pinctrl"
    program.write_text("#!/bin/sh\necho no access to gpiomem >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(NoPins) as refused:
        Pinctrl().set(3, "a0")
    assert str(refused.value) == (
        "pinctrl (pinctrl set 3 a0) failed with the message: no access to gpiomem. Join the group: sudo usermod -a -G "
        "gpio $USER, then log in again. Or remove clear = true from the settings."
    )
    program.write_text("#!/bin/sh\necho ' 3: a3    pu | hi // GPIO3 = SCL1'\n")
    assert Pinctrl().function(3, "SCL") == "a3"
    assert bus_clear.CLOCKS == 9


def test_the_twin_refuses_other_commands() -> None:
    with pytest.raises(TwinError, match="pinctrl is not called like this: pinctrl poll 3"):
        SimPinctrl({3: "SCL1"}).run(("pinctrl", "poll", "3"))
