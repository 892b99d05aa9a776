"""Experience and chests by the rulings of 22.09.2003: who gains what, and in which order. Pure functions and values.

Nothing here depends on what lies under a square: all of it may be read by everyone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from pi_app.game import rules
from pi_app.game.chests import Chest
from pi_app.game.note import Note
from pi_app.text.language import N_

Deed = Literal["kill", "chest", "correction"]
Means = Literal["attack", "pole_arm", "venom", "retaliation", "ram", "trap", "critical_miss", "chest", "artifact"]
Prey = Literal["spawn", "figure"]

COUNTS: Final = frozenset({"attack", "pole_arm", "venom", "retaliation", "ram"})
"""Killing damage by one of these is the player's own (R-XP-1); by anything else nobody gains anything (R-XP-2)."""

MEANS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "attack": N_("an attack"),
        "pole_arm": N_("Pole Arm"),
        "venom": N_("Venom"),
        "retaliation": N_("Magic Retaliation"),
        "ram": N_("Ram"),
        "trap": N_("a trap"),
        "critical_miss": N_("a critical miss"),
        "chest": N_("a chest"),
        "artifact": N_("an artifact"),
    }
)

TRIGGER_XP: Final = 25
"""Of whoever sets a chest's trap off, after all of its effect (R-XP-3, R-XP-4)."""


class LedgerEntry(msgspec.Struct, frozen=True, gc=False):
    """One line of the ledger: what a seat gained, and why."""

    seat: str
    xp: int
    why: Note


class ChestState(msgspec.Struct, frozen=True, gc=False):
    """A chest of this game. `value`: what its disarm must reach, once an open number is fixed (T-DIS-6)."""

    chest: Chest
    value: int | None = None
    disarmed_by: str | None = None
    attempts: int = 0


class Rulings(msgspec.Struct, frozen=True, gc=False):
    """What a game knows beside its squares. `owed`: who set off which chest and has not had the 25 yet."""

    chests: Mapping[int, ChestState] = MappingProxyType({})
    owed: tuple[tuple[str, int], ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    number: int = 0
    note: Note | None = None

    def with_note(self, note: Note) -> Rulings:
        """With this as the latest ruling."""
        return replace(self, note=note, number=self.number + 1)


def begun(chests: tuple[Chest, ...]) -> Rulings:
    """At the start of a game."""
    return Rulings(chests=MappingProxyType({chest.number: ChestState(chest) for chest in chests}))


RulingOutcome = tuple[Rulings, int, Note]
"""The rulings afterwards, the experience that it gives, and the sentence for it."""


def kill(now: Rulings, name: str, xp: int, means: Means) -> RulingOutcome:
    """A kill: `xp` as the table said, or none (R-XP-1, R-XP-2)."""
    marked = {"means": MEANS[means]}
    if means in COUNTS:
        told = Note(N_("{name}: {xp} experience, killed by {means} (R-XP-1)."), {"name": name, "xp": xp}, marked)
        return now.with_note(told), xp, told
    told = Note(N_("{name}: no experience, killed by {means} (R-XP-2)."), {"name": name}, marked)
    return now.with_note(told), 0, told


def corrected(now: Rulings, name: str, xp: int) -> RulingOutcome:
    """The table corrects what was said before."""
    told = Note(N_("{name}: {xp} experience, as a correction."), {"name": name, "xp": xp})
    return now.with_note(told), xp, told


def chest_done(now: Rulings, seat: str, name: str, number: int) -> RulingOutcome:
    """The effect of a chest's trap is over: now its experience comes (R-XP-3), once for each time it went off."""
    facts = {"name": name, "chest": number}
    if (seat, number) not in now.owed:
        told = Note(N_("{name}: no experience is due for chest {chest} (R-XP-3)."), facts)
        return now.with_note(told), 0, told
    at = now.owed.index((seat, number))
    told = Note(N_("{name}: {xp} experience, chest {chest} is complete (R-XP-3)."), facts | {"xp": TRIGGER_XP})
    now = replace(now, owed=(*now.owed[:at], *now.owed[at + 1 :]))
    return now.with_note(told), TRIGGER_XP, told


def chest_tried(
    now: Rulings, seat: str, name: str, number: int, *, slow: bool, dice: tuple[int, int], plus_die: int
) -> RulingOutcome:
    """A disarm attempt at a chest, like one at a square (T-DIS-2 to T-DIS-8). Without an armed trap nothing changes."""
    opened = now.chests.get(number)
    facts: dict[str, object] = {"name": name, "seat": seat, "chest": number}
    if opened is None or opened.disarmed_by is not None:
        told = Note(N_("Chest {chest} has no armed trap (T-DIS-5)."), facts)
        return now.with_note(told), 0, told
    value = opened.chest.value(plus_die) if opened.value is None else opened.value
    won = rules.disarm_succeeds(value, dice, slow=slow)
    after = replace(opened, value=value, attempts=opened.attempts + 1, disarmed_by=seat if won else None)
    now = replace(now, chests=MappingProxyType({**now.chests, number: after}))
    if won:
        xp = opened.chest.xp
        told = Note(N_("{name} disarms chest {chest}: {xp} experience (T-DIS-8)."), facts | {"xp": xp})
        return now.with_note(told), xp, told
    now = replace(now, owed=(*now.owed, (seat, number)))
    told = Note(
        N_("{name} sets off chest {chest}. Complete its effect, then type: xp {seat} chest {chest} (R-XP-3)."), facts
    )
    return now.with_note(told), 0, told


def disarmed(name: str, xp: int, square: str) -> Note:
    """Why a square's disarm paid."""
    return Note(
        N_("{name}: {xp} experience, {square} is disarmed (T-DIS-8)."), {"name": name, "xp": xp, "square": square}
    )


def went_off(name: str, xp: int, square: str) -> Note:
    """Why setting a square off paid, where the table plays so (R-XP-4)."""
    return Note(
        N_("{name}: {xp} experience, the effect of {square} is complete (R-XP-3)."),
        {"name": name, "xp": xp, "square": square},
    )


def booked(now: Rulings, seat: str, xp: int, why: Note) -> Rulings:
    """With one more line in the ledger, unless it is over nothing."""
    return replace(now, ledger=(*now.ledger, LedgerEntry(seat, xp, why))) if xp else now


ANSWERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "R-CHT-1": N_("Chest 116 is disarmed against 10."),
        "R-XP-1": N_(
            "A kill's experience goes to the player whose figure dealt the last damage; "
            "Pole Arm, Venom, Retaliation, Ram count."
        ),
        "R-XP-2": N_("A kill by a trap, a critical miss, a chest or an artifact gives no experience."),
        "R-XP-3": N_("A trap's whole effect comes first, Mage Spawn and attack included; then its 25 experience."),
        "R-XP-4": N_(
            "The 25 are for chests. A square gives experience only for its disarm, unless this table plays otherwise."
        ),
        "R-SA-1": N_("Damage by objects, chests and artifacts ignores special abilities; Dodge may be rolled first."),
        "R-TER-1": N_(
            "A treasure chest is not hindering terrain. "
            "The bonus to defense against ranged attacks does not come from terrain."
        ),
        "R-ROT-1": N_("A door at the edge of a rotating room leaves the game when the room turns."),
        "R-ART-1": N_("An ability from an artifact replaces the click's own; clicks do not take it away."),
        "R-WMT-1": N_("You may not move a monster token within or into a section that holds your own Heroes."),
        "R-WMT-2": N_("A monster token opens a door for 2. It never leaves the dungeon, nor does Mage Spawn."),
        "R-WMT-3": N_("Placing Mage Spawn does not set off Pole Arm or Ram: placing is not movement."),
        "R-WMT-4": N_("Converting: the count matters more than the points; your opponent picks among equal choices."),
        "R-MS-1": N_(
            "A Hero team holds no Mage Spawn, and the Mage Spawn pool holds only Mage Spawn; "
            "those that tokens bring in are friendly to each other."
        ),
        "R-CTR-1": N_("Only an attack's target may counterattack, and only the attacker; that cannot be countered."),
        "R-CTR-2": N_("A figure that Shockwave or a splash merely touches may not counterattack."),  # A-SHW-4
        "R-MISC-1": N_("Leaving the dungeon costs 1, also diagonally."),
        "R-MISC-2": N_("Magic Freeze reduces speed after the 4 of Bound or Charge are added."),
        "R-MISC-3": N_("A figure that takes the 4 of Bound or Charge pays 4 for the attack."),
        "R-MISC-4": N_("Sneak Attack doubles to 5 at most; extra damage comes on top."),
        "R-MISC-5": N_("A figure that comes next to an opposing figure, or is placed there, gives it a free spin."),
        "R-MISC-6": N_("Chests are given to Heroes before Command acts at the start of a turn."),
    }
)
"""Rule id -> what the table is answered when it asks for that ruling."""
