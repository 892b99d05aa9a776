"""A game of rooms continues after a power cut at any entry: no shown line is lost."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pi_app import journal as jn
from pi_app.journal import Journal
from pi_app.journal.record.verdict import RecordState
from pi_app.rooms import events as ev
from pi_app.rooms.audit import audit
from pi_app.rooms.demo import RoomDemo
from pi_app.rooms.report import NOTHING, ROOMS, RoomsMoment, advance, lines_of
from pi_app.rooms.settings import parse
from pi_app.rooms.state import Game
from pi_app.simulated.build import simulated_table
from pi_app.text.errors import UserFileError
from pi_app.text.language import words
from tests.pi_app.rooms.tables import put_back, table, text

SETTINGS = parse(text(), "rooms.toml")
SCRIPT = (
    "card ann 2",
    "reveal R3",
    "gear ann R3",
    "turn R3 1",
    "end turn",
    "card ben 3",
    "jump",
    "gear ben R4 remote",
    "gear ben R3 mekanork",
    "turn R3 -1",
    "end game",
)
BY_WORD = ("card", "revealed", "geared", "spent", "turn ended", "ended")


class PowerCut(Exception):
    """The program is no more."""


def cut(patch: pytest.MonkeyPatch, at: int, on_disk: bool) -> None:
    """The power goes at the entry of this number: just before it is on disk, or just after, and before it is shown."""
    append, number = Journal.append, itertools.count()

    def cut_off(
        self: Journal[RoomsMoment, ev.AnyEvent], game_id: str, before: RoomsMoment, event: ev.AnyEvent
    ) -> RoomsMoment:
        now = next(number)
        if now == at and not on_disk:
            raise PowerCut
        after = append(self, game_id, before, event)
        if now == at:
            raise PowerCut
        return after

    patch.setattr(Journal, "append", cut_off)


def played(folder: Path, cut_at: int | None, on_disk: bool = False) -> tuple[Game, list[str], bool]:
    """The script, played with one cut: the game at its end, the lines before the cut, and whether a turn of a room
    was lost."""
    path, told = folder / "rooms.db", list[str]()
    twins = simulated_table(SETTINGS.wires, seed=3)
    line = 0
    with pytest.MonkeyPatch.context() as patch:
        if cut_at is not None:
            cut(patch, cut_at, on_disk)
        try:
            with RoomDemo(SETTINGS, path, told.append, twins=twins) as demo:
                while line < len(SCRIPT):
                    demo.enter(SCRIPT[line])
                    line += 1
                return demo.table.moment.game, told, False
        except PowerCut:
            twins.restart(power=True)
    by_hand = SCRIPT[line].startswith("turn")
    done = by_hand or said_words(path) == sum(not each.startswith("turn") for each in SCRIPT[: line + 1])
    if line + done == len(SCRIPT):
        return audit(path)[-1].moment.game, told, False
    with RoomDemo(SETTINGS, path, lambda line: None, resume=True, twins=twins) as demo:
        for each in SCRIPT[line + done :]:
            demo.enter(each)
        return demo.table.moment.game, told, by_hand and not on_disk


def said_words(path: Path) -> int:
    """How many words of the table are in the record."""
    return sum(entry.public.kind in BY_WORD for entry in jn.read(path, ROOMS)) if path.exists() else 0


def said_by(path: Path) -> set[str]:
    """Every sentence that the record stands for."""
    moment, lines = NOTHING, set[str]()
    for entry in jn.read(path, ROOMS):
        moment = advance(NOTHING if isinstance(entry.event, ev.Started) else moment, entry.event)
        lines |= set(lines_of(moment.game, words("en")).values())
    return lines


@cache
def whole() -> Game:
    with TemporaryDirectory() as folder:
        return played(Path(folder), None)[0]


def check(folder: Path, cut_at: int, on_disk: bool) -> None:
    game, told, lost = played(folder, cut_at, on_disk)
    assert game.ended
    assert [room.q for room in game.rooms.values()] == [room.q for room in whole().rooms.values()]
    assert game.players == whole().players
    assert [finding.rule for finding in game.findings] == (["D-AUD-4"] if lost else [])
    assert set(told) <= said_by(folder / "rooms.db")
    assert audit(folder / "rooms.db")[-1].moment.game == game
    assert jn.verify(folder / "rooms.db").state is RecordState.WHOLE


ENTRIES = 13


def test_the_script_is_as_long_as_it_is_cut(tmp_path: Path) -> None:
    played(tmp_path, None)
    assert len(list(jn.read(tmp_path / "rooms.db", ROOMS))) == ENTRIES


@pytest.mark.parametrize(("at", "on_disk"), [(5, False), (5, True)])
def test_a_cut_at_a_turn(tmp_path: Path, at: int, on_disk: bool) -> None:
    check(tmp_path, at, on_disk)


@pytest.mark.slow
@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("at", range(ENTRIES))
def test_a_cut_at_every_entry(tmp_path: Path, at: int, on_disk: bool) -> None:
    check(tmp_path, at, on_disk)


def test_a_room_that_was_turned_while_the_program_was_away_is_found(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "gear ann R3")
        twins = at.demo.twins
    twins.tiles["R1"].hand.flick(twins.clock.now_ns(), 1, 2.5)
    twins.tiles["R3"].hand.flick(twins.clock.now_ns(), 2, 2.5)
    twins.clock.sleep_until(twins.clock.now_ns() + 2_000_000_000)
    twins.restart(power=False)
    told: list[str] = []
    with RoomDemo(SETTINGS, at.path, told.append, resume=True, twins=twins) as demo:
        assert [(f.rule, f.room) for f in demo.table.moment.game.findings] == [
            ("D-AUD-4", "R1"), ("D-AUD-9", "R1"), ("D-AUD-4", "R3"),
        ]  # fmt: skip
        assert told[:2] == [
            "Four rooms. The game is on. SIMULATED: no real room was read.",
            "Ann plays 2 Actions; 1 left; may be turned: R3.",
        ]
        assert "R3: 180 degrees clockwise from where it was revealed." in told


def test_a_room_that_rests_between_two_positions_is_compared_when_it_sits(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "gear ann R3")
        twins = at.demo.twins
        at.nudge("R3")
        assert at.says("") == ["R3: rests between two positions. Push it until it sits."]
    twins.restart(power=True)
    with RoomDemo(SETTINGS, at.path, lambda line: None, resume=True, twins=twins) as demo:
        assert demo.table.moment.game.rooms["R3"].between
        put_back(demo, "R3")
        demo.enter("")
        room = demo.table.moment.game.rooms["R3"]
        assert (room.q, room.between, demo.table.moment.game.findings) == (0, False, ())


def test_another_tables_game_is_not_resumed(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2")
    other = parse(text().replace("[player.ben]", "[player.eve]"), "other.toml")
    with pytest.raises(UserFileError) as refused, RoomDemo(other, at.path, print, resume=True):
        pass
    assert refused.value.problems == (
        f"other.toml [player.eve]: the game has no such player; the game is in {at.path}. Use the settings that "
        "the game began with, or begin another with --new.",
        f"other.toml [player.ben]: it is missing, and the game has this player; the game is in {at.path}. Use "
        "the settings that the game began with, or begin another with --new.",
    )
    with table(tmp_path) as at:
        assert at.game.turn is None, "the journal was given back, and another game begins"
