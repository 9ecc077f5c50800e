"""qLogNEHVI, qLogNParEGO and the entropy searches as methods: every simulator at full accuracy."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imoca.arrays import Array
from imoca.methods import candidate, initial_question
from imoca.trials import Candidate, TrialTable
from imoca_lab.peers.entropy import suggest_jes, suggest_mesmo
from imoca_lab.peers.improvement import suggest_qlognehvi, suggest_qlognparego
from imoca_lab.peers.models import attempted
from imoca_lab.peers.observations import Observations, check_problem, observe, shared_fidelities
from imoca_lab.peers.tutorial_start import fewest_designs

logger = logging.getLogger(__name__)

FullCriterionName = Literal["qlognehvi", "qlognparego", "jes", "mesmo"]


@dataclass(frozen=True)
class FullFidelitySearch:
    """Starts with 2 (d + 1) Sobol designs, as the tutorial "multi_objective_bo" does.

    Answers of lower fidelity are left out. Integers and choices are treated as the numbers that encode them, and the
    suggestion is rounded.
    """

    criterion: FullCriterionName
    reference_point: tuple[float, ...] | None = None  # maximised, in the user's units; None: from the model's front

    def is_start(self, table: TrialTable, seed: int) -> bool:
        return len(table) < fewest_designs(table.problem)

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        problem, number = table.problem, len(table)
        check_problem(problem, self.criterion)
        observations = None
        if not self.is_start(table, seed):
            observations = observe(table.rows(shared_fidelities(table) == 1.0))
        point = None
        if observations is not None:
            point = attempted(lambda: self._point(observations), seed, number)
        if point is None:
            return initial_question(problem, "target", number, seed)
        logger.info("Trial %d: %s", number, self.criterion)
        return candidate(problem, problem.space.snap(point[None])[0], np.ones(len(problem.simulators)))

    def _point(self, observations: Observations) -> Array:  # (d,)
        match self.criterion:
            case "qlognehvi":
                return suggest_qlognehvi(observations, self.reference_point)
            case "qlognparego":
                return suggest_qlognparego(observations)
            case "jes":
                return suggest_jes(observations)
            case "mesmo":
                return suggest_mesmo(observations)
