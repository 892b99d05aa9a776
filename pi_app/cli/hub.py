"""`trapdial hub`: boards that sample dials on their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pi_app.cli.groups import CommandGroup
from pi_app.cli.options import check_json, settings_option
from pi_app.cli.printing import echo
from pi_app.cli.typed_lines import lines_of_bytes
from pi_app.text import exit_codes
from pi_app.text.language import count_of

if TYPE_CHECKING:
    from firmware_host.requirements import HubRequirements
    from pi_app.plans.check import Check
    from pi_app.settings.model import Settings


@click.group(cls=CommandGroup)
def hub() -> None:
    """Work with boards that sample dials on their own and send the samples over USB.

    HUB is a name in the settings, such as west of [hub.west]. It may be left out if there is only one. No game may be
    running on the same hub.
    """


def _which(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose a hub."""
    command = click.option(
        "--port", metavar="PORT", help="Use this port, such as /dev/ttyACM0, instead of the one in the settings."
    )(command)
    return click.argument("name", metavar="[HUB]", required=False)(settings_option(command))


def _settings(file: Path) -> Settings | None:
    """Load the table's settings; None if there is no such file, because a builder may have none yet."""
    from pi_app.settings import load as settings

    return settings.load(file) if file.exists() else None


def _chosen(settings_file: Path, name: str | None, port: str | None) -> HubRequirements:
    from pi_app.workshop.hubs import chosen

    return chosen(name, port, _settings(settings_file), settings_file)


@hub.command("list")
@settings_option
@click.option("--port", "more", metavar="PORT", multiple=True, help="Check this port too; repeat for more.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line instead of sentences.")
@click.pass_context
def list_(context: click.Context, settings_file: Path, more: tuple[str, ...], as_json: bool) -> None:
    """List the boards that are plugged in, and which of them are hubs.

    Each port of a board with MicroPython has three seconds to answer. One line per port: ok it is a hub, !! it cannot
    be used, ?? another program uses it or something else answers. Exit code 1 if there is no hub.
    """
    from hardware.clock import MachineClock
    from pi_app.plans.check import Sign
    from pi_app.settings.hub_keys import load
    from pi_app.workshop.hubs import seen

    keys = load(settings_file)
    checks = _tell(seen(more, _settings(settings_file), keys, MachineClock()), as_json)
    if not any(check.sign is Sign.GOOD for check in checks):
        context.exit(exit_codes.FOUND)


def _tell(checks: Iterable[Check], as_json: bool) -> list[Check]:
    told = []
    for check in checks:
        echo(check_json(check) if as_json else str(check))
        told.append(check)
    return told


@hub.command()
@_which
@click.option("--seconds", type=click.FloatRange(0.1), help="Stop after this time; without it, at Ctrl-C.")
@click.option("--angles", is_flag=True, help="Show angles too: for builders; refused while a game is played.")
@click.pass_context
def monitor(
    context: click.Context,
    name: str | None,
    settings_file: Path,
    port: str | None,
    seconds: float | None,
    angles: bool,
) -> None:
    """Monitor a hub: each second its sampling rate, lost samples, dials without an angle; and its console.

    Without --angles no angle is shown, so anybody may read it. With --angles the journal stays locked, so that no game
    is played meanwhile, and magnets that are too weak or too strong are shown too. Exit code 1 if the hub is not
    running when the --seconds are over.
    """
    from pi_app.play.opened import journals_of, open_secrets
    from pi_app.workshop.hubs import ANGLES_SHOWN, no_game

    wanted = _chosen(settings_file, name, port)
    settings = _settings(settings_file)
    if angles and settings is None:
        raise click.UsageError(
            f"--angles needs the table's settings, to be sure that no game is played; there is no {settings_file}."
        )
    if angles:
        open_secrets("samples", journals_of([settings_file]), in_play=False, advice=ANGLES_SHOWN)
    with no_game(settings if angles else None, ANGLES_SHOWN):
        runs = _monitor(wanted, seconds, angles)
    if not runs:
        context.exit(exit_codes.FOUND)


def _monitor(wanted: HubRequirements, seconds: float | None, angles: bool) -> bool:
    """Print until the end or Ctrl-C; return whether the hub is still running."""
    from dataclasses import replace

    from firmware_host.link import Link
    from firmware_host.link_events import LinkState
    from hardware.clock import MachineClock
    from pi_app.workshop.hubs import watched

    clock = MachineClock()
    with Link(replace(wanted, dials=0), clock) as link:
        try:
            for line in watched(link, clock, seconds, angles=angles):
                echo(line)
        except KeyboardInterrupt:
            return True
        return link.state is LinkState.RUNNING


@hub.command()
@_which
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line instead of sentences.")
@click.pass_context
def diag(context: click.Context, name: str | None, settings_file: Path, port: str | None, as_json: bool) -> None:
    """Diagnose a hub: the magnet of each dial, and the errors since the hub's start.

    One line per part, as in `trapdial doctor`: ok it works, !! it fails, ?? check it when you can. The output has no
    angles and no positions, but the strength of a magnet varies as its dial turns; so it is refused while a game is
    played on the table in the settings. Exit code 1 if something fails.
    """
    from hardware.clock import MachineClock
    from pi_app.play.opened import journals_of, open_secrets
    from pi_app.workshop.doctor import failed
    from pi_app.workshop.hubs import MAGNETS_SHOWN, diagnosed, no_game

    wanted = _chosen(settings_file, name, port)
    open_secrets("samples", journals_of([settings_file]), in_play=False, advice=MAGNETS_SHOWN)
    with no_game(_settings(settings_file), MAGNETS_SHOWN):
        checks = _tell(diagnosed(wanted, MachineClock()), as_json)
    if failed(checks):
        context.exit(exit_codes.FOUND)


@hub.command()
@_which
def reset(name: str | None, settings_file: Path, port: str | None) -> None:
    """Restart a hub, and wait until it answers again."""
    from firmware_host.link import Link
    from firmware_host.queries import restart, welcome, without_samples
    from hardware.clock import MachineClock

    clock = MachineClock()
    with Link(without_samples(_chosen(settings_file, name, port)), clock) as link:
        again = restart(link, welcome(link, clock), clock)
    echo(f"board {again.uid} has restarted")


@hub.command()
@_which
@click.option(
    "--board-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Your own board.py, to replace the one on the board.",
)
def install(name: str | None, settings_file: Path, port: str | None, board_file: Path | None) -> None:
    """Install the firmware and a new key on a board with mpremote, start it, and check that it answers with its key.

    A board.py on the board is kept unless --board-file names another. The board must have MicroPython 1.25 or later:
    hold its BOOTSEL button while you plug it in, and copy the official .uf2 onto the drive that appears.

    The key is stored on the board and beside the settings, in trapdial.toml.hubs, for the owner only. A game accepts
    the board by this key, so install with the settings of its table.
    """
    from dataclasses import replace

    from firmware_host.errors import InstallError
    from firmware_host.hub.wire import FIRMWARE
    from firmware_host.install import install
    from firmware_host.link import Link
    from firmware_host.messages import no_port, version
    from firmware_host.queries import welcome, without_samples
    from hardware.clock import MachineClock
    from pi_app.settings.hub_keys import keep, new_key
    from pi_app.workshop.hubs import port_of

    wanted = _chosen(settings_file, name, port)
    where = port_of(wanted)
    if not where:
        raise InstallError(no_port(wanted.name, wanted.uid, wanted.port))
    echo(f"copying firmware {version(FIRMWARE)} to {where}", err=True)
    with new_key(settings_file) as (draft, key):
        for copied in install(where, board_file, key_file=draft):
            echo(f"copied {copied}")
        clock = MachineClock()
        with Link(replace(without_samples(wanted), key_of=lambda uid: key), clock) as link:
            found = welcome(link, clock, starts=True)
        if found.firmware != FIRMWARE:
            raise InstallError(
                f"board ({where}) answers with firmware {version(found.firmware)}. Pull its plug, and install again."
            )
        kept = keep(draft, found.uid)
    echo(f"board {found.uid} runs firmware {version(found.firmware)} and has {count_of(found.dials, 'dial')}")
    echo(f"its key is in {kept}: it goes with the settings, and is for this Pi only")


@hub.command()
@click.argument("lines", nargs=-1)
@click.pass_context
def decode(context: click.Context, lines: tuple[str, ...]) -> None:
    """Print LINES of a hub's protocol in plain words; without LINES, read them from standard input.

    The lines may come from a terminal or a log. Angles are shown. For a damaged line the fault is printed, and the exit
    code is 1.
    """
    from firmware_host.decode import decoded, is_damaged

    damaged = False
    for line in lines or lines_of_bytes():
        if line.strip():
            said = decoded(line)
            damaged |= is_damaged(said)
            echo(said)
    if damaged:
        context.exit(exit_codes.FOUND)
