"""The game of rotating rooms: events in, the next game out. Pure. Moves against the rules are recorded too; a finding
names the rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from pi_app.rooms import events as ev
from pi_app.text.language import N_

JUMPS: Final = 3
"""Each player's jump cards at the start (D-JMP-1, D-CRD-6). A used one leaves the game (D-JMP-4)."""

CARDS: Final = (2, 3, 4, 5)
"""Action cards of each player (D-CRD-1)."""

QUARTERS: Final = 4

STATED: Final = ev.Ruleset()


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken rule, as `Finding` in `pi_app.game` for the other game: the rule's id, and a sentence with placeholders
    for room and player."""

    rule: str
    words: str
    room: str | None = None
    seat: str | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """One room. `q`: quarter turns clockwise from the orientation in which it was revealed, 0 to 3; None face down
    (D-REV-6) or unknown. `stands`: where its dial was last seated, 0 to 3. `between`: it is not seated."""

    label: str
    pair: int
    arrow: ev.Arrow
    q: int | None = None
    revealed: bool = False
    stands: int | None = None
    between: bool = False
    lost: bool = False
    turned: int = 0


@dataclass(frozen=True, slots=True)
class Player:
    """One player's cards. `jumps` may fall below 0: more were used than there are."""

    seat: str
    name: str
    hand: tuple[int, ...] = CARDS
    first_cycle: bool = True
    highest: int = 0
    jumps: int = JUMPS


@dataclass(frozen=True, slots=True)
class PlayerTurn:
    """A player's turn. `geared`: rooms that may be turned in it, and whether by a Mekanork. `revealing`: the room that
    is being put back face up. `way`: which way each room was turned last."""

    seat: str
    points: int
    spent: int = 0
    geared: Mapping[str, bool] = field(default_factory=dict)
    revealing: str | None = None
    way: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Game:
    """The state of play. `highest`: the highest action card so far; `free`: a "4 Actions" was played
    (D-CRD-5)."""

    table_name: str = ""
    simulated: bool = False
    ruleset: ev.Ruleset = STATED
    rooms: Mapping[str, Room] = field(default_factory=dict)
    players: Mapping[str, Player] = field(default_factory=dict)
    turn: PlayerTurn | None = None
    highest: int = 0
    free: bool = False
    ended: bool = False
    findings: tuple[Finding, ...] = ()

    def partner(self, label: str) -> Room | None:
        """Return the other room of the same number."""
        pair = self.rooms[label].pair
        return next((room for room in self.rooms.values() if room.pair == pair and room.label != label), None)


def apply(game: Game, event: ev.AnyEvent) -> Game:
    """Return the game after one more event. Raises KeyError for a room or a player that it does not have."""
    match event:
        case ev.Started():
            return _begun(event)
        case ev.CardPlayed():
            return _card(game, event)
        case ev.Revealed():
            return _revealed(game, event)
        case ev.Geared():
            return _geared(game, event)
        case ev.Spent():
            return _spent(game, event)
        case ev.TurnEnded():
            return _turn_over(game, game.players[event.seat])
        case ev.Rotated():
            return _rotated(game, event)
        case ev.DialsChecked() | ev.Resumed():
            return _seen(game, event.stands)
        case ev.RoomBetween():
            return _with_room(game, replace(game.rooms[event.square], between=True))
        case ev.SetRight():
            return _with_room(game, replace(game.rooms[event.square], q=event.q))
        case ev.RoomLost():
            return _with_room(game, replace(game.rooms[event.square], lost=True))
        case ev.RoomBack():
            back = _with_room(game, replace(game.rooms[event.square], lost=False))
            return _seen(back, {event.square: event.stands})
        case ev.ClockCorrected():
            return game
        case ev.Ended():
            return replace(game, ended=True, turn=None)


def _begun(event: ev.Started) -> Game:
    rooms = {each.label: Room(each.label, each.table.pair, each.table.arrow) for each in event.squares}
    game = Game(
        table_name=event.table_name,
        simulated=event.simulated,
        ruleset=event.ruleset,
        rooms=MappingProxyType(rooms),
        players=MappingProxyType({each.seat: Player(each.seat, each.name) for each in event.players}),
    )
    for room in rooms.values():
        others = [other for other in rooms.values() if other.pair == room.pair and other is not room]
        if len(others) != 1 or others[0].arrow == room.arrow:
            game = _found(game, "D-AUD-10", N_("{room} has no pair whose arrow points the other way."), room.label)
    return game


def _seen(game: Game, stands: Mapping[str, int | None]) -> Game:
    """Take the stands of dials after a time without samples. A dial that stands elsewhere was turned; one that was
    revealed while its dial did not respond may have been."""
    for label, at in stands.items():
        room = game.rooms[label]
        if at is not None and room.stands is None:
            game = _with_room(game, replace(room, stands=at, q=None, between=False))
        elif at is not None and (at != room.stands or room.between):
            quarters = 0 if at == room.stands else None
            game = _one_rotated(game, ev.Motion(room=label, quarters=quarters, stands=at))
    return game


def _found(game: Game, rule: str, words: str, room: str | None = None, seat: str | None = None) -> Game:
    return replace(game, findings=(*game.findings, Finding(rule, words, room, seat)))


def _with_room(game: Game, room: Room) -> Game:
    return replace(game, rooms=MappingProxyType({**game.rooms, room.label: room}))


def _with_player(game: Game, player: Player) -> Game:
    return replace(game, players=MappingProxyType({**game.players, player.seat: player}))


# ----------------------------------------------------------------------------------------------------------- cards


def _card(game: Game, event: ev.CardPlayed) -> Game:
    """Begin a turn; this ends the one before (D-CRD-2)."""
    if game.turn is not None:
        game = _turn_over(game, game.players[game.turn.seat])
    player = game.players[event.seat]
    wrong = _card_wrong(game, player, event.points)
    if wrong is not None:
        game = _found(game, "D-AUD-8", wrong, seat=player.seat)
    hand = tuple(card for card in player.hand if card != event.points)
    played = replace(player, hand=hand, highest=max(player.highest, event.points))
    game = _with_player(game, played)
    return replace(
        game,
        turn=PlayerTurn(event.seat, event.points),
        highest=max(game.highest, event.points),
        free=game.free or event.points == 4,
    )


def _card_wrong(game: Game, player: Player, points: int) -> str | None:
    """Return why this card may not be played now, or None."""
    if points not in player.hand:
        return N_("{player} does not hold this action card (D-CRD-2).")
    if game.highest == 0 and points != 2:
        return N_("{player} begins the game and must play 2 Actions (D-CRD-3).")
    highest = game.highest if game.ruleset.first_cycle == "both" else player.highest or 2
    if game.highest and player.first_cycle and not game.free and points > highest + 1:
        return N_("{player} plays a card more than one above the highest so far (D-CRD-4).")
    return None


def _turn_over(game: Game, player: Player) -> Game:
    """Unspent points are lost (D-AP-4); a player without action cards takes all four back (D-CRD-2)."""
    if not player.hand:
        game = _with_player(game, replace(player, hand=CARDS, first_cycle=False))
    return replace(game, turn=None)


# --------------------------------------------------------------------------------------------------- action points


def _pay(game: Game, points: int, room: str | None = None) -> Game:
    """Pay for an action; the one before it must be over, and its room seated (D-GLD-1)."""
    turn = game.turn
    if turn is None:
        return game
    for other in game.rooms.values():
        if other.between and other.label != room:
            sentence = N_("{room} was not seated when {player} took the next action.")
            game = _found(game, "D-GLD-1", sentence, other.label, turn.seat)
    spent = turn.spent + points
    game = replace(game, turn=replace(turn, spent=spent, revealing=None))
    if spent > turn.points:
        return _found(game, "D-AUD-8", N_("{player} spends more action points than the card has."), room, turn.seat)
    return game


def _own_turn(game: Game, seat: str) -> Game:
    """Record an action of a player who does not have the turn, with a finding."""
    if game.turn is None or game.turn.seat != seat:
        return _found(game, "D-AUD-8", N_("{player} acts without a turn."), seat=seat)
    return game


def _spent(game: Game, event: ev.Spent) -> Game:
    """A jump costs a jump card besides its point (D-JMP-2)."""
    game = _pay(_own_turn(game, event.seat), 1)
    if event.use != "jump":
        return game
    player = game.players[event.seat]
    game = _with_player(game, replace(player, jumps=player.jumps - 1))
    return game if player.jumps > 0 else _found(game, "D-JMP-1", N_("{player} has no jump card left."), seat=event.seat)


def _revealed(game: Game, event: ev.Revealed) -> Game:
    """The reference orientation is the present one (D-REV-6), or by the table's choice that of its dial."""
    room = game.rooms[event.square]
    game = _own_turn(game, event.seat)
    if room.revealed:
        return _found(game, "D-REV-6", N_("{room} is revealed a second time."), room.label, event.seat)
    stands = None if event.stands is None else -event.stands % QUARTERS
    q = 0 if game.ruleset.reveal == "zero" else stands
    game = _pay(_with_room(game, replace(room, revealed=True, q=q, stands=event.stands)), 1, room.label)
    return game if game.turn is None else replace(game, turn=replace(game.turn, revealing=room.label))


def _geared(game: Game, event: ev.Geared) -> Game:
    """From here to the end of the turn this room may be turned (D-AUD-2). Standing on a gear costs nothing."""
    game = _own_turn(game, event.seat)
    target = game.partner(event.square) if event.remote else game.rooms[event.square]
    if game.turn is None or target is None:
        return game
    geared = {**game.turn.geared, target.label: event.mekanork}
    return replace(game, turn=replace(game.turn, geared=MappingProxyType(geared), revealing=None))


# ------------------------------------------------------------------------------------------------------- rotations


def _rotated(game: Game, event: ev.Rotated) -> Game:
    moved = [motion for motion in event.motions if motion.quarters != 0]
    if len(moved) > 1:
        for motion in moved:
            game = _found(game, "D-AUD-6", N_("{room} was turned at the same time as another room."), motion.room)
    for motion in event.motions:
        game = _one_rotated(game, motion)
    return game


def _one_rotated(game: Game, motion: ev.Motion) -> Game:
    """Each quarter turn changes q by one and costs one point (D-AUD-1, D-ROT-3). They are counted with their signs
    (D-AUD-4): four with the arrow come back to where they began, and are legal (D-AUD-5)."""
    was, turn = game.rooms[motion.room], game.turn
    room = replace(was, stands=motion.stands, between=False)
    if turn is not None and turn.revealing == room.label:
        q = was.q if game.ruleset.reveal == "zero" else -motion.stands % QUARTERS
        return _with_room(game, replace(room, q=q))
    if motion.quarters == 0:
        return _with_room(game, room)
    game = _with_room(game, replace(room, q=_orientation(was, motion), turned=was.turned + abs(motion.quarters or 0)))
    if motion.quarters is None:
        game = _found(game, "D-AUD-4", N_("{room} was turned by an unknown path."), room.label)
    if not room.revealed:
        return _found(game, "D-AUD-9", N_("{room} was turned while it lay face down."), room.label)
    if turn is None:
        return _found(game, "D-AUD-9", N_("{room} was turned outside of any turn."), room.label)
    if room.label not in turn.geared:
        sentence = N_("{room} was turned, but {player} has no figure on a gear for it.")
        game = _found(game, "D-AUD-2", sentence, room.label, turn.seat)
    elif motion.quarters is not None:
        game = _judge_way(game, turn, room, motion.quarters)
    return _pay(_with_way(game, room.label, motion.quarters), abs(motion.quarters or 0), room.label)


def _orientation(was: Room, motion: ev.Motion) -> int | None:
    """Return how the room lies after a motion. After an unknown path its dial still shows it: an angle is absolute, and
    clicks count counter-clockwise."""
    quarters = motion.quarters
    if quarters is None and was.stands is not None:
        quarters = was.stands - motion.stands
    return None if was.q is None or quarters is None else (was.q + quarters) % QUARTERS


def _with_way(game: Game, label: str, quarters: int | None) -> Game:
    """Remember which way a room was turned last in this turn; 0 for an unknown path."""
    if game.turn is None:
        return game
    way = {**game.turn.way, label: 0 if quarters is None else (1 if quarters > 0 else -1)}
    return replace(game, turn=replace(game.turn, way=MappingProxyType(way)))


def _judge_way(game: Game, turn: PlayerTurn, room: Room, quarters: int) -> Game:
    """Judge whether a room was turned with its arrow (D-ROT-6), and if not, whether that undid a turn."""
    if quarters * room.arrow > 0 or turn.geared[room.label]:
        return game
    if turn.way.get(room.label) == room.arrow:
        return _found(game, "D-AUD-7", N_("{room} was turned back: no undoing (D-ROT-8)."), room.label, turn.seat)
    sentence = N_("{room} was turned against its arrow; did a Mekanork stand on the gear (D-ROT-13)?")
    return _found(game, "D-AUD-3", sentence, room.label, turn.seat)
