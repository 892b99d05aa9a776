"""`trapdial station display`: what everybody may see, on a screen for passers-by."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.printing import echo, is_terminal

if TYPE_CHECKING:
    from pi_app.cli.stopping import Request
    from pi_app.station.public.feed import FeedReader


@click.command()
@click.option(
    "--feed", "feed_file", type=click.Path(path_type=Path), metavar="FILE", help="The socket of the station's feed."
)
@click.option("--plain", is_flag=True, help="Write lines of text; no picture. A pipe gets them anyway.")
@click.option("--still", is_flag=True, help="Reduced motion: the dial does not turn.")
@click.option(
    "--glyphs",
    type=click.Choice(["auto", "half", "full"]),
    default="auto",
    show_default=True,
    help="Draw with half blocks, or with full ones if the console's font has no others.",
)
@click.option(
    "--until",
    type=int,
    hidden=True,
    help="Send a byte to this socket before drawing; end without a line when its other end is closed.",
)
def display(feed_file: Path | None, plain: bool, still: bool, glyphs: str, until: int | None) -> None:
    """Show passers-by what everybody may see of a station: how to begin, the guided steps, the public lines of play,
    the last results. No secret reaches it.

    It reads the station's public feed and nothing else. While the station is away, it says so and waits. It needs no
    keyboard; Ctrl-C ends it. It draws in sixteen colours, from 80x25 cells up, on a Linux console or in any terminal.

    The feed of a service is in $RUNTIME_DIRECTORY or /run/trapdial. A station that you start by hand puts it beside its
    journal: name it with --feed.
    """
    from pi_app.cli.stopping import Stopped, requesting
    from pi_app.station.public.feed import NAME, RUNTIME, FeedReader, feed_path

    reader = FeedReader(feed_file or feed_path(os.environ, RUNTIME / NAME))
    drawn = not plain and all(map(is_terminal, (sys.stdin, sys.stdout, sys.stderr)))
    try:
        with requesting() as request:
            is_stopping = partial(_is_stopping, request, until)
            with _watched(is_stopping) as over:
                if drawn:
                    if until is not None:
                        os.write(until, b"\0")
                    _draw(reader, over, is_stopping, still=still, glyphs=glyphs)
                else:
                    _write(reader, over)
    except Stopped:
        if until is None:
            raise
    finally:
        reader.close()


def _is_stopping(request: Request, until: int | None) -> bool:
    """Whether a signal came, or the program ended that this display belongs to. May be called in any thread."""
    return request.number is not None or (until is not None and bool(select.select([until], [], [], 0)[0]))


@contextlib.contextmanager
def _watched(is_stopping: Callable[[], bool]) -> Iterator[Callable[[], bool]]:
    """What the display asks at each refresh: whether it is over. The service manager learns from it that
    the display draws."""
    from hardware import notify

    manager = notify.of(os.environ)
    begun: list[bool] = []

    def over() -> bool:
        if not begun:
            begun.append(True)
            manager.ready()
        manager.feed(time.monotonic_ns())
        return is_stopping()

    try:
        yield over
    finally:
        manager.stopping()
        manager.close()


def _draw(
    reader: FeedReader, over: Callable[[], bool], is_stopping: Callable[[], bool], *, still: bool, glyphs: str
) -> None:
    """Draw until a signal ends it. Raises what a bug of the screen raised."""
    from hardware.clock import MachineClock
    from pi_app.station.display.app import DisplayScreen
    from pi_app.station.display.boards import DisplayOptions
    from pi_app.station.display.glyphs import has_half_blocks
    from pi_app.text.languages import LANGUAGES

    half = has_half_blocks(sys.stdout.fileno()) if glyphs == "auto" else glyphs == "half"
    screen = DisplayScreen(
        reader,
        MachineClock().now_ns,
        DisplayOptions(still=still, half=half),
        LANGUAGES,
        over=over,
        is_stopping=is_stopping,
    )
    screen.run()
    if screen.failure is not None:
        raise screen.failure
    if screen.return_code:
        sys.exit(screen.return_code)


def _write(reader: FeedReader, ended: Callable[[], bool]) -> None:
    from hardware.clock import MachineClock
    from pi_app.station.display import plain

    def over(seconds: float) -> bool:
        time.sleep(seconds)
        return ended()

    plain.run(reader, MachineClock().now_ns, echo, over)
