"""Update a station from a Debian package or from a payload's folder, on a stick for example.

The new program is put beside the one that runs and gets its trial; whatever happens, one of the two runs.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.station.service.systemctl import TRIAL, Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.deb_file import unpack_payload
from pi_app.station.updates.in_use import put_in_use
from pi_app.station.updates.trial import drop_pending, pending
from pi_app.text.errors import UserFileError

INCOMING: Final = "incoming"
"""In the home of the trees: what is unpacked from a package, until its tree is made."""
KEPT: Final = "incoming.deb"
"""Beside it: a copy of the package, until it is known to fit."""


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update did. `before`: None if nothing was installed; `trial`: whether it can still go back."""

    before: trees.ProgramTree | None
    after: trees.ProgramTree
    trial: bool


def update(source: Path, home: Path, systemd: Systemd) -> Updated:
    """Make a tree from a package's file or a payload's folder, switch to it, and start its trial.

    Nothing changes if that version runs already. Raises UserFileError if the source cannot be used or an update is on
    trial, and OSError if the disk refuses; the program that ran before still runs then."""
    if not os.access(home, os.W_OK):
        advice = "Use sudo; if the disk is read-only, make it writable first: `trapdial docs station` says how"
        raise UserFileError.at(str(home), "", "this user cannot write there, or there is no such folder", advice)
    _resume_trial(home, systemd)
    trees.free_slot(home)
    incoming, kept = home / INCOMING, home / KEPT
    try:
        payload = source if source.is_dir() else _unpacked(source, incoming, kept)
        return _switched(payload, home, systemd)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
        kept.unlink(missing_ok=True)


def _resume_trial(home: Path, systemd: Systemd) -> None:
    """Watch a trial that is not watched: an update that was killed has left it, or its watch was stopped."""
    if trees.on_trial(home) and systemd.is_booted() and systemd.state(TRIAL).active == "inactive":
        systemd.start(TRIAL)


def _unpacked(source: Path, incoming: Path, kept: Path) -> Path:
    shutil.rmtree(incoming, ignore_errors=True)
    unpack_payload(source, incoming, trees.this_system().machine)
    shutil.copyfile(source, kept)
    return incoming


def _switched(payload: Path, home: Path, systemd: Systemd) -> Updated:
    before = trees.running(home)
    if before is not None and trees.same(before, payload):
        return Updated(before, before, trial=False)
    made = trees.build(payload, home)
    _keep_package(home, made.slot)
    trees.switch(home, made, trial=systemd.is_used())
    put_in_use(home, systemd)
    if trees.on_trial(home) or pending(home, made.slot).exists():
        systemd.start(TRIAL)
    return Updated(before, made, trial=trees.on_trial(home))


def _keep_package(home: Path, slot: trees.Slot) -> None:
    """Keep the package for dpkg, which installs it when its tree is confirmed: the stick may be gone by then."""
    drop_pending(home)
    if (home / KEPT).exists():
        os.sync()
        (home / KEPT).rename(pending(home, slot))
