"""What is predicted of designs at full accuracy, in the user's units, and how far it is to be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.methods.beliefs import Beliefs
from imoca.models.doubt import Doubt, doubt_of
from imoca.pareto.dominance import non_dominated

TYPICAL, LIKELY = 0.6826895, 0.9  # probabilities of intervals: of one deviation, and of the one to plan with
N_DRAWS = 64  # of the values of all designs together, to see which of them are the best
JITTER = 1e-8  # on the correlation of designs that nearly coincide


@dataclass(frozen=True)
class Predictions:
    """Of n designs. What a run at full accuracy would measure, so that its noise counts."""

    beliefs: Beliefs
    x: Array  # (n, d)
    means: Array  # (n, K) standardised, maximised
    variances: Array  # (n, K)
    doubts: tuple[Doubt, ...]

    @staticmethod
    def at(beliefs: Beliefs, x: Array) -> Predictions:
        means, deviations = beliefs.means_and_deviations_at_target(x)
        noise = np.array([surrogate.noise_at_target for surrogate in beliefs.surrogates])
        problem = beliefs.problem
        has_knob = [problem.simulators[s].fidelity.has_knob for s in problem.simulator_columns]
        doubts = tuple(doubt_of(each, knob) for each, knob in zip(beliefs.surrogates, has_knob, strict=True))
        return Predictions(beliefs, x, means, deviations**2 + noise, doubts)

    def half_widths(self, probability: float) -> Array:  # (n, K) standardised
        columns = zip(self.doubts, self.variances.T, strict=True)
        return np.column_stack([doubt.half_widths(variance, probability) for doubt, variance in columns])

    def intervals(self, probability: float) -> tuple[Array, Array]:  # (n, K), (n, K)
        """Low and high end in the user's units, which hold the truth with this probability."""
        half = self.half_widths(probability)
        ends = self._in_units(self.means - half), self._in_units(self.means + half)
        return np.minimum(*ends), np.maximum(*ends)

    def centres(self) -> Array:  # (n, K)
        """In the user's units."""
        return self._in_units(self.means)

    def is_doubtful(self) -> BoolArray:  # (n,)
        """Whether an objective is predicted to be impossible, or its likely interval exceeds all that was seen."""
        spreads = np.array([np.ptp(data.values) for data in self.beliefs.data])
        is_wide = np.any(2.0 * self.half_widths(LIKELY) > spreads, axis=1)
        free = self._in_units(self.means, is_bounded=False)
        return is_wide | np.any(free != self.centres(), axis=1)

    def probabilities(self, measured: Array, rng: np.random.Generator) -> Array:  # (n,)
        """That no other of the designs is better in everything, by draws of all their values together.

        ``measured`` (v, K), standardised, are the values of the first v designs, which are known.
        """
        if not len(self.x):
            return np.empty(0)
        draws = np.stack([self._drawn(j, rng) for j in range(self.means.shape[1])], axis=2)  # (N_DRAWS, n, K)
        draws[:, : len(measured)] = measured
        return np.asarray(np.mean([non_dominated(draw) for draw in draws], axis=0))

    def _drawn(self, j: int, rng: np.random.Generator) -> Array:  # (N_DRAWS, n)
        surrogate, doubt = self.beliefs.surrogates[j], self.doubts[j]
        covariance = surrogate.covariance_at_target(self.x, self.x)
        deviations = np.sqrt(np.maximum(covariance.diagonal(), JITTER * surrogate.kernel.signal_variance))
        correlation = covariance / np.outer(deviations, deviations)
        values, vectors = np.linalg.eigh(0.5 * (correlation + correlation.T))
        standard = rng.standard_normal((N_DRAWS, len(self.x))) * np.sqrt(values.clip(0.0)) @ vectors.T
        picked = rng.choice(len(doubt.weights), size=N_DRAWS, p=doubt.weights)
        return self.means[:, j] + standard * doubt.deviations(self.variances[:, j])[:, picked].T

    def _in_units(self, values: Array, is_bounded: bool = True) -> Array:  # (n, K)
        """In the user's units, within what is declared as possible."""
        columns = []
        for objective, data, column in zip(self.beliefs.problem.objectives, self.beliefs.data, values.T, strict=True):
            in_units = data.to_user(column)
            columns.append(np.clip(in_units, objective.low, objective.high) if is_bounded else in_units)
        return np.column_stack(columns)
