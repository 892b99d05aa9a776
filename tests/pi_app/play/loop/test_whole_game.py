"""Whole games, recorded: a change of one sentence shows as a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.audit.files import audit_file
from tests.pi_app.play.loop.whole_game import BEGINNING, GAMES, RECORDED, recorded

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_reads_as_it_was_recorded(name: str, tmp_path: Path) -> None:
    assert recorded(name, tmp_path) == (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
    (game,) = audit_file(tmp_path / "journal.db").games
    assert game.findings == ()


def test_twenty_words_are_enough_for_a_whole_game() -> None:
    verbs = {step.split()[0] for step in BEGINNING if isinstance(step, str)} | {"keep", "put"}
    assert len(verbs) <= 20
