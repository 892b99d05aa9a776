"""The page of troubles: every public issue has a test that runs, and every fault of the twins is explained."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from hardware.sims.faults import FAULTS
from tests.docs.pages import tables, text
from tests.pi_app.pulled import cell, pulled

ROOT = Path(__file__).resolve().parent.parent
PAGE = "wiring_docs/troubles.md"
ROWS = 25
NOT_RUN = {"skip", "skipif", "xfail", "wired"}


def rows() -> list[dict[str, str]]:
    (found,) = tables(PAGE, "no", "issue", "what they saw", "what happens here", "shown by")
    return list(found)


def named() -> list[str]:
    return re.findall(r"`(tests/[^`\s]+::[^`\s]+)`", text(PAGE))


@cache
def functions(file: str) -> dict[str, ast.FunctionDef]:
    """The tests of a file that nothing keeps from running."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    whole = [n for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "pytestmark"]
    if any(kept_from_running(mark.value) for mark in whole):
        return {}
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not any(map(kept_from_running, node.decorator_list))
    }


def kept_from_running(mark: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in NOT_RUN for node in ast.walk(mark))


def test_all_rows_are_there_each_with_an_issue_and_a_test() -> None:
    assert [row["no"] for row in rows()] == [str(number) for number in range(1, ROWS + 1)]
    for row in rows():
        assert all(re.fullmatch(r"[\w.-]+/[\w.-]+#[0-9]+", issue) for issue in row["issue"].split(", ")), row["issue"]
        assert re.search(r"`tests/", row["shown by"]), row["issue"]


@pytest.mark.parametrize("test", sorted(set(named())))
def test_the_named_test_exists_and_runs(test: str) -> None:
    file, _, name = test.partition("::")
    assert name in functions(file), f"{test} is not there, or is not run"


def test_a_test_that_is_not_run_is_not_taken() -> None:
    tree = ast.parse("@pytest.mark.skip\ndef test_a(): ...\n@pytest.mark.slow\ndef test_b(): ...")
    marks = [kept_from_running(node.decorator_list[0]) for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert marks == [True, False]


def test_every_fault_is_explained() -> None:
    (explained,) = tables(PAGE, "fault", "what happens")
    assert [row["fault"].strip("`") for row in explained] == list(FAULTS)
    assert all(row["what happens"] for row in explained)


@cache
def read_of() -> dict[str, tuple[str, str]]:
    (found,) = tables(PAGE, "fault", "the referee reads", "and when it is over")
    return {row["fault"].strip("`"): (row["the referee reads"], row["and when it is over"]) for row in found}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.slow
def test_what_the_referee_reads_of_it_is_what_the_program_says(fault: str) -> None:
    during, after = pulled(fault)
    assert read_of()[fault] == (cell(during), cell(after))


@pytest.mark.slow
def test_nobody_reads_a_sentence_twice_and_no_fault_is_left_out() -> None:
    assert list(read_of()) == list(FAULTS)
    for fault in FAULTS:
        during, after = pulled(fault)
        assert len(set(during)) == len(during)
        assert len(set(after)) == len(after)
