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

FEWEST = 3  # designs that show a correlation
CONTINUOUS = (0.0, 0.25, 0.5, 0.75, 1.0)  # z shown of a continuous fidelity


@dataclass(frozen=True)
class FidelityRow:
    """One output at one fidelity, over the designs that answered there and at full fidelity."""

    simulator: str
    output: str
    fidelity: FidelityValue
    cost_ratio: float  # mean cost over that at full fidelity
    rank_correlation: float  # Spearman's, with the values at full fidelity
    relative_error: float  # root mean square, in standard deviations of the values at full fidelity
    failed: float  # share of all designs that failed at this fidelity


def fidelity_table(
    problem: Problem,
    n_designs: int,
    continuous: Sequence[float] = CONTINUOUS,  # z of continuous fidelities; full fidelity is always among them
    seed: int = 0,
) -> list[FidelityRow]:
    """Runs every simulator that has a fidelity on a Sobol set of designs, at each of its fidelities."""
    if n_designs < FEWEST:
        raise ProblemError(
            f"{n_designs} designs show no correlation.", hint=f"Take at least {FEWEST}, better 16 or more."
        )
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
    for fidelity, (all_values, cost) in zip(fidelities, runs, strict=True):
        has_failed = np.isnan(all_values).any(axis=1)
        both = ~np.isnan(all_values + full_values).any(axis=1)
        if both.sum() < FEWEST:
            raise ProblemError(
                f"Simulator {simulator.name!r} answered {both.sum()} of {len(designs)} designs both at fidelity"
                f" {fidelity!r} and at full fidelity.",
                hint="Take more designs, or see whether its program is installed.",
            )
        values, full = all_values[both], full_values[both]
        for j, output in enumerate(simulator.outputs):
            error = np.sqrt(np.mean((values[:, j] - full[:, j]) ** 2)) / full[:, j].std()
            rows.append(
                FidelityRow(
                    simulator.name,
                    output.name,
                    fidelity,
                    float(cost[both].mean() / full_cost[both].mean()),
                    _rank_correlation(values[:, j], full[:, j]),
                    float(error),
                    float(has_failed.mean()),
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
) -> tuple[Array, Array]:  # (n, K), (n,); nan where it failed
    values, costs = [], []
    for number, x in enumerate(designs):
        answer = run_job(Job(number, simulator, problem.space.decode(x), fidelity, 1, Path(), Path()))
        values.append([answer.values.get(output.name, np.nan) for output in simulator.outputs])
        declared = None if simulator.is_cost_measured else np.array([simulator.fidelity.encode(fidelity)])
        costs.append(
            answer.costs.get(simulator.name, np.nan)
            if declared is None
            else simulator.cost_ratio(problem.space, x[None], declared)[0, 0]
        )
    return np.array(values), np.array(costs)
