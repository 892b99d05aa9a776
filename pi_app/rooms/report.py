"""The report of a game of rooms: nothing in it is secret (D-OBJ-5), so there is one for everybody.

The record holds a digest of the English lines: a changed sentence makes older records rebuild differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import msgspec

from pi_app.journal.record.sha import sha256
from pi_app.journal.recorded_game import RULESET, SQUARE, Play
from pi_app.rooms import events as ev
from pi_app.rooms.commands import USAGE
from pi_app.rooms.game import Finding, Game, Room, apply
from pi_app.text.language import N_, Words, listed, words


def lines_of(game: Game, words: Words) -> Mapping[str, str]:
    """Return the sentences by key, in reading order. They omit covered cards: the action cards still in a hand, and the
    number of jump cards (D-CRD-2, D-JMP-4)."""
    if not game.players:
        return {}
    mark = words(N_("SIMULATED: no real room was read.")) if game.simulated else ""
    state = words(N_("The game is over.")) if game.ended else words(N_("The game is on."))
    lines = {"table": f"{game.table_name}. {state} {mark}".rstrip(), "turn": _turn(game, words)}
    if game.ended:
        del lines["turn"]
    lines |= {room.label: _room(room, words) for room in game.rooms.values()}
    found = enumerate(game.findings, 1)
    return lines | {f"finding {number}": finding_line(each, game, words) for number, each in found}


def _turn(game: Game, words: Words) -> str:
    if game.turn is None:
        return words(N_("No turn is on."))
    turn, name = game.turn, game.players[game.turn.seat].name
    sentence = N_("{name} plays {points} Actions; {left} left; may be turned: {rooms}.")
    if not turn.geared:
        sentence = N_("{name} plays {points} Actions; {left} left.")
    left = max(0, turn.points - turn.spent)
    return words(sentence).format(name=name, points=turn.points, left=left, rooms=listed(turn.geared, words))


def _room(room: Room, words: Words) -> str:
    if not room.revealed:
        sentence = N_("{room}: face down.")
    elif room.q is None:
        sentence = N_("{room}: its orientation is unknown. Look at it and type: {usage}")
    else:
        sentence = N_("{room}: {degrees} degrees clockwise from where it was revealed.")
    if room.between:
        sentence = N_("{room}: rests between two positions. Push it until it sits.")
    if room.lost:
        sentence = N_("{room}: its dial cannot be read. Check its plug.")
    return words(sentence).format(room=room.label, degrees=90 * (room.q or 0), usage=USAGE["lies"][0])


def finding_line(finding: Finding, game: Game, words: Words) -> str:
    """Return one finding as a sentence."""
    name = "" if finding.seat is None else game.players[finding.seat].name
    sentence = words(finding.words).format(room=finding.room, player=name)
    return words(N_("Finding {rule}: {told}")).format(rule=finding.rule, told=sentence)


def new_lines(before: RoomsMoment, after: RoomsMoment, words: Words) -> tuple[str, ...]:
    """Return the sentences that are new since an earlier moment, in one language."""
    old = lines_of(before.game, words)
    return tuple(line for key, line in lines_of(after.game, words).items() if old.get(key) != line)


@dataclass(frozen=True)
class RoomsMoment:
    """A game after some events, and its report. The digest is over the English lines, whatever the table's language."""

    game: Game

    @cached_property
    def lines(self) -> Mapping[str, str]:
        return lines_of(self.game, words("en"))

    @cached_property
    def common_digest(self) -> str:
        return sha256(msgspec.json.encode(self.lines)).hex()[:32]

    @property
    def seats_digest(self) -> str:
        """The same: seats have no secrets."""
        return self.common_digest

    def news(self, viewer: str, before: RoomsMoment) -> tuple[str, ...]:
        """Return the sentences that are new since an earlier moment, the same for every viewer."""
        return new_lines(before, self, words("en"))


NOTHING: Final = RoomsMoment(Game())


def advance(moment: RoomsMoment, event: ev.AnyEvent) -> RoomsMoment:
    """Return the moment after one more event."""
    return RoomsMoment(apply(moment.game, event))


def _promises(event: ev.AnyEvent) -> Mapping[str, object]:
    if not isinstance(event, ev.Started):
        return {}
    return {RULESET: event.ruleset} | {SQUARE + each.label: each.table for each in event.squares}


def _square_of(event: ev.AnyEvent) -> str | None:
    return getattr(event, "square", None)


ROOMS: Final[Play[RoomsMoment, ev.AnyEvent]] = Play(
    name="rooms",
    nothing=NOTHING,
    advance=advance,
    events=ev.AnyEvent,
    square_of=_square_of,
    promises=_promises,
    shown=lambda event, after: None,
    room=lambda moment: 1024 * (1 + len(moment.game.rooms)),
)
