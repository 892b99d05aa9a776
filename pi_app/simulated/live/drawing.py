"""Draws the live screen: a snapshot, a choice and a layout become lines of styled text. Pure.

A style is `INK@PAPER`; `pi_app.simulated.live.widgets` has the colours. Colour alone carries no information.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pi_app.report.visibility import PUBLIC
from pi_app.simulated.live import cells
from pi_app.simulated.live.advice import advice
from pi_app.simulated.live.cells import Canvas, StyledLine
from pi_app.simulated.live.layout import LEAST_HEIGHT, LEAST_WIDTH, TILE_TEXT_ROWS, CellBox, ScreenLayout
from pi_app.simulated.live.screens import SeatWords, draw_screen, draw_title
from pi_app.simulated.live.values import Claiming, LiveSeat, LogLine, Snapshot, SquareView
from pi_app.text.language import N_, Words

DICE: Final = " ⚀⚁⚂⚃⚄⚅"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The player's choice: a seat, a square, and how many lines the log is scrolled back."""

    seat: int = 0
    square: int = 0
    back: int = 0


def draw(
    table: Snapshot, chosen: Chosen, layout: ScreenLayout, width: int, height: int, words: Words, hint: str = ""
) -> tuple[StyledLine, ...]:
    """Return the whole picture, `height` lines. Without a `hint` it gives advice on the next step."""
    canvas = Canvas(width, height, "text@ground")
    seat, square = table.seats[chosen.seat], table.squares[chosen.square]
    draw_header(canvas, table, words)
    for number, box in layout.squares:
        tile = _tile if layout.dial_rows else _row
        told = table.squares[number].line_in(seat.language)
        tile(canvas, box, replace(table.squares[number], told=told), number == chosen.square, words)
    for place in layout.seats:
        view = table.seats[place.seat]
        title = _seat_words(view, place.seat, place.box.width, words)
        draw_screen(canvas, place, view, title, chosen=place.seat == chosen.seat, words=words)
    for number, box in layout.strip:
        title = _seat_words(table.seats[number], number, box.width, words)
        draw_title(canvas, box, title, chosen=number == chosen.seat)
    draw_log(canvas, layout.log, table, chosen.seat, chosen.back, words)
    draw_hint(canvas, seat, hint or advice(table, seat, square, words), words)
    return canvas.lines()


def draw_too_small(width: int, height: int, words: Words) -> tuple[StyledLine, ...]:
    """Return what a screen shows that is too small."""
    canvas = Canvas(width, height, "text@ground")
    sentence = words(N_("SIMULATED TABLE. This screen needs {wide} columns and {high} rows; make the window larger."))
    for y, line in enumerate(cells.wrap(sentence.format(wide=LEAST_WIDTH, high=LEAST_HEIGHT + 2), max(2, width))):
        canvas.put(0, y, line, "name@ground")
    return canvas.lines()


# ------------------------------------------------------------------------------------------------- parts


def draw_header(canvas: Canvas, table: Snapshot, words: Words) -> None:
    """Draw the first row."""
    box = CellBox(0, 0, canvas.width, 1)
    canvas.fill(box.x, box.y, box.width, 1, "text@bar")
    x = canvas.put(1, box.y, "Trapdial", "name@bar")
    x = canvas.put(x + 1, box.y, f" {words(N_('SIMULATED TABLE'))} ", "black@simulated")
    if table.samples:
        x = canvas.put(x + 1, box.y, f" {words(N_('SAMPLE traps'))} ", "text@sample")
    minutes, seconds = divmod(table.at_s, 60)
    sentence = words(N_("{rate} samples/s  longest gap {gap} ms  {time}"))
    right = sentence.format(
        rate=table.samples_per_s, gap=table.longest_gap_ms, time=f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    )
    if box.width - x - cells.width_of(right) < 6:
        right = right.rpartition("  ")[2]
    at = box.width - 1 - cells.width_of(right)
    canvas.put(at, box.y, right, "dim@bar")
    canvas.put(x + 2, box.y, cells.cut(table.table_name, at - x - 4), "text@bar")


_INKS: Final = {
    "EXPOSED": "exposed",
    "TRIGGERED": "triggered",
    "WITHDRAWN": "triggered",
    "DISARMED": "disarmed",
    "CLEAR_PUBLIC": "disarmed",
}


def _about(square: SquareView, words: Words) -> str:
    """Return the present state of a tile in two short words at most, or the name of the player who turns it."""
    if not square.plugged:
        return words(N_("lead out"))
    if square.moving:
        return words(N_("turning"))
    return words(N_("between")) if square.between else square.turned_by


def _dial_ink(square: SquareView, chosen: bool) -> str:
    if not square.plugged:
        return "faint"
    if square.moving or square.between:
        return "key"
    return "text" if chosen else "dim"


def _tile(canvas: Canvas, box: CellBox, square: SquareView, chosen: bool, words: Words) -> None:
    """Draw the label, the dial, and the public line of a square."""
    paper = "chosen" if chosen else "panel"
    canvas.fill(box.x, box.y, box.width, box.height, f"text@{paper}")
    x = canvas.put(box.x, box.y, f"{'▸' if chosen else ' '}{square.label}", f"name@{paper}")
    about = cells.cut(_about(square, words), box.x + box.width - x - 2)
    canvas.put(box.x + box.width - 1 - cells.width_of(about), box.y, about, f"key@{paper}")
    rows = box.height - 3
    left = box.x + (box.width - 2 * rows) // 2
    for y, line in enumerate(cells.dial(rows, square.clicks, square.turned), box.y + 1):
        canvas.put(left, y, line, f"{_dial_ink(square, chosen)}@{paper}")
    ink = _INKS.get(square.state, "dim")
    lines = cells.first_clauses(square.told, box.width - 2, TILE_TEXT_ROWS - 1)
    for y, line in enumerate(lines, box.y + 1 + rows):
        canvas.put(box.x + (box.width - cells.width_of(line)) // 2, y, line, f"{ink}@{paper}")


def _row(canvas: Canvas, box: CellBox, square: SquareView, chosen: bool, words: Words) -> None:
    """Draw the same on one or two rows, with a dial of four cells."""
    paper = "chosen" if chosen else "panel"
    canvas.fill(box.x, box.y, box.width, box.height, f"text@{paper}")
    x = box.x
    if box.height > 1:
        for y, line in enumerate(cells.dial(2, square.clicks, square.turned), box.y):
            canvas.put(x, y, line, f"{_dial_ink(square, chosen)}@{paper}")
        x += 4
    x = canvas.put(x, box.y, f"{'▸' if chosen else ' '}{square.label}", f"name@{paper}")
    y, x, room = box.y, x + 1, box.x + box.width - x - 1
    if box.height > 1:
        if square.turned_by and square.turned_by != _about(square, words):
            canvas.put(x, y, cells.cut(square.turned_by, room), f"key@{paper}")
        y, x, room = box.y + 1, box.x + 5, box.width - 3
    about = _about(square, words)
    text = cells.cut(about, room) if about else _short(square.told, room)
    ink = "key" if about else _INKS.get(square.state, "dim")
    canvas.put(min(x, box.x + box.width - cells.width_of(text)), y, text, f"{ink}@{paper}")


def _short(line: str, width: int) -> str:
    """Return as many whole clauses as fit, or else the first word."""
    word = re.split(r"[ ;,]", line, maxsplit=1)[0]
    return next((part for part in cells.clauses(line) if cells.width_of(part) <= width), cells.cut(word, width))


LAMP_WORDS: Final = (N_("none"), N_("bright"), N_("dark"))
BUTTON_WORDS: Final = (N_("held"), N_("up"))
SCREEN_WORDS: Final = (N_("lit"), N_("dark"))
TURN_WIDTH: Final = 10
NAME_LEAST: Final = 5
NAME_MOST: Final = 20
"""Widths that keep the columns aligned while words change."""


def _seat_words(seat: LiveSeat, number: int, width: int, words: Words) -> SeatWords:
    """Return the name, the lamp, the button and the screen of a seat, in as many words as fit."""
    shining = {None: 0, True: 1, False: 2}[seat.lamp]
    lamp = f"{'●' if seat.lamp else '○'} {_one_of(LAMP_WORDS, shining, words)}"
    arrow = "▼" if seat.held else "▲"
    button = f"{arrow} {_one_of(BUTTON_WORDS, 0 if seat.held else 1, words)}"
    screen = _padded(
        "–" if seat.pixels is None else words(SCREEN_WORDS[0 if seat.lit else 1]), _widest(SCREEN_WORDS, words)
    )
    lamp_ink, button_ink = "lamp" if seat.lamp else "dim", "key" if seat.held else "dim"
    short = ((lamp, lamp_ink), (f" {arrow} ", button_ink))
    long = ((f"{words(N_('lamp'))} {lamp}  ", lamp_ink), (f"{words(N_('button'))} {button}  ", button_ink))
    whole = (*long, (f"{words(N_('screen'))} {screen}  ", "dim"), (_padded(_turn_of(seat, words), TURN_WIDTH), "key"))
    fitting = (kind for kind in (whole, long, short) if _width_of_words(kind) + NAME_LEAST + 4 <= width)
    said = next(fitting, short)
    room = max(0, min(NAME_MOST, width - 4 - _width_of_words(said)))
    return ((f"{number + 1} ", "key"), (f"{_padded(cells.cut(seat.name, room), room)} ", "name"), *said)


def _one_of(messages: Sequence[str], which: int, words: Words) -> str:
    """Return one of some words, padded to the widest of them, so that columns stay aligned."""
    return _padded(words(messages[which]), _widest(messages, words))


def _widest(messages: Sequence[str], words: Words) -> int:
    return max(cells.width_of(words(message)) for message in messages)


def _width_of_words(said: SeatWords) -> int:
    return sum(cells.width_of(text) for text, _ in said)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells.width_of(text))


def _turn_of(seat: LiveSeat, words: Words) -> str:
    if seat.rolled is not None:
        return words(N_("rolled {die} {number}")).format(die=DICE[seat.rolled], number=seat.rolled)
    if seat.claiming is Claiming.OPEN:
        return words(N_("claims"))
    return seat.square


def draw_log(canvas: Canvas, box: CellBox, table: Snapshot, seat: int, back: int, words: Words) -> None:
    """Draw what this seat reads and the referee's lines, the newest at the bottom, scrolled back by `back` lines. A
    sentence begins with its beginning: without room for it, it is left out, or ends in an ellipsis if it stands alone.
    """
    log = [line for line in table.log if line.is_for(table.seats[seat].seat)]
    rows = _log_lines(log, box.width - 2, box.height + back, words)
    end = max(box.height, len(rows) - back)
    rows = rows[:end]
    begins = [n for n, (when, _, _) in enumerate(rows) if when.strip()]
    first = next((n for n in begins if n >= end - box.height), end - box.height)
    if begins and first not in begins and not back:
        first = begins[-1]
        last = first + box.height - 1
        when, who, line = rows[last]
        whole = f"{line} {rows[last + 1][2]}"
        rows[last] = when, who, cells.cut(whole, box.width - 2 - cells.width_of(when + who))
    for y, (when, who, line) in enumerate(rows[first : first + box.height], box.y):
        x = canvas.put(box.x + 1, y, when, "faint@ground")
        x = canvas.put(x, y, who, "referee@ground")
        canvas.put(x, y, line, "text@ground")


def _log_lines(log: Sequence[LogLine], width: int, most: int, words: Words) -> list[tuple[str, str, str]]:
    """Return the last `most` rows or more, oldest first: a time, a viewer if not everyone, and text that fits."""
    rows: list[tuple[str, str, str]] = []
    for sentence in reversed(log):
        when = f"{sentence.at_s // 60:>2}:{sentence.at_s % 60:02}  "
        who = "" if sentence.viewer == PUBLIC.name else words(N_("referee: "))
        room = width - len(when)
        text = cells.wrap(who + sentence.line, room) or ("",)
        first = text[0].removeprefix(who.rstrip()).lstrip() if who else text[0]
        rows[:0] = [(when, who, first), *((" " * len(when), "", line) for line in text[1:])]
        if len(rows) >= most:
            break
    return rows


def draw_hint(canvas: Canvas, seat: LiveSeat, sentence: str, words: Words) -> None:
    """Draw the last row: advice with its keys highlighted, after the last roll if both fit."""
    box = CellBox(0, canvas.height - 1, canvas.width, 1)
    canvas.fill(box.x, box.y, box.width, 1, "text@hint")
    x = canvas.put(box.x, box.y, " » ", "key@hint")
    if seat.rolled is not None:
        rolled = words(N_("Rolled {die} {number}.")).format(die=DICE[seat.rolled], number=seat.rolled)
        if x + cells.width_of(f"{rolled} {sentence.replace('`', '')}") <= box.x + box.width:
            x = canvas.put(x, box.y, f"{rolled} ", "key@hint")
    for n, part in enumerate(sentence.split("`")):
        room = box.x + box.width - x
        x = canvas.put(x, box.y, cells.cut(part, room) if room > 0 else "", "key@hint" if n % 2 else "text@hint")
