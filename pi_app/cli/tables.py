"""`trapdial tables`: check trap tables, show one outside a game, transcribe a real dial, draw faces."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pi_app.cli.asking import ask
from pi_app.cli.groups import CommandGroup
from pi_app.cli.options import in_play_option, json_line, no_force_option, problem_line, settings_option
from pi_app.cli.printing import clear_screen, echo, echo_lines, echo_text
from pi_app.text import exit_codes

if TYPE_CHECKING:
    from pi_app.game.trap_table import Face, TrapTable
    from pi_app.game.trap_table_file import ParsedTable
    from pi_app.plans.printed.faces.sheets import Paper
    from pi_app.text.user_file import Problem


@dataclass(frozen=True, kw_only=True)
class At:
    """Where a running game is looked for, and whether to go on although there is one."""

    in_play: bool
    journal: Path | None
    settings_file: Path


def _in_play(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command that shows a trap table, as one value `at`."""

    @functools.wraps(command)
    def run(*before: Any, in_play: bool, journal: Path | None, settings_file: Path, **given: Any) -> Any:
        return command(*before, at=At(in_play=in_play, journal=journal, settings_file=settings_file), **given)

    also = click.option(
        "--journal",
        type=click.Path(path_type=Path),
        help="Another journal to check for a running game, beside the one in the settings.",
    )
    return in_play_option(no_force_option(also(settings_option(run))))


def _open(sources: Iterable[str], tables: Sequence[TrapTable | None], at: At) -> None:
    """Return when these tables may be shown. Raises UserFileError while a game is on, unless --in-play records it."""
    from pi_app.play.opened import journals_of, open_secrets
    from pi_app.settings.load import NO_SETTINGS
    from pi_app.text.user_file import read_text

    if click.get_current_context().get_parameter_source("settings_file") is ParameterSource.COMMANDLINE:
        read_text(at.settings_file, NO_SETTINGS)  # a misspelled name would be another table's
    files = [Path(source) for source in sources if not source.startswith("sample:")]
    named = [] if at.journal is None else [at.journal]
    open_secrets("table", journals_of([at.settings_file], named, files), in_play=at.in_play, tables=tables)


@click.group(cls=CommandGroup)
def tables() -> None:
    """Work with trap tables: the content of each position of a dial."""


@tables.command()
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per problem.")
@_in_play
@click.pass_context
def check(context: click.Context, sources: tuple[str, ...], as_json: bool, at: At) -> None:
    """List every problem of each FILE (a file, or sample:SAMPLE-A). Refused while a game is on: a problem tells what a
    position holds (S-9).

    Exit code 2 if a table cannot be used, 0 if there are at most warnings.
    """
    _open(sources, [_table(source) for source in sources], at)
    good = [_check_one(source, as_json) for source in sources]
    if not all(good):
        context.exit(exit_codes.UNUSABLE)


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


def _table(source: str) -> TrapTable | None:
    """Return the table of a file without errors."""
    from pi_app.text.errors import UserFileError

    try:
        return _read(source).table
    except UserFileError:
        return None


def _read(source: str) -> ParsedTable:
    from pi_app.settings.trap_tables import tables_beside

    return tables_beside(Path())(source)


# ---------------------------------------------------------------------------------------------------- show


@tables.command()
@click.argument("source", metavar="FILE")
@_in_play
def show(source: str, at: At) -> None:
    """Print the content of each position of FILE (a file, or sample:SAMPLE-A). For set-up only.

    Refused while a game is on: no player may see it (S-9).
    """
    table = _read_good(source)
    _open([source], [table], at)
    echo_lines(_page(table))


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
@click.option("--language", default="en", show_default=True, help="Of full faces, such as de.")
@click.option("--paper", type=click.Choice(["A4", "Letter"]), default="A4", show_default=True)
@_in_play
def faces(sources: tuple[str, ...], output: Path, full: bool, language: str, paper: Paper, at: At) -> None:
    """Draw paper faces for printed dials, 1:1, one ring for each FILE (a file, or sample:SAMPLE-A).

    Position numbers only: the same sheet for every trap table with as many clicks. A .svg holds one page; more get a
    number in their names. --full shows the traps of every dial: for owners, and refused while a game is on (S-9).
    """
    from pi_app.cli.whole_file import write_whole, write_whole_bytes
    from pi_app.plans.printed.faces import sheets
    from pi_app.text.languages import LANGUAGES

    if output.suffix not in (".svg", ".pdf"):
        raise click.UsageError(f"--output draws .svg and .pdf; what is {str(output)!r}?")
    if language not in LANGUAGES:
        raise click.UsageError(f"--language is one of {', '.join(LANGUAGES)}, and not {language!r}.")
    dials = [_read_good(source) for source in sources]
    if full:
        _open(sources, dials, at)
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
