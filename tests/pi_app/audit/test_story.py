"""The story of a game: told after its end, and never before."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.audit.story import story
from pi_app.game import events as ev
from pi_app.game.events import AnyEvent
from pi_app.journal import Journal, Stamp
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.games import exposes, started

EN = words("en")
GAME = "20260104-030405-abcd"
SECONDS = 1_000_000_000


def recorded(folder: Path, *events: AnyEvent) -> Path:
    """A journal with these events, five seconds after each other."""
    path, times = folder / "journal.db", iter(range(0, 10**6, 5))

    def stamp() -> Stamp:
        return Stamp("boot", next(times) * SECONDS, "2026-01-04T03:04:05+00:00", "none")

    with Journal(path, MAGE_KNIGHT, stamp) as to:
        moment = NO_GAME
        for event in events:
            moment = to.append(GAME, moment, event)
    return path


PLAYED = (
    started(),
    *exposes("T01", 3, "ANN"),
    ev.Exposed(seat="BEN", square="T01", grade="table"),
    *exposes("T02", 2, "BEN"),
)


def test_it_tells_which_trap_lay_where_and_who_knew_it_since_when(tmp_path: Path) -> None:
    told = story(recorded(tmp_path, *PLAYED, ev.Ended()), GAME, EN)
    assert told[:2] == (
        "T01 was The Cage: Ann knew it at 0:15; Ben learned it at 0:20.",
        "T02 was clear: Ben knew it at 0:35.",
    )
    assert all(line.startswith("Not exposed: ") for line in told[2:])


def test_players_who_learn_it_at_one_moment_stand_together(tmp_path: Path) -> None:
    trigger = ev.Triggered(seat="BEN", square="T01", cause="entered")
    first, *_ = story(recorded(tmp_path, started(), *exposes("T01", 3, "ANN"), trigger, ev.Ended()), GAME, EN)
    assert first.startswith("T01 was ")
    assert "; Ben and Cal learned it at 0:20." in first or "; Ben learned it at 0:20." in first


def test_a_game_that_has_not_ended_has_no_story_even_where_its_key_is(tmp_path: Path) -> None:
    assert story(recorded(tmp_path, *PLAYED), GAME, EN) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_told_in_every_language(tmp_path: Path, language: str) -> None:
    told = story(recorded(tmp_path, *PLAYED, ev.Ended()), GAME, words(language))
    assert len(told) >= 2
    assert all("{" not in line for line in told)
    assert language == "en" or not any(word in " ".join(told) for word in ("knew", "learned", "was"))
