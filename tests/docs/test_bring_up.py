"""Bring-up step by step: each command prints what stands below it. And a new chip takes the way of the last one."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, blocks, said, tables, text
from tests.docs.sections import CHIPS

PAGE = "wiring_docs/bring_up.md"


def steps() -> list[tuple[str, str]]:
    """Each command with what stands below it."""
    return re.findall(r"^```sh\n([^\n]+)\n```\n\n```text\n(.*?)^```$", text(PAGE), re.MULTILINE | re.DOTALL)


def without_numbers(line: str) -> str:
    """How fast twins are, and how even their magnets, is nobody's promise."""
    return re.sub(r"[0-9]+(\.[0-9]+)?", "#", line) if "samples a second" in line or "degrees" in line else line


def test_there_are_six_steps_with_something_to_read() -> None:
    assert len(steps()) == 6
    assert sum("!!" in told for _, told in steps()) == 3


@pytest.mark.usefixtures("small_table")
@pytest.mark.parametrize(("line", "told"), steps())
def test_the_step_prints_that_in_this_order(line: str, told: str) -> None:
    printed = iter([without_numbers(each) for each in said(line)])
    for each in told.splitlines():
        assert without_numbers(each) in printed, each


def test_every_number_of_a_step_is_in_its_order() -> None:
    numbers = [int(number) for number in re.findall(r"^## ([0-9])\. ", text(PAGE), re.MULTILINE)]
    assert numbers == list(range(1, 8))


# --------------------------------------------------------------------------------------------------- adding a chip


def test_a_chip_is_named_by_its_own_files_and_a_line_in_each_list() -> None:
    rooms = ("hardware", "firmware_host", "pi_app", "tests/contract")
    named = {
        file.relative_to(ROOT).as_posix()
        for room in rooms
        for file in (ROOT / room).rglob("*.py")
        if "mt6701" in file.read_text(encoding="utf-8").lower()
    }
    rows, _ = tables(CHIPS, "part", "file", "what you write")
    told = [row["file"].strip("`") for row in rows if row["file"].startswith("`hardware/")]
    assert sorted(told) == sorted(named)
    (kind,) = blocks(CHIPS, "python")
    assert (ROOT / "hardware/chips/mt6701.py").read_text(encoding="utf-8").endswith(f"\n\n\n{kind}")


def test_the_files_are_in_an_order_that_begins_with_the_twin() -> None:
    rows, _ = tables(CHIPS, "part", "file", "what you write")
    assert [row["part"] for row in rows][:3] == ["the twin", "its tests", "the driver"]
    assert all(row["what you write"] for row in rows)
