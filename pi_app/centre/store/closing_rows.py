"""Closes a record that another one continues, the same in every store."""

from __future__ import annotations

from typing import Final

from pi_app.centre.store.own_log_rows import Sql
from pi_app.centre.store.store import Closing

_CLOSES: Final = """
UPDATE records SET closed = CASE WHEN closed BETWEEN 1 AND ? THEN closed ELSE ? END
WHERE origin = ? AND size = ? AND NOT revoked RETURNING 1
"""


def close_record(sql: Sql, closing: Closing | None) -> bool:
    """Close a record, if there is one to close; return whether it is as it was checked. The earliest closing holds."""
    if closing is None:
        return True
    return bool(sql.ask(_CLOSES, (closing.size, closing.size, closing.origin, closing.seen)))
