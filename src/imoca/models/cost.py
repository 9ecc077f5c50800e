"""What an evaluation costs, in units of the budget: known beforehand, or learned from finished runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from imoca.arrays import Array
from imoca.models.dataset import centre_and_scale
from imoca.models.fitting import fit
from imoca.models.gp import Z_TARGET, GaussianProcess
from imoca.models.product import ProductForm
from imoca.problem.simulator import Simulator
from imoca.problem.space import SearchSpace
from imoca.trials.table import TrialTable
from imoca.trials.trial import SimulatorState

DIFFERENCE_STEP = 1e-5  # of the central differences of a declared cost, in the unit cube
PRIOR_SLOPE = math.log(10.0)  # before any data: full accuracy costs ten times the cheapest, give or take a factor ten
PRIOR_SLOPE_SD = math.log(10.0)
TREND_NOISE_SD = 0.3  # by which a cost's logarithm strays from the straight line
MAX_LEARNED = 150  # runs from which a cost is learned, spread over all there are: a smooth function needs no more
CHUNK = 64  # runs whose costs are computed together, all at the fidelities of all
LARGEST_LOG = 345.0  # of a ratio of learned costs, 1e150; and half of the largest of a cost
PRIOR_LEVEL_SD = 1e3  # the unit of cost is anybody's guess


class CostModel(Protocol):
    """Cost of one simulator, one run at the target fidelity counting ``full_cost``: of a mean design, or of each."""

    def ratio(self, x: Array, z: Array) -> Array:
        """(n, d), (m,) -> (n, m): ``full_cost * C(x, z)`` over the mean of C(x, z*), or over C(x, z*) itself."""

    def gradient(self, x: Array, z: Array) -> Array:
        """(n, d), (n,) -> (n, d): gradient of the ratio in x, one fidelity per design."""

    def counted(self, x: Array, raw: Array) -> Array:
        """(n, d), (n,) -> (n,): what runs that cost ``raw`` in the simulator's own units count in the budget."""


@dataclass(frozen=True)
class KnownCostModel:
    """A declared cost."""

    simulator: Simulator
    space: SearchSpace
    unit: float | None = None  # a mean full run in the simulator's own units; None: a full run of the same design

    def ratio(self, x: Array, z: Array) -> Array:
        return self.simulator.cost_ratio(self.space, x, z, self.unit)

    def gradient(self, x: Array, z: Array) -> Array:
        if not self.simulator.is_cost_by_design:
            return np.zeros_like(x)
        columns = np.arange(x.shape[1])
        answer = np.empty_like(x)
        for i, row in enumerate(x):
            ahead, behind = np.tile(row, (len(columns), 1)), np.tile(row, (len(columns), 1))
            ahead[columns, columns] = np.minimum(row + DIFFERENCE_STEP, 1.0)
            behind[columns, columns] = np.maximum(row - DIFFERENCE_STEP, 0.0)
            change = self.ratio(ahead, z[i : i + 1])[:, 0] - self.ratio(behind, z[i : i + 1])[:, 0]
            answer[i] = change / (ahead - behind)[columns, columns]
        return answer

    def counted(self, x: Array, raw: Array) -> Array:
        unit = self.simulator.target_costs(self.space, x) if self.unit is None else self.unit
        return self.simulator.full_cost * raw / unit


@dataclass(frozen=True)
class LearnedCostModel:
    """Log cost as a straight line in z plus a Gaussian process over (x, z); its mean stands in for C."""

    full_cost: float
    level: float
    slope: float
    scale: float
    residual: GaussianProcess | None  # None before the first run
    log_unit: float | None = None  # of a mean full run in the simulator's own units; None: of the same design

    def ratio(self, x: Array, z: Array) -> Array:
        logs = np.broadcast_to(self.slope * (z - Z_TARGET), (len(x), len(z)))
        if self.residual is not None:
            means = self.residual.mean(x, np.append(z, Z_TARGET))
            logs = logs + self.scale * (means[:, :-1] - means[:, -1:])
        logs = np.clip(logs + self._log_target_ratios(x)[:, None], -LARGEST_LOG, LARGEST_LOG)
        return self.full_cost * np.exp(logs)

    def gradient(self, x: Array, z: Array) -> Array:
        if self.residual is None:
            return np.zeros_like(x)
        ratio = np.array([self.ratio(x[i : i + 1], z[i : i + 1])[0, 0] for i in range(len(x))])
        change = self.residual.mean_gradient(x, z)
        if self.log_unit is None:
            change = change - self.residual.mean_gradient(x, np.full(len(x), Z_TARGET))
        return ratio[:, None] * self.scale * change

    def counted(self, x: Array, raw: Array) -> Array:
        unit = self.target_costs(x) if self.log_unit is None else np.exp(self.log_unit)
        return self.full_cost * raw / unit

    def own_costs(self, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n,)
        """Of runs at a fidelity each, in the simulator's own units."""
        unit = self.target_costs(x) if self.log_unit is None else np.exp(self.log_unit)
        return costs_of_runs(self, x, z) / self.full_cost * unit

    def _log_target_ratios(self, x: Array) -> Array:  # (n, d) -> (n,)
        """Logarithm of what a full run counts, for a ``full_cost`` of 1."""
        return np.zeros(len(x)) if self.log_unit is None else np.log(self.target_costs(x)) - self.log_unit

    def target_costs(self, x: Array) -> Array:  # (n, d) -> (n,)
        """Predicted cost at full fidelity, in the simulator's own units."""
        logs = np.full(len(x), self.level + self.slope * Z_TARGET)
        if self.residual is not None:
            logs += self.scale * self.residual.mean_at_target(x)
        return np.exp(np.clip(logs, -2.0 * LARGEST_LOG, 2.0 * LARGEST_LOG))


def costs_of_runs(model: CostModel, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n,)
    """Of runs at a fidelity each, in units of the budget."""
    if isinstance(model, KnownCostModel) and not model.simulator.is_cost_by_design and len(x):
        return np.asarray(model.ratio(x[:1], z)[0])  # of any design
    chunks = [slice(i, i + CHUNK) for i in range(0, len(x), CHUNK)]
    return np.concatenate([np.empty(0), *(model.ratio(x[each], z[each]).diagonal() for each in chunks)])


def cost_models(table: TrialTable) -> tuple[CostModel, ...]:
    """One per simulator, in the problem's order."""
    return tuple(cost_model(table, s) for s in range(len(table.problem.simulators)))


def cost_model(table: TrialTable, s: int) -> CostModel:
    """The declared cost of simulator ``s``, or for a measured one what the finished runs tell."""
    simulator = table.problem.simulators[s]
    is_relative_to_mean = table.problem.cost_relative_to == "mean"
    if not simulator.is_cost_measured:
        unit = None if simulator.is_cost_sealed else table.problem.cost_unit(s)  # a sealed one is never computed
        return KnownCostModel(simulator, table.problem.space, unit)
    rows = np.flatnonzero(~np.isnan(table.costs[:, s]) & (table.states[:, s] == SimulatorState.ANSWERED))
    if len(rows) > MAX_LEARNED:
        rows = rows[np.linspace(0, len(rows) - 1, MAX_LEARNED).astype(int)]
    learned = learn_cost(table.x[rows], table.z[rows, s], np.log(table.costs[rows, s]), simulator.full_cost)
    if not is_relative_to_mean or learned.residual is None:
        return learned
    return replace(learned, log_unit=float(np.log(learned.target_costs(table.problem.spread_designs).mean())))


def learn_cost(x: Array, z: Array, log_costs: Array, full_cost: float) -> LearnedCostModel:
    """Bayesian straight line in z, then a Gaussian process on what it leaves over."""
    if not len(log_costs):
        return LearnedCostModel(full_cost, 0.0, PRIOR_SLOPE, 1.0, None)
    inputs = np.column_stack([np.ones_like(z), z])
    prior_mean = np.array([0.0, PRIOR_SLOPE])
    prior_precision = np.diag([PRIOR_LEVEL_SD**-2, PRIOR_SLOPE_SD**-2])
    noise_precision = TREND_NOISE_SD**-2
    precision = prior_precision + noise_precision * inputs.T @ inputs
    evidence = prior_precision @ prior_mean + noise_precision * inputs.T @ log_costs
    level, slope = np.linalg.solve(precision, evidence)
    residuals = log_costs - inputs @ np.array([level, slope])
    centre, scale = centre_and_scale(residuals)
    process = fit(x, z, (residuals - centre) / scale, ProductForm())
    return LearnedCostModel(full_cost, float(level + centre), float(slope), scale, process)
