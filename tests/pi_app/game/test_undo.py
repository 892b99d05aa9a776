"""Taking back the last word typed: both events stay, and no secret, dial or roll of the device is taken back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.game import events as ev
from pi_app.game.ruleset import Ruleset
from tests.pi_app.told import Told, eight_squares

NOTHING = (
    "REFUSED Nothing can be taken back: since the last word a dial was turned, the device rolled, "
    "or a player learned a secret."
)


def begun(**rules: object) -> Told:
    return Told(eight_squares("T01", rules=Ruleset(**rules)))  # type: ignore[arg-type]


def fire(at: Told) -> None:
    """Ann's Hero has set off the Fire Jets of T04."""
    at.say("enter T04 ann")
    at.turn("T04")


@pytest.mark.parametrize(
    ("before", "line", "told"),
    [
        ("", "hero ann Aria nimble", "hero ANN Aria nimble"),
        ("", "kill ann spawn by attack 12", "kill ANN 12"),
        ("", "xp ann correction -5", "xp ANN -5"),
        ("fire", "hits", "hits T04 ANN"),
        ("fire", "enter T04 ben flying stops", "enter T04 BEN flying stops"),
        ("fire", "disarm T04 ben quick 6 6", "disarm T04 BEN quick"),
        ("jaws", "jaws T05 harmed", "jaws T05 harmed"),
        ("", "enter T02 ben", "enter T02 BEN"),
        ("", "pass T02 ben 4", "pass T02 BEN"),
    ],
)
def test_the_game_is_as_it_was_and_everyone_reads_what_was_taken_back(before: str, line: str, told: str) -> None:
    at = begun(xp_on_trigger_25=True)
    if before == "fire":
        fire(at)
    elif before == "jaws":
        at.say("enter T05 cal")
        at.turn("T05")
    was = at.moment.game
    assert not (at.say(line) or [""])[0].startswith("REFUSED")
    assert at.say("undo") == []
    now = at.moment.game
    assert (now.squares, now.seats, now.heroes, now.claims, now.artifacts) == (
        was.squares,
        was.seats,
        was.heroes,
        was.claims,
        was.artifacts,
    )
    for viewer in ("public", "seat DEE", "log"):
        assert at.moment.report(viewer).lines["ruling"].endswith(f": Taken back: {told}.")
    assert at.say("undo") == [NOTHING]
    assert isinstance(at.events[-1], ev.Undone)
    assert ev.from_json(ev.to_json(at.events[-1])) == at.events[-1]


def test_a_mistyped_step_is_typed_again_as_it_was_meant() -> None:
    at = begun()
    at.say("enter T02 ben")
    at.say("undo")
    at.say("enter T04 ben")
    at.turn("T04")
    assert at.say("hits")[0] == "One click of damage (E-FIRE-1)."
    assert at.square("T02").readers == ()


@pytest.mark.parametrize("square", ["T01", "T04"])
@pytest.mark.parametrize("line", ["enter {} ben", "enter {} ann", "disarm {} ann quick 6 6 6", "expose {} ben"])
def test_no_word_is_taken_back_that_told_a_secret(line: str, square: str) -> None:
    """The same for a clear square and a trap: otherwise `undo` would tell which it is (S-6)."""
    at = begun()
    at.expose(square, "Ann")
    at.say(line.format(square))
    assert at.say("undo") == [NOTHING]


def test_no_word_is_taken_back_after_a_dial_was_turned() -> None:
    at = begun()
    at.say("enter T02 ben")
    at.turn("T02")
    assert at.say("undo") == [NOTHING]


def test_what_the_device_rolled_stands() -> None:
    at = begun()
    at.say("pass T02 ben roll", 5)
    assert at.say("undo") == [NOTHING]


def test_a_token_that_was_drawn_stays_drawn_and_a_finding_stays_found() -> None:
    at = begun()
    at.say("enter T02 ben speed 1 anyway")
    assert at.rules() == ["G-2"]
    at.say("undo")
    assert at.rules() == ["G-2"]


def test_a_lead_that_fails_after_the_word_goes_on_failing_after_undo() -> None:
    at = begun()
    at.say("enter T02 ben")
    at.apply(ev.DialLost(square="T03", trouble="unplugged"))
    at.say("undo")
    assert at.square("T03").lost
    assert at.moment.game.claims == ()


LINES = st.sampled_from(
    ["enter T01 ann", "enter T02 ben", "pass T03 cal 2", "hero dee Dora", "xp ann correction 3", "hits", "undo", "undo"]
)


@given(st.lists(LINES, max_size=12))
def test_after_undo_the_game_is_the_one_before_the_last_word(lines: list[str]) -> None:
    at = begun()
    games = [at.moment.game]
    for line in lines:
        offered = at.moment.game.undo
        at.say(line)
        if line == "undo" and offered is not None:
            assert at.moment.game.squares == offered.game.squares
            assert at.moment.game.seats == offered.game.seats
            assert at.moment.game.undo is None
        games.append(at.moment.game)
    assert [ev.from_json(ev.to_json(event)) for event in at.events] == at.events
