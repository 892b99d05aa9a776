"""Audits journal files: games that have ended with the key that they publish, all others sealed.

A key that exists only on this machine is never used: the audit of a running game reveals no more than its public
halves.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from pi_app import journal as jn
from pi_app.audit.device_findings import Opened
from pi_app.audit.examine import UnplayableError, examine
from pi_app.audit.sealed import audit_sealed
from pi_app.audit.values import DamageSeen, FileAudit, GameAudit
from pi_app.game import events as ev
from pi_app.journal import JournalFileError, RawJournal
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.keys import key_commitment
from pi_app.journal.record.runs import RawRow
from pi_app.journal.record.verdict import Damage, RecordState
from pi_app.journal.record.verify import verify as check
from pi_app.journal.recorded_game import read_event
from pi_app.play.mage_knight import MAGE_KNIGHT


def audit_files(paths: Iterable[Path]) -> list[FileAudit]:
    """Audit journals, and every record in archives. Raises JournalFileError for the first unusable one."""
    return [audit_file(path, log) for path in paths for log in jn.logs(path)]


def audit_file(path: Path, log: int = 0) -> FileAudit:
    """Audit a journal, or one log of an archive, up to its first damage. Raises JournalFileError if nothing of it is
    usable."""
    with jn.raw(path) as raw:
        state, damage, entries = _checked(raw, log)
        until = entries if damage is None else min(entries, max(0, damage.seq - 1))
        games, damage = _games(raw, log, until, damage)
    if not games:
        if damage is not None and damage.seq:
            place = f"entry {jn.named(log * jn.LOG_STEP + damage.seq)}"
            raise JournalFileError.of(path, place, damage.seen, "Nothing before it can be audited")
        raise JournalFileError.of(path, "file", "holds no game", "Name the journal of a game")
    return FileAudit(
        file=f"{path.name} (log {log})" if log else path.name,
        state="damaged" if damage is not None else "whole" if state is RecordState.WHOLE else "interrupted",
        entries=entries,
        damage=None if damage is None else DamageSeen(entry=damage.seq, seen=damage.seen),
        games=tuple(games),
    )


def _checked(raw: RawJournal, log: int) -> tuple[RecordState, Damage | None, int]:
    """What the verifier says, and how many rows can be read at all."""
    count = 0

    def rows() -> Iterator[RawRow]:
        nonlocal count
        for row in raw.rows(log):
            count += row[0] is not None
            yield row

    verdict = check(rows(), (), read_event, again=lambda: raw.rows(log))
    return verdict.state, verdict.damage, count


def _games(raw: RawJournal, log: int, until: int, damage: Damage | None) -> tuple[list[GameAudit], Damage | None]:
    keys = _published(raw, log)
    games: list[GameAudit] = []
    parts: dict[str, list[PublicPart]] = {}
    opened: dict[str, list[Opened]] = {}
    for place, (seq, public, sealed, *_) in enumerate(raw.rows(log), 1):
        if place > until or seq != place:  # in a damaged file, rows may have any order
            break
        if not isinstance(public, bytes) or not isinstance(sealed, bytes):
            continue
        part = rec.read_public(public)
        if part.kind == rec.DELETED or part.play != MAGE_KNIGHT.name:
            continue
        parts.setdefault(part.game, []).append(part)
        if part.game in keys and (hidden := rec.read_sealed(sealed, keys[part.game], public)) is not None:
            opened.setdefault(part.game, []).append((part, ev.from_json(hidden.event)))
    for game, its in parts.items():
        try:
            games.append(examine(opened[game]) if game in opened else audit_sealed(its))
        except UnplayableError as error:
            damage = damage or Damage(error.entry, str(error))
            before = [each for each in opened[game] if each[0].seq < error.entry]
            if before:
                games.append(examine(before))
    return games, damage


def _published(raw: RawJournal, log: int) -> dict[str, bytes]:
    """Return the keys that games published at their ends, if they match the commitments of their beginnings."""
    promised: dict[str, str] = {}
    keys: dict[str, bytes] = {}
    for _, public, *_ in raw.rows(log):
        if not isinstance(public, bytes) or not any(mark in public for mark in _MARKS):
            continue
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            part = rec.read_public(public)
            if part.opening is not None:
                promised.setdefault(part.game, part.opening.key)
            elif part.key is not None and key_commitment(bytes.fromhex(part.key)) == promised.get(part.game):
                keys[part.game] = bytes.fromhex(part.key)
    return keys


_MARKS = (b'"opening":', b'"key":')
