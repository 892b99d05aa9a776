"""`trapdial demo`: the program on a simulated table."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pi_app.cli.main import EXIT_CLOSED_OUTPUT, stop
from pi_app.cli.options import check_languages

if TYPE_CHECKING:
    from pi_app.play.seats_and_dials import Listener
    from pi_app.settings.model import Settings
    from pi_app.simulated.fault_option import WantedFault


@click.command()
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), help="A trapdial.toml of your own.")
@click.option(
    "--size", type=click.Choice(["2x2", "8x4", "16x4"]), default=None, help="An example table: squares x seats."
)
@click.option("--auto", is_flag=True, help="Let simulated players play by themselves, as fast as it goes.")
@click.option(
    "--exposes", type=click.IntRange(1, 100_000), default=20, show_default=True, help="With --auto: how many."
)
@click.option("--seed", type=int, default=7, show_default=True, help="Hands, dice and times follow from it.")
@click.option("--plain", is_flag=True, help="One line per thing shown, the viewer in front; no live screen.")
@click.option(
    "--tables",
    "tables",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE...",
    help="Other trap tables, dealt to the squares in turn; may be given again, or as several files.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="LANGUAGE",
    help="What the table and every seat read; given again, each seat in turn its own, the table the first.",
)
@click.option("--streams", type=click.Path(path_type=Path), help="Write what each viewer is given into this folder.")
@click.option("--journal", type=click.Path(path_type=Path), help="Where the journal goes; else it is thrown away.")
@click.option("--resume", is_flag=True, help="Go on with the unfinished game in --journal.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME[=AMOUNT]@SQUARE[@AT[-UNTIL]]",
    help="A fault for one tile, at and until seconds after the start; may be given again.",
)
@click.option(
    "--hub",
    "boards",
    is_flag=True,
    help="Half of the squares hang on a hub: its real firmware runs behind a pty; key u pulls the plug.",
)
@click.option("--faults", "list_faults", is_flag=True, help="List the faults, and do nothing else.")
@click.argument("more_tables", nargs=-1, type=click.Path(path_type=Path))
def demo(
    settings_file: Path | None,
    size: str | None,
    auto: bool,
    exposes: int,
    seed: int,
    plain: bool,
    tables: tuple[Path, ...],
    languages: tuple[str, ...],
    streams: Path | None,
    journal: Path | None,
    resume: bool,
    faults: tuple[str, ...],
    boards: bool,
    list_faults: bool,
    more_tables: tuple[Path, ...],
) -> None:
    """Play on a SIMULATED table: the same program as `play`, over twins of the chips, the pins and the hands.

    In a terminal it is a live screen. With --auto, or without a terminal, it plays by itself. Everything on it is
    simulated: no real dial is read, and every display says so.
    """
    if list_faults:
        _list_faults()
        return
    if resume and journal is None:
        raise click.UsageError("--resume needs --journal: the file of the game to go on with.")
    if more_tables and not tables:
        raise click.UsageError(f"what is {str(more_tables[0])!r}? Trap tables are given with --tables FILE...")
    if settings_file is not None and size is not None:
        raise click.UsageError("--settings and --size both name the table; give one of them.")
    settings = _spoken(_settings(settings_file, size, (*tables, *more_tables)), languages)
    if boards:
        from pi_app.simulated.hub_table import with_hub

        settings = with_hub(settings)
    wanted = _wanted(faults, settings)
    live = not auto and not plain and sys.stdin.isatty() and sys.stdout.isatty()
    with _journal(journal) as where:
        if live:
            from pi_app.simulated.live.run import run

            run(settings, where, seed=seed, resume=resume, faults=wanted, boards=boards)
        else:
            how: dict[str, Any] = {"seed": seed, "resume": resume, "boards": boards, "kept": journal is not None}
            try:
                _play_by_itself(settings, where, exposes=exposes, streams=streams, faults=wanted, **how)
            except BrokenPipeError:
                stop("Standard output was closed; the demo ends.", EXIT_CLOSED_OUTPUT)


def _list_faults() -> None:
    from pi_app.simulated.table import FAULTS

    for fault in FAULTS.values():
        amount = "" if fault.amount is None else f" (={fault.amount:g}: {fault.unit})"
        click.echo(f"{fault.name:<18} {'lasts' if fault.lasts else 'once':<6} {fault.line}{amount}")


def _wanted(faults: tuple[str, ...], settings: Settings) -> tuple[WantedFault, ...]:
    """What --fault asks for. A name or an amount that does not exist is refused before the table is put up."""
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


def _settings(file: Path | None, size: str | None, tables: tuple[Path, ...]) -> Settings:
    from pi_app.settings import load as settings
    from pi_app.simulated.other_tables import with_tables

    loaded = settings.load(settings.example_path(size or "8x4") if file is None else file)
    return with_tables(loaded, tables) if tables else loaded


def _spoken(settings: Settings, languages: tuple[str, ...]) -> Settings:
    """The table with other languages, if any were given."""
    from pi_app.settings.load import speaking

    check_languages(languages)
    return speaking(settings, languages) if languages else settings


@contextlib.contextmanager
def _journal(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="trapdial-") as folder:
        yield Path(folder) / "journal.db"


def _play_by_itself(
    settings: Settings,
    journal: Path,
    *,
    seed: int,
    exposes: int,
    streams: Path | None,
    resume: bool,
    faults: tuple[WantedFault, ...],
    boards: bool,
    kept: bool,
) -> None:
    """`kept`: whether the journal is still there afterwards."""
    from pi_app.cli.play import GO_ON
    from pi_app.cli.stopping import requesting
    from pi_app.play.build import Outputs
    from pi_app.report.plain_lines import PlainLines, names
    from pi_app.simulated.demo import Demo, TextOutput, Twins
    from pi_app.simulated.script import script
    from pi_app.simulated.streams import Streams

    viewers = [*(f"seat {seat}" for seat in settings.seats), "public", "referee", "log"]

    def show(who: Sequence[str], text: str, at_ns: int) -> None:
        click.echo(f"{names(who, viewers):<10} | {text}")

    plain = PlainLines(show, viewers, settings.squares)
    output = TextOutput(settings, plain.told, plain.pause)
    with contextlib.ExitStack() as closing:
        request = closing.enter_context(requesting(GO_ON if kept else ""))
        closing.callback(plain.close)
        written = None
        if streams is not None:
            written = Streams(streams, settings.seats)
            closing.callback(written.close)
        listeners: list[Listener] = [output] if written is None else [output, written]
        table = closing.enter_context(
            Demo(
                settings,
                journal,
                seed=seed,
                resume=resume,
                outputs=Outputs(listeners, tap=written, shown=output.shown),
                twins=Twins(boards=boards),
            )
        )
        request.calls(table.loop.stop)
        table.inject(faults)
        while not table.loop.ready and table.loop.running:
            table.step()
        table.play(script(seed, table.public_state(), exposes))
