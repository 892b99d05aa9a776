"""The service that hands a station's record over to its centre: the table's own service has no network.

It follows the settings that the table runs with. Run as a program with the state folder as its word.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pi_app.play.open_sender import pin_centre, seed_of, sender_orders
from pi_app.sender.keeper import SenderKeeper
from pi_app.sender.orders import SenderOrders
from pi_app.settings import load as loading
from pi_app.station.service.boot_settings import NAME
from pi_app.text.errors import UserFileError

LOOK_EVERY_S: Final = 10.0


def wanted(state: Path) -> SenderOrders | None:
    """Return what is to be handed over with the settings of a state folder; None without a centre, or while there are
    no settings that can be read."""
    with contextlib.suppress(UserFileError):
        settings = loading.load(state / NAME)
        return sender_orders(settings, settings.beside(settings.table.journal))
    return None


def serve(state: Path, wait: Callable[[float], bool], keep: Callable[[SenderOrders], SenderKeeper]) -> None:
    """Keep a sender running with the settings as they are, until `wait` returns True."""
    orders: SenderOrders | None = None
    keeper: SenderKeeper | None = None
    while True:
        now = wanted(state)
        if now != orders:
            if keeper is not None:
                keeper.close()
            orders, keeper = now, None if now is None else keep(now)
        if wait(LOOK_EVERY_S):
            break
    if keeper is not None:
        keeper.close()


def _kept(orders: SenderOrders) -> SenderKeeper:
    journal = Path(orders.journal)
    pin_centre(journal, orders.key)
    return SenderKeeper(orders, lambda: seed_of(journal))


def main(state: str) -> None:
    """Serve until the service manager ends it."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    serve(Path(state), stopped.wait, _kept)


if __name__ == "__main__":
    main(sys.argv[1])
