"""MOMF and multi-fidelity HVKG as methods: one fidelity, shared by all simulators."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imoca.arrays import Array
from imoca.errors import MethodError
from imoca.methods import InitialDesign, candidate, initial_question, initial_size
from imoca.models import cost_models
from imoca.trials import Candidate, TrialTable
from imoca_lab.peers.hvkg import suggest_hvkg
from imoca_lab.peers.models import attempted
from imoca_lab.peers.momf import suggest_momf
from imoca_lab.peers.observations import Observations, check_problem, observe
from imoca_lab.peers.shared_cost import SharedCost
from imoca_lab.peers.tutorial_start import is_start_over, start_question

logger = logging.getLogger(__name__)

SharedCriterionName = Literal["momf", "hvkg"]


@dataclass(frozen=True)
class SharedFidelitySearch:
    """Every simulator runs at the same z: BoTorch knows one fidelity.

    Integers, choices and levels are treated as the numbers that encode them, and the suggestion is rounded.
    """

    criterion: SharedCriterionName
    initial_design: InitialDesign | None = None  # None: the tutorial's own
    reference_point: tuple[float, ...] | None = None  # maximised, in the user's units; None: from the model's front

    def is_start(self, table: TrialTable, seed: int) -> bool:
        if self.initial_design is None:
            return not is_start_over(table, seed)
        return len(table) < initial_size(table.problem, self.initial_design)

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        problem = table.problem
        check_problem(problem, self.criterion.upper())
        if not any(simulator.fidelity.has_knob for simulator in problem.simulators):
            raise MethodError(
                f"BoTorch's {self.criterion.upper()} chooses a fidelity, but no simulator has one.",
                hint="Use botorch-qlognehvi, or another method for full accuracy.",
            )
        number = len(table)
        observations = None if self.is_start(table, seed) else observe(table)
        if observations is None:
            return self._start_question(table, seed)
        cost = SharedCost(cost_models(table))
        point = attempted(lambda: self._point(observations, cost), seed, number)
        if point is None:
            return self._start_question(table, seed)
        logger.info("Trial %d: z = %.3g", number, point[-1])
        x = problem.space.snap(point[None, :-1])[0]
        return candidate(problem, x, np.full(len(problem.simulators), point[-1]))

    def _point(self, observations: Observations, cost: SharedCost) -> Array:  # (d + 1,)
        match self.criterion:
            case "momf":
                return suggest_momf(observations, cost, self.reference_point)
            case "hvkg":
                return suggest_hvkg(observations, cost, self.reference_point)

    def _start_question(self, table: TrialTable, seed: int) -> Candidate:
        if self.initial_design is None:
            return start_question(table, seed)
        return initial_question(table.problem, self.initial_design, len(table), seed)
