"""Experience, chests and placed Mage Spawn by the rulings of 22.09.2003. Pure.

Nothing here depends on what lies under a square: everyone may read all of it.
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
"""Kills by these give experience (R-XP-1); kills by other means do not (R-XP-2)."""

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
"""For setting a chest's trap off, after its effect (R-XP-3, R-XP-4)."""


class LedgerEntry(msgspec.Struct, frozen=True, gc=False):
    """One line of the ledger: a seat's experience, and why."""

    seat: str
    xp: int
    why: Note


class ChestState(msgspec.Struct, frozen=True, gc=False):
    """A chest in play. `value`: its disarm value, once an open number is fixed (T-DIS-6)."""

    chest: Chest
    value: int | None = None
    disarmed_by: str | None = None
    attempts: int = 0


class Rulings(msgspec.Struct, frozen=True, gc=False):
    """Chests, ledger and the latest note of a game. `owed`: seats and chests set off whose 25 are not given yet.
    `placed`: the figures of the Mage Spawn pool that stand on the table."""

    chests: Mapping[int, ChestState] = MappingProxyType({})
    owed: tuple[tuple[str, int], ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    placed: tuple[str, ...] = ()
    number: int = 0
    note: Note | None = None

    def with_note(self, note: Note) -> Rulings:
        """With this as the latest note."""
        return replace(self, note=note, number=self.number + 1)


def begun(chests: tuple[Chest, ...]) -> Rulings:
    return Rulings(chests=MappingProxyType({chest.number: ChestState(chest) for chest in chests}))


RulingOutcome = tuple[Rulings, int, Note]
"""The rulings afterwards, the experience gained, and the sentence for it."""


def kill(now: Rulings, name: str, xp: int, means: Means) -> RulingOutcome:
    """A kill: `xp` as typed, or none (R-XP-1, R-XP-2)."""
    facts, marked = {"name": name, "xp": xp}, {"means": MEANS[means]}
    if means in COUNTS:
        return now, xp, Note(N_("{name}: {xp} experience, killed by {means} (R-XP-1)."), facts, marked)
    return now, 0, Note(N_("{name}: no experience, killed by {means} (R-XP-2)."), facts, marked)


def corrected(now: Rulings, name: str, xp: int) -> RulingOutcome:
    return now, xp, Note(N_("{name}: {xp} experience, as a correction."), {"name": name, "xp": xp})


def chest_done(now: Rulings, seat: str, name: str, number: int) -> RulingOutcome:
    """The effect of a chest's trap is complete: give its experience (R-XP-3), once for each time it went off."""
    facts = {"name": name, "chest": number}
    if (seat, number) not in now.owed:
        return now, 0, Note(N_("{name}: no experience is due for chest {chest} (R-XP-3)."), facts)
    at = now.owed.index((seat, number))
    now = replace(now, owed=(*now.owed[:at], *now.owed[at + 1 :]))
    message = N_("{name}: {xp} experience, chest {chest} is complete (R-XP-3).")
    return now, TRIGGER_XP, Note(message, facts | {"xp": TRIGGER_XP})


def chest_tried(
    now: Rulings, seat: str, name: str, number: int, *, slow: bool, dice: tuple[int, int], plus_die: int
) -> RulingOutcome:
    """A disarm attempt at a chest, like one at a square (T-DIS-2 to T-DIS-8). Without an armed trap nothing changes."""
    opened = now.chests.get(number)
    facts: dict[str, object] = {"name": name, "seat": seat, "chest": number}
    if opened is None or opened.disarmed_by is not None:
        return now, 0, Note(N_("Chest {chest} has no armed trap (T-DIS-5)."), facts)
    value = opened.chest.value(plus_die) if opened.value is None else opened.value
    won = rules.disarm_succeeds(value, dice, slow=slow)
    after = replace(opened, value=value, attempts=opened.attempts + 1, disarmed_by=seat if won else None)
    now = replace(now, chests=MappingProxyType({**now.chests, number: after}))
    if won:
        xp = opened.chest.xp
        return now, xp, Note(N_("{name} disarms chest {chest}: {xp} experience (T-DIS-8)."), facts | {"xp": xp})
    now = replace(now, owed=(*now.owed, (seat, number)))
    message = N_("{name} sets off chest {chest}. Complete its effect, then type: xp {seat} chest {chest} (R-XP-3).")
    return now, 0, Note(message, facts)


def disarmed(name: str, xp: int, square: str) -> Note:
    """The note on the experience for a disarm."""
    message = N_("{name}: {xp} experience, {square} is disarmed (T-DIS-8).")
    return Note(message, {"name": name, "xp": xp, "square": square})


def went_off(name: str, xp: int, square: str) -> Note:
    """The note on the experience for setting a square off, where the table plays so (R-XP-4)."""
    message = N_("{name}: {xp} experience, the effect of {square} is complete (R-XP-3).")
    return Note(message, {"name": name, "xp": xp, "square": square})


def booked(now: Rulings, seat: str, xp: int, why: Note) -> Rulings:
    """With one more line in the ledger, unless it is over no experience."""
    return replace(now, ledger=(*now.ledger, LedgerEntry(seat, xp, why))) if xp else now


def converted(now: Rulings, figures: tuple[str, ...], *, back: bool) -> tuple[Rulings, Note]:
    """Figures of the Mage Spawn pool come to stand on the table, or go back into the pool (R-WMT-4)."""
    names = {"names": ", ".join(figures)}
    if not back:
        return replace(now, placed=(*now.placed, *figures)), Note(N_("Placed: {names} (R-WMT-4)."), names)
    left = list(now.placed)
    for name in figures:
        if name in left:
            left.remove(name)
    return replace(now, placed=tuple(left)), Note(N_("Back in the Mage Spawn pool: {names} (R-WMT-4)."), names)
