"""One report per viewer, from one table of data."""

from __future__ import annotations

import itertools
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.game import events as ev
from pi_app.game.rules import SquareState
from pi_app.game.state import Square
from pi_app.game.trap_table import Trap, TrapTable
from pi_app.game.trap_words import TRAP_NAMES
from pi_app.report.lines import report
from pi_app.report.moment import Moment
from pi_app.report.pictures import Say, ShowDie, ShowFace
from pi_app.report.seat_screen import Attention, seat_die, seat_looks, seat_says
from pi_app.report.visibility import (
    LOG,
    PUBLIC,
    REFEREE,
    VISIBLE,
    Audience,
    Fact,
    Situation,
    Viewer,
    may_see,
    situation,
    viewers,
)
from pi_app.text.language import words as words_of
from pi_app.text.languages import LANGUAGES
from tests.pi_app.games import EVERY_KIND, exposes, played, rolled, started, table_with, turned

EVERY_CONTENT = [table_with(None), *(table_with(trap, disarm="6+") for trap in Trap)]
COMMON = ("public", "referee", "log")


def english(message: str) -> str:
    return message


def line(moment: Moment, viewer: str, key: str) -> str:
    return moment.reports[viewer].lines[key]


def test_every_situation_has_a_row_for_every_common_viewer_and_seat() -> None:
    audiences = [Audience.OTHER, Audience.PUBLIC, Audience.REFEREE, Audience.LOG]
    assert all((row, audience) in VISIBLE for row, audience in itertools.product(Situation, audiences))


@pytest.mark.parametrize("row", [Situation.CONCEALED, Situation.EXPOSED, Situation.DISARMED_UNSEEN])
@pytest.mark.parametrize("audience", [Audience.OTHER, Audience.PUBLIC, Audience.REFEREE, Audience.LOG])
def test_s_6_nothing_of_the_face_goes_to_anyone_else_while_it_is_secret(row: Situation, audience: Audience) -> None:
    assert not VISIBLE[(row, audience)] & {Fact.FACE, Fact.NAME}


def test_s_3_triggered_is_open_to_every_seat() -> None:
    assert Fact.FACE in VISIBLE[(Situation.TRIGGERED, Audience.OTHER)]


def test_every_state_of_a_square_has_a_situation() -> None:
    for state in SquareState:
        situation(Square("T01", EVERY_KIND, state=state))


@pytest.mark.parametrize("content", EVERY_CONTENT)
def test_s_6_an_expose_gives_all_others_the_same_reports_whatever_lies_there(content: TrapTable) -> None:
    other = table_with(Trap.CAGE)
    events = (*exposes("T01", 4, "ANN"), ev.Exposed(seat="BEN", square="T01", grade="table"))
    this, that = played(started(content), *events), played(started(other), *events)
    for viewer in ("seat ANN", "seat BEN", *COMMON):
        assert this.reports[viewer] == that.reports[viewer]


@pytest.mark.parametrize("content", EVERY_CONTENT)
def test_s_1_no_viewer_reads_what_a_concealed_square_holds(content: TrapTable) -> None:
    """It has not been turned and no seat may look: the player who laid it out plays like the others."""
    this, that = played(started(content)), played(started(table_with(Trap.CAGE)))
    assert dict(this.reports) == dict(that.reports)
    for seat in ("ANN", "BEN"):
        assert this.game.may_look(seat) == ()
        assert seat_looks(this.game, seat, "T01", english) == seat_says(Attention.NOT_YOURS, english, "T01")


def test_t_exp_5_the_line_for_the_others_says_who_and_nothing_more() -> None:
    moment = played(started(), *exposes("T01", 3, "ANN"))
    for viewer in ("public", "seat BEN", "log", "referee"):
        assert line(moment, viewer, "T01") == "T01: exposed by Ann."


def test_the_public_hears_who_is_about_to_turn_and_then_which_dial_moves() -> None:
    moment = played(started(), ev.Claimed(seat="ANN", grade="button"))
    assert line(moment, "public", "claims") == "Ann is about to turn a dial."
    moment = played(ev.Bound(seat="ANN", square="T01"), moment=moment)
    assert line(moment, "public", "claims") == "Ann turns the dial of T01."


def test_everyone_hears_that_the_device_has_rolled_and_not_that_a_die_was_said() -> None:
    claimed = played(started(), ev.Claimed(seat="ANN", grade="button"))
    assert played(rolled(4), moment=claimed).reports == claimed.reports
    by_device = played(rolled(4, how="device"), moment=claimed)
    assert {line(by_device, viewer, "claims") for viewer in by_device.reports} == {
        "Ann has rolled and is about to turn a dial."
    }
    bound = played(ev.Bound(seat="ANN", square="T01"), moment=by_device)
    assert line(bound, "public", "claims") == "Ann turns the dial of T01."
    trigger = played(started(), ev.Triggered(seat="ANN", square="T01", cause="entered"), rolled(4, how="device"))
    assert line(trigger, "public", "claims") == "Ann sets off T01, has rolled and turns its dial."


@given(st.lists(st.deferred(lambda: ANY_EVENT), max_size=15), st.integers(1, 6), st.integers(1, 6))
def test_s_9_no_line_of_anybody_depends_on_a_die_but_by_a_finding(
    events: list[ev.AnyEvent], this: int, that: int
) -> None:
    def with_die(die: int) -> list[Moment]:
        moments = [played(started())]
        for event in events:
            changed = msgspec.structs.replace(event, die=die) if isinstance(event, ev.Rolled) else event
            moments.append(played(changed, moment=moments[-1]))
        return moments

    for one, other in zip(with_die(this), with_die(that), strict=True):
        if one.game.findings != other.game.findings:
            break
        assert one.reports == other.reports
        assert (one.common_digest, one.seats_digest) == (other.common_digest, other.seats_digest)


def test_t_exp_4_the_seats_own_screen_says_how_far_to_turn() -> None:
    claimed = played(started(), ev.Claimed(seat="ANN", grade="button"))
    assert seat_die(claimed.game, "ANN", english) is None
    assert seat_die(played(rolled(4), moment=claimed).game, "ANN", english) is None
    game = played(rolled(4, how="device"), moment=claimed).game
    shown = seat_die(game, "ANN", english, "T01")
    assert shown == ShowDie(("Turn it 4 clicks,", "let it rest, then", "hold to look."), "T01")
    assert seat_die(game, "BEN", english) is None
    one = seat_die(played(rolled(1, how="device"), moment=claimed).game, "ANN", english)
    assert isinstance(one, ShowDie)
    assert one.lines[0] == "Turn it 1 click,"
    turned_by_it = played(*exposes("T01", 4, "ANN")[1:], moment=played(rolled(4, how="device"), moment=claimed))
    assert seat_die(turned_by_it.game, "ANN", english) is None


def test_s_4_a_failed_disarm_is_announced_with_the_name() -> None:
    attempt = ev.DisarmTried(seat="ANN", square="T01", way="slow", dice=(1, 1), plus_die=1)
    moment = played(started(), *exposes("T01", 4, "ANN"), attempt)
    assert line(moment, "public", "T01") == "T01: triggered; Falling Weight; slow disarm attempt by Ann."


def test_s_10_a_disarm_publishes_the_experience_and_not_the_name() -> None:
    attempt = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(6, 6), plus_die=1)
    moment = played(started(), *exposes("T01", 4, "ANN"), attempt)
    public = "T01: disarmed by Ann (quick attempt); 33 experience."
    assert line(moment, "public", "T01") == public
    assert line(moment, "seat BEN", "T01") == public
    assert line(moment, "seat ANN", "T01") == ("T01: disarmed by Ann (quick attempt); Falling Weight; 33 experience.")
    assert line(moment, "public", "xp") == "Experience: Ann 33."


def test_findings_reach_the_referee_and_the_log_only() -> None:
    moment = played(started(), ev.SetupChecked(stands={"T01": 3, "T02": 0}))
    told = "Finding T-AUD-1: T01 is not at its start mark."
    assert line(moment, "referee", "finding 1") == line(moment, "log", "finding 1") == told
    assert told not in str(moment.reports["public"]) + str(moment.reports["seat ANN"])


def test_news_is_what_changed_for_one_viewer() -> None:
    before = played(started())
    after = played(*exposes("T01", 3, "ANN"), moment=before)
    assert after.news("public", before) == ("T01: exposed by Ann.",)


def test_a_simulated_table_says_so_to_everyone() -> None:
    moment = played(started())
    assert all("SIMULATED" in line(moment, viewer, "table") for viewer in moment.reports)


def test_s_2_the_face_is_shown_to_the_seat_that_exposed_it_and_to_no_other() -> None:
    game = played(started(), *exposes("T01", 3, "ANN")).game
    seen = seat_looks(game, "ANN", "T01", english)
    assert isinstance(seen, ShowFace)
    facts = (seen.label, seen.trap, seen.click_number, seen.disarm, seen.xp, seen.quick_of_36, seen.sample)
    assert facts == ("T01", "cage", 3, "6+", 22, None, True)
    assert seat_looks(game, "BEN", "T01", english) == seat_says(Attention.NOT_YOURS, english, "T01")


def test_turning_a_disarmed_dial_says_that_it_is_disarmed() -> None:
    attempt = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(6, 6), plus_die=1)
    game = played(started(), *exposes("T01", 3, "ANN"), attempt).game
    for seat in ("ANN", "BEN"):
        assert seat_looks(game, seat, "T01", english) == seat_says(Attention.DISARMED, english, "T01")


def test_chances_are_shown_once_the_value_is_sure() -> None:
    game = played(started(), *exposes("T01", 1, "ANN")).game
    seen = seat_looks(game, "ANN", "T01", english)
    assert isinstance(seen, ShowFace)
    assert (seen.disarm, seen.quick_of_36, seen.slow_of_36) == ("7", 21, 30)


def test_t_dis_6_a_fixed_plus_is_shown_with_its_sum() -> None:
    attempt = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(1, 1), plus_die=3)
    game = played(started(), *exposes("T01", 3, "ANN"), attempt).game
    seen = seat_looks(game, "BEN", "T01", english)
    assert isinstance(seen, ShowFace)
    assert (seen.disarm, seen.quick_of_36) == ("6+ = 9", 10)


@pytest.mark.parametrize("attention", [a for a in Attention if a is not Attention.NOTHING])
def test_every_neutral_sentence_has_words(attention: Attention) -> None:
    picture = seat_says(attention, english, "T01")
    assert isinstance(picture, Say)
    assert all(picture.lines)


DICE = st.integers(1, 6)
SEAT = st.sampled_from(["ANN", "BEN"])
SQUARE = st.sampled_from(["T01", "T02"])
ANY_EVENT: st.SearchStrategy[ev.AnyEvent] = st.one_of(
    st.builds(ev.Claimed, seat=SEAT, grade=st.just("button")),
    st.builds(ev.ClaimDropped, seat=SEAT, why=st.just("taken back")),
    st.builds(rolled, DICE, SEAT, st.sampled_from(["said", "device"]), SQUARE | st.none()),
    st.builds(ev.Bound, seat=SEAT, square=SQUARE),
    st.builds(turned, SQUARE, st.integers(-7, 13) | st.none(), SEAT | st.none(), to=st.integers(0, 11) | st.none()),
    st.builds(ev.Exposed, seat=SEAT, square=SQUARE, grade=st.just("table")),
    st.builds(ev.Looked, seat=SEAT, square=SQUARE),
    st.builds(ev.Triggered, seat=SEAT, square=SQUARE, cause=st.just("entered")),
    st.builds(ev.DisarmTried, seat=SEAT, square=SQUARE, way=st.just("slow"), dice=st.tuples(DICE, DICE), plus_die=DICE),
    st.builds(ev.JawsAnswered, square=SQUARE, harmed=st.booleans()),
    st.builds(ev.DialLost, square=SQUARE, trouble=st.just("silent")),
    st.builds(ev.DialBack, square=SQUARE, unseen_s=st.just(1.0)),
    st.builds(ev.SetupChecked, stands=st.dictionaries(SQUARE, st.integers(0, 11) | st.none())),
    st.builds(ev.TableShown, table=st.just("SAMPLE-12"), how=st.sampled_from(get_args(ev.Opened))),
    st.builds(ev.Ended),
)
"""Anything that can happen, in any order: the record keeps what happened, also against the rules."""


@given(st.lists(ANY_EVENT, max_size=25))
def test_a_report_advanced_from_the_last_one_equals_a_new_report(events: list[ev.AnyEvent]) -> None:
    moment = played(started())
    for event in events:
        moment = played(event, moment=moment)
        for viewer in viewers(moment.game):
            made, again = moment.reports[viewer.name], report(moment.game, viewer, english)
            assert made == again
            assert list(made.lines) == list(again.lines)


def seen_by(moment: Moment, *viewers: str) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(name, list(moment.reports[name].lines.items())) for name in viewers]


@given(st.lists(ANY_EVENT, max_size=25), st.lists(ANY_EVENT, max_size=3))
def test_digests_are_equal_exactly_when_every_line_of_every_report_is(
    events: list[ev.AnyEvent], more: list[ev.AnyEvent]
) -> None:
    this = played(started(), *events)
    that = played(*more, moment=this)
    seats = ("seat ANN", "seat BEN")
    assert (this.common_digest == that.common_digest) is (seen_by(this, *COMMON) == seen_by(that, *COMMON))
    assert (this.seats_digest == that.seats_digest) is (seen_by(this, *seats) == seen_by(that, *seats))


def test_a_new_game_keeps_no_line_of_the_last_one() -> None:
    before = played(started(EVERY_KIND, EVERY_KIND, EVERY_KIND), *exposes("T03", 1, "ANN"))
    after = played(started(EVERY_KIND), moment=before)
    assert after.reports == played(started(EVERY_KIND)).reports


@given(st.lists(ANY_EVENT, max_size=25), st.sampled_from(EVERY_CONTENT))
def test_s_2_no_line_ever_holds_a_secret_of_a_square_that_is_not_open(
    events: list[ev.AnyEvent], content: TrapTable
) -> None:
    """After any events, no report contains the name while a square is concealed or exposed."""
    moment = played(started(content, content), *events)
    names = [words_of("en")(name) for name in TRAP_NAMES.values()]
    for label, square in moment.game.squares.items():
        if square.state in (SquareState.CONCEALED, SquareState.EXPOSED):
            for viewer in moment.reports:
                assert not any(name in line(moment, viewer, label) for name in names)


@given(st.lists(ANY_EVENT, max_size=25))
def test_every_event_survives_the_journals_words(events: list[ev.AnyEvent]) -> None:
    assert [ev.from_json(ev.to_json(event)) for event in events] == events


def test_a_viewer_is_named_as_streams_name_it() -> None:
    names = [viewer.name for viewer in (Viewer(Audience.OTHER, "ANN"), PUBLIC, REFEREE, LOG)]
    assert names == ["seat ANN", "public", "referee", "log"]


def test_an_unknown_pair_may_see_nothing() -> None:
    assert may_see(Square("T01", EVERY_KIND), Viewer(Audience.KNOWS)) == frozenset()


def speaking(language: str, **seats: str) -> ev.Started:
    """The game of Ann and Ben at a table of one language, the seats each in their own."""
    begin = started()
    own = tuple(msgspec.structs.replace(seat, language=seats[seat.seat]) for seat in begin.seats)
    return msgspec.structs.replace(begin, language=language, seats=own)


def test_everybody_reads_their_own_language_and_the_others_the_tables() -> None:
    moment = played(speaking("fr", ANN="de", BEN="it"), *exposes("T01", 3, "ANN"))
    assert line(moment, "seat ANN", "T01") == "T01: aufgedeckt von Ann."
    assert line(moment, "seat BEN", "T01") == "T01: svelata da Ann."
    for viewer in COMMON:
        assert line(moment, viewer, "T01") == "T01\u00a0: découverte par Ann."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("trap", [None, *Trap])
def test_s_6_in_no_language_can_others_tell_a_trap_from_a_clear_square(language: str, trap: Trap | None) -> None:
    def others(content: TrapTable) -> dict[str, object]:
        begin = speaking(language, ANN=language, BEN=language)
        squares = tuple(msgspec.structs.replace(square, table=content) for square in begin.squares)
        moment = played(msgspec.structs.replace(begin, squares=squares), *exposes("T01", 3, "ANN"))
        return {name: moment.reports[name] for name in (*COMMON, "seat BEN")}

    assert others(table_with(trap)) == others(table_with(None))


def test_a_table_of_another_language_gives_other_digests() -> None:
    """What is recorded of a report is recorded of the words that were read."""
    this, that = played(speaking("en", ANN="en", BEN="en")), played(speaking("de", ANN="en", BEN="en"))
    assert this.common_digest != that.common_digest
    assert this.report("seat ANN") == that.report("seat ANN")


def test_several_names_are_listed_as_each_language_lists_them() -> None:
    moment = played(
        speaking("es", ANN="en", BEN="de"),
        *exposes("T01", 3, "ANN"),
        ev.Exposed(seat="BEN", square="T01", grade="table"),
    )
    assert line(moment, "public", "T01") == "T01: revelada por Ann y Ben."
    assert line(moment, "seat ANN", "T01") == "T01: exposed by Ann and Ben."
    assert line(moment, "seat BEN", "T01") == "T01: aufgedeckt von Ann und Ben."


LANGUAGE = st.sampled_from(LANGUAGES)


@settings(max_examples=30)
@given(st.lists(ANY_EVENT, max_size=15), LANGUAGE, LANGUAGE, LANGUAGE)
def test_what_one_reads_follows_from_ones_own_language_alone(
    events: list[ev.AnyEvent], tables: str, anns: str, bens: str
) -> None:
    """Whatever happens, and whatever the others read."""
    mixed = played(speaking(tables, ANN=anns, BEN=bens), *events)
    in_anns, in_tables = (played(speaking(one, ANN=one, BEN=one), *events) for one in (anns, tables))
    assert mixed.report("seat ANN") == in_anns.report("seat ANN")
    assert [mixed.report(viewer) for viewer in COMMON] == [in_tables.report(viewer) for viewer in COMMON]


@settings(max_examples=30)
@given(st.lists(ANY_EVENT, max_size=15), st.sampled_from([each for each in LANGUAGES if each != "en"]))
def test_no_line_of_a_report_is_left_in_english(events: list[ev.AnyEvent], language: str) -> None:
    english_game = played(speaking("en", ANN="en", BEN="en"), *events)
    game = played(speaking(language, ANN=language, BEN=language), *events)
    for viewer, told in game.reports.items():
        lines = english_game.reports[viewer].lines
        assert list(told.lines) == list(lines)
        assert [line for key, line in told.lines.items() if line and line == lines[key]] == []
