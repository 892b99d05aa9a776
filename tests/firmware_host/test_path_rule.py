"""The path rule on the Pi."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.path_rule import jumped
from pi_app.dials.unwrap import STEP_LIMIT_TURN

GAP_NS = 35_000_000
ANGLES = st.integers(0, 4095)


@pytest.mark.parametrize(
    ("before", "after", "passed_ns", "unknown"),
    [
        (0, 1592, 0, False),
        (0, 1593, 0, True),
        (1593, 0, 0, True),
        (4000, 1496, 0, False),
        (4000, 1497, 0, True),
        (0, 2048, 0, True),
        (0, 2503, 0, True),
        (0, 2504, 0, False),
        (7, 7, GAP_NS, False),
        (7, 7, GAP_NS + 1, True),
    ],
)
def test_140_degrees_or_a_gap(before: int, after: int, passed_ns: int, unknown: bool) -> None:
    assert jumped(before, after, passed_ns, GAP_NS) is unknown


@given(ANGLES, ANGLES, ANGLES)
def test_only_the_step_counts_either_way_round(before: int, after: int, turned: int) -> None:
    there = jumped(before, after, 0, GAP_NS)
    assert jumped(after, before, 0, GAP_NS) is there
    assert jumped((before + turned) % 4096, (after + turned) % 4096, 0, GAP_NS) is there


@given(ANGLES, ANGLES)
def test_it_is_the_limit_of_a_dial_that_the_pi_reads_itself(before: int, after: int) -> None:
    step = abs((after - before + 2048) % 4096 - 2048)
    assert jumped(before, after, 0, GAP_NS) is (step >= 4096 * STEP_LIMIT_TURN)
