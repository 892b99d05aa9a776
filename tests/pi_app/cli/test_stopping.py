"""Signals: raised in the middle of a command, or requested of a game."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from pi_app.cli.ends import ENDS
from pi_app.cli.stopping import Stopped, raising, requesting


def send(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (signal.SIGHUP, "Stopped: its terminal was closed (SIGHUP)."),
        (signal.SIGINT, "Stopped: Ctrl-C."),
        (signal.SIGQUIT, "Stopped: Ctrl-\\ (SIGQUIT)."),
        (signal.SIGTERM, "Stopped: SIGTERM."),
    ],
)
def test_a_signal_raises_with_its_name_and_its_exit_code(number: int, line: str) -> None:
    with pytest.raises(Stopped) as stopped, raising():
        send(number)
    assert str(stopped.value) == line
    assert stopped.value.exit_code == 128 + number


def test_nothing_interrupts_the_closing() -> None:
    closed = []

    def command() -> None:
        try:
            send(signal.SIGTERM)
        finally:
            for number in ENDS:
                send(number)
            closed.append("all")

    with pytest.raises(Stopped) as stopped, raising():
        command()
    assert (closed, stopped.value.number) == (["all"], signal.SIGTERM)


class Finalized:
    """Gets a signal in its finalizer, where Python drops every exception."""

    def __del__(self) -> None:
        send(signal.SIGTERM)


def test_a_signal_in_a_finalizer_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)

    def command() -> None:
        value = Finalized()
        del value
        assert signal.sigtimedwait([], 30) is None, "the signal was lost"

    with pytest.raises(Stopped) as stopped, raising():
        command()
    assert (stopped.value.number, dropped) == (signal.SIGTERM, [])
    assert sys.unraisablehook == dropped.append


def test_nothing_interrupts_the_closing_after_a_request() -> None:
    closed = []

    def command() -> None:
        try:
            with requesting():
                send(signal.SIGHUP)
        finally:
            send(signal.SIGTERM)
            closed.append("all")

    with pytest.raises(Stopped) as stopped, raising():
        command()
    assert (closed, stopped.value.number) == (["all"], signal.SIGHUP)


def test_a_request_stops_a_loop_and_counts_at_the_end_of_the_block() -> None:
    done = []

    def play() -> None:
        with requesting("It goes on with --resume.") as request:
            request.calls(lambda: done.append("stop"))
            send(signal.SIGQUIT)
            done.append("the rest of the round")
            send(signal.SIGINT)

    with pytest.raises(Stopped) as stopped:
        play()
    assert done == ["stop", "the rest of the round", "stop"]
    assert str(stopped.value) == "Stopped: Ctrl-\\ (SIGQUIT). It goes on with --resume."
    assert stopped.value.exit_code == 131


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (False, "Stopped: SIGTERM."),
        (True, "Stopped: SIGTERM. The game is kept."),
    ],
)
def test_nothing_is_kept_before_there_is_a_journal(made: bool, told: str, tmp_path: Path) -> None:
    def play() -> None:
        with requesting("The game is kept.", tmp_path / "j.db"):
            if made:
                (tmp_path / "j.db").touch()
            send(signal.SIGTERM)

    with pytest.raises(Stopped) as stopped:
        play()
    assert str(stopped.value) == told


def test_a_request_that_comes_before_there_is_a_loop_stops_it_at_once() -> None:
    done: list[str] = []

    def play() -> None:
        with requesting() as request:
            send(signal.SIGTERM)
            assert done == []
            request.calls(lambda: done.append("stop"))
            assert done == ["stop"]

    with pytest.raises(Stopped):
        play()


def test_another_exception_goes_before_a_request() -> None:
    def play() -> None:
        with requesting():
            send(signal.SIGTERM)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play()


def test_handlers_are_given_back_and_an_ignored_hangup_stays_ignored() -> None:
    before = [signal.getsignal(number) for number in ENDS]
    kept = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raising():
            send(signal.SIGHUP)
        with requesting() as request:
            send(signal.SIGHUP)
        assert request.number is None
    finally:
        signal.signal(signal.SIGHUP, kept)
    assert [signal.getsignal(number) for number in ENDS] == before
