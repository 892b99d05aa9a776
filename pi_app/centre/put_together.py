"""Puts a whole centre together from its settings: what tables ask, what readers see, and what runs beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from hardware.host import Host
from pi_app.centre.clock.watch import ClockWatch
from pi_app.centre.findings.watching import FleetWatch
from pi_app.centre.own_log.background import own_log_of
from pi_app.centre.pages.site import site_of
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.settings import CentreSettings
from pi_app.centre.store.opening import open_store
from pi_app.centre.store.store import CentreStore
from pi_app.centre.taking.decision import CentreKey


@dataclass(frozen=True, slots=True)
class CentreStores:
    """Connections to one store: `writing` commits what tables hand over, `reading` looks up meanwhile, `pages` is for
    those who look at the centre's page, `learning` for what is learnt from records. `second` commits too while tables
    catch up; None if the store takes one writer."""

    writing: CentreStore
    reading: CentreStore
    pages: CentreStore
    learning: CentreStore
    second: CentreStore | None = None

    def close(self) -> None:
        """Close all of them."""
        for each in (self.writing, self.reading, self.pages, self.learning, self.second):
            if each is not None:
                each.close()


def open_stores(settings: CentreSettings) -> CentreStores:
    """Open the store as often as a centre needs it. Raises StoreError."""
    with contextlib.ExitStack() as undo:
        opened = [
            undo.enter_context(contextlib.closing(open_store(settings)))
            for _ in range(5 if settings.is_postgres else 4)
        ]
        undo.pop_all()
        return CentreStores(*opened)


def put_together(
    settings: CentreSettings,
    key: CentreKey,
    stores: CentreStores,
    clock: Callable[[], float],
    says: Callable[[str], None],
    host: Host | None = None,
) -> tuple[Centre, CentreApp]:
    """Return the centre and the program that serves it. `clock`: POSIX seconds; `says`: takes a line for whoever runs
    the centre; `host`: the machine whose clock it is, None if the clock is simulated and in no doubt."""
    watch = None if host is None else ClockWatch(stores.reading, key.name, host, settings.log_origins, says)
    centre = Centre(key, stores.writing, stores.reading, clock, settings.logs, says, stores.second, watch)
    own_log = own_log_of(settings, key, stores.writing, stores.reading, says)
    troubles = tuple if own_log is None else own_log.log.troubles
    site = site_of(settings, centre, stores.pages, clock, says, troubles)
    fleet = FleetWatch(stores.learning, clock, says, is_busy=lambda: centre.bundles.catching_up)
    return centre, CentreApp(centre, site, own_log, [fleet.run, *([] if watch is None else [watch.run])])
