"""The same game twice over other trap tables: everyone who was not told a secret gets the same bytes at the same
moments (S-6). Real streams of the whole program, screens' bytes and lamps' edges included.

`TRAPDIAL_TWIN_GAMES` says how many random games are played (make twin-test: 1000).
"""

from __future__ import annotations

import os
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec
import pytest

from pi_app.displays import seat as seat_module
from pi_app.displays.lamp import CodeWord
from pi_app.game import artifacts, effects
from pi_app.game import events as ev
from pi_app.game import findings as audit
from pi_app.game import moves as table_moves
from pi_app.game.game import Game
from pi_app.game.objections import FOUND
from pi_app.game.trap_table import Disarm, Face, Trap, TrapTable
from pi_app.journal.record.entry import PublicPart, read_public
from pi_app.play.build import GameOptions, Outputs
from pi_app.play.commands import parse as commands
from pi_app.report import visibility as rp
from pi_app.report.pictures import SECRETS, SeatPicture
from pi_app.settings import load as st
from pi_app.settings.model import LANGUAGES, Settings
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo
from pi_app.simulated.script import DemoScript, PublicState, script
from pi_app.text.language import words
from tests.pi_app.journal.record.forging import rows
from tests.pi_app.treasures import talking, with_treasures

GAMES = int(os.environ.get("TRAPDIAL_TWIN_GAMES", "6"))
BATCH = 10
EXAMPLE = st.load(st.example_path("2x2"))
TREASURES = with_treasures(EXAMPLE)
TABLE = PublicState(tuple(EXAMPLE.seats), tuple(EXAMPLE.squares))
OWN_TOKENS = tuple(
    words(language)(message).partition("{")[0]
    for language in LANGUAGES
    for message in ("Your token: {name}. {text}", "You kept: {tokens}")
)
"""The beginnings of lines that name a seat's own tokens."""


def random_table(draw: random.Random, name: str) -> TrapTable:
    """Return twelve clicks with random content within reach of a die."""
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


def with_tables(settings: Settings, seed: int) -> Settings:
    draw = random.Random(f"tables {seed}")
    squares = {
        label: msgspec.structs.replace(square, table=random_table(draw, label))
        for label, square in settings.squares.items()
    }
    return replace(settings, squares=MappingProxyType(squares))


HEAD = re.compile("TRAPDIAL1[A-Z2-7 ]+")
"""The head at the end of a game: a hash over keys and salts, different in every game."""


class Everything:
    """The output to every viewer. Bytes and edges of a seat that looks at a face are kept apart as its secret."""

    def __init__(self) -> None:
        self.common: dict[str, list[tuple[int, str, object]]] = defaultdict(list)
        self.secret: dict[str, list[tuple[int, str, object]]] = defaultdict(list)
        self.looking: set[str] = set()

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Everybody may know that a seat reads about its token, never what."""
        own = viewer.startswith("seat ") and line.startswith(OWN_TOKENS)
        if own:
            self.secret[viewer].append((at_ns, "line", line))
        self.common[viewer].append((at_ns, "line", "a token" if own else HEAD.sub("a head", line)))

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        (self.looking.add if isinstance(picture, SECRETS) else self.looking.discard)(seat)

    def screen(self, seat: str, data: bytes, at_ns: int) -> None:
        """Others may notice when a secret picture comes and how large it is, never its content."""
        self.common[f"seat {seat}"].append((at_ns, "screen", len(data)))
        (self.secret if seat in self.looking else self.common)[f"seat {seat} bytes"].append((at_ns, "screen", data))

    def lamp(self, seat: str, on: bool, at_ns: int) -> None:
        """The code is the seat's own. The room sees the glow, which is compared at the end."""
        self.secret[f"lamp {seat}"].append((at_ns, "lamp", on))

    def notice_the_glow(self) -> None:
        """Note how often each lamp shone, when each round of five flashes began, and for how long it shone (in
        tenths of a second: a flash lasts from one round of the loop to another)."""
        for viewer in [viewer for viewer in self.secret if viewer.startswith("lamp ")]:
            edges = self.secret[viewer]
            lit_ns = sum(off - on for (on, _, _), (off, _, _) in zip(edges[::2], edges[1::2], strict=True))
            self.common[f"glow of {viewer}"] = [
                (edges[0][0], "edges", len(edges)),
                (edges[0][0], "lit, tenths", round(lit_ns / 1e8)),
                *((at_ns, "round", None) for at_ns, _, _ in edges[::10]),
            ]


ROLLS = ("nobody says it", "said", "rolled when asked", "rolled by itself")
"""The ways of a table to roll."""


SPOKEN = (("en",), ("de", "fr"), ("es", "it"), ("fr", "de"), ("it", "es"))
"""The languages of the table and of each seat; five and four have no common divisor, so all combinations occur."""


def rolling(settings: Settings, how: str) -> Settings:
    roll: Literal["table", "device"] = "device" if how == "rolled by itself" else "table"
    return replace(settings, table=msgspec.structs.replace(settings.table, roll=roll))


def with_dice(made: DemoScript, seed: int, how: str) -> DemoScript:
    """Return the script with typed rolls added, now and then too late, wrong or twice; or with requests to the device,
    which everyone may make as often as they like."""
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
    "pass {square} {seat} 4",
    "pass {square} {seat} n e 6",
    "pass {square} {seat} n s 1",
    "pass {square} {seat} n s 5 anyway",
    "pass {square} {seat} nimble roll",
    "enter {square} {seat} flying roll",
    "enter {square} {seat} beside dodge 2 5",
    "enter {square} {seat} pay4 speed 3 1 1",
    "enter {square} spawn roll",
    "enter {square} token speed 1 1 1",
    "start {square} {seat} roll",
    "start {square} mage movement 3",
    "hits {square} {seat} 6 6",
    "hits {square} {seat} again roll anyway",
    "break {square} {seat} 6",
    "break {square} figure roll anyway",
    "shockwave {square} {seat} roll 0",
    "shockwave {square} {seat} 2 2 7",
    "jaws {square} harmed",
    "jaws {square} unharmed anyway",
    "disarm {square} {seat} quick 6 6 6 speed 2",
    "disarm {square} {seat} slow roll speed 5",
    "share {square} {seat}",
)
"""Lines that make nothing public. A game may differ after a square is triggered."""


def with_moves(made: DemoScript, seed: int) -> DemoScript:
    """Return the script with typed moves added, possible and impossible ones, as many as turns."""
    draw = random.Random(f"moves {seed}")
    words = [
        (
            draw.randint(0, made.end_ns),
            actions.TypeLine(
                draw.choice(MOVES).format(square=draw.choice(TABLE.squares), seat=draw.choice(TABLE.seats))
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
) -> Everything:
    """Play one game. `dice`: the device's rolls, if they are not the clicks of the hands; `pick`: how it deals and
    draws tokens; with it the typed lines are about treasures instead of moves."""
    heard = Everything()
    how = ROLLS[seed % len(ROLLS)]
    settings = st.speaking(rolling(settings, how), SPOKEN[seed % len(SPOKEN)])
    outputs = Outputs([heard], tap=heard, shown=heard.shown)
    game = None if pick is None else GameOptions(pick=pick)
    with Demo(settings, folder / "journal.db", seed=seed + 1, outputs=outputs, game=game) as table:
        while not table.loop.ready:
            table.step()
        table.planned_dice.extend(dice)
        acted = with_dice(script(seed, TABLE, exposes), seed, how)
        if pick is not None:
            acted = talking(acted, TABLE.seats, seed)
        elif not dice:
            acted = with_moves(acted, seed)
        table.play(acted)
        allowed = {audit.NOT_BY_THE_DIE, *FOUND} if pick is None else {audit.NOT_BY_THE_DIE, audit.USED_TWICE}
        assert {found.words for found in table.loop.moment.game.findings} <= allowed
    heard.notice_the_glow()
    for _, public, sealed, _, signature in rows(folder / "journal.db"):
        part = without_randomness(read_public(public))
        heard.common["journal's public half"].append((part.mono_ns, "entry", part))
        heard.common["journal's lengths"].append((part.mono_ns, "bytes", (len(public), len(sealed), signature is None)))
    return heard


def without_randomness(part: PublicPart) -> PublicPart:
    """Return a public half without its random parts: its name, its date, a simulated boot, hashes over salts and sealed
    halves. The key is published when all may be shown (S-13)."""
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


def twins(folder: Path, seed: int, exposes: int = 2) -> tuple[Everything, Everything]:
    heard = []
    for n, tables in enumerate((2 * seed, 2 * seed + 1)):
        own = folder / f"{seed}-{n}"
        own.mkdir()
        heard.append(play(with_tables(EXAMPLE, tables), own, seed, exposes))
    return heard[0], heard[1]


def drawing_twins(folder: Path, seed: int) -> tuple[Everything, Everything]:
    """Play the same lines and turns with other trap tables, other deals and other draws."""
    heard = []
    for n in (2 * seed, 2 * seed + 1):
        own = folder / f"tokens {seed}-{n}"
        own.mkdir()
        heard.append(play(with_tables(TREASURES, n), own, seed, 2, pick=random.Random(f"picks {n}").randrange))
    return heard[0], heard[1]


def differing(this: Everything, that: Everything) -> list[str]:
    return [viewer for viewer in {*this.common, *that.common} if this.common[viewer] != that.common[viewer]]


@pytest.mark.parametrize("batch", range(max(1, GAMES // BATCH)))
def test_s_6_nobody_else_can_tell_two_games_apart(batch: int, tmp_path: Path) -> None:
    secrets_differed = 0
    for seed in range(batch * BATCH, batch * BATCH + min(BATCH, GAMES)):
        this, that = twins(tmp_path, seed)
        assert differing(this, that) == [], f"game {seed}"
        assert this.common["public"]
        assert {"public", "referee", "log", "seat ANN"} <= set(this.common)
        secrets_differed += this.secret != that.secret
    assert secrets_differed > 0, "no secret was ever shown: the comparison would prove nothing"


TOKEN_BATCH = 3


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(max(1, GAMES // (4 * TOKEN_BATCH))))
def test_s_6_nobody_else_can_tell_which_token_was_drawn(batch: int, tmp_path: Path) -> None:
    own_tokens_differed = 0
    for seed in range(batch * TOKEN_BATCH, (batch + 1) * TOKEN_BATCH):
        this, that = drawing_twins(tmp_path, seed)
        assert differing(this, that) == [], f"game {seed}"
        own_tokens_differed += this.secret["seat ANN"] != that.secret["seat ANN"]
    assert own_tokens_differed > 0, "no other token was ever drawn: the comparison would prove nothing"


@pytest.mark.parametrize("leak", ["a line", "a screen that is sent in part", "a light"])
@pytest.mark.slow
def test_the_comparison_goes_red_when_a_token_leaks(leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match leak:
        case "a line":
            monkeypatch.setattr(artifacts, "seen_by_all", artifacts.Artifacts.token)
        case "a screen that is sent in part":
            monkeypatch.setattr(seat_module, "SECRETS", ())
        case _:
            lamp = seat_module.code_word
            monkeypatch.setattr(
                seat_module,
                "code_word",
                lambda shown: CodeWord.CLEAR if "ealing" in str(getattr(shown, "lines", "")) else lamp(shown),
            )
    assert any(differing(*drawing_twins(tmp_path, seed)) for seed in range(8))


DEVICE = ROLLS.index("rolled by itself")
"""The seed of a game in which each claim rolls."""

NUMBERS = ([1] * 9, [6] * 9)
"""Neither is the clicks of the hands, so that the one finding that depends on a die is the same."""


def by_device(folder: Path) -> list[Everything]:
    """Play the same game with the same tables, and with other numbers on the seats' screens."""
    heard = []
    for dice in NUMBERS:
        own = folder / str(dice[0])
        own.mkdir()
        heard.append(play(with_tables(EXAMPLE, 0), own, DEVICE, 1, dice))
    return heard


def test_s_9_nobody_else_can_tell_what_the_device_rolled(tmp_path: Path) -> None:
    turned = [act.clicks for _, act in script(DEVICE, TABLE, 1).actions if isinstance(act, actions.TurnDial)]
    assert turned
    assert not {1, 6} & set(turned)
    this, that = by_device(tmp_path)
    assert differing(this, that) == []
    assert this.secret != that.secret, "no number was ever shown: the comparison would prove nothing"


@pytest.mark.slow
@pytest.mark.parametrize("leak", ["a line", "a screen that is sent in part", "a light"])
def test_the_comparison_goes_red_when_a_die_leaks(leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if leak == "a line":
        told = rp._claim_told
        monkeypatch.setattr(rp, "_claim_told", lambda game, claim: told(game, claim) + str([h.die for h in game.hands]))
    elif leak == "a light":
        lamp = seat_module.code_word
        monkeypatch.setattr(
            seat_module,
            "code_word",
            lambda shown: CodeWord.CLEAR if "6" in str(getattr(shown, "lines", "")) else lamp(shown),
        )
    else:
        monkeypatch.setattr(seat_module, "SECRETS", ())
    assert differing(*by_device(tmp_path)) != []


LEAKS = {
    "the public line names the trap": rp.Audience.PUBLIC,
    "another seat may read the name": rp.Audience.OTHER,
    "the log may read the name": rp.Audience.LOG,
}


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKS)
def test_the_comparison_goes_red_when_a_leak_is_put_in(
    leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_much = frozenset({rp.Field.STATE, rp.Field.BY, rp.Field.NAME})
    monkeypatch.setitem(rp.VISIBLE, (rp.Situation.EXPOSED, LEAKS[leak]), too_much)
    assert any(differing(*twins(tmp_path, seed)) for seed in range(3))


LEAKY_ANSWERS: dict[str, Callable[[table_moves.Answer, Trap | None], table_moves.Answer]] = {
    "something is said for a trap alone": lambda honest, trap: honest if trap else table_moves.Answer(),
    "what is said has another length": lambda honest, trap: table_moves.Answer(
        (*honest.notes, effects.Note(str(trap), {}))
    ),
    "for a trap alone it is refused": lambda honest, trap: (
        table_moves.Answer(refused=effects.Note("No.", {})) if trap else honest
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKY_ANSWERS)
def test_the_comparison_goes_red_when_an_answer_depends_on_what_lies_there(
    leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = table_moves.answer

    def leaky(move: ev.Moved, game: Game) -> table_moves.Answer:
        return LEAKY_ANSWERS[leak](honest(move, game), game.squares[move.square].trap)

    monkeypatch.setattr(commands, "answer", leaky)
    assert any(differing(*twins(tmp_path, seed)) for seed in range(6))


def test_the_comparison_goes_red_when_a_screen_sends_only_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = seat_module.SeatDisplay._send

    def thrifty(self: seat_module.SeatDisplay, picture: SeatPicture, frame: bytes) -> None:
        screen = self._screen
        assert screen is not None
        show = screen.show
        monkeypatch.setattr(screen, "show", lambda frame, *, whole: show(frame, whole=False), raising=False)
        sent(self, picture, frame)

    monkeypatch.setattr(seat_module.SeatDisplay, "_send", thrifty)
    assert any(differing(*twins(tmp_path, seed)) for seed in range(3))
