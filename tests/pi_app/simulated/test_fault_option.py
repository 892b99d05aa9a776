from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.simulated.fault_option import WantedFault, wanted_fault

SQUARES = ("T01", "T02")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("unplugged@T01", WantedFault("unplugged", "T01")),
        ("spike=-300@T02@12", WantedFault("spike", "T02", -300.0, 12.0)),
        (" slow-bus=0.5@T02@1.5-20 ", WantedFault("slow-bus", "T02", 0.5, 1.5, 20.0)),
    ],
)
def test_every_part_is_read(text: str, wanted: WantedFault) -> None:
    assert wanted_fault(text, SQUARES) == wanted


FORM = "is no fault. Write NAME[=AMOUNT]@SQUARE[@AT[-UNTIL]], such as spike=300@T02@12 or unplugged@T02@5-9"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("unplugged", f"'unplugged' {FORM}"),
        ("unplugged@T01@soon", f"'unplugged@T01@soon' {FORM}"),
        ("", f"'' {FORM}"),
        ("unplugged@T1", "'unplugged@T1': the table has no square 'T1'; did you mean 'T01'?"),
        ("spike=far@T01", "'spike=far@T01': an amount is a number, not 'far'"),
        ("spike=nan@T01", "'spike=nan@T01': an amount is a number, not 'nan'"),
        ("spike@T01@9-3", "'spike@T01@9-3': it would end before it begins. Write the earlier time first, in seconds"),
    ],
)
def test_what_is_refused_gets_a_sentence(text: str, told: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole sentence is compared
        wanted_fault(text, SQUARES)
    assert str(caught.value) == told


@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert wanted_fault(text, SQUARES).square in SQUARES
