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
from pi_app.settings.model import Settings
from pi_app.simulated.live.app import LiveScreen
from pi_app.simulated.live.guide import HOLD_BY_LAMP, SENTENCES, GuideStep
from pi_app.simulated.live.keys import KEYS
from pi_app.simulated.live.run import run
from pi_app.simulated.live.side_by_side import SEEN
from pi_app.simulated.live.table import LiveTable
from pi_app.simulated.live.widgets import AfterScreen, CommandInput, FaultList, HelpScreen, IntroScreen, Painted
from pi_app.text.errors import UserFileError
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.everyday import first

SMALL = settings.load(settings.example_path("2x2"))


LARGE = settings.load(settings.example_path("8x4"))
SIZES = [(80, 24), (100, 30), (160, 50)]


def story_of(game_id: str, letters: str) -> tuple[str, ...]:
    assert letters.startswith("TRAPDIAL1")
    return (f"The story of {game_id}.",)


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

    @property
    def hint(self) -> str:
        return self.rows()[-1]

    def rows(self, id: str = "picture") -> list[str]:  # noqa: A002
        painted = self.screen.query_one(f"#{id}", Painted)
        return [painted.render_line(y).text for y in range(painted.size.height)]

    @property
    def bottom(self) -> str:
        """The row of keys that the player sees."""
        (row,) = self.screen.screen.query("#keys, #page-keys").results(Painted)
        return row.render_line(0).text.rstrip()

    @property
    def page(self) -> str:
        """The page over the table."""
        page = self.screen.screen.query_one("#page", Painted)
        return "\n".join(page.render_line(y).text.rstrip() for y in range(page.size.height))

    @property
    def text(self) -> str:
        return "\n".join(self.rows())

    @property
    def typed(self) -> str:
        return self.screen.query_one(Input).value


def played(
    tmp_path: Path,
    play: Callable[[Player], Awaitable[None]],
    size: tuple[int, int] = (80, 24),
    *,
    of: Settings = SMALL,
    guided: bool = False,
) -> None:
    """Open a table on a screen of this size, and play."""

    async def run() -> None:
        with LiveTable(of, tmp_path / "journal.db", seed=3, after_game=story_of).opened() as table:
            table.pass_s(0.5)
            assert table.snapshot is not None
            screen = LiveScreen(table, table.snapshot, seed=3, over=lambda: not table.running, guided=guided)
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
        glass = [row[1:65] for row in player.rows()[2:18]]
        assert sum(cell > "⠀" for row in glass for cell in row) > 200
        await player.press("l", then_s=1.0)
        assert all(row[1:65].isspace() for row in player.rows()[2:18])
        assert "l looks again, d⏎ disarms T01" in player.text

    played(tmp_path, play)


def test_the_other_seat_sees_nothing_of_it(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("c", "r", then_s=3.0)
        await player.press("l", then_s=1.0)
        await player.press("2")
        assert all(row[1:65].isspace() for row in player.rows()[2:18])
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


def test_a_timer_that_fires_after_the_end_draws_nothing(tmp_path: Path) -> None:
    async def run(table: LiveTable) -> None:
        assert table.snapshot is not None
        screen = LiveScreen(table, table.snapshot, seed=3, over=lambda: False)
        async with screen.run_test() as pilot:
            await pilot.pause()
        assert screen.screen_stack == []
        table.pass_s(1.0)
        screen.update_picture()

    with LiveTable(SMALL, tmp_path / "journal.db", seed=3).opened() as table:
        asyncio.run(run(table))


@pytest.mark.parametrize("leave", ["escape", "q"])
def test_the_help_comes_and_goes(tmp_path: Path, leave: str) -> None:
    async def play(player: Player) -> None:
        await player.press("question_mark")
        assert isinstance(player.screen.screen, HelpScreen)
        page = player.screen.screen.query_one("#page", Painted)
        assert page.render_line(0).text.startswith("Tap. Turn. Hold.")
        assert page.size.width <= player.screen.screen.query_one("#help").scrollable_content_region.width
        await player.press("c")
        await player.press(leave)
        assert not isinstance(player.screen.screen, HelpScreen)
        assert "Tap: c taps Ann's button" in player.text

    played(tmp_path, play)


def test_every_page_over_the_table_says_that_it_is_simulated(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        for page, *keys in ((IntroScreen,), (HelpScreen, "escape", "question_mark"), (FaultList, "escape", "f")):
            await player.press(*keys)
            assert isinstance(player.screen.screen, page)
            head = player.screen.screen.query_one("#page-head", Painted)
            assert head.render_line(0).text.rstrip() == " Trapdial  SIMULATED TABLE"
            assert head.region.y == 0
        await player.press("escape", "plus", "n", "enter", then_s=0.5)
        assert isinstance(player.screen.screen, AfterScreen)
        assert "SIMULATED TABLE" in player.screen.screen.query_one("#page-head", Painted).render_line(0).text

    played(tmp_path, play, guided=True)


def test_the_word_help_opens_it_too(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.type("help")
        await player.press("enter")
        assert isinstance(player.screen.screen, HelpScreen)

    played(tmp_path, play)


def test_the_keys_write_the_tables_own_words_and_its_word_for_help_opens_it(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("t")
        assert player.typed == "auslösen T01 ANN eintritt"
        await player.press("escape", "d")
        assert player.typed.startswith("entschärfen T01 ANN schnell ")
        await player.press("escape")
        await player.type("hilfe")
        await player.press("enter")
        assert isinstance(player.screen.screen, HelpScreen)

    played(tmp_path, play, of=settings.speaking(SMALL, ("de",)))


@pytest.mark.slow
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


def test_a_bug_of_the_screen_is_raised_and_no_local_variable_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def draw(screen: LiveScreen) -> None:
        secret = "the trap is a cage"
        raise KeyError(len(secret))

    really_run = LiveScreen.run
    monkeypatch.setattr(LiveScreen, "update_picture", draw)
    monkeypatch.setattr(LiveScreen, "run", lambda screen: really_run(screen, headless=True))
    with pytest.raises(KeyError, match="18"):
        run(SMALL, tmp_path / "journal.db")
    shown = capfd.readouterr()
    assert "cage" not in shown.out + shown.err
    assert "locals" not in shown.out + shown.err


def test_run_leaves_quietly_and_the_journal_can_be_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def say_quit(screen: LiveScreen) -> None:
        screen.table.say("quit")
        while not screen.over():
            pass

    monkeypatch.setattr(LiveScreen, "run", say_quit)
    assert run(SMALL, tmp_path / "journal.db") == ()
    assert run(SMALL, tmp_path / "journal.db", resume=True) == ()


@pytest.mark.slow
def test_run_returns_what_follows_the_game_that_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def end_and_quit(screen: LiveScreen) -> None:
        screen.table.say("end")
        screen.table.say("quit")
        while not screen.over():
            pass

    monkeypatch.setattr(LiveScreen, "run", end_and_quit)
    (line,) = run(SMALL, tmp_path / "journal.db", after_game=story_of)
    assert line.startswith("The story of ")


# ------------------------------------------------------------------------------------------------ the first minute


EVERY_DAY = {(SIZES[0], "en"), (SIZES[-1], "de")}


@pytest.mark.parametrize(
    ("size", "language"),
    [
        pytest.param(size, language, marks=() if (size, language) in EVERY_DAY else pytest.mark.slow)
        for size in SIZES
        for language in LANGUAGES
    ],
)
def test_the_first_minute(tmp_path: Path, size: tuple[int, int], language: str) -> None:
    """The first page, three keys that glow one after the other, and what the others saw."""
    said = words(language)
    labels = {key.action: said(key.label) for key in KEYS}

    async def play(player: Player) -> None:
        assert isinstance(player.screen.screen, IntroScreen)
        assert "Mage Knight 3D Dungeons" in player.page
        assert player.bottom.startswith(" Enter ")
        await player.press("enter")
        assert f"▸c {labels['tap']}◂" in player.bottom
        await player.press("c", then_s=1.0)
        assert f"▸r {labels['roll']}◂" in player.bottom
        await player.press("r", then_s=0.1)
        assert "▸" not in player.bottom
        await player.wait(6.0)
        assert f"▸l {labels['hold']}◂" in player.bottom
        await player.press("l", then_s=1.0)
        assert player.table.snapshot is not None
        assert [seat.lit for seat in player.table.snapshot.seats] == [True, False, False, False]
        titles = player.text
        for seat, word in (("Ann", "lit"), ("Ben", "dark"), ("Cal", "dark"), ("Dee", "dark")):
            assert f"{seat} {said(word)}" in titles
        assert " ".join(said(SEEN).split()) in " ".join(titles.split())
        assert f"▸l {labels['hold']}◂" in player.bottom
        await player.press("l", then_s=1.0)
        assert "▸" not in player.bottom
        assert "▸T01" in player.text

    played(tmp_path, play, size, of=settings.speaking(LARGE, (language,)), guided=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_minute_at_a_lamp(tmp_path: Path, language: str) -> None:
    """A seat without a screen: its flashes are counted on the card, and the guide comes to an end."""
    starter = settings.load(settings.example_path("starter"))

    def said(sentence: str) -> str:
        whole = words(language)(sentence).format(seat="Ann", square="T01")
        return whole.replace("`", "").translate({0xA0: " ", 0x202F: " "})

    async def play(player: Player) -> None:
        await player.press("enter", "c", then_s=1.0)
        await player.press("r", then_s=6.0)
        assert said(HOLD_BY_LAMP) in player.hint
        await player.press("l", then_s=1.5)
        assert said(SENTENCES[GuideStep.COUNT]) in player.hint
        marked = [row for row in player.rows() if row.startswith("│  ▸ ")]
        assert len(marked) > 1
        await player.wait(2.6)
        (read,) = (row for row in player.rows() if row.startswith("│  ▸ "))
        assert read in marked
        await player.press("l", then_s=1.0)
        assert said(SENTENCES[GuideStep.END]) in player.hint
        await player.press("question_mark", "escape", "l", then_s=0.5)
        assert said(SENTENCES[GuideStep.END]) not in player.hint

    played(tmp_path, play, of=settings.speaking(starter, (language,)), guided=True)


def test_the_first_page_can_be_left_without_the_guide(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("escape")
        assert "▸" not in player.bottom
        assert "Tap: c taps Ann's button" in player.text

    played(tmp_path, play, guided=True)


def test_the_screens_of_all_seats_stand_side_by_side_and_a_click_chooses_one(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("s")
        assert "1 Ann dark" in player.text
        assert "2 Ben dark" in player.text
        assert "▸T01" not in player.text
        await player.pilot.click("#picture", offset=(player.rows()[1].index("Ben"), 1))
        assert "▸2 Ben" in player.text
        await player.press("s")
        assert "▸T01" in player.text

    played(tmp_path, play)


@pytest.mark.slow
def test_at_one_table_the_squares_and_the_log_are_in_the_chosen_seats_language(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.press("c", "r", then_s=4.0)
        await player.press("l", "l", then_s=1.0)
        for seat, own in (("1", "aufgedeckt von Ann"), ("2", "revelada por Ann"), ("3", "découverte par Ann")):
            await player.press(seat)
            assert own in player.text
            assert player.text.count(own.split()[0]) == 2

    played(tmp_path, play, (160, 50), of=settings.speaking(LARGE, ("de", "es", "fr", "it")))


# ------------------------------------------------------------------------------------- the bottom row never lies


def state_of(player: Player) -> tuple[object, ...]:
    """All that a key can change."""
    screen = player.screen
    shown = player.table.snapshot
    assert shown is not None
    return (shown.squares, shown.seats, shown.stage, len(screen.screen_stack), player.typed, player.text)


SMALL_EVERY_DAY = first(1, SIZES)


@pytest.mark.parametrize("size", [*SMALL_EVERY_DAY, pytest.param((300, 60), marks=pytest.mark.slow)])
def test_every_key_that_is_offered_does_something(tmp_path: Path, size: tuple[int, int]) -> None:
    async def play(player: Player) -> None:
        offered = {key.action: key for key in player.screen.offered_keys()}
        keys = {action: key.keys.split(",")[0] for action, key in offered.items()} | {"seat": "2", "square": "right"}
        assert {"tap", "roll", "hold", "screens", "help", "turn_back"} <= keys.keys()
        for action, key in keys.items():
            if action in ("", "leave"):
                continue
            before = state_of(player)
            await player.press(key, then_s=0.2)
            assert state_of(player) != before, f"{key} ({action})"
            while len(player.screen.screen_stack) > 1 or player.screen.query_one(CommandInput).has_focus:
                await player.press("escape", then_s=0.0)
        await player.press("q")
        assert player.screen.return_code == 0

    played(tmp_path, play, size)


def test_every_key_that_does_something_is_in_the_help() -> None:
    named = {"up", "down", "left", "right", *map(str, range(1, 10))}  # the help names them in words
    in_help = {name for key in KEYS if key.help or key.keys == "pagedown" for name in key.keys.split(",")}
    bound = {name for binding in LiveScreen.BINDINGS for name in str(getattr(binding, "key", "")).split(",")}
    assert bound <= named | in_help


def test_the_bottom_row_follows_the_command_line_and_the_pages(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        assert player.bottom.endswith("? help  q quit")
        await player.press("t")
        assert player.bottom == " Enter run the command  Esc back  ↑↓ earlier commands"
        await player.press("escape", "question_mark")
        assert player.bottom == " Esc back  ↑↓ scroll"
        await player.press("escape", "f")
        assert player.bottom == " ↑↓ choose  Enter inject or clear  Esc back"
        await player.press("escape")
        assert player.bottom.endswith("? help  q quit")
        await player.pilot.resize_terminal(70, 20)
        await player.wait(0.1)
        assert player.bottom == " ? help  q quit"

    played(tmp_path, play)


@pytest.mark.slow
def test_the_keys_of_the_command_line_can_be_clicked(tmp_path: Path) -> None:
    async def play(player: Player) -> None:
        await player.type("check")
        await player.wait(0.0)
        await player.pilot.click("#keys", offset=(2, 0))
        await player.wait(0.5)
        assert "Every dial is at its start mark." in player.text
        await player.press("t")
        await player.pilot.click("#keys", offset=(player.bottom.index("Esc"), 0))
        await player.wait(0.1)
        assert player.typed == ""

    played(tmp_path, play)


# ------------------------------------------------------------------------------------------------- after a game


@pytest.mark.parametrize("size", SMALL_EVERY_DAY)
def test_after_a_game_its_story_is_shown_and_again_by_a_key(tmp_path: Path, size: tuple[int, int]) -> None:
    async def play(player: Player) -> None:
        await player.press("plus", "n", "enter", then_s=0.5)
        assert isinstance(player.screen.screen, AfterScreen)
        assert player.page.startswith("The story of ")
        assert player.bottom == " Esc back  ↑↓ scroll  n new game"
        await player.press("escape")
        assert "a story" in player.bottom
        assert "c tap" not in player.bottom
        await player.press("a")
        assert isinstance(player.screen.screen, AfterScreen)
        await player.press("n", then_s=4.0)
        assert "Tap: c taps Ann's button" in player.text
        assert "a story" not in player.bottom

    played(tmp_path, play, size)
