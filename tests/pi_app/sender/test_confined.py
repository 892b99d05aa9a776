"""A sender that a stranger has taken over tries to reach the table: the running game's key, its journal, other ports.

The tries run in a process of their own that has confined itself as the sender does. Every system call is real.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.journal import Journal
from pi_app.journal.cosigned import cosigned_folder
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started

TRIES = r"""
import json, os, socket, sys
from pathlib import Path
from pi_app.journal import raw
from pi_app.sender.confined import confine
from pi_app.text.private_files import make_folder, replace_file
record, port, other, table = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
keys, notes = record.with_name(record.name + ".keys"), record.with_name(record.name + ".cosigned")
make_folder(notes)
def rows():
    with raw(record) as journal:
        assert len(list(journal.rows())) == 1
def connected(to):
    socket.create_connection(("127.0.0.1", to)).close()
tries = {
    "read the record": rows,
    "keep a cosignature": lambda: replace_file(notes / "notes", b"x"),
    "find a computer": lambda: socket.getaddrinfo("localhost", 80),
    "reach the centre": lambda: connected(port),
    "list the keys": lambda: os.listdir(keys),
    "read the game's key": lambda: open(sys.argv[5]).read(),
    "read the device's key": lambda: open(keys / "device.key").read(),
    "move the game's key": lambda: os.rename(sys.argv[5], notes / "stolen"),
    "link the game's key": lambda: os.link(sys.argv[5], notes / "linked"),
    "remove the game's key": lambda: os.unlink(sys.argv[5]),
    "write the record": lambda: open(record, "r+b").write(b"x"),
    "write its log": lambda: open(str(record) + "-wal", "r+b"),
    "cut the record": lambda: os.truncate(record, 10),
    "remove the record": lambda: os.unlink(record),
    "write beside it": lambda: open(record.parent / "new", "w"),
    "read the settings": lambda: open(record.parent / "trapdial.toml").read(),
    "the table's memory": lambda: open(f"/proc/{table}/mem", "rb").read(1),
    "its environment": lambda: open(f"/proc/{table}/environ", "rb").read(),
    "signal it": lambda: os.kill(table, 0),
    "reach another port": lambda: connected(other),
    "listen": lambda: socket.create_server(("127.0.0.1", 0)),
    "start a program": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
}
done = confine(record, {port}) if sys.argv[6] == "confined" else False
def worked(attempt):
    try:
        attempt()
    except Exception:
        return False
    return True
print(json.dumps([done, [name for name, attempt in tries.items() if worked(attempt)]]))
"""
NEEDED = ["read the record", "keep a cosignature", "find a computer", "reach the centre"]


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Path]:
    """A record of a game that is on."""
    path = tmp_path / "journal.db"
    (tmp_path / "trapdial.toml").write_text("secret")
    with Journal(path, MAGE_KNIGHT) as journal:
        journal.append("g1", NO_GAME, started())
        yield path


def got_through(record: Path, how: str) -> tuple[bool, list[str]]:
    (game,) = (each for each in jn.keys_of(record).folder.iterdir() if each.name.startswith("game-"))
    with (
        socket.create_server(("127.0.0.1", 0)) as centre,
        socket.create_server(("127.0.0.1", 0)) as other,
        subprocess.Popen(["sleep", "60"]) as table,
    ):
        ports = [str(each.getsockname()[1]) for each in (centre, other)]
        command = [sys.executable, "-c", TRIES, str(record), *ports, str(table.pid), str(game), how]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        table.kill()
    assert done.stderr == ""
    confined, through = json.loads(done.stdout)
    return confined, through


def test_the_record_is_all_that_a_sender_can_reach(record: Path) -> None:
    confined, through = got_through(record, "confined")
    if not confined:
        pytest.skip("this kernel has no Landlock")
    assert through == NEEDED
    assert sorted(os.listdir(cosigned_folder(record))) == ["notes"]
    assert jn.verify(record).size == 1


def test_the_tries_succeed_where_nothing_is_given_up(record: Path) -> None:
    confined, through = got_through(record, "open")
    assert not confined
    expected = {"list the keys", "read the game's key", "read the device's key", "read the settings", "its environment"}
    assert {*NEEDED, *expected, "reach another port", "signal it", "listen", "start a program"} <= set(through)
