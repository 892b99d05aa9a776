"""The doctor's checks as marks on the drawing: which part answered, which did not, and which lead to check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.plans.wiring.drawing import Badge, BadgeKind
from pi_app.plans.wiring.values import Part, PartKind, Wiring
from pi_app.workshop.doctor import Check, Sign, Symptom

_SEEN: Final = {
    Symptom.SILENT: BadgeKind.SILENT,
    Symptom.ELSEWHERE: BadgeKind.STRANGER,
    Symptom.TOO_WEAK: BadgeKind.WEAK,
    Symptom.TOO_STRONG: BadgeKind.STRONG,
    Symptom.NO_MAGNET: BadgeKind.MISSING,
    Symptom.HOLDS: BadgeKind.HELD,
    Symptom.FLAKY: BadgeKind.FLAKY,
    Symptom.UNSEEN: BadgeKind.UNSEEN,
}
_OF_SIGNS: Final = {Sign.GOOD: BadgeKind.ANSWERS, Sign.FAILS: BadgeKind.FAILS, Sign.UNSURE: BadgeKind.DOUBT}

_OF_A_LEAD: Final = (BadgeKind.SILENT, BadgeKind.STRANGER, BadgeKind.HELD, BadgeKind.FLAKY, BadgeKind.FAILS)
"""Results that a lead or its plugs may cause."""

_BY_EYE: Final = {PartKind.LAMP: "check by eye", PartKind.BUTTON: "not pressed: press it"}
"""Parts whose pin is usable, while their wires cannot be checked."""

_FROM_THE_PI: Final = (
    PartKind.PI,
    PartKind.HUB,
    PartKind.MUX,
    PartKind.TILE,
    PartKind.SCREEN,
    PartKind.BUTTON,
    PartKind.LAMP,
)
"""The parts in the order of repair: an earlier one may be why a later one is silent."""


@dataclass(frozen=True, slots=True)
class WiringMarks:
    """`marks` by the ids of parts, in the order of repair; `notes`: failures outside the wiring, in sentences."""

    marks: dict[str, Badge]
    notes: tuple[str, ...]


def marked(wiring: Wiring, checks: Iterable[Check]) -> WiringMarks:
    """Mark each part with its check. A part without one was not checked."""
    of: dict[str, list[Check]] = {part.id: [] for part in wiring.parts}
    notes = []
    for check in checks:
        if check.about in of:
            of[check.about].append(check)
        elif check.sign is not Sign.GOOD and check.found is not Symptom.UNSEEN:
            notes.append(_sentence(check))
    order = sorted(wiring.parts, key=lambda part: (*_worst(of[part.id])[:1], _rank(part)))
    marks = {part.id: mark for part in order if (mark := _mark(wiring, part, of[part.id])) is not None}
    return WiringMarks(marks, tuple(notes))


def _rank(part: Part) -> int:
    return _FROM_THE_PI.index(part.kind) if part.kind in _FROM_THE_PI else len(_FROM_THE_PI)


def _worst(checks: Sequence[Check]) -> tuple[int, Check | None]:
    """Return the worst check and its severity: 0 is worst."""

    def bad(check: Check) -> int:
        if check.found is Symptom.UNSEEN:
            return 2
        return {Sign.FAILS: 0, Sign.UNSURE: 1, Sign.GOOD: 3}[check.sign]

    if not checks:
        return 4, None
    worst = min(checks, key=bad)
    return bad(worst), worst


def _mark(wiring: Wiring, part: Part, checks: Sequence[Check]) -> Badge | None:
    _, worst = _worst(checks)
    if worst is None:
        own = part.kind in _FROM_THE_PI and not (
            part.kind is PartKind.MUX and wiring.part(part.host).kind is PartKind.HUB
        )
        return Badge(BadgeKind.UNSEEN) if own else None
    if worst.sign is Sign.GOOD and part.kind in _BY_EYE:
        return Badge(BadgeKind.UNSEEN, _BY_EYE[part.kind])
    seen = _OF_SIGNS[worst.sign] if worst.found is None else _SEEN[worst.found]
    word = "" if worst.address is None else f"0x{worst.address:02X} answers"
    failing = [check for check in checks if check.sign is not Sign.GOOD and check.found is not Symptom.UNSEEN]
    return Badge(seen, word, " ".join(map(_sentence, failing)), _leads_to(wiring, part) if seen in _OF_A_LEAD else ())


def _sentence(check: Check) -> str:
    return check.words if check.words.endswith(".") else f"{check.words}."


def _leads_to(wiring: Wiring, part: Part) -> tuple[str, ...]:
    """Return the labels of the leads that end at this part."""
    return tuple(
        lead.label
        for lead in wiring.leads
        if any(wire.far.part == part.id for wire in lead.wires) or (lead.usb and lead.far == part.name)
    )
