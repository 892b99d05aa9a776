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
    from pi_app.cli.simulated_play import SimulatedPlay
    from pi_app.cli.terminal import Terminal
    from pi_app.play.parts import Parts
    from pi_app.play.phones import TablePages
    from pi_app.report.moment import Moment
    from pi_app.report.plain_lines import PlainLines
    from pi_app.settings.model import Settings

PRACTISE: Final = "End that game first, or play with other tables: trapdial demo"

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
@click.option("--simulated", is_flag=True, help="Run a simulation of this table instead of its wires.")
@click.option(
    "--lock-memory",
    is_flag=True,
    help="Warn if the program cannot be locked into memory; a service needs LimitMEMLOCK=infinity.",
)
def play(
    settings_file: Path,
    journal: Path | None,
    resume: bool,
    fresh: bool,
    unchecked: bool,
    shuffle: bool | None,
    lock_memory: bool,
    simulated: bool = False,
) -> None:
    """Run the table: read the dials, keep the journal, show each trap only to the player who may know it.

    The wires are checked first. A dial that does not answer is reported to the referee, and play begins. Play does not
    begin if a bus or a mux is missing, a chip is not the one in the settings, or a pin is not available; all of these
    are reported at once.

    With --shuffle each square of a new game gets another trap table, and the faces that a die can reach move to other
    clicks, so that knowing the printed dials is of no use.

    With lamp_code = "dealt" in the settings, the lamp of a seat has another code in each game. For a seat without a
    screen the folder `lamp_cards` beside the journal then holds the card, to print for its player alone.

    With [pages] in the settings, phones can be the screens of seats: `trapdial docs phones`. With [centre] the record
    is handed over to a centre while you play: `trapdial docs journal`.

    The terminal shows what everyone may read. Type commands, one per line; `help` lists them.

    With --simulated no hardware is needed: chips, pins and hands are simulated, in real time, and every display says
    SIMULATED. The terminal also shows what each seat's screen shows, and hands are typed: `sim help` lists them. The
    journal is another file beside the one in the settings.
    """
    from pi_app.cli.after_game import AfterGame
    from pi_app.cli.handed_over import handing_over, stamp_of
    from pi_app.cli.lamp_cards import LampCards
    from pi_app.cli.stopping import requesting
    from pi_app.cli.terminal import Terminal, warn
    from pi_app.cli.typed_lines import read_lines
    from pi_app.journal import Journal
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.build import GameOptions, Outputs, TableBuilder
    from pi_app.play.locked_memory import lock_memory as locked
    from pi_app.settings import load as settings
    from pi_app.text.language import words

    loaded = settings.load(settings_file)
    for problem in loaded.warnings:
        warn(f"note: {problem}")
    if simulated:
        from pi_app.play.opened import journals_of, open_secrets

        open_secrets("demo", journals_of([settings_file]), in_play=False, advice=PRACTISE)
    with Terminal() as terminal, contextlib.closing(_lines(loaded, terminal, simulated)) as lines:
        twins = _twins(loaded, terminal) if simulated else None
        if not unchecked:
            _check_wires(loaded, lines, twins)
        path = journal or (loaded.beside(loaded.table.journal) if twins is None else twins.journal())
        prepare_keys(path, loaded.keys_place)
        stamp = stamp_of(loaded, path) if twins is None else twins.stamp
        with requesting(GO_ON) as request, Journal(path, MAGE_KNIGHT, stamp) as record:
            unfinished = None if fresh else to_go_on_with(record, resume)
            parts = _parts(path, loaded, twins, unfinished)
            cards = LampCards(loaded, path, terminal.say)
            sender = handing_over(loaded, path) if twins is None else contextlib.nullcontext()
            with sender, _pages(loaded) as pages, TableBuilder(loaded, parts) as builder:
                real = twins is None
                notes = locked(loaded.table.language, asked=lock_memory) if real or lock_memory else ()
                say = terminal.say if twins is None else twins.say
                translated = words(loaded.table.language)

                def refuse(reason: str) -> None:
                    say(f"{'referee':<8} | {translated(reason)}")

                after = AfterGame(path, translated, say, qr=terminal.shown_to_a_person)
                outputs = Outputs([lines, after], shown=None if twins is None else twins.shown, dealt=cards.dealt)
                game = GameOptions(shuffle=shuffle)
                loop = builder.loop(record, resume=unfinished, outputs=outputs, game=game, notes=notes, pages=pages)
                after.watch(loop)
                request.calls(loop.stop)
                with after:
                    if twins is None:
                        read_lines(loop.say, refuse)
                        loop.run()
                    else:
                        read_lines(hands := twins.hands(loop), refuse)
                        twins.run(loop, hands)


def _pages(settings: Settings) -> contextlib.AbstractContextManager[TablePages | None]:
    """Open the pages for phones, if the settings ask for them. Raises UserFileError if that is not possible."""
    if settings.pages is None:
        return contextlib.nullcontext()
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.open_pages import open_pages

    keys = prepare_keys(settings.beside(settings.table.journal), settings.keys_place, unlock=False)
    return open_pages(settings, keys)


def _twins(settings: Settings, terminal: Terminal) -> SimulatedPlay:
    from pi_app.cli.simulated_play import SimulatedPlay

    twins = SimulatedPlay(settings, terminal.say)
    twins.welcome()
    return twins


def _real_parts() -> Parts:
    from pi_app.play.parts import RealParts

    return RealParts()


def _parts(path: Path, settings: Settings, twins: SimulatedPlay | None, unfinished: tuple[str, Moment] | None) -> Parts:
    """Return the parts of the table. Raises UserFileError if the unfinished game cannot be resumed on them."""
    from pi_app.play.resuming import refuse_mismatch

    real = _real_parts() if twins is None else None
    if unfinished is not None:
        refuse_mismatch(path, unfinished[1].game, settings, simulated=real is None or real.simulated)
    return twins.parts(unfinished) if twins is not None else real or _real_parts()


def _lines(settings: Settings, terminal: Terminal, simulated: bool) -> PlainLines:
    """Print the public lines and the referee's notices, each sentence once."""
    from pi_app.cli.terminal import VIEWERS
    from pi_app.report.plain_lines import PlainLines

    mark = "SIMULATED " if simulated else ""

    def write(viewers: Sequence[str], line: str, at_ns: int) -> None:
        terminal.say(f"{mark}{', '.join(viewers):<8} | {line}")

    return PlainLines(write, VIEWERS, settings.squares)


def _check_wires(settings: Settings, lines: PlainLines, twins: SimulatedPlay | None) -> None:
    """Check the wires and release them. Raises WiringRefusedError."""
    from hardware.host import Host
    from pi_app.workshop.start_check import start_check

    with contextlib.closing(_real_parts() if twins is None else twins.parts(None)) as parts:
        found = start_check(settings, parts, Host())
    found.insist()
    for line in found.noticed:
        lines.told("referee", line, 0)
    lines.flush()
