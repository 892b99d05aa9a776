"""What is said of moves at the table, and that nothing of it depends on a secret."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.game import events as ev
from pi_app.game.moves import ADDED, what_now
from pi_app.game.objections import FOUND, HIT_NOBODY
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import Ruleset
from pi_app.game.trap_table import Trap
from pi_app.play.commands import words as commands
from pi_app.play.commands.parse import ROLLED, parse
from pi_app.report.moment import Moment
from tests.pi_app.games import exposes, played, started, table_with, turned


def english(message: str) -> str:
    return message


def under(trap: Trap | None, **rules: Any) -> Moment:
    return played(started(table_with(trap), rules=Ruleset(**rules)))


def exposed(trap: Trap | None, **rules: Any) -> Moment:
    return played(*exposes("T01", 3, "ANN"), moment=under(trap, **rules))


def gone_off(trap: Trap | None, **rules: Any) -> Moment:
    """Ann has exposed it. A Hero of hers set it off, or one of Ben's if it is clear: she would walk over it."""
    seat = "BEN" if trap is None else "ANN"
    return played(ev.Triggered(seat=seat, square="T01", cause="entered"), moment=exposed(trap, **rules))


def says(line: str, moment: Moment) -> list[str]:
    try:
        command = parse(line, moment.game, english)
    except commands.RefusedError as refused:
        return [f"REFUSED {refused}"]
    assert isinstance(command, commands.Order)
    event = command.then if isinstance(command.event, ev.Moved) else command.event
    return [*command.notes, *([repr(event)] if event is not None else [])]


def triggered(cause: ev.Cause) -> str:
    return repr(ev.Triggered(seat="ANN", square="T01", cause=cause, by_move=True))


FRESH = under(Trap.SPIKED_PIT)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (
            "pass T01 ann 3",
            [
                "3 or less at the corner of T01: it is set off, the Hero stands beside it (T-TRG-4).",
                triggered("diagonal"),
            ],
        ),
        ("pass T01 ann 4", ["A 4 or more at the corner of T01: the move continues (T-TRG-3)."]),
        ("pass T01 ann nimble", ["The corner of T01 is cut without a roll (A-NIM-1, A-FLY-3)."]),
        (
            "enter T01 ann",
            [
                "Speed points for entering T01: 2 (G-2).",
                "T01 is set off on entering (T-TRG-1).",
                triggered("entered"),
            ],
        ),
        ("enter T01 ann flying", ["The figure flies over T01 and does not set it off (A-FLY-1)."]),
        ("enter T01 spawn", ["This figure sets off no trap (G-1); entering T01 costs 2 speed points (G-3)."]),
        ("enter T01 ann beside", ["Beside T01 nothing happens: it has not gone off."]),
        ("shockwave T01 ann 2 1 8", ["Less than 12: the Shockwave does nothing to T01 (A-SHW-1)."]),
        ("shockwave T01 ann 2 2 8", ["12 or more: the Shockwave sets T01 off (A-SHW-1).", triggered("shockwave")]),
        ("start T01 ann", ["T01 has not gone off: nothing happens."]),
        ("hits T01", ["REFUSED T01 has not gone off: it hits no figure (T-TRG-7)."]),
        ("pass T01 ann", ["REFUSED T01 needs one die now. Type: pass T01 ANN DIE"]),
        ("pass T01 ann 7", ["REFUSED A die shows 1 to 6, not '7'."]),
        (
            "pass T01 spawn 2",
            ["REFUSED There is no seat, player or Hero 'spawn'; there is 'ANN' or 'BEN'."],
        ),
        ("break T01 ann fast 6", ["REFUSED Usage: break SQUARE WHO DIE"]),
    ],
)
def test_whole_sentences_of_a_concealed_square(line: str, answer: list[str]) -> None:
    assert says(line, FRESH) == answer


def test_t_trg_14_flying_that_stops_there_sets_it_off() -> None:
    told = says("enter T01 ann flying stops", FRESH)
    assert told[:-1] == ["T01 is set off on entering (T-TRG-1)."]
    assert "'flying', 'stops'" in told[-1]  # A-FLY-1


@pytest.mark.parametrize(("exempt", "off"), [("pool_only", True), ("all", False)])
def test_l_09_which_mage_spawn_set_it_off(exempt: str, *, off: bool) -> None:
    """T-TRG-13."""
    said_of_it = says("enter T01 mage ben", under(Trap.CAGE, mage_spawn_exempt=exempt))
    assert ("T01 is set off on entering (T-TRG-1)." in said_of_it) is off


@pytest.mark.parametrize(("until", "cost"), [("triggered", "entering T01: 2 (G-2)"), ("discovered", "(L-08)")])
def test_l_08_how_long_it_is_hindering(until: str, cost: str) -> None:
    assert cost in says("enter T01 ben", exposed(None, hindering_until=until))[0]
    assert "entering T01: 2 (G-2)" in says("enter T01 ben", under(None, hindering_until=until))[0]


@pytest.mark.parametrize(
    ("trap", "line", "answer"),
    [
        (Trap.BUZZ_SAW, "enter T01 ben 5", ["5 clicks of damage (E-SAW-2)."]),
        (
            Trap.BUZZ_SAW,
            "enter T01 figure toughness 5",
            [
                "4 clicks of damage (E-SAW-2).",
                "Toughness counts as 1 here: no trap sheet says how much (A-TGH-1).",
            ],
        ),
        (
            Trap.SPIKED_PIT,
            "enter T01 ben pay4",
            ["Four speed points are paid: a safe crossing (E-PIT-2)."],
        ),
        (Trap.FALLING_WEIGHT, "enter T01 ben", ["The trap fires only once: nothing happens (E-WGT-3)."]),
        (Trap.NOXIOUS_ACID_POOL, "enter T01 ben beside", ["One click of damage (E-ACID-3)."]),
        (Trap.NOXIOUS_ACID_POOL, "start T01 ben", ["2 clicks of damage (E-ACID-2)."]),
        (Trap.NOXIOUS_ACID_POOL, "start T01 ben movement", ["No damage (E-ACID-2)."]),
        (Trap.MONSTROUS_HAND, "break T01 ben 5", ["Only a 6 breaks away from the Hand (E-HAND-3)."]),
        (Trap.MONSTROUS_HAND, "break T01 ben 6", ["A 6: the figure breaks away from the Hand (E-HAND-3)."]),
        (Trap.FIRE_JETS, "break T01 ben 6", ["REFUSED T01 shows no Monstrous Hand (E-HAND-2)."]),
        (
            Trap.FALLING_WEIGHT,
            "hits T01 ann dodge 5",
            [
                "No damage (E-WGT-1).",
                "Dodge succeeds from 5 here: no trap sheet says from what number (A-DOD-1).",
                "The figure's movement and activation end (T-TRG-6).",
            ],
        ),
    ],
)
def test_whole_sentences_of_a_trap_that_has_gone_off(trap: Trap, line: str, answer: list[str]) -> None:
    assert says(line, gone_off(trap)) == answer


LINE = st.one_of(
    [
        st.builds(
            lambda who, added, numbers, verb=verb: " ".join([verb, "T01", who, *added, *map(str, numbers)]),
            st.sampled_from(["ANN", "BEN", "spawn", "mage", "token"]),
            st.lists(st.sampled_from(ADDED[verb] or ("x",)), max_size=3),
            st.lists(st.integers(1, 6), max_size=3),
        )
        for verb in ADDED
    ]
)
RULES = st.fixed_dictionaries(
    {
        "trigger_on_exposed": st.sampled_from(["keep_click", "reroll"]),
        "hindering_until": st.sampled_from(["triggered", "discovered"]),
        "mage_spawn_exempt": st.sampled_from(["pool_only", "all"]),
        "pit_pay4": st.sampled_from(["after_trigger", "always"]),
    }
)


@given(LINE, RULES, st.sampled_from(list(Trap)))
def test_s_6_until_it_is_public_nothing_said_depends_on_what_lies_there(
    line: str, rules: dict[str, Any], trap: Trap
) -> None:
    assert says(line, under(trap, **rules)) == says(line, under(None, **rules))
    assert says(line, exposed(trap, **rules)) == says(line, exposed(None, **rules))


ENTERED = ev.Triggered(seat="ANN", square="T01", cause="entered")


def next_steps(trap: Trap | None, **rules: Any) -> list[str]:
    at = exposed(trap, **rules)
    notes = what_now(at.game, played(ENTERED, moment=at).game, ENTERED)
    return [note.text(english) for note in notes]


ENDS = "The figure's movement and activation end (T-TRG-6)."


@pytest.mark.parametrize(
    ("trap", "told"),
    [
        (Trap.FIRE_JETS, ["T01 hits Ann. No die is needed. Type: hits T01"]),
        (
            Trap.BUZZ_SAW,
            [
                "T01 hits Ann: one die for damage. Type: hits T01 DIE",
                "If an ability helps that figure against T01, name it, as in: hits T01 invulnerability DIE",
            ],
        ),
        (
            Trap.FALLING_WEIGHT,
            [
                "T01 hits Ann. No die is needed. Type: hits T01",
                "If an ability helps that figure against T01, name it, as in: hits T01 dodge DIE",
            ],
        ),
        (
            Trap.CAGE,
            [
                "The Hero is locked in the trap's square and out of play until another figure disarms the Cage "
                "(E-CAGE-1).",
                ENDS,
            ],
        ),
        (
            Trap.JAWS_OF_DOOM,  # E-JAW-8, E-JAW-9
            [
                "The Jaws attack all around: attack 10, damage 2, speed 4, defense 14 with Toughness (E-JAW-2).",
                ENDS,
                "Fight the Jaws of T01, then type: jaws T01 harmed, or: jaws T01 unharmed; "
                "without a counterattack it is unharmed.",
            ],
        ),
        (
            Trap.MONSTROUS_HAND,
            [
                "Beside the Hand: speed -4, at least 0; break away only on a 6; disarm it against 10 (E-HAND-1).",
                "Figures beside the Hand cannot counterattack (E-HAND-4).",
                ENDS,
            ],
        ),
    ],
)
def test_what_to_say_next_when_a_trap_becomes_public(trap: Trap, told: list[str]) -> None:
    assert next_steps(trap) == told


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        (False, "T01 is clear: the move continues (T-TRG-12)."),
        (True, "T01 is clear, but the movement ends (T-TRG-12)."),
    ],
)
def test_t_trg_12_a_clear_square(*, ends: bool, sentence: str) -> None:
    at = exposed(None, clear_ends_move=ends)
    by_ben = ev.Triggered(seat="BEN", square="T01", cause="entered")
    notes = what_now(at.game, played(by_ben, moment=at).game, by_ben)
    assert [note.text(english) for note in notes] == [sentence]


def test_t_trg_12_a_clear_square_is_secret_until_it_is_public() -> None:
    assert what_now(under(None).game, exposed(None).game, exposes("T01", 3, "ANN")[-1]) == ()


def disarms(seat: str, *dice: int, abilities: tuple[Any, ...] = ()) -> ev.DisarmTried:
    return ev.DisarmTried(
        seat=seat, square="T01", way="quick", dice=(dice[0], dice[1]), plus_die=1, abilities=abilities
    )


def state(moment: Moment) -> SquareState:
    return moment.game.squares["T01"].state


@pytest.mark.parametrize(("bonus", "after"), [(0, SquareState.TRIGGERED), (1, SquareState.DISARMED)])
def test_t_dis_9_a_bonus_of_the_table_makes_the_difference(bonus: int, after: SquareState) -> None:
    at = exposed(Trap.FIRE_JETS, disarm_stealth=bonus)
    assert state(played(disarms("ANN", 3, 3, abilities=("stealth",)), moment=at)) is after


@pytest.mark.parametrize(
    ("when", "after"), [("after_trigger", SquareState.DISARMED), ("always", SquareState.TRIGGERED)]
)
def test_l_21_the_hands_ten(when: str, after: SquareState) -> None:
    at = exposed(Trap.MONSTROUS_HAND, hand_value_10=when)
    assert state(played(disarms("ANN", 4, 4), moment=at)) is after


@pytest.mark.parametrize(("policy", "refused"), [("de_clarified", False), ("silent", True)])
def test_l_13_disarming_a_running_saw(policy: str, *, refused: bool) -> None:
    line = "disarm T01 BEN quick 1 2"
    assert says(line, gone_off(Trap.BUZZ_SAW, retrigger_policy=policy))[0].startswith("REFUSED") is refused


@pytest.mark.parametrize(("policy", "refused"), [("de_clarified", True), ("silent", False)])
def test_l_12_setting_a_fallen_weight_off_again(policy: str, *, refused: bool) -> None:
    answer = says("trigger T01 BEN", gone_off(Trap.FALLING_WEIGHT, retrigger_policy=policy))
    assert answer[0].startswith("REFUSED T01 fires only once: it does not go off again (E-WGT-3).") is refused


def test_t_trg_8_an_exposed_trap_is_rerolled_if_the_table_plays_so() -> None:
    asked = gone_off(Trap.CAGE, trigger_on_exposed="reroll")
    assert state(asked) is SquareState.EXPOSED
    assert asked.game.claim_on("T01") is not None
    again = played(turned("T01", 2, "ANN", start=3, purpose="trigger"), moment=asked)
    assert state(again) is SquareState.TRIGGERED
    assert again.game.squares["T01"].shown == 5
    assert again.game.findings == ()


@pytest.mark.parametrize(("reexpose", "shown", "readers"), [("view_only", 3, ("ANN",)), ("reroll", 5, ("BEN",))])
def test_t_exp_11_a_second_hero_turns_it_again(reexpose: str, shown: int, readers: tuple[str, ...]) -> None:
    at = exposed(Trap.CAGE, reexpose=reexpose)
    claimed = (ev.Claimed(seat="BEN", grade="button"), ev.Bound(seat="BEN", square="T01"))
    after = played(*claimed, turned("T01", 2, "BEN", start=3), moment=at).game
    assert (after.squares["T01"].shown, after.squares["T01"].readers) == (shown, readers)
    assert [found.rule for found in after.findings] == (["T-AUD-4"] if reexpose == "view_only" else [])


def test_e_cage_2_the_prisoner_is_told_and_freed() -> None:
    caged = gone_off(Trap.CAGE)
    assert caged.game.squares["T01"].prisoner == "ANN"
    assert "T01: triggered; The Cage; Ann is locked in, out of play." in caged.report("public").lines["T01"]
    failed = played(disarms("BEN", 1, 1), moment=caged)
    assert failed.game.squares["T01"].prisoner == "ANN"  # E-CAGE-4: nor is the second figure locked in
    freed = played(disarms("BEN", 6, 6), moment=failed)
    assert freed.game.squares["T01"].prisoner is None
    assert freed.game.seats["BEN"].xp == 22  # E-CAGE-7, T-DIS-8
    assert [note.text(english) for note in what_now(failed.game, freed.game, disarms("BEN", 6, 6))] == [
        "Turn the dial of T01 to its disarmed mark, in either direction, without a claim (T-DIS-5).",
        "The Cage of T01 is open: Ann comes back on a square beside it, placed by its player (E-CAGE-5).",
    ]


def test_a_shw_2_a_shockwave_locks_no_hero_in() -> None:
    shaken = played(ev.Triggered(seat="ANN", square="T01", cause="shockwave"), moment=exposed(Trap.CAGE))
    assert shaken.game.squares["T01"].prisoner is None
    unseen = played(ev.Triggered(seat="ANN", square="T01", cause="shockwave"), moment=under(Trap.CAGE))
    assert played(turned("T01", 2, "ANN", purpose="trigger"), moment=unseen).game.squares["T01"].prisoner is None


@pytest.mark.parametrize("verb", ["enter", "start", "break"])
def test_e_jaw_3_the_jaws_walk_nowhere(verb: str) -> None:
    dice = " 1" if verb == "break" else ""
    assert "There is no seat, player or Hero 'jaws'" in says(f"{verb} T01 jaws{dice}", gone_off(Trap.JAWS_OF_DOOM))[0]
    assert not refused(f"{verb} T01 figure{dice}", gone_off(Trap.MONSTROUS_HAND))


@pytest.mark.parametrize("trap", [Trap.JAWS_OF_DOOM, Trap.MONSTROUS_HAND, Trap.NOXIOUS_ACID_POOL, Trap.SPIKED_PIT])
def test_q_11_what_the_sheet_leaves_open_is_hindering_after_it_went_off(trap: Trap) -> None:
    told = "REFUSED Speed points for entering T01: 2; left: 1 (Q-11)."
    assert says("enter T01 ben speed 1", gone_off(trap)) == [told]
    assert not refused("enter T01 ben speed 2", gone_off(trap))


def test_t_dial_6_what_is_clear_is_clear_terrain() -> None:
    clear = gone_off(None)
    assert state(clear) is SquareState.CLEAR_PUBLIC
    assert says("enter T01 ben speed 0", clear) == ["REFUSED Speed points for entering T01: 1; left: 0 (T-EXP-7)."]
    assert says("enter T01 ben speed 1", clear) == ["T01 is disarmed or clear: nothing happens (T-DIS-5, T-EXP-7)."]


def test_t_exp_6_a_trap_is_dangerous_until_it_is_disarmed() -> None:
    seen = exposed(Trap.SPIKED_PIT)
    disarmed = played(disarms("ANN", 6, 6), moment=seen)
    assert says("enter T01 ann", seen) == [
        "Ann steps onto T01, which its player knows (T-TRG-16).",
        triggered("entered"),
    ]
    assert says("enter T01 ann", gone_off(Trap.SPIKED_PIT)) == ["2 clicks of damage (E-PIT-2)."]
    assert says("enter T01 ann", disarmed) == ["T01 is disarmed or clear: nothing happens (T-DIS-5, T-EXP-7)."]


@pytest.mark.parametrize("exempt", ["pool_only", "all"])
@pytest.mark.parametrize("trap", [None, *Trap])
def test_q_28_what_a_hero_summoned_sets_nothing_off(trap: Trap | None, exempt: str) -> None:
    """The table calls it `spawn`."""
    assert says("enter T01 spawn", exposed(trap, mage_spawn_exempt=exempt)) == [
        "This figure sets off no trap (G-1); entering T01 costs 2 speed points (G-3)."
    ]


@pytest.mark.parametrize("dice", ["1 1 6", "6 6 1"])
def test_t_dis_11_the_points_are_asked_for_before_the_dice_are_looked_at(dice: str) -> None:
    """T-DIS-13: they are paid first, so neither good nor bad dice can spare them."""
    told = ["REFUSED This attempt costs 3 speed points; left: 2 (T-DIS-12)."]
    assert says(f"disarm T01 ANN quick {dice} speed 2", exposed(Trap.FIRE_JETS)) == told


@pytest.mark.parametrize(("way", "left", "cost"), [("quick", 2, 3), ("slow", 5, 6)])
def test_t_dis_12_who_cannot_pay_cannot_try(way: str, left: int, cost: int) -> None:
    """T-DIS-2, T-DIS-3."""
    at = exposed(Trap.FIRE_JETS)
    assert says(f"disarm T01 ANN {way} 1 2 3 speed {left}", at) == [
        f"REFUSED This attempt costs {cost} speed points; left: {left} (T-DIS-12)."
    ]
    assert not says(f"disarm T01 ANN {way} 1 2 3 speed {cost} nimble", at)[0].startswith("REFUSED")


def refused(line: str, moment: Moment) -> bool:
    return says(line, moment)[0].startswith("REFUSED")


@given(LINE, RULES, st.sampled_from(["fresh", "exposed", "busy", "gone off"]), st.data())
def test_no_die_decides_whether_a_move_is_refused(line: str, rules: dict[str, Any], when: str, data: Any) -> None:
    """Otherwise a player could let the device roll until the number suits."""
    moment = {
        "fresh": lambda: under(Trap.CAGE, **rules),
        "exposed": lambda: exposed(Trap.CAGE, **rules),
        "busy": lambda: played(ev.Claimed(seat="ANN", grade="button"), moment=under(Trap.CAGE, **rules)),
        "gone off": lambda: gone_off(Trap.MONSTROUS_HAND, **rules),
    }[when]()
    other = " ".join(str(data.draw(st.integers(1, 6))) if word.isdecimal() else word for word in line.split())
    assert refused(line, moment) is refused(other, moment)


@pytest.mark.parametrize("trap", [None, Trap.CAGE])
def test_a_corner_is_declared_by_two_sides_of_the_square(trap: Trap | None) -> None:
    at = exposed(trap)
    assert says("pass T01 ann n e 4", at) == ["A 4 or more at the corner of T01: the move continues (T-TRG-3)."]
    assert says("pass T01 ann n s 4", at) == ["REFUSED T01: from n to s cuts no corner of it (T-TRG-5)."]
    assert says("pass T01 ann ne n 4", at) == ["REFUSED T01: from n to ne cuts no corner of it (T-TRG-5)."]
    assert says("pass T01 ann n 4", at) == ["REFUSED T01: from n to n cuts no corner of it (T-TRG-5)."]


@pytest.mark.parametrize(
    ("trap", "line", "cost", "rule"),
    [
        (None, "enter T01 ben speed 1", 2, "G-2"),
        (Trap.CAGE, "enter T01 ben speed 1", 2, "G-2"),
        (Trap.CAGE, "enter T01 token speed 1", 2, "G-3"),
        (Trap.CAGE, "enter T01 ben pay4 speed 3", 4, "E-PIT-2"),
    ],
)
def test_q_18_who_cannot_pay_for_a_step_does_not_make_it(trap: Trap | None, line: str, cost: int, rule: str) -> None:
    left = int(line.split("speed ")[1].split()[0])
    assert says(line, exposed(trap)) == [f"REFUSED Speed points for entering T01: {cost}; left: {left} ({rule})."]
    assert not refused(line.replace(f"speed {left}", f"speed {cost}"), exposed(trap))


def test_l_27_e_cage_6_only_an_open_cage_that_was_seen_goes_on_hindering() -> None:
    """A Cage that was never public would reveal its name (S-10)."""
    seen = played(disarms("BEN", 6, 6), moment=gone_off(Trap.CAGE))
    unseen = played(disarms("ANN", 6, 6), moment=exposed(Trap.CAGE))
    assert refused("enter T01 ann speed 1", seen)
    assert says("enter T01 ann", seen) == [
        "T01 is disarmed: nothing happens. The open Cage costs 2 speed points to enter (E-CAGE-6)."
    ]
    assert says("enter T01 ann speed 1", unseen) == ["T01 is disarmed or clear: nothing happens (T-DIS-5, T-EXP-7)."]


# ------------------------------------------------------------------------------------------------- what happened anyway


def recorded(line: str, moment: Moment) -> ev.AnyEvent:
    command = parse(line, moment.game, english)
    assert isinstance(command, commands.Order)
    return command.event


CANNOT_PAY = "T01 entered or disarmed without enough speed points"
ANYWAY = [
    ("pass T01 ann n s 4", "fresh", "T-TRG-5", "T01 corner cut reported, but the move cuts no corner of it"),
    (
        "enter T01 ann speed 1",
        "fresh",
        "G-2",
        CANNOT_PAY,
    ),
    (
        "trigger T01 ann",
        "caged",
        "E-CAGE-2",
        "T01 a figure that is out of play moved at it",
    ),
    ("trigger T01 spawn ann", "fresh", "G-1", "T01 set off or disarmed by a figure that cannot do that"),
    ("shockwave T01 aria 1 2 3", "named", "A-SHW-1", "T01 Shockwave reported by a Hero without that ability"),
    ("break T01 ann 6", "fresh", "E-HAND-2", "T01 break-away reported, but it showed no Monstrous Hand"),
    ("expose T01 ann", "fresh", "T-EXP-4", "T01 was exposed without turning its dial"),
    ("jaws T01 harmed", "fresh", "E-JAW-4", "T01 counterattack reported, but it showed no Jaws of Doom"),
    ("disarm T01 ann quick 1 2 3", "fresh", "T-DIS-10", "T01 disarm attempted by a player who had not exposed it"),
    ("disarm T01 ben slow 1 2 3", "exposed", "T-DIS-10", "T01 disarm attempted by a player who had not exposed it"),
    (
        "disarm T01 ann slow 1 2 3 speed 5",
        "exposed",
        "T-DIS-12",
        CANNOT_PAY,
    ),
    ("expose T01 ben", "forbidden", "T-EXP-11", "T01 was exposed by more players than this table allows"),
    ("trigger T01 ben", "fallen", "E-WGT-3", "T01 was set off again although it fires only once"),
    (
        "disarm T01 ben quick 1 2",
        "fallen",
        "Q-13",
        "T01 disarm attempted, but it has gone off and cannot be disarmed",
    ),
    (
        "disarm T01 ben quick 1 2 3",
        "biting",
        "E-JAW-5",
        "T01 disarm attempted, but it has gone off and cannot be disarmed",
    ),
    ("trigger T01 ben", "disarmed", "T-DIS-5", "T01 was set off although it was already disarmed"),
    ("disarm T01 ben quick 1 2 3", "disarmed", "T-DIS-5", "T01 disarm attempted, but it was already disarmed"),
    ("trigger T01 ben", "clear", "T-EXP-7", "T01 was set off although it is clear"),
    ("disarm T01 ben quick 1 2 3", "clear", "T-EXP-7", "T01 disarm attempted, but it is clear"),
]
SCENES = {
    "fresh": lambda: under(Trap.CAGE),
    "exposed": lambda: exposed(Trap.FIRE_JETS),
    "forbidden": lambda: exposed(Trap.CAGE, reexpose="forbid"),
    "fallen": lambda: gone_off(Trap.FALLING_WEIGHT),
    "caged": lambda: gone_off(Trap.CAGE),
    "named": lambda: played(ev.HeroNamed(seat="ANN", name="Aria"), moment=exposed(Trap.CAGE)),
    "biting": lambda: gone_off(Trap.JAWS_OF_DOOM),
    "disarmed": lambda: played(disarms("ANN", 6, 6), moment=exposed(Trap.FIRE_JETS)),
    "clear": lambda: gone_off(None),
}


@pytest.mark.parametrize(("line", "scene", "rule", "found"), ANYWAY)
def test_it_is_refused_with_its_rule_and_written_down_if_it_happened_anyway(
    line: str, scene: str, rule: str, found: str
) -> None:
    moment = SCENES[scene]()
    assert says(line, moment)[0].startswith("REFUSED")
    assert f"{rule})" in says(line, moment)[0] or f"{rule};" in says(line, moment)[0]
    assert f"Recorded as it happened, against {rule}." in says(f"{line} anyway", moment)
    event = recorded(f"{line} anyway", moment)
    assert b'"anyway":true' in ev.to_json(event)
    (finding,) = played(event, moment=moment).game.findings
    assert (finding.rule, f"{finding.square} {finding.words}") == (rule, found)
    seat = "BEN" if "ben" in line else "ANN"
    assert finding.seat == (None if isinstance(event, ev.JawsAnswered) else seat)


def test_every_finding_of_what_happened_anyway_is_seen_here() -> None:
    assert {found.removeprefix("T01 ") for _, _, _, found in ANYWAY} == set(FOUND) - {HIT_NOBODY}
    assert all(rule in FOUND[found.removeprefix("T01 ")] for _, _, rule, found in ANYWAY)


@pytest.mark.parametrize("line", ["enter T01 ann", "trigger T01 ann", "pass T01 ann 6", "expose T01 ben"])
def test_what_no_rule_is_against_is_recorded_as_ever(line: str) -> None:
    at = exposed(Trap.SPIKED_PIT)
    assert says(f"{line} anyway", at) == says(line, at)
    assert recorded(f"{line} anyway", at) == recorded(line, at)


@given(LINE, RULES, st.sampled_from(list(Trap)))
def test_s_6_nor_does_what_happened_anyway(line: str, rules: dict[str, Any], trap: Trap) -> None:
    for at in (under, exposed):
        assert says(f"{line} anyway", at(trap, **rules)) == says(f"{line} anyway", at(None, **rules))


def test_t_dis_10_s_11_who_disarms_unread_succeeds_or_fails_all_the_same() -> None:
    won = recorded("disarm T01 BEN quick 6 6 1 anyway", exposed(Trap.FIRE_JETS))
    assert state(played(won, moment=exposed(Trap.FIRE_JETS))) is SquareState.DISARMED


# ------------------------------------------------------------------------------------------------- dice by the device


@pytest.mark.parametrize("verb", sorted(ROLLED - {"chest"}))
def test_the_same_dice_are_rolled_whatever_lies_there(verb: str) -> None:
    own = {"disarm": "disarm T01 ANN quick roll", "shockwave": "shockwave T01 ANN roll 8", "hits": "hits T01 roll"}
    line = own.get(verb, f"{verb} T01 ANN roll")
    counts = set()
    for trap in (None, *Trap):
        try:
            command = parse(line, exposed(trap).game, english)
        except commands.RefusedError as refusal:
            counts.add(str(refusal))
        else:
            assert isinstance(command, commands.Throw)
            counts.add(str(command.dice))
    assert len(counts) == 1


def test_a_line_that_is_refused_rolls_nothing() -> None:
    with pytest.raises(commands.RefusedError, match="has not gone off"):
        parse("hits T01 roll", FRESH.game, english)


def test_the_third_die_of_a_disarm_is_not_shown() -> None:
    """It fixes an open number, and that is private until the trap goes off (T-DIS-14)."""
    order = parse("disarm T01 ANN slow roll nimble", exposed(Trap.CAGE).game, english, (2, 5, 6))
    assert isinstance(order, commands.Order)
    assert order.notes == ("The device rolled 2, 5 for T01.",)
    assert order.event == ev.DisarmTried(
        seat="ANN", square="T01", way="slow", dice=(2, 5), plus_die=6, abilities=("nimble",), how="device"
    )


def test_what_the_device_rolled_for_a_move_is_in_the_event() -> None:
    order = parse("shockwave T01 ANN roll 8", FRESH.game, english, (3, 2))
    assert order == commands.Order(
        ev.Moved(square="T01", verb="shockwave", who="ANN", numbers=(3, 2, 8), how="device"),
        ("The device rolled 3, 2 for T01.", "12 or more: the Shockwave sets T01 off (A-SHW-1)."),
        ev.Triggered(seat="ANN", square="T01", cause="shockwave", by_move=True),
    )


# -------------------------------------------------------------------------------- switches that had no word before


@pytest.mark.parametrize(("paid", "xp"), [(False, 0), (True, 25)])
def test_r_xp_4_r_xp_3_experience_for_setting_off_comes_after_the_effect(paid: bool, xp: int) -> None:
    before = exposed(Trap.FIRE_JETS, xp_on_trigger_25=paid)
    off = gone_off(Trap.FIRE_JETS, xp_on_trigger_25=paid)
    assert off.game.seats["ANN"].xp == 0
    owed = "After that, Ann gains 25 experience (R-XP-3)."
    assert (owed in [note.text(english) for note in what_now(before.game, off.game, ENTERED)]) is paid
    done = played(recorded("hits T01", off), moment=off)
    assert done.game.seats["ANN"].xp == xp
    assert refused("hits T01", done)
    assert refused("hits T01 ben", off)


def test_r_xp_3_a_failed_disarm_and_a_concealed_trap_owe_it_too() -> None:
    failed = played(disarms("ANN", 1, 1), moment=exposed(Trap.FIRE_JETS, xp_on_trigger_25=True))
    assert failed.game.squares["T01"].owed == "ANN"
    enters = ev.Triggered(seat="ANN", square="T01", cause="entered")
    walked = played(enters, moment=under(Trap.SPIKED_PIT, xp_on_trigger_25=True))
    assert played(turned("T01", 2, "ANN", purpose="trigger"), moment=walked).game.squares["T01"].owed == "ANN"
    by_ben = ev.Triggered(seat="BEN", square="T01", cause="entered")
    clear = played(by_ben, moment=exposed(None, xp_on_trigger_25=True))
    assert clear.game.squares["T01"].owed is None


def test_s_8_the_device_shares_only_where_the_table_allows_it() -> None:
    assert says("share T01 ann", exposed(Trap.CAGE)) == [
        "REFUSED This table does not show an exposed square to all (switch share_by_exposer, S-8)."
    ]
    assert says("share T01 ann", exposed(Trap.CAGE, share_by_exposer=True)) == [
        repr(ev.Shared(seat="ANN", square="T01"))
    ]


@pytest.mark.parametrize("trap", [None, Trap.CAGE])
def test_s_2_only_who_exposed_it_may_have_it_shown(trap: Trap | None) -> None:
    told = "REFUSED {name} may not show T01: only a player who exposed it may, while it is exposed (S-2)."
    assert says("share T01 ben", exposed(trap, share_by_exposer=True)) == [told.format(name="Ben")]
    assert says("share T01 ann", under(trap, share_by_exposer=True)) == [told.format(name="Ann")]


@pytest.mark.parametrize(
    ("trap", "line"),
    [(Trap.CAGE, "T01: exposed by Ann; The Cage."), (None, "T01: exposed by Ann; clear, as shown to all.")],
)
def test_s_8_what_is_shown_to_all_may_be_looked_at_by_all_and_stays_armed(trap: Trap | None, line: str) -> None:
    at = exposed(trap, share_by_exposer=True)
    shown = played(ev.Shared(seat="ANN", square="T01"), moment=at)
    assert (shown.report("public").lines["T01"], state(shown)) == (line, SquareState.EXPOSED)
    assert (at.game.may_look("BEN"), shown.game.may_look("BEN")) == ((), ("T01",))
    assert says("share T01 ann", shown) == ["REFUSED T01 is already shown to all."]
    assert not refused("disarm T01 ben quick 1 2 3", shown)
    assert played(ev.Shared(seat="BEN", square="T01"), moment=at).game == at.game
    forbidden = exposed(trap)
    assert played(ev.Shared(seat="ANN", square="T01"), moment=forbidden).game == forbidden.game


def test_a_rerolled_square_is_secret_again() -> None:
    at = exposed(Trap.CAGE, share_by_exposer=True, reexpose="reroll")
    shown = played(ev.Shared(seat="ANN", square="T01"), moment=at)
    claimed = (ev.Claimed(seat="BEN", grade="button"), ev.Bound(seat="BEN", square="T01"))
    again = played(*claimed, turned("T01", 2, "BEN", start=3), moment=shown)
    assert (shown.game.squares["T01"].shared, again.game.squares["T01"].shared) == (True, False)


@pytest.mark.parametrize("trap", [None, Trap.CAGE])
@pytest.mark.parametrize(
    "line", ["pass T01 ann 1", "pass T01 ann 6", "enter T01 ann", "shockwave T01 ann 6 6 6", "trigger T01 ann"]
)
def test_s_2_nothing_is_set_off_in_the_middle_of_a_turn(line: str, trap: Trap | None) -> None:
    """Its dial would have to be turned; not even `anyway` helps, which is about rules."""
    busy = played(ev.Claimed(seat="ANN", grade="button"), moment=under(trap))
    told = ["REFUSED Ann or T01 is in the middle of a turn; finish that first (S-2)."]
    assert says(line, busy) == told
    assert says(f"{line} anyway", busy) == told
    assert says(line, exposed(trap)) != told
