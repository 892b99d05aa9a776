"""What a centre counts while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class CentreCounts:
    """What a centre has done since it began."""

    answers: dict[int, int] = field(default_factory=dict)
    entries: int = 0
    cosignatures: int = 0
    evidence: int = 0
    lost_races: int = 0
