"""Builds a table from its settings.

`Parts` is the only difference between a real and a simulated table: where adapters, pins and time come from.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hardware.bus_clear import BusPins
from hardware.chips.known_tile import TileRegister
from hardware.host import Host
from hardware.kernel_mux import I2cTree, together
from hardware.readings import DialSource
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.sampling import CpuBudget
from pi_app.dials.tracker import Tracker
from pi_app.displays.seat import SeatDisplay
from pi_app.game import events as ev
from pi_app.game.artifacts import laid
from pi_app.game.events import AnyEvent
from pi_app.journal import Journal, keys_of
from pi_app.journal.cosigned import asks_witnesses
from pi_app.play.dial_shapes import calibrations, dial_setup, shape
from pi_app.play.feed import Feed, InlineFeed, ThreadFeed, WithHubs
from pi_app.play.first_event import fair_die, fair_pick, game_id, started
from pi_app.play.gap_cause import GapNotices
from pi_app.play.garbage import manual_collection
from pi_app.play.gestures import ButtonGestures
from pi_app.play.key_notices import KeyNotices, set_aside_notes
from pi_app.play.loop import Loop
from pi_app.play.loop.setup import GameStart, Randomness, TableOptions, TableParts
from pi_app.play.machine_notices import InlineNotices, Notices, ScreenNotices, ThreadNotices
from pi_app.play.parts import Parts
from pi_app.play.power import MachineWatch
from pi_app.play.seats_and_dials import Listener, TableSeat
from pi_app.play.taps import SeatTap, TappedLamp
from pi_app.play.wires import TableWires, WireOpener, register, seat_lamp
from pi_app.play.witnessed_clock import WitnessedClock
from pi_app.report.moment import Moment
from pi_app.report.pictures import SeatPicture
from pi_app.settings.load import speaking
from pi_app.settings.model import SeatSettings, Settings
from pi_app.settings.owner_files import OwnerFiles
from pi_app.settings.owner_files import read as read_owner_files
from pi_app.text.language import words

if TYPE_CHECKING:
    from pi_app.dials.calibration import Calibration
    from pi_app.play.phones import TablePages
    from pi_app.play.tiles import TileCalibration

MakeFeed = Callable[[Sequence[DialSource]], Feed]


@dataclass(frozen=True, slots=True)
class Outputs:
    """The receivers of a table's output. `tap` gets the bytes of screens and the edges of lamps, `shown` the
    pictures of seats, `dealt` each seat's `LampCode` when a game begins or resumes."""

    listeners: Sequence[Listener] = ()
    tap: SeatTap | None = None
    shown: Callable[[str, SeatPicture, int], None] | None = None
    dealt: Callable[[str, str], None] | None = None


@dataclass(frozen=True, slots=True)
class GameOptions:
    """The choices of a new game. `shuffle`: whether to deal the trap tables; None: as the settings say.
    `lamp_pick` deals the lamp codes. `language`: asked for each game, of the table and of every seat; without it those
    of the settings. `waits`: no game begins before `Loop.begin_game` is called, and before that
    somebody calls `picture.prepare`. `starts`: where the dials start; if
    that is where they stand, and nothing else is said, the trap tables are dealt: the last players know where they
    lay."""

    new_game_id: Callable[[], str] = game_id
    roll: Callable[[], int] = fair_die
    pick: Callable[[int], int] = fair_pick
    lamp_pick: Callable[[int], int] = fair_pick
    shuffle: bool | None = None
    language: Callable[[], str] | None = None
    waits: bool = False
    starts: ev.Starts = "printed"


class TableBuilder:
    """Builds the parts of one table. Close it, or use it as a context manager."""

    def __init__(self, settings: Settings, parts: Parts, *, borrowed: bool = False) -> None:
        """`borrowed`: the parts stay open when this is closed."""
        self.settings, self.parts = settings, parts
        self.gaps = GapNotices(words(settings.table.language), settings.table.gap_limit_ms * 1_000_000)
        self._open = contextlib.ExitStack()
        if not borrowed:
            self._open.callback(parts.close)
        self._opener = WireOpener(settings, parts, self._open)

    def __enter__(self) -> TableBuilder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close everything that was opened, last first."""
        self._open.close()

    def wires(self, tap: SeatTap | None = None, *, tiles: TileRegister | None = None) -> TableWires:
        """Open the wires of the table: see `WireOpener.open`."""
        return self._opener.open(tap, tiles)

    def bus_pins(self, name: str) -> BusPins | None:
        """Return the lines of a bus: see `WireOpener.bus_pins`."""
        return self._opener.bus_pins(name)

    def calibrations(self) -> Mapping[str, Calibration]:
        """Return the calibrations in the file that the settings name, by square. Raises UserFileError."""
        file = self.settings.table.calibration
        return calibrations(self.settings.beside(file)) if file else {}

    def trackers(self, learnt: Mapping[str, Calibration] | None = None) -> dict[str, Tracker]:
        """Return one tracker per square, with these calibrations or those of the file. Raises UserFileError."""
        learnt = self.calibrations() if learnt is None else learnt
        return {
            label: Tracker(shape(square, self.settings.table, learnt.get(label) if square.kind.absolute else None))
            for label, square in self.settings.squares.items()
        }

    def loop(
        self,
        journal: Journal[Moment, AnyEvent],
        *,
        resume: tuple[str, Moment] | None = None,
        outputs: Outputs | None = None,
        game: GameOptions | None = None,
        feed: MakeFeed | None = None,
        host: Host | None = None,
        notes: Sequence[str] = (),
        pages: TablePages | None = None,
    ) -> Loop:
        """Return the loop of the table. `host`: the machine that is watched; by default this one for a real table, and
        none for a simulated one. `notes`: sentences for the referee at the start. `pages`: for phones."""
        outputs, game = outputs or Outputs(), game or GameOptions()
        files = read_owner_files(self.settings)
        self._open.enter_context(manual_collection())
        aside = set_aside_notes(journal.set_aside, words(self.settings.table.language))
        notes = [*notes, *aside, *self.start_watchdog()]
        filed = self.calibrations()
        wires = self.wires(outputs.tap, tiles=register(filed))
        for screen in wires.screens.values():
            self._open.callback(screen.shut)
        carried = self._carried(wires, filed)
        learnt = {**filed, **{label: each.dial for label, each in carried.items() if each.dial}}
        dials = self.trackers(learnt)
        setups = {label: dial_setup(each.shape, learnt.get(label)) for label, each in dials.items()}
        made = with_hubs((feed or self._feed())(wires.sources), wires)
        self._open.callback(made.close)
        loop = Loop(
            TableParts(
                clock=self.parts.clock,
                feed=made,
                dials=dials,
                seats=self.seats(wires, made, outputs, draws=not game.waits),
                fingerprints=self._fingerprints(learnt),
                notices=(*self._machine_notices(journal, host), self._screen_notices(wires), self.gaps),
            ),
            journal,
            GameStart(
                first_event=lambda shuffle: self._first_event(setups, files, game, shuffle),
                new_game_id=game.new_game_id,
                resume=resume,
                notes=[*notes, *(each.note for each in carried.values() if each.note)],
                lamp_pick=game.lamp_pick,
                dealt=outputs.dealt,
                waits=game.waits,
                starts=game.starts,
            ),
            Randomness(roll=game.roll, pick=game.pick),
            TableOptions(
                language=self.settings.table.language,
                period_ns=self._period_ns,
                show_ns=round(self.settings.table.show_s * 1e9),
                device_rolls=self.settings.table.roll == "device",
                spawn=files.spawn,
            ),
            outputs.listeners,
        )
        if isinstance(journal.stamp, WitnessedClock):
            seats = loop.session.seats.values()
            journal.stamp.may_step = lambda: all(seat.held_at is None for seat in seats)
        if pages is not None:
            from pi_app.play.phones import PhoneTable  # nothing of it is imported for a table without pages

            loop.put_phones(lambda session, players: PhoneTable(session, players, pages))
        return loop

    @property
    def _period_ns(self) -> int:
        return 1_000_000_000 // self.settings.table.scan_hz

    def start_watchdog(self) -> list[str]:
        """Start the program that switches a real table off if this one is killed. Return a note if it cannot start."""
        if self.parts.simulated:
            return []
        from hardware.panel import header_chip
        from pi_app.play.watchdog import NOT_STARTED, guarded

        watchdog, why = guarded(self.settings, f"/dev/gpiochip{header_chip()}")
        if watchdog is not None:
            self._open.callback(watchdog.close)
        return [words(self.settings.table.language)(NOT_STARTED).format(why=why)] if why else []

    def _first_event(
        self, setups: Mapping[str, ev.DialSetup], files: OwnerFiles, game: GameOptions, shuffle: bool | None
    ) -> ev.Started:
        chosen = (shuffle, game.shuffle, self.settings.table.shuffle or game.starts == "found")
        begun = started(
            self.settings if game.language is None else speaking(self.settings, (game.language(),)),
            simulated=self.parts.simulated,
            dials=setups,
            pick=game.pick if next(choice for choice in chosen if choice is not None) else None,
            chests=files.chests,
            lamp_pick=game.lamp_pick,
        )
        if files.pool is None:
            return begun
        return replace(begun, artifacts=laid(files.pool, self.settings.artifacts.draw, game.pick))

    def _fingerprints(self, learnt: Mapping[str, Calibration]) -> Fingerprints:
        nameless = {label: dial for label, dial in learnt.items() if self._is_nameless(label)}
        return Fingerprints(nameless, {label: dial for label, dial in learnt.items() if label not in nameless})

    def _is_nameless(self, label: str) -> bool:
        """Return whether only its detents identify a square's tile: its dial is absolute and it has no memory."""
        square = self.settings.squares.get(label)
        return square is not None and square.kind.absolute and square.memory is None

    def _carried(self, wires: TableWires, filed: Mapping[str, Calibration]) -> dict[str, TileCalibration]:
        """Read the calibrations in the tiles' memories, before anything is scanned."""
        if not wires.memories:
            return {}
        from pi_app.play.tiles import carried  # brings cbor2

        return {
            label: carried(self.settings.squares[label], memory, filed.get(label))
            for label, memory in wires.memories.items()
        }

    def _machine_notices(self, journal: Journal[Moment, AnyEvent], host: Host | None) -> Sequence[Notices]:
        """Watch the machine and the disk with the keys, in a separate thread or in virtual time."""
        translated = words(self.settings.table.language)
        polls: list[Callable[[], Sequence[str]]] = []
        if host is not None or not self.parts.simulated:
            polls.append(MachineWatch(host or Host(), journal.path.parent, translated).poll)
        if (keys := keys_of(journal.path)).beside is not None:
            polls.append(KeyNotices(keys, translated).poll)
        if not self.parts.simulated and (self.settings.centre is not None or asks_witnesses(journal.path)):
            from pi_app.play.open_sender import (
                SenderNotices,
            )  # a table that sends nothing imports none of it

            polls.append(SenderNotices(journal.path, translated).poll)
            if isinstance(journal.stamp, WitnessedClock):
                polls.append(journal.stamp.poll)
        if self.parts.simulated:
            return [InlineNotices(poll, self.parts.clock.now_ns) for poll in polls]
        threads = [ThreadNotices(poll) for poll in polls]
        for thread in threads:
            self._open.callback(thread.close)
        return threads

    def _screen_notices(self, wires: TableWires) -> Notices:
        return ScreenNotices([*wires.screens.values()], words(self.settings.table.language))

    def _feed(self) -> MakeFeed:
        if self.parts.simulated:
            return lambda sources: InlineFeed(sources, self.parts.clock)
        return self.threads(together(I2cTree(), [bus.device for bus in self.settings.buses.values()]))

    def threads(self, groups: Sequence[Sequence[int]] | None = None) -> MakeFeed:
        """Return a feed in real time, with a scanning thread for each group of buses or for each bus."""
        period_ns = self._period_ns
        budget = CpuBudget(self.settings.table.max_cpu, period_ns)
        return lambda sources: ThreadFeed(sources, self.parts.clock, period_ns, groups, budget, self.gaps)

    def seats(
        self, wires: TableWires, feed: Feed, outputs: Outputs | None = None, *, draws: bool = True
    ) -> list[TableSeat]:
        """Return the seats with their buttons, lamps and screens. `draws`: draw all symbols now (`picture.prepare`)."""
        if draws and any(seat.screen is not None for seat in self.settings.seats.values()):
            from pi_app.displays.picture import prepare

            prepare()
        return [self._seat(key, seat, wires, feed, outputs or Outputs()) for key, seat in self.settings.seats.items()]

    def _seat(self, key: str, seat: SeatSettings, wires: TableWires, feed: Feed, outputs: Outputs) -> TableSeat:
        from hardware.panel import Button
        from pi_app.displays.picture import draw

        button = Button(self.parts.pins(), seat.button_gpio)
        self._open.callback(button.close)
        source = 0 if seat.screen is None else list(self.settings.buses).index(seat.screen.bus)
        shown = outputs.shown
        display = SeatDisplay(
            words(seat.language),
            draw,
            lamp=self._lamp(key, seat, outputs.tap),
            screen=wires.screens.get(key),
            contrast=self.settings.table.contrast,
            run_on=lambda job: feed.run_on(source, job),
            shown=None if shown is None else lambda picture, at_ns: shown(key, picture, at_ns),
        )
        gestures, own_screen = ButtonGestures(self.settings.table.hold_ms), seat.screen is not None
        return TableSeat(key, display, button, gestures, own_screen=own_screen, language=seat.language)

    def _lamp(self, key: str, seat: SeatSettings, tap: SeatTap | None) -> Any:
        lamp = seat_lamp(self.parts.pins(), seat)
        if lamp is None:
            return None
        self._open.callback(lamp.close)
        if tap is None:
            return lamp
        copy = tap.lamp
        return TappedLamp(lamp, lambda on: copy(key, on, self.parts.clock.now_ns()))


def with_hubs(feed: Feed, wires: TableWires) -> Feed:
    """Return this feed with the samples of the hubs of these wires."""
    return WithHubs(feed, wires.gathered) if wires.gathered else feed
