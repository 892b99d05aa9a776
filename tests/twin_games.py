"""The same game played twice over other trap tables, with everything that each viewer was given."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec

from pi_app.game import findings as audit
from pi_app.game.objections import FOUND
from pi_app.game.trap_table import Disarm, Face, Trap, TrapTable
from pi_app.journal.record.entry import PublicPart, read_public
from pi_app.play.build import GameOptions, Outputs
from pi_app.report.pictures import SECRETS, SeatPicture
from pi_app.settings import load as st
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.simulated.build import simulated_table
from pi_app.simulated.demo import Demo, Twins
from pi_app.simulated.script import DemoScript, KnownTable, script
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.journal.record.forging import rows
from tests.pi_app.treasures import talking, with_treasures
from tests.scripts import at_the_limit, hero_at_the_limit, script_of
from tests.twin_display import TwinDisplay
from tests.twin_phones import TwinPhones

EXAMPLE = st.load(st.example_path("2x2"))
TREASURES = with_treasures(EXAMPLE)
TABLE = KnownTable(tuple(EXAMPLE.seats), tuple(EXAMPLE.squares))
OWN_TOKENS = tuple(
    words(language)(message).partition("{")[0]
    for language in LANGUAGES
    for message in ("Your token: {name}. {text}", "You kept: {tokens}")
)
"""How lines begin that name a seat's own tokens."""


def random_table(draw: random.Random, name: str) -> TrapTable:
    """Twelve clicks with anything at all within reach of a die."""
    faces = [Face(position=0, kind="start")]
    for position in range(1, 11):
        trap = draw.choice([None, None, *Trap])
        if trap is None:
            faces.append(Face(position=position, kind="clear", click_number=position))
        else:
            disarm = Disarm(draw.randint(2, 14), variable=draw.random() < 0.4)
            faces.append(
                Face(
                    position=position,
                    kind="trap",
                    click_number=position,
                    trap=trap,
                    disarm=disarm,
                    xp=draw.randint(0, 99),
                )
            )
    faces.append(Face(position=11, kind="disarmed"))
    return TrapTable(name=name, provenance="house", clicks=12, faces=tuple(faces))


def with_tables(settings: Settings, seed: int, names: Sequence[str] = ()) -> Settings:
    """Other trap tables on every square. `names` of them, dealt to the squares; without them their labels."""
    draw = random.Random(f"tables {seed}")
    dealt = draw.sample(names, len(names)) if names else list(settings.squares)
    squares = {
        label: msgspec.structs.replace(square, table=random_table(draw, name))
        for (label, square), name in zip(settings.squares.items(), dealt, strict=True)
    }
    return replace(settings, squares=MappingProxyType(squares))


def named(settings: Settings, seed: int) -> Settings:
    """The same table and players with names at the limit, in the script of this seed."""
    letters, draw = script_of(seed), random.Random(f"names {seed}")
    seats = {
        key: msgspec.structs.replace(seat, name=at_the_limit(letters, 20, draw)) for key, seat in settings.seats.items()
    }
    table = msgspec.structs.replace(settings.table, name=at_the_limit(letters, 40, draw))
    return replace(settings, table=table, seats=MappingProxyType(seats))


def table_names(seed: int) -> list[str]:
    """The names of the trap tables of one game: one at the limit, the others of any length. Twins deal them
    differently."""
    letters, draw = script_of(seed), random.Random(f"table names {seed}")
    longest = at_the_limit(letters, 40, draw)
    return [longest, *(at_the_limit(letters, draw.randint(1, 40), draw) for _ in TABLE.squares[1:])]


HEAD = re.compile("TRAPDIAL1[A-Z2-7 ]+")
"""Handed out when a game is over; it is a hash over keys and salts, and another one in every game."""


class Everything:
    """What every viewer was given. Bytes and edges of a seat that looks at a face are kept apart as its secret."""

    def __init__(self) -> None:
        self.common: dict[str, list[tuple[int, str, object]]] = defaultdict(list)
        self.secret: dict[str, list[tuple[int, str, object]]] = defaultdict(list)
        self.looking: set[str] = set()
        self.display: Callable[[int], None] | None = None
        """Draws the public display again, at each public line."""

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Of a token that a seat holds everybody may know that it reads of it, never what."""
        own = viewer.startswith("seat ") and line.startswith(OWN_TOKENS)
        if own:
            self.secret[viewer].append((at_ns, "line", line))
        self.common[viewer].append((at_ns, "line", "a token" if own else HEAD.sub("a head", line)))
        if viewer == "public" and self.display is not None:
            self.display(at_ns)

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        (self.looking.add if isinstance(picture, SECRETS) else self.looking.discard)(seat)

    def screen(self, seat: str, data: bytes, at_ns: int) -> None:
        """Of a secret picture the others may notice when and how much, never what."""
        self.common[f"seat {seat}"].append((at_ns, "screen", len(data)))
        (self.secret if seat in self.looking else self.common)[f"seat {seat} bytes"].append((at_ns, "screen", data))

    def lamp(self, seat: str, on: bool, at_ns: int) -> None:
        """The code itself is the seat's own. The room sees the glow: it is looked at when all is over."""
        self.secret[f"lamp {seat}"].append((at_ns, "lamp", on))

    def notice_the_glow(self) -> None:
        """How often each lamp shone in all, when each round of five flashes began, and for how long it shone (in tenths
        of a second: a flash lasts from one look of the loop to another)."""
        for viewer in [viewer for viewer in self.secret if viewer.startswith("lamp ")]:
            edges = self.secret[viewer]
            lit_ns = sum(off - on for (on, _, _), (off, _, _) in zip(edges[::2], edges[1::2], strict=True))
            self.common[f"glow of {viewer}"] = [
                (edges[0][0], "edges", len(edges)),
                (edges[0][0], "lit, tenths", round(lit_ns / 1e8)),
                *((at_ns, "round", None) for at_ns, _, _ in edges[::10]),
            ]


ROLLS = ("nobody says it", "said", "rolled when asked", "rolled by itself")
"""How a table comes to know its dice."""


SPOKEN = (("en",), ("de", "fr"), ("es", "it"), ("fr", "de"), ("it", "es"))
"""What the table and each seat read; five and four have no divisor in common, so all meet all ways to roll."""


def rolling(settings: Settings, how: str) -> Settings:
    roll: Literal["table", "device"] = "device" if how == "rolled by itself" else "table"
    return replace(settings, table=msgspec.structs.replace(settings.table, roll=roll))


def with_dice(made: DemoScript, seed: int, how: str) -> DemoScript:
    """The plan, and somebody at the table who says what was rolled, now and then too late, wrong or twice; or asks the
    device to roll, which everyone may do as often as they like."""
    if how not in ("said", "rolled when asked"):
        return made
    draw = random.Random(f"dice {seed}")
    words: list[tuple[int, actions.TableAction]] = []
    seat = ""
    for at_ns, act in made.actions:
        if isinstance(act, actions.Press):
            seat = act.seat
        elif isinstance(act, actions.TurnDial) and act.clicks > 0 and how == "said":
            for _ in range(draw.choice((1, 1, 2))):
                die = act.clicks if draw.random() < 0.8 else draw.randint(1, 6)
                words.append((at_ns + draw.randint(-500, 3000) * 1_000_000, actions.TypeLine(f"rolled {seat} {die}")))
        elif isinstance(act, actions.TurnDial) and act.clicks > 0:
            words.append((at_ns - draw.randint(1, 500) * 1_000_000, actions.TypeLine(f"roll {seat}")))
            words.append((at_ns + draw.randint(1, 2000) * 1_000_000, actions.TypeLine(f"rolled {seat} {act.clicks}")))
    return DemoScript(tuple(sorted([*made.actions, *words], key=lambda act: act[0])), made.end_ns)


MOVES = (
    "pass {square} {who} 4",
    "pass {square} {who}",
    "pass {square} {who} n e 6",
    "pass {square} {who} n s 1",
    "pass {square} {who} n s 5 anyway",
    "pass {square} {who} nimble",
    "enter {square} {who} flying",
    "enter {square} {who} flying 3",
    "enter {square} {who} beside dodge",
    "enter {square} token pay4 speed 3",
    "enter {square} spawn",
    "enter {square} token speed 1",
    "enter {square} figure",
    "start {square} {who}",
    "start {square} mage movement 3",
    "hits",
    "hits {square} 6 6",
    "hits {square} {who} dodge roll",
    "break {square} {who} 6",
    "break {square} figure roll anyway",
    "shockwave {square} {who} 5 6 0",
    "shockwave {square} {who} 2 2 7",
    "jaws {square} harmed",
    "jaws {square} unharmed anyway",
    "disarm {square} {who} quick 6 6 6 speed 2",
    "disarm {square} {who} quick 6 6",
    "disarm {square} {who} slow roll speed 5",
    "disarm {square} mage {seat} quick 6 6 6",
    "share {square} {seat}",
    "hero {seat} {hero}{number} nimble dodge",
    "hero {seat} {hero}{number} toughness speed 5",
    "hero",
    "fallen {who}",
    "undo",
    "undo",
    "help",
    "rule disarm",
)
"""Lines that make nothing public as long as nothing is: what sets a square off may differ from there on, by right.
`who` is a Hero or a seat."""


def with_moves(made: DemoScript, seed: int) -> DemoScript:
    """The plan, and somebody who tells the table of moves, possible and impossible ones, as often as hands turn."""
    draw = random.Random(f"moves {seed}")
    hero = hero_at_the_limit(script_of(seed), draw)
    heroes = (*TABLE.seats, *(f"{hero}{number}" for number in (1, 2, 3)))
    words = [
        (
            draw.randint(0, made.end_ns),
            actions.TypeLine(
                draw.choice(MOVES).format(
                    square=draw.choice(TABLE.squares),
                    seat=draw.choice(TABLE.seats),
                    who=draw.choice(heroes),
                    hero=hero,
                    number=draw.randint(1, 3),
                )
            ),
        )
        for _ in range(4 + len(made.actions) // 4)
    ]
    return DemoScript(tuple(sorted([*made.actions, *words], key=lambda act: act[0])), made.end_ns)


def play(
    settings: Settings,
    folder: Path,
    seed: int,
    exposes: int,
    dice: Sequence[int] = (),
    pick: Callable[[int], int] | None = None,
    phones: TwinPhones | None = None,
    stands: Mapping[str, int] | None = None,
) -> Everything:
    """Play one game. `dice`: the device's rolls, if they are not the clicks of the hands; `pick`: how it deals and
    draws tokens; with it the typed lines are about treasures instead of moves. `phones`: those that hold seats.
    `stands`: where the dials stand, and start."""
    heard = Everything()
    how = ROLLS[seed % len(ROLLS)]
    settings = st.speaking(rolling(settings, how), SPOKEN[seed % len(SPOKEN)])
    outputs = Outputs([heard], tap=heard, shown=heard.shown)
    game = None if pick is None else GameOptions(pick=pick)
    hands = None
    if stands is not None:
        game, hands = (
            GameOptions(starts="found", shuffle=False),
            simulated_table(settings, seed=seed + 1, stands=stands),
        )
    simulated = Twins(table=hands, pages=None if phones is None else phones.pages())
    with Demo(settings, folder / "journal.db", seed=seed + 1, outputs=outputs, twins=simulated, game=game) as table:
        while not table.loop.ready:
            table.step()
        shown = TwinDisplay(settings, lambda kind, what: heard.common["public display"].append((drawn[0], kind, what)))
        drawn = [0]

        def display(at_ns: int) -> None:
            drawn[0] = at_ns
            shown.show(table.loop.moment.game)

        heard.display = display
        table.planned_dice.extend(dice)
        acted = with_dice(script(seed, TABLE, exposes), seed, how)
        if pick is not None:
            acted = talking(acted, TABLE.seats, seed)
        elif not dice:
            acted = with_moves(acted, seed)
        if phones is not None:
            acted = with_phones(table, heard, phones, acted)
        table.play(acted)
        if phones is not None:
            table.end()
            table.step()
        allowed = {audit.NOT_BY_THE_DIE, *FOUND} if pick is None else {audit.NOT_BY_THE_DIE, audit.USED_TWICE}
        assert {found.words for found in table.loop.moment.game.findings} <= allowed
    heard.notice_the_glow()
    for _, public, sealed, _, signature in rows(folder / "journal.db"):
        part = without_randomness(read_public(public))
        heard.common["journal's public half"].append((part.mono_ns, "entry", part))
        heard.common["journal's lengths"].append((part.mono_ns, "bytes", (len(public), len(sealed), signature is None)))
    return heard


def with_phones(table: Demo, heard: Everything, phones: TwinPhones, acted: DemoScript) -> DemoScript:
    """Let phones join, and do on them what they do in the script. Return what is left of it for the buttons."""
    clock = table.table.clock

    def told(secret: bool, viewer: str, what: object) -> None:
        (heard.secret if secret else heard.common)[viewer].append((clock.now_ns(), "page", what))

    phones.told = told
    for seat in phones.joined:
        phones.join(seat)
        table.step()
    acted, done = phones.plan(acted)
    began_ns = clock.now_ns()
    for at_ns, act in done:
        clock.at(began_ns + max(0, at_ns), act)
    return acted


def without_randomness(part: PublicPart) -> PublicPart:
    """A public half without what is drawn at random for every game: its name, its date, a simulated boot, hashes over
    salts and sealed halves. The key is published when all may be shown (S-13)."""
    opening = part.opening and msgspec.structs.replace(
        part.opening, device="", key="", ruleset="", squares=dict.fromkeys(part.opening.squares, "")
    )
    return msgspec.structs.replace(
        part,
        boot="",
        game="",
        wall="",
        before="",
        opening=opening,
        stands=part.stands and "",
        key=part.key and "",
    )


def twins(folder: Path, seed: int, exposes: int = 2, *, phones: bool = False) -> tuple[Everything, Everything]:
    """The same game over other trap tables with the same names, dealt to other squares. With `phones`, phones hold
    some of the seats."""
    heard = []
    for n, tables in enumerate((2 * seed, 2 * seed + 1)):
        own = folder / f"{seed}-{n}"
        own.mkdir()
        settings = with_tables(named(EXAMPLE, seed), tables, table_names(seed))
        heard.append(play(settings, own, seed, exposes, phones=TwinPhones(seed, TABLE.seats) if phones else None))
    return heard[0], heard[1]


def drawing_twins(folder: Path, seed: int, *, phones: bool = False) -> tuple[Everything, Everything]:
    """The same words and hands over other trap tables, other deals and other draws. With `phones`, phones hold some of
    the seats."""
    heard = []
    for n in (2 * seed, 2 * seed + 1):
        own = folder / f"tokens {seed}-{n}"
        own.mkdir()
        held = TwinPhones(seed, TABLE.seats) if phones else None
        settings = with_tables(named(TREASURES, seed), n, table_names(seed))
        heard.append(play(settings, own, seed, 2, pick=random.Random(f"picks {n}").randrange, phones=held))
    return heard[0], heard[1]


def starting_twins(folder: Path, seed: int) -> tuple[Everything, Everything]:
    """The same hands over other trap tables, on dials that stand anywhere and start there: in both games at the same
    place, because another angle of a magnet is seen to move a moment sooner or later."""
    heard = []
    for n in (2 * seed, 2 * seed + 1):
        own = folder / f"starts {seed}-{n}"
        own.mkdir()
        draw = random.Random(f"stands {seed}")
        settings = with_tables(named(EXAMPLE, seed), n, table_names(seed))
        heard.append(play(settings, own, seed, 2, stands={label: draw.randrange(12) for label in settings.squares}))
    return heard[0], heard[1]


def differing(this: Everything, that: Everything) -> list[str]:
    return [viewer for viewer in {*this.common, *that.common} if this.common[viewer] != that.common[viewer]]
