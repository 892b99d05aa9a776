"""`trapdial play --simulated` for scripts: it ends with its input, in its own time, and answers in JSON."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.cli.simulated_play import SimulatedPlay
from pi_app.cli.table_output import TextLines
from pi_app.cli.typed_lines import has_input
from pi_app.play.loop import Loop
from pi_app.settings.load import example_path, load

EXPOSES = ("sim tap ann", "sim turn t01 3", "sim hold Ann 2")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    return tmp_path


def trapdial(*words: str, typed: tuple[str, ...] = ()) -> Result:
    return CliRunner().invoke(main, list(words), input="".join(f"{line}\n" for line in typed), prog_name="trapdial")


def play(*typed: str, words: tuple[str, ...] = ()) -> list[str]:
    """The lines of a fast table whose input has these lines and no `quit`."""
    done = trapdial("play", "--simulated", "--fast", *words, typed=typed)
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def answers(*typed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in play(*typed, words=("--json", "--new"))]


# ---------------------------------------------------------------------------------------- the end of the input


def test_play_ends_with_its_input_and_the_record_is_closed() -> None:
    play(*EXPOSES, "end")
    verified = trapdial("journal", "verify", "journal_simulated.db")
    assert (verified.exit_code, "WHOLE" in verified.stdout) == (0, True)


def test_a_game_that_was_not_ended_is_kept() -> None:
    play(*EXPOSES)
    assert trapdial("journal", "verify", "journal_simulated.db").exit_code == 3
    lines = play("sim hold ann", "end", words=("--resume",))
    assert any("screen: T01: The Cage" in line for line in lines)


@pytest.mark.parametrize("last", ["sim tap ann", "sim press ann", "roll ben"])
def test_everything_settles_first_and_the_screens_are_dark(last: str) -> None:
    screens: dict[str, str] = {}
    for answer in answers("sim tap ann", "sim turn t01 2", last):
        if "screen" in answer:
            screens[answer["viewers"][0]] = answer["screen"]
    assert screens
    assert set(screens.values()) == {"dark"}


def test_an_empty_input_is_a_game_that_nobody_plays() -> None:
    assert play()[-1].endswith("Rules: as the English sheet says (en); 'rules' lists them.")


def test_in_real_time_play_ends_with_its_input_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.cli.simulated_play.WallClock", lambda: None)
    done = trapdial("play", "--simulated", typed=("status",))
    assert done.exit_code == 0
    assert "SIMULATED typed    | status" in done.stdout.splitlines()


def test_the_null_device_is_no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(writing)
    with open(os.devnull) as null, os.fdopen(reading) as pipe:
        for stream, is_one in ((null, False), (pipe, True), (None, False)):
            monkeypatch.setattr("sys.stdin", stream)
            assert has_input() is is_one


# -------------------------------------------------------------------------------------------------- fast time


class StillLoop:
    """A loop that counts its steps."""

    def __init__(self) -> None:
        self.ready, self.running, self.settled, self.steps = True, True, True, 0

    def step(self) -> None:
        self.steps += 1

    def say(self, line: str) -> None:
        self.running = False

    def stop(self) -> None:
        raise AssertionError("the line ends it")


def test_fast_time_stands_still_while_nothing_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    twins = SimulatedPlay(load(example_path("2x2")), TextLines(print), fast=True)
    table = twins.parts(None)
    assert table.clock.pace is None
    loop = StillLoop()
    hands = twins.hands(cast("Loop", loop))
    waits = iter((False, False, True))

    def wait(seconds: float) -> bool:
        assert loop.steps == 0
        if line_is_there := next(waits):
            hands("quit")
            table.clock.advance(10_000_000_000)
        return line_is_there

    monkeypatch.setattr(hands, "wait_for_line", wait)
    twins.run(cast("Loop", loop), hands)
    assert loop.steps == 1
    table.close()


def test_the_same_script_takes_the_same_time() -> None:
    timed = [[answer.get("at_ns") for answer in answers(*EXPOSES, "status")] for _ in range(2)]
    assert timed[0] == timed[1]


def test_a_line_waits_until_the_one_before_has_settled() -> None:
    told = answers("sim tap ann", "sim turn t01 3", "hero ann Aria", "status")
    begun = {answer["typed"]: answer["at_ns"] for answer in told if "typed" in answer}
    turned = next(answer["at_ns"] for answer in told if answer.get("line") == "Ann turns the dial of T01.")
    assert begun["sim turn t01 3"] < turned < begun["hero ann Aria"] < begun["status"] - 400_000_000


def test_a_fast_table_opens_no_port(here: Path) -> None:
    with (here / "trapdial.toml").open("a") as file:
        file.write('\n[pages]\naddress = "10.255.255.254"\n')
    assert any("The game is on" in line for line in play())


@pytest.mark.parametrize("option", ["--fast", "--json"])
def test_only_a_simulated_table_is_fast_or_answers_in_json(option: str) -> None:
    done = trapdial("play", option)
    assert done.exit_code == 2
    assert f"Error: {option} needs --simulated." in done.output


# ------------------------------------------------------------------------------------------------------- JSON


def test_every_line_is_an_object_that_says_whose_it_is() -> None:
    told = answers(*EXPOSES, "\x07", "end")
    assert all(answer["simulated"] is True for answer in told)
    assert all(("typed" in answer) != ("viewers" in answer) for answer in told)
    assert all(("line" in answer) != ("screen" in answer) for answer in told if "viewers" in answer)
    assert {viewer for answer in told for viewer in answer.get("viewers", ())} == {
        "everyone", "public", "referee", "hands", "seat ANN",
    }  # fmt: skip
    assert [answer["typed"] for answer in told if "typed" in answer] == [*EXPOSES, "end"]
    assert [answer["viewers"] for answer in told if "The Cage, click 3" in answer.get("screen", "")] == [["seat ANN"]]


def test_nothing_but_anns_own_lines_depends_on_her_trap(here: Path) -> None:
    """The same script over other trap tables, until the game is over (S-6)."""
    text = (here / "trapdial.toml").read_text()

    def others(first: str) -> list[dict[str, Any]]:
        other = {"SAMPLE-A": "SAMPLE-B", "SAMPLE-B": "SAMPLE-A"}[first]
        both = text.replace("sample:SAMPLE-A", "sample:x").replace("sample:SAMPLE-B", f"sample:{other}")
        (here / "trapdial.toml").write_text(both.replace("sample:x", f"sample:{first}"))
        told = answers(*EXPOSES, "sim screen ben", "status")
        seen.append([answer["screen"] for answer in told if "screen" in answer])
        return [answer for answer in told if answer.get("viewers") != ["seat ANN"]]

    seen: list[list[str]] = []
    assert others("SAMPLE-A") == others("SAMPLE-B")
    assert seen[0] != seen[1]


# ---------------------------------------------------------------------------------------------- a hand's words


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("turn T01 3", "Hands are simulated here: type `sim turn T01 3`."),
        ("  Tap   ann ", "Hands are simulated here: type `sim Tap ann`."),
        ("hold ANN", "Hands are simulated here: type `sim hold ANN`."),
    ],
)
def test_a_hands_word_without_sim_is_shown_with_it(typed: str, told: str) -> None:
    lines = play(typed)
    assert lines[-1] == f"SIMULATED hands    | {told}"


def test_help_is_the_tables_own_and_an_unknown_word_gets_one_short_line() -> None:
    lines = play("help", "dance")
    assert any("claim SEAT" in line for line in lines)
    assert lines[-1] == "SIMULATED referee  | There is no command 'dance'; 'help' lists all."
