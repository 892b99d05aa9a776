"""`trapdial centre run`: serves a centre until it is stopped."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.centre_options import centre_settings_option, refusing_in_words
from pi_app.cli.printing import echo, echo_text

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from hardware.notify import Notify
    from pi_app.centre.put_together import CentreStores
    from pi_app.centre.settings import CentreSettings
    from pi_app.centre.taking.decision import CentreKey
    from pi_app.cli.stopping import Request

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 30.0
LOOK_S: Final = 0.2
"""So often a signal is looked for while the database is away."""


@click.command()
@centre_settings_option
@click.option("--print-unit", is_flag=True, help="Print a unit for systemd that runs this centre, and do nothing.")
def run(settings_file: Path, print_unit: bool) -> None:
    """Serve the centre until it is stopped: tables hand over, witnesses' clients ask, readers open its page.

    A database that does not answer is asked again until it does. SIGTERM and Ctrl-C end the centre after the requests
    that are under way. It may be killed at any time: what was cosigned is on disk.
    """
    import os

    from hardware.notify import of
    from pi_app.centre.key_file import read_key
    from pi_app.centre.service.process import LogLines, check_tls, listener, log_briefly
    from pi_app.centre.settings import load
    from pi_app.centre.store.opening import held_alone
    from pi_app.cli.stopping import requesting
    from pi_app.cli.terminal import warn

    settings = load(settings_file)
    if print_unit:
        echo_text(_unit(settings))
        return
    key = read_key(settings.beside(settings.key), settings.name)
    check_tls(settings)
    for problem in settings.warnings:
        warn(f"note: {problem}")
    log_briefly()
    manager = of(os.environ)
    say = LogLines(_stamped(manager))
    with contextlib.ExitStack() as closing:
        closing.callback(manager.close)
        request = closing.enter_context(requesting())
        closing.enter_context(refusing_in_words())
        closing.enter_context(held_alone(settings))
        port = closing.enter_context(contextlib.closing(listener(settings)))
        stores = _opened(settings, request, say, manager)
        if stores is not None:
            closing.callback(stores.close)
            _serve(settings, key, stores, port, request, say, manager)
        echo("The centre has ended.")


def _unit(settings: CentreSettings) -> str:
    """Return the unit of this centre. Raises UserFileError for a path that a unit of another user cannot name."""
    import sys

    from pi_app.centre.unit import CentreUnit
    from pi_app.cli.station_install import PLAIN, is_in_a_home
    from pi_app.text.errors import UserFileError

    program, path = Path(sys.executable).with_name("trapdial"), settings.where.absolute()
    for each, advice in ((program, "Install Trapdial in /opt"), (path, "Make the centre in /var/lib/trapdial-centre")):
        if not PLAIN.fullmatch(str(each)):
            seen = "a unit cannot name it: it has other letters than a to z, digits and . _ + - in its path"
            raise UserFileError.at(str(each), "", seen, advice)
        if is_in_a_home(each):
            seen = "it lies in a home folder, where the centre's own user may read nothing"
            raise UserFileError.at(str(each), "", seen, advice)
    return CentreUnit(str(program), path, settings.address[1]).text()


def _stamped(manager: Notify) -> Callable[[str], None]:
    """Print lines, with the time unless a service manager adds it."""
    if manager.listens:
        return echo
    return lambda line: echo(f"{time.strftime('%H:%M:%S')} {line}")


def _opened(
    settings: CentreSettings, request: Request, say: Callable[[str], None], manager: Notify
) -> CentreStores | None:
    """Open the store; try again while it is away. None if a signal came first."""
    from pi_app.centre.put_together import open_stores
    from pi_app.centre.store.store import StoreAwayError

    pause_s = FIRST_PAUSE_S
    while request.number is None:
        try:
            return open_stores(settings)
        except StoreAwayError as error:
            line = f"{error} It is tried again until it answers."
            say(line)
            manager.status(line)
        until_s = time.monotonic() + pause_s
        while request.number is None and time.monotonic() < until_s:
            time.sleep(LOOK_S)
        pause_s = min(LONGEST_PAUSE_S, 2 * pause_s)
    return None


def _too_late() -> None:
    """Do nothing at a signal: the centre is ending."""


def _serve(
    settings: CentreSettings,
    key: CentreKey,
    stores: CentreStores,
    port: socket.socket,
    request: Request,
    say: Callable[[str], None],
    manager: Notify,
) -> None:
    import asyncio

    from hardware.host import Host
    from pi_app.centre.put_together import put_together
    from pi_app.centre.service.process import serve, status_line
    from pi_app.centre.service.serving import event_loop

    centre, app = put_together(settings, key, stores, time.time, say, Host())
    began = time.strftime("%d %b, %H:%M")

    async def serving() -> None:
        stopped, loop = asyncio.Event(), asyncio.get_running_loop()

        def stop() -> None:
            loop.call_soon_threadsafe(stopped.set)

        request.calls(stop)
        try:
            say(f"The centre {key.name} listens at {settings.url}")
            await serve(settings, app, port, stopped, manager, lambda: status_line(centre, began))
        finally:
            request.calls(_too_late)

    with asyncio.Runner(loop_factory=event_loop()) as runner:
        runner.run(serving())
