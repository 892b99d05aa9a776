"""Action cards and action points: whose turn it is, and what it may still spend. Pure."""

from __future__ import annotations

from dataclasses import replace

from pi_app.rooms import events as ev
from pi_app.rooms.state import CARDS, Game, Player, PlayerTurn, found, with_player
from pi_app.text.language import N_


def card(game: Game, event: ev.CardPlayed) -> Game:
    """Begin a turn. A turn whose points are all spent ends with the next player's card (D-CRD-2)."""
    before = game.turn
    if before is not None:
        if before.left or before.seat == event.seat:
            sentence = N_(
                "{player} plays an action card before the last turn is over; `undo` takes a mistyped card back."
            )
            game = found(game, "D-CRD-2", sentence, seat=event.seat)
        game = _turn_over(game, game.players[before.seat])
    player = game.players[event.seat]
    wrong = _card_wrong(game, player, event.points)
    if wrong is not None:
        game = found(game, "D-AUD-8", wrong, seat=player.seat)
    hand = tuple(each for each in player.hand if each != event.points)
    highest = max(player.highest, event.points)
    game = with_player(game, replace(player, hand=hand, highest=highest, played=player.played + 1))
    return replace(
        game,
        turn=PlayerTurn(event.seat, event.points),
        highest=max(game.highest, event.points),
        free=game.free or event.points == 4,
    )


def _card_wrong(game: Game, player: Player, points: int) -> str | None:
    """Return why this card may not be played now, or None. Which four cards there are is D-CRD-1."""
    if points not in player.hand and game.follows("D-CRD-1"):
        return N_("{player} does not hold this action card (D-CRD-2).")
    if game.highest == 0 and points != 2:
        return N_("{player} begins the game and must play 2 Actions (D-CRD-3).")
    highest = game.highest if game.ruleset.first_cycle == "both" else player.highest or 2
    if game.highest and player.first_cycle and not game.free and points > highest + 1:
        return N_("{player} plays a card more than one above the highest so far (D-CRD-4).")
    return None


def turn_ended(game: Game, event: ev.TurnEnded) -> Game:
    """Unspent points are lost by D-AP-4. The help is silent about them: a table that goes by it alone gets a
    finding."""
    left = 0 if game.turn is None or game.turn.seat != event.seat else game.turn.left
    if left and not game.follows("D-AP-4"):
        sentence = N_("{player} ends the turn with action points left, and the help does not say what becomes of them.")
        game = found(game, "D-CRD-2", sentence, seat=event.seat)
    elif left:
        game = replace(game, unspent=(event.seat, left))
    return _turn_over(game, game.players[event.seat])


def _turn_over(game: Game, player: Player) -> Game:
    """A player who has played all four action cards takes them back (D-CRD-2)."""
    done = not player.hand if game.follows("D-CRD-1") else player.played >= len(CARDS)
    if done:
        game = with_player(game, replace(player, hand=CARDS, first_cycle=False, played=0))
    return replace(game, turn=None)


def pay(game: Game, points: int, room: str | None = None) -> Game:
    """Pay for an action; the one before it must be over, and its room seated (D-GLD-1)."""
    turn = game.turn
    if turn is None:
        return game
    for other in game.rooms.values():
        if other.between and other.label != room:
            sentence = N_("{room} was not seated when {player} took the next action.")
            game = found(game, "D-GLD-1", sentence, other.label, turn.seat)
    spent = turn.spent + points
    game = replace(game, turn=replace(turn, spent=spent, revealing=None))
    if spent > turn.points:
        return found(game, "D-AUD-8", N_("{player} spends more action points than the card has."), room, turn.seat)
    return game


def own_turn(game: Game, seat: str) -> Game:
    """Record an action of a player who does not have the turn, with a finding."""
    if game.turn is None or game.turn.seat != seat:
        return found(game, "D-AUD-8", N_("{player} acts without a turn."), seat=seat)
    return game


def spent(game: Game, event: ev.Spent) -> Game:
    """A jump costs a jump card besides its point (D-JMP-2). A wounded character can do none of this (D-WND-2)."""
    game = pay(own_turn(game, event.seat), 1)
    if event.character is not None and game.characters[event.character].wounded:
        game = found(game, "D-WND-2", N_("{room} is wounded and can take no action."), event.character, event.seat)
    return jump_card(game, event.seat) if event.use == "jump" else game


def jump_card(game: Game, seat: str) -> Game:
    """Use a jump card."""
    player = game.players[seat]
    game = with_player(game, replace(player, jumps=player.jumps - 1))
    return game if player.jumps > 0 else found(game, "D-JMP-1", N_("{player} has no jump card left."), seat=seat)
