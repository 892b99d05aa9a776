"""A PostgreSQL of one's own is gone afterwards, also if the program that used it was killed."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pi_app.centre.store.cluster import cluster, programs

KEEPS = """
import sys
from pi_app.centre.store.cluster import cluster
with cluster({"fsync": "off"}) as here:
    print(here.folder, flush=True)
    sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(programs() is None, reason="no PostgreSQL is installed (apt install postgresql)")


def _end(numbers: Sequence[int], at: Callable[[], None]) -> None:
    """Do something, and wait until these processes have ended by that."""
    with contextlib.ExitStack() as closing:
        watched = [os.pidfd_open(number) for number in numbers]
        for each in watched:
            closing.callback(os.close, each)
        at()
        for each in watched:
            assert select.select([each], [], [], 60.0)[0], "it still runs"


def _server(folder: Path) -> int:
    return int((folder / "data" / "postmaster.pid").read_text(encoding="ascii").splitlines()[0])


def test_a_program_that_is_killed_leaves_no_server_and_no_folder() -> None:
    with subprocess.Popen([sys.executable, "-c", KEEPS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().decode().strip())
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii")
        _end([_server(folder), *map(int, children.split())], process.kill)
    assert not folder.exists()


def test_nothing_is_left_afterwards() -> None:
    with contextlib.ExitStack() as using:
        here = using.enter_context(cluster({"fsync": "off"}))
        _end([_server(here.folder)], using.close)
    assert not here.folder.exists()
