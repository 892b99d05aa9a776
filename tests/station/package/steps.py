"""What is tried with the package in a clean system. A step returns what it found, in a sentence, or raises Failed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pi_app.station.updates.minisign import SUFFIX
from tests.station.package.roots import Ended, Root

MOST_SECONDS: Final = 60.0
"""The goal for the installation. On a machine that does other things too, the processor time is judged."""
DATA: Final = "/var/lib/trapdial"
SETTINGS: Final = "/etc/trapdial/trapdial.toml"
RECORD: Final = f"{DATA}/journal.db"
VERIFY: Final = f"trapdial journal verify {RECORD}"
EDIT: Final = "# a line of this shop"
ANOTHER: Final = "# another line of the package"
KEEP: Final = "-o Dpkg::Options::=--force-confold"
"""What keeps dpkg from asking about settings that both the owner and the package have changed."""
COMPILERS: Final = ("cc", "gcc", "clang", "tcc", "pip", "pip3")
CONFIRM: Final = (
    "/opt/trapdial/current/bin/python -I -c 'from pi_app.station.updates import trees as t; t.confirm(t.HOME)'"
)
"""What the watch of an update does when the station has been ready for a minute; nothing is booted here."""
NOT_OURS: Final = (
    *(f"/var/{each}/" for each in ("log", "cache", "lib/apt", "lib/dpkg", "lib/systemd")),
    *(f"/{each}/" for each in ("root", "tmp", "run", "proc", "dev", "sys")),
    *(f"/etc/{each}" for each in ("passwd", "group", "shadow", "gshadow", ".pwd.lock", "subuid", "subgid")),
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
        shutil.copy(each.with_name(each.name + SUFFIX), root.folder / "root")
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
    demo = f"runuser -u trapdial -- trapdial demo --auto --seed 7 --exposes 5 --plain --journal {RECORD}"
    played = ended_well(root.run(f"{demo} && {VERIFY}"), "the simulated game")
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
    with (root.folder / SETTINGS[1:]).open("a", encoding="utf-8") as file:
        file.write(f"{EDIT}\n")
    done = ended_well(root.run(f"apt-get install -y ./{newer.name} && trapdial -V"), "the upgrade")
    version = newer.name.split("_")[1]
    if f"trapdial, version {version}" not in done.printed:
        raise Failed(f"after the upgrade, `trapdial -V` does not print {version}:\n{done.printed[-500:]}")
    check_kept(root, "the upgrade")
    slots = {name: json.loads((root.folder / f"opt/trapdial/{name}/tree.json").read_text()) for name in "AB"}
    if os.readlink(root.folder / "opt/trapdial/current") == os.readlink(root.folder / "opt/trapdial/confirmed"):
        raise Failed("the upgrade of an enabled station is not on trial")
    named = ", ".join(f"{slot}: {note['version']}" for slot, note in slots.items())
    return f"{done.seconds:.0f} s; edited settings stayed; the trees are {named}; the new one is on trial"


def update(root: Root, package: Path, newer: Path) -> str:
    """`trapdial station update` puts the older one back into the other tree, from its package's file: when it is asked
    to, and if the builder signed it."""
    refused = root.run(f"{CONFIRM} && trapdial station update {package.name}").printed
    if "is older than" not in refused:
        raise Failed(f"`trapdial station update` of an older version says: {refused}")
    unsigned = root.run(f"cp {package.name} other_1_amd64.deb && trapdial station update other_1_amd64.deb").printed
    if "the package has no signature beside it" not in unsigned:
        raise Failed(f"`trapdial station update` without a signature says: {unsigned}")
    done = ended_well(root.run(f"trapdial station update --older {package.name} && trapdial -V"), "the update")
    if f"trapdial, version {package.name.split('_')[1]}" not in done.printed:
        raise Failed(f"`trapdial station update` did not switch:\n{done.printed[-500:]}")
    again = ended_well(root.run(f"{CONFIRM} && trapdial station update {package.name}"), "the second update").printed
    if "runs already; nothing was changed." not in again:
        raise Failed(f"a second update of the same package says: {again}")
    return f"`trapdial station update --older {package.name}`: {done.seconds:.0f} s; nothing at the second time"


def downgrade(root: Root, package: Path, newer: Path) -> str:
    """An older package keeps edited settings too."""
    done = ended_well(root.run(f"apt-get install -y --allow-downgrades ./{package.name}"), "the downgrade")
    check_kept(root, "the downgrade")
    return f"{done.seconds:.0f} s; edited settings stayed, and the record verifies"


def settings(root: Root, package: Path, newer: Path) -> str:
    """A package with other settings of its own leaves the edited ones, and puts its own beside them."""
    with changed(package, root.folder / "root/other.deb") as inside, (inside / SETTINGS[1:]).open("a") as file:
        file.write(f"{ANOTHER}\n")
    ended_well(root.run(f"apt-get install -y --reinstall {KEEP} ./other.deb"), "the package with other settings")
    check_kept(root, "a package with other settings")
    beside = root.folder / f"{SETTINGS[1:]}.dpkg-dist"
    if ANOTHER not in beside.read_text(encoding="utf-8"):
        raise Failed(f"the package's own settings are not in {beside.name}")
    return f"edited settings stayed, and the package's own are beside them, in {beside.name}"


@contextmanager
def changed(package: Path, made: Path) -> Iterator[Path]:
    """Unpack a package into a folder, which the block changes, and pack it again under another name."""
    inside = made.with_suffix(".inside")
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(inside)], check=True)
    yield inside
    words = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(inside), str(made)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(inside)


def check_kept(root: Root, what: str) -> None:
    """Check that the owner's settings and the record of the first game are as they were. Raises Failed."""
    if EDIT not in (root.folder / SETTINGS[1:]).read_text(encoding="utf-8"):
        raise Failed(f"{what} took the edited settings away")
    ended_well(root.run(VERIFY), f"the verification of the record after {what}")


def other_python(root: Root, package: Path, newer: Path) -> str:
    """When the system's Python becomes another one, dpkg runs the package's trigger, and the tree is made again."""
    running = root.folder / "opt/trapdial" / os.readlink(root.folder / "opt/trapdial/current")
    note = json.loads((running / "tree.json").read_text(encoding="utf-8"))
    (running / "tree.json").write_text(json.dumps(note | {"python": "3.10.1"}), encoding="utf-8")
    trigger = "dpkg-trigger --by-package=python3-minimal /usr/bin/python3 && dpkg --triggers-only --pending"
    ended_well(root.run(f"{trigger} && trapdial -V"), "the trigger of another Python")
    links = {os.readlink(root.folder / "opt/trapdial" / name) for name in ("current", "confirmed", "units")}
    if links != {"A", "B"} - {running.name}:
        raise Failed(f"another Python left the links {', '.join(sorted(links))}, and {running.name} was made for it")
    return "a tree that was made for another Python is replaced, without a trial"


def come_back(root: Root, package: Path, newer: Path) -> str:
    """A second installation finds the settings and the records that a removal has left."""
    ended_well(root.run("apt-get remove -y trapdial"), "the removal before a second installation")
    ended_well(root.run(f"apt-get install -y {KEEP} ./{package.name}"), "the second installation")
    check_kept(root, "a removal and a second installation")
    ended_well(root.run("dpkg --purge trapdial"), "the purge before a third installation")
    ended_well(root.run(f"apt-get install -y ./{package.name} && {VERIFY}"), "the third installation")
    if EDIT in (root.folder / SETTINGS[1:]).read_text(encoding="utf-8"):
        raise Failed("a purge has left the edited settings")
    return "after a removal, settings and records are found again; after a purge, the records"


def leave(root: Root, before: set[str]) -> str:
    """Removing leaves settings and data; purging leaves data."""
    records = {path for path in root.files() if path.startswith(DATA)}
    ended_well(root.run("apt-get remove -y trapdial"), "the removal")
    removed = ours(root, before)
    if removed != {"/etc/trapdial", SETTINGS} | records:
        raise Failed(f"after the removal there is {', '.join(sorted(removed)) or 'nothing'}")
    ended_well(root.run("dpkg --purge trapdial"), "the purge")
    purged = ours(root, before)
    if purged != records or f"{RECORD}" not in records:
        raise Failed(f"after the purge there is {', '.join(sorted(purged)) or 'nothing'}")
    lost = {path for path in before - root.files() if not path.startswith(NOT_OURS)} - {"/opt"}  # dpkg: it is empty
    if lost:
        raise Failed(f"the package took away what it did not bring: {', '.join(sorted(lost)[:10])}")
    return f"the removal left the settings and {DATA}, the purge {DATA} alone, and nothing asked anything"


def ours(root: Root, before: set[str]) -> set[str]:
    """Every path that was not there before the installation."""
    return {path for path in root.files() - before if not path.startswith(NOT_OURS)}


SHORT: Final[tuple[Step, ...]] = (install, files, game)
STEPS: Final[tuple[Step, ...]] = (*SHORT, upgrade, update, downgrade, settings, other_python, come_back)
