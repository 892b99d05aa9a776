"""The checks of a state folder after a power cut: a new start is ready without anybody's help, everything that was told
or shown is in a sealed record, and at most one interrupted game is said.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from pi_app.game import events as ev
from pi_app.journal import Journal, NotRecordedError, Stamp, keys_of, read, verify
from pi_app.journal.past import HEADS, past_logs, past_of
from pi_app.journal.record.heads import Head, read_head, read_heads
from pi_app.journal.record.keys import KeyFileError
from pi_app.journal.record.verdict import RecordState, RecordVerdict
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from pi_app.settings.model import Settings
from pi_app.simulated.simulated_station import SimulatedStation
from pi_app.station.build import end_interrupted, station_journal
from pi_app.station.records import Records
from pi_app.station.service.boot_settings import NAME, ChosenSettings, choose
from pi_app.station.service.recovery import PLUG_OUTS, StartCounts
from pi_app.station.service.service import Places, Service, serving
from pi_app.station.staff.door import FILE_NAME as TRIES
from pi_app.station.troubles.ring import FILE_NAME as RING
from pi_app.station.visits.visit import State
from pi_app.text.errors import UserFileError
from tests.crash.disk import Kept, Seen, Shown, Told
from tests.pi_app.games import started
from tests.station.cuts.lives import NAMES, Beside, card_with, small_budget, text

SEALED: Final = (RecordState.WHOLE, RecordState.INTERRUPTED)
STAMP: Final = Stamp("after the cut", 0, "2026-01-02T03:04:05+00:00")
WHOLE_TABLES: Final = 0.02
"""The part of all starts that play on with twins, a whole table. The others open what a start reads and writes."""

BESIDE: Final = 0.1
"""The part of all cuts after which the small files are read before the start."""

PLAYED_ON: Final = 0.3
"""The part of the others that play another game."""

TIDIED: Final = 0.15
"""The part of the others that put aside and prune until nothing is due."""


def faults(state: Path, seen: Sequence[Seen], draw: random.Random) -> list[str]:
    """Return every fault after a power cut, as sentences; there should be none."""
    try:
        with small_budget():
            return [*_beside(state, seen, draw), *_started(state, draw), *_records(state, seen)]
    except (UserFileError, NotRecordedError, KeyFileError, OSError) as error:
        return [f"by hand: {error}"]


# ------------------------------------------------------------------------------------------- beside the record


def _beside(state: Path, seen: Sequence[Seen], draw: random.Random) -> Iterator[str]:
    """The small files: each has the value that was sure, or one that came after it. In some cuts only, since reading
    the settings writes them."""
    if draw.random() > BESIDE:
        return
    for what, value in Beside(state).read().items():
        allowed = allowed_of(seen, what)
        if allowed and value not in allowed:
            yield f"{what}: {value!r} after {allowed}"


def allowed_of(seen: Sequence[Seen], what: str) -> list[str]:
    """Return the values that a small thing may have now: the last sure one, and those that were begun since."""
    found: list[str] = []
    for each in seen:
        if isinstance(each, Kept) and each.what == what:
            found = [each.value] if each.is_sure else [*found, each.value]
    return found


# ---------------------------------------------------------------------------------------------------- a new start


def _started(state: Path, draw: random.Random) -> Iterator[str]:
    """Start as the service does, with the settings of the card. The owner may have put others there meanwhile."""
    known = Beside(state).starts("after the cut").known
    with serving({}, Places(state)) as service:
        if service.decision.kind != "table" and not _unready(known) >= PLUG_OUTS:
            yield f"no table: {known.starts}"
        chosen = _chosen(state, draw.choice(NAMES))
        if chosen.problems:
            yield f"settings: {chosen.problems}"
        if draw.random() < WHOLE_TABLES:
            yield from _table(chosen, service)
        else:
            yield from _records_go_on(chosen.settings, draw)
    if left := [path.name for path in (*state.rglob(".*"), *state.rglob("*.gone"))]:
        yield f"left there: {left}"


def _chosen(state: Path, name: str) -> ChosenSettings:
    """Choose the settings, which a start does with these files alone; what was chosen with the same ones is known."""
    files = [path for path in state.iterdir() if path.suffix not in (".db", ".json") and path.is_file()]
    there = frozenset((path.name, path.read_bytes()) for path in files if path.name not in ELSE)
    known = _CHOSEN.get((name, there))
    if known is None:
        with card_with(text(name).encode()) as card:
            known = _CHOSEN[name, there] = choose(state, "after the cut", [card])
    return replace(known, settings=replace(known.settings, where=str(state / NAME)))


ELSE: Final = (RING, TRIES, "journal.db-wal", "journal.db-shm")
_CHOSEN: Final[dict[tuple[str, frozenset[tuple[str, bytes]]], ChosenSettings]] = {}


def _unready(known: StartCounts) -> int:
    """How many boots were never ready."""
    ready = {start.boot for start in known.starts if start.ready or start.ended}
    return len({start.boot for start in known.starts} - ready)


def _table(chosen: ChosenSettings, service: Service) -> Iterator[str]:
    settings = chosen.settings
    with SimulatedStation(settings, settings.beside(settings.table.journal)) as at:
        at.station.step()
        service.ready(at.station.health)
        at.station.step()
        if at.state is not State.ATTRACT or at.station.health().disk_full_known:
            yield f"not ready: {at.state}, {at.station.health()}"
        if at.journal.unfinished() is not None:
            yield "a game is left on"


def _records_go_on(settings: Settings, draw: random.Random) -> Iterator[str]:
    path, clock = settings.beside(settings.table.journal), [0]

    def now_ns() -> int:
        clock[0] += 1_000_000
        return clock[0]

    with station_journal(path, settings, lambda: STAMP, now_ns=now_ns) as (journal, records):
        end_interrupted(journal, str)
        if draw.random() < PLAYED_ON:
            if end_interrupted(journal, str):
                yield "a second interrupted game was said"
            _game_after(journal)
        if draw.random() < TIDIED:
            yield from _tidied(records)


def _game_after(journal: Journal[Moment, ev.AnyEvent]) -> None:
    moment = journal.append("after-the-cut", NO_GAME, started())
    journal.append("after-the-cut", moment, ev.Ended())


def _tidied(records: Records) -> Iterator[str]:
    for _ in range(2_000):
        if not records.step():
            break
    else:
        yield "the records are never tidied up"
    if records.trouble:
        yield f"records: {records.trouble}"


# ------------------------------------------------------------------------------------------------- the records


@dataclass(frozen=True, slots=True)
class LogSeen:
    """A record as it was verified, how often each seat saw each square's face, by game, and the heads that it fits."""

    file: Path
    verdict: RecordVerdict
    looks: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    witnessed: set[Head] = field(default_factory=set)


def _records(state: Path, seen: Sequence[Seen]) -> Iterator[str]:
    path = state / "journal.db"
    files = [log for log in (*past_logs(path), path) if log.exists()]
    logs = [log_seen(log, _content(log)) for log in files]
    removed = _removed(path)
    yield from _sound([log.verdict for log in logs], removed)
    told = {(head := _head(each.head)).device: head for each in seen if isinstance(each, Told)}
    for head in told.values():
        yield from _lacks(logs, removed, head)
    yield from _unseen(logs, seen, gone=bool(removed))


_head: Final = lru_cache(maxsize=5_000)(read_head)


def _content(log: Path) -> str:
    """A hash of what a record's verdict depends on."""
    keys = keys_of(log).folder
    files = [log, log.with_name(log.name + "-wal"), *(sorted(keys.iterdir()) if keys.is_dir() else ())]
    hashed = hashlib.blake2b(digest_size=16)
    for file in files:
        hashed.update(file.name.encode() + (file.read_bytes() if file.is_file() else b""))
    return hashed.hexdigest()


def log_seen(log: Path, content: str) -> LogSeen:
    """Verify a record, or know it again by its content. Raises JournalFileError."""
    known = _KNOWN.get(content)
    if known is None:
        if len(_KNOWN) > 5_000:
            _KNOWN.clear()
        known = _KNOWN[content] = LogSeen(log, verify(log), _looks(log))
    return replace(known, file=log)


_KNOWN: Final[dict[str, LogSeen]] = {}


def _looks(log: Path) -> dict[tuple[str, str, str], int]:
    found: dict[tuple[str, str, str], int] = {}
    for entry in read(log, MAGE_KNIGHT):
        event = entry.event
        if isinstance(event, ev.Turned | ev.Looked) and event.seat is not None:
            key = (entry.game_id, event.seat, event.square)
            found[key] = found.get(key, 0) + 1
    return found


def _removed(path: Path) -> list[Head]:
    heads = past_of(path) / HEADS
    return read_heads(heads.read_text(encoding="utf-8")) if heads.exists() else []


def _sound(verdicts: Sequence[RecordVerdict], removed: Sequence[Head]) -> Iterator[str]:
    """Each record is whole, has no game without an end, and continues the one before it."""
    before = {head.device for head in removed}
    for number, verdict in enumerate(verdicts):
        if verdict.state not in SEALED and verdict.size:
            yield f"record {number}: {verdict.state.name}, {verdict.damage}, {verdict.against}"
        running = [game.game for game in verdict.games if not game.ended]
        if running:
            yield f"record {number}: games {running} have no end"
        follows = None if verdict.follows is None else verdict.follows.device
        removing = number == 0 and verdict.device in before
        if before and verdict.size and follows not in before and not removing:
            told = f"{len(removed)} heads, {len(verdicts)} records"
            yield f"record {number} does not continue the one before it ({told})"
        before = {verdict.device} if verdict.device else before


def _lacks(logs: Sequence[LogSeen], removed: Sequence[Head], head: Head) -> Iterator[str]:
    """What was told of one record, up to its last head, is there, or was removed to keep the budget."""
    log = next((each for each in logs if each.verdict.device == head.device), None)
    if log is None:
        if not any(gone.device == head.device and gone.size >= head.size for gone in removed):
            yield f"told but lost: a record of {head.size} entries"
        return
    if log.verdict.size < head.size:
        yield f"told but lost: entry {head.size} was told, {log.verdict.size} are there"
    if head not in log.witnessed:
        if verify(log.file, [head], opens=False).good_until < head.size:
            yield f"the witness of entry {head.size} says nothing"
        else:
            log.witnessed.add(head)


def _unseen(logs: Sequence[LogSeen], seen: Sequence[Seen], *, gone: bool) -> Iterator[str]:
    """Each face that was shown is in a record; of a game that was deleted for the budget the hashes are."""
    shown = {(each.game, each.seat, each.square): each.times for each in seen if isinstance(each, Shown)}
    games = {game.game: game.deleted for log in logs for game in log.verdict.games}
    looks = {key: count for log in logs for key, count in log.looks.items()}
    for key, times in shown.items():
        lost = not gone if key[0] not in games else not games[key[0]] and looks.get(key, 0) < times
        if lost:
            yield f"shown but lost: {key[1]} saw {key[2]} {times} times, {looks.get(key, 0)} are recorded"
