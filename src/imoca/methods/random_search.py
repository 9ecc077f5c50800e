"""Random search at full accuracy: what every method has to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.methods.initial_design import candidate, random_design
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate


@dataclass(frozen=True)
class RandomSearch:
    def is_start(self, table: TrialTable, seed: int) -> bool:
        return False

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        rng, problem = np.random.default_rng([seed, len(table)]), table.problem
        return candidate(problem, random_design(problem, rng), np.ones(len(problem.simulators)))
