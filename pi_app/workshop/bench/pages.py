"""Phones: how soon a face shows on a phone, what phones and strangers cost the scan, and the page process's memory.

The page process, its sockets, the loop and the journal are real, and so are the phones' keys: the phones run in a
process of their own and speak HTTP over loopback. No browser draws, and no Wi-Fi is between.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hardware.host import memory_folder
from pi_app.pages.content import seat_view
from pi_app.pages.sealing import answer_join, seal_frame
from pi_app.pages.sizes import FIRST_FRAME_BYTES, frame_size, picture_room, plain_text
from pi_app.report.public_lines import PublicLines
from pi_app.settings.model import Settings
from pi_app.simulated.demo import Demo
from pi_app.simulated.demo_pages import open_port
from pi_app.simulated.http_phone import visit
from pi_app.simulated.phone import knock
from pi_app.workshop.bench import Bench, Figure, Progress, machine, no_progress, p50, percentile
from pi_app.workshop.bench.memory import held_mb
from pi_app.workshop.bench.pages_scan import Paces, paces
from pi_app.workshop.bench.pages_table import SEED, players, with_seats

MOST_MS: Final = 15.0
MOST_PROCESS_MB: Final = 40.0
MOST_VISIT_BYTES: Final = 14_000
MOST_LOST: Final = 1.0
MS_NS: Final = 1_000_000
LOOKS_OF_A_SEAT: Final = 40
"""A seat may look 60 times at once, and then seldom."""


@dataclass(slots=True)
class Played:
    """What one game gave. Times in ms: from a finger on its way to its face, and from the samples of a dial at rest to
    its face, by the wall clock and in processor time. Memory in MB."""

    holds_ms: list[float] = field(default_factory=list)
    rests_ms: list[float] = field(default_factory=list)
    software_ms: list[float] = field(default_factory=list)
    visit: tuple[int, int] = (0, 0)
    process_mb: float = 0.0
    table_mb: float = 0.0
    """What the phones have added to the table's own memory."""


@dataclass(frozen=True, slots=True)
class PhoneAmounts:
    """How much is measured. `seconds`: for each state of the scan; 0 leaves the scan out."""

    phones: int = 8
    strangers: int = 24
    exposes: int = 16
    looks: int = 300
    seconds: float = 10.0
    batches: int = 300


def run(settings: Settings, folder: Path, amounts: PhoneAmounts, *, progress: Progress = no_progress) -> Bench:
    """Play with phones, with the journal in memory and in `folder`; then measure the scan with phones and strangers.

    Raises BrokenInstallationError if phones get no faces, ValueError for more phones than a Pi has pins."""
    table = with_seats(settings, amounts.phones)
    memory = memory_folder()
    progress("phones, journal in memory")
    software = play(table, memory or folder, amounts)
    progress(f"phones, journal in {folder}")
    on_disk = play(table, folder, amounts)
    progress("sealing")
    sealing = batches_ms(table, amounts.batches)
    figures = [*_latencies(software, on_disk, memory is not None), *_sizes(software, sealing, amounts)]
    if amounts.seconds:
        progress("the scan with phones and strangers")
        figures += _scan(paces(table, amounts.strangers, amounts.seconds), amounts)
    return Bench("pages", machine(), tuple(figures), EXPLAINS)


EXPLAINS: Final = (
    "The table is SIMULATED, in real time. The page process, its sockets, the loop and the journal are real.",
    "The phones are simulated, in a process of their own: real HTTP and real keys over loopback, without a browser and "
    "without Wi-Fi.",
    "Dial at rest to face: from the arrival of the samples with which the dial is at rest (the finger has been down "
    "since before) until the phone has opened the frame with the face.",
    "Hold to face: from just before a phone sends its finger. It has in it the wait for the next round of the loop, in "
    "which a simulated table also scans its dials.",
    "Software: the processor time of the table, the page process and the phones together, as on an idle machine. "
    "All other times are wall clock: what else runs on this machine is in them.",
    "The scan: the loop with its scanning threads above sleeping wires. The phones hold and let go in turn, four times "
    "a second. Strangers ask for the page, to join without a code and to act, as fast as they are answered; they take "
    "what the others leave of this machine's cores. Each state is measured three times in turn: the middle rate "
    "counts, and the longest gap.",
)


def _latencies(software: Played, on_disk: Played, in_memory: bool) -> list[Figure]:
    busy = f"{os.getloadavg()[0]:.1f} programs ran on {os.cpu_count()} cores"
    holds, rests = f"{len(software.holds_ms)} holds; {busy}", f"{len(software.rests_ms)} exposes; {busy}"
    return [
        *_two("dial at rest to face, software", software.software_ms, "processor time", MOST_MS if in_memory else None),
        *_two("dial at rest to face at the phone", software.rests_ms, rests),
        *_two("hold to face at the phone", software.holds_ms, holds),
        *_two("dial at rest to face, on this disk", on_disk.rests_ms, rests),
        *_two("hold to face, on this disk", on_disk.holds_ms, holds),
    ]


def _sizes(played: Played, sealing_ms: Sequence[float], amounts: PhoneAmounts) -> list[Figure]:
    page, head = played.visit
    phones = f"{amounts.phones} phones"
    return [
        Figure("making and sealing a batch, p50", p50(sealing_ms), "ms", note=f"{phones}, processor time"),
        Figure(
            "first visit: the page", page, "bytes", MOST_VISIT_BYTES, note=f"compressed; {head} of the head besides"
        ),
        Figure("memory of the page process, peak", played.process_mb, "MB", MOST_PROCESS_MB, note=phones),
        Figure("memory that phones add to the table", played.table_mb, "MB", note=phones),
    ]


def _scan(found: Paces, amounts: PhoneAmounts) -> list[Figure]:
    both = f"{amounts.phones} phones and {amounts.strangers} strangers"
    states = (
        (f"{amounts.phones} phones", found.phones, ""),
        (both, found.strangers, f"{found.asked_hz:.0f} requests/s"),
    )
    lost = [(name, 100 * max(0.0, 1 - pace.rate_hz / found.alone.rate_hz), note) for name, pace, note in states]
    paced = (("no phones", found.alone), *((name, pace) for name, pace, _ in states))
    return [
        Figure("scan rate, no phones", found.alone.rate_hz, "Hz", note="of the least sampled dial"),
        *(Figure(f"scan rate lost to {name}", percent, "%", MOST_LOST, note=note) for name, percent, note in lost),
        *(Figure(f"longest gap between samples, {name}", pace.gap_ms, "ms") for name, pace in paced),
        *(Figure(f"the table's share of a core, {name}", pace.percent, "%") for name, pace in paced),
    ]


def _two(name: str, values_ms: Sequence[float], note: str, target_ms: float | None = None) -> list[Figure]:
    return [
        Figure(f"{name}, p50", p50(values_ms), "ms", note=note),
        Figure(f"{name}, p99", percentile(values_ms, 99), "ms", target_ms, note=f"the longest {max(values_ms):.1f} ms"),
    ]


def play(settings: Settings, folder: Path, amounts: PhoneAmounts) -> Played:
    """Play games with a journal in `folder` until there were so many exposes and looks."""
    made = Played()
    while len(made.rests_ms) < amounts.exposes or len(made.holds_ms) < amounts.looks:
        _play_a_game(settings, folder, made, amounts.exposes, amounts.looks)
    return made


def _play_a_game(settings: Settings, folder: Path, made: Played, exposes: int, looks: int) -> None:
    draw, seats = random.Random(SEED + len(made.rests_ms)), tuple(settings.seats)
    before_mb = held_mb()
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=folder) as inside,
        open_port(None) as opened,
        players(settings, Path(inside), opened) as table,
    ):
        made.visit = visit(opened.address)
        known = seats[: len(settings.squares)]
        wanted = min(len(settings.squares), max(len(known), exposes - len(made.rests_ms)))
        for number, square in enumerate(list(settings.squares)[:wanted]):
            face = table.expose(known[number % len(known)], square, draw.randint(1, 6))
            wall_ns, cpu_ns = table.rested(face)
            made.rests_ms.append(wall_ns / MS_NS)
            made.software_ms.append(cpu_ns / MS_NS)
        for number in range(min(looks - len(made.holds_ms), LOOKS_OF_A_SEAT * len(known))):
            face = table.look(known[number % len(known)])
            made.holds_ms.append((face.opened_ns - face.asked_ns) / MS_NS)
        made.table_mb = max(made.table_mb, held_mb() - before_mb)
        if (number_of := table.link.link.process_id) is not None:
            made.process_mb = held_mb("VmHWM", Path(f"/proc/{number_of}/status"))


def batches_ms(settings: Settings, batches: int) -> list[float]:
    """Make and seal so many batches of frames, one frame for each seat; return the processor time of each in ms."""
    took: list[float] = []
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-bench-") as inside,
        Demo(settings, Path(inside) / "journal.db", seed=SEED) as demo,
    ):
        while not demo.loop.ready:
            demo.step()
        game, code = demo.loop.moment.game, bytes(16)
        public = PublicLines(seat.language for seat in settings.seats.values())
        sessions = {seat: answer[0] for seat in settings.seats if (answer := answer_join(code, knock(code)[0]))}
        size = frame_size([seat_view(game, seat, public) for seat in sessions], picture_room(game), FIRST_FRAME_BYTES)
        for number in range(1, batches + 1):
            began_ns = time.process_time_ns()
            views = [seat_view(game, seat, public) for seat in sessions]
            for view in views:
                seal_frame(sessions[view.seat], number, plain_text(view, size))
            took.append((time.process_time_ns() - began_ns) / MS_NS)
    return took
