"""A game that has not ended: a verdict for each square, with rule ids, times and claims. Pure.

The audit uses the public halves alone, which hold no secret, and no key, not even one on this machine (T-AUD-6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_app.audit.stamps import Times, clock_steps, dated
from pi_app.audit.values import DEVICE, FindingSeen, GameAudit, RuleSeen, is_fault
from pi_app.audit.verdicts import square_verdicts
from pi_app.journal.record.entry import PublicPart
from pi_app.report.lines import finding_in

NOTED: Final = "dial noted"
"""The kind of an entry in which a dial's parts report their state. The first one in a game is always bad; its dial and
its report may depend on where the dial stands, and are sealed."""


TURNED: Final = "turned"


def audit_sealed(parts: Sequence[PublicPart], ended: str | None = None) -> GameAudit:
    """Return the audit of a game from its public halves, in their order."""
    as_recorded, parts = parts, dated(parts)
    first, last = parts[0], parts[-1]
    labels = tuple(first.opening.squares) if first.opening is not None else ()
    times = Times(first)
    length_s = [times.at(part) for part in parts][-1]
    findings, faults = _found(parts, labels)
    faults = sorted([*faults, *clock_steps(as_recorded)], key=lambda each: each.entry)
    turned = {part.square for part in parts if part.kind == TURNED and part.square is not None}
    return GameAudit(
        game=first.game,
        sealed=True,
        first=first.seq,
        last=last.seq,
        entries=len(parts),
        began=first.wall,
        ended=ended,
        length_s=round(length_s, 3),
        verdicts=square_verdicts(labels, findings, faults, turned),
        findings=tuple(findings),
        faults=tuple(faults),
    )


def _found(parts: Sequence[PublicPart], labels: Sequence[str]) -> tuple[list[FindingSeen], list[FindingSeen]]:
    """Return the findings about players, and the faults: one of each for an entry and a square."""
    found: dict[bool, list[FindingSeen]] = {False: [], True: []}
    noted = False
    times = Times(parts[0])
    for part in parts:
        at_s = times.at(part)
        broken: dict[tuple[bool, str | None], dict[str, None]] = {}
        for line in part.log:
            seen = finding_in(line, labels)
            if seen is not None:
                broken.setdefault((is_fault(seen[0]), seen[1]), {})[seen[0]] = None
        if part.kind == NOTED and not noted:
            noted = True
            broken.setdefault((True, None), {})[DEVICE] = None
        for (fault, square), rules in broken.items():
            found[fault].append(_sealed(part, at_s, tuple(rules), square))
    return found[False], found[True]


def _sealed(part: PublicPart, at_s: float, rules: tuple[str, ...], square: str | None) -> FindingSeen:
    claim = (part.grade or "none") if part.kind == TURNED else None
    seen = tuple(RuleSeen(kind="sealed", rule=rule, words=None) for rule in rules)
    return FindingSeen.of(part, at_s, seen, None, square=square, seat=part.seat, claim=claim)
