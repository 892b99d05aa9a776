"""A page process that a stranger has taken over tries to reach the table: its files, its memory, its keys, the network.

The tries run in a process of their own that has confined itself, with Landlock and seccomp together and each alone, as
another user and as the table's own. Every system call is made for real.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.pages import confined
from pi_app.pages.link import ProcessLink
from pi_app.pages.listening import listen, port_of
from pi_app.pages.messages import Confined, Counts, Setup

TRIES = r"""
import ctypes, json, os, socket, sys, threading
from pi_app.pages import confined
left_out, key, table, port, own = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "own"
library = ctypes.CDLL(None, use_errno=True)
class Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))
def other_memory():
    mine = ctypes.create_string_buffer(16)
    local, remote = Piece(ctypes.addressof(mine), 16), Piece(0x400000, 16)
    if library.process_vm_readv(table, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def traced():
    if library.ptrace(16, table, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def connected():
    socket.socket().connect(("127.0.0.1", port))
def bound():
    socket.socket().bind(("127.0.0.1", 0))
def started():
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
def forked():
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)
tries = {
    "read a key": lambda: open(key).read(),
    "write a key": lambda: open(key, "a"),
    "write a file": lambda: open(key + ".new", "w"),
    "list the keys": lambda: os.listdir(os.path.dirname(key)),
    "remove a key": lambda: os.unlink(key),
    "the table's memory": lambda: open(f"/proc/{table}/mem", "rb").read(1),
    "its memory by a call": other_memory,
    "its environment": lambda: open(f"/proc/{table}/environ", "rb").read(),
    "trace it": traced,
    "signal it": lambda: os.kill(table, 0),
    "connect": connected,
    "bind": bound,
    "start a program": started,
    "fork": forked,
}
steps = dict(confined.STEPS)
if own:
    del steps["a user of its own"], steps["no capabilities"]
for name in list(steps):
    if left_out and left_out in name:
        del steps[name]
before = {}
if own and left_out == "nothing at all":
    steps = {}
done = confined.confine(steps)
def failed(attempt):
    try:
        attempt()
    except (OSError, RuntimeError):
        return True
    return False
print(json.dumps([done.holds, done.lacks, [name for name, attempt in tries.items() if not failed(attempt)]]))
"""
KERNEL_HAS_LANDLOCK = "no files, signals or connections (Landlock)"
KERNEL_HAS_SECCOMP = "no files, programs or new sockets (seccomp)"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    folder.mkdir(mode=0o700)
    (folder / "device.key").write_text("secret")
    (folder / "device.key").chmod(0o600)
    return folder / "device.key"


@pytest.fixture
def port() -> Iterator[int]:
    listeners = listen("127.0.0.1", 0)
    yield port_of(listeners)
    listeners[0].close()


@pytest.fixture
def table() -> Iterator[int]:
    """Another process of this user's, in place of the table."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


def got_through(left_out: str, key: Path, table: int, port: int, own: bool) -> tuple[list[str], list[str], list[str]]:
    """What holds, what this system lacks, and the tries that succeeded."""
    command = [sys.executable, "-c", TRIES, left_out, str(key), str(table), str(port), "own" if own else "other"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    holds, lacks, through = json.loads(done.stdout)
    return holds, lacks, through


@pytest.mark.parametrize("own", [True, False], ids=["as the table's user", "as another user"])
def test_nothing_of_the_table_is_reached(key: Path, table: int, port: int, own: bool) -> None:
    holds, lacks, through = got_through("", key, table, port, own)
    assert through == []
    assert {KERNEL_HAS_SECCOMP, "no new privileges", "memory closed to other programs"} <= set(holds)
    assert set(lacks) <= {KERNEL_HAS_LANDLOCK, "a user of its own"}
    assert key.read_text() == "secret"


def test_seccomp_alone_is_enough_as_on_raspberry_pi_os(key: Path, table: int, port: int) -> None:
    holds, _, through = got_through("Landlock", key, table, port, own=True)
    assert (KERNEL_HAS_SECCOMP in holds, through) == (True, [])


def test_landlock_alone_keeps_files_memory_signals_and_connections(key: Path, table: int, port: int) -> None:
    """What it lets through is no way to the table: a port of its own choice needs a right that it does not have."""
    _, lacks, through = got_through("seccomp", key, table, port, own=True)
    if KERNEL_HAS_LANDLOCK in lacks:
        assert "read a key" in through  # this kernel has no Landlock, so seccomp alone holds
    else:
        assert set(through) <= {"fork"}


def test_the_tries_succeed_where_nothing_is_given_up(key: Path, table: int, port: int) -> None:
    _, _, through = got_through("nothing at all", key, table, port, own=True)
    assert {"read a key", "write a key", "list the keys", "remove a key", "its environment", "signal it", "connect",
            "bind", "start a program", "fork"} <= set(through)  # fmt: skip


def test_the_page_process_runs_confined_and_says_so() -> None:
    listeners = listen("127.0.0.1", 0)
    port = port_of(listeners)
    link = ProcessLink(Setup((f"localhost:{port}",), f"http://localhost:{port}/"), listeners)
    while not any(isinstance(message, Counts) for message in link.take()):
        assert link.trouble is None, link.last_words
    assert set(link.confined.holds) | set(link.confined.lacks) == set(confined.STEPS)
    status = Path(f"/proc/{link.process_id}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    assert (fields["NoNewPrivs"], fields["Seccomp"], int(fields["CapEff"], 16)) == ("1", "2", 0)
    if os.geteuid() == 0:
        assert fields["Uid"].split()[0] != "0"
        assert fields["Groups"].strip() == ""
    with socket.create_connection(("127.0.0.1", port)) as phone:
        phone.sendall(b"GET / HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n" % port)
        assert phone.makefile("rb").read().startswith(b"HTTP/1.1 200 OK\r\n")
    link.close()
    assert not Path(f"/proc/{link.process_id}").exists() or link.process_id is None


def test_the_doctor_can_try_what_this_system_has() -> None:
    found = confined.tried()
    assert isinstance(found, Confined)
    assert set(found.holds) | set(found.lacks) == set(confined.STEPS)
    assert KERNEL_HAS_SECCOMP in found.holds


def test_a_machine_that_is_not_known_does_without_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    done = confined.confine({"seccomp": confined.seccomp})
    assert done == Confined((), ("seccomp",))


@pytest.mark.parametrize("machine", confined.MACHINES)
def test_every_step_of_a_filter_lands_on_its_answer(machine: str) -> None:
    """The filter as the kernel would run it: refused calls, allowed ones, and another machine's."""
    architecture, numbers = confined.MACHINES[machine]
    program = confined.filter_program(architecture, numbers)
    steps = [
        (int.from_bytes(program[at : at + 2], "little"), program[at + 2], program[at + 3],
         int.from_bytes(program[at + 4 : at + 8], "little"))
        for at in range(0, len(program), 8)
    ]  # fmt: skip

    def refused(number: int, seen: int) -> bool:
        at, held = 0, 0
        while True:
            code, yes, no, value = steps[at]
            if code == 0x06:
                return value == 0x00050001
            if code == 0x20:
                held, at = (number if value == 0 else seen), at + 1
            else:
                at += 1 + (yes if (held == value if code == 0x15 else held >= value) else no)

    denied = {number for number in numbers.values() if number != confined.NONE}
    assert {number for number in range(500) if refused(number, architecture)} == denied
    assert refused(0, architecture ^ 1)
    assert refused(0x40000000 + 1, architecture)
