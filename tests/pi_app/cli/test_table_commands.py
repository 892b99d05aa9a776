"""`trapdial play`, `demo` and `replay` as a person calls them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hardware.sims.faults import FAULTS
from pi_app.cli.main import main
from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.simulated.build import simulated_table


def trapdial(*words: str | Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], input=typed)


@pytest.fixture
def simulated_pi(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Pi whose chips are twins, for `play` to run on."""
    settings: Settings = load(example_path("2x2"))
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: simulated_table(settings))


def example(folder: Path) -> Path:
    """A copy of the small example, as an owner has it."""
    file = folder / "trapdial.toml"
    file.write_text(example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")
    return file


def test_demo_plays_by_itself_and_puts_the_viewer_in_front(tmp_path: Path) -> None:
    words: list[str | Path] = ["demo", "--auto", "--seed", "7", "--exposes", "3", "--plain", "--size", "2x2"]
    done = trapdial(*words, "--journal", tmp_path / "j.db", "--streams", tmp_path / "s")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    everyone = ["seat ANN", "seat BEN", "public", "referee", "log"]
    told = [(viewers, line) for row in lines for viewers, _, line in [row.partition("| ")]]
    read = [(everyone if who.strip() == "all" else who.strip().split(", "), line) for who, line in told]
    assert all(set(who) <= set(everyone) for who, _ in read)
    public = [json.loads(row)["line"] for row in (tmp_path / "s" / "public.jsonl").read_text().splitlines()]
    shown = [line for who, line in read if "public" in who]
    assert [line for line in shown if "concealed" not in line] == [line for line in public if "concealed" not in line]
    assert sum("exposed by" in line for line in shown) == 3


def test_four_seats_play_in_four_languages_at_one_table(tmp_path: Path) -> None:
    small = tmp_path / "four.toml"
    text = example_path("8x4").read_text(encoding="utf-8")
    small.write_text(re.sub(r"^\[square\.T0[3-8]\]\n(?:\w.*\n)+", "", text, flags=re.MULTILINE), encoding="utf-8")
    words: list[str | Path] = ["demo", "--auto", "--seed", "7", "--exposes", "1", "--plain", "--settings", small]
    done = trapdial(*words, *(word for spoken in ("de", "es", "fr", "it") for word in ("--language", spoken)))
    assert (done.exit_code, done.stderr) == (0, "")
    lines = [line.translate({0xA0: " ", 0x202F: " "}).split("| ") for line in done.stdout.splitlines()]
    found = [(viewers, line) for viewers, line in lines if re.search("aufged|revel|découv|svel", line)]
    told = {viewer.strip(): line for viewers, line in found for viewer in viewers.split(", ")}
    assert {viewer: re.sub(r"T0\d|\w+\.$", "", line) for viewer, line in told.items()} == {
        **dict.fromkeys(("seat ANN", "public", "referee", "log"), ": aufgedeckt von "),
        "seat BEN": ": revelada por ",
        "seat CAL": " : découverte par ",
        "seat DEE": ": svelata da ",
    }


def test_a_demo_with_faults_says_what_is_wrong_and_that_it_is_over() -> None:
    words: list[str | Path] = ["demo", "--auto", "--exposes", "2", "--size", "2x2"]
    done = trapdial(*words, "--fault", "unplugged@T02@1-3", "--fault", "spike=300@T01@2")
    assert done.exit_code == 0, done.output
    seen = "dial T02 (simulated /dev/i2c-1 mux 0x70 channel 1, chip 0x36) gave no answer (errno 121)."
    assert f"referee    | {seen} Check its plug, then its power, then SDA and SCL." in done.output
    assert done.output.count(seen) == 1


def test_the_faults_are_listed() -> None:
    lines = trapdial("demo", "--faults").output.splitlines()
    assert [line.split()[0] for line in lines] == list(FAULTS)
    assert "unplugged          lasts  the tile's lead is pulled: it does not acknowledge" in lines
    assert "false-zero         once   one sample is 0 for no reason" in lines
    assert "spike              once   one sample is off (=569: counts of 4096; 569 are 50 degrees)" in lines


def test_demo_without_a_terminal_plays_by_itself() -> None:
    done = trapdial("demo", "--exposes", "1", "--size", "2x2")
    assert done.exit_code == 0
    assert "exposed by" in done.stdout


@pytest.mark.slow
def test_the_same_seed_plays_the_same_whatever_the_tables_say(tmp_path: Path) -> None:
    samples = Path(example_path("2x2")).parents[2] / "game" / "samples"
    streams = []
    for n, tables in enumerate((["SAMPLE-A.toml"], ["SAMPLE-B.toml", "SAMPLE-12.toml"])):
        words: list[str | Path] = ["demo", "--auto", "--seed", "3", "--exposes", "4", "--size", "2x2"]
        words += ["--streams", tmp_path / str(n)]
        assert trapdial(*words, "--tables", *(samples / table for table in tables)).exit_code == 0
        streams.append({f: (tmp_path / str(n) / f"{f}.jsonl").read_bytes() for f in ("public", "referee", "log")})
    assert streams[0] == streams[1]


def test_a_demo_is_resumed_and_replayed(tmp_path: Path) -> None:
    journal = tmp_path / "j.db"
    first: list[str | Path] = ["demo", "--auto", "--exposes", "1", "--size", "2x2", "--journal", journal]
    assert trapdial(*first).exit_code == 0
    assert trapdial(*first, "--resume").exit_code == 0
    done = trapdial("replay", journal, "--json")
    (game,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (game["ended"], game["same_reports"], game["findings"]) == (False, True, 0)
    assert "exposed by" in trapdial("replay", journal, "--lines").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["demo", "--language", "dr"],
            "--language dr: there is no such language; there is 'en', 'de', 'es', 'fr' or 'it'",
        ),
        (["demo", "--resume"], "--resume needs --journal: the file of the game to resume."),
        (["demo", "--size", "2x2", "--settings", "x"], "--settings and --size both name the table; give one of them."),
        (
            ["demo", "--size", "2x2", "--fault", "leads-swapped=4@T01"],
            "the fault 'leads-swapped' needs a second tile on the mux. `trapdial demo --faults` lists all faults.",
        ),
        (["demo", "stray"], "what is 'stray'? Trap tables are given with --tables FILE..."),
        (["demo", "--tables", "none.toml"], "none.toml: there is no such file; check the name and the folder"),
        (
            ["play", "--settings", "none.toml"],
            "none.toml: there is no such file; check the name and the folder, or write a file to start from with: "
            "trapdial settings example 2x2 > trapdial.toml",
        ),
        (["replay", "none.db"], "none.db (file) does not exist. Check the name."),
    ],
)
def test_wrong_words_and_files_are_one_message_and_exit_code_2(words: list[str], said: str) -> None:
    done = trapdial(*words)
    assert (done.exit_code, done.stderr.splitlines()[-1].removeprefix("Error: ")) == (2, said)
    assert "Traceback" not in done.output


def test_play_without_a_bus_says_what_to_do_and_exits_with_1(tmp_path: Path) -> None:
    done = trapdial("play", "--settings", example(tmp_path))
    assert done.exit_code == 1
    dials, screens = done.stderr.splitlines()[-2:]
    assert dials.startswith("bus dials (/dev/i2c-1): is not there. Switch I2C on")
    assert screens.startswith("bus screens (/dev/i2c-6): is not there. Switch this bus on with its own dtoverlay")
    assert not (tmp_path / "journal.db").exists()


@pytest.mark.usefixtures("simulated_pi")
def test_play_takes_words_and_shows_what_everyone_may_read(tmp_path: Path) -> None:
    done = trapdial("play", "--settings", example(tmp_path), typed="status\nclaim ann\nquit\n")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert "public, referee | T01, T02: concealed." in lines
    assert lines[-1] == "public, referee | Ann is about to turn a dial."
    assert not any(line.startswith(("seat", "log")) for line in lines)
    assert (tmp_path / "journal.db").exists()


@pytest.mark.usefixtures("simulated_pi")
def test_play_does_not_forget_an_unfinished_game(tmp_path: Path) -> None:
    settings = example(tmp_path)
    journal = tmp_path / "journal.db"
    assert trapdial("demo", "--auto", "--exposes", "1", "--size", "2x2", "--journal", journal).exit_code == 0
    refused = trapdial("play", "--settings", settings)
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1] == (
        f"{journal} (file): it holds a game that was not ended. "
        "Say --resume to go on with it, or --new to begin another."
    )
    assert trapdial("play", "--settings", settings, "--resume", typed="quit\n").exit_code == 0


def test_help_lists_every_command_and_works_for_each() -> None:
    top = trapdial("--help").stdout
    for name in ("play", "demo", "replay", "decode", "tables", "settings", "doctor", "calibrate", "record", "bench"):
        assert name in top
        assert trapdial(name, "--help").exit_code == 0


def test_an_unknown_command_is_refused() -> None:
    assert trapdial("dance").exit_code == 2
