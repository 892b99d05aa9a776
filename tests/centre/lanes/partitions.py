"""Bad networks between shops and the centre, in network namespaces: a link that is cut, a connection of which only one
side knows that it is over, 30 % loss, and a slow line. Tables go on by themselves, and not all at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from pi_app.journal.record.sha import in_bulk
from pi_app.sender import pace
from pi_app.workshop.bench.centre import table_connection
from pi_app.workshop.bench.centre.centre_process import CentreProcess
from pi_app.workshop.bench.centre.checker import check
from pi_app.workshop.bench.centre.load import Fleet, enrol, live_supplies
from pi_app.workshop.bench.centre.load_table import LiveSupply
from tests.centre.lanes.attacks import an_original
from tests.centre.patching import patched
from tests.pages.figures import Figures
from tests.pages.namespaces import ADDRESS, Room, inside, room
from tests.pages.relay import Relay

SHOPS: Final = 2
TABLES: Final = {True: 10, False: 100}
"""Of each shop."""

LASTS_S: Final = {True: 3.0, False: 20.0}
"""So long each trouble lasts."""

PORT: Final = 8460
PER_S: Final = 2.0
LOSS: Final = 0.3
DELAY_MS: Final = 400
MOST_CONNECTS: Final = 50
RECOVERS_S: Final = {True: 60.0, False: 400.0}


def run(figures: Figures, *, short: bool) -> None:
    """Make the namespaces, and trouble. Raises CannotRun where namespaces are refused."""
    in_bulk()
    with room(SHOPS, relayed=True) as made, tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as closing:
        if short:  # a real table waits longer for an answer and for its next try: CI does not
            closing.enter_context(patched(table_connection, "ANSWER_S", 3.0))
            closing.enter_context(patched(pace, "FIRST_LONGEST_S", 3.0))
            closing.enter_context(patched(pace, "LONGEST_S", 6.0))
        relay = Relay(made, 21)
        closing.callback(relay.close)
        with inside(made.table):
            centre = CentreProcess(Path(folder) / "centre", host=ADDRESS, port=PORT)
        _lane(figures, made, relay, centre, short=short)


class Shop(threading.Thread):
    """The tables of one shop, in its namespace."""

    def __init__(self, namespace: str, fleet: Fleet, supplies: list[LiveSupply], recovers_s: float) -> None:
        super().__init__()
        self.fleet, self.supplies = fleet, supplies
        self._namespace, self._recovers_s = namespace, recovers_s
        self.stops = threading.Event()

    def run(self) -> None:
        with inside(self._namespace):
            asyncio.run(self._play())

    async def _play(self) -> None:
        tasks = [asyncio.create_task(each.run()) for each in self.fleet.tables]
        while not self.stops.is_set():
            await asyncio.sleep(0.05)
        for each in self.supplies:
            each.stopped = True
        until_s = time.monotonic() + self._recovers_s
        while time.monotonic() < until_s and not self.fleet.is_done():
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _lane(figures: Figures, made: Room, relay: Relay, centre: CentreProcess, *, short: bool) -> None:
    count = TABLES[short]
    shops = []
    for number, namespace in enumerate(made.phones):
        supplies = live_supplies(an_original(), count, PER_S, first=number * count)
        enrol(centre, [each.origin for each in supplies])
        fleet = Fleet(centre.key.verifier, ADDRESS, PORT, seed=number)
        for supply in supplies:
            fleet.add(supply)
        shops.append(Shop(namespace, fleet, supplies, RECOVERS_S[short]))
    with _started(made, centre):
        for shop in shops:
            shop.start()
        _wait_until(lambda: all(t.after for shop in shops for t in shop.fleet.tables), RECOVERS_S[short])
        for name, trouble in _troubles(made, relay, centre, LASTS_S[short]):
            before = {id(t): t.after for shop in shops for t in shop.fleet.tables}
            trouble()
            began_s = time.monotonic()
            moved = _wait_until(partial(_all_moved, shops, before), RECOVERS_S[short])
            figures.holds(f"{name}: every table goes on by itself", is_so=moved)
            figures.note(f"{name}: the last one after {time.monotonic() - began_s:.1f} s")
        for shop in shops:
            shop.stops.set()
        for shop in shops:
            shop.join()
    with contextlib.closing(centre.opened()) as store:
        truths = {origin: truth for shop in shops for origin, truth in shop.fleet.truths().items()}
        found = check(store, truths, centre.key.verifier, whole=True)
        alarms = len(store.evidence.all())
    for line in found.wrong[:5]:
        figures.note(line)
    statuses = [shop.fleet.seen for shop in shops]
    figures.note(
        f"{found.tables} tables, {found.entries:,} entries; no answer: {sum(each.unanswered for each in statuses)}"
    )
    figures.holds("nothing is lost, double or different", is_so=found.sound)
    figures.most("false alarms", alarms, 0)
    most = sum(shop.fleet.log.most_per_second() for shop in shops)
    figures.most("connections within one second, of all shops together", most, MOST_CONNECTS)


def _all_moved(shops: Sequence[Shop], before: Mapping[int, int]) -> bool:
    return all(table.after > before[id(table)] for shop in shops for table in shop.fleet.tables)


@contextlib.contextmanager
def _started(made: Room, centre: CentreProcess) -> Iterator[None]:
    with inside(made.table):
        centre.start()
    try:
        yield
    finally:
        centre.stop()


def _troubles(
    made: Room, relay: Relay, centre: CentreProcess, lasts_s: float
) -> Iterator[tuple[str, Callable[[], None]]]:
    def lasting(begin: str, end: str) -> Callable[[], None]:
        def trouble() -> None:
            relay.order(begin)
            time.sleep(lasts_s)
            relay.order(end)

        return trouble

    def half_open() -> None:
        """The centre dies while nothing passes: tables keep connections that the other side has forgotten."""
        relay.order("cut")
        centre.kill()
        time.sleep(lasts_s * random.Random(3).uniform(0.5, 1.0))
        with inside(made.table):
            centre.start()
        relay.order("mend")

    yield "the link is cut", lasting("cut", "mend")
    yield "connections that only one side knows", half_open
    yield f"{LOSS:.0%} of the packets are lost", lasting(f"loss {LOSS}", "loss 0")
    yield f"{2 * DELAY_MS} ms to and fro", lasting(f"delay {DELAY_MS}", "delay 0")


def _wait_until(is_so: Callable[[], bool], seconds: float) -> bool:
    until_s = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.05)
    return True
