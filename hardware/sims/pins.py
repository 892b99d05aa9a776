"""A twin of the Pi's GPIO header: gpiozero's mock pins, with virtual times on every edge.

Pass `factory` to `hardware.panel`; gpiozero's global default factory is never touched. A button is
wired to ground and pulled up, so pressed is low.

Not modelled: contact bounce, currents, the duty of a PWM output over time (each change of value is
an edge), and hold times: gpiozero measures those with its own threads on the machine's clock.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hardware.clock import Clock
from hardware.sims.wire import SimWire, TwinError

KEPT_EDGES = 200
KEPT_STATES = 20
"""Bounds the memory of a demo that runs for days."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An output pin changed: when, which (BCM number), and to what level (0 to 1)."""

    at_ns: int
    gpio: int
    level: float


class Watchers:
    """The watchers of input edges, and whether edges are reported. A `faulty` one has both faults that were found in
    lgpio 0.2.2.0, at their worst:

    - the first watcher gets no edges while it is the only one (on a real kernel in 5 to 10 % of all runs);
    - when the newest watcher stops, no watcher gets edges any more.

    Either ends when another watcher begins. The levels of the pins are right all the time.
    """

    def __init__(self, *, faulty: bool) -> None:
        self._faulty, self._awake = faulty, not faulty
        self._since: list[Any] = []

    @property
    def awake(self) -> bool:
        """Whether edges are reported now."""
        return self._awake

    @property
    def watched(self) -> int:
        """How many pins are watched for edges now."""
        return len(self._since)

    def begin(self, pin: Any) -> None:
        self._awake = self._awake or bool(self._since)
        self._since.append(pin)

    def end(self, pin: Any) -> None:
        if pin in self._since:
            if self._faulty and self._since[-1] is pin:
                self._awake = False
            self._since.remove(pin)


class SimPins:
    """Simulated pins. `on_edge` is called at every change of an output pin, in the thread that made it."""

    def __init__(
        self, clock: Clock, on_edge: Callable[[Edge], None] | None = None, *, lgpio_faults: bool = False
    ) -> None:
        """With `lgpio_faults` input edges are reported as by lgpio 0.2.2.0, see `Watchers`."""
        self._clock = clock
        self._edges: dict[int, deque[Edge]] = defaultdict(lambda: deque(maxlen=KEPT_EDGES))
        self.on_edge = on_edge
        self.watchers = Watchers(faulty=lgpio_faults)
        self.factory = _factory(clock, self._changed, self.watchers)

    def press(self, gpio: int) -> None:
        """Pull the pin to ground. Raises TwinError if it is no input with a pull-up."""
        self._input(gpio).drive_low()

    def release(self, gpio: int) -> None:
        """Release the pin. Raises TwinError if it is no input with a pull-up."""
        self._input(gpio).drive_high()

    def level(self, gpio: int) -> float:
        """The pin's level."""
        return float(self.factory.pin(gpio).state)

    def lamp_edges(self, gpio: int) -> Sequence[Edge]:
        """The latest changes of this output pin, oldest first: up to KEPT_EDGES of them."""
        return tuple(self._edges[gpio])

    def close(self) -> None:
        """Close all pins (lamps go dark) and forget their owners; twice is harmless."""
        self.factory.close()
        self.factory.reset()
        self.on_edge = None

    def _input(self, gpio: int) -> Any:
        pin = self.factory.pin(gpio)
        if pin.function != "input" or pin.pull != "up":
            raise TwinError(f"GPIO{gpio} is no button: it is an {pin.function} with pull {pin.pull}")
        return pin

    def _changed(self, gpio: int, level: float) -> None:
        edge = Edge(self._clock.now_ns(), gpio, level)
        self._edges[gpio].append(edge)
        if self.on_edge is not None:
            self.on_edge(edge)


def _factory(clock: Clock, changed: Callable[[int, float], None], watchers: Watchers) -> Any:
    """A MockFactory whose pins call `changed` for every new level of an output."""
    from gpiozero.pins.mock import MockFactory, MockPWMPin
    from gpiozero.pins.pi import PiPin

    def change_state(pin: Any, value: float) -> bool:
        moved: bool = MockPWMPin._change_state(pin, value)
        del pin.states[:-KEPT_STATES]  # a MockPin keeps every state it ever had
        if moved and pin.function == "output":
            changed(_gpio(pin), float(value))
        return moved

    def now_s() -> float:
        return clock.now_ns() / 1e9

    def call_when_changed(pin: Any) -> None:
        if watchers.awake:
            PiPin._call_when_changed(pin, now_s(), pin.state)

    def begins_watching(pin: Any) -> None:
        watchers.begin(pin)

    def ends_watching(pin: Any) -> None:
        watchers.end(pin)

    ours = {
        "_change_state": change_state,
        "_call_when_changed": call_when_changed,
        "_enable_event_detect": begins_watching,
        "_disable_event_detect": ends_watching,
    }
    watched = type("WatchedPin", (MockPWMPin,), ours)
    factory = MockFactory(pin_class=watched)
    factory.ticks = now_s
    return factory


def bus_line_pins(wire: SimWire, scl_gpio: int, sda_gpio: int) -> Any:
    """A MockFactory whose two pins are wired to a simulated bus: SCL that rises is a clock for all joined segments,
    and a released line is high unless the wire holds it.

    Not modelled: a START or an address sent by software.
    """
    from gpiozero.pins.mock import MockFactory, MockPin

    def pulled_low(pin: Any) -> bool:
        return bool(pin.function == "output" and not pin._state)

    def set_function(pin: Any, function: str) -> None:
        rises = function == "input" and pulled_low(pin)
        MockPin._set_function(pin, function)
        if rises and _gpio(pin) == scl_gpio:
            wire.pulse_clock()

    def state(pin: Any) -> bool:
        if pin.function == "output":
            return bool(pin._state)
        return _gpio(pin) != sda_gpio or not wire.sda_held

    lines = type("BusLinePin", (MockPin,), {"_set_function": set_function, "_get_state": state})
    factory = MockFactory(pin_class=lines)
    factory.pin(scl_gpio)
    return factory


class SimPinctrl:
    """The program `pinctrl`, for the pins of one simulated Pi. `function` is a0, or a3 on a Pi 5.

    Its lines read as a Pi's: ` 3: a0    pu | hi // SCL1/GPIO3 = SCL1`.
    """

    def __init__(self, lines: dict[int, str], function: str = "a0") -> None:
        self.lines = lines
        self.functions = dict.fromkeys(lines, function)

    def run(self, words: Sequence[str]) -> str:
        """Run the program. Raises TwinError for an unexpected command line."""
        match list(words):
            case ["pinctrl", "get", gpio] if int(gpio) in self.lines:
                signal, function = self.lines[int(gpio)], self.functions[int(gpio)]
                now = signal if function.startswith("a") else "input"
                return f"{int(gpio):2d}: {function:2s}    pu | hi // GPIO{gpio} = {now}\n"
            case ["pinctrl", "set", gpio, function] if int(gpio) in self.lines:
                self.functions[int(gpio)] = function
                return ""
        raise TwinError(f"pinctrl is not called like this: {' '.join(words)}")


def _gpio(pin: Any) -> int:
    """The BCM number in a pin's name, `GPIO17`."""
    return int(pin.info.name.removeprefix("GPIO"))
