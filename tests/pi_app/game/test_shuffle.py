"""Shuffled trap tables: all deals equally likely, marks in place, and no trace of the deal in any output."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pi_app.audit.files import audit_file
from pi_app.audit.replay import replay
from pi_app.cli.main import main
from pi_app.game import trap_table_file as tables
from pi_app.game.events import Started
from pi_app.game.shuffle import dealt, permuted
from pi_app.game.state import Game
from pi_app.game.trap_table import TrapTable
from pi_app.journal import read, verify
from pi_app.journal.record.entry import commitment, keeps, new_salt
from pi_app.journal.record.verdict import RecordState
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import NewGame, RefusedError
from pi_app.play.first_event import started
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.pictures import ShowFace
from pi_app.text.language import words
from tests.pi_app.playing import settings, table
from tests.twin_games import EXAMPLE, differing, play, random_table
from wiring_docs.journal_verifier import judge_file

SAMPLE = tables.load_sample("SAMPLE-12")


def three() -> list[TrapTable]:
    return [random_table(random.Random(n), f"table {n}") for n in range(3)]


def contents(table: TrapTable) -> Counter[object]:
    return Counter((face.kind, face.trap, face.disarm, face.xp) for face in table.faces)


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_a_deal_loses_nothing_and_moves_no_mark(draw: random.Random) -> None:
    before = [*three(), SAMPLE, msgspec.structs.replace(SAMPLE, name="other", clicks=13)]
    after = dealt(before, draw.randrange)
    assert sorted(table.name for table in after) == sorted(table.name for table in before)
    by_name = {table.name: table for table in before}
    for place, table_now in zip(before, after, strict=True):
        source = by_name[table_now.name]
        assert contents(table_now) == contents(source)
        assert (table_now.clicks, [face.position for face in table_now.faces]) == (
            place.clicks,
            [face.position for face in source.faces],
        )
        for face, was, old in zip(table_now.faces, place.faces, source.faces, strict=True):
            assert (face.kind in ("start", "disarmed")) == (was.kind in ("start", "disarmed"))
            if face.position not in range(1, 7):
                assert face == old
            elif old.click_number is not None:
                assert face.click_number == old.click_number


def test_t_dial_10_a_mark_within_reach_stays_too() -> None:
    faces = list(SAMPLE.faces)
    faces[3] = msgspec.structs.replace(faces[11], position=3)
    odd = msgspec.structs.replace(SAMPLE, faces=tuple(faces))
    for seed in range(20):
        (after,) = dealt([odd], random.Random(seed).randrange)
        assert after.faces[3] == odd.faces[3]


def chi_squared(counts: Counter[object], kinds: int) -> float:
    each = counts.total() / kinds
    return sum((count - each) ** 2 / each for count in counts.values()) + (kinds - len(counts)) * each


@pytest.mark.slow
def test_every_assignment_is_as_likely_as_any_other() -> None:
    draw = random.Random(20030922)
    seen: Counter[object] = Counter(tuple(t.name for t in dealt(three(), draw.randrange)) for _ in range(1200))
    names = [table.name for table in three()]
    assert set(seen) == set(permutations(names))
    assert chi_squared(seen, 6) < 20.5  # 1 in 1000 at 5 degrees of freedom


def test_every_order_of_the_faces_is_as_likely_as_any_other() -> None:
    draw = random.Random(20030922)
    seen: Counter[object] = Counter(tuple(permuted(range(4), draw.randrange)) for _ in range(4800))
    assert len(seen) == 24
    assert chi_squared(seen, 24) < 49.7  # 1 in 1000 at 23 degrees of freedom
    faces = Counter(
        (place.position, face.trap)
        for _ in range(300)
        for place, face in zip(SAMPLE.faces, dealt([SAMPLE], draw.randrange)[0].faces, strict=True)
        if 1 <= place.position <= 6
    )
    reachable = {face.trap for face in SAMPLE.faces[1:7]}
    assert set(faces) == {(position, trap) for position in range(1, 7) for trap in reachable}


def test_s_9_a_shuffled_game_says_so_and_no_more() -> None:
    this, that = (
        msgspec.to_builtins(started(EXAMPLE, simulated=True, pick=random.Random(seed).randrange)) for seed in (1, 2)
    )
    assert this["squares"] != that["squares"]
    assert this["shuffled"]
    assert {key: value for key, value in this.items() if key != "squares"} == {
        key: value for key, value in that.items() if key != "squares"
    }
    assert not started(EXAMPLE, simulated=True).shuffled


@pytest.mark.slow
def test_s_6_nobody_else_can_tell_two_deals_apart(tmp_path: Path) -> None:
    """The same hands over two deals of the system's own randomness."""
    shuffled = replace(EXAMPLE, table=msgspec.structs.replace(EXAMPLE.table, shuffle=True))
    heard = []
    for name in ("this", "that"):
        (tmp_path / name).mkdir()
        heard.append(play(shuffled, tmp_path / name, 2, 2))
    assert differing(*heard) == []
    assert [opened(tmp_path / name / "journal.db")[0].shuffled for name in ("this", "that")] == [True, True]


def opened(path: Path) -> list[Started]:
    return [entry.event for entry in read(path, MAGE_KNIGHT) if isinstance(entry.event, Started)]


def test_the_table_may_shuffle_or_play_as_printed_and_the_record_holds(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        for word in ("new shuffle", "new printed", "new"):
            at.say("end")
            at.say(word)
        at.tap("ANN")
        at.turn("T01", 3)
        at.say("end")
    assert [event.shuffled for event in opened(at.journal)] == [False, True, False, False]
    assert CliRunner().invoke(main, ["journal", "verify", str(at.journal)]).exit_code == 0
    assert [square.table for square in opened(at.journal)[2].squares] == [
        square.table for square in settings().squares.values()
    ]
    assert len(replay(at.journal)) == 4


def test_a_shuffled_game_resumes_replays_and_is_audited(tmp_path: Path) -> None:
    """Broken off in the middle of a turn; the program that goes on with it knows the deal from the record alone."""
    dealt_anew = replace(settings(*three()), table=msgspec.structs.replace(settings().table, shuffle=True))
    with table(tmp_path, dealt_anew) as at:
        at.expose("ANN", "T01", 3)
        before = at.demo.loop.moment.game.squares
        at.tap("BEN")
        at.turn("T02", 5)
    with table(tmp_path, dealt_anew, resume=True) as at:
        at.run(0.5)
        assert {label: square.table for label, square in at.demo.loop.moment.game.squares.items()} == {
            label: square.table for label, square in before.items()
        }
        at.press("ANN")
        shown = at.pictures["ANN"]
        assert isinstance(shown, ShowFace)
        face = before["T01"].table.faces[3]
        assert (shown.trap, shown.xp) == (None if face.trap is None else face.trap.value, face.xp)
        at.let_go("ANN")
        at.say("end")
    (begin,) = opened(at.journal)
    assert {square.label: square.table for square in begin.squares} == {
        label: square.table for label, square in before.items()
    }
    (game,) = replay(at.journal)
    assert game.ended
    (audited,) = audit_file(at.journal).games
    assert {dial.square: dial.table for dial in audited.dials} == {
        label: square.table.name for label, square in before.items()
    }
    first, second = verify(at.journal), judge_file(at.journal)
    assert (first.state, first.damage) == (RecordState.WHOLE, None)
    assert (second.code, second.damaged) == (int(RecordState.WHOLE), None)


def test_a_deal_that_is_edited_breaks_its_promise(tmp_path: Path) -> None:
    """Who knew the tables beforehand could say that others had been dealt. The promise at the start forbids it."""
    begin = started(EXAMPLE, simulated=True, pick=random.Random(1).randrange)
    salt = new_salt()
    promised = commitment(salt, begin.squares[0].table)
    assert keeps(promised, salt, begin.squares[0].table)
    assert not keeps(promised, salt, EXAMPLE.squares["T01"].table)


@pytest.mark.parametrize(("line", "shuffle"), [("new", None), ("new shuffle", True), ("NEW Printed", False)])
def test_how_a_game_is_begun(line: str, shuffle: bool | None) -> None:
    assert parse(line, Game(), words("en")) == NewGame(shuffle)


def test_another_way_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"^Usage: new \[shuffle\|printed\]$"):
        parse("new deal", Game(), words("en"))
