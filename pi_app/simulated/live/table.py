"""A simulated table that somebody plays by hand: it runs in one thread, which alone touches the game and the twins.

Others hand in what people do, and read the last frozen `Snapshot`. All times are the table's own virtual ones.
"""

from __future__ import annotations

import contextlib
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pi_app.game.state import Claim, Phase
from pi_app.report.plain_lines import PlainLines
from pi_app.report.visibility import PUBLIC, REFEREE
from pi_app.settings.load import SeatSettings, Settings
from pi_app.simulated import actions as acts
from pi_app.simulated.demo import Demo
from pi_app.simulated.fault_option import WantedFault
from pi_app.simulated.live.hold import HoldKey
from pi_app.simulated.live.values import Claiming, SeatView, Snapshot, SquareView, Stage, Told
from pi_app.simulated.table import FAULTS
from pi_app.simulated.wall_clock import Pace
from pi_app.text.language import N_
from pi_app.text.language import words as words_of

LOOK_NS: Final = 50_000_000
"""A picture is made twenty times a second: the shortest flash of a lamp is four times as long."""

TAP_NS: Final = 150_000_000
ROLLED_NS: Final = 8_000_000_000
"""How long a die lies where its player sees it."""

RATE_NS: Final = 1_000_000_000
TOLD_MOST: Final = 200
FINEST_TURN: Final = 16
"""Where a rim points is told in sixteenths of a click: finer is noise, and would be drawn for nothing."""

COUNTS_PER_TURN: Final = 4096

NO_CABLE: Final = N_("{square} hangs on no hub with a board. Begin the demo with --hub to have one.")
CABLE_OUT: Final = N_("hub {hub}: its USB cable was pulled.")
CABLE_IN: Final = N_("hub {hub}: its USB cable is in again.")

_STAGES: Final = {Phase.NONE: Stage.STARTING, Phase.PLAYING: Stage.PLAYING, Phase.ENDED: Stage.ENDED}


class LiveTable:
    """One table. `opened`, `step` and `play` belong to its thread; everything else may be called from any other."""

    def __init__(
        self,
        settings: Settings,
        journal: Path,
        *,
        seed: int = 0,
        resume: bool = False,
        faults: Sequence[WantedFault] = (),
        boards: bool = False,
    ) -> None:
        self.settings = settings
        self.snapshot: Snapshot | None = None
        self.begun = threading.Event()
        self._words = words_of(settings.table.language)
        self._journal, self._seed, self._resume = journal, seed, resume
        self._faults, self._boards = faults, boards
        self._struck: dict[str, set[str]] = {}
        self._wishes: deque[Callable[[], None]] = deque()
        self._stopped = False
        self._dice = random.Random(f"dice {seed}")
        self._holds = {seat: HoldKey(round(settings.table.show_s * 1e9) + RATE_NS) for seat in settings.seats}
        self._rolled: dict[str, tuple[int, int]] = {}
        self._told: deque[Told] = deque(maxlen=TOLD_MOST)
        self._lines = PlainLines(self._keep, (PUBLIC.name, REFEREE.name), settings.squares)
        self._next_look_ns = self._rate_from_ns = 0
        self._steps = self._gap_ns = self._step_ns = 0
        self._rate = (0, 0)
        self._new_game = False

    # ------------------------------------------------------------------ the table's thread

    @contextlib.contextmanager
    def opened(self) -> Iterator[LiveTable]:
        """Put the table together, and give everything back in the end. Raises HardwareError and UserFileError."""
        how: dict[str, Any] = {"seed": self._seed, "resume": self._resume, "boards": self._boards}
        with Demo(self.settings, self._journal, listeners=[self], **how) as demo:
            self._demo = demo
            demo.befall(self._faults)
            self.look()
            yield self

    def play(self) -> None:
        """Run the table at the wall clock's pace until somebody quits or calls `stop`. `begun` is set in any case."""
        try:
            with self.opened():
                self._demo.table.clock.pace = self._demo.table.clock.pace or Pace()
                self.begun.set()
                while self.running:
                    self.step()
        finally:
            self.begun.set()

    @property
    def running(self) -> bool:
        return not self._stopped and self._demo.loop.running

    def step(self) -> None:
        """Everything that was asked for, then one round of the table's loop."""
        while self._wishes:
            self._wishes.popleft()()
        self._mind_thumbs()
        self._begin_when_turned_back()
        self._demo.step()
        self._count_step()
        if self._now_ns >= self._next_look_ns:
            self.look()

    def pass_s(self, seconds: float) -> None:
        """Let the table run for so many of its own seconds, then take a picture."""
        end_ns = self._now_ns + round(seconds * 1e9)
        while self.running and self._now_ns < end_ns:
            self.step()
        self.look()

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Keep what everyone may read, and what only the referee was told."""
        self._lines.told(viewer, line, at_ns)

    def pause(self, now_ns: int) -> None:
        """Show what was told until now."""
        self._lines.pause(now_ns)

    def _keep(self, viewers: Sequence[str], line: str, at_ns: int) -> None:
        viewer = PUBLIC.name if PUBLIC.name in viewers else REFEREE.name
        self._told.append(Told(at_ns // RATE_NS, viewer, line))

    @property
    def _now_ns(self) -> int:
        return self._demo.table.clock.now_ns()

    # ------------------------------------------------------------------ what people do; any thread

    def do(self, act: acts.Act) -> None:
        """Have somebody do this."""
        self._wish(lambda: self._demo.act(act))

    def say(self, line: str) -> None:
        """A line of the table's command language."""
        self._wish(lambda: self._demo.loop.say(line))

    def tap(self, seat: str) -> None:
        """A short press of a seat's button. A thumb that holds it lets go instead."""
        self._wish(lambda: self._tap(seat))

    def hold(self, seat: str) -> None:
        """The key for holding was pressed, or repeats because it is held down: see `HoldKey`."""
        self._wish(lambda: self._thumb(seat, self._holds[seat].pressed(self._now_ns)))

    def turn(self, square: str, clicks: int) -> None:
        """A hand with a coin turns a dial by signed clicks, counter-clockwise positive."""
        self._wish(lambda: self._demo.act(acts.Turn(square, clicks, ())))

    def roll(self, seat: str, square: str) -> None:
        """A player rolls a die and turns the dial that many clicks (T-EXP-4), or as many as the device rolled for this
        seat. Only this seat shows the die."""
        self._wish(lambda: self._roll(seat, square))

    def leave_between(self, square: str) -> None:
        """A hand leaves the dial half way to the next click, or seats one that was left so."""
        self._wish(lambda: self._leave_between(square))

    def turn_back(self, square: str) -> None:
        """A hand turns the dial clockwise to its start mark."""
        self._wish(lambda: self._turn_back(square))

    def plug(self, square: str) -> None:
        """Pull a tile's lead, or put it back."""
        self._wish(lambda: self._plug(square))

    def cable(self, square: str) -> None:
        """Pull the USB cable of the hub that a square hangs on, or put it back."""
        self._wish(lambda: self._cable(square))

    def strike_or_mend(self, square: str, fault: str) -> None:
        """Let a fault befall a tile, or take it away if it lasts and is there."""
        self._wish(lambda: self._strike_or_mend(square, fault))

    def new_game(self) -> None:
        """After a game: have all dials turned back, then begin another."""
        self._wish(self._turn_all_back)

    def stop(self) -> None:
        """Let `play` end after this step. The game stays in the journal."""
        self._stopped = True

    def _wish(self, wish: Callable[[], None]) -> None:
        self._wishes.append(wish)

    # ------------------------------------------------------------------ hands and thumbs

    def _tap(self, seat: str) -> None:
        hold = self._holds[seat]
        if hold.held:
            self._thumb(seat, hold.let_go())
        elif self._up(seat):
            self._demo.table.press(seat)
            self._demo.table.clock.at(self._now_ns + TAP_NS, lambda: self._demo.table.release(seat))

    def _thumb(self, seat: str, change: bool | None) -> None:
        """True: press; False: let go; None: nothing."""
        if change is True:
            self._demo.table.press(seat)
        elif change is False:
            self._demo.table.release(seat)

    def _mind_thumbs(self) -> None:
        for seat, hold in self._holds.items():
            self._thumb(seat, hold.passed(self._now_ns))

    def _up(self, seat: str) -> bool:
        return self._demo.table.sim_pins.level(self.settings.seats[seat].button_gpio) > 0

    def _roll(self, seat: str, square: str) -> None:
        hand = self._demo.loop.moment.game.turn_of(seat)
        shown = hand.die if hand is not None and hand.roll_pending else None
        rolled = self._dice.randint(1, 6) if shown is None else shown
        self._rolled[seat] = (rolled, self._now_ns + ROLLED_NS)
        self._demo.act(acts.Turn(square, rolled, ()))

    def _leave_between(self, square: str) -> None:
        hand = self._demo.table.tiles[square].hand
        with self._demo.table.hands:
            if hand.position is None:
                hand.turn(self._now_ns, 1)
            else:
                hand.stop_between(self._now_ns)

    def _turn_back(self, square: str) -> None:
        hand = self._demo.table.tiles[square].hand
        with self._demo.table.hands:
            if hand.position is None:
                hand.turn(self._now_ns, -1)
            if hand.position:
                hand.turn(self._now_ns, -hand.position)

    def _plug(self, square: str) -> None:
        fault = "unplugged"
        pulled = not self._demo.table.tiles[square].plugged
        self._demo.act(acts.Mend(square, fault) if pulled else acts.Strike(square, fault))

    def _cable(self, square: str) -> None:
        hub = self.settings.squares[square].hub
        if hub is None or hub not in self._demo.table.cables:
            self.told(REFEREE.name, self._words(NO_CABLE).format(square=square), self._now_ns)
            return
        plugged = not self._demo.table.cables[hub]
        self._demo.act(acts.Cable(hub, plugged))
        done = CABLE_IN if plugged else CABLE_OUT
        self.told(REFEREE.name, self._words(done).format(hub=hub), self._now_ns)

    def _strike_or_mend(self, square: str, fault: str) -> None:
        if fault in self._lasting(square):
            self._demo.act(acts.Mend(square, fault))
            self._struck[square].discard(fault)
            return
        try:
            self._demo.act(acts.Strike(square, fault))
        except ValueError as refused:
            self.told(REFEREE.name, f"{refused}.", self._now_ns)
            return
        if FAULTS[fault].lasts:
            self._struck.setdefault(square, set()).add(fault)

    def _lasting(self, square: str) -> tuple[str, ...]:
        """The faults that the square's tile suffers from, as far as the keys know them."""
        return tuple(name for name in FAULTS if name in self._struck.get(square, ()))

    def _turn_all_back(self) -> None:
        for square in self._demo.table.tiles:
            self._turn_back(square)
        self._new_game = True

    def _begin_when_turned_back(self) -> None:
        if not self._new_game:
            return
        rest_ns = max(tile.hand.at_rest_from_ns for tile in self._demo.table.tiles.values())
        if self._now_ns > rest_ns + RATE_NS:
            self._new_game = False
            self._demo.loop.say("new")

    # ------------------------------------------------------------------ the picture

    def look(self) -> None:
        """Make the picture that others may read. The old one stays in place if nothing has changed."""
        self._next_look_ns = self._now_ns + LOOK_NS
        with self._demo.table.hands:
            made = self._picture()
        if made != self.snapshot:
            self.snapshot = made

    def _count_step(self) -> None:
        now_ns = self._now_ns
        self._gap_ns = max(self._gap_ns, now_ns - self._step_ns)
        self._step_ns = now_ns
        self._steps += 1
        if now_ns - self._rate_from_ns >= RATE_NS:
            passed_s = (now_ns - self._rate_from_ns) / 1e9
            self._rate = (round(self._steps / passed_s), round(self._gap_ns / 1e6))
            self._rate_from_ns, self._steps, self._gap_ns = now_ns, 0, 0

    def _picture(self) -> Snapshot:
        game = self._demo.loop.moment.game
        public = self._demo.loop.moment.reports.get(PUBLIC.name)
        lines = {} if public is None else public.lines
        looks_per_s, longest_gap_ms = self._rate
        return Snapshot(
            table_name=self.settings.table.name,
            samples=self.settings.uses_samples,
            stage=_STAGES[game.phase],
            at_s=self._now_ns // RATE_NS,
            looks_per_s=looks_per_s,
            longest_gap_ms=longest_gap_ms,
            squares=tuple(self._square(label, lines.get(label, "")) for label in self._demo.table.tiles),
            seats=tuple(self._seat(seat) for seat in self.settings.seats),
            told=tuple(self._told),
        )

    def _square(self, label: str, line: str) -> SquareView:
        tile = self._demo.table.tiles[label]
        game = self._demo.loop.moment.game
        square, claim = game.squares.get(label), game.claim_on(label)
        clicks, now_ns = tile.hand.clicks, self._now_ns
        turned = round(tile.hand.angle_counts(now_ns) / COUNTS_PER_TURN * clicks * FINEST_TURN) / FINEST_TURN
        return SquareView(
            label=label,
            state="" if square is None else square.state.name,
            told=line.removeprefix(label).lstrip(": \u00a0").removesuffix("."),
            clicks=clicks,
            turned=turned,
            moving=now_ns < tile.hand.at_rest_from_ns,
            between=tile.hand.position is None,
            plugged=tile.plugged,
            faults=self._lasting(label),
            turned_by="" if claim is None else game.seats[claim.seat].name,
        )

    def _lamp(self, settings: SeatSettings) -> bool | None:
        """Whether a seat's lamp shines; None if it has none."""
        level = self._demo.table.sim_pins.level
        if settings.lamp is not None:
            shines_at = settings.lamp.common == "cathode"
            return any((level(gpio) > 0) is shines_at for gpio in settings.lamp.gpios)
        return None if settings.lamp_gpio is None else level(settings.lamp_gpio) > 0

    def _seat(self, seat: str) -> SeatView:
        table, settings = self._demo.table, self.settings.seats[seat]
        claim = self._demo.loop.moment.game.claim_of(seat)
        oled = table.oleds.get(seat)
        return SeatView(
            seat=seat,
            name=settings.name,
            glass=None if oled is None else oled.pixels(),
            contrast=0 if oled is None else oled.contrast,
            lamp=self._lamp(settings),
            held=not self._up(seat),
            claiming=_claiming(claim),
            square="" if claim is None else claim.square or "",
            rolled=self._die_of(seat),
        )

    def _die_of(self, seat: str) -> int | None:
        rolled, until_ns = self._rolled.get(seat, (None, 0))
        return rolled if self._now_ns < until_ns else None


def _claiming(claim: Claim | None) -> Claiming:
    if claim is None:
        return Claiming.NO
    return Claiming.OPEN if claim.square is None else Claiming.BOUND
