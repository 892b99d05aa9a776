"""`trapdial hub`: boards that read dials by themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pi_app.cli.options import settings_option

if TYPE_CHECKING:
    from firmware_host.requirements import HubRequirements
    from pi_app.plans.check import Check
    from pi_app.settings.model import Settings


@click.group()
def hub() -> None:
    """Boards that read dials by themselves and report them over USB.

    HUB is a name in the settings, such as west of [hub.west]. It may be left out if there is only one. A game must not
    be running on the same hub.
    """


def _which(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which hub is meant."""
    command = click.option("--port", metavar="PORT", help="A port such as /dev/ttyACM0, whatever the settings say.")(
        command
    )
    return click.argument("name", metavar="[HUB]", required=False)(settings_option(command))


def _settings(file: Path) -> Settings | None:
    """The table's settings; None if there is no such file: a builder may have none yet."""
    from pi_app.settings import load as settings

    return settings.load(file) if file.exists() else None


def _chosen(settings_file: Path, name: str | None, port: str | None) -> HubRequirements:
    from pi_app.workshop.hubs import chosen

    return chosen(name, port, _settings(settings_file), settings_file)


@hub.command("list")
@settings_option
@click.option("--port", "more", metavar="PORT", multiple=True, help="Look here too; may be given again.")
@click.pass_context
def list_(context: click.Context, settings_file: Path, more: tuple[str, ...]) -> None:
    """Say which boards are plugged in, and which of them are hubs.

    Ports of boards with MicroPython are greeted as a hub is, for three seconds at most. ok it is a hub, !! it cannot be
    used, ?? something else has it or answers there. Exit code 1 if there is no hub.
    """
    from hardware.clock import MachineClock
    from pi_app.plans.check import Sign
    from pi_app.workshop.hubs import seen

    checks = _tell(seen(more, _settings(settings_file), MachineClock()))
    if not any(check.sign is Sign.GOOD for check in checks):
        context.exit(1)


def _tell(checks: Iterable[Check]) -> list[Check]:
    told = []
    for check in checks:
        click.echo(str(check))
        told.append(check)
    return told


@hub.command()
@_which
@click.option("--seconds", type=click.FloatRange(0.1), help="How long; else until Ctrl-C.")
@click.option("--angles", is_flag=True, help="Show angles too: for builders, and refused while a game is played.")
@click.pass_context
def monitor(
    context: click.Context,
    name: str | None,
    settings_file: Path,
    port: str | None,
    seconds: float | None,
    angles: bool,
) -> None:
    """Watch a hub: each second how often it samples, what was lost, which dials give no angle; and its console.

    No angle is shown without --angles, so anybody may read it. With --angles the table's journal stays locked: no game
    is played meanwhile; and magnets that are too weak or too strong are shown too. Exit code 1 if the hub does not run
    when the --seconds are over.
    """
    from pi_app.workshop.hubs import ANGLES_SHOWN, no_game

    wanted = _chosen(settings_file, name, port)
    settings = _settings(settings_file)
    if angles and settings is None:
        raise click.UsageError(
            f"--angles needs the table's settings, to be sure that no game is played; there is no {settings_file}."
        )
    with no_game(settings if angles else None, ANGLES_SHOWN):
        runs = _monitor(wanted, seconds, angles)
    if not runs:
        context.exit(1)


def _monitor(wanted: HubRequirements, seconds: float | None, angles: bool) -> bool:
    """Until the end or Ctrl-C; whether the hub still runs."""
    from dataclasses import replace

    from firmware_host.link import Link
    from firmware_host.link_events import LinkState
    from hardware.clock import MachineClock
    from pi_app.workshop.hubs import watched

    clock = MachineClock()
    with Link(replace(wanted, dials=0), clock) as link:
        try:
            for line in watched(link, clock, seconds, angles=angles):
                click.echo(line)
        except KeyboardInterrupt:
            return True
        return link.state is LinkState.RUNNING


@hub.command()
@_which
@click.pass_context
def diag(context: click.Context, name: str | None, settings_file: Path, port: str | None) -> None:
    """Ask each dial of a hub how its magnet is, and the hub what went wrong since its start.

    One line per part, as the doctor has them: ok it works, !! it fails, ?? look at it when you can. Says no angle and
    no position; yet how strong a magnet is seen varies as its dial turns, so it is refused while a game is played on
    the table of the settings. Exit code 1 if something fails.
    """
    from hardware.clock import MachineClock
    from pi_app.workshop.doctor import failed
    from pi_app.workshop.hubs import MAGNETS_SHOWN, diagnosed, no_game

    wanted = _chosen(settings_file, name, port)
    with no_game(_settings(settings_file), MAGNETS_SHOWN):
        checks = _tell(diagnosed(wanted, MachineClock()))
    if failed(checks):
        context.exit(1)


@hub.command()
@_which
def reset(name: str | None, settings_file: Path, port: str | None) -> None:
    """Start a hub anew, and wait until it answers again."""
    from firmware_host.link import Link
    from firmware_host.queries import restart, welcome, without_samples
    from hardware.clock import MachineClock

    clock = MachineClock()
    with Link(without_samples(_chosen(settings_file, name, port)), clock) as link:
        again = restart(link, welcome(link, clock), clock)
    click.echo(f"board {again.uid} has started anew")


@hub.command()
@_which
@click.option(
    "--board-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A board.py of yours, in place of the one on the board.",
)
def install(name: str | None, settings_file: Path, port: str | None, board_file: Path | None) -> None:
    """Put the firmware on a board with mpremote, start it, and see that it answers as a hub.

    A board.py that is on the board stays as it is unless --board-file names another. The board must have MicroPython
    1.25 or later: hold its BOOTSEL button while you plug it in, and copy the official .uf2 onto the drive that appears.
    """
    from firmware_host.errors import InstallError
    from firmware_host.hub.wire import FIRMWARE
    from firmware_host.install import install
    from firmware_host.link import Link
    from firmware_host.messages import no_port, version
    from firmware_host.queries import welcome, without_samples
    from hardware.clock import MachineClock
    from pi_app.workshop.hubs import port_of

    wanted = _chosen(settings_file, name, port)
    where = port_of(wanted)
    if not where:
        raise InstallError(no_port(wanted.name, wanted.uid, wanted.port))
    click.echo(f"copying firmware {version(FIRMWARE)} to {where}", err=True)
    for copied in install(where, board_file):
        click.echo(f"copied {copied}")
    clock = MachineClock()
    with Link(without_samples(wanted), clock) as link:
        found = welcome(link, clock, starts=True)
    if found.firmware != FIRMWARE:
        raise InstallError(
            f"board ({where}) answers with firmware {version(found.firmware)}. Pull its plug, and install again."
        )
    click.echo(f"board {found.uid} runs firmware {version(found.firmware)} and has {found.dials} dials")


@hub.command()
@click.argument("lines", nargs=-1)
@click.pass_context
def decode(context: click.Context, lines: tuple[str, ...]) -> None:
    """Say in words what LINES of the wire mean; without LINES, what comes in on standard input.

    For lines out of a terminal or a log. Of a damaged line it is said what is wrong with it. Angles are told as well.
    Exit code 1 if a line is damaged.
    """
    from firmware_host.decode import decoded, is_damaged

    damaged = False
    for line in lines or sys.stdin:
        if line.strip():
            said = decoded(line)
            damaged |= is_damaged(said)
            click.echo(said)
    if damaged:
        context.exit(1)
