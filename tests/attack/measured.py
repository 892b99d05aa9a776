"""Command lines in a process of its own, with little memory: 200 MB more than the program has when it is loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOM_BYTES = 200_000_000
PATIENCE_S = 300
"""Far above what any of these takes. A command that waits for ever ends the test here."""

_CHILD = """
import json, resource, sys
from click.testing import CliRunner
from pi_app.cli.main import main
import pi_app.audit.decode, pi_app.audit.files, pi_app.audit.page, pi_app.audit.signing, pi_app.cli.audit_output
import pi_app.audit.replay, pi_app.journal.archive, pi_app.rooms.settings, pi_app.settings.load
lines, room = json.load(sys.stdin)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
open("/proc/self/clear_refs", "w").write("5")  # the most so far is what it has now
most = lambda: int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) * 1024
before = most()
found = []
for line in lines:
    result = CliRunner().invoke(main, line)
    trouble = result.exception
    found.append([result.exit_code, result.stdout[-9000:], result.stderr[-9000:],
                  None if trouble is None or isinstance(trouble, SystemExit) else repr(trouble)])
print(json.dumps([found, most() - before]))
"""


@dataclass(frozen=True)
class Answer:
    """What one command line said. `trouble`: an exception that it did not handle."""

    code: int
    out: str
    err: str
    trouble: str | None


def answers(lines: Sequence[Sequence[str | Path]]) -> tuple[list[Answer], int]:
    """Run each command line of `trapdial`; return the answers, and the bytes of memory that all took at most."""
    texts = [[str(word) for word in line] for line in lines]
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=json.dumps([texts, ROOM_BYTES]),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, taken = json.loads(done.stdout.splitlines()[-1])
    return [Answer(*each) for each in found], taken


def refusals(lines: Sequence[Sequence[str | Path]]) -> list[str]:
    """Run command lines that must all be refused with exit code 2 and nothing else printed; return their messages."""
    found, taken = answers(lines)
    assert taken < ROOM_BYTES
    for line, answer in zip(lines, found, strict=True):
        assert (answer.code, answer.out, answer.trouble) == (2, "", None), (line, answer)
    return [answer.err for answer in found]
