"""Every switch does something: each of its values plays otherwise than every other one, is said when a game begins, and
stands in the record."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Annotated, Literal, get_args, get_origin, get_type_hints

import pytest
from msgspec.structs import replace

from pi_app.game import effects as ef
from pi_app.game import events as ev
from pi_app.game.findings import may_turn_again
from pi_app.game.moves import what_now
from pi_app.game.objections import objection
from pi_app.game.ruleset import CHOICES, Ability, Ruleset, rules_line, settled
from pi_app.game.trap_table import Trap
from pi_app.plans.placement.verdict import max_traps
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import RefusedError
from pi_app.report.moment import Moment
from tests.pi_app.games import exposes, played, started, table_with


def english(message: str) -> str:
    return message


def under(trap: Trap | None, rules: Ruleset) -> Moment:
    return played(started(table_with(trap), rules=rules), *exposes("T01", 3, "ANN"))


ENTERED = ev.Triggered(seat="ANN", square="T01", cause="entered")


def line(trap: Trap | None, rules: Ruleset, said: str) -> object:
    try:
        return parse(said, under(trap, rules).game, english)
    except RefusedError as refused:
        return str(refused)


def bonus(ability: Ability) -> Callable[[Ruleset], object]:
    return lambda rules: ef.disarm_bonus({ability}, rules)


def second_expose(rules: Ruleset) -> object:
    game = under(Trap.CAGE, rules).game
    exposing = ev.Exposed(seat="BEN", square="T01", grade="table")
    return objection(game, exposing) is None, may_turn_again(game.squares["T01"], "expose", "BEN", rules)


def told_of_a_clear_square(rules: Ruleset) -> object:
    before, by_ben = under(None, rules), ev.Triggered(seat="BEN", square="T01", cause="entered")
    return what_now(before.game, played(by_ben, moment=before).game, by_ben)


def hand_of_eight(rules: Ruleset) -> object:
    tries = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(4, 4), plus_die=1)
    return played(tries, moment=under(Trap.MONSTROUS_HAND, rules)).game.squares["T01"].state


def paid_for_setting_off(rules: Ruleset) -> object:
    hits = ev.Moved(square="T01", verb="hits", who="ANN", numbers=(1, 1))
    return played(ENTERED, hits, moment=under(Trap.FIRE_JETS, rules)).game.seats["ANN"].xp


UNHURT: frozenset[Ability] = frozenset({"invulnerability"})


def weight(rules: Ruleset, dodge: int) -> int:
    return ef.on_trigger(Trap.FALLING_WEIGHT, rules, dodge=dodge, abilities={"dodge"}).clicks


SHOWN: dict[str, Callable[[Ruleset], object]] = {
    "rulings_2003": lambda rules: settled({"rulings_2003": rules.rulings_2003}),
    "damage_reduction": lambda rules: ef.on_trigger(Trap.BUZZ_SAW, rules, die=4, abilities={"toughness"}),
    "acid_reduction": lambda rules: ef.on_trigger(Trap.NOXIOUS_ACID_POOL, rules, abilities={"invulnerability"}),
    "retrigger_policy": lambda rules: ef.disarm_refusal(Trap.BUZZ_SAW, rules),
    "trigger_ends": lambda rules: ef.on_trigger(Trap.FIRE_JETS, rules).ends_activation,
    "trigger_on_exposed": lambda rules: played(ENTERED, moment=under(Trap.CAGE, rules)).game.squares["T01"].state,
    "reexpose": second_expose,
    "clear_ends_move": told_of_a_clear_square,
    "pit_pay4": lambda rules: ef.on_trigger(Trap.SPIKED_PIT, rules, paid_toll=True).clicks,
    "hand_blocks_counter": lambda rules: ef.on_start(Trap.MONSTROUS_HAND, rules),
    "hand_value_10": hand_of_eight,
    "flight_end": lambda rules: ef.on_trigger(Trap.FIRE_JETS, rules, abilities={"flying"}),
    "hindering_until": lambda rules: line(None, rules, "enter T01 BEN speed 1"),
    "mage_spawn_exempt": lambda rules: line(None, rules, "enter T01 mage BEN"),
    "acid_start": lambda rules: ef.on_start(Trap.NOXIOUS_ACID_POOL, rules),
    "xp_on_trigger_25": paid_for_setting_off,
    "toughness_takes": lambda rules: ef.on_trigger(Trap.BUZZ_SAW, rules, die=4, abilities={"toughness"}).clicks,
    "invulnerability_takes": lambda rules: ef.on_trigger(Trap.BUZZ_SAW, rules, die=5, abilities=UNHURT).clicks,
    "dodge_from": lambda rules: [weight(rules, die) for die in range(1, 7)],
    "expose_before_disarm": lambda rules: line(Trap.CAGE, rules, "disarm T01 BEN quick 1 1 1"),
    "weight_disarm": lambda rules: ef.disarm_refusal(Trap.FALLING_WEIGHT, rules),
    "nimble_disarms": lambda rules: ef.disarm_bonus({"nimble"}, replace(rules, disarm_nimble=2)),
    "disarm_stealth": bonus("stealth"),
    "disarm_nimble": bonus("nimble"),
    "disarm_sneak_attack": bonus("sneak"),
    "disarm_dodge": bonus("dodge"),
    "share_by_exposer": lambda rules: line(Trap.CAGE, rules, "share T01 ANN"),
    "placement_rounding": lambda rules: max_traps(149, rules.placement_rounding),
}
"""Switch -> something at the table that it decides."""


def values(switch: str) -> tuple[object, ...]:
    """All values of a switch; of a number, some."""
    kind = get_type_hints(Ruleset, include_extras=True)[switch]
    inner = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(inner) is Literal:
        return get_args(inner)
    if inner is bool:
        return (False, True)
    return (0, 1, 3) if switch.endswith("_takes") else (0, 2, -1)


def ruled(switch: str, value: object) -> Ruleset:
    return Ruleset(**{switch: value})  # type: ignore[arg-type]


PAIRS = [(switch, one, other) for switch in SHOWN for one, other in combinations(values(switch), 2)]


def test_every_switch_is_looked_at() -> None:
    assert sorted([*SHOWN, "preset"]) == sorted(Ruleset.__struct_fields__)


@pytest.mark.parametrize(("switch", "one", "other"), PAIRS)
def test_each_value_plays_otherwise_than_every_other(switch: str, one: object, other: object) -> None:
    assert SHOWN[switch](ruled(switch, one)) != SHOWN[switch](ruled(switch, other))


@pytest.mark.parametrize(("switch", "value"), [(switch, value) for switch in SHOWN for value in values(switch)])
def test_each_value_is_said_at_the_start_and_recorded(switch: str, value: object) -> None:
    rules = ruled(switch, value)
    written = str(value).lower() if isinstance(value, bool) else str(value)
    said = f"({rules.preset}, rulings_2003)" if switch in CHOICES else f"{switch} {written}"
    assert (said in rules_line(rules, english)) is (rules != Ruleset())
    again = ev.from_json(ev.to_json(started(rules=rules)))
    assert isinstance(again, ev.Started)
    assert again.ruleset == rules
