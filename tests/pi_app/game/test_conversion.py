import dataclasses
from collections import Counter
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.game import events as ev
from pi_app.game.conversion import Conversion, SpawnFigure, convert, parse, without
from pi_app.game.state import Game
from pi_app.journal import Journal, machine_stamp
from pi_app.play.commands.experience import choices, converted
from pi_app.play.commands.parse import parse as command
from pi_app.play.commands.words import Convert, Order, RefusedError, Reply
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from pi_app.text.language import words
from tests.pi_app.games import played, started
from tests.pi_app.playing import settings, table

ENGLISH = words("en")

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
    assert command(line, Game(), ENGLISH) == Convert(3, 120)


USAGE = "Usage: convert FIGURES POINTS [place [N]] | back NAME"
NOT_ASKED = (
    "convert",
    "convert 3",
    "convert 0 9",
    "convert 13 9",
    "convert 3 -1",
    "convert a b",
    "convert 3 9 put 1",
    "convert 3 9 place 0",
    "convert 3 9 place x",
    "convert 3 9 place 1 2",
    "convert place 1",
    "convert back",
)


@pytest.mark.parametrize("line", NOT_ASKED)
def test_a_conversion_of_something_else_is_refused(line: str) -> None:
    with pytest.raises(RefusedError) as refused:
        command(line, Game(), ENGLISH)
    assert str(refused.value) == USAGE


IMPS = (*POOL, SpawnFigure(name="Imp", points=30))


def test_r_wmt_4_what_a_table_is_answered() -> None:
    assert choices(convert(IMPS, 1, 45), IMPS, ENGLISH, 1) == (
        "Figures: 1, points: 30 (R-WMT-4).",
        "The opponent chooses one of these:",
        "  1: Imp",
        "  and more",
    )
    assert choices(convert((), 1, 45), (), ENGLISH) == (
        "This table has no Mage Spawn pool: name one with `spawn` in [table] of its settings.",
    )


# ------------------------------------------------------------------------------ placed figures


def carried_out(line: str, moment: Moment, pool: tuple[SpawnFigure, ...] = IMPS) -> Order | Reply:
    """What a table does with a line."""
    typed = command(line, moment.game, ENGLISH)
    asked = converted(typed, pool, moment.game, ENGLISH) if isinstance(typed, Convert) else typed
    assert isinstance(asked, Order | Reply)
    return asked


def after(*lines: str, pool: tuple[SpawnFigure, ...] = IMPS) -> Moment:
    moment = played(started())
    for line in lines:
        order = carried_out(line, moment, pool)
        assert isinstance(order, Order)
        moment = played(order.event, moment=moment)
    return moment


def answered(line: str, moment: Moment) -> tuple[str, ...]:
    reply = carried_out(line, moment)
    assert isinstance(reply, Reply)
    return reply.lines


def refusal(line: str, moment: Moment, pool: tuple[SpawnFigure, ...] = IMPS) -> str:
    with pytest.raises(RefusedError) as refused:
        carried_out(line, moment, pool)
    return str(refused.value)


def test_r_wmt_4_placed_figures_use_up_the_pool() -> None:
    moment = after("convert 1 45 place 2")
    assert moment.reports["public"].lines["ruling"] == "Note 1: Placed: Orc (R-WMT-4)."
    assert answered("convert 1 45", moment) == (
        "Figures: 1, points: 30 (R-WMT-4).",
        "  1: Imp",
        "On the table, so not in the pool: Orc.",
    )
    moment = after("convert 1 45 place 2", "convert 1 45 place")
    assert answered("convert 1 45", moment) == (
        "Figures: 1, points: 10 (R-WMT-4).",
        "  1: Bat",
        "On the table, so not in the pool: Imp, Orc.",
    )


def test_of_several_figures_of_a_kind_only_the_placed_ones_are_gone() -> None:
    moment = after("convert 1 10 place")
    assert moment.game.rulings.placed == ("Bat",)
    assert answered("convert 3 40", moment)[:3] == (
        "Figures: 2, points: 40 (R-WMT-4).",
        "The opponent chooses one of these:",
        "  1: Bat, Imp",
    )
    used_up = after("convert 2 20 place", "convert 9 999 place")
    assert sorted(used_up.game.rulings.placed) == ["Bat", "Bat", "Imp", "Ogre", "Orc"]
    assert answered("convert 1 999", used_up) == (
        "Nothing can be placed (R-WMT-4): every figure of the pool stands on the table.",
    )


def test_an_eliminated_figure_goes_back_into_the_pool() -> None:
    moment = after("convert 1 45 place 2", "convert 2 20 place", "convert back bat")
    assert moment.game.rulings.placed == ("Orc", "Bat")
    assert moment.reports["public"].lines["ruling"] == "Note 3: Back in the Mage Spawn pool: Bat (R-WMT-4)."
    assert refusal("convert back Orcc", moment) == (
        "No figure 'Orcc' of the Mage Spawn pool stands on the table; did you mean 'Orc'?"
    )
    emptied = after("convert 1 45 place 2", "convert back ORC")
    assert emptied.game.rulings.placed == ()
    assert refusal("convert back Orc", emptied) == "No figure of the Mage Spawn pool stands on the table."


def test_a_figure_whose_name_is_a_word_of_the_tables_language_comes_back() -> None:
    pool = (SpawnFigure(name="Rot Falle", points=9),)
    moment = after("convert 1 9 place", pool=pool)
    assert command("convert zurück rot falle", moment.game, words("de")) == Order(
        ev.Converted(figures=("Rot Falle",), back=True)
    )


def test_a_placing_that_was_mistyped_is_taken_back() -> None:
    moment = after("convert 1 45 place 2", "convert 2 20 place", "undo")
    assert moment.game.rulings.placed == ("Orc",)
    assert moment.reports["public"].lines["ruling"] == "Note 3: Taken back: convert place Bat, Bat."


def test_a_name_of_several_words_comes_back_too() -> None:
    pool = (SpawnFigure(name="Bone  Golem of Doom", points=9),)
    assert after("convert 1 9 place", "convert back bone golem of doom", pool=pool).game.rulings.placed == ()


def test_placing_a_choice_that_nobody_named_is_refused() -> None:
    moment = after()
    assert refusal("convert 1 45 place", moment) == (
        "Which one? The opponent chooses, 1 to 2 (R-WMT-4). Type, for example: convert 1 45 place 1"
    )
    assert refusal("convert 1 45 place 3", moment) == "There is no choice 3; the last one is 2."
    assert answered("convert 1 9 place 1", moment) == (
        "Nothing can be placed (R-WMT-4): no figure of this pool costs so little.",
    )
    no_game = played()
    assert refusal("convert 1 45 place 1", no_game) == "No game is on. Type 'new' to begin one."
    assert refusal("convert back Orc", no_game) == "No game is on. Type 'new' to begin one."


LINES = st.lists(
    st.sampled_from(["convert 1 45 place 1", "convert 1 45 place 2", "convert 2 99 place 1", "convert 9 999 place 1"])
    | st.sampled_from(["convert back Bat", "convert back Orc", "convert back Imp", "convert back Ogre"]),
    max_size=12,
)


@given(LINES)
def test_no_game_places_more_than_its_pool_has(lines: list[str]) -> None:
    moment, events = played(started()), []
    for line in lines:
        try:
            order = carried_out(line, moment)
        except RefusedError:
            continue
        if isinstance(order, Reply):
            continue
        events.append(order.event)
        moment = played(order.event, moment=moment)
        placed = Counter(moment.game.rulings.placed)
        assert all(placed[kind.name] <= kind.count for kind in IMPS)
        assert sum(placed.values()) + sum(kind.count for kind in without(IMPS, placed.elements())) == 5
    assert [ev.from_json(ev.to_json(event)) for event in events] == events


def test_the_longest_names_fit_into_a_record_or_are_refused(tmp_path: Path) -> None:
    plain = tuple(SpawnFigure(name=f"{number:040}", points=1) for number in range(12))
    longest = carried_out("convert 12 12 place", played(started()), plain)
    assert isinstance(longest, Order)
    with Journal(tmp_path / "journal.db", MAGE_KNIGHT, machine_stamp) as journal:
        moment = journal.append("g", NO_GAME, started())
        moment = journal.append("g", moment, longest.event)
    assert len(moment.game.rulings.placed) == 12
    accents = tuple(SpawnFigure(name=f"{number:02}" + "é" * 38, points=1) for number in range(12))
    assert refusal("convert 12 12 place", played(started()), accents) == (
        "These names are too long for one entry of the record; shorten them in the pool."
    )


POOL_FILE = '[[figure]]\nname = "Bat"\npoints = 10\n[[figure]]\nname = "Orc"\npoints = 10\n'


def test_a_table_places_remembers_and_begins_again(tmp_path: Path) -> None:
    (tmp_path / "spawn.toml").write_text(POOL_FILE)
    used = settings()
    named = msgspec.structs.replace(used.table, spawn="spawn.toml")
    used = dataclasses.replace(used, where=str(tmp_path / "t.toml"), table=named)
    with table(tmp_path, used) as at:
        at.say("convert 1 10 place 1")
        assert [event for event in at.events() if isinstance(event, ev.Converted)] == [ev.Converted(figures=("Bat",))]
        assert at.heard("public").count("Note 1: Placed: Bat (R-WMT-4).") == 1
        assert at.heard("seat BEN").count("Note 1: Placed: Bat (R-WMT-4).") == 1
    with table(tmp_path, used, resume=True) as at:
        at.say("convert 1 10")
        assert at.heard("referee")[-3:] == [
            "Figures: 1, points: 10 (R-WMT-4).",
            "  1: Orc",
            "On the table, so not in the pool: Bat.",
        ]
        at.say("convert back bat")
        at.say("convert 1 10 place")
        assert at.heard("referee")[-1].endswith("Type, for example: convert 1 10 place 1")
        at.say("convert 1 10 place 2")
        at.say("end")
        at.say("new")
        at.say("convert 1 10 place 2")
        assert at.demo.loop.moment.game.rulings.placed == ("Orc",)
