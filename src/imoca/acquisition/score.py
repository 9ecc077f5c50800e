"""Gain per cost of a design, with the best fidelity vector chosen for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from imoca.acquisition.fidelity_space import FidelityReduction
from imoca.acquisition.fractional import NOT_RUN, choose_fidelities, picked
from imoca.acquisition.gain import Gain, squared_correlation
from imoca.arrays import Array, BoolArray, IntArray
from imoca.models.cost import CostModel
from imoca.models.failure import FailureModel
from imoca.models.gp import GaussianProcess, Moments

SMALLEST_VARIANCE = 1e-300  # that a run explains of its design: what explains nothing now will explain nothing later
MAX_KERNEL_ENTRIES = 4_000_000  # designs are scored in chunks whose largest array has no more entries


@dataclass(frozen=True)
class PricedSimulator:
    """What the choice of fidelity needs to know of a simulator."""

    outputs: tuple[int, ...]  # positions of its objectives among the surrogates
    fidelities: Array  # (m,) z to choose from, ascending, z* last
    cost: CostModel
    reduction: FidelityReduction | None = None  # None considers every fidelity
    failure: FailureModel | None = None  # None: it does not fail
    caution: float = 0.0  # power of p / sure, for a run that answers with a smaller probability p
    sure: float = 1.0

    def prospect(self, x: Array, moments: Sequence[Moments], gains: Sequence[Array]) -> Prospect:
        """What runs at every fidelity may bring; moments and gains are those of all outputs."""
        price = self.cost.ratio(x, self.fidelities)
        gain: Array = np.sum([gains[j] for j in self.outputs], axis=0)
        survival = np.ones_like(price) if self.failure is None else 1.0 - self.failure.probability(x, self.fidelities)
        return Prospect(self, gain, price, survival, self.allowed(moments, price))

    def allowed(self, moments: Sequence[Moments], cost: Array) -> BoolArray:  # (n, m)
        """A fidelity may be considered if any output finds it worth considering."""
        if self.reduction is None:
            return np.ones(cost.shape, dtype=np.bool_)
        relative = cost / cost[:, -1:]
        by_output = [self.reduction.allowed(moments[j], self.fidelities, relative) for j in self.outputs]
        return np.any(by_output, axis=0)


@dataclass(frozen=True)
class Prospect:
    """What running a simulator may bring and cost, at n designs and the m fidelities of its grid.

    A run that fails tells nothing, and costs its share of the price.
    """

    simulator: PricedSimulator
    gain: Array  # (n, m) if it answers
    price: Array  # (n, m) if it answers
    survival: Array  # (n, m) probability that it does
    is_allowed: BoolArray  # (n, m)

    @property
    def expected_gain(self) -> Array:  # (n, m)
        return np.where(self.is_allowed, self.worth * self.gain, -np.inf)

    @property
    def worth(self) -> Array:  # (n, m)
        """The share of its gain that a run counts."""
        return self.survival * self._care(self.survival)

    def _care(self, survival: Array) -> Array:
        return np.minimum(1.0, survival / self.simulator.sure) ** self.simulator.caution

    @property
    def expected_cost(self) -> Array:  # (n, m)
        return self.price * self._paid

    @property
    def _paid(self) -> Array:  # (n, m)
        """The share of the price that is paid on average."""
        failed_price = 1.0 if self.simulator.failure is None else self.simulator.failure.price
        return failed_price + (1.0 - failed_price) * self.survival

    def gradients(self, x: Array, column: IntArray, rows: BoolArray) -> tuple[Array, Array]:
        """Of the expected gain, as far as it is due to failures, and of the expected cost: (k, d) each.

        At the k designs that are ``rows`` of the n, a column of the grid each.
        """
        z = self.simulator.fidelities[column]
        by_cost = picked(self._paid[rows], column)[:, None] * self.simulator.cost.gradient(x, z)
        if self.simulator.failure is None:
            return np.zeros_like(x), by_cost
        by_failure = self.simulator.failure.probability_gradient(x, z)
        saved = (1.0 - self.simulator.failure.price) * picked(self.price[rows], column)
        survival = picked(self.survival[rows], column)
        steepness = 1.0 + np.where(survival < self.simulator.sure, self.simulator.caution, 0.0)
        by_survival = picked(self.gain[rows], column) * steepness * self._care(survival)
        return -by_survival[:, None] * by_failure, by_cost - saved[:, None] * by_failure


@dataclass(frozen=True)
class Scores:
    values: Array  # (n,) gain per cost
    fidelities: Array  # (n, n_simulators) the z that achieve it, NaN for a simulator that is not worth running


@dataclass(frozen=True)
class GainPerCost:
    """``sum_j I_j(x, z_j) / C(x, z)`` maximised over the fidelity vector z: a function of the design alone.

    And over which simulators are run, if some may be left out.
    """

    surrogates: Sequence[GaussianProcess]
    gain: Gain
    simulators: Sequence[PricedSimulator]
    setup_cost: float = 0.0  # of a question, whichever simulators it runs
    may_leave_out: bool = False

    def score(self, x: Array) -> Scores:  # (n, d)
        largest = max(len(each.x) for each in self.surrogates)
        n_fidelities = max(len(simulator.fidelities) for simulator in self.simulators)
        chunk = max(1, MAX_KERNEL_ENTRIES // (largest * n_fidelities))
        parts = [self._parts(x[i : i + chunk]).scores for i in range(0, len(x), chunk)]
        return Scores(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.fidelities for part in parts]),
        )

    def score_and_gradient(self, x: Array) -> tuple[Scores, Array]:  # (n, d)
        """The gradient of a maximum over z is the gradient at the best z (envelope theorem)."""
        parts = self._parts(x)
        by_gain, by_cost, cost = np.zeros_like(x), np.zeros_like(x), np.full(len(x), self.setup_cost)
        per_output = [parts.columns[0]] * len(self.surrogates)
        weights = np.zeros((len(x), len(self.surrogates)))
        for simulator, prospect, column in zip(self.simulators, parts.prospects, parts.columns, strict=True):
            is_run = column != NOT_RUN
            cost += picked(prospect.expected_cost, column)
            by_own_gain, by_own_cost = prospect.gradients(x[is_run], column[is_run], is_run)
            by_gain[is_run] += by_own_gain
            by_cost[is_run] += by_own_cost
            for j in simulator.outputs:
                per_output[j] = column
                weights[:, j] = picked(prospect.worth, column)
        partials = self.gain.partials(parts.moments, per_output, weights)
        for moments, column, each in zip(parts.moments, per_output, partials, strict=True):
            by_gain += moments.gradient(column, each)
        return parts.scores, (by_gain - parts.scores.values[:, None] * by_cost) / cost[:, None]

    def moments(self, x: Array) -> list[Moments]:
        """Per output, at the fidelities of its simulator."""
        grids = {j: simulator.fidelities for simulator in self.simulators for j in simulator.outputs}
        return [surrogate.moments(x, grids[j]) for j, surrogate in enumerate(self.surrogates)]

    def scored(
        self, x: Array, moments: Sequence[Moments], gains: Sequence[Array]
    ) -> tuple[Scores, list[Prospect], list[IntArray]]:
        """From gains (n, m) per output; with what each simulator may bring, and the chosen columns (n,)."""
        prospects = [simulator.prospect(x, moments, gains) for simulator in self.simulators]
        columns, ratio = choose_fidelities(
            [prospect.expected_gain for prospect in prospects],
            [prospect.expected_cost for prospect in prospects],
            self.setup_cost,
            may_leave_out=self.may_leave_out,
        )
        chosen = np.column_stack(
            [
                np.where(column == NOT_RUN, np.nan, simulator.fidelities[column])
                for simulator, column in zip(self.simulators, columns, strict=True)
            ]
        )
        return Scores(ratio, chosen), prospects, columns

    def _parts(self, x: Array) -> _Parts:
        moments = self.moments(x)
        scores, prospects, columns = self.scored(x, moments, self.gain.values(moments))
        return _Parts(scores, moments, prospects, columns)


@dataclass(frozen=True)
class _Parts:
    """A score with what it was made of."""

    scores: Scores
    moments: list[Moments]  # per output
    prospects: list[Prospect]  # per simulator
    columns: list[IntArray]  # per simulator (n,) the chosen fidelity, or NOT_RUN


@dataclass(frozen=True)
class Pool:
    """Designs among which several questions are chosen one after the other, before any of them is answered.

    A question brings what it would have brought as the first, times how much of the variance of its design at full
    accuracy its run would still explain. (By the gain itself a design that is believed to lie beyond a sampled
    front, which knows nothing of that, would look informative for ever.)
    """

    score: GainPerCost  # before the first question
    x: Array  # (n, d)

    @cached_property
    def _before(self) -> tuple[list[Moments], list[Array]]:
        moments = self.score.moments(self.x)
        return moments, self.score.gain.values(moments)

    def best(self, after: GainPerCost) -> tuple[Array, Array]:  # (d,), (n_simulators,)
        """The best one, and its fidelities, by a score whose surrogates believe in the questions before it."""
        (first, gains), now = self._before, after.moments(self.x)
        left = [
            explained(later) / np.maximum(explained(before), SMALLEST_VARIANCE)
            for before, later in zip(first, now, strict=True)
        ]
        scores, _, _ = after.scored(self.x, now, [gain * share for gain, share in zip(gains, left, strict=True)])
        best = int(np.argmax(scores.values))
        return self.x[best], scores.fidelities[best]


def explained(moments: Moments) -> Array:  # (n, m)
    """By how much a run at each fidelity would lower the variance at full accuracy."""
    return squared_correlation(moments) * moments.var_f[:, None]
