"""The widgets of the live screen: painted lines, the command line, the help and the list of faults."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Click, Resize
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from pi_app.simulated.live.cells import StyledLine
from pi_app.simulated.live.key_row import draw_keys
from pi_app.simulated.live.keys import AFTER_KEYS, FAULT_KEYS, INTRO_KEYS, PAGE_KEYS, Key
from pi_app.simulated.live.screens import SHADES
from pi_app.simulated.live.values import SquareView
from pi_app.simulated.table import FAULTS, Fault
from pi_app.station.display.repaint import repaint
from pi_app.text.language import N_, Words
from pi_app.text.printed import shown

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
    "edge": "#667181",
    "key": "bold #f2b134",
    "black": "#14100a",
    "lamp": "bold #ffd95a",
    "exposed": "#74c8ff",
    "triggered": "#ff7a6b",
    "disarmed": "#86d993",
    "referee": "#e0a070",
}
MARGIN: Final = 10
"""Columns beside a page: its edges and its scroll bar."""

GLOW: Final = (0xFF, 0xD2, 0x4A)
DIMMEST: Final = 0.85


def _glow(shade: int) -> str:
    """Return the colour of a screen's light: brighter with its contrast."""
    part = DIMMEST + (1 - DIMMEST) * shade / (SHADES - 1)
    return "#" + "".join(f"{round(colour * part):02x}" for colour in GLOW)


@functools.cache
def style(name: str) -> Style:
    """Return the colours of a style `INK@PAPER`."""
    ink, _, paper = name.partition("@")
    colour = _glow(int(ink.removeprefix("oled"))) if ink.startswith("oled") else INKS[ink]
    return Style.parse(f"{colour} on {PAPERS[paper]}")


class Painted(Widget):
    """Styled lines. Only those that changed are sent to the terminal."""

    ALLOW_SELECT = False

    def __init__(
        self,
        clicked: Callable[[int, int], None] | None = None,
        resized: Callable[[], None] | None = None,
        *,
        id: str,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._lines: tuple[StyledLine, ...] = ()
        self._clicked, self._resized = clicked, resized

    def paint(self, lines: tuple[StyledLine, ...]) -> None:
        """Show these lines."""
        before, self._lines = self._lines, lines
        repaint(self, before, lines)

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


class KeyRow(Painted):
    """The bottom row of a page."""

    def __init__(self, keys: Sequence[Key], words: Words) -> None:
        super().__init__(resized=self._draw_keys, id="page-keys")
        self._keys, self._words = keys, words

    def _draw_keys(self) -> None:
        self.paint((draw_keys(self.size.width, self._keys, self._words)[0],))


class PageHead(Painted):
    """The top row of a page: that the table is simulated."""

    def __init__(self, words: Words) -> None:
        super().__init__(id="page-head")
        mark = (f" {words(N_('SIMULATED TABLE'))} ", "black@simulated")
        self.paint((((" Trapdial ", "name@bar"), mark, (" ", "text@bar")),))


LONGEST_LINE: Final = 1000


class CommandInput(Input):
    """The line for the table's commands, with a history."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier(1)", show=False),
        Binding("down", "earlier(-1)", show=False),
        Binding("escape", "back", show=False),
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__(
            placeholder=placeholder, compact=True, id="command", select_on_focus=False, max_length=LONGEST_LINE
        )
        self._history: list[str] = []
        self._back = 0

    def replace(self, text: str, start: int, end: int) -> None:
        """Insert text that was typed or pasted; what may not be printed is shown."""
        super().replace(shown(text), start, end)

    def begin(self, text: str) -> None:
        """Start typing after this text."""
        self.value = text
        self.cursor_position = len(text)
        self._back = 0
        self.focus()

    def submitted(self) -> str:
        """Return the typed line; clear it and add it to the history."""
        text = self.value.strip()
        if text and self._history[-1:] != [text]:
            self._history.append(text)
        self.action_back()
        return text

    def action_earlier(self, steps: int) -> None:
        self._back = min(max(0, self._back + steps), len(self._history))
        self.value = self._history[-self._back] if self._back else ""
        self.cursor_position = len(self.value)

    def action_back(self) -> None:
        self.value = ""
        self._back = 0
        self.screen.set_focus(None)


class PageScreen(ModalScreen[bool]):
    """A page over the table, with the keys that it has. It is dismissed with True for its own key, else with False."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("ctrl+c,ctrl+q", "app.leave", show=False, priority=True),
    ]
    KEYS: ClassVar[Sequence[Key]] = PAGE_KEYS

    def __init__(self, draw: Callable[[int], tuple[StyledLine, ...]], words: Words) -> None:
        super().__init__()
        self._draw_page, self._words = draw, words

    def compose(self) -> ComposeResult:
        yield PageHead(self._words)
        with VerticalScroll(id="help"):
            yield Painted(id="page")
        yield KeyRow(self.KEYS, self._words)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self, event: Resize) -> None:
        width = min(110, event.size.width - MARGIN)
        lines = self._draw_page(width)
        page = self.query_one("#page", Painted)
        page.styles.width, page.styles.height = width, len(lines)
        page.paint(lines)

    def action_leave(self) -> None:
        self.dismiss(False)

    def action_own(self) -> None:
        self.dismiss(True)


class HelpScreen(PageScreen):
    """The help page."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,q,enter,f1", "leave", show=False)]


class IntroScreen(PageScreen):
    """The first page: what this is, and the offer of a guide."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "own", show=False),
        Binding("q", "app.leave", show=False),
    ]
    KEYS = INTRO_KEYS


class AfterScreen(PageScreen):
    """The page after a game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "own", show=False),
        Binding("q,enter,a", "leave", show=False),
    ]
    KEYS = AFTER_KEYS


class FaultList(ModalScreen[str | None]):
    """The faults for one tile. Enter injects the chosen one, or clears it if it is active."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f,q", "leave", show=False),
        Binding("ctrl+c,ctrl+q", "app.leave", show=False, priority=True),
    ]

    def __init__(self, square: SquareView, words: Words) -> None:
        super().__init__()
        self._square, self._words = square, words

    def compose(self) -> ComposeResult:
        title = self._words(N_("Faults for {square}: Enter injects one, or clears an active one; Esc leaves."))
        yield PageHead(self._words)
        with VerticalScroll(id="faults"):
            yield Static(title.format(square=self._square.label), id="about", markup=False)
            yield OptionList(*(Option(self._line(fault), fault.name) for fault in FAULTS.values()), markup=False)
        yield KeyRow(FAULT_KEYS, self._words)

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def _line(self, fault: Fault) -> Text:
        active = fault.name in self._square.faults
        line = Text(f"{'●' if active else ' '} {fault.name:<18}", style("key@panel" if active else "name@panel"))
        return line.append(fault.line, style("dim@panel"))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_leave(self) -> None:
        self.dismiss(None)
