"""NSGA-II of pymoo [Deb2002], every design at full accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.evaluator import Evaluator
from pymoo.core.problem import Problem as PymooProblem
from pymoo.core.termination import NoTermination
from pymoo.problems.static import StaticProblem

from imoca.problem import Constraint, Problem, Simulator, Value

FAILED = 1e9  # an excess of every constraint, so that a failed design is worse than any that answered


@dataclass(frozen=True)
class Answer:
    """Of all simulators at full accuracy; None where one failed."""

    parameters: dict[str, Value]
    values: dict[str, float] | None


def evolve(problem: Problem, population: int, seed: int) -> Iterator[Answer]:
    """Design after design, for ever; each is run when it is asked for."""
    n_limits = sum((each.lower is not None) + (each.upper is not None) for each in problem.constraints) + 1
    n_columns, n_objectives = problem.space.n_columns, len(problem.objectives)
    described = PymooProblem(n_var=n_columns, n_obj=n_objectives, n_ieq_constr=n_limits, xl=0.0, xu=1.0)
    algorithm = NSGA2(pop_size=population)
    algorithm.setup(described, termination=NoTermination(), seed=seed, verbose=False)
    while True:
        asked = algorithm.ask()
        answers = []
        for x in asked.get("X"):
            answers.append(run_fully(problem, problem.space.decode(x)))
            yield answers[-1]
        losses = np.array([_losses(problem, answer) for answer in answers])
        excesses = np.array([_excesses(problem, answer) for answer in answers])
        Evaluator().eval(StaticProblem(described, F=losses, G=excesses), asked)
        algorithm.tell(infills=asked)


def run_fully(problem: Problem, parameters: dict[str, Value]) -> Answer:
    values: dict[str, float] = {}
    for simulator in problem.simulators:
        try:
            values |= _outputs(simulator, parameters)
        except RuntimeError:
            return Answer(parameters, None)
    return Answer(parameters, values)


def _outputs(simulator: Simulator, parameters: dict[str, Value]) -> dict[str, float]:
    fidelity = simulator.fidelity.named(simulator.fidelity.target)
    run = simulator.run
    if not callable(run):
        raise TypeError(f"Simulator {simulator.name!r} is no function.")
    outputs = run(**parameters, **fidelity)
    return outputs if isinstance(outputs, dict) else {simulator.outputs[0].name: float(outputs)}


def _losses(problem: Problem, answer: Answer) -> list[float]:
    if answer.values is None:
        return [0.0] * len(problem.objectives)
    return [answer.values[each.name] * (1.0 if each.goal == "minimize" else -1.0) for each in problem.objectives]


def _excesses(problem: Problem, answer: Answer) -> list[float]:
    """At most 0 where a constraint holds; the last says whether the design failed."""
    found: list[float] = []
    for each in problem.constraints:
        found += _excess(each, None if answer.values is None else answer.values[each.name])
    return [*found, FAILED if answer.values is None else 0.0]


def _excess(constraint: Constraint, value: float | None) -> list[float]:
    above = [] if constraint.upper is None else [FAILED if value is None else value - constraint.upper]
    below = [] if constraint.lower is None else [FAILED if value is None else constraint.lower - value]
    return above + below
