"""A neighbour with a camera across the room films every lamp during a game, and has the public card of the lamp code.

He tries the card; he learns within a game from what became public; he compares looks with each other.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path

import pytest

from pi_app.game.lamp_deal import LampKind
from pi_app.report.lamp_code import CodeWord
from tests.attack.camera import (
    HALF_CLEAR,
    Glass,
    Look,
    chi_squared,
    coded,
    filmed,
    read_by_learning,
    read_with_the_public_card,
    seat_filmed,
)
from tests.twin_games import EXAMPLE, Everything, differing, play, with_tables

INDEPENDENT = 135
"""Chi-squared with 81 degrees of freedom exceeds this once in 7,000 times if words and patterns are independent."""

BLIND = HALF_CLEAR.count(HALF_CLEAR[0]) / len(HALF_CLEAR)
"""The share of looks that `clear` names, for somebody who does not look at the lamp."""


def games(kind: LampKind, count: int, looks: int = 8) -> list[list[Look]]:
    draw = random.Random(f"camera {kind}")
    return [seat_filmed(kind, draw, looks) for _ in range(count)]


def test_the_example_seats_have_screens_and_so_a_code_for_each_look() -> None:
    assert {seat.lamp_kind for seat in EXAMPLE.seats.values()} == {"once"}


def test_in_a_whole_game_the_public_card_names_no_more_than_a_guess(tmp_path: Path) -> None:
    looks = filmed(tmp_path, 0)
    assert len(looks) >= 4
    assert read_with_the_public_card(looks) <= 2, "one in ten by chance"


def test_the_public_code_is_read_in_a_whole_game(tmp_path: Path) -> None:
    """What `public` means, and that this camera can read."""
    looks = filmed(tmp_path, 0, coded(EXAMPLE, "public"), exposes=2)
    assert looks
    assert read_with_the_public_card(looks) == len(looks)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["once", "dealt"])
def test_in_many_whole_games_the_public_card_names_one_look_in_ten(kind: LampKind, tmp_path: Path) -> None:
    looks = [look for seed in range(40) for look in filmed(tmp_path, seed, coded(EXAMPLE, kind))]
    assert len(looks) > 150
    assert read_with_the_public_card(looks) / len(looks) == pytest.approx(0.1, abs=0.06)


def test_a_code_for_each_look_says_nothing_even_to_one_who_learns_every_earlier_look() -> None:
    played = games("once", 150)
    looks = [*chain.from_iterable(played)]
    assert len(looks) == 150 * 8
    assert chi_squared(looks) < INDEPENDENT
    assert read_with_the_public_card(looks) / len(looks) == pytest.approx(0.1, abs=0.03)
    assert sum(map(read_by_learning, played)) / len(looks) < BLIND, "the lamp does not help him"


def test_the_lamp_hides_again_as_soon_as_its_screen_works() -> None:
    """While the screen is out its player reads the lamp with the public card, and so does a camera, as the docs say."""
    draw, glass = random.Random("out"), Glass()
    glass.trouble = "pulled"
    out = seat_filmed("once", draw, 40, glass)
    assert read_with_the_public_card(out) == len(out) == 40
    glass.trouble = None
    assert read_with_the_public_card(seat_filmed("once", draw, 40, glass)) < 12


def test_two_looks_at_the_same_face_look_as_alike_as_any_two() -> None:
    pairs = [(one, other) for game in games("once", 150) for one, other in pairwise(game)]
    same = [one.seen == other.seen for one, other in pairs if one.said is other.said]
    others = [one.seen == other.seen for one, other in pairs if one.said is not other.said]
    assert sum(same) / len(same) == pytest.approx(0.1, abs=0.05)
    assert sum(others) / len(others) == pytest.approx(0.1, abs=0.05)


def test_a_dealt_code_says_nothing_at_the_first_look_of_a_game() -> None:
    first = [*chain.from_iterable(games("dealt", 1200, looks=1))]
    assert chi_squared(first) < INDEPENDENT
    assert read_with_the_public_card(first) / len(first) == pytest.approx(0.1, abs=0.03)


def test_a_dealt_code_shows_that_two_looks_are_alike_as_the_docs_say() -> None:
    """What remains: within one game the same word is the same pattern. Who learns what a look was reads it again."""
    played = games("dealt", 60)
    assert all(
        (one.seen == other.seen) is (one.said is other.said) for game in played for one in game for other in game
    )
    assert sum(map(read_by_learning, played)) / (60 * 8) > BLIND + 0.1
    looks = [*chain.from_iterable(played)]
    assert read_with_the_public_card(looks) / len(looks) == pytest.approx(0.1, abs=0.06)


def test_a_camera_that_is_told_nothing_soon_knows_the_dealt_pattern_of_clear_as_the_docs_say() -> None:
    """The most frequent pattern is clear. With a pattern for each look the same guess is worth nothing."""
    told = {}
    kinds: tuple[LampKind, ...] = ("dealt", "once")
    for kind in kinds:
        played = games(kind, 250)
        most = [Counter(look.seen for look in game).most_common(1)[0][0] for game in played]
        right = [
            (look.seen == pattern) is (look.said is CodeWord.CLEAR)
            for game, pattern in zip(played, most, strict=True)
            for look in game
        ]
        told[kind] = sum(right) / len(right)
    assert told["dealt"] > 0.9
    assert told["once"] < 1 - BLIND + 0.03, "no better than to say trap each time"


@pytest.mark.slow
def test_the_same_game_over_other_trap_tables_is_the_same_to_all_others(tmp_path: Path) -> None:
    """The twin check, with the same deal in both games; `make twin-test` plays with a pattern for each look."""
    this, that = (played(tmp_path / f"{n}", "dealt", tables=n) for n in (0, 1))
    assert differing(this, that) == []
    assert this.secret != that.secret


@pytest.mark.slow
def test_the_same_game_with_other_deals_is_the_same_to_all_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deal is a secret of its own seat: two games that differ in it alone differ in that seat's own line."""
    this = played(tmp_path / "0", "dealt", tables=0)
    monkeypatch.setattr("pi_app.play.first_event.drawn", lambda kind, pick: "jihgfedcba")
    that = played(tmp_path / "1", "dealt", tables=0)
    assert sorted(differing(this, that)) == ["seat ANN", "seat BEN"]
    lines = [dict.fromkeys(line for _, _, line in heard.common["seat ANN"]) for heard in (this, that)]
    assert len({*lines[0]} ^ {*lines[1]}) == 2, "one line each: the card"
    assert b"jihgfedcba" not in (tmp_path / "1" / "journal.db").read_bytes()


def played(folder: Path, kind: LampKind, tables: int) -> Everything:
    folder.mkdir()
    return play(with_tables(coded(EXAMPLE, kind), tables), folder, seed=5, exposes=1)


def test_this_camera_reads_the_public_code() -> None:
    looks = [*chain.from_iterable(games("public", 60))]
    assert read_with_the_public_card(looks) == len(looks)
    assert chi_squared(looks) > 10 * INDEPENDENT
