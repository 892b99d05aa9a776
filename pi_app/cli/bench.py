"""`trapdial bench`: measure this machine against what Trapdial promises."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pi_app.settings.model import Settings
    from pi_app.workshop.bench import Bench

Options = Callable[[Callable[..., Any]], Callable[..., Any]]


@click.group()
def bench() -> None:
    """Measure this machine against the numbers that Trapdial promises.

    Each figure has its target beside it and says pass or fail. Figures of the wire are computed on a simulated bus
    with a virtual clock and are the same everywhere; figures of software and disk are this machine's. Let nothing
    else run meanwhile. With --strict the exit code is 1 if a target is missed.
    """


def _common(command: Callable[..., Bench]) -> Callable[..., Any]:
    """The options that every bench has, and what is done with its result."""

    def run(json_to: str | None, strict: bool, **options: Any) -> None:
        result = command(**options)
        _show(result, json_to)
        if strict and not result.passed:
            click.get_current_context().exit(1)

    wrapped = functools.update_wrapper(run, command)
    wrapped = click.option("--strict", is_flag=True, help="Exit code 1 if a target is missed.")(wrapped)
    json_help = "Write the figures as JSON; - for standard output."
    return click.option("--json", "json_to", metavar="FILE", help=json_help)(wrapped)


def _table_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--settings",
        "settings_file",
        type=click.Path(path_type=Path),
        help="Another table than the example of 8 squares and 4 seats; its twins are used.",
    )(command)


def _folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--folder",
        type=click.Path(path_type=Path, exists=True, file_okay=False, writable=True),
        default=Path(),
        show_default="this one",
        help="Where the journal goes meanwhile: on the disk that is to be measured.",
    )(command)


def _table(file: Path | None) -> Settings:
    from pi_app.settings import load as settings

    return settings.load(settings.example_path("8x4") if file is None else file)


def _told(what: str) -> None:
    click.echo(f"measuring {what} ...", err=True)


# -------------------------------------------------------------------------------------------------- the benches


@bench.command()
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    default=4.0,
    show_default=True,
    help="How long each bus is scanned, in its own time.",
)
@click.option("--dials", type=click.IntRange(1, 64), multiple=True, help="How many; else 1, 8, 16 and 64.")
@click.option(
    "--rounds",
    type=click.IntRange(1, 1_000),
    default=20,
    show_default=True,
    help="How often our own computing is measured; the least disturbed round counts.",
)
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    help="Measure this table's own wires in place of the simulated buses.",
)
@click.option("--simulated", is_flag=True, help="With --settings: twins of those wires.")
@_common
def scan(seconds: float, dials: tuple[int, ...], rounds: int, settings_file: Path | None, simulated: bool) -> Bench:
    """How near the scan comes to the wire's own limit.

    What is simulated: the wire, bit by bit on a virtual clock, the muxes, the encoders and four SSD1306 screens behind
    mux channels of the same bus, which are sent a new picture as soon as the last one is out. What is real: the bus
    code, the drivers, the scan, the screens' slices. The limit is what that wire could carry if nothing but the
    cheapest legal looks went over it without a pause (start, stop and bus-free times counted). Eight dials sit behind
    each mux. Then: variants without screens on the bus, with what a kernel call costs on a Pi, with the dials where
    they are hardest to trust; and our own computing per dial, above an adapter that answers at once.

    With --settings the real wires of that table are measured, with nothing simulated.
    """
    from pi_app.workshop.bench import scan as measure

    if settings_file is None:
        if simulated:
            raise click.UsageError("--simulated goes with --settings; without them everything here is simulated.")
        return measure.run(dials=dials or measure.DIALS, seconds=seconds, cpu_rounds=rounds, progress=_told)
    from pi_app.play.build import TableBuilder
    from pi_app.play.parts import RealParts
    from pi_app.play.samples_csv import only
    from pi_app.simulated.build import simulated_table

    settings = _table(settings_file)
    settings = only(settings, tuple(settings.squares))
    with TableBuilder(settings, simulated_table(settings) if simulated else RealParts()) as builder:
        return measure.run_on(settings, builder.wires(), builder.parts.clock, seconds, simulated=simulated)


@bench.command()
@click.option("--clicks", type=click.IntRange(0), default=100_000, show_default=True, help="How many true clicks.")
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed, the same hands.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes to use.")
@click.option(
    "--samples",
    type=click.IntRange(0),
    default=200_000,
    show_default=True,
    help="How many samples under random faults, scan and all.",
)
@click.option(
    "--turns", type=click.IntRange(0), default=8_000, show_default=True, help="How many ordinary turns of every hand."
)
@click.option("--hops", type=click.IntRange(0), default=4_000, show_default=True, help="How many hops of each sort.")
@click.option("--wired", is_flag=True, help="Ordinary turns through the real scan above twins: ten times as slow.")
@_common
def clicks(clicks: int, seed: int, jobs: int, samples: int, turns: int, hops: int, wired: bool) -> Bench:
    """Count wrong and unreported clicks of simulated hands, up to 171 clicks/s.

    With noise, spikes, lost samples, stale repeats and eccentric magnets; every turn must be right, or said to be
    unknown. Simulated are hands, magnets and samples; the dial code is the real one.

    Then ordinary turns: every kind of hand on every encoder at the pace of a bus of 100 and 400 kHz with 1, 8 and 16
    dials, claimed and unclaimed, must count in time; a table says how each hand fares. And encoders whose angle hops
    while a claim is open: no hop that no hand could have made may take it.

    Then the same with a whole simulated bus under it: drivers, scan and dial code are the real ones, and every fault
    that `trapdial demo --faults` lists strikes at random. 0 leaves a part out.
    """
    from pi_app.workshop.bench.clicks import Amounts, run

    return run(Amounts(clicks, samples, turns, hops), seed, jobs, wired=wired)


@bench.command()
@click.option("--exposes", type=click.IntRange(1, 1_000_000), default=300, show_default=True, help="How many.")
@_folder_option
@_table_option
@_common
def latency(exposes: int, folder: Path, settings_file: Path | None) -> Bench:
    """From a settled dial to its private report in the hands of the seat's display.

    The program plays a simulated table twice: with the journal in memory, where a sync costs nothing, and in --folder,
    with every event synced to that disk. So our share and the disk's stand side by side.
    """
    from pi_app.workshop.bench.latency import run

    return run(_table(settings_file), folder, exposes, progress=_told)


@bench.command()
@click.option(
    "--samples",
    type=click.IntRange(1_000),
    default=10_000_000,
    show_default=True,
    help="How many looks at dials, all dials together; 20 000 take about a second.",
)
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed, the same hands and faults.")
@_table_option
@_common
def soak(samples: int, seed: int, settings_file: Path | None) -> Bench:
    """Days of a table's life in minutes, while faults befall its tiles at random.

    The whole program plays a simulated table game after game, stands quiet in nights between, is killed and started
    again. Every turn is held against what the hand did; every fault must be recovered from within a second of its end;
    memory, open files and threads must not grow. In the tiles of the example table are memories with their numbers;
    a table of --settings is taken as it is, and its dials must be absolute.
    """
    import tempfile

    from pi_app.workshop.bench.soak import run
    from pi_app.workshop.bench.soak_table import only_absolute, with_numbers

    table = _table(settings_file)
    only_absolute(table)
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-") as folder:
        table = with_numbers(table, Path(folder)) if settings_file is None else table
        return run(table, samples, seed, progress=_told)


@bench.command()
@click.option(
    "--speed",
    "speeds_hz",
    type=click.IntRange(10_000, 1_000_000),
    multiple=True,
    help="The wire's speed in Hz; may be given again. Else 100000 and 400000.",
)
@click.option(
    "--scans",
    type=click.IntRange(1, 1_000_000),
    default=2_000,
    show_default=True,
    help="How many looks at all dials count.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1_000),
    default=20,
    show_default=True,
    help="How often everybody's computing is measured; the least disturbed round counts.",
)
@_common
def peers(speeds_hz: tuple[int, ...], scans: int, rounds: int) -> Bench:
    """Eight dials behind a mux, read by us and by the libraries that people use today.

    Adafruit's CircuitPython drivers and smbus2 run unmodified, over the same simulated wire, the same virtual clock
    and the same cost per call as ours. They are the extra `peers` of the installation.
    """
    from pi_app.workshop.bench import peers as measure

    return measure.run(speeds_hz=speeds_hz or measure.SPEEDS_HZ, scans=scans, cpu_rounds=rounds, progress=_told)


@bench.command()
@click.option(
    "--minutes",
    type=click.FloatRange(0, 10_000),
    default=5.0,
    show_default=True,
    help="How long the simulated players play, in their own time.",
)
@_common
def memory(minutes: float) -> Bench:
    """How much memory a simulated table of 16 dials and 4 seats takes at most."""
    from pi_app.workshop.bench.memory import run

    _told("a simulated play in a process of its own")
    return run(minutes)


@bench.command()
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    default=5.0,
    show_default=True,
    help="How long each state of the table is measured, in real time.",
)
@_table_option
@_common
def cpu(seconds: float, settings_file: Path | None) -> Bench:
    """What share of a core `play` uses: at rest, under an open claim, while a dial is turned.

    The whole program runs in real time above simulated wires whose calls take as long as real ones: their bits at 100
    and at 400 kHz, and 0.1 ms more for each call. Every dial of --settings must be an AS5600 behind a mux.
    """
    from pi_app.workshop.bench.cpu import run

    return run(_table(settings_file), seconds, progress=_told)


@bench.command()
@click.option("--times", type=click.IntRange(1, 1_000), default=3, show_default=True, help="How often it is written.")
@_common
def wiring(times: int) -> Bench:
    """How long it takes to write everything for building a table of 64 tiles."""
    from pi_app.workshop.bench.wiring import run

    _told("runs")
    return run(times)


@bench.command()
@click.option("--times", type=click.IntRange(1, 1_000), default=9, show_default=True, help="How often each is started.")
@_common
def start(times: int) -> Bench:
    """How long it takes from starting the program to its help, and to a table with all dials read."""
    from pi_app.workshop.bench.start import run

    _told("starts")
    return run(times)


@bench.command()
@click.option("--appends", type=click.IntRange(1), default=500, show_default=True, help="Events appended and synced.")
@click.option("--events", type=click.IntRange(1), default=50_000, show_default=True, help="Events read and replayed.")
@_folder_option
@_table_option
@_common
def journal(appends: int, events: int, folder: Path, settings_file: Path | None) -> Bench:
    """How fast events are appended with a sync each, and how fast a journal is read and replayed."""
    from pi_app.workshop.bench.journal import run

    return run(_table(settings_file), folder, appends=appends, events=events, progress=_told)


@bench.command()
@click.option("--reports", type=click.IntRange(10), default=500, show_default=True, help="Timed reports of one hub.")
@click.option(
    "--seconds", type=click.FloatRange(0.2, 600), default=10.0, show_default=True, help="How long eight hubs report."
)
@click.option("--damaged", type=click.IntRange(1), default=100_000, show_default=True, help="Damaged reports.")
@click.option("--pulls", type=click.IntRange(1), default=10, show_default=True, help="Plugs pulled and put back.")
@_common
def hub(reports: int, seconds: float, damaged: int, pulls: int) -> Bench:
    """How often a hub samples, how fast that reaches the program, what eight hubs cost, and what damaged reports do.

    The hubs are simulated. How often: the firmware on a simulated wire. All else: each behind a pty, scripts in another
    process, without firmware. The ptys, pyserial, the
    links and their threads are real. A pty is faster than USB, and no board was measured.
    """
    from pi_app.workshop.bench.hub import run

    return run(reports, seconds, damaged, pulls, progress=_told)


# ------------------------------------------------------------------------------------------------------- telling


def _show(result: Bench, json_to: str | None) -> None:
    if json_to is not None:
        _write_json(result, json_to)
    if json_to != "-":
        _print(result)


def _write_json(result: Bench, where: str) -> None:
    import json
    from dataclasses import asdict

    from pi_app.text.errors import UserFileError

    facts = asdict(result) | {"passed": result.passed}
    for told, figure in zip(facts["figures"], result.figures, strict=True):
        told["verdict"] = figure.verdict
    text = json.dumps(facts, indent=2)
    if where == "-":
        click.echo(text)
        return
    try:
        Path(where).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        advice = "Check the folder, or give another name"
        raise UserFileError.at(where, "", f"it cannot be written ({error.strerror})", advice) from error


def _print(result: Bench) -> None:
    from rich.console import Console
    from rich.table import Table

    here = result.machine
    click.echo(f"{here.name}: {here.cpu}, {here.cores} cores, {here.system}, {here.python}")
    title = f"trapdial bench {result.bench}"
    table = Table("figure", "measured", "target", "", "how", title=title, title_justify="left")
    for column in (1, 2):
        table.columns[column].justify = "right"
    for figure in result.figures:
        value, target = _numbers(figure.value, figure.target, figure.unit, figure.at_most)
        table.add_row(figure.name, value, target, {"no target": ""}.get(figure.verdict, figure.verdict), figure.note)
    with _wide_enough(Console()) as console:
        console.print(table, markup=False, highlight=False)
        if result.matrix is not None:
            matrix = Table(*result.matrix.columns, title=result.matrix.title, title_justify="left")
            for row in result.matrix.rows:
                matrix.add_row(*row)
            console.print(matrix, markup=False, highlight=False)
    for sentence in result.explains:
        click.echo(sentence)


def _numbers(value: float, target: float | None, unit: str, at_most: bool) -> tuple[str, str]:
    """The figure and its target in words."""
    measured = f"{_short(value)} {unit}"
    if target is None:
        return measured, ""
    return measured, f"{'at most' if at_most else 'at least'} {target:g} {unit}"


def _short(value: float) -> str:
    if value >= 1_000 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


@contextlib.contextmanager
def _wide_enough(console: Any) -> Iterator[Any]:
    """A pipe has no width: there every row stays on one line."""
    if not console.is_terminal:
        console.width = 240
    yield console
