"""The same game twice over other trap tables: everyone who was not told a secret gets the same bytes at the same
moments (S-6). Real streams of the whole program, screens' bytes and lamps' edges included, and the lengths of all
entries of the record. All names are at the limit of their bytes, in another script in each game.

`TRAPDIAL_TWIN_GAMES` says how many random games are played (make twin-test: 1000, which have every script), and
`TRAPDIAL_PACKET_GAMES` how many of them on the air, where packets are captured.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from pi_app.displays import seat as seat_module
from pi_app.game import artifacts
from pi_app.game import events as ev
from pi_app.game import moves as table_moves
from pi_app.game.note import Note
from pi_app.game.state import Game
from pi_app.game.trap_table import Trap
from pi_app.game.trap_table_file import TableHead
from pi_app.pages.content import SeatView, encoded
from pi_app.pages.sizes import plain_text
from pi_app.play import phones
from pi_app.play.commands import parse as commands
from pi_app.play.phones import PhoneTable
from pi_app.report import lines
from pi_app.report import visibility as rp
from pi_app.report.lamp_code import CodeWord
from pi_app.report.pictures import SeatPicture
from pi_app.settings.heroes import read_heroes
from pi_app.simulated import actions
from pi_app.simulated.script import script
from pi_app.station.public.state import PublicState
from pi_app.station.public.view import PublicView
from pi_app.station.visits.seat_pictures import VisitMoment
from pi_app.text.user_file import Complaints, read_values
from tests.pages.namespaces import Room, room
from tests.programs import CannotRun
from tests.scripts import at_the_limit, hero_at_the_limit, script_of, scripts
from tests.twin_games import (
    EXAMPLE,
    ROLLS,
    TABLE,
    Everything,
    differing,
    drawing_twins,
    play,
    starting_twins,
    twins,
    with_tables,
)
from tests.twin_packets import DISPLAY, PHONES, differing_on_air, play_on_air
from tests.twin_phones import TwinPhones

GAMES = int(os.environ.get("TRAPDIAL_TWIN_GAMES", "2"))
PACKET_GAMES = int(os.environ.get("TRAPDIAL_PACKET_GAMES", "2"))
BATCH = 10


def test_a_thousand_games_have_names_in_every_script_and_the_settings_allow_them() -> None:
    assert {script_of(seed) for seed in range(1000)} == set(scripts().values())
    assert len(scripts()) > 160
    for name, letters in scripts().items():
        draw = random.Random(name)
        for text in (at_the_limit(letters, 40, draw), at_the_limit(letters, 20, draw)):
            assert text.isprintable(), name
            assert text == text.strip(), name
        complaints = Complaints("")
        head = {"name": at_the_limit(letters, 40, draw), "provenance": "house"}
        assert read_values(TableHead, head, "", complaints)["name"] == head["name"], name
        assert complaints.found == []
        hero = hero_at_the_limit(letters, draw) + "1"
        assert read_heroes([hero], "", complaints)[0].name == hero


@pytest.mark.parametrize("batch", range(max(1, GAMES // BATCH)))
def test_s_6_nobody_else_can_tell_two_games_apart(batch: int, tmp_path: Path) -> None:
    secrets_differed = 0
    for seed in range(batch * BATCH, batch * BATCH + min(BATCH, GAMES)):
        this, that = twins(tmp_path, seed)
        assert differing(this, that) == [], f"game {seed}"
        assert this.common["public"]
        assert {"public", "public display", "referee", "log", "seat ANN"} <= set(this.common)
        secrets_differed += this.secret != that.secret
    assert secrets_differed > 0, "no secret was ever shown: the comparison would prove nothing"


@pytest.mark.parametrize("batch", range(max(1, GAMES // BATCH)))
def test_s_6_no_other_phone_can_tell_two_games_apart(batch: int, tmp_path: Path) -> None:
    """Times, order, lengths and all that is not a secret picture; with phones that come back, change, and are held
    together with the button."""
    secrets_differed = looks = 0
    for seed in range(batch * BATCH, batch * BATCH + min(BATCH, GAMES)):
        this, that = twins(tmp_path, seed, phones=True)
        assert differing(this, that) == [], f"game {seed}"
        assert this.common["pages"]
        assert not this.common["without a finger"], "a secret was on a phone without its finger"
        shown = {viewer: what for viewer, what in this.secret.items() if viewer.startswith("page ")}
        looks += len(shown)
        secrets_differed += any(what != that.secret[viewer] for viewer, what in shown.items())
    assert looks > 0, "no phone showed a secret: the comparison would prove nothing"
    assert secrets_differed > 0, "all secrets were the same: the comparison would prove nothing"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(max(2, GAMES // 20)))
def test_s_6_nobody_can_tell_from_where_a_dial_started_what_lies_there(seed: int, tmp_path: Path) -> None:
    """In a game whose starts are found: over other tables the same bytes for everybody else. That other starts change
    no length of the record: tests/pi_app/play/loop/test_starts.py."""
    this, that = starting_twins(tmp_path, seed)
    assert differing(this, that) == []
    assert this.secret != that.secret


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


@pytest.mark.slow
def test_s_6_no_other_phone_can_tell_which_token_was_drawn(tmp_path: Path) -> None:
    shown_on_phones = 0
    for seed in range(2):
        this, that = drawing_twins(tmp_path, seed, phones=True)
        assert differing(this, that) == [], f"game {seed}"
        assert not this.common["without a finger"]
        shown_on_phones += sum(len(what) for viewer, what in this.secret.items() if viewer.startswith("page "))
    assert shown_on_phones > 0


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


ShownState = Callable[[PublicView, VisitMoment, Game, Mapping[str, str]], PublicState]


def leaky_state(shown: ShownState) -> ShownState:
    """States that say of each square what lies there."""

    def leaky(view: PublicView, now: VisitMoment, game: Game, trouble: Mapping[str, str]) -> PublicState:
        state = shown(view, now, game, trouble)
        faces = {label: square.table.faces[square.shown or 0].kind for label, square in game.squares.items()}
        squares = tuple(
            msgspec.structs.replace(each, text=f"{each.text} {faces[each.label]}") for each in state.squares
        )
        return msgspec.structs.replace(state, squares=squares)

    return leaky


@pytest.mark.slow
def test_the_comparison_goes_red_when_the_public_display_leaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PublicView, "state", leaky_state(PublicView.state))
    found = {viewer for seed in range(2) for viewer in differing(*twins(tmp_path, seed))}
    assert found == {"public display"}


DEVICE = ROLLS.index("rolled by itself")
"""The seed of a game in which each claim rolls."""

NUMBERS = ([1] * 9, [6] * 9)
"""Neither is the clicks of the hands, so that the one finding that depends on a die is the same."""


def by_device(folder: Path, *, phones: bool = False) -> list[Everything]:
    """Play the same game with the same tables, and with other numbers on the seats' screens and phones."""
    heard = []
    for dice in NUMBERS:
        own = folder / str(dice[0])
        own.mkdir()
        held = TwinPhones(DEVICE, TABLE.seats) if phones else None
        heard.append(play(with_tables(EXAMPLE, 0), own, DEVICE, 1, dice, phones=held))
    return heard


def test_s_9_nobody_else_can_tell_what_the_device_rolled(tmp_path: Path) -> None:
    turned = [act.clicks for _, act in script(DEVICE, TABLE, 1).actions if isinstance(act, actions.TurnDial)]
    assert turned
    assert not {1, 6} & set(turned)
    this, that = by_device(tmp_path)
    assert differing(this, that) == []
    assert this.secret != that.secret, "no number was ever shown: the comparison would prove nothing"


def test_s_9_no_other_phone_can_tell_what_the_device_rolled(tmp_path: Path) -> None:
    this, that = by_device(tmp_path, phones=True)
    assert differing(this, that) == []
    assert not this.common["without a finger"]
    assert this.secret != that.secret


@pytest.mark.slow
@pytest.mark.parametrize("leak", ["a line", "a screen that is sent in part", "a light"])
def test_the_comparison_goes_red_when_a_die_leaks(leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if leak == "a line":
        told = lines.claim_sentence
        monkeypatch.setattr(
            lines, "claim_sentence", lambda game, claim: told(game, claim) + str([h.die for h in game.turns])
        )
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
    too_much = frozenset({rp.Fact.STATE, rp.Fact.BY, rp.Fact.NAME})
    monkeypatch.setitem(rp.VISIBLE, (rp.Situation.EXPOSED, LEAKS[leak]), too_much)
    assert any(differing(*twins(tmp_path, seed)) for seed in range(3))


def _long_faces(view: SeatView, frame_bytes: int) -> bytes:
    """Frames whose length depends on their picture."""
    return plain_text(view, frame_bytes + len(encoded(view)))


def _when_it_is_a_trap(self: PhoneTable) -> object:
    """Batches that are made because of what lies under a square."""
    pictures = [seat.routed.on_phone for seat in self.session.seats.values()]
    return self.session.events, [getattr(picture, "trap", None) for picture in pictures]


@pytest.mark.slow
@pytest.mark.parametrize("leak", ["a length", "another phone", "a time"])
def test_the_comparison_goes_red_when_a_phone_leaks(leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match leak:
        case "a length":
            monkeypatch.setattr(phones, "plain_text", _long_faces)
        case "a time":
            monkeypatch.setattr(PhoneTable, "visible", _when_it_is_a_trap)
        case _:
            honest = PhoneTable.shown_on

            def first_seats(self: PhoneTable, key: str) -> object:
                shown = [honest(self, each)[1] for each in self.session.seats]
                return honest(self, key)[0], next((each for each in shown if each is not None), None)

            monkeypatch.setattr(PhoneTable, "shown_on", first_seats)
    assert any(found(tmp_path, seed) for seed in range(8))


def found(folder: Path, seed: int) -> bool:
    """Whether two games with phones differ for anyone else, or a phone shows a secret without a finger."""
    this, that = twins(folder, seed, phones=True)
    return differing(this, that) != [] or bool(this.common["without a finger"])


LEAKY_ANSWERS: dict[str, Callable[[table_moves.MoveResult, Trap | None], table_moves.MoveResult]] = {
    "something is said for a trap alone": lambda honest, trap: honest if trap else table_moves.MoveResult(),
    "what is said has another length": lambda honest, trap: table_moves.MoveResult((*honest.notes, Note(str(trap)))),
    "for a trap alone it is refused": lambda honest, trap: (
        table_moves.MoveResult(refused=Note("No.")) if trap else honest
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKY_ANSWERS)
def test_the_comparison_goes_red_when_an_answer_depends_on_what_lies_there(
    leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = table_moves.resolve

    def leaky(move: ev.Moved, game: Game) -> table_moves.MoveResult:
        return LEAKY_ANSWERS[leak](honest(move, game), game.squares[move.square].trap)

    monkeypatch.setattr(commands, "resolve", leaky)
    assert any(differing(*twins(tmp_path, seed)) for seed in range(24))


@pytest.mark.slow
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


# ------------------------------------------------------------------------------------------------------- on the air


@pytest.fixture(scope="module")
def air() -> Iterator[Room]:
    """Network namespaces: the table's, of three phones, and of a browser that shows the public display."""
    try:
        with room(PHONES + 1) as made:
            yield made
    except CannotRun as reason:
        pytest.skip(str(reason))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(PACKET_GAMES))
def test_s_6_no_packet_of_a_phone_or_of_the_public_display_tells_two_games_apart(seed: int, air: Room) -> None:
    """Captured packets of each leg, also of the phone that is told: the writes' order, direction and sizes, and all
    content that is not encrypted."""
    this, that = play_on_air(air, seed, 2 * seed), play_on_air(air, seed, 2 * seed + 1)
    assert (this.lost, that.lost) == (0, 0), "the capture lost packets: the comparison would prove nothing"
    assert differing_on_air(this, that) == {}
    assert len(this.said) == PHONES + 1
    assert min(map(len, this.said.values())) > 8
    assert this.secrets != that.secrets, "no other secret was ever shown: the comparison would prove nothing"


@pytest.mark.slow
@pytest.mark.parametrize("leak", ["a length", "a time", "the display"])
def test_the_captured_packets_go_red_when_a_leak_is_put_in(
    leak: str, air: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    match leak:
        case "a length":
            monkeypatch.setattr(phones, "plain_text", _long_faces)
        case "a time":
            monkeypatch.setattr(PhoneTable, "visible", _when_it_is_a_trap)
        case _:
            monkeypatch.setattr(PublicView, "state", leaky_state(PublicView.state))
    found: set[str] = set()
    for seed in range(3):
        found |= set(differing_on_air(play_on_air(air, seed, 2 * seed), play_on_air(air, seed, 2 * seed + 1)))
    assert DISPLAY in found if leak == "the display" else found - {DISPLAY}
