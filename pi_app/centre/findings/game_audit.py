"""The audit of one game, from its rows at the centre: as `trapdial audit` shows it.

Only the key that the game itself has published at its end opens its entries. Every row was checked when it was taken,
and bound to those before it. A game that has not ended is audited from its public halves alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from pi_app.audit.device_findings import Opened
from pi_app.audit.examine import UnplayableError, examine
from pi_app.audit.sealed import audit_sealed
from pi_app.audit.values import FileAudit, GameAudit
from pi_app.audit.verdicts import file_verdict
from pi_app.game import events as ev
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.keys import key_commitment
from pi_app.journal.record.runs import RawRow
from pi_app.play.mage_knight import MAGE_KNIGHT

MOST_ENTRIES: Final = 20_000
"""A game of more entries than this is audited with `trapdial audit`, at its table."""


class NoAuditError(Exception):
    """This game cannot be shown. The message is a sentence for people."""


def ended_audit(rows: Iterable[RawRow], game: str, named: str) -> FileAudit:
    """Return the audit of a game that has ended. `named`: the table. Raises NoAuditError."""
    parts = _parts(rows, game)
    key = _key(parts)
    if key is None:
        raise NoAuditError("This game has not published its key, so its entries stay sealed.")
    try:
        audit = examine(list(_opened(parts, key)))
    except UnplayableError as error:
        raise NoAuditError(f"This game cannot be audited: entry {error.entry} {error}.") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise NoAuditError(f"This game cannot be audited: {error}.") from error
    return _file(audit, named)


def running_audit(rows: Iterable[RawRow], game: str, named: str) -> FileAudit:
    """Return what may be said of a game that has not ended. Raises NoAuditError."""
    return _file(audit_sealed([part for part, *_ in _parts(rows, game)]), named)


def _file(audit: GameAudit, named: str) -> FileAudit:
    return FileAudit(
        verdict=file_verdict([audit], sound=True),
        file=named,
        state="interrupted" if audit.sealed else "whole",
        entries=audit.entries,
        damage=None,
        games=(audit,),
    )


def _parts(rows: Iterable[RawRow], game: str) -> list[tuple[PublicPart, bytes, bytes]]:
    parts: list[tuple[PublicPart, bytes, bytes]] = []
    for _, public, sealed, *_ in rows:
        if not isinstance(public, bytes) or not isinstance(sealed, bytes):
            continue
        part = rec.read_public(public)
        if part.game != game or part.kind == rec.DELETED:
            continue
        if part.play != MAGE_KNIGHT.name:
            raise NoAuditError(f"This is a game of {part.play}, which has no audit.")
        parts.append((part, public, sealed))
        if len(parts) > MOST_ENTRIES:
            raise NoAuditError(f"This game has more than {MOST_ENTRIES:,} entries. Use `trapdial audit` at its table.")
    if not parts:
        raise NoAuditError("The entries of this game are not here.")
    return parts


def _key(parts: list[tuple[PublicPart, bytes, bytes]]) -> bytes | None:
    """Return the key that the last entry publishes, if it is the one that the first entry has promised."""
    opening, published = parts[0][0].opening, parts[-1][0].key
    if opening is None or published is None:
        return None
    key = bytes.fromhex(published)
    return key if key_commitment(key) == opening.key else None


def _opened(parts: list[tuple[PublicPart, bytes, bytes]], key: bytes) -> Iterable[Opened]:
    for part, public, sealed in parts:
        hidden = rec.read_sealed(sealed, key, public)
        if hidden is None:
            raise NoAuditError(f"Entry {part.seq} does not open with the key of its game.")
        yield part, ev.from_json(hidden.event)
