"""Multi-objective Bayesian optimization with a fidelity and a cost per simulator."""

from imoca.errors import ImocaError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Command, Constraint, FunctionReference, Objective, Simulator
from imoca.study.recommendation import ParetoPoint
from imoca.study.study import Study
from imoca.trials import Trial, TrialState

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
