"""`trapdial play` opens a port for phones only if the settings have [pages]: read off the process itself."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pi_app.settings.load import example_path

WATCHED = """
import json, os, sys
from pi_app.play.loop import Loop

stepped, seen = Loop.step, []

def step(self):
    stepped(self)
    if self.ready and not seen:
        own = os.listdir("/proc/self/fd")
        ends = [os.readlink(f"/proc/self/fd/{fd}") for fd in own if os.path.exists(f"/proc/self/fd/{fd}")]
        seen.append(ends)
        told = {
            "sockets": sum(end.startswith("socket:") for end in ends),
            "imported": sorted(name for name in sys.modules if name.startswith("pi_app.pages")),
        }
        open(sys.argv[1], "w").write(json.dumps(told))

Loop.step = step
from pi_app.cli.main import main
main(["play", "--simulated", "--settings", sys.argv[2]], standalone_mode=False)
"""


def watched(folder: Path, section: str) -> dict[str, Any]:
    """Play for a moment with this section in the settings; return what the process had open."""
    file, told = folder / "trapdial.toml", folder / "told.json"
    shutil.copy(example_path("2x2"), file)
    file.write_text(file.read_text() + section)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(told), str(file)],
        input="status\nquit\n",
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(told.read_text())
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_without_pages_no_socket_is_open_and_nothing_of_them_is_imported(tmp_path: Path) -> None:
    told = watched(tmp_path, "")
    assert told == {"sockets": 0, "imported": []}


def test_with_pages_the_port_is_open(tmp_path: Path) -> None:
    port = free_port()
    told = watched(tmp_path, f'\n[pages]\naddress = "127.0.0.1"\nport = {port}\n')
    assert told["sockets"] >= 1
    assert {"pi_app.pages.joining", "pi_app.pages.link"} <= set(told["imported"])
    with socket.socket() as again:  # it was closed with the table
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


@pytest.mark.slow
def test_a_port_that_another_program_has_is_refused_in_words(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        file = tmp_path / "trapdial.toml"
        shutil.copy(example_path("2x2"), file)
        file.write_text(file.read_text() + f'\n[pages]\naddress = "127.0.0.1"\nport = {port}\n')
        done = subprocess.run(
            [sys.executable, "-m", "pi_app", "play", "--simulated", "--settings", str(file)],
            input="quit\n",
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            timeout=120,
        )
    assert done.returncode == 2
    assert f"[pages]: port {port} is taken by another program" in done.stderr
    assert "Traceback" not in done.stderr
