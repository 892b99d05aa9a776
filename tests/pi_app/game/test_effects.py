"""The effects of the traps: each cell of the sheet, each switch, and the page about them.

`python -m tests.pi_app.game.test_effects` writes that page again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.game import effects as ef
from pi_app.game import events as ev
from pi_app.game.effects import TRAPS, TrapOutcome
from pi_app.game.objections import objection
from pi_app.game.rules import TRANSITIONS, Happening, SquareState
from pi_app.game.ruleset import Ability, Preset, Ruleset, settled
from pi_app.game.trap_table import Trap
from pi_app.game.trap_words import TRAP_NAMES
from pi_app.report.moment import Moment
from tests.pi_app.games import exposes, played, started, table_with, turned

PAGE = Path(__file__).resolve().parents[3] / "wiring_docs" / "traps.md"
PLAIN = settled({})
GERMAN = settled({"preset": "de"})
RULINGS = settled({"rulings_2003": True})
DIE = st.integers(1, 6)
ABILITIES: st.SearchStrategy[frozenset[Ability]] = st.frozensets(
    st.sampled_from(["toughness", "invulnerability", "dodge", "flying", "nimble", "stealth", "sneak"])
)
RULESETS = st.builds(
    Ruleset,
    damage_reduction=st.sampled_from(["trap_text", "rulings_2003"]),
    acid_reduction=st.sampled_from(["special_ability_damage", "none"]),
    trigger_ends=st.sampled_from(["movement_and_activation", "movement_only"]),
    retrigger_policy=st.sampled_from(["de_clarified", "silent"]),
    toughness_takes=st.integers(0, 3),
    invulnerability_takes=st.integers(0, 3),
    dodge_from=st.sampled_from([0, 2, 3, 4, 5, 6]),
    weight_disarm=st.sampled_from(["never", "by_number"]),
)


def told(outcome: TrapOutcome) -> list[str]:
    return [note.message.format(**note.values) for note in outcome.notes]


def clicks(trap: Trap, rules: Ruleset = PLAIN, die: int = 4, dodge: int = 6, **how: Any) -> int:
    return ef.on_trigger(trap, rules, die=die, dodge=dodge, **how).clicks


@pytest.mark.parametrize(
    ("trap", "taken"),
    [
        (Trap.BUZZ_SAW, 4),  # E-SAW-1, L-36
        (Trap.CAGE, 0),
        (Trap.FALLING_WEIGHT, 3),  # E-WGT-1
        (Trap.FIRE_JETS, 1),  # E-FIRE-1, E-FIRE-5
        (Trap.JAWS_OF_DOOM, 0),
        (Trap.MONSTROUS_HAND, 0),
        (Trap.NOXIOUS_ACID_POOL, 2),  # E-ACID-1, E-ACID-6
        (Trap.SPIKED_PIT, 2),  # E-PIT-1
    ],
)
def test_t_trg_7_the_effect_on_the_figure_that_sets_it_off(trap: Trap, taken: int) -> None:
    assert clicks(trap) == taken


def test_whole_sentences_of_a_saw() -> None:
    assert told(ef.on_trigger(Trap.BUZZ_SAW, PLAIN, die=4)) == [
        "4 clicks of damage (E-SAW-1).",
        "The figure's movement and activation end (T-TRG-6).",
    ]


def test_the_saw_wants_its_die() -> None:
    with pytest.raises(ValueError, match="this damage is rolled"):
        ef.on_trigger(Trap.BUZZ_SAW, PLAIN)


REDUCED = {
    (Trap.BUZZ_SAW, "toughness"): 3,  # E-SAW-3, A-TGH-1
    (Trap.BUZZ_SAW, "invulnerability"): 2,  # A-INV-1
    (Trap.BUZZ_SAW, "dodge"): 4,
    (Trap.FALLING_WEIGHT, "toughness"): 2,  # E-WGT-2
    (Trap.FALLING_WEIGHT, "invulnerability"): 1,
    (Trap.FALLING_WEIGHT, "dodge"): 0,  # A-DOD-1
    (Trap.FIRE_JETS, "toughness"): 1,  # E-FIRE-3
    (Trap.FIRE_JETS, "invulnerability"): 1,
    (Trap.FIRE_JETS, "dodge"): 1,
    (Trap.NOXIOUS_ACID_POOL, "toughness"): 2,
    (Trap.NOXIOUS_ACID_POOL, "invulnerability"): 2,  # E-ACID-4, L-20
    (Trap.NOXIOUS_ACID_POOL, "dodge"): 2,
    (Trap.SPIKED_PIT, "toughness"): 1,  # E-PIT-3
    (Trap.SPIKED_PIT, "invulnerability"): 1,
    (Trap.SPIKED_PIT, "dodge"): 2,
}


@pytest.mark.parametrize(("trap", "ability"), REDUCED)
def test_r_sa_2_what_helps_by_the_sheet_and_by_the_rulings(trap: Trap, ability: Ability) -> None:
    assert clicks(trap, abilities={ability}) == REDUCED[trap, ability]
    assert clicks(trap, RULINGS, abilities={ability}) == (0 if ability == "dodge" else clicks(trap))


@pytest.mark.parametrize("rules", [PLAIN, RULINGS])
def test_a_dod_1_a_four_dodges_nothing(rules: Ruleset) -> None:
    assert clicks(Trap.FALLING_WEIGHT, rules, dodge=4, abilities={"dodge"}) == 3
    assert clicks(Trap.FALLING_WEIGHT, rules, dodge=5, abilities={"dodge"}) == 0


@pytest.mark.parametrize("preset", get_args(Preset))
@pytest.mark.parametrize("rulings", [False, True])
def test_l_20_e_acid_4_nothing_reduces_acid_by_any_sheet(preset: Preset, rulings: bool) -> None:
    rules = settled({"preset": preset, "rulings_2003": rulings})
    for ability in ("toughness", "invulnerability"):
        assert clicks(Trap.NOXIOUS_ACID_POOL, rules, abilities={ability}) == 2


def test_e_acid_4_a_table_may_let_invulnerability_take_off_special_damage_by_no_sheet() -> None:
    rules = settled({"acid_reduction": "special_ability_damage"})
    outcome = ef.on_trigger(Trap.NOXIOUS_ACID_POOL, rules, abilities={"invulnerability"})
    assert told(outcome)[:2] == [
        "No damage (E-ACID-1).",
        "Invulnerability counts as 2 here: no trap sheet says how much (A-INV-1).",
    ]


def test_a_tgh_1_a_inv_1_a_dod_1_each_number_of_no_sheet_is_marked() -> None:
    saw, weight = Trap.BUZZ_SAW, Trap.FALLING_WEIGHT
    assert told(ef.on_trigger(saw, PLAIN, die=4, abilities={"toughness"}))[:2] == [
        "3 clicks of damage (E-SAW-1).",
        "Toughness counts as 1 here: no trap sheet says how much (A-TGH-1).",
    ]
    assert told(ef.on_trigger(saw, PLAIN, die=4, abilities={"invulnerability"}))[:2] == [
        "2 clicks of damage (E-SAW-1).",
        "Invulnerability counts as 2 here: no trap sheet says how much (A-INV-1).",
    ]
    for dodge, damage in ((4, "3 clicks of damage (E-WGT-1)."), (5, "No damage (E-WGT-1).")):
        assert told(ef.on_trigger(weight, PLAIN, dodge=dodge, abilities={"dodge"}))[:2] == [
            damage,
            "Dodge succeeds from 5 here: no trap sheet says from what number (A-DOD-1).",
        ]


def test_a_tgh_1_a_inv_1_a_dod_1_a_switch_of_0_leaves_each_number_out() -> None:
    left_out = settled({"toughness_takes": 0, "invulnerability_takes": 0, "dodge_from": 0})
    weight, whole = Trap.FALLING_WEIGHT, "3 clicks of damage (E-WGT-1)."
    assert told(ef.on_trigger(weight, left_out, dodge=6, abilities={"toughness"}))[:2] == [
        whole,
        "Toughness is not counted: take off what its ability card says (A-TGH-1).",
    ]
    assert told(ef.on_trigger(weight, left_out, dodge=6, abilities={"invulnerability"}))[:2] == [
        whole,
        "Invulnerability is not counted: take off what its ability card says (A-INV-1).",
    ]
    assert told(ef.on_trigger(weight, left_out, dodge=6, abilities={"dodge"}))[:2] == [
        whole,
        "Dodge is not counted: roll for it as its ability card says (A-DOD-1).",
    ]


@pytest.mark.parametrize("trap", Trap)
def test_a_dod_1_when_a_die_for_dodge_decides_something(trap: Trap) -> None:
    """R-SA-1: by the rulings against every trap."""
    assert ef.may_dodge(trap, PLAIN) is (trap is Trap.FALLING_WEIGHT)
    assert ef.may_dodge(trap, RULINGS)
    assert not ef.may_dodge(trap, settled({"rulings_2003": True, "dodge_from": 0}))


@pytest.mark.parametrize("trap", Trap)
def test_l_05_what_ends(trap: Trap) -> None:
    both = ef.on_trigger(trap, PLAIN, die=1)
    assert (both.ends_movement, both.ends_activation) == (True, True)
    assert told(both)[-1] == "The figure's movement and activation end (T-TRG-6)."
    movement = ef.on_trigger(trap, Ruleset(trigger_ends="movement_only"), die=1)
    assert (movement.ends_movement, movement.ends_activation) == (True, False)
    assert told(movement)[-1] == "The figure's movement ends; unspent speed points are lost (T-TRG-6)."


def test_e_pit_5_four_points_before_it_opened() -> None:
    assert told(ef.on_trigger(Trap.SPIKED_PIT, PLAIN, paid_toll=True))[:2] == [
        "2 clicks of damage (E-PIT-1).",
        "Four speed points do not help against a Pit that was not open yet. No sheet says so; the switch pit_pay4 "
        "decides (E-PIT-5).",
    ]
    assert clicks(Trap.SPIKED_PIT, Ruleset(pit_pay4="always"), paid_toll=True) == 0


def test_e_pit_2_l_37_four_points_over_an_open_pit() -> None:
    assert ef.on_pass(Trap.SPIKED_PIT, PLAIN).clicks == 2
    assert told(ef.on_pass(Trap.SPIKED_PIT, PLAIN, paid_toll=True)) == [
        "Four speed points are paid: a safe crossing (E-PIT-2)."
    ]


def test_e_cage_1_the_prisoner() -> None:
    caged = ef.on_trigger(Trap.CAGE, PLAIN)
    assert caged.imprisoned
    assert told(caged)[0] == (
        "The Hero is locked in the trap's square and out of play until another figure disarms the Cage (E-CAGE-1)."
    )


def test_e_jaw_1_e_jaw_2_l_14_the_jaws_values() -> None:
    """A-SWP-1: all around."""
    assert told(ef.on_trigger(Trap.JAWS_OF_DOOM, PLAIN))[0] == (
        "The Jaws attack all around: attack 10, damage 2, speed 4, defense 14 with Toughness (E-JAW-2)."
    )


def test_l_15_counterattacks_beside_the_hand() -> None:
    sentence = "Figures beside the Hand cannot counterattack (E-HAND-4)."
    assert sentence in told(ef.on_trigger(Trap.MONSTROUS_HAND, PLAIN))
    assert sentence not in told(ef.on_trigger(Trap.MONSTROUS_HAND, Ruleset(hand_blocks_counter=False)))


def test_l_07_ending_a_flight_on_a_trap() -> None:
    sentence = "The figure may not try to disarm it in this activation (A-FLY-2)."
    assert sentence not in told(ef.on_trigger(Trap.FIRE_JETS, PLAIN, abilities={"flying"}))
    assert sentence in told(ef.on_trigger(Trap.FIRE_JETS, Ruleset(flight_end="french"), abilities={"flying"}))


@pytest.mark.parametrize("trap", Trap)
def test_a_shw_2_a_trap_set_off_by_a_shockwave_hits_no_figure(trap: Trap) -> None:
    outcome = ef.on_trigger(trap, PLAIN, by_shockwave=True)  # A-SHW-3: nor does anything end
    assert (outcome.clicks, outcome.ends_movement, outcome.imprisoned) == (0, False, False)
    assert told(outcome)[0] == "A Shockwave set it off: no figure is hit, but its effects around it begin (A-SHW-2)."


PASSING = {Trap.BUZZ_SAW: 4, Trap.FIRE_JETS: 1, Trap.NOXIOUS_ACID_POOL: 1, Trap.SPIKED_PIT: 2}


@pytest.mark.parametrize("trap", Trap)
def test_g_6_what_any_figure_suffers_that_crosses_a_running_trap(trap: Trap) -> None:
    assert ef.on_pass(trap, PLAIN, die=4).clicks == PASSING.get(trap, 0)  # E-SAW-2, E-FIRE-2, E-ACID-3, L-19
    assert ef.on_pass(trap, PLAIN, die=4, abilities={"flying"}).clicks == 0
    assert ef.on_pass(trap, PLAIN, die=4, abilities={"flying"}, ends_there=True).clicks == PASSING.get(trap, 0)


@pytest.mark.parametrize("trap", Trap)
def test_e_acid_3_only_acid_hurts_beside_its_square(trap: Trap) -> None:
    assert ef.on_pass(trap, PLAIN, die=4, beside=True).clicks == (1 if trap is Trap.NOXIOUS_ACID_POOL else 0)


@pytest.mark.parametrize("preset", get_args(Preset))
@pytest.mark.parametrize(
    ("trap", "german"),
    [(Trap.CAGE, "L-12"), (Trap.FALLING_WEIGHT, "E-WGT-3"), (Trap.MONSTROUS_HAND, "E-HAND-7")],
)
def test_l_12_cage_weight_and_hand_take_no_second_figure_by_any_sheet(trap: Trap, german: str, preset: Preset) -> None:
    """T-TRG-1: only an armed trap is set off. L-12 is a clarification."""
    rules = settled({"preset": preset})
    rule = german if preset == "de" else "T-TRG-1"
    assert ef.fires_once(trap, rules) == rule
    once = ef.on_pass(trap, rules)
    assert (once.clicks, once.imprisoned, once.ends_movement) == (0, False, False)
    assert told(once)[0] == f"The trap fires only once: nothing happens ({rule})."


@pytest.mark.parametrize("trap", [Trap.BUZZ_SAW, Trap.FIRE_JETS, Trap.NOXIOUS_ACID_POOL, Trap.SPIKED_PIT])
def test_l_13_only_the_german_sheet_lets_these_be_disarmed_after_they_went_off(trap: Trap) -> None:
    """E-SAW-4, E-FIRE-4, E-ACID-5, E-PIT-4."""
    assert ef.disarm_refusal(trap, GERMAN) is None
    rule, sentence = ef.disarm_refusal(trap, PLAIN) or ("", "")
    assert (rule, sentence.format(square="T01")) == (
        "L-13",
        "T01 cannot be disarmed: it has gone off. Only the German sheet says that a trap of this kind may still be "
        "disarmed (switch retrigger_policy, L-13).",
    )


@pytest.mark.parametrize("rules", [PLAIN, GERMAN])
def test_q_13_e_jaw_5_each_refusal_has_its_own_reason(rules: Ruleset) -> None:
    """E-CAGE-3 and E-HAND-5 by all sheets."""
    refusals = {trap: ef.disarm_refusal(trap, rules) for trap in Trap}
    weight, jaws_up = refusals[Trap.FALLING_WEIGHT], refusals[Trap.JAWS_OF_DOOM]
    assert (refusals[Trap.CAGE], refusals[Trap.MONSTROUS_HAND]) == (None, None)
    assert weight is not None
    assert jaws_up is not None
    assert (weight[0], weight[1].format(square="T01")) == (
        "Q-13",
        "T01 cannot be disarmed: the Weight has fallen. No sheet says so; the switch weight_disarm decides (Q-13).",
    )
    assert (jaws_up[0], jaws_up[1].format(square="T01")) == (
        "E-JAW-5",
        "T01 cannot be disarmed before the Jaws withdraw (E-JAW-5).",
    )


def test_q_13_a_table_may_let_a_fallen_weight_be_disarmed() -> None:
    rules = settled({"weight_disarm": "by_number"})
    assert ef.disarm_refusal(Trap.FALLING_WEIGHT, rules) is None
    assert told(ef.on_disarm_failed_again(Trap.FALLING_WEIGHT, rules)) == [
        "No further effect; the speed points are spent (Q-13)."
    ]


@pytest.mark.parametrize("trap", Trap)
def test_l_18_when_acid_bites(trap: Trap) -> None:
    acid = 2 if trap is Trap.NOXIOUS_ACID_POOL else 0
    german = Ruleset(acid_start="movement")
    assert (ef.on_start(trap, PLAIN).clicks, ef.on_start(trap, german).clicks) == (acid, 0)
    assert (ef.on_start(trap, PLAIN, of="movement").clicks, ef.on_start(trap, german, of="movement").clicks) == (
        0,
        acid,
    )


@pytest.mark.parametrize("trap", [Trap.BUZZ_SAW, Trap.FIRE_JETS, Trap.NOXIOUS_ACID_POOL, Trap.SPIKED_PIT])
def test_q_14_a_failed_attempt_at_a_running_trap(trap: Trap) -> None:
    again = ef.on_disarm_failed_again(trap, PLAIN, die=4)
    assert again.clicks == clicks(trap)  # the Hero beside it: Q-15, T-TRG-15
    assert again.ends_activation  # T-TRG-6


@pytest.mark.parametrize(("trap", "rule"), [(Trap.CAGE, "E-CAGE-4"), (Trap.MONSTROUS_HAND, "E-HAND-7")])
@pytest.mark.parametrize("preset", get_args(Preset))
def test_e_cage_4_e_hand_7_a_failed_second_try_costs_the_points_and_ends_nothing(
    trap: Trap, rule: str, preset: Preset
) -> None:
    again = ef.on_disarm_failed_again(trap, settled({"preset": preset}))
    assert told(again) == [f"No further effect; the speed points are spent ({rule})."]
    assert (again.clicks, again.imprisoned, again.ends_movement, again.ends_activation) == (0, False, False, False)


@pytest.mark.parametrize("die", range(1, 7))
def test_t_trg_3_a_corner_is_a_gamble_but_for_the_nimble_and_the_flying(die: int) -> None:
    assert ef.corner_triggers(die, frozenset()) is (die <= 3)
    assert not ef.corner_triggers(die, {"nimble"})  # A-NIM-1
    assert not ef.corner_triggers(die, {"flying"})  # A-FLY-3


def test_t_trg_5_four_corners_both_ways_round() -> None:
    near = [(x, y) for x in range(-2, 3) for y in range(-2, 3)]
    cutting = [(a, b) for a in near for b in near if ef.cuts_corner(a, b)]
    assert len(cutting) == 8
    assert ((1, 0), (0, 1)) in cutting
    assert ((1, 0), (1, 1)) not in cutting


def test_e_hand_1_and_e_hand_3() -> None:
    assert [ef.hand_speed(speed) for speed in (0, 3, 4, 10)] == [0, 0, 0, 6]  # E-HAND-8: bonuses are in it
    assert [die for die in range(1, 7) if ef.breaks_away(die)] == [6]  # A-BRK-1: nothing helps


@pytest.mark.parametrize("ability", ["stealth", "nimble", "sneak", "dodge"])
def test_t_dis_9_l_06_abilities_add_what_the_table_says(ability: Ability) -> None:
    """A-STL-1, A-NIM-2, A-SNK-1, A-DOD-1."""
    switch = "sneak_attack" if ability == "sneak" else ability
    assert ef.disarm_bonus({ability}, PLAIN) == 0
    assert ef.disarm_bonus({ability}, Ruleset(**{f"disarm_{switch}": 2})) == 2  # type: ignore[arg-type]
    assert ef.disarm_bonus(frozenset(), Ruleset(**{f"disarm_{switch}": 2})) == 0  # type: ignore[arg-type]


def test_l_06_the_italian_sheet_leaves_nimble_out() -> None:
    """A-NIM-2."""
    for preset in get_args(Preset):
        rules = settled({"preset": preset, "disarm_nimble": 2, "disarm_stealth": 1})
        assert ef.disarm_bonus({"nimble", "stealth"}, rules) == (1 if preset == "it" else 3)


def test_t_dis_10_a_table_may_let_a_player_try_what_another_exposed() -> None:
    """S-11. A concealed dial must be turned in any case."""
    freely = settled({"expose_before_disarm": False})
    assert ef.must_expose_first(PLAIN, turned=True, knows=False)
    assert not ef.must_expose_first(PLAIN, turned=True, knows=True)
    assert not ef.must_expose_first(freely, turned=True, knows=False)
    assert ef.must_expose_first(freely, turned=False, knows=False)


@given(st.sampled_from(list(Trap)), RULESETS, DIE, DIE, ABILITIES)
def test_no_ability_ever_makes_it_worse(trap: Trap, rules: Ruleset, die: int, dodge: int, had: frozenset[Any]) -> None:
    bare = clicks(trap, rules, die, dodge)
    assert 0 <= clicks(trap, rules, die, dodge, abilities=had) <= bare <= 6


@given(st.sampled_from(list(Trap)), RULESETS, DIE, ABILITIES)
def test_every_sentence_ends_with_its_rule(trap: Trap, rules: Ruleset, die: int, had: frozenset[Any]) -> None:
    for outcome in (
        ef.on_trigger(trap, rules, die=die, abilities=had),
        ef.on_pass(trap, rules, die=die, abilities=had),
        ef.on_start(trap, rules, abilities=had),
        ef.on_disarm_failed_again(trap, rules, die=die, abilities=had),
    ):
        assert all(sentence.endswith(").") for sentence in told(outcome))


def _amount(hurt: ef.Hurt | None) -> str:
    if hurt is None:
        return "no damage"
    return f"{'one die of' if hurt.by_die else hurt.clicks} damage ({hurt.rule})"


def section(trap: Trap) -> str:
    row = TRAPS[trap]
    helps = "nothing" if row.special_damage or not row.reduced else ", ".join(sorted(row.reduced))
    helps += f" ({row.reduced_by})" if row.reduced_by else ""
    helps += "; invulnerability only by the switch `acid_reduction`, on no sheet" if row.special_damage else ""
    once = f"{row.once} by the German sheet, T-TRG-1 by the others" if "once" in row.german_only else row.once
    later = f"{row.disarm_later}, by the German sheet only (L-13)" if "disarm_later" in row.german_only else ""
    later = "no, which is on no sheet (switch `weight_disarm`, Q-13)" if trap is Trap.FALLING_WEIGHT else later
    lines = [
        f"- when it goes off: {_amount(row.first)}",
        f"- crossed while it runs: {_amount(row.crossing)}",
        f"- a step beside it: {_amount(row.beside)}",
        f"- a turn starts there: {_amount(row.start)}",
        f"- affects: {row.area}",
        f"- afterwards: hindering terrain ({row.terrain})",
        f"- abilities that help: {helps}",
        f"- fires only once: {once or 'no'}",
        f"- can be disarmed after it went off: {later or row.disarm_later}",
    ]
    return f"## {TRAP_NAMES[trap.value]}\n\n" + "\n".join([*lines, "", *diagram(trap)]) + "\n"


def tried(*dice: int) -> ev.DisarmTried:
    return ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(dice[0], dice[1]), plus_die=1)


def jaws(*, harmed: bool) -> ev.JawsAnswered:
    return ev.JawsAnswered(square="T01", harmed=harmed)


ENTERED = ev.Triggered(seat="BEN", square="T01", cause="entered")
STEPS: tuple[tuple[Happening, ev.AnyEvent], ...] = (
    (Happening.EXPOSED, exposes("T01", 3, "ANN")[-1]),
    (Happening.TRIGGERED_TRAP, ENTERED),
    (Happening.TRIGGERED_CLEAR, ENTERED),
    (Happening.DISARM_FAILED, tried(1, 1)),
    (Happening.DISARM_SUCCEEDED, tried(6, 6)),
    (Happening.DISARM_FOUND_NOTHING, tried(6, 6)),
    (Happening.JAWS_UNHARMED, jaws(harmed=False)),
    (Happening.JAWS_HARMED, jaws(harmed=True)),
)


def state_of(moment: Moment) -> SquareState:
    return moment.game.squares["T01"].state


def after(moment: Moment, event: ev.AnyEvent) -> Moment | None:
    """The moment after a step at T01, its dial turned if that is asked for; None if the rules are against it."""
    if isinstance(event, ev.Turned):
        concealed = state_of(moment) is SquareState.CONCEALED
        return played(*exposes("T01", 3, "ANN"), moment=moment) if concealed else None
    if objection(moment.game, event) is not None:
        return None
    moment = played(event, moment=moment)
    asked = moment.game.claim_on("T01") is not None
    return played(turned("T01", 3, "BEN", purpose="trigger"), moment=moment) if asked else moment


def life(trap: Trap | None) -> list[tuple[SquareState, Happening, SquareState]]:
    """Every step that a square with this content can make, found by playing all of them from every state it gets to."""
    first = played(started(table_with(trap)))
    met, way, edges = {state_of(first): first}, [first], []
    while way:
        moment = way.pop(0)
        for happening, event in STEPS:
            if (state_of(moment), happening) not in TRANSITIONS:
                continue
            then = after(moment, event)
            if then is None or (then.game.squares["T01"].trap is None) is (trap is not None):
                continue
            if (happening in CLEAR_ONLY) is (trap is not None):
                continue
            edges.append((state_of(moment), happening, state_of(then)))
            if state_of(then) not in met:
                met[state_of(then)] = then
                way.append(then)
    return edges


CLEAR_ONLY = {Happening.TRIGGERED_CLEAR, Happening.DISARM_FOUND_NOTHING}


def diagram(trap: Trap | None) -> list[str]:
    """The life of a square with this trap, as mermaid draws it."""
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {SquareState.CONCEALED.name}"]
    for before, happening, then in life(trap):
        rule = TRANSITIONS[before, happening][1]
        lines.append(f"    {before.name} --> {then.name}: {happening.value} ({rule})")
    return [*lines, "```"]


@pytest.mark.parametrize("trap", Trap)
def test_what_was_played_goes_the_ways_of_the_table(trap: Trap) -> None:
    """And no other: each edge of the diagrams is a transition, and the last state is disarmed unless it fires once."""
    edges = life(trap)
    assert all(TRANSITIONS[before, happening][0] is then for before, happening, then in edges)
    later = {happening for before, happening, _ in edges if before is SquareState.TRIGGERED}
    assert (Happening.TRIGGERED_TRAP in later) is not bool(TRAPS[trap].once)
    disarmed_later = Happening.DISARM_SUCCEEDED in later
    withdraws = Happening.JAWS_UNHARMED in later
    assert disarmed_later is bool(TRAPS[trap].disarm_later and trap is not Trap.JAWS_OF_DOOM)
    assert withdraws is (trap is Trap.JAWS_OF_DOOM)


def page(before: str) -> str:
    """The page with its sections as the table of traps has them; what stands before the first is kept."""
    clear = "\n".join(["## X", "", "No trap: clear terrain until the game ends (E-X-1).", "", *diagram(None)]) + "\n"
    return before.partition("\n## ")[0] + "\n" + "\n".join([*(section(trap) for trap in Trap), clear])


def test_the_page_is_drawn_from_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text), "the traps have changed; write the page again: python -m tests.pi_app.game.test_effects"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
