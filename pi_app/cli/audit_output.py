"""What `trapdial audit` prints for people: the verdict on each square first, then tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_app.text.printed import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from pi_app.audit.statistics import Statistics
    from pi_app.audit.values import FileAudit, FindingSeen, GameAudit


def print_audits(
    console: Console, audits: Sequence[FileAudit], over_all: Statistics | None, *, rules: bool = False
) -> None:
    """Print each file's games as tables, then the rules and the statistics."""
    for each in audits:
        _print_file(console, each)
    if rules:
        from pi_app.audit.rule_sentences import cited

        for rule, sentence in cited(audits).items():
            _line(console, f"{rule}: {sentence}")
    if over_all is not None:
        _print_statistics(console, over_all)


def _print_file(console: Console, file: FileAudit) -> None:
    from pi_app.audit.found_starts import starts_line
    from pi_app.audit.verdicts import not_proven

    why = not_proven(file)
    if why is not None:
        _line(console, f"{file.file}: NOT PROVEN. {why} `trapdial journal verify` gives more detail.")
    for game in file.games:
        _line(console, f"{file.file}: {headline(file, game)}")
        _line(console, verdict_line(game))
        if starts := starts_line(game):
            _line(console, starts)
        for title, found in (("Findings", game.findings), ("Device faults", game.faults)):
            if found:
                console.print(_found(title, found, game))
        if game.known:
            console.print(_known(game))
        for draw in game.draws:
            _line(console, f"{draw.words[:-1]}; it went {draw.went}.")
        for word in game.taken_back:
            _line(console, word.words)


def _line(console: Console, words: str) -> None:
    console.print(shown(words), markup=False)


def _cells(*cells: object) -> list[Text]:
    """Make a table's cells: one line each, without control characters, whatever is in the file."""
    from rich.text import Text

    return [Text(shown(str(cell))) for cell in cells]


def headline(file: FileAudit, game: GameAudit) -> str:
    """Return what was audited, and how much was found."""
    from pi_app.audit.verdicts import counted_found

    found = counted_found(file, game)
    if game.sealed:
        return (
            f"game {game.game} has not ended; only verdicts, rules and times may be shown. "
            f"{found[0].upper()}{found[1:]}."
        )
    mark = ", SIMULATED" if game.simulated else ""
    return f"game {game.game} on {game.table_name}{mark}, entries {game.first} to {game.last}: {found}."


def verdict_line(game: GameAudit) -> str:
    """Return the squares by their verdicts, the worst first."""
    from pi_app.audit.verdicts import VERDICT_WORDS

    so_far = " so far" if game.sealed else ""
    heads = VERDICT_WORDS | {"pass": f"{VERDICT_WORDS['pass']}{so_far}"}
    parts = []
    for verdict, head in heads.items():
        its = [
            f"{each.square} ({each.findings})" if each.findings else each.square
            for each in game.verdicts
            if each.verdict == verdict
        ]
        parts += [f"{head}: {', '.join(its)}."] if its else []
    return " ".join(parts)


def _found(title: str, its: Sequence[FindingSeen], game: GameAudit) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from pi_app.audit.page import claim_text
    from pi_app.audit.values import clock_text

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("entry", justify="right", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("rule", max_width=11)
    table.add_column("square", no_wrap=True)
    table.add_column("claim")
    if not game.sealed:
        table.add_column("what was found", ratio=1)
    for found in its:
        rules = ", ".join(found.rule_ids)
        row = [str(found.entry), clock_text(found.at_s), rules, found.square or "", claim_text(found, game)]
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
