"""`trapdial station display`: what it says without a station, with one that goes and comes back, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.station.public.feed import SILENT_NS, PublicFeed
from tests.station.states import state
from tests.terminal import Terminal

ROOT = Path(__file__).resolve().parents[3]
GONE = "The table does not answer. This display waits, and comes back on its own."
ROUND_NS = 1_100_000_000
"""Of the machine's clock in these tests: longer than a display waits before it looks for a feed again."""
UNTIL_LOST = SILENT_NS // ROUND_NS + 2

Round = Callable[[int, int], None]
"""Called between two looks of the display, with the number of the round and the time."""


@pytest.fixture
def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command in a pipe and a folder of its own; Ctrl-C ends it after `rounds`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)

    def run(*words: str, rounds: int = UNTIL_LOST, each: Round = lambda number, now_ns: None) -> Result:
        passed = [0]

        def sleep(_: float) -> None:
            passed[0] += 1
            each(passed[0], passed[0] * ROUND_NS)
            if passed[0] >= rounds:
                signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr("pi_app.cli.station_display.time.sleep", sleep)
        monkeypatch.setattr("hardware.clock.MachineClock.now_ns", lambda self: passed[0] * ROUND_NS)
        return CliRunner().invoke(main, ["station", "display", *words], prog_name="trapdial")

    return run


def test_without_a_socket_it_says_so_once_and_waits_until_ctrl_c(display: Callable[..., Result]) -> None:
    done = display("--feed", "public.sock", rounds=3 * UNTIL_LOST)
    assert done.stdout.splitlines() == [GONE, "public.sock: no station has opened it", ""]
    assert (done.exit_code, done.stderr) == (130, "Stopped: Ctrl-C.\n")


def test_a_file_that_is_no_socket_and_a_name_that_is_too_long_are_said(
    display: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "public.sock").write_text("no socket")
    assert display("--feed", "public.sock").stdout.splitlines()[:2] == [GONE, "public.sock: no station listens there"]
    long = "x" * 200
    assert display("--feed", long).stdout.splitlines()[:2] == [GONE, f"{long}: the path is too long for a socket"]


def test_a_socket_of_another_user_says_what_to_do(
    display: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pi_app.station.public.feed.socket.socket.connect", refused)
    said = display("--feed", "public.sock").stdout.splitlines()[1]
    assert said == "public.sock: permission denied: run the display as the station's user or in its group"


def test_the_feed_is_where_the_service_puts_it(
    display: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    assert display().stdout.splitlines()[1] == f"{tmp_path}/run/public.sock: no station has opened it"


def test_a_station_that_dies_and_comes_back_is_told_each_time(display: Callable[..., Result], tmp_path: Path) -> None:
    feeds: list[PublicFeed] = []

    def each(number: int, now_ns: int) -> None:
        if number in (1, 20):
            feeds.append(PublicFeed(tmp_path / "public.sock"))
        if number == 5:
            feeds[0].close()
        if number in (3, 22):
            feeds[-1].show(state("closed", languages=("en",)), now_ns)

    done = display("--feed", "public.sock", rounds=24, each=each)
    feeds[-1].close()
    closed = ["Closed [SIMULATED]", ""]
    assert done.stdout.splitlines() == [*closed, GONE, "public.sock: no station has opened it", "", *closed]


def test_a_display_that_is_too_slow_is_dropped_and_comes_back(display: Callable[..., Result], tmp_path: Path) -> None:
    """The station writes more than a socket holds while the display stands still, as under a debugger."""
    feed = PublicFeed(tmp_path / "public.sock")
    dropped: list[bool] = []

    def each(number: int, now_ns: int) -> None:
        if number == 3:
            for visit in range(2_000):
                feed.show(state("attract" if visit % 2 else "free"), now_ns)
            dropped.append(feed.readers == 0)
        elif number not in (1, 2):
            feed.show(state("closed", languages=("en",)), now_ns)

    done = display("--feed", "public.sock", rounds=12, each=each)
    feed.close()
    assert dropped == [True]
    assert done.stdout.splitlines()[-2:] == ["Closed [SIMULATED]", ""]


def test_options_that_are_none_are_refused(display: Callable[..., Result]) -> None:
    done = display("--glyphs", "quarter")
    assert done.exit_code == 2
    assert "'quarter' is not one of 'auto', 'half', 'full'." in done.stderr


# ------------------------------------------------------------------------------------------------- on a terminal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "glyphs", "drawn", "missing"),
    [
        ((80, 25), "half", "▀", ""),
        ((80, 25), "full", "█", "▀▄"),
        ((30, 8), "half", "Tap. Turn. Hold.", "▀▄█"),
        ((12, 2), "half", "TRAPDIAL", "▀▄█"),
    ],
)
def test_it_draws_on_a_terminal_of_any_size_and_ctrl_c_gives_it_back(
    tmp_path: Path, size: tuple[int, int], glyphs: str, drawn: str, missing: str
) -> None:
    command = [sys.executable, "-m", "pi_app", "station", "display", "--feed", "public.sock", "--glyphs", glyphs]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (
        contextlib.closing(PublicFeed(tmp_path / "public.sock")) as feed,
        Terminal(command, tmp_path, environment, size) as terminal,
    ):
        for second in range(60):
            feed.show(state("attract", languages=("en",)), second * 1_000_000_000)
            terminal.settle()
            if drawn in terminal.text:
                break
        assert drawn in terminal.text
        assert not set(missing) & set(terminal.text)
        terminal.type("\x03")
        assert terminal.wait() == 0
        assert terminal.text == "", "the terminal is as it was"
