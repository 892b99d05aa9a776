"""`trapdial station play`: a table that plays with whoever comes, and that nobody types at."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.options import settings_option

if TYPE_CHECKING:
    from pi_app.cli.simulated_play import SimulatedPlay
    from pi_app.cli.terminal import Terminal
    from pi_app.game.events import AnyEvent
    from pi_app.journal import Journal
    from pi_app.play.phones import TablePages
    from pi_app.report.moment import Moment
    from pi_app.report.pictures import SeatPicture
    from pi_app.settings.model import Settings
    from pi_app.station.public import PublicState
    from pi_app.station.table import Hooks, StationTable

GO_ON: Final = "Its visitors' game is ended when the station starts again."

NO_SECTION: Final = "note: {where} has no [station]: the station runs with what stands for it."
NO_PAGES: Final = "note: the station plays without phones. {why}"
READY: Final = "The station is ready."


@click.command()
@settings_option
@click.option("--journal", type=click.Path(path_type=Path), help="Use this journal instead of the one in the settings.")
@click.option("--simulated", is_flag=True, help="Run a simulation of this table instead of its wires.")
def play(settings_file: Path, journal: Path | None, simulated: bool) -> None:
    """Play with whoever comes, without anybody at a keyboard.

    Any button, dial or phone wakes the station; it teaches a first turn, lets its visitors play, and begins from the
    start when nobody does anything for a while. Each group gets a new deal, and nothing of it is left afterwards but
    its sealed record: `trapdial docs station`.

    It asks no question, and nothing has to be typed. A dial that does not answer is a trouble that staff can read, and
    the others play. A game that a power cut interrupted is ended at the next start.

    With --simulated no hardware is needed, as with `trapdial play --simulated`: hands are typed, `sim help` lists them.
    """
    from pi_app.cli.stopping import requesting
    from pi_app.cli.terminal import Terminal, warn
    from pi_app.settings import load as settings
    from pi_app.station.build import station_settings

    loaded = settings.load(settings_file)
    for problem in loaded.warnings:
        warn(f"note: {problem}")
    if simulated:
        from pi_app.cli.play import PRACTISE
        from pi_app.play.opened import journals_of, open_secrets

        open_secrets("demo", journals_of([settings_file]), in_play=False, advice=PRACTISE)
    if loaded.station is None:
        warn(NO_SECTION.format(where=loaded.where))
    with Terminal() as terminal, requesting(GO_ON) as request:
        twins = _twins(loaded, terminal) if simulated else None
        with station_at(station_settings(loaded), journal, terminal, twins) as station:
            request.calls(station.loop.stop)
            terminal.say(READY)
            _run(station, twins)


@contextlib.contextmanager
def station_at(
    settings: Settings,
    journal: Path | None,
    terminal: Terminal,
    twins: SimulatedPlay | None = None,
    hooks: Callable[[Terminal], Hooks] | None = None,
) -> Iterator[StationTable]:
    """Yield the station of these settings, which are `station_settings`. Raises UserFileError, JournalFileError, and
    HardwareError for a bus that cannot be opened."""
    from pi_app.journal import Journal, machine_stamp
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.build import Outputs, TableBuilder
    from pi_app.play.mage_knight import MAGE_KNIGHT
    from pi_app.play.parts import RealParts
    from pi_app.station.build import end_interrupted, station_table
    from pi_app.text.language import words

    path = journal or (settings.beside(settings.table.journal) if twins is None else twins.journal())
    prepare_keys(path, settings.keys_place)
    stamp = machine_stamp if twins is None else twins.stamp
    with Journal(path, MAGE_KNIGHT, stamp) as record:
        _refuse_real_game(path, record, twins)
        if interrupted := end_interrupted(record, words(settings.table.language)):
            terminal.say(interrupted)
        parts = RealParts() if twins is None else twins.parts(None)
        with _pages(settings) as pages, TableBuilder(settings, parts) as builder:
            outputs = Outputs(shown=None if twins is None else _shown(twins))
            with _fed((hooks or _hooks)(terminal), path, pages) as made:
                yield station_table(builder, record, hooks=made, outputs=outputs, pages=pages)


@contextlib.contextmanager
def _fed(hooks: Hooks, journal: Path, pages: TablePages | None) -> Iterator[Hooks]:
    """The hooks, with public states that also go to the public displays."""
    import os
    from dataclasses import replace

    from hardware.clock import MachineClock
    from pi_app.station.public_feed import PublicFeed, feed_path

    clock, published = MachineClock(), hooks.published
    with contextlib.closing(PublicFeed(feed_path(os.environ, journal), pages.link.send if pages else None)) as feed:
        if feed.trouble:
            hooks.said(feed.trouble)

        def show(state: PublicState) -> None:
            published(state)
            feed.show(state, clock.now_ns())

        yield replace(hooks, published=show)


def _refuse_real_game(path: Path, record: Journal[Moment, AnyEvent], twins: SimulatedPlay | None) -> None:
    """Raise UserFileError if twins would end a game that is played on real dials."""
    from pi_app.play.resuming import other_parts

    unfinished = None if twins is None else record.unfinished()
    if unfinished is not None and not unfinished[1].game.simulated:
        raise other_parts(path, simulated=True)


def _run(station: StationTable, twins: SimulatedPlay | None) -> None:
    """Play until a signal, or for simulated hands until `quit`."""
    if twins is None:
        station.run()
        return
    from pi_app.cli.typed_lines import read_lines

    hands = twins.hands(station.loop)
    read_lines(hands, twins.say)
    while station.loop.running:
        hands.step()
        station.step()


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

    twins = SimulatedPlay(settings, terminal.say)
    twins.welcome()
    return twins


@contextlib.contextmanager
def _pages(settings: Settings) -> Iterator[TablePages | None]:
    """Open the pages for phones. A station without a network plays without them."""
    if settings.pages is None:
        yield None
        return
    from pi_app.cli.terminal import warn
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.open_pages import open_pages
    from pi_app.text.errors import UserFileError

    with contextlib.ExitStack() as opened:
        pages = None
        try:
            keys = prepare_keys(settings.beside(settings.table.journal), settings.keys_place, unlock=False)
            pages = opened.enter_context(open_pages(settings, keys))
        except UserFileError as error:
            warn(NO_PAGES.format(why=error))
        yield pages
