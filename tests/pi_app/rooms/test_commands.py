"""The commands at a table of rooms: their events, and their refusals in whole sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.rooms import events as ev
from pi_app.rooms.commands import goes_first, parse
from pi_app.rooms.game import apply
from pi_app.rooms.refusals import RoomsRefusedError
from pi_app.rooms.state import Game
from pi_app.text.language import words
from tests.pi_app.rooms.games import begun, cards, played

ON = played(begun(), *cards(("ann", 2)), ev.Revealed(seat="ann", square="R1", stands=0))


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("card BEN 3", ev.CardPlayed(seat="ben", points=3)),
        ("reveal r2", ev.Revealed(seat="ann", square="R2", stands=3)),
        ("gear ann R1", ev.Geared(seat="ann", square="R1")),
        ("gear ann R2 remote mekanork", ev.Geared(seat="ann", square="R2", remote=True, mekanork=True)),
        ("jump", ev.Spent(seat="ann", use="jump")),
        ("lies r1 Left", ev.SetRight(square="R1", q=3)),
        ("end turn", ev.TurnEnded(seat="ann")),
        ("end game", ev.Ended()),
    ],
)
def test_commands_are_events(line: str, event: ev.AnyEvent) -> None:
    """`gear` implies an unwounded character (D-ROT-11)."""
    assert parse(line, ON, {"R2": 3}) == event


@pytest.mark.parametrize(
    ("line", "game", "sentence"),
    [
        ("cart ann 2", ON, "There is no command 'cart'; did you mean 'card'?"),
        ("dance", ON, "There is no command 'dance'; 'help' lists all."),
        ("card ann 6", ON, "Usage: card PLAYER 2|3|4|5"),
        ("card eve 2", ON, "There is no player 'eve'; there is 'ann' or 'ben'."),
        ("reveal R9", ON, "There is no room 'r9'; there is 'R1' or 'R2'."),
        ("reveal R1", ON, "R1 is already face up (D-REV-6)."),
        ("gear ann R2", ON, "R2 is face down: no character stands on its gear (D-AUD-2)."),
        ("gear ann R1 remote", ON, "The room that would turn is not revealed (D-ROT-12, from another source)."),
        ("lies R2 top", ON, "R2 is face down and has no orientation yet (D-REV-6)."),
        ("lies R1 north", ON, "Usage: lies ROOM top|right|bottom|left, lies CHARACTER well|wounded"),
        ("move", begun(), "No turn is on. Begin one: card PLAYER 2|3|4|5"),
        ("move", apply(ON, ev.Ended()), "The game is over."),
    ],
)
def test_refused_commands(line: str, game: Game, sentence: str) -> None:
    with pytest.raises(RoomsRefusedError) as refused:
        parse(line, game, {})
    assert str(refused.value) == sentence


def test_a_refusal_in_another_language() -> None:
    with pytest.raises(RoomsRefusedError) as refused:
        parse("card eve 2", ON, {})
    assert refused.value.reason(words("de")) == "Hier spielt niemand namens „eve“ mit; es gibt „ann“ oder „ben“."


@pytest.mark.parametrize(
    ("line", "at_once"),
    [
        ("reveal R2", True),
        ("play ann", True),
        ("gear ann R1", False),
        ("move", False),
        ("end turn", False),
        ("lies R1 top", False),
    ],
)
def test_a_command_that_gives_a_turn_its_purpose_does_not_wait_for_it(line: str, at_once: bool) -> None:
    assert goes_first(line, ON) is at_once, "R1 is being put back"
    assert goes_first("gear ann R1", apply(ON, ev.Spent(seat="ann", use="move")))


def test_refused_commands_change_nothing_and_are_not_recorded(tmp_path: Path) -> None:
    from tests.pi_app.rooms.tables import table

    with table(tmp_path) as at:
        before = at.demo.table.moment
        assert at.says("move") == ["No turn is on. Begin one: card PLAYER 2|3|4|5"]
        assert at.demo.table.moment is before
