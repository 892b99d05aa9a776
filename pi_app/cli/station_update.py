"""`trapdial station update`: another version beside the one that runs; the old one returns if it does not get ready."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.printing import echo
from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import refusal

if TYPE_CHECKING:
    from pi_app.station.updates.trust import Trust
    from pi_app.station.updates.update import Updated


@click.command()
@click.argument("package", metavar="[FILE.deb]", type=click.Path(path_type=Path), required=False)
@click.option("--older", is_flag=True, help="Also install a version that is older than the one that runs.")
@click.option("--asked", type=click.Path(path_type=Path), hidden=True)
def update(package: Path | None, older: bool, asked: Path | None) -> None:
    """Put another version beside the one that runs, and switch to it.

    FILE.deb is a package of Trapdial; without it, the only one on a USB stick is taken. Beside it lies its signature,
    FILE.deb.minisig: only packages by the builder of the program that runs are installed. The new version must get
    ready within 60 seconds and stay so for 60 more; otherwise the station returns to the version before. A power cut
    at any moment leaves one of the two.
    """
    from pi_app.station.updates.minisign import builder_key
    from pi_app.station.updates.trust import Trust

    if asked is not None:
        _update_as_asked(asked, Trust(builder_key()))
        return
    _update(package, Trust(builder_key(), older=older))


def _update_as_asked(asked: Path, trust: Trust) -> None:
    """Install what the staff have confirmed: `asked` has the signature of that package. What goes wrong is kept for the
    staff page."""
    from pi_app.station.updates.refusals import PackageRefusedError, Refusal, note_refusal
    from pi_app.station.updates.trust import read_request

    note_refusal(trees.HOME, None)
    try:
        _update(None, replace(trust, asked=read_request(asked)))
    except PackageRefusedError as trouble:
        note_refusal(trees.HOME, trouble.why)
        raise
    except Exception:
        note_refusal(trees.HOME, Refusal.FAILED)
        raise


def _update(package: Path | None, trust: Trust) -> None:
    from pi_app.station.updates.update import update as updated

    package = package or _on_stick()
    advice = "Check the name, and that the stick is in"
    try:
        there = package.exists()
    except OSError as trouble:
        raise refusal(str(package), trouble, advice) from None
    if not there:
        raise UserFileError.at(str(package), "", "there is no such file", advice)
    try:
        done = updated(package, trees.HOME, Systemd(), trust)
    except OSError as trouble:
        advice = "Make room on the disk, or make it writable, and try again; the program that ran before still runs"
        seen = trouble.strerror or str(trouble)
        raise UserFileError.at(str(trouble.filename or trees.HOME), "", seen, advice) from None
    echo(_sentence(done))


def _on_stick() -> Path:
    """Return the only package on the sticks. Raises UserFileError if there is none, or another one too."""
    from hardware.host import Host
    from pi_app.station.staff.stick import packages
    from pi_app.station.updates.refusals import PackageRefusedError, Refusal

    on_sticks = packages(Host())
    if not on_sticks:
        seen, advice = "no USB stick with a package of Trapdial is mounted", "Plug it in, or name the package"
        raise UserFileError.at("station update", "", seen, f"{advice}: trapdial_VERSION_arm64.deb")
    if len(on_sticks) > 1:
        seen = f"there are several packages: {', '.join(map(str, on_sticks))}"
        raise PackageRefusedError.because(Refusal.SEVERAL, "station update", seen, "Name one of them")
    return on_sticks[0]


def _sentence(done: Updated) -> str:
    version = done.after.version
    if done.before == done.after:
        return f"Version {version} runs already; nothing was changed."
    if not done.trial:
        return f"Version {version} is in place, in {done.after.slot}."
    assert done.before is not None
    return (
        f"Version {version} is on trial, in {done.after.slot}. If it is not ready in 60 seconds, version "
        f"{done.before.version} runs again. `journalctl -u trapdial-trial` says how it ended."
    )
