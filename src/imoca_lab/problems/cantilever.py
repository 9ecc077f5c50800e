"""A leaf spring that breaks: as soft and as light as possible, and its simulation ends with an error above 300 MPa.

A cantilever of steel, 400 mm long, whose width shrinks from the root to the tip, under 200 N at its tip. Its deflection
is computed from pieces of constant width; the fidelity is how many. The stress is that in the middle of the piece
at the root, so that a coarse model lets springs live that break in a fine one. The lighter and the softer, the nearer
to breaking: the whole front lies on the edge of what can be computed.
"""

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front

LENGTH, FORCE, STRENGTH = 400.0, 200.0, 300.0  # mm, N, MPa
STIFFNESS, DENSITY = 210e3, 7.85e-6  # of steel: MPa, kg / mm^3
LOW, HIGH = np.array([20.0, 5.0, 3.0]), np.array([80.0, 80.0, 12.0])  # width at the root and at the tip, thickness; mm
PIECES = [2, 4, 8, 16, 32, 64]
REFERENCE_POINT = np.array([10.0, -0.8])  # mm of deflection, minus kg


class BrokenError(RuntimeError):
    """The spring breaks before it carries its load."""


def cantilever() -> Benchmark:
    """Three parameters, one simulator of two objectives."""
    names = ("root", "tip", "thickness")
    problem = Problem(
        parameters=[Real(name, low, high) for name, low, high in zip(names, LOW.tolist(), HIGH.tolist(), strict=True)],
        simulators=[
            Simulator(
                "spring",
                [Objective("deflection", "maximize"), Objective("mass", "minimize")],
                spring,
                fidelity=Fidelity.levels(PIECES),
                cost=[float(pieces) for pieces in PIECES],
            )
        ],
    )
    return with_stored_front("cantilever", problem, REFERENCE_POINT, true_values, is_feasible=is_whole)


def spring(root: float, tip: float, thickness: float, z: int) -> dict[str, float]:
    """One run with ``z`` pieces."""
    design = np.array([[root, tip, thickness]])
    stress = root_stress(design, z)[0]
    if stress > STRENGTH:
        raise BrokenError(f"the spring breaks: {stress:.0f} MPa at its root")
    return {"deflection": float(deflection(design, z)[0]), "mass": float(mass(design)[0])}


def deflection(designs: Array, pieces: int) -> Array:  # (n, 3) in mm -> (n,) in mm
    """Of the tip: the integral of F s^2 / (E I) over the distance s from the tip, piece by piece."""
    ends = np.linspace(0.0, LENGTH, pieces + 1)
    inertia = width_at(designs, 0.5 * (ends[1:] + ends[:-1])) * designs[:, 2:] ** 3 / 12.0
    return np.asarray((FORCE / STIFFNESS * np.diff(ends**3) / 3.0 / inertia).sum(axis=1))


def root_stress(designs: Array, pieces: int) -> Array:  # (n, 3) -> (n,) in MPa
    middle = LENGTH * (1.0 - 0.5 / pieces)
    return np.asarray(6.0 * FORCE * middle / (width_at(designs, np.array([middle]))[:, 0] * designs[:, 2] ** 2))


def mass(designs: Array) -> Array:  # (n, 3) -> (n,) in kg
    return np.asarray(DENSITY * LENGTH * 0.5 * (designs[:, 0] + designs[:, 1]) * designs[:, 2])


def width_at(designs: Array, distances: Array) -> Array:  # (n, 3), (m,) from the tip -> (n, m)
    return designs[:, 1:2] + (designs[:, :1] - designs[:, 1:2]) * distances / LENGTH


def is_whole(unit_designs: Array) -> BoolArray:  # (n, 3) -> (n,)
    """Whether a run at full accuracy answers."""
    return np.asarray(root_stress(LOW + unit_designs * (HIGH - LOW), PIECES[-1]) <= STRENGTH)


def true_values(unit_designs: Array) -> Array:  # (n, 3) -> (n, 2) maximised
    """At full accuracy; a spring that breaks is worth nothing, which is the reference point."""
    designs = LOW + np.asarray(unit_designs) * (HIGH - LOW)
    values = np.column_stack([deflection(designs, PIECES[-1]), -mass(designs)])
    return np.where(is_whole(unit_designs)[:, None], values, REFERENCE_POINT)
