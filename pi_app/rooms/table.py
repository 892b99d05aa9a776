"""Follows the rooms of a table with the same scan, drivers and tracking as trap squares, and keeps the record."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from hardware.readings import Sample, Trouble
from pi_app.dials.tracker import Between, Seated, Tracker, Turn, joined
from pi_app.journal import Journal
from pi_app.play.feed import Feed
from pi_app.play.part_history import PartHistory
from pi_app.play.typing_pace import MOST_WAITING, TOO_MANY, TypingPace
from pi_app.rooms import events as ev
from pi_app.rooms.commands import USAGE, CardAsked, goes_first, parse, parse_card
from pi_app.rooms.entry_lengths import MOTIONS_AT_ONCE, STANDS_AT_ONCE
from pi_app.rooms.refusals import RoomsRefusedError
from pi_app.rooms.report import NOTHING, RoomsMoment, new_lines
from pi_app.rooms.seats import CombatSeats
from pi_app.text.language import LABELLED, N_, Words, words

LOST_AFTER_NS: Final = 500_000_000

STARTS_WITHIN_NS: Final = 3_000_000_000
"""From the first poll on: the game does not wait longer for a dial to rest."""

WAITS_NS: Final = 5_000_000_000
"""The longest that a command waits for rooms that are being turned."""

T = TypeVar("T")


class RoomTable:
    """A running game of rooms. `show_line` takes every line, after its event is on disk."""

    def __init__(
        self,
        feed: Feed,
        trackers: Mapping[str, Tracker],
        journal: Journal[RoomsMoment, ev.AnyEvent],
        start: ev.Started,
        show_line: Callable[[str], None],
        *,
        game_id: str,
        resume: RoomsMoment | None = None,
        languages: Sequence[str] = ("en",),
    ) -> None:
        """`resume`: the end of the record of the game `game_id`, which continues."""
        self._feed, self._trackers, self._journal, self._game_id = feed, trackers, journal, game_id
        self._start, self._show_line, self._languages = start, show_line, languages
        self._rest_ns = max(round(tracker.shape.rest_ms * 1e6) for tracker in trackers.values())
        self._held: dict[str, Turn] = {}
        self._ready: dict[str, Turn] = {}
        self._unsure: set[str] = set()
        """Dials that may not stand where the record says."""
        self._pace = TypingPace()
        self._good_ns: dict[str, int] = {}
        self._bad_ns: dict[str, int] = {}
        """Since when each dial responds, and since when not."""
        self._histories = {label: PartHistory() for label in trackers}
        """When each dial failed and recovered: one that comes and goes counts as lost."""
        self._moved_ns: dict[str, int] = {}
        """When each dial last moved, if it has not rested since."""
        self._commands: deque[tuple[int, str]] = deque()
        self._asked: str | None = None
        """Whose combat card the next line is."""
        self.conceal: Callable[[bool], None] = lambda hidden: None
        """Called before the next line must not be shown, and after it."""
        self.seats: CombatSeats | None = None
        """The players' buttons and screens, where there are any."""
        self._first_ns: int | None = None
        self._now_ns = 0
        self._begun, self._resumed = False, resume is not None
        self.moment = NOTHING if resume is None else resume
        if resume is None:
            self._record_event(start)
        else:
            self.show(lambda said: "\n".join(new_lines(NOTHING, resume, said)))

    @property
    def stands(self) -> dict[str, int | None]:
        """The position of each dial, 0 to 3; None if it is not seated, or unknown."""
        rooms = self.moment.game.rooms
        return {label: None if rooms[label].lost else self._stands(label) for label in self._trackers}

    def _stands(self, label: str) -> int | None:
        tracker = self._trackers[label]
        return tracker.stand.position if isinstance(tracker.stand, Seated) and not tracker.glitching else None

    @property
    def at_rest(self) -> bool:
        """Whether no room is being turned or responds again, and no command waits."""
        returning = any(self.moment.game.rooms[label].lost and label in self._good_ns for label in self._unsure)
        return self._begun and not self._commands and not self._busy and not returning

    @property
    def _busy(self) -> bool:
        return bool(self._ready) or any(map(self._turns, self._trackers))

    def _turns(self, label: str) -> bool:
        """Whether a room has left its rest, however slowly. A lost one does not count: it cannot rest before it
        responds again."""
        moved = self._now_ns - self._moved_ns.get(label, -self._rest_ns) < self._rest_ns
        return (moved or self._trackers[label].turning) and not self.moment.game.rooms[label].lost

    @property
    def waits(self) -> bool:
        """Whether a command waits, or would."""
        return bool(self._commands) or not self._begun

    @property
    def hides(self) -> bool:
        """Whether the next line is a combat card, which only its player may see."""
        return self._asked is not None

    def enter(self, line: str) -> None:
        """Obey a command. While a room is being turned it waits, since the turn began first. Lines that come too fast
        do not count."""
        if len(self._commands) >= MOST_WAITING or not self._pace.accepts(line, self._now_ns):
            if self._pace.to_be_told():
                self.show(lambda said: said(TOO_MANY))
            return
        self._commands.append((self._now_ns, line))
        self._obey_commands()

    def poll(self) -> None:
        """Take the samples since the last call."""
        for label, sample in self._feed.take():
            self._now_ns = max(self._now_ns, sample.at_ns)
            turn = self._sampled(label, sample)
            if self._trackers[label].moving:
                self._moved_ns[label] = sample.at_ns
            if turn is not None:
                self._moved_ns.pop(label, None)
                self._rested(label, turn)
        if not self._begun:
            self._begin_when_read()
        if self._begun:
            # A dial whose angle jumped may be faulty: no turn waits for it.
            if self._ready and not any(self._turns(label) and not t.unseen for label, t in self._trackers.items()):
                self._record_rotations()
            self._check_unsure()
            self._obey_commands()
            self._read_buttons()

    def _read_buttons(self) -> None:
        if self.seats is not None:
            for card in self.seats.poll(self.moment.game, self._now_ns):
                self._record_event(card)

    def rest_until(self, at_ns: int) -> None:
        """Sleep until then."""
        self._feed.rest(at_ns)

    # ---------------------------------------------------------------------------------------- the beginning

    def _begin_when_read(self) -> None:
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
        self._record_event(ev.Resumed(version=version, stands=now) if self._resumed else ev.DialsChecked(stands=now))
        for more in rest:
            self._record_event(ev.DialsChecked(stands=dict(more)))

    def _check_unsure(self) -> None:
        """Compare unsure dials that rest now with the record (`_seen` of the game). A lost one must have responded for
        as long as a rest: its first samples do not prove where it stands."""
        for label in sorted(self._unsure):
            tracker, room, stands = self._trackers[label], self.moment.game.rooms[label], self._stands(label)
            if tracker.moving or tracker.turning or tracker.stand is None:
                continue
            if room.lost:
                steady = self._histories[label].counts_as_good("readings", self._now_ns)
                if not steady or self._now_ns - self._good_ns.get(label, self._now_ns) < self._rest_ns:
                    continue
                times = self._histories[label].reported_good("readings").failures
                self._record_of_part(ev.RoomBack(square=label, stands=stands, times=max(1, times)))
            elif stands is not None:
                self._record_event(ev.DialsChecked(stands={label: stands}))
            if stands is not None:
                self._unsure.remove(label)
            elif isinstance(tracker.stand, Between) and not room.between:
                self._record_event(ev.RoomBetween(square=label))

    # --------------------------------------------------------------------------------------------- commands

    def _obey_commands(self) -> None:
        while self._commands and self._begun:
            since_ns, line = self._commands[0]
            waits = self._busy and self._now_ns - since_ns < WAITS_NS
            if waits and not self.hides and not goes_first(line, self.moment.game):
                return
            self._commands.popleft()
            self._obey(line)

    def _obey(self, line: str) -> None:
        seat, self._asked = self._asked, None
        if seat is not None:
            self.conceal(False)
        elif line.casefold().split() == ["help"]:
            self.show(lambda said: usages(USAGE, said))
            return
        try:
            if seat is not None:
                self._record_event(parse_card(line, seat, self.moment.game))
                return
            meant = parse(line, self.moment.game, self.stands)
            if isinstance(meant, CardAsked):
                self._ask(meant.seat)
            else:
                self._record_event(meant)
        except RoomsRefusedError as refused:
            self.show(refused.reason)

    def _ask(self, seat: str) -> None:
        """Take the next line as this player's combat card, and never show it (D-CMB-2)."""
        self._asked, name = seat, self.moment.game.players[seat].name
        self.conceal(True)
        self.show(lambda said: said(N_("{name}, type your combat card. It is not shown.")).format(name=name))

    # --------------------------------------------------------------------------------------------- rooms

    def _sampled(self, label: str, sample: Sample) -> Turn | None:
        tracker, room = self._trackers[label], self.moment.game.rooms[label]
        if not isinstance(sample, Trouble):
            self._bad_ns.pop(label, None)
            self._good_ns.setdefault(label, sample.at_ns)
            self._histories[label].good("readings", sample.at_ns)
            return tracker.feed(sample.at_ns, sample.raw, sample.proof)
        self._good_ns.pop(label, None)
        since_ns = self._bad_ns.setdefault(label, sample.at_ns)
        if sample.at_ns - since_ns > LOST_AFTER_NS:
            self._histories[label].failed("readings", since_ns)
        if not room.lost and sample.at_ns - since_ns > LOST_AFTER_NS:
            self._unsure.add(label)
            self._held.pop(label, None)
            self._record_of_part(ev.RoomLost(square=label, trouble=sample.kind.value))
            self._show_line(sample.words)
        return tracker.feed(sample.at_ns, None)

    def _rested(self, label: str, turn: Turn) -> None:
        """Only seated orientations count: until then it is still being turned (D-ROT-9, D-AUD-7). An unsure dial is
        only compared with the record."""
        if label in self._unsure:
            return
        if label in self._held:
            turn = joined(self._held.pop(label), turn)
        if turn.to_position is None:
            self._held[label] = turn
            self._record_event(ev.RoomBetween(square=label))
        else:
            earlier = self._ready.pop(label, None)
            self._ready[label] = turn if earlier is None else joined(earlier, turn)

    def _record_rotations(self) -> None:
        turns = sorted(self._ready.items(), key=lambda each: each[1].start_ns)
        self._ready = {}
        for together in (part for turned in at_once(turns, self._rest_ns) for part in split(turned, MOTIONS_AT_ONCE)):
            motions = tuple(motion_of(label, turn) for label, turn in together)
            rooms = [self.moment.game.rooms[label] for label, _ in together]
            if any(motion.quarters != 0 or room.between for motion, room in zip(motions, rooms, strict=True)):
                self._record_event(ev.Rotated(motions=motions))

    # --------------------------------------------------------------------------------------------- events and lines

    def _record_of_part(self, event: ev.RoomLost | ev.RoomBack) -> None:
        self._record_event(event)
        self._histories[event.square].recorded(self._now_ns)

    def _record_event(self, event: ev.AnyEvent) -> None:
        before = self.moment
        after = self.moment = self._journal.append(self._game_id, before, event)
        self.show(lambda said: "\n".join(new_lines(before, after, said)))

    def show(self, text: Callable[[Words], str]) -> None:
        """Show a text in each language of the players, prefixed with its name if there are several."""
        for language in self._languages:
            for line in text(words(language)).splitlines():
                self._show_line(line if len(self._languages) == 1 else f"{language} | {line}")


def usages(usage: Mapping[str, tuple[str, str]], said: Words) -> str:
    """Return one line for each command: its syntax and its meaning."""
    line = said(LABELLED)
    return "\n".join(line.format(label=how, said=said(meaning)) for how, meaning in usage.values())


def at_once(turns: Sequence[tuple[str, Turn]], rest_ns: int) -> list[list[tuple[str, Turn]]]:
    """Group turns, in order of their beginnings: a turn joins a group that had not rested when it began (D-ROT-7)."""
    groups: list[list[tuple[str, Turn]]] = []
    until_ns = 0
    for label, turn in turns:
        if not groups or turn.start_ns >= until_ns + rest_ns:
            groups.append([])
        groups[-1].append((label, turn))
        until_ns = max(until_ns, turn.end_ns)
    return groups


def split(items: Sequence[T], most: int) -> list[list[T]]:
    """Split items into the fewest parts of at most `most`, all about equally long."""
    parts = max(1, -(-len(items) // most))
    return [list(items[first::parts]) for first in range(parts)]


def motion_of(label: str, turn: Turn) -> ev.Motion:
    """Return a turn as the record keeps it: clicks count counter-clockwise, quarter turns clockwise."""
    return ev.Motion(
        room=label,
        quarters=None if turn.clicks is None else -turn.clicks,
        stands=turn.to_position or 0,
        start_ns=turn.start_ns,
        end_ns=turn.end_ns,
    )
