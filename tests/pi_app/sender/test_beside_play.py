"""Play does the same work for each scan and each event, whether the centre is well, slow, lying, gone, or not there.

Work is counted, not timed: every call that the table's loop makes out of Python, which all its system calls are among.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from pi_app import journal as jn
from pi_app.journal.record.checkpoints import origin_of
from pi_app.sender.client import CentreReply
from pi_app.sender.keeper import SenderKeeper
from pi_app.sender.orders import SenderOrders
from tests.pi_app.centre.records import CENTRE, Desk, DeskClient, new_store
from tests.pi_app.playing import Played, table
from tests.pi_app.sender.http_centre import HttpCentre

SCANS = 50


class Counted:
    """Counts the calls out of Python that this thread makes."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        if event == "c_call":
            self.calls += 1

    @contextmanager
    def on(self) -> Iterator[None]:
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)


@contextmanager
def handing_over(folder: Path, how: str) -> Iterator[HttpCentre | None]:
    """A sender's process beside the journal, and a centre that behaves like this."""
    if how == "not there":
        yield None
        return
    path = folder / "journal.db"
    key = jn.keys_of(path).known_device()
    assert key is not None
    store = new_store(folder / "centre.db", origin_of(key.public))
    centre = HttpCentre(DeskClient(Desk(store)))
    over = threading.Event()
    address = centre.address
    if how == "slow":
        centre.answers = lambda path, body: CentreReply(503, b"") if over.wait(60) else None
    elif how == "lying":
        centre.answers = lambda path, body: CentreReply(200, b"\xe2\x80\x94 centre.example/c1 AAAA\n")
    elif how == "gone":
        with socket.create_server(("127.0.0.1", 0)) as closed:
            address = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    keeper = SenderKeeper(SenderOrders(journal=str(path), address=address, key=CENTRE.verifier.text(), spread=False))
    try:
        if how == "gone":
            centre.until(lambda: keeper.process_id is not None)
        else:
            centre.until(lambda: bool(centre.asked))
        yield centre
    finally:
        over.set()
        keeper.close()
        centre.close()
        store.close()


def play(at: Played) -> None:
    """Some scans without an event, and some events."""
    at.expose("ANN", "T01", 3)
    at.run(SCANS / 100)


def calls_of(folder: Path, how: str) -> int:
    counted = Counted()
    with table(folder) as at:
        at.run(1.0)
        with handing_over(folder, how), counted.on():
            play(at)
    return counted.calls


@pytest.mark.slow
def test_no_scan_and_no_event_costs_more(tmp_path: Path) -> None:
    found = {}
    for how in ("not there", "not there too", "well", "slow", "lying", "gone"):
        folder = tmp_path / how
        folder.mkdir()
        found[how] = calls_of(folder, "not there" if how.startswith("not") else how)
    alone = found["not there"]
    assert all(abs(calls - alone) <= alone / 100 for calls in found.values()), found
