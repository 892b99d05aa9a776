"""Which abilities help against which traps, under the switches of one game. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pi_app.game.effects import TRAPS, after_reductions
from pi_app.game.figures import ABILITY_NAMES, ALWAYS_ON
from pi_app.game.ruleset import Ability, Ruleset
from pi_app.game.trap_table import Trap

NAMES: Final[Mapping[Ability, str]] = MappingProxyType(
    {ability: ABILITY_NAMES[named] for named, ability in ALWAYS_ON.items()} | {"flying": ABILITY_NAMES["flight"]}
)
"""Ability -> its printed name."""

AGAINST_DAMAGE: Final[tuple[Ability, ...]] = ("dodge", "toughness", "invulnerability")

_MANY: Final = 6
"""A good Dodge, and more clicks than any ability takes off."""


def helps_against(ability: Ability, rules: Ruleset) -> tuple[Trap, ...]:
    """The traps whose damage this ability avoids or reduces in a game (R-SA-1, R-SA-2)."""
    damage = [trap for trap in Trap if _hurts(trap)]
    return tuple(trap for trap in damage if after_reductions(trap, _MANY, frozenset({ability}), _MANY, rules) < _MANY)


def _hurts(trap: Trap) -> bool:
    """Whether the trap does damage: by its text, or with an attack (E-JAW-2)."""
    row = TRAPS[trap]
    return trap is Trap.JAWS_OF_DOOM or any((row.first, row.crossing, row.beside, row.start))
