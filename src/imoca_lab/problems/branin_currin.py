"""Branin and Currin, both minimised on the same square, each with its own fidelity and cost.

[Belakaria2020], appendix B. Departure: Currin's fidelity shifts its first factor instead of scaling the
exponential in it. The printed formula loses the second parameter at full fidelity; ours is the standard
Currin there, as in the authors' code. ``variant="paper"`` is the printed problem, with a front of its own.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, check_option, with_stored_front

LOW = np.array([-5.0, 0.0])  # x1, x2
HIGH = np.array([10.0, 15.0])
REFERENCE_POINT = np.array([-18.0, -6.0])  # minus Branin, minus Currin
PAPER_REFERENCE_POINT = np.array([-18.0, -11.0])  # the printed Currin reaches 10.21 along its front
BRANIN_COST = "0.05 + z**6.5"
CURRIN_COST = "0.1 + z**2"

Run = Callable[[float, float, float], float]  # x1, x2, z -> value
Variant = Literal["code", "paper"]


def branin_currin(variant: Variant = "code") -> Benchmark:
    """Two parameters, two objectives with a continuous fidelity each."""
    check_option("branin_currin", "variant", variant, Variant)
    if variant == "code":
        return with_stored_front("branin_currin", problem_on_the_square(branin, currin), REFERENCE_POINT, true_values)
    printed = problem_on_the_square(branin, printed_currin)
    return with_stored_front("branin_currin_paper", printed, PAPER_REFERENCE_POINT, paper_true_values)


def problem_on_the_square(branin_run: Run, currin_run: Run) -> Problem:
    """Branin's square, one simulator per function, the paper's costs."""
    runs = {"branin": (branin_run, BRANIN_COST), "currin": (currin_run, CURRIN_COST)}
    return Problem(
        parameters=[
            Real("x1", float(LOW[0]), float(HIGH[0])),
            Real("x2", float(LOW[1]), float(HIGH[1])),
        ],
        simulators=[
            Simulator(output, [Objective(output, "minimize")], run, fidelity=Fidelity.continuous(), cost=cost)
            for output, (run, cost) in runs.items()
        ],
    )


def branin(x1: float, x2: float, z: float) -> float:
    """Branin at one design; smallest, 0.397887, at three places."""
    return float(branin_values(np.array([x1]), np.array([x2]), z)[0])


def currin(x1: float, x2: float, z: float) -> float:
    """Currin at one design of Branin's square."""
    return float(currin_values(np.array([x1]), np.array([x2]), z)[0])


def printed_currin(x1: float, x2: float, z: float) -> float:
    """The printed Currin at one design of Branin's square."""
    return float(printed_currin_values(np.array([x1]), np.array([x2]), z)[0])


def branin_values(x1: Array, x2: Array, z: float) -> Array:
    """Branin, elementwise; the fidelity bends its valley and shifts its ripple."""
    b = 5.1 / (4.0 * np.pi**2) - 0.01 * (1.0 - z)
    c = 5.0 / np.pi - 0.1 * (1.0 - z)
    t = 1.0 / (8.0 * np.pi) + 0.05 * (1.0 - z)
    return np.asarray((x2 - b * x1**2 + c * x1 - 6.0) ** 2 + 10.0 * (1.0 - t) * np.cos(x1) + 10.0)


def currin_values(x1: Array, x2: Array, z: float) -> Array:
    """Currin, elementwise, of the design scaled to the unit square."""
    ratio, fading = _currin_parts(x1, x2)
    return np.asarray((1.0 - 0.1 * (1.0 - z) - fading) * ratio)


def printed_currin_values(x1: Array, x2: Array, z: float) -> Array:
    """Currin as printed: without the second parameter at full fidelity."""
    ratio, fading = _currin_parts(x1, x2)
    return np.asarray((1.0 - 0.1 * (1.0 - z) * fading) * ratio)


def _currin_parts(x1: Array, x2: Array) -> tuple[Array, Array]:
    """The ratio of polynomials in the first parameter, and the exponential of the second."""
    u1, u2 = unit_square(x1, x2)
    positive = u2 > 0.0
    fading = np.where(positive, np.exp(-0.5 / np.where(positive, u2, 1.0)), 0.0)  # limit at the edge u2 = 0
    ratio = (2300.0 * u1**3 + 1900.0 * u1**2 + 2092.0 * u1 + 60.0) / (100.0 * u1**3 + 500.0 * u1**2 + 4.0 * u1 + 20.0)
    return ratio, fading


def unit_square(x1: Array, x2: Array) -> tuple[Array, Array]:
    """The design scaled to [0, 1] in both parameters."""
    return (x1 - LOW[0]) / (HIGH[0] - LOW[0]), (x2 - LOW[1]) / (HIGH[1] - LOW[1])


def true_values(
    unit_designs: Array,  # (n, 2)
) -> Array:  # (n, 2)
    """Minus Branin and minus Currin at full fidelity."""
    x1, x2 = (LOW + np.asarray(unit_designs) * (HIGH - LOW)).T
    return -np.stack([branin_values(x1, x2, 1.0), currin_values(x1, x2, 1.0)], axis=1)


def paper_true_values(
    unit_designs: Array,  # (n, 2)
) -> Array:  # (n, 2)
    """Minus Branin and minus the printed Currin at full fidelity."""
    x1, x2 = (LOW + np.asarray(unit_designs) * (HIGH - LOW)).T
    return -np.stack([branin_values(x1, x2, 1.0), printed_currin_values(x1, x2, 1.0)], axis=1)
