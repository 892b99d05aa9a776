"""The real mpremote against a simulated board: what the installer relies on."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_host.hub import wire
from firmware_host.sims.bad_wire import BadWire
from firmware_host.sims.board_twin import FIRMWARE, BoardTwin
from pi_app.cli import main
from tests.firmware_host.sims.port import DEADLINE_S, UID, Port, real

pytestmark = pytest.mark.skipif(importlib.util.find_spec("mpremote") is None, reason="mpremote is not installed")


def mpremote(board: BoardTwin, *words: str) -> str:
    done = subprocess.run(
        (sys.executable, "-m", "mpremote", "connect", str(board.port), *words),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_installer_puts_it_on_a_bare_board_and_on_one_that_runs(tmp_path: Path) -> None:
    with BoardTwin([], UID, 8, tmp_path, interpreter=real(), wire=BadWire(), bare=True) as board:
        port = ["--port", str(board.port), "--settings", str(tmp_path / "none.toml")]
        for board_file in (["copied board.py"], []):
            done = CliRunner().invoke(main, ["hub", "install", *port])
            assert done.exit_code == 0, done.output
            told = done.stdout.splitlines()
            assert told[-1] == f"board {UID} runs firmware 1.0.0 and has 8 dials"
            assert [line for line in told if "board.py" in line] == board_file
            (board.files / "board.py").write_text((board.files / "board.py").read_text() + "WIRED = (0, 3)\n")
        found = CliRunner().invoke(main, ["hub", "diag", *port])
        assert found.output.count("magnet good") == 2


@pytest.mark.slow
def test_the_firmware_is_copied_to_a_bare_board_and_runs(tmp_path: Path) -> None:
    with BoardTwin([], UID, 8, tmp_path, interpreter=real(), wire=BadWire(), bare=True) as board:
        hub = [str(file) for file in sorted((FIRMWARE / "hub").glob("*.py"))]
        words = ["fs", "mkdir", ":hub", "+", "fs", "cp", *hub, ":hub/", "+"]
        for name in ("board.py", "boot.py", "main.py"):
            words += ["fs", "cp", str(FIRMWARE / "board" / name), f":{name}", "+"]
        mpremote(board, *words, "reset")
        assert board.wait(lambda: board.starts == 2, DEADLINE_S)
        with Port(board.port) as port:
            assert tuple(port.hello()[16:19]) == wire.FIRMWARE
            port.stream(20)
            port.good(8)
        assert "main.py" in mpremote(board, "fs", "ls")
        assert (board.files / "hub" / "wire.py").read_bytes() == (FIRMWARE / "hub" / "wire.py").read_bytes()


def test_a_session_of_maintenance_on_a_running_hub(tmp_path: Path) -> None:
    with BoardTwin([], UID, 8, tmp_path, interpreter=real(), wire=BadWire()) as board:
        with Port(board.port) as port:
            port.hello()
        assert mpremote(board, "exec", "print(6 * 7)") == "42\n"
        mpremote(board, "reset")
        assert board.wait(lambda: board.starts == 2, DEADLINE_S)
