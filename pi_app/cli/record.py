"""`trapdial record`: the dials' angles live in the terminal, and their samples to a CSV file."""

from __future__ import annotations

import contextlib
import functools
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hardware.sims.hand import SimHand
from pi_app.cli.options import (
    as_one_value,
    in_play_option,
    no_force_option,
    overwrite_option,
    settings_option,
    squares_option,
)
from pi_app.cli.printing import drawing_page, echo, echo_lines, is_terminal
from pi_app.cli.record_drawing import draw_dials, draw_line, watched_dials

if TYPE_CHECKING:
    import random

    from hardware.clock import Clock
    from pi_app.play.build import TableBuilder
    from pi_app.play.feed import DialSample
    from pi_app.settings.model import Settings, SquareSettings
    from pi_app.simulated.table import SimulatedTable

SECRET = (
    "This file shows where the dials stand. With the trap tables it reveals every trap: do not open it before the game "
    "is over."
)

DRAW_NS = 80_000_000
"""Time between two pictures."""


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    """What the command line of `trapdial record` says."""

    settings_file: Path
    labels: tuple[str, ...]
    seconds: float | None
    output: Path | None
    no_draw: bool
    overwrite: bool
    in_play: bool
    simulated: bool
    seed: int


@click.command()
@settings_option
@squares_option
@click.option("--seconds", type=click.FloatRange(0.1, 86_400), help="Stop after this time; without it, at Ctrl-C.")
@click.option(
    "-o",
    "--output",
    "output",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Write the samples to this file; an existing one is not overwritten.",
)
@click.option("--no-draw", is_flag=True, help="At a terminal: do not draw the angle live.")
@overwrite_option
@in_play_option
@no_force_option
@click.option("--simulated", is_flag=True, help="Record simulated dials, turned by simulated hands.")
@click.option(
    "--seed", type=int, default=7, show_default=True, help="With --simulated: the same seed gives the same hands."
)
@as_one_value(RecordOptions)
def record(options: RecordOptions) -> None:
    """Draw the encoders' angles live in the terminal; with -o also write their samples to FILE.csv, one line per read.

    The columns are t_ns,square,raw,status; for a single square they are t_ns,raw,status, which `trapdial decode`
    reads. An empty raw is a failed read, and status gives the reason: silent, stuck, glitch, no magnet, implausible.
    Ctrl-C ends the recording and leaves a complete file. Recording is refused while a game is on at the table, because
    it reveals secrets.
    """
    draws = is_terminal(sys.stdout) and not options.no_draw
    if options.output is None and not draws:
        raise click.UsageError("There is nothing to do: run it in a terminal, or name a file with -o FILE.csv.")
    from pi_app.play import samples_csv as recording
    from pi_app.play.opened import journals_of, open_secrets
    from pi_app.settings import load as reader

    settings = reader.load(options.settings_file)
    wanted = recording.only(settings, options.labels or tuple(settings.squares))
    if options.output is not None and not options.overwrite:
        recording.check_is_new(options.output)
    if not options.simulated:
        open_secrets("samples", journals_of([options.settings_file]), in_play=options.in_play)
    with contextlib.ExitStack() as closing:
        if options.simulated:
            echo("SIMULATED: these are not real dials.", err=True)
        if options.output is not None:
            echo(SECRET, err=True)
        stop = closing.enter_context(_stopped_by_signals())
        builder = closing.enter_context(_builder(wanted, options, draws=draws))
        feed = recording.feed_of(wanted, builder.wires(), builder.parts)
        closing.callback(feed.close)
        named = len(wanted.squares) > 1
        header = recording.SEVERAL_SQUARES if named else recording.ONE_SQUARE
        file = None
        if options.output is not None:
            file = closing.enter_context(recording.CsvFile(options.output, header, overwrite=options.overwrite))
        clock = builder.parts.clock
        view = LiveView(wanted.squares, clock, simulated=options.simulated)
        if draws:
            closing.enter_context(view)
        counts = recording.record(
            feed,
            clock,
            file,
            named=named,
            every_ns=recording.period_ns(wanted),
            until_ns=None if options.seconds is None else clock.now_ns() + round(options.seconds * 1e9),
            go_on=lambda counts: not stop(),
            see=view.see,
        )
    if draws:
        echo_lines(view.last_words())
    if options.output is not None:
        echo(f"{options.output}: {counts}.", err=True)


class LiveView:
    """Draws the dials on a page of the terminal, as long as it is entered."""

    def __init__(self, squares: Mapping[str, SquareSettings], clock: Clock, *, simulated: bool) -> None:
        self._dials = watched_dials(squares)
        self._clock = clock
        self._title = "SIMULATED." if simulated else ""
        self._page = contextlib.ExitStack()
        self._draw: Callable[[Iterable[str]], None] | None = None
        self._next_ns = 0

    def __enter__(self) -> LiveView:
        self._draw = self._page.enter_context(drawing_page())
        return self

    def __exit__(self, *_: object) -> None:
        self._page.close()

    def see(self, samples: Iterable[DialSample]) -> None:
        """Take samples, and draw the picture if it is time."""
        if self._draw is None:
            return
        for label, sample in samples:
            self._dials[label].take(sample)
        if (now_ns := self._clock.now_ns()) >= self._next_ns:
            self._next_ns = now_ns + DRAW_NS
            columns, rows = shutil.get_terminal_size()
            self._draw(draw_dials([*self._dials.values()], columns, rows, self._title))

    def last_words(self) -> Iterator[str]:
        """Yield lines about each dial, for the terminal after the picture is gone."""
        for dial in self._dials.values():
            yield draw_line(dial)
            yield f"{dial.label} turned {dial.turned_words()}"


def _builder(settings: Settings, options: RecordOptions, *, draws: bool) -> TableBuilder:
    from pi_app.play.build import TableBuilder

    if not options.simulated:
        from pi_app.play.parts import RealParts

        return TableBuilder(settings, RealParts())
    from pi_app.simulated.build import simulated_table

    table = simulated_table(settings, seed=options.seed)
    _let_hands_turn(table, options.seed, in_real_time=draws or options.seconds is None)
    return TableBuilder(settings, table)


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C and a service's stop end the recording after the current read."""
    stopped: list[int] = []

    def stop(number: int, _: object) -> None:
        stopped.append(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(stopped)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _let_hands_turn(table: SimulatedTable, seed: int, *, in_real_time: bool) -> None:
    """Let hands turn dials now and then."""
    import random

    from pi_app.simulated.wall_clock import WallClock

    draw = random.Random(f"record {seed}")
    for tile in table.tiles.values():
        first = functools.partial(_turn_and_again, table, tile.hand, draw)
        table.clock.at(round(draw.uniform(0.8, 1.5) * 1e9), first)
    if in_real_time:
        table.clock.pace = WallClock()


def _turn_and_again(table: SimulatedTable, hand: SimHand, draw: random.Random) -> None:
    rests_ns = hand.turn(table.clock.now_ns(), draw.choice((-2, -1, 1, 2, 3, 4, 5, 6)))
    again = functools.partial(_turn_and_again, table, hand, draw)
    table.clock.at(rests_ns + round(draw.uniform(1.0, 3.0) * 1e9), again)
