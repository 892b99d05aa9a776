from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.game.conversion import Conversion, SpawnFigure, convert, parse
from pi_app.game.state import Game
from pi_app.play.commands.experience import converted
from pi_app.play.commands.parse import parse as command
from pi_app.play.commands.words import Convert, RefusedError
from pi_app.text.language import words

POOL = (
    SpawnFigure(name="Bat", points=10, count=2),
    SpawnFigure(name="Orc", points=30),
    SpawnFigure(name="Ogre", points=50),
)


@pytest.mark.parametrize(
    ("figures", "points", "found"),
    [
        (3, 120, Conversion(3, 90, (("Bat", "Ogre", "Orc"),))),
        (3, 50, Conversion(3, 50, (("Bat", "Bat", "Orc"),))),
        (3, 49, Conversion(2, 40, (("Bat", "Orc"),))),
        (2, 15, Conversion(1, 10, (("Bat",),))),
        (2, 9, Conversion()),
        (9, 1000, Conversion(4, 100, (("Bat", "Bat", "Ogre", "Orc"),))),
    ],
)
def test_r_wmt_4_the_count_matters_more_than_the_points(figures: int, points: int, found: Conversion) -> None:
    assert convert(POOL, figures, points) == found


def test_r_wmt_4_equal_choices_are_all_listed() -> None:
    pool = (*POOL, SpawnFigure(name="Imp", points=30))
    assert convert(pool, 1, 45).choices == (("Imp",), ("Orc",))


KINDS = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 3)), min_size=1, max_size=5)


@given(KINDS, st.integers(1, 5), st.integers(1, 90))
def test_r_wmt_4_is_what_trying_everything_finds(kinds: list[tuple[int, int]], figures: int, points: int) -> None:
    pool = [SpawnFigure(name=f"F{n}", points=price, count=count) for n, (price, count) in enumerate(kinds)]
    prices = {figure.name: figure.points for figure in pool}
    names = [figure.name for figure in pool for _ in range(figure.count)]
    found = convert(pool, figures, points)
    for count in range(figures, 0, -1):
        tried = {tuple(sorted(some)): sum(prices[name] for name in some) for some in combinations(names, count)}
        fits = {some: total for some, total in tried.items() if total <= points}
        if fits:
            best = max(fits.values())
            assert (found.figures, found.points) == (count, best)
            assert sorted(found.choices) == sorted(some for some, total in fits.items() if total == best)
            return
    assert found == Conversion()


def test_more_choices_than_anybody_reads_are_cut() -> None:
    found = convert([SpawnFigure(name=f"F{n:02}", points=5) for n in range(20)], 5, 99)
    assert (len(found.choices), found.cut) == (200, True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there are no figures"),
        ('[[figure]]\nname = "Bat"\npoints = 0\n', "must be points from 1 to 999"),
        ('[[figure]]\nname = "Bat"\npoints = 1\n' * 2, "a name appears twice"),
        ('[[figure]]\nname = "Bat"\npoints = 1\n' * 61, "there is room for 60"),
        ("figure = = 1", "this is not TOML"),
    ],
)
def test_a_pool_that_cannot_be_used(text: str, reason: str) -> None:
    pool, problems = parse(text, "pool.toml")
    assert pool == ()
    assert any(reason in str(problem) for problem in problems)


@pytest.mark.parametrize("line", ["convert 3 120", "CONVERT 3 figures 120 points", "convert 3 figures 120"])
def test_r_wmt_4_a_table_asks_for_a_conversion_with_or_without_a_game(line: str) -> None:
    assert command(line, Game(), words("en")) == Convert(3, 120)


@pytest.mark.parametrize("line", ["convert", "convert 3", "convert 0 9", "convert 13 9", "convert 3 -1", "convert a b"])
def test_a_conversion_of_something_else_is_refused(line: str) -> None:
    with pytest.raises(RefusedError, match=r"^Usage: convert FIGURES POINTS$"):
        command(line, Game(), words("en"))


def test_what_a_table_is_answered() -> None:
    pool = (*POOL, SpawnFigure(name="Imp", points=30))
    assert converted(pool, 1, 45, words("en"), 1) == (
        "Figures: 1, points: 30 (R-WMT-4).",
        "The opponent chooses one of these:",
        "  Imp",
        "  and more",
    )
    assert converted((), 1, 45, words("en")) == (
        "This table has no Mage Spawn pool: name one with `spawn` in [table] of its settings.",
    )
