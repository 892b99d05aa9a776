"""An audit's pictures as SVG, for a light or dark page. Shapes, hatches and words repeat what the colours say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final

from pi_app.audit.axes import (
    BOTTOM,
    LEFT,
    RIGHT,
    SMALL,
    WIDE,
    WORDS,
    Axes,
    Pattern,
    bar,
    cross,
    diamond,
    drawn,
    numbered,
    panels,
    ticks,
)
from pi_app.audit.statistics import DetentStatistics, first_turns
from pi_app.audit.values import ClaimSeen, FindingSeen, GameAudit, TurnSeen
from pi_app.plans.pictures.marks import Disc, Ink, Mark, Polyline, Polylines, Rect, Text

MOST_DIALS: Final = 64
MOST_TICKS: Final = 40
"""A picture with fewer clicks from bottom to top numbers every third."""


# ------------------------------------------------------------------------------------------------- each dial's path


def paths(game: GameAudit, name: str) -> str:
    """Draw each dial's position over time; unknown paths are dashed, findings are marked."""
    labels, tall = moved(game)[:MOST_DIALS], 126.0
    columns = 2 if len(labels) > 1 else 1
    clicks = {dial.square: dial.clicks for dial in game.dials}
    marks: list[Mark] = []
    for number, (label, rect) in enumerate(zip(labels, panels(len(labels), columns, tall, 48), strict=True)):
        marks += _path(rect, game, label, clicks[label], is_last=number >= len(labels) - columns)
    rows = -(-len(labels) // columns)
    return drawn(name, rows * tall + BOTTOM - 18, marks, "Each dial's position over time")


def moved(game: GameAudit) -> list[str]:
    """Return the squares whose dials moved, or that have findings."""
    busy = {turn.square for turn in game.turns} | {found.square for found in game.findings}
    return [dial.square for dial in game.dials if dial.square in busy]


def _length_s(game: GameAudit) -> float:
    """Return the length of a game, at least one second."""
    return max(1.0, game.length_s)


def _unit(length_s: float) -> tuple[str, float]:
    return ("seconds", 1.0) if length_s < 180 else ("minutes", 60.0) if length_s < 10800 else ("hours", 3600.0)


def _path(rect: Rect, game: GameAudit, label: str, clicks: int, *, is_last: bool) -> Iterator[Mark]:
    turns, (unit, per) = [turn for turn in game.turns if turn.square == label], _unit(_length_s(game))
    found = [each for each in game.findings if each.square == label]
    first: float = next((rest.position for rest in game.rests if rest.square == label), 0)
    points, unseen = [(0.0, first)], list[tuple[tuple[float, float], tuple[float, float]]]()
    named: list[tuple[float, float, str]] = []
    for turn in turns:
        stand, end = points[-1][1], _end(turn, points[-1][1], clicks)
        points += [(turn.start_s, stand), (turn.end_s, end)]
        if turn.clicks is None:
            unseen.append((points[-2], points[-1]))
        if turn.seat is not None:
            named.append((turn.end_s, end, game.seats.get(turn.seat, turn.seat)))
    points.append((_length_s(game), points[-1][1]))
    low, high = min(0.0, *(height for _, height in points)), max(6.0, *(height for _, height in points))
    few = high - low < MOST_TICKS
    levels = numbered(range(int(low // 3 * 3), int(high) + 2, 3)) if few else ticks(low, high)
    length = _length_s(game) / per
    axes = Axes(rect, (-0.02 * length, 1.02 * length), (low - 1, high + 1.5))
    seconds = ticks(0, length)
    yield from axes.frame(
        seconds if is_last else dict.fromkeys(seconds, ""), levels, title=_dial_title(label, found),
        below=f"{unit} since the game began" if is_last else "", beside="clicks from start",
    )  # fmt: skip
    seen = [(a, b) for a, b in pairwise(points) if (a, b) not in unseen]
    yield Polylines(tuple((axes.at(a / per, y), axes.at(b / per, z)) for (a, y), (b, z) in seen), "blue", 1.8)
    for (a, y), (b, z) in unseen:
        yield Polyline((axes.at(a / per, y), axes.at(b / per, z)), "orange", 1.8, "3.6 2.7")
    for at_s, height, player in named:
        x, y = axes.at(at_s / per, height)
        is_late = at_s > 0.9 * _length_s(game)
        yield Text((x - 7 if is_late else x + 7, y - 6), player, SMALL, "muted", "end" if is_late else "start")
    for each in found:
        yield from cross(axes.at(each.at_s / per, _height(points, each.at_s)))


def _dial_title(label: str, found: Sequence[FindingSeen]) -> str:
    if not found:
        return f"{label}: no findings"
    return f"{label}: {len(found)} {'finding' if len(found) == 1 else 'findings'} (X)"


def _end(turn: TurnSeen, stand: float, clicks: int) -> float:
    """Return where the line of a turn ends, unwrapped as far as the path is known."""
    if turn.clicks is not None:
        return round(stand) + turn.clicks + (0.5 if turn.between is not None else 0.0)
    if turn.to_position is None:
        return (turn.between[0] + 0.5) if turn.between is not None else stand
    return turn.to_position + round((stand - turn.to_position) / clicks) * clicks


def _height(points: Sequence[tuple[float, float]], at_s: float) -> float:
    for (_, height), (then, _) in pairwise(points):
        if at_s < then:
            return height
    return points[-1][1]


# -------------------------------------------------------------------------------------- angle error and wear by detent


def errors(game: GameAudit, name: str) -> str:
    """Draw how far from the centre of its detent each dial came to rest."""
    dials = [dial for dial in game.dials if any(rest.square == dial.square for rest in game.rests)]
    most = max([2.0, *(abs(rest.error_deg) for rest in game.rests)])

    def stems(axes: Axes, label: str) -> Iterator[Mark]:
        for rest in game.rests:
            if rest.square == label:
                top = axes.at(rest.of_dial, rest.error_deg)
                yield Polyline((axes.at(rest.of_dial, 0), top), "blue", 1.2)
                yield Disc(top, 2.2, "blue", "", 0)

    titles = {dial.square: f"{dial.square}{'' if dial.calibrated else ' (not calibrated)'}" for dial in dials}
    size = 1.25 * most, max((dial.clicks for dial in dials), default=1)
    return _by_detent(name, titles, size, stems, "Angle error of each rest, by dial and detent")


def wear(detents: Sequence[DetentStatistics], name: str) -> str:
    """Draw the mean error of each detent over all games, with its standard deviation."""

    def spreads(axes: Axes, label: str) -> Iterator[Mark]:
        for each in detents:
            if each.square == label:
                yield from _spread(axes, each)

    titles = {each.square: _wear_title([other for other in detents if other.square == each.square]) for each in detents}
    most = max([2.0, *(abs(each.mean_deg) + (each.sd_deg or 0.0) for each in detents)])
    size = 1.1 * most, max((each.position + 1 for each in detents), default=1)
    return _by_detent(name, titles, size, spreads, "Mean angle error of each detent over all games")


def _wear_title(its: Sequence[DetentStatistics]) -> str:
    worn = sum(each.worn for each in its)
    return f"{its[0].square} ({sum(each.rests for each in its)} rests{f', {worn} worn (X)' if worn else ''})"


def _spread(axes: Axes, detent: DetentStatistics) -> Iterator[Mark]:
    (x, y), half = axes.at(detent.position, detent.mean_deg), detent.sd_deg or 0.0
    top, bottom = (axes.at(detent.position, detent.mean_deg + way * half)[1] for way in (1, -1))
    caps = ((x - 3, top), (x + 3, top)), ((x - 3, bottom), (x + 3, bottom))
    yield Polylines((((x, top), (x, bottom)), *caps), "blue", 1.2)
    yield Disc((x, y), 2.0, "blue", "", 0)
    if detent.worn:
        yield from cross((x, y))


def _by_detent(
    name: str, titles: Mapping[str, str], size: tuple[float, int], draw: Callable[[Axes, str], Iterator[Mark]],
    words: str,
) -> str:  # fmt: skip
    """Draw a plot for each square, of degrees over detents; `size`: degrees up and down, detents."""
    labels, tall = list(titles)[:MOST_DIALS], 115.0
    columns = min(4, max(1, len(labels)))
    (most, detents), marks = size, list[Mark]()
    for number, (label, rect) in enumerate(zip(labels, panels(len(labels), columns, tall, 12), strict=True)):
        axes = Axes(rect, (-0.7, detents - 0.3), (-most, most))
        is_left, is_last = number % columns == 0, number >= len(labels) - columns
        positions, degrees = numbered(range(0, detents, 3)), ticks(-most, most, 5)
        marks += axes.frame(
            positions if is_last else dict.fromkeys(positions, ""), degrees if is_left else dict.fromkeys(degrees, ""),
            title=titles[label], below="detent" if is_last else "", beside="degrees off" if is_left else "",
        )  # fmt: skip
        marks.append(Polyline((axes.at(-0.7, 0), axes.at(detents - 0.3, 0)), "muted", 1))
        marks += draw(axes, label)
    return drawn(name, -(-len(labels) // columns) * tall + BOTTOM - 18, marks, words)


# ------------------------------------------------------------------------------------------------ dice against clicks


def dice(games: Sequence[GameAudit], name: str) -> str:
    """Draw pips of disarms and turns beside the clicks of first turns, each as a share of its throws."""
    rolled = [each for game in games for each in game.turn_dice]
    said, device = ([each.die for each in rolled if each.how == how] for how in ("said", "device"))
    disarms = [*chain.from_iterable(game.disarm_dice for game in games)]
    clicks = [*chain.from_iterable(map(first_turns, games))]
    kinds: list[tuple[Sequence[int], str, Ink, Pattern]] = [
        (disarms, "dice of disarms, as reported at the table", "blue", "full"),
        (said, "dice of turns, as reported at the table", "blue", "level"),
        (device, "dice of turns, rolled by the device", "blue", "falling"),
        (clicks, "clicks of first turns, an indirect die", "orange", "rising"),
    ]
    shown = [kind for kind in kinds if kind[0]]
    wide, fair = 0.8 / max(2, len(shown)), 100 / 6
    shares = [[100 * values.count(face) / len(values) for face in range(1, 7)] for values, *_ in shown]
    highest = 1.12 * max([fair, *(share for each in shares for share in each)])
    top = 10.0 + 15 * -(-len(shown) // 2)
    axes = Axes(Rect(LEFT, top, WIDE - LEFT - RIGHT, 140), (0.4, 6.65), (0, highest))
    marks = [*axes.frame(numbered(range(1, 7)), ticks(0, highest, 6), below="pips, or clicks", beside="% of throws")]
    for number, (values, words, ink, pattern) in enumerate(shown):
        x, y = LEFT + 300 * (number % 2), 4.0 + 15 * (number // 2)
        marks += [*bar(Rect(x, y, 20, 8), ink, pattern), Text((x + 26, y + 7.5), f"{words} ({len(values)})", 8.5)]
        offset = wide * (number - (len(shown) - 1) / 2)
        for face, share in enumerate(shares[number], 1):
            (left, high), (right, low) = axes.at(face + offset - 0.45 * wide, share), axes.at(face + offset, 0)
            if share:
                marks += bar(Rect(left, high, 2 * (right - left), low - high), ink, pattern)
            marks.append(Text((right, axes.rect.y + 4), str(values.count(face)), SMALL, "ink", "middle"))
    marks.append(Polyline((axes.at(0.4, fair), axes.at(6.65, fair)), "muted", 1, "4 3"))
    x, y = axes.at(6.62, fair)
    marks.append(Text((x, y - 3), "fair", WORDS, "muted", "end"))
    return drawn(name, axes.rect.bottom + BOTTOM, marks, "Dice beside clicks of first turns")


# ------------------------------------------------------------------------------------------------- timeline of claims


def claims(game: GameAudit, name: str) -> str:
    """Draw who had a claim from when to when, and on which square."""
    seats, (unit, per) = list(game.seats), _unit(_length_s(game))
    length = _length_s(game) / per
    left = 12 + 5.5 * max(len(words) for words in ("no claim", *game.seats.values()))
    rect = Rect(left, 4, WIDE - left - RIGHT, 32.0 * (len(seats) + 1))
    axes = Axes(rect, (0, 1.02 * length), (len(seats) + 0.5, -0.6))
    rows = {len(seats): "no claim", **{float(row): game.seats[seat] for row, seat in enumerate(seats)}}
    marks = [*axes.frame(ticks(0, length), rows, below=f"{unit} since the game began")]
    for claim in game.claims:
        marks += _claim(axes, claim, seats.index(claim.seat), per)
    for turn in game.turns:
        if turn.seat is None:
            x, y = axes.at(turn.end_s / per, len(seats))
            marks += [diamond((x, y)), Text((x, y - 7), turn.square, SMALL, "ink", "middle")]
    return drawn(name, rect.bottom + BOTTOM, marks, "Timeline of claims by seat")


def _claim(axes: Axes, claim: ClaimSeen, row: int, per: float) -> Iterator[Mark]:
    turned = claim.ended == "turned"
    (left, y), (right, _) = axes.at(claim.from_s / per, row), axes.at(claim.to_s / per, row)
    wide = max(right - left, axes.rect.w / 300)
    yield from bar(Rect(left, y - 7, wide, 14), "blue", "full" if turned else "rising")
    words = claim.square if turned and claim.square is not None else claim.ended
    spoken = " (by command)" if claim.claim == "table" else ""
    yield Text((left + wide / 2, y - 10), f"{words}{spoken}", SMALL, "ink", "middle")


def names(prefix: str) -> Iterator[str]:
    """Yield a new name for each picture of a page."""
    number = 0
    while True:
        number += 1
        yield f"{prefix}{number}"
