"""`trapdial station play`: a table that plays with every visitor, without a keyboard."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.options import settings_named
from pi_app.cli.printing import is_terminal

if TYPE_CHECKING:
    from pi_app.cli.simulated_play import SimulatedPlay
    from pi_app.cli.stopping import Request
    from pi_app.cli.terminal import Terminal
    from pi_app.game.events import AnyEvent
    from pi_app.journal import Journal
    from pi_app.pages.link import PagesLink
    from pi_app.play.open_pages import RoamingLink
    from pi_app.play.phones import TablePages
    from pi_app.report.moment import Moment
    from pi_app.report.pictures import SeatPicture
    from pi_app.settings.model import Settings
    from pi_app.station.public.state import PublicState
    from pi_app.station.service.service import Places, Service
    from pi_app.station.staff.setup import StaffStart
    from pi_app.station.staff.staff import StationStaff
    from pi_app.station.table import Hooks, StationTable
    from pi_app.station.troubles.troubles import TroubleFound

GO_ON: Final = "Its visitors' game is ended when the station starts again."

NO_SECTION: Final = "note: {where} has no [station]: the station runs with what stands for it."
NO_PAGES: Final = "note: the station plays without phones. {why}"
READY: Final = "The station is ready."


@click.command()
@settings_named("The station's settings: ./trapdial.toml, or for a service those of the card.")
@click.option("--journal", type=click.Path(path_type=Path), help="Use this journal instead of the one in the settings.")
@click.option("--simulated", is_flag=True, help="Run a simulation of this table instead of its wires.")
def play(settings_file: Path | None, journal: Path | None, simulated: bool) -> None:
    """Play with every visitor, without a keyboard.

    Any button, dial or phone wakes the station. It teaches a first turn, lets its visitors play, and starts over when
    all of them have stopped for a while. Each group gets a new deal and leaves nothing behind but its sealed record:
    `trapdial docs station`.

    It asks no questions. If a dial does not answer, the staff page says so, and the other dials play on. The next start
    ends a game that a power cut interrupted.

    As a service (`trapdial station install`) it takes its settings from the card's boot partition, and after many
    failures it starts as a recovery table, which opens no hardware.

    With --simulated no hardware is needed, as with `trapdial play --simulated`: hands are typed, `sim help` lists them.
    """
    from pi_app.cli.stopping import requesting
    from pi_app.cli.terminal import Terminal
    from pi_app.station.service.service import places, serving

    at = places(os.environ)
    with Terminal() as terminal, requesting(GO_ON) as request:
        if at is None:
            _play(StationStart(terminal, request, journal, simulated), _loaded(settings_file or Path(SETTINGS)))
            return
        with serving(os.environ, at) as service:
            start = StationStart(terminal, request, journal, simulated, at, service)
            if service.decision.kind == "table":
                _serve(start, settings_file)
            else:
                _recover(start)


SETTINGS: Final = "trapdial.toml"


@dataclass(frozen=True, slots=True)
class StationStart:
    """How a station is started. `at` and `service`: as a service."""

    terminal: Terminal
    request: Request
    journal: Path | None
    simulated: bool
    at: Places | None = None
    service: Service | None = None


def _loaded(path: Path) -> Settings:
    from pi_app.settings import load as settings

    return settings.load(path)


def _serve(start: StationStart, settings_file: Path | None) -> None:
    """Play as a service, with these settings or those that the card has."""
    from pi_app.station.service.boot_settings import accepted, choose
    from pi_app.station.service.service import powered

    assert start.at is not None
    if settings_file is not None:
        _play(start, _loaded(settings_file))
        return
    state, chosen = start.at.state, choose(start.at.state, powered()[0])
    _play(start, chosen.settings, chosen.problems, lambda: accepted(state, chosen))


def _play(
    start: StationStart, loaded: Settings, problems: Sequence[str] = (), accept: Callable[[], None] = lambda: None
) -> None:
    """Play with these settings. `problems`: sentences about others, which everybody sees; `accept`: called when the
    station is ready."""
    from pi_app.cli.terminal import warn
    from pi_app.station.build import keyed_by_names, station_settings
    from pi_app.station.troubles.start_errors import mistake_in

    for line in (*(f"note: {problem}" for problem in loaded.warnings), *problems):
        warn(line)
    if start.simulated:
        from pi_app.cli.play import PRACTISE
        from pi_app.play.opened import journals_of, open_secrets

        open_secrets("demo", journals_of([Path(loaded.where)]), in_play=False, advice=PRACTISE)
    if loaded.station is None:
        warn(NO_SECTION.format(where=loaded.where))
    at, settings = start.at, station_settings(loaded)
    if start.simulated:
        settings = keyed_by_names(settings)
    twins = _twins(settings, start.terminal) if start.simulated else None
    with (
        _darkened_after(at, settings, twins),
        station_at(settings, start, twins, mistake=mistake_in(problems)) as station,
    ):
        start.request.calls(station.loop.stop)

        def ready() -> None:
            if start.service is not None:
                start.service.ready(station.health)
                start.service.say(problems[0] if problems else READY)
            accept()
            start.terminal.say(READY)

        _run(station, twins, ready)


def _darkened_after(
    at: Places | None, settings: Settings, twins: SimulatedPlay | None
) -> contextlib.AbstractContextManager[None]:
    """Leave word of what goes dark after the end of a service."""
    if at is None or twins is not None:
        return contextlib.nullcontext()
    from hardware.panel import header_chip
    from pi_app.station.service.lights import left_word

    return left_word(at.run, settings, f"/dev/gpiochip{header_chip()}")


def _recover(start: StationStart) -> None:
    """Run the recovery table: it opens no hardware, and says what failed on the displays and the staff page."""
    from pi_app.station.service.recovery_table import RecoveryTable, public_state
    from pi_app.text.languages import LANGUAGES

    assert start.at is not None
    assert start.service is not None
    settings = _kept_settings(start.at)
    with contextlib.ExitStack() as opened:
        link = None if settings is None or start.at.pages is None else _recovery_link(settings, start.at.pages)
        if link is not None:
            opened.callback(link.close)
        hooks = opened.enter_context(_fed(_hooks(start.terminal), start.at.state / SETTINGS, link))
        staff = None
        if settings is not None:
            staff = opened.enter_context(_staffed(settings, _recovery_start(start.at, link)))
        table = RecoveryTable(start.service, lambda said: hooks.published(public_state(said)), LANGUAGES, link, staff)
        start.terminal.say(table.said["en"])
        start.request.calls(table.stop)
        table.run()


def _kept_settings(at: Places) -> Settings | None:
    """The settings that a service ran with last, if they can be read."""
    from pi_app.text.errors import UserFileError

    try:
        return _loaded(at.state / SETTINGS)
    except UserFileError:
        return None


def _recovery_link(settings: Settings, socket: Path) -> RoamingLink | None:
    """The link to the page process of a service. A socket that cannot be made leaves no phone a chance."""
    from pi_app.pages.meeting import Meeting
    from pi_app.play.open_pages import RoamingLink
    from pi_app.settings.pages_section import PagesSettings
    from pi_app.text.errors import UserFileError

    try:
        return RoamingLink(settings.pages or PagesSettings(), Meeting(socket))
    except UserFileError:
        return None


def _recovery_start(at: Places, link: RoamingLink | None) -> StaffStart:
    from hardware.clock import MachineClock
    from pi_app.station.staff.setup import recovery_start

    return recovery_start(at, lambda: () if link is None else link.hosts, MachineClock().now_ns)


@contextlib.contextmanager
def station_at(
    settings: Settings, start: StationStart, twins: SimulatedPlay | None = None, *, mistake: str = ""
) -> Iterator[StationTable]:
    """Yield the station of these settings, which are `station_settings`. `mistake`: where other settings have one.
    Raises UserFileError, JournalFileError, and HardwareError for a bus that cannot be opened."""
    from hardware.host import Host
    from pi_app.cli.handed_over import handing_over, stamp_of
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.build import Outputs, TableBuilder
    from pi_app.play.parts import RealParts
    from pi_app.station.build import end_interrupted, station_journal, station_table
    from pi_app.station.staff.setup import StaffStart, update_from_stick
    from pi_app.station.troubles.troubles import Facts
    from pi_app.text.language import words

    terminal, at = start.terminal, start.at
    path = start.journal or (settings.beside(settings.table.journal) if twins is None else twins.journal())
    prepare_keys(path, settings.keys_place)
    parts = RealParts() if twins is None else twins.parts(None)
    stamp = stamp_of(settings, path) if twins is None else twins.stamp
    now_ns = parts.clock.now_ns
    with station_journal(path, settings, stamp, now_ns=now_ns) as (record, records):
        _refuse_real_game(path, record, twins)
        if interrupted := end_interrupted(record, words(settings.table.language)):
            terminal.say(interrupted)
        # as a service another one hands the record over: the table's own may not use the network
        sender = handing_over(settings, path) if twins is None and at is None else contextlib.nullcontext()
        with sender, _pages(settings, at) as (opened, why), TableBuilder(settings, parts) as builder:
            outputs = Outputs(shown=None if twins is None else _shown(twins))
            known = StaffStart(
                folder=path.parent if at is None else at.state,
                journal=path,
                hosts=tuple if opened is None else opened.hosts,
                now_ns=now_ns,
                stamp=stamp,
                simulated=twins is not None,
                known=Facts(settings_mistake=mistake),
                lasting=() if why is None else (why,),
                update=None if at is None else update_from_stick(at, Host()),
            )
            with (
                _fed(_hooks(terminal), path, opened.link if opened else None) as hooks,
                _staffed(settings, known) as staff,
            ):
                pages = None if opened is None else replace(opened, staff=staff.answer)
                yield station_table(
                    builder, record, hooks=hooks, outputs=outputs, pages=pages, records=records, staff=staff
                )


@contextlib.contextmanager
def _staffed(settings: Settings, start: StaffStart) -> Iterator[StationStaff]:
    """The staff's side of a station, with a thread that asks its machine and writes its troubles down."""
    from pi_app.station.staff.setup import staff_of

    staff, watch = staff_of(settings, start)
    with watch.running(also=staff.write_ring):
        try:
            yield staff
        finally:
            staff.end()


def _refuse_real_game(path: Path, record: Journal[Moment, AnyEvent], twins: SimulatedPlay | None) -> None:
    """Raise UserFileError if twins would end a game that is played on real dials."""
    from pi_app.play.resuming import other_parts

    unfinished = None if twins is None else record.unfinished()
    if unfinished is not None and not unfinished[1].game.simulated:
        raise other_parts(path, simulated=True)


@contextlib.contextmanager
def _fed(hooks: Hooks, journal: Path, pages: PagesLink | None) -> Iterator[Hooks]:
    """The hooks, with public states that also go to the public displays."""
    from hardware.clock import MachineClock
    from pi_app.station.public.feed import PublicFeed, feed_path

    clock, published = MachineClock(), hooks.published
    with contextlib.closing(PublicFeed(feed_path(os.environ, journal), pages.send if pages else None)) as feed:
        if feed.trouble:
            hooks.said(feed.trouble)

        def show(state: PublicState) -> None:
            published(state)
            feed.show(state, clock.now_ns())

        yield replace(hooks, published=show)


def _run(station: StationTable, twins: SimulatedPlay | None, ready: Callable[[], None]) -> None:
    """Play until a signal, or for simulated hands until `quit` or the end of the input. `ready`: called when the dials
    count."""
    station.begin()
    ready()
    station.step()
    if twins is None:
        station.run()
        return
    from pi_app.cli.typed_lines import has_input, read_lines

    hands = twins.hands(station.loop, echoes=not is_terminal(sys.stdin))
    read_lines(hands, twins.say, hands.end_input if has_input() else lambda: None)
    while station.loop.running:
        hands.step()
        station.step()
        if hands.over:
            station.loop.stop()


def _hooks(terminal: Terminal) -> Hooks:
    from pi_app.station.table import Hooks

    return Hooks(published=_Announcing(terminal.say), said=terminal.say)


class _Announcing:
    """Prints what the station tells everybody, in the language of the visit, once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._last = say, ""

    def __call__(self, state: PublicState) -> None:
        said = state.says.get(state.language, "")
        if state.warning_s is None and said != self._last:
            self._last = said
            self._say(f"{state.state:<8} | {said}")


def _shown(twins: SimulatedPlay) -> Callable[[str, SeatPicture, int], None]:
    """Print what seats' screens show, but not the words that drift over them for passers-by."""
    from pi_app.report.pictures import Drift

    def shown(seat: str, picture: SeatPicture, at_ns: int) -> None:
        if not isinstance(picture, Drift):
            twins.shown(seat, picture, at_ns)

    return shown


def _twins(settings: Settings, terminal: Terminal) -> SimulatedPlay:
    from pi_app.cli.simulated_play import SimulatedPlay
    from pi_app.cli.table_output import SIMULATED, TextLines

    twins = SimulatedPlay(settings, TextLines(terminal.say, SIMULATED))
    twins.welcome()
    return twins


@contextlib.contextmanager
def _pages(settings: Settings, at: Places | None) -> Iterator[tuple[TablePages | None, TroubleFound | None]]:
    """Open the pages for phones. A station without a network plays without them: then the trouble stands beside."""
    if settings.pages is None:
        yield None, None
        return
    from pi_app.cli.terminal import warn
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.open_pages import meet_pages, open_pages
    from pi_app.station.troubles.start_errors import trouble_of
    from pi_app.text.errors import UserFileError

    with contextlib.ExitStack() as opened:
        pages, why = None, None
        try:
            keys = prepare_keys(settings.beside(settings.table.journal), settings.keys_place, unlock=False)
            meeting = None if at is None else at.pages
            opening = open_pages(settings, keys) if meeting is None else meet_pages(settings, keys, meeting)
            pages = opened.enter_context(opening)
        except UserFileError as error:
            warn(NO_PAGES.format(why=error))
            why = trouble_of(error)
        yield pages, why
