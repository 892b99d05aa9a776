"""The rule switches: presets, what stands over them, and how a table reads them."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from pi_app.game import events as ev
from pi_app.game.ruleset import CHOICES, OldPreset, Preset, Ruleset, differences, rules_line, settled, switches
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import Reply
from tests.pi_app.games import played, started


def english(message: str) -> str:
    return message


def test_settings_that_name_no_preset_play_by_the_english_sheet() -> None:
    assert settled({}) == settled({"preset": "en"})
    assert settled({}).preset == "en"


SHEETS: dict[Preset, dict[str, object]] = {
    "en": {},
    "es": {},
    "fr": {"flight_end": "french", "hindering_until": "discovered"},  # L-07, L-08
    "de": {
        "trigger_ends": "movement_only",  # L-05
        "hand_blocks_counter": False,  # L-15
        "acid_start": "movement",  # L-18
        "retrigger_policy": "de_clarified",  # L-12, L-13
        "hand_value_10": "after_trigger",  # L-21
    },
    "it": {"mage_spawn_exempt": "all", "nimble_disarms": False},  # L-09, L-06
}
"""Preset -> what its sheet says differently from the English one."""


@pytest.mark.parametrize("preset", get_args(Preset))
def test_a_preset_is_its_sheet_where_the_five_differ(preset: Preset) -> None:
    english_sheet = {
        "acid_reduction": "none",  # L-20
        "retrigger_policy": "silent",  # L-12, L-13
        "hand_value_10": "always",  # L-21
        "trigger_ends": "movement_and_activation",  # L-05
        "flight_end": "standard",  # L-07
        "hindering_until": "triggered",  # L-08
        "mage_spawn_exempt": "pool_only",  # L-09
        "hand_blocks_counter": True,  # L-15
        "acid_start": "turn",  # L-18
        "nimble_disarms": True,  # L-06
        "damage_reduction": "trap_text",  # R-SA-2
    }
    rules = dict(switches(settled({"preset": preset})))
    assert {name: rules[name] for name in english_sheet} == english_sheet | SHEETS[preset]


@pytest.mark.parametrize("preset", get_args(Preset))
@pytest.mark.parametrize("rulings", [False, True])
def test_a_preset_alone_differs_in_nothing_from_itself(preset: Preset, rulings: bool) -> None:
    rules = settled({"preset": preset, "rulings_2003": rulings})
    assert (rules.preset, rules.rulings_2003) == (preset, rulings)
    assert differences(rules) == ()


@pytest.mark.parametrize("preset", get_args(Preset))
def test_r_sa_1_the_rulings_lie_over_every_sheet(preset: Preset) -> None:
    plain, over = (dict(switches(settled({"preset": preset, "rulings_2003": rulings}))) for rulings in (False, True))
    assert over == plain | {"damage_reduction": "rulings_2003"}


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ({}, "Rules: as the English sheet says (en); 'rules' lists them."),
        (
            {"preset": "fr", "rulings_2003": True},
            "Rules: as the French sheet says, with the rulings of 22.09.2003 (fr, rulings_2003); 'rules' lists them.",
        ),
        (
            {"preset": "de", "hand_blocks_counter": True, "disarm_stealth": 1},
            "Rules: as the German sheet says (de), but hand_blocks_counter true, disarm_stealth 1; 'rules' lists them.",
        ),
        (
            {"preset": "es", "rulings_2003": True, "damage_reduction": "trap_text"},
            "Rules: as the Spanish sheet says, with the rulings of 22.09.2003 (es, rulings_2003), but damage_reduction "
            "trap_text; 'rules' lists them.",
        ),
    ],
)
def test_the_rules_line_names_the_sheet_the_rulings_and_every_switch_that_differs(
    written: dict[str, object], line: str
) -> None:
    assert rules_line(settled(written), english) == line


OLD: dict[OldPreset, tuple[dict[str, object], str]] = {
    "trap_text": ({}, "as the trap sheets say"),
    "german": (
        {
            "acid_reduction": "none",
            "trigger_ends": "movement_only",
            "hand_blocks_counter": False,
            "acid_start": "movement",
        },
        "as the German sheets say",
    ),
    "rulings_2003": ({"damage_reduction": "rulings_2003"}, "by the rulings of 22.09.2003"),
}
"""Old preset -> the switches that it set and what it is called."""
BEFORE = {
    "acid_reduction": "special_ability_damage",
    "retrigger_policy": "de_clarified",
    "hand_value_10": "after_trigger",
    "toughness_takes": 1,
    "invulnerability_takes": 2,
    "dodge_from": 5,
    "expose_before_disarm": True,
    "weight_disarm": "never",
    "nimble_disarms": True,
}


@pytest.mark.parametrize("preset", get_args(OldPreset))
def test_an_old_journal_keeps_its_preset_and_every_switch_with_the_meaning_they_had(preset: OldPreset) -> None:
    set_by_it, meaning = OLD[preset]
    recorded = msgspec.json.decode(ev.to_json(started()))
    recorded["ruleset"] = {"preset": preset, **set_by_it}
    again = ev.from_json(msgspec.json.encode(recorded))
    assert isinstance(again, ev.Started)
    now = dict(switches(again.ruleset))
    assert {name: now[name] for name in BEFORE} == BEFORE | {k: v for k, v in set_by_it.items() if k in BEFORE}
    assert rules_line(again.ruleset, english) == f"Rules: {meaning} ({preset}); 'rules' lists them."


@pytest.mark.parametrize("preset", get_args(OldPreset))
def test_an_old_preset_in_settings_plays_as_before_under_todays_names(preset: OldPreset) -> None:
    rules = settled({"preset": preset})
    assert rules.preset in get_args(Preset)
    before = dict(switches(Ruleset(**OLD[preset][0])))  # type: ignore[arg-type]
    assert dict(switches(rules)) == before
    assert ("reexpose", "forbid") in differences(settled({"preset": preset, "reexpose": "forbid"}))
    assert settled({"preset": preset, "acid_reduction": "none"}).acid_reduction == "none"


def test_a_game_of_an_older_version_has_the_defaults() -> None:
    recorded = msgspec.json.decode(ev.to_json(started()))
    recorded["ruleset"] = {"reexpose": "forbid", "trigger_on_exposed": "keep_click"}
    again = ev.from_json(msgspec.json.encode(recorded))
    assert isinstance(again, ev.Started)
    assert again.ruleset == Ruleset(reexpose="forbid")


def test_a_game_lists_all_its_switches_on_demand() -> None:
    moment = played(started(rules=settled({})))
    answer = parse("rules", moment.game, english)
    assert isinstance(answer, Reply)
    first, *lines = answer.lines
    assert first == "Rules: as the English sheet says (en); 'rules' lists them."
    assert [line.partition(" = ")[0] for line in lines] == [name for name, _ in switches(Ruleset())]
    assert "trigger_ends = movement_and_activation" in lines
    assert "clear_ends_move = false" in lines
    assert not dict(switches(Ruleset())).keys() & set(CHOICES)
