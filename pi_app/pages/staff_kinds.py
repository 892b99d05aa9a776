"""The first bytes of what a staff page and its table say to each other: what the page process reads of it.

`staff_sealing` describes the rest, and needs libsodium for it.
"""

from __future__ import annotations

from typing import Final, Literal

SHARE: Final = 1
PROVE: Final = 2
SEALED: Final = 3
SHARE_AT_TABLE: Final = 4
REFUSED: Final = 0
TABLES_NUMBER_BYTES: Final = 4

Reason = Literal[1, 2, 3, 4, 5, 6]
WRONG_PIN: Final = 1
WAIT: Final = 2
LOG_IN: Final = 3
NO_STAFF_PAGE: Final = 4
WRONG_NUMBER: Final = 5
CROWDED: Final = 6
"""Too many exchanges have begun and were not finished."""


def read_number(body: bytes) -> int:
    """Return the number in a SHARE_AT_TABLE."""
    return int.from_bytes(body[1 : 1 + TABLES_NUMBER_BYTES], "big")


def refusal_start(reason: Reason, seconds: int = 0) -> bytes:
    """Return the bytes of a refusal before its random rest."""
    return bytes([REFUSED, reason]) + min(seconds, 2**31).to_bytes(4, "big")


def is_wrong_pin(answer: bytes) -> bool:
    """Whether an answer says that a PIN was wrong."""
    return answer[:2] == bytes([REFUSED, WRONG_PIN])
