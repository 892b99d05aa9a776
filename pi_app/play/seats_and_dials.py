"""What stands at a table, as the loop is handed it: seats with their devices, dials with their trackers, listeners."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import msgspec

from hardware.readings import TroubleKind
from pi_app.dials.health import DialHealth
from pi_app.dials.tracker import Tracker, Turn
from pi_app.game import events as ev
from pi_app.play.gestures import Thumb
from pi_app.report.pictures import SeatPicture


class Button(Protocol):
    """A seat's button."""

    @property
    def pressed(self) -> bool: ...


class Display(Protocol):
    """A seat's lamp and screen, drawn from a picture alone."""

    def show(self, picture: SeatPicture, now_ns: int) -> None:
        """Show this until told otherwise."""

    def tick(self, now_ns: int) -> None:
        """Let the lamp follow its code."""


class Listener(Protocol):
    """Somebody who reads finished sentences: a terminal, a file, a page."""

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """One line, addressed to one viewer."""


@runtime_checkable
class Gatherer(Listener, Protocol):
    """A listener that prints sentences of one moment together."""

    def pause(self, now_ns: int) -> None:
        """A step of the table is over."""


@dataclass(slots=True)
class SeatPlace:
    """One seat's devices, and what its screen is busy with. `seat` is its id."""

    seat: str
    display: Display
    button: Button | None = None
    thumb: Thumb = field(default_factory=Thumb)
    has_screen: bool = True
    language: str = "en"
    """What this seat reads while no game says it."""
    turn_over: bool = False
    """It looked at what its last turn showed, and let go: what was rolled for that turn cannot be said any more."""
    until_ns: int | None = None
    held_on: bool = False
    """Its button was held before the dial had come to rest, and is held still: the face is shown as soon as it has."""
    last_look: tuple[str, int] | None = None
    offer: tuple[ev.Shared, int] | None = None
    """What it is asked to agree to with a tap, and since when."""


@dataclass(slots=True)
class DialPlace:
    """One dial as the loop follows it."""

    tracker: Tracker
    lost: bool = False
    good_ns: int | None = None
    raw: int | None = None
    """The last angle that it gave."""
    seen: bool = False
    was_turning: bool = False
    unseen_from: int | None = None
    """Where it stood when the program last ran, if that is not where it stands now."""
    told: frozenset[TroubleKind] = frozenset()
    """What the referee has read about this loss."""
    words: str = ""
    """The last sentence about it; several dials may share one."""
    life: int = 0
    """Of a dial that only counts steps: which life of its board `zero` belongs to."""
    zero: int = 0
    """Where its start mark is, in the angles that it gives."""
    health: DialHealth = field(default_factory=DialHealth)
    kept: Turn | None = None
    """A turn that ended and is not on disk yet."""
    conditions: dict[str, ev.DialNoted] = field(default_factory=dict)
    """What its parts said last of the magnet, of the angle, of the lead, of the tile; also before the game."""
    unnoted: list[ev.DialNoted] = field(default_factory=list)
    """What of that is not on disk yet."""

    def noted(self, part: str, said: ev.DialNoted) -> None:
        """One of its parts says something new of itself."""
        self.conditions[part] = said
        self.unnoted.append(said)


def counted_from(place: DialPlace, zero: int, life: int) -> None:
    """From now on the dial counts from there, and nothing that it did before is known."""
    shape, ends_at_rest = place.tracker.shape, place.tracker.ends_at_rest
    place.tracker = Tracker(shape, ends_at_rest=ends_at_rest)
    place.zero, place.life, place.unseen_from, place.was_turning = zero, life, None, False


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of the table, from the settings."""

    period_ns: int = 10_000_000
    show_ns: int = 8_000_000_000


def motion_of(turn: Turn, unseen_from: int | None = None) -> ev.Motion:
    """A tracked turn as the journal keeps it. A dial that had moved unseen before has an unknown path."""
    return ev.Motion(
        from_position=turn.from_position if unseen_from is None else unseen_from,
        to_position=turn.to_position,
        clicks=turn.clicks if unseen_from is None else None,
        between=turn.between,
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
    """The movement of a dial of which nobody knows where it stood."""
    return msgspec.structs.replace(motion, from_position=None, to_position=None, clicks=None, between=None)
