"""The commands at a table of rooms. They parse and refuse; findings judge whether a move is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pi_app.rooms import events as ev
from pi_app.rooms.game import Game
from pi_app.text.language import N_, Words, words
from pi_app.text.suggest import hint


class RoomsRefusedError(Exception):
    """The command is refused, and nothing changes. `reason` says why in a language."""

    def __init__(self, reason: Callable[[Words], str]) -> None:
        self.reason = reason
        super().__init__(reason(words("en")))


USAGE: Final[Mapping[str, tuple[str, str]]] = {
    "card": ("card PLAYER 2|3|4|5", N_("begin a turn with this action card")),
    "reveal": ("reveal ROOM", N_("turn the room face up; one action point")),
    "gear": ("gear PLAYER ROOM [remote] [mekanork]", N_("a character on this room's gear turns it, or its pair")),
    "move": ("move", N_("one action point for a move")),
    "fight": ("fight", N_("one action point for a combat")),
    "ability": ("ability", N_("one action point for an ability or an object")),
    "jump": ("jump", N_("one action point and a jump card")),
    "lies": ("lies ROOM top|right|bottom|left", N_("record where the edge that was at the top is now")),
    "end": ("end turn|game", N_("end the turn, or the game")),
    "help": ("help", N_("show these commands")),
    "quit": ("quit", N_("leave; the game can be resumed")),
}

EDGES: Final[Mapping[str, int]] = {"top": 0, "right": 1, "bottom": 2, "left": 3}
"""Where the edge of a room is that was at the top when it was revealed -> quarter turns clockwise since then."""


def parse(line: str, game: Game, stands: Mapping[str, int | None]) -> ev.AnyEvent:
    """Return the event of a line; `stands` is where the rooms' dials stand. Raises RoomsRefusedError."""
    verb, *rest = line.casefold().split()[:8] or [""]
    if verb not in USAGE:
        raise _guessing(N_("There is no command '{verb}'; {guess}"), verb, USAGE)
    if game.ended:
        raise RoomsRefusedError(lambda words: words(N_("The game is over.")))
    match verb, rest:
        case "card", [player, points] if points in ("2", "3", "4", "5"):
            return ev.CardPlayed(seat=_player(player, game), points=int(points))
        case "reveal", [room]:
            return _reveal(_room(room, game), game, stands)
        case "gear", [player, room, *how] if set(how) <= {"remote", "mekanork"}:
            return _gear(_player(player, game), _room(room, game), how, game)
        case ("move" | "fight" | "ability" | "jump") as use, []:
            return ev.Spent(seat=_whose(game), use=use)
        case "lies", [room, edge] if edge in EDGES:
            return _lies(_room(room, game), edge, game)
        case "end", ["turn"]:
            return ev.TurnEnded(seat=_whose(game))
        case "end", ["game"]:
            return ev.Ended()
    raise RoomsRefusedError(lambda words: words(N_("Usage: {usage}")).format(usage=USAGE[verb][0]))


def goes_first(line: str, game: Game) -> bool:
    """Whether a line is obeyed although a room is being turned: it gives the purpose of that turn."""
    verb = line.casefold().split()[:1]
    putting_back = game.turn is not None and game.turn.revealing is not None
    return verb == ["reveal"] or (verb == ["gear"] and not putting_back)


def _reveal(label: str, game: Game, stands: Mapping[str, int | None]) -> ev.Revealed:
    if game.rooms[label].revealed:
        raise RoomsRefusedError(lambda words: words(N_("{room} is already face up (D-REV-6).")).format(room=label))
    return ev.Revealed(seat=_whose(game), square=label, stands=stands.get(label))


def _gear(seat: str, label: str, how: list[str], game: Game) -> ev.Geared:
    target = game.partner(label) if "remote" in how else game.rooms[label]
    if target is None or not target.revealed:
        raise RoomsRefusedError(lambda words: words(N_("The room that would turn is not revealed (D-ROT-12).")))
    return ev.Geared(seat=seat, square=label, remote="remote" in how, mekanork="mekanork" in how)


def _lies(label: str, edge: str, game: Game) -> ev.SetRight:
    if not game.rooms[label].revealed:
        reason = N_("{room} is face down and has no orientation yet (D-REV-6).")
        raise RoomsRefusedError(lambda words: words(reason).format(room=label))
    return ev.SetRight(square=label, q=EDGES[edge])


def _whose(game: Game) -> str:
    if game.turn is None:
        reason = N_("No turn is on. Begin one: {usage}")
        raise RoomsRefusedError(lambda words: words(reason).format(usage=USAGE["card"][0]))
    return game.turn.seat


def _player(word: str, game: Game) -> str:
    for player in game.players.values():
        if word in (player.seat.casefold(), player.name.casefold()):
            return player.seat
    raise _guessing(N_("There is no player '{word}'; {guess}"), word, game.players)


def _room(word: str, game: Game) -> str:
    for label in game.rooms:
        if word == label.casefold():
            return label
    raise _guessing(N_("There is no room '{word}'; {guess}"), word, game.rooms)


def _guessing(reason: str, word: str, choices: Iterable[str]) -> RoomsRefusedError:
    return RoomsRefusedError(
        lambda words: words(reason).format(word=word[:20], verb=word[:20], guess=hint(word, choices, words))
    )
