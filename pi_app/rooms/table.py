"""Follows the rooms of a table through the same scan, drivers and tracking as trap squares, and keeps the record."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from hardware.readings import Sample, Trouble
from pi_app.dials.tracker import Between, Seated, Tracker, Turn, joined
from pi_app.journal import Journal
from pi_app.play.feed import Feed
from pi_app.rooms import events as ev
from pi_app.rooms.commands import USAGE, RoomsRefusedError, goes_first, parse
from pi_app.rooms.report import NOTHING, RoomsMoment, news
from pi_app.text.language import LABELLED, Words, words

LOST_AFTER_NS: Final = 500_000_000

STARTS_WITHIN_NS: Final = 3_000_000_000
"""From the first look on: a dial that was not seen at rest by then is not waited for."""

WAITS_NS: Final = 5_000_000_000
"""A word waits so long at most for rooms that are being turned."""


MOTIONS_AT_ONCE: Final = 4
STANDS_AT_ONCE: Final = 16
"""An entry of the record has room for so many."""

T = TypeVar("T")


class RoomTable:
    """A game of rooms that is on. `told` gets every sentence that everybody may read; it is on disk by then."""

    def __init__(
        self,
        feed: Feed,
        trackers: Mapping[str, Tracker],
        journal: Journal[RoomsMoment, ev.AnyEvent],
        start: ev.Started,
        told: Callable[[str], None],
        *,
        game_id: str,
        resume: RoomsMoment | None = None,
        languages: Sequence[str] = ("en",),
    ) -> None:
        """`resume`: where the record of the game `game_id` ends, and the game goes on."""
        self._feed, self._trackers, self._journal, self._game_id = feed, trackers, journal, game_id
        self._start, self._told, self._languages = start, told, languages
        self._rest_ns = max(round(tracker.shape.rest_ms * 1e6) for tracker in trackers.values())
        self._held: dict[str, Turn] = {}
        self._ready: dict[str, Turn] = {}
        self._unsure: set[str] = set()
        """Dials of which nobody knows whether they stand where the record says."""
        self._good_ns: dict[str, int] = {}
        self._bad_ns: dict[str, int] = {}
        """Since when each dial answers, and since when not."""
        self._stirred_ns: dict[str, int] = {}
        """When each dial was last seen moving, if it has not rested since."""
        self._said: deque[tuple[int, str]] = deque()
        self._first_ns: int | None = None
        self._now_ns = 0
        self._begun, self._resumed = False, resume is not None
        self.moment = NOTHING if resume is None else resume
        if resume is None:
            self._happen(start)
        else:
            self.tell(lambda said: "\n".join(news(NOTHING, resume, said)))

    @property
    def stands(self) -> dict[str, int | None]:
        """The position of each dial, 0 to 3; None if it is not seated, or not known."""
        rooms = self.moment.game.rooms
        return {label: None if rooms[label].lost else self._stands(label) for label in self._trackers}

    def _stands(self, label: str) -> int | None:
        tracker = self._trackers[label]
        return tracker.stand.position if isinstance(tracker.stand, Seated) and not tracker.glitching else None

    @property
    def at_rest(self) -> bool:
        """Whether no room is being turned or comes back, and nothing waits to be told or carried out."""
        returning = any(self.moment.game.rooms[label].lost and label in self._good_ns for label in self._unsure)
        return self._begun and not self._said and not self._busy and not returning

    @property
    def _busy(self) -> bool:
        return bool(self._ready) or any(map(self._turns, self._trackers))

    def _turns(self, label: str) -> bool:
        """Whether a room has left its rest, be it ever so slowly. One that dropped out meanwhile is not waited for: it
        does not rest before it is back."""
        stirred = self._now_ns - self._stirred_ns.get(label, -self._rest_ns) < self._rest_ns
        return (stirred or self._trackers[label].turning) and not self.moment.game.rooms[label].lost

    @property
    def waits(self) -> bool:
        """Whether a word waits to be carried out, or would."""
        return bool(self._said) or not self._begun

    def say(self, line: str) -> None:
        """One line of the table's words. While a room is being turned it waits: what began before it comes first."""
        self._said.append((self._now_ns, line))
        self._hear()

    def look(self) -> None:
        """Take in what was seen since the last call."""
        for label, sample in self._feed.take():
            self._now_ns = max(self._now_ns, sample.at_ns)
            turn = self._sampled(label, sample)
            if self._trackers[label].moving:
                self._stirred_ns[label] = sample.at_ns
            if turn is not None:
                self._stirred_ns.pop(label, None)
                self._rested(label, turn)
        if not self._begun:
            self._begin_when_seen()
        if self._begun:
            # A dial whose angle leapt may be a faulty one: no turn waits for it.
            if self._ready and not any(self._turns(label) and not t.unseen for label, t in self._trackers.items()):
                self._tell_rotations()
            self._see_again()
            self._hear()

    def rest_until(self, at_ns: int) -> None:
        """Nothing to do before that."""
        self._feed.rest(at_ns)

    # ---------------------------------------------------------------------------------------- the beginning

    def _begin_when_seen(self) -> None:
        if self._first_ns is None:
            self._first_ns = self._now_ns
        rooms = self.moment.game.rooms
        seen = all(rooms[label].lost or tracker.stand is not None for label, tracker in self._trackers.items())
        if not seen and self._now_ns - self._first_ns < STARTS_WITHIN_NS:
            return
        self._begun = True
        stands = self.stands
        self._unsure |= {label for label, at in stands.items() if at is None}
        first, *rest = split(list(stands.items()), STANDS_AT_ONCE)
        version, now = self._start.version, dict(first)
        self._happen(ev.Resumed(version=version, stands=now) if self._resumed else ev.Checked(stands=now))
        for more in rest:
            self._happen(ev.Checked(stands=dict(more)))

    def _see_again(self) -> None:
        """A dial of which nobody knows rests now, and is compared with the record (`_seen` of the game). One that
        dropped out must have answered for as long as a rest: its first looks say nothing yet of where it stands."""
        for label in sorted(self._unsure):
            tracker, room, stands = self._trackers[label], self.moment.game.rooms[label], self._stands(label)
            if tracker.moving or tracker.turning or tracker.stand is None:
                continue
            if room.lost:
                if self._now_ns - self._good_ns.get(label, self._now_ns) < self._rest_ns:
                    continue
                self._happen(ev.RoomBack(square=label, stands=stands))
            elif stands is not None:
                self._happen(ev.Checked(stands={label: stands}))
            if stands is not None:
                self._unsure.remove(label)
            elif isinstance(tracker.stand, Between) and not room.between:
                self._happen(ev.RoomBetween(square=label))

    # --------------------------------------------------------------------------------------------- words

    def _hear(self) -> None:
        while self._said and self._begun:
            since_ns, line = self._said[0]
            if self._busy and self._now_ns - since_ns < WAITS_NS and not goes_first(line, self.moment.game):
                return
            self._said.popleft()
            self._carry_out(line)

    def _carry_out(self, line: str) -> None:
        if line.casefold().split() == ["help"]:
            self.tell(lambda said: usages(USAGE, said))
            return
        try:
            self._happen(parse(line, self.moment.game, self.stands))
        except RoomsRefusedError as refused:
            self.tell(refused.told)

    # --------------------------------------------------------------------------------------------- rooms

    def _sampled(self, label: str, sample: Sample) -> Turn | None:
        tracker, room = self._trackers[label], self.moment.game.rooms[label]
        if not isinstance(sample, Trouble):
            self._bad_ns.pop(label, None)
            self._good_ns.setdefault(label, sample.at_ns)
            return tracker.feed(sample.at_ns, sample.raw, sample.proof)
        self._good_ns.pop(label, None)
        since_ns = self._bad_ns.setdefault(label, sample.at_ns)
        if not room.lost and sample.at_ns - since_ns > LOST_AFTER_NS:
            self._unsure.add(label)
            self._held.pop(label, None)
            self._happen(ev.RoomLost(square=label, trouble=sample.kind.value))
            self._told(sample.words)
        return tracker.feed(sample.at_ns, None)

    def _rested(self, label: str, turn: Turn) -> None:
        """Only seated orientations count: until then it is still being turned (D-ROT-9, D-AUD-7). Of a dial that nobody
        saw, only where it ends is known."""
        if label in self._unsure:
            return
        if label in self._held:
            turn = joined(self._held.pop(label), turn)
        if turn.to_position is None:
            self._held[label] = turn
            self._happen(ev.RoomBetween(square=label))
        else:
            earlier = self._ready.pop(label, None)
            self._ready[label] = turn if earlier is None else joined(earlier, turn)

    def _tell_rotations(self) -> None:
        turns = sorted(self._ready.items(), key=lambda each: each[1].start_ns)
        self._ready = {}
        for together in (part for turned in at_once(turns, self._rest_ns) for part in split(turned, MOTIONS_AT_ONCE)):
            motions = tuple(motion_of(label, turn) for label, turn in together)
            rooms = [self.moment.game.rooms[label] for label, _ in together]
            if any(motion.quarters != 0 or room.between for motion, room in zip(motions, rooms, strict=True)):
                self._happen(ev.Rotated(motions=motions))

    # --------------------------------------------------------------------------------------------- telling

    def _happen(self, event: ev.AnyEvent) -> None:
        before = self.moment
        after = self.moment = self._journal.append(self._game_id, before, event)
        self.tell(lambda said: "\n".join(news(before, after, said)))

    def tell(self, told: Callable[[Words], str]) -> None:
        """Tell everybody: in each language that somebody reads here, and if there are several, with its name."""
        for language in self._languages:
            for line in told(words(language)).splitlines():
                self._told(line if len(self._languages) == 1 else f"{language} | {line}")


def usages(usage: Mapping[str, tuple[str, str]], said: Words) -> str:
    """One line for each word: how it is said, and what it means."""
    told = said(LABELLED)
    return "\n".join(told.format(label=how, said=said(meaning)) for how, meaning in usage.values())


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


def split(items: Sequence[T], most: int) -> list[list[T]]:
    """Items in as few parts as hold at most so many, all about as long."""
    parts = max(1, -(-len(items) // most))
    return [list(items[first::parts]) for first in range(parts)]


def motion_of(label: str, turn: Turn) -> ev.Motion:
    """A turn as the record keeps it: clicks count counter-clockwise, quarter turns clockwise."""
    return ev.Motion(
        room=label,
        quarters=None if turn.clicks is None else -turn.clicks,
        stands=turn.to_position or 0,
        start_ns=turn.start_ns,
        end_ns=turn.end_ns,
    )
