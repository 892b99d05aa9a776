"""One finding: a rule that an event broke. Names the rule, never a secret."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """`words` is a message of the catalogue; `rule` is the broken rule."""

    rule: str
    words: str
    square: str | None = None
    seat: str | None = None
