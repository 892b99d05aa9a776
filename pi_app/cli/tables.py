"""`trapdial tables`: check trap tables, show one outside a game, transcribe a real dial, draw faces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from pi_app.cli.asking import ask
from pi_app.cli.groups import CommandGroup
from pi_app.cli.options import json_line, problem_line, settings_option
from pi_app.cli.printing import clear_screen, echo, echo_lines, echo_text

if TYPE_CHECKING:
    from pi_app.game.trap_table import Face, TrapTable
    from pi_app.game.trap_table_file import ParsedTable
    from pi_app.plans.printed.faces.sheets import Paper
    from pi_app.text.user_file import Problem

SOURCE_HELP = "A file, or sample:SAMPLE-A for a table that ships."


@click.group(cls=CommandGroup)
def tables() -> None:
    """Work with trap tables: the content of each position of a dial."""


@tables.command()
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per problem.")
@click.pass_context
def check(context: click.Context, sources: tuple[str, ...], as_json: bool) -> None:
    """List every problem of each FILE (a file, or sample:SAMPLE-A).

    Exit code 2 if a table cannot be used, 0 if there are at most warnings.
    """
    good = [_check_one(source, as_json) for source in sources]
    if not all(good):
        context.exit(2)


def _check_one(source: str, as_json: bool) -> bool:
    from pi_app.text.errors import UserFileError
    from pi_app.text.user_file import Problem, Severity

    try:
        checked = _read(source)
        problems = checked.problems
        good = checked.table is not None
    except UserFileError as error:
        problems = tuple(Problem(Severity.ERROR, "", "", "", reason) for reason in error.problems)
        good = False
    for problem in problems:
        echo(json_line(source, problem) if as_json else problem_line(problem))
    if not as_json:
        echo(f"{source}: {_verdict(problems, good)}")
    return good


def _verdict(problems: tuple[Problem, ...], good: bool) -> str:
    from pi_app.game.trap_table_file import FORMAT_PAGE
    from pi_app.text.user_file import Severity

    counts = []
    for severity in Severity:
        number = sum(problem.severity is severity for problem in problems)
        word = severity.value if number == 1 or severity is Severity.INFORMATION else f"{severity.value}s"
        counts += [f"{number} {word}"] if number else []
    verdict = ": ".join(filter(None, ["good" if good else "cannot be used", ", ".join(counts)]))
    return verdict if good else f"{verdict}; {FORMAT_PAGE}"


def _read(source: str) -> ParsedTable:
    from pi_app.settings.trap_tables import tables_beside

    return tables_beside(Path())(source)


# ---------------------------------------------------------------------------------------------------- show


@tables.command()
@click.argument("source", metavar="FILE")
@click.option("--force", is_flag=True, help="Show it even during a game; the journal gets a finding.")
@click.option(
    "--journal",
    type=click.Path(path_type=Path),
    help="The journal to check for a running game; without it the one in the settings, or journal.db.",
)
@settings_option
def show(source: str, force: bool, journal: Path | None, settings_file: Path) -> None:
    """Print the content of each position of FILE (a file, or sample:SAMPLE-A). For set-up only.

    Refused while a game with this table runs: no player may see it (S-9).
    """
    table = _read_good(source)
    _unseal([(source, table)], journal or _usual_journal(settings_file), force=force)
    echo_lines(_page(table))


def _unseal(read: list[tuple[str, TrapTable]], journal: Path, *, force: bool) -> None:
    """Record that these tables are shown. Raises UserFileError if a running game uses one, unless `force` is set."""
    from pi_app.text.errors import UserFileError

    used = [(source, table) for source, table in read if running_game_with(table.name, journal)]
    if used and not force:
        raise UserFileError(
            f"trap table ({source}) belongs to the game that is running in {journal}, so it stays sealed. "
            "End the game first, or use --force, which the journal will record."
            for source, _ in used
        )
    for _, table in used:
        record_shown(table.name, journal)


def _usual_journal(settings_file: Path) -> Path:
    """Return the journal that the settings name; without -s and settings in this folder, the usual one."""
    from pi_app.settings import load as settings

    source = click.get_current_context().get_parameter_source("settings_file")
    if source is ParameterSource.DEFAULT and not settings_file.exists():
        return Path("journal.db")
    loaded = settings.load(settings_file)
    return loaded.beside(loaded.table.journal)


def running_game_with(table_name: str, journal: Path) -> bool:
    """Return whether a game that has not ended uses a trap table of this name."""
    if not journal.exists():
        return False
    from pi_app.play.mage_knight import table_in_running_game

    return table_in_running_game(journal, table_name)


def record_shown(table_name: str, journal: Path) -> None:
    """Record the finding before anything is shown."""
    from pi_app.play.mage_knight import record_table_shown

    record_table_shown(journal, table_name)


def _read_good(source: str) -> TrapTable:
    from pi_app.text.errors import UserFileError
    from pi_app.text.user_file import errors_of

    checked = _read(source)
    if checked.table is None:
        raise UserFileError([str(problem) for problem in errors_of(checked.problems)])
    return checked.table


def _page(table: TrapTable) -> list[str]:
    origin = "SAMPLE: its numbers are made up" if table.is_sample else table.provenance
    head = [f"{table.name} ({origin})"]
    if table.transcribed_by:
        head.append(f"read by {table.transcribed_by}, checked by {table.checked_by}, {table.date}")
    head.append(f"{table.clicks} clicks, exposed counter-clockwise")
    head += [table.note] if table.note else []
    return [*head, "", "pos  shows              click  disarm    xp", *map(_row, table.faces)]


def _row(face: Face) -> str:
    shows = face.kind if face.trap is None else face.trap.value
    click_number = "" if face.click_number is None else str(face.click_number)
    disarm = "" if face.disarm is None else face.disarm.printed()
    xp = "" if face.xp is None else str(face.xp)
    return f"{face.position:>3}  {shows:<17}  {click_number:>5}  {disarm:>6}  {xp:>4}".rstrip()


# --------------------------------------------------------------------------------------------------- faces


@tables.command()
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", required=True, help="The sheet: .svg or .pdf."
)
@click.option("--full", is_flag=True, help="SECRET: the content of every position instead of numbers.")
@click.option("--language", default="en", show_default=True, help="Of full faces: en, de, es, fr or it.")
@click.option("--paper", type=click.Choice(["A4", "Letter"]), default="A4", show_default=True)
@click.option("--force", is_flag=True, help="Draw full faces even during a game; the journal gets a finding.")
@click.option(
    "--journal",
    type=click.Path(path_type=Path),
    help="The journal to check for a running game; without it the one in the settings, or journal.db.",
)
@settings_option
def faces(
    sources: tuple[str, ...], output: Path, full: bool, language: str, paper: Paper, force: bool,
    journal: Path | None, settings_file: Path,
) -> None:  # fmt: skip
    """Draw paper faces for printed dials, 1:1, one ring for each FILE (a file, or sample:SAMPLE-A).

    Position numbers only: the same sheet for every trap table with as many clicks. A .svg holds one page; more get a
    number in their names. --full shows the traps of every dial: for owners, and refused while a game runs with one of
    these tables (S-9).
    """
    from pi_app.cli.whole_file import write_whole, write_whole_bytes
    from pi_app.plans.printed.faces import sheets
    from pi_app.settings.model import LANGUAGES

    if output.suffix not in (".svg", ".pdf"):
        raise click.UsageError(f"--output draws .svg and .pdf; what is {str(output)!r}?")
    if language not in LANGUAGES:
        raise click.UsageError(f"--language is one of {', '.join(LANGUAGES)}, and not {language!r}.")
    read = [(source, _read_good(source)) for source in sources]
    if full:
        _unseal(read, journal or _usual_journal(settings_file), force=force)
    dials = [table for _, table in read]
    if output.suffix == ".pdf":
        write_whole_bytes(output, sheets.pdf(dials, full=full, paper=paper, language=language))
        written = [output]
    else:
        drawn = sheets.sheets(dials, full=full, paper=paper, language=language)
        written = [
            output if page == 1 else output.with_stem(f"{output.stem}_{page}") for page in range(1, len(drawn) + 1)
        ]
        for path, page in zip(written, drawn, strict=True):
            write_whole(path, page)
    secret = " SECRET: it shows the traps of every dial." if full else ""
    echo(f"{', '.join(map(str, written))}: {_faces_of(len(dials))}. Print at 100 %.{secret}")


def _faces_of(number: int) -> str:
    return "1 face" if number == 1 else f"{number} faces"


# ----------------------------------------------------------------------------------------------------- new


@tables.command()
@click.argument("file", type=click.Path(path_type=Path))
def new(file: Path) -> None:
    """Guide two people through transcribing a real dial, and write its table to FILE.

    FILE is written when both transcriptions agree. An existing file is never overwritten.
    """
    from pi_app.game.trap_table_file import write
    from pi_app.text.errors import UserFileError
    from pi_app.text.user_file import check_is_new, write_new
    from pi_app.workshop.transcribe import transcribe

    check_is_new(file)
    text = write(transcribe(ask, _say, clear_screen))
    try:
        write_new(file, text)
    except UserFileError:
        echo_text(text)
        echo("The table above could not be written. Copy it before this window closes.", err=True)
        raise
    echo(f"Written to {file}.")
    _check_one(str(file), as_json=False)


def _say(words: str) -> None:
    echo_lines(words.split("\n"))
