"""The guesses of an eavesdropper: a coin where nothing leaks, and better than a coin where something does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pages.statistic import auc, crossed_auc, spread, uneven


def drawn(count: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(1)
    return draw.gamma(2.0, 1.0, size=(count, 3)), draw.random(count) < 0.5


def test_the_area_is_how_often_a_true_one_has_the_higher_score() -> None:
    scores, truths = np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True])
    assert auc(scores, truths) == pytest.approx(3 / 4)
    assert auc(np.zeros(4), truths) == pytest.approx(1 / 2)
    assert auc(np.array([1.0, 1.0, 1.0, 2.0]), truths) == pytest.approx(3 / 4)


def test_the_spread_is_that_of_many_coins() -> None:
    draw = np.random.default_rng(2)
    truths = np.arange(400) % 2 == 0
    areas = [auc(draw.random(400), truths) for _ in range(500)]
    assert np.std(areas) == pytest.approx(spread(truths), rel=0.15)


def test_nothing_is_learned_from_noise_and_a_delay_is() -> None:
    features, truths = drawn()
    assert abs(crossed_auc(features, truths) - 0.5) < 5 * spread(truths)
    features[:, 1] += truths * 0.5
    assert crossed_auc(features, truths) > 0.55


def test_a_fixed_place_in_the_order_is_seen() -> None:
    draw = np.random.default_rng(3)
    assert uneven(list(draw.integers(0, 8, 4000)), 8) < 5
    assert uneven([0] * 400 + list(draw.integers(0, 8, 3600)), 8) > 5
