"""The card, the table's words, its diagram, its findings, and the rule ids."""

from __future__ import annotations

import ast
import re

import pytest

from pi_app.game.objections import FOUND
from pi_app.game.rules import TRANSITIONS, SquareState
from pi_app.play.commands.words import USAGE
from pi_app.report.lamp_code import card
from pi_app.text.language import words
from tests.docs.pages import PAGES, ROOT, blocks, tables, text


def test_the_card_is_the_lamps_own() -> None:
    (block,) = blocks("wiring_docs/card.md", "text")
    assert block.strip() == card(words("en")).strip()


WORDS_PAGE = "wiring_docs/words_in_full.md"


def test_the_words_are_what_help_prints() -> None:
    _example, block = blocks(WORDS_PAGE, "text")
    assert block.splitlines() == [f"{usage}: {meaning}" for usage, meaning in USAGE.values()]


def test_every_word_is_explained() -> None:
    heads = " ".join(re.findall(r"^### (.+)$", text(WORDS_PAGE), re.MULTILINE)).replace(" and ", " ").split()
    assert sorted(heads) == sorted(set(USAGE) - {"help"})


def diagram() -> list[str]:
    """The life of a square as mermaid draws it, from the program's own transitions."""
    lines = ["stateDiagram-v2", *(f'    state "{state.value}" as {state.name}' for state in SquareState)]
    lines.append(f"    [*] --> {SquareState.CONCEALED.name}")
    for (before, happening), (after, rule) in TRANSITIONS.items():
        lines.append(f"    {before.name} --> {after.name}: {happening.value} ({rule})")
    return lines


def test_the_diagram_is_drawn_from_the_transitions() -> None:
    (block,) = blocks(WORDS_PAGE, "mermaid")
    assert block.splitlines() == diagram()


def findings() -> set[tuple[str, str]]:
    """(rule id, words) of every verdict in pi_app/game/findings.py."""
    tree = ast.parse(text("pi_app/game/findings.py"))
    said = {
        target.id: node.value.args[0].value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if isinstance(target := node.targets[0], ast.Name) and isinstance(node.value.args[0], ast.Constant)
    }
    found = set()
    for node in ast.walk(tree):
        pair = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        match pair:
            case [ast.Constant(value=str(rule)), ast.Name(id=name), *_] if name in said:
                found.add((rule, str(said[name])))
            case _:
                pass
    assert {verdict for _, verdict in found} == set(said.values())
    return found


def test_every_finding_is_explained_with_its_rule() -> None:
    (rows,) = tables(WORDS_PAGE, "rule", "the finding", "what it means, and what to do")
    anyway = {(", ".join(rules), words) for words, rules in FOUND.items()}
    assert {(row["rule"], row["the finding"]) for row in rows} == findings() | anyway
    assert all(row["what it means, and what to do"] for row in rows)


RULE = re.compile(r"\b(?:[TEARDF]-[A-Z]{1,6}|AR-[A-Z]{1,6}|[SGPLQ])-[0-9]+\b")


def test_rule_ids_are_those_that_the_code_cites() -> None:
    cited: set[str] = set()
    for room in ("hardware", "firmware_host", "pi_app", "tests"):
        for file in [*(ROOT / room).rglob("*.py"), *(ROOT / room).rglob("*.toml")]:
            cited |= set(RULE.findall(file.read_text(encoding="utf-8")))
    explained = re.findall(rf"^- \*\*({RULE.pattern})\*\*: \S.*$", text("wiring_docs/rule_ids.md"), re.MULTILINE)
    assert len(explained) == len(set(explained))
    assert sorted(explained) == sorted(cited)


@pytest.mark.parametrize("page", PAGES)
def test_pages_cite_no_other_rules(page: str) -> None:
    assert set(RULE.findall(text(page))) <= set(RULE.findall(text("wiring_docs/rule_ids.md")))
