"""`trapdial record`: the dials' samples to a CSV file."""

from __future__ import annotations

import contextlib
import functools
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hardware.sims.hand import SimHand
from pi_app.cli.options import in_play_option, no_force_option, overwrite_option, settings_option, squares_option
from pi_app.cli.printing import echo

if TYPE_CHECKING:
    import random

    from pi_app.play.build import TableBuilder
    from pi_app.settings.model import Settings
    from pi_app.simulated.table import SimulatedTable

SECRET = (
    "This file shows where the dials stand. With the trap tables it reveals every trap: do not open it before the game "
    "is over."
)


@click.command()
@settings_option
@squares_option
@click.option("--seconds", type=click.FloatRange(0.1, 86_400), help="Stop after this time; without it, at Ctrl-C.")
@click.option(
    "-o",
    "--output",
    "output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE.csv",
    help="The file to write; an existing one is not overwritten.",
)
@overwrite_option
@in_play_option
@no_force_option
@click.option("--simulated", is_flag=True, help="Record simulated dials, turned by simulated hands.")
@click.option(
    "--seed", type=int, default=7, show_default=True, help="With --simulated: the same seed gives the same hands."
)
def record(
    settings_file: Path,
    labels: tuple[str, ...],
    seconds: float | None,
    output: Path,
    overwrite: bool,
    in_play: bool,
    simulated: bool,
    seed: int,
) -> None:
    """Write the samples of the encoders to FILE.csv: one line per read.

    The columns are t_ns,square,raw,status; for a single square they are t_ns,raw,status, which `trapdial decode`
    reads. An empty raw is a failed read, and status gives the reason: silent, stuck, glitch, no magnet, implausible.
    Ctrl-C ends the recording and leaves a complete file. Recording is refused while a game is on at the table, because
    a recording reveals secrets.
    """
    from pi_app.play import samples_csv as recording
    from pi_app.play.opened import journals_of, open_secrets
    from pi_app.settings import load as reader

    settings = reader.load(settings_file)
    wanted = recording.only(settings, labels or tuple(settings.squares))
    if not overwrite:
        recording.check_is_new(output)
    if not simulated:
        open_secrets("samples", journals_of([settings_file]), in_play=in_play)
    with contextlib.ExitStack() as closing:
        if simulated:
            echo("SIMULATED: these are not real dials.", err=True)
        echo(SECRET, err=True)
        stop = closing.enter_context(_stopped_by_signals())
        builder = closing.enter_context(
            _simulated_builder(wanted, seed, seconds) if simulated else _real_builder(wanted)
        )
        feed = recording.feed_of(wanted, builder.wires(), builder.parts)
        closing.callback(feed.close)
        named = len(wanted.squares) > 1
        header = recording.SEVERAL_SQUARES if named else recording.ONE_SQUARE
        file = closing.enter_context(recording.CsvFile(output, header, overwrite=overwrite))
        until_ns = None if seconds is None else builder.parts.clock.now_ns() + round(seconds * 1e9)
        counts = recording.record(
            feed,
            builder.parts.clock,
            file,
            named=named,
            every_ns=recording.period_ns(wanted),
            until_ns=until_ns,
            go_on=lambda counts: not stop(),
        )
    echo(f"{output}: {counts}.", err=True)


def _real_builder(settings: Settings) -> TableBuilder:
    from pi_app.play.build import TableBuilder
    from pi_app.play.parts import RealParts

    return TableBuilder(settings, RealParts())


def _simulated_builder(settings: Settings, seed: int, seconds: float | None) -> TableBuilder:
    from pi_app.play.build import TableBuilder
    from pi_app.simulated.build import simulated_table

    table = simulated_table(settings, seed=seed)
    _let_hands_turn(table, seed, seconds)
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


def _let_hands_turn(table: SimulatedTable, seed: int, seconds: float | None) -> None:
    """Let hands turn dials now and then; without an end, in real time."""
    import random

    from pi_app.simulated.wall_clock import WallClock

    draw = random.Random(f"record {seed}")
    for tile in table.tiles.values():
        first = functools.partial(_turn_and_again, table, tile.hand, draw)
        table.clock.at(round(draw.uniform(0.8, 1.5) * 1e9), first)
    if seconds is None:
        table.clock.pace = WallClock()


def _turn_and_again(table: SimulatedTable, hand: SimHand, draw: random.Random) -> None:
    rests_ns = hand.turn(table.clock.now_ns(), draw.choice((-2, -1, 1, 2, 3, 4, 5, 6)))
    again = functools.partial(_turn_and_again, table, hand, draw)
    table.clock.at(rests_ns + round(draw.uniform(1.0, 3.0) * 1e9), again)
