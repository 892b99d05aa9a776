"""The audit's page names what the program finds, and its pictures are the program's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from pi_app.audit.forms import COLUMNS
from pi_app.audit.values import CLOCK, DIE_AGAIN, DRIFT, HOPS, MAGNET, TILE, Kind
from pi_app.game.objections import FOUND

DOCS = Path(__file__).resolve().parents[3] / "wiring_docs"
PAGE = (DOCS / "audit.md").read_text(encoding="utf-8")


def test_every_kind_has_its_line_and_its_rule() -> None:
    lines = re.findall(r"^\| ([a-z ,]+) \| ([A-Z0-9, -]+) \|", PAGE, re.MULTILINE)
    told = {kind for kinds, _ in lines for kind in kinds.split(", ")}
    assert told == set(get_args(Kind)) - {"sealed"}
    assert {MAGNET, HOPS, TILE, DRIFT, CLOCK, DIE_AGAIN} <= {rule for _, rule in lines}
    assert {rule for rules in FOUND.values() for rule in rules} == set(dict(lines)["done anyway"].split(", "))


def test_the_page_lists_the_columns() -> None:
    (told,) = re.findall(r"with the columns (.*?);", PAGE, re.DOTALL)
    assert tuple(re.findall(r"`(\w+)`", told)) == COLUMNS


def test_the_pictures_load_nothing_else() -> None:
    for name in ("audit.svg", "audit_sample.html"):
        text = (DOCS / name).read_text(encoding="utf-8")
        assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1999/xlink",
        }
    assert "SIMULATED" in (DOCS / "audit_sample.html").read_text(encoding="utf-8")
