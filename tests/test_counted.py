"""A number of things is written with the right word, also if it is one: the source of every sentence is read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.layers import FILES, ROOT

THINGS = "entries|games|groups|visits|tables|findings"
COUNTED = re.compile(rf"\{{[^{{}}]*\}} (?:{THINGS})\b")
BENCH = "pi_app/workshop/bench/"
"""Tables of figures for developers, which count in thousands."""

NEVER_ONE = {
    "pi_app/audit/page.py: {games} games": "more than can be drawn",
    "pi_app/centre/clock/doubts.py: {len(apart)} tables": "fewer are not asked",
    "pi_app/centre/findings/dials.py: {trials} games": "one game is no test",
    "pi_app/centre/findings/game_audit.py: {MOST_ENTRIES:,} entries": "a constant",
    "pi_app/centre/own_log/own_log.py: {theirs} entries": "a witness that is ahead of the log",
    "pi_app/centre/own_log/tree.py: {earlier} entries": "a bug's own words",
    "pi_app/journal/record/words.py: {sizes} entries": "a list of sizes",
    "pi_app/plans/placement/findings.py: {count} findings": "a constant",
    "pi_app/play/loop/typed.py: {count} entries": "a game in play has its beginning and its dials' starts",
}
"""What is counted is never one there, for this reason."""


def counted(source: str) -> Iterator[str]:
    """Yield every placeholder with a plural after it, but for the plural of a form that has a singular."""
    tree = ast.parse(source)
    forms = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.IfExp) or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "NN_")
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) not in forms and isinstance(node, (ast.JoinedStr, ast.Constant)):
            text = node.value if isinstance(node, ast.Constant) else ast.unparse(node)
            yield from COUNTED.findall(text) if isinstance(text, str) else ()


def test_the_reader_finds_what_is_wrong_and_passes_what_is_right() -> None:
    assert [*counted('f"{n} entries"')] == ["{n} entries"]
    assert [*counted('A = "{groups} groups came"')] == ["{groups} groups"]
    assert [*counted('"1 entry" if n == 1 else f"{n} entries"')] == []
    assert [*counted('NN_("{n} turn", "{n} turns")')] == []


def test_every_number_of_things_has_a_singular() -> None:
    files = [file for file in FILES if not file.startswith(BENCH)]
    found = {f"{file}: {text}" for file in files for text in counted((ROOT / file).read_text(encoding="utf-8"))}
    assert found == {*NEVER_ONE}
