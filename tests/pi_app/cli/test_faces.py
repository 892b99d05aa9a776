"""`trapdial tables faces`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli import tables as command
from pi_app.cli.main import main


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


@pytest.mark.parametrize("full", [True, False])
def test_a_game_that_runs_seals_full_faces(monkeypatch: pytest.MonkeyPatch, full: bool) -> None:
    recorded: list[str] = []
    monkeypatch.setattr(command, "running_game_with", lambda name, journal: name == "SAMPLE-B")
    monkeypatch.setattr(command, "record_shown", lambda journal, name: recorded.append(name))
    words = ["sample:SAMPLE-A", "sample:SAMPLE-B", "-o", "a.svg", *(["--full"] if full else [])]
    result = faces(*words)
    if not full:
        assert result.exit_code == 0
        return
    assert result.exit_code == 2
    assert result.output == (
        "trap table (sample:SAMPLE-B) belongs to the game that is running in journal.db, so it stays sealed. End the "
        "game first, or use --force, which the journal will record.\n"
    )
    assert not Path("a.svg").exists()
    assert recorded == []
    assert faces(*words, "--force").exit_code == 0
    assert len(recorded) == 1


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
