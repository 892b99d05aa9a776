"""Keeps the own log in a thread of its own: a witness that is slow delays no table, and not the end of the centre."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from typing import Final

from pi_app.centre.own_log.entries import OwnLogKey
from pi_app.centre.own_log.own_log import LogWitness, OwnLog
from pi_app.centre.settings import CentreSettings
from pi_app.centre.store.store import CentreStore, StoreError
from pi_app.centre.taking.decision import CentreKey
from pi_app.sender.client import HttpClient

STOP_S: Final = 1.0
"""So long the centre waits at its end for a step under way; a request to a witness is then left alone."""


class OwnLogThread:
    """Steps of a log, from `start` to `stop`. `says`: is given each new sentence of what a person has to mend."""

    def __init__(self, log: OwnLog, says: Callable[[str], None] = lambda _: None) -> None:
        self.log, self._says = log, says
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="own log", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a step that waits for a witness ends with the program."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(STOP_S)

    def _run(self) -> None:
        said: Collection[str] = ()
        pause_s = 0.0
        while not self._over.wait(pause_s):
            pause_s = self.log.step(time.monotonic())
            said = self._say_new(said)

    def _say_new(self, said: Collection[str]) -> Collection[str]:
        try:
            found = self.log.troubles()
        except StoreError:
            return said  # the tables' answers say so already
        for each in found:
            if each not in said and not self._over.is_set():
                self._says(each)
        return found


def own_log_of(
    settings: CentreSettings, centre: CentreKey, store: CentreStore, reading: CentreStore, says: Callable[[str], None]
) -> OwnLogThread | None:
    """Return the log that a centre's settings name, not begun; None if they name none."""
    if settings.own_log is None:
        return None
    witnesses = [
        LogWitness(each.verifier, HttpClient(f"{each.address.rstrip('/')}/")) for each in settings.own_log.witnesses
    ]
    key = OwnLogKey.of(settings.own_log.origin, centre)
    return OwnLogThread(OwnLog(key, centre, store, reading, witnesses), says)
