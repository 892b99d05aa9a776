"""A simulated table that is played by hand. Only its own thread touches the game and the twins.

Other threads send requests, and read the last frozen `Snapshot`. All times are the table's virtual ones.
"""

from __future__ import annotations

import contextlib
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pi_app.game.state import Phase
from pi_app.play.build import Outputs
from pi_app.report.plain_lines import PlainLines
from pi_app.report.public_lines import PublicLines
from pi_app.report.visibility import PUBLIC, REFEREE, SEAT
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo, Twins
from pi_app.simulated.fault_option import WantedFault
from pi_app.simulated.live.hold import HoldKey
from pi_app.simulated.live.lamp_reading import FlashCounter, card_rows, is_lit
from pi_app.simulated.live.values import Claiming, LiveSeat, LogLine, Snapshot, SquareView, Stage
from pi_app.simulated.table import FAULTS
from pi_app.simulated.wall_clock import WallClock
from pi_app.text.language import N_
from pi_app.text.language import words as words_of

SNAPSHOT_NS: Final = 50_000_000
"""The period of snapshots: the shortest flash of a lamp is four times as long."""

TAP_NS: Final = 150_000_000
ROLLED_NS: Final = 8_000_000_000
"""How long a player's die is shown."""

RATE_NS: Final = 1_000_000_000
LOG_MOST: Final = 200
FINEST_TURN: Final = 16
"""The angle of a dial is rounded to a sixteenth of a click, so that noise is not drawn."""

COUNTS_PER_TURN: Final = 4096

NO_CABLE: Final = N_("{square} is on no hub with a board. Start the demo with --hub to have one.")
CABLE_OUT: Final = N_("hub {hub}: its USB cable was pulled.")
CABLE_IN: Final = N_("hub {hub}: its USB cable is plugged in again.")

_STAGES: Final = {Phase.NONE: Stage.STARTING, Phase.PLAYING: Stage.PLAYING, Phase.ENDED: Stage.ENDED}


AfterGame = Callable[[str, str], Sequence[str]]


class LiveTable:
    """One table. Its own thread calls `opened`, `step` and `play`; any thread may call the rest."""

    def __init__(
        self,
        settings: Settings,
        journal: Path,
        *,
        seed: int = 0,
        resume: bool = False,
        faults: Sequence[WantedFault] = (),
        boards: bool = False,
        after_game: AfterGame = lambda game_id, letters: (),
    ) -> None:
        """`after_game` takes a game that has ended and the record's head, and returns the lines that follow it."""
        self.settings = settings
        self.snapshot: Snapshot | None = None
        self.begun = threading.Event()
        self._words = words_of(settings.table.language)
        self._journal, self._seed, self._resume = journal, seed, resume
        self._faults, self._boards = faults, boards
        self._after_game, self._ended = after_game, ""
        self.after: tuple[str, ...] = ()
        """What followed the last game that ended."""
        self._active_faults: dict[str, set[str]] = {}
        self._requests: deque[Callable[[], None]] = deque()
        self.stopping = False
        self._dice = random.Random(f"dice {seed}")
        self._holds = {seat: HoldKey(round(settings.table.show_s * 1e9) + RATE_NS) for seat in settings.seats}
        self._counters = {key: FlashCounter() for key, seat in settings.seats.items() if seat.screen is None}
        self._rolled: dict[str, tuple[int, int]] = {}
        self._log: deque[LogLine] = deque(maxlen=LOG_MOST)
        viewers = (PUBLIC.name, REFEREE.name, *(SEAT + seat for seat in settings.seats))
        self._lines = PlainLines(self._keep, viewers, settings.squares)
        self._next_snapshot_ns = self._rate_from_ns = 0
        self._steps = self._gap_ns = self._step_ns = 0
        self._rate = (0, 0)
        self._new_game = False
        self._public_lines = PublicLines([settings.table.language, *(s.language for s in settings.seats.values())])

    # ------------------------------------------------------------------ the table's thread

    @contextlib.contextmanager
    def opened(self) -> Iterator[LiveTable]:
        """Build the table, and close everything in the end. Raises HardwareError and UserFileError."""
        outputs, twins = Outputs([self._lines]), Twins(boards=self._boards)
        with Demo(
            self.settings, self._journal, seed=self._seed, resume=self._resume, outputs=outputs, twins=twins
        ) as demo:
            self._demo = demo
            demo.inject(self._faults)
            self.take_snapshot()
            yield self

    def play(self) -> None:
        """Run the table in real time until the player quits or `stop` is called. `begun` is set in any case."""
        try:
            with self.opened():
                self._demo.table.clock.pace = self._demo.table.clock.pace or WallClock()
                self.begun.set()
                while self.running:
                    self.step()
                self._demo.loop.session.check_recorded()
        finally:
            self.begun.set()

    @property
    def running(self) -> bool:
        return not self.stopping and self._demo.loop.running

    def step(self) -> None:
        """Run the requests, then one round of the table's loop."""
        while self._requests:
            self._requests.popleft()()
        self._update_buttons()
        self._begin_when_turned_back()
        self._demo.step()
        self._count_flashes()
        self._tell_after_game()
        self._count_step()
        if self._now_ns >= self._next_snapshot_ns:
            self.take_snapshot()

    def pass_s(self, seconds: float) -> None:
        """Run the table for this virtual time, then take a snapshot."""
        end_ns = self._now_ns + round(seconds * 1e9)
        while self.running and self._now_ns < end_ns:
            self.step()
        self.take_snapshot()

    def _keep(self, viewers: Sequence[str], line: str, at_ns: int) -> None:
        referee = REFEREE.name in viewers and PUBLIC.name not in viewers
        seats = () if referee else tuple(name.removeprefix(SEAT) for name in viewers if name.startswith(SEAT))
        self._log.append(LogLine(at_ns // RATE_NS, REFEREE.name if referee else PUBLIC.name, line, seats))

    @property
    def _now_ns(self) -> int:
        return self._demo.table.clock.now_ns()

    # ------------------------------------------------------------------ requests, from any thread

    def do(self, action: actions.TableAction) -> None:
        """Perform an action."""
        self._request(lambda: self._demo.act(action))

    def say(self, line: str) -> None:
        """Type a line of the table's command language."""
        self._request(lambda: self._demo.loop.say(line))

    def tap(self, seat: str) -> None:
        """Press a seat's button shortly. One that is held is released instead."""
        self._request(lambda: self._tap(seat))

    def hold(self, seat: str) -> None:
        """Handle the key for holding, or its repeat: see `HoldKey`."""
        self._request(lambda: self._set_button(seat, self._holds[seat].pressed(self._now_ns)))

    def turn(self, square: str, clicks: int) -> None:
        """Turn a dial with a coin by signed clicks, counter-clockwise positive."""
        self._request(lambda: self._demo.act(actions.TurnDial(square, clicks, ())))

    def roll(self, seat: str, square: str) -> None:
        """Roll a die and turn the dial that many clicks (T-EXP-4), or as many as the device rolled for this seat. Only
        this seat shows the die."""
        self._request(lambda: self._roll(seat, square))

    def leave_between(self, square: str) -> None:
        """Turn a dial half way to the next click; a second time, to that click."""
        self._request(lambda: self._leave_between(square))

    def turn_back(self, square: str) -> None:
        """Turn a dial clockwise to its start mark."""
        self._request(lambda: self._turn_back(square))

    def plug(self, square: str) -> None:
        """Pull a tile's lead, or plug it in."""
        self._request(lambda: self._plug(square))

    def cable(self, square: str) -> None:
        """Pull the USB cable of a square's hub, or plug it in."""
        self._request(lambda: self._cable(square))

    def toggle_fault(self, square: str, fault: str) -> None:
        """Inject a fault into a tile, or clear it if it is active."""
        self._request(lambda: self._toggle_fault(square, fault))

    def new_game(self) -> None:
        """Turn all dials back after a game, then begin another."""
        self._request(self._turn_all_back)

    def stop(self) -> None:
        """End `play` after this step. The game stays in the journal."""
        self.stopping = True

    def _request(self, request: Callable[[], None]) -> None:
        self._requests.append(request)

    # ------------------------------------------------------------------ hands and buttons

    def _tap(self, seat: str) -> None:
        hold = self._holds[seat]
        if hold.held:
            self._set_button(seat, hold.release())
        elif self._up(seat):
            self._demo.table.press(seat)
            self._demo.table.clock.at(self._now_ns + TAP_NS, lambda: self._demo.table.release(seat))

    def _set_button(self, seat: str, change: bool | None) -> None:
        """Press for True, release for False, do nothing for None."""
        if change is True:
            self._demo.table.press(seat)
            if seat in self._counters:
                self._counters[seat].forget(self._now_ns)
        elif change is False:
            self._demo.table.release(seat)

    def _update_buttons(self) -> None:
        for seat, hold in self._holds.items():
            self._set_button(seat, hold.passed(self._now_ns))

    def _count_flashes(self) -> None:
        for seat, counter in self._counters.items():
            counter.see(bool(is_lit(self.settings.seats[seat], self._demo.table.sim_pins.level)), self._now_ns)

    def _up(self, seat: str) -> bool:
        return self._demo.table.sim_pins.level(self.settings.seats[seat].button_gpio) > 0

    def _roll(self, seat: str, square: str) -> None:
        hand = self._demo.loop.moment.game.turn_of(seat)
        shown = hand.die if hand is not None and hand.roll_pending else None
        rolled = self._dice.randint(1, 6) if shown is None else shown
        self._rolled[seat] = (rolled, self._now_ns + ROLLED_NS)
        self._demo.act(actions.TurnDial(square, rolled, ()))

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
        self._demo.act(actions.ClearFault(square, fault) if pulled else actions.InjectFault(square, fault))

    def _cable(self, square: str) -> None:
        hub = self.settings.squares[square].hub
        if hub is None or hub not in self._demo.table.cables:
            self._lines.told(REFEREE.name, self._words(NO_CABLE).format(square=square), self._now_ns)
            return
        plugged = not self._demo.table.cables[hub]
        self._demo.act(actions.PlugCable(hub, plugged))
        done = CABLE_IN if plugged else CABLE_OUT
        self._lines.told(REFEREE.name, self._words(done).format(hub=hub), self._now_ns)

    def _toggle_fault(self, square: str, fault: str) -> None:
        if fault in self._lasting(square):
            self._demo.act(actions.ClearFault(square, fault))
            self._active_faults[square].discard(fault)
            return
        try:
            self._demo.act(actions.InjectFault(square, fault))
        except ValueError as refused:
            self._lines.told(REFEREE.name, f"{refused}.", self._now_ns)
            return
        if FAULTS[fault].lasts:
            self._active_faults.setdefault(square, set()).add(fault)

    def _lasting(self, square: str) -> tuple[str, ...]:
        """Return the active faults of a square's tile that the keys have injected."""
        return tuple(name for name in FAULTS if name in self._active_faults.get(square, ()))

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

    def _tell_after_game(self) -> None:
        session = self._demo.loop.session
        if session.game.phase is Phase.ENDED and session.game_id != self._ended:
            self._ended = session.game_id
            self.after = tuple(self._after_game(session.game_id, session.journal.head().text()))

    # ------------------------------------------------------------------ the snapshot

    def take_snapshot(self) -> None:
        """Replace the snapshot, unless nothing has changed."""
        self._next_snapshot_ns = self._now_ns + SNAPSHOT_NS
        with self._demo.table.hands:
            made = self._snapshot()
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

    def _snapshot(self) -> Snapshot:
        game = self._demo.loop.moment.game
        samples_per_s, longest_gap_ms = self._rate
        return Snapshot(
            table_name=self.settings.table.name,
            samples=self.settings.uses_samples,
            stage=_STAGES[game.phase],
            at_s=self._now_ns // RATE_NS,
            samples_per_s=samples_per_s,
            longest_gap_ms=longest_gap_ms,
            squares=tuple(self._square(label) for label in self._demo.table.tiles),
            seats=tuple(self._seat(seat) for seat in self.settings.seats),
            log=tuple(self._log),
            after=self.after if game.phase is Phase.ENDED else (),
        )

    def _square(self, label: str) -> SquareView:
        tile = self._demo.table.tiles[label]
        game = self._demo.loop.moment.game
        square, claim = game.squares.get(label), game.claim_on(label)
        clicks, now_ns = tile.hand.clicks, self._now_ns
        told = self._public_lines.of(game, label)
        turned = round(tile.hand.angle_counts(now_ns) / COUNTS_PER_TURN * clicks * FINEST_TURN) / FINEST_TURN
        return SquareView(
            label=label,
            state="" if square is None else square.state.name,
            told=told[self.settings.table.language],
            clicks=clicks,
            turned=turned,
            moving=now_ns < tile.hand.at_rest_from_ns,
            between=tile.hand.position is None,
            plugged=tile.plugged,
            faults=self._lasting(label),
            turned_by="" if claim is None else game.seats[claim.seat].name,
            cabled=self.settings.squares[label].hub in self._demo.table.cables,
            translated=tuple(told.items()),
        )

    def _seat(self, seat: str) -> LiveSeat:
        table, settings = self._demo.table, self.settings.seats[seat]
        game, counter = self._demo.loop.moment.game, self._counters.get(seat)
        claim, player = game.claim_of(seat), game.seats.get(seat)
        oled = table.oleds.get(seat)
        return LiveSeat(
            seat=seat,
            name=settings.name,
            pixels=None if oled is None else oled.pixels(),
            contrast=0 if oled is None else oled.contrast,
            lamp=is_lit(settings, table.sim_pins.level),
            held=not self._up(seat),
            claiming=Claiming.NO if claim is None else Claiming.OPEN if claim.square is None else Claiming.BOUND,
            square="" if claim is None else claim.square or "",
            rolled=self._die_of(seat),
            language=settings.language,
            card=() if counter is None else card_rows("" if player is None else player.lamp),
            flashes=() if counter is None else counter.flashes,
        )

    def _die_of(self, seat: str) -> int | None:
        rolled, until_ns = self._rolled.get(seat, (None, 0))
        return rolled if self._now_ns < until_ns else None
