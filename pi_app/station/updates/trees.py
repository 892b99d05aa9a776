"""Two installed programs side by side, `A` and `B`, and links that say which one runs.

`current` names the tree that runs, `confirmed` the last one that got ready. They name the same tree, except while an
update is on trial. A third link, `units`, names the tree whose units the system has (in_use.py). Each changes by one
rename, after everything that it names is on the disk: a power cut at any moment leaves the old program or the new one.
The Debian package's scripts call this module with the system's Python, before anything of Trapdial is installed, so it
needs the standard library alone. Each start of a station reads the links, so what only makes a tree is imported when
one is made.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pi_app.text.errors import UserFileError

if TYPE_CHECKING:
    from pi_app.station.updates.wheels import System

HOME: Final = Path("/opt/trapdial")
WENT_BACK: Final = "went-back"
"""In the home of the trees: an empty file while the last update is one that went back."""
TRIALS: Final = "trials"
"""In the home of the trees: how many trials of the running tree have begun and not ended."""
REFUSED: Final = "refused"
"""In the home of the trees: why the last update that the staff asked for was refused (refusals.py)."""
Slot = Literal["A", "B"]
SLOTS: Final[tuple[Slot, Slot]] = ("A", "B")
Link = Literal["current", "confirmed", "units"]
LINKS: Final[tuple[Link, ...]] = ("current", "confirmed", "units")
NOTE: Final = "tree.json"
"""Written into a tree when all of it is on the disk: without it, a tree is not whole."""

FEW: Final = 100
"""So many modules are compiled in this process; more, by one process for each core."""

LGPIO: Final = ("lgpio.py", "_lgpio{suffix}")
SYSTEMS_PACKAGES: Final = Path("/usr/lib/python3/dist-packages")
"""Where Debian and Raspberry Pi OS install python3-lgpio."""


@dataclass(frozen=True, slots=True)
class ProgramTree:
    """A whole tree. `payload`: the checksum of what it was made from; `python`: the version it was made with."""

    slot: Slot
    version: str
    payload: str
    python: str


def this_system() -> System:
    """Return what wheels must fit to run here."""
    from pi_app.station.updates.wheels import System

    return System(sys.version_info.minor, platform.machine())


def tree(home: Path, slot: Slot) -> ProgramTree | None:
    """Describe the tree in a slot; None if there is none, or it is not whole."""
    try:
        note = json.loads((home / slot / NOTE).read_text(encoding="utf-8"))
        return ProgramTree(slot, str(note["version"]), str(note["payload"]), str(note["python"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def pointed(home: Path, link: Link) -> Slot | None:
    """Return the slot that a link names; None if there is no such link."""
    with contextlib.suppress(OSError):
        found = os.readlink(home / link)
        return next((slot for slot in SLOTS if slot == found), None)
    return None


def running(home: Path) -> ProgramTree | None:
    """Describe the tree that `current` names."""
    slot = pointed(home, "current")
    return tree(home, slot) if slot else None


def on_trial(home: Path) -> bool:
    """Say whether the running tree still has to prove itself, and another one can take its place."""
    confirmed = pointed(home, "confirmed")
    return confirmed is not None and tree(home, confirmed) is not None and confirmed != pointed(home, "current")


def point(home: Path, link: Link, slot: Slot) -> None:
    """Make a link name a tree, by a single rename. When this returns, the disk has it."""
    fresh = home / f"{link}.new"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(slot)
    _sync_folder(home)
    fresh.rename(home / link)
    _sync_folder(home)


def confirm(home: Path) -> None:
    """Make the running tree the one to go back to."""
    slot = pointed(home, "current")
    if slot is not None and pointed(home, "confirmed") != slot:
        point(home, "confirmed", slot)
        (home / WENT_BACK).unlink(missing_ok=True)


def go_back(home: Path) -> ProgramTree | None:
    """Make the confirmed tree the running one again, and describe it; None if no update is on trial."""
    slot = pointed(home, "confirmed")
    if slot is None or not on_trial(home):
        return None
    point(home, "current", slot)
    with contextlib.suppress(OSError):
        (home / WENT_BACK).touch()
    return tree(home, slot)


def went_back(home: Path) -> bool:
    """Say whether the last update did not get ready, so that the version before it runs."""
    return (home / WENT_BACK).exists()


def free_slot(home: Path) -> Slot:
    """Return the slot that no link names. Raises UserFileError while an update is on trial."""
    named = {pointed(home, "current"), pointed(home, "confirmed")}
    left = [slot for slot in SLOTS if slot not in named]
    if not left:
        seen = "an update is on trial, and both trees are in use"
        raise UserFileError.at(str(home), "", seen, "Wait two minutes for its end, and try again")
    return left[0]


def identity(payload: Path) -> str:
    """Return the checksum of a payload. Raises UserFileError if it cannot be read."""
    from pi_app.station.updates.wheels import SUMS

    try:
        return sha256((payload / SUMS).read_bytes()).hexdigest()
    except OSError as trouble:
        seen = f"it cannot be read ({trouble.strerror or trouble})"
        raise UserFileError.at(str(payload / SUMS), "", seen, "Name a folder with SHA256SUMS and wheels/") from None


def same(made: ProgramTree | None, payload: Path) -> bool:
    """Say whether a tree was made from this payload, and for this Python."""
    return made is not None and made.payload == identity(payload) and fits_python(made)


def fits_python(made: ProgramTree) -> bool:
    """Say whether a tree was made for this Python: a later 3.13 runs it, and a 3.14 finds none of its packages."""
    return made.python.split(".")[:2] == platform.python_version().split(".")[:2]


def build(payload: Path, home: Path, system: System | None = None) -> ProgramTree:
    """Make the free slot's tree from a payload. When this returns, all of it is on the disk, and no link names it.

    Raises UserFileError for a payload that does not fit this system or is damaged, and OSError if the disk refuses."""
    import venv

    from pi_app.station.updates.wheels import AGAIN, LAUNCHED, choose, unpack

    chosen = choose(payload, system or this_system())
    version = next((each.version for each in chosen if each.name == LAUNCHED), None)
    if version is None:
        raise UserFileError.at(str(payload), "", f"it has no wheel of {LAUNCHED}", AGAIN)
    slot = free_slot(home)
    folder = home / slot
    _empty(folder)
    venv.EnvBuilder(symlinks=True).create(folder)
    site = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    for each in chosen:
        unpack(each, folder, site)
    if not (site / "lgpio.py").exists():
        _see_lgpio(site)
    _compile(site)
    os.sync()
    made = ProgramTree(slot, version, identity(payload), platform.python_version())
    _note(folder, made)
    return made


def _empty(folder: Path) -> None:
    """Remove a tree, its note first: what is left of it after a power cut is not whole."""
    (folder / NOTE).unlink(missing_ok=True)
    if folder.exists():
        shutil.rmtree(folder)


def _see_lgpio(site: Path) -> None:
    """Let the tree see the system's lgpio, and nothing else of the system's: it may be installed later too."""
    import sysconfig

    for name in LGPIO:
        file = name.format(suffix=sysconfig.get_config_var("EXT_SUFFIX"))
        (site / file).symlink_to(SYSTEMS_PACKAGES / file)


def _compile(site: Path) -> None:
    """Compile every module. A tree never changes, so its byte code is not compared with a clock that may be wrong."""
    import compileall
    import py_compile

    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    every_core = sum(1 for _ in site.rglob("*.py")) > FEW
    compileall.compile_dir(str(site), quiet=2, workers=0 if every_core else 1, invalidation_mode=unchecked)


def _note(folder: Path, made: ProgramTree) -> None:
    note = {"version": made.version, "payload": made.payload, "python": made.python}
    with (folder / NOTE).open("w", encoding="utf-8") as file:
        json.dump(note, file)
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def switch(home: Path, made: ProgramTree, *, trial: bool) -> None:
    """Make a whole tree the running one: on trial, if a confirmed one could take its place and the trial is watched."""
    slot = pointed(home, "confirmed")
    before = tree(home, slot) if slot else None
    (home / TRIALS).unlink(missing_ok=True)
    point(home, "current", made.slot)
    if not trial or before is None or not fits_python(before):
        confirm(home)


def remove(home: Path) -> None:
    """Remove both trees and the links, the links first."""
    for link in LINKS:
        (home / link).unlink(missing_ok=True)
        (home / f"{link}.new").unlink(missing_ok=True)
    for slot in SLOTS:
        _empty(home / slot)
    for name in (WENT_BACK, TRIALS, REFUSED):
        (home / name).unlink(missing_ok=True)
