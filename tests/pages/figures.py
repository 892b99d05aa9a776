"""What a lane prints: figures with their limits. A lane fails if any figure misses its limit."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Figures:
    """The figures of one lane."""

    lane: str
    misses: int = 0
    lines: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Print something that has no limit."""
        self._line(text)

    def most(self, what: str, value: float, limit: float, unit: str = "") -> None:
        """Print a value that must not be above its limit."""
        self._judged(what, value, f"at most {_number(limit)}{unit}", unit, value <= limit)

    def least(self, what: str, value: float, limit: float, unit: str = "") -> None:
        """Print a value that must not be below its limit."""
        self._judged(what, value, f"at least {_number(limit)}{unit}", unit, value >= limit)

    def holds(self, what: str, *, is_so: bool) -> None:
        """Print something that must be so."""
        self.misses += not is_so
        self._line(f"{what}: {'yes' if is_so else 'NO: MISSED'}")

    def _judged(self, what: str, value: float, limit: str, unit: str, good: bool) -> None:
        self.misses += not good
        self._line(f"{what}: {_number(value)}{unit} ({limit}{'' if good else '; MISSED'})")

    def _line(self, text: str) -> None:
        self.lines.append(text)
        print(f"{self.lane}: {text}", flush=True)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
