"""Is a low fidelity worth its price? Cost, rank correlation and error of each against full fidelity, measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import qmc, spearmanr

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.problem.fidelity import FidelityValue
from imoca.problem.problem import Problem
from imoca.problem.simulator import Simulator
from imoca.runners.inline import run_inline
from imoca.trials import Trial

N_CONTINUOUS = 5  # fidelities shown of a continuous one


@dataclass(frozen=True)
class FidelityRow:
    """One output at one fidelity, over the same designs as at full fidelity."""

    simulator: str
    output: str
    fidelity: FidelityValue
    cost_ratio: float  # mean cost over that at full fidelity
    rank_correlation: float  # Spearman's, with the values at full fidelity
    relative_error: float  # root mean square, in standard deviations of the values at full fidelity


def fidelity_table(problem: Problem, n_designs: int, seed: int = 0) -> list[FidelityRow]:
    """Runs every simulator that has a fidelity on a Sobol set of designs, at each of its fidelities."""
    if n_designs < 3:
        raise ProblemError(f"{n_designs} designs show no correlation.", hint="Take at least 3, better 16 or more.")
    sequence = qmc.Sobol(problem.space.n_parameters, rng=np.random.default_rng(seed))
    designs = problem.space.from_unit(sequence.random_base2(int(np.ceil(np.log2(n_designs))))[:n_designs])
    rows = []
    for simulator in problem.simulators:
        if simulator.fidelity.kind != "none":
            rows += _rows_of(problem, simulator, designs)
    return rows


def _rows_of(problem: Problem, simulator: Simulator, designs: Array) -> list[FidelityRow]:
    fidelities = [simulator.fidelity.decode(float(z)) for z in simulator.fidelity.grid(N_CONTINUOUS)]
    alone = Problem(problem.parameters, [simulator])
    runs = [_run(alone, simulator, designs, fidelity) for fidelity in fidelities]
    full_values, full_cost = runs[-1]
    rows = []
    for fidelity, (values, cost) in zip(fidelities, runs, strict=True):
        for j, output in enumerate(simulator.outputs):
            error = np.sqrt(np.mean((values[:, j] - full_values[:, j]) ** 2)) / full_values[:, j].std()
            correlation = float(spearmanr(values[:, j], full_values[:, j]).statistic)
            rows.append(
                FidelityRow(
                    simulator.name,
                    output.name,
                    fidelity,
                    float(cost.mean() / full_cost.mean()),
                    correlation,
                    float(error),
                )
            )
    return rows


def _run(
    problem: Problem, simulator: Simulator, designs: Array, fidelity: FidelityValue
) -> tuple[Array, Array]:  # (n, K), (n,)
    values, costs = [], []
    for number, x in enumerate(designs):
        answer = run_inline(problem, Trial(number, problem.space.decode(x), {simulator.name: fidelity}))
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
