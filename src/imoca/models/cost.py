"""What an evaluation costs, in units of the budget: known beforehand, or learned from finished runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from imoca.arrays import Array
from imoca.models.dataset import centre_and_scale
from imoca.models.fitting import fit
from imoca.models.gp import Z_TARGET, GaussianProcess
from imoca.models.kernel import TARGET_FIDELITY, design_kernel
from imoca.models.robust import robust_line, tail_of, weights_of, without_tail
from imoca.models.smooth import SmoothForm
from imoca.problem.simulator import Simulator
from imoca.problem.space import SearchSpace
from imoca.trials.table import TrialTable
from imoca.trials.trial import SimulatorState

DIFFERENCE_STEP = 1e-5  # of the central differences of a declared cost, in the unit cube
PRIOR_SLOPE = math.log(10.0)  # before any data: full accuracy costs ten times the cheapest, give or take a factor ten
PRIOR_SLOPE_SD = math.log(10.0)
EXPECTED_SLOPE_SD = math.log(3.0)  # where a cost is expected, by which factor that may be wrong from end to end
TREND_NOISE_SD = 0.3  # by which a cost's logarithm strays from the straight line
MAX_LEARNED = 150  # runs from which a cost is learned, spread over all there are: a smooth function needs no more
CHUNK = 64  # runs whose costs are computed together, all at the fidelities of all
LARGEST_LOG = 345.0  # of a ratio of learned costs, 1e150; and half of the largest of a cost
PRIOR_LEVEL_SD = 1e3  # the unit of cost is anybody's guess
NOTHING = np.empty(0)


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
    """Log cost: what is expected of it, a straight line in the knobs, and a smooth function of design and knobs."""

    simulator: Simulator
    level: float  # of a full run
    slopes: Array  # (p,) by which it falls as each knob is turned to its cheapest
    scale: float
    residual: GaussianProcess | None = None  # over designs and shortfalls together; None before the first run
    expected: KnownCostModel | None = None  # in units of its own
    log_unit: float | None = None  # of a mean full run in the simulator's own units; None: of the same design

    def ratio(self, x: Array, z: Array) -> Array:
        logs = self._logs(x, z) - self._log_units(x)[:, None]
        return self.simulator.full_cost * np.exp(np.clip(logs, -LARGEST_LOG, LARGEST_LOG))

    def gradient(self, x: Array, z: Array) -> Array:
        ratio = np.array([self.ratio(x[i : i + 1], z[i : i + 1])[0, 0] for i in range(len(x))])
        change = self._logs_gradient(x, z)
        if self.log_unit is None:
            change = change - self._logs_gradient(x, np.full(len(x), Z_TARGET))
        return ratio[:, None] * change

    def counted(self, x: Array, raw: Array) -> Array:
        return self.simulator.full_cost * raw / _exponential(self._log_units(x))

    def own_costs(self, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n,)
        """Of runs at a fidelity each, in the simulator's own units."""
        return costs_of_runs(self, x, z) / self.simulator.full_cost * _exponential(self._log_units(x))

    def target_costs(self, x: Array) -> Array:  # (n, d) -> (n,)
        """Predicted cost at full fidelity, in the simulator's own units."""
        return _exponential(self._logs(x, TARGET_FIDELITY)[:, 0])

    def _log_units(self, x: Array) -> Array:  # (n, d) -> (n,)
        return self._logs(x, TARGET_FIDELITY)[:, 0] if self.log_unit is None else np.full(len(x), self.log_unit)

    def _logs(self, x: Array, z: Array) -> Array:  # (n, d), (m,) -> (n, m)
        short = self.simulator.fidelity.shortfalls(z)
        logs = np.tile(self.level - short @ self.slopes, (len(x), 1))
        if self.expected is not None:
            logs += np.log(self.expected.ratio(x, z))
        if self.residual is not None:  # a product of what designs and what knobs share with the data
            (block,), d = self.residual.kernel.blocks, x.shape[1]
            shared = design_kernel(x, self.residual.x[:, :d], block.length_scales[:d]) * self.residual.weights
            by_knob = design_kernel(short, self.residual.x[:, d:], block.length_scales[d:])
            logs += self.scale * self.residual.kernel.signal_variance * (shared @ by_knob.T)
        return logs

    def _logs_gradient(self, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n, d)
        gradient = np.zeros_like(x)
        if self.expected is not None:
            gradient += self.expected.gradient(x, z) / costs_of_runs(self.expected, x, z)[:, None]
        if self.residual is not None:
            columns = np.column_stack([x, self.simulator.fidelity.shortfalls(z)])
            gradient += self.scale * self.residual.mean_gradient(columns, np.ones(len(x)))[:, : x.shape[1]]
        return gradient


def _exponential(logs: Array) -> Array:
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


def fitted_cost_models(table: TrialTable) -> tuple[CostModel, ...]:
    """The same with hyperparameters that are fitted and not remembered: for the trial to come to remember."""
    return tuple(cost_model(table, s, is_fitting=True) for s in range(len(table.problem.simulators)))


def cost_model(table: TrialTable, s: int, *, is_fitting: bool = False) -> CostModel:
    """The declared cost of simulator ``s``, or for a measured one what the finished runs tell.

    A bill is wanted after every answer: unless asked to, nothing is fitted, but taken from the trial that remembers it.
    """
    simulator = table.problem.simulators[s]
    if not simulator.is_cost_measured:
        unit = None if simulator.is_cost_sealed else table.problem.cost_unit(s)  # a sealed one is never computed
        return KnownCostModel(simulator, table.problem.space, unit)
    rows = np.flatnonzero(~np.isnan(table.costs[:, s]) & (table.states[:, s] == SimulatorState.ANSWERED))
    if len(rows) > MAX_LEARNED:
        rows = rows[np.linspace(0, len(rows) - 1, MAX_LEARNED).astype(int)]
    runs = table.x[rows], table.z[rows, s], np.log(table.costs[rows, s])
    key = key_of(simulator)
    last = next((trial.fitted[key] for trial in reversed(table.trials) if key in trial.fitted), ())
    learned = learn_cost(simulator, table.problem.space, *runs, np.array(last), is_fitting=is_fitting)
    is_known = learned.residual is not None or learned.expected is not None
    if table.problem.cost_relative_to != "mean" or not is_known:
        return learned
    return replace(learned, log_unit=float(np.log(learned.target_costs(table.problem.spread_designs).mean())))


def key_of(simulator: Simulator) -> str:
    """Under which a trial remembers the hyperparameters of a learned cost, beside those of outputs."""
    return f"cost of {simulator.name}"


def remembered_costs(models: Sequence[CostModel]) -> dict[str, tuple[float, ...]]:
    """What a trial is to remember of them."""
    return {
        key_of(model.simulator): tuple(model.residual.kernel.to_logs().tolist())
        for model in models
        if isinstance(model, LearnedCostModel) and model.residual is not None
    }


def learn_cost(
    simulator: Simulator,
    space: SearchSpace,
    x: Array,  # (n, d)
    z: Array,  # (n,)
    log_costs: Array,  # (n,)
    remembered: Array = NOTHING,  # (d + p + 2,) logarithms of hyperparameters; of another number they are ignored
    *,
    is_fitting: bool = False,
) -> LearnedCostModel:
    """A straight line in the knobs, then a Gaussian process on what it leaves over; no run carries them away alone."""
    known = simulator.as_expected
    expected = None if known is None else KnownCostModel(known, space, 1.0)
    short, cheapest = (simulator.fidelity.shortfalls(each) for each in (z, np.zeros(1)))
    n_knobs = short.shape[1]
    steepness = 0.0 if expected else PRIOR_SLOPE / max(1.0, cheapest.sum())  # of each of several knobs its share
    slopes = np.full(n_knobs, steepness)
    if not len(log_costs):
        return LearnedCostModel(simulator, 0.0, slopes, 1.0, None, expected)
    if expected is not None:
        log_costs = log_costs - np.log(costs_of_runs(expected, x, z))
    deviations = np.full(n_knobs, EXPECTED_SLOPE_SD if expected else PRIOR_SLOPE_SD)
    inputs = np.column_stack([np.ones(len(z)), -short])
    line = robust_line(inputs, log_costs, np.append(0.0, slopes), np.append(PRIOR_LEVEL_SD, deviations), TREND_NOISE_SD)
    distances = log_costs - inputs @ line
    residuals = distances * weights_of(distances, tail_of(distances, TREND_NOISE_SD))
    centre, scale = centre_and_scale(residuals)
    columns, form = np.column_stack([x, short]), SmoothForm()
    prior = form.prior(columns.shape[1])
    logs = np.clip(remembered, prior.low, prior.high) if len(remembered) == len(prior.mean) else prior.mean
    data = columns, np.ones(len(z)), (residuals - centre) / scale
    process = without_tail(GaussianProcess.condition(*data, form.kernel(logs, columns.shape[1])))
    if is_fitting:  # a tail beyond what was believed so far does not decide what is believed now
        fitted = fit(*data[:2], process.values, form, logs)
        process = without_tail(GaussianProcess.condition(*data, fitted.kernel))
    return LearnedCostModel(simulator, float(line[0] + centre), line[1:], scale, process, expected)
