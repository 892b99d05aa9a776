"""`trapdial doctor`: test each part and report which ones answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.options import check_json, old_output_option, settings_option
from pi_app.cli.printing import Colour, echo, echo_marked
from pi_app.text import exit_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pi_app.play.parts import Parts
    from pi_app.settings.model import Settings
    from pi_app.workshop.doctor import Check

COLOURS: Final[dict[str, Colour]] = {"ok": "green", "!!": "red", "??": "yellow"}


@click.command()
@settings_option
@click.option("--simulated", is_flag=True, help="Test a simulation of this table instead of its wires.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="SQUARE=FAULT",
    help="With --simulated: inject a fault into a square's tile first, such as T03=unplugged.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 60),
    default=1.0,
    show_default=True,
    help="How long each bus is scanned to measure its rate.",
)
@old_output_option("--draw", "drawing")
@click.option(
    "-o",
    "--output",
    "drawing",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Draw the table's wiring with the results: which part answers, which does not, which lead to check.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line instead of sentences.")
@click.pass_context
def doctor(
    context: click.Context,
    settings_file: Path,
    simulated: bool,
    faults: tuple[str, ...],
    seconds: float,
    drawing: Path | None,
    as_json: bool,
) -> None:
    """Test each part in the settings, and print what was found and what to try.

    One line per part: ok it works, !! it fails, ?? check it when you can. The output has no angles and no positions, so
    anybody may read it. Exit code 0 if nothing fails, 1 if something does. No game may be running on the same bus.
    """
    from pi_app.plans.check import sealed
    from pi_app.play.opened import journals_of, open_game
    from pi_app.settings import load as reader
    from pi_app.text.errors import UserFileError
    from pi_app.workshop import doctor as clinic
    from pi_app.workshop.doctor.machine import examine_machine

    if faults and not simulated:
        raise click.UsageError("--fault needs --simulated: faults are injected only into a simulated table.")
    host = clinic.Host()
    show = _print_json if as_json else _print
    try:
        settings = reader.load(settings_file)
    except UserFileError:
        _tell([] if simulated else examine_machine(host), show)
        raise
    parts = _simulated(settings, faults) if simulated else _real()
    if simulated:
        echo("SIMULATED: no real part was tested.", err=as_json)
    in_play = not simulated and any(open_game(journal) for journal in journals_of([settings_file]))
    try:
        found = clinic.examine(settings, parts, host, seconds=seconds)
        checks = _tell(map(sealed, found) if in_play else found, show)
    finally:
        parts.close()
    if not as_json:
        echo(_summary(checks))
    if drawing is not None:
        _draw(drawing, settings, checks, simulated=simulated)
        echo(f"Drawn: {drawing}", err=as_json)
    if clinic.failed(checks):
        context.exit(exit_codes.FOUND)


def _tell(checks: Iterable[Check], show: Callable[[Check], None]) -> list[Check]:
    told = []
    for check in checks:
        show(check)
        told.append(check)
    return told


def _draw(file: Path, settings: Settings, checks: list[Check], *, simulated: bool) -> None:
    """Raises UserFileError if the file cannot be written, or the table not be wired as the settings say."""
    from pi_app.cli.whole_file import write_whole
    from pi_app.plans.wiring.drawing import drawn
    from pi_app.plans.wiring.nets import wired
    from pi_app.workshop.doctor.live_wiring import marked

    wiring = wired(settings)
    found = marked(wiring, checks)
    write_whole(file, drawn(wiring, found.marks, found.notes, simulated=simulated))


def _print(check: Check) -> None:
    sign = check.sign.value
    echo_marked(sign, COLOURS[sign], str(check)[len(sign) :])


def _print_json(check: Check) -> None:
    echo(check_json(check))


def _summary(checks: list[Check]) -> str:
    counts = [sum(check.sign.value == sign for check in checks) for sign in ("ok", "!!", "??")]
    return f"{counts[0]} ok, {counts[1]} failing, {counts[2]} to check"


def _real() -> Parts:
    from pi_app.play.parts import RealParts

    return RealParts()


def _simulated(settings: Settings, faults: tuple[str, ...]) -> Parts:
    from hardware.sims.faults import strike
    from pi_app.simulated.build import simulated_table

    table = simulated_table(settings)
    for fault in faults:
        word, _, name = fault.partition("=")
        square = next((label for label in table.tiles if label.casefold() == word.casefold()), None)
        if square is None:
            raise click.UsageError(f"the table has no square {word!r}; its squares are {', '.join(table.tiles)}")
        try:
            strike(table.tiles[square], name)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    return table
