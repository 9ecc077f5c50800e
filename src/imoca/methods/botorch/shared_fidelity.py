"""MOMF and multi-fidelity HVKG as methods: one fidelity, shared by all simulators."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imoca.arrays import Array
from imoca.errors import MethodError
from imoca.methods.botorch.hvkg import suggest_hvkg
from imoca.methods.botorch.models import attempted
from imoca.methods.botorch.momf import suggest_momf
from imoca.methods.botorch.observations import Observations, check_objectives, observe
from imoca.methods.botorch.shared_cost import SharedCost
from imoca.methods.botorch.tutorial_start import cost_models, is_start_over, start_question
from imoca.methods.initial_design import InitialDesign, candidate, initial_question, initial_size
from imoca.problem.problem import Problem
from imoca.trials import Candidate, Trial

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

    def is_start(self, problem: Problem, trials: Sequence[Trial], seed: int) -> bool:
        if self.initial_design is None:
            return not is_start_over(problem, trials, seed)
        return len(trials) < initial_size(problem, self.initial_design)

    def suggest(self, problem: Problem, trials: Sequence[Trial], seed: int) -> Candidate:
        check_objectives(problem, self.criterion.upper())
        if not any(simulator.fidelity.has_knob for simulator in problem.simulators):
            raise MethodError(
                f"BoTorch's {self.criterion.upper()} chooses a fidelity, but no simulator has one.",
                hint="Use botorch-qlognehvi, or another method for full accuracy.",
            )
        number = len(trials)
        observations = None if self.is_start(problem, trials, seed) else observe(problem, trials)
        if observations is None:
            return self._start_question(problem, trials, seed)
        cost = SharedCost(cost_models(problem, trials))
        point = attempted(lambda: self._point(observations, cost), seed, number)
        if point is None:
            return self._start_question(problem, trials, seed)
        logger.info("Trial %d: z = %.3g", number, point[-1])
        x = problem.space.snap(point[None, :-1])[0]
        return candidate(problem, x, np.full(len(problem.simulators), point[-1]))

    def _point(self, observations: Observations, cost: SharedCost) -> Array:  # (d + 1,)
        match self.criterion:
            case "momf":
                return suggest_momf(observations, cost, self.reference_point)
            case "hvkg":
                return suggest_hvkg(observations, cost, self.reference_point)

    def _start_question(self, problem: Problem, trials: Sequence[Trial], seed: int) -> Candidate:
        if self.initial_design is None:
            return start_question(problem, trials, seed)
        return initial_question(problem, self.initial_design, len(trials), seed)
