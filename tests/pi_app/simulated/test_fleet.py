"""Simulated tables for a centre's demo: each odd one shows in its journal what is odd about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal.record.verdict import RecordState
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.settings import load as settings
from pi_app.simulated.actions import StopBetween, TurnDial
from pi_app.simulated.fleet import ODD, SHOPS, FleetMember, FleetPlan, Oddity, fleet_plans, worn
from pi_app.simulated.script import KnownTable, script

TABLE = settings.load(settings.example_path("2x2"))


def played(folder: Path, oddity: Oddity) -> Path:
    member = FleetMember(folder, FleetPlan(3, "Table 3", "Brass Cog", oddity), TABLE, 3)
    member.play(4)
    member.close()
    return folder / "journal.db"


def test_every_oddity_is_there_once_among_twenty_tables_in_four_shops() -> None:
    plans = fleet_plans(20)
    assert sorted(each.oddity for each in plans if each.oddity) == sorted(ODD.values())
    assert [each.name for each in plans] == [f"Table {number}" for number in range(1, 21)]
    assert [each.shop for each in plans] == [shop for shop in SHOPS for _ in range(5)]


@pytest.mark.parametrize("seed", range(20))
def test_a_worn_dial_stops_between_two_clicks_after_each_turn_to_expose(seed: int) -> None:
    written = script(seed, KnownTable(("ANN", "BEN"), ("T01", "T02")), 6)
    made = worn(written, "T01")
    turns = [each for _, each in written.actions if isinstance(each, TurnDial)]
    wanted = sum(each.square == "T01" and each.clicks > 0 for each in turns)
    creeps = [at for at, (_, each) in enumerate(made.actions) if isinstance(each, StopBetween)]
    assert len(creeps) == wanted > 0
    assert [at_ns for at_ns, _ in made.actions] == sorted(at_ns for at_ns, _ in made.actions)
    assert [each for each in made.actions if not isinstance(each[1], StopBetween)] == list(written.actions)
    for at in creeps:
        before = [each for _, each in made.actions[:at] if isinstance(each, TurnDial) and each.square == "T01"]
        assert before[-1].clicks > 0, "the creep follows its turn"


def test_its_journal_has_turns_that_ended_between_two_clicks(tmp_path: Path) -> None:
    def between(oddity: Oddity) -> set[str]:
        path = played(tmp_path / f"table {oddity}", oddity)
        turns = [each.event for each in jn.read(path, MAGE_KNIGHT) if isinstance(each.event, ev.Turned)]
        return {each.square for each in turns if each.motion.between is not None}

    assert (between(""), between("worn")) == (set(), {"T01"})


def test_the_dates_of_its_entries_are_those_of_its_clock(tmp_path: Path) -> None:
    def clocks(oddity: Oddity) -> set[tuple[str, str]]:
        path = played(tmp_path / f"table {oddity}", oddity)
        return {(each.public.clock, each.public.wall[:4]) for each in jn.read(path, MAGE_KNIGHT)}

    assert clocks("no clock") == {("none", "1970")}
    assert {clock for clock, _ in clocks("")} == {"ntp"}


def test_a_copied_card_plays_on_with_the_same_key_and_other_entries(tmp_path: Path) -> None:
    member = FleetMember(tmp_path / "one", FleetPlan(1, "Table 1", "Brass Cog", "cloned"), TABLE, 1)
    member.play(2)
    copy = member.copied(tmp_path / "two", TABLE)
    assert copy.key == member.key
    member.play(2)
    copy.play(2)
    member.close()
    copy.close()
    one, two = (tmp_path / name / "journal.db" for name in ("one", "two"))
    with jn.raw(one) as here, jn.raw(two) as there:
        pairs = [mine[3] == theirs[3] for mine, theirs in zip(here.rows(), there.rows(), strict=False)]
    assert pairs[0]
    assert not pairs[-1]
    games = [[each.game_id for each in jn.read(path, MAGE_KNIGHT)] for path in (one, two)]
    at = pairs.index(False)
    assert games[0][at - 1] == games[1][at - 1] == games[1][at], "the copy plays the same game on"
    for path in (one, two):
        assert jn.verify(path).state is RecordState.INTERRUPTED
