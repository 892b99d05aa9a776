"""`trapdial record`, as it is typed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.journal import Journal
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.settings.load import example_path
from tests.pi_app.games import started
from tests.terminal import Terminal


def settings(folder: Path) -> Path:
    if not (folder / "trapdial.toml").exists():
        shutil.copy(example_path("2x2"), folder / "trapdial.toml")
    return folder / "trapdial.toml"


def run(folder: Path, *words: str) -> Result:
    file = str(folder / "r.csv")
    return CliRunner().invoke(main, ["record", "--settings", str(settings(folder)), "-o", file, *words])


def test_what_is_recorded_of_one_square_decode_reads_back(tmp_path: Path) -> None:
    result = run(tmp_path, "--simulated", "--square", "T02", "--seconds", "8")
    assert result.exit_code == 0, result.output
    said = result.stderr.splitlines()
    assert said[0] == "SIMULATED: these are not real dials."
    assert said[1].startswith("This file shows where the dials stand.")
    assert said[2].startswith(f"{tmp_path}/r.csv: ")
    decoded = CliRunner().invoke(main, ["decode", str(tmp_path / "r.csv"), "--json"])
    assert decoded.exit_code == 0, decoded.output
    assert '"path": "followed"' in decoded.stdout


def test_the_same_seed_records_the_same(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert run(tmp_path / name, "--simulated", "--seconds", "3", "--seed", "11").exit_code == 0
        files.append((tmp_path / name / "r.csv").read_bytes())
    assert files[0] == files[1]
    assert files[0].startswith(b"t_ns,square,raw,status\n")


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("precious")
    result = run(tmp_path, "--simulated", "--seconds", "1")
    assert result.exit_code == 2
    said = f"{tmp_path}/r.csv: it is already there. Give another name, or say --overwrite."
    assert result.stderr.splitlines()[-1] == said
    assert (tmp_path / "r.csv").read_text() == "precious"
    assert run(tmp_path, "--simulated", "--seconds", "1", "--overwrite").exit_code == 0
    assert (tmp_path / "r.csv").read_text().startswith("t_ns,")


def test_it_is_refused_while_a_game_is_open(tmp_path: Path) -> None:
    settings(tmp_path)
    with Journal(tmp_path / "journal.db", MAGE_KNIGHT) as journal:
        moment = journal.append("g1", NO_GAME, started())
        result = run(tmp_path, "--seconds", "1")
        assert result.exit_code == 2
        assert result.stderr == (
            f"{tmp_path}/journal.db: game g1 in it has not ended, and the dials' samples would reveal its secrets. "
            "End the game first, or say --in-play; its record then gets an entry, and its audit a finding (S-9).\n"
        )
        assert not (tmp_path / "r.csv").exists()
        journal.append("g1", moment, ev.Ended())


def test_a_missing_bus_exits_1_and_leaves_no_file(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace("/dev/i2c-1", "/dev/i2c-251")
    (tmp_path / "trapdial.toml").write_text(text.replace("reset_gpio = 17", "#"), encoding="utf-8")
    result = run(tmp_path, "--seconds", "1")
    assert result.exit_code == 1
    assert "I2C bus (/dev/i2c-251) is not there." in result.stderr
    assert not (tmp_path / "r.csv").exists()


def test_an_unknown_square_exits_2(tmp_path: Path) -> None:
    result = run(tmp_path, "--simulated", "--square", "T99")
    assert result.exit_code == 2
    assert "has no square 'T99'" in result.stderr


@pytest.mark.slow
def test_ctrl_c_leaves_a_whole_file(tmp_path: Path) -> None:
    """In a process of its own: without --seconds it records until it is told to stop."""
    command = [
        sys.executable,
        "-c",
        "from pi_app.cli.main import main; main()",
        "record",
        "--simulated",
        "--settings",
        str(settings(tmp_path)),
        "-o",
        str(tmp_path / "r.csv"),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stderr is not None
        while "do not open it" not in process.stderr.readline():
            assert process.poll() is None
        while not (tmp_path / "r.csv").exists() or (tmp_path / "r.csv").stat().st_size < 100:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 0
    lines = (tmp_path / "r.csv").read_text().splitlines(keepends=True)
    assert all(line.endswith("\n") and line.count(",") == 3 for line in lines)
    assert said == f"{tmp_path}/r.csv: {len(lines) - 1} samples, 0 of them failed reads.\n"


def test_without_a_terminal_and_a_file_there_is_nothing_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["record", "--settings", str(settings(tmp_path)), "--simulated"])
    assert result.exit_code == 2
    assert "There is nothing to do: run it in a terminal, or name a file with -o FILE.csv." in result.stderr


def at_a_terminal(folder: Path, *words: str) -> Terminal:
    command = [sys.executable, "-c", "from pi_app.cli.main import main; main()", "record", "--simulated", *words]
    return Terminal([*command, "--settings", str(settings(folder)), "--square", "T01"], folder, os.environ)


@pytest.mark.slow
def test_a_terminal_draws_the_angle_live_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    with at_a_terminal(tmp_path) as terminal:
        terminal.wait_for("SIMULATED. Ctrl-C ends")
        terminal.wait_for("clockwise, 0.1")  # a simulated hand turns the dial
        assert "T01 AS5600" in terminal.text
        assert "degrees, the last 10 s" in terminal.text
        os.kill(terminal.pid, signal.SIGINT)
        assert terminal.wait() == 0
        assert "the last 10 s" not in terminal.text
        assert "T01 turned" in terminal.text
        assert "times round" in terminal.text
    assert list(tmp_path.glob("*.csv")) == []


@pytest.mark.slow
def test_no_draw_only_writes_the_file(tmp_path: Path) -> None:
    with at_a_terminal(tmp_path, "--no-draw", "--seconds", "2", "-o", "r.csv") as terminal:
        assert terminal.wait() == 0
        assert "degrees" not in terminal.text
    assert (tmp_path / "r.csv").read_text().startswith("t_ns,raw,status\n")
