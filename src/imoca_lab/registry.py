"""All benchmark problems by name; a problem's module is imported when it is asked for."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING

from imoca.errors import ProblemError

if TYPE_CHECKING:
    from imoca_lab.benchmark import Benchmark

DESCRIPTIONS = {
    "branin_currin": "2 variables, 2 objectives, continuous fidelities; the usual first test",
    "trap": "Branin-Currin with low fidelities that mislead",
    "adversarial": "31 problems: Branin-Currin, Park, DTLZ2 and Ackley-Rosenbrock-Sphere with cheap runs that mislead",
    "branin_currin_disc": "Branin-Currin on a disc: a constraint with a fidelity of its own, too lenient in cheap runs",
    "c2_dtlz2": "4 variables, 2 objectives, a constraint that leaves three arcs of the front; continuous fidelities",
    "tanaka": "2 variables, 2 objectives, 2 constraints from one simulator; a wavy front in pieces",
    "osyczka_kundu": "6 variables, 2 objectives, 6 constraints from two simulators; a front of five kinds of pieces",
    "ackley_rosenbrock_sphere": "5 variables, 3 objectives, continuous fidelities",
    "cantilever": "3 variables, 2 objectives, six levels; a third of the designs break, and the front is on the edge",
    "reactor": "3 variables, 2 objectives, six levels; two fifths of the designs run away, the front is on the edge",
    "dtlz1": "5 variables, 6 objectives, three levels",
    "dtlz2": "10 variables, 6 objectives (or 5 and 3), continuous fidelities; the front is a sphere",
    "qv": "8 variables, 2 objectives, one of them with two levels",
    "momf_branin_currin": "2 variables, 2 objectives, one shared continuous fidelity",
    "momf_park": "4 variables, 2 objectives, one shared continuous fidelity",
    "rocket": "3 variables, 3 objectives; tolerance of an adaptive integrator",
    "circuit": "33 variables, 9 objectives; a voltage regulator in ngspice, length and tolerance of the transient",
    "panel": "6 variables, one integer, 2 objectives; buckling by finite strips, one stiffener or the whole panel",
    "network_on_chip": "10 two-valued choices, 2 objectives; cycles simulated in a mesh network",
}


def get(
    name: str,
    *,
    setting: str | None = None,
    cost: str | None = None,
    variant: str | None = None,
    backend: str | None = None,
) -> Benchmark:
    """The benchmark called ``name``; None leaves an option at the problem's own default."""
    if name not in DESCRIPTIONS:
        raise ProblemError(f"There is no benchmark {name!r}.", hint=f"Choose one of {', '.join(DESCRIPTIONS)}.")
    make: Callable[..., Benchmark] = getattr(importlib.import_module(f"imoca_lab.problems.{name}"), name)
    given = {"setting": setting, "cost": cost, "variant": variant, "backend": backend}
    chosen = {option: value for option, value in given.items() if value is not None}
    known = [option for option in inspect.signature(make).parameters if option in given]
    if unknown := [option for option in chosen if option not in known]:
        raise ProblemError(
            f"Benchmark {name!r} has no option {unknown[0]!r}.",
            hint=f"Its options are {', '.join(known)}." if known else "It has no options.",
        )
    return make(**chosen)
