"""Verify a record from its rows alone, without any key but those that the record itself publishes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pi_app.journal.record.heads import Head, is_last
from pi_app.journal.record.last_head import NOTHING_KEPT, KeptHead, cut_off, missing_entries, other_entries
from pi_app.journal.record.row_checks import RecordSoFar, WrongRowError, check_row
from pi_app.journal.record.runs import RawRow, RowRun, runs
from pi_app.journal.record.sealed_halves import OpensEvent, open_up
from pi_app.journal.record.sha import in_bulk
from pi_app.journal.record.verdict import Damage, RecordState, RecordVerdict
from pi_app.journal.record.witnesses import witnessed

MANY: Final = 4096
"""The most leaves that wait for the tree."""


def verify(
    rows: Iterable[RawRow],
    witnesses: Sequence[Head] = (),
    read_event: OpensEvent | None = None,
    *,
    again: Callable[[], Iterable[RawRow]] | None = None,
    kept: KeptHead = NOTHING_KEPT,
) -> RecordVerdict:
    """Check every row, then the head that was kept beside the keys, the games' commitments, the witnesses' heads.

    `again` yields the same rows again, to open the sealed halves of games with a published key; `read_event` decodes
    the events in them. Without `again` no sealed half is opened.
    """
    return judge(runs(rows), witnesses, read_event, again=again, kept=kept)


def judge(
    found: Iterable[RowRun],
    witnesses: Sequence[Head] = (),
    read_event: OpensEvent | None = None,
    *,
    again: Callable[[], Iterable[RawRow]] | None = None,
    kept: KeptHead = NOTHING_KEPT,
) -> RecordVerdict:
    """Do as `verify`, for rows that are grouped into runs."""
    in_bulk()
    seen = RecordSoFar()
    wanted = {head.size for head in (*witnesses, *filter(None, (kept.head,)))}
    broken = _walk(found, seen, wanted)
    _take_in(seen, wanted)
    missing = 0 if broken else missing_entries(kept.head, seen.device, seen.tree.size)
    damage = broken or _unlike(seen, kept.head, missing) or _end(seen)
    if again is not None and any(game.key is not None for game in seen.games.values()):
        until = seen.tree.size if damage is None else min(seen.tree.size, damage.seq - 1)
        damage = open_up(seen.games, itertools.islice(again(), until), read_event) or damage
    against, good = witnessed(seen, witnesses, broken=broken is not None)
    whole = all(game.ended for game in seen.games.values())
    state = RecordState.WHOLE if whole and seen.games else RecordState.INTERRUPTED
    if damage is not None:
        state = RecordState.DAMAGED
    if against:
        state = RecordState.FORKED
    return RecordVerdict(
        state,
        seen.tree.size,
        seen.tree.root(),
        seen.device,
        tuple(seen.games.values()),
        damage,
        tuple(against),
        len(witnesses),
        good,
        seen.signature,
        follows=seen.follows,
        played=0 if damage else seen.played,
        missing=missing,
        hint=kept.hint(seen.device),
    )


def _walk(found: Iterable[RowRun], seen: RecordSoFar, wanted: set[int]) -> Damage | None:
    for run, following in itertools.pairwise(itertools.chain(found, (None,))):
        assert run is not None
        at = seen.size + 1
        try:
            game = check_row(seen, at, run.first, last=not _is_behind(following, at))
        except WrongRowError as wrong:
            return Damage(at, str(wrong))
        if game is not None and run.leaves:
            game.last, game.entries = game.last + len(run.leaves), game.entries + len(run.leaves)
            seen.played = at + len(run.leaves)
            seen.before, seen.boot, seen.mono_ns = run.leaves[-1].hex(), run.boot, run.mono_ns
        _grow(seen, run.leaves, wanted)
    return None


def _is_behind(following: RowRun | None, at: int) -> bool:
    number = None if following is None else following.first.number
    return isinstance(number, int) and number > at


def _grow(seen: RecordSoFar, leaves: list[bytes], wanted: set[int]) -> None:
    """Keep leaves until there are many: the tree then takes a third of the time."""
    seen.waiting += leaves
    if len(seen.waiting) >= MANY:
        _take_in(seen, wanted)


def _take_in(seen: RecordSoFar, wanted: set[int]) -> None:
    """Add the waiting leaves to the tree, and keep the roots of the witnesses' sizes."""
    leaves, seen.waiting = seen.waiting, []
    size, done = seen.tree.size, 0
    for stop in sorted(at for at in wanted if size < at <= size + len(leaves)):
        seen.tree.extend(leaves[done : stop - size])
        seen.roots[stop], done = seen.tree.root(), stop - size
    seen.tree.extend(leaves[done:])


def _unlike(seen: RecordSoFar, kept: Head | None, missing: int) -> Damage | None:
    """Compare the rows with the head that was kept beside the keys."""
    if kept is None or seen.device not in (None, kept.device):
        return None
    if missing:
        return cut_off(kept, missing)
    return None if seen.roots.get(kept.size) == kept.root else other_entries(kept)


def _end(seen: RecordSoFar) -> Damage | None:
    if seen.tree.size == 0:
        return Damage(0, "holds no entry")
    untold = _untold(seen)
    if untold is not None:
        return Damage(untold, "was deleted, and no entry records it")
    if not seen.signature:
        return Damage(seen.tree.size, "is the last one and not signed: the entries after it were cut off")
    if seen.device is None or not is_last(seen.device, seen.tree.size, seen.tree.root(), seen.signature):
        return Damage(seen.tree.size, "does not have the signature of the device that began the record")
    return None


def _untold(seen: RecordSoFar) -> int | None:
    """Return the first entry without halves whose deletion no later entry records."""
    told, until = sorted(seen.told, reverse=True), 0
    for first, last in seen.holes:
        at = first
        while at <= last:
            while told and told[-1][0] <= at:
                until = max(until, told.pop()[1])
            if at > until:
                return at
            at = until + 1
    return None
