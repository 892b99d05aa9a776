"""How long a centre waits for PostgreSQL, and what it says of an error. All limits end in words, and in another try."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LOCK_MS: Final = 5_000
"""Longest wait for a lock that another session holds. A table waits 30 s for its answer."""

STATEMENT_MS: Final = 60_000
"""Longest run of one statement."""

TURN_S: Final = 10.0
"""Longest wait for a turn on the one connection."""

CONNECTION: Final[Mapping[str, int]] = {
    "connect_timeout": 10,
    "tcp_user_timeout": 20_000,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""Of each connection, unless its address says otherwise: a server that is gone without a word is noticed."""

SET_LIMITS: Final = """
SELECT set_config(name, limit_ms, false)
FROM (VALUES ('lock_timeout', %s::text), ('statement_timeout', %s::text)) AS limits (name, limit_ms)
WHERE current_setting(name) = '0'
"""
"""Limits that the database's owner has set stay as they are."""

_OTHERWISE: Final = ("The database cannot be used", "Check that PostgreSQL runs, and its address and user.")

_CAUSES: Final[Mapping[str, tuple[str, str]]] = {
    "55P03": (
        "Another session holds a lock in the database",
        "Find it in pg_stat_activity, and end it. The centre goes on by itself then.",
    ),
    "57014": (
        "The database took too long for a statement",
        "Look at its disk, its load and its statement_timeout. The centre goes on by itself then.",
    ),
    "53100": (
        "The disk of the database is full",
        "Make room on it, or move a tablespace. The centre goes on by itself then.",
    ),
}
"""By SQLSTATE: what was seen, and what to try."""


def explain(sqlstate: str | None, why: str) -> str:
    """Return what is said of an error with these words of PostgreSQL's own."""
    seen, advice = _CAUSES.get(sqlstate or "", _OTHERWISE)
    return f"{seen} ({why}). {advice}"
