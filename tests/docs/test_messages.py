"""Every message that a page quotes is the program's own."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from pi_app.report.pictures import Say
from pi_app.report.seat_screen import Attention, seat_says
from pi_app.text.language import words
from tests.docs.pages import ROOT, tables, text


@cache
def strings() -> str:
    """Every text in the source, one per line."""
    found = []
    for room in ("hardware", "firmware_host", "pi_app"):
        for file in (ROOT / room).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            found += [
                " ".join(node.value.split())
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
    return "\n".join(found)


def messages() -> list[str]:
    quoting = text("wiring_docs/troubles.md") + text("wiring_docs/calibrate.md")
    quotes = re.findall(r"(?:^> .*\n?)+", quoting, re.MULTILINE)
    return [" ".join(quote.replace("> ", " ").split()) for quote in quotes]


def fragments(message: str) -> list[str]:
    """What of a message is fixed: without *yours*, cut where the program puts its four parts together."""
    cuts = r"(?<!\\)\*(?:[^*\\]|\\.)*\*|: (?=mux)|\. (?=[A-Z])|\. (?=\*)|\((?:file|header)\)|\): "
    return [piece for part in re.split(cuts, message) if (piece := part.strip(" .:;(),"))]


def test_there_are_messages_to_compare() -> None:
    assert len(messages()) > 25
    assert fragments("dial *T03* (*x, y*) gave no answer (*errno 121*). Check its plug.") == [
        "dial", "gave no answer", "Check its plug",
    ]  # fmt: skip


@pytest.mark.parametrize("message", messages())
def test_messages_are_the_programs_own(message: str) -> None:
    pieces = fragments(message)
    assert pieces
    for piece in pieces:
        assert piece in strings(), piece


def test_seats_sentences_are_the_programs_own() -> None:
    said = set()
    for attention in Attention:
        picture = seat_says(attention, words("en"))
        said |= {" ".join(picture.lines)} if isinstance(picture, Say) else set()
    (rows,) = tables("wiring_docs/troubles.md", "the screen says", "do this")
    assert {row["the screen says"] for row in rows} <= said
