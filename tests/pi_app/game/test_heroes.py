"""Heroes at the table: who stepped, who is caught, what they can do, and what is asked of them."""

from __future__ import annotations

import pytest

from pi_app.game import events as ev
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import Ruleset
from pi_app.game.trap_table import Trap
from tests.pi_app.told import TRAPS, Told, eight_squares

ENDS = "The figure's movement and activation end (T-TRG-6)."


def begun(*lines: str, rules: Ruleset | None = None, clear: tuple[str, ...] = ()) -> Told:
    """Return a table at which these lines were typed."""
    told = Told(eight_squares(*clear, rules=rules))
    for line in lines:
        assert not told.say(line)[:1] or not told.lines[-1].startswith("REFUSED"), told.lines[-1]
    return told


def heroes(**more: str) -> Told:
    """Return a table with Aria (Nimble, Dodge) and Borg of Ann, and Cora (Toughness) of Ben."""
    return begun("hero ann Aria nimble dodge", "hero ann Borg", "hero ben Cora toughness")


# ------------------------------------------------------------------------------------------ naming Heroes


def test_a_hero_is_named_changed_and_listed() -> None:
    at = heroes()
    assert at.say("hero ann aria nimble speed 8 level 2") == ["Ann: Aria (Nimble, speed 8, level 2) and Borg."]
    assert at.say("hero") == [
        "Ann: Aria (Nimble, speed 8, level 2) and Borg.",
        "Ben: Cora (Toughness).",
        "Cal: one Hero without a name.",
        "Dee: one Hero without a name.",
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("hero ann cora", "Cora is a Hero of Ben."),
        ("hero ann T01", "'T01' already means something else at this table; choose another name."),
        ("hero ann spawn", "'spawn' already means something else at this table; choose another name."),
        ("hero ann a!b", "A Hero's name is one word of up to 12 letters, digits or hyphens, not 'a!b'."),
        ("hero ann Zoe dogde", "There is no ability 'dogde' here; did you mean 'dodge'?"),
        ("hero ann Zoe speed 99", "This number must be 0 to 20."),
        ("enter T01 ann", "Ann has several Heroes; name one: Aria, Borg."),
        ("enter T01 arai", "There is no seat, player or Hero 'arai'; did you mean 'Aria'?"),
    ],
)
def test_a_line_that_names_no_hero_is_refused(line: str, told: str) -> None:
    assert heroes().say(line) == [f"REFUSED {told}"]


def test_a_seat_has_at_most_eight_heroes() -> None:
    at = begun(*(f"hero ann Hero{n}" for n in range(8)))
    assert at.say("hero ann Hero8") == ["REFUSED Ann has 8 Heroes already; no seat has more."]


def test_a_hero_that_fell_moves_no_more() -> None:
    at = heroes()
    at.say("fallen borg")
    assert at.say("enter T01 borg") == ["REFUSED Borg is out of the game."]
    assert at.say("enter T01 ann")[1] == "T01 is set off on entering (T-TRG-1)."  # Aria is the only one left


# ----------------------------------------------------------------------------- only dice that decide something


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("enter T01 cora", "no die"),
        ("enter T01 spawn", "no die"),
        ("enter T01 token", "no die"),
        ("enter T01 cora flying", "no die"),
        ("pass T01 aria", "no die"),  # A-NIM-1
        ("pass T01 cora flying", "no die"),
        ("pass T01 cora", "one die"),
        ("start T01 cora", "no die"),
        ("disarm T01 cora quick", "three dice"),
        ("shockwave T01 ann", "two dice and the attack value"),
    ],
)
@pytest.mark.parametrize("clear", [True, False])
def test_what_is_asked_while_a_square_is_concealed_does_not_depend_on_it(line: str, asks: str, *, clear: bool) -> None:
    at = begun("hero ann Aria nimble shockwave", "hero ben Cora toughness", clear=("T01",) if clear else ())
    at.expose("T01", "Dee" if "disarm" not in line else "Ben")
    if asks == "no die":
        assert at.say(f"{line} 3")[0].startswith("REFUSED T01 needs no die now. Type: ")
        assert not at.say(line)[0].startswith("REFUSED")
    else:
        assert at.say(line)[0].startswith(f"REFUSED T01 needs {asks} now. Type: {line.split()[0]} T01 ")
        rolled = f"{line} roll 8" if "attack" in asks else f"{line} roll"
        assert at.say(rolled)[0].startswith("The device rolled ")


def off(trap: Trap, *lines: str, rules: Ruleset | None = None) -> tuple[Told, str]:
    """Return a table at which Dee's Hero has set this trap off and its effect on her is complete."""
    at, label = begun(*lines, rules=rules), f"T0{TRAPS.index(trap) + 1}"
    at.say(f"enter {label} dee")
    at.turn(label)
    if at.square(label).hits is not None:
        at.say(f"hits {label} {'4' if trap is Trap.BUZZ_SAW else ''}")
    assert at.square(label).state is SquareState.TRIGGERED
    return at, label


@pytest.mark.parametrize(
    ("trap", "asks"),
    [
        (Trap.BUZZ_SAW, "one die for damage"),
        (Trap.CAGE, "no die"),
        (Trap.FALLING_WEIGHT, "no die"),
        (Trap.FIRE_JETS, "no die"),
        (Trap.NOXIOUS_ACID_POOL, "no die"),
        (Trap.SPIKED_PIT, "no die"),
    ],
)
def test_a_running_trap_asks_for_the_dice_of_its_damage_alone(trap: Trap, asks: str) -> None:
    at, label = off(trap)
    if asks == "no die":
        assert not at.say(f"enter {label} ann")[0].startswith("REFUSED")
    else:
        assert at.say(f"enter {label} ann") == [f"REFUSED {label} needs {asks} now. Type: enter {label} ANN DIE"]
        assert at.say(f"enter {label} ann 5") == ["5 clicks of damage (E-SAW-2)."]


def test_a_hero_that_dodges_rolls_for_it_only_where_that_helps() -> None:
    by_rulings = Ruleset(damage_reduction="rulings_2003")
    at, label = off(Trap.BUZZ_SAW, "hero ann Aria dodge", rules=by_rulings)
    assert at.say(f"enter {label} aria") == [
        "REFUSED T01 needs one die for damage and one for Dodge now. Type: enter T01 Aria DIE DIE"
    ]
    assert at.say(f"enter {label} aria 5 5")[0] == "No damage (E-SAW-2)."
    at, label = off(Trap.BUZZ_SAW, "hero ann Aria dodge")
    assert at.say(f"enter {label} aria 5") == ["5 clicks of damage (E-SAW-2)."]


def test_t_dis_6_the_third_die_is_asked_for_until_everyone_can_read_the_number() -> None:
    at, label = off(Trap.CAGE)
    assert at.say(f"disarm {label} ann quick 6 6") == [
        "REFUSED T02 needs three dice now. Type: disarm T02 ANN quick DIE DIE DIE"
    ]
    at.say(f"disarm {label} ann quick 1 1 6")
    assert at.say(f"disarm {label} ann quick 6 6 6") == [
        "REFUSED T02 needs two dice now. Type: disarm T02 ANN quick DIE DIE"
    ]
    at.say(f"disarm {label} ann quick 6 6")
    assert at.square(label).state is SquareState.DISARMED


# ------------------------------------------------------------------------ what was wrong, as issue by issue seen


def test_a_shw_2_a_shockwave_hits_no_figure_and_asks_for_no_effect() -> None:
    for label in ("T01", "T02"):
        at = begun()
        at.say(f"shockwave {label} cal 6 6 10")
        prompts = at.turn(label)
        assert "A Shockwave set it off: no figure is hit, but its effects around it begin (A-SHW-2)." in prompts
        assert not any("hits" in line for line in prompts)
        assert at.say(f"hits {label}") == [
            f"REFUSED {label} hits no figure now: its effect on the figure that set it off is complete (T-TRG-7)."
        ]
        assert at.square(label).prisoner is None


def jaws_withdrawn() -> Told:
    at, _ = off(Trap.JAWS_OF_DOOM)
    at.say("jaws T05 unharmed")
    assert at.square("T05").state is SquareState.WITHDRAWN
    return at


def test_e_jaw_6_any_figure_sets_withdrawn_jaws_off_again() -> None:
    at = jaws_withdrawn()
    assert at.say("enter T05 figure") == [
        "REFUSED That figure can set T05 off: name the player who moves it. Type: enter T05 figure SEAT"
    ]
    at.say("enter T05 figure ben")
    assert at.square("T05").state is SquareState.TRIGGERED
    at.say("jaws T05 harmed")
    assert at.square("T05").state is SquareState.DISARMED


def test_another_figure_on_a_concealed_square_sets_it_off_and_its_player_turns_the_dial() -> None:
    at = begun()
    at.say("enter T03 figure ben")
    assert at.turn("T03")[0] == "T03 hits another figure. No die is needed. Type: hits T03"
    assert at.say("hits") == ["3 clicks of damage (E-WGT-1).", ENDS]


def test_e_cage_3_only_another_figure_frees_a_prisoner() -> None:
    at = begun()
    at.say("enter T02 ben")
    at.turn("T02")
    assert at.square("T02").prisoner == "BEN"
    assert at.say("disarm T02 ben quick 6 6 1") == [
        "REFUSED Ben is locked in T02: only another figure frees it (E-CAGE-3)."
    ]
    assert at.say("enter T01 ben") == ["REFUSED Ben is locked in T02, out of play (E-CAGE-2)."]
    told = at.say("disarm T02 ann quick 6 6 1")
    assert told[-1] == "The Cage of T02 is open: Ben comes back on a square beside it, placed by its player (E-CAGE-5)."
    assert (at.xp("Ann"), at.xp("Ben")) == (22, 0)  # E-CAGE-7, T-DIS-8


def test_e_cage_3_another_hero_of_the_same_player_frees_it() -> None:
    at = heroes()
    at.say("enter T02 aria")
    at.turn("T02")
    assert at.public("T02") == "T02: triggered; The Cage; Aria is locked in, out of play."
    assert at.say("disarm T02 aria quick 6 6 1")[0].startswith("REFUSED Aria is locked in T02")
    at.say("disarm T02 borg quick 6 6 1")
    assert at.square("T02").state is SquareState.DISARMED


def test_e_cage_3_a_figure_that_is_no_hero_frees_a_prisoner_without_experience() -> None:
    at, _ = off(Trap.CAGE)
    at.say("disarm T02 figure ben quick 6 6 1")
    assert (at.square("T02").state, at.xp("Ben")) == (SquareState.DISARMED, 0)
    at, _ = off(Trap.FIRE_JETS)
    assert at.say("disarm T04 figure ben quick 6 6") == [
        "REFUSED Only a Hero tries to disarm a trap; another figure may only free a prisoner (E-CAGE-3)."
    ]


def test_r_xp_3_the_jaws_pay_after_their_fight() -> None:
    at = begun(rules=Ruleset(xp_on_trigger_25=True))
    at.say("enter T05 ann")
    at.turn("T05")
    assert at.say("hits T05")[0].startswith("REFUSED")
    assert at.xp("Ann") == 0
    at.say("jaws T05 unharmed")
    assert at.xp("Ann") == 25


def test_r_xp_3_the_others_pay_after_their_effect() -> None:
    at = begun(rules=Ruleset(xp_on_trigger_25=True))
    at.say("enter T04 ann")
    at.turn("T04")
    assert at.xp("Ann") == 0
    at.say("hits")
    assert at.xp("Ann") == 25
    at.say("enter T06 ben")  # the Hand damages no figure: its effect is complete at once
    at.turn("T06")
    assert at.xp("Ben") == 25


@pytest.mark.parametrize("clear", [True, False])
def test_t_trg_16_a_player_who_knows_the_square_is_not_judged_by_what_the_step_costs(*, clear: bool) -> None:
    at = begun(clear=("T01",) if clear else ())
    at.expose("T01", "Ann")
    told = at.say("enter T01 ann speed 1")
    assert told[0] == "Ann steps onto T01, which its player knows (T-TRG-16)."
    assert at.square("T01").state is (SquareState.EXPOSED if clear else SquareState.TRIGGERED)
    assert at.rules() == []


def test_t_trg_7_a_hit_belongs_to_a_figure_that_set_it_off() -> None:
    at = begun()
    assert at.say("hits T01 dee 5 1") == ["REFUSED T01 has not gone off: it hits no figure (T-TRG-7)."]
    assert at.say("hits") == ["REFUSED No trap waits for its effect now (T-TRG-7)."]
    at.say("enter T01 ann")
    at.turn("T01")
    assert at.say("hits T01 dee 5") == ["REFUSED T01 hits Ann. Type: hits T01"]
    assert at.say("hits 5") == ["5 clicks of damage (E-SAW-1).", ENDS]
    assert at.say("hits 5") == ["REFUSED No trap waits for its effect now (T-TRG-7)."]


def test_e_wgt_3_a_fallen_weight_hits_no_figure_again() -> None:
    at, _ = off(Trap.FALLING_WEIGHT)
    assert at.say("hits T03 ann again")[0].startswith("REFUSED T03 hits no figure now")
    assert at.say("enter T03 ann") == ["The trap fires only once: nothing happens (E-WGT-3)."]


def test_e_jaw_5_withdrawn_jaws_do_not_attack() -> None:
    assert jaws_withdrawn().say("hits T05")[0].startswith("REFUSED T05 hits no figure now")


def test_t_dis_5_the_players_are_asked_to_turn_the_dial_to_its_disarmed_mark() -> None:
    at = begun()
    at.expose("T04", "Ann")
    told = at.say("disarm T04 ann quick 6 6 1")
    assert told == ["Turn the dial of T04 to its disarmed mark, in either direction, without a claim (T-DIS-5)."]
    at.apply(ev.Ended())
    assert at.rules() == ["T-AUD-3"]


def test_e_hand_7_a_failed_second_try_costs_nothing_but_the_points() -> None:
    for trap, rule in ((Trap.MONSTROUS_HAND, "E-HAND-7"), (Trap.CAGE, "E-CAGE-4")):
        at, label = off(trap)
        dice = "1 1" if trap is Trap.MONSTROUS_HAND else "1 1 6"
        told = at.say(f"disarm {label} cal quick {dice}")
        assert told[0] == f"No further effect; the speed points are spent ({rule})."
        assert not any("hits" in line for line in told)


def test_q_14_a_failed_second_try_at_a_running_trap_hits_the_hero_that_tried() -> None:
    at, label = off(Trap.FIRE_JETS)
    told = at.say(f"disarm {label} cal quick 1 1")
    assert told[0] == "T04 hits Cal. No die is needed. Type: hits T04"
    assert at.say("hits")[0] == "One click of damage (E-FIRE-1)."


def test_the_line_of_a_square_forgets_an_attempt_once_another_figure_sets_it_off() -> None:
    at = jaws_withdrawn()
    at.say("disarm T05 cal quick 1 1")
    assert "quick disarm attempt by Cal" in at.public("T05")
    at.say("jaws T05 unharmed")
    at.say("enter T05 ben")
    assert at.public("T05") == "T05: triggered; Jaws of Doom."
    at.say("jaws T05 harmed")
    assert at.public("T05") == "T05: disarmed; Jaws of Doom."  # E-JAW-7: no experience


def test_two_effects_wait_and_the_older_one_is_answered_first() -> None:
    at = begun()
    for label, seat in (("T08", "ann"), ("T04", "ben")):
        at.say(f"enter {label} {seat}")
        at.turn(label)
    assert at.say("hits")[0] == "2 clicks of damage (E-PIT-1)."
    assert at.say("hits")[0] == "One click of damage (E-FIRE-1)."


def test_the_words_of_the_move_count_for_its_effect() -> None:
    at = begun(rules=Ruleset(pit_pay4="always"))
    at.say("enter T08 ann pay4")
    at.turn("T08")
    assert at.say("hits")[0] == "Four speed points are paid: a safe crossing (E-PIT-2)."
    at = heroes()
    at.say("enter T08 cora")
    at.turn("T08")
    assert at.say("hits")[0] == "One click of damage (E-PIT-1)."  # A-TGH-1


def test_a_seat_without_named_heroes_names_its_abilities_with_the_effect() -> None:
    at = begun()
    at.say("enter T03 ann")
    told = at.turn("T03")
    assert told[1] == "If an ability helps that figure against T03, name it, as in: hits T03 dodge DIE"
    assert at.say("hits T03 dodge 5")[0] == "No damage (E-WGT-1)."


def test_t_dis_12_a_hero_too_slow_for_a_way_is_told_so() -> None:
    at = begun("hero ann Aria speed 5")
    at.expose("T04", "Ann")
    assert at.say("disarm T04 aria slow 6 6 6") == ["REFUSED This attempt costs 6 speed points; left: 5 (T-DIS-12)."]


def test_a_shw_1_only_a_hero_with_shockwave_sends_one() -> None:
    at = heroes()
    assert at.say("shockwave T01 cora 6 6 9") == [
        "REFUSED Cora has no Shockwave (A-SHW-1). To add it, type: hero BEN Cora toughness shockwave"
    ]
    at.say("hero BEN Cora toughness shockwave")
    assert at.say("shockwave T01 cora 6 6 9")[0] == "12 or more: the Shockwave sets T01 off (A-SHW-1)."


@pytest.mark.parametrize("policy", ["de_clarified", "silent"])
def test_l_12_no_sheet_lets_a_cage_a_weight_or_a_hand_take_a_second_figure(policy: str) -> None:
    for trap in (Trap.CAGE, Trap.FALLING_WEIGHT, Trap.MONSTROUS_HAND):
        at, label = off(trap, rules=Ruleset(retrigger_policy=policy))  # type: ignore[arg-type]
        prisoner = at.square(label).prisoner
        told = at.say(f"enter {label} ann")
        assert not any("locked" in line or "damage" in line for line in told)
        assert at.square(label).prisoner == prisoner
        assert at.say(f"trigger {label} ann")[0].startswith("REFUSED")


def test_q_13_a_failed_try_at_a_fallen_weight_does_not_let_it_fall_again() -> None:
    at, label = off(Trap.FALLING_WEIGHT, rules=Ruleset(weight_disarm="by_number"))
    told = at.say(f"disarm {label} cal quick 1 1")
    assert told[0] == "No further effect; the speed points are spent (Q-13)."
    assert at.square(label).hits is None


def test_a_shw_2_nor_does_a_shockwave_at_an_exposed_trap_hit_a_figure() -> None:
    at = begun()
    at.expose("T01", "Dee")
    told = at.say("shockwave T01 cal 6 6 10")
    assert "A Shockwave set it off: no figure is hit, but its effects around it begin (A-SHW-2)." in told
    assert at.square("T01").hits is None
