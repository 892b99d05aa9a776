"""The checks of a folder after a power cut: everything reported is there, the record is sound, and play continues."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pi_app.game import events as ev
from pi_app.journal import Journal, NotRecordedError, Stamp, keys_of, raw, verify
from pi_app.journal.record import entry as rec
from pi_app.journal.record.heads import read_head
from pi_app.journal.record.verdict import RecordState, RecordVerdict
from pi_app.play.first_event import version
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.text.errors import UserFileError
from tests.crash.disk import Told
from tests.pi_app.games import started

SOUND = (RecordState.WHOLE, RecordState.INTERRUPTED)


def faults(journal: Path, told: Sequence[Told], *, verify_first: bool = True) -> list[str]:
    """Return every fault after a power cut, as sentences; there should be none."""
    try:
        found = _read_only(journal, told) if told and verify_first else []
        return found or _gone_on(journal, told)
    except (UserFileError, NotRecordedError) as error:
        return [f"by hand: {error}"]


def _read_only(journal: Path, told: Sequence[Told]) -> list[str]:
    """Verify the record before any program writes to it."""
    return _lacks(verify(journal, [read_head(told[-1].head)]), told)


def _gone_on(journal: Path, told: Sequence[Told]) -> list[str]:
    """Open it with a new program, resume the unfinished game or begin another, and add two entries."""
    with Journal(journal, MAGE_KNIGHT, lambda: Stamp("after the cut", 0, "2026-01-02T03:04:05+00:00")) as record:
        before = _size(journal)
        found = record.unfinished()
        if found is None:
            game, moment = "after-the-cut", record.append("after-the-cut", NO_GAME, started())
        else:
            game, moment = found
            moment = record.append(game, moment, ev.Resumed(version=version()))
        record.append(game, moment, ev.Ended())
        keyless = [name for name in _running(journal) if keys_of(journal).game(name) is None]
    witnesses = [read_head(each.head) for each in {told[len(told) // 2], told[-1]}] if told else []
    verdict = verify(journal, witnesses)
    faults = [*_lacks(verdict, told), *(f"no key for game {name}" for name in keyless)]
    if verdict.size != before + 2:
        faults.append(f"went on after entry {before} and has {verdict.size} now")
    return faults


def _lacks(verdict: RecordVerdict, told: Sequence[Told]) -> list[str]:
    found = []
    if told and verdict.size < told[-1].seq:
        found.append(f"told but lost: entry {told[-1].seq} was told, {verdict.size} are there")
    if verdict.state not in SOUND:
        found.append(f"false alarm: {verdict.state.name}, {verdict.damage}, {verdict.against}")
    if told and verdict.good_until < told[-1].seq:
        found.append(f"the witness of entry {told[-1].seq} says nothing")
    return found


def _size(journal: Path) -> int:
    with raw(journal) as file:
        return sum(1 for _ in file.rows())


def _running(journal: Path) -> set[str]:
    """Return the games in the file that have begun and not ended."""
    running: set[str] = set()
    with raw(journal) as file:
        for _, public, *_ in file.rows():
            part = rec.read_public(public) if isinstance(public, bytes) else None
            if part is not None and part.kind == rec.ENDED:
                running.discard(part.game)
            elif part is not None:
                running.add(part.game)
    return running
