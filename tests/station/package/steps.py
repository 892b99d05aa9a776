"""What is tried with the package in a clean system. A step returns what it found, in a sentence, or raises Failed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.station.package.roots import Ended, Root

MOST_SECONDS: Final = 60.0
"""The goal for the installation. On a machine that does other things too, the processor time is judged."""
DATA: Final = "/var/lib/trapdial"
SETTINGS: Final = "/etc/trapdial/trapdial.toml"
EDIT: Final = "# a line of this shop"
COMPILERS: Final = ("cc", "gcc", "clang", "tcc", "pip", "pip3")
CONFIRM: Final = (
    "/opt/trapdial/current/bin/python -I -c 'from pi_app.station.updates import trees as t; t.confirm(t.HOME)'"
)
"""What the watch of an update does when the station has been ready for a minute; nothing is booted here."""
NOT_OURS: Final = (
    *("/var/log/", "/var/cache/", "/var/lib/apt/", "/var/lib/dpkg/", "/var/lib/systemd/", "/root/", "/tmp/", "/run/"),
    *("/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/etc/.pwd.lock", "/proc/", "/dev/", "/sys/"),
    *("/etc/subuid", "/etc/subgid"),
)
"""Paths that other programs write while packages come and go: logs, lists, and the users, who own the data."""

Step = Callable[[Root, Path, Path], str]
"""Takes a root file system, the package and a newer package."""


class Failed(Exception):
    """The package does not do what it should; the text says what."""


def ended_well(done: Ended, doing: str) -> Ended:
    """Return how a command ended. Raises Failed with its last lines unless it ended well."""
    if done.code != 0:
        last = "\n".join(done.printed.splitlines()[-12:])
        raise Failed(f"{doing} ended with {done.code}:\n{last}")
    return done


def install(root: Root, package: Path, newer: Path) -> str:
    """One command, without a network, pip and a compiler."""
    found = [name for name in COMPILERS if root.run(f"command -v {name}").code == 0]
    if found:
        raise Failed(f"the system is not clean: it has {', '.join(found)}")
    for each in (package, newer):
        shutil.copy(each, root.folder / "root")
    done = ended_well(root.run(f"apt-get install -y ./{package.name}"), "the installation")
    took = f"{done.seconds:.0f} s, of which the processor worked {done.processor_s:.0f} s"
    if min(done.seconds, done.processor_s) > MOST_SECONDS:
        raise Failed(f"the installation took {took}, and the goal is {MOST_SECONDS:.0f} s")
    return f"`apt install ./{package.name}`: {took}; without a network, pip and a compiler"


def game(root: Root, package: Path, newer: Path) -> str:
    """The installed program plays a simulated game, and accepts the settings that it came with."""
    said = ended_well(root.run("trapdial -V"), "trapdial -V").printed.strip()
    if said != f"trapdial, version {package.name.split('_')[1]}":
        raise Failed(f"`trapdial -V` prints {said}")
    ended_well(root.run(f"trapdial settings check -s {SETTINGS}"), "the check of the settings")
    demo = "runuser -u trapdial -- trapdial demo --auto --seed 7 --exposes 5 --plain --journal /tmp/game.db"
    played = ended_well(root.run(f"{demo} && trapdial journal verify /tmp/game.db"), "the simulated game")
    return f"the installed program played a game of {len(played.printed.splitlines())} lines, and verified its record"


def files(root: Root, package: Path, newer: Path) -> str:
    """What Debian's tools look for is where they look."""
    wanted = [
        *("usr/share/man/man1/trapdial.1.gz", "usr/share/bash-completion/completions/trapdial"),
        *("usr/share/zsh/vendor-completions/_trapdial", "usr/share/fish/vendor_completions.d/trapdial.fish"),
        *("usr/lib/systemd/system/trapdial-trial.service", "etc/systemd/system/trapdial.service", SETTINGS[1:]),
    ]
    missing = [name for name in wanted if not (root.folder / name).is_file()]
    if missing:
        raise Failed(f"these files are missing: {', '.join(missing)}")
    users = ended_well(root.run("id -nu trapdial && id -nu trapdial-pages"), "the look for the users").printed.split()
    return f"{len(wanted)} files of manual, completion, units and settings; the users {' and '.join(users)}"


def upgrade(root: Root, package: Path, newer: Path) -> str:
    """A newer package keeps edited settings and records, and is put in the other tree."""
    settings = root.folder / SETTINGS[1:]
    settings.write_text(f"{settings.read_text(encoding='utf-8')}{EDIT}\n", encoding="utf-8")
    (root.folder / DATA[1:]).mkdir(parents=True, exist_ok=True)
    (root.folder / DATA[1:] / "journal.db").write_bytes(b"a record")
    done = ended_well(root.run(f"apt-get install -y ./{newer.name} && trapdial -V"), "the upgrade")
    version = newer.name.split("_")[1]
    if f"trapdial, version {version}" not in done.printed:
        raise Failed(f"after the upgrade, `trapdial -V` does not print {version}:\n{done.printed[-500:]}")
    if EDIT not in settings.read_text(encoding="utf-8"):
        raise Failed("the upgrade took the edited settings away")
    slots = {name: json.loads((root.folder / f"opt/trapdial/{name}/tree.json").read_text()) for name in "AB"}
    if os.readlink(root.folder / "opt/trapdial/current") == os.readlink(root.folder / "opt/trapdial/confirmed"):
        raise Failed("the upgrade of an enabled station is not on trial")
    named = ", ".join(f"{slot}: {note['version']}" for slot, note in slots.items())
    return f"{done.seconds:.0f} s; edited settings stayed; the trees are {named}; the new one is on trial"


def update(root: Root, package: Path, newer: Path) -> str:
    """`trapdial station update` puts the older one back into the other tree, from its package's file."""
    done = ended_well(root.run(f"{CONFIRM} && trapdial station update {package.name} && trapdial -V"), "the update")
    if f"trapdial, version {package.name.split('_')[1]}" not in done.printed:
        raise Failed(f"`trapdial station update` did not switch:\n{done.printed[-500:]}")
    again = ended_well(root.run(f"{CONFIRM} && trapdial station update {package.name}"), "the second update").printed
    if "runs already; nothing was changed." not in again:
        raise Failed(f"a second update of the same package says: {again}")
    return f"`trapdial station update {package.name}`: {done.seconds:.0f} s; nothing at the second time"


def leave(root: Root, before: set[str]) -> str:
    """Removing leaves settings and data; purging leaves data."""
    ended_well(root.run("apt-get remove -y trapdial"), "the removal")
    removed = ours(root, before)
    if removed != {"/etc/trapdial", SETTINGS, DATA, f"{DATA}/journal.db"}:
        raise Failed(f"after the removal there is {', '.join(sorted(removed)) or 'nothing'}")
    ended_well(root.run("dpkg --purge trapdial"), "the purge")
    purged = ours(root, before)
    if purged != {DATA, f"{DATA}/journal.db"}:
        raise Failed(f"after the purge there is {', '.join(sorted(purged)) or 'nothing'}")
    lost = {path for path in before - root.files() if not path.startswith(NOT_OURS)} - {"/opt"}  # dpkg: it is empty
    if lost:
        raise Failed(f"the package took away what it did not bring: {', '.join(sorted(lost)[:10])}")
    return f"the removal left the settings and {DATA}, the purge {DATA} alone, and nothing asked anything"


def ours(root: Root, before: set[str]) -> set[str]:
    """Every path that was not there before the installation."""
    return {path for path in root.files() - before if not path.startswith(NOT_OURS)}


STEPS: Final[tuple[Step, ...]] = (install, files, game, upgrade, update)
