"""`trapdial play`: a table with real dials."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.options import settings_option, to_go_on_with
from pi_app.play.mage_knight import MAGE_KNIGHT

if TYPE_CHECKING:
    from pi_app.cli.terminal import Terminal
    from pi_app.report.plain_lines import PlainLines
    from pi_app.settings.model import Settings

GO_ON: Final = "The game is kept; resume it with --resume."


@click.command()
@settings_option
@click.option("--journal", type=click.Path(path_type=Path), help="Use this journal instead of the one in the settings.")
@click.option("--resume", is_flag=True, help="Resume the unfinished game in the journal.")
@click.option("--new", "fresh", is_flag=True, help="Begin a new game and leave an unfinished one as it is.")
@click.option("--unchecked", is_flag=True, help="Begin without checking the wires first.")
@click.option(
    "--shuffle/--printed", default=None, help="Deal the trap tables again for a new game, or use them as printed."
)
@click.option(
    "--lock-memory", is_flag=True, help="Lock the program into memory; a service needs LimitMEMLOCK=infinity."
)
def play(
    settings_file: Path,
    journal: Path | None,
    resume: bool,
    fresh: bool,
    unchecked: bool,
    shuffle: bool | None,
    lock_memory: bool,
) -> None:
    """Run the table: read the dials, keep the journal, show each trap only to the player who may know it.

    The wires are checked first. A dial that does not answer is reported to the referee, and play begins. Play does not
    begin if a bus or a mux is missing, a chip is not the one in the settings, or a pin is not available; all of these
    are reported at once.

    The terminal shows what everyone may read. Type commands, one per line; `help` lists them.
    """
    from pi_app.cli.after_game import AfterGame
    from pi_app.cli.stopping import requesting
    from pi_app.cli.terminal import Terminal, warn
    from pi_app.cli.typed_lines import read_lines
    from pi_app.journal import Journal
    from pi_app.play.build import GameOptions, Outputs, TableBuilder
    from pi_app.play.locked_memory import lock_memory as locked
    from pi_app.play.parts import RealParts
    from pi_app.settings import load as settings
    from pi_app.text.language import words

    loaded = settings.load(settings_file)
    for problem in loaded.warnings:
        warn(f"note: {problem}")
    with Terminal() as terminal, contextlib.closing(_lines(loaded, terminal)) as lines:
        if not unchecked:
            _check_wires(loaded, lines)
        path = journal or loaded.beside(loaded.table.journal)
        with requesting(GO_ON) as request, Journal(path, MAGE_KNIGHT) as record:
            unfinished = None if fresh else to_go_on_with(record, resume)
            with TableBuilder(loaded, RealParts()) as builder:
                notes = locked(loaded.table.language) if lock_memory else ()
                after = AfterGame(path, words(loaded.table.language), terminal.say, qr=terminal.shown_to_a_person)
                outputs, game = Outputs([lines, after]), GameOptions(shuffle=shuffle)
                loop = builder.loop(record, resume=unfinished, outputs=outputs, game=game, notes=notes)
                after.watch(loop)
                request.calls(loop.stop)
                read_lines(loop.say)
                with after:
                    loop.run()


def _lines(settings: Settings, terminal: Terminal) -> PlainLines:
    """Print the public lines and the referee's notices, each sentence once."""
    from pi_app.cli.terminal import VIEWERS
    from pi_app.report.plain_lines import PlainLines

    def write(viewers: Sequence[str], line: str, at_ns: int) -> None:
        terminal.say(f"{', '.join(viewers):<8} | {line}")

    return PlainLines(write, VIEWERS, settings.squares)


def _check_wires(settings: Settings, lines: PlainLines) -> None:
    """Check the wires and release them. Raises WiringRefusedError."""
    from hardware.host import Host
    from pi_app.play.parts import RealParts
    from pi_app.workshop.start_check import start_check

    with contextlib.closing(RealParts()) as parts:
        found = start_check(settings, parts, Host())
    found.insist()
    for line in found.noticed:
        lines.told("referee", line, 0)
    lines.flush()
