"""The state of a game of rotating rooms, as frozen values, and how a part of it is exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import ClassVar, Final, Literal, TypeVar

from pi_app.rooms import events as ev
from pi_app.text.language import N_
from pi_app.text.sealed import PartlySealed

JUMPS: Final = 3
"""Each player's jump cards at the start (D-JMP-1, D-CRD-6). A used one leaves the game (D-JMP-4)."""

CARDS: Final = (2, 3, 4, 5)
"""Action cards of each player (D-CRD-1)."""

QUARTERS: Final = 4

TO_WIN: Final = 5
"""Victory points (D-SCO-1)."""

LINE: Final = "line"
"""Where a character stands that is on its own starting line."""

STATED: Final = ev.Ruleset()

NO_WORD: Final = N_("There is no word to take back.")
TURNED: Final = N_("A room was turned since the last word: a turned room stays turned (D-ROT-8).")
TOLD: Final = N_("The combat cards were shown since the last word, so it stands.")

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken rule, as `Finding` in `pi_app.game` for the other game: the rule's id, and a sentence with placeholders
    for room (or character) and player."""

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
    """One player's cards and victory points. `jumps` may fall below 0: more were used than there are. `fighting`: the
    combat cards that are left, which only their owner knows (D-CMB-4); empty if the table does not count them.
    `played`: action cards of this cycle."""

    seat: str
    name: str
    hand: tuple[int, ...] = CARDS
    first_cycle: bool = True
    highest: int = 0
    jumps: int = JUMPS
    played: int = 0
    points: int = 0
    fighting: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Character:
    """One character. `at`: a room, LINE, or empty if that is not known. `carries`: the key of an object or of a wounded
    character (D-OBJ-1)."""

    key: str
    seat: str
    kind: str
    speed: int
    value: int
    at: str = ""
    on_gear: bool = False
    wounded: bool = False
    carries: str | None = None
    gone: Literal["", "left", "eliminated"] = ""


@dataclass(frozen=True, slots=True, repr=False)
class Combat(PartlySealed):
    """A combat. `cards`: those that lie face down, by player; secret until both do. `told`: both totals and cards, from
    the reveal to the next word."""

    _open: ClassVar[tuple[str, ...]] = ("attackers", "defenders", "told")
    _hidden: ClassVar[str] = "cards"

    seat: str
    enemy: str
    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    cards: Mapping[str, int] = field(default_factory=dict)
    told: Mapping[str, tuple[int, int]] | None = None
    covered: bool = False
    """The word after a tie was taken back; used cards are not shown again (D-CMB-4)."""

    @property
    def tie(self) -> bool:
        """Whether it ended without a winner (D-CMB-3)."""
        return self.told is not None and len({total for total, _ in self.told.values()}) == 1

    @property
    def to_play(self) -> tuple[str, ...]:
        """The players whose cards are missing."""
        return () if self.told is not None else tuple(s for s in (self.seat, self.enemy) if s not in self.cards)


@dataclass(frozen=True, slots=True)
class PlayerTurn:
    """A player's turn. `geared`: rooms that may be turned in it, and whether by a Mekanork. `revealing`: the room that
    is being put back face up. `way`: which way each room was turned last. `struck`: the characters that were wounded in
    it (D-CMB-5)."""

    seat: str
    points: int
    spent: int = 0
    geared: Mapping[str, bool] = field(default_factory=dict)
    revealing: str | None = None
    way: Mapping[str, int] = field(default_factory=dict)
    struck: tuple[str, ...] = ()

    @property
    def left(self) -> int:
        """The action points that are not spent."""
        return max(0, self.points - self.spent)


@dataclass(frozen=True, slots=True)
class LastWord:
    """The last typed word, and the game before it."""

    word: str
    before: Game


@dataclass(frozen=True, slots=True)
class Correction:
    """A word that was taken back, with the findings that it had."""

    word: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """The state of play. `highest`: the highest action card so far; `free`: a "4 Actions" was played (D-CRD-5).
    `used`: objects that have left the game. `unspent`: who has just ended a turn, and with how many points left.
    `kept_because`: why no word can be taken back, if there is no `last`."""

    table_name: str = ""
    simulated: bool = False
    ruleset: ev.Ruleset = STATED
    rooms: Mapping[str, Room] = field(default_factory=dict)
    players: Mapping[str, Player] = field(default_factory=dict)
    characters: Mapping[str, Character] = field(default_factory=dict)
    objects: Mapping[str, ev.ObjectSetup] = field(default_factory=dict)
    used: tuple[str, ...] = ()
    turn: PlayerTurn | None = None
    combat: Combat | None = None
    unspent: tuple[str, int] | None = None
    highest: int = 0
    free: bool = False
    ended: bool = False
    findings: tuple[Finding, ...] = ()
    last: LastWord | None = None
    kept_because: str = NO_WORD
    corrections: tuple[Correction, ...] = ()

    def partner(self, label: str) -> Room | None:
        """Return the other room of the same number."""
        pair = self.rooms[label].pair
        return next((room for room in self.rooms.values() if room.pair == pair and room.label != label), None)

    def follows(self, rule: ev.OtherSource) -> bool:
        """Return whether this table follows a rule that the help does not have."""
        return rule in self.ruleset.other_sources

    @property
    def winner(self) -> Player | None:
        """The player who has the points to win (D-SCO-1)."""
        return next((player for player in self.players.values() if player.points >= TO_WIN), None)


def found(game: Game, rule: str, words: str, room: str | None = None, seat: str | None = None) -> Game:
    """Add a finding."""
    return replace(game, findings=(*game.findings, Finding(rule, words, room, seat)))


def _exchanged(items: Mapping[K, V], key: K, item: V) -> Mapping[K, V]:
    return MappingProxyType({**items, key: item})


def with_room(game: Game, room: Room) -> Game:
    """Exchange a room."""
    return replace(game, rooms=_exchanged(game.rooms, room.label, room))


def with_player(game: Game, player: Player) -> Game:
    """Exchange a player."""
    return replace(game, players=_exchanged(game.players, player.seat, player))


def with_character(game: Game, character: Character) -> Game:
    """Exchange a character."""
    return replace(game, characters=_exchanged(game.characters, character.key, character))


def fixed(game: Game, why: str) -> Game:
    """Nothing before this moment can be taken back."""
    return replace(game, last=None, kept_because=why)
