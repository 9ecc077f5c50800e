"""Gain per cost of a design, with the best fidelity vector chosen for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.acquisition.fidelity_space import FidelityReduction
from imoca.acquisition.fractional import NOT_RUN, choose_fidelities, picked
from imoca.acquisition.gain import Gain
from imoca.arrays import Array, BoolArray, IntArray
from imoca.models.cost import CostModel
from imoca.models.gp import GaussianProcess, Moments

MAX_KERNEL_ENTRIES = 4_000_000  # designs are scored in chunks whose largest array has no more entries


@dataclass(frozen=True)
class PricedSimulator:
    """What the choice of fidelity needs to know of a simulator."""

    outputs: tuple[int, ...]  # positions of its objectives among the surrogates
    fidelities: Array  # (m,) z to choose from, ascending, z* last
    cost: CostModel
    reduction: FidelityReduction | None = None  # None considers every fidelity

    def allowed(self, moments: Sequence[Moments], cost: Array) -> BoolArray:  # (n, m)
        """A fidelity may be considered if any output finds it worth considering."""
        if self.reduction is None:
            return np.ones(cost.shape, dtype=np.bool_)
        relative = cost / cost[:, -1:]
        by_output = [self.reduction.allowed(moments[j], self.fidelities, relative) for j in self.outputs]
        return np.any(by_output, axis=0)


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
        by_cost, cost = np.zeros_like(x), np.full(len(x), self.setup_cost)
        per_output = [parts.columns[0]] * len(self.surrogates)
        for s, simulator in enumerate(self.simulators):
            column = parts.columns[s]
            is_run = column != NOT_RUN
            by_cost[is_run] += simulator.cost.gradient(x[is_run], parts.scores.fidelities[is_run, s])
            cost += picked(parts.costs[s], column)
            for j in simulator.outputs:
                per_output[j] = column
        partials = self.gain.partials(parts.moments, per_output)
        by_gain = np.zeros_like(x)
        for moments, column, each in zip(parts.moments, per_output, partials, strict=True):
            by_gain += moments.gradient(column, each)
        return parts.scores, (by_gain - parts.scores.values[:, None] * by_cost) / cost[:, None]

    def _parts(self, x: Array) -> _Parts:
        grids = {j: simulator.fidelities for simulator in self.simulators for j in simulator.outputs}
        moments = [surrogate.moments(x, grids[j]) for j, surrogate in enumerate(self.surrogates)]
        gains = self.gain.values(moments)
        costs = [simulator.cost.ratio(x, simulator.fidelities) for simulator in self.simulators]
        totals = []
        for simulator, cost in zip(self.simulators, costs, strict=True):
            total: Array = np.sum([gains[j] for j in simulator.outputs], axis=0)
            totals.append(np.where(simulator.allowed(moments, cost), total, -np.inf))
        columns, ratio = choose_fidelities(totals, costs, self.setup_cost, may_leave_out=self.may_leave_out)
        chosen = np.column_stack(
            [
                np.where(column == NOT_RUN, np.nan, simulator.fidelities[column])
                for simulator, column in zip(self.simulators, columns, strict=True)
            ]
        )
        return _Parts(Scores(ratio, chosen), moments, costs, columns)


@dataclass(frozen=True)
class _Parts:
    """A score with what it was made of."""

    scores: Scores
    moments: list[Moments]  # per output
    costs: list[Array]  # per simulator (n, m)
    columns: list[IntArray]  # per simulator (n,) the chosen fidelity, or NOT_RUN
