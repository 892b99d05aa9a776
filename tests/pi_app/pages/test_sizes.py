"""Frames have one length, which no trap, token or finger changes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pi_app.game import events as ev
from pi_app.game.state import Game
from pi_app.game.trap_table import TRAP_IDS
from pi_app.game.trap_words import effect
from pi_app.pages.content import Content, FaceContent, SeatView, encoded, picture_of
from pi_app.pages.sealing import FRAME_OVERHEAD, Session, seal_frame
from pi_app.pages.sizes import FIRST_FRAME_BYTES, frame_size, padded, picture_room, plain_text
from pi_app.report.lamp_code import PATTERNS
from pi_app.report.pictures import ShowFace
from pi_app.report.public_lines import PublicLines
from pi_app.text.language import words as words_of
from pi_app.text.languages import LANGUAGES
from tests.everyday import first
from tests.pi_app.games import exposes, played, started
from tests.pi_app.pages import games
from tests.scripts import script_of
from tests.twin_games import random_table

EVERY_SEED = first(2, range(40))
VIEW = SeatView(seat="ANN", name="Ann", table="Table", language="en", phase="playing")


def game_of(seed: int, *, seats: int, squares: int, twin: int = 0, turns: int = 12) -> list[Game]:
    """The moments of a random game; twins differ in what is secret alone."""
    draw = random.Random(f"frames {seed}")
    first = games.opened(draw, script_of(seed), seats, squares, random.Random(f"tables {seed} {twin}"))
    return [moment.game for moment in games.moments(first, draw, turns)]


@pytest.mark.parametrize("seed", EVERY_SEED)
def test_no_picture_of_a_random_game_is_longer_than_its_room(seed: int) -> None:
    room = 0
    for game in game_of(seed, seats=3, squares=4):
        room = room or picture_room(game)
        assert picture_room(game) == room
        sizes = [(len(_json(each)), each) for seat in game.seats for each in games.contents(game, seat)]
        assert all(size <= room for size, _ in sizes)
    assert any(isinstance(each, FaceContent) for _, each in sizes)


def _json(content: Content | None) -> bytes:
    whole, bare = encoded(replace(VIEW, picture=content)), encoded(VIEW)
    start = bare.index(b'"picture":null') + len('"picture":')
    return whole[start : start + len(whole) - len(bare) + len("null")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_room_is_not_wasted(language: str) -> None:
    """A face with usual figures takes most of it, so that phones do not receive zeros alone."""
    game = alone(language, *exposes("T01", 3, "ANN"))
    longest = max(len(_json(each)) for each in games.contents(game, "ANN"))
    assert 0.6 * picture_room(game) < longest <= picture_room(game)


@pytest.mark.parametrize("seed", EVERY_SEED)
def test_twins_differ_in_their_pictures_alone(seed: int) -> None:
    lengths: list[list[int]] = []
    public: list[list[bytes]] = []
    for twin in (0, 1):
        size, said, sizes = FIRST_FRAME_BYTES, list[bytes](), list[int]()
        for game in game_of(seed, seats=3, squares=4, twin=twin):
            views = games.views(game, PublicLines([]))
            size = frame_size(views, picture_room(game), size)
            sizes.append(size)
            said += [encoded(view) for view in views]
        lengths.append(sizes)
        public.append(said)
    assert lengths[0] == lengths[1]
    assert public[0] == public[1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("trap", [*TRAP_IDS, None])
def test_the_longest_figures_that_a_file_may_have_fit(language: str, trap: str | None) -> None:
    words, game = words_of(language), alone(language)
    face = ShowFace(
        label="T01",
        kind="trap" if trap else "clear",
        trap=trap,
        click_number=99,
        disarm="99+ = 105",
        xp=9999,
        quick_of_36=36,
        slow_of_36=36,
        effect=words(effect(trap)),
        sample=True,
        simulated=True,
    )
    assert len(_json(picture_of(face, words, PATTERNS[0]))) <= picture_room(game)


def alone(language: str, *events: ev.AnyEvent) -> Game:
    """A game of one seat in one language."""
    first = started()
    return played(
        ev.Started(
            version=first.version,
            table_name="Table",
            simulated=True,
            ruleset=first.ruleset,
            seats=(ev.SeatSetup(seat="ANN", name="Ann", language=language),),
            squares=first.squares,
        ),
        *events,
    ).game


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_64_squares_and_16_seats_with_names_at_the_limit_fit(seed: int) -> None:
    size = FIRST_FRAME_BYTES
    for game in game_of(seed, seats=16, squares=64, turns=150):
        views = games.views(game, PublicLines([]))
        room = picture_room(game)
        assert (before := size) <= (size := frame_size(views, room, size))
        assert size in (before, 2 * before, 4 * before, 8 * before)
        widest = max(games.contents(game, "SEAT0"), key=lambda each: len(_json(each)))
        for view in views:
            assert len(plain_text(replace(view, picture=widest, held=True), size)) == size - FRAME_OVERHEAD
    assert size in (8192, 16384)


@pytest.mark.parametrize(("seats", "squares", "frame_bytes"), [(2, 4, 4096), (4, 16, 4096), (8, 16, 4096)])
def test_a_usual_table_has_the_shortest_frames(seats: int, squares: int, frame_bytes: int) -> None:
    """Every square exposed by somebody, in the language with the longest words."""
    first = started(*(random_table(random.Random(1), "ANY") for _ in range(squares)))
    first = ev.Started(
        version=first.version,
        table_name="The dungeon",
        simulated=True,
        ruleset=first.ruleset,
        seats=tuple(ev.SeatSetup(seat=f"S{n}", name=f"Player {n}", language="de") for n in range(seats)),
        squares=first.squares,
    )
    events = [each for n in range(squares) for each in exposes(f"T{n + 1:02}", 3, f"S{n % seats}")]
    game = played(first, *events).game
    news = [f"Spieler {n} hat T{n:02} aufgedeckt und schaut jetzt." for n in range(8)]
    assert frame_size(games.views(game, PublicLines([]), news), picture_room(game)) == frame_bytes


def test_a_finger_and_its_picture_never_change_the_length() -> None:
    """Not even where one byte more would double it."""
    face = FaceContent("", "", "", (), "x" * 205, (), None)
    assert len(_json(face)) == 300
    for letters in range(3000, 3900):
        view = replace(VIEW, state="x" * letters)
        down = replace(view, held=True, may_tap=True, after=2**53 - 1, picture=face)
        assert frame_size([view], 300) == frame_size([down], 300)
        for each in (view, down):
            assert len(plain_text(each, frame_size([view], 300))) == frame_size([view], 300) - FRAME_OVERHEAD


def test_the_head_of_the_record_counts() -> None:
    """Every frame of a game has one, and all heads have one length."""
    fits = next(n for n in range(4096) if frame_size([replace(VIEW, head=games.HEAD)], n + 1) > 4096)
    assert frame_size([VIEW], fits + len(games.HEAD)) == 4096
    assert frame_size([VIEW], fits + len(games.HEAD) + 1) == 8192


def test_the_length_doubles_and_never_shrinks() -> None:
    long, short = replace(VIEW, state="x" * 5000), VIEW
    assert [
        frame_size([short], 300),
        frame_size([short, long], 300),
        frame_size([replace(VIEW, state="x" * 20000)], 300),
    ] == [
        4096,
        8192,
        32768,
    ]
    assert frame_size([short], 300, 8192) == 8192
    assert frame_size([], 300) == 4096


def test_the_longest_text_of_a_length_fits_exactly() -> None:
    empty = len(encoded(replace(VIEW, after=2**53 - 1)))
    fits = 4096 - FRAME_OVERHEAD - 4 - (empty - len("null")) - 300
    assert frame_size([replace(VIEW, state="x" * fits)], 300) == 4096
    assert frame_size([replace(VIEW, state="x" * (fits + 1))], 300) == 8192


def test_a_text_is_padded_with_zeros_after_its_length() -> None:
    assert padded(b"{}", 64) == b"\0\0\0\2{}" + bytes(10)
    assert padded(b"{123456789}x", 64) == b"\0\0\0\x0c{123456789}x"
    with pytest.raises(ValueError, match=r"^A text of 13 bytes does not fit a frame of 64\.$"):
        padded(bytes(13), 64)


def test_every_frame_of_a_round_has_its_length() -> None:
    view = replace(VIEW, name="Zoë" * 6)
    for size in (4096, 8192):
        session = Session(bytes(16), bytes(32), bytes(32))
        assert len(seal_frame(session, 1, plain_text(view, size))) == size
