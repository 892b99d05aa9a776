"""Pictures of a face and the pixels they light."""

from __future__ import annotations

from typing import Any

from pi_app.game.trap_words import effect
from pi_app.report.pictures import ShowFace


def lit(frame: bytes) -> int:
    assert len(frame) == 1024
    return int.from_bytes(frame, "little").bit_count()


def face(trap: str | None = "cage", **changes: Any) -> ShowFace:
    values: dict[str, Any] = {
        "label": "T07",
        "kind": "clear" if trap is None else "trap",
        "trap": trap,
        "click_number": 3,
        "disarm": "6+ = 9",
        "xp": 22,
        "quick_of_36": 10,
        "slow_of_36": 21,
        "effect": effect(trap),
        "sample": True,
        "simulated": True,
    }
    return ShowFace(**values | changes)


CLEAR = face(None, click_number=None, disarm=None, xp=None, quick_of_36=None, slow_of_36=None)
