"""Facts are sums over what was recorded; they hold no secret of a running game, and nothing of a deleted one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pi_app.centre.facts import ended_game as kinds
from pi_app.centre.facts import learning as learning_module
from pi_app.centre.facts.learning import FactsLearner, learnt
from pi_app.centre.facts.values import RecordFacts, WrongGame, packed_facts, typical, unpacked_facts
from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.journal import archive
from pi_app.journal.record.happenings import Event
from pi_app.journal.record.runs import RawRow
from tests.pi_app.audit.calibrated import calibrated
from tests.pi_app.centre.facts.games import Clock, facts_from, facts_of, hand_over, learn, write
from tests.pi_app.centre.records import entries_of, new_store
from tests.pi_app.games import rolled, started, table_with, turned

END = ev.Ended()
ORIGIN = "trapdial.invalid/record/" + "a1" * 32
OTHER = "trapdial.invalid/record/" + "b2" * 32
CHECKED = ev.SetupChecked(stands={"T01": 0, "T02": 3})


def claimed(seat: str = "ANN") -> ev.Claimed:
    return ev.Claimed(seat=seat, grade="button")


def test_first_turns_are_counted_by_their_clicks_and_where_they_end(tmp_path: Path) -> None:
    games = [[claimed(), turned("T01", clicks, "ANN"), END] for clicks in (1, 4, 4, 6)]
    dial = facts_from(write(tmp_path / "journal.db", *games)).dials["T01"]
    assert (dial.faces, dial.turns, dial.games) == ([1, 0, 0, 2, 0, 1], 4, 4)
    assert dial.reach == [0, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0]
    assert dial.hits == [0, 1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0]


def test_a_game_whose_starts_are_found_counts_the_detents_of_the_dial(tmp_path: Path) -> None:
    begin = started()
    squares = (msgspec.structs.replace(begin.squares[0], start=9), *begin.squares[1:])
    begin = msgspec.structs.replace(begin, squares=squares, starts="found")
    dial = facts_from(write(tmp_path / "journal.db", [claimed(), turned("T01", 4, "ANN"), END], begin=begin)).dials[
        "T01"
    ]
    assert (dial.faces, dial.hits.index(1), sum(dial.starts)) == ([0, 0, 0, 1, 0, 0], 1, 0)
    assert dial.reach == [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1]


def test_only_a_first_turn_that_a_die_decides_is_a_throw(tmp_path: Path) -> None:
    games: list[Sequence[Event]] = [
        [turned("T01", 3), END],
        [claimed(), turned("T01", 7, "ANN"), END],
        [claimed(), turned("T01", -2, "ANN"), END],
        [claimed(), turned("T01", 3, "ANN", start=2), END],
        [claimed(), turned("T01", None, "ANN", to=4), END],
        [claimed(), turned("T01", 2, "ANN"), claimed("BEN"), turned("T01", 5, "BEN", start=2), END],
    ]
    dial = facts_from(write(tmp_path / "journal.db", *games)).dials["T01"]
    assert (dial.faces, dial.turns, dial.games) == ([0, 1, 0, 0, 0, 0], 7, 6)
    assert (dial.events(kinds.DIRECTION), dial.trials(kinds.DIRECTION)) == (1, 6)
    assert (dial.events(kinds.UNREAD), dial.trials(kinds.UNREAD)) == (1, 6)


def test_what_happens_often_in_one_game_is_one_game(tmp_path: Path) -> None:
    between = [turned("T01", 3, "ANN", to=None), turned("T01", 3, "BEN", to=None), turned("T01", 1)]
    path = write(tmp_path / "journal.db", [claimed(), *between, END], [claimed(), turned("T01", 2, "ANN"), END], [END])
    dial = facts_from(path).dials["T01"]
    assert (dial.between, dial.turns) == (2, 4)
    assert (dial.events(kinds.BETWEEN), dial.trials(kinds.BETWEEN), dial.games) == (1, 2, 2)


def test_clicks_are_compared_with_a_die_that_was_said(tmp_path: Path) -> None:
    games = [
        [claimed(), rolled(4), turned("T01", 4, "ANN"), END],
        [claimed(), rolled(4), turned("T01", 3, "ANN"), END],
        [claimed(), turned("T01", 3, "ANN"), END],
    ]
    dial = facts_from(write(tmp_path / "journal.db", *games)).dials["T01"]
    assert (dial.events(kinds.DIE_COUNT), dial.trials(kinds.DIE_COUNT)) == (1, 2)


def test_where_a_dial_stood_before_the_game_is_counted(tmp_path: Path) -> None:
    facts = facts_from(write(tmp_path / "journal.db", [CHECKED, END], [CHECKED, END]))
    one, two = facts.dials["T01"], facts.dials["T02"]
    assert (one.starts[0], one.events(kinds.START), one.trials(kinds.START)) == (2, 0, 2)
    assert (two.starts[3], two.events(kinds.START), two.trials(kinds.START)) == (2, 2, 2)


def test_a_calibrated_dial_that_rests_beside_its_centres_is_counted_by_its_side(tmp_path: Path) -> None:
    begin = calibrated()
    centres = begin.squares[0].dial.centres  # type: ignore[union-attr]
    checked = [ev.SetupChecked(stands={"T01": 0}, raws={"T01": (centres[0] + off) % 4096}) for off in (40, -40, 2)]
    facts = facts_from(write(tmp_path / "journal.db", *([each, END] for each in checked), begin=begin))
    dial = facts.dials["T01"]
    assert dial.trials(kinds.DRIFT_LEFT) == dial.trials(kinds.DRIFT_RIGHT) == 3
    assert dial.events(kinds.DRIFT_LEFT) == dial.events(kinds.DRIFT_RIGHT) == 1


def test_a_tile_with_a_memory_is_a_dial_of_its_own(tmp_path: Path) -> None:
    def of(tile: str) -> ev.Started:
        begin = calibrated()
        dial = msgspec.structs.replace(begin.squares[0].dial, tile=tile)  # type: ignore[type-var]
        square = msgspec.structs.replace(begin.squares[0], dial=dial)
        return msgspec.structs.replace(begin, squares=(square, *begin.squares[1:]))

    store = new_store(tmp_path / "centre.db", ORIGIN)
    clock = Clock()
    path = write(tmp_path / "journal.db", [claimed(), turned("T01", 2, "ANN"), END], begin=of("0042"), clock=clock)
    write(path, [claimed(), turned("T01", 3, "ANN"), END], begin=of("0043"), clock=clock, first=2)
    hand_over(store, path)
    learn(store)
    dials = facts_of(store).dials
    assert {name: (each.square, each.tile, each.faces) for name, each in dials.items() if each.tile} == {
        "T01/0042": ("T01", "0042", [0, 1, 0, 0, 0, 0]),
        "T01/0043": ("T01", "0043", [0, 0, 1, 0, 0, 0]),
    }
    store.close()


def test_a_power_cut_and_a_restart_in_a_game_are_counted_apart(tmp_path: Path) -> None:
    resumed = ev.Resumed(version="1")
    clock = Clock()
    path = write(
        tmp_path / "journal.db",
        [resumed, "boot 2", resumed, resumed, END],
        ["boot 3", claimed(), END],
        clock=clock,
    )
    facts = facts_from(path)
    assert (facts.cut_count, facts.restarts, facts.boots, facts.clock) == (2, 2, 3, "ntp")
    assert facts.cuts == [1_778_940_003, 1_778_940_007]
    assert facts.wall_s == 1_778_940_000 + clock.tick


def test_a_date_that_nothing_had_set_is_no_time_of_a_cut(tmp_path: Path) -> None:
    clock = Clock()
    clock.source = "none"
    facts = facts_from(write(tmp_path / "journal.db", ["boot 2", claimed(), END], clock=clock))
    assert (facts.cuts, facts.clock) == ([0], "none")


def test_a_running_game_gives_the_same_facts_whatever_its_dials_hold_and_do(tmp_path: Path) -> None:
    found = []
    for name, begin, clicks in (("a", started(table_with(Trap.CAGE)), 2), ("b", started(table_with(None)), 5)):
        path = write(tmp_path / f"{name}.db", [claimed(), turned("T01", clicks, "ANN")], begin=begin)
        found.append(facts_from(path))
    assert packed_facts(found[0]) == packed_facts(found[1])
    assert (found[0].dials, found[0].turns, list(found[0].open)) == ({}, 1, ["g1"])


def games_of(clicks: Sequence[int]) -> list[list[Event]]:
    return [[CHECKED, claimed(), turned("T01", each, "ANN"), END] for each in clicks]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[RawRow]:
    path = write(tmp_path_factory.mktemp("record") / "journal.db", *games_of([1, 2, 3, 4]), [CHECKED])
    return [(seq, *entry, None) for seq, entry in enumerate(entries_of(path), 1)]


@settings(max_examples=30)
@given(cuts=some.sets(some.integers(1, 21)))
def test_facts_do_not_depend_on_the_pieces(rows: list[RawRow], cuts: set[int]) -> None:
    def part(first: int, last: int) -> list[RawRow]:
        return rows[first - 1 : last]

    whole, pieces = RecordFacts(), RecordFacts()
    learnt(whole, 1, len(rows), part)
    first = 1
    for last in [*sorted(cuts), len(rows)]:
        if first <= last:
            learnt(pieces, first, last, part)
            kept = unpacked_facts(packed_facts(pieces))
            assert kept is not None
            first, pieces = last + 1, kept
    assert (pieces, whole.ended, whole.entries) == (whole, 4, len(rows))


def test_a_deleted_game_drops_out(tmp_path: Path) -> None:
    path = write(tmp_path / "journal.db", *games_of([1, 2, 2]))
    store = new_store(tmp_path / "centre.db", ORIGIN)
    hand_over(store, path)
    learn(store)
    assert facts_of(store).dials["T01"].faces == [1, 2, 0, 0, 0, 0]
    archive.delete(path, "g2")
    hand_over(store, path)
    record = store.record(ORIGIN)
    assert record is not None
    assert store.facts(record.number).data == b"", "at once, before anything is learnt again"
    learn(store, 2)
    facts = facts_of(store)
    assert (facts.dials["T01"].faces, facts.ended, facts.begun) == ([1, 1, 0, 0, 0, 0], 2, 2)
    store.close()


def test_a_deletion_while_a_piece_is_learnt_is_not_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "journal.db", *games_of([1, 2]))
    store = new_store(tmp_path / "centre.db", ORIGIN)
    hand_over(store, path)

    def deleted_meanwhile(facts: RecordFacts, first: int, last: int, rows: learning_module.Rows) -> None:
        learnt(facts, first, last, rows)
        if first == 1 and facts.ended == 2 and "g2" in path.read_text("latin-1"):
            archive.delete(path, "g2")
            hand_over(store, path)

    monkeypatch.setattr(learning_module, "learnt", deleted_meanwhile)
    learn(store)
    assert facts_of(store).dials["T01"].faces == [1, 0, 0, 0, 0, 0]
    store.close()


def test_facts_of_another_version_are_learnt_once_more(tmp_path: Path) -> None:
    path = write(tmp_path / "journal.db", *games_of([1, 2]))
    store = new_store(tmp_path / "centre.db", ORIGIN)
    hand_over(store, path)
    learn(store)
    record = store.record(ORIGIN)
    assert record is not None
    right = facts_of(store)
    for data in (b"\x00older", b"\x01\xc1"):
        kept = store.facts(record.number)
        assert store.keep_facts(record.number, kept, kept.upto, data)
        learn(store)
        assert (store.facts(record.number).data == data) == (data[0] == 1), "one that is damaged waits for new entries"
    store.keep_facts(record.number, store.facts(record.number), 0, b"")
    learn(store)
    assert facts_of(store) == right
    store.close()


def test_a_game_with_a_broken_promise_is_told_and_not_counted(tmp_path: Path, rows: list[RawRow]) -> None:
    facts = RecordFacts()
    seq, public, sealed, leaf, _ = rows[2]
    assert isinstance(sealed, bytes)
    changed = [*rows]
    changed[2] = (seq, public, sealed[:-1] + bytes([sealed[-1] ^ 1]), leaf, None)
    learnt(facts, 1, 10, lambda first, last: changed[first - 1 : last])
    wrong = WrongGame(game="g1", entry=3, seen="has a sealed half that the game's own key does not open")
    assert (facts.wrong, facts.wrong_count, facts.ended) == ([wrong], 1, 1)
    assert facts.dials["T01"].faces == [0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("gone", [range(5), range(3, 5)])
def test_a_game_that_is_deleted_while_it_is_read_is_left_out(rows: list[RawRow], gone: range) -> None:
    asked = []

    def part(first: int, last: int) -> list[RawRow]:
        asked.append((first, last))
        now = [(row[0], None, None, row[3], None) if at in gone else row for at, row in enumerate(rows)]
        return (now if len(asked) == 2 else rows)[first - 1 : last]

    facts = RecordFacts()
    learnt(facts, 1, 10, part)
    assert asked == [(1, 10), (1, 5), (6, 10)]
    assert (facts.ended, facts.wrong_count, facts.dials["T01"].faces) == (1, 0, [0, 1, 0, 0, 0, 0])


def test_a_game_that_is_too_long_is_counted_and_not_opened(rows: list[RawRow], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning_module, "LONGEST_GAME", 4)
    facts = RecordFacts()
    learnt(facts, 1, len(rows), lambda first, last: rows[first - 1 : last])
    assert (facts.too_long, facts.ended, facts.dials) == (4, 0, {})


def test_the_newest_games_push_the_oldest_out_of_the_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "WINDOW", 2)
    away = ev.SetupChecked(stands={"T01": 1})
    facts = facts_from(write(tmp_path / "journal.db", [away, END], *[[CHECKED, END]] * 3, [away, END]))
    dial = facts.dials["T01"]
    assert (dial.events(kinds.START), dial.trials(kinds.START), dial.starts[:2]) == (1, 3, [3, 2])


def test_more_dials_than_a_table_has_push_out_the_one_not_seen_for_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "MOST_DIALS", 1)
    facts = facts_from(write(tmp_path / "journal.db", [END]))
    assert list(facts.dials) == ["T02"]


def test_a_histogram_says_below_what_most_of_it_lies() -> None:
    assert [typical([0, 0, 3, 1], part) for part in (0.5, 0.75, 0.99)] == [4, 4, 8]
    assert typical([0] * 16, 0.5) == 0


def test_a_record_that_cannot_be_learnt_keeps_no_other_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "journal.db", *games_of([1]))
    other = write(tmp_path / "other.db", *games_of([2]))
    store = new_store(tmp_path / "centre.db", ORIGIN)
    store.add_code(b"2", "Table 2", "", 10_000)
    store.enrol(b"2", OTHER, 1)
    hand_over(store, path)
    hand_over(store, other, OTHER)

    def bad(facts: RecordFacts, first: int, last: int, rows: learning_module.Rows) -> None:
        if not said:
            raise KeyError("bug")
        learnt(facts, first, last, rows)

    said: list[str] = []
    monkeypatch.setattr(learning_module, "learnt", bad)
    learner = FactsLearner(store, says=said.append)
    while learner.step():
        pass
    assert said == [
        "Nothing is learnt from record 1 after entry 0 before the centre starts again: KeyError: 'bug'. Report this as "
        "a bug."
    ]
    assert (store.facts(1).upto, facts_of(store, OTHER).ended) == (0, 1)
    store.close()
