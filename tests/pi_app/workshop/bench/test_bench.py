"""The benches on sizes so small that they take no time: they measure what they claim. Speeds are not tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hardware.host import MEMORY, memory_folder
from hardware.readings import Reading
from pi_app.audit import replay
from pi_app.play.build import TableBuilder
from pi_app.settings.load import example_path, load
from pi_app.simulated.actions import Press, Release, TurnDial, TypeLine
from pi_app.simulated.build import simulated_table
from pi_app.simulated.written_games import fill
from pi_app.workshop import bench
from pi_app.workshop.bench import Bench, Figure, bad_tile, clicks, journal, latency, memory, scan, start
from pi_app.workshop.bench.bench_bus import BenchBus, BusSetup
from pi_app.workshop.bench.hand_bus import Rig
from pi_app.workshop.bench.hands import HandsReport
from pi_app.workshop.bench.jumps import JumpsReport
from pi_app.workshop.bench.known_turns import ClicksReport

LARGE = load(example_path("8x4"))
SMALL = load(example_path("2x2"))


# ---------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize(
    ("value", "target", "at_most", "verdict"),
    [
        (2.0, 2.0, True, "pass"),
        (2.1, 2.0, True, "fail"),
        (0.0, 0, True, "pass"),
        (1.0, 0, True, "fail"),
        (95.0, 95.0, False, "pass"),
        (94.9, 95.0, False, "fail"),
        (1.0, None, True, "no target"),
    ],
)
def test_a_figure_has_a_verdict_on_its_target(value: float, target: float | None, at_most: bool, verdict: str) -> None:
    figure = Figure("name", value, "ms", target, at_most)
    assert figure.verdict == verdict
    here = bench.machine()
    assert Bench("b", here, (figure, Figure("other", 1.0, "ms")), ()).passed is (verdict != "fail")


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (50, 5), (90, 9), (99, 10), (100, 10)])
def test_percentiles_by_nearest_rank(percent: float, value: float) -> None:
    assert bench.percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], percent) == value


def test_no_values_have_no_percentile() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        bench.percentile([], 99)


def test_the_machine_is_named_by_its_board_or_its_processor(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name\t: A big one @ 3 GHz\n")
    assert bench.machine(tmp_path).cpu == "A big one @ 3 GHz"
    (tmp_path / "device-tree").mkdir()
    (tmp_path / "device-tree" / "model").write_bytes(b"Raspberry Pi Zero 2 W Rev 1.0\0")
    assert bench.machine(tmp_path).cpu == "Raspberry Pi Zero 2 W Rev 1.0"


def test_a_measured_program_keeps_its_byte_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environment = bench.as_installed(tmp_path)
    assert "PYTHONDONTWRITEBYTECODE" not in environment
    subprocess.run([sys.executable, "-c", "import this"], env=environment, check=True, capture_output=True)
    assert list(tmp_path.rglob("this.*.pyc"))


# ------------------------------------------------------------------------------------------------------- scan


def test_the_limit_is_the_wires_own() -> None:
    """Eight dials at 100 kHz: 8 * (20 + 29) bits and 16 bus-free times are 3995.2 us, so 250.3 scans/s."""
    got = scan.measure(BusSetup(8, 100_000, screens=0), 0.5)
    assert got.limit_per_s == pytest.approx(1e6 / (8 * 49 * 10 + 16 * 4.7))
    assert 95 <= got.percent <= 100
    assert 0 < got.longest_gap_ms <= 35
    assert got.screens_percent == 0


def test_screens_on_the_bus_are_kept_busy_and_the_target_is_still_reached() -> None:
    busy = scan.measure(BusSetup(8, 400_000), 0.5)
    alone = scan.measure(BusSetup(8, 400_000, screens=0), 0.2)
    assert 95 <= busy.percent < alone.percent
    assert 3 < busy.screens_percent < 5


def test_sixty_four_dials_on_a_slow_wire_are_all_awake_before_it_counts() -> None:
    assert 95 <= scan.measure(BusSetup(64, 100_000), 0.3).percent <= 100


def test_a_dial_that_cannot_be_read_is_no_figure() -> None:
    bus = BenchBus(BusSetup(2, 400_000))
    bus.wire.trunk.held = True
    with pytest.raises(RuntimeError) as given_up:
        bus.wake()
    assert str(given_up.value) == "a simulated dial cannot be read, which must not happen on a sound wire"


def test_a_screen_gets_the_next_picture_as_soon_as_one_is_out() -> None:
    """One picture takes 0.6 s of the share that a screen has."""
    assert 3 < scan.measure(BusSetup(8, 400_000, screens=1), 1.5).screens_percent < 5


def test_a_call_that_costs_time_and_dials_at_zero_are_slower() -> None:
    plain, costly, zero = (
        scan.measure(setup, 0.2).scans_per_s
        for setup in (
            BusSetup(2, 100_000, 0),
            BusSetup(2, 100_000, 0, call_cost_ns=80_000),
            BusSetup(2, 100_000, 0, at_zero=True),
        )
    )
    assert costly < plain
    assert zero < plain


def test_the_same_bus_gives_the_same_figures_every_time() -> None:
    setup = BusSetup(3, 400_000)
    assert scan.measure(setup, 0.2) == scan.measure(setup, 0.2)


@pytest.mark.slow
def test_a_bad_tile_costs_the_others_little_and_the_figures_have_targets() -> None:
    shown: list[str] = []
    dead, of_limit, hung = bad_tile.figures((400_000,), 0.1, shown.append)
    assert shown == ["8 dials, 400 kHz, one dead tile", "8 dials, 400 kHz, one hung tile"]
    assert [figure.target for figure in (dead, of_limit, hung)] == [2.0, 90.0, 10.0]
    assert [figure.verdict for figure in (dead, of_limit, hung)] == ["pass"] * 3
    assert 0 < dead.value < hung.value
    assert of_limit.value > 99


@pytest.mark.slow
def test_a_hung_tile_that_is_probed_too_often_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.recovery_stages.LONGEST_PROBE_NS", 160_000_000)
    monkeypatch.setattr("hardware.recovery_stages.PROBE_SHARE", 0)
    assert bad_tile.measure(400_000, "stuck-low", 4.0).percent > bad_tile.MOST_HUNG_PERCENT


@pytest.mark.slow
def test_a_scan_bench_says_what_it_measured() -> None:
    shown: list[str] = []
    result = scan.run(dials=(1, 8), speeds_hz=(400_000,), seconds=0.2, cpu_rounds=1, progress=shown.append)
    names = [figure.name for figure in result.figures]
    assert "1 dial, 400 kHz, 4 screens on the same bus: share of the wire's limit" in names
    gaps = {figure.name: figure.target for figure in result.figures if figure.name.endswith("longest gap")}
    assert gaps == {
        "1 dial, 400 kHz, 4 screens on the same bus: longest gap": None,
        "8 dials, 400 kHz, 4 screens on the same bus: longest gap": 35.0,
    }
    limits = [figure for figure in result.figures if figure.name.endswith("share of the wire's limit")]
    assert [(figure.target, figure.verdict) for figure in limits] == [(95.0, "pass")] * 2 + [(90.0, "pass")]
    assert names[-1] == "CPU time per dial read, 8 dials, bus stubbed"
    assert shown[-1] == "CPU time, 8 dials"
    assert result.explains == scan.EXPLAINS


def test_the_stub_is_read_like_the_real_thing() -> None:
    stubbed = scan.stubbed_scan(10)
    samples = stubbed.scan()
    assert [type(sample) for sample in samples] == [Reading] * 10
    stubbed.reset_counts()
    for _ in range(50):
        stubbed.scan()
    counts = [stubbed.counts(dial) for dial in stubbed.dials]
    assert [(count.reads, count.retries, count.losses) for count in counts] == [(50, 0, 0)] * 10


def test_a_tables_own_wires_are_measured_one_bus_after_the_other() -> None:
    with TableBuilder(SMALL, simulated_table(SMALL)) as builder:
        result = scan.run_on(SMALL, builder.wires(), builder.parts.clock, 0.3, simulated=True)
    assert [figure.name for figure in result.figures] == [
        "bus dials: scans",
        "bus dials: share of the wire's limit",
        "bus dials: longest gap",
    ]
    assert result.figures[0].note == "2 of 2 dials answered, 0 retries"
    assert result.passed
    assert result.explains[0].startswith("SIMULATED")


# ----------------------------------------------------------------------------------------------------- latency


def test_every_expose_is_timed(tmp_path: Path) -> None:
    took = latency.play(SMALL, tmp_path, 5)
    assert len(took) == 5
    assert all(each.cpu_ns > 0 and each.wall_ns > 0 for each in took)
    assert list(tmp_path.iterdir()) == []


def test_a_latency_bench_keeps_software_and_disk_apart(tmp_path: Path) -> None:
    result = latency.run(SMALL, tmp_path, 3, syncs=2)
    names = [figure.name for figure in result.figures]
    with_memory = ["software", "software and other programs", "disk"] * (memory_folder() is not None)
    wanted = [*with_memory, "total on this disk", "bare write and sync"]
    assert names == [f"{name}, {rank}" for name in wanted for rank in ("p50", "p99")]
    targets = {figure.name: figure.target for figure in result.figures if figure.target is not None}
    assert targets == ({"software, p99": 2.0} if with_memory else {})
    assert result.explains[0].startswith("The table is SIMULATED")


def test_a_brisk_play_taps_turns_holds_and_begins_again() -> None:
    plan = latency.brisk(("A", "B"), ("T1", "T2"), 3, hold_ms=400)
    times = [at_ns for at_ns, _ in plan.actions]
    assert times == sorted(times)
    assert plan.end_ns > times[-1]
    kinds = [type(act) for _, act in plan.actions]
    assert (kinds.count(Press), kinds.count(Release), kinds.count(TurnDial), kinds.count(TypeLine)) == (6, 6, 5, 2)
    turns: dict[str, int] = {}
    for _, act in plan.actions:
        if isinstance(act, TurnDial):
            turns[act.square] = turns.get(act.square, 0) + act.clicks
    assert turns["T2"] == 0
    assert 1 <= turns["T1"] <= 6
    assert plan == latency.brisk(("A", "B"), ("T1", "T2"), 3, hold_ms=400)


def test_the_kind_of_a_file_system(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    inside = (tmp_path / "a" / "b").resolve()
    inside.mkdir(parents=True)
    mounts.write_text(f"/dev/root / ext4 rw 0 0\ntmpfs {inside.parent} tmpfs rw 0 0\nshort\n")
    assert latency.file_system(inside, mounts) == "tmpfs"
    assert latency.file_system(tmp_path, mounts) == "ext4"
    assert latency.file_system(tmp_path, tmp_path / "none") == ""


def test_a_folder_in_memory_is_pointed_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(latency, "file_system", lambda folder: "tmpfs")
    assert latency.explains(tmp_path, MEMORY)[-1] == (
        f"{tmp_path} is in memory (tmpfs), where a sync costs nothing: name a folder on the card or disk."
    )


def test_bare_syncs_are_counted_and_leave_nothing(tmp_path: Path) -> None:
    assert len(latency.bare_syncs_ns(tmp_path, 3)) == 3
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------ memory and start


def test_sixteen_dials_behind_two_muxes_can_be_read() -> None:
    settings = memory.sixteen(LARGE)
    assert list(settings.squares) == [f"T{n:02}" for n in range(1, 17)]
    assert {(square.mux, square.channel) for square in settings.squares.values()} == {
        (mux, channel) for mux in (0x70, 0x71) for channel in range(8)
    }
    with TableBuilder(settings, simulated_table(settings)) as builder:
        (dials, *_) = builder.wires().scans
        for _ in range(40):
            samples = dials.scan()
    assert [type(sample) for sample in samples] == [Reading] * 16


@pytest.mark.slow
def test_the_steps_of_a_play_end_with_the_most(capsys: pytest.CaptureFixture[str]) -> None:
    memory.main(["0"])
    steps = json.loads(capsys.readouterr().out)
    assert list(steps) == [
        "peak",
        "Python's start",
        "loading the program",
        "building the table",
        "reading all dials",
        "the first half of the game",
        "the whole game",
    ]
    assert steps["peak"] >= steps["the whole game"] > 0
    figures = memory.figures(steps, 0)
    assert (figures[0].name, figures[0].target) == ("peak", 42.0)
    assert len(figures) == 7


def test_memory_as_the_kernel_reports_it(tmp_path: Path) -> None:
    status = tmp_path / "status"
    status.write_text("Name:\tpython3\nVmHWM:\t   43008 kB\nVmRSS:\t   20480 kB\n")
    assert memory.held_mb("VmHWM", status) == 42
    assert memory.held_mb(status=status) == 20


def test_a_game_that_fails_reports_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="the simulated game failed"):
        memory.run(0)


def test_a_start_is_timed_to_its_first_line() -> None:
    environment = dict(os.environ)
    endless = [sys.executable, "-uc", "import time\nprint('here')\ntime.sleep(1000)"]
    assert 0 < start.first_line_s(endless, environment) < 1000
    with pytest.raises(RuntimeError, match="printed nothing"):
        start.first_line_s([sys.executable, "-c", "pass"], environment)


def test_the_program_that_is_started_is_the_one_beside_this_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert start.program()[1] == "-c"
    (tmp_path / "trapdial").touch()
    assert start.program() == [str(tmp_path / "trapdial")]


# ------------------------------------------------------------------------------------------ clicks and journal


def test_clicks_reported_wrong_unreported_or_invented_miss_the_target() -> None:
    good = ClicksReport(clicks=100, turns=20, samples=1000, right=19, unknown=1)
    assert [figure.verdict for figure in clicks.figures_of_clicks(good, 2.0)][:3] == ["pass"] * 3
    assert clicks.figures_of_clicks(good, 2.0)[-1].value == 500
    for bad in (ClicksReport(wrong=1), ClicksReport(unreported=1), ClicksReport(invented=1)):
        assert [figure.verdict for figure in clicks.figures_of_clicks(bad, 1.0)][:3].count("fail") == 1


CRISP = Rig("crisp", "as5600", 100_000, 8, screens=False)


@pytest.mark.parametrize(
    ("counted", "missed"),
    [
        ({"claimed": 10_000, "at_first_hold": 9_999, "unclaimed": 10_000, "in_time": 9_999}, []),
        ({"claimed": 10_000, "at_first_hold": 9_998}, ["claimed: accepted at the first hold"]),
        ({"unclaimed": 10_000, "in_time": 9_998}, ["unclaimed: ended within 1.0 s"]),
        ({"wrong_clicks": 1}, ["wrong clicks reported as certain"]),
        ({"wrong_position": 1}, ["wrong position reported as certain"]),
        ({"invented": 1}, ["turns reported but not made"]),
    ],
)
def test_ordinary_turns_that_do_not_count_in_time_miss_the_target(counted: dict[str, Any], missed: list[str]) -> None:
    report = replace(HandsReport(claimed=1, at_first_hold=1, unclaimed=1, in_time=1), **counted)
    failed = [figure.name for figure in clicks.figures_of_hands({CRISP: report}) if figure.verdict == "fail"]
    assert [name.removeprefix("ordinary turns, ").removeprefix("ordinary turns: ") for name in failed] == missed


def test_the_table_by_hand_shows_each_hand_on_each_wire() -> None:
    reports = {CRISP: HandsReport(turns=8, claimed=4, at_first_hold=3, unclaimed=4, in_time=4)}
    matrix = clicks.by_hand(reports)
    assert matrix.columns[:3] == ("hand", "as5600 100 kHz", "as5600 400 kHz")
    assert {row[0]: row[1:3] for row in matrix.rows}["crisp"] == ("87.5", "0")


def test_a_claim_satisfied_by_a_jump_misses_the_target() -> None:
    verdicts = [figure.verdict for figure in clicks.figures_of_jumps(JumpsReport(10, 0, 10_000, 1))]
    assert verdicts == ["pass", "pass"]
    verdicts = [figure.verdict for figure in clicks.figures_of_jumps(JumpsReport(10, 1, 10_000, 2))]
    assert verdicts == ["fail", "fail"]


def test_a_few_real_clicks_pass_and_a_part_can_be_left_out() -> None:
    result = clicks.run(clicks.Amounts(clicks=300, samples=3_000, turns=0, jumps=0), 7, 1)
    assert result.passed
    assert result.figures[3].value > 0
    assert result.matrix is None
    assert not any("ordinary" in figure.name or "jumps" in figure.name for figure in result.figures)


def test_a_journal_bench_writes_games_that_replay(tmp_path: Path) -> None:
    result = journal.run(SMALL, tmp_path, appends=3, events=40)
    assert [figure.name for figure in result.figures] == [
        "append and sync on this disk",
        "append and sync, p50",
        "append and sync, p99",
        "append in memory, where a sync costs nothing",
        "read and decode",
        "replay: from the file to the game after every event",
        "replay with every report compared",
        "verify chain, tree, signature, public halves",
        "verify, with every sealed half opened and compared",
    ]
    assert all(figure.value > 0 for figure in result.figures)
    assert list(tmp_path.iterdir()) == []


def test_missing_events_are_no_figure() -> None:
    with pytest.raises(RuntimeError) as missing:
        journal.timed(lambda: 3, 4)
    assert str(missing.value) == "4 events were written, and 3 were read"


def test_the_journals_games_are_played_by_the_rules(tmp_path: Path) -> None:
    fill(tmp_path / "journal.db", LARGE, 110)
    first, second, third = replay.replay(tmp_path / "journal.db")
    assert (first.entries, second.entries, third.entries) == (51, 51, 8)
    assert first.moment.game.findings == ()
    assert all(square.readers for square in first.moment.game.squares.values())
