"""Figures: the Heroes of each seat with their abilities, and the other figures that a table moves.

A figure is a word in the events: a Hero's name; a seat, for the one Hero of a seat that names none; or a kind of other
figures. No two of them are equal at one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pi_app.game.ruleset import Ability
from pi_app.text.language import N_
from pi_app.text.lengths import most_bytes

HeroName = Annotated[
    str,
    Meta(
        pattern=r"^[^\W\d_][\w-]{0,11}\Z", max_length=12, description="one word of 1 to 12 letters, digits or hyphens"
    ),
]
HERO_BYTES: Final = most_bytes(12)
SpeedValue = Annotated[int, Meta(ge=0, le=20, description="a speed value from 0 to 20")]
Level = Annotated[int, Meta(ge=1, le=9, description="a level from 1 to 9")]

HeroAbility = Literal[
    "levitation",
    "flight",
    "nimble",
    "shockwave",
    "stealth",
    "sneak_attack",
    "dodge",
    "toughness",
    "invulnerability",
    "sweep",
]
"""The special abilities that the trap sheets name, in the order of the sheets (section A of the rules)."""

ABILITY_NAMES: Final[Mapping[HeroAbility, str]] = MappingProxyType(
    {
        "levitation": N_("Magic Levitation"),
        "flight": N_("Flight"),
        "nimble": N_("Nimble"),
        "shockwave": N_("Shockwave"),
        "stealth": N_("Stealth"),
        "sneak_attack": N_("Sneak Attack"),
        "dodge": N_("Dodge"),
        "toughness": N_("Toughness"),
        "invulnerability": N_("Invulnerability"),
        "sweep": N_("Sweep"),
    }
)
"""Ability -> its printed name."""

ALWAYS_ON: Final[Mapping[HeroAbility, Ability]] = MappingProxyType(
    {
        "nimble": "nimble",
        "stealth": "stealth",
        "sneak_attack": "sneak",
        "dodge": "dodge",
        "toughness": "toughness",
        "invulnerability": "invulnerability",
    }
)
"""Abilities that count with every move. Flight and Levitation count when they are used: `flying` (A-FLY-1)."""

WITHOUT: Final[Mapping[str, frozenset[Ability]]] = MappingProxyType(
    {
        "carrying": frozenset({"nimble", "stealth", "sneak"}),
        "seen": frozenset({"stealth", "sneak"}),
    }
)
"""Word -> the abilities that do not work now: for a Hero that carries a chair or a table (A-CARRY-1), and for one in
the segment of an All-Seeing Column (A-SEE-1)."""


def without(added: tuple[str, ...]) -> frozenset[Ability]:
    """The abilities that these words take away."""
    return frozenset[Ability]().union(*(WITHOUT.get(word, frozenset()) for word in added))


OTHERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "spawn": N_("a Mage Spawn of the pool"),
        "mage": N_("a Mage Spawn"),
        "token": N_("a wandering monster token"),
        "figure": N_("another figure"),
    }
)
"""Figures that are no Heroes -> what sentences call them. `spawn`: of the Mage Spawn pool, or summoned by a Hero
(Q-28); `mage`: another Mage Spawn; `figure`: any other, such as a familiar or the carrier of an artifact. The Jaws walk
nowhere (E-JAW-3)."""

MOST_HEROES: Final = 8
"""Heroes of one seat."""


class HeroSetup(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A Hero as the settings or the table name it. `level` is the level at which it starts; `speed` is its speed value,
    if named."""

    name: HeroName
    abilities: tuple[HeroAbility, ...] = ()
    speed: SpeedValue | None = None
    level: Level = 1


class Hero(msgspec.Struct, frozen=True, gc=False):
    """A named Hero in play. `fallen`: it is out of the game."""

    seat: str
    setup: HeroSetup
    fallen: bool = False

    @property
    def abilities(self) -> frozenset[Ability]:
        """Its abilities that count with every move."""
        return frozenset(ALWAYS_ON[each] for each in self.setup.abilities if each in ALWAYS_ON)
