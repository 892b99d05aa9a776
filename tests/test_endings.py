"""However a game ends, no screen and no lamp stays lit: each signal, a bug, a dead scan, a kill, with real processes
and the screens' own memory read back."""

from __future__ import annotations

import os
import select
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.settings import example_path
from tests.served_table import CRASHES, ENDS, ServedTable

WELL_CLOSED = ["journal.db", "journal.db.keys"]
PLAY = ("play", "--unchecked", "--settings", "trapdial.toml")


@pytest.fixture
def at(tmp_path: Path) -> Iterator[ServedTable]:
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    table = ServedTable(tmp_path)
    yield table
    table.close()


def children(process_id: int) -> list[int]:
    """The processes that this one has started."""
    tasks = Path(f"/proc/{process_id}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def is_gone(process_id: int) -> bool:
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


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
    assert at.errors.endswith("The game is kept; it goes on with --resume.\n")
    assert at.errors.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", CRASHES)
def test_after_a_kill_or_a_crash_the_watchdog_makes_all_dark(at: ServedTable, number: signal.Signals) -> None:
    with at.played(*PLAY) as process:
        at.show_a_face()
        (watchdog,) = children(process.pid)
        assert os.getsid(watchdog) == watchdog
        ended = os.pidfd_open(watchdog)
        os.killpg(process.pid, number)
        assert process.wait(30) == -number
        at.until(lambda: at.dark, "dark after a kill")
        lamps = sorted(gpio for seat in at.settings.seats.values() if (gpio := seat.lamp_gpio) is not None)
        at.until(lambda: sorted(gpio for _, gpio, _ in at.driven) == lamps, "every lamp's pin is low")
        assert {level for _, _, level in at.driven} == {0}
        assert select.select([ended], [], [], 30)[0] == [ended], "the watchdog ends"
        os.close(ended)
    with at.played(*PLAY, "--resume") as process:
        at.until(at.said("public   | Rules:"), "the game goes on")
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
    assert at.errors.endswith("goes on with --resume; TRAPDIAL_TRACEBACK=1 shows more.\n")
    assert at.errors.count("\n") == 1
    assert "stands at" not in at.errors, "an error's own words may be a secret"


@pytest.mark.slow
def test_play_goes_on_when_nobody_reads_its_output(at: ServedTable) -> None:
    at.deaf = True
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
    assert at.errors == (
        "Standard output was closed (Broken pipe). Play goes on without it; Ctrl-C or SIGTERM ends it.\n"
    )


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_interrupt_the_closing(at: ServedTable) -> None:
    with at.played(*PLAY) as process:
        at.show_a_face()
        for _ in range(5):
            process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert at.dark
    assert at.files() == WELL_CLOSED
    assert at.errors == "Stopped: Ctrl-C. The game is kept; it goes on with --resume.\n"
