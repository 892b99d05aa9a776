"""Every kind of finding once, in a whole sentence; and none in an honest game."""

from __future__ import annotations

import random
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_app.audit.examine import KINDS, UnplayableError, examine
from pi_app.game import events as ev
from tests.pi_app.audit.calibrated import calibrated
from tests.pi_app.audit.records import audited, opened, rules_of, sentences
from tests.pi_app.games import exposes, rolled, turned

CLAIM = (ev.Claimed(seat="ANN", grade="button"), ev.Bound(seat="ANN", square="T01"))
DISARM = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(6, 6), plus_die=1)
OFF = ev.Turned(
    square="T01",
    motion=ev.Motion(from_position=3, to_position=5, clicks=None, while_off=True),
    seat=None,
    purpose=None,
    grade=None,
)

FINDINGS: dict[str, tuple[tuple[ev.AnyEvent, ...], list[tuple[str, str, str]]]] = {
    "wrong count": (
        (*CLAIM, turned("T01", 8, "ANN")),
        [("wrong count", "T-AUD-2", "T01 was turned further than one die allows: 8 clicks counter-clockwise, from "
          "position 0 to 8.")],
    ),
    "turned and back": (
        (*CLAIM, turned("T01", 0, "ANN")),
        [("wrong count", "T-AUD-2", "T01 was turned away and back again: no click in all, from position 0 to 0.")],
    ),
    "not by the die": (
        (*CLAIM, rolled(4), turned("T01", 3, "ANN")),
        [("wrong count", "T-AUD-2", "T01 was not turned by the number rolled: 3 clicks counter-clockwise, "
          "from position 0 to 3; the die was 4, as reported at the table.")],
    ),
    "not by the device's die": (
        (*CLAIM, rolled(1, how="device"), turned("T01", 2, "ANN")),
        [("wrong count", "T-AUD-2", "T01 was not turned by the number rolled: 2 clicks counter-clockwise, "
          "from position 0 to 2; the die was 1, rolled by the device.")],
    ),
    "a die said after the turn": (
        (*CLAIM, turned("T01", 1, "ANN"), rolled(4)),
        [("wrong count", "T-AUD-2", "T01 was not turned by the number rolled: 1 click; the die was 4, as "
          "reported at the table.")],
    ),
    "die corrected": (
        (*CLAIM, rolled(3), turned("T01", 3, "ANN"), rolled(4)),
        [("die corrected", "REC-DIE", "The die of Ann for T01 was reported as 3, and as 4 after the "
          "turn; it was turned by 3 clicks.")],
    ),
    "wrong direction": (
        (*CLAIM, turned("T01", -1, "ANN")),
        [("wrong direction", "T-AUD-4", "T01 was turned clockwise: 1 click clockwise, from position 0 to 11.")],
    ),
    "second turn": (
        (*exposes("T01", 3, "ANN"), turned("T01", 2, start=3)),
        [("second turn", "T-AUD-4", "T01 was turned again after it had been read: 2 clicks counter-clockwise, from "
          "position 3 to 5.")],
    ),
    "no claim": (
        (turned("T02", 2),),
        [("no claim", "T-AUD-4", "T02 was turned without a claim: 2 clicks counter-clockwise, from position "
          "0 to 2.")],
    ),
    "out of turn": (
        (*CLAIM, turned("T02", 2)),
        [
            ("no claim", "T-AUD-4", "T02 was turned without a claim: 2 clicks counter-clockwise, from "
             "position 0 to 2; the open claim was that of Ann."),
            ("out of turn", "T-AUD-4", "T02 was turned while another player's claim was open: 2 clicks "
             "counter-clockwise, from position 0 to 2; the open claim was that of Ann."),
        ],
    ),
    "moved while off": (
        (*exposes("T01", 3, "ANN"), ev.Resumed(version="test"), OFF),
        [
            ("second turn", "T-AUD-4", "T01 was turned again after it had been read: from position 3 to 5 by "
             "an unknown path."),
            ("moved while off", "T-AUD-4", "T01 was moved while the program was off: from position 3 to 5 by "
             "an unknown path."),
            ("unknown path", "T-AUD-5", "T01 moved, but its path is unknown: from position 3 to 5 "
             "by an unknown path."),
        ],
    ),
    "between two detents": (
        (*CLAIM, turned("T01", 3, "ANN", to=None)),
        [("between two detents", "T-AUD-5", "T01 rests between two clicks: 3 clicks counter-clockwise, from position "
          "0 to between 3 and 4.")],
    ),
    "unknown path": (
        (*CLAIM, turned("T01", None, "ANN", to=4)),
        [("unknown path", "T-AUD-5", "T01 moved, but its path is unknown: from position 0 to 4 by "
          "an unknown path.")],
    ),
    "not at start": (
        (ev.SetupChecked(stands={"T01": 2, "T02": None}),),
        [
            ("not at start", "T-AUD-1", "T01 is not at its start mark: it stood at position 2."),
            ("not at start", "T-AUD-1", "T02 is not at its start mark: its position was unknown."),
        ],
    ),
    "not from start": (
        (ev.SetupChecked(stands={"T01": 2, "T02": 0}), *CLAIM, turned("T01", 3, "ANN", start=2)),
        [
            ("not at start", "T-AUD-1", "T01 is not at its start mark: it stood at position 2."),
            ("not from start", "T-AUD-2", "T01 was not at its start mark when the turn began: 3 clicks "
             "counter-clockwise, from position 2 to 5."),
        ],
    ),
    "not to the disarmed mark": (
        (*exposes("T01", 1, "ANN"), DISARM, turned("T01", 3, start=1)),
        [("not to the disarmed mark", "T-AUD-3", "T01 was not turned to its disarmed mark: 3 clicks counter-clockwise, "
          "from position 1 to 4.")],
    ),
    "disarmed dial moved": (
        (*exposes("T01", 1, "ANN"), DISARM, turned("T01", 10, start=1), turned("T01", 1, start=11)),
        [("disarmed dial moved", "T-AUD-4", "T01 was moved after it had been disarmed: 1 click counter-clockwise, from "
          "position 11 to 0.")],
    ),
    "not seen": (
        (ev.DialLost(square="T01", trouble="silent"), ev.DialBack(square="T01", unseen_s=2.5)),
        [("not seen", "T-AUD-5", "T01 could not be read for a while: 2.5 s.")],
    ),
    "not seen, over and over": (
        (ev.DialLost(square="T01", trouble="silent"),
         ev.DialLost(square="T01", trouble="silent", times=2000, over_s=600.0),
         ev.DialBack(square="T01", unseen_s=61.5, times=412, over_s=123.4)),
        [("not seen", "T-AUD-5", "T01 was lost and found again, over and over: 2000 times in 600.0 s so far."),
         ("not seen", "T-AUD-5", "T01 was lost and found again, over and over: 412 times in 123.4 s, for 61.5 s in "
          "all.")],
    ),
    "spun": (
        (msgspec.structs.replace(turned("T01", 29), turns=29),),
        [("no claim", "T-AUD-4", "T01 was turned without a claim: 29 clicks counter-clockwise, from position 0 to 5; "
          "in 29 turns, one after the other."),
         ("wrong count", "T-AUD-2", "T01 was turned further than one die allows: 29 clicks counter-clockwise, from "
          "position 0 to 5; in 29 turns, one after the other.")],
    ),
    "magnet at the limit": (
        (ev.DialNoted(square="T01", condition="magnet too weak"),
         ev.DialNoted(square="T01", condition="magnet good", times=41),
         ev.DialNoted(square="T01", condition="magnet too weak", times=7)),
        [("magnet weakened", "DEV-MAGNET", "T01: the magnet was too far from its chip, for 1 s, until entry 3; it was "
          "so 41 times."),
         ("magnet weakened", "DEV-MAGNET", "T01: the magnet was too far from its chip, until the end of the game; it "
          "was so 7 times.")],
    ),
    "another tile, again": (
        (ev.DialNoted(square="T01", condition="another tile", times=3),),
        [("tile swapped", "DEV-TILE", "T01 had the tile of another square on its lead; its moves were not "
          "counted; it was so 3 times.")],
    ),
    "not homed": (
        (ev.CountLost(square="T01"), turned("T01", None)),
        [
            ("count lost", "T-AUD-5", "T01 counts steps and lost power, so its position is unknown."),
        ],
    ),
    "trap table shown": (
        (ev.TableShown(table="SAMPLE-12"),),
        [("trap table shown", "S-9", "A trap table was shown during the game: SAMPLE-12.")],
    ),
    "magnet weakened": (
        (ev.DialNoted(square="T01", condition="magnet too weak"), ev.DialNoted(square="T02", condition="magnet good"),
         ev.DialNoted(square="T01", condition="magnet good")),
        [("magnet weakened", "DEV-MAGNET", "T01: the magnet was too far from its chip, for 2 s, until entry 4.")],
    ),
    "magnet too near": (
        (ev.DialNoted(square="T01", condition="magnet too strong"),),
        [("magnet too near", "DEV-MAGNET", "T01: the magnet was too near to its chip, until the end of the game.")],
    ),
    "angle hops": (
        (ev.DialNoted(square="T01", condition="angle hops"),
         ev.DialNoted(square="T01", condition="angle stands still")),
        [("angle hops", "DEV-HOPS", "T01: the angle jumped although no hand did it, for 1 s, until entry 3.")],
    ),
    "leads swapped": (
        (ev.DialNoted(square="T01", condition="leads likely swapped", other="T02"),),
        [("tile swapped", "DEV-TILE", "The leads of T01 and T02 were likely swapped: each dial rested where the other "
          "one should.")],
    ),
    "another tile": (
        (ev.DialNoted(square="T01", condition="another tile"),),
        [("tile swapped", "DEV-TILE", "T01 had the tile of another square on its lead; its moves were not "
          "counted.")],
    ),
    "tile in doubt": (
        (ev.DialNoted(square="T01", condition="tile not verified", other="T02"),
         ev.DialNoted(square="T01", condition="tile does not fit", other="T02"),
         ev.DialNoted(square="T01", condition="tile accepted")),
        [("tile swapped", "DEV-TILE", "The tile on the lead of T01 was likely that of T02; no player was shown its "
          "trap."),
         ("tile swapped", "DEV-TILE", "At the table, the tile on the lead of T01 was confirmed as the "
          "right one.")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FINDINGS)
def test_each_kind_of_finding_is_a_whole_sentence(kind: str) -> None:
    events, findings = FINDINGS[kind]
    assert [(rule.kind, rule.rule, rule.words) for _, rule in rules_of(audited(*events))] == findings


def test_every_verdict_of_the_rules_has_its_kind() -> None:
    from pi_app.game import findings as audit
    from pi_app.game.objections import FOUND

    said = {value for name, value in vars(audit).items() if name.isupper() and isinstance(value, str)}
    assert set(KINDS) == said | set(FOUND)


def test_a_finding_names_the_claim_the_seat_and_the_time() -> None:
    (found,) = audited(*CLAIM, turned("T01", 8, "ANN")).findings
    assert (found.square, found.seat, found.claim, found.entry, found.at_s) == ("T01", "ANN", "button", 4, 3.0)
    assert (found.wall, found.clock) == ("2026-05-16T14:00:04+00:00", "ntp")
    (found,) = audited(turned("T01", 3)).findings
    assert (found.seat, found.claim) == (None, "none")


@pytest.mark.parametrize("grade", get_args(ev.Grade))
def test_every_grade_of_a_claim_is_played_again_and_named(grade: ev.Grade) -> None:
    claimed, bound, turn = (ev.Claimed(seat="ANN", grade=grade), ev.Bound(seat="ANN", square="T01"), turned("T01", 8))
    (found,) = audited(claimed, bound, replace(turn, seat="ANN", purpose="expose", grade=grade)).findings
    assert (found.seat, found.claim) == ("ANN", grade)


def rests_off(counts: int, *, invert: bool = False, calibrated_: bool = True) -> list[tuple[str, str, str | None]]:
    begin = calibrated(invert=invert, calibrated=calibrated_)
    dial = begin.squares[0].dial
    assert dial is not None
    check = ev.SetupChecked(stands={"T01": 0, "T02": 0}, raws={"T01": (dial.centres[0] + counts) % 4096})
    return sentences(audited(check, check, check, check, begin=begin).faults)


@pytest.mark.parametrize(("invert", "side"), [(False, "counter-clockwise"), (True, "clockwise")])
def test_a_calibration_that_drifted_is_found(invert: bool, side: str) -> None:
    assert rests_off(30, invert=invert) == [
        (
            "calibration drift",
            "DEV-DRIFT",
            f"T01 rested 2.6 degrees {side} of its calibrated centres: the median of 4 rests in 1 detent. "
            "Calibrate this dial again.",
        )
    ]


def test_a_small_error_and_one_of_a_dial_that_is_not_calibrated_are_no_drift() -> None:
    assert rests_off(20) == []
    assert rests_off(60, calibrated_=False) == []


@given(seed=st.integers(0, 10_000))
def test_an_honest_random_game_has_no_finding(seed: int) -> None:
    draw = random.Random(seed)
    events: list[ev.AnyEvent] = [ev.SetupChecked(stands={"T01": 0, "T02": 0})]
    for square in draw.sample(["T01", "T02"], draw.randint(0, 2)):
        seat, other = draw.sample(["ANN", "BEN"], 2)
        roll = draw.randint(1, 6)
        claim, bound, turn = exposes(square, roll, seat)
        said = draw.choice([[], [rolled(roll, seat)], [rolled(7 - roll, seat), rolled(roll, seat)]])
        events += draw.choice([[claim, *said, bound, turn], [claim, bound, *said, turn]])
        events += draw.choice([[], [rolled(roll, seat)]])
        if draw.random() < 0.5:
            events.append(ev.Exposed(seat=other, square=square, grade="table"))
        events += [ev.Looked(seat=seat, square=square)] * draw.randint(0, 2)
        if draw.random() < 0.5:
            events.append(ev.Triggered(seat=other, square=square, cause="entered"))
    audit = audited(*events, ev.Ended())
    assert audit.findings == audit.faults == ()
    assert all(verdict.verdict in ("pass", "not turned") for verdict in audit.verdicts)


def test_an_event_that_its_game_does_not_know_is_named_by_its_entry() -> None:
    with pytest.raises(UnplayableError, match="names a seat, a square or a click that its game does not have") as error:
        examine(opened(*CLAIM, turned("T09", 3)))
    assert error.value.entry == 4


# ------------------------------------------------------------------------------------------------ who could have known


def told(*events: ev.AnyEvent) -> list[str]:
    return [known.words for known in audited(*events).known]


def test_who_could_have_known_and_since_when() -> None:
    fails = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(1, 1), plus_die=1)
    look = ev.Looked(seat="ANN", square="T01")
    assert told(*exposes("T01", 1, "ANN"), look, look, fails) == [
        "Ann (ANN) could know T01 from entry 4 on (0:03): exposed it; looked again first at entry 5 (0:04).",
        "Ben (BEN) could know T01 from entry 7 on (0:06): it was announced after a failed disarm.",
    ]


def test_a_second_hero_and_a_trigger() -> None:
    second = ev.Exposed(seat="BEN", square="T01", grade="table")
    assert told(*exposes("T01", 1, "ANN"), second)[1] == "Ben (BEN) could know T01 from entry 5 on (0:04): exposed it."
    trigger = ev.Triggered(seat="ANN", square="T01", cause="entered")
    assert told(*exposes("T01", 1, "ANN"), trigger)[1] == (
        "Ben (BEN) could know T01 from entry 5 on (0:04): it was triggered, and open to all."
    )


def test_a_table_that_was_shown_is_known_to_everyone_in_front_of_the_screen() -> None:
    assert told(ev.TableShown(table="SAMPLE-12"))[0] == (
        "everyone in front of the screen could know T01 from entry 2 on (0:01): its trap table was shown during the "
        "game."
    )


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("samples", "the dials' samples were recorded during the game"),
        ("demo", "a demo was played with its trap table during the game"),
    ],
)
def test_recorded_dials_and_a_demo_show_every_square(how: ev.Opened, why: str) -> None:
    assert told(ev.TableShown(how=how)) == [
        f"everyone in front of the screen could know {label} from entry 2 on (0:01): {why}." for label in ("T01", "T02")
    ]


def test_a_calibrated_dial_and_a_table_of_no_game_show_no_square() -> None:
    assert told(ev.TableShown(how="calibrated"), ev.TableShown(table="another")) == []


def test_a_claim_or_an_unclaimed_turn_reveals_nothing() -> None:
    assert told(ev.Claimed(seat="ANN", grade="button"), turned("T02", 3)) == []


def test_a_turn_has_its_last_reported_die() -> None:
    events = (*CLAIM, rolled(4), rolled(2), turned("T01", 3, "ANN"), rolled(3), ev.Claimed(seat="ANN", grade="button"))
    audit = audited(*events, turned("T02", 2))
    assert [(turn.square, turn.clicks, turn.rolled) for turn in audit.turns] == [("T01", 3, 3), ("T02", 2, None)]
    assert [(die.seat, die.entry, die.die, die.how) for die in audit.turn_dice] == [("ANN", 7, 3, "said")]
