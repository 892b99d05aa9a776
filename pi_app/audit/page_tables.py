"""Tables of an audit's page: on a screen, on paper, and as lines on a phone. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Final

from pi_app.audit.values import By, FindingSeen, GameAudit, Known, TurnSeen, clock_text


def text_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0, kind: str = "") -> str:
    """Return a table of texts."""
    return cell_table(heads, [[escape(text) for text in row] for row in rows], numbers=numbers, kind=kind)


def cell_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0, kind: str = "") -> str:
    """Return a table. The first `numbers` columns are numbers; the last one may be long. On a phone each cell names its
    column; a table of the kind `lines` has a line for each row there, and a long last cell below it."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)

    def cells(row: Sequence[str]) -> str:
        return "".join(
            f'<td{_class(number, len(row), numbers)} data-head="{escape(heads[number])}">{cell}</td>'
            for number, cell in enumerate(row)
        )

    body = "\n".join(f"<tr>{cells(row)}</tr>" for row in rows)
    opening = f'<table class="{kind}">' if kind else "<table>"
    return f"{opening}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _class(column: int, columns: int, numbers: int) -> str:
    if column < numbers:
        return ' class="number"'
    return ' class="short"' if column < columns - 1 else ""


# ------------------------------------------------------------------------------------------------------ every turn


def turn_rows(game: GameAudit) -> Iterator[str]:
    """Yield a section with one row for each turn, in order."""
    if not game.turns:
        return
    found: dict[int, list[FindingSeen]] = {}
    for each in (*game.findings, *game.faults):
        found.setdefault(each.entry, []).append(each)
    yield "<h3>Every turn</h3>"
    yield text_table(
        ("entry", "ended", "player", "square", "turned", "result"),
        [
            (
                str(turn.entry),
                clock_text(turn.end_s),
                "no claim" if turn.seat is None else game.seats.get(turn.seat, turn.seat),
                turn.square,
                _describe_turn(turn),
                _result([each for each in found.get(turn.entry, ()) if each.square == turn.square]),
            )
            for turn in game.turns
        ],
        numbers=2,
        kind="lines turns",
    )


def _describe_turn(turn: TurnSeen) -> str:
    """Return how far a dial was turned, and the die: `3 clicks, die 3`; counter-clockwise unless it says clockwise."""
    if turn.clicks is None:
        words = "path unknown"
    else:
        words = f"{abs(turn.clicks)} {'click' if abs(turn.clicks) == 1 else 'clicks'}"
        words += " clockwise" if turn.clicks < 0 else ""
    return words if turn.rolled is None else f"{words}, die {turn.rolled}"


def _result(found: Sequence[FindingSeen]) -> str:
    """Return the first rule that a turn broke and how many more, or that it is as allowed, each with its shape."""
    rules = list(dict.fromkeys(rule for finding in found for rule in finding.rule_ids))
    if not rules:
        return "\N{CHECK MARK} as allowed"
    return f"\N{BALLOT X} {rules[0]}{f' (+{len(rules) - 1})' if rules[1:] else ''}"


# ------------------------------------------------------------------------------------------ who could have known what


SHAPES: Final[dict[By, str]] = {
    "exposed": "\N{BLACK DIAMOND}",
    "triggered": "\N{BLACK UP-POINTING TRIANGLE}",
    "announced": "\N{BLACK CIRCLE}",
    "shown to all": "\N{BLACK SQUARE}",
    "table shown": "\N{WHITE CIRCLE}",
    "dials recorded": "\N{WHITE CIRCLE}",
    "tables in a demo": "\N{WHITE CIRCLE}",
}
"""How a player learned a square; the word stands beside each shape."""


def knowledge(game: GameAudit) -> Iterator[str]:
    """Yield a grid of squares and players: from when on each player could know what a square holds, and how."""
    yield "<h3>Who could have known</h3>"
    if not game.known:
        yield "<p>No player learned a trap.</p>"
        return
    yield "<p>From when on each player could know what a square holds, and how.</p>"
    others = {known.seat: known.name for known in game.known if known.seat not in game.seats}
    seats = {**game.seats, **others}
    rows = []
    for square, its in groupby(game.known, key=lambda known: known.square):
        cells = {known.seat: _cell(known) for known in its}
        rows.append([escape(square), *(cells.get(seat, "") for seat in seats)])
    yield cell_table(["square", *seats.values()], rows, kind="grid")
    learned = {known.square for known in game.known}
    if unknown := [each.square for each in game.verdicts if each.square not in learned]:
        yield f"<p>Known to no player: {escape(', '.join(unknown))}.</p>"


def _cell(known: Known) -> str:
    again = ""
    if known.looked_at_s is not None:
        again = f"; looked again {clock_text(known.looked_at_s)} (entry {known.looked_entry})"
    how = f'<span class="how">{escape(known.by)}, entry {known.entry}{again}</span>'
    return f"{SHAPES[known.by]} <strong>{clock_text(known.at_s)}</strong> {how}"
