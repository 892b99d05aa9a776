"""The audit of one game that has ended, from its rows: as `trapdial audit` shows it.

Only the key that the game itself has published at its end opens its entries. Every row was checked when it was taken,
and bound to those before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from pi_app.audit import page as audit_page
from pi_app.audit.device_findings import Opened
from pi_app.audit.examine import UnplayableError, examine
from pi_app.audit.values import FileAudit
from pi_app.audit.verdicts import file_verdict
from pi_app.centre.pages.shell import safe
from pi_app.game import events as ev
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.keys import key_commitment
from pi_app.journal.record.runs import RawRow
from pi_app.play.mage_knight import MAGE_KNIGHT

MOST_ENTRIES: Final = 20_000
"""A game of more entries than this is audited with `trapdial centre export` and `trapdial audit`."""


class NoAuditError(Exception):
    """This game cannot be shown. The message is a sentence for people."""


def audit_of(rows: Iterable[RawRow], game: str, named: str, back: str) -> str:
    """Return the HTML of a game's audit, a whole page. `named`: the table; `back`: its address. Raises
    NoAuditError."""
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
    file = FileAudit(
        verdict=file_verdict([audit], sound=True),
        file=named,
        state="whole",
        entries=len(parts),
        damage=None,
        games=(audit,),
    )
    way = f'<p><a href="{back}">{safe(named)}</a></p>\n'
    return audit_page.page([file]).replace(_BODY, f"{_BODY}{way}", 1)


def styles_of(html: str) -> tuple[str, ...]:
    """Return the style sheets in that page as a browser reads them: its own, and those of its pictures."""
    found = dict.fromkeys(_STYLE.findall(html))
    return tuple(each.replace("<![CDATA[", "").replace("]]>", "") for each in found)


_STYLE: Final = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_BODY: Final = "<body>\n"


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
            raise NoAuditError(
                f"This game has more than {MOST_ENTRIES:,} entries. Export the table and use `trapdial audit`."
            )
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
