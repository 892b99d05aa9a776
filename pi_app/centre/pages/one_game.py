"""The audit of one game that has ended, as the page that `trapdial audit` writes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pi_app.audit import page as audit_page
from pi_app.centre.findings.game_audit import ended_audit
from pi_app.centre.pages.shell import safe
from pi_app.journal.record.runs import RawRow


def audit_of(rows: Iterable[RawRow], game: str, named: str, back: str) -> str:
    """Return the HTML of a game's audit, a whole page. `named`: the table; `back`: its address. Raises
    NoAuditError."""
    way = f'<p><a href="{back}">{safe(named)}</a></p>\n'
    return audit_page.page([ended_audit(rows, game, named)]).replace(_BODY, f"{_BODY}{way}", 1)


def styles_of(html: str) -> tuple[str, ...]:
    """Return the style sheets in that page as a browser reads them: its own, and those of its pictures."""
    found = dict.fromkeys(_STYLE.findall(html))
    return tuple(each.replace("<![CDATA[", "").replace("]]>", "") for each in found)


_STYLE: Final = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_BODY: Final = "<body>\n"
