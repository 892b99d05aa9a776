"""An audit's pictures as SVG, drawn by matplotlib, for a light or dark page. Shapes, hatches and words repeat what the
colours say.

Colours are written as names (`var(--ink)`), so that the page's own style sheet decides; the pictures load no other
file. matplotlib is the extra `audit`, and is imported only here.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pi_app.audit.statistics import DetentStatistics, first_turns
from pi_app.audit.values import ClaimSeen, FindingSeen, GameAudit, TurnSeen
from pi_app.text.errors import UserFileError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, GRID, PAPER = "#010101", "#020202", "#030303", "#040404"
BLUE, ORANGE, RED = "#050505", "#060606", "#070707"
_NAMES: Final = {
    INK: "ink", MUTED: "muted", GRID: "grid", PAPER: "paper", BLUE: "blue", ORANGE: "orange", RED: "red",
}  # fmt: skip

MOST_DIALS: Final = 64
MOST_TICKS: Final = 40
"""A picture with fewer clicks from bottom to top numbers every third."""

WIDE: Final = 9.0
"""Inches; the page scales it."""


def _matplotlib() -> Any:
    try:
        import matplotlib as drawn
    except ImportError as error:
        raise UserFileError.at(
            "--output",
            "",
            "needs matplotlib for its pictures, which is not installed",
            "Install it with: pip install 'trapdial[audit]'. The table, --json and --csv need nothing more",
        ) from error
    return drawn


def _drawn(name: str, size: tuple[float, float], draw: Callable[[Figure], None], words: str) -> str:
    """Return an SVG element. `name` keeps its ids apart from those of other pictures on the same page."""
    look = {
        "svg.fonttype": "none", "svg.hashsalt": name, "text.parse_math": False, "font.size": 9,
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": MUTED, "xtick.color": MUTED, "ytick.color": MUTED,
        "axes.facecolor": "none", "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
        "grid.color": GRID, "grid.linewidth": 0.6, "axes.axisbelow": True, "axes.titlesize": 9.5,
        "axes.titlelocation": "left", "hatch.linewidth": 0.8, "legend.frameon": False, "legend.fontsize": 8.5,
    }  # fmt: skip
    drawn = _matplotlib()
    from matplotlib.figure import Figure as NewFigure

    text = io.StringIO()
    with drawn.rc_context(look), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name in letters that its measuring font lacks
        figure = NewFigure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return _for_the_page(text.getvalue(), name, words)


def _for_the_page(svg: str, name: str, words: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\1{name}-", svg)
    for colour, role in _NAMES.items():
        svg = svg.replace(colour, f"var(--{role})")
    svg = re.sub(r"(font(?:-family)?:[^;\"]*?)'DejaVu Sans'[^;\"]*", r"\1system-ui, sans-serif", svg)
    svg = re.sub(r' width="[^"]*pt"| height="[^"]*pt"', "", svg, count=2)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{words}" ', 1)


# ------------------------------------------------------------------------------------------------- each dial's path


def paths(game: GameAudit, name: str) -> str:
    """Draw each dial's position over time; unknown paths are dashed, findings are marked."""
    labels = moved(game)[:MOST_DIALS]
    columns = 2 if len(labels) > 1 else 1
    rows = -(-len(labels) // columns)
    unit, per = _unit(_length_s(game))

    def draw(figure: Figure) -> None:
        axes = figure.subplots(rows, columns, sharex=True, squeeze=False)
        clicks = {dial.square: dial.clicks for dial in game.dials}
        for number, axis in enumerate(axes.flat):
            if number >= len(labels):
                axis.set_visible(False)
                continue
            label = labels[number]
            _path(axis, game, label, clicks[label], per)
            if number >= len(labels) - columns:
                axis.set_xlabel(f"{unit} since the game began")
                axis.tick_params(labelbottom=True)

    return _drawn(name, (WIDE, 0.5 + 1.75 * rows), draw, "Each dial's position over time")


def moved(game: GameAudit) -> list[str]:
    """Return the squares whose dials moved, or that have findings."""
    busy = {turn.square for turn in game.turns} | {found.square for found in game.findings}
    return [dial.square for dial in game.dials if dial.square in busy]


def _length_s(game: GameAudit) -> float:
    """Return the length of a game, at least one second."""
    return max(1.0, game.length_s)


def _unit(length_s: float) -> tuple[str, float]:
    return ("seconds", 1.0) if length_s < 180 else ("minutes", 60.0) if length_s < 10800 else ("hours", 3600.0)


def _path(axis: Axes, game: GameAudit, label: str, clicks: int, per: float) -> None:
    turns = [turn for turn in game.turns if turn.square == label]
    stand: float = next((rest.position for rest in game.rests if rest.square == label), 0)
    at_s = 0.0
    points: list[tuple[float, float]] = [(0.0, stand)]
    for turn in turns:
        start, end = _ends(turn, stand, clicks)
        axis.plot([at_s / per, turn.start_s / per], [stand, stand], color=BLUE, linewidth=1.8, solid_capstyle="butt")
        unseen = turn.clicks is None
        axis.plot(
            [turn.start_s / per, turn.end_s / per], [start, end],
            color=ORANGE if unseen else BLUE, linewidth=1.8, linestyle=(0, (2, 1.5)) if unseen else "-",
        )  # fmt: skip
        at_s, stand = turn.end_s, end
        points.append((at_s, stand))
        if turn.seat is not None:
            late = turn.end_s > 0.9 * _length_s(game)
            axis.annotate(
                game.seats.get(turn.seat, turn.seat), (turn.end_s / per, end), xytext=(-7 if late else 7, 6),
                ha="right" if late else "left", textcoords="offset points", fontsize=8, color=MUTED,
            )  # fmt: skip
    axis.plot([at_s / per, _length_s(game) / per], [stand, stand], color=BLUE, linewidth=1.8)
    points.append((_length_s(game), stand))
    for found in game.findings:
        if found.square == label:
            axis.plot(
                found.at_s / per, _height(points, found.at_s), marker="X", markersize=8, color=RED,
                markeredgecolor=PAPER, markeredgewidth=0.8, linestyle="none", zorder=5,
            )  # fmt: skip
    low = min([0.0, *(height for _, height in points)])
    high = max([6.0, *(height for _, height in points)])
    axis.set_ylim(low - 1, high + 1.5)
    if high - low < MOST_TICKS:
        axis.set_yticks(range(int(low // 3 * 3), int(high) + 2, 3))
    axis.set_title(_dial_title(label, [found for found in game.findings if found.square == label]))
    axis.set_ylabel("clicks from start")


def _dial_title(label: str, found: Sequence[FindingSeen]) -> str:
    if not found:
        return f"{label}: no findings"
    return f"{label}: {len(found)} {'finding' if len(found) == 1 else 'findings'} (X)"


def _ends(turn: TurnSeen, stand: float, clicks: int) -> tuple[float, float]:
    """Return where the line of a turn begins and ends, unwrapped as far as the path is known."""
    if turn.clicks is not None:
        between = 0.5 if turn.between is not None else 0.0
        return stand, round(stand) + turn.clicks + between
    if turn.to_position is None:
        return stand, (turn.between[0] + 0.5) if turn.between is not None else stand
    turns = round((stand - turn.to_position) / clicks)
    return stand, turn.to_position + turns * clicks


def _height(points: Sequence[tuple[float, float]], at_s: float) -> float:
    for (_, height), (then, _) in pairwise(points):
        if at_s < then:
            return height
    return points[-1][1]


# --------------------------------------------------------------------------------------------- angle error per detent


def errors(game: GameAudit, name: str) -> str:
    """Draw how far from the centre of its detent each dial came to rest."""
    labels = [dial.square for dial in game.dials if any(rest.square == dial.square for rest in game.rests)]
    labels = labels[:MOST_DIALS]
    columns = min(4, max(1, len(labels)))
    rows = -(-len(labels) // columns)
    dials = {dial.square: dial for dial in game.dials}
    most = max([2.0, *(abs(rest.error_deg) for rest in game.rests)]) * 1.25

    def draw(figure: Figure) -> None:
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for number, axis in enumerate(axes.flat):
            if number >= len(labels):
                axis.set_visible(False)
                continue
            label = labels[number]
            rests = [rest for rest in game.rests if rest.square == label]
            axis.axhline(0, color=MUTED, linewidth=1)
            for rest in rests:
                axis.plot([rest.position] * 2, [0, rest.error_deg], color=BLUE, linewidth=1.2)
            axis.plot(
                [rest.position for rest in rests], [rest.error_deg for rest in rests], "o", color=BLUE, markersize=4.5
            )
            axis.set_ylim(-most, most)
            axis.set_xticks(range(0, dials[label].clicks, 3))
            axis.set_xlim(-0.7, max(dial.clicks for dial in dials.values()) - 0.3)
            axis.set_title(f"{label}{'' if dials[label].calibrated else ' (not calibrated)'}")
            if number % columns == 0:
                axis.set_ylabel("degrees off")
            if number >= len(labels) - columns:
                axis.set_xlabel("detent")
                axis.tick_params(labelbottom=True)

    return _drawn(name, (WIDE, 0.5 + 1.6 * rows), draw, "Angle error of each rest, by dial and detent")


# ------------------------------------------------------------------------------------------------ dice against clicks


def dice(games: Sequence[GameAudit], name: str) -> str:
    """Draw pips of disarms and turns beside the clicks of first turns, each as a share of its throws."""
    rolled = [each for game in games for each in game.turn_dice]
    kinds = [
        ([pips for game in games for pips in game.disarm_dice], "dice of disarms, as reported at the table", BLUE, ""),
        ([each.die for each in rolled if each.how == "said"], "dice of turns, as reported at the table", BLUE, "----"),
        ([each.die for each in rolled if each.how == "device"], "dice of turns, rolled by the device", BLUE, "\\\\"),
        ([n for game in games for n in first_turns(game)], "clicks of first turns, an indirect die", ORANGE, "////"),
    ]
    shown = [kind for kind in kinds if kind[0]]
    wide = 0.8 / max(2, len(shown))

    def draw(figure: Figure) -> None:
        axis = figure.subplots()
        highest = 100 / 6
        for number, (values, words, colour, hatch) in enumerate(shown):
            offset, total = wide * (number - (len(shown) - 1) / 2), len(values)
            counts = [values.count(face) for face in range(1, 7)]
            shares = [100 * count / total if total else 0.0 for count in counts]
            highest = max(highest, *shares)
            axis.bar(
                [face + offset for face in range(1, 7)], shares, 0.9 * wide, label=f"{words} ({total})",
                color=colour if not hatch else "none", edgecolor=colour, hatch=hatch,
            )  # fmt: skip
            for face, count in enumerate(counts, 1):
                axis.annotate(
                    str(count), (face + offset, 1), xycoords=("data", "axes fraction"), ha="center", fontsize=8
                )
        axis.set_ylim(0, 1.08 * highest)
        axis.axhline(100 / 6, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axis.annotate("fair", (6.62, 100 / 6), xytext=(0, 3), textcoords="offset points", color=MUTED, ha="right")
        axis.set_xlim(0.4, 6.65)
        axis.grid(visible=False, axis="x")
        axis.set_xticks(range(1, 7))
        axis.set_xlabel("pips, or clicks")
        axis.set_ylabel("% of throws")
        figure.legend(loc="outside upper left", ncols=2)

    return _drawn(name, (WIDE, 2.7), draw, "Dice beside clicks of first turns")


# ------------------------------------------------------------------------------------------------- timeline of claims


def claims(game: GameAudit, name: str) -> str:
    """Draw who had a claim from when to when, and on which square."""
    seats = list(game.seats)
    unit, per = _unit(_length_s(game))

    def draw(figure: Figure) -> None:
        axis = figure.subplots()
        for claim in game.claims:
            _claim(axis, claim, seats.index(claim.seat), per, _length_s(game))
        unclaimed = [turn for turn in game.turns if turn.seat is None]
        axis.plot(
            [turn.end_s / per for turn in unclaimed], [len(seats)] * len(unclaimed), "D", color=RED, markersize=5,
            linestyle="none",
        )  # fmt: skip
        for turn in unclaimed:
            axis.annotate(
                turn.square, (turn.end_s / per, len(seats)), xytext=(0, 6), textcoords="offset points", fontsize=8,
                ha="center",
            )  # fmt: skip
        axis.set_yticks([*range(len(seats) + 1)], [*(game.seats[seat] for seat in seats), "no claim"])
        axis.set_ylim(len(seats) + 0.6, -0.75)
        axis.set_xlim(0, _length_s(game) / per * 1.02)
        axis.grid(visible=False, axis="y")
        axis.set_xlabel(f"{unit} since the game began")

    return _drawn(name, (WIDE, 1.0 + 0.45 * (len(seats) + 1)), draw, "Timeline of claims by seat")


def _claim(axis: Axes, claim: ClaimSeen, row: int, per: float, length_s: float) -> None:
    turned = claim.ended == "turned"
    width = max(claim.to_s - claim.from_s, length_s / 300) / per
    axis.barh(
        row, width, left=claim.from_s / per, height=0.42, color=BLUE if turned else "none", edgecolor=BLUE,
        hatch="" if turned else "////",
    )  # fmt: skip
    words = claim.square if turned and claim.square is not None else claim.ended
    spoken = " (by command)" if claim.claim == "table" else ""
    axis.annotate(
        f"{words}{spoken}", (claim.from_s / per + width / 2, row - 0.24), xytext=(0, 1), textcoords="offset points",
        fontsize=8, ha="center", va="bottom",
    )  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- wear


def wear(detents: Sequence[DetentStatistics], name: str) -> str:
    """Draw the mean error of each detent over all games, with its standard deviation."""
    by_square: Mapping[str, list[DetentStatistics]] = {
        label: [each for each in detents if each.square == label] for label in dict.fromkeys(d.square for d in detents)
    }
    labels = list(by_square)[:MOST_DIALS]
    columns = min(4, max(1, len(labels)))
    rows = -(-len(labels) // columns)

    def draw(figure: Figure) -> None:
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for number, axis in enumerate(axes.flat):
            if number >= len(labels):
                axis.set_visible(False)
                continue
            its = by_square[labels[number]]
            axis.axhline(0, color=MUTED, linewidth=1)
            axis.errorbar(
                [each.position for each in its], [each.mean_deg for each in its],
                yerr=[each.sd_deg or 0.0 for each in its], fmt="o", color=BLUE, capsize=3, markersize=4,
            )  # fmt: skip
            worn = [each for each in its if each.worn]
            axis.plot(
                [each.position for each in worn], [each.mean_deg for each in worn], "X", color=RED, markersize=8,
                markeredgecolor=PAPER, markeredgewidth=0.8, linestyle="none", zorder=5,
            )  # fmt: skip
            marked = f", {len(worn)} worn (X)" if worn else ""
            axis.set_title(f"{labels[number]} ({sum(each.rests for each in its)} rests{marked})")
            if number >= len(labels) - columns:
                axis.set_xlabel("detent")
            if number % columns == 0:
                axis.set_ylabel("degrees off")

    return _drawn(name, (WIDE, 0.5 + 1.6 * rows), draw, "Mean angle error of each detent over all games")


def names(prefix: str) -> Iterator[str]:
    """Yield a new name for each picture of a page."""
    number = 0
    while True:
        number += 1
        yield f"{prefix}{number}"
