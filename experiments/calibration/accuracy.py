"""How good a prediction is, given the truth: plain numbers for one objective at some designs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from experiments.calibration.predictions import Prediction, Predictor
from imoca.arrays import Array
from imoca.problem import Problem

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)  # of the intervals; tables show three of them
WIDTH_LEVEL = 0.9  # of the interval whose width is kept


@dataclass(frozen=True)
class Accuracy:
    """Errors and widths are in spreads: standard deviations of the truth over random designs."""

    n_designs: int
    coverage: tuple[float, ...]  # share of the designs whose truth lies in the interval, per level
    error: float  # root mean square of truth - predicted, in spreads
    score: float  # root mean square of error / sigma: 1 for honest error bars, 10 for bars ten times too short
    worst_score: float  # largest |error| / sigma
    log_loss: float  # mean negative log density, per spread
    width: float  # median width of the 90 % interval, in spreads

    def covered(self, level: float) -> float:
        return self.coverage[LEVELS.index(level)]


def accuracy(
    prediction: Prediction,
    truth: Array,  # (n,) n > 0, in the user's units
    spread: float,
) -> Accuracy:
    inside = []
    for level in LEVELS:
        low, high = prediction.interval(level)
        inside.append(float(np.mean((low <= truth) & (truth <= high))))
    low, high = prediction.interval(WIDTH_LEVEL)
    scores = prediction.scores(truth)
    return Accuracy(
        n_designs=len(truth),
        coverage=tuple(inside),
        error=math.sqrt(float(np.mean((truth - prediction.centre) ** 2))) / spread,
        score=math.sqrt(float(np.mean(scores**2))),
        worst_score=float(np.abs(scores).max()),
        log_loss=-float(prediction.log_density(truth).mean()) - math.log(spread),
        width=float(np.median(high - low)) / spread,
    )


def accuracies(
    problem: Problem,
    predictor: Predictor,
    x: Array,  # (n, d)
    truth: Array,  # (n, K) in the user's units
    spreads: Array,  # (K,)
) -> dict[str, Accuracy]:
    """By the name of the objective; nothing where there are no designs."""
    if not len(x):
        return {}
    names = [objective.name for objective in problem.objectives]
    rows = zip(names, predictor.predict(x), truth.T, spreads.tolist(), strict=True)
    return {name: accuracy(prediction, column, spread) for name, prediction, column, spread in rows}


def in_user_signs(problem: Problem, maximised: Array) -> Array:  # (n, K) -> (n, K)
    """A benchmark's truth is maximised; a simulator that minimises returns the negative of it."""
    return maximised * problem.signs[problem.objective_columns]


@dataclass(frozen=True)
class Moment:
    """One model at one moment of a study."""

    name: str
    cost: float  # in full-accuracy runs, as in a budget
    n_trials: int
    n_recommended: int  # designs
    n_verified: int  # of them left out of all numbers: they stand with what was measured
    n_full_runs: Mapping[str, int]  # answers at full accuracy, by objective whose simulator has a knob
    accuracies: Mapping[str, Mapping[str, Accuracy]]  # by the kind of designs, then by objective
