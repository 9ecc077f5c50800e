"""What a problem is made of, in words."""

from __future__ import annotations

import re
import shlex

from imoca.problem.cost import ExpressionCost, KnownCost, LevelCosts, MeasuredCost
from imoca.problem.fidelity import Continuous, Fidelity, Knobs
from imoca.problem.parameters import Choice, Parameter, Real
from imoca.problem.reference import FunctionReference, reference_to
from imoca.problem.simulator import Command, Objective, Output, Simulator
from imoca.wording import bound_words, labelled, number, with_unit

PLAIN_WORD = re.compile(r"[\w./:=,+{}-]+")  # an argument that needs no quotes to be read


def parameter_words(parameter: Parameter) -> tuple[str, str]:
    """Kind and range."""
    if isinstance(parameter, Choice):
        return "choice", ", ".join(map(number, parameter.values))
    is_log = isinstance(parameter, Real) and parameter.log
    kind = "real" if isinstance(parameter, Real) else "integer"
    return kind, with_unit(f"{parameter.low:g} to {parameter.high:g}", parameter.unit) + (", log" if is_log else "")


def output_words(output: Output) -> str:
    if isinstance(output, Objective):
        return f"{output.goal} {labelled(output.name, output.unit)}"
    return f"{output.name} {bound_words(output.lower, output.upper, output.unit)}"


def fidelity_words(fidelity: Fidelity) -> str:
    if not fidelity.has_knob:
        return "none: always at full accuracy"
    if isinstance(fidelity, Continuous):
        log = ", log" if fidelity.log else ""
        ends = with_unit(f"{fidelity.low:g} to {fidelity.high:g}", fidelity.unit)
        return f"{ends}{log}; full accuracy at {with_unit(number(fidelity.target), fidelity.unit)}"
    if isinstance(fidelity, Knobs):
        each = [f"{name} {with_unit(', '.join(map(number, knob.values)), knob.unit)}" for name, knob in fidelity.parts]
        return f"{'; '.join(each)}; full accuracy is the last of each"
    settings = [fidelity.decode(float(z)) for z in fidelity.grid(2)]
    if not fidelity.is_ordered:
        return f"{', '.join(map(number, settings))}, without order; the last is full accuracy"
    return f"{with_unit(', '.join(map(number, settings)), fidelity.unit)}; the last is full accuracy"


def cost_words(simulator: Simulator) -> str:
    cost = simulator.cost
    if not isinstance(cost, MeasuredCost):
        return _known_words(cost)
    return "measured" if cost.expected is None else f"measured; expected {_known_words(cost.expected)}"


def _known_words(cost: KnownCost) -> str:
    if isinstance(cost, ExpressionCost):
        return cost.text
    if isinstance(cost, LevelCosts):
        return ", ".join(f"{value:g}" for value in cost.values)
    return "by a function"


def run_words(simulator: Simulator) -> str:
    run = simulator.run
    if run is None:
        return "by hand: its answers are told"
    if isinstance(run, Command):
        return " ".join(word if PLAIN_WORD.fullmatch(word) else shlex.quote(word) for word in run.arguments)
    reference = run if isinstance(run, FunctionReference) else reference_to(run)
    return f"the Python function {reference.path if reference else getattr(run, '__name__', 'without a name')}"
