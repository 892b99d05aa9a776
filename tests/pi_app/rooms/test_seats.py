"""Combat cards chosen with a button, on the player's own screen."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.displays.picture import draw
from pi_app.report.pictures import Dark, Say, SeatPicture, ShowDie
from pi_app.rooms.demo import RoomDemo
from pi_app.rooms.report import ROOMS
from pi_app.rooms.settings import parse
from pi_app.text.errors import UserFileError
from pi_app.text.language import words
from tests.pi_app.rooms.fights import CARDS, SEATED, with_tokens
from tests.pi_app.rooms.tables import At

HOW = ("Tap: another card", "Hold: play it")


class Seated(At):
    """A table whose players press buttons."""

    def says(self, *lines: str) -> list[str]:
        """Enter commands, and give the screens time to be drawn."""
        told = super().says(*lines)
        self._run(300)
        return told

    def press(self, seat: str, for_ms: int) -> None:
        self.demo.twins.press(seat)
        self._run(for_ms)
        self.demo.twins.release(seat)
        self._run(100)

    def _run(self, for_ms: int) -> None:
        until_ns = self.demo.twins.clock.now_ns() + for_ms * 1_000_000
        while self.demo.twins.clock.now_ns() < until_ns:
            self.demo.step()

    def tap(self, seat: str, times: int = 1) -> None:
        for _ in range(times):
            self.press(seat, 100)

    def hold(self, seat: str) -> None:
        self.press(seat, 600)

    def screen(self, seat: str) -> bytes:
        """The pixels of a player's screen; nothing if it is dark."""
        oled = self.demo.twins.oleds[seat]
        return oled.pixels() if oled.lit else b""


@contextlib.contextmanager
def table(folder: Path, first: int = 0) -> Iterator[Seated]:
    told: list[str] = []
    folder.mkdir(exist_ok=True)
    with RoomDemo(parse(SEATED, "rooms.toml"), folder / "rooms.db", told.append, seed=3) as demo:
        assert demo.table.seats is not None
        demo.table.seats.pick = lambda cards: first
        at = Seated(demo, told, folder / "rooms.db")
        at.says("card ann 2")
        yield at


def lit(at: Seated, seat: str) -> int:
    return at.demo.twins.oleds[seat].lit_pixels()


def test_d_cmb_2_each_player_chooses_alone_and_both_cards_are_shown_together(tmp_path: Path) -> None:
    """The hand is 0, 1, 2, 3, 4, 5, 6; Ann begins at her 0 and takes the 3, Ben takes the 1."""
    with table(tmp_path) as at:
        assert (at.screen("ann"), at.screen("ben")) == (b"", b"")
        at.says("combat warrior ben.thief")
        neutral = at.screen("ann")
        at.tap("ann", 4)
        assert at.told[-1] == "de | Kampf: ann.warrior gegen ben.thief. Tipp: play ann und play ben", "no new line"
        assert at.screen("ann") not in (b"", neutral)
        at.hold("ann")
        assert at.told[-2:] == [
            "de | Kampf: ann.warrior gegen ben.thief. Tipp: play ben",
            "de | Ann: Die Kampfkarte liegt verdeckt.",
        ]
        at.tap("ben", 2)
        at.hold("ben")
        assert "en | Ann: combat card +3, 6 in all." in at.told
        assert "en | Ben: combat card +1, 3 in all." in at.told
        assert (at.screen("ann"), at.screen("ben")) == (b"", b""), "used cards are not looked at again"
        assert at.game.players["ann"].fighting == (0, 1, 1, 2, 2, 4, 5, 6)


def test_a_hold_without_a_card_on_the_screen_plays_none(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("combat warrior ben.thief")
        at.hold("ann")
        assert at.game.combat is not None
        assert at.game.combat.to_play == ("ann", "ben")
        at.tap("ann")
        shown = at.screen("ann")
        at.press("ben", 30_000)
        assert at.screen("ann") != shown, "a card is not left on a screen"
        at.hold("ann")
        assert at.game.combat.to_play == ("ann", "ben")


def test_a_card_that_was_typed_or_taken_back_changes_the_screen(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("combat warrior ben.thief")
        asked = at.screen("ann")
        at.says("play ann", "4")
        waiting = at.screen("ann")
        assert waiting not in (b"", asked)
        at.says("undo")
        assert at.screen("ann") == asked
        at.says("play ann")
        at.tap("ann")
        at.hold("ann")
        assert at.says("5")[0] == "en | No combat card of Ann was taken. Type: play ann", "her card lies there already"


@pytest.mark.parametrize("other", [0, 6])
def test_a_choice_gives_the_other_player_the_table_and_the_log_equal_bytes(tmp_path: Path, other: int) -> None:
    """Twin games: Ann's first card is a random one, so her taps are the same for every card that she takes."""
    streams = []
    for name, first in (("one", 2), ("other", other)):
        with table(tmp_path / name, first) as at:
            at.says("combat warrior ben.thief")
            seen = []
            for act in (at.tap, at.tap, at.hold):
                act("ann")
                assert at.screen("ben") != b""
                seen.append((list(at.told), at.screen("ben"), lit(at, "ann"), lit(at, "ben")))
            reports = [entry.public.reports for entry in jn.read(at.path, ROOMS)]
            assert at.game.combat is not None
            streams.append((seen, reports, at.game.combat.cards["ann"]))
    (one, one_reports, one_card), (two, two_reports, two_card) = streams
    assert (one, one_reports) == (two, two_reports)
    assert one_card != two_card


def test_a_screen_lights_as_many_pixels_for_every_card() -> None:
    said = words("en")
    pictures: list[SeatPicture] = [Say(HOW)]
    pictures += [ShowDie((f"Combat card +{card}", *HOW)) for card in range(10)]
    pictures_lit = {sum(byte.bit_count() for byte in draw(each, said)) for each in pictures}
    assert len(pictures_lit) == 1
    assert draw(Dark(), said).count(0) == 1024


def test_a_button_without_a_screen_and_a_pin_that_is_taken_are_refused() -> None:
    alone = with_tokens(CARDS).replace('name = "Ann"\n', 'name = "Ann"\nbutton_gpio = 5\n')
    with pytest.raises(UserFileError) as refused:
        parse(alone, "rooms.toml")
    assert refused.value.problems == (
        "rooms.toml [player.ann]: has a button or a screen alone; a combat card is chosen with both",
    )
    with pytest.raises(UserFileError) as refused:
        parse(SEATED.replace("button_gpio = 6", "button_gpio = 5"), "rooms.toml")
    assert "[player.ben]" in refused.value.problems[0]
    assert "seat" not in refused.value.problems[0]
