"""`trapdial station update`: another version beside the one that runs; the old one returns if it does not get ready."""

from __future__ import annotations

from pathlib import Path

import click

from pi_app.cli.printing import echo
from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.update import Updated
from pi_app.text.errors import UserFileError


@click.command()
@click.argument("package", metavar="[FILE.deb]", type=click.Path(path_type=Path), required=False)
def update(package: Path | None) -> None:
    """Put another version beside the one that runs, and switch to it.

    FILE.deb is a package of Trapdial, or a folder with its payload; without it, the newest package on a USB stick is
    taken. The new version must get ready within 60 seconds and stay so for 60 more; otherwise the station
    returns to the version before. A power cut at any moment leaves one of the two.
    """
    from pi_app.station.updates.update import update as updated

    package = package or _on_stick()
    if not package.exists():
        raise UserFileError.at(str(package), "", "there is no such file", "Check the name, and that the stick is in")
    try:
        done = updated(package, trees.HOME, Systemd())
    except OSError as trouble:
        advice = "Make room on the disk, or make it writable, and try again; the program that ran before still runs"
        seen = trouble.strerror or str(trouble)
        raise UserFileError.at(str(trouble.filename or trees.HOME), "", seen, advice) from None
    echo(_sentence(done))


def _on_stick() -> Path:
    """Raises UserFileError if no stick has a package."""
    from hardware.host import Host
    from pi_app.station.staff.stick import newest_package

    found = newest_package(Host())
    if found is None:
        seen = "no USB stick with a package of Trapdial is mounted"
        raise UserFileError.at(
            "station update", "", seen, "Plug it in, or name the package: trapdial_VERSION_arm64.deb"
        )
    return found


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
