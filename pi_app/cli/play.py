"""`trapdial play`: a table with real dials."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.options import as_one_value, settings_option, to_go_on_with
from pi_app.cli.printing import is_terminal
from pi_app.play.mage_knight import MAGE_KNIGHT

if TYPE_CHECKING:
    from pi_app.cli.simulated_play import SimulatedPlay
    from pi_app.cli.stopping import Request
    from pi_app.cli.table_output import TableOutput
    from pi_app.cli.terminal import Terminal
    from pi_app.game.events import AnyEvent
    from pi_app.journal import Journal
    from pi_app.play.build import TableBuilder
    from pi_app.play.parts import Parts
    from pi_app.play.phones import TablePages
    from pi_app.report.moment import Moment
    from pi_app.report.plain_lines import PlainLines
    from pi_app.settings.model import Settings

PRACTISE: Final = "End that game first, or play with other tables: trapdial demo"

GO_ON: Final = "The game is kept; resume it with --resume."


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """How a table is played. `fast` and `as_json`: only a simulated one."""

    resume: bool
    fresh: bool
    unchecked: bool
    shuffle: bool | None
    simulated: bool
    fast: bool
    as_json: bool
    lock_memory: bool


@click.command()
@settings_option
@click.option("--journal", type=click.Path(path_type=Path), help="Use this journal instead of the one in the settings.")
@click.option("--resume", is_flag=True, help="Resume the unfinished game in the journal.")
@click.option("--new", "fresh", is_flag=True, help="Begin a new game and leave an unfinished one as it is.")
@click.option("--unchecked", is_flag=True, help="Begin without checking the wires first.")
@click.option(
    "--shuffle/--printed", default=None, help="Deal the trap tables again for a new game, or use them as printed."
)
@click.option("--simulated", is_flag=True, help="Run a simulation of this table instead of its wires.")
@click.option("--fast", is_flag=True, help="With --simulated: time passes as fast as this machine computes.")
@click.option("--json", "as_json", is_flag=True, help="With --simulated: print JSON, one object a line.")
@click.option(
    "--lock-memory",
    is_flag=True,
    help="Warn if the program cannot be locked into memory; a service needs LimitMEMLOCK=infinity.",
)
@as_one_value(PlayOptions)
def play(how: PlayOptions, settings_file: Path, journal: Path | None) -> None:
    """Run the table: read the dials, keep the journal, show each trap only to the player who may know it.

    The wires are checked first. A dial that does not answer is reported to the referee, and play begins. Play does not
    begin if a bus or a mux is missing, a chip is not the one in the settings, or a pin is not available; all of these
    are reported at once.

    With --shuffle each square of a new game gets another trap table, and the faces that a die can reach move to other
    clicks, so that knowing the printed dials is of no use.

    With lamp_code = "dealt" in the settings, the lamp of a seat has another code in each game. For a seat without a
    screen the folder `lamp_cards` beside the journal then holds the card, to print for its player alone.

    With [pages] in the settings, phones can be the screens of seats: `trapdial docs phones`. With [centre] the record
    is handed over to a centre while you play: `trapdial docs journal`.

    The terminal shows what everyone may read. Type commands, one per line; `help` lists them.

    With --simulated no hardware is needed: chips, pins and hands are simulated, in real time, and every display says
    SIMULATED. The terminal also shows what each seat's screen shows, and hands are typed: `sim help` lists them. The
    journal is another file beside the one in the settings. At the end of the input play ends, once everything has
    settled; a script adds --fast and --json: `trapdial docs demo`.
    """
    from pi_app.settings import load as settings

    if (how.fast or how.as_json) and not how.simulated:
        raise click.UsageError(f"{'--fast' if how.fast else '--json'} needs --simulated.")
    loaded = settings.load(settings_file)
    _play(how, loaded, settings_file, journal)


def _play(how: PlayOptions, loaded: Settings, settings_file: Path, journal: Path | None) -> None:
    """Check the wires of these settings and play."""
    from pi_app.cli.handed_over import handing_over, stamp_of
    from pi_app.cli.stopping import requesting
    from pi_app.cli.terminal import Terminal, warn
    from pi_app.journal import Journal
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.build import TableBuilder

    for problem in loaded.warnings:
        warn(f"note: {problem}")
    if how.simulated:
        from pi_app.play.opened import journals_of, open_secrets

        open_secrets("demo", journals_of([settings_file]), in_play=False, advice=PRACTISE)
    with Terminal() as terminal, contextlib.closing(_lines(loaded, output := _output(how, terminal))) as lines:
        twins = _twins(loaded, output, how) if how.simulated else None
        if not how.unchecked:
            _check_wires(loaded, lines, twins)
        path = journal or (loaded.beside(loaded.table.journal) if twins is None else twins.journal())
        prepare_keys(path, loaded.keys_place)
        stamp = stamp_of(loaded, path) if twins is None else twins.stamp
        with requesting(GO_ON, path) as request, Journal(path, MAGE_KNIGHT, stamp) as record:
            unfinished = None if how.fresh else to_go_on_with(record, how.resume)
            parts = _parts(path, loaded, twins, unfinished)
            sender = handing_over(loaded, path) if twins is None else contextlib.nullcontext()
            opened = _pages(loaded, fast=how.fast)
            with sender, opened as pages, TableBuilder(loaded, parts) as builder:
                game = OpenTable(path, record, builder, lines, output, pages, unfinished)
                _run(how, loaded, game, terminal, request, twins)


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table whose parts and record are open, so that a game can run."""

    path: Path
    record: Journal[Moment, AnyEvent]
    builder: TableBuilder
    lines: PlainLines
    output: TableOutput
    pages: TablePages | None
    unfinished: tuple[str, Moment] | None


def _run(
    how: PlayOptions,
    loaded: Settings,
    at: OpenTable,
    terminal: Terminal,
    request: Request,
    twins: SimulatedPlay | None,
) -> None:
    """Run the game until it is left."""
    from pi_app.cli.after_game import AfterGame, after_game
    from pi_app.cli.lamp_cards import LampCards
    from pi_app.cli.typed_lines import has_input, read_lines
    from pi_app.play.build import GameOptions, Outputs
    from pi_app.play.locked_memory import lock_memory
    from pi_app.text.language import words

    cards = LampCards(loaded, at.path, terminal.say if twins is None else at.output.say)
    notes = lock_memory(loaded.table.language, asked=how.lock_memory) if twins is None or how.lock_memory else ()
    translated = words(loaded.table.language)

    def refuse(reason: str) -> None:
        at.output.tell(["referee"], translated(reason))

    qr = terminal.shown_to_a_person and not how.as_json

    def tell(game_id: str, letters: str) -> tuple[str, ...]:
        return after_game(at.path, game_id, letters, translated, qr=qr)

    after = AfterGame(tell, at.output.say, wrapped=not how.as_json)
    outputs = Outputs([at.lines, after], shown=None if twins is None else twins.shown, dealt=cards.dealt)
    loop = at.builder.loop(
        at.record,
        resume=at.unfinished,
        outputs=outputs,
        game=GameOptions(shuffle=how.shuffle),
        notes=notes,
        pages=at.pages,
    )
    after.watch(loop)
    request.calls(loop.stop)
    with after:
        if twins is None:
            read_lines(loop.say, refuse)
            loop.run()
            loop.session.check_recorded()
            return
        hands = twins.hands(loop, echoes=not is_terminal(sys.stdin))
        read_lines(hands, refuse, hands.end_input if how.fast or has_input() else lambda: None)
        twins.run(loop, hands)
        loop.session.check_recorded()


def _pages(settings: Settings, *, fast: bool) -> contextlib.AbstractContextManager[TablePages | None]:
    """Open the pages for phones, if the settings ask for them; a fast table has none, for phones take their time.
    Raises UserFileError if that is not possible."""
    if settings.pages is None or fast:
        return contextlib.nullcontext()
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.open_pages import open_pages

    keys = prepare_keys(settings.beside(settings.table.journal), settings.keys_place, unlock=False)
    return open_pages(settings, keys)


def _output(how: PlayOptions, terminal: Terminal) -> TableOutput:
    from pi_app.cli.table_output import SIMULATED, JsonLines, TextLines

    return JsonLines(terminal.say) if how.as_json else TextLines(terminal.say, SIMULATED if how.simulated else "")


def _twins(settings: Settings, output: TableOutput, how: PlayOptions) -> SimulatedPlay:
    from pi_app.cli.simulated_play import SimulatedPlay

    twins = SimulatedPlay(settings, output, fast=how.fast)
    twins.welcome()
    return twins


def _real_parts() -> Parts:
    from pi_app.play.parts import RealParts

    return RealParts()


def _parts(path: Path, settings: Settings, twins: SimulatedPlay | None, unfinished: tuple[str, Moment] | None) -> Parts:
    """Return the parts of the table. Raises UserFileError if the unfinished game cannot be resumed on them."""
    from pi_app.play.resuming import refuse_mismatch

    real = _real_parts() if twins is None else None
    if unfinished is not None:
        refuse_mismatch(path, unfinished[1].game, settings, simulated=real is None or real.simulated)
    return twins.parts(unfinished) if twins is not None else real or _real_parts()


def _lines(settings: Settings, output: TableOutput) -> PlainLines:
    """Print the public lines and the referee's notices, each sentence once."""
    from pi_app.cli.terminal import VIEWERS
    from pi_app.report.plain_lines import PlainLines

    return PlainLines(output.tell, VIEWERS, settings.squares)


def _check_wires(settings: Settings, lines: PlainLines, twins: SimulatedPlay | None) -> None:
    """Check the wires and release them. Raises WiringRefusedError."""
    from hardware.host import Host
    from pi_app.workshop.start_check import start_check

    with contextlib.closing(_real_parts() if twins is None else twins.parts(None)) as parts:
        found = start_check(settings, parts, Host())
    found.insist()
    for line in found.noticed:
        lines.told("referee", line, 0)
    lines.flush()
