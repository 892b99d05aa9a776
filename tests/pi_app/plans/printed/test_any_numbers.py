"""Any numbers give parts that pass every check, or sentences; never a traceback."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pi_app.plans.printed.folder import made
from pi_app.plans.printed.square import FEWEST_CLICKS, MOST_CLICKS, PrintedSquare
from pi_app.text.errors import UserFileError

LENGTHS = [field.name for field in fields(PrintedSquare) if field.name != "clicks"]
FACTORS = st.one_of(st.floats(0.95, 1.05), st.floats(0.3, 3))


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(6, {"spring_at": 2.0})  # nothing stops the flexure
@given(st.integers(FEWEST_CLICKS, MOST_CLICKS), st.dictionaries(st.sampled_from(LENGTHS), FACTORS, max_size=4))
def test_any_numbers_give_parts_or_sentences(clicks: int, factors: dict[str, float]) -> None:
    usual = PrintedSquare()
    changed: dict[str, Any] = {name: getattr(usual, name) * factor for name, factor in factors.items()}
    told: tuple[str, ...] = ()
    try:
        files, found = made(replace(usual, clicks=clicks, **changed))
    except UserFileError as refused:
        files, found, told = {}, (), refused.problems
    assert all(sentence.endswith(".") and "): " in sentence for sentence in told)
    assert all(check.passed for check in found)
    assert len(files) == (0 if told else 13)
