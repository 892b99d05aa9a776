"""Print the figures of a bench, or write them as JSON."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_app.cli import printing
from pi_app.cli.printing import echo, echo_json

if TYPE_CHECKING:
    from pi_app.workshop.bench import Bench


def show(result: Bench, *, as_json: bool) -> None:
    if as_json:
        echo_json(_json(result))
    else:
        _print(result)


def write_json(result: Bench, where: Path) -> None:
    """Write the figures to a file. Raises UserFileError if that is refused."""
    from pi_app.cli.whole_file import write_whole

    write_whole(where, _json(result) + "\n")


def _json(result: Bench) -> str:
    import json
    from dataclasses import asdict

    facts = asdict(result) | {"passed": result.passed}
    for told, figure in zip(facts["figures"], result.figures, strict=True):
        told["verdict"] = figure.verdict
    return json.dumps(facts, indent=2)


def _print(result: Bench) -> None:
    from rich.table import Table

    here = result.machine
    echo(f"{here.name}: {here.cpu}, {here.cores} cores, {here.system}, {here.python}")
    title = f"trapdial bench {result.bench}"
    table = Table("figure", "measured", "target", "", "how", title=title, title_justify="left")
    for column in (1, 2):
        table.columns[column].justify = "right"
    for figure in result.figures:
        value, target = _numbers(figure.value, figure.target, figure.unit, figure.at_most)
        table.add_row(figure.name, value, target, {"no target": ""}.get(figure.verdict, figure.verdict), figure.note)
    with _wide_enough(printing.console()) as console:
        console.print(table, markup=False, highlight=False)
        if result.matrix is not None:
            matrix = Table(*result.matrix.columns, title=result.matrix.title, title_justify="left")
            for row in result.matrix.rows:
                matrix.add_row(*row)
            console.print(matrix, markup=False, highlight=False)
    for sentence in result.explains:
        echo(sentence)


def _numbers(value: float, target: float | None, unit: str, at_most: bool) -> tuple[str, str]:
    """The figure and its target with their units."""
    measured = f"{_short(value)} {unit}"
    if target is None:
        return measured, ""
    return measured, f"{'at most' if at_most else 'at least'} {target:g} {unit}"


def _short(value: float) -> str:
    if value >= 1_000 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


@contextlib.contextmanager
def _wide_enough(console: Any) -> Iterator[Any]:
    """Keep every row on one line in a pipe, which has no width."""
    if not console.is_terminal:
        console.width = 240
    yield console
