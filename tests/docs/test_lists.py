"""Pages list what the program has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.lists import MADE, filled


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.name)
def test_its_lists_are_the_programs_own(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert page == MADE[path](page), "write the lists again: make lists"


def test_a_row_that_is_missing_or_left_over_is_replaced() -> None:
    page = "# A\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\n| a |\n"
    assert filled(page, ("a", "b"), [("5", "6")]) == "# A\n\n| a | b |\n| --- | --- |\n| 5 | 6 |\n\n| a |\n"
    with pytest.raises(ValueError, match="no table has the head"):
        filled(page, ("a", "c"), [])
