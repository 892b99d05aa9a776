"""Tables of words."""

from __future__ import annotations

import csv

from hypothesis import given
from hypothesis import strategies as st

from pi_app.plans.wiring.sheet import TextTable
from pi_app.text.printed import shown


def test_markdown() -> None:
    sheet = TextTable(("pin", "wire"), (("3", "blue"), ("a|b", "")))
    assert sheet.markdown() == "| pin | wire |\n| --- | --- |\n| 3 | blue |\n| a\\|b |  |"


def test_csv() -> None:
    sheet = TextTable(("how many", "part"), (("2", "LED, red"), ("1", '3" screw')))
    assert sheet.csv() == 'how many,part\n2,"LED, red"\n1,"3"" screw"\n'


def test_a_spreadsheet_takes_nothing_for_a_formula() -> None:
    assert TextTable(("name",), (("=1+1",), ("@x",), ("-1",), ("-",), ("+",))).csv() == "name\n'=1+1\n'@x\n'-1\n-\n+\n"


words = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=8).filter(lambda text: shown(text) == text)
"""Without letters that cannot be seen: a sheet shows their codes."""


@given(st.lists(st.tuples(words, words), max_size=5))
def test_what_is_written_as_csv_is_read_again(rows: list[tuple[str, str]]) -> None:
    read = list(csv.reader(TextTable(("one", "two"), tuple(rows)).csv().splitlines()))
    assert [[word.removeprefix("'") for word in row] for row in read[1:]] == [
        [word.removeprefix("'") for word in row] for row in rows
    ]
