"""The soak notices each error that it is there for, on plays of a few seconds."""

from __future__ import annotations

import random
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from hardware.sims.pins import KEPT_STATES
from pi_app.dials.tracker import Turn
from pi_app.game import events as ev
from pi_app.journal import keys_of
from pi_app.settings.load import example_path, load
from pi_app.simulated.actions import TurnDial, TypeLine
from pi_app.simulated.demo import Demo
from pi_app.simulated.table import FAULTS
from pi_app.text.errors import UserFileError
from pi_app.workshop.bench import soak_faults
from pi_app.workshop.bench.growth import Slope, open_files
from pi_app.workshop.bench.soak import Soak
from pi_app.workshop.bench.soak_faults import FaultCounts, RandomFaults
from pi_app.workshop.bench.soak_figures import SoakResult, figures
from pi_app.workshop.bench.soak_table import SoakTable, only_absolute, with_numbers
from pi_app.workshop.bench.soak_truth import Truth, TurnCounts

SMALL = load(example_path("2x2"))
S_NS = 1_000_000_000

Played = tuple[Demo, Truth, TurnCounts]


def turn(**changes: object) -> Turn:
    same = Turn(2 * S_NS, 3 * S_NS, 0, 2, None, 2, 100, 0, 10_000_000, 0, 682)
    return replace(same, **changes)  # type: ignore[arg-type]


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    counts = TurnCounts()
    with Demo(with_numbers(SMALL, tmp_path), tmp_path / "journal.db", seed=3) as demo:
        truth = Truth(demo, counts)
        while not demo.loop.ready:
            demo.step()
            truth.step()
        yield demo, truth, counts


def go(demo: Demo, truth: Truth, seconds: float) -> None:
    until_ns = demo.table.clock.now_ns() + round(seconds * S_NS)
    while demo.table.clock.now_ns() < until_ns:
        demo.step()
        truth.step()


def first(demo: Demo) -> str:
    return next(iter(demo.table.tiles))


# ------------------------------------------------------------------------------------------------------ the truth


def test_a_turn_that_is_reported_as_it_was_is_right(played: Played) -> None:
    demo, truth, counts = played
    demo.act(TurnDial(first(demo), 3, (200.0, 200.0)))
    go(demo, truth, 3)
    assert (counts.turns, counts.right, counts.wrong, counts.invented, counts.unreported) == (1, 1, 0, 0, 0)
    assert truth.dials[first(demo)].reported_at == 3
    assert counts.events["Turned"] == 1


def test_every_sample_is_counted(played: Played) -> None:
    demo, truth, counts = played
    before = counts.samples
    go(demo, truth, 1)
    assert counts.samples - before == pytest.approx(2 * 100, abs=6)


def test_clicks_that_were_not_made_and_a_false_position_are_invented(played: Played) -> None:
    demo, truth, counts = played
    label = first(demo)
    now_ns = demo.table.clock.now_ns()
    truth.reported(label, turn(end_ns=now_ns))
    truth.reported(label, turn(end_ns=now_ns, clicks=None, to_position=2))
    truth.reported(label, turn(end_ns=now_ns, clicks=None, to_position=0))
    assert (counts.wrong, counts.invented, counts.unknown, counts.right) == (0, 2, 1, 0)
    assert counts.examples[0] == (
        f"{label} at {now_ns / S_NS:.2f} s: the hand turned +0 to 0, reported: 0 to 2, clicks 2"
    )


def test_another_turn_than_the_hand_made_is_wrong(played: Played) -> None:
    demo, truth, counts = played
    label = first(demo)
    demo.table.tiles[label].hand.turn(demo.table.clock.now_ns(), 3)
    truth.dials[label].positions.append((0, 3))
    truth.reported(label, turn(end_ns=demo.table.clock.now_ns()))
    assert (counts.wrong, counts.invented) == (1, 0)


def test_a_turn_that_is_never_reported_is_noticed_once(played: Played) -> None:
    demo, truth, counts = played
    truth.dials[first(demo)].reported_at = 1
    go(demo, truth, 6)
    go(demo, truth, 6)
    assert counts.unreported == 1


def test_the_journal_records_what_was_reported(played: Played) -> None:
    demo, truth, counts = played
    label = first(demo)
    truth.dials[label].unrecorded += [turn(clicks=2), turn(clicks=-1)]
    motion = ev.Motion(from_position=0, to_position=1, clicks=1)
    recorded = ev.Turned(square=label, motion=motion, seat=None, purpose=None, grade=None)
    truth.recorded(recorded)
    assert counts.misrecorded == 0
    truth.recorded(recorded)
    assert counts.misrecorded == 1
    assert counts.examples[0].endswith("s: 0 clicks were reported, 1 recorded")


def test_a_claim_that_takes_a_dial_at_rest_is_noticed(played: Played) -> None:
    demo, truth, counts = played
    label = first(demo)
    go(demo, truth, 6)
    demo.act(TurnDial(label, 2, (200.0,)))
    go(demo, truth, 0.3)
    truth.recorded(ev.Bound(seat="ANN", square=label))
    assert (counts.claimed, counts.misclaimed) == (1, 0)
    go(demo, truth, 8)
    truth.recorded(ev.Bound(seat="ANN", square=label))
    assert (counts.claimed, counts.misclaimed) == (2, 1)
    assert counts.examples[0].endswith("s: the claim of ANN took it, and it was not turned")


# --------------------------------------------------------------------------------------------------------- faults


def endured(demo: Demo, truth: Truth, faults: RandomFaults, seconds: float) -> None:
    until_ns = demo.table.clock.now_ns() + round(seconds * S_NS)
    while demo.table.clock.now_ns() < until_ns or not faults.calm:
        if demo.table.clock.now_ns() > until_ns:
            faults.end()
        demo.step()
        truth.step()
        faults.step()


@pytest.mark.slow
def test_every_fault_that_strikes_is_mended_and_timed(played: Played) -> None:
    demo, truth, counts = played
    fault_counts = FaultCounts()
    endured(demo, truth, RandomFaults(demo, fault_counts, random.Random("soak test")), 60)
    assert fault_counts.injected.total() == fault_counts.recovered.total() > 3
    assert fault_counts.unrecovered == 0
    assert set(fault_counts.injected) <= set(FAULTS)
    assert counts.wrong == counts.invented == counts.unreported == 0


def test_all_kinds_strike_before_any_strikes_again(played: Played) -> None:
    demo, _, _ = played
    faults = RandomFaults(demo, FaultCounts(), random.Random(5))
    assert sorted(faults.next_fault() for _ in FAULTS) == sorted(FAULTS)


def test_swapped_leads_are_left_out_without_tile_numbers(tmp_path: Path) -> None:
    with Demo(SMALL, tmp_path / "journal.db") as demo:
        fault_counts = FaultCounts()
        faults = RandomFaults(demo, fault_counts, random.Random(5))
        assert fault_counts.unfit == {"leads-swapped"}
        assert "leads-swapped" not in {faults.next_fault() for _ in range(100)}


def test_a_fault_that_this_table_cannot_have_is_named_and_left_alone(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo, _, _ = played

    def refuse(*_: object) -> None:
        raise ValueError("needs a mux")

    odd = replace(FAULTS["spike"], name="odd", strike=refuse)
    monkeypatch.setattr(soak_faults, "FAULTS", {"odd": odd})
    monkeypatch.setitem(FAULTS, "odd", odd)
    fault_counts = FaultCounts()
    faults = RandomFaults(demo, fault_counts, random.Random(1))
    faults.inject(demo.table.clock.now_ns())
    assert (fault_counts.unfit, fault_counts.injected, faults.calm) == ({"odd"}, {}, True)


def test_faults_are_rare_at_a_quiet_table(played: Played) -> None:
    demo, truth, _ = played
    fault_counts = FaultCounts()
    faults = RandomFaults(demo, fault_counts, random.Random(2))
    faults.set_quiet(True)
    endured(demo, truth, faults, 60)
    assert fault_counts.injected.total() <= 1


# --------------------------------------------------------------------------------------------------------- growth


def test_a_lamp_that_flashes_for_days_takes_no_more_memory(tmp_path: Path) -> None:
    """Found by the soak: the simulated pins kept every state they ever had."""
    with Demo(SMALL, tmp_path / "journal.db") as demo:
        pin = demo.table.sim_pins.factory.pin(5)
        pin.function = "output"
        for n in range(5_000):
            pin.state = n % 2
        assert len(pin.states) <= KEPT_STATES


# ------------------------------------------------------------------------------------------- killed, and started again


@pytest.fixture
def counts() -> TurnCounts:
    return TurnCounts()


@pytest.fixture
def table(tmp_path: Path, counts: TurnCounts) -> Iterator[SoakTable]:
    soaked = SoakTable(with_numbers(SMALL, tmp_path), tmp_path, 5, counts, FaultCounts(), random.Random("soak 5"))
    soaked.until_ready()
    yield soaked
    soaked.close()


@pytest.mark.slow
@pytest.mark.parametrize("power", [False, True])
def test_a_killed_program_resumes_its_game_and_leaves_nothing_behind(
    table: SoakTable, counts: TurnCounts, power: bool
) -> None:
    table.demo.act(TurnDial("T01", 3, (200.0, 200.0)))
    table.run(3)
    handles, killed = open_files(), weakref.ref(table.demo.loop)
    game = table.demo.loop.session.game_id
    table.restart(power=power)
    assert killed() is None
    assert open_files() == handles
    assert table.demo.loop.session.game_id == game
    at = table.truth.position("T01") % 12
    assert table.demo.loop.moment.game.squares["T01"].stands == at
    assert counts.misremembered == 0


@pytest.mark.slow
def test_a_wrong_position_after_a_restart_is_counted(table: SoakTable, counts: TurnCounts) -> None:
    table.restart(power=False)
    assumed = table.truth.position("T01") % 12
    table.tiles["T01"].hand.turn(table.clock.now_ns(), 2)
    table.clock.advance(3 * S_NS)
    table.truth.check_restart()
    assert counts.misremembered == 1
    assert counts.examples[0].endswith(f"and the restarted program has it at {assumed}")


@pytest.mark.slow
def test_a_journal_that_lost_its_game_is_an_error(table: SoakTable) -> None:
    table.kill()
    table.journal.unlink()
    table.journal.with_name(table.journal.name + "-wal").unlink()
    (keys_of(table.journal).folder / "last.head").unlink()
    with pytest.raises(RuntimeError, match=r"^the game was forgotten and the journal says otherwise$"):
        table.start(power=False)


@pytest.mark.slow
def test_after_a_night_another_game_is_played(tmp_path: Path) -> None:
    soaked = Soak(with_numbers(SMALL, tmp_path), tmp_path, 5, 1_000_000)
    soaked.begin()
    table = soaked.table
    before = table.demo.loop.session.game_id
    table.demo.act(TurnDial("T02", 4, (200.0, 200.0, 200.0)))
    table.run(3)
    soaked.night(12_000)
    assert table.demo.loop.session.game_id != before
    assert soaked.result.quiet_s > 600
    assert [square.stands for square in table.demo.loop.moment.game.squares.values()] == [
        table.truth.position(label) % 12 for label in ("T01", "T02")
    ]
    table.close()


# ------------------------------------------------------------------------------------------------------- together


@pytest.mark.slow
def test_a_short_life_of_the_whole_program(tmp_path: Path) -> None:
    said: list[tuple[str, int, int]] = []

    def told(what: str, done: int = 0, total: int = 0) -> None:
        said.append((what, done, total))

    result = Soak(with_numbers(SMALL, tmp_path), tmp_path, 5, 24_000, told).run()
    turns, faults = result.turns, result.faults
    assert turns.samples >= 24_000
    assert turns.wrong == turns.invented == turns.unreported == turns.misrecorded == turns.misclaimed == 0
    assert faults.unrecovered == turns.misremembered == 0
    assert turns.games >= 4
    assert (result.nights, result.cuts) == (3, 2)
    assert said[-1][0].endswith("games")
    assert said[-1][2] == 24_000
    assert [done for _, done, _ in said] == sorted(done for _, done, _ in said)
    assert (result.more_files, result.more_threads) == (0, 0)
    assert result.journal_bytes > 0
    names = {figure.name: figure for figure in figures(result)}
    assert names["turns reported wrong"].verdict == "pass"
    assert "quiet in 3 nights" in names["samples processed"].note


Change = Callable[[SoakResult], None]


def changed(what: object, **values: object) -> None:
    for name, value in values.items():
        setattr(what, name, value)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("turns reported wrong", lambda result: changed(result.turns, wrong=1)),
        ("turns reported but not made", lambda result: changed(result.turns, invented=1)),
        ("turns not reported", lambda result: changed(result.turns, unreported=1)),
        ("turns recorded differently than reported", lambda result: changed(result.turns, misrecorded=1)),
        ("claims bound to a dial that was not turned", lambda result: changed(result.turns, misclaimed=1)),
        ("faults not recovered from", lambda result: result.faults.injected.update(["spike"])),
        ("longest recovery from a single fault", lambda result: result.faults.slowest_s.update({"spike": 1.5})),
        ("longest recovery from several at once", lambda result: changed(result.faults, slowest_together_s=1.5)),
        ("dials at a wrong position after a restart", lambda result: changed(result.turns, misremembered=1)),
        ("memory growth per day, at least", lambda result: changed(result, mb_slope=Slope(2.0, 0.5))),
        (
            "memory growth per day of continuous play, at least",
            lambda result: changed(result, play_slope=Slope(20.0, 5.0)),
        ),
        ("more open files than at first", lambda result: changed(result, more_files=1)),
        ("more threads than at first", lambda result: changed(result, more_threads=1)),
    ],
)
def test_each_promise_can_be_missed(name: str, spoil: Change) -> None:
    result = SoakResult(played_s=7 * 3_600)
    assert [figure.name for figure in figures(result) if figure.verdict == "fail"] == []
    spoil(result)
    assert [figure.name for figure in figures(result) if figure.verdict == "fail"] == [name]


def test_a_short_life_or_a_doubtful_slope_misses_nothing() -> None:
    short = SoakResult(played_s=3_600, mb_slope=Slope(50.0, 0.1))
    doubtful = SoakResult(played_s=7 * 3_600, mb_slope=Slope(50.0, 49.5))
    for result in (short, doubtful):
        assert all(figure.verdict != "fail" for figure in figures(result))


def test_the_slowest_recoveries_are_named() -> None:
    result = SoakResult(faults=FaultCounts(slowest_s={"spike": 0.1, "stuck-low": 0.9}))
    notes = {figure.name: figure.note for figure in figures(result)}
    assert notes["longest recovery from a single fault"] == "stuck-low 0.90 s, spike 0.10 s"


def test_the_dials_are_where_they_were_when_the_plug_comes_back(table: SoakTable) -> None:
    table.tiles["T02"].unplug()
    table.demo.act(TypeLine("end"))
    table.run(1)
    table.demo.table.restart(power=True)
    assert (table.tiles["T01"].plugged, table.tiles["T02"].plugged) == (True, False)
    assert table.truth.position("T01") == 0


def test_dials_that_only_count_steps_are_refused() -> None:
    squares = {
        label: msgspec.structs.replace(square, chip="seesaw" if label == "T02" else square.chip)
        for label, square in SMALL.squares.items()
    }
    with pytest.raises(UserFileError) as refused:
        only_absolute(replace(SMALL, squares=MappingProxyType(squares)))
    assert str(refused.value) == (
        f"{SMALL.where} [square.T02]: a seesaw only counts steps, so a soak cannot compare it with its "
        "hand. Soak a table of absolute encoders."
    )
    only_absolute(SMALL)
