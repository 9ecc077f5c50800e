"""Multi-objective Bayesian optimization with a fidelity and a cost per simulator."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from imoca.errors import ImocaError
    from imoca.problem.cost import MeasuredCost
    from imoca.problem.fidelity import Fidelity
    from imoca.problem.parameters import Choice, Integer, Real
    from imoca.problem.problem import Problem
    from imoca.problem.resources import Resources
    from imoca.problem.simulator import Command, Constraint, FunctionReference, Objective, Simulator
    from imoca.snapshot.recommendation import ParetoPoint
    from imoca.study.study import Study
    from imoca.trials.trial import Trial, TrialState

__version__ = "0.2.0"

__all__ = [
    "Choice",
    "Command",
    "Constraint",
    "Fidelity",
    "FunctionReference",
    "ImocaError",
    "Integer",
    "MeasuredCost",
    "Objective",
    "ParetoPoint",
    "Problem",
    "Real",
    "Resources",
    "Simulator",
    "Study",
    "Trial",
    "TrialState",
]

_HOMES = {
    "Choice": "imoca.problem.parameters",
    "Command": "imoca.problem.simulator",
    "Constraint": "imoca.problem.simulator",
    "Fidelity": "imoca.problem.fidelity",
    "FunctionReference": "imoca.problem.simulator",
    "ImocaError": "imoca.errors",
    "Integer": "imoca.problem.parameters",
    "MeasuredCost": "imoca.problem.cost",
    "Objective": "imoca.problem.simulator",
    "ParetoPoint": "imoca.snapshot.recommendation",
    "Problem": "imoca.problem.problem",
    "Real": "imoca.problem.parameters",
    "Resources": "imoca.problem.resources",
    "Simulator": "imoca.problem.simulator",
    "Study": "imoca.study.study",
    "Trial": "imoca.trials.trial",
    "TrialState": "imoca.trials.trial",
}


def __getattr__(name: str) -> object:
    """Load a name when it is asked for: ``imoca --help`` must answer at once, without NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'imoca' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names, loaded or not: what an editor or a notebook offers after ``imoca.``"""
    return [*__all__, "__version__"]
