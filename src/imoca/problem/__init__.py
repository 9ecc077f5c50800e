"""What is optimised: parameters, simulators with their own fidelity and cost, and the problem they make."""

from imoca.problem.accuracy import FidelityValue
from imoca.problem.cost import DeclaredCost, MeasuredCost
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Parameter, Real, Value
from imoca.problem.problem import Problem
from imoca.problem.resources import Needs, Resources
from imoca.problem.simulator import Command, Constraint, FunctionReference, Goal, Objective, Output, Runnable, Simulator
from imoca.problem.space import SearchSpace

__all__ = [
    "Choice",
    "Command",
    "Constraint",
    "DeclaredCost",
    "Fidelity",
    "FidelityValue",
    "FunctionReference",
    "Goal",
    "Integer",
    "MeasuredCost",
    "Needs",
    "Objective",
    "Output",
    "Parameter",
    "Problem",
    "Real",
    "Resources",
    "Runnable",
    "SearchSpace",
    "Simulator",
    "Value",
]
