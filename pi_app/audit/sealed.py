"""A game that has not ended: pass or fail for each square, with rule ids, times and claims. Pure.

The audit uses the public halves alone, which hold no secret, and no key, not even one on this machine (T-AUD-6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_app.audit.stamps import Times, clock_steps, dated
from pi_app.audit.values import DEVICE, FindingSeen, GameAudit, SquareVerdict
from pi_app.journal.record.entry import PublicPart
from pi_app.report.lines import finding_in

NOTED: Final = "dial noted"
"""The kind of an entry in which a dial's parts report their state. The first one in a game is always bad; its dial and
its report may depend on where the dial stands, and are sealed."""


def audit_sealed(parts: Sequence[PublicPart], ended: str | None = None) -> GameAudit:
    """Return the audit of a game from its public halves, in their order."""
    as_recorded, parts = parts, dated(parts)
    first, last = parts[0], parts[-1]
    labels = tuple(first.opening.squares) if first.opening is not None else ()
    times = Times(first)
    length_s = [times.at(part) for part in parts][-1]
    found = [*_findings(parts, labels), *clock_steps(as_recorded)]
    found.sort(key=lambda each: each.entry)
    return GameAudit(
        game=first.game,
        sealed=True,
        first=first.seq,
        last=last.seq,
        entries=len(parts),
        began=first.wall,
        ended=ended,
        length_s=round(length_s, 3),
        verdicts=verdicts(labels, found),
        findings=tuple(found),
    )


def verdicts(labels: Sequence[str], found: Sequence[FindingSeen]) -> tuple[SquareVerdict, ...]:
    """Return pass or fail, square by square."""
    counts = {label: sum(each.square == label for each in found) for label in labels}
    return tuple(SquareVerdict(square=label, passed=not count, findings=count) for label, count in counts.items())


def _findings(parts: Sequence[PublicPart], labels: Sequence[str]) -> list[FindingSeen]:
    found: list[FindingSeen] = []
    times = Times(parts[0])
    for part in parts:
        at_s = times.at(part)
        for line in part.log:
            seen = finding_in(line, labels)
            if seen is not None:
                found.append(_sealed(part, at_s, *seen))
        if part.kind == NOTED and not any(each.rule == DEVICE for each in found):
            found.append(_sealed(part, at_s, DEVICE, None))
    return found


def _sealed(part: PublicPart, at_s: float, rule: str, square: str | None) -> FindingSeen:
    claim = (part.grade or "none") if part.kind == "turned" else None
    return FindingSeen.of(part, at_s, "sealed", rule, None, square=square, seat=part.seat, claim=claim)
