"""A fresh clone as most people will have it: README's two commands in a bare Debian, and nothing else.

`python -m tests.fresh` clones the last commit into the home folder of an ordinary user and of root, in Debian 12 and
13, below a folder with a blank in its name, and types `make demo` and `make test` there. The systems have Python with
venv, make and certificates alone; no package is cached; /dev/shm cannot be written by the ordinary user. `--short` is
what CI runs: Debian 13, the ordinary user.
What the tests skip there is said with its reason.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.arm.root import BUILD, PROJECT
from tests.fresh.pip_here import PipHere, read_pip_here
from tests.programs import CannotRun, ran
from tests.station.package.roots import NEWEST, SUITES, Root, check_machine, root

INCLUDED: Final = ("python3", "python3-venv", "make", "ca-certificates")
ENTER: Final = Path(__file__).with_name("enter.sh")
NAMESPACES: Final = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
COMMANDS: Final = ("make demo", "make test")
FOLDER: Final = "my games/trapdial"
SECONDS: Final = 2400.0
LAST: Final = 20
"""Lines of a failed command that are shown."""


@dataclass(frozen=True, slots=True)
class User:
    """Who types. `memory`: how /dev/shm is mounted for them."""

    name: str
    number: int
    home: str
    memory: str


ANN: Final = User("ann", 1000, "/home/ann", "ro")
ROOT: Final = User("root", 0, "/root", "rw")
LONG: Final = tuple((suite, user) for suite in SUITES for user in (ANN, ROOT))
SHORT: Final = ((NEWEST, ANN),)


class FailedError(Exception):
    """A command failed, or left something behind; the text says which and why."""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fresh", description=__doc__)
    parser.add_argument("--short", action="store_true", help="Debian 13, the ordinary user")
    asked = parser.parse_args(words)
    results = [_passes(suite, user, forgiven=asked.short) for suite, user in (SHORT if asked.short else LONG)]
    print(f"fresh clone: {'passed' if all(results) else 'FAILED'}", flush=True)
    return 0 if all(results) else 1


def _passes(suite: str, user: User, *, forgiven: bool) -> bool:
    """Whether both commands do. `forgiven`: whether a machine may be unable to try it."""
    name = f"{SUITES[suite]}, {user.name}"
    try:
        check_machine()
        with root(suite, INCLUDED) as system:
            _prepare(system, user)
            for command in COMMANDS:
                began = time.monotonic()
                about = _type(system, user, command, read_pip_here())
                print(f"fresh clone: {name}: {command}: {about} ({time.monotonic() - began:.0f} s)", flush=True)
            _check_tree(system, user)
    except CannotRun as reason:
        print(f"fresh clone: {name}: NOT RUN HERE, because {reason}", flush=True)
        return forgiven
    except FailedError as trouble:
        print(f"fresh clone: {name}: FAILED: {trouble}", flush=True)
        return False
    return True


def _clone(system: Root, user: User) -> Path:
    return system.folder / user.home[1:] / FOLDER


def _prepare(system: Root, user: User) -> None:
    """Make the user and the clone. Raises CannotRun."""
    if user.number:
        ran(["chroot", str(system.folder), "/usr/sbin/useradd", "--create-home", "--uid", str(user.number), user.name])
    clone = _clone(system, user)
    ran(["git", "clone", "--quiet", "--no-hardlinks", str(PROJECT), str(clone)])
    ran(["chown", "-R", f"{user.number}:{user.number}", str(clone.parent)])


def _type(system: Root, user: User, command: str, pip: PipHere) -> str:
    """Type a command as a user does; what it came to. Raises FailedError."""
    (system.folder / "etc/pip.conf").write_text(pip.config, encoding="utf-8")
    for name in ("resolv.conf", "hosts"):
        (system.folder / "etc" / name).write_bytes(Path("/etc", name).read_bytes())
    told = {"HOME": user.home, "USER": user.name, "LANG": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    place = f"{user.home}/{FOLDER}"
    words = ["sh", str(ENTER), str(system.folder), str(user.number), place, user.memory, command, *map(str, pip.paths)]
    done = subprocess.run(
        [*NAMESPACES, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**told, **pip.environment},
        encoding="utf-8", errors="replace", timeout=SECONDS, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        log = BUILD / f"fresh-{user.name}.log"
        log.write_text(done.stdout, encoding="utf-8")
        raise FailedError(f"{command} ended with {done.returncode}; {log} has all of it:\n{pick_failures(done.stdout)}")
    return describe(done.stdout)


def pick_failures(printed: str) -> str:
    """Pick what names failed tests, and the last lines."""
    lines = printed.splitlines()
    return "\n".join([line for line in lines[:-LAST] if line.startswith(("FAILED ", "ERROR "))] + lines[-LAST:])


def describe(printed: str) -> str:
    """Say what a command came to: pytest's counts, and each reason for what it skipped; else that it ended well."""
    counts = re.search(r"^=*\s*(\d+ passed.*?)\s*=*$", printed, re.MULTILINE)
    reasons = Counter[str]()
    for number, reason in re.findall(r"^SKIPPED \[(\d+)\] \S+: (.*)$", printed, re.MULTILINE):
        reasons[reason] += int(number)
    lines = [f"\n    {number} skipped: {reason}" for reason, number in reasons.most_common()]
    return (counts[1] if counts else "ended well") + "".join(lines)


def _check_tree(system: Root, user: User) -> None:
    """Check that the clone is as it was. Raises FailedError."""
    words = ["git", "-c", "safe.directory=*", "-C", str(_clone(system, user)), "status", "--porcelain"]
    if left := ran(words).strip():
        raise FailedError(f"the clone has changed:\n{left}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
