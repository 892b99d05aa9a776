"""The game as a value: what each event does to it."""

from __future__ import annotations

import msgspec
import pytest

from pi_app.game import artifacts as art
from pi_app.game import events as ev
from pi_app.game import tokens
from pi_app.game.rules import SquareState
from pi_app.game.trap_table import Trap
from tests.pi_app.games import EVERY_KIND, exposes, played, rolled, started, table_with, turned


def square_after(*events: ev.AnyEvent, label: str = "T01"):  # type: ignore[no-untyped-def]
    return played(*events).game.squares[label]


def test_t_exp_4_an_expose_tells_the_seat_and_changes_the_state() -> None:
    square = square_after(started(), *exposes("T01", 3, "ANN"))
    assert (square.state, square.readers, square.shown) == (SquareState.EXPOSED, ("ANN",), 3)
    assert square.trap is Trap.CAGE


def test_t_exp_9_a_later_turn_does_not_change_what_was_exposed() -> None:
    square = square_after(started(), *exposes("T01", 3, "ANN"), turned("T01", 2, start=3))
    assert (square.shown, square.stands) == (3, 5)


def test_s_2_turning_an_exposed_dial_under_a_claim_tells_nothing() -> None:
    second = (ev.Claimed(seat="BEN", grade="button"), ev.Bound(seat="BEN", square="T01"))
    square = square_after(started(), *exposes("T01", 3, "ANN"), *second, turned("T01", 1, "BEN", start=3))
    assert square.readers == ("ANN",)


def test_t_exp_11_a_second_seat_learns_without_a_turn() -> None:
    square = square_after(started(), *exposes("T01", 3, "ANN"), ev.Exposed(seat="BEN", square="T01", grade="table"))
    assert (square.readers, square.shown) == (("ANN", "BEN"), 3)


def test_an_unclaimed_turn_is_shown_to_no_seat_until_it_is_credited() -> None:
    alone = played(started(), turned("T01", 3))
    assert alone.game.squares["T01"].readers == ()
    assert alone.game.squares["T01"].state is SquareState.CONCEALED
    credited = played(ev.Exposed(seat="ANN", square="T01", grade="table"), moment=alone)
    assert credited.game.squares["T01"].readers == ("ANN",)
    assert credited.game.squares["T01"].shown == 3


def test_t_trg_7_a_concealed_square_is_turned_before_it_goes_off() -> None:
    asked = played(started(), ev.Triggered(seat="BEN", square="T01", cause="entered"))
    assert asked.game.squares["T01"].state is SquareState.CONCEALED
    claim = asked.game.claim_on("T01")
    assert claim is not None
    assert (claim.seat, claim.purpose) == ("BEN", "trigger")
    fired = played(turned("T01", 1, "BEN", purpose="trigger"), moment=asked)
    assert fired.game.squares["T01"].state is SquareState.TRIGGERED
    assert fired.game.claims == ()


def test_t_trg_8_an_exposed_trap_goes_off_at_the_known_click() -> None:
    square = square_after(started(), *exposes("T01", 4, "ANN"), ev.Triggered(seat="BEN", square="T01", cause="entered"))
    assert (square.state, square.shown) == (SquareState.TRIGGERED, 4)


def test_t_trg_12_a_clear_square_that_is_entered_becomes_clear_for_all() -> None:
    square = square_after(started(), *exposes("T01", 2, "ANN"), ev.Triggered(seat="BEN", square="T01", cause="entered"))
    assert square.state is SquareState.CLEAR_PUBLIC


def disarm(dice: tuple[int, int], plus_die: int = 6, way: ev.Way = "quick", seat: str = "ANN") -> ev.DisarmTried:
    return ev.DisarmTried(seat=seat, square="T01", way=way, dice=dice, plus_die=plus_die)


def test_t_dis_5_success_disarms_and_gives_the_printed_experience() -> None:
    moment = played(started(), *exposes("T01", 1, "ANN"), disarm((3, 4)))
    square = moment.game.squares["T01"]
    assert (square.state, square.disarmed_by, square.xp_won) == (SquareState.DISARMED, "ANN", 11)
    assert (moment.game.seats["ANN"].xp, moment.game.seats["BEN"].xp) == (11, 0)
    assert square.to_be_turned_to_disarmed


def test_t_dis_7_failure_triggers() -> None:
    square = square_after(started(), *exposes("T01", 1, "ANN"), disarm((3, 3)))
    assert (square.state, square.was_triggered) == (SquareState.TRIGGERED, True)


def test_t_dis_3_slow_adds_two() -> None:
    square = square_after(started(), *exposes("T01", 1, "ANN"), disarm((3, 2), way="slow"))
    assert square.state is SquareState.DISARMED


@pytest.mark.parametrize(("dice", "state"), [((4, 4), SquareState.TRIGGERED), ((4, 5), SquareState.DISARMED)])
def test_t_dis_13_an_open_number_is_fixed_before_the_first_roll_is_compared(
    dice: tuple[int, int], state: SquareState
) -> None:
    square = square_after(started(table_with(Trap.FIRE_JETS, disarm="6+")), *exposes("T01", 1, "ANN"), disarm(dice, 3))
    assert (square.value, square.state) == (9, state)


def test_t_dis_6_the_plus_die_is_rolled_once_and_fixed_for_the_game() -> None:
    first = played(started(), *exposes("T01", 3, "ANN"), disarm((1, 1), plus_die=3))
    assert first.game.squares["T01"].value == 9
    assert first.game.squares["T01"].state is SquareState.TRIGGERED
    second = played(disarm((4, 5), plus_die=6), moment=first)
    assert second.game.squares["T01"].value == 9
    assert second.game.squares["T01"].state is SquareState.DISARMED


def test_e_hand_6_a_triggered_hand_needs_ten_and_before_that_what_is_printed() -> None:
    table = table_with(Trap.MONSTROUS_HAND, disarm="4+")
    before = square_after(started(table), *exposes("T01", 1, "ANN"), disarm((2, 3), plus_die=1))
    assert before.state is SquareState.DISARMED
    up = played(started(table), *exposes("T01", 1, "ANN"), ev.Triggered(seat="BEN", square="T01", cause="entered"))
    missed = played(disarm((4, 5), plus_die=1), moment=up)
    assert missed.game.squares["T01"].state is SquareState.TRIGGERED
    assert missed.game.squares["T01"].value is None
    assert played(disarm((5, 5)), moment=missed).game.squares["T01"].state is SquareState.DISARMED


def test_trying_to_disarm_what_is_clear_makes_it_clear_for_all() -> None:
    square = square_after(started(), *exposes("T01", 2, "ANN"), disarm((6, 6)))
    assert (square.state, square.xp_won) == (SquareState.CLEAR_PUBLIC, None)


@pytest.mark.parametrize(("harmed", "state"), [(True, SquareState.DISARMED), (False, SquareState.WITHDRAWN)])
def test_e_jaw_5_and_7_how_the_jaws_leave(harmed: bool, state: SquareState) -> None:
    moment = played(
        started(table_with(Trap.JAWS_OF_DOOM)),
        *exposes("T01", 1, "ANN"),
        ev.Triggered(seat="BEN", square="T01", cause="entered"),
        ev.JawsAnswered(square="T01", harmed=harmed),
    )
    assert moment.game.squares["T01"].state is state
    assert all(seat.xp == 0 for seat in moment.game.seats.values())


def test_e_jaw_6_withdrawn_jaws_go_off_again_or_are_disarmed() -> None:
    withdrawn = (
        started(table_with(Trap.JAWS_OF_DOOM)),
        *exposes("T01", 1, "ANN"),
        ev.Triggered(seat="BEN", square="T01", cause="entered"),
        ev.JawsAnswered(square="T01", harmed=False),
    )
    again = ev.Triggered(seat="ANN", square="T01", cause="entered")
    assert square_after(*withdrawn, again).state is SquareState.TRIGGERED
    assert square_after(*withdrawn, disarm((6, 6))).state is SquareState.DISARMED


def test_a_claim_waits_for_a_dial_is_bound_to_it_and_ends_with_the_turn() -> None:
    moment = played(started(), ev.Claimed(seat="ANN", grade="button"))
    assert moment.game.open_claim is not None
    moment = played(ev.Bound(seat="ANN", square="T02"), moment=moment)
    assert moment.game.open_claim is None
    assert moment.game.claim_on("T02") == moment.game.claim_of("ANN")
    assert played(turned("T02", 2, "ANN"), moment=moment).game.claims == ()


def test_t_trg_9_may_look_gives_the_newest_first_and_then_what_is_public() -> None:
    moment = played(
        started(EVERY_KIND, EVERY_KIND, EVERY_KIND),
        *exposes("T01", 1, "ANN"),
        *exposes("T02", 2, "ANN"),
        *exposes("T03", 3, "BEN"),
        ev.Triggered(seat="ANN", square="T03", cause="entered"),
    )
    assert moment.game.may_look("ANN") == ("T02", "T01", "T03")
    assert moment.game.may_look("BEN") == ("T03",)


@pytest.mark.parametrize(
    "lost",
    [
        ev.Triggered(seat="ANN", square="T02", cause="entered"),
        ev.TokenMoved(seat="ANN", way="fallen"),
    ],
    ids=["imprisoned", "fallen"],
)
def test_s_7_a_player_who_loses_the_hero_keeps_its_knowledge(lost: ev.AnyEvent) -> None:
    artifacts = art.laid(tokens.load(tokens.sample_path()), "private", lambda n: 0)
    begin = msgspec.structs.replace(started(EVERY_KIND, table_with(Trap.CAGE)), artifacts=artifacts)
    after = played(begin, *exposes("T01", 1, "ANN"), *exposes("T02", 1, "BEN"), lost)
    assert after.game.squares["T02"].prisoner == ("ANN" if isinstance(lost, ev.Triggered) else None)
    assert after.game.squares["T01"].readers == ("ANN",)
    assert "T01" in after.game.may_look("ANN")
    assert "T01" not in after.game.may_look("BEN")


def test_a_disarmed_square_is_no_longer_looked_at() -> None:
    moment = played(started(), *exposes("T01", 1, "ANN"), *exposes("T02", 2, "ANN"), disarm((6, 6)))
    assert moment.game.may_look("ANN") == ("T02",)


def test_values_that_hold_secrets_print_as_sealed() -> None:
    event = started()
    moment = played(event, *exposes("T01", 3, "ANN"))
    text = f"{event} {event!r} {moment!r} {moment.game.squares['T01']} {turned('T01', 3)!r} {disarm((1, 2))!r}"
    for secret in ("cage", "CAGE", "to_position", "clicks", "SAMPLE", "(1, 2)", "shown"):
        assert secret not in text
    assert "(sealed)" in text


CLAIM = ev.Claimed(seat="ANN", grade="button")
DROP = ev.ClaimDropped(seat="ANN", why="taken back")


def die_in_hand(*events: ev.AnyEvent) -> int | None:
    hand = played(started(), *events).game.turn_of("ANN")
    return None if hand is None else hand.die


@pytest.mark.parametrize(
    ("events", "die"),
    [
        ((CLAIM, rolled(4)), 4),
        ((CLAIM, rolled(4), rolled(2)), 2),
        ((rolled(4),), None),
        ((CLAIM, rolled(4), DROP), None),
        ((CLAIM, rolled(4), DROP, CLAIM), None),
        ((CLAIM, rolled(4, how="device"), DROP, CLAIM), 4),
        ((*exposes("T01", 3, "ANN"), rolled(3)), 3),
        ((CLAIM, rolled(4, how="device"), turned("T01", 4, "ANN"), CLAIM), None),
        ((CLAIM, rolled(4), ev.Ended()), None),
        ((ev.Triggered(seat="ANN", square="T01", cause="entered"), rolled(5)), 5),
    ],
)
def test_t_exp_4_a_die_belongs_to_the_turn_in_hand(events: tuple[ev.AnyEvent, ...], die: int | None) -> None:
    assert die_in_hand(*events) == die


def test_a_die_prints_as_sealed() -> None:
    game = played(started(), CLAIM, rolled(4)).game
    assert [repr(hand) for hand in game.turns] == ["SeatTurn((sealed))"]
    assert repr(rolled(4, square="T01")) == "Rolled(square='T01', seat='ANN', die=(sealed))"


@pytest.mark.parametrize("die", [0, 7, -1])
def test_a_record_with_another_die_than_a_d6_is_refused(die: int) -> None:
    text = ev.to_json(rolled(4)).replace(b'"die":4', b'"die":%d' % die)
    with pytest.raises(msgspec.ValidationError):
        ev.from_json(text)
