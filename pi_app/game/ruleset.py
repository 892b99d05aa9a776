"""The rule switches: how this table plays where the sheets and the rulings disagree or are silent.

A preset sets them all; a single switch overrides its preset. The defaults are the preset `trap_text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import Meta

from pi_app.text.language import N_, Words

Ability = Literal["toughness", "invulnerability", "dodge", "flying", "nimble", "stealth", "sneak"]
"""Of a figure. `flying` stands for Flight in use and for Magic Levitation (A-FLY-1)."""

Preset = Literal["trap_text", "german", "rulings_2003"]
Modifier = Annotated[int, Meta(ge=-12, le=12, description="a whole number from -12 to 12")]


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The rule switches of a game. A journal older than a switch gets its default."""

    preset: Annotated[Preset, Meta(description="'trap_text', 'german' or 'rulings_2003'")] = "trap_text"
    damage_reduction: Annotated[
        Literal["trap_text", "rulings_2003"], Meta(description="'trap_text' or 'rulings_2003'")
    ] = "trap_text"
    """Which abilities help against a trap: those that its text names, or Dodge alone (R-SA-1, R-SA-2)."""
    acid_reduction: Annotated[
        Literal["special_ability_damage", "none"], Meta(description="'special_ability_damage' or 'none'")
    ] = "special_ability_damage"
    """Whether Invulnerability helps against the Acid Pool (E-ACID-4, L-20)."""
    retrigger_policy: Annotated[Literal["de_clarified", "silent"], Meta(description="'de_clarified' or 'silent'")] = (
        "de_clarified"
    )
    """Whether the German clarifications hold: which trap fires only once, and which may be disarmed while it runs
    (L-12, L-13)."""
    trigger_ends: Annotated[
        Literal["movement_and_activation", "movement_only"],
        Meta(description="'movement_and_activation' or 'movement_only'"),
    ] = "movement_and_activation"
    """What a Hero that sets a trap off loses (T-TRG-6, L-05)."""
    trigger_on_exposed: Annotated[Literal["keep_click", "reroll"], Meta(description="'keep_click' or 'reroll'")] = (
        "keep_click"
    )
    """Whether an exposed trap goes off as it stands (T-TRG-8)."""
    reexpose: Annotated[
        Literal["view_only", "reroll", "forbid"], Meta(description="'view_only', 'reroll' or 'forbid'")
    ] = "view_only"
    """How a second Hero may expose it too (T-EXP-11)."""
    clear_ends_move: Annotated[bool, Meta(description="true or false")] = False
    """Whether a concealed square that turns out clear ends the movement (T-TRG-12)."""
    pit_pay4: Annotated[Literal["after_trigger", "always"], Meta(description="'after_trigger' or 'always'")] = (
        "after_trigger"
    )
    """Whether four points help against a Pit that is not open yet (E-PIT-5)."""
    hand_blocks_counter: Annotated[bool, Meta(description="true or false")] = True
    """Whether figures beside the Hand cannot counterattack (E-HAND-4, L-15)."""
    hand_value_10: Annotated[Literal["after_trigger", "always"], Meta(description="'after_trigger' or 'always'")] = (
        "after_trigger"
    )
    """When the Hand's disarm value is 10 (E-HAND-6)."""
    flight_end: Annotated[Literal["standard", "french"], Meta(description="'standard' or 'french'")] = "standard"
    """Whether a flying figure that ends on a trap may try to disarm it in that activation (A-FLY-2, L-07)."""
    hindering_until: Annotated[Literal["triggered", "discovered"], Meta(description="'triggered' or 'discovered'")] = (
        "triggered"
    )
    """How long an armed trap is hindering terrain before it goes off (G-2, L-08)."""
    mage_spawn_exempt: Annotated[Literal["pool_only", "all"], Meta(description="'pool_only' or 'all'")] = "pool_only"
    """Which Mage Spawn set off no trap (G-1, L-09)."""
    acid_start: Annotated[Literal["turn", "movement"], Meta(description="'turn' or 'movement'")] = "turn"
    """When the Acid's two clicks are taken: at the start of a turn or of a movement (E-ACID-2, L-18)."""
    xp_on_trigger_25: Annotated[bool, Meta(description="true or false")] = False
    """Whether the 25 experience of a ruling are paid for trap squares too (R-XP-4)."""
    disarm_stealth: Modifier = 0
    disarm_nimble: Modifier = 0
    disarm_sneak_attack: Modifier = 0
    disarm_dodge: Modifier = 0
    """Bonus of each of these abilities to a disarm roll (T-DIS-9)."""
    share_by_exposer: Annotated[bool, Meta(description="true or false")] = False
    """Whether a player who exposed a square may have it shown to all (S-8)."""
    placement_rounding: Annotated[Literal["floor", "ceil"], Meta(description="'floor' or 'ceil'")] = "floor"
    """How an incomplete fifty squares counts (P-2)."""


PRESETS: Final[Mapping[Preset, Mapping[str, object]]] = MappingProxyType(
    {
        "trap_text": MappingProxyType({}),
        "german": MappingProxyType(
            {
                "acid_reduction": "none",
                "trigger_ends": "movement_only",
                "hand_blocks_counter": False,
                "acid_start": "movement",
            }
        ),
        "rulings_2003": MappingProxyType({"damage_reduction": "rulings_2003"}),
    }
)
"""Preset -> its switches that differ from the defaults: `german` is the German sheet where it differs (L-05, L-15,
L-18, L-20), `rulings_2003` the rulings over the sheet (R-SA-1)."""


def settled(written: Mapping[str, object]) -> Ruleset:
    """The ruleset of checked settings: their preset, overridden by every written switch."""
    preset = next(name for name in get_args(Preset) if name == written.get("preset", "trap_text"))
    return msgspec.convert({**PRESETS[preset], **written}, Ruleset)


def differences(rules: Ruleset) -> tuple[tuple[str, object], ...]:
    """The switches that differ from the preset, in the order of the settings."""
    plain = msgspec.structs.asdict(settled({"preset": rules.preset}))
    return tuple((name, value) for name, value in msgspec.structs.asdict(rules).items() if value != plain[name])


MEANING: Final[Mapping[Preset, str]] = MappingProxyType(
    {
        "trap_text": N_("as the trap sheets say"),
        "german": N_("as the German sheets say"),
        "rulings_2003": N_("by the rulings of 22.09.2003"),
    }
)
"""Preset -> its description."""

ALL_BY_THE_PRESET: Final = N_("Rules: {meaning} ({preset}); 'rules' lists them.")
BUT: Final = N_("Rules: {meaning} ({preset}), but {switches}; 'rules' lists them.")


def switches(rules: Ruleset) -> tuple[tuple[str, object], ...]:
    """Every switch with its value, in the order of the settings."""
    return tuple((name, value) for name, value in msgspec.structs.asdict(rules).items() if name != "preset")


def shown(value: object) -> str:
    """A switch's value as the settings write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def rules_line(ruleset: Ruleset, words: Words) -> str:
    """The preset, and each switch that differs, as the settings write them."""
    otherwise = ", ".join(f"{name} {shown(value)}" for name, value in differences(ruleset))
    told = words(BUT if otherwise else ALL_BY_THE_PRESET)
    return told.format(meaning=words(MEANING[ruleset.preset]), preset=ruleset.preset, switches=otherwise)
