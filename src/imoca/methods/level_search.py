"""MF-OSEMO-TG and MF-OSEMO-NI: the most information about the Pareto front per cost, from a few fidelity levels.

For a continuous fidelity the levels are z = 0, 1/2 and 1. Departures from [BelakariaDeshwal2020]: maxima of drawn
functions are found by climbing and not by NSGA-II, and the best vector of levels by Dinkelbach's method, which is exact
over all of them; both as for iMOCA, so that the surrogate and the gain alone set the methods apart. TG supposes that no
level exceeds the maxima at the target; where the data contradict that, the level's bound is raised above them, or a
design known to exceed it would look infinitely informative for ever.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imoca.acquisition.fractional import choose_fidelities
from imoca.acquisition.level_gain import integrated_level_gain, truncated_level_gain
from imoca.acquisition.maximise import distinct_best, maximise, with_differences
from imoca.arrays import Array, IntArray
from imoca.methods.candidates import N_STARTS, candidate_designs
from imoca.methods.fronts import N_SEARCH_DESIGNS, maxima_of, maximum_floor
from imoca.methods.initial_design import candidate, initial_question, initial_size, sobol_designs
from imoca.methods.level_beliefs import LevelBeliefs, believe_in_levels, levels_of, nearest_levels
from imoca.methods.settings import InitialDesign
from imoca.models.paths import draw_paths
from imoca.problem.problem import Problem
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate

logger = logging.getLogger(__name__)

LevelGainName = Literal["truncated", "integrated"]


@dataclass(frozen=True)
class LevelSearch:
    """Ask where an evaluation at some vector of levels tells most about the Pareto front for its cost."""

    gain: LevelGainName
    initial_design: InitialDesign
    n_fronts: int

    def is_start(self, table: TrialTable, seed: int) -> bool:
        return len(table) < initial_size(table.problem, self.initial_design)

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        number, problem = len(table), table.problem
        beliefs = None if self.is_start(table, seed) else _try_to_believe(table)
        if beliefs is None:
            return _at_levels(problem, initial_question(problem, self.initial_design, number, seed))
        rng = np.random.default_rng([seed, number])
        bounds, near = self._sample_bounds(beliefs, rng)
        candidates = candidate_designs(problem, np.concatenate([near, beliefs.asked]), beliefs.n_data, rng)

        def score(x: Array) -> Array:
            return self._gain_per_cost(beliefs, bounds, x)[1]

        starts = distinct_best(candidates, score(candidates), N_STARTS)
        x, value = maximise(with_differences(score, problem.space), starts, problem.space)
        chosen, _ = self._gain_per_cost(beliefs, bounds, x[None])
        z = np.array([levels_of(each)[level[0]] for each, level in zip(problem.simulators, chosen, strict=True)])
        logger.info("Trial %d: gain per cost %.3g, z = %s", number, value, z.tolist())
        return candidate(problem, x, z)

    def _sample_bounds(self, beliefs: LevelBeliefs, rng: np.random.Generator) -> tuple[list[Array], Array]:
        """Per objective the maxima of functions drawn at the target as bounds (S, M) of every level; where they lie."""
        asked = beliefs.asked
        starts = np.concatenate([sobol_designs(beliefs.problem, N_SEARCH_DESIGNS, rng), asked])
        bounds, near = [], []
        for surrogate, levels in zip(beliefs.surrogates, _levels_by_objective(beliefs.problem), strict=True):
            draws = draw_paths(surrogate, self.n_fronts, rng)
            floors = maximum_floor(surrogate.mean(asked, levels), surrogate.noise_at_target)  # (M,)
            maxima, x = maxima_of(draws, starts, floors[-1], beliefs.problem.space)
            bounds.append(np.maximum(maxima[:, None], floors))
            near.append(x)
        return bounds, np.concatenate(near)

    def _gain_per_cost(self, beliefs: LevelBeliefs, bounds: list[Array], x: Array) -> tuple[list[IntArray], Array]:
        """The best level (n,) of every simulator, and the gain per cost (n,) that they achieve."""
        problem, gains = beliefs.problem, {}
        for j, levels in enumerate(_levels_by_objective(problem)):
            moments = beliefs.surrogates[j].moments(x, levels)
            if self.gain == "truncated":
                gains[problem.objectives[j].name] = truncated_level_gain(moments, bounds[j])
            else:
                gains[problem.objectives[j].name] = integrated_level_gain(moments, bounds[j][:, -1])
        simulators = problem.simulators
        totals = [np.sum([gains[output.name] for output in each.outputs], axis=0) for each in simulators]
        costs = [cost.ratio(x, levels_of(each)) for each, cost in zip(simulators, beliefs.costs, strict=True)]
        return choose_fidelities(totals, costs)


def _try_to_believe(table: TrialTable) -> LevelBeliefs | None:
    try:
        return believe_in_levels(table)
    except np.linalg.LinAlgError as error:
        logger.warning("No surrogate from %d trials: %s", len(table), error)
        return None


def _levels_by_objective(problem: Problem) -> list[Array]:  # (M_j,) z each
    return [levels_of(problem.simulators[s]) for s in problem.simulator_columns]


def _at_levels(problem: Problem, question: Candidate) -> Candidate:
    """The same question at the nearest levels."""
    fidelities = {}
    for simulator in problem.simulators:
        z = np.array([simulator.fidelity.encode(question.fidelities[simulator.name])])
        fidelities[simulator.name] = simulator.fidelity.decode(float(nearest_levels(simulator, z)[0]))
    return Candidate(question.parameters, fidelities)
