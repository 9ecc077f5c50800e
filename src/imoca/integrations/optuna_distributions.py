"""Optuna's distributions as parameters, and their values there and back.

Steps, and integers on a log scale, are numbers that are rounded when they are suggested; choices are known by their
position, for Optuna's may be None, or 1 beside True.
"""

from __future__ import annotations

from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from imoca.errors import ParameterError
from imoca.problem.accuracy import FIDELITY_NAME
from imoca.problem.fidelity import Continuous, Fidelity, Levels
from imoca.problem.parameters import Choice, Integer, Parameter, Real, Value
from imoca.wording import shown


def is_known(distribution: BaseDistribution) -> bool:
    """Whether it leaves something to choose, in a way that is known here."""
    kinds = FloatDistribution | IntDistribution | CategoricalDistribution
    return isinstance(distribution, kinds) and not distribution.single()


def own_name(name: str) -> str:
    """By which a parameter goes here: z is the fidelity in expressions of costs."""
    return f"{name} (parameter)" if name == FIDELITY_NAME else name


def parameter_of(name: str, distribution: BaseDistribution) -> Parameter:
    match distribution:
        case FloatDistribution():
            return Real(own_name(name), distribution.low, distribution.high, distribution.log)
        case IntDistribution(log=True):
            return Real(own_name(name), distribution.low, distribution.high, True)
        case IntDistribution():
            return Integer(own_name(name), distribution.low, distribution.high)
        case CategoricalDistribution():
            return Choice(own_name(name), [str(i) for i in range(len(distribution.choices))])
    raise ParameterError(
        f"Parameter {name!r} has the distribution {shown(distribution)}.", hint="Suggest a float, an int or a choice."
    )


def to_imoca(distribution: BaseDistribution, value: Any) -> Value:
    if isinstance(distribution, CategoricalDistribution):
        return str(int(distribution.to_internal_repr(value)))
    return (
        float(value) if isinstance(distribution, FloatDistribution) or distribution_is_log(distribution) else int(value)
    )


def to_optuna(distribution: BaseDistribution, value: Value) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[int(value)]
    if isinstance(distribution, IntDistribution):
        steps = round((float(value) - distribution.low) / distribution.step)
        return int(min(distribution.low + steps * distribution.step, distribution.high))
    if isinstance(distribution, FloatDistribution) and distribution.step is not None:
        steps = round((float(value) - distribution.low) / distribution.step)
        return min(distribution.low + steps * distribution.step, distribution.high)
    return float(value)


def distribution_is_log(distribution: BaseDistribution) -> bool:
    return isinstance(distribution, FloatDistribution | IntDistribution) and distribution.log


def distribution_of(simulator: str, fidelity: Fidelity) -> FloatDistribution | CategoricalDistribution | None:
    """Of a knob as a parameter; None where there is none."""
    if not fidelity.has_knob:
        return None
    if isinstance(fidelity, Continuous):
        return FloatDistribution(fidelity.low, fidelity.high, log=fidelity.log)
    if isinstance(fidelity, Levels):
        return CategoricalDistribution(fidelity.values)
    raise ParameterError(
        f"The fidelity of simulator {simulator!r} is {shown(fidelity)}.",
        hint="In Optuna a knob is Fidelity.continuous(low, high) or Fidelity.levels([...]).",
    )
