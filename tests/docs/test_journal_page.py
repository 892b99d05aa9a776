"""The journal's columns and kinds of entries are told."""

from __future__ import annotations

import re
from typing import get_args

from pi_app import journal
from pi_app.game.events import AnyEvent
from tests.docs.pages import tables, text


def test_the_journals_columns_are_told() -> None:
    (rows,) = tables("wiring_docs/journal.md", "column", "what")
    columns = re.findall(r"^    (\w+) +(?:INTEGER|TEXT|BLOB)", journal.SCHEMA, re.MULTILINE)
    assert [row["column"].strip("`") for row in rows] == columns


def test_the_kinds_of_entries_are_told() -> None:
    (sentence,) = re.findall(r"^The kinds: (.*?)\.$", text("wiring_docs/journal.md"), re.MULTILINE | re.DOTALL)
    assert re.findall(r"`([^`]+)`", sentence) == [kind.__struct_config__.tag for kind in get_args(AnyEvent)]
