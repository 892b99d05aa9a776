"""When a game is over its tokens are open: what lay where, who drew what, and that nothing was lost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.audit.files import audit_file
from pi_app.audit.forms import to_csv, to_json
from pi_app.audit.looking_back import seen
from pi_app.audit.page import page
from pi_app.audit.values import GameAudit
from pi_app.cli.main import main
from pi_app.game import artifacts as art
from pi_app.game import events as ev
from tests.pi_app.audit.scenes import treasures
from tests.pi_app.playing import Played


def draws(at: Played) -> None:
    for line in ("artifact STATUE ann", "keep ann", "activate ann", "artifact STATUE ann", "refresh ann"):
        at.say(line)
    at.say("put ann")
    at.say("artifact STATUE ben")


@pytest.fixture
def over(tmp_path: Path) -> tuple[Path, GameAudit]:
    with treasures(tmp_path) as at:
        draws(at)
        at.say("end")
        at.run(0.3)
    (game,) = audit_file(tmp_path / "journal.db").games
    return tmp_path / "journal.db", game


def test_the_deal_and_every_draw_are_shown(over: tuple[Path, GameAudit]) -> None:
    path, game = over
    assert game.dealt == {"STATUE": ("yellow Stumble", "yellow Stumble")}
    assert [(draw.name, draw.token, draw.known_to, draw.went) for draw in game.draws] == [
        ("Ann", "yellow Stumble", "its player", "back"),
        ("Ann", "yellow Stumble", "its player", "back"),
        ("Ben", "yellow Stumble", "its player", "nowhere, in hand at the end"),
    ]
    first = game.draws[0]
    assert first.words == (
        f"Ann (ANN) drew a yellow Stumble at STATUE in entry {first.entry} (0:00), for this player alone."
    )
    said = CliRunner().invoke(main, ["audit", str(path)]).output
    assert f"{first.words[:-1]}; it went back." in " ".join(said.split())
    screen = seen(path, "ANN", first.entry).screen
    assert screen is not None
    assert "Stumble" in str(getattr(screen.picture, "lines", ""))


def test_a_running_game_shows_no_token(tmp_path: Path) -> None:
    with treasures(tmp_path) as at:
        draws(at)
        file = audit_file(at.journal)
        for form in (to_json([file]), to_csv([file]), page([file])):
            assert "Stumble" not in form
        (game,) = file.games
        assert (game.dealt, game.draws) == ({}, ())


@pytest.mark.slow
def test_every_form_has_them(over: tuple[Path, GameAudit]) -> None:
    file = audit_file(over[0])
    assert sum("drawn," in line and "a yellow Stumble" in line for line in to_csv([file]).splitlines()) == 3
    assert to_json([file]).count('"went":') == 3
    written = page([file])
    assert "What lay under the artifacts" in written
    assert written.count("yellow Stumble") == 5


def test_nothing_is_lost_at_the_end(tmp_path: Path) -> None:
    with treasures(tmp_path) as at:
        draws(at)
        at.say("end")
        now = at.demo.loop.moment.game.artifacts
        assert now is not None
        lying = [token for colours in now.lies.values() for tokens in colours.values() for token in tokens]
        everywhere = Counter([*now.piles["yellow"], *lying, *(token for _, token in now.hands.values())])
        assert everywhere == {0: 3}
        (begin,) = [event for event in at.events() if isinstance(event, ev.Started)]
        assert begin.artifacts is not None
        assert art.begun(begin.artifacts).piles == {"yellow": (0,), "blue": (), "red": ()}
