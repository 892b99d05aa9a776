"""Progress: on standard error, only on a terminal, and never a part of what is printed or measured."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.cli.progress import shown_progress
from pi_app.game import events as ev
from pi_app.journal import head, verify
from pi_app.journal.archive import export
from pi_app.journal.rows import CHECKING, OPENING
from pi_app.plans.wiring.folder import files, printed
from pi_app.settings.load import example_path, load
from pi_app.text.progress import Progress, counted, no_progress
from pi_app.workshop import bench as benches
from pi_app.workshop.bench import Bench, Figure, memory
from tests.everyday import first
from tests.pi_app.journal.keeping import write
from tests.pi_app.resumed_game import PLAY


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Let standard error be a terminal of 100 columns. (In a fixture pytest would put its own back.)"""
    made = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stderr", made)
    return made


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "j.db"
    write(path, (*PLAY, ev.Ended()))
    return path


def told_to(told: list[tuple[str, int, int]]) -> Progress:
    def progress(what: str, done: int = 0, total: int = 0) -> None:
        told.append((what, done, total))

    return progress


def plain(drawn: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn)


def test_a_terminal_shows_what_is_done_and_how_much_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    with shown_progress() as progress:
        progress("counting", 0, 200)
        progress("counting more", 50, 200)
    drawn = plain(terminal.getvalue())
    assert re.search(r"counting .* 0 % 0:00:00", drawn)
    assert re.search(r"counting more .* 25 % 0:00:00", drawn)
    assert "\x1b[2K" in terminal.getvalue()[-30:], "it is gone when the work is done"


def test_what_cannot_be_counted_has_no_share(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    with shown_progress() as progress:
        progress("measuring")
    assert "measuring" in terminal.getvalue()
    assert "%" not in plain(terminal.getvalue())


def test_reports_in_quick_succession_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    with shown_progress() as progress:
        progress("counting", 0, 100_000)
        once = len(terminal.getvalue())
        for done in range(1, 100):
            progress("counting", done, 100_000)
        assert len(terminal.getvalue()) < 3 * once


def test_it_has_no_thread_so_that_a_journal_is_still_shared_among_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    at_a_terminal(monkeypatch)
    before = threading.active_count()
    with shown_progress() as progress:
        assert progress is not no_progress
        progress("counting", 1, 2)
        assert threading.active_count() == before


def test_without_a_terminal_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        with shown_progress() as progress:
            assert progress is no_progress


def test_counting_costs_nothing_if_nothing_is_shown() -> None:
    rows = [1, 2, 3]
    assert counted(rows, no_progress, "rows", 3) is rows
    told: list[tuple[str, int, int]] = []
    assert list(counted(rows, told_to(told), "rows", 3, every=2)) == rows
    assert told == [("rows", 0, 3), ("rows", 2, 3)]


# ------------------------------------------------------------------------------------------------ the long work


def test_verify_and_export_tell_what_they_do(journal: Path) -> None:
    told: list[tuple[str, int, int]] = []
    verdict = verify(journal, progress=told_to(told))
    assert told == [(f"j.db: {CHECKING}", 0, verdict.size), (f"j.db: {OPENING}", 0, verdict.size)]
    assert verdict == verify(journal)
    told.clear()
    silent, shown = io.BytesIO(), io.BytesIO()
    assert export(journal, silent) == export(journal, shown, progress=told_to(told)) == verdict.size
    assert told[-1] == ("j.db: writing entries", 0, verdict.size)
    assert head(journal, progress=told_to(told)).size == verdict.size


@pytest.mark.slow
def test_printed_parts_and_wiring_tell_what_they_do() -> None:
    settings = load(example_path("2x2"))
    told: list[tuple[str, int, int]] = []
    printed(settings, told_to(told))
    files(settings, "trapdial.toml", progress=told_to(told))
    assert told == [
        ("printed parts for 12 clicks: shapes", 0, 3),
        ("printed parts for 12 clicks: checks", 1, 3),
        ("printed parts for 12 clicks: files", 2, 3),
        ("drawing the table", 0, 0),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", first(1, [["journal", "verify"], ["journal", "verify", "--json"], ["journal", "export"]])
)
def test_standard_output_has_none_of_it(words: list[str], journal: Path) -> None:
    """The real command, once with a terminal as its standard error and once without."""
    command = [sys.executable, "-m", "pi_app.cli.entry", *words, str(journal)]
    near, far = pty.openpty()
    with os.fdopen(near, "rb", buffering=0) as screen:
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
        shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=far, env=environment, check=True)
        os.close(far)
        drawn = plain(screen.read(65536).decode())
    silent = subprocess.run(command, capture_output=True, check=True)
    assert f"j.db: {CHECKING}" in drawn
    assert (silent.stdout, silent.stderr) == (shown.stdout, b"")


def test_a_bench_tells_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Bench("memory", benches.machine(), (Figure("the most", 1.0, "MB", 2.0),))
    monkeypatch.setattr(memory, "run", lambda minutes: made)
    assert CliRunner().invoke(main, ["bench", "memory"]).stderr == ""
