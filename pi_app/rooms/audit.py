"""Replays a record of rooms: every event again, every report compared, all findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_app import journal as jn
from pi_app.journal import JournalFileError
from pi_app.play.first_event import version
from pi_app.rooms import events as ev
from pi_app.rooms.report import NOTHING, ROOMS, RoomsMoment, advance


class NoRoomsError(JournalFileError):
    """A record holds no game of rooms."""


@dataclass(frozen=True, slots=True)
class RoomsAudit:
    """One game of a record, rebuilt."""

    game_id: str
    entries: int
    moment: RoomsMoment


def audit(path: Path) -> tuple[RoomsAudit, ...]:
    """Rebuild every game of rooms in a file, oldest first. Raises JournalFileError at the first entry that is damaged
    or rebuilds differently."""
    games: dict[tuple[int, str], RoomsAudit] = {}
    for entry, moment in _rebuilt(path):
        log_and_game = entry.seq // jn.LOG_STEP, entry.game_id
        before = games.get(log_and_game)
        games[log_and_game] = RoomsAudit(entry.game_id, 1 if before is None else before.entries + 1, moment)
    if not games:
        raise NoRoomsError.of(path, "file", "holds no game of rooms", "Name a record of `trapdial rooms play`")
    return tuple(games.values())


def _rebuilt(path: Path) -> Iterator[tuple[jn.Entry[ev.AnyEvent], RoomsMoment]]:
    moments: dict[tuple[int, str], RoomsMoment] = {}
    writers: dict[tuple[int, str], str] = {}
    this_version = version()
    for entry in jn.read(path, ROOMS):
        log_and_game = entry.seq // jn.LOG_STEP, entry.game_id
        begins = isinstance(entry.event, ev.Started)
        if begins is (log_and_game in moments):
            raise _differs(path, entry, "begins its game again" if begins else "comes before its game began")
        try:
            moment = moments[log_and_game] = advance(moments.get(log_and_game, NOTHING), entry.event)
        except KeyError as error:
            raise _differs(path, entry, "names a room or a player that its game does not have") from error
        if isinstance(entry.event, ev.Started | ev.Resumed):
            writers[log_and_game] = entry.event.version
        if writers[log_and_game] == this_version and moment.common_digest != entry.public.reports:
            raise _differs(path, entry, "rebuilds to reports other than the recorded ones")
        yield entry, moment


def _differs(path: Path, entry: jn.Entry[ev.AnyEvent], seen: str) -> JournalFileError:
    advice = "It was changed after it was written"
    return JournalFileError.of(path, f"entry {jn.named(entry.seq)}", seen, advice)
