"""Audits journal files: games that have ended with the key that they publish, all others sealed.

A key that exists only on this machine is never used: the audit of a running game reveals no more than its public
halves.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from pi_app import journal as jn
from pi_app.audit.device_findings import Opened
from pi_app.audit.examine import UnplayableError, examine
from pi_app.audit.replay import no_game
from pi_app.audit.sealed import audit_sealed
from pi_app.audit.values import DamageSeen, FileAudit, GameAudit, RecordSeen, State
from pi_app.audit.verdicts import file_verdict, unproven
from pi_app.game import events as ev
from pi_app.journal import JournalFileError, RawJournal
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.heads import Head
from pi_app.journal.record.keys import key_commitment
from pi_app.journal.record.last_head import KeptHead
from pi_app.journal.record.runs import RawRow
from pi_app.journal.record.verdict import Damage, RecordState, RecordVerdict, fingerprint
from pi_app.journal.record.verify import verify as check
from pi_app.journal.record.witnesses import witnesses_of
from pi_app.journal.record.words import sentences
from pi_app.journal.recorded_game import read_event
from pi_app.journal.rows import explain
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.text.plain_file import open_plain
from pi_app.text.printed import shown


class NothingProvenError(JournalFileError):
    """The record is damaged, and no game stands before the damage. `state` is the result of the verifier."""

    def __init__(self, problems: Iterable[str], state: State = "damaged", file: Path | None = None) -> None:
        self.state, self.file = state, file
        super().__init__(problems)


def audit_files(paths: Iterable[Path], witnesses: Sequence[Head] = ()) -> list[FileAudit]:
    """Audit journals, and every record in archives, each against the witnesses' heads of its device. Raises
    JournalFileError for the first unusable one."""
    records = [(path, log) for path in paths for log in jn.logs(path)]
    each_has = [list(witnesses)] * len(records)
    if len(records) > 1 and witnesses:
        devices = [jn.verify(path, log=log, opens=False).device for path, log in records]
        each_has = [witnesses_of(device, frozenset(devices), witnesses) for device in devices]
    found = [_audited(path, log, heads) for (path, log), heads in zip(records, each_has, strict=True)]
    seen = [(path, log, verdict) for (path, log), (_, verdict) in zip(records, found, strict=True)]
    against: dict[int, list[str]] = {}
    for place, sentence in jn.contradictions(seen):
        against.setdefault(place, []).append(shown(sentence))
    return [_contradicted(*each, against.get(place, [])) for place, each in enumerate(found)]


def _contradicted(file: FileAudit, verdict: RecordVerdict, against: Sequence[str]) -> FileAudit:
    """Return the audit of a record that another one contradicts in these ways: it proves no more than a forked one."""
    if not against:
        return file
    games = tuple(each if _witnessed(each, verdict, verdict.damage) else unproven(each) for each in file.games)
    every = (*file.against, *against)
    return replace(file, verdict="not proven", state="forked", games=games, against=every)


def strange_heads(audits: Iterable[FileAudit], witnesses: Sequence[Head]) -> list[Head]:
    """Return the heads of devices that have no record here."""
    its = [each.record.device for each in audits if each.record is not None]
    return [] if None in its else [head for head in witnesses if fingerprint(head.device) not in its]


def audit_file(path: Path, log: int = 0, witnesses: Sequence[Head] = ()) -> FileAudit:
    """Audit a journal, or one log of an archive, up to its first damage. Raises JournalFileError if nothing of it is
    usable."""
    return _audited(path, log, witnesses)[0]


def _audited(path: Path, log: int, witnesses: Sequence[Head]) -> tuple[FileAudit, RecordVerdict]:
    kept = jn.kept_head(path, log)
    with jn.raw(path) as raw:
        verdict, entries = _checked(raw, log, witnesses, kept)
        damage = verdict.damage
        until = entries if damage is None else min(entries, max(0, damage.seq - 1))
        games, damage = _games(raw, log, until, damage)
    if not games:
        error: JournalFileError = no_game(path)
        if damage is not None and damage.seq:
            place = f"entry {jn.named(log * jn.LOG_STEP + damage.seq)}"
            error = JournalFileError.of(path, place, damage.seen, "Nothing before it can be audited")
        raise error if verdict.damage is None else NothingProvenError(error.problems, _STATES[verdict.state], path)
    sound = damage is None and not verdict.against
    games = [each if sound or _witnessed(each, verdict, damage) else unproven(each) for each in games]
    name = shown(f"{path.name} (log {log})" if log else path.name)
    audit = FileAudit(
        verdict=file_verdict(games, sound=sound),
        file=name,
        state=_STATES[verdict.state],
        entries=entries,
        damage=None if damage is None else DamageSeen(entry=damage.seq, seen=damage.seen),
        games=tuple(games),
        against=verdict.against,
        record=_record(path, name, verdict),
    )
    return audit, verdict


_STATES: Final[dict[RecordState, State]] = {
    RecordState.WHOLE: "whole",
    RecordState.INTERRUPTED: "interrupted",
    RecordState.DAMAGED: "damaged",
    RecordState.FORKED: "forked",
}


def _witnessed(game: GameAudit, verdict: RecordVerdict, damage: Damage | None) -> bool:
    """Return whether a witness's head vouches for all of an ended game, so that damage elsewhere does not touch it."""
    return not game.sealed and game.last <= verdict.good_until and (damage is None or game.last < damage.seq)


def _record(path: Path, name: str, verdict: RecordVerdict) -> RecordSeen:
    head = Head(verdict.device or b"", verdict.size, verdict.root, verdict.signature)
    return RecordSeen(
        sha256=sha256_of(path),
        device=None if verdict.device is None else fingerprint(verdict.device),
        head=head.text() if verdict.damage is None and head.genuine else None,
        witnesses=verdict.witnesses,
        witnessed_until=verdict.good_until,
        verification=tuple(sentences(name, verdict)),
    )


def sha256_of(path: Path) -> str:
    try:
        with open_plain(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise JournalFileError.of(path, "file", f"cannot be read ({error.strerror})", "Check the disk") from error


def _checked(raw: RawJournal, log: int, witnesses: Sequence[Head], kept: KeptHead) -> tuple[RecordVerdict, int]:
    """Return the verifier's verdict, and how many rows can be read at all."""
    count = 0

    def rows() -> Iterator[RawRow]:
        nonlocal count
        for row in raw.rows(log):
            count += row[0] is not None
            yield row

    verdict = check(rows(), witnesses, read_event, again=lambda: raw.rows(log), kept=kept)
    return explain(raw.path, verdict), count


def _games(raw: RawJournal, log: int, until: int, damage: Damage | None) -> tuple[list[GameAudit], Damage | None]:
    """Return the audit of every game up to the damage, in the order of their beginnings. Each is audited at its end, so
    that only the games in play are in memory."""
    keys = _published(raw, log)
    parts: dict[str, list[PublicPart]] = {}
    opened: dict[str, list[Opened]] = {}
    found: list[tuple[int, list[GameAudit], UnplayableError | None]] = []
    held = 0
    for place, (seq, public, sealed, *_) in enumerate(raw.rows(log), 1):
        if place > until or seq != place:  # in a damaged file, rows may have any order
            break
        if not isinstance(public, bytes) or not isinstance(sealed, bytes):
            continue
        part = rec.read_public(public)
        if part.kind == rec.DELETED or part.play != MAGE_KNIGHT.name:
            continue
        parts.setdefault(part.game, []).append(part)
        held += 1
        if held > MOST_IN_PLAY:
            seen = f"is one of more than {MOST_IN_PLAY:,} of games without an end before it"
            raise JournalFileError.of(raw.path, f"entry {jn.named(log * jn.LOG_STEP + place)}", seen, _TOO_MANY)
        if part.game in keys and (hidden := rec.read_sealed(sealed, keys[part.game], public)) is not None:
            opened.setdefault(part.game, []).append((part, ev.from_json(hidden.event)))
        if part.kind == rec.ENDED:
            its = parts.pop(part.game)
            held -= len(its)
            found.append(_examined(its, opened.pop(part.game, None)))
    found += [_examined(its, opened.get(game)) for game, its in parts.items()]
    found.sort(key=lambda each: each[0])
    error = next((each for *_, each in found if each is not None), None)
    if error is not None and damage is None:
        damage = Damage(error.entry, str(error))
    return [game for _, games, _ in found for game in games], damage


def _examined(
    its: list[PublicPart], opened: list[Opened] | None
) -> tuple[int, list[GameAudit], UnplayableError | None]:
    """Return where a game begins, and its audit; if it cannot be played, the one of its entries before that."""
    first = its[0].seq
    if opened is None:
        return first, [audit_sealed(its)], None
    try:
        return first, [examine(opened)], None
    except UnplayableError as error:
        before = [each for each in opened if each[0].seq < error.entry]
        return first, [examine(before)] if before else [], error


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


MOST_IN_PLAY: Final = 100_000
"""Entries of games that have not ended that an audit holds at a time."""

_TOO_MANY: Final = "`trapdial journal verify` has no such limit"

_MARKS = (b'"opening":', b'"key":')
