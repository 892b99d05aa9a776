"""The words at a table of rooms. They parse and refuse; whether a thing is allowed is for a finding to say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pi_app.displays.words import N_, words
from pi_app.rooms import events as ev
from pi_app.rooms.game import Game
from pi_app.suggest import did_you_mean

_ = words("en")


class RefusedError(Exception):
    """The word cannot be carried out; the message says why, and nothing changes."""


USAGE: Final[Mapping[str, tuple[str, str]]] = {
    "card": ("card PLAYER 2|3|4|5", N_("a turn begins with this action card")),
    "reveal": ("reveal ROOM", N_("the room lies face up now; one action point")),
    "gear": ("gear PLAYER ROOM [remote] [mekanork]", N_("a character on this room's gear will turn it, or its pair")),
    "move": ("move", N_("one action point for a move")),
    "fight": ("fight", N_("one action point for a combat")),
    "ability": ("ability", N_("one action point for an ability or an object")),
    "jump": ("jump", N_("one action point and a jump card")),
    "end": ("end turn|game", N_("the turn, or the game, is over")),
}


def parse(line: str, game: Game, stands: Mapping[str, int | None]) -> ev.AnyEvent:
    """What a line says has happened; `stands` is where the rooms' dials stand. Raises RefusedError."""
    verb, *rest = line.lower().split()[:8] or [""]
    if verb not in USAGE:
        guess = _guess(verb, USAGE)
        raise RefusedError(_(N_("There is no word '{verb}' here; {guess}")).format(verb=verb[:20], guess=guess))
    if game.ended:
        raise RefusedError(_(N_("The game is over.")))
    match verb, rest:
        case "card", [player, points] if points in ("2", "3", "4", "5"):
            return ev.CardPlayed(seat=_player(player, game), points=int(points))
        case "reveal", [room]:
            label = _room(room, game)
            if game.rooms[label].revealed:
                raise RefusedError(_(N_("{room} lies face up already (D-REV-6).")).format(room=label))
            return ev.Revealed(seat=_whose(game), square=label, stands=stands.get(label))
        case "gear", [player, room, *how] if set(how) <= {"remote", "mekanork"}:
            return _gear(_player(player, game), _room(room, game), how, game)
        case ("move" | "fight" | "ability" | "jump") as use, []:
            return ev.Spent(seat=_whose(game), use=use)
        case "end", ["turn"]:
            return ev.TurnEnded(seat=_whose(game))
        case "end", ["game"]:
            return ev.Ended()
    raise RefusedError(_(N_("Say it like this: {usage}")).format(usage=USAGE[verb][0]))


def _gear(seat: str, label: str, how: list[str], game: Game) -> ev.Geared:
    target = game.partner(label) if "remote" in how else game.rooms[label]
    if target is None or not target.revealed:
        raise RefusedError(_(N_("The room that would turn is not revealed (D-ROT-12).")))
    return ev.Geared(seat=seat, square=label, remote="remote" in how, mekanork="mekanork" in how)


def _whose(game: Game) -> str:
    if game.turn is None:
        raise RefusedError(_(N_("Nobody's turn is on. Begin one: {usage}")).format(usage=USAGE["card"][0]))
    return game.turn.seat


def _player(word: str, game: Game) -> str:
    for player in game.players.values():
        if word in (player.seat.lower(), player.name.lower()):
            return player.seat
    guess = _guess(word, game.players)
    raise RefusedError(_(N_("Nobody called '{word}' plays here; {guess}")).format(word=word[:20], guess=guess))


def _room(word: str, game: Game) -> str:
    for label in game.rooms:
        if word == label.lower():
            return label
    guess = _guess(word, game.rooms)
    raise RefusedError(_(N_("There is no room '{word}'; {guess}")).format(word=word[:20], guess=guess))


def _guess(word: str, choices: Iterable[str]) -> str:
    guess = did_you_mean(word, choices)
    return guess if guess.endswith("?") else f"{guess}."
