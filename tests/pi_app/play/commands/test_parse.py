"""The table's words: what they ask for, and the whole sentences that refuse them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.play.commands import words as commands
from pi_app.play.commands.parse import parse
from pi_app.report.moment import NO_GAME, Moment
from tests.pi_app.games import exposes, played, rolled, started, table_with, turned


def english(message: str) -> str:
    return message


def order(line: str, moment: Moment) -> ev.AnyEvent:
    command = parse(line, moment.game, english)
    assert isinstance(command, commands.Order)
    return command.event


def refusal(line: str, moment: Moment) -> str:
    with pytest.raises(commands.RefusedError) as refused:
        parse(line, moment.game, english)
    return str(refused.value)


FRESH = played(started())
EXPOSED = played(started(), *exposes("T01", 3, "ANN"))


def test_words_become_events_whatever_their_case() -> None:
    assert order("claim ann", FRESH) == ev.Claimed(seat="ANN", grade="table")
    assert order("TRIGGER t02 Ben diagonal", FRESH) == ev.Triggered(seat="BEN", square="T02", cause="diagonal")
    assert order("expose T01 BEN", EXPOSED) == ev.Exposed(seat="BEN", square="T01", grade="table")
    assert order("disarm T01 ANN slow 4 3 6", EXPOSED) == ev.DisarmTried(
        seat="ANN", square="T01", way="slow", dice=(4, 3), plus_die=6
    )
    assert order("end", FRESH) == ev.Ended()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("claim", "Usage: claim SEAT"),
        ("claim CARL", "There is no seat, player or Hero 'CARL'; there is 'ANN' or 'BEN'."),
        ("trigger T9 ANN", "There is no square 'T9'; there is 'T01' or 'T02'."),
        ("exposs T01 ANN", "There is no command 'exposs'; did you mean 'expose'?"),
        ("expose T01 ANN", "T01 is concealed: claim, roll one die and turn its dial (T-EXP-4)."),
        ("disarm T01 ANN quick 4 3 2", "T01 is concealed: expose it first, that costs nothing (T-DIS-10)."),
        ("jaws T01 harmed", "T01 shows no Jaws of Doom now (E-JAW-4)."),
        ("drop ANN", "Ann has no claim."),
        ("roll ANN", "Ann has no claim."),
        ("rolled ANN 4", "Ann has no turn under way; claim first."),
        ("rolled ANN", "Usage: rolled SEAT N"),
        ("rolled ANN 0", "A die shows 1 to 6, not '0'."),
        ("roll", "Usage: roll SEAT"),
    ],
)
def test_refusals_at_a_fresh_table(line: str, sentence: str) -> None:
    assert refusal(line, FRESH) == sentence


def test_dice_are_always_three_so_that_asking_tells_nothing() -> None:
    assert refusal("disarm T01 ANN quick 4 3", EXPOSED) == (
        "T01 needs three dice now. Type: disarm T01 ANN quick DIE DIE DIE"
    )
    assert refusal("disarm T01 ANN quick 4 7 1", EXPOSED) == "A die shows 1 to 6, not '7'."


def test_t_dis_10_who_has_not_exposed_it_exposes_first() -> None:
    assert refusal("disarm T01 BEN quick 4 3 2", EXPOSED) == (
        "Ben has not exposed T01: expose it first, that costs nothing. "
        "No sheet says so; the switch expose_before_disarm decides (T-DIS-10)."
    )


@pytest.mark.parametrize("content", [None, *Trap])
def test_s_6_what_is_refused_while_exposed_depends_on_nothing_under_the_square(content: Trap | None) -> None:
    """So a player may bluff (S-5), and try to disarm what is clear."""
    lines = [
        f"{verb} T01 {seat}{rest}"
        for verb, rest in [("expose", ""), ("trigger", ""), ("disarm", " quick 1 2 3")]
        for seat in ("ANN", "BEN")
    ]

    def answers(moment: Moment) -> list[str]:
        said = []
        for line in lines:
            try:
                said.append(repr(order(line, moment)))
            except commands.RefusedError as refused:
                said.append(str(refused))
        return said

    this = played(started(table_with(content)), *exposes("T01", 3, "ANN"))
    assert answers(this) == answers(EXPOSED)


@pytest.mark.parametrize("who", ["spawn", "mage", "token", "figure"])
def test_t_exp_1_only_a_hero_exposes(who: str) -> None:
    nobody = f"There is no seat, player or Hero '{who}'; there is 'ANN' or 'BEN'."
    assert refusal(f"claim {who}", FRESH) == nobody
    assert refusal(f"expose T01 {who}", EXPOSED) == nobody


def test_t_exp_3_t_exp_8_exposing_costs_nothing_and_uses_nothing_up() -> None:
    """No speed points are asked for, and another expose and a disarm may follow."""
    assert refusal("claim ANN speed 0", FRESH) == "Usage: claim SEAT"
    assert refusal("expose T02 ANN speed 0", FRESH) == "Usage: expose SQUARE HERO"
    twice = played(*exposes("T02", 1, "ANN"), moment=EXPOSED)
    assert twice.game.findings == ()
    assert twice.game.may_look("ANN") == ("T02", "T01")
    assert isinstance(order("claim ANN", twice), ev.Claimed)
    assert isinstance(order("disarm T01 ANN slow 1 2 3 speed 6", twice), ev.DisarmTried)


def test_only_one_claim_waits_at_a_time() -> None:
    waiting = played(ev.Claimed(seat="ANN", grade="button"), moment=FRESH)
    assert refusal("claim BEN", waiting) == ("Ann has claimed and not turned a dial yet; wait, or type: drop ANN")
    turning = played(ev.Bound(seat="ANN", square="T01"), moment=waiting)
    assert order("claim BEN", turning) == ev.Claimed(seat="BEN", grade="table")


def test_an_unclaimed_turn_can_be_credited() -> None:
    moment = played(turned("T01", 3), moment=FRESH)
    assert order("expose T01 BEN", moment) == ev.Exposed(seat="BEN", square="T01", grade="table")


def test_t_exp_11_a_table_may_forbid_second_exposes() -> None:
    moment = played(started(reexpose="forbid"), *exposes("T01", 3, "ANN"))
    assert refusal("expose T01 BEN", moment) == (
        "This table lets only one player expose a square (switch reexpose, T-EXP-11)."
    )


def test_q_13_a_fallen_weight_is_not_disarmed() -> None:
    moment = played(
        started(table_with(Trap.FALLING_WEIGHT)),
        *exposes("T01", 3, "ANN"),
        ev.Triggered(seat="BEN", square="T01", cause="entered"),
    )
    assert refusal("disarm T01 ANN quick 6 6 1", moment) == (
        "T01 cannot be disarmed: the Weight has fallen. No sheet says so; the switch weight_disarm decides (Q-13)."
    )


def test_without_a_game_only_a_new_one_can_be_asked_for() -> None:
    assert refusal("claim ANN", NO_GAME) == "No game is on. Type 'new' to begin one."
    assert parse("new", NO_GAME.game, english) == commands.NewGame()


def understood_or_refused(line: str) -> bool:
    """A command, or a sentence that refuses it; anything else is raised."""
    try:
        return parse(line, EXPOSED.game, english) is not None
    except commands.RefusedError as refused:
        return bool(str(refused))


@given(st.text(max_size=80))
def test_any_line_is_understood_or_refused_in_words(line: str) -> None:
    assert understood_or_refused(line)


@given(st.lists(st.sampled_from(["disarm", "T01", "ANN", "quick", "slow", "3", "x", "trigger", "jaws"]), max_size=9))
def test_any_words_in_any_order_are_understood_or_refused(words: list[str]) -> None:
    assert understood_or_refused(" ".join(words))


def test_every_word_of_the_help_is_understood() -> None:
    for verb in commands.USAGE:
        with pytest.raises(commands.RefusedError, match=r"Usage|No game is on"):
            parse(f"{verb} too many words for any command here", NO_GAME.game, english)


CLAIMED = played(ev.Claimed(seat="ANN", grade="button"), moment=FRESH)
BOUND = played(ev.Bound(seat="ANN", square="T01"), moment=CLAIMED)


def test_t_exp_4_a_die_may_be_said_before_and_after_the_turn() -> None:
    assert order("rolled ann 4", CLAIMED) == rolled(4)
    assert order("rolled ANN 4", BOUND) == rolled(4, square="T01")
    assert order("rolled ANN 3", EXPOSED) == rolled(3, square="T01")
    corrected = played(rolled(4), moment=CLAIMED)
    assert order("rolled ANN 5", corrected) == rolled(5)


def test_the_device_rolls_for_a_claim() -> None:
    assert parse("roll ann", CLAIMED.game, english) == commands.Roll("ANN")
    assert refusal("roll ANN", EXPOSED) == "Ann has no claim."


def test_what_the_device_rolled_stands_and_what_was_said_is_only_corrected() -> None:
    by_device = played(rolled(4, how="device"), moment=CLAIMED)
    assert parse("roll ann", by_device.game, english) == commands.Roll("ANN")
    assert refusal("rolled ANN 5", by_device) == "The device rolled for Ann; that roll stands."
    said = played(rolled(4), moment=CLAIMED)
    assert refusal("roll ANN", said) == "Ann's roll is already recorded; to correct it, type: rolled ANN N"


@pytest.mark.parametrize("die", range(1, 7))
@pytest.mark.parametrize("how", ["said", "device"])
def test_s_9_what_is_answered_does_not_depend_on_the_number(die: int, how: ev.How) -> None:
    def answers(moment: Moment) -> list[str]:
        said = []
        for line in ("roll ANN", "rolled ANN 2", "drop ANN", "claim ANN", "status"):
            try:
                said.append(repr(parse(line, moment.game, english)))
            except commands.RefusedError as refused:
                said.append(str(refused))
        return said

    this, that = (played(rolled(number, how=how), moment=BOUND) for number in (die, 1))
    assert answers(this) == answers(that)
