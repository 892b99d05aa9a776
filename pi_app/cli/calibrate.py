"""`trapdial calibrate`: learn where each dial's detents are."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.asking import ask, confirmed
from pi_app.cli.options import as_one_value, in_play_option, settings_option, squares_option
from pi_app.cli.printing import echo, is_terminal, redraw
from pi_app.text import exit_codes

if TYPE_CHECKING:
    from pi_app.dials.calibration import Calibration
    from pi_app.play.parts import Parts
    from pi_app.settings.model import Settings
    from pi_app.simulated.table import SimulatedTable

DEFAULT_FILE = "calibration.toml"

TURN_BACK = (
    "End the game first, or say --in-play and turn each dial back to where it stood; its record then gets an entry, "
    "and its audit a finding (S-9)"
)


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
    yes: bool
    seed: int


@dataclass(kw_only=True)
class _Dials:
    """The calibration file while it is learnt: `kept` is its content, `drawn` what can be drawn; `old` is a copy of the
    file before it was written, if there was one."""

    path: Path
    kept: dict[str, Calibration]
    drawn: dict[str, Calibration] = field(default_factory=dict)
    written: bool = False
    old: Path | None = None


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
@in_play_option
@click.option("--simulated", is_flag=True, help="Calibrate simulated dials.")
@click.option("--auto", is_flag=True, help="With --simulated: a simulated hand turns them.")
@click.option(
    "--yes", is_flag=True, help="Replace calibrations and write into the settings without asking; for scripts."
)
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed gives the same hands and magnets.")
@click.pass_context
@as_one_value(CalibrateOptions)
def calibrate(context: click.Context, options: CalibrateOptions) -> None:
    """Learn where the detents of each dial are: you turn it once round, click by click.

    Printed dials and glued magnets are a few degrees off. Calibration measures by how much, so that no click is
    mistaken for its neighbour. Each dial has to answer before you are asked to turn it. A doubtful turn is refused
    with the reason, and the previous calibration is kept. The file is written after every dial; the other squares
    in it are kept, and the old file too, with .old after its name. Before a calibration is replaced, and before the
    file is named in the settings, you are asked. With --in-play turn each dial back to where it stood. Exit code 1
    if a dial was refused, or its old calibration kept.
    """
    from pi_app.play import samples_csv as recording
    from pi_app.play.opened import journals_of, open_secrets
    from pi_app.settings import load as reader
    from pi_app.workshop import calibrate as calibrating

    _check(options)
    settings = reader.load(options.settings_file)
    wanted = recording.only(settings, options.labels or tuple(settings.squares))
    path = options.output or settings.beside(settings.table.calibration or DEFAULT_FILE)
    dials = _Dials(path=path, kept=calibrating.known(path))
    if options.known:
        _draw(options.plot, {label: dials.kept[label] for label in wanted.squares if label in dials.kept}, path)
        return
    if options.simulated:
        echo("SIMULATED: these are not real dials.")
    else:
        open_secrets("calibrated", journals_of([options.settings_file]), in_play=options.in_play, advice=TURN_BACK)
    learnable = [label for label, square in wanted.squares.items() if square.kind.absolute]
    for label in wanted.squares:
        if label not in learnable:
            echo(f"{label}: counts whole steps, so there is nothing to learn. Say `home {label}` at the table.")
    good = [_one(settings, label, dials, options) for label in learnable]
    if dials.drawn:
        _draw(options.plot, dials.drawn, path, simulated=options.simulated)
    echo(f"{sum(good)} of {len(good)} dials learnt; {path} knows {len(dials.kept)}.")
    if dials.old is not None:
        echo(f"The file as it was before is {dials.old}.")
    if any(good):
        _name_in_settings(settings, path, options)
    if not all(good):
        context.exit(exit_codes.FOUND)


def _check(options: CalibrateOptions) -> None:
    """Raises UsageError for options that contradict each other."""
    if options.simulated != options.auto:
        raise click.UsageError("--simulated and --auto go together: only a simulated hand can turn a simulated dial.")
    if options.known and options.plot is None:
        raise click.UsageError("--known turns nothing; add --plot FILE to draw what the file has.")
    if options.plot is not None and options.plot.suffix not in (".svg", ".png"):
        raise click.UsageError(f"--plot draws .svg and .png; what is {str(options.plot)!r}?")


def _draw(plot: Path | None, dials: dict[str, Calibration], file: Path, *, simulated: bool = False) -> None:
    """Write the picture if `plot` names one. Raises UserFileError."""
    from pi_app.text.errors import UserFileError

    if plot is None:
        return
    if not dials:
        raise UserFileError.at(str(file), "", "it has none of these dials", "Calibrate them first, without --known")
    from pi_app.cli.whole_file import write_whole, write_whole_bytes
    from pi_app.workshop.calibration_plot import plot as drawing

    picture = drawing(dials, simulated=simulated)
    if plot.suffix == ".svg":
        from pi_app.plans.pictures.svg import svg

        write_whole(plot, svg(picture))
    else:
        from pi_app.plans.pictures.png import png

        write_whole_bytes(plot, png(picture))
    echo(f"{plot}: {len(dials)} {'dial' if len(dials) == 1 else 'dials'} drawn.")


def _one(settings: Settings, label: str, dials: _Dials, options: CalibrateOptions) -> bool:
    """Calibrate one dial into the file; return False if it was refused, or its old calibration kept."""
    from pi_app.dials.calibration import CalibrationDoubtError
    from pi_app.dials.magnet_error import remarks
    from pi_app.play import tiles
    from pi_app.workshop import calibrate as calibrating

    kept = dials.kept
    while True:
        try:
            learnt = _learn(settings, label, dials, options)
        except CalibrationDoubtError as doubt:
            for reason in doubt.reasons:
                echo(f"!!  {label}: {reason}")
            echo(f"    {label}: refused. Its previous calibration is kept.")
            if doubt.dial is not None:
                dials.drawn[label] = doubt.dial
        except calibrating.NotTurnedError as trouble:
            echo(f"!!  {label}: {trouble}")
        else:
            if learnt is None:
                return False
            dial, remark = learnt
            echo(f"ok  {label}: {_how_good(kept.get(label), dial)}")
            kept[label] = dials.drawn[label] = dial
            for said in remarks(dial.errors):
                echo(f"    {label}: {said}")
            for other in tiles.moved_away(kept, label):
                del kept[other]
                echo(f"    {label}: this tile was the one of {other}; calibrate {other} too.")
            if remark:
                echo(f"    {label}: {remark}")
            if not dials.written:
                dials.old, dials.written = calibrating.set_aside(dials.path), True
            calibrating.keep(dials.path, kept)
            return True
        if options.auto or not confirmed(f"{label}: try again?", default=True):
            return False


def _learn(settings: Settings, label: str, dials: _Dials, options: CalibrateOptions) -> tuple[Calibration, str] | None:
    """Learn one dial from one turn; return it with a remark for the person, or None if they keep the old one.

    Nothing is asked before the bus is open and the dial answers. Raises HardwareError, NotTurnedError and
    CalibrationDoubtError.
    """
    from hardware.errors import HardwareError
    from pi_app.dials.calibration import CalibrationDoubtError
    from pi_app.play import samples_csv as recording
    from pi_app.play import tiles
    from pi_app.play.build import TableBuilder
    from pi_app.workshop import calibrate as calibrating

    alone = recording.only(settings, (label,))
    square = settings.squares[label]
    parts = _parts(settings, label, options.seed if options.simulated else None)
    with TableBuilder(alone, parts) as builder:
        wires = builder.wires()
        feed = recording.feed_of(alone, wires, parts)
        every_ns = recording.period_ns(alone)
        try:
            calibrating.wait_until_found(feed, parts.clock, every_ns)
            _ask_to_turn(label, square.table.clicks, wait=not options.auto)
            feed.take()  # the samples from before the person was ready
            try:
                samples = calibrating.sample_one_turn(feed, parts.clock, square, every_ns, _stood)
            finally:
                _stood_enough()
        finally:
            feed.close()
        dial = calibrating.learnt(samples, square)
        before = dials.kept.get(label)
        if before is not None and not _may_replace(label, before, dial, options):
            return None
        if label not in wires.memories:
            return dial, ""
        try:
            return tiles.handed_over(dial, wires.memories[label], before)
        except HardwareError as error:
            raise CalibrationDoubtError([f"It is not known which tile this is: {error}"]) from error


def _ask_to_turn(label: str, clicks: int, *, wait: bool) -> None:
    echo(
        f"{label}: it answers. Turn it to its start mark. Then turn it counter-clockwise, click by click, {clicks} "
        "clicks once round to the start mark again, and wait half a second in every detent."
    )
    if wait:
        ask(f"{label}: press Enter when it stands at its start mark")


def _may_replace(label: str, before: Calibration, dial: Calibration, options: CalibrateOptions) -> bool:
    """Ask whether to replace a calibration that the file has."""
    was, better = _margins(before, dial)
    question = (
        f"{label}: with the calibration in the file its worst detent is {was:.1f} degrees from being mistaken for its "
        f"neighbour; with the new one {better:.1f}. Replace it?"
    )
    if _agreed(question, options):
        return True
    echo(f"    {label}: its old calibration is kept. `--yes` replaces it without asking.")
    return False


def _name_in_settings(settings: Settings, path: Path, options: CalibrateOptions) -> None:
    """After asking, write the file's name into [table] of the settings, unless they name a file already."""
    from pi_app.cli.whole_file import write_whole
    from pi_app.settings.written_key import with_table_key
    from pi_app.text.private_files import mode_of
    from pi_app.text.user_file import read_text
    from pi_app.workshop.calibrate import set_aside

    if settings.table.calibration:
        return
    file = options.settings_file.resolve() if options.settings_file.is_symlink() else options.settings_file
    name = path.name if path.resolve().parent == file.resolve().parent else str(path.resolve())
    key = f'calibration = "{name}"'
    text = with_table_key(read_text(file), "calibration", name)
    if text is None or not _agreed(f"Write {key} into [table] of {settings.where}, so that play uses it?", options):
        echo(f"To use it, write {key} into [table] of {settings.where}.")
        return
    old = set_aside(file)
    write_whole(file, text, mode=mode_of(file))
    echo(f"{settings.where} has {key} now; as it was before, it is {old}.")


def _agreed(question: str, options: CalibrateOptions) -> bool:
    """With --yes, yes; where a hand is simulated or the input has ended, no."""
    if options.yes or options.auto:
        return options.yes
    try:
        return confirmed(question, default=True)
    except click.Abort:
        echo()
        return False


def _stood(places: int, of: int) -> None:
    """Show how many detents are done, without angles, on a terminal."""
    bar = "#" * places + "." * (of - places)
    redraw(f"    [{bar}] {places} of {of}")


def _stood_enough() -> None:
    if is_terminal(sys.stderr):
        echo(err=True)


def _how_good(before: Calibration | None, now: Calibration) -> str:
    was, better = _margins(before, now)
    guess = "evenly spaced detents" if before is None else "what was known before"
    return (
        f"learnt. Its worst detent is {better:.1f} degrees from being mistaken for its neighbour; with {guess} "
        f"it would be {was:.1f}."
    )


def _margins(before: Calibration | None, now: Calibration) -> tuple[float, float]:
    """The margin of the worst detent with what was assumed before, and with what was learnt now."""
    from pi_app.workshop.calibrate import worst_margin_deg

    comparable = before if before is not None and before.clicks == now.clicks else None
    return worst_margin_deg(comparable, now), worst_margin_deg(now, now)


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
