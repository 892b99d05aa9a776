"""One convention over all commands: names of options, groups, guesses, old spellings, letters in any case."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import COMMANDS, GROUPS, OLD_COMMANDS, main
from pi_app.game.trap_table_file import sample_path
from pi_app.settings.load import example_path, load
from pi_app.simulated.build import simulated_table
from tests.click_tree import ALL

BESIDE_THE_OUTPUT = {"calibrate": {"--plot"}, "demo": {"--streams"}, "journal keys": {"--move-to"}}
"""What a command writes beside its -o, or in a game, and where it moves keys."""

TO_READ = {
    "--authority",
    "--feed",
    "--board-file",
    "--calibration",
    "--folder",
    "--journal",
    "--keys",
    "--pool",
    "--program",
    "--root",
    "--tables",
}
"""Options that name a file or folder that a command works on."""


def options(path: str) -> list[click.Option]:
    return [each for each in ALL[path].params if isinstance(each, click.Option) and not each.hidden]


def run(*words: str | Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], input=typed, prog_name="trapdial")


@pytest.mark.parametrize("path", ALL)
def test_every_command_explains_itself(path: str) -> None:
    short = run(*path.split(), "-h")
    assert (short.exit_code, short.output) == (0, run(*path.split(), "--help").output)
    words = ALL[path].help
    assert words is not None
    assert re.match(r"[A-Z][^\0]*?\.(\n\n|\s*\Z)", words), path
    for option in options(path):
        told = option.help
        assert told is None or (re.match(r"[A-Z]", told) and told.endswith(".")), (path, option.opts)
        assert told or isinstance(option.type, click.Choice) or option.opts == ["--version"], (path, option.opts)


@pytest.mark.parametrize("path", ALL)
def test_an_option_has_one_name_everywhere(path: str) -> None:
    for option in options(path):
        names = set(option.opts)
        if option.name == "settings_file" or "--settings" in names or "-s" in names:
            assert (option.name, names) == ("settings_file", {"-s", "--settings"}), path
        if "--output" in names or "-o" in names:
            assert names == {"-o", "--output"}, path
        elif isinstance(option.type, click.Path) and option.name != "settings_file":
            assert names <= TO_READ | BESIDE_THE_OUTPUT.get(path, set()), (path, names)
        if "--json" in names:
            assert option.is_flag or (option.flag_value, option.metavar) == ("-", ""), path
    shown = [each.name for each in ALL[path].params if isinstance(each, click.Argument)]
    assert "settings_file" not in shown, f"{path}: the settings are -s, not an argument"


def test_every_command_is_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS)
    assert list(GROUPS) == ["Play", "Build", "Audit", "Develop"]


def test_the_help_shows_the_groups_with_their_headings() -> None:
    told = run("--help").stdout
    for heading, names in GROUPS.items():
        (section,) = re.findall(rf"^{heading}:\n((?:  .*\n)+)", told, re.MULTILINE)
        assert re.findall(r"^  (\S+) ", section, re.MULTILINE) == list(names)
    assert not any(name in told for name in OLD_COMMANDS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["doctr"], "No such command 'doctr'. Did you mean doctor?"),
        (["Play"], "No such command 'Play'. Did you mean play?"),
        (["dance"], "No such command 'dance'. `trapdial --help` lists the commands."),
        (["journal", "verfy"], "No such command 'verfy'. Did you mean verify?"),
        (["bench", "x"], "No such command 'x'. `trapdial bench --help` lists the commands."),
    ],
)
def test_a_mistyped_command_gets_a_guess(words: list[str], said: str) -> None:
    done = run(*words)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, f"Error: {said}")


def test_a_mistyped_option_gets_a_guess() -> None:
    assert "--settings" in run("play", "--setings", "x").stderr.splitlines()[-1]


# ---------------------------------------------------------------------------------------------- old spellings


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(example_path("2x2"), tmp_path / "mine.toml")
    return tmp_path


OLD = "The old spelling goes on working."


@pytest.mark.parametrize(
    ("old", "now", "said"),
    [
        (
            ["settings", "check", "mine.toml"],
            ["settings", "check", "-s", "mine.toml"],
            "name the settings with -s: trapdial settings check -s mine.toml.",
        ),
        (
            ["wiring", "mine.toml", "--check"],
            ["wiring", "-s", "mine.toml", "--check"],
            "name the settings with -s: trapdial wiring -s mine.toml.",
        ),
        (
            ["doctor", "-s", "mine.toml", "--simulated", "--seconds", "0.1", "--json", "--draw", "a.svg"],
            ["doctor", "-s", "mine.toml", "--simulated", "--seconds", "0.1", "--json", "-o", "a.svg"],
            "--draw is now -o: -o a.svg.",
        ),
    ],
)
@pytest.mark.usefixtures("here")
def test_an_old_spelling_does_the_same_with_a_notice(old: list[str], now: list[str], said: str) -> None:
    then, today = (CliRunner().invoke(main, words, prog_name="trapdial") for words in (old, now))
    steady = re.compile(r"\d+(\.\d+)? times a second|[\d.]+ ms")
    assert (then.exit_code, steady.sub("", then.stdout)) == (today.exit_code, steady.sub("", today.stdout))
    assert then.stderr.splitlines()[0] == f"note: {said} {OLD}"
    assert f"note: {said}" not in today.stderr


@pytest.mark.usefixtures("here")
def test_settings_given_twice_are_refused() -> None:
    done = run("settings", "check", "-s", "mine.toml", "mine.toml")
    assert done.exit_code == 2
    assert "-s and 'mine.toml' both name the settings; give one of them." in done.stderr
    done = run("doctor", "-s", "mine.toml", "--draw", "a.svg", "-o", "b.svg")
    assert "-o and --draw both name the output; give one of them." in done.stderr


def test_a_bench_prints_json_or_writes_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from pi_app.workshop import bench as benches
    from pi_app.workshop.bench import Bench, Figure, memory

    made = Bench("memory", benches.machine(), (Figure("the most", 1.0, "MB", 2.0),))
    monkeypatch.setattr(memory, "run", lambda minutes: made)
    printed = run("bench", "memory", "--json")
    assert json.loads(printed.stdout)["bench"] == "memory"
    for words, notices in (("-o", 0), ("--json", 1), ("--output", 0)):
        file = tmp_path / f"{words}.json"
        done = run("bench", "memory", words, file)
        assert file.read_text(encoding="utf-8") == printed.stdout
        assert "trapdial bench memory" in done.stdout
        assert done.stderr.count(f"note: --json {file} is now -o {file}. {OLD}") == notices
    assert json.loads(run("bench", "memory", "--json", "-").stdout) == json.loads(printed.stdout)


@pytest.mark.usefixtures("here")
def test_new_game_is_play_new(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load(Path("mine.toml"))
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: simulated_table(settings))
    assert run("play", "-s", "mine.toml", typed="status\nquit\n").exit_code == 0
    old = run("new-game", "-s", "mine.toml", typed="status\nquit\n")
    assert old.exit_code == 0
    assert f"note: `trapdial new-game` is now `trapdial play --new`. {OLD}" in old.stderr
    assert run("replay", "journal.db").stdout.count("\n") == 2


# ---------------------------------------------------------------------------------------- files that are others


def test_no_settings_name_the_command_that_writes_some(tmp_path: Path) -> None:
    assert run("play", "-s", tmp_path / "none.toml").stderr == (
        f"{tmp_path}/none.toml: there is no such file; check the name and the folder, or write a file to start from "
        "with: trapdial settings new\n"
    )
    assert run("rooms", "play", "-s", tmp_path / "none.toml").stderr == (
        f"{tmp_path}/none.toml: there is no such file; check the name and the folder, or write a file to start from "
        "with: trapdial rooms example > rooms.toml\n"
    )


def test_a_trap_table_is_not_taken_for_settings_nor_settings_for_a_trap_table() -> None:
    table, settings = sample_path("SAMPLE-A"), example_path("2x2")
    assert run("play", "-s", table).stderr == (
        f"{table}: this is a trap table, not a table's settings; check it with `trapdial tables check`\n"
    )
    assert run("tables", "check", settings).stdout.splitlines()[0] == (
        f"error: {settings}: these are a table's settings, not a trap table; check them with "
        "`trapdial settings check -s`"
    )
    rooms = example_path("2x2").with_name("rooms-8.toml")
    assert run("settings", "check", "-s", rooms).stdout.splitlines()[0] == (
        f"error: {rooms}: these are the settings of rotating rooms; play them with `trapdial rooms play -s`"
    )


def test_settings_check_has_json(here: Path) -> None:
    text = (here / "mine.toml").read_text(encoding="utf-8")
    (here / "mine.toml").write_text(text.replace("rest_ms", "rest_sm"), encoding="utf-8")
    done = run("settings", "check", "-s", "mine.toml", "--json")
    facts = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 2
    assert {"file": "mine.toml", "severity": "error", "place": "[table]", "seen": ""}.items() <= facts[0].items()
    assert facts[0]["reason"] == "there is no key 'rest_sm'; did you mean 'rest_ms'?"


def test_a_journal_that_is_gone_names_its_keys_and_what_to_do(here: Path) -> None:
    assert run("demo", "--auto", "--exposes", "1", "--size", "2x2", "--journal", "journal.db").exit_code == 0
    for file in here.glob("journal.db*"):
        if file.is_file():
            file.unlink()
    said = run("demo", "--auto", "--exposes", "1", "--size", "2x2", "--journal", "journal.db")
    assert said.exit_code == 2
    assert re.fullmatch(
        r"journal.db \(file\) is gone, and journal.db.keys says that this device has written \d+ entries into it. Put "
        r"the file back from a copy. To begin a new record instead, move journal.db.keys to another place and keep it, "
        r"or play into another file with --journal.\n",
        said.stderr,
    )
    assert run("replay", "journal.db").stderr == (
        "journal.db (file) is gone, and its keys are still in journal.db.keys. Put the file back from a copy; the keys "
        "alone hold no game.\n"
    )
    assert not (here / "journal.db").exists()


# --------------------------------------------------------------------------------------------- letters in any case


def test_seats_and_squares_are_typed_in_any_case(here: Path) -> None:
    assert run("demo", "--auto", "--exposes", "1", "--size", "2x2", "--journal", "j.db").exit_code == 0
    with_capitals = run("replay", "j.db", "--as", "PUBLIC")
    assert (with_capitals.exit_code, with_capitals.stdout) == (0, run("replay", "j.db", "--as", "public").stdout)
    screen = run("replay", "j.db", "--as", "ANN")
    assert (screen.exit_code, screen.stdout) == (0, run("replay", "j.db", "--as", "ann").stdout)
    doctor = ["doctor", "-s", "mine.toml", "--simulated", "--seconds", "0.1"]
    assert "1 failing" in run(*doctor, "--fault", "t02=unplugged").stdout
    auto = ["calibrate", "-s", "mine.toml", "--simulated", "--auto", "--square", "t02", "-o", "c.toml"]
    assert "1 of 1 dials learnt; c.toml knows 1." in run(*auto).stdout
    faulty = run("demo", "--auto", "--exposes", "1", "--size", "2x2", "--fault", "unplugged@t02@1-3")
    assert "dial T02 (simulated" in faulty.stdout


def test_every_list_of_findings_or_parts_has_json(here: Path) -> None:
    with_json = {path for path in ALL for option in options(path) if "--json" in option.opts}
    assert with_json >= {
        *("settings check", "tables check", "wiring", "doctor", "hub list", "hub diag"),
        *("journal head", "journal verify", "audit", "replay", "rooms audit", "decode", "place check"),
        *(path for path in ALL if path.startswith("bench ")),
    }
    assert run("demo", "--auto", "--exposes", "1", "--size", "2x2", "--journal", "j.db").exit_code == 0
    (head,) = run("journal", "head", "j.db", "--json").stdout.splitlines()
    facts = json.loads(head)
    assert set(facts) == {"file", "entries", "device", "head"}
    assert facts["head"] in run("journal", "head", "j.db", "--no-qr").stdout
    assert run("rooms", "demo", "--auto", "--journal", "r.db").exit_code == 0
    plain, told = run("rooms", "audit", "r.db"), run("rooms", "audit", "r.db", "--json")
    assert plain.exit_code == told.exit_code == 1
    (game,) = [json.loads(line) for line in told.stdout.splitlines()]
    assert [*game["taken_back"], *game["findings"]] == plain.stdout.splitlines()[1:]
    (nothing,) = [json.loads(line) for line in run("hub", "list", "--json", "--port", "none").stdout.splitlines()]
    assert set(nothing) == {"sign", "part", "place", "seen", "try"}


def test_a_sealed_table_is_looked_for_in_the_settings_journal(here: Path) -> None:
    assert run("tables", "show", "sample:SAMPLE-A").exit_code == 0
    refused = run("tables", "show", "sample:SAMPLE-A", "-s", "none.toml")
    assert (refused.exit_code, refused.stderr.partition(",")[0]) == (
        2,
        "none.toml: there is no such file; check the name and the folder",
    )
    assert (
        run("play", "--simulated", "-s", "mine.toml", "--journal", "journal.db", typed="status\nquit\n").exit_code == 0
    )
    sealed = run("tables", "show", "sample:SAMPLE-A", "-s", "mine.toml")
    assert sealed.exit_code == 2
    assert "in it has not ended, and a trap table would reveal its secrets." in sealed.stderr
