"""`trapdial station install`: makes this machine a station that starts with it."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.options import overwrite_option, settings_named
from pi_app.cli.printing import echo, echo_lines

if TYPE_CHECKING:
    from pi_app.station.service.units import Plan

SYSTEMD: Final = Path("/run/systemd/system")
"""It is there where systemd runs the machine: sd_booted(3)."""

PLAIN: Final = re.compile(r"/[A-Za-z0-9._+/-]+")
"""Paths that mean in a unit and in its shell what they say."""

HOMES: Final = ("home", "root", "run/user")
"""The folders below / that `ProtectHome=` of systemd.exec(5) hides."""


def is_in_a_home(path: Path) -> bool:
    """Return whether a service cannot see this path, because it lies in a home folder."""
    return any(path.is_relative_to(Path("/", each)) for each in HOMES)


root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path("/"),
    metavar="DIR",
    help="The root of another system, such as an image; nothing is started there.",
)


@click.command()
@settings_named("The station's settings; without it those on the boot partition or in /etc/trapdial.")
@root_option
@click.option("--dry-run", is_flag=True, help="Print every file and command, and do nothing.")
@click.option("--display/--no-display", default=True, help="Whether a screen on HDMI shows the public display.")
@click.option("--program", type=click.Path(path_type=Path), metavar="FILE", help="The trapdial to start; this one.")
@click.option("--no-start", is_flag=True, help="Write the files, and print the commands that start the station.")
@overwrite_option
def install(
    settings_file: Path | None,
    root: Path,
    dry_run: bool,
    display: bool,
    program: Path | None,
    no_start: bool,
    overwrite: bool,
) -> None:
    """Make this machine a station that starts when it is plugged in.

    Writes units for the table, the pages of phones and the public display, their users and folders, rules for devices,
    logs that stay in memory, and the machine's own watchdog; then starts them. It needs root, and may be repeated: a
    file that was changed by hand stays. With [pages] missing in the settings, no port is opened for phones.
    """
    from pi_app.station.service import install as installer
    from pi_app.station.service import units

    plan = _plan(settings_file, root, program, display=display)
    if dry_run:
        _show(plan)
        return
    for step in installer.install(units.files(plan), units.links(plan), root, overwrite=overwrite):
        echo(str(step))
    carry_out(units.starting(plan), here=root == Path("/") and not no_start)
    echo(f"The station's data is in {units.STATE}, its settings are in {units.SETTINGS}/trapdial.toml.")


def _show(plan: Plan) -> None:
    from pi_app.station.service import units

    for path, text in units.files(plan).items():
        echo_lines((f"==> /{path} <==", *text.splitlines(), ""))
    for path, target in units.links(plan).items():
        echo(f"/{path} -> {target}")
    echo("")
    echo_lines(_typed(units.starting(plan)))


def carry_out(commands: Sequence[Sequence[str]], *, here: bool) -> bool:
    """Run commands of the system, if this is one that systemd runs; else say that they are to be typed. One that fails
    is said, and the others follow. Return whether all worked."""
    import subprocess

    if not here or not SYSTEMD.is_dir():
        echo("Then type, as root:")
        echo_lines(f"  {line}" for line in _typed(commands))
        return True
    worked = True
    for command in commands:
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            why = done.stderr.strip() if done.returncode else ""
        except OSError as error:
            why = error.strerror or str(error)
        if why:
            worked = False
            echo(f"{shlex.join(command)}: {why}. Type it again, as root, when that is mended.", err=True)
    return worked


def _typed(commands: Iterable[Sequence[str]]) -> list[str]:
    return [shlex.join(command) for command in commands]


def _plan(settings_file: Path | None, root: Path, program: Path | None, *, display: bool) -> Plan:
    """What the files depend on. Raises UserFileError for settings or a program that cannot be used."""
    from pi_app.station.service.units import Plan
    from pi_app.text.errors import UserFileError

    here = Path(sys.executable).with_name("trapdial")
    program = (here if program is None else program).absolute()
    if not PLAIN.fullmatch(str(program)):
        seen = "a unit cannot name it: it has other letters than a to z, digits and . _ + - in its path"
        raise UserFileError.at(str(program), "", seen, "Install Trapdial in /opt, or name the one there: --program")
    if root == Path("/") and not program.is_file():
        raise UserFileError.at(str(program), "", "this program does not exist", "Name the trapdial to start: --program")
    if is_in_a_home(program):
        seen = "it lies in a home folder, where the users of the station may read nothing"
        raise UserFileError.at(str(program), "", seen, "Install Trapdial in /opt, or name the one there: --program")
    listen, sends = _network(settings_file, root)
    return Plan(str(program), str(program.with_name("python")), listen, display, sends)


def _network(settings_file: Path | None, root: Path) -> tuple[str, bool]:
    """Where phones find the pages, empty for settings without [pages]; and whether the settings name a centre, or a
    witness is pinned that is asked."""
    from pi_app.journal.cosigned import asks_witnesses
    from pi_app.settings import load as reader
    from pi_app.settings.pages_section import PagesSettings
    from pi_app.station.service.boot_settings import FOLDERS, found_in
    from pi_app.station.service.units import STATE

    path = settings_file or found_in([root / str(folder).lstrip("/") for folder in FOLDERS])
    settings = None if path is None else reader.load(path)
    section = PagesSettings() if settings is None else settings.pages
    listen = "" if section is None else f"{section.address or '0.0.0.0'}:{section.port}"
    if settings is None:
        return listen, False
    journal = root / STATE.lstrip("/") / Path(settings.table.journal).name
    return listen, settings.centre is not None or asks_witnesses(journal)
