"""Another program of the same user, or a crash, shows what the game has in memory.

Neither does: the program allows no core file, and no program of the same user may attach to it or read its memory. An
error prints no values. Root can read everything; wiring_docs/secrets.md says so.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

BEGIN = """
import ctypes, os, signal, sys
from pi_app.cli import entry, main

def command():
    {command}

main.main = command
entry.main()
"""


def run(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program with another command in the place of its own; core files would be allowed and lie in `folder`."""

    def allow_core_files() -> None:
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))

    return subprocess.run(
        [sys.executable, "-c", BEGIN.format(command=command.replace("\n", "\n    "))],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        preexec_fn=allow_core_files,
        timeout=60,
    )


def test_the_program_says_of_itself_that_it_leaves_no_core_and_cannot_be_read(tmp_path: Path) -> None:
    done = run(
        "print(*[line for line in open('/proc/self/limits') if 'core' in line])\n"
        "print('dumpable', ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))",
        tmp_path,
    )
    limits, dumpable = done.stdout.split("\n", 1)
    assert limits.split() == ["Max", "core", "file", "size", "0", "0", "bytes"]
    assert dumpable.split() == ["dumpable", "0"]


@pytest.mark.parametrize("signal", ["SIGSEGV", "SIGABRT"])
def test_a_crash_leaves_no_core_file(tmp_path: Path, signal: str) -> None:
    done = run(f"os.kill(os.getpid(), signal.{signal})", tmp_path)
    assert done.returncode < 0
    assert list(tmp_path.iterdir()) == []


READER = """
import ctypes, os, sys
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
attached = ctypes.CDLL(None, use_errno=True).ptrace(0x4206, int(sys.argv[1]), 0, 0)
try:
    os.close(os.open(f"/proc/{sys.argv[1]}/mem", os.O_RDONLY))
    read = "read"
except OSError as error:
    read = error.strerror
print(attached, read)
"""
"""PTRACE_SEIZE and a look at the memory, as an ordinary user."""


@pytest.mark.parametrize("private", [True, False])
def test_another_program_of_the_same_user_cannot_read_its_memory(tmp_path: Path, private: bool) -> None:
    """Both programs are one ordinary user's. Root, who may run this test, becomes that user first."""
    if os.geteuid() != 0:
        user = ""
    else:
        user = "import os; os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)\n"
    guard = "from hardware.private_memory import keep_memory_private; keep_memory_private()\n" if private else ""
    allow = "import ctypes; ctypes.CDLL(None).prctl(4, 1, 0, 0, 0); ctypes.CDLL(None).prctl(0x59616D61, -1, 0, 0, 0)\n"
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import ctypes, resource, hardware.private_memory\n{user}{allow}{guard}print(1, flush=True); input()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as secretive:
        assert secretive.stdout is not None
        assert secretive.stdin is not None
        secretive.stdout.readline()
        reader = READER if os.geteuid() == 0 else READER.replace("os.set", "len or os.set")
        seen = subprocess.run(
            [sys.executable, "-c", reader, str(secretive.pid)], capture_output=True, text=True, check=True
        ).stdout.split(maxsplit=1)
        secretive.stdin.write("\n")
    assert seen == (["-1", "Permission denied\n"] if private else ["0", "read\n"])


def test_an_error_that_no_command_handles_is_a_line_without_its_text(tmp_path: Path) -> None:
    done = run("secret = 'the trap is a cage'\nraise ValueError(secret)", tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("Trapdial stopped because of a bug: ValueError (")
    assert "cage" not in done.stderr


def test_an_error_of_a_thread_is_a_line_without_its_text(tmp_path: Path) -> None:
    thread = "import threading\nt = threading.Thread(target=lambda: int('the trap is a cage'))\nt.start()\nt.join()"
    done = run(thread, tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("Trapdial stopped because of a bug: ValueError (")
    assert "cage" not in done.stderr
    assert "the trap is a cage" in run(thread, tmp_path, TRAPDIAL_TRACEBACK="1").stderr


def test_a_fault_in_a_library_names_lines_and_no_values(tmp_path: Path) -> None:
    done = run("secret = 'the trap is a cage'\nctypes.string_at(0)", tmp_path, PYTHONFAULTHANDLER="1")
    assert "Segmentation fault" in done.stderr
    assert "cage" not in done.stderr
    assert list(tmp_path.iterdir()) == []
