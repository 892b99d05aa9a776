"""The rule switches: how this table plays where the sheets and the rulings disagree or are silent.

A preset for each sheet sets them all, `rulings_2003` lays the rulings over it, and a single switch overrides both.
Switches whose docstring says "on no sheet" hold amounts and rules from other sources; each can leave its rule out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import Meta

from pi_app.text.language import N_, Words
from pi_app.text.table_words import in_language

Ability = Literal["toughness", "invulnerability", "dodge", "flying", "nimble", "stealth", "sneak"]
"""Of a figure. `flying` stands for Flight in use and for Magic Levitation (A-FLY-1)."""

Preset = Literal["en", "es", "fr", "de", "it"]
"""The sheet that the table plays by."""
OldPreset = Literal["trap_text", "german", "rulings_2003"]
"""A preset of older settings and journals."""
Modifier = Annotated[int, Meta(ge=-12, le=12, description="a whole number from -12 to 12")]
Takes = Annotated[int, Meta(ge=0, le=3, description="a whole number from 0 to 3")]


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The rule switches of a game. The defaults here are for a journal that is older than a switch: they say how that
    game was played. New games get theirs from `settled`."""

    preset: Annotated[Preset | OldPreset, Meta(description="'en', 'es', 'fr', 'de' or 'it'")] = "trap_text"
    rulings_2003: Annotated[bool, Meta(description="true or false")] = False
    """Whether the rulings of 22.09.2003 lie over the preset (R-SA-1)."""
    damage_reduction: Annotated[
        Literal["trap_text", "rulings_2003"], Meta(description="'trap_text' or 'rulings_2003'")
    ] = "trap_text"
    """Which abilities help against a trap: those that its text names, or Dodge alone (R-SA-1, R-SA-2)."""
    acid_reduction: Annotated[
        Literal["special_ability_damage", "none"], Meta(description="'special_ability_damage' or 'none'")
    ] = "special_ability_damage"
    """Whether Invulnerability helps against the Acid Pool (E-ACID-4, L-20). The German sheet says that it does not;
    that it takes off special ability damage is on no sheet."""
    retrigger_policy: Annotated[Literal["de_clarified", "silent"], Meta(description="'de_clarified' or 'silent'")] = (
        "de_clarified"
    )
    """Whether the German clarification holds that Saw, Fire Jets, Acid and Pit may be disarmed after they went off
    (L-13). It also decides which rule the program names when a trap fires only once (L-12)."""
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
    """Whether four points help against a Pit that is not open yet. That they do not is on no sheet (E-PIT-5)."""
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
    toughness_takes: Takes = 1
    """Clicks that Toughness takes off; 0 leaves that to the players. The 1 is on no sheet (A-TGH-1)."""
    invulnerability_takes: Takes = 2
    """Clicks that Invulnerability takes off; 0 leaves that to the players. The 2 is on no sheet (A-INV-1)."""
    dodge_from: Annotated[Literal[0, 2, 3, 4, 5, 6], Meta(description="a number from 2 to 6, or 0")] = 5
    """Dodge succeeds with this die or a higher one; 0 leaves that to the players. The 5 is on no sheet (A-DOD-1)."""
    expose_before_disarm: Annotated[bool, Meta(description="true or false")] = True
    """Whether a player must have exposed a trap before a Hero of theirs may disarm it. On no sheet (T-DIS-10)."""
    weight_disarm: Annotated[Literal["never", "by_number"], Meta(description="'never' or 'by_number'")] = "never"
    """Whether a fallen Weight can be disarmed. That it never can is on no sheet (Q-13)."""
    nimble_disarms: Annotated[bool, Meta(description="true or false")] = True
    """Whether Nimble is one of the abilities that can affect a disarm attempt (L-06)."""
    disarm_stealth: Modifier = 0
    disarm_nimble: Modifier = 0
    disarm_sneak_attack: Modifier = 0
    disarm_dodge: Modifier = 0
    """Bonus of each of these abilities to a disarm roll (T-DIS-9)."""
    share_by_exposer: Annotated[bool, Meta(description="true or false")] = False
    """Whether a player who exposed a square may have it shown to all (S-8)."""
    placement_rounding: Annotated[Literal["floor", "ceil"], Meta(description="'floor' or 'ceil'")] = "floor"
    """How an incomplete fifty squares counts (P-2)."""


_FOUR_SHEETS: Final[Mapping[str, object]] = MappingProxyType(
    {"acid_reduction": "none", "retrigger_policy": "silent", "hand_value_10": "always"}
)
"""What the English, Spanish, French and Italian sheets share (L-20, L-13, L-21)."""

_GERMAN: Final[Mapping[str, object]] = MappingProxyType(
    {
        "acid_reduction": "none",
        "trigger_ends": "movement_only",
        "hand_blocks_counter": False,
        "acid_start": "movement",
    }
)

RULINGS: Final[Mapping[str, object]] = MappingProxyType({"damage_reduction": "rulings_2003"})
"""The switches that `rulings_2003` lays over a preset (R-SA-1)."""

PRESETS: Final[Mapping[Preset | OldPreset, Mapping[str, object]]] = MappingProxyType(
    {
        "en": _FOUR_SHEETS,
        "es": _FOUR_SHEETS,
        "fr": MappingProxyType({**_FOUR_SHEETS, "flight_end": "french", "hindering_until": "discovered"}),
        "de": _GERMAN,
        "it": MappingProxyType({**_FOUR_SHEETS, "mage_spawn_exempt": "all", "nimble_disarms": False}),
        "trap_text": MappingProxyType({}),
        "german": _GERMAN,
        "rulings_2003": RULINGS,
    }
)
"""Preset -> its switches that differ from the struct's defaults: what each sheet says where the five differ (L-05 to
L-09, L-13, L-15, L-18, L-20, L-21). The old presets are as they were."""

_TRAP_TEXT: Final[Mapping[str, object]] = MappingProxyType(
    {
        "preset": "en",
        "acid_reduction": "special_ability_damage",
        "retrigger_policy": "de_clarified",
        "hand_value_10": "after_trigger",
    }
)

OLD_PRESETS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "trap_text": _TRAP_TEXT,
        "german": MappingProxyType({"preset": "de"}),
        "rulings_2003": MappingProxyType({**_TRAP_TEXT, "rulings_2003": True}),
    }
)
"""Old preset -> how settings write the same rules today."""


def settled(written: Mapping[str, object]) -> Ruleset:
    """The ruleset of checked settings: the preset, then the rulings, then every written switch. The default preset is
    the English sheet. An old preset becomes today's."""
    old = OLD_PRESETS.get(str(written.get("preset")))
    if old is not None:
        written = {**written, **{name: value for name, value in old.items() if name == "preset" or name not in written}}
    preset = next(name for name in get_args(Preset) if name == written.get("preset", "en"))
    rulings = RULINGS if written.get("rulings_2003") else {}
    return msgspec.convert({**PRESETS[preset], **rulings, "preset": preset, **written}, Ruleset)


def differences(rules: Ruleset) -> tuple[tuple[str, object], ...]:
    """The switches that differ from the preset with its rulings, in the order of the settings."""
    rulings = RULINGS if rules.rulings_2003 else {}
    plain = switches(msgspec.convert({**PRESETS[rules.preset], **rulings}, Ruleset))
    return tuple(now for now, was in zip(switches(rules), plain, strict=True) if now != was)


MEANING: Final[Mapping[Preset | OldPreset, str]] = MappingProxyType(
    {
        "en": N_("as the English sheet says"),
        "es": N_("as the Spanish sheet says"),
        "fr": N_("as the French sheet says"),
        "de": N_("as the German sheet says"),
        "it": N_("as the Italian sheet says"),
        "trap_text": N_("as the trap sheets say"),
        "german": N_("as the German sheets say"),
        "rulings_2003": N_("by the rulings of 22.09.2003"),
    }
)
"""Preset -> its description."""
WITH_RULINGS: Final = N_("{meaning}, with the rulings of 22.09.2003")

ALL_BY_THE_PRESET: Final = N_("Rules: {meaning} ({preset}); '{word}' lists them.")
BUT: Final = N_("Rules: {meaning} ({preset}), but {switches}; '{word}' lists them.")


CHOICES: Final = ("preset", "rulings_2003")
"""The keys that set several switches and are none."""


def switches(rules: Ruleset) -> tuple[tuple[str, object], ...]:
    """Every switch with its value, in the order of the settings."""
    return tuple((name, value) for name, value in msgspec.structs.asdict(rules).items() if name not in CHOICES)


def shown(value: object) -> str:
    """A switch's value as the settings write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def rules_line(ruleset: Ruleset, words: Words) -> str:
    """The preset, the rulings, and each switch that differs, as the settings write them."""
    otherwise = ", ".join(f"{name} {shown(value)}" for name, value in differences(ruleset))
    told = words(BUT if otherwise else ALL_BY_THE_PRESET)
    meaning, preset = words(MEANING[ruleset.preset]), str(ruleset.preset)
    if ruleset.rulings_2003:
        meaning, preset = words(WITH_RULINGS).format(meaning=meaning), f"{preset}, rulings_2003"
    return told.format(meaning=meaning, preset=preset, switches=otherwise, word=in_language("rules", words))
