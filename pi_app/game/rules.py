"""The trap rules as data and small pure functions: states, transitions, chances, who may disarm what.

Rule ids such as T-DIS-4 stand for the numbered rules of the trap sheet as Trapdial reads them.
"""

from __future__ import annotations

import enum
from typing import Final


class SquareState(enum.Enum):
    """The public state of one trap square. An exposed trap and an exposed clear square are one state (S-6)."""

    CONCEALED = "concealed"
    EXPOSED = "exposed"
    TRIGGERED = "triggered"
    WITHDRAWN = "withdrawn"
    DISARMED = "disarmed"
    CLEAR_PUBLIC = "clear for all"

    __hash__ = object.__hash__  # ten times as fast as Enum's own


class Happening(enum.Enum):
    """An event in the life of a square."""

    EXPOSED = "a Hero exposes it"
    TRIGGERED_TRAP = "a trap is triggered"
    TRIGGERED_CLEAR = "a clear square is triggered"
    DISARM_FAILED = "a disarm fails"
    DISARM_SUCCEEDED = "a disarm succeeds"
    DISARM_FOUND_NOTHING = "a disarm finds nothing there"
    JAWS_UNHARMED = "a counterattack leaves the Jaws unharmed"
    JAWS_HARMED = "a counterattack harms the Jaws"

    __hash__ = object.__hash__


S, H = SquareState, Happening

TRANSITIONS: Final[dict[tuple[SquareState, Happening], tuple[SquareState, str]]] = {
    (S.CONCEALED, H.EXPOSED): (S.EXPOSED, "T-EXP-4"),
    (S.CONCEALED, H.TRIGGERED_TRAP): (S.TRIGGERED, "T-TRG-7"),
    (S.CONCEALED, H.TRIGGERED_CLEAR): (S.CLEAR_PUBLIC, "T-TRG-12"),
    (S.EXPOSED, H.EXPOSED): (S.EXPOSED, "T-EXP-11"),
    (S.EXPOSED, H.TRIGGERED_TRAP): (S.TRIGGERED, "T-TRG-1"),
    (S.EXPOSED, H.TRIGGERED_CLEAR): (S.CLEAR_PUBLIC, "T-TRG-12"),
    (S.EXPOSED, H.DISARM_FAILED): (S.TRIGGERED, "T-DIS-7"),
    (S.EXPOSED, H.DISARM_SUCCEEDED): (S.DISARMED, "T-DIS-5"),
    (S.EXPOSED, H.DISARM_FOUND_NOTHING): (S.CLEAR_PUBLIC, "T-TRG-12"),
    (S.TRIGGERED, H.TRIGGERED_TRAP): (S.TRIGGERED, "T-TRG-8"),
    (S.TRIGGERED, H.DISARM_FAILED): (S.TRIGGERED, "T-DIS-7"),
    (S.TRIGGERED, H.DISARM_SUCCEEDED): (S.DISARMED, "T-DIS-5"),
    (S.TRIGGERED, H.JAWS_UNHARMED): (S.WITHDRAWN, "E-JAW-5"),
    (S.TRIGGERED, H.JAWS_HARMED): (S.DISARMED, "E-JAW-7"),
    (S.WITHDRAWN, H.TRIGGERED_TRAP): (S.TRIGGERED, "E-JAW-6"),
    (S.WITHDRAWN, H.DISARM_FAILED): (S.TRIGGERED, "E-JAW-6"),
    (S.WITHDRAWN, H.DISARM_SUCCEEDED): (S.DISARMED, "E-JAW-5"),
}
"""(state, happening) -> (next state, rule id). A pair that is not listed is against the rules."""

del S, H


def after(state: SquareState, happening: Happening) -> SquareState:
    """The next state. Raises ValueError, naming both, for a pair that is not in TRANSITIONS."""
    found = TRANSITIONS.get((state, happening))
    if found is None:
        raise ValueError(f"the rules know no way from '{state.value}' when {happening.value}")
    return found[0]


PUBLIC_STATES: Final = frozenset({SquareState.TRIGGERED, SquareState.WITHDRAWN, SquareState.CLEAR_PUBLIC})
"""States in which everyone may look at the face (T-TRG-9, T-TRG-12)."""

QUICK_COST: Final = 3
"""Speed points of a quick attempt (T-DIS-2)."""

SLOW_COST: Final = 6
"""Speed points of a slow attempt (T-DIS-3)."""

SLOW_BONUS: Final = 2
"""Bonus of a slow attempt (T-DIS-3)."""

HAND_VALUE_TRIGGERED: Final = 10
"""A triggered Monstrous Hand is disarmed against 10, whatever is printed (E-HAND-6)."""

DIE: Final = range(1, 7)
"""One six-sided die; also the clicks that one roll can turn a dial (T-EXP-4, T-DIAL-10)."""


def chance_of_36(value: int, *, slow: bool) -> int:
    """How many of the 36 rolls of two dice reach `value` (T-DIS-4), slow ones with their +2 (T-DIS-3)."""
    bonus = SLOW_BONUS if slow else 0
    return sum(a + b + bonus >= value for a in DIE for b in DIE)


def disarm_succeeds(value: int, dice: tuple[int, int], *, slow: bool, bonus: int = 0) -> bool:
    """T-DIS-4: the total reaches the disarm value. `bonus`: by abilities (T-DIS-9)."""
    return sum(dice) + (SLOW_BONUS if slow else 0) + bonus >= value
