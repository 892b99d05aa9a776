"""The lines typed in the page's example are answered as it shows."""

from __future__ import annotations

from tests.docs.pages import blocks
from tests.pi_app.told import Told, eight_squares


def test_the_examples_lines_are_answered_so() -> None:
    (shown,) = (block for block in blocks("wiring_docs/words_in_full.md", "text") if block.startswith("> enter"))
    told = Told(eight_squares())
    told.say("hero ann Aria dodge")
    answers: list[str] = []
    for line in shown.splitlines():
        if line.startswith("> "):
            answers = told.say(line.removeprefix("> "))
            if told.moment.game.claim_on("T03") is not None:
                answers += told.turn("T03")
        else:
            assert line in answers
            answers = answers[answers.index(line) + 1 :]
