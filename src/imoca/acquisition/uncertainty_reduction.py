"""SUR: the evaluation that most shrinks the part of the design space that may still be non-dominated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from imoca.arrays import Array
from imoca.models.gp import GaussianProcess
from imoca.pareto.dominance import is_below_front
from imoca.sobol import sobol_sequence

N_OUTCOMES = 16  # drawn per integration design
N_PAIRS = 1024  # designs with non-dominated outcomes that are kept
SMALLEST_VARIANCE = 1e-12  # of an outcome given another; values are standardised


@dataclass(frozen=True)
class UncertaintyReduction:
    """Expected drop of the volume of excursion, ``integral of P(f(x) not dominated by the front) dx`` [Picheny2015].

    Observing f(x') removes the designs that it dominates. Because expectations iterate, the expected drop is
    ``integral of P(f(x) not dominated, f(x) <= f(x')) dx``: no posterior need be updated. Over pairs of a design and an
    outcome y that the front does not dominate, it is the mean of ``prod_j P(f_j(x') >= y_j | f_j(x) = y_j)``.
    Departure: [Picheny2015] has this in bivariate normal distribution functions for two objectives; common
    quasi-random outcomes serve any number, and the score stays smooth in x'.
    """

    surrogates: Sequence[GaussianProcess]
    designs: Array  # (m, d)
    outcomes: Array  # (m, K)

    @staticmethod
    def over(
        surrogates: Sequence[GaussianProcess],
        front: Array,  # (l, K) maximised, reached so far
        designs: Array,  # (M, d) spread evenly over the space
        rng: np.random.Generator,
    ) -> UncertaintyReduction:
        parts = [surrogate.mean_and_variance_at_target(designs) for surrogate in surrogates]
        mean = np.column_stack([each for each, _ in parts])
        std = np.sqrt(np.column_stack([each for _, each in parts]))
        uniform = sobol_sequence(len(surrogates), rng).random(N_OUTCOMES)
        shifts = (uniform + rng.random((len(designs), 1, len(surrogates)))) % 1.0  # each design its own shift
        outcomes = mean[:, None] + std[:, None] * ndtri(np.clip(shifts, 1e-9, 1.0 - 1e-9))  # (M, N_OUTCOMES, K)
        flat = outcomes.reshape(-1, len(surrogates))
        is_open = ~is_below_front(flat, front)
        rows = np.flatnonzero(is_open) if is_open.any() else np.arange(len(flat))
        if len(rows) > N_PAIRS:
            rows = rows[rng.choice(len(rows), size=N_PAIRS, replace=False)]
        return UncertaintyReduction(surrogates, designs[rows // N_OUTCOMES], flat[rows])

    def __call__(self, x: Array) -> Array:  # (n, d) -> (n,)
        """The drop, relative to the volume of excursion."""
        removed = np.ones((len(x), len(self.designs)))
        for j, surrogate in enumerate(self.surrogates):
            mean, variance = surrogate.mean_and_variance_at_target(x)
            mean_there, variance_there = surrogate.mean_and_variance_at_target(self.designs)
            slope = surrogate.covariance_at_target(x, self.designs) / variance_there
            given_mean = mean[:, None] + slope * (self.outcomes[:, j] - mean_there)
            given_variance = np.maximum(variance[:, None] - slope**2 * variance_there, SMALLEST_VARIANCE)
            removed *= ndtr((given_mean - self.outcomes[:, j]) / np.sqrt(given_variance))
        return removed.mean(axis=1)
