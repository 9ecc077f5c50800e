"""Which parameters matter for which output, at full accuracy and as the models see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs
from imoca.models.gp import GaussianProcess
from imoca.models.paths import draw_paths
from imoca.models.sensitivity import SobolIndices, sobol_indices
from imoca.sobol import sobol_sequence

N_DESIGNS = 512  # pairs of them: an index is then within 0.01 on smooth functions
N_DRAWS = 16  # functions that the data allow
LIKELY_SHARES = (0.05, 0.95)  # of the draws: an interval that holds nine of ten


@dataclass(frozen=True)
class Share:
    """Of an output's variance over all designs."""

    value: float  # of the posterior mean; NaN where it does not vary
    low: float  # that nine of ten drawn functions lie above or below
    high: float


@dataclass(frozen=True)
class Importance:
    """Of every parameter, in the problem's order, for one output; of its logarithm where that is what is modelled."""

    output: str
    parameters: tuple[str, ...]
    first: tuple[Share, ...]  # of each alone
    total: tuple[Share, ...]  # with all that it does together with others
    n_answers: int
    is_log: bool

    @property
    def ranked(self) -> tuple[int, ...]:
        """Positions of the parameters, the most important first; in their order if nothing varies."""
        totals = [0.0 if np.isnan(share.value) else share.value for share in self.total]
        return tuple(sorted(range(len(totals)), key=lambda i: (-totals[i], i)))


def importance(beliefs: Beliefs, seed: int) -> tuple[Importance, ...]:
    """Of every modelled output, objectives first.

    All designs of the box count alike, also those that constraints on parameters forbid: shares of a variance are
    defined for parameters that vary independently.
    """
    problem = beliefs.problem
    uniform = sobol_sequence(2 * problem.space.n_parameters, np.random.default_rng(seed)).random(N_DESIGNS)
    data = beliefs.modelled_data
    found = []
    for j, (output, surrogate) in enumerate(zip(problem.modelled, beliefs.modelled, strict=True)):
        indices = _indices(beliefs, surrogate, uniform, np.random.default_rng([seed, j]))
        first, total = _shares(indices.first), _shares(indices.total)
        n_answers, is_log = len(data[j].values), data[j].is_log
        found.append(Importance(output.name, problem.space.names, first, total, n_answers, is_log))
    return tuple(found)


def _indices(beliefs: Beliefs, surrogate: GaussianProcess, uniform: Array, rng: np.random.Generator) -> SobolIndices:
    """Of the posterior mean, then of functions drawn from the posterior."""
    paths = draw_paths(surrogate, N_DRAWS, rng)
    return sobol_indices(
        lambda x: np.column_stack([surrogate.mean_at_target(x), paths(x)]), beliefs.problem.space.from_unit, uniform
    )


def _shares(indices: Array) -> tuple[Share, ...]:  # (p, 1 + N_DRAWS)
    shares = []
    for value, *draws in indices.tolist():
        low, high = np.quantile(draws, LIKELY_SHARES)
        shares.append(Share(value, float(low), float(high)))
    return tuple(shares)
