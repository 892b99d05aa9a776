"""A table in play as a demo station: its loop, and the visits of whoever comes.

The loop plays as at every table. Between its rounds the station notices what hands do, moves the visit on, begins and
ends games, and shows its own pictures while play shows nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import msgspec

from hardware.freed_memory import give_back_memory
from pi_app.game.state import Phase
from pi_app.pages.link import PagesLink
from pi_app.pages.qr import Modules, modules
from pi_app.play.gestures import Gesture
from pi_app.play.loop import Loop
from pi_app.play.seats_and_dials import TableSeat
from pi_app.report.pictures import Say, SeatPicture
from pi_app.station.public.state import PublicState
from pi_app.station.public.view import PublicView
from pi_app.station.records import Records
from pi_app.station.service.health import StationHealth, health_of
from pi_app.station.staff.staff import StationStaff
from pi_app.station.visits import seat_pictures
from pi_app.station.visits.inputs import DieRolled, HoursSay, Input, ResetDone
from pi_app.station.visits.observing import Observer
from pi_app.station.visits.seat_pictures import VisitMoment
from pi_app.station.visits.visit import PLAYED, SECOND_NS, State, Visit, VisitRules, advance, begin_visit, warning_s
from pi_app.text.language import N_
from pi_app.text.language import words as words_of

PUBLISH_NS: Final = SECOND_NS
"""How often the public state is published without a change."""

WIPE_NS: Final = 600_000_000
"""How long a reset lets every screen overwrite what it has shown."""

BEGINS: Final = N_("Visit {number} begins.")
OVER: Final = N_("Visit {number} is over, and nothing of it is left here.")


def is_for_phones(seat: TableSeat, picture: SeatPicture) -> bool:
    """Return whether a phone that has just joined reads these words too."""
    return seat.routed.has_phone and isinstance(picture, Say)


def _nothing(*_: object) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the station asks, and what it tells. `open_now`: whether the shop is open; `trouble`: the gravest trouble
    in every language, empty without one; `lamp`: whether lamps are lit at a time (ns) between visits, None: dark;
    `published` gets each public state; `healthy` gets the health once a second; `said` gets a sentence for the log."""

    open_now: Callable[[], bool] = lambda: True
    trouble: Callable[[], Mapping[str, str]] = lambda: MappingProxyType({})
    lamp: Callable[[int], bool] | None = None
    published: Callable[[PublicState], None] = _nothing
    healthy: Callable[[StationHealth], None] = _nothing
    said: Callable[[str], None] = _nothing


@dataclass(frozen=True, slots=True)
class StationOptions:
    """`names`: what each seat is called, by its key; `buses`: the squares of each bus or hub, for the health; `join`:
    the address that a phone opens, empty without pages; `join_now` returns it where it can change."""

    languages: tuple[str, ...]
    names: Mapping[str, str]
    rules: VisitRules = field(default_factory=VisitRules)
    simulated: bool = False
    join: str = ""
    join_now: Callable[[], str] | None = None
    buses: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


class StationTable:
    """A table that plays with whoever comes."""

    def __init__(
        self,
        loop: Loop,
        options: StationOptions,
        hooks: Hooks | None = None,
        pages: PagesLink | None = None,
        records: Records | None = None,
        staff: StationStaff | None = None,
    ) -> None:
        """`loop` waits for its games: `GameOptions(waits=True)`, and asks `language` for theirs. `records` are tidied
        up between visits; `staff` is told of each second, and shows its self-test."""
        self.loop, self.options, self._hooks = loop, options, hooks or Hooks()
        self._pages, self._records, self._staff = pages, records, staff
        self._untidy = False
        self._tested: Mapping[str, str] = {}
        """What each seat reads of a self-test now."""
        self.visit = Visit(since_ns=loop.session.step_ns)
        self._observer = Observer(loop.session, dict(options.names))
        self._view = PublicView(options.languages, options.names, simulated=options.simulated, join=options.join)
        self._head: Modules = ()
        self._counts = (0, 0, 0)
        self._acted: set[str] = set()
        self._must_end = False
        """Whether the game of a visit that is over is not ended on disk yet."""
        self._seq, self._second_ns, self._published_ns = 0, -SECOND_NS, 0
        self._public: PublicState | None = None
        self._drawn = False
        self._covered = False
        """Whether a warning or a self-test takes the place of everything."""
        if staff is not None:
            staff.attach(loop.session, pages)
        loop.notice(self._noticed)

    @property
    def language(self) -> str:
        """The language of the visit."""
        return self.options.languages[self.visit.language % len(self.options.languages)]

    def health(self) -> StationHealth:
        """Return when the scan, the journal and the pages last worked."""
        return health_of(self.loop.session, self.options.buses, self._pages)

    def run(self) -> None:
        """Play until the loop is stopped."""
        while self.loop.running:
            self.step()

    def begin(self) -> None:
        """Run rounds until every dial was read and rests: a dozen as a rule, 5 s at most. From then on each dial,
        button and phone counts. What takes longer than a round comes with the first `step`, since nobody waits for it:
        the symbols of faces, and what passers-by see."""
        while self.loop.running and not self.loop.ready:
            self._round()

    def step(self) -> None:
        """Run one round of the loop and of the visit, and show everybody what they may see."""
        if not self._drawn:
            self._draw()
        now_ns, second = self._round()
        self._publish(now_ns)
        self._tidy(second=second)

    def begin_visit(self) -> None:
        """End a visit and forget its group at once, and begin the next one with its guide: for simulated visitors who
        make room for a person."""
        if self.visit.state in PLAYED:
            self._end()
        self._reset()
        before, self.visit = self.visit, begin_visit(self.visit, self.loop.session.clock.now_ns())
        self._entered(before.state)

    def _draw(self) -> None:
        """Draw all symbols, so that the first face of a game is as fast as any other."""
        self._drawn = True
        if any(seat.own_screen for seat in self.loop.session.seats.values()):
            from pi_app.displays.picture import prepare

            prepare()

    def _round(self) -> tuple[int, bool]:
        """Run one round of the loop and of the visit. Return its time, and whether a second is over."""
        self.loop.step()
        now_ns = self.loop.session.clock.now_ns()
        inputs: list[Input] = self._observer.take()
        self._acted |= {given.seat for given in inputs if isinstance(given, DieRolled)}
        if self.visit.state is State.RESET and now_ns - self.visit.since_ns >= WIPE_NS:
            inputs.append(ResetDone())
        second = now_ns - self._second_ns >= SECOND_NS
        if second:
            self._second_ns = now_ns
            inputs.append(HoursSay(self._hooks.open_now()))
        before, self.visit = self.visit, advance(self.visit, inputs, now_ns, self.options.rules)
        if self.visit.state is not before.state:
            self._entered(before.state)
        self._keep_playing()
        self._test(now_ns)
        self._show(now_ns)
        if second:
            self._each_second()
        return now_ns, second

    def _each_second(self) -> None:
        """Tell how the station is."""
        self._hooks.healthy(self.health())
        if self._staff is not None:
            found = None if self._records is None else self._records.found
            self._staff.state, self._staff.visits = self.visit.state.value, self.visit.number
            self._staff.also = () if found is None else (found,)
            self._staff.tick()

    def _test(self, now_ns: int) -> None:
        """Begin a self-test when all buttons were held, and let its lamps blink for as long as it is shown."""
        if self._staff is None:
            return
        seats = self.loop.session.seats.values()
        self._staff.pressed((seat.gestures.pressed for seat in seats if seat.button is not None), now_ns)
        tested = self._staff.tested([*self.options.names.values()], self.language, now_ns)
        if bool(tested) != bool(self._tested):
            self._light(self._staff.lamp if tested else None)
        self._tested = tested

    def _tidy(self, *, second: bool) -> None:
        """Do a little for the records while nobody plays: each second, and in each round while more is due."""
        nobody = self.visit.state in (State.ATTRACT, State.CLOSED) and not self._must_end
        if nobody and second:
            self.loop.session.try_disk()
        if self._records is None or not nobody or not (second or self._untidy):
            return
        before = self._records.trouble
        self._untidy = self._records.step()
        if self._records.trouble not in ("", before):
            self._hooks.said(self._records.trouble)

    def _noticed(self, key: str, gesture: Gesture | None) -> bool:
        """Note a gesture. Without a game the station answers it."""
        self._observer.gesture(key, gesture)
        return not (self.visit.state in PLAYED and self.loop.session.playing and not self._must_end)

    # ------------------------------------------------------------------------------------------------- visits

    def _entered(self, before: State) -> None:
        """Do what the beginning of a state asks for."""
        match self.visit.state:
            case State.GUIDED:
                self.loop.session.speak(self.language)
                self._say(BEGINS)
            case State.THANKS:
                self._end()
            case State.RESET:
                self._reset()
            case State.ATTRACT if before is State.RESET:
                self._say(OVER)
            case _:
                pass
        if not self._tested:
            self._light(None)

    def _light(self, lamp: Callable[[int], bool] | None) -> None:
        """Light all lamps by this, or as the visit asks for."""
        if lamp is None and self.visit.state not in PLAYED and self.visit.state is not State.CLOSED:
            lamp = self._hooks.lamp
        for seat in self.loop.session.seats.values():
            seat.routed.stand_by(lamp)

    def _keep_playing(self) -> None:
        """End the game of a visit that is over, and begin that of a new one, as soon as the disk takes it."""
        if self._must_end:
            self._must_end = not self.loop.end_game()
            if not self._must_end and self.visit.state is not State.THANKS:
                self._forget()
        elif self.visit.state in PLAYED and not self.loop.session.playing:
            self.loop.begin_game()

    def _end(self) -> None:
        """End the game, so that its secrets are open, and its head can be photographed. A visit has none whose game the
        disk never let begin."""
        session = self.loop.session
        self._must_end, game = not self.loop.end_game(), session.game
        has_head = game.phase is not Phase.NONE and not self._must_end
        head = session.journal.head().text() if has_head else ""
        result = self._view.ended(game, len(self._acted), head)
        self._counts = (result.exposed, result.triggered, result.disarmed)
        self._head = modules(head.replace(" ", ""), "L") if head else ()

    def _reset(self) -> None:
        """Forget the group. A game that the disk does not let end stays until it does, and nobody sees it."""
        self._head, self._counts = (), (0, 0, 0)
        self._acted.clear()
        if not self._must_end:
            self._forget()
        self.loop.session.speak(self.options.languages[0])

    def _forget(self) -> None:
        self.loop.forget()
        self._observer.forget()
        self._view.forget()
        self._public = None
        self.loop.session.journal.drop_cache()
        gc.collect()
        give_back_memory()

    def _say(self, sentence: str) -> None:
        """Say one sentence for the log, in the first language of the station."""
        self._hooks.said(words_of(self.options.languages[0])(sentence).format(number=self.visit.number))

    # ------------------------------------------------------------------------------------------------- screens

    def _moment(self, now_ns: int) -> VisitMoment:
        warned = warning_s(self.visit, now_ns, self.options.rules)
        begun = self.visit.state not in PLAYED or (self.loop.session.playing and not self._must_end)
        return VisitMoment(self.visit, self.options.languages, warned, begun, self._head, self._counts)

    def _show(self, now_ns: int) -> None:
        """Show each seat the station's picture where play shows none. A warning and a self-test take the place of
        everything."""
        session, now = self.loop.session, self._moment(now_ns)
        covered = now.warning_s is not None or bool(self._tested)
        for place, (key, seat) in enumerate(session.seats.items()):
            if (covered and not self._covered) or self.visit.state not in PLAYED:
                seat.until_ns = None
            name = self.options.names[key]
            picture: SeatPicture = seat_pictures.picture(now, name, place, now_ns)
            if name in self._tested:
                picture = Say((self._tested[name],))
            if seat.routed.now != picture or (seat.routed.on_phone != picture and is_for_phones(seat, picture)):
                session.show_between(seat, picture)
        self._covered = covered

    # ------------------------------------------------------------------------------------------------ the public

    def _publish(self, now_ns: int) -> None:
        """Publish the public state when it has changed, and every second."""
        state = self._view.state(self._moment(now_ns), self.loop.session.game, self._hooks.trouble())
        if self.options.join_now is not None:
            state = msgspec.structs.replace(state, join=self.options.join_now())
        if state == self._public and now_ns - self._published_ns < PUBLISH_NS:
            return
        self._public, self._published_ns = state, now_ns
        self._seq += 1
        self._hooks.published(msgspec.structs.replace(state, seq=self._seq))
