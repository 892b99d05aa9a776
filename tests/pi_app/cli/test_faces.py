"""`trapdial tables faces`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.journal import Journal
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started


def faces(*words: str) -> Result:
    return CliRunner().invoke(main, ["tables", "faces", *words])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_numbers_are_the_same_for_every_table() -> None:
    """A sheet found in the printer reveals nothing (S-9)."""
    for name in ("A", "B"):
        result = faces(f"sample:SAMPLE-{name}", "-o", f"{name}.svg")
        assert result.output == f"{name}.svg: 1 face. Print at 100 %.\n"
    assert Path("A.svg").read_bytes() == Path("B.svg").read_bytes()


def test_full_faces_say_that_they_are_secret() -> None:
    result = faces("sample:SAMPLE-A", "-o", "a.pdf", "--full", "--language", "de")
    assert result.output == "a.pdf: 1 face. Print at 100 %. SECRET: it shows the traps of every dial.\n"
    assert Path("a.pdf").read_bytes().startswith(b"%PDF-")


def test_a_game_that_is_on_seals_full_faces() -> None:
    with Journal(Path("journal.db"), MAGE_KNIGHT) as journal:
        journal.append("game", NO_GAME, started())
    words = ["sample:SAMPLE-A", "sample:SAMPLE-B", "-o", "a.svg"]
    assert faces(*words).exit_code == 0
    Path("a.svg").unlink()
    result = faces(*words, "--full")
    assert result.exit_code == 2
    assert result.output == (
        "journal.db: game game in it has not ended, and a trap table would reveal its secrets. End the game first, or "
        "say --in-play; its record then gets an entry, and its audit a finding (S-9).\n"
    )
    assert not Path("a.svg").exists()
    assert faces(*words, "--full", "--in-play").exit_code == 0
    shown = [entry.event for entry in jn.read(Path("journal.db"), MAGE_KNIGHT)][1:]
    assert shown == [ev.TableShown(table="SAMPLE-A"), ev.TableShown(table="SAMPLE-B")]


def test_many_rings_need_more_pages() -> None:
    result = faces(*["sample:SAMPLE-A"] * 21, "-o", "a.svg")
    assert result.output == "a.svg, a_2.svg: 21 faces. Print at 100 %.\n"
    assert Path("a_2.svg").is_file()


@pytest.mark.parametrize("words", [("-o", "a.png"), ("-o", "a.svg", "--language", "nl"), ()])
def test_what_cannot_be_drawn(words: tuple[str, ...]) -> None:
    assert faces("sample:SAMPLE-A", *words).exit_code == 2
    assert list(Path().iterdir()) == []


def test_a_folder_that_is_not_there() -> None:
    result = faces("sample:SAMPLE-A", "-o", "no/a.svg")
    assert result.exit_code == 2
    assert result.output == (
        "no/a.svg: it cannot be written (No such file or directory). Check the folder, who may write there, and the "
        "disk.\n"
    )
