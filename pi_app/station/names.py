"""What people at a station call its seats, on every screen, page and sheet, and when they type."""

from __future__ import annotations

from collections.abc import Iterable


def seat_names(keys: Iterable[str]) -> dict[str, str]:
    """Return the name of each seat by its key in the settings: P1, P2 and so on, in their order."""
    return {key: f"P{number}" for number, key in enumerate(keys, 1)}
