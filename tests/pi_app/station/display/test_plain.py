"""The display as lines: each change once, and what a pipe may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.station.display.plain import run, text_of
from pi_app.station.public.feed import RETRY_NS, SILENT_NS, FeedReader, PublicFeed
from pi_app.station.public.scene import scene
from pi_app.text.printed import shown
from tests.station.states import SHOWN, state


def test_a_game_is_told_in_the_language_of_the_visit() -> None:
    assert text_of(scene(state("free"))) == (
        "The game is on [SIMULATED]",
        "Tap. Turn. Hold. Only you see what you found.",
        "T01: exposed by P1",
        "T02: concealed",
        "T03: triggered",
        "T04: disarmed by P3 (quick attempt)",
        "Play along with your phone. Same Wi-Fi as this table",
        "http://10.77.0.1/",
    )


def test_the_guide_the_warning_and_the_flags_are_lines_too() -> None:
    assert text_of(scene(state("guided")))[0] == "Step 3 of 5: Turn one dial by that many clicks. [SIMULATED]"
    assert text_of(scene(state("warning")))[0] == "Still there? This ends in 9 s. [SIMULATED]"
    assert "> Deutsch: Tippen: andere Sprache. Halten: los." in text_of(scene(state("joining", "de")))
    assert "  English: Tap: next language. Hold: begin." in text_of(scene(state("joining", "de")))


@pytest.mark.parametrize("name", SHOWN)
def test_no_line_holds_what_could_act_on_a_terminal(name: str) -> None:
    assert all(shown(line) == line for line in text_of(scene(state(name, "fr"))))


def test_each_change_is_written_once_and_so_is_a_table_that_goes_and_comes_back(tmp_path: Path) -> None:
    reader, said, now_ns, rounds = FeedReader(tmp_path / "s"), list[str](), [0], [0]
    feeds: list[PublicFeed] = []

    def wait(_: float) -> bool:
        rounds[0] += 1
        now_ns[0] += RETRY_NS
        match rounds[0]:
            case 7:
                feeds.append(PublicFeed(tmp_path / "s"))
            case 9 | 10:
                feeds[0].show(state("closed", languages=("en",)), now_ns[0])
        return rounds[0] == 12

    run(reader, lambda: now_ns[0], said.append, wait)
    gone = "The table does not answer. This display waits, and comes back on its own."
    assert SILENT_NS == 5 * RETRY_NS
    assert said == [gone, f"{tmp_path}/s: no station has opened it", "", "Closed [SIMULATED]", ""]
    reader.close()
    feeds[0].close()
