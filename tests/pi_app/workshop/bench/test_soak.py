"""The soak: that it notices what it is there to notice, on plays of a few seconds."""

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
from pi_app.workshop.bench import soak, soak_troubles
from pi_app.workshop.bench.growth import Slope, open_files
from pi_app.workshop.bench.soak import Found, Soak, only_absolute, with_numbers
from pi_app.workshop.bench.soak_troubles import Befell, Troubles
from pi_app.workshop.bench.soak_truth import Told, Truth

SMALL = load(example_path("2x2"))
S_NS = 1_000_000_000

Played = tuple[Demo, Truth, Told]


def turn(**changes: object) -> Turn:
    same = Turn(2 * S_NS, 3 * S_NS, 0, 2, None, 2, 100, 0, 10_000_000, 0, 682)
    return replace(same, **changes)  # type: ignore[arg-type]


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    told = Told()
    with Demo(with_numbers(SMALL, tmp_path), tmp_path / "journal.db", seed=3) as demo:
        truth = Truth(demo, told)
        while not demo.loop.ready:
            demo.step()
            truth.look()
        yield demo, truth, told


def go(demo: Demo, truth: Truth, seconds: float) -> None:
    until_ns = demo.table.clock.now_ns() + round(seconds * S_NS)
    while demo.table.clock.now_ns() < until_ns:
        demo.step()
        truth.look()


def first(demo: Demo) -> str:
    return next(iter(demo.table.tiles))


# ------------------------------------------------------------------------------------------------------ the truth


def test_a_turn_that_is_told_as_it_was_is_right(played: Played) -> None:
    demo, truth, told = played
    demo.act(TurnDial(first(demo), 3, (200.0, 200.0)))
    go(demo, truth, 3)
    assert (told.turns, told.right, told.wrong, told.invented, told.unreported) == (1, 1, 0, 0, 0)
    assert truth.dials[first(demo)].told_at == 3
    assert told.events["Turned"] == 1


def test_every_look_is_counted(played: Played) -> None:
    demo, truth, told = played
    before = told.samples
    go(demo, truth, 1)
    assert told.samples - before == pytest.approx(2 * 100, abs=6)


def test_clicks_that_nobody_made_and_a_false_place_are_invented(played: Played) -> None:
    demo, truth, told = played
    label = first(demo)
    now_ns = demo.table.clock.now_ns()
    truth.reported(label, turn(end_ns=now_ns))
    truth.reported(label, turn(end_ns=now_ns, clicks=None, to_position=2))
    truth.reported(label, turn(end_ns=now_ns, clicks=None, to_position=0))
    assert (told.wrong, told.invented, told.unknown, told.right) == (0, 2, 1, 0)
    assert told.examples[0] == (
        f"{label} at {now_ns / S_NS:.2f} s: the hand turned +0 to 0, reported: 0 to 2, clicks 2"
    )


def test_another_turn_than_the_hand_made_is_wrong(played: Played) -> None:
    demo, truth, told = played
    label = first(demo)
    demo.table.tiles[label].hand.turn(demo.table.clock.now_ns(), 3)
    truth.dials[label].places.append((0, 3))
    truth.reported(label, turn(end_ns=demo.table.clock.now_ns()))
    assert (told.wrong, told.invented) == (1, 0)


def test_a_turn_that_is_never_told_is_noticed_once(played: Played) -> None:
    demo, truth, told = played
    truth.dials[first(demo)].told_at = 1
    go(demo, truth, 6)
    go(demo, truth, 6)
    assert told.unreported == 1


def test_what_the_journal_takes_is_what_was_told(played: Played) -> None:
    demo, truth, told = played
    label = first(demo)
    truth.dials[label].since += [turn(clicks=2), turn(clicks=-1)]
    motion = ev.Motion(from_position=0, to_position=1, clicks=1)
    recorded = ev.Turned(square=label, motion=motion, seat=None, purpose=None, grade=None)
    truth.recorded(recorded)
    assert told.misrecorded == 0
    truth.recorded(recorded)
    assert told.misrecorded == 1
    assert told.examples[0].endswith("s: 0 clicks were reported, 1 written down")


def test_a_claim_that_takes_a_dial_that_nobody_turned_is_noticed(played: Played) -> None:
    demo, truth, told = played
    label = first(demo)
    go(demo, truth, 6)
    demo.act(TurnDial(label, 2, (200.0,)))
    go(demo, truth, 0.3)
    truth.recorded(ev.Bound(seat="ANN", square=label))
    assert (told.claimed, told.misclaimed) == (1, 0)
    go(demo, truth, 8)
    truth.recorded(ev.Bound(seat="ANN", square=label))
    assert (told.claimed, told.misclaimed) == (2, 1)
    assert told.examples[0].endswith("s: the claim of ANN took it, and nobody turned it")


# --------------------------------------------------------------------------------------------------------- faults


def endured(demo: Demo, truth: Truth, troubles: Troubles, seconds: float) -> None:
    until_ns = demo.table.clock.now_ns() + round(seconds * S_NS)
    while demo.table.clock.now_ns() < until_ns or not troubles.calm:
        if demo.table.clock.now_ns() > until_ns:
            troubles.end()
        demo.step()
        truth.look()
        troubles.look()


@pytest.mark.slow
def test_every_fault_that_strikes_is_mended_and_timed(played: Played) -> None:
    demo, truth, told = played
    befell = Befell()
    endured(demo, truth, Troubles(demo, befell, random.Random("soak test")), 60)
    assert befell.struck.total() == befell.recovered.total() > 3
    assert befell.unrecovered == 0
    assert set(befell.struck) <= set(FAULTS)
    assert told.wrong == told.invented == told.unreported == 0


def test_all_kinds_strike_before_any_strikes_again(played: Played) -> None:
    demo, _, _ = played
    troubles = Troubles(demo, Befell(), random.Random(5))
    assert sorted(troubles._drawn() for _ in FAULTS) == sorted(FAULTS)


def test_swapped_leads_are_left_out_where_nothing_could_tell(tmp_path: Path) -> None:
    with Demo(SMALL, tmp_path / "journal.db") as demo:
        befell = Befell()
        troubles = Troubles(demo, befell, random.Random(5))
        assert befell.unfit == {"leads-swapped"}
        assert "leads-swapped" not in {troubles._drawn() for _ in range(100)}


def test_a_fault_that_this_table_cannot_have_is_named_and_left_alone(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo, _, _ = played

    def refuse(*_: object) -> None:
        raise ValueError("needs a mux")

    odd = replace(FAULTS["spike"], name="odd", strike=refuse)
    monkeypatch.setattr(soak_troubles, "FAULTS", {"odd": odd})
    monkeypatch.setitem(FAULTS, "odd", odd)
    befell = Befell()
    troubles = Troubles(demo, befell, random.Random(1))
    troubles._strike(demo.table.clock.now_ns())
    assert (befell.unfit, befell.struck, troubles.calm) == ({"odd"}, {}, True)


def test_faults_are_rare_at_a_quiet_table(played: Played) -> None:
    demo, truth, _ = played
    befell = Befell()
    troubles = Troubles(demo, befell, random.Random(2))
    troubles.goes_quiet(True)
    endured(demo, truth, troubles, 60)
    assert befell.struck.total() <= 1


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
def life(tmp_path: Path) -> Iterator[Soak]:
    soaked = Soak(with_numbers(SMALL, tmp_path), tmp_path, 5, lambda what: None)
    soaked._samples = soaked._every = 1_000_000
    soaked._until_ready()
    yield soaked
    soaked._demo.close()


@pytest.mark.parametrize("power", [False, True])
def test_a_killed_program_goes_on_with_its_game_and_nothing_of_it_stays(life: Soak, power: bool) -> None:
    life._demo.act(TurnDial("T01", 3, (200.0, 200.0)))
    life._seconds(3)
    handles, killed = open_files(), weakref.ref(life._demo.loop)
    game = life._demo.loop.session.game_id
    life._start_again(power=power)
    assert killed() is None
    assert open_files() == handles
    assert life._demo.loop.session.game_id == game
    at = life._truth.place("T01") % 12
    assert life._demo.loop.moment.game.squares["T01"].stands == at
    assert life.found.told.misremembered == 0


def test_a_dial_that_is_believed_elsewhere_after_a_new_start_is_counted(life: Soak) -> None:
    life._start_again(power=False)
    believed = life._truth.place("T01") % 12
    life._truth._hands["T01"].turn(life._clock.now_ns(), 2)
    life._clock.advance(3 * S_NS)
    life._truth.remembers()
    assert life.found.told.misremembered == 1
    assert life.found.told.examples[0].endswith(f"and the program that was started again has it at {believed}")


def test_a_journal_that_lost_its_game_is_not_passed_over(life: Soak, monkeypatch: pytest.MonkeyPatch) -> None:
    end = life._end_of_the_program

    def forget() -> None:
        end()
        life._journal.unlink()
        life._journal.with_name(life._journal.name + "-wal").unlink()
        (keys_of(life._journal).folder / "last.head").unlink()

    monkeypatch.setattr(life, "_end_of_the_program", forget)
    with pytest.raises(RuntimeError, match=r"^the game was forgotten and the journal says otherwise$"):
        life._start_again(power=False)


@pytest.mark.slow
def test_after_a_night_another_game_is_on(life: Soak) -> None:
    before = life._demo.loop.session.game_id
    life._demo.act(TurnDial("T02", 4, (200.0, 200.0, 200.0)))
    life._seconds(3)
    life._night(12_000)
    assert life._demo.loop.session.game_id != before
    assert life.found.quiet_s > 600
    assert [square.stands for square in life._demo.loop.moment.game.squares.values()] == [
        life._truth.place(label) % 12 for label in ("T01", "T02")
    ]


# ------------------------------------------------------------------------------------------------------- together


@pytest.mark.slow
def test_a_short_life_of_the_whole_program(tmp_path: Path) -> None:
    said: list[str] = []
    found = Soak(with_numbers(SMALL, tmp_path), tmp_path, 5, said.append).live(24_000)
    told, befell = found.told, found.befell
    assert told.samples >= 24_000
    assert told.wrong == told.invented == told.unreported == told.misrecorded == told.misclaimed == 0
    assert befell.unrecovered == told.misremembered == 0
    assert told.games >= 4
    assert (found.nights, found.cuts) == (3, 2)
    assert said[-1].endswith("games")
    assert (found.more_files, found.more_threads) == (0, 0)
    assert found.journal_bytes > 0
    names = {figure.name: figure for figure in soak.figures(found)}
    assert names["turns told wrong"].verdict == "pass"
    assert "quiet in 3 nights" in names["samples followed"].note


Change = Callable[[Found], None]


def changed(what: object, **values: object) -> None:
    for name, value in values.items():
        setattr(what, name, value)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("turns told wrong", lambda found: changed(found.told, wrong=1)),
        ("turns that nobody made", lambda found: changed(found.told, invented=1)),
        ("turns not reported", lambda found: changed(found.told, unreported=1)),
        ("turns written down otherwise than told", lambda found: changed(found.told, misrecorded=1)),
        ("claims bound to a dial that nobody turned", lambda found: changed(found.told, misclaimed=1)),
        ("faults not recovered from", lambda found: found.befell.struck.update(["spike"])),
        ("longest recovery from a single fault", lambda found: found.befell.slowest_s.update({"spike": 1.5})),
        ("longest recovery from several at once", lambda found: changed(found.befell, slowest_together_s=1.5)),
        ("dials believed elsewhere after a new start", lambda found: changed(found.told, misremembered=1)),
        ("memory surely grows per day by", lambda found: changed(found, mb_slope=Slope(2.0, 0.5))),
        (
            "memory surely grows per day of play without a pause by",
            lambda found: changed(found, play_slope=Slope(20.0, 5.0)),
        ),
        ("more open files than at first", lambda found: changed(found, more_files=1)),
        ("more threads than at first", lambda found: changed(found, more_threads=1)),
    ],
)
def test_each_promise_can_be_missed(name: str, spoil: Change) -> None:
    found = Found(played_s=7 * 3_600)
    assert [figure.name for figure in soak.figures(found) if figure.verdict == "fail"] == []
    spoil(found)
    assert [figure.name for figure in soak.figures(found) if figure.verdict == "fail"] == [name]


def test_a_short_life_or_a_doubtful_slope_misses_nothing() -> None:
    short = Found(played_s=3_600, mb_slope=Slope(50.0, 0.1))
    doubtful = Found(played_s=7 * 3_600, mb_slope=Slope(50.0, 49.5))
    for found in (short, doubtful):
        assert all(figure.verdict != "fail" for figure in soak.figures(found))


def test_the_slowest_recoveries_are_named() -> None:
    found = Found(befell=Befell(slowest_s={"spike": 0.1, "stuck-low": 0.9}))
    notes = {figure.name: figure.note for figure in soak.figures(found)}
    assert notes["longest recovery from a single fault"] == "stuck-low 0.90 s, spike 0.10 s"


def test_the_dials_are_where_they_were_when_the_plug_comes_back(life: Soak) -> None:
    table = life._demo.table
    table.tiles["T02"].unplug()
    life._demo.act(TypeLine("end"))
    life._seconds(1)
    table.restart(power=True)
    assert (table.tiles["T01"].plugged, table.tiles["T02"].plugged) == (True, False)
    assert life._truth.place("T01") == 0


def test_dials_that_only_count_steps_are_refused() -> None:
    squares = {
        label: msgspec.structs.replace(square, chip="seesaw" if label == "T02" else square.chip)
        for label, square in SMALL.squares.items()
    }
    with pytest.raises(UserFileError) as refused:
        only_absolute(replace(SMALL, squares=MappingProxyType(squares)))
    assert str(refused.value) == (
        f"{SMALL.where} [square.T02]: a seesaw only counts steps, so a soak cannot hold it against where its hand "
        "stands. Soak a table of absolute encoders."
    )
    only_absolute(SMALL)
