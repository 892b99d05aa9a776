"""The live screen with keys and mouse, without a terminal. The test steps the table."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.events import Key
from textual.geometry import Size
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input, OptionList

from hardware.sims.faults import FAULTS
from pi_app.settings import load as settings
from pi_app.simulated.live.app import LiveScreen
from pi_app.simulated.live.run import run
from pi_app.simulated.live.table import LiveTable
from pi_app.simulated.live.widgets import FaultList, HelpScreen, Painted
from pi_app.text.errors import UserFileError

SMALL = settings.load(settings.example_path("2x2"))


class Player:
    """A player at the keyboard."""

    def __init__(self, table: LiveTable, screen: LiveScreen, pilot: Pilot[None]) -> None:
        self.table, self.screen, self.pilot = table, screen, pilot

    async def press(self, *keys: str, then_s: float = 0.3) -> None:
        """Press keys, and let the table run a little after each."""
        for key in keys:
            await self.send(key)
            await self.wait(then_s)

    async def send(self, key: str) -> None:
        """Send one key as the terminal does. (Pilot's own `press` waits for an idle processor, which takes long.)"""
        self.screen.post_message(Key(key, key if len(key) == 1 else None))
        await self.settle()

    async def settle(self) -> None:
        """Let all messages arrive; some send more."""
        for _ in range(3):
            await self.pilot.pause(0)

    async def type(self, words: str) -> None:
        """Open the command line and type."""
        for key in ("slash", *words):
            await self.send(key)

    async def wait(self, seconds: float) -> None:
        self.table.pass_s(seconds)
        self.screen.update_picture()
        await self.settle()

    def rows(self, id: str = "picture") -> list[str]:  # noqa: A002
        painted = self.screen.query_one(f"#{id}", Painted)
        return [painted.render_line(y).text for y in range(painted.size.height)]

    @property
    def text(self) -> str:
        return "\n".join(self.rows())

    @property
    def typed(self) -> str:
        return self.screen.query_one(Input).value


def played(tmp_path: Path, play: Callable[[Player], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    """Open a table on a screen of this size, and play."""

    async def run() -> None:
        with LiveTable(SMALL, tmp_path / "journal.db", seed=3).opened() as table:
            table.pass_s(0.5)
            assert table.snapshot is not None
            screen = LiveScreen(table, table.snapshot, seed=3, over=lambda: not table.running)
            async with screen.run_test(size=size) as pilot:
                await pilot.pause()
                await play(Player(table, screen, pilot))

    asyncio.run(run())


def test_a_whole_expose_by_keys(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        assert "Tap: c taps Ann's button" in player.text
        await player.press("c", then_s=1.0)
        assert "Turn: r rolls a die for Ann and turns T01" in player.text
        await player.press("r", then_s=4.5)
        assert "Rolled ⚅ 6. Hold: l presses the button and shows T01 to Ann alone." in player.text
        await player.press("l", then_s=1.0)
        assert "T01: exposed by Ann." in player.text
        assert player.table.snapshot is not None
        assert player.table.snapshot.seats[0].lit
        glass = [row[:64] for row in player.rows()[2:18]]
        assert sum(cell > "⠀" for row in glass for cell in row) > 200
        await player.press("l", then_s=1.0)
        assert all(row[:64].isspace() for row in player.rows()[2:18])
        assert "l looks again, d disarms T01" in player.text

    played(tmp_path, play)


def test_the_other_seat_sees_nothing_of_it(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("c", "r", then_s=3.0)
        await player.press("l", then_s=1.0)
        await player.press("2")
        assert all(row[:64].isspace() for row in player.rows()[2:18])
        assert "▸2 Ben" in player.rows()[1]

    played(tmp_path, play)


def test_single_clicks_either_way_and_between(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        def turned() -> float:
            assert player.table.snapshot is not None
            return player.table.snapshot.squares[1].turned

        await player.press("right", "plus", "equals_sign", "minus", then_s=0.5)
        assert turned() == 1.0
        await player.press("b", then_s=0.5)
        assert turned() == 1.5
        assert "T02 is between two clicks: b turns it to one." in player.text
        await player.press("b", "0", then_s=1.5)
        assert turned() == 0.0

    played(tmp_path, play)


def test_a_lead_is_pulled_and_put_back(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("p", then_s=1.0)
        assert "lead out" in player.text
        assert "The lead of T01 is pulled; the other dials still work. p plugs it in." in player.text
        await player.press("p", then_s=1.0)
        assert "lead out" not in player.text

    played(tmp_path, play)


def test_a_fault_is_chosen_shown_and_mended(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("f")
        listed = player.screen.screen
        assert isinstance(listed, FaultList)
        assert listed.query_one(OptionList).option_count == len(FAULTS)
        await player.press(*["down"] * list(FAULTS).index("stuck-low"), "enter", then_s=0.05)
        await player.wait(1.0)
        assert "T01 has a fault (stuck-low): f shows it and clears it." in player.text
        await player.press("f", *["down"] * list(FAULTS).index("stuck-low"), "enter", then_s=0.05)
        await player.wait(1.0)
        assert "has a fault" not in player.text
        await player.press("f", "escape")
        assert not isinstance(player.screen.screen, FaultList)

    played(tmp_path, play)


def test_disarm_and_trigger_write_the_words_and_enter_says_them(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("c", "r", then_s=3.0)
        await player.press("l", "l", then_s=1.2)
        await player.press("t")
        assert player.typed == "trigger T01 ANN entered"
        await player.press("escape")
        assert player.typed == ""
        await player.press("d")
        verb, square, seat, way, *dice = player.typed.split()
        assert (verb, square, seat, way, len(dice)) == ("disarm", "T01", "ANN", "quick", 3)
        assert set(dice) <= set("123456")
        await player.press("enter")
        assert "quick disarm attempt by Ann" in player.text
        assert player.typed == ""

    played(tmp_path, play, size=(80, 30))


def test_the_line_for_words_takes_letters_that_are_keys_elsewhere_and_remembers(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.type("status")
        assert player.typed == "status"
        await player.press("enter")
        await player.type("check")
        await player.press("enter")
        assert "referee: Every dial is at its start mark." in player.text
        await player.press("slash", "up", then_s=0.0)
        assert player.typed == "check"
        await player.press("up", "up", then_s=0.0)
        assert player.typed == "status"
        await player.press("down", "down", then_s=0.0)
        assert player.typed == ""
        await player.press("escape", "q")
        assert player.screen.return_code == 0

    played(tmp_path, play)


def test_a_word_that_is_none_is_refused_in_words(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.type("clam")
        await player.press("enter")
        assert "referee: There is no command 'clam'; did you mean 'claim'?" in player.text

    played(tmp_path, play)


def test_a_game_is_ended_by_two_keys_and_another_begun_by_one(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("plus", "n")
        assert player.typed == "end"
        await player.press("enter")
        assert "The game is over: n has every dial turned back and begins another." in player.text
        await player.press("n", then_s=4.0)
        assert "Tap: c taps Ann's button" in player.text

    played(tmp_path, play)


@pytest.mark.parametrize("leave", ["escape", "q"])
def test_the_help_comes_and_goes(tmp_path: Path, leave: str) -> None:
    async def play(player: Player) -> None:
        await player.press("question_mark")
        assert isinstance(player.screen.screen, HelpScreen)
        page = player.screen.screen.query_one("#page", Painted)
        assert page.render_line(0).text.startswith("Tap. Turn. Hold.")
        await player.press("c")
        await player.press(leave)
        assert not isinstance(player.screen.screen, HelpScreen)
        assert "Tap: c taps Ann's button" in player.text

    played(tmp_path, play)


def test_the_word_help_opens_it_too(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.type("help")
        await player.press("enter")
        assert isinstance(player.screen.screen, HelpScreen)

    played(tmp_path, play)


def test_the_mouse_chooses_and_presses_keys(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.pilot.click("#picture", offset=(45, 1))
        await player.pilot.click("#picture", offset=(72, 5))
        assert "▸2 Ben" in player.rows()[1]
        assert "▸T02" in player.rows()[4]
        await player.pilot.click("#keys", offset=(player.rows("keys")[0].index("c tap"), 0))
        await player.wait(0.5)
        assert "Ben is about to turn a dial." in player.text

    played(tmp_path, play)


def test_every_size_and_back(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        for width, height in ((120, 40), (70, 20), (200, 60), (80, 24)):
            await player.pilot.resize_terminal(width, height)
            await player.wait(0.1)
            assert player.screen.size == Size(width, height)
            small = width < 80
            assert ("needs 80 columns" in player.text) is small
            assert ("▸T01" in player.text) is not small
            assert {len(row) for row in player.rows()} == {width}
        await player.press("z", "pageup", "pagedown", "left", "up", "down", then_s=0.0)
        assert "▸T02" in player.text

    played(tmp_path, play)


def test_only_rows_that_changed_are_drawn_again(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        painted = player.screen.query_one("#picture", Painted)
        drawn: list[int] = []
        render = painted.render_line

        def watched(y: int) -> Strip:
            drawn.append(y)
            return render(y)

        painted.render_line = watched  # type: ignore[method-assign]
        player.screen.update_picture()
        await player.pilot.pause()
        assert drawn == []
        await player.wait(1.0)
        assert drawn == [0], "the clock alone has changed"

    played(tmp_path, play)


def test_the_screen_closes_when_the_table_has_stopped(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.type("quit")
        await player.press("enter")
        assert not player.table.running
        assert player.screen.return_code == 0

    played(tmp_path, play)


def test_run_raises_what_went_wrong_at_the_table_before_any_screen_opens(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    journal.write_bytes(b"garbage")
    with pytest.raises(UserFileError):
        run(SMALL, journal)


def test_run_raises_what_goes_wrong_at_the_table_while_it_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look_on(screen: LiveScreen) -> None:
        screen.table.turn("nowhere", 1)
        while not screen.over():
            pass

    monkeypatch.setattr(LiveScreen, "run", look_on)
    with pytest.raises(KeyError, match="nowhere"):
        run(SMALL, tmp_path / "journal.db")


def test_run_leaves_quietly_and_the_journal_can_be_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def say_quit(screen: LiveScreen) -> None:
        screen.table.say("quit")
        while not screen.over():
            pass

    monkeypatch.setattr(LiveScreen, "run", say_quit)
    run(SMALL, tmp_path / "journal.db")
    run(SMALL, tmp_path / "journal.db", resume=True)
