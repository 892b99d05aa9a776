from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from gpiozero import LED, RGBLED, Button, Device

from hardware.sims.clock import VirtualClock
from hardware.sims.pins import Edge, SimPins
from hardware.sims.wire import TwinError


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def pins(clock: VirtualClock) -> Iterator[SimPins]:
    before = Device.pin_factory
    pins = SimPins(clock)
    yield pins
    pins.close()
    assert Device.pin_factory is before


def test_a_lamp_leaves_edges_with_virtual_times(pins: SimPins, clock: VirtualClock) -> None:
    edges: list[Edge] = []
    pins.on_edge = edges.append
    with LED(17, pin_factory=pins.factory) as lamp:
        clock.advance(1_000)
        lamp.on()
        lamp.on()
        assert pins.level(17) == 1
        clock.advance(500)
        lamp.off()
    assert pins.lamp_edges(17) == (Edge(1_000, 17, 1), Edge(1_500, 17, 0))
    assert edges == list(pins.lamp_edges(17))
    assert pins.lamp_edges(18) == ()


def test_a_coloured_lamp_is_three_pins(pins: SimPins, clock: VirtualClock) -> None:
    with RGBLED(5, 6, 13, pwm=False, pin_factory=pins.factory) as lamp:
        lamp.color = (1, 0, 1)
        assert [len(pins.lamp_edges(gpio)) for gpio in (5, 6, 13)] == [1, 0, 1]


def test_a_button_pulls_its_pin_to_ground(pins: SimPins, clock: VirtualClock) -> None:
    seen: list[tuple[str, int]] = []
    with Button(22, pin_factory=pins.factory) as button:
        button.when_pressed = lambda: seen.append(("pressed", clock.now_ns()))
        button.when_released = lambda: seen.append(("released", clock.now_ns()))
        assert not button.is_pressed
        clock.at(100, lambda: pins.press(22))
        clock.at(300, lambda: pins.release(22))
        clock.advance(200)
        assert button.is_pressed
        assert button.active_time == pytest.approx(100e-9)
        clock.advance(200)
    assert seen == [("pressed", 100), ("released", 300)]
    assert pins.lamp_edges(22) == (), "an input is no lamp"


def test_a_press_without_a_button_raises(pins: SimPins) -> None:
    with pytest.raises(TwinError, match=r"^GPIO22 is no button: it is an input with pull floating$"):
        pins.press(22)
    with (
        LED(17, pin_factory=pins.factory),
        pytest.raises(TwinError, match=r"^GPIO17 is no button: it is an output with pull "),
    ):
        pins.release(17)


def test_two_sets_of_pins_do_not_know_each_other(pins: SimPins, clock: VirtualClock) -> None:
    other = SimPins(clock)
    with LED(17, pin_factory=pins.factory) as lamp, LED(17, pin_factory=other.factory):
        lamp.on()
    assert other.lamp_edges(17) == ()
    other.close()


def test_closing_frees_what_was_left_open_and_may_be_repeated(clock: VirtualClock) -> None:
    pins = SimPins(clock)
    LED(17, pin_factory=pins.factory).on()
    pins.close()
    pins.close()
    assert pins.factory.pins == {}
    assert [edge.level for edge in pins.lamp_edges(17)] == [1, 0], "it went dark, and that can still be read"


def test_no_other_twin_needs_gpiozero() -> None:
    """Only `SimPins()` imports it: the module can be imported without gpiozero."""
    source = sys.modules["hardware.sims.pins"]
    assert not any(name == "gpiozero" for name in vars(source))
