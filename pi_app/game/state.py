"""The state of play as values: the game, its squares, seats and claims. Pure."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from pi_app.game import artifacts as art
from pi_app.game import events as ev
from pi_app.game import experience as rulings
from pi_app.game import rules
from pi_app.game.experience import Rulings
from pi_app.game.figures import OTHERS, Hero
from pi_app.game.finding import Finding
from pi_app.game.note import Note
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import Ability
from pi_app.game.trap_table import Face, Trap, TrapTable
from pi_app.text.sealed import PartlySealed, Sealed


class Phase(enum.Enum):
    NONE = "no game"
    PLAYING = "playing"
    ENDED = "ended"


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A trap has gone off, and its effect on the figure that set it off is not typed yet. `added`: the words of its
    move that change the effect."""

    figure: str
    added: tuple[str, ...] = ()
    number: int = 0
    """The hit that waits longest has the lowest."""


class Square(msgspec.Struct, frozen=True, gc=False):
    """The state of one trap square. Prints as its label and state, never its content."""

    label: str
    table: TrapTable
    state: SquareState = SquareState.CONCEALED
    stands: int | None = 0
    """Position at which the dial last rested; None between two detents."""
    shown: int | None = None
    """Position that was exposed or triggered; later turns of the dial do not change it (T-EXP-9)."""
    readers: tuple[str, ...] = ()
    """Seats that know the content, in the order in which they learnt it (S-7)."""
    shared: bool = False
    """A seat that exposed it had it shown to all (S-8)."""
    value: int | None = None
    """The disarm value once it is fixed: N+ with its die (T-DIS-6)."""
    owed: str | None = None
    """The seat that set it off and gains experience when its effect is complete (R-XP-3)."""
    hits: Hit | None = None
    """The figure that its effect still has to hit, until `hits` is typed."""
    was_triggered: bool = False
    prisoner: str | None = None
    """The figure that sits in this Cage, out of play (E-CAGE-1, E-CAGE-2)."""
    attempt: tuple[str, ev.Way, str] | None = None
    """Seat, way and figure of the latest disarm attempt, until a figure sets the trap off again."""
    attempts: int = 0
    disarmed_by: str | None = None
    xp_won: int | None = None
    to_be_turned_to_disarmed: bool = False
    """A successful disarm asks for one more turn, to the disarmed mark (T-DIS-5, T-AUD-3)."""
    unclaimed_turn: bool = False
    """It was turned without a claim; the table may still credit a seat (`Exposed`)."""
    lost: bool = False
    withheld: bool = False
    """Its tile may be another square's: its content is not shown."""
    absolute: bool = True
    homed: bool = True
    """Whether the dial's position is known. A dial that is not `absolute` must be homed first."""
    start: int = 0
    """The detent of the dial that is position 0 in this game."""
    start_ok: bool | None = None
    """Verdict of the latest set-up check before its first turn (T-AUD-1)."""

    def __repr__(self) -> str:
        return f"Square({self.label}, {self.state.value})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("label", self.label), ("state", self.state.value)]

    @property
    def untouched(self) -> bool:
        """Whether its dial has not been turned in this game."""
        return self.state is SquareState.CONCEALED and not self.unclaimed_turn

    @property
    def face(self) -> Face | None:
        """The exposed or triggered face, if any."""
        return None if self.shown is None else self.table.faces[self.shown]

    @property
    def trap(self) -> Trap | None:
        """The trap on that face, if any."""
        return None if self.face is None else self.face.trap


class Claim(msgspec.Struct, frozen=True, gc=False):
    """A seat's claim to the next dial that moves; `square` once a dial moved under it."""

    seat: str
    grade: ev.Grade
    purpose: ev.Purpose = "expose"
    square: str | None = None
    cause: ev.Cause = "entered"
    """Why the trap went off, if its dial must be turned."""
    hit: Hit | None = None
    """Which figure set it off, and how."""


class SeatTurn(Sealed, msgspec.Struct, frozen=True, gc=False):
    """A seat's turn, from its claim until its next claim. A device roll survives a dropped claim: no player rolls until
    the number suits."""

    seat: str
    die: int | None = None
    how: ev.How | None = None
    square: str | None = None
    """The square whose dial was turned, once it was."""
    clicks: int | None = None
    """How far, if the die must match it."""

    @property
    def roll_pending(self) -> bool:
        """Whether the device rolled for a turn that is not made yet."""
        return self.how == "device" and self.square is None


class Seat(PartlySealed, msgspec.Struct, frozen=True, gc=False):
    """One player's seat and experience so far (T-DIS-8)."""

    _open = ("seat", "name", "language", "xp")
    _hidden = "lamp"
    seat: str
    name: str
    language: str
    xp: int = 0
    lamp: str = ""
    """What its lamp's patterns mean in this game: a `LampCode`."""


class Phone(Sealed, msgspec.Struct, frozen=True, gc=False):
    """The phone that holds a seat: the text of its session."""

    session: str


class Undo(msgspec.Struct, frozen=True, gc=False):
    """The last word typed at the table, and the game before it."""

    line: str
    game: Game


class Game(msgspec.Struct, frozen=True, gc=False):
    """The state of play after some events."""

    phase: Phase = Phase.NONE
    table_name: str = ""
    language: str = "en"
    simulated: bool = False
    shuffled: bool = False
    found_starts: bool = False
    """Each dial's start is where it stood."""
    ruleset: ev.Ruleset = field(default_factory=ev.Ruleset)
    seats: Mapping[str, Seat] = field(default_factory=lambda: MappingProxyType({}))
    squares: Mapping[str, Square] = field(default_factory=lambda: MappingProxyType({}))
    claims: tuple[Claim, ...] = ()
    turns: tuple[SeatTurn, ...] = ()
    findings: tuple[Finding, ...] = ()
    rulings: Rulings = field(default_factory=Rulings)
    artifacts: art.Artifacts | None = None
    heroes: Mapping[str, Hero] = field(default_factory=lambda: MappingProxyType({}))
    """Every named Hero. A seat without one has one Hero without a name."""
    phones: Mapping[str, Phone] = field(default_factory=lambda: MappingProxyType({}))
    """The seats that a phone holds."""
    resumed: int = 0
    """How often the program resumed this game."""
    undo: Undo | None = None
    """What `undo` would take back."""

    def claim_of(self, seat: str) -> Claim | None:
        """The seat's claim, if any."""
        for claim in self.claims:
            if claim.seat == seat:
                return claim
        return None

    def claim_on(self, square: str) -> Claim | None:
        """The claim bound to this square, if any."""
        return next((c for c in self.claims if c.square == square), None)

    def turn_of(self, seat: str | None) -> SeatTurn | None:
        """The seat's turn, under way or the last made."""
        return next((h for h in self.turns if h.seat == seat), None)

    @property
    def open_claim(self) -> Claim | None:
        """The claim that waits for a dial to move. There is at most one: with two, a face could be shown to the wrong
        player."""
        return next((c for c in self.claims if c.square is None), None)

    def seat_of(self, figure: str) -> str | None:
        """The seat of a Hero; None for another figure."""
        return self.heroes[figure].seat if figure in self.heroes else figure if figure in self.seats else None

    def abilities_of(self, figure: str) -> frozenset[Ability]:
        """The abilities of a named Hero that count with every move."""
        return self.heroes[figure].abilities if figure in self.heroes else frozenset()

    def heroes_of(self, seat: str) -> tuple[str, ...]:
        """The seat's Heroes in play: those with names, or the seat itself for the one without a name."""
        named = [name for name, hero in self.heroes.items() if hero.seat == seat]
        return tuple(name for name in named if not self.heroes[name].fallen) if named else (seat,)

    def last_in_line(self, hit: Hit | None) -> Hit | None:
        """This hit, behind those that wait already."""
        waiting = [square.hits.number for square in self.squares.values() if square.hits is not None]
        return None if hit is None else replace(hit, number=max(waiting, default=0) + 1)

    def figures_of(self, seat: str) -> tuple[str, ...]:
        """Every Hero that the seat has or had, with or without a name."""
        return (seat, *(name for name, hero in self.heroes.items() if hero.seat == seat))

    def prison_of(self, figure: str) -> str | None:
        """The square whose Cage holds this Hero (E-CAGE-2)."""
        held = (square.label for square in self.squares.values() if square.prisoner == figure)
        return None if figure in OTHERS else next(held, None)

    def figure_in(self, figure: str, key: str = "name") -> tuple[dict[str, object], dict[str, str]]:
        """The figure for a Note: its values, or its text in the reader's language."""
        if figure in OTHERS:
            return {}, {key: OTHERS[figure]}
        return {key: self.name_of(figure)}, {}

    def name_of(self, figure: str) -> str:
        """A Hero's name, or its player's where it has none."""
        return self.seats[figure].name if figure in self.seats else figure

    def may_look(self, seat: str) -> tuple[str, ...]:
        """Labels of the squares that this seat may look at, those learnt last first (T-EXP-10, T-TRG-9)."""
        open_to_it = [
            s
            for s in self.squares.values()
            if s.state in rules.PUBLIC_STATES or (s.state is SquareState.EXPOSED and (seat in s.readers or s.shared))
        ]
        known = [s for s in open_to_it if seat in s.readers]
        public = [s for s in open_to_it if seat not in s.readers]
        return tuple(s.label for s in reversed(known)) + tuple(s.label for s in public)

    def with_square(self, square: Square) -> Game:
        return replace(self, squares=MappingProxyType({**self.squares, square.label: square}))

    def without_claim(self, seat: str) -> Game:
        return replace(self, claims=self.claims_but(seat))

    def with_claim(self, claim: Claim) -> Game:
        return replace(self, claims=(*self.claims_but(claim.seat), claim))

    def claims_but(self, seat: str) -> tuple[Claim, ...]:
        return tuple([c for c in self.claims if c.seat != seat])

    def gains(self, seat: str, xp: int, why: Note) -> Game:
        """With more experience for a seat, and a line in the ledger."""
        player = self.seats[seat]
        seats = MappingProxyType({**self.seats, seat: replace(player, xp=player.xp + xp)})
        return replace(self, seats=seats, rulings=rulings.booked(self.rulings, seat, xp, why))

    def without_turn(self, seat: str) -> Game:
        return replace(self, turns=self.turns_but(seat))

    def with_turn(self, turn: SeatTurn) -> Game:
        return replace(self, turns=(*self.turns_but(turn.seat), turn))

    def turns_but(self, seat: str) -> tuple[SeatTurn, ...]:
        return tuple([h for h in self.turns if h.seat != seat])

    def claimed(self, claim: Claim) -> Game:
        """With a new claim and a new turn; a device roll not used yet is kept."""
        turn = self.turn_of(claim.seat)
        if turn is not None and turn.roll_pending:
            return self.with_claim(claim)
        turns = (*self.turns_but(claim.seat), SeatTurn(claim.seat))
        return replace(self, claims=(*self.claims_but(claim.seat), claim), turns=turns)
