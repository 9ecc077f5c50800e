"""Multi-objective Bayesian optimization with a fidelity and a cost per simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imoca.errors import ImocaError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Command, Constraint, FunctionReference, Objective, Simulator
from imoca.trials import Trial, TrialState

if TYPE_CHECKING:
    from imoca.study.recommendation import ParetoPoint
    from imoca.study.study import Study

__version__ = "0.1.0"

__all__ = [
    "Choice",
    "Command",
    "Constraint",
    "Fidelity",
    "FunctionReference",
    "ImocaError",
    "Integer",
    "Objective",
    "ParetoPoint",
    "Problem",
    "Real",
    "Simulator",
    "Study",
    "Trial",
    "TrialState",
]


def __getattr__(name: str) -> object:
    """Load what needs SciPy only when it is asked for: ``imoca --help`` must answer at once."""
    if name == "Study":
        from imoca.study.study import Study

        return Study
    if name == "ParetoPoint":
        from imoca.study.recommendation import ParetoPoint

        return ParetoPoint
    raise AttributeError(f"module 'imoca' has no attribute {name!r}")
