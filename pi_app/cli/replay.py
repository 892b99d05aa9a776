"""`trapdial replay`: rebuild what a journal holds."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command()
@click.argument("journal", type=click.Path(path_type=Path))
@click.option("--lines", is_flag=True, help="Also print what the log viewer was told at each entry.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per game.")
def replay(journal: Path, lines: bool, as_json: bool) -> None:
    """Rebuild every game in JOURNAL and check that its reports come out as they were recorded.

    Prints nothing that the log viewer may not read, so it can be used while a game runs. Exit code 0 if all games
    were rebuilt, 2 if the file is damaged or is no journal.
    """
    from pi_app.journal import Entry, named
    from pi_app.replay import replay as rebuild

    def heard(entry: Entry, news: tuple[str, ...]) -> None:
        for line in news if lines else ():
            click.echo(f"{named(entry.seq):>5}  {line}")

    for game in rebuild(journal, heard):
        facts = {"game": game.game_id, "first": game.first, "last": game.last, "entries": game.entries}
        facts |= {"ended": game.ended, "findings": len(game.moment.game.findings), "same_reports": True}
        click.echo(json.dumps(facts) if as_json else game.sentence)
