"""No screen and no lamp stays lit after any end of a game: signals, a bug, a dead scan, a kill, with real processes and
the screens' memory read back."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen, run

import pytest

from pi_app.cli.main import COMMANDS
from pi_app.rooms.settings import example, load
from pi_app.settings.load import example_path
from tests.everyday import first
from tests.pi_app.rooms.fights import SEATED
from tests.processes import children, ends, is_gone
from tests.served_table import CRASHES, ENDS, ServedTable

ROOT = Path(__file__).resolve().parent.parent
WELL_CLOSED = ["journal.db", "journal.db.keys"]
PLAY = ("play", "--unchecked", "--settings", "trapdial.toml")


@pytest.fixture
def at(tmp_path: Path) -> Iterator[ServedTable]:
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    table = ServedTable(tmp_path)
    yield table
    table.close()


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDS)
def test_a_signal_ends_play_in_the_dark_with_the_journal_closed(at: ServedTable, number: signal.Signals) -> None:
    with at.played(*PLAY) as process:
        at.show_a_face()
        (watchdog,) = children(process.pid)
        os.killpg(process.pid, number)
        assert process.wait(30) == 128 + number
        assert at.dark
        assert is_gone(watchdog)
    assert at.files() == WELL_CLOSED
    assert at.driven == [], "a clean end is not the watchdog's business"
    assert at.errors.startswith("Stopped: ")
    assert at.errors.endswith("The game is kept; resume it with --resume.\n")
    assert at.errors.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", CRASHES)
def test_after_a_kill_or_a_crash_the_watchdog_makes_all_dark(at: ServedTable, number: signal.Signals) -> None:
    with at.played(*PLAY) as process:
        at.show_a_face()
        (watchdog,) = children(process.pid)
        assert os.getsid(watchdog) == watchdog
        with ends(watchdog):
            os.killpg(process.pid, number)
            assert process.wait(30) == -number
            at.until(lambda: at.dark, "dark after a kill")
            lamps = sorted(gpio for seat in at.settings.seats.values() if (gpio := seat.lamp_gpio) is not None)
            at.until(lambda: sorted(gpio for _, gpio, _ in at.driven) == lamps, "every lamp's pin is low")
            assert {level for _, _, level in at.driven} == {0}
    with at.played(*PLAY, "--resume") as process:
        at.until(at.said("| Rules:"), "the game goes on")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 143
    assert at.files() == WELL_CLOSED


@pytest.mark.slow
@pytest.mark.parametrize("what", ["loop", "scan"])
def test_a_bug_is_one_line_and_dark(at: ServedTable, what: str) -> None:
    with at.played(*PLAY) as process:
        at.show_a_face()
        at.order("break", what)
        assert process.wait(30) == 70
        assert at.dark
    assert at.files() == WELL_CLOSED
    kind = {"loop": "KeyError", "scan": "RuntimeError"}[what]
    assert at.errors.startswith(f"Trapdial stopped because of a bug: {kind} (")
    assert at.errors.endswith("can be resumed with --resume; TRAPDIAL_TRACEBACK=1 shows more.\n")
    assert at.errors.count("\n") == 1
    assert "stands at" not in at.errors, "an error's own words may be a secret"


@pytest.mark.slow
@pytest.mark.parametrize("nobody_at_all", [False, True])
def test_play_goes_on_when_nobody_reads_its_output(at: ServedTable, nobody_at_all: bool) -> None:
    at.deaf, at.deaf_to_errors = True, nobody_at_all
    with at.played(*PLAY) as process:
        assert process.stdin is not None
        process.stdin.write("claim ann\n")
        process.stdin.flush()
        process.send_signal(signal.SIGPIPE)
        at.until(lambda: at.table.oleds["ANN"].lit_pixels() > 100, "Ann may turn a dial")
        process.stdin.write("quit\n")
        process.stdin.flush()
        assert process.wait(30) == 0
        assert at.dark
    assert at.files() == WELL_CLOSED
    told = "Standard output was closed (Broken pipe). Play continues without it; Ctrl-C or SIGTERM ends it.\n"
    assert at.errors == ("" if nobody_at_all else told)


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_interrupt_the_closing(at: ServedTable) -> None:
    with at.played(*PLAY) as process:
        at.show_a_face()
        for _ in range(5):
            process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert at.dark
    assert at.files() == WELL_CLOSED
    assert at.errors == "Stopped: Ctrl-C. The game is kept; resume it with --resume.\n"


# ------------------------------------------------------------------------------------------- rooms and the demo


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDS)
def test_a_signal_ends_a_game_of_rooms_with_its_record_closed(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "rooms.toml").write_text(example(), encoding="utf-8")
    at = ServedTable(tmp_path, load(tmp_path / "rooms.toml").wires)
    with at.played("rooms", "play", "rooms.toml", "--journal", "journal.db") as process:
        at.until(lambda: len(at.lines) > 1, "the game began")
        process.send_signal(number)
        assert process.wait(30) == 128 + number
    at.close()
    assert at.files() == WELL_CLOSED
    assert at.errors.startswith("Stopped: ")
    assert at.errors.endswith("The game is kept; resume it with --resume.\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_combat_card_does_not_stay_on_a_screen(tmp_path: Path, number: signal.Signals) -> None:
    """The card is on Ann's screen when the program ends: by a signal, or killed, which is the watchdog's business."""
    (tmp_path / "rooms.toml").write_text(SEATED, encoding="utf-8")
    at = ServedTable(tmp_path, load(tmp_path / "rooms.toml").wires)
    screen = at.table.oleds["ann"]
    with at.played("rooms", "play", "rooms.toml", "--journal", "journal.db") as process:
        assert process.stdin is not None
        process.stdin.write("card ann 2\ncombat warrior ben.thief\n")
        process.stdin.flush()
        at.until(lambda: screen.lit and screen.lit_pixels() > 500, "the screen says how to choose")
        asked = screen.pixels()
        at.order("press", at.table.buttons["ann"])
        at.order("release", at.table.buttons["ann"])
        at.until(lambda: screen.lit and screen.pixels() != asked, "a card is shown")
        process.send_signal(number)
        assert process.wait(30) == (128 + number if number == signal.SIGTERM else -number)
        at.until(lambda: at.dark, "dark at the end")
    at.close()


@pytest.mark.slow
def test_a_scan_of_rooms_that_dies_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "rooms.toml").write_text(example(), encoding="utf-8")
    at = ServedTable(tmp_path, load(tmp_path / "rooms.toml").wires)
    with at.played("rooms", "play", "rooms.toml", "--journal", "journal.db") as process:
        at.until(lambda: len(at.lines) > 1, "the game began")
        at.order("break", "scan")
        assert process.wait(30) == 70
    at.close()
    assert at.files() == WELL_CLOSED
    assert at.errors.startswith("Trapdial stopped because of a bug: RuntimeError (")
    assert at.errors.count("\n") == 1


DEMO = ("demo", "--auto", "--exposes", "100000", "--size", "2x2", "--journal", "journal.db")


def demo(folder: Path, *, stdout: int = PIPE) -> Popen[str]:
    code = "from pi_app.cli.entry import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *DEMO]
    return Popen(command, cwd=folder, env=environment, stdout=stdout, stderr=PIPE, text=True, start_new_session=True)


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDS)
def test_a_signal_ends_the_demo_with_its_journal_closed(tmp_path: Path, number: signal.Signals) -> None:
    with demo(tmp_path) as running:
        assert running.stdout is not None
        assert running.stdout.readline()
        running.send_signal(number)
        _, errors = running.communicate(timeout=30)
    assert running.returncode == 128 + number
    assert sorted(path.name for path in tmp_path.iterdir()) == WELL_CLOSED
    assert errors.endswith("The game is kept; resume it with --resume.\n")
    assert errors.count("\n") == 1


@pytest.mark.slow
def test_a_demo_that_nobody_reads_ends_with_a_word(tmp_path: Path) -> None:
    read, write = os.pipe()
    with demo(tmp_path, stdout=write) as running:
        os.close(write)
        assert os.read(read, 1)
        os.close(read)
        _, errors = running.communicate(timeout=30)
    assert (running.returncode, errors) == (141, "Standard output was closed; the demo ends.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == WELL_CLOSED


# --------------------------------------------------------------------------------------------- before the start

AT_IMPORT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from pi_app.cli.entry import main
main()
"""


def interrupted(folder: Path, module: str, *command: str) -> tuple[int, str, str]:
    """Run a command with a Ctrl-C when it imports a module."""
    code = AT_IMPORT.format(module=module)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = run([sys.executable, "-c", code, *command], cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_ends_every_command_with_one_line(name: str, tmp_path: Path) -> None:
    assert interrupted(tmp_path, COMMANDS[name][0], name) == (130, "", "Stopped: Ctrl-C.\n")


@pytest.mark.parametrize(
    "module",
    first(1, ["pi_app.cli.main", "click", "click.core", "pi_app.settings.load", "pi_app.workshop.start_check"]),
)
def test_a_ctrl_c_while_play_begins_is_one_line(module: str, tmp_path: Path) -> None:
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    code, output, errors = interrupted(tmp_path, module, "play")
    assert (code, output) == (130, "")
    assert [line for line in errors.splitlines() if not line.startswith("note: ")] == ["Stopped: Ctrl-C."]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trapdial.toml"]


def test_a_bug_shows_its_traceback_to_whoever_asks(tmp_path: Path) -> None:
    code = "import pi_app.settings.load as s; s.load = None; from pi_app.cli.entry import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TRAPDIAL_TRACEBACK": "1"}
    done = run([sys.executable, "-c", code, "play"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 70
    assert "Traceback (most recent call last)" in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("Trapdial stopped because of a bug: TypeError (pi_app/cli/play.py line ")
