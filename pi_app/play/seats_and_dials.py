"""The parts of a table as the loop sees them: seats with their devices, dials with their trackers, listeners."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import msgspec

from hardware.readings import Trouble, TroubleKind
from pi_app.dials.health import DialHealth
from pi_app.dials.tracker import Tracker, Turn
from pi_app.game import events as ev
from pi_app.play.gestures import ButtonGestures
from pi_app.play.part_history import PartHistory
from pi_app.play.routed_display import Display, GesturePlace, RoutedDisplay


class ButtonInput(Protocol):
    """A seat's button."""

    @property
    def pressed(self) -> bool: ...


class Listener(Protocol):
    """A receiver of finished sentences: a terminal, a file, a page."""

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Take one line for one viewer."""


@runtime_checkable
class Gatherer(Listener, Protocol):
    """A listener that prints the sentences of one step together."""

    def pause(self, now_ns: int) -> None:
        """Print what the step that is over has sent."""


@dataclass(slots=True)
class TableSeat:
    """One seat: its devices, and the state of its button and its screen."""

    key: str
    display: Display
    button: ButtonInput | None = None
    gestures: ButtonGestures = field(default_factory=ButtonGestures)
    own_screen: bool = True
    language: str = "en"
    """The language of this seat while no game is on."""
    turn_over: bool = False
    """The player looked and released the button: the roll of that turn can no longer be entered."""
    until_ns: int | None = None
    waits_for_rest: bool = False
    """Its button was held before the dial rested, and is still held: the face follows as soon as the dial rests."""
    last_look: tuple[str, int] | None = None
    """The square, or the page of the lamp card, that the player saw last, and until when."""
    offer: tuple[ev.Shared, int] | None = None
    """An offer that a tap accepts, and when it was shown."""
    held_at: GesturePlace | None = None
    """Where the player holds now."""
    routed: RoutedDisplay = field(init=False)
    """The display, and the phone that holds the seat."""

    def __post_init__(self) -> None:
        self.routed = RoutedDisplay(self.display)

    @property
    def has_screen(self) -> bool:
        """Whether the player can read: on a screen of the seat, or on a phone."""
        return self.own_screen or self.routed.has_phone


@dataclass(slots=True)
class TableDial:
    """One dial: its tracker, and what the loop knows of it."""

    tracker: Tracker
    lost: bool = False
    good_ns: int | None = None
    raw: int | None = None
    """The last good angle."""
    trouble: Trouble | None = None
    """Why its last sample has no angle; None if it has one."""
    seen: bool = False
    was_turning: bool = False
    unseen_from: int | None = None
    """Its position when the program last ran, if it was moved since."""
    reported: frozenset[TroubleKind] = frozenset()
    """The causes of this loss that were reported."""
    words: str = ""
    """The last sentence about its loss; several dials may share one."""
    life: int = 0
    """For a dial that counts steps: the power cycle of its board to which `zero` belongs."""
    zero: int = 0
    """The angle of its start mark."""
    start: int = 0
    """The detent of its tracker that is position 0 in this game."""
    health: DialHealth = field(default_factory=DialHealth)
    kept: Turn | None = None
    """A turn that ended and is not on disk yet."""
    kept_turns: int = 0
    """The turns that it joins."""
    conditions: dict[str, ev.DialNoted] = field(default_factory=dict)
    """The last condition of its magnet, angle, lead and tile, also from before the game."""
    unnoted: list[ev.DialNoted] = field(default_factory=list)
    """Conditions that are not on disk yet."""
    history: PartHistory = field(default_factory=PartHistory)
    """When its parts failed and recovered."""

    def noted(self, part: str, said: ev.DialNoted, at_ns: int) -> None:
        """Note a new condition of a part."""
        self.conditions[part] = said
        self.unnoted.append(said)
        self.history.recorded(at_ns)

    def from_start(self, detent: int) -> int:
        """Return the position of a detent of its tracker in this game."""
        return (detent - self.start) % self.tracker.shape.clicks


def counted_from(dial: TableDial, zero: int, life: int) -> None:
    """Restart a dial that counts steps at `zero`, and forget its earlier movement."""
    shape, ends_at_rest = dial.tracker.shape, dial.tracker.ends_at_rest
    dial.tracker = Tracker(shape, ends_at_rest=ends_at_rest)
    dial.zero, dial.life, dial.unseen_from, dial.was_turning = zero, life, None, False
    dial.start = 0


def motion_of(turn: Turn, dial: TableDial) -> ev.Motion:
    """Return a tracked turn as the journal keeps it. The path is unknown if the dial moved unseen before."""
    unseen_from = dial.unseen_from
    began = None if turn.from_position is None else dial.from_start(turn.from_position)
    return ev.Motion(
        from_position=began if unseen_from is None else unseen_from,
        to_position=None if turn.to_position is None else dial.from_start(turn.to_position),
        clicks=turn.clicks if unseen_from is None else None,
        between=None if turn.between is None else (dial.from_start(turn.between[0]), dial.from_start(turn.between[1])),
        start_ns=turn.start_ns,
        end_ns=turn.end_ns,
        start_raw=turn.start_raw,
        end_raw=turn.end_raw,
        samples=turn.samples,
        failed_reads=turn.failed,
        longest_gap_ns=turn.longest_gap_ns,
        while_off=unseen_from is not None,
    )


def unlocated(motion: ev.Motion) -> ev.Motion:
    """Return the same movement with unknown positions."""
    return msgspec.structs.replace(motion, from_position=None, to_position=None, clicks=None, between=None)
