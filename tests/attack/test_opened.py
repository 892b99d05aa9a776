"""The attacker sits at the table's own machine while a game is on, and uses this program to read what the game hides:
its trap tables, its dials. He knows every command, and renames, copies, links and moves files. He may open a secret,
but not without a trace; and no command shows one in passing."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from hardware.sims.faults import strike
from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.game.trap_table_file import sample_path
from pi_app.journal import Journal, Stamp
from pi_app.journal.record.notes import COSIGNS, VerifierKey
from pi_app.plans.check import SEALED_MAGNET
from pi_app.play.first_event import started
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.settings.load import example_path, load
from pi_app.simulated.table import SimulatedTable
from tests.click_tree import ALL, LEAVES
from tests.pi_app.games import exposes

GAME = "20260101-120000-abcdef"
STAMP = Stamp(boot="boot", mono_ns=1, wall="2026-01-01T12:00:00.000+00:00", clock="ntp")
CANARY = "Buzz Saw"
WITNESS = VerifierKey("witness.example/w", COSIGNS, b"k" * 32).text()


def table_folder(folder: Path, samples: tuple[str, str] = ("SAMPLE-A", "SAMPLE-B")) -> Path:
    """A table with its own trap tables; those of two folders differ by their faces alone."""
    (folder / "tables").mkdir(parents=True)
    settings = example_path("2x2").read_text(encoding="utf-8")
    for name, sample in zip(("red", "blue"), samples, strict=True):
        text = sample_path(sample).read_text(encoding="utf-8").splitlines()
        text = [line for line in text if not line.startswith(("#", "note"))]
        text = [line if not line.startswith("name") else f'name = "{name}"' for line in text]
        (folder / "tables" / f"{name}.toml").write_text("\n".join(text), encoding="utf-8")
        settings, count = re.subn('table = "sample:.*"', f'table = "tables/{name}.toml"', settings, count=1)
        assert count == 1
    (folder / "trapdial.toml").write_text(settings, encoding="utf-8")
    (folder / "station.toml").write_text(f"{settings}\n[station]\n", encoding="utf-8")
    return folder


def begun(folder: Path, name: str = "journal.db") -> Path:
    """A game at this table that was left after the first dial had been turned, as with `quit`."""
    with Journal(folder / name, MAGE_KNIGHT, lambda: STAMP) as journal:
        moment = journal.append(GAME, NO_GAME, started(load(folder / "trapdial.toml"), simulated=False))
        for event in exposes("T01", 1, next(iter(moment.game.seats))):
            moment = journal.append(GAME, moment, event)
    return folder / name


def ended(journal: Path) -> None:
    with Journal(journal, MAGE_KNIGHT, lambda: STAMP) as record:
        unfinished = record.unfinished()
        assert unfinished is not None
        record.append(*unfinished, ev.Ended())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(table_folder(tmp_path / "table"))
    begun(tmp_path / "table")
    return tmp_path / "table"


def run(words: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, words.split(), input=typed, prog_name="trapdial")


def opened(journal: Path = Path("journal.db")) -> list[ev.TableShown]:
    return [entry.event for entry in jn.read(journal, MAGE_KNIGHT) if isinstance(entry.event, ev.TableShown)]


# ----------------------------------------------------------------------------------- refused, or recorded and found

SHOW = "tables show tables/red.toml"
OPENINGS = {
    SHOW: ev.TableShown(table="red"),
    "tables check tables/blue.toml": ev.TableShown(table="blue"),
    "tables faces tables/red.toml --full -o secret.svg": ev.TableShown(table="red"),
    "record --seconds 0.1 -o secret.csv": ev.TableShown(how="samples"),
    "calibrate --yes": ev.TableShown(how="calibrated"),
    "demo -s trapdial.toml --auto --fault none@T01": ev.TableShown(how="demo"),
    "demo --tables tables/red.toml --auto --fault none@T01": ev.TableShown(how="demo"),
}
KINDS = {
    "table": "trap table shown",
    "samples": "dials recorded",
    "calibrated": "dial calibrated",
    "demo": "tables in a demo",
}


@pytest.mark.parametrize("words", OPENINGS)
@pytest.mark.usefixtures("folder")
def test_a_game_that_is_on_keeps_its_secrets(words: str) -> None:
    before = sorted(os.listdir())
    result = run(words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"journal.db: game {GAME} in it has not ended, and ")
    assert result.stderr.endswith("its record then gets an entry, and its audit a finding (S-9).\n")
    assert sorted(os.listdir()) == before
    assert opened() == []


@pytest.mark.parametrize("words", OPENINGS)
@pytest.mark.usefixtures("folder")
def test_a_secret_opened_in_play_is_an_entry_and_a_finding(words: str) -> None:
    run(f"{words} --in-play")  # where it reads dials there are none here, and the attempt is an entry all the same
    assert opened() == [OPENINGS[words]]
    during = run("audit journal.db --csv")
    assert "S-9" in during.stdout
    assert KINDS[OPENINGS[words].how] not in during.stdout
    ended(Path("journal.db"))
    after = run("audit journal.db --csv")
    assert after.exit_code == 1
    assert f",{KINDS[OPENINGS[words].how]}," in after.stdout


@pytest.mark.parametrize("words", OPENINGS)
@pytest.mark.usefixtures("folder")
def test_after_the_game_nothing_is_asked_and_nothing_added(words: str) -> None:
    ended(Path("journal.db"))
    size = len(list(jn.read(Path("journal.db"), MAGE_KNIGHT)))
    assert "has not ended" not in run(words).output
    assert len(list(jn.read(Path("journal.db"), MAGE_KNIGHT))) == size


@pytest.mark.usefixtures("folder")
def test_a_simulated_play_on_the_tables_of_a_running_game_is_refused() -> None:
    result = run("play --simulated")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.partition("so\n")[2] == (
        f"journal.db: game {GAME} in it has not ended, and a demo with the table's own trap tables would reveal its "
        "secrets. End that game first, or play with other tables: trapdial demo.\n"
    )


@pytest.mark.parametrize(
    ("words", "advice"), [("monitor --angles --seconds 0.1", "Angles are"), ("diag", "The strength")]
)
@pytest.mark.usefixtures("folder")
def test_a_hub_shows_no_angle_of_a_game_that_was_only_left(words: str, advice: str) -> None:
    result = run(f"hub {words} --port /dev/none")
    assert result.stderr.startswith(
        f"journal.db: game {GAME} in it has not ended, and the dials' samples would reveal its"
    )
    assert f"secrets. {advice}" in result.stderr


def test_the_doctor_tells_no_magnets_strength_while_a_game_is_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twins = SimulatedTable(load(folder / "trapdial.toml"))
    strike(twins.tiles["T01"], "magnet-weak")
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: twins)
    during = [line for line in run("doctor --seconds 0.1").stdout.splitlines() if "encoder of" in line]
    assert [line.partition("): ")[2] for line in during] == [SEALED_MAGNET] * 2
    ended(folder / "journal.db")
    after = "".join(line for line in run("doctor --seconds 0.1").stdout.splitlines() if "encoder of" in line)
    assert "magnet too weak (gain 128 of 128)" in after
    assert "magnet good (gain 64 of 128)" in after


# ------------------------------------------------------------------------------------------------------- ways around


def copied(folder: Path) -> str:
    text = (folder / "tables" / "red.toml").read_text(encoding="utf-8")
    (folder / "mine.toml").write_text(text.replace('name = "red"', 'name = "mine"'), encoding="utf-8")
    return "tables show mine.toml"


def copied_with_an_error(folder: Path) -> str:
    """`check` would still tell what other positions hold."""
    copied(folder)
    text = (folder / "mine.toml").read_text(encoding="utf-8")
    (folder / "mine.toml").write_text(text.replace('"start"', '"strat"'), encoding="utf-8")
    return "tables check mine.toml"


def linked(folder: Path) -> str:
    away = folder.parent / "away"
    away.mkdir()
    (away / "link.toml").symlink_to(folder / "tables" / "red.toml")
    os.chdir(away)
    return "tables show link.toml"


def other_settings(folder: Path) -> str:
    text = (folder / "trapdial.toml").read_text(encoding="utf-8")
    (folder / "other.toml").write_text(text.replace('"journal.db"', '"other.db"'), encoding="utf-8")
    return f"{SHOW} -s other.toml"


def other_settings_elsewhere(folder: Path) -> str:
    other_settings(folder)
    (folder.parent / "away").mkdir()
    os.chdir(folder.parent / "away")
    return f"tables show {folder}/tables/red.toml -s {folder}/other.toml"


def other_journal(_: Path) -> str:
    return f"{SHOW} --journal none.db"


def linked_journal(folder: Path) -> str:
    away = folder.parent / "away"
    away.mkdir()
    (away / "linked.db").symlink_to(folder / "journal.db")
    os.chdir(away)
    return "tables show sample:SAMPLE-A --journal linked.db"


def broken_settings(folder: Path) -> str:
    (folder / "trapdial.toml").write_text('[table]\njournal = "journal.db"\n[nonsense]\n', encoding="utf-8")
    return SHOW


def looped(folder: Path) -> str:
    (folder / "loop.db").symlink_to("loop.db")
    return f"{SHOW} --journal loop.db"


def recorded_with_other_settings(folder: Path) -> str:
    other_settings(folder)
    return "record -s other.toml --seconds 0.1 -o secret.csv"


WAYS = (
    copied,
    linked,
    other_settings,
    other_settings_elsewhere,
    other_journal,
    looped,
    linked_journal,
    broken_settings,
)


@pytest.mark.parametrize("way", [*WAYS, copied_with_an_error, recorded_with_other_settings])
def test_a_way_around_meets_the_same_refusal_and_the_same_entry(way: object, folder: Path) -> None:
    assert callable(way)
    words = way(folder)
    result = run(words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"game {GAME} in it has not ended" in result.stderr
    assert opened(folder / "journal.db") == []
    run(f"{words} --in-play")
    assert len(opened(folder / "journal.db")) == 1


def test_a_renamed_copy_is_recorded_as_the_games_own_table_and_who_knew_says_so(folder: Path) -> None:
    assert "buzz_saw" in run(f"{copied(folder)} --in-play").stdout
    ended(Path("journal.db"))
    assert "trap table was shown during the game: " in run("audit journal.db").stdout.replace("\n", " ")
    assert opened() == [ev.TableShown(table="red")]
    assert "everyone in front of the screen could know T01" in run("audit journal.db --json").stdout


def test_a_journal_moved_away_is_missed(folder: Path) -> None:
    (folder / "journal.db").rename(folder.parent / "hidden.db")
    result = run(SHOW)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("journal.db (file) is gone, and its keys are still in journal.db.keys.")


def test_a_record_put_back_without_the_entry_is_not_played_on(folder: Path) -> None:
    journal = folder / "journal.db"
    before = journal.read_bytes()
    assert run(f"{SHOW} --in-play").exit_code == 0
    journal.write_bytes(before)
    for log in folder.glob("journal.db-*"):
        log.unlink()
    result = run("play --resume --unchecked")
    assert result.exit_code == 4
    assert "journal.db (file) has 4 entries, and this device has written 5 into it." in result.stderr


# ------------------------------------------------------------------------------------ no entry, no secret


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    with contextlib.closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextlib.contextmanager
def without_keys(folder: Path) -> Iterator[None]:
    keys = folder / "journal.db.keys"
    keys.rename(folder / "away")
    yield
    shutil.rmtree(keys, ignore_errors=True)
    (folder / "away").rename(keys)


@contextlib.contextmanager
def damaged(folder: Path) -> Iterator[None]:
    journal = folder / "journal.db"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    yield
    journal.write_bytes(whole)


@contextlib.contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """No byte more goes into any file of this process, as on a full disk."""
    import resource
    import signal

    log = folder / "journal.db-wal"
    most = log.stat().st_size if log.exists() else 0
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("trouble", [locked, without_keys, damaged, full_disk])
def test_what_cannot_be_recorded_is_not_shown(trouble: object, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *all_, **named: connect(*all_, **named | {"timeout": 0.01}))
    assert callable(trouble)
    with trouble(folder):
        for words in ("tables show tables/red.toml", "tables faces tables/red.toml --full -o secret.svg"):
            result = run(f"{words} --in-play")
            assert (result.exit_code, result.stdout) == (2, ""), result.output
            assert result.stderr.startswith(("journal.db ", f"{folder}/journal.db", "journal.db.keys"))
            assert result.stderr.endswith(".\n")
        assert not Path("secret.svg").exists()
    assert opened() == []


def test_the_entry_of_a_table_in_the_game_looks_like_that_of_another(folder: Path) -> None:
    (folder / "free.toml").write_text(
        sample_path("SAMPLE-B").read_text(encoding="utf-8").replace('"SAMPLE-B"', f'"{"free" * 9}"'), encoding="utf-8"
    )
    shapes = set()
    for words in (SHOW, "tables show free.toml"):
        assert run(f"{words} --in-play").exit_code == 0
        with contextlib.closing(sqlite3.connect("journal.db")) as db:
            shapes.add(db.execute("SELECT length(public), length(sealed) FROM entries ORDER BY seq DESC").fetchone())
    assert len(shapes) == 1
    assert len({entry.public.log for entry in jn.read(Path("journal.db"), MAGE_KNIGHT) if entry.seq > 4}) == 1


# ------------------------------------------------------------------------------------------------- flags


@pytest.mark.parametrize(
    "words", [SHOW, "tables faces tables/red.toml -o a.svg", "record -o a.csv", "tables check tables/red.toml"]
)
@pytest.mark.usefixtures("folder")
def test_the_old_flag_names_both_new_ones(words: str) -> None:
    result = run(f"{words} --force")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "Error: --force is gone: say --in-play to do it although a game is on, which its record keeps, or --overwrite "
        "to replace a file."
    )


def test_each_flag_has_one_meaning_in_all_commands() -> None:
    found: dict[str, set[str | None]] = {}
    for command in ALL.values():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                for name in {"--in-play", "--overwrite", "--force"} & set(option.opts):
                    found.setdefault(name, set()).add(option.help)
    assert found == {
        "--in-play": {"Do it although a game is on: its record gets an entry, and its audit a finding."},
        "--overwrite": {"Replace a file that is already there."},
    }


def test_overwriting_does_not_override_and_overriding_does_not_overwrite(folder: Path) -> None:
    (folder / "mine.csv").write_text("precious")
    words = "record --seconds 0.1 -o mine.csv"
    assert f"game {GAME} in it has not ended" in run(f"{words} --overwrite").stderr
    assert run(f"{words} --in-play").stderr == "mine.csv: it is already there. Give another name, or say --overwrite.\n"
    assert (folder / "mine.csv").read_text() == "precious"
    assert opened() == []


# ------------------------------------------------------------------------------------- every command, without exception


@dataclass(frozen=True)
class Refused:
    """Refused while a game is on."""

    words: str


@dataclass(frozen=True)
class Same:
    """Prints and writes the same, whatever the trap tables hold."""

    words: str


@dataclass(frozen=True)
class Apart:
    """Reads neither settings nor trap tables, or shows nothing that they hold."""

    because: str


MEASURES = Apart("prints what it measured on a simulated table of its own")
TYPED = Apart("shows what was typed into it")
PLAYS = Apart("plays the game itself")
CENTRE = Apart("a centre has no key of a game that is on: tests/centre looks for its secrets there")
BOARD = Apart("talks to a board about its firmware")
COMMANDS: dict[str, Refused | Same | Apart] = {
    "play": Refused("play --simulated"),
    "station play": Refused("station play --simulated"),
    "demo": Refused("demo -s trapdial.toml --auto --fault none@T01"),
    "docs": Apart("prints a page that ships"),
    "place check": Same("place check sample:SAMPLE-cellar -s trapdial.toml"),
    "place new": Same("place new map.txt"),
    "rules convert": Apart("reads a file of Mage Spawn, which lies open on the table"),
    "rooms audit": Same("rooms audit journal.db"),
    "rooms demo": Apart("plays rooms, which have no secret dials"),
    "rooms example": Same("rooms example"),
    "rooms play": Apart("plays rooms, which have no secret dials"),
    "settings check": Same("settings check --json"),
    "settings example": Same("settings example 2x2"),
    "settings new": Same("settings new --pi 4 --squares 1 --seats 1 --screens 0 --no-phones --language en -o new.toml"),
    "tables check": Refused("tables check tables/red.toml"),
    "tables faces": Refused("tables faces tables/red.toml --full -o a.svg"),
    "tables new": TYPED,
    "tables show": Refused("tables show tables/red.toml"),
    "wiring": Same("wiring -o wiring"),
    "pages cards": Refused("pages cards"),
    "pages network": Same("pages network --install"),
    "station display": Apart("draws what the station tells everybody: twin games compare its feed"),
    "station install": Same("station install --root root -s trapdial.toml"),
    "station remove": Same("station remove --root root"),
    "station sheet": Same("station sheet -s station.toml -o sheet"),
    "station update": Apart("puts another program in place of this one, and reads no settings"),
    "doctor": Apart("prints no position; of a magnet only that it is there, while a game is on"),
    "calibrate": Refused("calibrate"),
    "hub decode": TYPED,
    "hub diag": Refused("hub diag --port /dev/none"),
    "hub install": BOARD,
    "hub list": BOARD,
    "hub monitor": Refused("hub monitor --angles --port /dev/none --seconds 0.1"),
    "hub reset": BOARD,
    "extras install": Apart("installs packages"),
    "completion": Apart("prints a script for the shell"),
    "journal delete": Same("journal delete journal.db none --yes"),
    "journal export": Apart("sealed halves stay sealed: tests/pi_app/journal/record"),
    "journal head": Apart("a signature over hashes: tests/pi_app/journal/record"),
    "journal keys": Apart("says where the keys are, and prints none: tests/attack/test_keys.py"),
    "journal merge": Same("journal merge journal.db -o archive.db"),
    "journal verify": Same("journal verify journal.db --json"),
    "journal witness add": Apart("writes a key that was typed into it beside the journal"),
    "journal witness key": Apart("the public key of the device, which every head has"),
    "journal witness list": Same("journal witness list"),
    "journal witness remove": Apart("takes a name from a list beside the journal"),
    "journal witness take": Apart("keeps signatures of heads beside the journal"),
    "journal enrol": Same(f"journal enrol CODE --to http://127.0.0.1:1/ --key {WITNESS}"),
    "journal hand-over": Same("journal hand-over"),
    **dict.fromkeys((name for name in LEAVES if name.startswith("centre ")), CENTRE),
    "audit": Same("audit journal.db --csv"),
    "audit verify": Apart("reads a page that was signed"),
    "replay": Same("replay journal.db --lines"),
    "record": Refused("record --seconds 0.1 -o secret.csv"),
    "decode": Apart("reads a trace; `record` decided whether there is one of this game"),
    **{
        f"bench {name}": MEASURES
        for name in (
            "centre",
            "clicks",
            "cpu",
            "hub",
            "journal",
            "latency",
            "memory",
            "pages",
            "peers",
            "scan",
            "soak",
            "start",
            "wiring",
        )
    },
}
"""Every command, with the reason why it tells nothing of a game that is on. A new command fails until it is here."""

MORE = (
    Same("tables faces tables/red.toml -o numbers.svg"),
    Same("replay journal.db --as referee"),
    Same("replay journal.db --as public"),
    Same("replay journal.db --json"),
    Refused("demo --tables tables/red.toml --auto --fault none@T01"),
)


def test_every_command_is_in_the_table() -> None:
    assert set(COMMANDS) == LEAVES


def test_a_command_that_reads_a_table_is_refused_or_tried_with_other_tables() -> None:
    """Apart is only for those that take no settings and no table; the others are named here."""
    allowed = {"doctor", "hub install", "hub list", "hub reset", "rooms demo", "rooms play"}
    for name, entry in COMMANDS.items():
        taken = {parameter.name for parameter in ALL[name].params}
        if isinstance(entry, Apart) and entry not in (MEASURES, CENTRE) and name not in allowed:
            assert not taken & {"settings_file", "sources", "source", "tables"}, name


def files(folder: Path) -> dict[str, bytes]:
    """The files that a command made."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.relative_to(folder).as_posix().startswith(("journal.db", "tables/", "archive.db"))
    }


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same game at two tables, whose trap tables differ by their faces, written by one device."""
    pairs = (("SAMPLE-A", "SAMPLE-B"), ("SAMPLE-B", "SAMPLE-A"))
    folders = [table_folder(tmp_path_factory.mktemp("twin") / "table", pair) for pair in pairs]
    seed = "".join(["5a"] * 32)
    for folder in folders:
        keys = folder / "journal.db.keys"
        keys.mkdir(mode=0o700)
        (keys / "device.key").write_text(seed + "\n", encoding="ascii")
        begun(folder)
    return folders


@pytest.mark.parametrize(
    "entry", [each for each in (*COMMANDS.values(), *MORE) if not isinstance(each, Apart)], ids=lambda each: each.words
)
def test_no_command_tells_one_table_from_another(
    entry: Refused | Same, twins: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    for folder in twins:
        monkeypatch.chdir(folder)
        result = run(entry.words)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        if isinstance(entry, Refused):
            assert result.exit_code == 2
            assert f"journal.db: game {GAME} in it has not ended, and " in result.stderr
        seen.append((result.exit_code, result.stdout, result.stderr, files(folder)))
    assert seen[0] == seen[1]
    assert len(seen[0][1]) + len(seen[0][2]) > 0
