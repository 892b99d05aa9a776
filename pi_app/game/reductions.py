"""What Toughness, Invulnerability and Dodge take off a trap's damage, as a number and sentences. Pure.

The sheets name the abilities that help against a trap, and none of the numbers: those are from other sources. Each
sentence says so, and a switch of 0 leaves the ability to the players.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from pi_app.game.note import Note
from pi_app.game.ruleset import Ability, Ruleset
from pi_app.text.language import N_

TOUGHNESS: Final = N_("Toughness counts as {clicks} here: no trap sheet says how much (A-TGH-1).")
INVULNERABILITY: Final = N_("Invulnerability counts as {clicks} here: no trap sheet says how much (A-INV-1).")
DODGE: Final = N_("Dodge succeeds from {die} here: no trap sheet says from what number (A-DOD-1).")
YOUR_TOUGHNESS: Final = N_("Toughness is not counted: take off what its ability card says (A-TGH-1).")
YOUR_INVULNERABILITY: Final = N_("Invulnerability is not counted: take off what its ability card says (A-INV-1).")
YOUR_DODGE: Final = N_("Dodge is not counted: roll for it as its ability card says (A-DOD-1).")

Reduced = tuple[int, tuple[Note, ...]]
"""The clicks that are left, and what the abilities did."""


def dodge_helps(named: Set[Ability], rules: Ruleset) -> bool:
    """Whether Dodge helps against a trap whose text names `named`: by the rulings against every one (R-SA-1)."""
    return rules.damage_reduction == "rulings_2003" or "dodge" in named


def reduced(
    clicks: int, named: Set[Ability], abilities: Set[Ability], dodge: int | None, rules: Ruleset, *, special: bool
) -> Reduced:
    """The clicks left after the figure's abilities, at least 0. `named`: the abilities in the trap's text; `dodge`: its
    die; `special`: damage of a special ability, as the Acid's may be (E-ACID-4).

    By the sheet an ability helps where the text names it (R-SA-2); Invulnerability leaves one click of a blow, and
    nothing of a special ability's damage (A-INV-1). By the rulings Dodge alone helps (R-SA-1)."""
    told: tuple[Note, ...] = ()
    if "dodge" in abilities and dodge_helps(named, rules):
        told = (Note(DODGE, {"die": rules.dodge_from}) if rules.dodge_from else Note(YOUR_DODGE),)
        if rules.dodge_from and dodge is not None and dodge >= rules.dodge_from:
            return 0, told
    if rules.damage_reduction == "rulings_2003" or (special and rules.acid_reduction == "none"):
        return clicks, told
    if "invulnerability" in abilities & named:
        takes, least = rules.invulnerability_takes, 0 if special else min(1, clicks)
        note = Note(INVULNERABILITY, {"clicks": takes}) if takes else Note(YOUR_INVULNERABILITY)
    elif "toughness" in abilities & named:
        takes, least = rules.toughness_takes, 0
        note = Note(TOUGHNESS, {"clicks": takes}) if takes else Note(YOUR_TOUGHNESS)
    else:
        return clicks, told
    return max(clicks - takes, least), (*told, note)
