"""`trapdial audit`: check whether every dial was turned as the rules allow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.options import old_output_option
from pi_app.cli.whole_file import write_whole
from pi_app.text.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from pi_app.audit.statistics import Statistics
    from pi_app.audit.values import FileAudit, GameAudit

FOUND = 1


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object with everything.")
@click.option("--csv", "as_csv", is_flag=True, help="A table for a spreadsheet, with one line per finding.")
@old_output_option("--html", "html")
@click.option(
    "-o", "--output", "html", type=click.Path(path_type=Path), metavar="FILE.html",
    help="Also write a page with pictures.",
)  # fmt: skip
@click.option("--stats", is_flag=True, help="Add statistics over all games: dice, wear of the detents, turning speed.")
@click.pass_context
def audit(
    context: click.Context, files: tuple[Path, ...], as_json: bool, as_csv: bool, html: Path | None, stats: bool
) -> None:
    """Check each game in FILES: whether every dial was turned as the rules allow, and who could have known what when.

    For a game that has not ended, only pass or fail for each square is shown, with rule ids and times. Exit code 0 if
    nothing was found, 1 if something was or a record is damaged, 2 if a file cannot be used.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv cannot be combined; give one of them.")
    if html is not None and any(html.exists() and html.samefile(file) for file in files if file.exists()):
        raise click.UsageError(f"--output would overwrite {html}; name another file.")
    from pi_app.audit.files import audit_files
    from pi_app.audit.forms import to_csv, to_json
    from pi_app.audit.statistics import statistics

    audits = audit_files(files)
    over_all = statistics(game for each in audits for game in each.games) if stats else None
    if html is not None:
        from pi_app.audit.page import page

        write_whole(html, page(audits, over_all))
    if as_json:
        click.echo(to_json(audits, over_all), nl=False)
    elif as_csv:
        click.echo(to_csv(audits), nl=False)
    else:
        from rich.console import Console

        print_audits(Console(highlight=False), audits, over_all)
    context.exit(0 if all(each.clean for each in audits) else FOUND)


def print_audits(console: Console, audits: list[FileAudit], over_all: Statistics | None) -> None:
    """Print each file's games as tables, then the statistics."""
    for each in audits:
        _print_file(console, each)
    if over_all is not None:
        _print_statistics(console, over_all)


def _print_file(console: Console, file: FileAudit) -> None:
    for game in file.games:
        _line(console, f"{file.file}: {_headline(game)}")
        _line(console, _verdict_line(game))
        if game.findings:
            console.print(_findings(game))
        if game.known:
            console.print(_known(game))
        for draw in game.draws:
            _line(console, f"{draw.words[:-1]}; it went {draw.went}.")
    if file.damage is not None:
        where = "The file" if file.damage.entry == 0 else f"Entry {file.damage.entry}"
        _line(
            console,
            f"{file.file}: DAMAGED. {where} {file.damage.seen}. Only the entries before it were audited; "
            "`trapdial journal verify` gives more detail.",
        )


def _line(console: Console, words: str) -> None:
    console.print(printable(words), markup=False)


def _cells(*cells: object) -> list[Text]:
    """Make a table's cells: one line each, without control characters, whatever is in the file."""
    from rich.text import Text

    return [Text(printable(str(cell))) for cell in cells]


def _headline(game: GameAudit) -> str:
    count = len(game.findings)
    found = "nothing was found" if not count else f"{count} {'finding' if count == 1 else 'findings'}"
    if game.sealed:
        return f"game {game.game} has not ended; pass or fail is all that may be said. {found.capitalize()}."
    mark = ", SIMULATED" if game.simulated else ""
    return f"game {game.game} on {game.table_name}{mark}, entries {game.first} to {game.last}: {found}."


def _verdict_line(game: GameAudit) -> str:
    failed = [f"{verdict.square} ({verdict.findings})" for verdict in game.verdicts if not verdict.passed]
    passed = [verdict.square for verdict in game.verdicts if verdict.passed]
    parts = [f"PASS: {', '.join(passed)}." if passed else "", f"FAIL: {', '.join(failed)}." if failed else ""]
    return " ".join(part for part in parts if part)


def _findings(game: GameAudit) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from pi_app.audit.page import claim_text
    from pi_app.audit.values import clock_text

    table = Table(title="Findings", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("entry", justify="right", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("rule", no_wrap=True)
    table.add_column("square", no_wrap=True)
    table.add_column("claim")
    if not game.sealed:
        table.add_column("what was found", ratio=1)
    for found in game.findings:
        row = [str(found.entry), clock_text(found.at_s), found.rule, found.square or "", claim_text(found, game)]
        table.add_row(*_cells(*row, *([] if game.sealed else [found.words or ""])))
    return table


def _known(game: GameAudit) -> Table:
    """A table of squares by players: when each player was first told, at which entry, and how."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from pi_app.audit.values import clock_text

    seats = dict(game.seats) | {known.seat: known.name for known in game.known}
    told = {(known.square, known.seat): known for known in game.known}
    table = Table(title="Who could have known, and since when", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("square", no_wrap=True)
    for name in seats.values():
        table.add_column(*_cells(name))
    for square in dict.fromkeys(known.square for known in game.known):
        cells = [told.get((square, seat)) for seat in seats]
        told_by = [
            "" if known is None else f"{clock_text(known.at_s)} {known.by} (entry {known.entry})" for known in cells
        ]
        table.add_row(*_cells(square, *told_by))
    return table


def _print_statistics(console: Console, found: Statistics) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from pi_app.audit.page import number
    from pi_app.audit.statistics import worn_words

    sealed = f"; {found.sealed} more had not ended and are not in it" if found.sealed else ""
    _line(console, f"Statistics of {found.games} {'game' if found.games == 1 else 'games'}{sealed}.")
    for die in found.dice:
        counts = ", ".join(f"{face}: {count}" for face, count in enumerate(die.counts, 1))
        _line(
            console,
            f"{die.what[0].upper()}{die.what[1:]}: {counts} (chi-squared {number(die.chi_squared)}). {die.words}",
        )
    squares = Table(title="Squares", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for head in ("square", "games", "turns", "findings", "clicks/s, middle", "clicks/s, top", "calibrated"):
        squares.add_column(head, justify="left" if head in ("square", "calibrated") else "right")
    for each in found.squares:
        row = [each.square, each.games, each.turns, each.findings, number(each.speed_median), number(each.speed_top)]
        squares.add_row(*_cells(*row, "yes" if each.calibrated else "no"))
    console.print(squares)
    detents = Table(title="Detents: degrees from the centre", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for head in ("square", "detent", "rests", "mean", "spread (sd)", "later against earlier"):
        detents.add_column(head, justify="left" if head == "square" else "right")
    for rested in found.detents:
        cells = [rested.square, rested.position, rested.rests, number(rested.mean_deg), number(rested.sd_deg)]
        detents.add_row(*_cells(*cells, number(rested.drift_deg)))
    console.print(detents)
    for words in worn_words(found.detents):
        _line(console, words)
