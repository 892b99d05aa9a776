"""`trapdial centre demo`: tables really hand over, the odd ones are found, and nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli import centre_demo
from pi_app.cli.main import main
from pi_app.simulated import fleet

ODD: dict[int, fleet.Oddity] = {1: "silent", 2: "cloned", 3: "no clock"}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def demo(*words: str) -> Result:
    return CliRunner().invoke(main, ["centre", "demo", *words])


def test_what_is_odd_is_said_handed_over_and_found(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "ODD", ODD)
    done = demo("--auto", "--sqlite", "--tables", "4")
    lines = done.stdout.splitlines()
    assert (done.exit_code, done.stderr) == (0, "")
    assert lines[0].startswith("SIMULATED: 4 tables in play on this machine. No real dial is read: chips, hands")
    assert lines[1] == "The database: SQLite. It was asked for."
    assert (
        "Table 2 of Brass Cog is odd: its memory card is copied, and both copies play on with the same keys." in lines
    )
    sizes = [re.fullmatch(r"Table (\d) of Brass Cog: (\d+) entries, cosigned\.", line) for line in lines]
    assert [int(each[1]) for each in sizes if each] == [1, 2, 3, 4]
    assert all(int(each[2]) > 5 for each in sizes if each)
    known = dict(line.split(" of Brass Cog: ") for line in lines[-5:-1])
    assert known["Table 1"].startswith("silent since ")
    assert known["Table 2"].startswith("forked: its record has two histories")
    assert known["Table 3"].startswith("its clock is not set")
    assert known["Table 4"] in ("plays; SIMULATED.", "idle; SIMULATED.")
    assert re.fullmatch(r"SIMULATED: 4 tables handed \d+ entries over, and the centre cosigned 9 times\.", lines[-1])
    assert list(temporary.iterdir()) == []
    assert [each.name for each in threading.enumerate() if each.name == "centre"] == []


@pytest.mark.slow
def test_each_odd_one_of_twenty_tables_is_found_and_no_other(temporary: Path) -> None:
    done = demo("--auto")
    known = dict(re.findall(r"^(Table \d+) of [^:]+: (\D.*)$", done.stdout, re.MULTILINE))
    odd = {name: words for name, words in known.items() if words not in ("plays; SIMULATED.", "idle; SIMULATED.")}
    assert (done.exit_code, len(known)) == (0, 20)
    assert {name: words.partition(":")[0].partition(" since")[0] for name, words in odd.items()} == {
        "Table 3": "worn",
        "Table 7": "silent",
        "Table 11": "forked",
        "Table 16": "its clock is not set; plays; SIMULATED.",
    }
    assert list(temporary.iterdir()) == []


def test_without_postgresql_it_says_so(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.centre.store.cluster.programs", lambda: None)
    done = demo("--auto", "--tables", "1")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1] == f"The database: SQLite. {centre_demo.NO_POSTGRES}"


def test_a_port_that_is_taken_is_named(temporary: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        done = demo("--auto", "--sqlite", "--port", str(taken))
    assert (done.exit_code, done.stderr) == (2, f"--port: port {taken} is taken. Name another port.\n")
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_a_signal_ends_tables_that_play_on(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pi_app.cli.entry", "centre", "demo", "--sqlite", "--tables", "1"]
    here = str(Path(__file__).resolve().parents[3])
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": here}
    with (
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process,
        contextlib.ExitStack() as closing,
    ):
        closing.callback(process.kill)
        assert process.stdout is not None
        before = []
        while (line := process.stdout.readline()) != f"{centre_demo.ALL_THERE}\n":
            assert line, process.communicate()[1]
            before.append(line)
        at = before.index(f"{centre_demo.FILES}\n")
        asked = [CliRunner().invoke(main, words.split()[1:]) for words in before[at + 1 : at + 3]]
        assert (asked[0].exit_code, asked[0].stdout) == (0, "Nothing was found.\n")
        assert asked[1].exit_code in (0, 3)
        assert "demo.invalid/centre" in asked[1].stdout
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (143, "Stopped: SIGTERM.\n")
    assert output.splitlines()[-1].startswith("SIMULATED: 1 table handed ")
    assert list(tmp_path.iterdir()) == []
