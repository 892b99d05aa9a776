"""Update a station from a Debian package that its builder signed, on a stick for example.

The new program is put beside the one that runs and gets its trial; whatever happens, one of the two runs. The package
is first copied to the station's own disk: what is checked there is what is unpacked, whatever the stick does meanwhile.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from pi_app.station.service.systemctl import TRIAL, Systemd
from pi_app.station.updates import minisign, trees
from pi_app.station.updates.deb_file import MOST_BYTES, NAME_ONE, damaged, unpack_payload
from pi_app.station.updates.in_use import put_in_use
from pi_app.station.updates.refusals import PackageRefusedError, Refusal
from pi_app.station.updates.trial import drop_pending, pending
from pi_app.station.updates.trust import BY_HAND, Trust, read_signature
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import check_plain, open_plain, refusal

INCOMING: Final = "incoming"
"""In the home of the trees: what is unpacked from a package, until its tree is made."""
KEPT: Final = "incoming.deb"
"""Beside it: a copy of the package, until it is known to fit."""
CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update did. `before`: None if nothing was installed; `trial`: whether it can still go back."""

    before: trees.ProgramTree | None
    after: trees.ProgramTree
    trial: bool


def update(source: Path, home: Path, systemd: Systemd, trust: Trust) -> Updated:
    """Make a tree from a package's file, switch to it, and start its trial.

    Nothing changes if that version runs already. Raises PackageRefusedError if the package is not to be installed,
    UserFileError if an update is on trial, and OSError if the disk refuses; the program that ran before still runs
    then."""
    if not os.access(home, os.W_OK):
        advice = "Use sudo; if the disk is read-only, make it writable first: `trapdial docs station` says how"
        raise UserFileError.at(str(home), "", "this user cannot write there, or there is no such folder", advice)
    _resume_trial(home, systemd)
    trees.free_slot(home)
    incoming, kept = home / INCOMING, home / KEPT
    try:
        _take(source, kept, trust)
        shutil.rmtree(incoming, ignore_errors=True)
        control = unpack_payload(kept, incoming, trees.this_system().machine, str(source))
        _refuse_older(source, control.version, home, systemd, trust)
        return _switched(incoming, home, systemd)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
        kept.unlink(missing_ok=True)


def _resume_trial(home: Path, systemd: Systemd) -> None:
    """Watch a trial that is not watched: an update that was killed has left it, or its watch was stopped."""
    if trees.on_trial(home) and systemd.is_booted() and systemd.state(TRIAL).active == "inactive":
        systemd.start(TRIAL)


def _take(source: Path, kept: Path, trust: Trust) -> None:
    """Copy a package, and check that the copy is what the builder signed."""
    if source.name.endswith(minisign.SUFFIX):
        seen, advice = "this is the signature of a package", "Name the package itself"
        named = source.name.removesuffix(minisign.SUFFIX)
        raise PackageRefusedError.because(Refusal.FAILED, str(source), seen, f"{advice}, {named}")
    try:
        check_plain(source)
    except OSError as trouble:
        raise refusal(str(source), trouble, NAME_ONE) from None
    signature = read_signature(source, trust)
    if trust.asked is not None and signature.signed != trust.asked:
        seen = "this is another package than the one that was confirmed"
        raise PackageRefusedError.because(Refusal.CHANGED, str(source), seen, "Ask for the update again")
    digest = _copy(source, kept)
    assert trust.builder is not None
    if not minisign.is_hash_signed(signature, trust.builder, digest):
        raise damaged(str(source), "its signature is of another file")


def _copy(source: Path, kept: Path) -> bytes:
    """Copy a package to this disk; return its hash."""
    digest, left = minisign.new_hash(), MOST_BYTES
    with kept.open("wb") as copy:
        try:
            opened = open_plain(source, MOST_BYTES)
        except OSError as trouble:
            raise refusal(str(source), trouble, NAME_ONE) from None
        with opened:
            while data := _read(source, opened, min(CHUNK, left)):
                left -= len(data)
                digest.update(data)
                copy.write(data)
    return digest.digest()


def _read(source: Path, opened: BinaryIO, most: int) -> bytes:
    try:
        return opened.read(most)
    except OSError as trouble:
        raise refusal(str(source), trouble, "Leave the stick in, or copy the package again") from None


def _refuse_older(source: Path, version: str, home: Path, systemd: Systemd, trust: Trust) -> None:
    before = trees.running(home)
    if before is None or trust.older:
        return
    code, printed = systemd.run(["dpkg", "--compare-versions", version, "lt", before.version])
    if code == 0:
        seen = f"its version {version} is older than {before.version}, which runs"
        advice = "If you want the older one, type the command again with --older"
        raise PackageRefusedError.because(Refusal.OLDER, str(source), seen, advice)
    if code != 1:
        seen = f"dpkg cannot compare its version {version} with {before.version} ({printed.strip() or code})"
        raise PackageRefusedError.because(Refusal.FAILED, str(source), seen, BY_HAND)


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
    os.sync()
    (home / KEPT).rename(pending(home, slot))
