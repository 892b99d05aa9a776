"""A table that is played by hand. The test steps it, without a thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from pi_app.settings import load as settings
from pi_app.simulated import actions
from pi_app.simulated.live.table import LiveTable
from pi_app.simulated.live.values import Claiming, LiveSeat, Snapshot, SquareView, Stage
from pi_app.text.errors import UserFileError

SMALL = settings.load(settings.example_path("2x2"))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[LiveTable]:
    with LiveTable(SMALL, tmp_path / "journal.db", seed=3).opened() as live:
        live.pass_s(0.5)
        yield live


def seen(table: LiveTable) -> Snapshot:
    assert table.snapshot is not None
    return table.snapshot


def seat(table: LiveTable, key: str = "ANN") -> LiveSeat:
    return next(view for view in seen(table).seats if view.seat == key)


def square(table: LiveTable, label: str = "T01") -> SquareView:
    return next(view for view in seen(table).squares if view.label == label)


def lines(table: LiveTable) -> list[str]:
    return [told.line for told in seen(table).log]


def test_at_first_everything_is_concealed_and_dark(table: LiveTable) -> None:
    snapshot = seen(table)
    assert (snapshot.table_name, snapshot.samples, snapshot.stage) == ("Small table", True, Stage.PLAYING)
    assert [(view.told, view.turned, view.at_start) for view in snapshot.squares] == [("concealed", 0.0, True)] * 2
    assert [(view.name, view.lit, view.lamp, view.held) for view in snapshot.seats] == [
        ("Ann", False, False, False),
        ("Ben", False, False, False),
    ]


def test_tap_roll_hold_and_let_go(table: LiveTable) -> None:
    table.tap("ANN")
    table.pass_s(0.5)
    assert seat(table).claiming is Claiming.OPEN
    table.roll("ANN", "T01")
    table.pass_s(0.2)
    assert (square(table).moving, square(table).turned_by) == (True, "Ann")
    table.pass_s(4.0)
    rolled = seat(table).rolled
    assert rolled is not None
    assert square(table).turned == rolled
    assert (seat(table).claiming, seat(table).square) == (Claiming.BOUND, "T01")
    table.hold("ANN")
    table.pass_s(1.0)
    assert (seat(table).held, seat(table).lit, seat(table, "BEN").lit) == (True, True, False)
    assert square(table).told == "exposed by Ann"
    table.hold("ANN")
    table.pass_s(0.5)
    assert (seat(table).held, seat(table).lit) == (False, False)
    table.pass_s(4.0)
    assert not seat(table).lamp
    table.pass_s(8.0)
    assert seat(table).rolled is None


def test_the_lamp_is_what_the_pin_is(table: LiveTable) -> None:
    table.tap("ANN")
    table.pass_s(0.5)
    table.turn("T01", 4)
    table.pass_s(3.0)
    table.hold("ANN")
    shone = set()
    for _ in range(60):
        table.pass_s(0.05)
        shone.add(seat(table).lamp)
    assert shone == {True, False}


def test_a_thumb_lets_go_by_itself(table: LiveTable) -> None:
    table.hold("ANN")
    table.pass_s(8.5)
    assert seat(table).held
    table.pass_s(1.0)
    assert not seat(table).held


def test_tapping_a_button_that_is_held_lets_it_go(table: LiveTable) -> None:
    table.hold("BEN")
    table.pass_s(1.0)
    table.tap("BEN")
    table.pass_s(0.1)
    assert not seat(table, "BEN").held


def test_a_lead_is_pulled_and_put_back(table: LiveTable) -> None:
    table.plug("T02")
    table.pass_s(1.0)
    assert (square(table, "T02").plugged, square(table).plugged) == (False, True)
    assert any(line.startswith("dial T02 ") for line in lines(table))
    table.plug("T02")
    table.pass_s(1.0)
    assert square(table, "T02").plugged
    assert square(table, "T02").told == "concealed"


def test_a_lasting_fault_is_noted_until_it_is_mended(table: LiveTable) -> None:
    table.toggle_fault("T01", "spike")
    table.pass_s(0.1)
    assert square(table).faults == ()
    table.toggle_fault("T01", "magnet-missing")
    table.pass_s(0.1)
    assert square(table).faults == ("magnet-missing",)
    table.toggle_fault("T01", "magnet-missing")
    table.pass_s(0.1)
    assert square(table).faults == ()


def test_a_dial_is_left_between_two_clicks_and_seated_again(table: LiveTable) -> None:
    table.leave_between("T01")
    table.pass_s(1.0)
    assert (square(table).between, square(table).turned) == (True, 0.5)
    table.leave_between("T01")
    table.pass_s(1.0)
    assert (square(table).between, square(table).turned) == (False, 1.0)


def test_a_dial_is_turned_back_also_from_between(table: LiveTable) -> None:
    table.turn("T01", 3)
    table.pass_s(3.0)
    table.leave_between("T01")
    table.pass_s(1.0)
    assert square(table).turned == 3.5
    table.turn_back("T01")
    table.pass_s(3.0)
    assert square(table).at_start


def test_after_a_game_the_dials_are_turned_back_before_another_begins(table: LiveTable) -> None:
    table.turn("T01", 5)
    table.pass_s(4.0)
    table.say("end")
    table.pass_s(0.1)
    assert seen(table).stage is Stage.ENDED
    table.new_game()
    table.pass_s(0.5)
    assert seen(table).stage is Stage.ENDED
    table.pass_s(6.0)
    assert seen(table).stage is Stage.PLAYING
    assert [(view.told, view.at_start) for view in seen(table).squares] == [("concealed", True)] * 2


def test_what_is_told_is_for_everyone_or_for_the_referee(table: LiveTable) -> None:
    table.tap("ANN")
    table.pass_s(0.5)
    table.turn("T01", 7)
    table.pass_s(6.0)
    table.hold("ANN")
    table.pass_s(1.0)
    assert {told.viewer for told in seen(table).log} == {"public", "referee"}
    assert lines(table).count("T01: exposed by Ann.") == 1
    assert any(line.startswith("Finding T-AUD-2: ") for line in lines(table))


def test_acts_are_done_and_words_are_said(table: LiveTable) -> None:
    table.do(actions.Press("BEN"))
    table.say("claim ANN")
    table.pass_s(0.1)
    assert (seat(table, "BEN").held, seat(table).claiming) == (True, Claiming.OPEN)


def test_a_picture_in_which_nothing_changed_stays_the_same_one(table: LiveTable) -> None:
    table.pass_s(2.0)
    before = seen(table)
    table.take_snapshot()
    assert seen(table) is before


def test_the_scan_is_counted(table: LiveTable) -> None:
    table.pass_s(2.0)
    assert (seen(table).samples_per_s, seen(table).longest_gap_ms) == (100, 10)


def test_quit_ends_it(table: LiveTable) -> None:
    table.say("quit")
    table.pass_s(1.0)
    assert not table.running


def test_a_game_goes_on_where_it_was(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with LiveTable(SMALL, journal, seed=3).opened() as before:
        before.pass_s(0.5)
        before.tap("ANN")
        before.pass_s(0.5)
        before.turn("T01", 2)
        before.pass_s(2.0)
        before.hold("ANN")
        before.pass_s(1.0)
    with LiveTable(SMALL, journal, seed=3, resume=True).opened() as after:
        after.pass_s(0.5)
        assert (square(after).told, square(after).turned) == ("exposed by Ann", 2.0)


def test_play_says_that_it_has_begun_and_ends_when_told(tmp_path: Path) -> None:
    table = LiveTable(SMALL, tmp_path / "journal.db")
    table.stop()
    table.play()
    assert table.begun.is_set()
    assert table.snapshot is not None


def test_a_journal_that_is_none_is_said_so_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    journal.write_bytes(b"garbage")
    table = LiveTable(SMALL, journal)
    with pytest.raises(UserFileError):
        table.play()
    assert table.begun.is_set()
    assert table.snapshot is None


def test_where_the_device_rolls_a_hand_turns_what_its_screen_says(tmp_path: Path) -> None:
    device = replace(SMALL, table=msgspec.structs.replace(SMALL.table, roll="device"))
    with LiveTable(device, tmp_path / "journal.db", seed=3).opened() as live:
        live.pass_s(0.5)
        for key, label in (("ANN", "T01"), ("BEN", "T02")):
            live.tap(key)
            live.pass_s(0.5)
            assert seat(live, key).lit
            live.roll(key, label)
            live.pass_s(4.0)
            live.hold(key)
            live.pass_s(0.7)
        assert "T02: exposed by Ben." in lines(live)
        assert not any(line.startswith("Finding") for line in lines(live))
