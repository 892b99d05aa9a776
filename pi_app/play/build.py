"""Puts a table together from its settings: the one file that sees everything, real parts and twins alike.

What differs between a real and a simulated table is `Parts`: where adapters, pins and time come from. All above is
built the same way.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from firmware_host.source import HubDials, HubSource
from hardware.bus import Bus
from hardware.bus_clear import BusPins
from hardware.bus_linux import LinuxBus
from hardware.bus_recovery import RecoveryActions
from hardware.chips.dial_chip import DialChip
from hardware.chips.known_tile import KnownTile, TileRegister
from hardware.chips.tca9548a import Tca9548a, trunk_of
from hardware.chips.tile_memory import TileMemory
from hardware.encoders import ENCODERS, EncoderPlace
from hardware.errors import HardwareError
from hardware.host import Host
from hardware.kernel_mux import BusUse, I2cTree, together
from hardware.kernel_mux import problems as mux_problems
from hardware.readings import DialSource
from hardware.scan import Scan, ScanDial
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.sampling import CpuBudget
from pi_app.dials.tracker import Tracker
from pi_app.displays.seat import SeatDisplay
from pi_app.game import events as ev
from pi_app.game.artifacts import laid
from pi_app.game.events import AnyEvent
from pi_app.journal import Journal
from pi_app.play.dial_shapes import calibrations, dial_setup, shape
from pi_app.play.feed import Feed, InlineFeed, ThreadFeed, WithHubs
from pi_app.play.first_event import fair_die, game_id, started
from pi_app.play.gap_cause import GapNotices
from pi_app.play.garbage import by_hand
from pi_app.play.gestures import Thumb
from pi_app.play.loop import Loop
from pi_app.play.machine_notices import AllNews, InlineNews, News, NoNews, ScreenNews, ThreadNews
from pi_app.play.parts import Parts
from pi_app.play.power import Watch
from pi_app.play.seats_and_dials import Listener, SeatPlace, Timing
from pi_app.play.taps import SeatTap, TappedBus, TappedLamp
from pi_app.report.moment import Moment
from pi_app.report.pictures import SeatPicture
from pi_app.settings.hubs import HubSettings
from pi_app.settings.load import BusSettings, SeatSettings, Settings, SquareSettings
from pi_app.settings.owner_files import Owned
from pi_app.settings.owner_files import read as read_owned
from pi_app.text.language import words

if TYPE_CHECKING:
    from hardware.panel import ColourLamp, Lamp, PowerSwitch
    from hardware.screens import Screen
    from pi_app.dials.calibration import Calibration
    from pi_app.play.tiles import Carried


@dataclass(frozen=True, slots=True)
class Wires:
    """The buses of a table with their scans, and its hubs; scans are in the order of the settings' buses.

    `memories`: of the squares whose tile has one.
    """

    buses: Mapping[str, Bus]
    muxes: Mapping[tuple[str, int], Tca9548a]
    chips: Mapping[str, DialChip]
    memories: Mapping[str, TileMemory]
    scans: tuple[Scan, ...]
    screens: Mapping[str, Screen]
    hubs: Mapping[str, HubSource]

    @property
    def sources(self) -> tuple[DialSource, ...]:
        """Whatever is scanned from here: the buses, then what stands for hubs on a simulated table."""
        return (*self.scans, *(hub for hub in self.hubs.values() if not isinstance(hub, HubDials)))

    @property
    def gathered(self) -> tuple[HubDials, ...]:
        """Hubs that look by themselves."""
        return tuple(hub for hub in self.hubs.values() if isinstance(hub, HubDials))


class House:
    """A table that is put together. Close it, or use it as a context manager."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self.settings, self.parts = settings, parts
        self.gaps = GapNotices(words(settings.table.language), settings.table.gap_limit_ms * 1_000_000)
        self._open = contextlib.ExitStack()
        self._open.callback(parts.close)

    def __enter__(self) -> House:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop and give back everything that was opened, last first."""
        self._open.close()

    def wires(self, tap: SeatTap | None = None, *, tiles: TileRegister | None = None) -> Wires:
        """Open every bus of the settings and hang the drivers on it. Raises HardwareError.

        `tiles`: which tile belongs to which square; without it every tile is welcome everywhere.
        """
        if not self.parts.simulated and (found := kernel_problems(self.settings, I2cTree())):
            raise found[0]
        buses = {name: self._bus(name, bus) for name, bus in self.settings.buses.items()}
        muxes = {
            (name, address): mux
            for name, bus in self.settings.buses.items()
            for address, mux in self._muxes(buses[name], bus).items()
        }
        chips = {
            label: encoder(self.settings, square, _place(buses, muxes, square.bus, square.mux, square.channel))
            for label, square in self.settings.squares.items()
            if square.bus is not None
        }
        screens = {
            key: self._screen(buses, muxes, key, seat, tap)
            for key, seat in self.settings.seats.items()
            if seat.screen is not None
        }
        memories = {
            label: TileMemory(chips[label].bus, square.memory, self.parts.clock)
            for label, square in self.settings.squares.items()
            if square.memory is not None
        }
        dials: dict[str, DialChip] = dict(chips)
        if tiles is not None:
            dials |= {label: KnownTile(label, chips[label], memories[label], tiles) for label in memories}
        scans = tuple(self._scan(name, dials, screens) for name in self.settings.buses)
        used = {square.hub for square in self.settings.squares.values()}
        hubs = {name: self._hub(name, hub) for name, hub in self.settings.hubs.items() if name in used}
        return Wires(buses, muxes, chips, memories, scans, screens, hubs)

    def _hub(self, name: str, hub: HubSettings) -> HubSource:
        channels = {
            label: square.channel
            for label, square in self.settings.squares.items()
            if square.hub == name and square.channel is not None
        }
        source = self.parts.hub(name, hub, channels, self.settings.table)
        if isinstance(source, HubDials):
            self._open.callback(source.close)
        return source

    def _bus(self, name: str, bus: BusSettings) -> Bus:
        adapter = self.parts.adapter(name, bus)
        self._open.callback(adapter.close)
        return LinuxBus(adapter, timeout_ms=bus.timeout_ms)

    def _muxes(self, bus: Bus, wanted: BusSettings) -> dict[int, Tca9548a]:
        """The muxes of a bus by address. Those on one RESET wire are reset together."""
        gpios = dict.fromkeys(mux.reset_gpio for mux in wanted.mux if mux.reset_gpio is not None)
        resets = {gpio: self._reset_line(gpio, bus) for gpio in gpios}
        return {
            mux.address: Tca9548a(
                bus,
                mux.address,
                reset=None if mux.reset_gpio is None else resets[mux.reset_gpio],
                deselect_between=mux.deselect_between,
            )
            for mux in wanted.mux
        }

    def _reset_line(self, gpio: int, bus: Bus) -> Callable[[], None]:
        from hardware.panel import ResetLine

        line = ResetLine(self.parts.pins(), gpio)
        self._open.callback(line.close)

        def pulse() -> None:
            line.pulse()
            trunk_of(bus).forget()  # it may have closed the channels of several muxes

        return pulse

    def _screen(
        self,
        buses: Mapping[str, Bus],
        muxes: Mapping[tuple[str, int], Tca9548a],
        key: str,
        seat: SeatSettings,
        tap: SeatTap | None,
    ) -> Screen:
        from hardware.screens import Screen

        wanted = seat.screen
        if wanted is None:
            raise ValueError(f"seat {key} has no screen")
        bus = _place(buses, muxes, wanted.bus, wanted.mux, wanted.channel)
        if tap is not None:
            heard = tap.screen
            bus = TappedBus(bus, lambda data: heard(key, data, self.parts.clock.now_ns()))
        speed_hz = self.settings.buses[wanted.bus].speed_hz
        return Screen(
            bus, wanted.chip, wanted.address, clock=self.parts.clock, speed_hz=speed_hz, name=f"screen of seat {key}"
        )

    def _scan(self, name: str, chips: Mapping[str, DialChip], screens: Mapping[str, Screen]) -> Scan:
        dials = [ScanDial(label, chips[label]) for label, square in self.settings.squares.items() if square.bus == name]
        mine = [
            screen
            for key, screen in screens.items()
            if (wanted := self.settings.seats[key].screen) is not None and wanted.bus == name
        ]
        return Scan(name, dials, self.parts.clock, screens=mine, actions=self._recovery_actions(name, mine))

    def _recovery_actions(self, name: str, screens: Sequence[Screen]) -> RecoveryActions:
        """What may be done for this bus when nothing on it can be read."""

        def restarted() -> None:
            for screen in screens:
                screen.had_no_power()

        bus = self.settings.buses[name]
        pins = self.bus_pins(name)
        return RecoveryActions(
            clear=None if pins is None else pins.clear,
            power=None if bus.power_gpio is None else self._power(bus.power_gpio, bus.power_active_high),
            off_ns=bus.power_off_ms * 1_000_000,
            restarted=restarted,
        )

    def bus_pins(self, name: str) -> BusPins | None:
        """The lines of a bus that may be driven by hand, if the settings allow it."""
        bus = self.settings.buses[name]
        if not bus.clear or bus.lines is None:
            return None
        scl_gpio, sda_gpio = bus.lines
        from hardware.panel import bus_line

        return BusPins(name, scl_gpio, sda_gpio, lambda: self.parts.line_pins(name), bus_line, self.parts.pinctrl())

    def _power(self, gpio: int, active_high: bool) -> PowerSwitch:
        from hardware.panel import PowerSwitch

        switch = PowerSwitch(self.parts.pins(), gpio, active_high=active_high)
        self._open.callback(switch.close)
        return switch

    def learnt(self) -> Mapping[str, Calibration]:
        """What the calibration file says that the settings name, by square. Raises UserFileError."""
        file = self.settings.table.calibration
        return calibrations(self.settings.beside(file)) if file else {}

    def trackers(self, learnt: Mapping[str, Calibration] | None = None) -> dict[str, Tracker]:
        """One tracker per square, with what was learnt of its dial (left out: what the calibration file says).
        Raises UserFileError."""
        learnt = self.learnt() if learnt is None else learnt
        return {
            label: Tracker(shape(square, self.settings.table, learnt.get(label) if square.kind.absolute else None))
            for label, square in self.settings.squares.items()
        }

    def loop(
        self,
        journal: Journal[Moment, AnyEvent],
        *,
        resume: tuple[str, Moment] | None = None,
        listeners: Sequence[Listener] = (),
        tap: SeatTap | None = None,
        shown: Callable[[str, SeatPicture, int], None] | None = None,
        feed: Callable[[Sequence[DialSource]], Feed] | None = None,
        new_game_id: Callable[[], str] | None = None,
        roll: Callable[[], int] | None = None,
        shuffle: bool | None = None,
        host: Host | None = None,
        notes: Sequence[str] = (),
    ) -> Loop:
        """The table, ready to be played. `shuffle`: deal trap tables anew for a new game, or not; left out, as the
        settings say. `host`: the machine whose troubles the referee hears of; without it this one
        for a real table, and none for a simulated one. `notes`: what the referee is told at the start."""
        owned = read_owned(self.settings)
        self._open.enter_context(by_hand())
        notes = [*notes, *self._guard()]
        filed = self.learnt()
        wires = self.wires(tap, tiles=register(filed))
        for screen in wires.screens.values():
            self._open.callback(screen.shut)
        brought = self._brought(wires, filed)
        learnt = {**filed, **{label: each.dial for label, each in brought.items() if each.dial}}
        dials = self.trackers(learnt)
        setups = {label: dial_setup(each.shape, learnt.get(label)) for label, each in dials.items()}
        period_ns = 1_000_000_000 // self.settings.table.scan_hz
        made = with_hubs((feed or self._feed(period_ns))(wires.sources), wires)
        self._open.callback(made.close)
        seats = [self._seat(key, seat, wires, made, tap, shown) for key, seat in self.settings.seats.items()]
        return Loop(
            clock=self.parts.clock,
            feed=made,
            dials=dials,
            seats=seats,
            journal=journal,
            pick=random.SystemRandom().randrange,
            start=lambda asked: self._started(setups, owned, shuffle if asked is None else asked),
            spawn=owned.spawn,
            new_game_id=new_game_id or game_id,
            roll=roll or fair_die,
            device_rolls=self.settings.table.roll == "device",
            listeners=listeners,
            timing=Timing(period_ns=period_ns, show_ns=round(self.settings.table.show_s * 1e9)),
            resume=resume,
            language=self.settings.table.language,
            notes=[*notes, *(each.words for each in brought.values() if each.words)],
            fingerprints=self._fingerprints(learnt),
            machine=AllNews((self._machine_news(journal.path.parent, host), self._screen_news(wires), self.gaps)),
        )

    def _guard(self) -> list[str]:
        """Have somebody make a real table dark if this program is killed. What the referee is told if nobody can."""
        if self.parts.simulated:
            return []
        from hardware.panel import header_chip
        from pi_app.play.watchdog import NOT_STARTED, guarded

        watchdog, why = guarded(self.settings, f"/dev/gpiochip{header_chip()}")
        if watchdog is not None:
            self._open.callback(watchdog.close)
        return [words(self.settings.table.language)(NOT_STARTED).format(why=why)] if why else []

    def _started(self, setups: Mapping[str, ev.DialSetup], owned: Owned, shuffle: bool | None) -> ev.Started:
        wanted = self.settings.table.shuffle if shuffle is None else shuffle
        draw = random.SystemRandom().randrange
        begun = started(
            self.settings,
            simulated=self.parts.simulated,
            dials=setups,
            pick=draw if wanted else None,
            chests=owned.chests,
        )
        if owned.pool is None:
            return begun
        return replace(begun, artifacts=laid(owned.pool, self.settings.artifacts.draw, draw))

    def _screen_news(self, wires: Wires) -> News:
        return ScreenNews([*wires.screens.values()], words(self.settings.table.language))

    def _fingerprints(self, learnt: Mapping[str, Calibration]) -> Fingerprints:
        nameless = {label: dial for label, dial in learnt.items() if self._is_nameless(label)}
        return Fingerprints(nameless, {label: dial for label, dial in learnt.items() if label not in nameless})

    def _is_nameless(self, label: str) -> bool:
        """Whether only its detents tell a square's tile: it has no memory, and its dial is absolute."""
        square = self.settings.squares.get(label)
        return square is not None and square.kind.absolute and square.memory is None

    def _brought(self, wires: Wires, filed: Mapping[str, Calibration]) -> dict[str, Carried]:
        """What the tiles carry with them; read before anything scans."""
        if not wires.memories:
            return {}
        from pi_app.play.tiles import carried  # brings cbor2

        return {
            label: carried(self.settings.squares[label], memory, filed.get(label))
            for label, memory in wires.memories.items()
        }

    def _machine_news(self, folder: Path, host: Host | None) -> News:
        """Troubles of the machine itself: looked for in a thread of their own, or in virtual time."""
        if self.parts.simulated and host is None:
            return NoNews()
        watch = Watch(host or Host(), folder, words(self.settings.table.language))
        news = InlineNews(watch.look, self.parts.clock.now_ns) if self.parts.simulated else ThreadNews(watch.look)
        self._open.callback(news.close)
        return news

    def _feed(self, period_ns: int) -> Callable[[Sequence[DialSource]], Feed]:
        clock = self.parts.clock
        if self.parts.simulated:
            return lambda sources: InlineFeed(sources, clock)
        return self.threads(together(I2cTree(), [bus.device for bus in self.settings.buses.values()]))

    def threads(self, groups: Sequence[Sequence[int]] | None = None) -> Callable[[Sequence[DialSource]], Feed]:
        """A feed in real time: a scanning thread for each group of buses, or for each bus."""
        period_ns = 1_000_000_000 // self.settings.table.scan_hz
        budget = CpuBudget(self.settings.table.max_cpu, period_ns)
        return lambda sources: ThreadFeed(sources, self.parts.clock, period_ns, groups, budget, self.gaps)

    def _seat(
        self,
        key: str,
        seat: SeatSettings,
        wires: Wires,
        feed: Feed,
        tap: SeatTap | None,
        shown: Callable[[str, SeatPicture, int], None] | None,
    ) -> SeatPlace:
        from hardware.panel import Button
        from pi_app.displays.picture import draw, prepare

        button = Button(self.parts.pins(), seat.button_gpio)
        self._open.callback(button.close)
        if seat.screen is not None:
            prepare()
        source = 0 if seat.screen is None else list(self.settings.buses).index(seat.screen.bus)
        display = SeatDisplay(
            words(seat.language),
            draw,
            lamp=self._lamp(key, seat, tap),
            screen=wires.screens.get(key),
            contrast=self.settings.table.contrast,
            run_on=lambda job: feed.run_on(source, job),
            shown=None if shown is None else lambda picture, at_ns: shown(key, picture, at_ns),
        )
        thumb, has_screen = Thumb(self.settings.table.hold_ms), seat.screen is not None
        return SeatPlace(key, display, button, thumb, has_screen=has_screen, language=seat.language)

    def _lamp(self, key: str, seat: SeatSettings, tap: SeatTap | None) -> Any:
        lamp = seat_lamp(self.parts.pins(), seat)
        if lamp is None:
            return None
        self._open.callback(lamp.close)
        if tap is None:
            return lamp
        heard = tap.lamp
        return TappedLamp(lamp, lambda on: heard(key, on, self.parts.clock.now_ns()))


def with_hubs(feed: Feed, wires: Wires) -> Feed:
    """This feed, and what the hubs of these wires gather."""
    return WithHubs(feed, wires.gathered) if wires.gathered else feed


def seat_lamp(pins: Any, seat: SeatSettings) -> Lamp | ColourLamp | None:
    """A seat's lamp, of one colour or of three, or None if it has none. Raises NoPins."""
    from hardware.panel import ColourLamp, Lamp

    if seat.lamp is not None:
        return ColourLamp(pins, seat.lamp.gpios, seat.lamp.colour, active_high=seat.lamp.common == "cathode")
    return None if seat.lamp_gpio is None else Lamp(pins, seat.lamp_gpio)


def _place(
    buses: Mapping[str, Bus],
    muxes: Mapping[tuple[str, int], Tca9548a],
    bus: str,
    mux: int | None,
    channel: int | None,
) -> Bus:
    return buses[bus] if mux is None or channel is None else muxes[bus, mux].channel(channel)


def encoder(settings: Settings, square: SquareSettings, bus: Bus) -> DialChip:
    """The driver of a square's encoder. Sends nothing yet."""
    place = (square.chip, square.bus, square.mux, square.channel)
    others = [
        other.address
        for other in settings.squares.values()
        if other is not square and (other.chip, other.bus, other.mux, other.channel) == place
    ]
    return ENCODERS[square.chip].driver(EncoderPlace(bus, square.address, others, square.steps_per_turn))


def kernel_problems(settings: Settings, tree: I2cTree) -> list[HardwareError]:
    """Where this table's own driving of muxes would meet the kernel's; all of it."""
    return mux_problems(tree, [_use(settings, name) for name in settings.buses])


def _use(settings: Settings, name: str) -> BusUse:
    bus = settings.buses[name]
    direct = {square.address for square in settings.squares.values() if square.bus == name and square.mux is None}
    direct |= {
        seat.screen.address
        for seat in settings.seats.values()
        if seat.screen is not None and seat.screen.bus == name and seat.screen.mux is None
    }
    return BusUse(name, bus.device, tuple(mux.address for mux in bus.mux), frozenset(direct))


def register(learnt: Mapping[str, Calibration]) -> TileRegister:
    """Which tile belongs to which square, as far as `trapdial calibrate` has learnt it."""
    return TileRegister({label: dial.tile for label, dial in learnt.items() if dial.tile})
