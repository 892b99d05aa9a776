"""How a table is enrolled: under a name, with a code of twelve letters that a person types at the table, once."""

from __future__ import annotations

import secrets
from typing import Final

from pi_app.text.errors import UserFileError

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
GROUPS: Final = 3
IN_A_GROUP: Final = 4
DAYS: Final = 7
VALID_S: Final = DAYS * 86_400


LONGEST_NAME: Final = 60


def checked_name(what: str, text: str) -> str:
    """Return the name of a table or a shop, without spaces around it. Raises UserFileError for one that no list could
    show; `what`: the option that it was given with."""
    name = " ".join(text.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        seen = "is no name: it is empty or too long, or has letters that cannot be printed"
        raise UserFileError.at(what, f"{text[:40]!a}", seen, f"Take one of at most {LONGEST_NAME} letters")
    return name


def new_code() -> str:
    """Return a new code, such as `KQ7M-R2XA-5DHC`: 60 random bits."""
    groups = ("".join(secrets.choice(LETTERS) for _ in range(IN_A_GROUP)) for _ in range(GROUPS))
    return "-".join(groups)
