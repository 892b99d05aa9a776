"""Codes that enrol a table, each once: twelve letters that a person reads from one screen and types at another."""

from __future__ import annotations

import secrets
from typing import Final

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
GROUPS: Final = 3
IN_A_GROUP: Final = 4
DAYS: Final = 7
VALID_S: Final = DAYS * 86_400


def new_code() -> str:
    """Return a new code, such as `KQ7M-R2XA-5DHC`: 60 random bits."""
    groups = ("".join(secrets.choice(LETTERS) for _ in range(IN_A_GROUP)) for _ in range(GROUPS))
    return "-".join(groups)
