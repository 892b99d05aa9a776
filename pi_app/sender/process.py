"""The sender's process: it hands one record over, and asks witnesses, until there is another record to hand over.

The table starts it (`keeper`), and starts it again when it ends. It reads its orders from standard input, says on
standard output how it goes, in lines of JSON, and ends with the table: then standard input ends. For each record it
gives up all files but that record's, so the next record has a process of its own.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from pi_app.journal import JournalFileError, machine_stamp
from pi_app.journal.cosigned import cosigned_folder, cosigner_key
from pi_app.sender.client import HttpClient
from pi_app.sender.confined import confine, make_way
from pi_app.sender.orders import AGAIN, LEFT_OUT, MOST_TROUBLES, SenderOrders, SenderSays, SenderTrouble
from pi_app.sender.records import next_record, outbox_of
from pi_app.sender.turns import WAITS, RecordTurns, turns_of
from pi_app.text.private_files import make_folder, remove_drafts

WAIT_S: Final = 1.0
"""Poll interval of the files while no turn ends."""

MOST_ORDERS: Final = 65_536


@dataclass
class Reporting:
    """Says how it goes, when that has changed."""

    put: Callable[[bytes], None]
    confined: bool = True
    _last: SenderSays | None = None

    def __call__(self, troubles: Sequence[SenderTrouble] = (), left_out: str = "") -> None:
        said = SenderSays(troubles=tuple(troubles[:MOST_TROUBLES]), confined=self.confined, left_out=left_out[:400])
        if said != self._last:
            self._last = said
            self.put(msgspec.json.encode(said) + b"\n")


def run(orders: SenderOrders, report: Reporting, pause: Callable[[float], None] = time.sleep) -> int:
    """Hand the next record over; return how it ended. `pause` waits for so many seconds."""
    journal = Path(orders.journal)
    path = next_record(journal, cosigner_key(orders.key) if orders.key else None, orders.left_out)
    while True:
        try:
            outbox = outbox_of(path, bytes.fromhex(orders.seed))
        except JournalFileError as error:
            outbox, troubles = None, [SenderTrouble(sentence=WAITS, why=str(error)[:400])]
        else:
            troubles = []
        if outbox is not None:
            break
        report(troubles, path.name if path != journal else "")
        if path != journal:
            return LEFT_OUT
        pause(WAIT_S)
    make_folder(cosigned_folder(path))
    remove_drafts(cosigned_folder(path))
    knows_time = machine_stamp().clock != "none"
    authority = Path(orders.authority) if orders.authority else None

    def client(address: str) -> HttpClient:
        own = authority if address == orders.address else None
        try:
            return HttpClient(address, own, knows_time)
        except OSError as error:
            seen = f"is no certificate that can be read ({error.strerror or error})"
            raise JournalFileError.of(own or path, "file", seen, "Check `authority` of [centre]") from error

    turns = turns_of(path, orders, outbox, client, date_s=_date_s)
    report.confined = confine(path, turns.ports)
    turns.begin(pause)  # after `confine`: a thread has the rights of the one that starts it
    return _serve(turns, journal, report)


def _serve(turns: RecordTurns, journal: Path, report: Reporting) -> int:
    while not turns.has_moved:
        turns.wait(WAIT_S)
        gives_up = turns.path != journal and turns.is_refused
        report(turns.troubles, turns.path.name if gives_up else "")
        if gives_up:
            return LEFT_OUT
        if turns.path != journal and turns.is_done:
            return AGAIN
    return AGAIN


def _date_s() -> int:
    """Return the date in POSIX seconds; 0 if this machine does not know it."""
    return int(time.time()) if machine_stamp().clock != "none" else 0


# ------------------------------------------------------------------------------------------------------ as a program


def _read_orders() -> SenderOrders:
    """Read the orders: one line of standard input, which stays open."""
    data = b""
    while not data.endswith(b"\n") and len(data) < MOST_ORDERS:
        more = os.read(0, MOST_ORDERS)
        if not more:
            raise SystemExit(AGAIN)
        data += more
    return msgspec.json.decode(data, type=SenderOrders)


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(AGAIN)


def _put(line: bytes) -> None:
    """Say it to the table. Without one there is nothing left to do."""
    try:
        os.write(1, line)
    except OSError:
        os._exit(AGAIN)


def main() -> int:
    """Run as a program of the table."""
    make_way()
    orders = _read_orders()
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    try:
        return run(orders, Reporting(_put))
    except (JournalFileError, OSError, ValueError) as error:
        with contextlib.suppress(OSError):
            os.write(2, " ".join(str(error).split()).encode() + b"\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
