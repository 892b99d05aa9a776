"""`trapdial play`: a table with real dials."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.options import settings_option, to_go_on_with
from pi_app.mage_knight import MAGE_KNIGHT
from pi_app.plain_lines import PlainLines

if TYPE_CHECKING:
    from pi_app.loop import Loop
    from pi_app.settings import Settings

VIEWERS = ("public", "referee")
"""Who a terminal at the table speaks to. Seats read their own screens; the log lies in the journal."""


@click.command()
@settings_option
@click.option("--journal", type=click.Path(path_type=Path), help="Another journal than the settings name.")
@click.option("--resume", is_flag=True, help="Go on with the unfinished game in the journal.")
@click.option("--new", "fresh", is_flag=True, help="Begin a new game although one is unfinished; that one stays so.")
@click.option("--unchecked", is_flag=True, help="Begin at once, without looking at the wires first.")
@click.option("--shuffle/--printed", default=None, help="Deal the trap tables anew for a new game, or as printed.")
def play(
    settings_file: Path, journal: Path | None, resume: bool, fresh: bool, unchecked: bool, shuffle: bool | None
) -> None:
    """Run the table: read the dials, keep the record, tell each trap to the one player who may know.

    First the wires are looked at. A dial that does not answer is told to the referee, and play begins; a missing bus
    or mux, another chip than the settings name, or a pin that cannot be had is refused, all of it at once.

    The terminal shows what everyone may read, and takes the table's words, one per line; say `help` for a list.
    """
    from pi_app import settings
    from pi_app.house import House
    from pi_app.journal import Journal
    from pi_app.parts import RealParts

    loaded = settings.load(settings_file)
    for problem in loaded.warnings:
        click.echo(f"note: {problem}", err=True)
    if not unchecked:
        _look_first(loaded)
    path = journal or loaded.beside(loaded.table.journal)
    with Journal(path, MAGE_KNIGHT) as record:
        unfinished = None if fresh else to_go_on_with(record, resume)
        with contextlib.closing(Terminal(loaded.squares)) as terminal, House(loaded, RealParts()) as house:
            loop = house.loop(record, resume=unfinished, listeners=[terminal], shuffle=shuffle)
            _read_words(loop)
            run_until_stopped(loop)


def _look_first(settings: Settings) -> None:
    """Raises WiringRefusedError. The parts are given back before the game opens its own."""
    from pi_app.host import Host
    from pi_app.parts import RealParts
    from pi_app.start_check import start_check

    with contextlib.closing(RealParts()) as parts:
        found = start_check(settings, parts, Host())
    found.insist()
    with contextlib.closing(Terminal(settings.squares)) as terminal:
        for line in found.noticed:
            terminal.told("referee", line, 0)


class Terminal(PlainLines):
    """Prints what everyone at the table may read, and what the referee is told."""

    def __init__(self, squares: Iterable[str]) -> None:
        super().__init__(_print, VIEWERS, squares)


def _print(viewers: Sequence[str], line: str, at_ns: int) -> None:
    click.echo(f"{', '.join(viewers):<8} | {line}")


def _read_words(loop: Loop) -> None:
    """Hand lines from standard input to the loop, in a thread that never keeps the program alive. At the end of
    input play goes on: a service has none."""

    def read() -> None:
        for line in sys.stdin:
            loop.say(line)

    threading.Thread(target=read, name="words", daemon=True).start()


def run_until_stopped(loop: Loop) -> None:
    """Play until somebody says quit or stops the program; both leave a game that can be resumed."""
    import signal

    def stop(*_: object) -> None:
        loop.running = False

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    loop.run()
