"""The effects of the eight traps, as data and pure functions from dice to an outcome.

TRAPS is the sheet's own list (section 6 of the rules as Trapdial reads them); every cell names its rule. Damage is in
clicks of the damaged figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from pi_app.game.note import Note
from pi_app.game.reductions import Reduced, dodge_helps, reduced
from pi_app.game.ruleset import Ability, Ruleset
from pi_app.game.trap_table import Trap
from pi_app.text.language import N_

TrapArea = Literal["its square", "its square and around it", "around it", "the figure"]


class Hurt(msgspec.Struct, frozen=True):
    """Damage: a number of clicks, or one die of them, by `rule`."""

    clicks: int
    rule: str
    by_die: bool = False

    def rolled(self, die: int | None) -> int:
        """The clicks before reductions. Raises ValueError if the die is missing."""
        if not self.by_die:
            return self.clicks
        if die is None:
            raise ValueError("this damage is rolled")
        return die


class TrapRules(msgspec.Struct, frozen=True):
    """One row of the sheet. `once`: the rule by which it fires once only; `disarm_later`: the rule by which it may be
    disarmed after it went off. `german_only`: of these two, those that only the German sheet prints (L-12, L-13)."""

    first: Hurt | None
    area: TrapArea
    terrain: str
    reduced: frozenset[Ability] = frozenset()
    reduced_by: str = ""
    special_damage: bool = False
    crossing: Hurt | None = None
    beside: Hurt | None = None
    start: Hurt | None = None
    once: str = ""
    disarm_later: str = ""
    german_only: frozenset[Literal["once", "disarm_later"]] = frozenset()


_TOUGH: Final[frozenset[Ability]] = frozenset({"toughness", "invulnerability"})
_ONCE: Final[frozenset[Literal["once", "disarm_later"]]] = frozenset({"once"})
_LATER: Final[frozenset[Literal["once", "disarm_later"]]] = frozenset({"disarm_later"})

TRAPS: Final[Mapping[Trap, TrapRules]] = MappingProxyType(
    {
        Trap.BUZZ_SAW: TrapRules(
            first=Hurt(0, "E-SAW-1", by_die=True),
            crossing=Hurt(0, "E-SAW-2", by_die=True),
            area="its square",
            terrain="E-SAW-4",
            reduced=_TOUGH,
            reduced_by="E-SAW-3",
            disarm_later="E-SAW-4",
            german_only=_LATER,
        ),
        Trap.CAGE: TrapRules(
            first=None,
            area="its square",
            terrain="E-CAGE-6",
            once="L-12",
            disarm_later="E-CAGE-3",
            german_only=_ONCE,
        ),
        Trap.FALLING_WEIGHT: TrapRules(
            first=Hurt(3, "E-WGT-1"),
            area="the figure",
            terrain="E-WGT-3",
            reduced=_TOUGH | {"dodge"},
            reduced_by="E-WGT-2",
            once="E-WGT-3",
            german_only=_ONCE,
        ),
        Trap.FIRE_JETS: TrapRules(
            first=Hurt(1, "E-FIRE-1"),
            crossing=Hurt(1, "E-FIRE-2"),
            area="its square",
            terrain="E-FIRE-4",
            reduced_by="E-FIRE-3",
            disarm_later="E-FIRE-4",
            german_only=_LATER,
        ),
        Trap.JAWS_OF_DOOM: TrapRules(first=None, area="around it", terrain="Q-11", disarm_later="E-JAW-5"),
        Trap.MONSTROUS_HAND: TrapRules(
            first=None,
            area="around it",
            terrain="Q-11",
            once="E-HAND-7",
            disarm_later="E-HAND-5",
            german_only=_ONCE,
        ),
        Trap.NOXIOUS_ACID_POOL: TrapRules(
            first=Hurt(2, "E-ACID-1"),
            crossing=Hurt(1, "E-ACID-3"),
            beside=Hurt(1, "E-ACID-3"),
            start=Hurt(2, "E-ACID-2"),
            area="its square and around it",
            terrain="Q-11",
            reduced=frozenset({"invulnerability"}),
            reduced_by="E-ACID-4",
            special_damage=True,
            disarm_later="E-ACID-5",
            german_only=_LATER,
        ),
        Trap.SPIKED_PIT: TrapRules(
            first=Hurt(2, "E-PIT-1"),
            crossing=Hurt(2, "E-PIT-2"),
            area="its square",
            terrain="Q-11",
            reduced=_TOUGH,
            reduced_by="E-PIT-3",
            disarm_later="E-PIT-4",
            german_only=_LATER,
        ),
    }
)
"""Trap -> its effects."""

CORNER_TRIGGERS_TO: Final = 3
"""A cut corner sets a trap off on this or less (T-TRG-3)."""

SHOCKWAVE_DEFENCE: Final = 12
"""A trap's defense value against a Shockwave (A-SHW-1)."""

HAND_SLOWS: Final = 4
"""Speed lost beside the Hand (E-HAND-1)."""

BREAKS_ON: Final = 6
"""Breaking away from the Hand takes this (E-HAND-3)."""

EXEMPT: Final = ("spawn", "token")
"""Figures that never set a trap off: Mage Spawn of the pool, wandering monster tokens (G-1, T-TRG-13)."""

TRIGGER_XP: Final = 25
"""Experience that a ruling gives for setting a trap off, after its effect (R-XP-3, R-XP-4)."""

PIT_TOLL: Final = 4
"""Points for a safe way over an open Pit (E-PIT-2)."""


class TrapOutcome(msgspec.Struct, frozen=True):
    """`clicks` of damage to one figure, and the sentences behind that. `imprisoned`: the figure is out of play."""

    clicks: int
    notes: tuple[Note, ...]
    ends_movement: bool = False
    ends_activation: bool = False
    imprisoned: bool = False


NO_DAMAGE = N_("No damage ({rule}).")
ONE_CLICK = N_("One click of damage ({rule}).")
CLICKS = N_("{clicks} clicks of damage ({rule}).")
MOVE_ENDS = N_("The figure's movement ends; unspent speed points are lost (T-TRG-6).")
ALL_ENDS = N_("The figure's movement and activation end (T-TRG-6).")
CAGED = N_("The Hero is locked in the trap's square and out of play until another figure disarms the Cage (E-CAGE-1).")
# E-JAW-2: they have Sweep (A-SWP-1)
BITES = N_("The Jaws attack all around: attack 10, damage 2, speed 4, defense 14 with Toughness (E-JAW-2).")
HAND_UP = N_("Beside the Hand: speed -4, at least 0; break away only on a 6; disarm it against 10 (E-HAND-1).")
NO_COUNTER = N_("Figures beside the Hand cannot counterattack (E-HAND-4).")
SAFE_WAY = N_("Four speed points are paid: a safe crossing (E-PIT-2).")
TOLL_TOO_SOON = N_(
    "Four speed points do not help against a Pit that was not open yet. No sheet says so; the switch pit_pay4 decides "
    "(E-PIT-5)."
)
NO_ONE_HIT = N_("A Shockwave set it off: no figure is hit, but its effects around it begin (A-SHW-2).")
FLIES_ON = N_("The figure flies over: nothing happens (A-FLY-3).")
ONLY_ONCE = N_("The trap fires only once: nothing happens ({rule}).")
NOT_AGAIN = N_("No further effect; the speed points are spent ({rule}).")
NO_DISARM_NOW = N_("The figure may not try to disarm it in this activation (A-FLY-2).")
FELL_ONCE = N_(
    "{square} cannot be disarmed: the Weight has fallen. No sheet says so; the switch weight_disarm decides (Q-13)."
)
STILL_OUT = N_("{square} cannot be disarmed before the Jaws withdraw (E-JAW-5).")
ONLY_THE_GERMAN = N_(
    "{square} cannot be disarmed: it has gone off. Only the German sheet says that a trap of this kind may still be "
    "disarmed (switch retrigger_policy, L-13)."
)


def after_reductions(trap: Trap, clicks: int, abilities: Set[Ability], dodge: int | None, rules: Ruleset) -> int:
    """The clicks left after the figure's abilities, at least 0. `dodge` is its die."""
    row = TRAPS[trap]
    return reduced(clicks, row.reduced, abilities, dodge, rules, special=row.special_damage)[0]


def may_dodge(trap: Trap, rules: Ruleset) -> bool:
    """Whether a Dodge die can avoid this trap's damage (E-WGT-2, R-SA-1)."""
    return rules.dodge_from > 0 and dodge_helps(TRAPS[trap].reduced, rules)


def exempt(who: str, rules: Ruleset) -> bool:
    """Whether such a figure never sets a trap off (G-1); other Mage Spawn only if this table plays so (L-09)."""
    return who in EXEMPT or (who == "mage" and rules.mage_spawn_exempt == "all")


def _hurt(trap: Trap, hurt: Hurt, die: int | None, dodge: int | None, had: Set[Ability], rules: Ruleset) -> Reduced:
    row = TRAPS[trap]
    clicks, abilities = reduced(hurt.rolled(die), row.reduced, had, dodge, rules, special=row.special_damage)
    told = NO_DAMAGE if clicks == 0 else ONE_CLICK if clicks == 1 else CLICKS
    return clicks, (Note(told, {"clicks": clicks, "rule": hurt.rule}), *abilities)


def on_trigger(
    trap: Trap,
    rules: Ruleset,
    *,
    die: int | None = None,
    dodge: int | None = None,
    abilities: Set[Ability] = frozenset(),
    paid_toll: bool = False,
    by_shockwave: bool = False,
) -> TrapOutcome:
    """The effect on the figure that sets the trap off (T-TRG-7): by walking in, at a corner or with a failed disarm,
    from where it stands (T-TRG-15). That step is damaged once (E-FIRE-5, E-ACID-6).
    `die` is the Saw's; without it a Saw raises ValueError."""
    if by_shockwave:  # A-SHW-3: its sender's activation continues
        return TrapOutcome(0, (Note(NO_ONE_HIT), *_standing(trap, rules)))
    row, clicks = TRAPS[trap], 0
    notes: list[Note] = []
    safe = trap is Trap.SPIKED_PIT and paid_toll and rules.pit_pay4 == "always"
    if safe:
        notes.append(Note(SAFE_WAY))
    elif row.first is not None:
        clicks, told = _hurt(trap, row.first, die, dodge, abilities, rules)
        notes.extend(told)
        if trap is Trap.SPIKED_PIT and paid_toll:
            notes.append(Note(TOLL_TOO_SOON))
    notes.extend(_standing(trap, rules))
    if trap is Trap.CAGE:
        notes.append(Note(CAGED))
    both = rules.trigger_ends == "movement_and_activation"
    notes.append(Note(ALL_ENDS if both else MOVE_ENDS, {}))
    if "flying" in abilities and rules.flight_end == "french":
        notes.append(Note(NO_DISARM_NOW))
    return TrapOutcome(clicks, tuple(notes), True, both, trap is Trap.CAGE)


def _standing(trap: Trap, rules: Ruleset) -> tuple[Note, ...]:
    """The lasting effect on adjacent squares."""
    if trap is Trap.JAWS_OF_DOOM:
        return (Note(BITES),)
    if trap is Trap.MONSTROUS_HAND:
        return (Note(HAND_UP), *([Note(NO_COUNTER)] if rules.hand_blocks_counter else []))
    return ()


def fires_once(trap: Trap, rules: Ruleset) -> str:
    """The rule by which this trap fires only once, or "". It is so by every sheet: only an armed trap is set off
    (T-TRG-1), and no text of these traps lets one affect a later figure. The German sheet says it (L-12)."""
    row = TRAPS[trap]
    return "T-TRG-1" if rules.retrigger_policy == "silent" and "once" in row.german_only else row.once


def disarm_later(trap: Trap, rules: Ruleset) -> str:
    """The rule by which this trap may be disarmed after it went off, or "" (L-13). The Jaws only when withdrawn."""
    row = TRAPS[trap]
    if trap is Trap.FALLING_WEIGHT and rules.weight_disarm == "by_number":
        return "Q-13"
    return "" if rules.retrigger_policy == "silent" and "disarm_later" in row.german_only else row.disarm_later


def disarm_refusal(trap: Trap, rules: Ruleset) -> tuple[str, str] | None:
    """Why this trap, which has gone off and not withdrawn, may not be disarmed now: the rule, and its sentence with
    {square}. None if it may."""
    if trap is Trap.JAWS_OF_DOOM:
        return "E-JAW-5", STILL_OUT
    if disarm_later(trap, rules):
        return None
    return ("Q-13", FELL_ONCE) if trap is Trap.FALLING_WEIGHT else ("L-13", ONLY_THE_GERMAN)


def must_expose_first(rules: Ruleset, *, turned: bool, knows: bool) -> bool:
    """Whether a player must expose a trap before a Hero of theirs tries to disarm it (T-DIS-10, on no sheet). A dial
    that was never turned shows no number to reach. `turned`: it was; `knows`: this player exposed it, or was shown."""
    return not turned or (rules.expose_before_disarm and not knows)


def on_pass(
    trap: Trap,
    rules: Ruleset,
    *,
    die: int | None = None,
    dodge: int | None = None,
    abilities: Set[Ability] = frozenset(),
    paid_toll: bool = False,
    beside: bool = False,
    ends_there: bool = False,
) -> TrapOutcome:
    """The effect on any figure (G-6) that enters the square of a trap that has gone off and was not disarmed; `beside`:
    a square next to it. A figure that flies and does not end there is unharmed (A-FLY-3)."""
    row = TRAPS[trap]
    if "flying" in abilities and not ends_there:
        return TrapOutcome(0, (Note(FLIES_ON),))
    hurt = row.beside if beside else row.crossing
    if hurt is None:
        if not beside and fires_once(trap, rules):
            return TrapOutcome(0, (Note(ONLY_ONCE, {"rule": fires_once(trap, rules)}), *_standing(trap, rules)))
        if beside or trap is Trap.JAWS_OF_DOOM:
            return TrapOutcome(0, _standing(trap, rules) or (Note(NO_DAMAGE, {"rule": row.terrain}),))
        return on_trigger(trap, rules, die=die, dodge=dodge, abilities=abilities)
    if trap is Trap.SPIKED_PIT and paid_toll:
        return TrapOutcome(0, (Note(SAFE_WAY),))
    return TrapOutcome(*_hurt(trap, hurt, die, dodge, abilities, rules))


def on_start(
    trap: Trap,
    rules: Ruleset,
    *,
    of: Literal["turn", "movement"] = "turn",
    dodge: int | None = None,
    abilities: Set[Ability] = frozenset(),
) -> TrapOutcome:
    """The effect on a figure whose turn or movement starts on the square of a trap that has gone off, or beside it."""
    start = TRAPS[trap].start
    if start is None or rules.acid_start != of:
        rule = "E-ACID-2" if start is not None else TRAPS[trap].terrain
        return TrapOutcome(0, _standing(trap, rules) or (Note(NO_DAMAGE, {"rule": rule}),))
    return TrapOutcome(*_hurt(trap, start, None, dodge, abilities, rules))


def on_disarm_failed_again(
    trap: Trap,
    rules: Ruleset,
    *,
    die: int | None = None,
    dodge: int | None = None,
    abilities: Set[Ability] = frozenset(),
) -> TrapOutcome:
    """The effect of a failed attempt at a trap that had gone off before (Q-14): for Cage and Hand nothing more than the
    points, and nothing ends (E-CAGE-4, E-HAND-7); the others affect the Hero that tried (Q-15)."""
    if fires_once(trap, rules):
        rule = {Trap.CAGE: "E-CAGE-4", Trap.MONSTROUS_HAND: "E-HAND-7"}.get(trap, "Q-13")
        return TrapOutcome(0, (Note(NOT_AGAIN, {"rule": rule}),))
    return on_trigger(trap, rules, die=die, dodge=dodge, abilities=abilities)


def corner_triggers(die: int, abilities: Set[Ability]) -> bool:
    """Whether a diagonal step past an armed trap sets it off (T-TRG-3). A Nimble Hero cuts corners freely (A-NIM-1),
    and so does one in flight (A-FLY-3)."""
    return not abilities & {"nimble", "flying"} and die <= CORNER_TRIGGERS_TO


def cuts_corner(before: tuple[int, int], after: tuple[int, int]) -> bool:
    """Whether a step between two squares, counted from the trap's, cuts its corner: both share an edge with it, and
    they touch each other (T-TRG-5)."""
    (x1, y1), (x2, y2) = before, after
    return abs(x1) + abs(y1) == 1 == abs(x2) + abs(y2) and abs(x1 - x2) == 1 == abs(y1 - y2)


def hand_speed(speed: int) -> int:
    """The speed beside the Hand, after bonuses (E-HAND-1, E-HAND-8)."""
    return max(0, speed - HAND_SLOWS)


def breaks_away(die: int) -> bool:
    """Whether a figure breaks away from the Hand; no ability helps (E-HAND-3, A-BRK-1)."""
    return die >= BREAKS_ON


def disarm_bonus(abilities: Set[Ability], rules: Ruleset) -> int:
    """The abilities' bonus to a disarm roll (T-DIS-9). The Italian sheet leaves Nimble out (L-06)."""
    by = {
        "stealth": rules.disarm_stealth,
        "nimble": rules.disarm_nimble if rules.nimble_disarms else 0,
        "sneak": rules.disarm_sneak_attack,
        "dodge": rules.disarm_dodge,
    }
    return sum(bonus for ability, bonus in by.items() if ability in abilities)
