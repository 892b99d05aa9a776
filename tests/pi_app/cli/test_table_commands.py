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
from pi_app.simulated.demo import Demo
from pi_app.simulated.script import script
from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import one_of


@pytest.fixture(autouse=True)
def kept_here(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for what a demo without a file keeps."""
    folder = tmp_path_factory.mktemp("kept")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


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
    lines = done.stdout.partition("\n\n")[0].splitlines()
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
    lines = [line.translate({0xA0: " ", 0x202F: " "}).split("| ") for line in done.stdout.splitlines() if "| " in line]
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
        streams.append({f: (tmp_path / str(n) / f"{f}.jsonl").read_text() for f in ("public", "referee", "log")})
    for stream in streams:
        lines = stream["public"].splitlines()
        assert "Take a photo of its head" in lines[-1], "the head of a record is another for each"
        stream["public"] = "\n".join(lines[:-1])
    assert streams[0] == streams[1]


def unfinished(journal: Path) -> None:
    """Leave a game in a journal that has not ended."""
    with Demo(load(example_path("2x2")), journal) as demo:
        while not demo.loop.ready:
            demo.step()
        demo.play(script(7, demo.public_state(), 1))


@pytest.mark.slow
def test_a_demo_is_resumed_ends_its_game_and_is_replayed(tmp_path: Path) -> None:
    journal = tmp_path / "j.db"
    unfinished(journal)
    resumed = trapdial("demo", "--auto", "--exposes", "1", "--size", "2x2", "--journal", journal, "--resume")
    assert resumed.exit_code == 0
    done = trapdial("replay", journal, "--json")
    (game,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (game["ended"], game["same_reports"], game["findings"]) == (True, True, 0)
    assert "exposed by" in trapdial("replay", journal, "--lines").stdout


def test_an_automatic_demo_tells_its_story_and_its_record_can_be_audited(tmp_path: Path) -> None:
    journal = tmp_path / "j.db"
    done = trapdial("demo", "--auto", "--seed", "7", "--exposes", "2", "--plain", "--journal", journal)
    _, story, record, head = done.stdout.split("\n\n")
    assert story.splitlines() == [
        "The game is over, so its secrets are open now:",
        "  T04 was Noxious Acid Pool: Cal knew it at 0:05.",
        "  T05 was clear: Cal knew it at 0:17.",
        "  Not exposed: T01, T02, T03, T06, T07 and T08.",
    ]
    assert record.splitlines() == [
        "The record of the game:",
        f"    {journal}",
        "Check how every dial was turned:",
        f"    trapdial audit {journal}",
    ]
    *told, compare, command = head.splitlines()
    assert told[:2] == [
        "The record's head, in letters and as a QR code. Take a photo: it",
        "shows later whether the record was changed.",
    ]
    letters = " ".join(told[2:])
    assert all(len(f"SIMULATED {line}") <= 80 for line in told)
    assert compare == "To compare, type the letters of the photo into head.txt:"
    assert command == f"    trapdial journal verify {journal} --witness head.txt"
    assert trapdial("audit", journal).exit_code == 0
    assert trapdial("journal", "verify", journal, "--witness", letters).exit_code == 0


def test_a_demo_without_a_file_keeps_the_record_where_it_says(kept_here: Path) -> None:
    done = trapdial("demo", "--auto", "--exposes", "1", "--size", "2x2")
    said = done.stdout.splitlines()
    kept = Path(said[said.index("The record of the game:") + 1].strip())
    assert "It lies in a temporary folder. Copy it if you want to keep it." in said
    assert (kept.parent.parent, kept.is_file()) == (kept_here, True)
    assert trapdial("audit", kept).exit_code == 0


def test_a_demo_that_ends_no_game_leaves_nothing_behind(kept_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.simulated.demo.Demo.end", lambda demo: None)
    done = trapdial("demo", "--auto", "--exposes", "1", "--size", "2x2")
    assert (done.exit_code, "secrets" in done.stdout, list(kept_here.iterdir())) == (0, False, [])


def test_one_sentence_for_many_squares_and_viewers_is_one_line() -> None:
    rows = trapdial("demo", "--auto", "--seed", "7", "--exposes", "1", "--plain").stdout.splitlines()
    assert rows[1:3] == [
        "all        | T01, T02, T03, T04, T05, T06, T07, T08: concealed.",
        "public, referee | Rules: as the English sheet says (en); 'rules' lists them.",
    ]


@pytest.mark.usefixtures("simulated_pi")
def test_play_tells_the_story_after_the_end_and_not_before(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    unfinished(journal)
    words: list[str | Path] = ["play", "--settings", example(tmp_path), "--resume"]
    untold = trapdial(*words, typed="status\nquit\n")
    assert "knew it" not in untold.stdout
    assert "secrets" not in untold.stdout
    done = trapdial(*words, typed="end\nquit\n")
    before, _, after = done.stdout.partition("\nThe game is over, so its secrets are open now:\n")
    assert "knew it" not in before
    story, record, head = after.split("\n\n")
    assert re.fullmatch(r"  T0\d was [^:]+: \w+ knew it at \d+:\d\d\.\n  Not exposed: T0\d\.", story)
    assert record.splitlines() == [
        "The record of the game:",
        f"    {journal}",
        "Check how every dial was turned:",
        f"    trapdial audit {journal}",
    ]
    assert head.startswith("The record's head")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["demo", "--language", "dr"],
            f"--language dr: there is no such language; there is {one_of(LANGUAGES)}",
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
    unfinished(journal)
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
