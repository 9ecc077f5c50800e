"""What is predicted of designs at full accuracy, in the user's units, and how far it is to be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.methods.beliefs import Beliefs
from imoca.models.doubt import Doubt, doubt_of
from imoca.models.limit import log_normal_within
from imoca.pareto.dominance import non_dominated

TYPICAL, LIKELY = 0.6826895, 0.9  # probabilities of intervals: of one deviation, and of the one to plan with
N_DRAWS = 64  # of the values of all designs together, to see which of them are the best
JITTER = 1e-8  # on the correlation of designs that nearly coincide


@dataclass(frozen=True)
class Predictions:
    """Of n designs. What a run at full accuracy would measure, so that its noise counts.

    Columns are the modelled outputs: K objectives, then C constraints.
    """

    beliefs: Beliefs
    x: Array  # (n, d)
    means: Array  # (n, K + C) standardised, objectives maximised
    variances: Array  # (n, K + C)
    doubts: tuple[Doubt, ...]

    @staticmethod
    def at(beliefs: Beliefs, x: Array) -> Predictions:
        parts = [surrogate.mean_and_variance_at_target(x) for surrogate in beliefs.modelled]
        noise = np.array([surrogate.noise_at_target for surrogate in beliefs.modelled])
        problem = beliefs.problem
        has_knob = [problem.simulators[s].fidelity.has_knob for s in problem.simulator_columns]
        doubts = tuple(doubt_of(each, knob) for each, knob in zip(beliefs.modelled, has_knob, strict=True))
        means, variances = (np.column_stack(each) for each in zip(*parts, strict=True))
        return Predictions(beliefs, x, means, variances + noise, doubts)

    @property
    def n_objectives(self) -> int:
        return len(self.beliefs.surrogates)

    def feasibility(self) -> Array:  # (n,)
        """The probability that a design runs at full accuracy and all constraints hold there."""
        running = self.beliefs.running
        probability = np.ones(len(self.x)) if running is None else np.exp(running.log_probability(self.x))
        for i, limit in enumerate(self.beliefs.limits, start=self.n_objectives):
            deviations = self.doubts[i].deviations(self.variances[:, i])  # (n, G)
            ends = ((bound - self.means[:, i, None]) / deviations for bound in (limit.low, limit.high))
            probability *= np.exp(log_normal_within(*ends)) @ self.doubts[i].weights
        return probability

    def half_widths(self, probability: float) -> Array:  # (n, K + C) standardised
        columns = zip(self.doubts, self.variances.T, strict=True)
        return np.column_stack([doubt.half_widths(variance, probability) for doubt, variance in columns])

    def intervals(self, probability: float) -> tuple[Array, Array]:  # (n, K + C), (n, K + C)
        """Low and high end in the user's units, which hold the truth with this probability."""
        half = self.half_widths(probability)
        ends = self._in_units(self.means - half), self._in_units(self.means + half)
        return np.minimum(*ends), np.maximum(*ends)

    def centres(self) -> Array:  # (n, K + C)
        """In the user's units."""
        return self._in_units(self.means)

    def is_doubtful(self) -> BoolArray:  # (n,)
        """Whether an objective is predicted to be impossible, or its likely interval exceeds all that was seen."""
        spreads = np.array([np.ptp(data.values) for data in self.beliefs.data])
        is_wide = np.any(2.0 * self.half_widths(LIKELY)[:, : self.n_objectives] > spreads, axis=1)
        free = self._in_units(self.means, is_bounded=False)
        return is_wide | np.any(free != self.centres(), axis=1)

    def probabilities(self, measured: Array, rng: np.random.Generator) -> Array:  # (n,)
        """That no other of the designs is better in everything, by draws of all their values together.

        ``measured`` (v, K), standardised, are the known values of the first v designs; NaN where they are not known.
        """
        if not len(self.x):
            return np.empty(0)
        draws = np.stack([self._drawn(j, rng) for j in range(self.n_objectives)], axis=2)  # (N_DRAWS, n, K)
        draws[:, : len(measured)] = np.where(np.isnan(measured), draws[:, : len(measured)], measured)
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

    def _in_units(self, values: Array, is_bounded: bool = True) -> Array:  # (n, K + C)
        """In the user's units, within what is declared as possible."""
        columns = [in_units(self.beliefs, j, column, is_bounded) for j, column in enumerate(values.T)]
        return np.column_stack(columns)


def in_units(beliefs: Beliefs, j: int, values: Array, is_bounded: bool = True) -> Array:  # any shape
    """Standardised values of the modelled output ``j`` in the user's units, within what is declared as possible."""
    n_objectives = len(beliefs.data)
    if j >= n_objectives:
        return beliefs.limits[j - n_objectives].data.to_user(values)
    seen, objective = beliefs.data[j].to_user(values), beliefs.problem.objectives[j]
    return np.clip(seen, objective.low, objective.high) if is_bounded else seen
