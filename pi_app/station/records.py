"""Keeps the records of a station within a budget, in small steps between visits.

The running record is put aside now and then, and a new one continues it. Of the past records the oldest games are
deleted first; their hashes and an entry that records the deletion stay. When the hashes alone take too much, the oldest
record goes, and its signed head stays. The running record is never touched.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from pi_app.journal import Journal, JournalFileError, Stamp, machine_stamp
from pi_app.journal.disk_trouble import refused_by
from pi_app.journal.past import bytes_of, drop, finish_drops, past_logs, past_of, too_large
from pi_app.journal.pruning import Pruned, Pruner
from pi_app.journal.record.limits import LARGEST_OPENINGS
from pi_app.station.troubles.start_errors import trouble_of
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.text.private_files import remove_drafts

STEP_NS: Final = 8_000_000
"""A step that reads stops after this time; none takes more than 20 ms on a good card."""

CHECK_EVERY_NS: Final = 10_000_000_000
"""How often the sizes are read while nothing is due."""

DAY_NS: Final = 24 * 3600 * 1_000_000_000

LOGS_OF_A_BUDGET: Final = 16
"""A record is put aside at this part of the budget; twice that is kept free for the running one and for SQLite's
logs."""

BARE_OF_A_BUDGET: Final = 4
"""The hashes of games that are gone may take this part of the budget."""

Keep = Literal["records", "heads"]


class Records:
    """The records of one station: `step` does a little whenever nobody plays. Close it."""

    def __init__(
        self,
        journal: Journal[Any, Any],
        budget_bytes: int,
        keep: Keep = "records",
        *,
        stamp: Callable[[], Stamp] = machine_stamp,
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`keep`: "heads" deletes every game of a finished day."""
        self._journal, self._budget, self._keep = journal, budget_bytes, keep
        self._stamp, self._now_ns = stamp, now_ns
        remove_drafts(past_of(journal.path))
        finish_drops(journal.path)
        self._pruner: Pruner | None = None
        self._bare: set[Path] = set()
        self._beyond: set[Path] = set()
        """Past records whose games cannot be deleted one by one: they are damaged, or their key is gone."""
        self._checked_ns: int | None = None
        self.trouble = ""
        """Why a past record could not be pruned, or nothing."""
        self.found: TroubleFound | None = None
        """The trouble that this is to the staff."""
        self._lasting: tuple[str, TroubleFound | None] = "", None
        """The trouble of the records that are beyond, for as long as one of them is there."""
        self.did = Pruned.IDLE
        """What the last step did."""

    def close(self) -> None:
        """Close the past record that is open. Closing twice is harmless."""
        if self._pruner is not None:
            self._pruner.close()
            self._pruner = None

    def step(self) -> bool:
        """Do a little, if anything is due. Return whether more is due. Call it only while no game is on."""
        if self._pruner is None and not self._is_time():
            return False
        if self._pruner is None:
            self.trouble, self.found = self._lasting
        self.did = Pruned.ASIDE
        try:
            more = (self._pruner is None and self._put_aside()) or self._prune()
        except JournalFileError as error:
            self._failed(error)
            more = self._not_now() if refused_by(error) else self._set_apart()
        self._checked_ns = None if more else self._now_ns()
        return more

    def _failed(self, error: JournalFileError, found: TroubleFound | None = None) -> None:
        """Note why something could not be done. `found`: the trouble, if the error does not say it."""
        self.trouble, self.found = str(error), found or trouble_of(error)

    def _is_time(self) -> bool:
        return self._checked_ns is None or self._now_ns() - self._checked_ns >= CHECK_EVERY_NS

    def _put_aside(self) -> bool:
        """Begin a new record if this one is long enough, or of a finished day. Return whether it was begun."""
        journal = self._journal
        try:
            long = journal.size_bytes > self._budget // LOGS_OF_A_BUDGET or journal.promised > LARGEST_OPENINGS // 2
            return (long or (self._keep == "heads" and self._day_is_over())) and journal.begin_new_log()
        except JournalFileError as error:
            self._failed(error)
            return False

    def _day_is_over(self) -> bool:
        """Return whether the record began on another day: by the date, if that is known; after another start of the
        machine; or after 24 hours."""
        began, now = self._journal.began(), self._stamp()
        if began is None:
            return False
        dates_known = "none" not in (began.clock, now.clock)
        another_date = dates_known and began.wall[:10] != now.wall[:10]
        return another_date or began.boot != now.boot or now.mono_ns - began.mono_ns >= DAY_NS

    def _prune(self) -> bool:
        """Do one step with the past records. Return whether more is due."""
        logs = past_logs(self._journal.path)
        full = bytes_of(self._journal.path) > self._budget - 2 * (self._budget // LOGS_OF_A_BUDGET)
        if (self._pruner is not None and not self._is_bare()) or self._next_pruner(logs, full=full):
            return self._step_of(full=full)
        if full and not logs:
            self._failed(too_large(self._journal.path), TroubleFound(StationTrouble.DISK_FULL))
        done = [log for log in logs if log in self._bare or log in self._beyond]
        hashes = sum(log.stat().st_size for log in logs if log in self._bare)
        if not done or not (full or hashes > self._budget // BARE_OF_A_BUDGET):
            return False
        self.did = Pruned.REMOVED
        try:
            drop(self._journal.path, done[0])
        except JournalFileError as error:
            self._failed(error)
            return False
        self._bare.discard(done[0])
        self._beyond.discard(done[0])
        self._lasting = self._lasting if self._beyond else ("", None)
        return True

    def _is_bare(self) -> bool:
        return self._pruner is not None and self._pruner.path in self._bare

    def _step_of(self, *, full: bool) -> bool:
        pruner = self._pruner
        assert pruner is not None
        until_ns = self._now_ns() + STEP_NS
        did = pruner.step(delete=full or self._keep == "heads", late=lambda: self._now_ns() >= until_ns)
        self.did = did
        if did is Pruned.BARE:
            self._bare.add(pruner.path)
            self.close()
        return did is not Pruned.IDLE

    def _next_pruner(self, logs: list[Path], *, full: bool) -> bool:
        """Open the oldest past record that may have games, if games must go. Return whether one is open."""
        self.close()
        left = [log for log in logs if log not in self._bare and log not in self._beyond]
        if left and (full or self._keep == "heads"):
            self._pruner = Pruner(left[0], self._stamp)
        return self._pruner is not None

    def _not_now(self) -> bool:
        """Wait for a disk, or another program, that refuses. Return False: nothing is due before."""
        self.close()
        return False

    def _set_apart(self) -> bool:
        """Leave a record that cannot be pruned as it is until it is the oldest to go. Return whether more is due."""
        logs = past_logs(self._journal.path)
        tried = self._pruner.path if self._pruner is not None else None
        self.close()
        left = [log for log in logs if log not in self._bare and log not in self._beyond]
        self._beyond |= {tried} if tried is not None else set(left[:1])
        self._lasting = self.trouble, self.found
        return bool(left)
