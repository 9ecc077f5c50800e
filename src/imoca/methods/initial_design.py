"""The first questions, before there is anything to believe."""

from __future__ import annotations

import numpy as np

from imoca.arrays import Array
from imoca.methods.allowed_designs import allowed_designs
from imoca.methods.settings import InitialDesign
from imoca.problem.fidelity import Fidelity, Levels
from imoca.problem.problem import Problem
from imoca.sobol import sobol_sequence
from imoca.trials.trial import Candidate

MINIMUM_CHEAP, MAXIMUM_CHEAP = 10, 30  # designs; 2 (d + 1) in between
ABOVE_CHEAP = (0.7,)  # fidelities of the designs before the cheap ones; of two levels that is the full one
MINIMUM_PAPER = 6


def initial_size(problem: Problem, design: InitialDesign) -> int:
    d = problem.space.n_parameters
    if design == "cheap":
        n_above = max(len(_above_cheap(simulator.fidelity)) for simulator in problem.simulators)
        return min(max(MINIMUM_CHEAP, 2 * (d + 1)), MAXIMUM_CHEAP) + n_above
    return max(MINIMUM_PAPER, d + 1)


def initial_question(problem: Problem, design: InitialDesign, number: int, seed: int) -> Candidate:
    """Question ``number`` of the initial design, and of its continuation should all answers fail.

    - ``cheap``: one design at z = 0.7, then a Sobol set at the cheapest fidelity. The same set at full accuracy costs
      many times as much and teaches hardly more (docs/decisions/0003-defaults-per-method.md). The one above comes first
      so that a measured cost is known to rise with z before the cheap runs are counted. Of sources without order every
      one but the first and full accuracy is tried so.
    - ``paper``: random designs, every simulator at a random fidelity [Belakaria2020].
    - ``target``: a Sobol set at full accuracy, for the methods that know no other fidelity.
    """
    n_simulators = len(problem.simulators)
    if design == "paper":
        rng = np.random.default_rng([seed, number])
        return candidate(problem, random_design(problem, rng), rng.random(n_simulators))
    x = sobol_designs(problem, number + 1, np.random.default_rng(seed))[number]
    if design == "target":
        return candidate(problem, x, np.ones(n_simulators))
    above = [_above_cheap(simulator.fidelity) for simulator in problem.simulators]
    return candidate(problem, x, np.array([each[number] if number < len(each) else 0.0 for each in above]))


def _above_cheap(fidelity: Fidelity) -> tuple[float, ...]:
    """Of the designs before the cheap ones."""
    if isinstance(fidelity, Levels) and not fidelity.is_ordered:
        return tuple(fidelity.grid(len(fidelity.values))[1:-1].tolist())
    return ABOVE_CHEAP


def sobol_designs(problem: Problem, n: int, rng: np.random.Generator) -> Array:  # (n, d)
    """The first ``n`` points of a scrambled Sobol sequence over the search space that are allowed."""
    sequence = sobol_sequence(problem.space.n_parameters, rng)
    exponent = max(0, int(np.ceil(np.log2(max(n, 1)))))
    if problem.space.conditions:
        return allowed_designs(problem.space, n, sequence.random, rng)
    return problem.space.from_unit(sequence.random_base2(exponent)[:n])


def random_design(problem: Problem, rng: np.random.Generator) -> Array:  # (d,)
    """A uniform one of those allowed."""
    n_parameters = problem.space.n_parameters
    first = problem.space.from_unit(rng.random((1, n_parameters)))
    if problem.space.is_allowed(first)[0]:
        return np.asarray(first[0])
    return np.asarray(allowed_designs(problem.space, 1, lambda n: rng.random((n, n_parameters)), rng)[0])


def candidate(problem: Problem, x: Array, z: Array, fitted: dict[str, tuple[float, ...]] | None = None) -> Candidate:
    """An encoded design (d,) and fidelity vector (n_simulators,) in the user's own words; NaN leaves one out."""
    fidelities = {
        simulator.name: simulator.fidelity.decode(float(z[s]))
        for s, simulator in enumerate(problem.simulators)
        if not np.isnan(z[s])
    }
    return Candidate(problem.space.decode(x), fidelities, fitted or {})
