"""The real mpremote on a simulated board whose hub runs; `tests/firmware_host/test_link_and_board.py` installs one."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_host.sims.bad_wire import BadWire
from firmware_host.sims.board_twin import BoardTwin
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
def test_it_breaks_in_works_and_leaves_a_hub(tmp_path: Path) -> None:
    with BoardTwin([], UID, 8, tmp_path, interpreter=real(), wire=BadWire()) as board:
        with Port(board.port) as port:
            port.hello()
        assert mpremote(board, "exec", "import board; print(board.MUXES)") == "(112,)\n"
        assert "main.py" in mpremote(board, "fs", "ls")
        mpremote(board, "reset")
        assert board.wait(lambda: board.starts == 2, DEADLINE_S)
        with Port(board.port) as port:
            port.hello()
