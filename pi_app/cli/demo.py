"""`trapdial demo`: the program on a simulated table."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.demo_record import DemoRecord, demo_record
from pi_app.cli.main import stop
from pi_app.cli.options import as_one_value, check_languages, in_play_option, settings_named
from pi_app.cli.printing import echo, echo_lines, is_terminal
from pi_app.text import exit_codes

if TYPE_CHECKING:
    from pi_app.play.seats_and_dials import Listener
    from pi_app.settings.model import Settings
    from pi_app.simulated.fault_option import WantedFault


@dataclass(frozen=True, kw_only=True)
class DemoOptions:
    """What the command line of `trapdial demo` says."""

    settings_file: Path | None
    size: str | None
    auto: bool
    exposes: int
    seed: int
    plain: bool
    tables: tuple[Path, ...]
    languages: tuple[str, ...]
    streams: Path | None
    journal: Path | None
    resume: bool
    faults: tuple[str, ...]
    boards: bool
    list_faults: bool
    more_tables: tuple[Path, ...]
    in_play: bool
    pages: bool
    port: int | None
    station: bool


@click.command()
@settings_named("A trapdial.toml of your own.")
@click.option(
    "--size", type=click.Choice(["2x2", "8x4", "16x4"]), default=None, help="An example table: squares x seats."
)
@click.option("--auto", is_flag=True, help="Let simulated players play a game to its end, as fast as possible.")
@click.option(
    "--exposes", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many squares --auto exposes."
)
@click.option(
    "--seed", type=int, default=7, show_default=True, help="The same seed gives the same hands, dice and times."
)
@click.option("--plain", is_flag=True, help="Print one line for each report, with its viewer; no live screen.")
@click.option(
    "--tables",
    "tables",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE...",
    help="Other trap tables, assigned to the squares in turn; several files, or repeat the option.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="LANGUAGE",
    help="The language of the table and of every seat. Repeat it to give the seats one each in turn; the table has the "
    "first.",
)
@click.option("--streams", type=click.Path(path_type=Path), help="Write each viewer's reports into this folder.")
@click.option(
    "--journal",
    type=click.Path(path_type=Path),
    help="Keep the journal in this file; without it, a temporary folder has that of a game that ended.",
)
@click.option("--resume", is_flag=True, help="Resume the unfinished game in --journal.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME[=AMOUNT]@SQUARE[@AT[-UNTIL]]",
    help="A fault of one tile, from AT until UNTIL seconds after the start; repeat for more.",
)
@click.option(
    "--hub",
    "boards",
    is_flag=True,
    help="Connect half of the squares to a hub, whose real firmware runs behind a pty; key u pulls its plug.",
)
@click.option(
    "--pages",
    is_flag=True,
    help="Serve the pages of the seats' phones on this machine: four seats side by side in a browser.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    default=None,
    help="The port of --pages; without it 8080, or the next free one.",
)
@click.option(
    "--station", is_flag=True, help="Show a demo station: robot visitors come group after group, in real time."
)
@in_play_option
@click.option("--faults", "list_faults", is_flag=True, help="List the faults and exit.")
@click.argument("more_tables", nargs=-1, type=click.Path(path_type=Path))
@as_one_value(DemoOptions)
def demo(options: DemoOptions) -> None:
    """Play on a SIMULATED table: the same program as `play`, with simulated chips, pins and hands.

    In a terminal it shows a live screen. With --auto, or without a terminal, simulated players play. No real dial is
    read, and every display is marked SIMULATED.

    With --pages, open the address that it prints in a browser on this machine: it shows the seats' phones side by side,
    and the squares with buttons that turn each dial. The terminal then prints what everyone reads, one line for each
    report, and takes typed lines. With --auto, robots with simulated phones play.

    With --station it is a demo station that robots of every temper visit, and the terminal shows what passers-by see.
    With --pages a browser shows it instead, at the address that the terminal prints, with a phone of your own and
    buttons that turn the dials. Nothing has to be typed; Ctrl-C ends it.
    """
    if options.list_faults:
        _list_faults()
        return
    if options.resume and options.journal is None:
        raise click.UsageError("--resume needs --journal: the file of the game to resume.")
    if options.more_tables and not options.tables:
        raise click.UsageError(f"what is {str(options.more_tables[0])!r}? Trap tables are given with --tables FILE...")
    if options.settings_file is not None and options.size is not None:
        raise click.UsageError("--settings and --size both name the table; give one of them.")
    if options.port is not None and not options.pages:
        raise click.UsageError("--port needs --pages: it is the port of the pages.")
    if options.pages and options.streams is not None:
        raise click.UsageError("--streams cannot be used with --pages; phones get sealed frames.")
    if options.station:
        _refuse_beside_station(options)
    settings = _settings(options)
    if options.settings_file is not None or options.tables:
        from pi_app.play.opened import journals_of, open_secrets

        own = [] if options.settings_file is None else [options.settings_file]
        files = (*own, *options.tables, *options.more_tables)
        open_secrets("demo", journals_of(own, beside=files), in_play=options.in_play)
    if options.boards:
        from pi_app.simulated.hub_table import with_hub

        settings = with_hub(settings)
    faults = _wanted(options.faults, settings)
    live = not options.auto and not options.plain and is_terminal(sys.stdin) and is_terminal(sys.stdout)
    with demo_record(options.journal) as record:
        if options.station:
            _play_station(settings, record.journal, options)
            return
        try:
            play = _play_with_pages if options.pages else _play_live if live else _play_automatically
            play(settings, record, faults, options)
        except BrokenPipeError:
            stop("Standard output was closed; the demo ends.", code=exit_codes.CLOSED_OUTPUT)


def _refuse_beside_station(options: DemoOptions) -> None:
    """Raise UsageError for options that a station has no use for."""
    given = {
        "--auto": options.auto,
        "--hub": options.boards,
        "--resume": options.resume,
        "--fault": bool(options.faults),
        "--streams": options.streams is not None,
    }
    for name, is_given in given.items():
        if is_given:
            raise click.UsageError(
                f"{name} cannot be used with --station: robots visit the station, and it needs no other hand."
            )


def _play_station(settings: Settings, journal: Path, options: DemoOptions) -> None:
    """Let robots visit a station until somebody ends it."""
    from pi_app.cli.demo_station import DemoStationOptions, play_station, takes_drawing

    drawn = not options.plain and takes_drawing()
    of_station = DemoStationOptions(
        seed=options.seed,
        languages=options.languages,
        pages=options.pages,
        port=options.port,
        drawn=drawn and not options.pages,
        written=not drawn,
    )
    try:
        play_station(settings, journal, of_station)
    except BrokenPipeError:
        stop("Standard output was closed; the demo ends.", code=exit_codes.CLOSED_OUTPUT)


def _list_faults() -> None:
    from pi_app.simulated.table import FAULTS

    for fault in FAULTS.values():
        amount = "" if fault.amount is None else f" (={fault.amount:g}: {fault.unit})"
        echo(f"{fault.name:<18} {'lasts' if fault.lasts else 'once':<6} {fault.line}{amount}")


def _wanted(faults: tuple[str, ...], settings: Settings) -> tuple[WantedFault, ...]:
    """Parse --fault, and try each fault on a table of its own. Raises UsageError."""
    if not faults:
        return ()
    from hardware.sims.faults import strike
    from pi_app.simulated.build import simulated_table
    from pi_app.simulated.fault_option import wanted_fault

    try:
        wanted = tuple(wanted_fault(text, settings.squares) for text in faults)
        for each in wanted:
            tile = simulated_table(settings).tiles[each.square]
            strike(tile, each.name, each.amount)
    except ValueError as error:
        raise click.UsageError(f"{error}. `trapdial demo --faults` lists all faults.") from error
    return wanted


def _settings(options: DemoOptions) -> Settings:
    from pi_app.settings import load as settings
    from pi_app.simulated.other_tables import with_tables

    check_languages(options.languages)
    file, tables = options.settings_file, (*options.tables, *options.more_tables)
    loaded = settings.load(settings.example_path(options.size or "8x4") if file is None else file)
    loaded = with_tables(loaded, tables) if tables else loaded
    return settings.speaking(loaded, options.languages) if options.languages else loaded


def _play_live(settings: Settings, record: DemoRecord, faults: tuple[WantedFault, ...], options: DemoOptions) -> None:
    """Play on the live screen; then print how the last game ended, also if a signal ends the demo."""
    from pi_app.cli.after_game import printed
    from pi_app.cli.play import GO_ON
    from pi_app.cli.stopping import requesting
    from pi_app.simulated.live.run import run
    from pi_app.text.language import words

    translated = words(settings.table.language)
    with requesting("" if options.journal is None else GO_ON, options.journal) as request:
        lines = run(
            settings,
            record.journal,
            seed=options.seed,
            resume=options.resume,
            faults=faults,
            boards=options.boards,
            after_game=lambda game_id, letters: record.after_game(game_id, letters, translated),
            at_signal=request.calls,
        )
        echo_lines(printed(lines))


def _play_with_pages(
    settings: Settings, record: DemoRecord, faults: tuple[WantedFault, ...], options: DemoOptions
) -> None:
    """Serve the seats' pages: for a person at a terminal, or for robots."""
    from pi_app.cli.demo_pages import PagesOptions, play_by_hand, play_with_robots

    by_hand = not options.auto and is_terminal(sys.stdin) and is_terminal(sys.stdout)
    if not by_hand and (faults or options.resume):
        raise click.UsageError("--fault and --resume need a person at a terminal: robots with phones do without them.")
    of_pages = PagesOptions(
        port=options.port,
        seed=options.seed,
        exposes=options.exposes,
        resume=options.resume,
        boards=options.boards,
    )
    (play_by_hand if by_hand else play_with_robots)(settings, record, faults, of_pages)


def _play_automatically(
    settings: Settings, record: DemoRecord, faults: tuple[WantedFault, ...], options: DemoOptions
) -> None:
    """Play with simulated hands alone, print every report, and end the game."""
    from pi_app.cli.after_game import printed
    from pi_app.cli.play import GO_ON
    from pi_app.cli.stopping import requesting
    from pi_app.play.build import Outputs
    from pi_app.report.plain_lines import PlainLines, names
    from pi_app.simulated.demo import Demo, Twins
    from pi_app.simulated.script import script
    from pi_app.simulated.streams import Streams
    from pi_app.simulated.text_output import TextOutput
    from pi_app.text.language import words

    viewers = [*(f"seat {seat}" for seat in settings.seats), "public", "referee", "log"]

    def show(who: Sequence[str], text: str, at_ns: int) -> None:
        echo(f"{names(who, viewers):<10} | {text}")

    plain = PlainLines(show, viewers, settings.squares)
    output = TextOutput(settings, plain.told, plain.pause)
    with contextlib.ExitStack() as closing:
        request = closing.enter_context(requesting("" if options.journal is None else GO_ON, options.journal))
        closing.callback(plain.close)
        written = None
        if options.streams is not None:
            written = Streams(options.streams, settings.seats)
            closing.callback(written.close)
        listeners: list[Listener] = [output] if written is None else [output, written]
        table = closing.enter_context(
            Demo(
                settings,
                record.journal,
                seed=options.seed,
                resume=options.resume,
                outputs=Outputs(listeners, tap=written, shown=output.shown),
                twins=Twins(boards=options.boards),
            )
        )
        request.calls(table.loop.stop)
        table.inject(faults)
        while not table.loop.ready and table.loop.running:
            table.step()
        table.play(script(options.seed, table.public_state(), options.exposes))
        table.end()
        session = table.loop.session
        output.count_left_out()
        session.check_recorded()
        letters, translated = session.journal.head().text(), words(settings.table.language)
        plain.flush()
        lines = record.after_game(session.game_id, letters, translated, qr=is_terminal(sys.stdout))
        echo_lines(["", *printed(lines)] if lines else [])
