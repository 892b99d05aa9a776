"""`trapdial station play`: the whole command on twins, with hands that are typed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.settings.load import example_path

VISIT = ("sim tap p1", "sim hold P1 1", "sim tap P1", "sim turn t01 3", "sim hold P1 2")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings, and time that does not wait for the wall clock."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pi_app.cli.simulated_play.WallClock", lambda: None)
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    return tmp_path


def play(*typed: str, words: tuple[str, ...] = ()) -> Result:
    lines = "".join(f"{line}\n" for line in (*typed, "quit"))
    return CliRunner().invoke(main, ["station", "play", "--simulated", *words], input=lines, prog_name="trapdial")


def test_a_visit_comes_from_a_pipe_and_the_next_start_ends_its_game() -> None:
    done = play(*VISIT)
    assert done.exit_code == 0, done.output
    said = [line for line in done.stdout.splitlines() if not line.startswith("SIMULATED")]
    assert said == [
        "The station is ready.",
        "attract  | Come and play: tap any button.",
        "joining  | Choose your language: tap. Begin: hold.",
        "Visit 1 begins.",
        "guided   | Tap your button once.",
        "guided   | The table rolls for you: so many clicks.",
        "guided   | When it rests, hold your button: look.",
        "guided   | This is what the others saw: nothing.",
    ]
    assert "trapdial.toml has no [station]: the station runs with what stands for it." in done.stderr
    again = play()
    assert again.stdout.splitlines()[1].startswith("The last visit was interrupted: its game ")
    assert "interrupted" not in play().stdout


def test_a_seat_is_typed_as_the_display_calls_it() -> None:
    done = play("sim tap P1", "sim hold P2 1", "sim tap ANN")
    hands = [line.partition("| ")[2] for line in done.stdout.splitlines() if line.startswith("SIMULATED hands")]
    assert hands == ["P1 taps.", "P2 holds for 1 seconds.", "There is no seat 'ANN'; there is 'P1' or 'P2'."]
    assert "SIMULATED seat P2  | screen: Tap your button once." in done.stdout.splitlines()
    assert not [
        line for line in done.stdout.splitlines() if "ANN" in line and "sim tap ANN" not in line and "'ANN'" not in line
    ]


def test_the_settings_say_which_languages_there_are(here: Path) -> None:
    with (here / "trapdial.toml").open("a") as file:
        file.write('\n[station]\nlanguages = ["de"]\n')
    done = play("sim wait 2")
    assert "attract  | Komm und spiel: Tipp auf einen Knopf." in done.stdout.splitlines()
    assert "no [station]" not in done.stderr


def test_the_station_of_the_examples_plays(here: Path) -> None:
    text = example_path("station").read_text()
    pages = text[text.index("# --- phones can take seats") : text.index("# --- how it is built")]
    (here / "trapdial.toml").write_text(text.replace(pages, ""))  # no test opens a port that others may have
    done = play("sim tap p1", "sim hold p1 1", "sim tap p1", "sim turn t01 3", "sim hold p1 2")
    assert done.exit_code == 0, done.output
    assert "Visit 1 begins." in done.stdout.splitlines()
    assert "guided   | This is what the others saw: nothing." in done.stdout.splitlines()
    assert [line for line in done.stderr.splitlines() if "SAMPLE" not in line] == []


def test_without_its_wires_it_says_which_one_is_missing() -> None:
    done = CliRunner().invoke(main, ["station", "play"], prog_name="trapdial")
    assert done.exit_code != 0
    assert "Traceback" not in done.output
