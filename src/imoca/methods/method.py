"""What a method is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from imoca.problem.problem import Problem
from imoca.trials import Candidate, Trial


class Method(Protocol):
    """A recipe that turns the trials so far into the next question."""

    def is_start(self, problem: Problem, trials: Sequence[Trial], seed: int) -> bool:
        """Whether the question after these trials still belongs to the initial design, which asks no model."""

    def suggest(self, problem: Problem, trials: Sequence[Trial], seed: int) -> Candidate:
        """A pure function: the same trials and seed give the same question, also after a restart."""
