"""The public lines of all languages are those of the public's own report."""

from __future__ import annotations

import random

import pytest

from pi_app.report.lines import report
from pi_app.report.moment import NO_GAME
from pi_app.report.public_lines import PublicLines
from pi_app.report.visibility import PUBLIC
from pi_app.text.language import words as words_of
from pi_app.text.languages import LANGUAGES
from tests.pi_app.pages import games
from tests.scripts import script_of


@pytest.mark.parametrize("seed", range(5))
def test_they_are_the_lines_of_a_report_after_every_event(seed: int) -> None:
    """Also for a second game at the same table, with other names."""
    public = PublicLines(LANGUAGES)
    for number in (0, 1):
        draw = random.Random(f"lines {seed} {number}")
        first = games.opened(draw, script_of(seed), 3, 4, draw)
        for moment in games.moments(first, draw, 12):
            for language in LANGUAGES:
                expected = report(moment.game, PUBLIC, words_of(language)).lines
                found = public.lines(moment.game, language)
                assert (list(found), dict(found)) == (list(expected), dict(expected))


def test_without_a_game_there_are_none() -> None:
    assert dict(PublicLines(["en"]).lines(NO_GAME.game, "en")) == {}
