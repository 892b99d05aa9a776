"""How a table is enrolled: under a name, with a code of twelve letters that a person types at the table, once, and a
challenge that the table signs with it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final

from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.enrolment import code_letters
from pi_app.text.errors import UserFileError

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
GROUPS: Final = 3
IN_A_GROUP: Final = 4
DAYS: Final = 7
VALID_S: Final = DAYS * 86_400

LONGEST_NAME: Final = 60

NOT_SIGNED: Final = "The record's device has not signed this for this centre. Check the centre's key at the table."
NOT_FRESH: Final = "The challenge is too old, or not of this centre. Try again."
NO_SUCH_CODE: Final = "This code is not known here, was used already, or is too old. Ask for a new one."
STAYS_REVOKED: Final = "This table was revoked here, and no code lets it in again. Ask the centre's owner."
OTHER_NAME: Final = (
    "This table's record is enrolled here already, as {name}; this code is for another one. Ask the centre's owner."
)


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


def code_hash(code: str) -> bytes:
    """Return what a store keeps of an enrolment code. The code has 60 random bits, so no slow hash is needed."""
    return hashlib.sha256(b"trapdial enrolment 1\n" + code_letters(code).encode()).digest()


# ---------------------------------------------------------------------------------------------------------- challenges

CHALLENGE_S: Final = 300
"""A challenge is answered within this time. Two centres that serve from one database may differ by so much."""

_TIME_BYTES: Final = 8
_RANDOM_BYTES: Final = 16


def make_challenge(key: CentreKey, now_s: int) -> str:
    """Return a challenge that a table signs with its enrolment, or with its next hand-over, so that one that was
    recorded does nothing later.

    It is not the table's time: many tables know no date. It carries the centre's own, authenticated, so nothing is kept
    of it, and each centre that has this key accepts it."""
    text = max(0, now_s).to_bytes(_TIME_BYTES, "big") + secrets.token_bytes(_RANDOM_BYTES)
    return (text + _authenticate(key, text)).hex()


def is_fresh(key: CentreKey, challenge: str, now_s: int) -> bool:
    """Return whether a centre with this key has made this challenge a short time ago."""
    made_s = time_of_challenge(key, challenge)
    return made_s is not None and abs(now_s - made_s) <= CHALLENGE_S


def time_of_challenge(key: CentreKey, challenge: str) -> int | None:
    """Return when a centre with this key made a challenge, POSIX seconds; None if it made no such one."""
    try:
        whole = bytes.fromhex(challenge)
    except ValueError:
        return None
    text, code = whole[: _TIME_BYTES + _RANDOM_BYTES], whole[_TIME_BYTES + _RANDOM_BYTES :]
    is_own = challenge == whole.hex() and hmac.compare_digest(code, _authenticate(key, text))
    return int.from_bytes(text[:_TIME_BYTES], "big") if is_own else None


def _authenticate(key: CentreKey, text: bytes) -> bytes:
    secret = hashlib.sha256(b"trapdial challenge 1\n" + key.key.seed).digest()
    return hmac.digest(secret, text, "sha256")
