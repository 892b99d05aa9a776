"""The display on a terminal: reads the feed a few times a second and paints the board. It needs no keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from rich.color import Color, ColorType
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from pi_app.displays.terminal_driver import driver
from pi_app.station.display.boards import DisplayOptions, draw, draw_lost, frame_at
from pi_app.station.display.canvas import ColouredLine
from pi_app.station.display.repaint import repaint
from pi_app.station.public.feed import FeedReader
from pi_app.station.public.scene import LOST, PublicScene
from pi_app.text.language import words as words_of

REFRESHES_PER_S: Final = 10
NS_PER_MS: Final = 1_000_000
LOST_LANGUAGE_MS: Final = 9_000

_COLOURS: Final = tuple(Color(str(number), ColorType.STANDARD, number) for number in range(16))


class Board(Widget):
    """Coloured cells. Only the lines that changed are sent to the terminal."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="board")
        self.cells: tuple[ColouredLine, ...] = ()

    def paint(self, lines: tuple[ColouredLine, ...]) -> None:
        """Show these lines."""
        before, self.cells = self.cells, lines
        repaint(self, before, lines)

    def render_line(self, y: int) -> Strip:
        line = self.cells[y] if y < len(self.cells) else ()
        strip = Strip([Segment(text, Style(color=_COLOURS[ink], bgcolor=_COLOURS[paper])) for text, ink, paper in line])
        return strip.adjust_cell_length(self.size.width, Style(bgcolor=_COLOURS[0]))


class DisplayScreen(App[None]):
    """The public display. `lines` are what it shows now, for tests."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    TITLE = "Trapdial"
    CSS = """
    Screen { background: ansi_black; }
    #board { width: 1fr; height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "quit", show=False, priority=True)]

    def __init__(
        self,
        feed: FeedReader,
        clock: Callable[[], int],
        options: DisplayOptions,
        languages: tuple[str, ...] = ("en",),
        over: Callable[[], bool] = lambda: False,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """`clock`: monotonic, in ns. `languages`: of the sentence while there is no feed. `over`: whether to end,
        asked at each refresh. `is_stopping`: whether to end, asked in any thread."""
        super().__init__(ansi_color=True, driver_class=driver(is_stopping))
        self._feed, self._now_ns, self._options, self._languages = feed, clock, options, languages
        self._over = over
        self._since: tuple[str, int] = ("", 0)
        self._last: object = None
        self.failure: Exception | None = None

    def compose(self) -> ComposeResult:
        yield Board()

    def _fatal_error(self) -> None:
        """Close the screen after a bug; the command says it in one line."""
        self.failure = self._exception
        self._close_messages_no_wait()

    def on_mount(self) -> None:
        self.set_interval(1 / REFRESHES_PER_S, self.update_board)
        self.call_after_refresh(self.update_board)

    def on_resize(self) -> None:
        self.update_board()

    @property
    def lines(self) -> tuple[str, ...]:
        """What stands on the screen, without colours."""
        return tuple("".join(text for text, _, _ in line) for line in self._board.cells)

    @property
    def _board(self) -> Board:
        return self.screen_stack[0].query_one(Board)

    def update_board(self) -> None:
        """Read the feed, and draw this moment."""
        if not self.screen_stack or not self.screen_stack[0].query("#board"):
            return
        if self._over():
            self.exit()
            return
        now_ns = self._now_ns()
        new = self._feed.read(now_ns)
        frame = (*self._board.size, self._feed.lost(now_ns), self._frame(now_ns))
        if self._board.size.area and (new or frame != self._last):
            self._last = frame
            self._board.paint(self._drawn(*self._board.size, now_ns))

    def _frame(self, now_ns: int) -> object:
        scene = self._feed.scene
        if scene is None:
            return now_ns // NS_PER_MS // LOST_LANGUAGE_MS
        return frame_at(scene, self._ms(scene, now_ns), self._options)

    def _drawn(self, wide: int, high: int, now_ns: int) -> tuple[ColouredLine, ...]:
        scene, lost = self._feed.scene, self._feed.lost(now_ns)
        if scene is None:
            passed = now_ns // NS_PER_MS
            turn = passed // LOST_LANGUAGE_MS % len(self._languages)
            sentence = words_of(self._languages[turn])(LOST) if lost else ""
            return draw_lost(sentence, wide, high, passed, self._options)
        return draw(scene, wide, high, self._ms(scene, now_ns), self._options, lost=lost)

    def _ms(self, scene: PublicScene, now_ns: int) -> int:
        """How long this state has lasted."""
        if scene.state != self._since[0]:
            self._since = scene.state, now_ns
        return (now_ns - self._since[1]) // NS_PER_MS
