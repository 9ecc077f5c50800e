"""How likely a run is to fail: p(fail | x, z), learned per simulator from the runs that failed and those that did not.

Behind every run stands a hidden number, and the run fails where it is positive: a rate that is the same everywhere,
plus a Gaussian process over designs and fidelities, *place*, of variance s^2, plus *chance*, of variance 1, drawn anew
for every run. The fit learns s^2: a failing region makes place large, failures that strike the same design today and
not tomorrow leave all to chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.special import ndtr

from imoca.arrays import Array, BoolArray, IntArray
from imoca.models.cost import cost_model, costs_of_runs
from imoca.models.expectation_propagation import Hidden, Sites, propagate
from imoca.models.fitting import by_log_lengths, evenly
from imoca.models.form import Prior
from imoca.models.gp import Z_TARGET
from imoca.models.kernel import design_kernel
from imoca.trials.table import TrialTable
from imoca.trials.trial import SimulatorState

RATE_MEAN, RATE_VARIANCE = -1.3, 0.5  # of the rate, in deviations of place and chance together: one run in seven fails
PLACE_VARIANCE = (6.0, 2.0)  # log-normal: median, standard deviation of the logarithm; most failures have a sharp place
CHEAP_SHARE = (0.1, 1.5)  # likewise: fidelities fail nearly alike until the data say otherwise
SMALLEST_PROBABILITY = 1e-12  # of running, whose logarithm is taken
CHANCY_START = 0.2  # variance of place
MAX_FIT_RUNS = 100  # from which hyperparameters are learned
MAX_RUNS = 500  # from which the probability is
FIRST_ITERATIONS, LAST_ITERATIONS = 5, 12  # of every start; of the best one


@dataclass(frozen=True)
class FailureKernel:
    """Prior of the hidden number without chance: ``r + g(x) + (1 - z) (c + e(x))``, all of them normal."""

    length_scales: Array  # (d,) of g and e
    place_variance: float  # s^2, of g
    cheap_share: float  # of s^2 is the variance of c, and of e: how far the edge of the cheapest runs lies from others'

    @property
    def cheap_variance(self) -> float:
        return self.cheap_share * self.place_variance

    @property
    def total_variance(self) -> float:
        """Of place and chance together: the rate is given in its deviations."""
        return 1.0 + self.place_variance

    @property
    def mean(self) -> float:
        return RATE_MEAN * math.sqrt(self.total_variance)

    @property
    def constants(self) -> Array:  # (2,)
        """Variances of r and c, which are the same everywhere."""
        return np.array([RATE_VARIANCE * self.total_variance, self.cheap_variance])

    @property
    def processes(self) -> Array:  # (2,)
        """Variances of g and e."""
        return np.array([self.place_variance, self.cheap_variance])

    def covariance(self, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n, n)
        loadings = fidelity_loadings(z)
        everywhere = (loadings * self.constants) @ loadings.T
        return everywhere + (loadings * self.processes) @ loadings.T * design_kernel(x, x, self.length_scales)

    @staticmethod
    def from_logs(logs: Array) -> FailureKernel:  # (d + 2,)
        place, share = np.exp(logs[-2:]).tolist()
        return FailureKernel(np.exp(logs[:-2]), place, share)

    @staticmethod
    def prior(n_columns: int) -> Prior:
        """Of the logarithms (d + 2,) of the hyperparameters."""
        parts = [Prior.length_scales(n_columns), Prior.log_normal(*PLACE_VARIANCE), Prior.log_normal(*CHEAP_SHARE)]
        return Prior.joined(parts)


def fidelity_loadings(z: Array) -> Array:  # (m,) -> (m, 2)
    """How much of r + g, and of c + e, counts at a fidelity."""
    return np.column_stack([np.ones_like(z), Z_TARGET - z])


@dataclass(frozen=True)
class FailureModel:
    """The probability that a run of one simulator fails."""

    kernel: FailureKernel
    x: Array  # (N, d) designs of the runs
    z: Array  # (N,)
    weights: Array  # (N,) the mean of the hidden number is the prior's plus its covariance with the runs times these
    precision: Array  # (N, N) R: its variance is the prior's minus k R k, with k that covariance
    price: float = 1.0  # of a run that fails, over what it would cost if it did not

    @staticmethod
    def condition(x: Array, z: Array, signs: Array, kernel: FailureKernel) -> FailureModel:
        """Posterior at given hyperparameters."""
        hidden = propagate(kernel.covariance(x, z), kernel.mean, signs)
        return FailureModel(kernel, x, z, hidden.weights, hidden.precision)

    def probability(self, x: Array, z: Array) -> Array:
        """(n, d), (m,) -> (n, m): of a failure, for every design at every fidelity."""
        rows = self._rows(design_kernel(x, self.x, self.kernel.length_scales))
        means = rows @ self.weights  # (n, 2) of r + g and of c + e
        prior = np.diag(self.kernel.constants + self.kernel.processes)
        covariances = prior - np.einsum("nri,nti->nrt", rows @ self.precision, rows)
        loadings = fidelity_loadings(z)
        variances = np.einsum("mr,nrt,mt->nm", loadings, covariances, loadings)
        return ndtr((self.kernel.mean + means @ loadings.T) / np.sqrt(1.0 + np.maximum(variances, 0.0)))

    def at_target(self, x: Array) -> Array:
        """(n, d) -> (n,): of a failure at full accuracy."""
        return self.probability(x, np.array([Z_TARGET]))[:, 0]

    def probability_gradient(self, x: Array, z: Array) -> Array:
        """(n, d), (n,) -> (n, d): gradient of the probability in x, one fidelity per design."""
        loadings, designs = fidelity_loadings(z), design_kernel(x, self.x, self.kernel.length_scales)
        rows = np.einsum("nr,nri->ni", loadings, self._rows(designs))
        solved = rows @ self.precision
        mean = self.kernel.mean + rows @ self.weights
        prior = loadings**2 @ (self.kernel.constants + self.kernel.processes)
        spread = 1.0 + np.maximum(prior - np.einsum("ni,ni->n", rows, solved), 0.0)
        density = np.exp(-0.5 * mean**2 / spread) / np.sqrt(2.0 * math.pi * spread)
        by_rows = density[:, None] * (self.weights + (mean / spread)[:, None] * solved)
        pull = by_rows * designs * ((loadings * self.kernel.processes) @ fidelity_loadings(self.z).T)
        return (pull @ self.x - pull.sum(axis=1)[:, None] * x) / self.kernel.length_scales**2

    def _rows(self, designs: Array) -> Array:  # (n, N) -> (n, 2, N)
        """Covariances of r + g and of c + e at designs with the hidden numbers of the runs."""
        variances = self.kernel.constants[:, None] + self.kernel.processes[:, None] * designs[:, None, :]
        return variances * fidelity_loadings(self.z).T


@dataclass(frozen=True)
class Running:
    """The probability that a design runs at full accuracy: that none of its simulators fails there."""

    failures: tuple[FailureModel, ...]  # of the simulators that fail at all

    def __call__(self, x: Array) -> tuple[Array, Array]:  # (n, d) -> (n,), (n, d)
        """With its gradient."""
        survival, target = self._survival(x), np.full(len(x), Z_TARGET)
        probability: Array = np.exp(np.sum(np.log(survival), axis=0))
        by_design = [
            each.probability_gradient(x, target) / own[:, None]
            for each, own in zip(self.failures, survival, strict=True)
        ]
        return probability, -probability[:, None] * np.sum(by_design, axis=0)

    def log_probability(self, x: Array) -> Array:  # (n, d) -> (n,)
        return np.asarray(np.sum(np.log(self._survival(x)), axis=0))

    def _survival(self, x: Array) -> list[Array]:  # (n,) each
        return [np.maximum(1.0 - each.at_target(x), SMALLEST_PROBABILITY) for each in self.failures]


def failure_models(table: TrialTable) -> tuple[FailureModel | None, ...]:
    """One per simulator, in the problem's order; None where no run has failed: there the probability is 0."""
    return tuple(failure_model(table, s) for s in range(len(table.problem.simulators)))


def failure_model(table: TrialTable, s: int) -> FailureModel | None:
    """Of simulator ``s``, from its runs that ended; None while none of them has failed."""
    has_failed = table.states[:, s] == SimulatorState.FAILED
    if not has_failed.any():
        return None
    ended = table.was_run[:, s]
    learned = learn_failures(table.x[ended], table.z[ended, s], has_failed[ended])
    return replace(learned, price=failed_price(table, s))


def failed_price(table: TrialTable, s: int) -> float:
    """What a run of simulator ``s`` that fails costs, over what it would cost if it answered.

    1 until failed runs tell otherwise, counted as one run more; a cost that is declared and not told is paid in full.
    """
    if table.problem.simulators[s].is_cost_sealed:  # only looked at: nothing will be asked
        return 1.0
    model = cost_model(table, s)
    rows = np.flatnonzero((table.states[:, s] == SimulatorState.FAILED) & ~np.isnan(table.costs[:, s]))
    expected = costs_of_runs(model, table.x[rows], table.z[rows, s])
    shares = model.counted(table.x[rows], table.costs[rows, s]) / expected
    return float((1.0 + shares.sum()) / (1.0 + len(shares)))


def learn_failures(x: Array, z: Array, has_failed: BoolArray) -> FailureModel:  # (n, d), (n,), (n,)
    """Fit the hyperparameters, from some of the runs if there are many, and condition on the runs."""
    signs = np.where(has_failed, 1.0, -1.0)
    few, kept = (thinned_runs(has_failed, n) for n in (MAX_FIT_RUNS, MAX_RUNS))
    return FailureModel.condition(x[kept], z[kept], signs[kept], fit_kernel(x[few], z[few], signs[few]))


def thinned_runs(has_failed: BoolArray, n_kept: int) -> IntArray:  # (n,)
    """Positions of at most so many runs, evenly through time; failures keep their share, and one of them is there."""
    failed, fine = np.flatnonzero(has_failed), np.flatnonzero(~has_failed)
    n_failed = math.ceil(len(failed) * min(1.0, n_kept / len(has_failed)))
    return np.sort(np.concatenate([evenly(failed, n_failed), evenly(fine, n_kept - n_failed)]))


def fit_kernel(x: Array, z: Array, signs: Array) -> FailureKernel:  # (n, d), (n,)
    """The likeliest hyperparameters under their prior: a few steps from two starts, and some more from the better."""
    prior = FailureKernel.prior(x.shape[1])
    chancy = prior.mean.copy()
    chancy[-2] = math.log(CHANCY_START)
    first = [_climbed(prior, start, FIRST_ITERATIONS, x, z, signs) for start in (prior.mean, chancy)]
    best = min(first, key=lambda found: float(found.fun))
    return FailureKernel.from_logs(_climbed(prior, best.x, LAST_ITERATIONS, x, z, signs).x)


def negative_log_posterior(
    logs: Array, prior: Prior, x: Array, z: Array, signs: Array, start: Sites | None = None
) -> tuple[float, Array, Hidden]:
    """Of the hyperparameters, up to a constant; its gradient (d + 2,); and the posterior of the hidden numbers."""
    kernel = FailureKernel.from_logs(logs)
    loadings, designs = fidelity_loadings(z), design_kernel(x, x, kernel.length_scales)
    place = (loadings * kernel.processes) @ loadings.T * designs
    covariance = (loadings * kernel.constants) @ loadings.T + place
    hidden = propagate(covariance, kernel.mean, signs, start)
    by_covariance = hidden.by_covariance
    by_constants = np.einsum("nr,nr->r", loadings, by_covariance @ loadings)
    by_processes = np.einsum("nr,nr->r", loadings, (by_covariance * designs) @ loadings)
    by_rate = 0.5 * hidden.by_mean * kernel.mean / kernel.total_variance
    by_cheap = (by_processes[1] + by_constants[1]) * kernel.cheap_variance
    by_place = (by_processes[0] + RATE_VARIANCE * by_constants[0] + by_rate) * kernel.place_variance + by_cheap
    by_lengths = by_log_lengths(by_covariance * place, x, kernel.length_scales)
    penalty, by_penalty = prior.penalty(logs)
    return penalty - hidden.log_evidence, by_penalty - np.append(by_lengths, [by_place, by_cheap]), hidden


def _climbed(prior: Prior, start: Array, n_iterations: int, x: Array, z: Array, signs: Array) -> OptimizeResult:
    sites: list[Sites | None] = [None]  # of the last step, from which the next one goes on

    def cost(logs: Array) -> tuple[float, Array]:
        value, gradient, hidden = negative_log_posterior(logs, prior, x, z, signs, sites[0])
        sites[0] = hidden.sites
        return value, gradient

    bounds = np.column_stack([prior.low, prior.high])
    return minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": n_iterations})
