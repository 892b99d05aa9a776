"""The facts that both verifiers, the replay and the audits give of a recorded file, as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pi_app import journal as jn
from pi_app.audit.files import audit_files
from pi_app.audit.replay import rebuild, replay
from pi_app.audit.values import FileAudit, GameAudit
from pi_app.game.state import Phase
from pi_app.journal import JournalFileError, archive
from pi_app.journal.record.heads import read_head
from pi_app.journal.record.verdict import RecordVerdict
from pi_app.journal.record.words import sentences
from pi_app.rooms.audit import audit as audit_rooms
from tests.pi_app.audit.records import rules_of
from wiring_docs.journal_verifier import NoJournalError, head_from, judge_file

Facts = dict[str, Any]


def judged(path: Path, witnesses: Sequence[str] = ()) -> Facts:
    """All facts of a journal, an archive or an export."""
    if archive.is_export(path) or path.suffix == ".jsonl":
        return {"first verifier": _or_refusal(path, lambda: first_verifier(path, witnesses))}
    return {
        "first verifier": _or_refusal(path, lambda: first_verifier(path, witnesses)),
        "second verifier": second_verifier(path, witnesses),
        "squares": _or_refusal(path, lambda: squares(path)),
        "rooms": _or_refusal(path, lambda: rooms(path)),
        "reports": _or_refusal(path, lambda: reports(path)),
        "audit": _or_refusal(path, lambda: [_audit(file) for file in audit_files([path])]),
    }


def _or_refusal(path: Path, facts: Callable[[], object]) -> object:
    try:
        return facts()
    except JournalFileError as error:
        return str(error).replace(str(path), path.name)


def first_verifier(path: Path, witnesses: Sequence[str]) -> list[Facts]:
    """Each record in the file: its verdict as values and as the lines that a person reads."""
    heads = [read_head(text) for text in witnesses]
    if path.suffix == ".jsonl":
        found = archive.verify_exported(path, heads)
    else:
        found = tuple(jn.verify(path, heads, log) for log in jn.logs(path))
    return [_verdict(path, verdict) for verdict in found]


def _verdict(path: Path, verdict: RecordVerdict) -> Facts:
    return {
        "state": verdict.state.name,
        "size": verdict.size,
        "root": verdict.root.hex(),
        "device": None if verdict.device is None else verdict.device.hex(),
        "damage": None if verdict.damage is None else verdict.damage.seq,
        "good until": verdict.good_until,
        "exported": verdict.exported,
        "continues": list(verdict.continues),
        "games": [
            [game.game, game.first, game.last, game.entries, game.ended, game.deleted, game.opened]
            for game in verdict.games
        ],
        "lines": list(sentences(path.name, verdict)),
    }


def second_verifier(path: Path, witnesses: Sequence[str]) -> list[object]:
    """State, first damage and words."""
    try:
        found = judge_file(path, [head_from(text) for text in witnesses])
    except NoJournalError as error:
        return [2, None, str(error).replace(str(path), path.name)]
    return [found.code, found.damaged, found.words]


def squares(path: Path) -> list[Facts]:
    """Each game of trap squares, rebuilt event by event."""
    games: dict[tuple[int, str], Facts] = {}
    for entry, game in rebuild(path):
        games[entry.seq // jn.LOG_STEP, entry.game_id] = {
            "game": entry.game_id,
            "last": entry.seq,
            "ended": game.phase is Phase.ENDED,
            "findings": [[finding.rule, finding.square, finding.seat] for finding in game.findings],
            "squares": {label: square.state.name for label, square in game.squares.items()},
        }
    return list(games.values())


def rooms(path: Path) -> list[Facts]:
    """Each game of rotating rooms, rebuilt event by event."""
    return [
        {
            "game": each.game_id,
            "entries": each.entries,
            "ended": each.moment.game.ended,
            "findings": [[finding.rule, finding.room, finding.seat] for finding in each.moment.game.findings],
            "quarters": {label: room.q for label, room in each.moment.game.rooms.items()},
        }
        for each in audit_rooms(path)
    ]


def reports(path: Path) -> Facts:
    """SHA-256 over the recorded digests of all reports, and the games that the replay rebuilt. It compares reports only
    where this version of the program wrote them."""
    digests = hashlib.sha256()

    def add(entry: Any, _: object) -> None:
        digests.update(f"{entry.seq} {entry.public.reports} {entry.seats_digest}\n".encode())

    games = [[game.game_id, game.entries] for game in replay(path, add)]
    return {"games": games, "sha256": digests.hexdigest()}


def _audit(file: FileAudit) -> Facts:
    return {
        "state": file.state,
        "entries": file.entries,
        "damage": None if file.damage is None else file.damage.entry,
        "games": [_game(game) for game in file.games],
    }


def _found_about(game: GameAudit, square: str) -> list[object]:
    """A square, whether nothing is said against it, and how many rules are."""
    count = sum(one.square == square for one, _ in rules_of(game))
    return [square, not count, count]


def _game(game: GameAudit) -> Facts:
    return {
        "game": game.game,
        "sealed": game.sealed,
        "entries": [game.first, game.last, game.entries],
        "began": game.began,
        "length_s": game.length_s,
        "findings": [[rule.rule, one.square, one.seat, one.claim, one.entry, one.at_s] for one, rule in rules_of(game)],
        "verdicts": [_found_about(game, one.square) for one in game.verdicts],
        "known": [[one.square, one.seat, one.by, one.entry, one.looked_entry] for one in game.known],
        "turns": [[one.square, one.seat, one.claim, one.entry, one.clicks, one.rolled] for one in game.turns],
        "dice": [[one.seat, one.entry, one.die, one.how] for one in game.turn_dice],
    }
