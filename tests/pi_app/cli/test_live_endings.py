"""A live screen ends by a signal at any stage, with one line, and gives the terminal back: real processes."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli import demo_station
from pi_app.cli.ends import ENDS
from pi_app.cli.main import main
from tests.everyday import first
from tests.processes import children, ends
from tests.terminal import Terminal

ROOT = Path(__file__).resolve().parents[3]

SENDS = """
import functools, importlib, os, sys
stage, number, *sys.argv[1:] = sys.argv[1:]
module, _, name = stage.partition(":")
class Finder:
    def find_spec(self, wanted, *_):
        if not name and wanted == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), int(number))
sys.meta_path.insert(0, Finder())
if name:
    owner = importlib.import_module(module)
    *path, name = name.split(".")
    owner = functools.reduce(getattr, path, owner)
    wrapped = getattr(owner, name)
    @functools.wraps(wrapped)
    def send(*words, **options):
        setattr(owner, name, wrapped)
        os.kill(os.getpid(), int(number))
        return wrapped(*words, **options)
    setattr(owner, name, send)
from pi_app.cli.entry import main
main()
"""
"""Run a command with a signal at a stage: the import of a module, or the first call of a function."""


def terminal(folder: Path, *command: str) -> Terminal:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    return Terminal([sys.executable, *command], folder, environment)


def told(at: Terminal) -> str:
    """What the terminal shows, as one line: it breaks a long one."""
    return str(at).strip().replace("\n", "")


def has_ended(journal: Path) -> bool:
    """Whether the audit accepts the journal, and tells of a game in it."""
    done = CliRunner().invoke(main, ["audit", str(journal)], prog_name="trapdial")
    return done.exit_code == 0 and bool(done.stdout)


BY_ITSELF = [
    ("pi_app.simulated.live.app:LiveScreen.on_mount", signal.SIGTERM),
    ("pi_app.cli.main", signal.SIGHUP),
    ("textual.app", signal.SIGQUIT),
    ("pi_app.simulated.live.table:LiveTable.opened", signal.SIGINT),
    ("pi_app.simulated.live.app:LiveScreen.update_picture", signal.SIGHUP),
    ("pi_app.simulated.live.app:LiveScreen.compose", signal.SIGHUP),
    ("textual.drivers.linux_driver:LinuxDriver.start_application_mode", signal.SIGTERM),
    ("textual.drivers._writer_thread:WriterThread.write", signal.SIGHUP),
    ("pi_app.displays.terminal_driver:TerminalFile.write", signal.SIGQUIT),
]


@pytest.mark.parametrize("case", first(3, BY_ITSELF))
def test_a_signal_while_the_demo_begins_or_draws_is_one_line(case: tuple[str, signal.Signals], tmp_path: Path) -> None:
    stage, number = case
    with terminal(tmp_path, "-c", SENDS, stage, str(int(number)), "demo", "--size", "2x2") as at:
        assert at.wait() == 128 + number
        assert told(at) == f"Stopped: {ENDS[number]}."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "case",
    first(
        1,
        [
            ("pi_app.simulated.live.app:LiveScreen.action_leave", signal.SIGHUP),
            ("textual.drivers.linux_driver:LinuxDriver.stop_application_mode", signal.SIGTERM),
            ("pi_app.simulated.demo:Demo.close", signal.SIGINT),
            ("shutil:_rmtree_safe_fd", signal.SIGQUIT),
        ],
    ),
)
def test_a_signal_while_the_demo_closes_is_one_line(case: tuple[str, signal.Signals], tmp_path: Path) -> None:
    stage, number = case
    with terminal(tmp_path, "-c", SENDS, stage, str(int(number)), "demo", "--size", "2x2") as at:
        at.wait_for("SIMULATED")
        at.type("q")
        assert at.wait() == 128 + number
        assert told(at) == f"Stopped: {ENDS[number]}."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", first(1, [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT]))
def test_a_signal_while_keys_are_typed_is_one_line(number: signal.Signals, tmp_path: Path) -> None:
    with terminal(tmp_path, "-m", "pi_app", "demo", "--size", "2x2", "--journal", "j.db") as at:
        at.wait_for("SIMULATED")
        at.type("\x1b")
        at.wait_for("concealed")
        at.type("crl12lrc")
        os.kill(at.pid, number)
        at.type("crl12lrc")
        assert at.wait() == 128 + number
        assert told(at) == f"Stopped: {ENDS[number]}. The game is kept; resume it with --resume."
    assert sorted(path.name for path in tmp_path.iterdir()) == ["j.db", "j.db.keys"]


@pytest.mark.parametrize("number", first(1, [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT]))
def test_the_record_of_a_game_that_ended_stays_where_the_live_screen_says(
    number: signal.Signals, tmp_path: Path
) -> None:
    with terminal(tmp_path, "-m", "pi_app", "demo", "--size", "2x2") as at:
        at.wait_for("SIMULATED")
        for key in ("\x1b", "n", "\r"):
            at.settle()
            at.type(key)
        at.wait_for("its secrets are open now")
        os.kill(at.pid, number)
        assert at.wait() == 128 + number
        (journal,) = tmp_path.glob("trapdial-*/journal.db")
        assert f"trapdial audit {journal}" in told(at)
        assert told(at).endswith(f"Stopped: {ENDS[number]}.")
    assert has_ended(journal)


@pytest.mark.parametrize("number", first(1, [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT]))
def test_the_record_of_a_game_that_ended_stays_where_a_demo_with_pages_says(
    number: signal.Signals, tmp_path: Path
) -> None:
    with terminal(tmp_path, "-m", "pi_app", "demo", "--pages", "--size", "2x2") as at:
        at.wait_for("concealed")
        at.type("end\n")
        at.wait_for("To compare, type the letters")
        assert "It lies in a temporary folder." in str(at)
        os.kill(at.pid, number)
        assert at.wait() == 128 + number
        (journal,) = tmp_path.glob("trapdial-*/journal.db")
    assert has_ended(journal)


def test_a_demo_ends_whose_terminal_is_gone(tmp_path: Path) -> None:
    """No signal says so after `nohup`."""
    with terminal(tmp_path, "-m", "pi_app", "demo", "--size", "2x2") as at:
        at.wait_for("SIMULATED")
        assert at.hang_up() == 0
    assert list(tmp_path.iterdir()) == []


def test_a_demo_ends_whose_terminal_accepts_nothing(tmp_path: Path) -> None:
    """Nothing reads the terminal's other end, as over a network connection that stalls."""
    with terminal(tmp_path, "-m", "pi_app", "demo", "--size", "2x2") as at:
        at.wait_for("SIMULATED")
        at.type("\x1b")
        at.fill()
        os.kill(at.pid, signal.SIGTERM)
        assert at.wait_unread() == 143
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", first(1, [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT]))
def test_a_signal_ends_a_station_and_its_display_with_one_line(number: signal.Signals, tmp_path: Path) -> None:
    with terminal(tmp_path, "-m", "pi_app", "demo", "--station", "--language", "en") as at:
        at.wait_for("TRAPDIAL SIMULATED")
        os.kill(at.pid, number)
        assert at.wait() == 128 + number
        assert str(at).count("Stopped: ") == 1
        assert at.letters.endswith(f"No visitor typed anything. Stopped: {ENDS[number]}.".replace(" ", ""))
    assert list(tmp_path.iterdir()) == []


def test_a_display_ends_with_the_demo_that_it_belongs_to(tmp_path: Path) -> None:
    """Also after `kill -9` of the demo."""
    with terminal(tmp_path, "-m", "pi_app", "demo", "--station", "--language", "en") as at:
        at.wait_for("TRAPDIAL SIMULATED")
        (display,) = children(at.pid)
        with ends(display):
            os.kill(at.pid, signal.SIGKILL)
            assert at.wait() == -signal.SIGKILL
        assert at.letters == demo_station.WELCOME.replace(" ", "")
