"""The live screen in a terminal: keys and clicks become what people at the table do. The only file that knows Textual.

It reads frozen snapshots and hands in wishes; it never touches the table.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.events import Click, Resize
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from pi_app.simulated.live import drawing
from pi_app.simulated.live.cells import Line
from pi_app.simulated.live.drawing import SHADES, Chosen
from pi_app.simulated.live.keys import KEYS
from pi_app.simulated.live.layout import Layout, lay_out
from pi_app.simulated.live.table import LiveTable
from pi_app.simulated.live.values import SeatView, Snapshot, SquareView, Stage
from pi_app.simulated.table import FAULTS, Fault
from pi_app.text.language import N_
from pi_app.text.language import words as words_of

LOOKS_PER_S: Final = 20

PAPERS: Final = {
    "ground": "#0d1015",
    "bar": "#1a2029",
    "panel": "#151a21",
    "chosen": "#22303f",
    "glass": "#020306",
    "hint": "#2a2413",
    "simulated": "#f2b134",
    "sample": "#7a3f12",
}
INKS: Final = {
    "text": "#cfd6df",
    "name": "bold #f3f6fa",
    "dim": "#8793a2",
    "faint": "#556070",
    "key": "bold #f2b134",
    "black": "bold #14100a",
    "lamp": "bold #ffd95a",
    "exposed": "#74c8ff",
    "triggered": "#ff7a6b",
    "disarmed": "#86d993",
    "referee": "#e0a070",
}
GLOW: Final = (0xCF, 0xEC, 0xFF)
DIMMEST: Final = 0.7


def _glow(shade: int) -> str:
    """The light of a glass: dim, and brighter with its contrast."""
    part = DIMMEST + (1 - DIMMEST) * shade / (SHADES - 1)
    return "#" + "".join(f"{round(colour * part):02x}" for colour in GLOW)


@functools.cache
def style(name: str) -> Style:
    """The colours of a style `INK@PAPER`."""
    ink, _, paper = name.partition("@")
    colour = _glow(int(ink.removeprefix("oled"))) if ink.startswith("oled") else INKS[ink]
    return Style.parse(f"{colour} on {PAPERS[paper]}")


class Painted(Widget):
    """Finished lines; only those that changed are sent to the terminal."""

    ALLOW_SELECT = False

    def __init__(
        self,
        clicked: Callable[[int, int], None] | None = None,
        resized: Callable[[], None] | None = None,
        *,
        id: str,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._lines: tuple[Line, ...] = ()
        self._clicked, self._resized = clicked, resized

    def paint(self, lines: tuple[Line, ...]) -> None:
        """Show these lines from now on."""
        before, self._lines = self._lines, lines
        if len(before) != len(lines):
            self.refresh()
            return
        changed = [y for y, (old, new) in enumerate(zip(before, lines, strict=True)) if old != new]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        line = self._lines[y] if y < len(self._lines) else (("", "text@ground"),)
        paper = style("text@" + line[-1][1].partition("@")[2])
        strip = Strip([Segment(text, style(name)) for text, name in line])
        return strip.adjust_cell_length(self.size.width, paper)

    def on_click(self, event: Click) -> None:
        if self._clicked is not None:
            self._clicked(event.x, event.y)

    def on_resize(self) -> None:
        if self._resized is not None:
            self._resized()


class Command(Input):
    """The line for the table's words, with what was said before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier(1)", show=False),
        Binding("down", "earlier(-1)", show=False),
        Binding("escape", "back", show=False),
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, compact=True, id="command", select_on_focus=False)
        self._said: list[str] = []
        self._back = 0

    def begin(self, text: str) -> None:
        """Let somebody type, with this to start from."""
        self.value = text
        self.cursor_position = len(text)
        self._back = 0
        self.focus()

    def taken(self) -> str:
        """What was typed; the line is empty again and remembers it."""
        text = self.value.strip()
        if text and self._said[-1:] != [text]:
            self._said.append(text)
        self.action_back()
        return text

    def action_earlier(self, steps: int) -> None:
        self._back = min(max(0, self._back + steps), len(self._said))
        self.value = self._said[-self._back] if self._back else ""
        self.cursor_position = len(self.value)

    def action_back(self) -> None:
        self.value = ""
        self._back = 0
        self.screen.set_focus(None)


class Help(ModalScreen[None]):
    """The help page; any of its keys leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter,f1", "app.pop_screen", show=False),
        Binding("ctrl+c,ctrl+q", "app.leave", show=False, priority=True),
    ]

    def __init__(self, words: drawing.Words) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield Painted(id="page")

    def on_resize(self, event: Resize) -> None:
        width = min(110, event.size.width - 8)
        lines = drawing.draw_help(width, self._words)
        page = self.query_one("#page", Painted)
        page.styles.width, page.styles.height = width, len(lines)
        page.paint(lines)


class FaultList(ModalScreen[str | None]):
    """All faults for one tile; what is chosen is struck, or mended if it is there. Esc leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f,q", "leave", show=False),
        Binding("ctrl+c,ctrl+q", "app.leave", show=False, priority=True),
    ]

    def __init__(self, square: SquareView, words: drawing.Words) -> None:
        super().__init__()
        self._square, self._words = square, words

    def compose(self) -> ComposeResult:
        title = self._words(N_("A fault for {square}: Enter strikes it, or mends one that is there; Esc leaves."))
        with VerticalScroll(id="faults"):
            yield Static(title.format(square=self._square.label), id="about", markup=False)
            yield OptionList(*(Option(self._line(fault), fault.name) for fault in FAULTS.values()), markup=False)

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def _line(self, fault: Fault) -> Text:
        there = fault.name in self._square.faults
        line = Text(f"{'●' if there else ' '} {fault.name:<18}", style("key@panel" if there else "name@panel"))
        return line.append(fault.line, style("dim@panel"))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_leave(self) -> None:
        self.dismiss(None)


class LiveScreen(App[None]):
    """The table, the line for its words, and the keys. `over` says that the table has stopped."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    TITLE = "Trapdial: SIMULATED TABLE"
    CSS = f"""
    Screen {{ background: {PAPERS["ground"]}; }}
    #picture {{ height: 1fr; }}
    #line {{ height: 1; background: {PAPERS["bar"]}; }}
    #line Static {{ width: 3; color: {INKS["key"].removeprefix("bold ")}; }}
    #command {{ background: {PAPERS["bar"]}; color: {INKS["text"]}; width: 1fr; }}
    #keys {{ height: 1; }}
    FaultList {{ align: center middle; background: {PAPERS["ground"]} 60%; }}
    #faults {{ width: 96%; height: auto; max-height: 90%; padding: 1 2; background: {PAPERS["panel"]}; }}
    #about {{ height: auto; color: {INKS["text"]}; padding-bottom: 1; }}
    OptionList, OptionList:focus {{ background: {PAPERS["panel"]}; border: none; height: auto; padding: 0; }}
    OptionList > .option-list--option-highlighted {{ background: {PAPERS["chosen"]}; }}
    Help {{ align: center middle; background: {PAPERS["ground"]} 60%; }}
    #help {{ width: auto; height: auto; max-height: 90%; max-width: 96%; padding: 1 2; background: {PAPERS["panel"]}; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key.keys, key.action, show=False) for key in KEYS if key.keys and key.action != "leave"),
        Binding("q", "leave", show=False),
        Binding("ctrl+c,ctrl+q", "leave", show=False, priority=True),
        *(Binding(str(n), f"seat({n - 1})", show=False) for n in range(1, 10)),
        Binding("left", "square(-1)", show=False),
        Binding("right", "square(1)", show=False),
        Binding("up", "row(-1)", show=False),
        Binding("down", "row(1)", show=False),
    ]

    def __init__(self, table: LiveTable, snapshot: Snapshot, *, seed: int, over: Callable[[], bool]) -> None:
        super().__init__()
        self._table, self._over = table, over
        self._shown: Snapshot = snapshot
        self._chosen = Chosen()
        self._zoom = False
        self._layout: Layout | None = None
        self._dice = random.Random(f"disarm dice {seed}")
        self._words = words_of(table.settings.table.language)
        self._spots: tuple[tuple[int, int, str], ...] = ()

    def compose(self) -> ComposeResult:
        yield Painted(self._picture_clicked, self._draw, id="picture")
        with Horizontal(id="line"):
            yield Static(" › ")
            yield Command(self._words(N_("/ and then the table's words, such as: status")))
        yield Painted(self._keys_clicked, id="keys")

    def on_mount(self) -> None:
        self.set_interval(1 / LOOKS_PER_S, self.look)

    def look(self) -> None:
        """Draw the newest picture of the table, if there is a new one."""
        if self._over():
            self.exit()
        if self._table.snapshot is not None and self._table.snapshot is not self._shown:
            self._shown = self._table.snapshot
            self._draw()

    def _draw(self) -> None:
        picture = self.screen_stack[0].query_one("#picture", Painted)
        width, height = picture.size
        if not width or not height:
            return
        table, chosen = self._shown, self._chosen
        self._layout = lay_out(
            width, height, len(table.squares), len(table.seats), seat=chosen.seat, square=chosen.square, zoom=self._zoom
        )
        if self._layout is None:
            picture.paint(drawing.draw_too_small(width, height, self._words))
        else:
            picture.paint(drawing.draw(table, chosen, self._layout, width, height, self._words))
        line, self._spots = drawing.draw_keys(width, self._words)
        self.screen_stack[0].query_one("#keys", Painted).paint((line,))

    # ------------------------------------------------------------------ choosing

    @property
    def _seat(self) -> SeatView:
        return self._shown.seats[self._chosen.seat]

    @property
    def _square(self) -> SquareView:
        return self._shown.squares[self._chosen.square]

    def _choose(self, *, seat: int | None = None, square: int | None = None, back: int = 0) -> None:
        self._chosen = Chosen(
            seat=self._chosen.seat if seat is None else seat,
            square=self._chosen.square if square is None else square,
            back=back,
        )
        self._draw()

    def action_seat(self, number: int) -> None:
        if number < len(self._shown.seats):
            self._choose(seat=number)

    def action_square(self, step: int) -> None:
        self._choose(square=(self._chosen.square + step) % len(self._shown.squares))

    def action_row(self, step: int) -> None:
        """To the square above or below; where all are in one row, as far as left and right."""
        per_row = 1 if self._layout is None else self._layout.squares_per_row
        squares = len(self._shown.squares)
        wanted = self._chosen.square + step * (per_row if per_row < squares else 1)
        if 0 <= wanted < squares:
            self._choose(square=wanted)

    def action_scroll(self, pages: int) -> None:
        page = 1 if self._layout is None else max(1, self._layout.log.height - 1)
        self._choose(back=max(0, self._chosen.back - pages * page))

    def action_zoom(self) -> None:
        self._zoom = not self._zoom
        self._draw()

    def _picture_clicked(self, x: int, y: int) -> None:
        if self._layout is None:
            return
        seat, square = self._layout.seat_at(x, y), self._layout.square_at(x, y)
        if seat is not None or square is not None:
            self._choose(seat=seat, square=square)

    async def _run_spot(self, action: str) -> None:
        await self.run_action(action)

    def _keys_clicked(self, x: int, _: int) -> None:
        action = next((action for start, end, action in self._spots if start <= x < end and action), None)
        if action is not None:
            self.call_next(self._run_spot, action)

    # ------------------------------------------------------------------ what people do

    def action_tap(self) -> None:
        self._table.tap(self._seat.seat)

    def action_hold(self) -> None:
        self._table.hold(self._seat.seat)

    def action_roll(self) -> None:
        if not self._square.moving:
            self._table.roll(self._seat.seat, self._square.label)

    def action_click(self, clicks: int) -> None:
        self._table.turn(self._square.label, clicks)

    def action_between(self) -> None:
        self._table.leave_between(self._square.label)

    def action_turn_back(self) -> None:
        self._table.turn_back(self._square.label)

    def action_plug(self) -> None:
        self._table.plug(self._square.label)

    def action_cable(self) -> None:
        self._table.cable(self._square.label)

    def action_fault(self) -> None:
        square = self._square.label

        def chosen(fault: str | None) -> None:
            if fault is not None:
                self._table.strike_or_mend(square, fault)

        self.push_screen(FaultList(self._square, self._words), chosen)

    def action_new_game(self) -> None:
        """A game that is on is not ended by one careless key."""
        if self._shown.stage is Stage.PLAYING:
            self._begin("end")
        else:
            self._table.new_game()

    # ------------------------------------------------------------------ the table's words

    def _begin(self, text: str) -> None:
        self.query_one(Command).begin(text)

    def action_command(self) -> None:
        self._begin("")

    def action_trigger(self) -> None:
        self._begin(f"trigger {self._square.label} {self._seat.seat} entered")

    def action_disarm(self, way: str) -> None:
        dice = " ".join(str(self._dice.randint(1, 6)) for _ in range(3))
        self._begin(f"disarm {self._square.label} {self._seat.seat} {way} {dice}")

    def action_expose(self) -> None:
        self._begin(f"expose {self._square.label} {self._seat.seat}")

    def on_input_submitted(self) -> None:
        text = self.query_one(Command).taken()
        self._choose()
        if text.lower() == "help":
            self.action_help()
        elif text:
            self._table.say(text)

    def action_help(self) -> None:
        self.push_screen(Help(self._words))

    def action_leave(self) -> None:
        self.exit()
