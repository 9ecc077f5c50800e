"""Is a low fidelity worth its price? Cost, rank correlation and error of each against full fidelity, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import qmc, spearmanr

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.problem import FidelityValue, Problem, Simulator
from imoca.runners import Job, run_job

CONTINUOUS = (0.0, 0.25, 0.5, 0.75, 1.0)  # z shown of a continuous fidelity


@dataclass(frozen=True)
class FidelityRow:
    """One output at one fidelity, over the same designs as at full fidelity."""

    simulator: str
    output: str
    fidelity: FidelityValue
    cost_ratio: float  # mean cost over that at full fidelity
    rank_correlation: float  # Spearman's, with the values at full fidelity
    relative_error: float  # root mean square, in standard deviations of the values at full fidelity


def fidelity_table(
    problem: Problem,
    n_designs: int,
    continuous: Sequence[float] = CONTINUOUS,  # z of continuous fidelities; full fidelity is always among them
    seed: int = 0,
) -> list[FidelityRow]:
    """Runs every simulator that has a fidelity on a Sobol set of designs, at each of its fidelities."""
    if n_designs < 3:
        raise ProblemError(f"{n_designs} designs show no correlation.", hint="Take at least 3, better 16 or more.")
    sequence = qmc.Sobol(problem.space.n_parameters, rng=np.random.default_rng(seed))
    designs = problem.space.from_unit(sequence.random_base2(int(np.ceil(np.log2(n_designs))))[:n_designs])
    rows = []
    for simulator in problem.simulators:
        if simulator.fidelity.has_knob:
            is_continuous = simulator.fidelity.is_continuous
            z = np.unique([*continuous, 1.0]) if is_continuous else simulator.fidelity.grid(len(continuous))
            rows += _rows_of(problem, simulator, designs, z)
    return rows


def _rows_of(problem: Problem, simulator: Simulator, designs: Array, z: Array) -> list[FidelityRow]:
    fidelities = [simulator.fidelity.decode(float(each)) for each in z]
    runs = [_run(problem, simulator, designs, fidelity) for fidelity in fidelities]
    full_values, full_cost = runs[-1]
    rows = []
    for fidelity, (values, cost) in zip(fidelities, runs, strict=True):
        for j, output in enumerate(simulator.outputs):
            error = np.sqrt(np.mean((values[:, j] - full_values[:, j]) ** 2)) / full_values[:, j].std()
            rows.append(
                FidelityRow(
                    simulator.name,
                    output.name,
                    fidelity,
                    float(cost.mean() / full_cost.mean()),
                    _rank_correlation(values[:, j], full_values[:, j]),
                    float(error),
                )
            )
    return rows


def _rank_correlation(values: Array, full_values: Array) -> float:
    """Spearman's; 0 where one is the same for every design, for that ranks none."""
    if np.ptp(values) == 0.0 or np.ptp(full_values) == 0.0:
        return 0.0
    return float(spearmanr(values, full_values).statistic)


def _run(
    problem: Problem, simulator: Simulator, designs: Array, fidelity: FidelityValue
) -> tuple[Array, Array]:  # (n, K), (n,)
    values, costs = [], []
    for number, x in enumerate(designs):
        answer = run_job(Job(number, simulator, problem.space.decode(x), fidelity, 1, Path(), Path()))
        if answer.failures:
            raise ProblemError(
                f"Simulator {simulator.name!r} failed at fidelity {fidelity!r}: {answer.failures[simulator.name]}.",
                hint="Take another seed, or see whether its program is installed.",
            )
        values.append([answer.values[output.name] for output in simulator.outputs])
        declared = None if simulator.is_cost_measured else np.array([simulator.fidelity.encode(fidelity)])
        costs.append(
            answer.costs[simulator.name]
            if declared is None
            else simulator.cost_ratio(problem.space, x[None], declared)[0, 0]
        )
    return np.array(values), np.array(costs)
