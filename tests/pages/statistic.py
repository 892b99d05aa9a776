"""Whether a guess from measured times beats a coin: rank statistic, and logistic regression with a hold-out half.

numpy comes with `trapdial[parts]`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]


def auc(scores: Numbers, truths: Truths) -> float:
    """The area under the curve: how often a drawn true one has a higher score than a drawn false one; ties count half.

    0.5 is a coin. This is Mann and Whitney's U, divided by its largest value."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    values, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    if len(values) < len(scores):  # equal scores share the middle of their ranks
        ranks = (np.bincount(inverse, weights=ranks) / counts)[inverse]
    true, false = int(truths.sum()), int((~truths).sum())
    return float((ranks[truths].sum() - true * (true + 1) / 2) / (true * false))


def spread(truths: Truths) -> float:
    """The standard error of `auc` where nothing can be told."""
    true, false = int(truths.sum()), int((~truths).sum())
    return float(np.sqrt((true + false + 1) / (12 * true * false)))


def crossed_auc(features: Numbers, truths: Truths, *, rounds: int = 30) -> float:
    """Learn on each half, guess on the other one, and return the mean area under the curve of those guesses.

    Each feature is given as its rank besides, so that a few very late packets do not hide the rest."""
    inputs = np.hstack([features, *(_ranked(column)[:, None] for column in features.T)])
    half = len(inputs) // 2
    middle, width = inputs.mean(axis=0), inputs.std(axis=0)
    inputs = np.clip((inputs - middle) / np.where(width > 0, width, 1.0), -8, 8)
    inputs = np.hstack([np.ones((len(inputs), 1)), inputs])
    areas = []
    for learn, guess in ((slice(half), slice(half, None)), (slice(half, None), slice(half))):
        weights = _fitted(inputs[learn], truths[learn].astype(np.float64), rounds)
        areas.append(auc(inputs[guess] @ weights, truths[guess]))
    return sum(areas) / 2


def _fitted(inputs: Numbers, truths: Numbers, rounds: int) -> Numbers:
    """Newton's steps for logistic regression, with a small penalty that keeps them finite."""
    weights = np.zeros(inputs.shape[1])
    penalty = np.eye(inputs.shape[1]) * 1.0
    for _ in range(rounds):
        guess = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (truths - guess) - penalty @ weights
        bend = (inputs * (guess * (1 - guess))[:, None]).T @ inputs + penalty
        step = np.linalg.solve(bend, slope)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _ranked(column: Numbers) -> Numbers:
    ranks = np.empty(len(column))
    ranks[np.argsort(column, kind="stable")] = np.arange(len(column))
    return ranks / max(1, len(column) - 1)


def uneven(places: list[int], of: int) -> float:
    """How unevenly the told phone's frame stands in the order of a batch, as a z-score of chi squared: 0 is even, more
    than 5 does not happen by chance."""
    counts = np.bincount(places, minlength=of).astype(np.float64)
    expected = len(places) / of
    chi = float(((counts - expected) ** 2 / expected).sum())
    freedom = of - 1
    return (chi - freedom) / float(np.sqrt(2 * freedom))
