"""`trapdial demo --pages`: the simulated table with its seats' pages in a browser on this machine."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pi_app.cli.printing import echo, echo_lines, is_terminal

if TYPE_CHECKING:
    from pi_app.cli.demo_record import DemoRecord
    from pi_app.play.build import Outputs
    from pi_app.settings.model import Settings
    from pi_app.simulated.demo_pages import Opened
    from pi_app.simulated.fault_option import WantedFault
    from pi_app.simulated.pages_table import PagesDemo

OPEN: Final = "Open this in a browser on this machine: four seats, and the dials with buttons."
TAKEN: Final = "Port {first} is taken, so the pages are at port {port}."
TYPE: Final = "Type the table's words here, such as: status, end, new. Ctrl-C ends the demo."
ROBOTS: Final = (
    "{seats} robots play, each with a simulated phone that joins, taps and holds over HTTP. Watch the dials:"
)

SEEN: Final = (
    "Their phones opened {frames} sealed frames and showed {faces} faces, each on one phone alone. Frames that did not "
    "open: {unread}."
)


@dataclass(frozen=True, kw_only=True)
class PagesOptions:
    """What the command line says of the pages."""

    port: int | None
    seed: int
    exposes: int
    resume: bool
    boards: bool


def play_by_hand(settings: Settings, record: DemoRecord, faults: Sequence[WantedFault], options: PagesOptions) -> None:
    """Play in real time, with hands on the page `/demo` and words typed here."""
    from pi_app.cli.after_game import AfterGame
    from pi_app.cli.play import GO_ON
    from pi_app.cli.stopping import requesting
    from pi_app.cli.terminal import VIEWERS, Terminal
    from pi_app.cli.typed_lines import read_lines
    from pi_app.play.build import Outputs
    from pi_app.report.plain_lines import PlainLines
    from pi_app.text.language import words

    translated = words(settings.table.language)
    with contextlib.ExitStack() as closing:
        terminal = closing.enter_context(Terminal())
        request = closing.enter_context(requesting("" if record.is_temporary else GO_ON, record.journal))

        def say(line: str) -> None:
            terminal.say(f"SIMULATED {line}")

        def write(viewers: Sequence[str], line: str, at_ns: int) -> None:
            say(f"{', '.join(viewers):<8} | {line}")

        lines = closing.enter_context(contextlib.closing(PlainLines(write, VIEWERS, settings.squares)))

        def tell(game_id: str, letters: str) -> Sequence[str]:
            return record.after_game(game_id, letters, translated, qr=terminal.shown_to_a_person)

        after = AfterGame(tell, say)
        opened = closing.enter_context(_opened(options.port))
        for line in (*_welcome(opened, OPEN, opened.url), TYPE):
            terminal.say(line)
        table = closing.enter_context(_table(settings, record, opened, options, Outputs([lines, after])))
        after.watch(table.loop)
        closing.enter_context(after)
        request.calls(table.loop.stop)
        table.inject(faults)
        read_lines(table.loop.say, lambda reason: say(f"{'referee':<8} | {translated(reason)}"))
        table.play()
        table.loop.session.check_recorded()


def play_with_robots(
    settings: Settings, record: DemoRecord, faults: Sequence[WantedFault], options: PagesOptions
) -> None:
    """Let robots with simulated phones play, as fast as they can, and end the game."""
    from pi_app.cli.after_game import printed
    from pi_app.cli.play import GO_ON
    from pi_app.cli.stopping import requesting
    from pi_app.play.build import Outputs
    from pi_app.report.plain_lines import PlainLines, names
    from pi_app.text.language import words

    viewers = ("public", "referee")

    def show(who: Sequence[str], text: str, at_ns: int) -> None:
        echo(f"{names(who, viewers):<10} | {text}")

    with contextlib.ExitStack() as closing:
        request = closing.enter_context(requesting("" if record.is_temporary else GO_ON, record.journal))
        lines = closing.enter_context(contextlib.closing(PlainLines(show, viewers, settings.squares)))
        opened = closing.enter_context(_opened(options.port))
        echo_lines(_welcome(opened, ROBOTS.format(seats=len(settings.seats)), opened.url_to_watch))
        table = closing.enter_context(_table(settings, record, opened, options, Outputs([lines])))
        request.calls(table.loop.stop)
        table.inject(faults)
        seen = table.play_with_robots(options.exposes, options.seed)
        session = table.loop.session
        session.check_recorded()
        letters, translated = session.journal.head().text(), words(settings.table.language)
        lines.flush()
        told = record.after_game(session.game_id, letters, translated, qr=is_terminal(sys.stdout))
        echo(f"{'robots':<10} | {SEEN.format(faces=seen.faces, frames=seen.frames, unread=seen.unread)}")
        echo_lines(["", *printed(told)] if told else [])


@contextlib.contextmanager
def _opened(port: int | None) -> Iterator[Opened]:
    """Open the port, and close it in the end. Raises UserFileError."""
    from pi_app.simulated.demo_pages import open_port

    with open_port(port) as opened:
        yield opened


def _welcome(opened: Opened, first: str, url: str) -> list[str]:
    taken = [] if opened.taken is None else [TAKEN.format(first=opened.taken, port=opened.address[1])]
    return ["SIMULATED: no real dial is read; chips, pins and hands are simulated.", *taken, first, f"  {url}"]


def _table(
    settings: Settings, record: DemoRecord, opened: Opened, options: PagesOptions, outputs: Outputs
) -> PagesDemo:
    from pi_app.simulated.demo import Twins
    from pi_app.simulated.pages_table import PagesDemo

    twins = Twins(boards=options.boards)
    return PagesDemo(
        settings, record.journal, opened, seed=options.seed, resume=options.resume, outputs=outputs, twins=twins
    )
