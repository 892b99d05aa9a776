"""One check: its number, and when it is unsure."""

from __future__ import annotations

import pytest

from pi_app.plans.check import Sign
from pi_app.plans.wiring.check import Limit, LimitKind, measured


@pytest.mark.parametrize(
    ("value", "limit", "words"),
    [
        (400.3, 400, "400.3 pF, at most 400 pF"),
        (399.6, 400, "399.6 pF, at most 400 pF"),
        (400, 400, "400 pF, at most 400 pF"),
        (16.04, 16, "16.04 pF, at most 16 pF"),
        (3.939, 16, "3.94 pF, at most 16 pF"),
        (52.1, 300, "52.1 pF, at most 300 pF"),
        (0.5, 2, "0.5 pF, at most 2 pF"),
        (1000.2, 2000, "1000 pF, at most 2000 pF"),
    ],
)
def test_a_number_never_looks_like_the_limit_that_it_is_not(value: float, limit: float, words: str) -> None:
    check = measured("x", "y", value, Limit(LimitKind.AT_MOST, limit, "pF", "z"), "Less.")
    assert check.seen == f"{words} (z)"


@pytest.mark.parametrize(
    ("value", "bound", "sign"),
    [
        (100.1, LimitKind.AT_MOST, Sign.FAILS),
        (100, LimitKind.AT_MOST, Sign.UNSURE),
        (90.1, LimitKind.AT_MOST, Sign.UNSURE),
        (90, LimitKind.AT_MOST, Sign.GOOD),
        (99.9, LimitKind.AT_LEAST, Sign.FAILS),
        (100, LimitKind.AT_LEAST, Sign.UNSURE),
        (111, LimitKind.AT_LEAST, Sign.UNSURE),
        (112, LimitKind.AT_LEAST, Sign.GOOD),
    ],
)
def test_within_a_tenth_of_its_limit_a_check_is_unsure(value: float, bound: LimitKind, sign: Sign) -> None:
    assert measured("x", "y", value, Limit(bound, 100, "pF", "z"), "Less.").sign is sign
