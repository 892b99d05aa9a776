"""The traps' names and effects, in the few words that a small screen holds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pi_app.game.trap_table import Trap
from pi_app.text.language import N_

TRAP_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "buzz_saw": N_("Buzz Saw"),
        "cage": N_("The Cage"),
        "falling_weight": N_("Falling Weight"),
        "fire_jets": N_("Fire Jets"),
        "jaws_of_doom": N_("Jaws of Doom"),
        "monstrous_hand": N_("Monstrous Hand"),
        "noxious_acid_pool": N_("Noxious Acid Pool"),
        "spiked_pit": N_("Spiked Pit"),
    }
)
"""Trap id -> its English name."""

EFFECTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "buzz_saw": N_("1 die of damage, now and to all who cross later."),  # E-SAW-1, E-SAW-2
        "cage": N_("Locks the Hero in, out of play, until freed."),  # E-CAGE-1 to E-CAGE-3
        "falling_weight": N_("3 damage without a roll. Falls once."),  # E-WGT-1, E-WGT-3
        "fire_jets": N_("1 damage, now and to all who cross. Nothing helps."),  # E-FIRE-1 to E-FIRE-3
        "jaws_of_doom": N_("Bites: attack 10, damage 2. Hit back to break it."),  # E-JAW-1, E-JAW-2, E-JAW-7
        "monstrous_hand": N_("Neighbours: speed -4, leave on a 6 only."),  # E-HAND-1, E-HAND-3
        "noxious_acid_pool": N_("2 damage, then 2 to start and 1 to walk near."),  # E-ACID-1 to E-ACID-3
        "spiked_pit": N_("2 damage. Later too, unless you pay 4 speed."),  # E-PIT-1, E-PIT-2
    }
)
"""Trap id -> its effect, short enough for a small screen; the trap's card has the full text."""

CLEAR_EFFECT: Final = N_("No trap. Free to walk until the game ends.")  # E-X-1


def trap_name(trap: Trap | str) -> str:
    """The trap's name, a message."""
    return TRAP_NAMES[_id(trap)]


def effect(trap: Trap | str | None) -> str:
    """The trap's effect, a message; None stands for a clear square."""
    return CLEAR_EFFECT if trap is None else EFFECTS[_id(trap)]


def _id(trap: Trap | str) -> str:
    return trap if isinstance(trap, str) else trap.value
