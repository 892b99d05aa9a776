"""`trapdial decode`: the turns in a recorded trace."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.options import as_one_value
from pi_app.cli.printing import echo, echo_lines
from pi_app.text import exit_codes

if TYPE_CHECKING:
    from pi_app.dials.tracker import DialShape


@dataclass(frozen=True, kw_only=True)
class DialOptions:
    """What the command line says of the dial in the trace."""

    clicks: int | None
    counts: int | None
    invert: bool
    calibration: str | None
    square: str | None
    rest_ms: int


@click.command()
@click.argument("trace", metavar="TRACE.csv", type=click.Path())
@click.option("--clicks", type=click.IntRange(2, 100), help="Positions of the dial; without it 12.")
@click.option("--counts", type=click.IntRange(64, 1 << 20), help="Counts of the sensor per turn; without it 4096.")
@click.option("--invert", is_flag=True, help="The angle decreases when the dial is turned counter-clockwise.")
@click.option("--calibration", metavar="FILE", type=click.Path(), help="A file that `trapdial calibrate` wrote.")
@click.option("--square", metavar="LABEL", help="The square in the calibration file; needed if it has several.")
@click.option(
    "--rest-ms",
    type=click.IntRange(1, 3_600_000),
    default=600,
    show_default=True,
    help="A rest of this length ends a turn.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per turn.")
@click.pass_context
@as_one_value(DialOptions)
def decode(context: click.Context, options: DialOptions, trace: str, as_json: bool) -> None:
    """Print the turns in a trace, one line each; a turn is all movement from one rest to the next.

    TRACE.csv, or - for standard input, has the columns t_ns,raw or t_ns,raw,status: increasing nanoseconds and the
    sensor's angle, 0 to 4095 (or up to --counts less one), increasing counter-clockwise unless --invert. An empty raw
    is a failed read, and so is a status other than "ok" or "good" (or empty, 0, or that the magnet is weak, strong or
    was not checked). The centre of position k is k*counts/clicks unless calibrated.

    Clicks are counter-clockwise positive and count whole turns. They are known as long as no two good samples are more
    than 35 ms apart while the dial moves, up to 171 clicks/s for 12 clicks. Otherwise the path is unknown, and the line
    gives the reason. A turn that began between two detents has a range of clicks. A dial that paused for less than
    --rest-ms may have been turned twice; its line says so.

    With --json: start_ns, end_ns, from, to, clicks, path. Where they apply: `clicks_range` (lowest and highest) with
    `passed` (detents); `why` the path is unknown; `unseen` if too few samples show the hand; `pauses` during the turn;
    `between`, the two detents that the dial rests between; `cut`, if the trace ends during the turn. A summary goes to
    standard error.

    Exit code 2 if the trace or the calibration cannot be read; the lines printed before that stay valid.
    """
    from pi_app.text.errors import UserFileError

    try:
        _decode(trace, _shape(options), as_json)
    except UserFileError as error:
        echo_lines(error.problems, err=True)
        context.exit(exit_codes.UNUSABLE)


def _shape(options: DialOptions) -> DialShape:
    from pi_app.dials.tracker import DialShape

    if options.calibration is not None:
        return _calibrated(options.calibration, options)
    if options.square is not None:
        raise click.UsageError("--square chooses a square of a calibration file; add --calibration FILE.")
    turn = options.counts or 4096
    in_steps = turn.bit_count() > 1  # an absolute encoder's counts per turn are a power of two
    try:
        return DialShape(
            clicks=options.clicks or 12,
            counts_per_turn=turn,
            invert=options.invert,
            in_steps=in_steps,
            rest_ms=options.rest_ms,
        )
    except ValueError as trouble:
        raise click.UsageError(f"{trouble}; give another --counts or --clicks.") from None


def _calibrated(file: str, options: DialOptions) -> DialShape:
    from pi_app.dials.calibration import load
    from pi_app.text.errors import UserFileError
    from pi_app.text.user_file import read_text

    dials = load(read_text(Path(file)), file)
    if options.square is None and len(dials) > 1:
        raise UserFileError.at(
            file, "", f"it has {len(dials)} squares: {', '.join(dials)}", "Choose one with --square LABEL"
        )
    wanted = next(iter(dials)) if options.square is None else options.square
    label = next((each for each in dials if each.casefold() == wanted.casefold()), None)
    if label is None:
        raise UserFileError.at(file, "", f"it has no square {wanted!r}", f"It has {', '.join(dials)}")
    dial = dials[label]
    place = f"[squares.{label}]"
    if options.clicks not in (None, dial.clicks):
        seen = f"this dial has {dial.clicks} clicks, not {options.clicks}"
        raise UserFileError.at(file, place, seen, "Leave --clicks out")
    if options.counts not in (None, dial.counts_per_turn):
        seen = f"this dial has {dial.counts_per_turn} counts per turn, not {options.counts}"
        raise UserFileError.at(file, place, seen, "Leave --counts out")
    if options.invert and not dial.invert:
        raise UserFileError.at(file, place, "this dial's angle grows counter-clockwise", "Leave --invert out")
    return dial.shape(rest_ms=options.rest_ms)


def _decode(trace: str, shape: DialShape, as_json: bool) -> None:
    from pi_app.audit import decode as traces
    from pi_app.audit import decode_lines as decode_words
    from pi_app.dials.tracker import Tracker
    from pi_app.text.errors import UserFileError
    from pi_app.text.plain_file import NotPlainError, open_plain

    line = decode_words.as_json if as_json else decode_words.as_text
    pauses = decode_words.Pauses(shape)
    summary = traces.Summary()
    try:
        stream = sys.stdin.buffer if trace == "-" else open_plain(Path(trace), traces.LARGEST_TRACE)
    except NotPlainError as trouble:
        advice = f"{trouble.advice}, or name - to read standard input" if trouble.streams else trouble.advice
        raise UserFileError.at(trace, "", f"it is {trouble}", advice) from None
    except OSError as trouble:
        seen = f"it cannot be opened ({trouble.strerror or trouble})"
        raise UserFileError.at(trace, "", seen, "Check its name, and who may read it") from None
    with stream:
        for turn in traces.decode(stream, trace, Tracker(shape), summary, pauses):
            echo(line(turn, pauses.within(turn), shape.gap_limit_ms))
    echo(summary.line(), err=True)
