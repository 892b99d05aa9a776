"""Typed lines and their answers."""

from __future__ import annotations

from pathlib import Path

from tests.pi_app.playing import table


def test_words_that_cannot_be_carried_out_are_answered(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.say("dance")
        assert at.heard("referee")[-1] == "There is no command 'dance'; 'help' lists all."
        at.say("help")
        assert any(line.startswith("quit: ") for line in at.heard("referee"))
        at.say("status")
        assert at.heard("referee")[-2:] == ["T02: concealed.", "Each dial is sampled 100 times a second now."]
        at.say("check")
        assert at.heard("referee")[-1] == "Every dial is at its start mark."


def test_quit_ends_the_loop(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        assert at.demo.loop.running
        at.say("quit")
        assert not at.demo.loop.running
