"""What a check of a map finds: a verdict for each rule, and findings with their places. Pure."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pi_app.plans.placement.dungeon import Dungeon, Spot
from pi_app.text.language import N_, Words

MOST_FINDINGS: Final = 500
"""Reported for one rule; a map with more is not what its author meant."""


class RuleStatus(enum.Enum):
    """Whether a rule is kept; open if it cannot be checked."""

    KEPT = "kept"
    BROKEN = "broken"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class PlacementFinding:
    """One violation: the rule, the trap, where, what was seen, advice. `spot` is None for the whole map; `other` is a
    second square involved."""

    rule: str
    part: str
    spot: Spot | None
    seen: str
    advice: str
    other: Spot | None = None


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The status of one rule, and a sentence about it."""

    rule: str
    sign: RuleStatus
    words: str


class RuleJudge:
    """Collect verdicts, rule by rule."""

    def __init__(self, dungeon: Dungeon, speak: Words) -> None:
        self.dungeon = dungeon
        self.speak = speak
        self.rules: list[RuleVerdict] = []
        self.findings: list[PlacementFinding] = []

    def say(self, message: str, **values: object) -> str:
        return self.speak(message).format(**values)

    def rule(
        self, rule: str, kept: str, found: Iterable[PlacementFinding] = (), *, sign: RuleStatus = RuleStatus.KEPT
    ) -> None:
        """Add a verdict: the text `kept` with `sign`, or the number of findings."""
        findings = list(islice(found, MOST_FINDINGS + 1))
        self.findings += findings[:MOST_FINDINGS]
        if findings:
            message = N_("Findings: {count}.")
            if len(findings) > MOST_FINDINGS:
                message = N_("More than {count} findings; only the first ones are shown.")
            kept, sign = self.say(message, count=min(len(findings), MOST_FINDINGS)), RuleStatus.BROKEN
        self.rules.append(RuleVerdict(rule, sign, kept))
