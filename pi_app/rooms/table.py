"""Follows the rooms of a table through the same scan, drivers and tracking as trap squares, and keeps the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hardware.readings import Sample, Trouble
from pi_app.dial import Seated, Tracker, Turn, joined
from pi_app.feed import Feed
from pi_app.journal import Journal
from pi_app.plays import LOG
from pi_app.rooms import events as ev
from pi_app.rooms.commands import RefusedError, parse
from pi_app.rooms.report import NOTHING, Moment

LOST_AFTER_NS: Final = 500_000_000


class RoomTable:
    """A game of rooms that is on. `told` gets every sentence that everybody may read; it is on disk by then."""

    def __init__(
        self,
        feed: Feed,
        trackers: Mapping[str, Tracker],
        journal: Journal[Moment, ev.AnyEvent],
        game_id: str,
        start: ev.Started,
        told: Callable[[str], None],
    ) -> None:
        self._feed, self._trackers, self._journal, self._game_id = feed, trackers, journal, game_id
        self._told = told
        self._rest_ns = max(round(tracker.shape.rest_ms * 1e6) for tracker in trackers.values())
        self._held: dict[str, Turn] = {}
        self._ready: dict[str, Turn] = {}
        self._good_ns: dict[str, int] = {}
        self.moment = NOTHING
        self._happen(start)

    @property
    def seen(self) -> bool:
        """Whether every room's dial is read or known to be lost."""
        rooms = self.moment.game.rooms.values()
        return all(room.lost or self._trackers[room.label].stand is not None for room in rooms)

    @property
    def stands(self) -> dict[str, int | None]:
        """The position of each dial, 0 to 3; None if it is not seated, or not known."""
        return {
            label: stand.position if isinstance(stand := tracker.stand, Seated) else None
            for label, tracker in self._trackers.items()
        }

    @property
    def at_rest(self) -> bool:
        """Whether no room is being turned, and none waits to be told."""
        return not self._ready and not any(tracker.turning for tracker in self._trackers.values())

    def say(self, line: str) -> None:
        """One line of the table's words."""
        try:
            self._happen(parse(line, self.moment.game, self.stands))
        except RefusedError as refused:
            self._told(str(refused))

    def look(self) -> None:
        """Take in what was seen since the last call."""
        for label, sample in self._feed.take():
            turn = self._sampled(label, sample)
            if turn is not None:
                self._rested(label, turn)
        if self._ready and not any(tracker.turning and not tracker.leapt for tracker in self._trackers.values()):
            self._tell_rotations()

    def _sampled(self, label: str, sample: Sample) -> Turn | None:
        tracker, lost = self._trackers[label], self.moment.game.rooms[label].lost
        if isinstance(sample, Trouble):
            since_ns = self._good_ns.setdefault(label, sample.at_ns)
            if not lost and sample.at_ns - since_ns > LOST_AFTER_NS:
                self._happen(ev.RoomLost(square=label, trouble=sample.kind.value))
                self._told(sample.words)
            return tracker.feed(sample.at_ns, None)
        self._good_ns[label] = sample.at_ns
        if lost:
            self._happen(ev.RoomBack(square=label))
        return tracker.feed(sample.at_ns, sample.raw)

    def _rested(self, label: str, turn: Turn) -> None:
        """Only seated orientations count: until then it is still being turned (D-ROT-9, D-AUD-7)."""
        if label in self._held:
            turn = joined(self._held.pop(label), turn)
        if turn.to_position is None:
            self._held[label] = turn
        else:
            earlier = self._ready.pop(label, None)
            self._ready[label] = turn if earlier is None else joined(earlier, turn)

    def _tell_rotations(self) -> None:
        turns = sorted(self._ready.items(), key=lambda each: each[1].start_ns)
        self._ready = {}
        for together in at_once(turns, self._rest_ns):
            motions = tuple(motion_of(label, turn) for label, turn in together)
            if any(motion.quarters != 0 for motion in motions):
                self._happen(ev.Rotated(motions=motions))

    def _happen(self, event: ev.AnyEvent) -> None:
        before = self.moment
        self.moment = self._journal.append(self._game_id, before, event)
        for line in self.moment.news(LOG, before):
            self._told(line)


def at_once(turns: Sequence[tuple[str, Turn]], rest_ns: int) -> list[list[tuple[str, Turn]]]:
    """Turns in order of their beginnings; those together of which one began before another had rested (D-ROT-7)."""
    groups: list[list[tuple[str, Turn]]] = []
    until_ns = 0
    for label, turn in turns:
        if not groups or turn.start_ns >= until_ns + rest_ns:
            groups.append([])
        groups[-1].append((label, turn))
        until_ns = max(until_ns, turn.end_ns)
    return groups


def motion_of(label: str, turn: Turn) -> ev.Motion:
    """A turn as the record keeps it: clicks count counter-clockwise, quarter turns clockwise."""
    return ev.Motion(
        room=label,
        quarters=None if turn.clicks is None else -turn.clicks,
        stands=turn.to_position or 0,
        start_ns=turn.start_ns,
        end_ns=turn.end_ns,
    )
