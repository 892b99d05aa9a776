"""`trapdial bench centre`: measure what a centre takes on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pi_app.cli.bench_options import common, example_or
from pi_app.cli.options import settings_named

if TYPE_CHECKING:
    from pi_app.text.progress import Progress
    from pi_app.workshop.bench import Bench


@click.command()
@click.option(
    "--tables", type=click.IntRange(0, 5_000), default=500, show_default=True, help="Tables in play; 0 leaves this out."
)
@click.option(
    "--seconds", type=click.FloatRange(1, 86_400), default=60.0, show_default=True, help="How long they play."
)
@click.option(
    "--back",
    type=click.IntRange(0, 5_000),
    default=500,
    show_default=True,
    help="Tables that come back at once; 0: none.",
)
@click.option(
    "--entries",
    type=click.IntRange(1, 1_000_000),
    default=10_000,
    show_default=True,
    help="That each of them has then.",
)
@click.option(
    "--live", type=click.IntRange(0, 5_000), default=50, show_default=True, help="Tables that play meanwhile."
)
@click.option("--sqlite", is_flag=True, help="Keep records in a file, also where PostgreSQL is installed.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False, writable=True),
    show_default="memory",
    help="A folder for what tables come back with: 1.5 kB an entry.",
)
@settings_named("Play this table instead of the example of 8 squares and 4 seats.")
@common
def centre(progress: Progress, sqlite: bool, folder: Path | None, settings_file: Path | None, **amounts: Any) -> Bench:
    """Measure how many tables a centre takes, how soon it cosigns, and what it costs; then compare every row.

    The centre is the real program over a temporary PostgreSQL cluster, or over SQLite where none is installed; the
    tables are simulated, with real signatures, in two entries a second each. First tables play; then others come back
    with thousands of entries each while some go on. Every row is then compared with the tables' own records.
    """
    from pi_app.workshop.bench.centre.measure import CentreAmounts, run

    return run(example_or(settings_file), folder, CentreAmounts(**amounts), sqlite=sqlite, progress=progress)
