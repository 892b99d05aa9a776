"""A folder as a reader of the pages has it by and by: settings, a finished game, recordings, files of one's own."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from pathlib import Path

from click.testing import CliRunner

from pi_app.audit.files import sha256_of
from pi_app.audit.signing import signed
from pi_app.cli.main import main
from pi_app.journal import Journal, keys_of
from pi_app.play.build import GameOptions
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.settings import load as settings
from pi_app.simulated.demo import Demo
from tests.docs.pages import blocks
from tests.pi_app.centre.running import free_port

GAME = "20260102-030405-ab12"
"""What the pages call a game."""

SMALL, LARGE = "2x2", "8x4"


def without_wires(toml: str) -> str:
    """The settings with buses that no machine has, so that no test ever touches a real table."""
    return re.sub(r'"/dev/i2c-(\d)"', r'"/dev/i2c-9\1"', toml)


def small_folder(folder: Path) -> None:
    """The small example's settings as they are."""
    (folder / "trapdial.toml").write_text(settings.example_path(SMALL).read_text(encoding="utf-8"), encoding="utf-8")


def full_folder(folder: Path) -> None:
    """Every file that a command of the pages reads. The folder must be the one that commands run in."""
    toml = without_wires(settings.example_path(LARGE).read_text(encoding="utf-8"))
    (folder / "trapdial.toml").write_text(toml, encoding="utf-8")
    past_record(folder / "journal.db")
    game(folder / "journal.db", GAME)
    game(folder / "tuesday.db", "20260103-030405-cd34")
    shutil.copy(folder / "journal.db", folder / "monday.db")
    shutil.copy(folder / "journal.db", folder / "shop.db")
    shutil.copy(folder / "tuesday.db", folder / "club.db")
    head = next(line for line in ran("journal", "head", "journal.db").splitlines() if line.startswith("TRAPDIAL1"))
    (folder / "head.txt").write_text(head, encoding="utf-8")
    (folder / "heads.txt").write_text(f"{head}\n", encoding="utf-8")
    signed_page(folder / "report.html", folder / "journal.db")
    samples = files("pi_app") / "game" / "samples"
    for own, sample in (("mine.toml", "SAMPLE-A.toml"), ("yours.toml", "SAMPLE-B.toml")):
        (folder / own).write_text((samples / sample).read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "spawn.toml").write_text(blocks("wiring_docs/rulings.md", "toml")[-1], encoding="utf-8")
    (folder / "hall.txt").write_text(blocks("wiring_docs/placement.md", "text")[-1], encoding="utf-8")
    (folder / "trace.csv").write_text(blocks("wiring_docs/traces.md", "csv")[0], encoding="utf-8")
    (folder / "rooms.toml").write_text(without_wires(ran("rooms", "example")), encoding="utf-8")
    ran("rooms", "demo", "--auto", "--journal", "rooms.db")
    game(folder / "demo.db", "20260104-030405-ef56", ends=False)
    ran("journal", "merge", "shop.db", "club.db", "-o", "archive.db")
    ran("journal", "export", "journal.db", "--game", GAME, "--witness", "head.txt", "-o", "game.jsonl")
    ran("calibrate", "--simulated", "--auto", "--square", "T03")
    ran("record", "--simulated", "--square", "T01", "--seconds", "1", "-o", "t01.csv")
    ran("place", "new", "cave.txt")
    ran("centre", "new", "--name", "centre.example/c1", "--listen", f"127.0.0.1:{free_port()}", ".")
    ran("journal", "export", "tuesday.db", "--for-centre", "-o", "table4.jsonl")
    ran("centre", "take", "table4.jsonl", "--enrol", "Table 4", "--shop", "Brass Cog")


def signed_page(page: Path, journal: Path) -> None:
    """A signed page about a journal, without the pictures of a real one."""
    key = keys_of(journal).known_device()
    assert key is not None
    about = f'<meta name="trapdial-journal" content="{sha256_of(journal)} {journal.name}">\n'
    page.write_bytes(signed(about.encode(), key))


def game(journal: Path, name: str, *, ends: bool = True) -> None:
    """A SIMULATED game in which only words were said, and enough of them."""
    game = GameOptions(new_game_id=lambda: name)
    with Demo(settings.load(settings.example_path(LARGE)), journal, game=game) as demo:
        while not demo.loop.ready:
            demo.step()
        for _ in range(16):
            demo.loop.say("xp ann 25 kill poison")
            demo.step()
        if ends:
            demo.loop.say("end")
        for _ in range(20):
            demo.step()


def past_record(journal: Path) -> None:
    """A record that was put aside, as a station does. The one that continues it has no game yet."""
    game(journal, "20260101-030405-9a0b")
    with Journal(journal, MAGE_KNIGHT) as record:
        assert record.begin_new_log()


def ran(*words: str) -> str:
    """What a command that must succeed prints to its output."""
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, (words, result.output)
    return result.stdout
