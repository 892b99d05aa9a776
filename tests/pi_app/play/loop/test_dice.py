"""The die of a turn: typed or rolled by the device, on disk before it is shown, and shown to one seat."""

from __future__ import annotations

import collections
import errno
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from pi_app.audit.replay import replay
from pi_app.audit.statistics import die as judged
from pi_app.game import events as ev
from pi_app.journal import read
from pi_app.play.first_event import fair_die
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.pictures import Say, ShowDie, ShowFace
from pi_app.settings import load as st
from pi_app.settings.model import Settings
from pi_app.settings.trap_tables import tables_beside
from tests.pi_app.bad_disk import on_a_bad_disk
from tests.pi_app.playing import Played, settings, table

WRITTEN = "What Ann rolled is written down."
WRONG = "Finding T-AUD-2: T01 was not turned by the number rolled (Ann)."


def device() -> Settings:
    """Return the small table with a roll at each claim."""
    small = settings()
    return replace(small, table=msgspec.structs.replace(small.table, roll="device"))


def blind(used: Settings) -> Settings:
    """Return a table whose first seat has a lamp and no screen."""
    seats = {**used.seats, "ANN": msgspec.structs.replace(used.seats["ANN"], screen=None)}
    return replace(used, seats=MappingProxyType(seats))


def dice(at: Played) -> list[tuple[str, str | None, int, str, str]]:
    return [
        (event.seat, event.square, event.die, event.how, event.grade)
        for event in at.events()
        if isinstance(event, ev.Rolled)
    ]


# ------------------------------------------------------------------------------------------------- said at the table


def test_a_die_that_is_said_is_in_the_record_and_echoed_nowhere(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        before = len(at.lines)
        at.say("rolled ANN 3")
        assert at.lines[before:] == [("referee", WRITTEN)]
        at.turn("T01", 3)
        at.press("ANN")
        assert dice(at) == [("ANN", None, 3, "said", "table")]
        assert at.findings() == []


def test_a_wrong_count_is_told_as_pass_or_fail(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        at.say("rolled ANN 4")
        at.press("ANN")
        assert dice(at) == [("ANN", "T01", 4, "said", "table")]
        assert at.heard("referee").count(WRONG) == 1
        assert WRONG not in at.heard("public")
        assert WRONG not in at.heard("seat ANN")


def test_after_the_turn_it_may_be_said_until_the_seat_lets_go(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        at.press("ANN")
        at.say("rolled ANN 4")
        at.say("rolled ANN 3")
        at.let_go("ANN")
        at.say("rolled ANN 2")
        assert [die for _, _, die, *_ in dice(at)] == [4, 3]
        assert at.heard("referee")[-1] == "Ann has looked and released the button: that turn is over."
        assert at.findings() == ["T-AUD-2"]
        at.tap("ANN")
        at.say("rolled ANN 5")
        assert [die for _, _, die, *_ in dice(at)] == [4, 3, 5]


def test_a_look_that_showed_nothing_ends_no_turn(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.press("ANN")
        at.let_go("ANN")
        at.say("rolled ANN 3")
        assert at.heard("referee")[-1] == WRITTEN


def test_a_die_that_the_disk_refused_was_not_said(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as disk, table(tmp_path) as at:
        at.tap("ANN")
        disk.number = errno.ENOSPC
        at.say("rolled ANN 3")
        assert WRITTEN not in at.heard("referee")
        assert at.screens["ANN"] == "Not recorded: wait. Tell the table."
        assert dice(at) == []


# --------------------------------------------------------------------------------------------- rolled by the device


def test_the_word_roll_shows_the_number_to_one_seat(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.rolls(3)
        at.tap("ANN")
        at.say("roll ANN")
        assert at.screens["ANN"] == "Turn it 3 clicks, let it rest, then hold to look."
        assert "BEN" not in at.screens
        assert dice(at) == [("ANN", None, 3, "device", "table")]
        assert at.heard("public")[-1] == "Ann has rolled and is about to turn a dial."
        at.turn("T01", 3)
        assert at.screens["ANN"] == "T01: Turn it 3 clicks, let it rest, then hold to look."
        at.press("ANN")
        assert isinstance(at.pictures["ANN"], ShowFace)
        assert at.findings() == []


def test_with_the_setting_a_tap_rolls_and_a_hold_shows_it_again(tmp_path: Path) -> None:
    with table(tmp_path, device()) as at:
        at.rolls(5)
        at.tap("ANN")
        assert isinstance(at.pictures["ANN"], ShowDie)
        assert dice(at) == [("ANN", None, 5, "device", "button")]
        at.run(8.5)
        assert at.screens["ANN"] == "dark"
        at.press("ANN")
        assert at.screens["ANN"] == "Turn it 5 clicks, let it rest, then hold to look."
        at.let_go("ANN")
        at.turn("T01", 4)
        at.press("ANN")
        assert at.heard("referee").count(WRONG) == 1
        assert len(dice(at)) == 1


def test_nobody_rolls_until_the_number_suits_them(tmp_path: Path) -> None:
    with table(tmp_path, device()) as at:
        at.rolls(2)
        for _ in range(3):
            at.tap("ANN")
            assert at.screens["ANN"].startswith("Turn it 2 clicks,")
            at.tap("ANN")
            assert at.screens["ANN"] == "Claim taken back."
        at.say("claim ANN")
        at.say("roll ANN")
        assert at.screens["ANN"].startswith("Turn it 2 clicks,")
        at.say("rolled ANN 6")
        assert at.heard("referee")[-1] == "The device rolled for Ann; that roll stands."
        at.turn("T01", 2)
        at.press("ANN")
        at.let_go("ANN")
        assert len(dice(at)) == 1
        at.tap("ANN")
        assert [die for _, _, die, *_ in dice(at)] == [2, 6]


def test_t_trg_7_a_trigger_that_needs_a_die_rolls_too(tmp_path: Path) -> None:
    with table(tmp_path, device()) as at:
        at.rolls(3)
        at.say("trigger T01 ANN")
        assert at.screens["ANN"].startswith("T01: Turn it 3 clicks,")
        assert at.heard("public")[-1] == "Ann sets off T01, has rolled and turns its dial."


def test_a_seat_without_a_screen_rolls_at_the_table(tmp_path: Path) -> None:
    with table(tmp_path, blind(device())) as at:
        at.tap("ANN")
        assert at.heard("referee")[-1] == ("Ann has no screen for a number: roll at the table, and type: rolled ANN N")
        assert dice(at) == []
        at.say("rolled ANN 3")
        assert at.heard("referee")[-1] == WRITTEN


def test_a_die_is_on_disk_before_it_is_shown(tmp_path: Path) -> None:
    with table(tmp_path, device()) as at:
        on_disk: list[int] = []
        at.demo.loop.session.seats["ANN"].display.shown = (  # type: ignore[attr-defined]
            lambda picture, at_ns: on_disk.append(len(dice(at))) if isinstance(picture, ShowDie) else None
        )
        at.tap("ANN")
        assert on_disk == [1]


def test_a_die_that_the_disk_refused_is_not_shown_and_is_rolled_when_it_can_be(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as disk, table(tmp_path, device()) as at:
        at.rolls(4, 2)
        append = at.demo.loop.session.journal.append

        def refuses_dice(game: str, before: object, event: ev.AnyEvent) -> object:
            if isinstance(event, ev.Rolled):
                disk.number = errno.ENOSPC
            return append(game, before, event)  # type: ignore[arg-type]

        at.demo.loop.session.journal.append = refuses_dice  # type: ignore[method-assign,assignment]
        at.tap("ANN")
        assert isinstance(at.pictures["ANN"], Say)
        assert at.screens["ANN"] == "Not recorded: wait. Tell the table."
        at.demo.loop.session.journal.append = append  # type: ignore[method-assign]
        disk.number = None
        at.press("ANN")
        assert at.screens["ANN"].startswith("Turn it 2 clicks,")
        assert [die for _, _, die, *_ in dice(at)] == [2]


def test_replay_knows_every_die_and_a_game_goes_on_with_it(tmp_path: Path) -> None:
    with table(tmp_path, device()) as at:
        at.rolls(4)
        at.tap("ANN")
        moment = at.demo.loop.moment
    (replayed,) = replay(tmp_path / "journal.db")
    assert replayed.moment.game == moment.game
    with table(tmp_path, device(), resume=True) as at:
        at.press("ANN")
        assert at.screens["ANN"].startswith("Turn it 4 clicks,")
        assert sum(isinstance(entry.event, ev.Rolled) for entry in read(at.journal, MAGE_KNIGHT)) == 1


def test_the_devices_die_is_a_fair_one() -> None:
    thrown = collections.Counter(fair_die() for _ in range(6000))
    assert set(thrown) == {1, 2, 3, 4, 5, 6}
    found = judged("the device's die", list(thrown.elements()))
    assert found.p is not None
    assert found.p > 1e-6


@pytest.mark.parametrize("word", ["table", "device"])
def test_the_setting_is_read(word: str) -> None:
    text = st.example_path("2x2").read_text(encoding="utf-8").replace('roll = "table"', f'roll = "{word}"')
    read_settings = st.parse(text, "trapdial.toml", tables_beside(Path()))
    assert isinstance(read_settings, Settings)
    assert read_settings.table.roll == word
