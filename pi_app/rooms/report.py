"""The report of a game of rooms: one for everybody. It leaves out what lies face down: combat cards until both are
played (D-CMB-2), and all that are used (D-CMB-4).

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
from pi_app.rooms.entry_lengths import lengths, room
from pi_app.rooms.game import apply
from pi_app.rooms.rotations import may_turn
from pi_app.rooms.state import LINE, Character, Combat, Correction, Finding, Game, Room
from pi_app.text.language import LABELLED, N_, Words, listed, words


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
    lines |= _points(game, words)
    if game.combat is not None:
        lines |= _combat(game.combat, game, words)
    lines |= {key: _character(one, words) for key, one in game.characters.items() if _noticed(one)}
    lines |= {room.label: _room(room, words) for room in game.rooms.values()}
    found = enumerate(game.findings, 1)
    lines |= {f"finding {number}": finding_line(each, game, words) for number, each in found}
    return lines | {f"word {n}": correction_line(each, words) for n, each in enumerate(game.corrections, 1)}


def _turn(game: Game, words: Words) -> str:
    if game.turn is None:
        return words(N_("No turn is on."))
    turn, name = game.turn, game.players[game.turn.seat].name
    rooms = may_turn(game, turn)
    sentence = N_("{name} plays {points} Actions; {left} left; may be turned: {rooms}.")
    if not rooms:
        sentence = N_("{name} plays {points} Actions; {left} left.")
    return words(sentence).format(name=name, points=turn.points, left=turn.left, rooms=listed(rooms, words))


def _points(game: Game, words: Words) -> Mapping[str, str]:
    """Return the victory points once there are any, who has won, and action points that were left."""
    lines = {}
    if game.unspent is not None:
        sentence = N_("{name} leaves action points unspent: {left}. They are lost (D-AP-4, from another source).")
        seat, left = game.unspent
        lines["unspent"] = words(sentence).format(name=game.players[seat].name, left=left)
    if any(player.points for player in game.players.values()):
        each = [f"{player.name} {player.points}" for player in game.players.values()]
        lines["points"] = words(N_("Victory points: {points}.")).format(points=listed(each, words))
    if game.winner is not None:
        lines["winner"] = words(N_("{name} has won (D-SCO-1).")).format(name=game.winner.name)
    return lines


def _combat(fight: Combat, game: Game, words: Words) -> Mapping[str, str]:
    """Return who fights, and which cards lie there; their values only when both do."""
    tie = {"tie": words(N_("A tie: nothing happens. `combat again` costs one more action point (D-CMB-3)."))}
    if fight.covered:
        return tie
    one, other = (listed(keys, words) for keys in (fight.attackers, fight.defenders))
    sentence = (
        N_("Combat: {one} against {other}. Type: {usage}") if fight.to_play else N_("Combat: {one} against {other}.")
    )
    usage = listed((f"play {seat}" for seat in fight.to_play), words)
    lines = {"combat": words(sentence).format(one=one, other=other, usage=usage)}
    for seat in (fight.seat, fight.enemy):
        name = game.players[seat].name
        if fight.told is not None:
            total, card = fight.told[seat]
            sentence = words(N_("{name}: combat card +{card}, {total} in all."))
            lines[f"card {seat}"] = sentence.format(name=name, card=card, total=total)
        elif seat in fight.cards:
            lines[f"card {seat}"] = words(N_("{name}: the combat card lies face down.")).format(name=name)
    return lines | tie if fight.tie else lines


def _noticed(one: Character) -> bool:
    return bool(one.at or one.wounded or one.carries or one.gone)


def _character(one: Character, words: Words) -> str:
    said = []
    if one.gone:
        said.append(words(N_("eliminated")) if one.gone == "eliminated" else words(N_("has left")))
    if one.at:
        said.append(words(N_("on its starting line")) if one.at == LINE else words(N_("in {room}")).format(room=one.at))
    if one.on_gear:
        said.append(words(N_("on the gear")))
    if one.wounded and not one.gone:
        said.append(words(N_("wounded")))
    if one.carries is not None:
        said.append(words(N_("carries {what}")).format(what=one.carries))
    return words(LABELLED).format(label=one.key, said=", ".join(said)) + "."


def correction_line(correction: Correction, words: Words) -> str:
    """Return what was taken back."""
    return words(N_("Taken back: {word}")).format(word=correction.word)


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
        """The same, but for a combat card that lies face down: its owner knows it."""
        fight = self.game.combat
        if fight is None or not fight.cards:
            return self.common_digest
        return sha256(msgspec.json.encode((self.lines, sorted(fight.cards.items())))).hex()[:32]

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
    room=room,
    lengths=lengths,
    longest_shown=lambda after: 0,
)
