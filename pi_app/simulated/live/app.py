"""The live screen in a terminal: keys and clicks become actions at the table.

It reads frozen snapshots and sends requests; it never touches the table.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from pi_app.displays.terminal_driver import driver
from pi_app.simulated.live import drawing
from pi_app.simulated.live.advice import advice
from pi_app.simulated.live.cells import Canvas, StyledLine
from pi_app.simulated.live.drawing import Chosen
from pi_app.simulated.live.guide import GLOWING, GuideStep, guidance, step_after
from pi_app.simulated.live.key_row import draw_keys
from pi_app.simulated.live.keys import KEYS, SMALL_KEYS, TYPING_KEYS, Key, offer_keys
from pi_app.simulated.live.layout import CellBox, ScreenLayout, SeatBox, lay_out
from pi_app.simulated.live.pages import draw_after, draw_help, draw_intro
from pi_app.simulated.live.side_by_side import draw_side_by_side
from pi_app.simulated.live.table import LiveTable
from pi_app.simulated.live.values import LiveSeat, Snapshot, SquareView, Stage
from pi_app.simulated.live.widgets import (
    INKS,
    PAPERS,
    AfterScreen,
    CommandInput,
    FaultList,
    HelpScreen,
    IntroScreen,
    Painted,
)
from pi_app.text.language import N_
from pi_app.text.language import words as words_of
from pi_app.text.table_words import in_english, in_language

REFRESHES_PER_S: Final = 20


class LiveScreen(App[None]):
    """The table, the command line, and the keys. `over` returns, in any thread, whether the table stops."""

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
    #page-head {{ height: 1; dock: top; }}
    #page-keys {{ height: 1; dock: bottom; }}
    FaultList {{ align: center middle; background: {PAPERS["ground"]}; }}
    #faults {{ width: 96%; height: auto; max-height: 90%; padding: 1 2; background: {PAPERS["panel"]}; }}
    #about {{ height: auto; color: {INKS["text"]}; padding-bottom: 1; }}
    OptionList, OptionList:focus {{ background: {PAPERS["panel"]}; border: none; height: auto; padding: 0; }}
    OptionList > .option-list--option-highlighted {{ background: {PAPERS["chosen"]}; }}
    PageScreen {{ align: center middle; background: {PAPERS["ground"]}; }}
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

    def __init__(
        self, table: LiveTable, snapshot: Snapshot, *, seed: int, over: Callable[[], bool], guided: bool = False
    ) -> None:
        """`guided`: begin with the first page, which offers the guide."""
        super().__init__(driver_class=driver(over))
        self.table, self.over = table, over
        self.failure: Exception | None = None
        self._shown: Snapshot = snapshot
        self._chosen = Chosen()
        self._side_by_side = False
        self._guided, self._step = guided, GuideStep.DONE
        self._told: tuple[str, ...] = ()
        """What followed a game, once its page was shown."""
        self._places: tuple[SeatBox, ...] = ()
        self._layout: ScreenLayout | None = None
        self._dice = random.Random(f"disarm dice {seed}")
        self._words = words_of(table.settings.table.language)
        self._spots: tuple[tuple[int, int, str], ...] = ()

    def compose(self) -> ComposeResult:
        yield Painted(self._picture_clicked, self._draw, id="picture")
        with Horizontal(id="line"):
            yield Static(" › ")
            yield CommandInput(self._words(N_("/ and then a command of the table, such as: status")))
        yield Painted(self._keys_clicked, id="keys")

    def _fatal_error(self) -> None:
        """Close the screen after a bug. Textual would print its traceback with all local variables, and in them are
        secrets of the game."""
        self.failure = self._exception
        self._close_messages_no_wait()

    def on_mount(self) -> None:
        self.set_interval(1 / REFRESHES_PER_S, self.update_picture)
        if self._guided:
            self.push_screen(IntroScreen(lambda width: draw_intro(width, self._words), self._words), self._begin_guide)

    def _begin_guide(self, wanted: bool | None) -> None:
        self._step = GuideStep.TAP if wanted else GuideStep.DONE
        self._draw()

    def update_picture(self) -> None:
        """Draw the newest snapshot of the table, if there is a new one."""
        if self.over():
            self.exit()
        if not self.screen_stack:  # the program has ended, and its timer fires once more
            return
        if self.table.snapshot is not None and self.table.snapshot is not self._shown:
            self._shown = self.table.snapshot
            self._step = step_after(self._step, self._shown)
            self._draw()
            if self._shown.after and self._shown.after is not self._told and len(self.screen_stack) == 1:
                self._told = self._shown.after
                self.action_after_game()
        self._draw_keys()

    def _draw(self) -> None:
        picture = self.screen_stack[0].query_one("#picture", Painted)
        width, height = picture.size
        if not width or not height:
            return
        table, chosen = self._shown, self._chosen
        counts = len(table.squares), len(table.seats)
        self._layout = lay_out(width, height, *counts, seat=chosen.seat, square=chosen.square)
        self._places = ()
        if self._layout is None:
            picture.paint(drawing.draw_too_small(width, height, self._words))
        elif self._comparing:
            picture.paint(self._side_by_side_picture(width, height))
        else:
            hint = self._guidance()
            picture.paint(drawing.draw(self._shown, self._chosen, self._layout, width, height, self._words, hint))
        self._draw_keys()

    @property
    def _comparing(self) -> bool:
        return self._side_by_side or self._step is GuideStep.LOOK

    def _side_by_side_picture(self, width: int, height: int) -> tuple[StyledLine, ...]:
        canvas = Canvas(width, height, "text@ground")
        drawing.draw_header(canvas, self._shown, self._words)
        one_lit = sum(seat.lit for seat in self._shown.seats) == 1 and len(self._shown.seats) > 1
        box = CellBox(0, 1, width, height - 2)
        self._places = draw_side_by_side(
            canvas, box, self._shown, self._chosen.seat, self._words, others_saw=one_lit and self._seat.lit
        )
        hint = self._guidance() or advice(self._shown, self._seat, self._square, self._words)
        drawing.draw_hint(canvas, self._seat, hint, self._words)
        return canvas.lines()

    def _guidance(self) -> str:
        """Return the guide's sentence, if the guide is on."""
        return guidance(self._step, self._shown, self._chosen.seat, self._square.label, self._words)

    def _draw_keys(self) -> None:
        keys = next(iter(self.screen_stack[0].query("#keys").results(Painted)), None)
        if keys is None or not keys.size.width:  # the screen is not laid out yet, or the program ends
            return
        glowing = "" if self._typing else GLOWING.get(self._step, "")
        line, self._spots = draw_keys(keys.size.width, self.offered_keys(), self._words, glowing)
        keys.paint((line,))

    @property
    def _typing(self) -> bool:
        return self.screen_stack[0].query_one(CommandInput).has_focus

    def offered_keys(self) -> tuple[Key, ...]:
        """Return the keys of the bottom row: those that do something now."""
        if self._typing:
            return TYPING_KEYS
        if self._layout is None:
            return SMALL_KEYS
        return offer_keys(self._shown, self._square)

    # ------------------------------------------------------------------ choosing

    @property
    def _seat(self) -> LiveSeat:
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
        """Choose the square above or below; with a single row, the one to the left or right."""
        per_row = 1 if self._layout is None else self._layout.squares_per_row
        squares = len(self._shown.squares)
        wanted = self._chosen.square + step * (per_row if per_row < squares else 1)
        if 0 <= wanted < squares:
            self._choose(square=wanted)

    def action_scroll(self, pages: int) -> None:
        page = 1 if self._layout is None else max(1, self._layout.log.height - 1)
        self._choose(back=max(0, self._chosen.back - pages * page))

    def action_screens(self) -> None:
        """Show all seats' screens side by side, or the table again."""
        self._side_by_side = not self._comparing
        self._step = GuideStep.DONE if self._step is GuideStep.LOOK else self._step
        self._draw()

    def _picture_clicked(self, x: int, y: int) -> None:
        if self._layout is None:
            return
        if self._places:
            seat, square = next((each.seat for each in self._places if each.box.holds(x, y)), None), None
        else:
            seat, square = self._layout.seat_at(x, y), self._layout.square_at(x, y)
        if seat is not None or square is not None:
            self._choose(seat=seat, square=square)

    async def _run_spot(self, action: str) -> None:
        await self.run_action(action)

    def _keys_clicked(self, x: int, _: int) -> None:
        action = next((action for start, end, action in self._spots if start <= x < end and action), None)
        if action is not None:
            self.call_next(self._run_spot, action)

    # ------------------------------------------------------------------ actions

    def action_tap(self) -> None:
        self.table.tap(self._seat.seat)

    def action_hold(self) -> None:
        self.table.hold(self._seat.seat)

    def action_roll(self) -> None:
        if not self._square.moving:
            self.table.roll(self._seat.seat, self._square.label)

    def action_click(self, clicks: int) -> None:
        self.table.turn(self._square.label, clicks)

    def action_between(self) -> None:
        self.table.leave_between(self._square.label)

    def action_turn_back(self) -> None:
        self.table.turn_back(self._square.label)

    def action_plug(self) -> None:
        self.table.plug(self._square.label)

    def action_cable(self) -> None:
        self.table.cable(self._square.label)

    def action_fault(self) -> None:
        square = self._square.label

        def chosen(fault: str | None) -> None:
            if fault is not None:
                self.table.toggle_fault(square, fault)

        self.push_screen(FaultList(self._square, self._words), chosen)

    def action_new_game(self) -> None:
        """Begin another game; a running one is ended with a command that the player confirms."""
        if self._shown.stage is Stage.PLAYING:
            self._begin("end")
        else:
            self.table.new_game()

    def action_after_game(self) -> None:
        """Show the page after a game."""
        lines = self._shown.after

        def left(new_game: bool | None) -> None:
            if new_game:
                self.action_new_game()

        if lines:
            self.push_screen(AfterScreen(lambda width: draw_after(width, lines), self._words), left)

    # ------------------------------------------------------------------ commands

    def _begin(self, text: str) -> None:
        self.query_one(CommandInput).begin(in_language(text, self._words))

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
        text = self.query_one(CommandInput).submitted()
        self._choose()
        if in_english(text, self._words).lower() == "help":
            self.action_help()
        elif text:
            self.table.say(text)

    def action_send_line(self) -> None:
        self.on_input_submitted()

    def action_leave_line(self) -> None:
        self.query_one(CommandInput).action_back()

    def action_help(self) -> None:
        self.push_screen(HelpScreen(lambda width: draw_help(width, self._words), self._words))

    def action_leave(self) -> None:
        self.exit()
