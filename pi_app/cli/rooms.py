"""`trapdial rooms`: Dungeon Twister's rotating rooms on the same dials."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click


@click.group()
def rooms() -> None:
    """Follow rotating rooms and their action points: a second game on the same dials."""


@rooms.command()
def example() -> None:
    """Print settings to start from."""
    from pi_app.rooms.settings import example as text

    click.echo(text(), nl=False)


@rooms.command()
@click.argument("settings_file", metavar="SETTINGS", type=click.Path(path_type=Path))
@click.option("--journal", type=click.Path(path_type=Path), help="Another record than the settings name.")
def play(settings_file: Path, journal: Path | None) -> None:
    """Run a table of rooms: read the dials, take the table's words one per line, keep the record.

    Each start begins a new game.
    """
    import queue
    import signal
    import threading

    from pi_app.house import House, RealParts, game_id
    from pi_app.journal import Journal
    from pi_app.recording import feed_of, period_ns
    from pi_app.rooms.demo import started
    from pi_app.rooms.report import ROOMS
    from pi_app.rooms.settings import load
    from pi_app.rooms.table import RoomTable

    settings = load(settings_file)
    for problem in settings.wires.warnings:
        click.echo(f"note: {problem}", err=True)
    words: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            words.put(line)

    def stop(*_: object) -> None:
        words.put("quit")

    parts = RealParts()
    path = journal or settings.wires.beside(settings.wires.table.journal)
    with Journal(path, ROOMS) as record, House(settings.wires, parts) as house:
        trackers = house.trackers()
        feed = feed_of(settings.wires, house.wires(), parts)
        try:
            table = RoomTable(feed, trackers, record, game_id(), started(settings, simulated=False), click.echo)
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, stop)
            threading.Thread(target=read, name="words", daemon=True).start()
            while not table.moment.game.ended:
                table.look()
                if not words.empty() and (line := words.get()).strip():
                    if line.strip().lower() == "quit":
                        return
                    table.say(line)
                feed.rest(parts.clock.now_ns() + period_ns(settings.wires))
        finally:
            feed.close()


@rooms.command()
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), help="A rooms.toml of your own.")
@click.option("--journal", type=click.Path(path_type=Path), help="Where the record goes; else it is thrown away.")
@click.option("--seed", type=int, default=7, show_default=True, help="Hands and magnets follow from it.")
@click.option("--auto", is_flag=True, help="Play the example by itself.")
def demo(settings_file: Path | None, journal: Path | None, seed: int, auto: bool) -> None:
    """Play on a SIMULATED table: the table's words, and `turn ROOM QUARTERS` for a hand on a room."""
    from pi_app.rooms.commands import USAGE
    from pi_app.rooms.demo import EXAMPLE, RoomDemo
    from pi_app.rooms.settings import example as text
    from pi_app.rooms.settings import load, parse

    settings = parse(text(), "the example") if settings_file is None else load(settings_file)
    talks = not auto and sys.stdin.isatty()
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-") as folder,
        RoomDemo(settings, journal or Path(folder) / "rooms.db", click.echo, seed=seed) as table,
    ):
        if talks:
            click.echo("\n".join(f"{usage}: {meaning}" for usage, meaning in USAGE.values()))
            click.echo("turn ROOM QUARTERS: a simulated hand turns it, clockwise positive. quit: leave.")
        for line in EXAMPLE if auto else sys.stdin:
            if line.strip().lower() == "quit":
                return
            if line.strip():
                if not talks:
                    click.echo(f"> {line.strip()}")
                table.say(line)


@rooms.command()
@click.argument("file", type=click.Path(path_type=Path))
def audit(file: Path) -> None:
    """Rebuild every game of rooms in a record and say what was against the rules. Exit code 3 if anything was."""
    from pi_app.rooms.audit import audit as go_through
    from pi_app.rooms.report import finding_line

    found = 0
    for each in go_through(file):
        game = each.moment.game
        found += len(game.findings)
        mark = " on a SIMULATED table" if game.simulated else ""
        state = "ended" if game.ended else "without an end"
        click.echo(f"Game {each.game_id}: {each.entries} entries{mark}, {state}, {len(game.findings)} findings.")
        for finding in game.findings:
            click.echo(finding_line(finding, game))
    if found:
        sys.exit(3)
