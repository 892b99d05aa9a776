"""`trapdial bench`: measure this machine against the targets of Trapdial."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pi_app.cli.bench_centre import centre
from pi_app.cli.bench_options import common, example_or, folder_option, table_option
from pi_app.cli.groups import CommandGroup
from pi_app.cli.options import settings_named

if TYPE_CHECKING:
    from pi_app.text.progress import Progress
    from pi_app.workshop.bench import Bench

Options = Callable[[Callable[..., Any]], Callable[..., Any]]


@click.group(cls=CommandGroup)
def bench() -> None:
    """Measure this machine against the targets of Trapdial.

    Each figure is printed with its target, and with pass or fail. Figures of the wire come from a simulated bus with a
    virtual clock and are the same everywhere; figures of software and disk are this machine's. Close other programs
    first. With --strict the exit code is 1 if a target is missed.
    """


# -------------------------------------------------------------------------------------------------- the benches


@bench.command()
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    default=4.0,
    show_default=True,
    help="How long each bus is scanned, in simulated time.",
)
@click.option(
    "--dials", type=click.IntRange(1, 64), multiple=True, help="The number of dials; without it 1, 8, 16 and 64."
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1_000),
    default=20,
    show_default=True,
    help="How often our own computing is measured; the fastest round counts.",
)
@settings_named("Measure this table's own wires instead of the simulated buses.")
@click.option("--simulated", is_flag=True, help="With --settings: simulate those wires.")
@common
def scan(
    progress: Progress, seconds: float, dials: tuple[int, ...], rounds: int, settings_file: Path | None, simulated: bool
) -> Bench:
    """Measure how close the scan comes to the wire's own limit.

    Simulated: the wire, bit by bit on a virtual clock, the muxes, the encoders and four SSD1306 screens behind mux
    channels of the same bus, each of which is sent a new picture as soon as the last one is out. Real: the bus code,
    the drivers, the scan, the slices of the screens. The limit is what the wire could carry with nothing but the
    cheapest legal reads, without a pause (start, stop and bus-free times counted). Eight dials are behind each mux.
    Then come variants without screens on the bus, with the cost of a kernel call on a Pi, and with the dials at angles
    that need the most verification; and our own computing per dial, with an adapter that answers at once.

    With --settings the real wires of that table are measured and nothing is simulated.
    """
    from pi_app.workshop.bench import scan as measure

    if settings_file is None:
        if simulated:
            raise click.UsageError("--simulated needs --settings; without them everything is simulated.")
        return measure.run(dials=dials or measure.DIALS, seconds=seconds, cpu_rounds=rounds, progress=progress)
    from pi_app.play.build import TableBuilder
    from pi_app.play.parts import RealParts
    from pi_app.play.samples_csv import only
    from pi_app.simulated.build import simulated_table

    settings = example_or(settings_file)
    settings = only(settings, tuple(settings.squares))
    with TableBuilder(settings, simulated_table(settings) if simulated else RealParts()) as builder:
        progress(f"{len(settings.squares)} dials")
        return measure.run_on(settings, builder.wires(), builder.parts.clock, seconds, simulated=simulated)


@bench.command()
@click.option("--clicks", type=click.IntRange(0), default=100_000, show_default=True, help="How many real clicks.")
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed gives the same hands.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes to use.")
@click.option(
    "--samples",
    type=click.IntRange(0),
    default=200_000,
    show_default=True,
    help="How many samples with random faults, through the whole scan.",
)
@click.option(
    "--turns",
    type=click.IntRange(0),
    default=8_000,
    show_default=True,
    help="How many ordinary turns of each kind of hand.",
)
@click.option("--jumps", type=click.IntRange(0), default=4_000, show_default=True, help="How many jumps of each kind.")
@click.option(
    "--wired",
    is_flag=True,
    help="Send the ordinary turns through the real scan and simulated chips: ten times as slow.",
)
@common
def clicks(
    progress: Progress, clicks: int, seed: int, jobs: int, samples: int, turns: int, jumps: int, wired: bool
) -> Bench:
    """Count wrong and unreported clicks of simulated hands, up to 171 clicks/s.

    With noise, spikes, lost samples, stale repeats and eccentric magnets, every turn must be right or reported as
    unknown. Hands, magnets and samples are simulated; the dial code is the real one.

    Then ordinary turns: every kind of hand on every encoder, sampled as on a bus of 100 and 400 kHz with 1, 8 and 16
    dials, claimed and unclaimed, must count in time; a table shows the result for each hand. And encoders whose angle
    jumps while a claim is open: an implausible jump must never satisfy the claim.

    Then the same with a whole simulated bus: drivers, scan and dial code are the real ones, and every fault that
    `trapdial demo --faults` lists occurs at random. 0 leaves a part out.
    """
    from pi_app.workshop.bench.clicks import Amounts, run

    return run(Amounts(clicks, samples, turns, jumps), seed, jobs, wired=wired, progress=progress)


@bench.command()
@click.option("--exposes", type=click.IntRange(1, 1_000_000), default=300, show_default=True, help="How many exposes.")
@folder_option
@table_option
@common
def latency(progress: Progress, exposes: int, folder: Path, settings_file: Path | None) -> Bench:
    """Measure the time from a dial at rest to the private report at the seat's display.

    The program plays a simulated table twice: with the journal in memory, where a sync costs nothing, and in --folder,
    with every event synced to that disk. This separates our share from the disk's.
    """
    from pi_app.workshop.bench.latency import run

    return run(example_or(settings_file), folder, exposes, progress=progress)


@bench.command()
@click.option(
    "--samples",
    type=click.IntRange(1_000),
    default=10_000_000,
    show_default=True,
    help="How many samples of all dials together; 20 000 take about a second.",
)
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed gives the same hands and faults.")
@table_option
@common
def soak(progress: Progress, samples: int, seed: int, settings_file: Path | None) -> Bench:
    """Simulate days of play in minutes, with random faults of the tiles.

    The whole program plays game after game on a simulated table, is idle in the nights between, is killed and started
    again. Every turn is compared with what the hand did; every fault must be over within a second of its end; memory,
    open files and threads must not grow. The tiles of the example table have memories with serial numbers. A table of
    --settings is used as it is; its dials must be absolute.
    """
    import tempfile

    from pi_app.workshop.bench.soak import run
    from pi_app.workshop.bench.soak_table import only_absolute, with_numbers

    table = example_or(settings_file)
    only_absolute(table)
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-") as folder:
        table = with_numbers(table, Path(folder)) if settings_file is None else table
        return run(table, samples, seed, progress=progress)


@bench.command()
@click.option(
    "--speed",
    "speeds_hz",
    type=click.IntRange(10_000, 1_000_000),
    multiple=True,
    help="The wire's speed in Hz; repeat for more. Without it 100000 and 400000.",
)
@click.option(
    "--scans",
    type=click.IntRange(1, 1_000_000),
    default=2_000,
    show_default=True,
    help="How many scans of all dials are measured.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1_000),
    default=20,
    show_default=True,
    help="How often the computing of each library is measured; the fastest round counts.",
)
@common
def peers(progress: Progress, speeds_hz: tuple[int, ...], scans: int, rounds: int) -> Bench:
    """Read eight dials behind a mux with our drivers and with the usual libraries.

    Adafruit's CircuitPython drivers and smbus2 run unmodified, with the same simulated wire, virtual clock and cost per
    call as ours. Install them with the extra `peers`.
    """
    from pi_app.workshop.bench import peers as measure

    return measure.run(speeds_hz=speeds_hz or measure.SPEEDS_HZ, scans=scans, cpu_rounds=rounds, progress=progress)


@bench.command()
@click.option(
    "--minutes",
    type=click.FloatRange(0, 10_000),
    default=5.0,
    show_default=True,
    help="How long the simulated players play, in simulated time.",
)
@common
def memory(progress: Progress, minutes: float) -> Bench:
    """Measure the most memory that a simulated table of 16 dials and 4 seats takes."""
    from pi_app.workshop.bench.memory import run

    progress("a simulated play in a process of its own")
    return run(minutes)


@bench.command()
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    default=5.0,
    show_default=True,
    help="How long each state of the table is measured, in real time.",
)
@table_option
@common
def cpu(progress: Progress, seconds: float, settings_file: Path | None) -> Bench:
    """Measure the share of a core that `play` uses: at rest, with an open claim, while a dial is turned.

    The whole program runs in real time on simulated wires whose calls take as long as real ones: their bits at 100 and
    at 400 kHz, and 0.1 ms more for each call. Every dial of --settings must be an AS5600 behind a mux.
    """
    from pi_app.workshop.bench.cpu import run

    return run(example_or(settings_file), seconds, progress=progress)


@bench.command()
@click.option(
    "--times", type=click.IntRange(1, 1_000), default=3, show_default=True, help="How often everything is written."
)
@common
def wiring(progress: Progress, times: int) -> Bench:
    """Measure the time to write everything for building a table of 64 tiles."""
    from pi_app.workshop.bench.wiring import run

    progress(f"{times} runs")
    return run(times)


@bench.command()
@click.option("--times", type=click.IntRange(1, 1_000), default=9, show_default=True, help="How often each is started.")
@common
def start(progress: Progress, times: int) -> Bench:
    """Measure the time from the start of the program to its help, and to a table with all dials read."""
    from pi_app.workshop.bench.start import run

    progress(f"{times} starts of each")
    return run(times)


@bench.command()
@click.option("--appends", type=click.IntRange(1), default=500, show_default=True, help="Events appended and synced.")
@click.option("--events", type=click.IntRange(1), default=50_000, show_default=True, help="Events read and replayed.")
@folder_option
@table_option
@common
def journal(progress: Progress, appends: int, events: int, folder: Path, settings_file: Path | None) -> Bench:
    """Measure how fast events are appended with a sync each, and how fast a journal is read and replayed."""
    from pi_app.workshop.bench.journal import run

    return run(example_or(settings_file), folder, appends=appends, events=events, progress=progress)


@bench.command()
@click.option(
    "--reports", type=click.IntRange(10), default=500, show_default=True, help="How many reports of one hub are timed."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.2, 600),
    default=10.0,
    show_default=True,
    help="How long eight hubs send reports.",
)
@click.option("--damaged", type=click.IntRange(1), default=100_000, show_default=True, help="How many damaged reports.")
@click.option(
    "--pulls", type=click.IntRange(1), default=10, show_default=True, help="How often a plug is pulled and put back."
)
@common
def hub(progress: Progress, reports: int, seconds: float, damaged: int, pulls: int) -> Bench:
    """Measure how often a hub samples, how soon the program has a sample, the cost of eight hubs, and damaged reports.

    The hubs are simulated. The sampling rate is that of the firmware on a simulated wire. For the rest each hub is a
    script in another process, without firmware, behind a pty. The ptys, pyserial, the links and their threads are
    real. A pty is faster than USB, and no board was measured.
    """
    from pi_app.workshop.bench.hub import run

    return run(reports, seconds, damaged, pulls, progress=progress)


@bench.command()
@click.option("--phones", type=click.IntRange(1, 10), default=8, show_default=True, help="How many seats have a phone.")
@click.option("--strangers", type=click.IntRange(1, 200), default=24, show_default=True, help="How many have no code.")
@click.option("--exposes", type=click.IntRange(1, 1_000), default=16, show_default=True, help="How many exposes.")
@click.option("--looks", type=click.IntRange(1, 10_000), default=300, show_default=True, help="How many later looks.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, 600),
    default=10.0,
    show_default=True,
    help="How long each state of the scan is measured; 0 leaves the scan out.",
)
@folder_option
@table_option
@common
def pages(progress: Progress, folder: Path, settings_file: Path | None, **amounts: Any) -> Bench:
    """Measure how soon a face shows on a phone, and what phones and strangers cost the scan.

    The page process is real; simulated phones in another process speak HTTP with it over loopback, each with its keys.
    The table is simulated, in real time. First the journal is in memory, where a sync costs nothing, then in --folder.
    Every dial of --settings must be an AS5600 behind a mux.
    """
    from pi_app.workshop.bench.pages import PhoneAmounts, run

    return run(example_or(settings_file), folder, PhoneAmounts(**amounts), progress=progress)


bench.add_command(centre)
