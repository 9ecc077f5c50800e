"""Random search at full accuracy: what every method has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.methods.initial_design import candidate
from imoca.problem.problem import Problem
from imoca.trials import Candidate, Trial


@dataclass(frozen=True)
class RandomSearch:
    def is_start(self, problem: Problem, trials: Sequence[Trial], seed: int) -> bool:
        return False

    def suggest(self, problem: Problem, trials: Sequence[Trial], seed: int) -> Candidate:
        rng = np.random.default_rng([seed, len(trials)])
        x = problem.space.from_unit(rng.random((1, problem.space.n_parameters)))[0]
        return candidate(problem, x, np.ones(len(problem.simulators)))
