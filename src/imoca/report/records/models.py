"""What the models say of themselves: their misses, and what a cheap fidelity tells of full accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.errors import FigureError
from imoca.methods.beliefs import MOST_OBSERVATIONS
from imoca.methods.initial_design import sobol_designs
from imoca.models.dataset import OutputData
from imoca.models.doubt import left_out_misses
from imoca.models.fitting import thinned
from imoca.models.gp import GaussianProcess
from imoca.problem.accuracy import FidelityValue
from imoca.problem.simulator import Simulator
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.trial import Promise

N_CORRELATION_DESIGNS = 256
N_CORRELATION_GRID = 21
FEWEST = 5  # answers, below which nothing is said of how good a model is


@dataclass(frozen=True)
class PromiseRecord:
    """What was predicted of a design before it was run in order to verify it, and what came."""

    trial: int
    predicted: float
    low: float  # of the interval that holds the truth in nine cases of ten
    high: float
    observed: float
    error: float = 0.0  # standard error of what was observed

    @property
    def is_kept(self) -> bool:
        return Promise(self.predicted, self.low, self.high).is_kept(self.observed, self.error)


@dataclass(frozen=True)
class TrustRecord:
    """Every observation against what the model says of it without having seen it (leave-one-out)."""

    output: str
    trials: tuple[int, ...]
    z: tuple[float, ...]
    observed: tuple[float, ...]
    predicted: tuple[float, ...]
    deviations: tuple[float, ...]  # standard deviation of the prediction, noise included
    unit: str | None = None
    promises: tuple[PromiseRecord, ...] = ()  # stored before the answer was there: no model of today has a say

    @property
    def n_promises_kept(self) -> int:
        return sum(promise.is_kept for promise in self.promises)

    @property
    def n_full(self) -> int:
        """Observations at full accuracy, which alone tell how good predictions are there."""
        return sum(z == 1.0 for z in self.z)

    @property
    def skill(self) -> float:
        """Share of the variance of the observations that the predictions explain (leave-one-out R2), 1 at best."""
        return _skill(self.observed, self.predicted)

    @property
    def skill_at_full_accuracy(self) -> float:
        """The same of the observations at full accuracy alone."""
        kept = [i for i, z in enumerate(self.z) if z == 1.0]
        return _skill([self.observed[i] for i in kept], [self.predicted[i] for i in kept])

    @property
    def n_kept_at_full_accuracy(self) -> int:
        """Of the observations at full accuracy, those within two deviations of their prediction."""
        return sum(not miss for miss, z in zip(self.is_miss, self.z, strict=True) if z == 1.0)

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

    output: str
    simulator: str
    settings: tuple[FidelityValue, ...]
    z: tuple[float, ...]
    correlations: tuple[float, ...]  # of the model's predictions at z and at full accuracy
    cost_ratios: tuple[float, ...]
    unit: str | None = None  # of the settings


def trust_records(snapshot: Snapshot) -> tuple[TrustRecord, ...]:
    problem, beliefs = snapshot.problem, snapshot.beliefs
    if beliefs is None:
        return ()
    records = []
    modelled = zip(problem.modelled, beliefs.modelled_data, beliefs.modelled, strict=True)
    for j, (output, data, surrogate) in enumerate(modelled):
        mean, deviation = _left_out(data, surrogate)
        believed = _believed(snapshot, output.name, beliefs.set_aside[j])
        records.append(
            TrustRecord(
                output.name,
                tuple(believed),
                tuple(data.z.tolist()),
                tuple(data.to_user(data.values).tolist()),
                tuple(mean.tolist()),
                tuple(deviation.tolist()),
                output.unit,
                _tested_promises(snapshot, output.name),
            )
        )
    return tuple(records)


def _tested_promises(snapshot: Snapshot, output: str) -> tuple[PromiseRecord, ...]:
    return tuple(
        PromiseRecord(design.trial, *check.promise, check.measured, check.error)
        for design in snapshot.verification.designs
        for check in design.checks
        if check.output == output and check.measured is not None
    )


def correlation_records(snapshot: Snapshot) -> tuple[CorrelationRecord, ...]:
    """For every output whose simulator has a fidelity, and enough answers to tell."""
    problem, beliefs = snapshot.problem, snapshot.beliefs
    if beliefs is None:
        return ()
    x = sobol_designs(problem, N_CORRELATION_DESIGNS, np.random.default_rng(0))
    records = []
    for output, surrogate in zip(problem.modelled, beliefs.modelled, strict=True):
        simulator = problem.simulator_of(output.name)
        if not simulator.fidelity.has_knob or len(surrogate.x) < FEWEST:
            continue
        check_cost_is_known(simulator)
        z = simulator.fidelity.grid(N_CORRELATION_GRID)
        means = surrogate.mean(x, z)
        correlations = [_correlation(means[:, g], means[:, -1]) for g in range(len(z))]
        cost = beliefs.costs[problem.simulators.index(simulator)]
        records.append(
            CorrelationRecord(
                output.name,
                simulator.name,
                tuple(simulator.fidelity.decode(float(each)) for each in z),
                tuple(z.tolist()),
                tuple(correlations),
                tuple((cost.ratio(x, z).mean(axis=0) / simulator.full_cost).tolist()),
                simulator.fidelity.unit,
            )
        )
    return tuple(records)


def check_cost_is_known(simulator: Simulator) -> None:
    if simulator.is_cost_sealed:
        raise FigureError(
            f"What {simulator.name!r} costs is unknown here: a function tells it, which is not imported for looking"
            " at a study.",
            hint="In Python a Study of the same problem draws it.",
        )


def _skill(observed: Sequence[float], predicted: Sequence[float]) -> float:
    """NaN of too few, or if they do not differ."""
    values, misses = np.array(observed), np.array(observed) - np.array(predicted)
    if len(values) < FEWEST or np.ptp(values) == 0.0:
        return float("nan")
    return float(1.0 - (misses**2).mean() / values.var())


def _believed(snapshot: Snapshot, output: str, set_aside: Sequence[int]) -> list[int]:
    """Numbers of the trials whose answers the model of an output holds: of very many it takes a part."""
    trials = [t for t in snapshot.trials if output in t.values and t.number not in set_aside]
    simulator = snapshot.problem.simulator_of(output)
    z = simulator.fidelity.encode_all([trial.fidelities[simulator.name] for trial in trials])
    return [trials[i].number for i in thinned(z, MOST_OBSERVATIONS).tolist()]


def _left_out(data: OutputData, surrogate: GaussianProcess) -> tuple[Array, Array]:  # (n,), (n,)
    """What all other observations predict of each, and its deviation, both in the user's units.

    Of a logarithm an interval is lopsided: the deviation is that towards the observation.
    """
    process = GaussianProcess.condition(data.x, data.z, data.values, surrogate.kernel, data.told_noise)
    misses, variances = left_out_misses(process)
    mean = data.values - misses
    reach = mean + np.where(misses >= 0.0, 2.0, -2.0) * np.sqrt(variances)
    return data.to_user(mean), 0.5 * np.abs(data.to_user(reach) - data.to_user(mean))


def _correlation(a: Array, b: Array) -> float:
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])
