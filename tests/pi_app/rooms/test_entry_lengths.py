"""The longest entry of each kind in a game of rooms."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from pi_app.journal.record import entry as rec
from pi_app.rooms import entry_lengths
from pi_app.rooms import events as ev
from pi_app.rooms.demo import RoomDemo
from pi_app.rooms.report import NOTHING, ROOMS, advance
from pi_app.rooms.settings import parse
from tests.pi_app.journal.record.forging import opened, rows
from tests.pi_app.rooms.fights import WHOLE_GAME, with_tokens

PLAN = ev.RoomPlan(pair=50, arrow=-1)


def begun(rooms: int, letter: str = "R") -> ev.Started:
    return ev.Started(
        version="1",
        table_name="T" * 40,
        simulated=True,
        ruleset=ev.Ruleset(),
        players=(ev.PlayerSetup(seat="A" * 12, name="語" * 20), ev.PlayerSetup(seat="B" * 12, name="😀" * 15)),
        squares=tuple(ev.RoomSetup(label=f"{letter}{number:05}", table=PLAN) for number in range(rooms)),
        characters=(ev.CharacterSetup(kind="C" * 12, speed=20, value=20),),
        objects=(ev.ObjectSetup(name="O" * 12),),
    )


def test_every_kind_of_event_has_a_longest_entry_and_fits() -> None:
    """A new event fails here until `lengths` bounds each of its fields."""
    kinds = {str(event.__struct_config__.tag) for event in get_args(ev.AnyEvent)}
    lengths = entry_lengths.lengths(begun(100))
    assert lengths.keys() | {rec.STARTED} == kinds
    assert rec.sealed_for(lengths) == 640


@pytest.mark.parametrize("rooms", [2, 16, 100])
def test_the_first_entry_has_room(rooms: int) -> None:
    assert entry_lengths.room(begun(rooms)) % 1024 == 0
    assert advance(NOTHING, begun(rooms)).game.rooms.keys() == {room.label for room in begun(rooms).squares}
    assert ROOMS.room(begun(rooms)) == entry_lengths.room(begun(rooms))


@pytest.mark.slow
def test_no_entry_of_a_whole_game_is_longer_than_its_kind_can_be(tmp_path: Path) -> None:
    with RoomDemo(parse(with_tokens(), "rooms.toml"), tmp_path / "rooms.db", lambda line: None, seed=3) as demo:
        for line in WHOLE_GAME:
            demo.enter(line)
    lengths: dict[str, int] = {}
    for seq, *_ in rows(tmp_path / "rooms.db"):
        part, hidden = opened(tmp_path / "rooms.db", seq)
        if part.kind == rec.STARTED:
            start = msgspec.json.decode(hidden.event, type=ev.Started)
            lengths = {**entry_lengths.lengths(start), rec.STARTED: entry_lengths.room(start)}
        assert rec.sealed_text_bytes(hidden) <= lengths[part.kind], part.kind
    assert len(lengths) > 20
