"""What the figures show, as frozen records of plain numbers. Nothing is drawn here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import try_to_believe
from imoca.methods.initial_design import sobol_designs
from imoca.models.dataset import OutputData
from imoca.models.gp import GaussianProcess
from imoca.pareto.indicators import average_distance
from imoca.problem.fidelity import FidelityValue
from imoca.problem.parameters import Value
from imoca.problem.simulator import Goal, Simulator
from imoca.study.accounting import NOT_RUN, bill
from imoca.study.convergence import front_values, front_volume
from imoca.study.recommendation import ParetoPoint, is_verified, recommend
from imoca.study.study import Study
from imoca.trials import TrialState

N_BANDS = 5  # of a continuous fidelity, from low to full accuracy
N_CHECKPOINTS = 20  # at which the front is recovered anew to show how it came to be
N_TICKS = 5  # on the axis of a continuous fidelity
N_CORRELATION_DESIGNS = 256
N_CORRELATION_GRID = 21
FULL_ACCURACY = "full"


@dataclass(frozen=True)
class ObjectiveRecord:
    name: str
    goal: Goal


@dataclass(frozen=True)
class FrontRecord:
    """The recommended front."""

    objectives: tuple[ObjectiveRecord, ...]
    points: tuple[ParetoPoint, ...]
    verified: tuple[VerifiedRecord, ...]  # every design measured at full accuracy, on the front or not


@dataclass(frozen=True)
class VerifiedRecord:
    trial: int
    parameters: dict[str, Value]
    values: dict[str, float]


@dataclass(frozen=True)
class ConvergenceRecord:
    """How the recommended front came to be, against the cost spent."""

    n_trials: tuple[int, ...]
    costs: tuple[float, ...]
    hypervolumes: tuple[float, ...]  # the box from the worst to the best value seen being 1
    distances: tuple[float, ...]  # average distance to the front recommended last, in units of its range


@dataclass(frozen=True)
class FidelityRecord:
    """Which fidelity a simulator that has one was run at, over the trials."""

    simulator: str
    trials: tuple[int, ...]
    costs_before: tuple[float, ...]  # spent by the study before the trial
    settings: tuple[FidelityValue, ...]  # in the simulator's own units
    z: tuple[float, ...]  # the same from 0, cheapest, to 1, full accuracy
    is_failed: tuple[bool, ...]
    tick_z: tuple[float, ...]  # where an axis of z is labelled
    tick_labels: tuple[str, ...]  # with the settings there


@dataclass(frozen=True)
class CostRecord:
    """Where a simulator's share of the cost went."""

    simulator: str
    bands: tuple[str, ...]
    costs: tuple[float, ...]  # in full-fidelity runs
    n_runs: tuple[int, ...]
    wasted: float  # by attempts that were lost or failed and tried again


@dataclass(frozen=True)
class TrustRecord:
    """Every observation against what the model says of it without having seen it (leave-one-out)."""

    objective: str
    trials: tuple[int, ...]
    z: tuple[float, ...]
    observed: tuple[float, ...]
    predicted: tuple[float, ...]
    deviations: tuple[float, ...]  # standard deviation of the prediction, noise included

    @property
    def is_miss(self) -> tuple[bool, ...]:
        """Whether an observation lies beyond two deviations of its prediction."""
        misses = np.abs(np.array(self.observed) - np.array(self.predicted)) > 2.0 * np.array(self.deviations)
        return tuple(misses.tolist())

    @property
    def share_within_two_deviations(self) -> float:
        """About 0.95 if the model is to be trusted."""
        return 1.0 - sum(self.is_miss) / len(self.is_miss) if self.is_miss else float("nan")


@dataclass(frozen=True)
class CorrelationRecord:
    """Whether a fidelity is worth its price: how its values go with those at full accuracy, over all designs."""

    objective: str
    simulator: str
    settings: tuple[FidelityValue, ...]
    z: tuple[float, ...]
    correlations: tuple[float, ...]  # of the model's predictions at z and at full accuracy
    cost_ratios: tuple[float, ...]


@dataclass(frozen=True)
class SummaryRecord:
    """What was optimised, what was found, what it cost."""

    n_trials: int
    n_running: int
    n_failed: int
    cost_spent: float
    cost_at_full_accuracy: float  # of as many runs, all at full accuracy
    n_front: int
    n_verified: int


def front_record(study: Study) -> FrontRecord:
    trials = [trial for trial in study.trials if is_verified(study.problem, trial)]
    return FrontRecord(
        tuple(ObjectiveRecord(objective.name, objective.goal) for objective in study.problem.objectives),
        tuple(study.pareto_front()),
        tuple(VerifiedRecord(t.number, dict(t.parameters), dict(t.values)) for t in trials),
    )


def summary_record(study: Study, front: FrontRecord) -> SummaryRecord:
    trials = study.trials
    full = sum(
        simulator.full_cost
        for trial in trials
        for simulator in study.problem.simulators
        if trial.answer is not None and trial.failures.get(simulator.name) != NOT_RUN
    )
    return SummaryRecord(
        n_trials=len(trials),
        n_running=sum(trial.state is TrialState.RUNNING for trial in trials),
        n_failed=sum(bool(trial.failures) for trial in trials),
        cost_spent=study.cost_spent,
        cost_at_full_accuracy=float(full),
        n_front=len(front.points),
        n_verified=sum(point.verified for point in front.points),
    )


def convergence_record(study: Study, n_checkpoints: int = N_CHECKPOINTS) -> ConvergenceRecord:
    """The front recovered from the first trials alone, at moments spread over the cost and over the trials."""
    finished = [trial for trial in study.trials if trial.answer is not None]
    costs = np.cumsum(bill(study.problem, finished).spent.sum(axis=1)) if finished else np.zeros(0)
    fronts, kept = [], []
    for i in _checkpoints(costs, n_checkpoints):
        points = recommend(study.problem, finished[: i + 1], study.seed)
        if points:
            fronts.append(points)
            kept.append(i)
    if not fronts:
        return ConvergenceRecord((), (), (), ())
    last = front_values(study.problem, fronts[-1])
    return ConvergenceRecord(
        tuple(i + 1 for i in kept),
        tuple(costs[kept].tolist()),
        tuple(front_volume(study.problem, finished, points) for points in fronts),
        tuple(average_distance(front_values(study.problem, points), last) for points in fronts),
    )


def fidelity_records(study: Study) -> tuple[FidelityRecord, ...]:
    trials = study.trials
    spent = bill(study.problem, trials).spent.sum(axis=1)
    before = np.cumsum(spent) - spent
    records = []
    for simulator in study.problem.simulators:
        if not simulator.fidelity.has_knob:
            continue
        rows = [i for i, t in enumerate(trials) if t.failures.get(simulator.name) != NOT_RUN]
        settings = [trials[i].fidelities[simulator.name] for i in rows]
        ticks = simulator.fidelity.grid(N_TICKS)
        records.append(
            FidelityRecord(
                simulator.name,
                tuple(trials[i].number for i in rows),
                tuple(before[rows].tolist()),
                tuple(settings),
                tuple(simulator.fidelity.encode_all(settings).tolist()),
                tuple(simulator.name in trials[i].failures for i in rows),
                tuple(ticks.tolist()),
                tuple(_setting_words(simulator.fidelity.decode(float(tick))) for tick in ticks),
            )
        )
    return tuple(records)


def cost_records(study: Study) -> tuple[CostRecord, ...]:
    trials = [trial for trial in study.trials if trial.answer is not None]
    costs = bill(study.problem, trials)
    records = []
    for j, simulator in enumerate(study.problem.simulators):
        names, band_of = _bands(simulator)
        totals, counts = np.zeros(len(names)), [0] * len(names)
        for i, trial in enumerate(trials):
            if trial.failures.get(simulator.name) != NOT_RUN:
                band = band_of(simulator.fidelity.encode(trial.fidelities[simulator.name]))
                totals[band] += costs.spent[i, j] - costs.wasted[i, j]
                counts[band] += 1
        wasted = float(costs.wasted[:, j].sum())
        records.append(CostRecord(simulator.name, tuple(names), tuple(totals.tolist()), tuple(counts), wasted))
    return tuple(records)


def trust_records(study: Study) -> tuple[TrustRecord, ...]:
    trials = study.trials  # once: a running study may gain some meanwhile
    beliefs = try_to_believe(study.problem, [trial for trial in trials if trial.values])
    if beliefs is None:
        return ()
    records = []
    for objective, data, surrogate in zip(study.problem.objectives, beliefs.data, beliefs.surrogates, strict=True):
        mean, deviation = _left_out(data, surrogate)
        records.append(
            TrustRecord(
                objective.name,
                tuple(trial.number for trial in trials if objective.name in trial.values),
                tuple(data.z.tolist()),
                tuple(data.to_user(data.values).tolist()),
                tuple(data.to_user(mean).tolist()),
                tuple((data.scale * deviation).tolist()),
            )
        )
    return tuple(records)


def correlation_records(study: Study) -> tuple[CorrelationRecord, ...]:
    """For every objective whose simulator has a fidelity."""
    beliefs = try_to_believe(study.problem, [trial for trial in study.trials if trial.values])
    if beliefs is None:
        return ()
    x = sobol_designs(study.problem, N_CORRELATION_DESIGNS, np.random.default_rng(0))
    records = []
    for objective, surrogate in zip(study.problem.objectives, beliefs.surrogates, strict=True):
        simulator = study.problem.simulator_of(objective.name)
        if not simulator.fidelity.has_knob:
            continue
        z = simulator.fidelity.grid(N_CORRELATION_GRID)
        means = surrogate.mean(x, z)
        correlations = [_correlation(means[:, g], means[:, -1]) for g in range(len(z))]
        cost = beliefs.costs[study.problem.simulators.index(simulator)]
        records.append(
            CorrelationRecord(
                objective.name,
                simulator.name,
                tuple(simulator.fidelity.decode(float(each)) for each in z),
                tuple(z.tolist()),
                tuple(correlations),
                tuple((cost.ratio(x, z).mean(axis=0) / simulator.full_cost).tolist()),
            )
        )
    return tuple(records)


def _checkpoints(costs: Array, n: int) -> list[int]:
    """Rows at half of n even steps of the cost and half of n even steps of the trials; the last row among them."""
    if not len(costs):
        return []
    last = len(costs) - 1
    steps = np.linspace(costs[0], costs[-1], n // 2)
    by_cost = np.minimum(np.searchsorted(costs, steps), last).tolist()
    return sorted({*by_cost, *np.linspace(0, last, n // 2).round().astype(int).tolist(), last})


def _bands(simulator: Simulator) -> tuple[list[str], Callable[[float], int]]:
    """Names of the fidelity bands, and the band of a fidelity z."""
    fidelity = simulator.fidelity
    if not fidelity.has_knob:
        return [FULL_ACCURACY], lambda z: 0
    if not fidelity.is_continuous:
        nodes = fidelity.grid(N_BANDS)
        return [str(fidelity.decode(float(node))) for node in nodes], lambda z: int(np.abs(nodes - z).argmin())
    edges = np.linspace(0.0, 1.0, N_BANDS + 1)
    names = [
        f"{float(fidelity.decode(low)):.3g} to {float(fidelity.decode(high)):.3g}"  # type: ignore[arg-type]
        for low, high in pairwise(edges)
    ]
    return [*names, FULL_ACCURACY], lambda z: N_BANDS if z == 1.0 else min(int(z * N_BANDS), N_BANDS - 1)


def _setting_words(setting: FidelityValue) -> str:
    return f"{setting:.3g}" if isinstance(setting, float) else str(setting)


def _left_out(data: OutputData, surrogate: GaussianProcess) -> tuple[Array, Array]:  # (n,), (n,)
    """Mean and deviation of every observation given all others, eqs. (5.10) to (5.12) of [Rasmussen2006]."""
    process = GaussianProcess.condition(data.x, data.z, data.values, surrogate.hyperparameters)
    precision = (process.inverse_factor**2).sum(axis=0)
    return data.values - process.weights / precision, np.sqrt(1.0 / precision)


def _correlation(a: Array, b: Array) -> float:
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])
