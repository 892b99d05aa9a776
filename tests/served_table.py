"""A simulated table that a program in another process plays on: the twins live here, and outlive every kill.

The other process runs `python -c "from tests.served_table import player; player(ADDRESS)" COMMAND...`: the program as
it is, but its buses and pins lead to a socket. Its watchdog leads there too.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, Final

from firmware_host.source import HubSource
from hardware.adapter import I2C_FUNC_I2C, I2C_M_RD, KernelMessage
from hardware.bus_clear import Pinctrl
from hardware.clock import MachineClock
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.pins import Edge, SimPins
from pi_app.settings import load as st
from pi_app.settings.model import BusSettings, Settings
from pi_app.simulated.table import SimulatedTable

WAITS_S: Final = 30.0


class MachinesTime(VirtualClock):
    """A clock that does not wait."""

    __slots__ = ()

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def advance(self, ns: int) -> None:
        """Do nothing: real time passes."""


# ------------------------------------------------------------------------------------------- where the twins are


class ServedTable:
    """Twins behind a socket. `driven` lists the watchdog's pins, `watchdogs` counts those that opened a bus."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        """`settings`: the example of two squares and two seats if left out."""
        self.folder, self.journal = folder, folder / "journal.db"
        self.settings = settings or st.load(st.example_path("2x2"))
        self.table = SimulatedTable(self.settings, seed=3, call_cost_ns=0, clock=MachinesTime())
        self.pins: dict[int, float] = {}
        self.driven: list[tuple[str, int, int]] = []
        self.lines: list[str] = []
        self.errors = ""
        self.deaf = self.deaf_to_errors = False
        """Whether the program's standard output, or standard error, is not read."""
        self._changed = threading.Condition()
        self._players: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._adapters = {
            bus.device: SimAdapter(self.table.buses[name].wire, self.table.clock, "bcm2835", 0, bus.device)
            for name, bus in self.settings.buses.items()
        }
        self._listener = Listener(str(folder / "table.socket"), "AF_UNIX", backlog=8)
        self._serving = threading.Thread(target=self._accept, daemon=True)
        self._serving.start()
        self._threads: list[threading.Thread] = []

    def close(self) -> None:
        with contextlib.suppress(OSError), Client(self._listener.address) as last:
            last.send(("last",))
        self._serving.join(WAITS_S)
        self._listener.close()
        self.table.close()

    def _accept(self) -> None:
        while True:
            connection = self._listener.accept()
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            first = connection.recv()
            if first == ("last",):
                return
            if first == ("player",):
                self._players.put(connection)
                continue
            thread.start()
            self._threads.append(thread)

    def _serve(self, connection: Connection) -> None:
        with contextlib.suppress(EOFError, OSError), connection:
            while True:
                asked = connection.recv()
                with self._changed:
                    connection.send(self._answer(*asked))
                    self._changed.notify_all()

    def _answer(self, what: str, *of: Any) -> Any:
        if what == "pin":
            gpio, level = of
            self.pins[gpio] = level
            if gpio in self.table.resets and not level:
                for mux in self.table.resets[gpio]:
                    mux.reset()
            return None
        if what == "drive":
            self.driven.append(of)
            self.pins[of[1]] = of[2]
            return None
        device, messages = of
        made = [KernelMessage(address, flags, bytearray(data)) for address, flags, data in messages]
        try:
            self._adapters[device].prepare(made)()
        except OSError as error:
            return error.errno
        return [bytes(message.buffer) for message in made]

    # ------------------------------------------------------------------------------------------ what a test does

    @contextlib.contextmanager
    def played(self, *command: str) -> Iterator[Popen[str]]:
        """Start the program on this table. Its lines are in `lines`, its standard error in `errors` later."""
        code = f"from tests.served_table import player; player({str(self._listener.address)!r})"
        root = Path(__file__).resolve().parent.parent
        self.lines, self.errors = [], ""
        environment = {**os.environ, "PYTHONPATH": str(root)}
        process = Popen(
            [sys.executable, "-c", code, *command],
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            text=True,
            cwd=self.folder,
            env=environment,
            start_new_session=True,
        )
        reading = [
            threading.Thread(target=self._read, args=(process,)),
            threading.Thread(target=self._err, args=(process,)),
        ]
        for thread in reading:
            thread.start()
        self._to_player = self._players.get(timeout=WAITS_S)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            for thread in reading:
                thread.join()
            for stream in (process.stdin, process.stdout, process.stderr):
                assert stream is not None
                with contextlib.suppress(OSError):
                    stream.close()

    def _read(self, process: Popen[str]) -> None:
        assert process.stdout is not None
        if self.deaf:
            process.stdout.close()
            return
        for line in process.stdout:
            with self._changed:
                self.lines.append(line.rstrip("\n"))
                self._changed.notify_all()

    def _err(self, process: Popen[str]) -> None:
        assert process.stderr is not None
        if self.deaf_to_errors:
            process.stderr.close()
            return
        self.errors = "".join(line for line in process.stderr if not line.startswith("note: "))

    def order(self, *words: Any) -> None:
        """Send a command to the other process: `press GPIO`, `release GPIO`, `break scan`, `break loop`."""
        self._to_player.send(words)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until this is true of the twins or the lines."""
        with self._changed:
            assert self._changed.wait_for(condition, WAITS_S), f"{what}; lines: {self.lines}; errors: {self.errors}"

    def said(self, line: str) -> Callable[[], bool]:
        return lambda: any(line in each for each in self.lines)

    def show_a_face(self) -> None:
        """Let Ann claim, turn T01 and hold, so that her trap is on her screen."""
        gpio = self.table.buttons["ANN"]
        self.until(self.said("concealed."), "the game began")
        self.order("press", gpio)
        self.order("release", gpio)
        self.until(self.said("| Ann is about to turn a dial."), "Ann claimed")
        self.table.tiles["T01"].hand.turn(time.monotonic_ns() + 50_000_000, 3, (300.0, 300.0))
        self.until(self.said("| Ann turns the dial of T01."), "the dial moved")
        self._rest(self.table.tiles["T01"].hand.at_rest_from_ns)
        self.order("press", gpio)
        self.until(self.said("| T01: exposed by Ann."), "Ann looked")
        self.until(lambda: self.table.oleds["ANN"].lit and self.table.oleds["ANN"].lit_pixels() > 500, "a face is lit")

    def _rest(self, at_ns: int) -> None:
        """Wait for more scans, each of which is a change here."""
        self.until(lambda: time.monotonic_ns() > at_ns + 700_000_000, "the dial rested")

    @property
    def dark(self) -> bool:
        """Whether no screen and no lamp is lit."""
        lamps = [gpio for seat in self.settings.seats.values() for gpio in seat.gpios if gpio != seat.button_gpio]
        return not any(oled.lit for oled in self.table.oleds.values()) and not any(self.pins.get(n) for n in lamps)

    def files(self) -> list[str]:
        """Return the files of the journal."""
        return sorted(path.name for path in self.folder.iterdir() if path.name.startswith("journal"))


# ---------------------------------------------------------------------------------------- in the other process


class _Link:
    """Calls to the table, one at a time."""

    def __init__(self, address: str) -> None:
        self._connection, self._one = Client(address), threading.Lock()
        self._connection.send(("caller",))

    def __call__(self, *words: Any) -> Any:
        with self._one:
            self._connection.send(words)
            return self._connection.recv()


class _Adapter:
    """A `hardware.adapter.Adapter` with its wire in the other process."""

    def __init__(self, address: str, device: str, broken: set[str]) -> None:
        self._link, self.name, self._broken = _Link(address), device, broken

    def functions(self) -> int:
        return I2C_FUNC_I2C

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Do nothing: it never waits."""

    def close(self) -> None:
        """Do nothing: the socket ends with the program."""

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int]:
        def call() -> int:
            if "scan" in self._broken and threading.current_thread().name.startswith("scan"):
                raise RuntimeError("T01 stands at 3")
            told = [(each.address, each.flags, bytes(each.buffer)) for each in messages]
            answer = self._link("call", self.name, told)
            if isinstance(answer, int):
                raise OSError(answer, os.strerror(answer))
            for message, data in zip(messages, answer, strict=True):
                if message.flags & I2C_M_RD:
                    message.buffer[:] = data
            return len(messages)

        return call


class _Parts:
    """The `RealParts` of this table."""

    simulated = False

    def __init__(self, address: str, broken: set[str]) -> None:
        self.clock, self._address, self._broken = MachineClock(), address, broken
        link = _Link(address)

        def changed(edge: Edge) -> None:
            link("pin", edge.gpio, edge.level)

        self.sim_pins = SimPins(self.clock, changed)

    def adapter(self, name: str, bus: BusSettings) -> _Adapter:
        return _Adapter(self._address, bus.device, self._broken)

    def hub(self, *_: object) -> HubSource:
        raise AssertionError("this table has no hub")

    def pins(self) -> Any:
        return self.sim_pins.factory

    def line_pins(self, name: str) -> Any:
        raise AssertionError("nobody drives a line here")

    def pinctrl(self) -> Pinctrl:
        return Pinctrl()

    def close(self) -> None:
        """Leave the levels as they are, like lgpio."""


def player(address: str) -> None:
    """Run the command line on the table at this address."""
    from pi_app.cli.main import main
    from pi_app.play import parts, watchdog
    from pi_app.play.loop.round import Loop

    broken: set[str] = set()
    made: list[_Parts] = []

    def real_parts() -> _Parts:
        made.append(_Parts(address, broken))
        return made[-1]

    parts.RealParts = real_parts  # type: ignore[assignment,misc]
    code = f"from tests.served_table import watchdog; watchdog({address!r})"
    watchdog.COMMAND = (sys.executable, "-c", code)
    step = Loop.step

    def break_and_step(self: Loop) -> None:
        if "loop" in broken:
            raise KeyError("T01 stands at 3")
        step(self)

    Loop.step = break_and_step  # type: ignore[method-assign]
    connection = Client(address)
    connection.send(("player",))
    threading.Thread(target=_obey, args=(connection, made, broken), daemon=True).start()
    main()


def _obey(connection: Connection, made: list[_Parts], broken: set[str]) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            match connection.recv():
                case ("press", gpio):
                    made[-1].sim_pins.press(gpio)
                case ("release", gpio):
                    _held_for_a_tap(made[-1], gpio)
                case ("break", what):
                    broken.add(what)


def _held_for_a_tap(table: _Parts, gpio: int) -> None:
    """Press the button for a tenth of a second."""
    time.sleep(0.1)
    table.sim_pins.release(gpio)


class _Wire:
    """A `hardware.lights_out.Wire` to a bus in the other process."""

    def __init__(self, link: _Link, device: str) -> None:
        self._link, self._device = link, device

    def write(self, address: int, data: bytes) -> None:
        answer = self._link("call", self._device, [(address, 0, data)])
        if isinstance(answer, int):
            raise OSError(answer, os.strerror(answer))


def watchdog(address: str) -> None:
    """Run the watchdog with that table's wires."""
    from hardware import lights_out

    lights_out.live_through_signals()
    links: list[_Link] = []

    def link() -> _Link:
        if not links:
            links.append(_Link(address))
        return links[0]

    lights_out.watch(
        iter(sys.stdin),
        lambda device: _Wire(link(), device),
        lambda chip, gpio, level: link()("drive", chip, gpio, level),
    )


ENDS: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
CRASHES: Final = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT)
