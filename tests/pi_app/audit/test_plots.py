"""The pictures of an audit: scales, hatches inside their bars, and what each picture says of a game."""

from __future__ import annotations

import re
from itertools import chain

import msgspec
import pytest

from pi_app.audit import plots
from pi_app.audit.axes import WIDE, Axes, Pattern, bar, panels, ticks
from pi_app.audit.statistics import DetentStatistics
from pi_app.audit.values import GameAudit
from pi_app.plans.pictures.marks import Block, Polylines, Rect
from tests.docs.pictures import audit_sample


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> GameAudit:
    return audit_sample.sample(tmp_path_factory.mktemp("sample") / "sample.db").games[0]


def words(svg: str) -> list[str]:
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


def lines(svg: str, ink: str) -> list[str]:
    return re.findall(rf'<path d="[^"]*" class="s-{ink}"[^>]*>', svg)


def test_ticks_are_round_and_few() -> None:
    assert list(ticks(0, 140).values()) == ["0", "20", "40", "60", "80", "100", "120", "140"]
    assert list(ticks(-4.3, 4.3, 5).values()) == ["-4", "-2", "0", "2", "4"]
    assert list(ticks(0, 0.3, 3).values()) == ["0", "0.1", "0.2", "0.3"]


def test_values_lie_where_the_scales_say() -> None:
    axes = Axes(Rect(10, 20, 100, 50), (0, 4), (-1, 1))
    assert (axes.at(0, -1), axes.at(4, 1), axes.at(2, 0)) == ((10, 70), (110, 20), (60, 45))
    downwards = Axes(Rect(0, 0, 10, 10), (0, 1), (5, 0))
    assert downwards.at(0, 5) == (0, 10)
    assert {text.text for text in downwards.frame({}, {2: "two", 9: "nine"}) if hasattr(text, "text")} == {"two"}


@pytest.mark.parametrize("count", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_panels_lie_side_by_side_inside_the_picture(count: int, columns: int) -> None:
    rects = panels(count, columns, 100, 12)
    assert all(rect.x >= 0 and rect.right <= WIDE for rect in rects)
    assert not any(one.overlaps(other) for one in rects for other in rects if one is not other)


@pytest.mark.parametrize("pattern", ["level", "rising", "falling"])
@pytest.mark.parametrize("size", [(3.0, 40.0), (40.0, 3.0), (20.0, 20.0), (20.0, 0.5)])
def test_hatches_stay_in_their_bar(pattern: Pattern, size: tuple[float, float]) -> None:
    rect = Rect(5, 7, *size)
    hatches, rim = bar(rect, "blue", pattern)
    assert rim == Block(rect, "", "blue", 0.9)
    assert isinstance(hatches, Polylines)
    for x, y in chain.from_iterable(hatches.ways):
        assert rect.x - 1e-9 <= x <= rect.right + 1e-9
        assert rect.y - 1e-9 <= y <= rect.bottom + 1e-9


@pytest.mark.slow
def test_paths_name_the_player_and_mark_each_finding(game: GameAudit) -> None:
    svg = plots.paths(game, "p1")
    assert svg.startswith('<svg id="p1" role="img" aria-label="Each dial\'s position over time" ')
    assert re.findall(r"[\w-]+", svg[: svg.index(">")]).count("width") == 0
    assert {"T02: 1 finding (X)", "T05: no findings", "T06: 2 findings (X)", "Ann", "Dee"} <= {*words(svg)}
    assert len(lines(svg, "red")) == sum(found.square is not None for found in game.findings)
    assert lines(svg, "orange") == []
    assert "seconds since the game began" in words(svg)


def test_an_unknown_path_is_dashed(game: GameAudit) -> None:
    turns = [msgspec.structs.replace(turn, clicks=None) for turn in game.turns]
    dashed = lines(plots.paths(msgspec.structs.replace(game, turns=turns), "p1"), "orange")
    assert len(dashed) == len(turns)
    assert all('stroke-dasharray="3.6 2.7"' in line for line in dashed)


def test_a_dial_that_turned_far_has_few_numbers(game: GameAudit) -> None:
    (turn, *_) = game.turns
    far = msgspec.structs.replace(game, turns=[msgspec.structs.replace(turn, clicks=600)], findings=[])
    assert {"0", "100", "600"} <= {*words(plots.paths(far, "p"))}
    assert "3" not in words(plots.paths(far, "p"))


def test_errors_say_which_dials_are_not_calibrated(game: GameAudit) -> None:
    svg = plots.errors(game, "p2")
    assert "T01 (not calibrated)" in words(svg)
    assert svg.count("<circle") == len(game.rests)
    calibrated = [msgspec.structs.replace(dial, calibrated=True) for dial in game.dials]
    assert "T01" in words(plots.errors(msgspec.structs.replace(game, dials=calibrated), "p2"))


def test_dice_are_counted_by_face(game: GameAudit) -> None:
    said = words(plots.dice([game, game], "p3"))
    assert f"dice of disarms, as reported at the table ({2 * len(game.disarm_dice)})" in said
    assert "dice of turns, rolled by the device" not in " ".join(said)
    assert said.count("fair") == 1


def test_claims_stand_in_the_row_of_their_player(game: GameAudit) -> None:
    svg = plots.claims(game, "p4")
    assert {*game.seats.values(), "no claim", "taken back"} <= {*words(svg)}
    assert (
        len(lines(svg, "blue")) == sum(claim.ended != "turned" for claim in game.claims) > 0
    )  # only these are hatched
    unclaimed = sum(turn.seat is None for turn in game.turns)
    assert unclaimed > 0
    assert len(re.findall(r'<path d="[^"]* Z" class="f-red"', svg)) == unclaimed


def test_a_long_name_keeps_its_place(game: GameAudit) -> None:
    named = msgspec.structs.replace(game, seats=dict.fromkeys(game.seats, "Bartholomew Maximilian"))
    svg = plots.claims(named, "p5")
    (x, *_) = re.findall(r'<text x="([\d.]+)"[^>]*>Bartholomew Maximilian<', svg)
    assert float(x) > 5 * len("Bartholomew Maximilian")


def test_a_worn_detent_has_a_cross() -> None:
    fresh = DetentStatistics(
        square="T01", position=3, rests=9, mean_deg=0.5, sd_deg=0.2, drift_deg=None, others_sd_deg=None, p=None,
        worn=False,
    )  # fmt: skip
    worn = msgspec.structs.replace(fresh, position=5, sd_deg=1.5, worn=True)
    svg = plots.wear([fresh, worn], "p6")
    assert "T01 (18 rests, 1 worn (X))" in words(svg)
    assert len(lines(svg, "red")) == 1
    assert svg.count("<circle") == 2


def test_each_picture_has_its_own_name() -> None:
    names = plots.names("p")
    assert [next(names), next(names)] == ["p1", "p2"]
