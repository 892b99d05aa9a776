"""The date of a machine whose clock is not set, held up by what the centre has cosigned: it is not before that.

A cosignature has the centre's time below its signature, so who holds it knows that this time is over. It is a lower
bound and no more: the date goes forward only, and stays with the machine's own as soon as that is later or has a
source.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from pi_app.journal import JournalFileError, Stamp, raw
from pi_app.journal.cosigned import cosigned
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import cosigned_at
from pi_app.journal.record.happenings import LATEST_WITNESSED_S
from pi_app.journal.record.notes import VerifierKey
from pi_app.journal.stamps import wall_ms

BEHIND_MS: Final = 2_000
"""A date that is later than the machine's by no more than this changes nothing."""

DateAt = tuple[int, int, int]
"""A date in POSIX ms, the monotonic time in ns when it was right or past, and the cosignature's own in POSIX s."""


class WitnessedClock:
    """Gives the time of entries. `poll` may run in another thread. `may_step`: whether the date may be corrected now;
    that takes an entry of its own, which must not come while a player holds a seat to look."""

    def __init__(self, path: Path, centre: VerifierKey, machine: Callable[[], Stamp]) -> None:
        """`centre`: the pinned key whose cosignatures count, and no other. Raises nothing for a journal that cannot be
        read: that is reported elsewhere."""
        self._path, self._centre, self._machine = path, centre, machine
        self.may_step: Callable[[], bool] = lambda: True
        self._heard: DateAt | None = None
        stamp = machine()
        self._held = _held_before(path, stamp) if stamp.clock == "none" else None

    def __call__(self) -> Stamp:
        stamp = self._machine()
        if stamp.clock != "none":
            return stamp
        own_ms = wall_ms(stamp.wall)
        heard_ms, now_ms = _date(self._heard, stamp), max(own_ms, _date(self._held, stamp))
        if heard_ms - now_ms > BEHIND_MS and self.may_step():
            self._held, now_ms = self._heard, heard_ms
        if self._held is None or now_ms <= own_ms:
            return stamp
        wall = datetime.datetime.fromisoformat(stamp.wall) + datetime.timedelta(milliseconds=now_ms - own_ms)
        return replace(stamp, wall=wall.isoformat(), witnessed=self._held[2])

    def poll(self) -> Sequence[str]:
        """Look whether the centre has cosigned something since. Return no notices: the correction has one."""
        stamp = self._machine()
        if stamp.clock == "none":
            times = [cosigned_at(note, self._centre) or 0 for note in cosigned(self._path)]
            newest = max((time_s for time_s in times if time_s <= LATEST_WITNESSED_S), default=0)
            if self._heard is None or newest * 1000 > _date(self._heard, stamp):
                self._heard = (newest * 1000, stamp.mono_ns, newest) if newest else None
        return ()


def _date(at: DateAt | None, now: Stamp) -> int:
    """Return a date in POSIX ms, carried on to now; a very early one for none."""
    return -(2**62) if at is None else at[0] + (now.mono_ns - at[1]) // 1_000_000


def _held_before(path: Path, now: Stamp) -> DateAt | None:
    """Return the date of the last entry, if an earlier run of this program in this boot had it from a cosignature: it
    must not go back."""
    with contextlib.suppress(JournalFileError, msgspec.MsgspecError, ValueError, TypeError), raw(path) as rows:
        last = rows.last()
        for _, public, *_ in rows.rows(part=(last, last)):
            part = rec.read_public(public if isinstance(public, bytes) else b"")
            if part.boot == now.boot and part.clock == "none" and part.witnessed is not None:
                return wall_ms(part.wall), part.mono_ns, part.witnessed
    return None
