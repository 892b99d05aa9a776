"""`trapdial calibrate`: learn where each dial's detents are."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.options import as_one_value, settings_option, squares_option

if TYPE_CHECKING:
    from pi_app.dials.calibration import Calibration
    from pi_app.play.parts import Parts
    from pi_app.settings.model import Settings
    from pi_app.simulated.table import SimulatedTable

DEFAULT_FILE = "calibration.toml"


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions:
    """What the command line of `trapdial calibrate` says."""

    settings_file: Path
    labels: tuple[str, ...]
    output: Path | None
    plot: Path | None
    known: bool
    in_play: bool
    simulated: bool
    auto: bool
    seed: int


@click.command()
@settings_option
@squares_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"The calibration file; without it the one in the settings, or {DEFAULT_FILE} beside them.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the angle error and the margin of each detent; FILE ends in .svg or .png. A refused dial is drawn too.",
)
@click.option("--known", is_flag=True, help="Turn nothing; with --plot: draw the calibrations in the file.")
@click.option("--in-play", is_flag=True, help="Calibrate during a game: turn each dial back to where it stood.")
@click.option("--simulated", is_flag=True, help="Calibrate simulated dials.")
@click.option("--auto", is_flag=True, help="With --simulated: a simulated hand turns them.")
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed gives the same hands and magnets.")
@click.pass_context
@as_one_value(CalibrateOptions)
def calibrate(context: click.Context, options: CalibrateOptions) -> None:
    """Learn where the detents of each dial are: you turn it once round, click by click.

    Printed dials and glued magnets are a few degrees off. Calibration measures by how much, so that no click is
    mistaken for its neighbour. A doubtful turn is refused with the reason, and the previous calibration is kept. The
    file is written after every dial; the other squares in it are kept. Exit code 1 if a dial was refused.
    """
    from pi_app.play import samples_csv as recording
    from pi_app.settings import load as reader
    from pi_app.workshop import calibrate as calibrating

    _check(options)
    settings = reader.load(options.settings_file)
    wanted = recording.only(settings, options.labels or tuple(settings.squares))
    path = options.output or settings.beside(settings.table.calibration or DEFAULT_FILE)
    before = calibrating.known(path)
    if options.known:
        _draw(options.plot, {label: before[label] for label in wanted.squares if label in before}, path)
        return
    if options.simulated:
        click.echo("SIMULATED: these are not real dials.")
    elif not options.in_play:
        _refuse_during_a_game(settings)
    drawn: dict[str, Calibration] = {}
    learnable = [label for label, square in wanted.squares.items() if square.kind.absolute]
    for label in wanted.squares:
        if label not in learnable:
            click.echo(f"{label}: counts whole steps, so there is nothing to learn. Say `home {label}` at the table.")
    seed = options.seed if options.simulated else None
    good = [_one(settings, label, path, before, seed, drawn) for label in learnable]
    if drawn:
        _draw(options.plot, drawn, path, simulated=options.simulated)
    click.echo(f"{sum(good)} of {len(good)} dials learnt; {path} knows {len(before)}.")
    if not settings.table.calibration and any(good):
        click.echo(f'To use it, write calibration = "{path.name}" into [table] of {settings.where}.')
    if not all(good):
        context.exit(1)


def _check(options: CalibrateOptions) -> None:
    """Raises UsageError for options that contradict each other."""
    if options.simulated != options.auto:
        raise click.UsageError("--simulated and --auto go together: only a simulated hand can turn a simulated dial.")
    if options.known and options.plot is None:
        raise click.UsageError("--known turns nothing; add --plot FILE to draw what the file has.")
    if options.plot is not None and options.plot.suffix not in (".svg", ".png"):
        raise click.UsageError(f"--plot draws .svg and .png; what is {str(options.plot)!r}?")


def _refuse_during_a_game(settings: Settings) -> None:
    """Refuse to have a dial of a running game turned by mistake, although it ends where it began."""
    from pi_app.play.samples_csv import open_game
    from pi_app.text.errors import UserFileError

    path = settings.beside(settings.table.journal)
    if (game := open_game(path)) is not None:
        seen = f"game {game} in it has not ended, and a dial that is turned now may end up on another click"
        raise UserFileError.at(
            str(path), "", seen, "End the game first; or say --in-play and turn each dial back to where it stood"
        )


def _draw(plot: Path | None, dials: dict[str, Calibration], file: Path, *, simulated: bool = False) -> None:
    """Write the picture if `plot` names one. Raises UserFileError."""
    from pi_app.text.errors import UserFileError

    if plot is None:
        return
    if not dials:
        raise UserFileError.at(str(file), "", "it has none of these dials", "Calibrate them first, without --known")
    from pi_app.workshop.calibration_plot import plot as drawing

    picture = drawing(dials, simulated=simulated)
    try:
        if plot.suffix == ".svg":
            from pi_app.plans.pictures.svg import svg

            plot.write_text(svg(picture), encoding="utf-8")
        else:
            from pi_app.plans.pictures.png import png

            plot.write_bytes(png(picture))
    except OSError as error:
        advice = "Check the folder and the room on the disk, or give another name with --plot"
        raise UserFileError.at(str(plot), "", f"it cannot be written ({error.strerror})", advice) from error
    click.echo(f"{plot}: {len(dials)} {'dial' if len(dials) == 1 else 'dials'} drawn.")


def _one(
    settings: Settings,
    label: str,
    path: Path,
    kept: dict[str, Calibration],
    seed: int | None,
    drawn: dict[str, Calibration],
) -> bool:
    """Calibrate one dial into the file; return False if it was refused. Put what can be drawn into `drawn`."""
    from pi_app.dials.calibration import CalibrationDoubtError
    from pi_app.dials.magnet_error import remarks
    from pi_app.play import tiles
    from pi_app.workshop import calibrate as calibrating

    while True:
        try:
            dial, remark = _learn(settings, label, seed, kept.get(label))
        except CalibrationDoubtError as doubt:
            for reason in doubt.reasons:
                click.echo(f"!!  {label}: {reason}")
            click.echo(f"    {label}: refused. Its previous calibration is kept.")
            if doubt.dial is not None:
                drawn[label] = doubt.dial
        except calibrating.NotTurnedError as trouble:
            click.echo(f"!!  {label}: {trouble}")
        else:
            click.echo(f"ok  {label}: {_how_good(kept.get(label), dial)}")
            kept[label] = drawn[label] = dial
            for said in remarks(dial.errors):
                click.echo(f"    {label}: {said}")
            for other in tiles.moved_away(kept, label):
                del kept[other]
                click.echo(f"    {label}: this tile was the one of {other}; calibrate {other} too.")
            if remark:
                click.echo(f"    {label}: {remark}")
            calibrating.keep(path, kept)
            return True
        if seed is not None or not click.confirm(f"{label}: try again?", default=True):
            return False


def _learn(settings: Settings, label: str, seed: int | None, before: Calibration | None) -> tuple[Calibration, str]:
    """Learn one dial from one turn; return it with a remark for the person."""
    from hardware.errors import HardwareError
    from pi_app.dials.calibration import CalibrationDoubtError
    from pi_app.play import samples_csv as recording
    from pi_app.play import tiles
    from pi_app.play.build import TableBuilder
    from pi_app.workshop import calibrate as calibrating

    alone = recording.only(settings, (label,))
    square = settings.squares[label]
    clicks = square.table.clicks
    click.echo(
        f"{label}: turn it to its start mark. Then turn it counter-clockwise, click by click, {clicks} clicks "
        "once round to the start mark again, and wait half a second in every detent."
    )
    if seed is None:
        click.prompt(f"{label}: press Enter when it stands at its start mark", default="", show_default=False)
    parts = _parts(settings, label, seed)
    with TableBuilder(alone, parts) as builder:
        wires = builder.wires()
        feed = recording.feed_of(alone, wires, parts)
        try:
            samples = calibrating.sample_one_turn(feed, parts.clock, square, recording.period_ns(alone), _stood)
        finally:
            feed.close()
            _stood_enough()
        dial = calibrating.learnt(samples, square)
        if label not in wires.memories:
            return dial, ""
        try:
            return tiles.handed_over(dial, wires.memories[label], before)
        except HardwareError as error:
            raise CalibrationDoubtError([f"It is not known which tile this is: {error}"]) from error


def _stood(places: int, of: int) -> None:
    """Show how many detents are done, without angles, on a terminal."""
    if sys.stderr.isatty():
        bar = "#" * places + "." * (of - places)
        click.echo(f"\r    [{bar}] {places} of {of}", err=True, nl=False)


def _stood_enough() -> None:
    if sys.stderr.isatty():
        click.echo(err=True)


def _how_good(before: Calibration | None, now: Calibration) -> str:
    from pi_app.workshop.calibrate import worst_margin_deg

    was = worst_margin_deg(before if before is not None and before.clicks == now.clicks else None, now)
    better = worst_margin_deg(now, now)
    guess = "evenly spaced detents" if before is None else "what was known before"
    return (
        f"learnt. Its worst detent is {better:.1f} degrees from being mistaken for its neighbour; with {guess} "
        f"it would be {was:.1f}."
    )


def _parts(settings: Settings, label: str, seed: int | None) -> Parts:
    from pi_app.play.parts import RealParts
    from pi_app.simulated.build import simulated_table

    if seed is None:
        return RealParts()
    table = simulated_table(settings, seed=seed)  # the whole table: its magnets are then those of a demo with this seed
    turn_once_round(table, label, settings.squares[label].table.clicks)
    return table


def turn_once_round(table: SimulatedTable, label: str, clicks: int) -> None:
    """Let a simulated hand turn a dial once round, with a rest in every detent."""
    table.tiles[label].hand.turn(1_500_000_000, clicks, 600.0)
