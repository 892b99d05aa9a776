"""The rule switches: presets, what stands over them, and how a table reads them."""

from __future__ import annotations

import msgspec
import pytest

from pi_app.game import events as ev
from pi_app.game.ruleset import PRESETS, Ruleset, differences, rules_line, settled, switches
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import Reply
from tests.pi_app.games import played, started


def english(message: str) -> str:
    return message


def test_without_a_word_the_defaults_hold() -> None:
    assert settled({}) == Ruleset()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_alone_differs_in_nothing_from_itself(preset: str) -> None:
    rules = settled({"preset": preset})
    assert rules.preset == preset
    assert differences(rules) == ()
    assert rules_line(rules, english).endswith(f" ({preset}); 'rules' lists them.")


def test_the_german_preset_is_the_german_sheet_where_it_differs() -> None:
    german = settled({"preset": "german"})
    assert (german.acid_reduction, german.trigger_ends) == ("none", "movement_only")  # L-20, L-05
    assert (german.hand_blocks_counter, german.acid_start) == (False, "movement")  # L-15, L-18


def test_r_sa_1_the_preset_of_the_rulings() -> None:
    assert settled({"preset": "rulings_2003"}).damage_reduction == "rulings_2003"


def test_the_rules_line_names_every_switch_that_stands_otherwise() -> None:
    rules = settled({"preset": "german", "hand_blocks_counter": True, "disarm_stealth": 1})
    assert rules_line(rules, english) == (
        "Rules: as the German sheets say (german), but hand_blocks_counter true, disarm_stealth 1; 'rules' lists them."
    )


def test_a_game_of_an_older_version_has_the_defaults() -> None:
    recorded = msgspec.json.decode(ev.to_json(started()))
    recorded["ruleset"] = {"reexpose": "forbid", "trigger_on_exposed": "keep_click"}
    again = ev.from_json(msgspec.json.encode(recorded))
    assert isinstance(again, ev.Started)
    assert again.ruleset == Ruleset(reexpose="forbid")


def test_a_game_lists_all_its_switches_on_demand() -> None:
    moment = played(started())
    answer = parse("rules", moment.game, english)
    assert isinstance(answer, Reply)
    first, *lines = answer.lines
    assert first == "Rules: as the trap sheets say (trap_text); 'rules' lists them."
    assert [line.partition(" = ")[0] for line in lines] == [name for name, _ in switches(Ruleset())]
    assert "trigger_ends = movement_and_activation" in lines
    assert "clear_ends_move = false" in lines
    assert "preset" not in dict(switches(Ruleset()))
