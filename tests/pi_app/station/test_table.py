"""A station in play on a simulated table: visits from the first tap to an empty table, and what may go wrong in one."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec import structs

from pi_app.game import events as ev
from pi_app.journal import verify
from pi_app.journal.past import past_logs
from pi_app.report.pictures import Dark, Drift, Say, ShowFace, ShowHead
from pi_app.settings.station_section import StationSettings
from pi_app.station.build import station_settings
from pi_app.station.records import CHECK_EVERY_NS, DAY_NS
from pi_app.station.visits.guide import TurnStep, sentence
from pi_app.station.visits.visit import SECOND_NS, State
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.everyday import first
from tests.pi_app.play.loop.bad_disk import on_a_bad_disk
from tests.pi_app.station.at_station import AtStation, a_station, station

QUICK = StationSettings(idle_s=30, languages=("en", "de"))


def now(at: AtStation) -> State:
    return at.state


def begun(at: AtStation) -> None:
    """A visit in its first language, up to the guide."""
    at.tap("ANN")
    at.press("ANN")
    at.let_go("ANN")
    assert now(at) is State.GUIDED


def first_turn(at: AtStation, seat: str = "ANN") -> None:
    at.rolls.append(3)
    at.tap(seat)
    at.turn("T01", 3)
    at.press(seat)


def test_a_visit_from_the_first_tap_to_an_empty_table(tmp_path: Path) -> None:
    with station(tmp_path, a_station(station=QUICK)) as at:
        assert isinstance(at.pictures["ANN"], Drift)
        assert at.events() == []
        begun(at)
        assert at.screens == {"ANN": "Tap your button once.", "BEN": "Tap your button once."}
        at.rolls.append(3)
        at.tap("ANN")
        assert at.screens["ANN"] == "Turn it 3 clicks, let it rest, then hold to look."
        assert at.screens["BEN"] == "P1 tries it first. You are next."
        at.turn("T01", 3)
        at.press("ANN")
        assert isinstance(at.pictures["ANN"], ShowFace)
        assert at.screens["BEN"] == "This is what the others saw: nothing."
        at.let_go("ANN")
        assert at.screens["ANN"] == "This is what the others saw: nothing."
        at.until(State.FREE)
        assert [square.state for square in at.public[-1].squares] == ["exposed", "concealed"]
        assert [line for line in at.public[-1].lines if "P1" in line] == ["T01: exposed by P1."]
        at.until(State.THANKS)
        at.run(0.1)
        assert isinstance(at.pictures["ANN"], ShowHead)
        assert at.screens["ANN"] == "Thank you! Exposed: 1"
        at.until(State.RESET)
        at.run(0.1)
        assert at.pictures["BEN"] == Drift()
        at.until(State.ATTRACT, 1.1)
        assert at.station.loop.session.game_id == ""
        assert at.station.loop.session.game.squares == {}
        assert (at.public[-1].squares, at.public[-1].lines, at.public[-1].language) == ((), (), "en")
        assert at.public[-1].results[0].exposed == 1
        assert isinstance(at.events()[-1], ev.Ended)
        assert at.log == ["Visit 1 begins.", "Visit 1 is over, and nothing of it is left here."]


@pytest.mark.slow
def test_every_group_gets_another_deal_and_finds_nothing_of_the_last(tmp_path: Path) -> None:
    with station(tmp_path, a_station(station=QUICK)) as at:
        for _ in range(2):
            begun(at)
            first_turn(at)
            at.let_go("ANN")
            at.until(State.ATTRACT)
        starts = [event for event in at.events() if isinstance(event, ev.Started)]
        assert [event.shuffled for event in starts] == [True, True]
        assert [[seat.name for seat in event.seats] for event in starts] == [["P1", "P2"]] * 2
        assert at.station.visit.number == 2


def test_each_group_begins_where_the_one_before_it_left_the_dials(tmp_path: Path) -> None:
    """T-AUD-1: nobody turns a dial back, and each first turn counts from where its dial stood."""
    at_first, left = {"T01": 7, "T02": 2}, ((4, 5), (9, 1), (-3, 6))
    used = structs.replace(QUICK, languages=("en",))
    with station(tmp_path, a_station(station=used)) as at:
        for square, clicks in at_first.items():
            at.turn(square, clicks)
        stood = dict(at_first)
        for own, others in left:
            at.until(State.ATTRACT)
            at.run(1)
            begun(at)
            at.run(0.5)
            begins = next(event for event in reversed(at.events()) if isinstance(event, ev.Started))
            assert {square.label: square.start for square in begins.squares} == stood
            first_turn(at)
            turn = next(event for event in reversed(at.events()) if isinstance(event, ev.Turned)).motion
            assert (turn.from_position, turn.to_position, turn.clicks) == (0, 3, 3)
            assert isinstance(at.pictures["ANN"], ShowFace)
            first_square = at.station.loop.session.game.squares["T01"]
            assert first_square.face == first_square.table.faces[3]
            assert at.station.loop.session.game.findings == ()
            at.let_go("ANN")
            at.turn("T01", own)
            at.turn("T02", others)
            stood = {"T01": (stood["T01"] + 3 + own) % 12, "T02": (stood["T02"] + others) % 12}
            at.until(State.RESET)
    assert verify(at.path).damage is None


def test_between_visits_the_games_of_a_finished_day_go(tmp_path: Path) -> None:
    with station(tmp_path, a_station(station=structs.replace(QUICK, keep="heads"))) as at:
        begun(at)
        at.until(State.ATTRACT)
        at.table.clock.advance(DAY_NS)
        at.wait(2 * CHECK_EVERY_NS / SECOND_NS)
        (log,) = past_logs(at.path)
        assert [game.deleted for game in verify(log).games] == [True]
        assert at.records.found is None


def test_the_warning_is_on_every_seat_and_a_tap_takes_it_away(tmp_path: Path) -> None:
    with station(tmp_path, a_station(station=QUICK)) as at:
        begun(at)
        at.wait(14)
        at.run(1.5)
        said = "Still there? This ends in 15 s. Tap to go on."
        assert at.screens == {"ANN": said, "BEN": said} or "14 s" in at.screens["ANN"]
        assert at.public[-1].warning_s in (14, 15)
        at.tap("BEN")
        assert at.public[-1].warning_s is None
        assert now(at) is State.GUIDED


@pytest.mark.slow
def test_a_dial_between_two_clicks_is_an_input_too(tmp_path: Path) -> None:
    with station(tmp_path, a_station(station=QUICK)) as at:
        hand = at.table.tiles["T01"].hand
        assert now(at) is State.ATTRACT
        hand.stop_between(at.table.clock.now_ns(), 0.4)
        at.run(2)
        assert now(at) is State.JOINING
        at.until(State.GUIDED)
        at.wait(15)
        hand.stop_between(at.table.clock.now_ns(), 0.3)
        at.run(2)
        at.wait(20)
        assert now(at) is State.GUIDED
        at.until(State.ATTRACT)  # and a dial that is left between keeps nobody


@pytest.mark.slow
def test_late_joiners_and_two_at_once(tmp_path: Path) -> None:
    with station(tmp_path, a_station(station=QUICK)) as at:
        begun(at)
        at.table.press("ANN")
        at.table.press("BEN")
        at.run(0.12)
        at.table.release("ANN")
        at.table.release("BEN")
        at.run(0.1)
        assert len(at.station.loop.session.game.claims) == 1
        assert "Please wait: someone else turns a dial." in at.screens.values()
        at.until(State.THANKS)
        at.tap("BEN")
        at.until(State.JOINING, 7)
        assert at.station.visit.number == 2


@pytest.mark.slow
def test_a_button_that_is_held_for_ever_and_an_unplugged_dial_keep_nobody(tmp_path: Path) -> None:
    with station(tmp_path, a_station(station=QUICK)) as at:
        begun(at)
        first_turn(at)
        at.table.tiles["T01"].unplug()
        at.until(State.ATTRACT, 60)
        assert at.screens["ANN"] == "Tap here!"
        at.wait(40)
        assert now(at) is State.ATTRACT
        at.table.tiles["T01"].plug_in()
        at.tap("BEN")
        assert now(at) is State.JOINING


def test_a_closed_shop_has_dark_screens(tmp_path: Path) -> None:
    with station(tmp_path) as at:
        at.open = False
        at.run(1.2)
        assert now(at) is State.CLOSED
        assert set(map(type, at.pictures.values())) == {Dark}
        at.tap("ANN")
        at.turn("T01", 2)
        assert now(at) is State.CLOSED
        at.open = True
        at.run(1.2)
        assert now(at) is State.ATTRACT


@pytest.mark.slow
def test_a_screen_that_goes_dark_after_a_visit_keeps_nothing_of_it(tmp_path: Path) -> None:
    with station(tmp_path, a_station(station=QUICK)) as at:
        begun(at)
        first_turn(at)
        at.let_go("ANN")
        assert any(at.table.oleds["ANN"].ram)
        at.open = False
        at.until(State.RESET)
        while now(at) is State.RESET:
            at.run(0.05)
        assert now(at) is State.CLOSED
        at.run(0.3)
        assert [sum(map(int.bit_count, oled.ram)) for oled in at.table.oleds.values()] == [0, 0]
        assert [oled.on for oled in at.table.oleds.values()] == [False, False]


@pytest.mark.slow
def test_an_interrupted_visit_is_ended_once(tmp_path: Path) -> None:
    with station(tmp_path) as at:
        begun(at)
        first_turn(at)
        game = at.station.loop.session.game_id
    with station(tmp_path) as at:
        assert at.interrupted == f"The last visit was interrupted: its game {game} is ended now, as it was."
        assert isinstance(at.events()[-1], ev.Ended)
        assert now(at) is State.ATTRACT
    with station(tmp_path) as at:
        assert at.interrupted == ""


def test_trouble_is_a_flag_beside_every_state(tmp_path: Path) -> None:
    with station(tmp_path) as at:
        at.trouble = {"en": "Dial T01 does not answer.", "de": "Der Anzeiger T01 antwortet nicht."}
        at.run(0.2)
        assert (at.public[-1].state, at.public[-1].trouble) == ("attract", at.trouble)


@pytest.mark.slow
def test_its_health_is_told_every_second(tmp_path: Path) -> None:
    with station(tmp_path) as at:
        at.run(3)
        health = at.healths[-1]
        assert [now - scan < 1_000_000_000 for now, scan in [(health.now_ns, health.scans["dials"] or 0)]] == [True]
        assert (health.disk_full_known, health.pages_ns, len(at.healths)) == (False, None, 5)


@pytest.mark.slow
def test_a_disk_that_refuses_is_said_and_the_visit_goes_on(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as disk, station(tmp_path, a_station(station=QUICK)) as at:
        begun(at)
        first_turn(at)
        at.let_go("ANN")
        disk.number = errno.ENOSPC
        at.until(State.ATTRACT)
        at.tap("BEN")
        at.until(State.GUIDED)
        at.run(1)
        assert at.screens["BEN"] == "Not recorded: wait. Tell the table."
        assert at.station.health().disk_full_known
        disk.number = None
        at.run(3)
        assert at.screens["BEN"] == "Tap your button once."
        assert [type(event) for event in at.events()][-3:] == [ev.Ended, ev.Started, ev.SetupChecked]


def test_a_disk_that_is_good_again_after_the_visitors_left_is_no_trouble_any_more(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as disk, station(tmp_path, a_station(station=QUICK)) as at:
        disk.number = errno.EROFS
        at.tap("BEN")
        at.until(State.GUIDED)
        at.run(1)
        at.until(State.ATTRACT)
        at.wait(30)
        assert at.station.health().disk_full_known
        disk.number = None
        at.wait(11)
        assert not at.station.health().disk_full_known
        assert at.station.loop.session.refused_by == ""


@pytest.mark.parametrize("language", first(0, LANGUAGES))
def test_a_robot_visitor_learns_a_turn_in_time_and_types_nothing(tmp_path: Path, language: str) -> None:
    """Hands with human pauses: five seconds to read each sentence."""
    with station(tmp_path) as at:
        at.tap("ANN")
        began_s = at.now_s
        for _ in range(LANGUAGES.index(language)):
            at.run(1.2)
            at.tap("ANN")
        at.until(State.GUIDED)
        assert at.public[-1].language == language
        told = words(language)
        first = at.pictures["ANN"]
        assert isinstance(first, Say)
        assert first.lines == (sentence(TurnStep.TAP, told),)
        at.wait(5)
        at.rolls.append(4)
        at.tap("ANN")
        at.wait(5)
        at.turn("T02", 4)
        at.wait(5)
        at.press("ANN", 3)
        assert isinstance(at.pictures["ANN"], ShowFace)
        at.let_go("ANN")
        assert at.pictures["ANN"] == at.pictures["BEN"] == Say((sentence(TurnStep.SEEN, told),))
        at.until(State.FREE)
        assert at.now_s - began_s <= 90
        assert at.station.visit.guided.seat == "P1"


def test_a_station_calls_its_seats_by_number_and_rolls_itself() -> None:
    used = station_settings(a_station(station=QUICK))
    assert [(seat.name, seat.heroes, seat.language) for seat in used.seats.values()] == [
        ("P1", (), "en"),
        ("P2", (), "en"),
    ]
    assert (used.table.roll, used.table.shuffle, used.table.language) == ("device", True, "en")
    other = replace(used, seats=MappingProxyType({}), table=structs.replace(used.table, roll="table"))
    assert station_settings(other).table.roll == "device"


def test_when_a_station_has_begun_its_dials_count_and_passers_by_see_something_next(tmp_path: Path) -> None:
    at = AtStation(tmp_path / "journal.db", a_station(station=QUICK))
    try:
        at.station.begin()
        dials = at.station.loop.session.dials
        assert all(dial.good_ns is not None for dial in dials.values())
        assert at.station.loop.ready
        assert at.public == []
        assert at.now_s < 0.2
        at.station.step()
        assert at.public[0].state == "attract"
        at.turn("T01", 1)
        assert now(at) is State.JOINING
    finally:
        at.close()


def test_a_dial_that_never_rests_keeps_nobody_waiting_for_long(tmp_path: Path) -> None:
    at = AtStation(tmp_path / "journal.db", a_station(station=QUICK))
    try:
        at.table.tiles["T01"].hand.turn(0, 60, tuple(200.0 for _ in range(59)))
        at.station.begin()
        assert at.station.loop.ready
        assert at.now_s < 6
    finally:
        at.close()


def test_a_station_draws_its_symbols_before_a_game_and_after_its_first_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr("pi_app.displays.picture.prepare", lambda: drawn.append("all"))
    at = AtStation(tmp_path / "journal.db", a_station(station=QUICK))
    try:
        at.station.begin()
        assert drawn == []
        at.run(1)
        assert drawn == ["all"]
    finally:
        at.close()
