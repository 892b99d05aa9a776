"""The display in Textual, headless: it shows the feed, says that it is gone, and comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pi_app.station.display.app import DisplayScreen
from pi_app.station.display.boards import DisplayOptions
from pi_app.station.public.feed import RETRY_NS, SILENT_NS, FeedReader, PublicFeed
from tests.pi_app.station.display.golden import SIZE, file
from tests.station.states import state


class DisplayHere:
    """A display with a feed of its own, and a clock that a test sets."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "public.sock"
        self.now_ns = 1_000_000_000
        self.reader = FeedReader(self.path)
        self.screen = DisplayScreen(self.reader, lambda: self.now_ns, DisplayOptions(still=True))

    def text(self) -> str:
        self.screen.update_board()
        return "".join(line.rstrip() + "\n" for line in self.screen.lines)


def test_it_shows_the_feed_says_that_it_is_gone_and_comes_back(tmp_path: Path) -> None:
    display = DisplayHere(tmp_path)

    async def scenario() -> None:
        async with display.screen.run_test(size=SIZE) as pilot:
            assert display.text().split() == []
            display.now_ns += SILENT_NS
            assert "The table does not answer." in display.text()
            feed = PublicFeed(display.path)
            assert feed.trouble == ""
            display.now_ns += RETRY_NS
            display.text()
            feed.show(state("closed"), display.now_ns)
            assert display.text() == file("closed").read_text(encoding="utf-8")
            feed.show(state("thanks"), display.now_ns)
            assert display.text() == file("thanks").read_text(encoding="utf-8")
            feed.close()
            display.now_ns += SILENT_NS
            assert "The table does not answer." in display.text()
            again = PublicFeed(display.path)
            display.now_ns += RETRY_NS
            display.text()
            again.show(state("thanks"), display.now_ns)
            assert "does not answer" not in display.text()
            again.close()
            await pilot.pause()

    asyncio.run(scenario())
    assert display.screen.failure is None
    display.reader.close()


def test_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    screen = DisplayScreen(FeedReader(tmp_path / "none"), lambda: 0, DisplayOptions(), over=lambda: True)

    async def scenario() -> None:
        async with screen.run_test(size=SIZE) as pilot:
            screen.update_board()
            await pilot.pause()

    asyncio.run(scenario())
    assert screen.return_code == 0
