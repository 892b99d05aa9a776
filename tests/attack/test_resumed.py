"""The attacker, or a tired owner, resumes a game with what is not its own: settings of another table, a journal of
another game or of another device. Every mismatch is a sentence, and nothing is written: the game can still be resumed
with what it began with."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.game.artifacts import laid
from pi_app.game.trap_table_file import sample_path
from pi_app.journal import Journal
from pi_app.play.first_event import started
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.rooms.settings import example as rooms_example
from pi_app.settings.load import example_path, load
from pi_app.settings.owner_files import read as read_owner_files
from tests.pi_app.games import started as another_game

JOURNAL = "journal_simulated.db"
THEN = "; the game is in journal_simulated.db. Use the settings that the game began with, or begin another with --new."

Change = Callable[[str], str]


def run(words: str, typed: str = "quit\n") -> Result:
    return CliRunner().invoke(main, words.split(), input=typed, prog_name="trapdial")


def settings_text() -> str:
    """The example without its comments, with tables of its own, chests and artifacts."""
    text = re.sub(r"(?m)[ ]*#.*$", "", example_path("2x2").read_text(encoding="utf-8"))
    for name in ("red", "blue"):
        text = re.sub('table = "sample:.*"', f'table = "{name}.toml"', text, count=1)
    text = text.replace('chests = ""', 'chests = "sample:CHESTS"').replace('pool = ""', 'pool = "sample:ARTIFACTS"')
    assert 'draw = "public"' in text
    return text


def table_text(name: str) -> str:
    sample = "SAMPLE-A" if name == "red" else "SAMPLE-B"
    return sample_path(sample).read_text(encoding="utf-8").replace(f'"{sample}"', f'"{name}"')


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated game with every kind of owner's file that was left with `quit`."""
    folder = tmp_path_factory.mktemp("begun")
    (folder / "trapdial.toml").write_text(settings_text(), encoding="utf-8")
    for name in ("red", "blue"):
        (folder / f"{name}.toml").write_text(table_text(name), encoding="utf-8")
    settings = load(folder / "trapdial.toml")
    files = read_owner_files(settings)
    pick = random.Random(7).randrange
    for name, deals in ((JOURNAL, None), ("shuffled.db", pick)):
        with Journal(folder / name, MAGE_KNIGHT) as journal:
            first = started(settings, simulated=True, chests=files.chests, pick=deals)
            assert files.pool is not None
            first = replace(first, artifacts=laid(files.pool, settings.artifacts.draw, pick))
            journal.append("g1", NO_GAME, first)
    return folder


@pytest.fixture
def folder(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(begun, tmp_path / "table")
    monkeypatch.chdir(tmp_path / "table")
    monkeypatch.setattr("pi_app.cli.simulated_play.WallClock", lambda: None)
    return tmp_path / "table"


def rows(journal: str) -> int:
    return sum(jn.verify(Path(journal), log=log).size for log in jn.logs(Path(journal)))


# ----------------------------------------------------------------------------------------------- other settings


def sub(old: str, new: str, count: int = 0) -> Change:
    def change(text: str) -> str:
        assert re.search(old, text), old
        return re.sub(old, new, text, count=count)

    return change


def exchanged(text: str) -> str:
    """The two tables on each other's squares."""
    return text.replace('"red.toml"', "@").replace('"blue.toml"', '"red.toml"').replace("@", '"blue.toml"')


def without(section: str) -> Change:
    return sub(rf"(?ms)^\[{section}\].*?(?=^\[(?!{section})|\Z)", "")


SETTINGS: dict[str, tuple[Change, list[str]]] = {
    "a square added": (
        sub(
            r"(?ms)^(\[square\.T02\].*?)(channel = )1(.*?)(?=^\[)",
            r"\1\g<2>1\3[square.T03]\nbus = 'dials'\nmux = 0x70\nchannel = 5\ntable = 'red.toml'\n\n",
        ),
        ["trapdial.toml [square.T03]: the game has no such square"],
    ),
    "a square removed": (
        without(r"square\.T02"),
        ["trapdial.toml [square.T02]: it is missing, and the game has this square"],
    ),
    "a square renamed": (
        sub(r"square\.T02", "square.B02"),
        [
            "trapdial.toml [square.B02]: the game has no such square",
            "trapdial.toml [square.T02]: it is missing, and the game has this square",
        ],
    ),
    "the tables of two squares exchanged": (
        exchanged,
        ["trapdial.toml [square]: the trap tables are not those of the game"],
    ),
    "a table of the same clicks": (
        sub("blue.toml", "sample:SAMPLE-12"),
        ["trapdial.toml [square]: the trap tables are not those of the game"],
    ),
    "an encoder that counts steps": (
        sub(r'(?s)(\[square\.T02\].*?)chip = "as5600"', r'\1chip = "seesaw"'),
        ["trapdial.toml [square.T02] chip: its dial counts steps, and in the game it has an absolute angle"],
    ),
    "a seat removed": (
        without(r"seat\.BEN(\.screen)?"),
        ["trapdial.toml [seat.BEN]: it is missing, and the game has this seat"],
    ),
    "a seat with another key": (
        sub(r"seat\.BEN", "seat.EVE"),
        [
            "trapdial.toml [seat.EVE]: the game has no such seat",
            "trapdial.toml [seat.BEN]: it is missing, and the game has this seat",
        ],
    ),
    "a seat renamed": (
        sub('name = "Ben"', 'name = "Eve"'),
        ["trapdial.toml [seat.BEN] name = 'Eve': the game has 'Ben'"],
    ),
    "another language": (
        sub('language = "en"', 'language = "de"'),
        [
            "trapdial.toml [seat.ANN] language = 'de': the game has 'en'",
            "trapdial.toml [seat.BEN] language = 'de': the game has 'en'",
            "trapdial.toml [table] language = 'de': the game has 'en'",
        ],
    ),
    "another name of the table": (
        sub('name = "Small table"', 'name = "Big table"'),
        ["trapdial.toml [table] name = 'Big table': the game has 'Small table'"],
    ),
    "another rule": (
        sub(r'preset = "en"', 'preset = "en"\ntrigger_ends = "movement_only"'),
        ["trapdial.toml [ruleset] trigger_ends = 'movement_only': the game has 'movement_and_activation'"],
    ),
    "no chests": (
        sub('chests = "sample:CHESTS"', 'chests = ""'),
        ["trapdial.toml [table] chests: the treasure chests are not those of the game"],
    ),
    "no artifacts": (
        sub('pool = "sample:ARTIFACTS"', 'pool = ""'),
        ["trapdial.toml [artifacts] pool: the artifacts are not those of the game"],
    ),
    "artifacts drawn in another way": (
        sub('draw = "public"', 'draw = "private"'),
        ["trapdial.toml [artifacts] draw = 'private': the game has 'public'"],
    ),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_other_settings_are_named_and_nothing_is_written(what: str, folder: Path) -> None:
    change, sentences = SETTINGS[what]
    (folder / "trapdial.toml").write_text(change(settings_text()), encoding="utf-8")
    before, size = (folder / JOURNAL).read_bytes(), rows(JOURNAL)
    result = run("play --simulated --resume --unchecked")
    said = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
    assert (result.exit_code, said) == (2, [f"{sentence}{THEN}" for sentence in sentences])
    assert ((folder / JOURNAL).read_bytes(), rows(JOURNAL)) == (before, size)
    demo = run(f"demo -s trapdial.toml --auto --plain --resume --journal {JOURNAL}")
    assert (demo.exit_code, demo.stderr.splitlines()) == (2, said)
    (folder / "trapdial.toml").write_text(settings_text(), encoding="utf-8")
    assert run("play --simulated --resume --unchecked").exit_code == 0


def test_a_dial_with_other_clicks_is_named(folder: Path) -> None:
    text = table_text("red")
    for position in (10, 9):
        text = re.sub(rf"(?ms)^\[\[face\]\]\npos = {position}\n.*?(?=^\[\[)", "", text)
    text = text.replace("pos = 11", "pos = 9").replace("clicks = 12", "clicks = 10")
    (folder / "red.toml").write_text(text, encoding="utf-8")
    result = run("play --simulated --resume --unchecked")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        f"trapdial.toml [square.T01] table: its dial has 10 clicks, and in the game 12{THEN}"
    )


def test_a_shuffled_game_knows_its_tables_without_telling_where_they_lie(folder: Path) -> None:
    words = "play --simulated --resume --unchecked --journal shuffled.db"
    assert run(words).exit_code == 0
    text = settings_text()
    (folder / "trapdial.toml").write_text(exchanged(text), encoding="utf-8")
    assert run(words).exit_code == 0, "which square has which table is no answer here"
    (folder / "trapdial.toml").write_text(sub("blue.toml", "sample:SAMPLE-12")(text), encoding="utf-8")
    result = run(words)
    assert result.stderr.splitlines()[-1].startswith(
        "trapdial.toml [square]: the trap tables are not those of the game; "
    )


def test_what_may_be_mended_in_a_game_is_no_mismatch(folder: Path) -> None:
    """Wires, pins, calibrations and the Mage Spawn pool are none of the game's."""
    text = settings_text().replace("button_gpio = 26", "button_gpio = 25").replace("hold_ms = 400", "hold_ms = 500")
    text = text.replace("channel = 1", "channel = 6")
    (folder / "trapdial.toml").write_text(text, encoding="utf-8")
    assert run("play --simulated --resume --unchecked").exit_code == 0


# ------------------------------------------------------------------------------------------- other games, other devices


@pytest.fixture
def rooms_left(folder: Path) -> Path:
    (folder / "rooms.toml").write_text(rooms_example(), encoding="utf-8")
    assert run("rooms demo -s rooms.toml --journal rooms.db").exit_code == 0
    return folder / "rooms.db"


OTHER_KIND = "{file} (file): it holds game {game}, which is of another kind and was not ended. {advice}.\n"
END_IT = (
    "End it with the command that began it (`trapdial play`, `trapdial rooms play`), or name another file with "
    "--journal, or begin another with --new"
)


def newest(journal: Path) -> str:
    return jn.verify(journal).games[-1].game


@pytest.mark.parametrize("resume", ["", " --resume"])
def test_a_game_of_rooms_is_not_resumed_by_play_nor_lost_to_a_new_one(rooms_left: Path, resume: str) -> None:
    before, game = rows("rooms.db"), newest(rooms_left)
    for words, advice in (
        ("play --simulated --unchecked --journal rooms.db", END_IT),
        ("demo --auto --plain --journal rooms.db", "Name another file with --journal"),
    ):
        result = run(words + resume)
        assert result.exit_code == 2
        assert result.stderr.endswith(OTHER_KIND.format(file="rooms.db", game=game, advice=advice))
    assert rows("rooms.db") == before


@pytest.mark.parametrize("resume", ["", " --resume"])
def test_a_game_of_trap_squares_is_not_resumed_by_rooms_nor_lost_to_a_new_one(rooms_left: Path, resume: str) -> None:
    before, game = rows(JOURNAL), newest(rooms_left.parent / JOURNAL)
    for words, advice in (
        (f"rooms play -s rooms.toml --journal {JOURNAL}", END_IT),
        (f"rooms demo -s rooms.toml --auto --journal {JOURNAL}", "Name another file with --journal"),
    ):
        result = run(words + resume)
        assert result.exit_code == 2
        assert result.stderr.endswith(OTHER_KIND.format(file=JOURNAL, game=game, advice=advice))
    assert rows(JOURNAL) == before


def test_simulated_rooms_are_not_resumed_on_real_dials(rooms_left: Path) -> None:
    result = run(f"rooms play -s rooms.toml --journal {rooms_left.name} --resume")
    assert result.stderr.splitlines()[-1] == (
        "rooms.db (file): its game was played on a SIMULATED table. Resume it with `trapdial rooms demo`, or begin "
        "another with --new."
    )


ROOMS: dict[str, tuple[Change, list[str]]] = {
    "a player": (
        sub(r'name = "Ann"', 'name = "Eve"'),
        ["rooms.toml [player.ann] name = 'Eve': the game has 'Ann'"],
    ),
    "a rule": (
        sub(r'(?m)^reveal = "zero"', 'reveal = "stands"'),
        ["rooms.toml [rules] reveal = 'stands': the game has 'zero'"],
    ),
    "the name of the table": (
        sub(r'(?m)^name = "[^"]*"', 'name = "Other rooms"', 1),
        [],
    ),
}


@pytest.mark.parametrize("what", ROOMS)
def test_other_rooms_are_named(what: str, rooms_left: Path) -> None:
    change, sentences = ROOMS[what]
    Path("rooms.toml").write_text(change(rooms_example()), encoding="utf-8")
    before = rows("rooms.db")
    result = run("rooms demo -s rooms.toml --journal rooms.db --resume --auto")
    then = THEN.replace(JOURNAL, "rooms.db")
    said = result.stderr.splitlines()
    assert result.exit_code == 2
    assert said == [f"{sentence}{then}" for sentence in sentences] or (
        not sentences and said[0].startswith("rooms.toml [table] name = 'Other rooms': the game has '")
    )
    assert rows("rooms.db") == before


@pytest.mark.parametrize("resume", ["", " --resume"])
def test_a_demo_neither_opens_nor_ends_the_waiting_game_of_real_dials(folder: Path, resume: str) -> None:
    with Journal(Path("real.db"), MAGE_KNIGHT) as journal:
        journal.append("g1", NO_GAME, started(load(folder / "trapdial.toml"), simulated=False))
    (folder / "elsewhere").mkdir()
    result = run(f"demo --auto --plain --journal real.db{resume}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "real.db (file): its game was played on real dials. Resume it with `trapdial play`, or name another file with "
        "--journal.\n"
    )
    assert rows("real.db") == 1


def test_a_journal_of_another_device_is_not_played_on(folder: Path) -> None:
    with Journal(Path("theirs.db"), MAGE_KNIGHT) as journal:
        journal.append("g1", NO_GAME, replace(another_game(), simulated=True))
    keys = jn.keys_of(Path("theirs.db")).folder
    shutil.copy(jn.keys_of(folder / JOURNAL).folder / "device.key", keys / "device.key")
    words = "play --simulated --resume --unchecked --journal theirs.db"
    assert run(words).stderr.splitlines()[-1] == (
        "theirs.db (entry 1) is not signed by this device. Check with `trapdial journal verify`; play into another "
        "file with --journal."
    )
    shutil.rmtree(keys)
    assert run(words).stderr.splitlines()[-1] == (
        "theirs.db (file) was written with a key that is not in theirs.db.keys. Put device.key back, or play into "
        "another file with --journal."
    )
    assert rows("theirs.db") == 1
