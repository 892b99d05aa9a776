"""The commands at a table of rooms. They parse and refuse; findings judge whether a move is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pi_app.rooms import events as ev
from pi_app.rooms.character_words import CHARACTER_VERBS, character, character_event
from pi_app.rooms.refusals import RoomsRefusedError, guessing, refused, unknown_verb
from pi_app.rooms.rotations import is_mekanork
from pi_app.rooms.spelling import EDGES
from pi_app.rooms.state import Game
from pi_app.text.language import N_, listed

USAGE: Final[Mapping[str, tuple[str, str]]] = {
    "card": ("card PLAYER 2|3|4|5", N_("begin a turn with this action card")),
    "reveal": ("reveal ROOM", N_("turn the room face up; one action point")),
    "gear": (
        "gear PLAYER|CHARACTER ROOM [remote] [mekanork]",
        N_("a character on this room's gear turns it, or its pair"),
    ),
    "move": ("move [CHARACTER [ROOM|line] [gear] [SQUARES]]", N_("one action point for a move")),
    "exit": ("exit CHARACTER", N_("one action point for a move onto the opponent's starting line, and out")),
    "take": ("take CHARACTER OBJECT|CHARACTER", N_("pick up an object or a wounded character")),
    "drop": ("drop CHARACTER [pit]", N_("put down what is carried; `pit`: on a pit trap")),
    "give": ("give CHARACTER CHARACTER", N_("swap what the two carry")),
    "use": ("use CHARACTER", N_("one action point for the carried object, which leaves the game")),
    "combat": (
        "combat CHARACTER[+CHARACTER] ENEMY[+ENEMY]|again",
        N_("one action point for a combat; `again` after a tie"),
    ),
    "play": ("play PLAYER", N_("the next line is this player's combat card, and is not shown")),
    "fight": ("fight", N_("one action point for a combat")),
    "ability": ("ability [CHARACTER]", N_("one action point for an ability or an object")),
    "jump": ("jump [CHARACTER]", N_("one action point and a jump card")),
    "lies": (
        "lies ROOM top|right|bottom|left, lies CHARACTER well|wounded",
        N_("record where the edge that was at the top is now, or that a character is well or wounded"),
    ),
    "undo": ("undo", N_("take back the last word; the record keeps both")),
    "end": ("end turn|game", N_("end the turn, or the game")),
    "help": ("help", N_("show these commands")),
    "quit": ("quit", N_("leave; the game can be resumed")),
}

IN_COMBAT: Final = ("play", "undo", "lies")
"""Commands that do not wait for the combat cards."""


@dataclass(frozen=True, slots=True)
class CardAsked:
    """The next line is this player's combat card."""

    seat: str


def parse(line: str, game: Game, stands: Mapping[str, int | None]) -> ev.AnyEvent | CardAsked:
    """Return the event of a line; `stands` is where the rooms' dials stand. Raises RoomsRefusedError."""
    verb, *rest = line.casefold().split()[:8] or [""]
    if verb not in USAGE:
        raise unknown_verb(verb, USAGE)
    if game.ended:
        raise refused(N_("The game is over."))
    if (verb, rest) == ("end", ["game"]):
        return ev.Ended()
    _check_open(verb, game)
    match verb, rest:
        case "card", [player, points] if re.fullmatch("[2-5]" if game.follows("D-CRD-1") else "[1-9]", points):
            return ev.CardPlayed(seat=_player(player, game), points=int(points))
        case "reveal", [room]:
            return _reveal(_room(room, game), game, stands)
        case "gear", [player, room, *how] if set(how) <= {"remote", "mekanork"}:
            return _gear(player, _room(room, game), how, game)
        case ("move" | "fight" | "ability" | "jump") as use, []:
            return ev.Spent(seat=whose(game), use=use)
        case "lies", [room, edge] if edge in EDGES:
            return _lies(_room(room, game), edge, game)
        case "undo", []:
            return _undo(game)
        case "play", [player]:
            return _asked(_player(player, game), game)
        case "end", ["turn"]:
            return ev.TurnEnded(seat=whose(game))
        case _ if verb in CHARACTER_VERBS and rest and (event := character_event(verb, rest, whose(game), game)):
            return event
    raise refused(N_("Usage: {usage}"), usage=USAGE[verb][0])


def parse_card(line: str, seat: str, game: Game) -> ev.CombatCardPlayed:
    """Return the event of a player's combat card. Raises RoomsRefusedError with one sentence for everything that is no
    card, so that a refusal tells nothing of the hand."""
    word, hand = line.strip().lstrip("+"), game.players[seat].fighting
    waits = game.combat is not None and seat in game.combat.to_play
    if waits and re.fullmatch("[0-9]", word, re.ASCII) and (not game.ruleset.combat_cards or int(word) in hand):
        return ev.CombatCardPlayed(seat=seat, card=int(word))
    raise refused(
        N_("No combat card of {name} was taken. Type: {usage}"), name=game.players[seat].name, usage=f"play {seat}"
    )


def goes_first(line: str, game: Game) -> bool:
    """Whether a line is obeyed although a room is being turned: it gives the purpose of that turn, or only asks for a
    combat card."""
    verb = line.casefold().split()[:1]
    putting_back = game.turn is not None and game.turn.revealing is not None
    return verb in (["reveal"], ["play"]) or (verb == ["gear"] and not putting_back)


def _check_open(verb: str, game: Game) -> None:
    """Refuse what must wait for the end of a combat (D-GLD-1), or comes after the end of the game (D-SCO-1)."""
    if game.winner is not None and verb != "undo":
        reason = N_("{name} has won (D-SCO-1). Type: end game. If the last word was wrong, type: undo")
        raise refused(reason, name=game.winner.name)
    if game.combat is not None and game.combat.to_play and verb not in IN_COMBAT:
        names = [f"play {seat}" for seat in game.combat.to_play]
        raise RoomsRefusedError(
            lambda words: words(N_("The combat is not over (D-GLD-1). Type: {usage}")).format(
                usage=listed(names, words)
            )
        )


def _reveal(label: str, game: Game, stands: Mapping[str, int | None]) -> ev.Revealed:
    if game.rooms[label].revealed:
        raise refused(N_("{room} is already face up (D-REV-6)."), room=label)
    return ev.Revealed(seat=whose(game), square=label, stands=stands.get(label))


def _gear(word: str, label: str, how: list[str], game: Game) -> ev.Geared:
    if "mekanork" in how and not game.follows("D-ROT-13"):
        raise refused(N_("This table leaves out D-ROT-13: a Mekanork turns rooms with the arrow."))
    target = game.partner(label) if "remote" in how else game.rooms[label]
    if target is not None and target.label == label and not target.revealed:
        raise refused(N_("{room} is face down: no character stands on its gear (D-AUD-2)."), room=label)
    if target is None or (not target.revealed and game.follows("D-ROT-12")):
        raise refused(N_("The room that would turn is not revealed (D-ROT-12, from another source)."))
    standing = character(word, whose(game), game) if _names_a_character(word, game) else None
    seat = _player(word, game) if standing is None else standing.seat
    mekanork = "mekanork" in how or (standing is not None and is_mekanork(game, standing))
    key = None if standing is None else standing.key
    return ev.Geared(seat=seat, square=label, remote="remote" in how, mekanork=mekanork, character=key)


def _names_a_character(word: str, game: Game) -> bool:
    return any(word.rpartition(".")[2] == one.kind.casefold() for one in game.characters.values())


def _lies(label: str, edge: str, game: Game) -> ev.SetRight:
    if not game.rooms[label].revealed:
        raise refused(N_("{room} is face down and has no orientation yet (D-REV-6)."), room=label)
    return ev.SetRight(square=label, q=EDGES[edge])


def _undo(game: Game) -> ev.WordUndone:
    """Take back the last word: never a turned room (D-ROT-8), and never a word after which a secret was told."""
    if game.last is None:
        raise refused(game.kept_because)
    return ev.WordUndone(word=game.last.word)


def _asked(seat: str, game: Game) -> CardAsked:
    if game.combat is None or seat not in game.combat.to_play:
        raise refused(N_("No combat waits for a card of {name}."), name=game.players[seat].name)
    return CardAsked(seat)


def whose(game: Game) -> str:
    """Return the player whose turn it is. Raises RoomsRefusedError."""
    if game.turn is None:
        raise refused(N_("No turn is on. Begin one: {usage}"), usage=USAGE["card"][0])
    return game.turn.seat


def _player(word: str, game: Game) -> str:
    for player in game.players.values():
        if word in (player.seat.casefold(), player.name.casefold()):
            return player.seat
    raise guessing(N_("There is no player '{word}'; {guess}"), word, game.players)


def _room(word: str, game: Game) -> str:
    for label in game.rooms:
        if word == label.casefold():
            return label
    raise guessing(N_("There is no room '{word}'; {guess}"), word, game.rooms)
