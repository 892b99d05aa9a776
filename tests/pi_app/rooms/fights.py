"""Tables of rooms with characters and objects, and one whole game as a script."""

from __future__ import annotations

from pi_app.rooms import events as ev
from pi_app.rooms.game import apply
from pi_app.rooms.state import Game
from tests.pi_app.rooms.games import begun
from tests.pi_app.rooms.tables import text

TOKENS = """
[character.warrior]
speed = 4
combat = 3

[character.thief]
speed = 5
combat = 2

[character.goblin]
speed = 4
combat = 2

[character.mekanork]
speed = 3
combat = 3

[object.treasure]

[object.rope]

[object.sword]
attack = 1

[object.shield]
defence = 1

[object.potion]
activated = true
"""
CARDS = "combat_cards = [0, 1, 1, 2, 2, 3, 4, 5, 6]"


def with_tokens(rules: str = CARDS) -> str:
    """The settings of the small table, with characters, objects and counted combat cards."""
    return text(rules) + TOKENS


SEATED = (
    with_tokens()
    .replace('name = "Ann"\n', 'name = "Ann"\nbutton_gpio = 5\nscreen = {bus = "dials", mux = 0x70, channel = 6}\n')
    .replace(
        'name = "Ben"\n',
        'name = "Ben"\nlanguage = "de"\nbutton_gpio = 6\nscreen = {bus = "dials", mux = 0x70, channel = 7}\n',
    )
)
"""The players with a button and a screen each; Ben reads German."""

CHARACTERS = tuple(
    ev.CharacterSetup(kind=kind, speed=speed, value=value)
    for kind, speed, value in (("warrior", 4, 3), ("thief", 5, 2), ("goblin", 4, 2), ("mekanork", 3, 3))
)
OBJECTS = (
    ev.ObjectSetup(name="treasure"),
    ev.ObjectSetup(name="rope"),
    ev.ObjectSetup(name="sword", attack=1),
    ev.ObjectSetup(name="shield", defence=1),
    ev.ObjectSetup(name="potion", activated=True),
)


def on(points: int = 5, ruleset: ev.Ruleset | None = None) -> Game:
    """A game of two rooms with characters, in which Ann has so many points to spend."""
    first = begun()
    started = ev.Started(
        version="1",
        table_name="Rooms",
        simulated=True,
        ruleset=ruleset or ev.Ruleset(),
        players=(ev.PlayerSetup(seat="ann", name="Ann"), ev.PlayerSetup(seat="ben", name="Ben")),
        squares=tuple(
            ev.RoomSetup(label=room.label, table=ev.RoomPlan(pair=room.pair, arrow=room.arrow))
            for room in first.rooms.values()
        ),
        characters=CHARACTERS,
        objects=OBJECTS,
    )
    game = apply(apply(Game(), started), ev.CardPlayed(seat="ann", points=2))
    turn = ev.TurnEnded(seat="ann")
    for card in range(3, points + 1):
        game = apply(apply(game, turn), ev.CardPlayed(seat="ann", points=card))
    return game


def fought(game: Game, attacker: str, defender: str, ann: int, ben: int) -> Game:
    """A combat of Ann's, with both cards."""
    game = apply(game, ev.CombatBegun(seat="ann", attackers=(attacker,), defenders=(defender,)))
    game = apply(game, ev.CombatCardPlayed(seat="ann", card=ann))
    return apply(game, ev.CombatCardPlayed(seat="ben", card=ben))


WHOLE_GAME = (
    "card ann 2",
    "card ann 3",  # a slip of the fingers
    "undo",
    "reveal R3",
    "move thief R3 gear 4",
    "end turn",
    "card ben 3",
    "reveal R4",
    "move warrior R4 gear",
    "turn R3 1",  # from afar, with the arrow of R3
    "end turn",
    "card ann 4",
    "turn R3 1",
    "combat thief ben.warrior",
    "play ann",
    "1",
    "play ben",
    "0",  # 3 against 3: a tie
    "combat again",
    "play ben",
    "1",
    "play ann",
    "4",  # 6 against 4: the warrior is wounded
    "take thief ben.treasure",
    "move thief R4 5",
    "end turn",
    "card ben 4",
    "combat thief ann.thief",
    "play ann",
    "0",
    "play ben",
    "2",  # 4 against 2: Ann's thief is wounded and drops the treasure
    "take thief ann.sword",
    "move goblin R4",
    "take goblin warrior",
    "exit goblin",  # two points for the goblin; the wounded warrior is safe
    "move thief R3",
    "end turn",
    "card ann 5",
    "move goblin R4",
    "take goblin ben.treasure",
    "exit goblin",  # one, one for the goblin, one for the treasure
    "exit warrior",  # four
    "reveal R1",
    "end turn",
    "card ben 2",
    "combat thief ann.thief",  # wounded: it only defends
    "play ben",
    "6",
    "play ann",
    "5",  # 9 against 5: eliminated, one point
    "end turn",
    "card ann 3",
    "exit mekanork",
    "undo",
    "exit mekanork",  # five
    "end game",
)
